"""Train a neural model on a treebank: reader, network, export, and the choices made on the dev set."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from headway.corpus import Sentence
from headway.encoding import Encoder
from headway.errors import UsageError
from headway.learning.calibration import calibrate
from headway.learning.checkpoint import FolderCheckpoint
from headway.learning.gold import GoldTrees, gold_trees, nonprojective_share
from headway.learning.labels import possible_labels
from headway.learning.learners import accuracy
from headway.learning.options import TrainingOptions
from headway.model import Settings, TrainedModel
from headway.parts.candidate_batch import ALL_ARCS
from headway.parts.scorer import Scorer
from headway.presets import Neural, Preset, default_decoder
from headway.progress import Progress
from headway.scorers.neural.extras import TRAINING, require
from headway.scorers.neural.scorer import NeuralScorer
from headway.support.threads import Threads

_UNKNOWN = -100
_LARGE = 100_000
"""The size of a treebank, in words, from which a BiLSTM is trained with less dropout."""

_STEPS, _SMALLEST, _LARGEST = 150, 200, 1000
"""The number of batches of an epoch, if their size permits, and the smallest and largest batches, in words."""

_READ = ("upos", "xpos", "feats", "lemma")


@dataclass(frozen=True)
class NetworkRecipe:
    """Trains networks on a treebank, or on parts of it.

    Parameters
    ----------
    labels : tuple of str
    possible : (2, labels) bool
        The possible labels of arcs between two words, and of arcs from the root.
    checkpoint : FolderCheckpoint, optional
        Where to read the state to continue from, and to write it after each epoch.
    """

    rule: Neural
    options: TrainingOptions
    labels: tuple[str, ...]
    possible: npt.NDArray[np.bool_]
    progress: Progress
    checkpoint: FolderCheckpoint | None = None

    def train(
        self,
        sentences: Sequence[Sentence],
        dev: Sequence[Sentence] | None,
        *,
        stage: str = "network",
        share: float = 1.0,
        weights: Mapping[str, Any] | None = None,
    ) -> tuple[NeuralScorer, dict[str, Any]]:
        """Train and export a network; return it with its training history.

        Parameters
        ----------
        stage, share
            See `Progress.start`.
        weights : mapping of str to tensors, optional
            The weights of a trained network, which is then only exported. Missing weights are those of the pretrained
            encoder.
        """
        for package in TRAINING:
            require(package)
        from headway.learning.neural import NetworkTraining, train_network  # imported here: they import PyTorch
        from headway.learning.neural_checkpoint import NetworkCheckpoint
        from headway.scorers.neural.export import export_network

        options = self.options
        require("torch").set_num_threads(options.threads)
        tags = _known_tags(sentences)
        reader, network = _network(self.rule, sentences, labels=len(self.labels), tags=len(tags), seed=options.seed)
        self.progress.start(stage, options.epochs * len(sentences), share=share)
        history: dict[str, Any] = {}
        if weights is None:
            kept = None
            if self.checkpoint is not None:
                kept = NetworkCheckpoint(self.checkpoint, stage.replace(", ", "-").replace(" ", "-"))
            columns = {"labels": self.labels, "upos": tags}
            words = self.rule.batch or batch_size(sentences)
            trained = train_network(
                network, reader, _examples(sentences, columns), None if dev is None else _examples(dev, columns),
                NetworkTraining(options.epochs, options.patience, words, options.seed, loss=self.rule.loss),
                report=lambda epoch, scores: self.progress.note(f"{stage}: epoch {epoch}: {list_scores(scores)}"),
                advance=self.progress.advance, checkpoint=kept,
            )  # fmt: skip
            history = {"epochs": len(trained.history), "best_epoch": trained.best_epoch, "dev": trained.history}
        else:
            network.load_state_dict(network.state_dict() | dict(weights))
        self.progress.finish()
        forms = network.labels.detach().numpy().astype(np.float32)
        return NeuralScorer(export_network(network, reader), reader, forms, self.possible, tags), history


def list_scores(scores: Mapping[str, float]) -> str:
    """Return the scores of an epoch as text: ``loss 1.52, UAS 91.2``."""
    return ", ".join(f"{name if name == 'loss' else name.upper()} {value:.4g}" for name, value in scores.items())


def train_neural(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence] | None,
    *,
    preset: Preset,
    options: TrainingOptions,
    progress: Progress,
    checkpoint: Path | None = None,
    about: str = "",
    weights: Mapping[str, Any] | None = None,
) -> TrainedModel:
    """Train a network on only forms, export it, choose the decoder on the dev set, and calibrate.

    Parameters
    ----------
    checkpoint : Path, optional
        A folder for checkpoints: if it has any, training continues from them.
    weights : mapping of str to tensors, optional
        See `NetworkRecipe.train`.
    """
    assert preset.neural is not None
    labels = tuple(sorted({label for sentence in sentences for label in sentence.labels}))
    encoder = Encoder.fit(sentences, ignored=_READ)
    gold = gold_trees(sentences, encoder, labels)
    kept = None
    if checkpoint is not None:
        some = [(one.forms, one.heads, one.labels) for one in (*sentences, *(dev or ()))]
        digest = blake2b(repr(some).encode(), digest_size=16).hexdigest()
        kept = FolderCheckpoint(checkpoint, (preset, options.seed, options.epochs, digest))
    recipe = NetworkRecipe(preset.neural, options, labels, possible_labels(gold, len(labels)), progress, kept)
    scorer, history = recipe.train(sentences, dev, weights=weights)
    facts: dict[str, Any] = {
        "preset": preset.name,
        "sentences": len(sentences),
        "words": sum(map(len, sentences)),
        "seed": options.seed,
        "calibrated": dev is not None,
        "network": history,
    }
    projective = nonprojective_share(sentences) == 0.0
    settings = Settings(
        "", "", projective=projective, scorer=scorer.name, decoder=_decoder(scorer, projective=projective),
        restarts=preset.climbing.restarts if len(scorer.kinds) > 1 else 0,
    )  # fmt: skip
    model = TrainedModel(
        encoder, labels, scorer, scorer, settings, facts | ({"about": about} if about else {}), None
    )  # fmt: skip
    return model if dev is None else settle(model, gold_trees(dev, encoder, labels), threads=options.threads)


def _examples(sentences: Sequence[Sentence], columns: Mapping[str, Sequence[str]]) -> list[Any]:
    """Convert sentences to examples; values of columns become numbers, or -100 if they are unknown."""
    from headway.learning.neural import Example  # imported here: it imports PyTorch

    known = {column: {name: number for number, name in enumerate(names)} for column, names in columns.items()}
    return [
        Example(
            one.forms,
            one.heads,
            *([numbers.get(value, _UNKNOWN) for value in getattr(one, column)] for column, numbers in known.items()),
        )
        for one in sentences
    ]


def settle(model: TrainedModel, dev: GoldTrees, *, threads: int = 1) -> TrainedModel:
    """Choose the better decoder on the dev set, projective or not, and calibrate the model."""
    models = [
        replace(
            model,
            settings=replace(
                model.settings, projective=projective, decoder=_decoder(model.scorer, projective=projective)
            ),
        )
        for projective in (False, True)
    ]
    with Threads(threads) as pool:
        right = [accuracy(one.search(), dev, ALL_ARCS, threads=pool) for one in models]
        return calibrate(models[int(np.argmax(right))], dev, threads=pool)


def batch_size(sentences: Sequence[Sentence]) -> int:
    """Return the maximum number of words in a batch for this treebank."""
    return min(_LARGEST, max(_SMALLEST, sum(map(len, sentences)) // _STEPS))


def _known_tags(sentences: Sequence[Sentence]) -> tuple[str, ...]:
    """Return the UPOS tags that occur at least twice; a single ``_`` if there are none."""
    counts = Counter(tag for sentence in sentences for tag in sentence.upos)
    return tuple(sorted(tag for tag, count in counts.items() if count > 1)) or ("_",)


def _decoder(scorer: Scorer, *, projective: bool) -> str:
    return default_decoder(parts=len(scorer.kinds) > 1, projective=projective)


def _network(rule: Neural, sentences: Sequence[Sentence], *, labels: int, tags: int, seed: int) -> tuple[Any, Any]:
    """Make the reader and the network to train."""
    import torch

    from headway.scorers.neural.network import Network, Shape, WordEncoder, pretrained_encoder
    from headway.scorers.neural.piece_vectors import FILES, read_piece_vectors
    from headway.scorers.neural.readers import FIRST_FREE, PieceReader, WordReader

    torch.manual_seed(seed)
    large = sum(map(len, sentences)) >= _LARGE
    shape = Shape(
        rule.layers, rule.hidden, rule.word, rule.character, rule.arc, rule.label, 0.33 if large else 0.5, rule.second
    )  # fmt: skip
    if rule.encoder:
        folder = find_folder(rule.encoder, ("config.json", "tokenizer.json", "model.safetensors"))
        reader = PieceReader((folder / "tokenizer.json").read_text())
        pretrained = pretrained_encoder(folder, mask=reader.mask, layers=rule.encoder_layers)
        return reader, Network(pretrained, replace(shape, dropout=0.33), labels=labels, tags=tags)
    pieces: Sequence[str] = ()
    vectors = None
    if rule.vectors:
        pieces, static = read_piece_vectors(find_folder(rule.vectors, FILES))
        vectors = torch.from_numpy(static)
    words = WordReader.fit((sentence.forms for sentence in sentences), pieces=pieces)
    known = len(words.words) + FIRST_FREE, len(words.characters) + FIRST_FREE
    encoder = WordEncoder(shape, words=known[0], characters=known[1], vectors=vectors)
    return words, Network(encoder, shape, labels=labels, tags=tags)


def find_folder(name: str, wanted: Sequence[str]) -> Path:
    """Find the folder with these files: this path, or a folder inside an installed package of this name."""
    from importlib.util import find_spec

    folders = [Path(name)]
    if name.isidentifier() and (spec := find_spec(name)) is not None:
        folders = [Path(place) for place in spec.submodule_search_locations or []]
    for folder in folders:
        for place in (folder, *sorted(one for one in folder.glob("*") if one.is_dir())):
            if all((place / file).is_file() for file in wanted):
                return place
    raise UsageError(f"{name}: neither a folder nor an installed package with {', '.join(wanted)}")
