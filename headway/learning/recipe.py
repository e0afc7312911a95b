"""Train a model on a treebank: the complete recipe."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from headway.corpus import Sentence, encode_crossing
from headway.decoders import Decoder, find_decoder
from headway.encoding import Encoder
from headway.encoding.tag_finder import find_tag_map
from headway.encoding.vectors import WordVectors
from headway.errors import UsageError
from headway.features.arc import ROW
from headway.features.high_order import NO_PARTS, PART_ROW
from headway.features.templates import read_templates
from headway.features.words import WordPlan, frequent_slots
from headway.incremental.transitions import TransitionModel
from headway.learning.arcs import ArcRule
from headway.learning.averaging import averaged_table
from headway.learning.calibration import calibrate, correct_probabilities, fit_label_temperature, fit_temperature
from headway.learning.checkpoint import FolderCheckpoint
from headway.learning.epochs import Training, run_epochs
from headway.learning.gold import GoldTrees, check_gold, gold_trees, nonprojective_share, projective_gold, without_long
from headway.learning.labels import possible_labels
from headway.learning.learners import ArcLearner, LabelLearner, TreeLearner, accuracy
from headway.learning.options import TrainingOptions
from headway.learning.pruner import PrunerTraining, cross_fitted_arcs, train_pruner
from headway.learning.tensor import TensorRule, learned_tensor
from headway.learning.tensor_start import pretrained_start, triple_start
from headway.learning.trees import TreeRule, TreeTables
from headway.learning.work import training_work
from headway.model import (
    Settings,
    TrainedModel,
    arc_plan,
    decoder_outer,
    global_plan,
    label_plan,
    part_plan,
    word_plan,
    word_templates,
)
from headway.parts.candidate_batch import ALL_ARCS, CandidateBatch
from headway.parts.styles import Styles, find_styles
from headway.presets import Incremental, LowRank, Preset, Pruning, default_decoder
from headway.progress import Progress
from headway.pruning import Pruner, PruningReport, Reach, pruning_report
from headway.scorers.linear_models import ArcModel, LabelModel, PartModel
from headway.scorers.linear_scorer import LinearScorer
from headway.scorers.rows import pack
from headway.scorers.tensor import (
    NO_PACKED_TRIPLES,
    NO_TENSOR,
    NO_TRIPLES,
    Tensor,
    pack_tensor,
    plain_tensor,
    settle_signs,
)
from headway.search import SearchRule
from headway.support.threads import Threads

_TRAIN_ITERATIONS = 50
"""The number of iterations of iterative decoders in training."""

_TRAIN_CHAIN = {"burn_in": 0, "thinning": 2, "chains": 3, "proposal": "gibbs"}
"""Options of decoders that run Markov chains in training; only every second sweep gives a sample, so samples differ."""

MANY_CROSSING = 0.015
"""On treebanks with at least this share of non-projective arcs, models are trained with a non-projective decoder.

Models with higher-order parts always are, unless the preset names a projective decoder.
"""


def train_model(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence] | None,
    *,
    preset: Preset,
    options: TrainingOptions,
    progress: Progress,
    checkpoint: Path | None = None,
    about: str = "",
    without: Sequence[str] = (),
    tag_map: Mapping[str, str] | None = None,
    pseudo_projective: bool = False,
    vectors: WordVectors | None = None,
    bare: bool = False,
) -> TrainedModel:
    """Train arcs, higher-order parts and labels, shrink their tables, choose the decoder on the dev set, and calibrate.

    Parameters
    ----------
    checkpoint : Path, optional
        A folder for checkpoints; training continues from those that it contains.
    about : str
        A note to store in the model.
    without : sequence of str
        Columns to ignore: ``("upos", "xpos", "feats")`` for a parser that needs no tags.
    tag_map : mapping, optional
        Maps the treebank's coarse tags to universal ones; with an empty map, tags are used as they are. By default,
        `headway.encoding.tag_finder` finds a map if the tags are not universal.
    pseudo_projective : bool
        Train on projective trees whose labels encode lifted arcs; see `headway.corpus.pseudo_projective`.
    vectors : WordVectors, optional
        Word vectors: additional word features for the tensor.
    bare : bool
        Train only the transitions of an incremental model, which can then only list trees: skip the ranker, the labels
        of given trees and the calibration.
    """
    if vectors is not None and preset.tensor is None:
        raise UsageError(f"the preset {preset.name} has no tensor, so it cannot use word vectors")
    check_gold(sentences, "train on")
    sentences = without_long(sentences, "train on", progress.note)
    if multiple_roots := sum(sentence.heads.count(0) > 1 for sentence in sentences):
        unless = "" if preset.incremental else ", unless --multiple-roots (single_root=False) is given"
        progress.note(
            f"sentences with several roots: {multiple_roots:,} of {len(sentences):,}; parsed trees have one{unless}"
        )
    if dev is not None:
        check_gold(dev, "test on while training")
        dev = without_long(dev, "test on while training", progress.note)
    if preset.neural is not None and not preset.neural.folds:
        from headway.learning.neural_recipe import train_neural  # imported here: other models do not need it

        if pseudo_projective:
            raise UsageError(f"--pseudo-projective does not apply to the preset {preset.name}: its arcs may cross")
        progress.plan(training_work(preset, options, sum(map(len, sentences))))
        return train_neural(
            sentences, dev, preset=preset, options=options, progress=progress, checkpoint=checkpoint, about=about
        )
    found_map = find_tag_map(sentences) if tag_map is None and "upos" not in without else None
    if found_map is not None:
        progress.note(f"tags are not universal: using {found_map}; --tag-map overrides it")
        tag_map = found_map.mapping
    if pseudo_projective:
        sentences = [sentence.with_tree(*encode_crossing(sentence.heads, sentence.labels)) for sentence in sentences]
    progress.plan(training_work(preset, options, sum(map(len, sentences))))
    recipe_class: type[Recipe] = Recipe
    if preset.neural is not None:
        from headway.learning.neural_sum import SumRecipe as recipe_class  # imported here: other models do not need it
    with Threads(options.threads) as threads:
        recipe = recipe_class(sentences, dev, preset, options, progress, threads, without, tag_map or {}, vectors)
        recipe.settings = replace(recipe.settings, pseudo_projective=pseudo_projective)
        recipe.facts |= {"about": about} if about else {}
        recipe.facts |= {"tag_map_from": found_map.source} if found_map else {}
        return recipe.learn_transitions(None) if bare and preset.incremental else recipe.train(checkpoint)


class Recipe:
    """The data and the steps of training one model."""

    beside: Mapping[str, Any] = {}
    """Further arguments of the learner of trees: fixed scores that are added to those of the trained weights."""
    label_beside: Mapping[str, Any] = {}
    """The same for the learner of labels."""

    def __init__(
        self,
        sentences: Sequence[Sentence],
        dev: Sequence[Sentence] | None,
        preset: Preset,
        options: TrainingOptions,
        progress: Progress,
        threads: Threads,
        without: Sequence[str],
        tag_map: Mapping[str, str],
        vectors: WordVectors | None = None,
    ) -> None:
        self.preset, self.options, self.progress, self.threads = preset, options, progress, threads
        self.train_sentences, self.dev_sentences = sentences, dev
        words = None if vectors is None else vectors.words
        self.encoder = Encoder.fit(sentences, ignored=without, vectors=words, tag_map=tag_map)
        self.vectors = vectors
        self.labels = tuple(sorted({label for sentence in sentences for label in sentence.labels}))
        self.gold = gold_trees(sentences, self.encoder, self.labels)
        self.dev = gold_trees(dev, self.encoder, self.labels) if dev is not None else None
        projective = preset.is_projective or nonprojective_share(sentences) < MANY_CROSSING
        pruning, families = preset.pruning or Pruning(), preset.parts.families if preset.parts else ()
        self.settings = Settings(
            preset.arcs.templates,
            preset.labels.templates,
            projective=projective,
            decoder=preset.decoder_name(projective=projective),
            decoder_options=dict(preset.decoder.options),
            pruner_templates=None if preset.pruning is None else preset.pruning.templates,
            ratio=pruning.ratio,
            most=pruning.most,
            word_templates=None if preset.tensor is None else preset.tensor.templates,
            part_templates=dict(preset.parts.templates) if preset.parts else None,
            families=list(families),
            styles=list(self._styles(tag_map) if families else Styles()),
            tag_map=dict(tag_map),
            restarts=preset.climbing.restarts if preset.parts else 0,
            search_ratio=preset.climbing.ratio,
        )
        self.facts: dict[str, Any] = {
            "preset": preset.name,
            "sentences": len(sentences),
            "words": sum(map(len, sentences)),
            "seed": options.seed,
            "calibrated": dev is not None,
        }

    def train(self, checkpoint: Path | None) -> TrainedModel:
        """Train the model, continuing from a checkpoint if there is one."""
        kept = self.checkpoint(checkpoint)
        if self.preset.incremental is not None:
            return self._learn_incremental(self.preset.incremental, kept)
        pruner, arcs, dev_arcs = self.prune()
        arc_model, parts = self.learn_trees(arcs, dev_arcs, kept)
        scorer = LinearScorer(arc_model, parts, decoder_outer(self.settings.decoder))
        labels = self._labels(kept)
        model = TrainedModel(self.encoder, self.labels, scorer, labels, self.settings, self.facts, pruner)
        model = self.combine(model, dev_arcs)
        if self.dev is None:
            return model
        return correct_probabilities(self._settle(model, self.dev, dev_arcs), self.dev, threads=self.threads)

    def checkpoint(self, folder: Path | None) -> FolderCheckpoint | None:
        """Return the checkpoints of this training, if there is a folder for them."""
        identity = (
            self.preset,
            self.options.seed,
            self.settings.tag_map,
            None if self.vectors is None else blake2b(self.vectors.values.tobytes(), digest_size=16).hexdigest(),
            *(_fingerprint(trees) for trees in (self.gold, self.dev) if trees),
            *([self.options.epochs] if self.preset.neural else []),  # a network's learning rate depends on it
        )
        return FolderCheckpoint(folder, identity) if folder else None

    def combine(self, model: TrainedModel, dev_arcs: CandidateBatch | None) -> TrainedModel:
        """Combine the model with the scorer whose fixed scores were added in training; here, there is none."""
        return model

    def _learn_incremental(self, rule: Incremental, kept: FolderCheckpoint | None) -> TrainedModel:
        """Train an incremental model: transitions, labels for known heads, and a ranker."""
        model = replace(self.learn_transitions(kept), namer=self._labels(kept))
        if rule.ranking:
            from headway.learning.ranking import rank_trees  # imported here: it imports this module

            model = rank_trees(model, self)
        return model if self.dev is None else calibrate(model, self.dev, threads=self.threads)

    def learn_transitions(self, kept: FolderCheckpoint | None) -> TrainedModel:
        """Train the transitions of an incremental model; the model returned cannot label given trees."""
        from headway.learning.transitions import BeamLearner  # imported here: other models do not need it

        rule = self.preset.incremental
        assert rule is not None
        self.settings = replace(
            self.settings, decoder=default_decoder(parts=False, projective=self.settings.projective), restarts=0,
            part_templates=None, families=[],
        )  # fmt: skip
        plan = arc_plan(self.encoder, self.settings.arc_templates)
        no_scores = LinearScorer(ArcModel(plan, pack(np.zeros((64, ROW), dtype=np.float32), most=64)), None, 0)
        system = rule.system or ("arc-standard" if self.settings.projective else "swap")
        learner = BeamLearner(
            self.gold, self.dev, encoder=self.encoder, labels=self.labels, rule=rule, system=system, ranker=no_scores,
            decoder=find_decoder(self.settings.decoder), threads=self.threads,
        )  # fmt: skip
        training = run_epochs(learner, self.options, progress=self.progress, checkpoint=kept)
        self.facts["transitions"] = _history(training)
        rows = pack(_best(training)[0], most=rule.rows)
        possible = possible_labels(self.gold, len(self.labels))
        no_labels = pack(np.zeros((64, possible.shape[1]), dtype=np.float32), most=64)
        return TrainedModel(
            self.encoder, self.labels, no_scores,
            LabelModel(label_plan(self.encoder, self.settings.label_templates), no_labels, possible),
            self.settings, self.facts, transitions=TransitionModel(learner.settings, learner.machine, rows),
        )  # fmt: skip

    def prune(self) -> tuple[Pruner | Reach | None, CandidateBatch | None, CandidateBatch | None]:
        """Return the pruner, the training arcs and the arcs of the dev set; all are None without pruning."""
        pruner, arcs = self._make_pruner()
        if pruner is None or self.dev is None:
            return pruner, arcs, None
        dev_arcs = pruner.prune(self.dev.encoded, threads=self.threads)
        self._note_pruning("dev", pruning_report(dev_arcs, self.dev.encoded, self.dev.heads))
        return pruner, arcs, dev_arcs

    def _make_pruner(self) -> tuple[Pruner | Reach | None, CandidateBatch | None]:
        """Make the pruner and the training arcs; the latter are None (all arcs) without a trained pruner."""
        if self.settings.pruner_templates is None:
            return (Reach.fit(self.gold.encoded, self._tree_gold().heads) if self.preset.reach else None), None
        plan, training = arc_plan(self.encoder, self.settings.pruner_templates), PrunerTraining(seed=self.options.seed)
        rule = self.settings.pruning
        arcs, report = cross_fitted_arcs(
            self._tree_gold(), plan=plan, training=training, rule=rule, threads=self.threads, progress=self.progress
        )
        self._note_pruning("train", report)
        model = train_pruner(self.gold, plan=plan, training=training, threads=self.threads, progress=self.progress)
        return Pruner(ArcModel(plan, pack(model.rows.values, most=training.slots)), rule), arcs

    def _note_pruning(self, part: str, report: PruningReport) -> None:
        figures = {"recall": round(report.recall, 2), "heads_per_word": round(report.heads_per_word, 2)}
        self.facts[f"pruning_{part}"] = figures
        self.progress.note(f"pruner on {part}: {report}")

    def learn_trees(
        self, arcs: CandidateBatch | None, dev_arcs: CandidateBatch | None, kept: FolderCheckpoint | None = None
    ) -> tuple[ArcModel, PartModel | None]:
        """Train the models of arcs and of higher-order parts."""
        if self.preset.tensor is None and self.preset.parts is None:
            return self._arcs(kept, arcs, dev_arcs), None
        preset, tables = self.preset, self.tables()
        rule = TreeRule(
            self._train_decoder(projective=self.settings.projective and preset.parts is None),
            method=preset.rule,
            inference=preset.inference,
            largest_step=preset.arcs.step,
            rate=(preset.tensor or LowRank()).rate,
        )
        learner = TreeLearner(
            self._tree_gold(), self.dev, tables=tables, rule=rule, seed=self.options.seed, threads=self.threads,
            dev_decoder=self._train_decoder(projective=self.settings.projective, dev=True), arcs=arcs,
            dev_arcs=dev_arcs, **self.beside,
        )  # fmt: skip
        training = run_epochs(learner, self.options, progress=self.progress, checkpoint=kept)
        self.facts["trees"] = _history(training)
        arc_weights, part_weights, *factors = _best(training)
        tensor = NO_TENSOR if preset.tensor is None else _packed(tables.tensor.plan, *factors[:2])
        scorer = ArcModel(tables.arc_plan, pack(arc_weights, most=preset.arcs.rows), tensor)
        if preset.parts is None:
            return scorer, None
        has_triples = preset.tensor is not None and preset.tensor.triples
        triples = _packed(tables.triples.plan, *factors[2:]) if has_triples else NO_PACKED_TRIPLES
        parts = pack(part_weights, most=preset.parts.rows)
        return scorer, PartModel(tables.part_plan, parts, tables.structures, triples)

    def tables(self) -> TreeTables:
        """Return the initial weights: zeros, except for the tensors."""
        preset, start = self.preset, self._start
        has_triples = preset.tensor is not None and preset.tensor.triples
        return TreeTables(
            arc_plan(self.encoder, self.settings.arc_templates),
            averaged_table(preset.arcs.slots, ROW),
            NO_PARTS if preset.parts is None else part_plan(self.encoder, preset.parts.templates),
            averaged_table(preset.parts.slots if preset.parts else 1, PART_ROW),
            global_plan(self.encoder, self.settings),
            learned_tensor(start),
            learned_tensor(triple_start(start, seed=self.options.seed) if has_triples else NO_TRIPLES),
        )

    def _train_decoder(self, *, projective: bool, dev: bool = False) -> Decoder:
        """Return the decoder for training or, with `dev`, for measuring accuracy on the dev set after each epoch."""
        name = self.preset.decoder_name(projective=projective)
        if not dev and self.preset.decoder.train:
            return find_decoder(self.preset.decoder.train, iterations=_TRAIN_ITERATIONS, **_TRAIN_CHAIN)
        options = SearchRule(restarts=self.preset.climbing.train_restarts).options() | dict(self.preset.decoder.options)
        return find_decoder(name, projective=projective, **options)

    def _tree_gold(self) -> GoldTrees:
        """Return the training trees: for projective decoders, the projective trees that share most arcs with them."""
        return projective_gold(self.gold) if self.preset.is_projective else self.gold

    def _styles(self, tag_map: Mapping[str, str]) -> Styles:
        """Detect how the treebank attaches coordinations and prepositions."""
        encoded = self.gold.encoded
        return find_styles(
            self.gold.heads, encoded.tags, encoded.starts, tag_classes=self.encoder.tag_classes(), tag_map=tag_map
        )

    @cached_property
    def _start(self) -> Tensor:
        """Return the initial tensor of arcs, from a sparse model of one epoch; an empty one if the preset has none."""
        tensor = self.preset.tensor
        if tensor is None:
            return NO_TENSOR
        plan = arc_plan(self.encoder, self.settings.arc_templates)
        rule, names = TensorRule(rank=tensor.rank), self.encoder.names
        templates = word_templates(self.encoder, tensor.templates)
        slots = frequent_slots(self.gold.encoded, templates, atoms=names, least=rule.least, most=rule.most)
        arc_templates = read_templates(
            self.preset.arcs.templates, roles=("h", "m"), atoms=names, constant=self.encoder.constant_atoms()
        )
        vectors = None if self.vectors is None else (self.vectors.values, self.vectors.scales)
        self.progress.start("tensor, from one epoch of arcs", 1)
        start = pretrained_start(
            self.gold, plan, arc_templates,
            word_plan(self.encoder, tensor.templates, slots, vectors), templates,
            rule=ArcRule("mira", self.settings.projective), slots=self.preset.arcs.slots, rank=rule.rank,
            seed=self.options.seed, threads=self.threads,
        )  # fmt: skip
        self.progress.finish()
        return start

    def _arcs(
        self, kept: FolderCheckpoint | None, arcs: CandidateBatch | None, dev_arcs: CandidateBatch | None
    ) -> ArcModel:
        plan = arc_plan(self.encoder, self.settings.arc_templates)
        rule = ArcRule(self.preset.rule, self.settings.projective, largest_step=self.preset.arcs.step)
        learner = ArcLearner(
            self.gold, self.dev, plan=plan, rule=rule, slots=self.preset.arcs.slots, threads=self.threads,
            dev_decoder=self._train_decoder(projective=self.settings.projective, dev=True), arcs=arcs,
            dev_arcs=dev_arcs,
        )  # fmt: skip
        training = run_epochs(learner, self.options, progress=self.progress, checkpoint=kept)
        self.facts["arcs"] = _history(training)
        return ArcModel(plan, pack(_best(training)[0], most=self.preset.arcs.rows))

    def _labels(self, kept: FolderCheckpoint | None) -> LabelModel:
        plan = label_plan(self.encoder, self.settings.label_templates)
        possible = possible_labels(self.gold, len(self.labels))
        learner = LabelLearner(
            self.gold, self.dev, plan=plan, possible=possible, slots=self.preset.labels.slots,
            largest_step=self.preset.labels.step, threads=self.threads, **self.label_beside,
        )  # fmt: skip
        training = run_epochs(learner, self.options, progress=self.progress, checkpoint=kept)
        self.facts["labels"] = _history(training)
        return LabelModel(plan, pack(_best(training)[0], most=self.preset.labels.rows), possible)

    def _settle(self, model: TrainedModel, dev: GoldTrees, dev_arcs: CandidateBatch | None) -> TrainedModel:
        """Choose projective or non-projective trees on the dev set, and calibrate the model."""
        candidates = dev_arcs or ALL_ARCS
        narrow = model.search().narrow
        searched = candidates if narrow is None else narrow.prune(dev.encoded, threads=self.threads)
        choices = [self.settings.projective, not self.settings.projective]
        if self.preset.is_projective or self.settings.pseudo_projective:
            choices = [True]
        models = [self._with_projectivity(model, projective) for projective in choices]
        if len(models) > 1:
            accuracies = [accuracy(choice.search(), dev, searched, threads=self.threads) for choice in models]
            models = [models[int(np.argmax(accuracies))]]
        best = models[0]
        temperature = fit_temperature(best.search(), dev, candidates, searched, threads=self.threads)
        labels = fit_label_temperature(best.namer, dev)
        self.settings = replace(best.settings, temperature=temperature, label_temperature=labels)
        pruner = Pruner(best.pruner.model, self.settings.pruning) if isinstance(best.pruner, Pruner) else best.pruner
        return replace(best, settings=self.settings, pruner=pruner)

    def _with_projectivity(self, model: TrainedModel, projective: bool) -> TrainedModel:
        decoder = self.preset.decoder_name(projective=projective)
        return replace(model, settings=replace(model.settings, projective=projective, decoder=decoder))


def _packed(plan: WordPlan, words: npt.NDArray[np.float32], shapes: npt.NDArray[np.float32]) -> Tensor:
    """Pack the factors of words and shapes as a tensor, as it is stored in models."""
    return settle_signs(pack_tensor(plain_tensor(plan, words, shapes)))


def _best(training: Training) -> tuple[npt.NDArray[np.float32], ...]:
    assert training.best is not None
    return training.best


def _history(training: Training) -> dict[str, Any]:
    return {"epochs": training.epoch, "best_epoch": training.best_epoch, "dev": training.scores}


def _fingerprint(gold: GoldTrees) -> str:
    digest = blake2b(digest_size=16)
    for array in (gold.encoded.atoms, gold.encoded.starts, gold.heads, gold.labels):
        digest.update(array.tobytes())
    return digest.hexdigest()
