"""A linear model on top of a network, beside both alone and beside their plain sum, on a treebank.

    python benchmarks/neural_sum.py train.conllu dev.conllu --predicted-tags 4 --folds 2 --checkpoint FOLDER

The network reads no tags; the linear models are those of the preset ``full``, trained by MIRA, and read the tags of the
files, or none with --without-tags, or those of taggers with --predicted-tags: then all models are scored from raw text,
too, by the official metrics. Networks are kept in the folder for another run. With --only, just one of them is
trained, so that several processes can work at the same time. Needs ``headway[neural]``.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from headway import Annotator, Parser, TrainingOptions
from headway.corpus import Sentence, read_sentences
from headway.evaluation.attachment import evaluate
from headway.joint.reading import cross_read, read_lattices
from headway.learning import neural_sum
from headway.learning.checkpoint import FolderCheckpoint
from headway.learning.neural_recipe import settle
from headway.learning.recipe import Recipe
from headway.model import Settings, TrainedModel
from headway.parts.candidate_batch import CandidateBatch
from headway.presets import PRESETS, Neural
from headway.progress import Progress
from headway.pruning import Pruner, Reach
from headway.scorers.given import GivenArcs, GivenLabels
from headway.scorers.linear_scorer import LinearScorer
from headway.scorers.tensor import Tensor
from headway.support.threads import Threads
from headway.tagging.multiword import Splitter
from headway.tagging.segmenter import Segmenter
from headway.tagging.words import WordModel

_TAGS = ("upos", "xpos", "feats")


class Notes(Progress):
    """Prints notes as they come."""

    def note(self, message: str) -> None:
        """Print one."""
        print(message, flush=True)


def main() -> None:
    """Read the arguments, train, and print a line for each model."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("train")
    options.add_argument("dev")
    options.add_argument("--encoder", default="", help="a folder or package with a pretrained encoder, not a BiLSTM")
    options.add_argument("--piece-vectors", default="", help="a folder or package with vectors of word pieces")
    options.add_argument("--hidden", type=int, default=200)
    options.add_argument("--layers", type=int, default=2)
    options.add_argument("--batch", type=int, default=0)
    options.add_argument("--epochs", type=int, default=30)
    options.add_argument("--linear-epochs", type=int, default=10)
    options.add_argument("--folds", type=int, default=4)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--dev-sentences", type=int, help="use only the first so many")
    options.add_argument("--without-tags", action="store_true")
    options.add_argument("--predicted-tags", type=int, default=0, metavar="N", help="of taggers, trained on N folds")
    options.add_argument("--weights", type=float, nargs="+", default=[neural_sum.WEIGHT])
    options.add_argument("--checkpoint", type=Path, required=True)
    options.add_argument("--save", type=Path, help="a folder for the models; with --predicted-tags, pipelines")
    options.add_argument("--only", type=int, metavar="FOLD", help="train one network only, 0 for that of all sentences")
    given = options.parse_args()
    train, dev = list(read_sentences(given.train)), list(read_sentences(given.dev))[: given.dev_sentences]
    size = {"hidden": given.hidden, "character": given.hidden, "arc": 2 * given.hidden, "label": given.hidden // 2}
    rule = Neural(
        **size, layers=given.layers, batch=given.batch, folds=given.folds, vectors=given.piece_vectors
    )  # fmt: skip
    if given.encoder:
        rule = rule.with_encoder(given.encoder)
    preset = replace(PRESETS["neural-sum"], neural=rule)
    choices = TrainingOptions(given.epochs, given.epochs, given.seed)
    linear_choices = replace(choices, epochs=given.linear_epochs, patience=given.linear_epochs)
    networks = FolderCheckpoint(given.checkpoint, (rule, choices, given.train))
    with Threads() as threads:
        recipe = neural_sum.SumRecipe(train, dev, preset, choices, Notes(), threads, (), {})
        if given.only is not None:
            recipe.learn_network(given.only, networks)
            return
        linear = Linear.learn(given, linear_choices, train, dev, threads)
        judge, model, tagged = linear.judge, linear.model, linear.dev
        judge.tell("full alone", tagged, model)
        judge.save(given.save, "full", model)
        recipe.learn_networks(networks)
        network = recipe.network
        judge.tell("networks")
        settings = Settings("", "", projective=True, scorer=network.name)
        alone = TrainedModel(recipe.encoder, recipe.labels, network, network, settings, {}, None)
        assert recipe.dev is not None
        settled = settle(alone, recipe.dev)
        judge.tell("the network alone", tagged, settled)
        judge.save(given.save, "network", settled)
        base = neural_sum.LABEL_WEIGHT

        def on_top(weight: float) -> neural_sum.SumRecipe:
            """Return a recipe for a linear model on top of the network's scores times a weight."""
            tags = _TAGS if given.without_tags else ()
            top = neural_sum.SumRecipe(linear.train, tagged, preset, linear_choices, Notes(), threads, tags, {})
            top.network, top.__dict__["_start"] = network, linear.start
            scale = np.float32(weight / base)
            top.beside = {name: GivenArcs(some.tables, weight) for name, some in recipe.beside.items()}
            top.label_beside = {
                name: GivenLabels(np.maximum(some.rows * scale, np.float32(-1e6)))
                for name, some in recipe.label_beside.items()
            }
            return top

        judge.tell("both, learned apart", tagged, on_top(base).combine(model, linear.pruned[2]))
        for weight in given.weights:
            top = on_top(weight)
            neural_sum.WEIGHT = neural_sum.LABEL_WEIGHT = weight
            found = top.combine(learned(top, *linear.pruned), linear.pruned[2])
            judge.tell(f"full on top of the network, {weight}", tagged, found)
            judge.save(given.save, "sum", found)


@dataclass(frozen=True)
class Linear:
    """The parts that need no network: tagged sentences, pruned arcs, the first tensor, and the linear model alone."""

    judge: "Judge"
    train: Sequence[Sentence]
    dev: Sequence[Sentence]
    pruned: tuple[Pruner | Reach | None, CandidateBatch | None, CandidateBatch | None]
    start: Tensor
    model: TrainedModel

    @classmethod
    def learn(
        cls, given: argparse.Namespace, choices: TrainingOptions, train: Sequence[Sentence], dev: Sequence[Sentence],
        threads: Threads,
    ) -> "Linear":  # fmt: skip
        """Train taggers, if asked for, the pruner and the linear model; tag the sentences."""
        judge = Judge(dev)
        if given.predicted_tags:
            judge = Judge(dev, Segmenter.fit(train, dev=dev), Splitter.fit(train), WordModel.fit(train, dev=dev))
            assert judge.words is not None
            read = cross_read(train, given.predicted_tags, trust=judge.words.trust, most=1)
            train = [one.sentence for one in read]
            dev = [one.sentence for one in read_lattices(judge.words, dev, most=1)]
            judge.tell("tags")
        without, preset = _TAGS if given.without_tags else (), replace(PRESETS["neural-sum"], neural=None)
        plain = Recipe(train, dev, preset, choices, Notes(), threads, without, {})
        pruned = plain.prune()
        model = learned(plain, *pruned)
        judge.tell("the linear model")
        return cls(judge, train, dev, pruned, plain._start, model)


def learned(
    recipe: Recipe, pruner: Pruner | Reach | None, arcs: CandidateBatch | None, dev_arcs: CandidateBatch | None
) -> TrainedModel:
    """Return the linear model of a recipe, without calibration: both have the same pruner and start."""
    arc_model, parts = recipe.learn_trees(arcs, dev_arcs)
    scorer = LinearScorer(arc_model, parts)
    return TrainedModel(
        recipe.encoder, recipe.labels, scorer, recipe._labels(None), recipe.settings, recipe.facts, pruner
    )  # fmt: skip


@dataclass(frozen=True)
class Judge:
    """Scores models on the gold dev set: with its words and, given what splits and tags a text, from raw text."""

    gold: Sequence[Sentence]
    segmenter: Segmenter | None = None
    splitter: Splitter | None = None
    words: WordModel | None = None

    def save(self, folder: Path | None, name: str, model: TrainedModel) -> None:
        """Write a model into a folder, if one was given."""
        if folder is None:
            return
        folder.mkdir(parents=True, exist_ok=True)
        some = Parser(model)
        whole = self._pipeline(some)
        (some if whole is None else whole).save(folder / f"{name}.headway")

    def _pipeline(self, parser: Parser) -> Annotator | None:
        """Return a pipeline with this parser, given what splits and tags a text."""
        if self.segmenter and self.splitter and self.words:
            return Annotator(self.segmenter, self.splitter, self.words, parser).with_share(self.gold)
        return None

    def tell(self, name: str, dev: Sequence[Sentence] = (), model: TrainedModel | None = None) -> None:
        """Print the CPU seconds so far and, given a model, its scores on the tagged dev set."""
        notes = []
        if model is not None:
            parser, started = Parser(model), time.process_time()
            found = list(parser.parse(dev))
            speed = sum(map(len, dev)) / (time.process_time() - started)
            result, pairs = evaluate(self.gold, found), list(zip(found, self.gold, strict=True))
            heads = [one.heads == gold.heads for one, gold in pairs]
            whole = [good and one.labels == gold.labels for good, (one, gold) in zip(heads, pairs, strict=True)]
            exact = [f"{100.0 * sum(right) / len(dev):.1f} %" for right in (heads, whole)]
            notes.append(
                f"UAS {result.uas:.2f}, LAS {result.las:.2f}, all heads right {exact[0]}, and labels {exact[1]}"
            )
            notes.append(f"{speed:,.0f} words a second")
            if (whole := self._pipeline(parser)) is not None:
                scores = whole.evaluate(self.gold)
                official = ", ".join(f"{one} {scores[one].f1:.2f}" for one in ("Words", "UPOS", "UAS", "LAS"))
                notes.append(f"from raw text {official}")
        print(f"{name}: {'; '.join(notes)} ({time.process_time():.0f} s)", flush=True)


if __name__ == "__main__":
    main()
