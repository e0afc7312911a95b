"""From a treebank to a first-order model: the whole recipe."""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from headway.corpus import Sentence
from headway.encoding import Encoder
from headway.learning.arcs import ArcRule
from headway.learning.calibration import fit_temperature
from headway.learning.checkpoint import FolderCheckpoint
from headway.learning.epochs import Training, run_epochs
from headway.learning.gold import GoldTrees, check_gold, gold_trees, nonprojective_share
from headway.learning.labels import possible_labels
from headway.learning.learners import ArcLearner, LabelLearner, head_accuracy
from headway.learning.options import TrainingOptions
from headway.learning.pruner import PrunerTraining, cross_fitted_arcs, train_pruner
from headway.model import FirstOrderModel, Settings, arc_plan, label_plan
from headway.pipeline import ArcModel, LabelModel, TableOfArcs, Threads
from headway.presets import Preset
from headway.progress import Progress
from headway.pruning import Pruner, PruningReport, pruning_report
from headway.scorers.rows import pack

MANY_CROSSING = 0.015
"""From this share of non-projective arcs on, training searches non-projective trees."""


def train_first_order(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence] | None,
    *,
    preset: Preset,
    options: TrainingOptions,
    progress: Progress,
    checkpoint: Path | None = None,
    about: str = "",
) -> FirstOrderModel:
    """Train arcs and labels, shrink them, choose the search by the dev set, and calibrate.

    Parameters
    ----------
    checkpoint : Path, optional
        A folder to go on from, if there is something in it, and to write to after each epoch.
    about : str
        Kept in the model's description.
    """
    with Threads(options.threads) as threads:
        recipe = _Recipe(sentences, dev, preset, options, progress, threads)
        recipe.facts |= {"about": about} if about else {}
        return recipe.train(checkpoint)


class _Recipe:
    """The data of one training, and its steps."""

    def __init__(
        self,
        sentences: Sequence[Sentence],
        dev: Sequence[Sentence] | None,
        preset: Preset,
        options: TrainingOptions,
        progress: Progress,
        threads: Threads,
    ) -> None:
        check_gold(sentences, "train on")
        if dev is not None:
            check_gold(dev, "test on while training")
        self.preset, self.options, self.progress, self.threads = preset, options, progress, threads
        self.encoder = Encoder.fit(sentences)
        self.labels = tuple(sorted({label for sentence in sentences for label in sentence.labels}))
        self.gold = gold_trees(sentences, self.encoder, self.labels)
        self.dev = gold_trees(dev, self.encoder, self.labels) if dev is not None else None
        self.settings = Settings(
            preset.arc_templates,
            preset.label_templates,
            projective=nonprojective_share(sentences) < MANY_CROSSING,
            pruner_templates=preset.pruner_templates,
            ratio=preset.ratio,
            most=preset.most,
        )
        self.facts: dict[str, Any] = {
            "preset": preset.name,
            "sentences": len(sentences),
            "words": sum(map(len, sentences)),
            "seed": options.seed,
            "calibrated": dev is not None,
        }

    def train(self, checkpoint: Path | None) -> FirstOrderModel:
        recipe = (self.preset, self.options.seed, *(_fingerprint(some) for some in (self.gold, self.dev) if some))
        kept = FolderCheckpoint(checkpoint, recipe) if checkpoint else None
        pruner, arcs, dev_arcs = self._pruner()
        scorer = self._arcs(kept, arcs, dev_arcs)
        namer = self._labels(kept)
        if self.dev is not None:
            self._settle(scorer, self.dev, dev_arcs)
            pruner = Pruner(pruner.model, self.settings.pruning) if pruner else None
        return FirstOrderModel(self.encoder, self.labels, scorer, namer, self.settings, self.facts, pruner)

    def _pruner(self) -> tuple[Pruner | None, TableOfArcs | None, TableOfArcs | None]:
        """The pruner, the arcs to train on and the arcs of the dev set; all None without pruning."""
        if self.settings.pruner_templates is None:
            return None, None, None
        plan, training = arc_plan(self.encoder, self.settings.pruner_templates), PrunerTraining(seed=self.options.seed)
        rule = self.settings.pruning
        arcs, report = cross_fitted_arcs(
            self.gold, plan=plan, training=training, rule=rule, threads=self.threads, progress=self.progress
        )
        self._note_pruning("train", report)
        model = train_pruner(self.gold, plan=plan, training=training, threads=self.threads, progress=self.progress)
        pruner = Pruner(ArcModel(plan, pack(model.rows.values, most=training.slots)), rule)
        if self.dev is None:
            return pruner, arcs, None
        dev_arcs = pruner.prune(self.dev.encoded, threads=self.threads)
        self._note_pruning("dev", pruning_report(dev_arcs, self.dev.encoded, self.dev.heads))
        return pruner, arcs, dev_arcs

    def _note_pruning(self, part: str, report: PruningReport) -> None:
        figures = {"recall": round(report.recall, 2), "heads_per_word": round(report.heads_per_word, 2)}
        self.facts[f"pruning_{part}"] = figures
        self.progress.note(f"pruner on {part}: {report}")

    def _arcs(self, kept: FolderCheckpoint | None, arcs: TableOfArcs | None, dev_arcs: TableOfArcs | None) -> ArcModel:
        plan = arc_plan(self.encoder, self.settings.arc_templates)
        rule = ArcRule(self.preset.rule, self.settings.projective, largest_step=self.preset.arc_step)
        learner = ArcLearner(
            self.gold, self.dev, plan=plan, rule=rule, slots=self.preset.arc_slots, threads=self.threads,
            arcs=arcs, dev_arcs=dev_arcs,
        )  # fmt: skip
        training = run_epochs(learner, self.options, progress=self.progress, checkpoint=kept)
        self.facts["arcs"] = _history(training)
        return ArcModel(plan, pack(_best(training), most=self.preset.arc_rows))

    def _labels(self, kept: FolderCheckpoint | None) -> LabelModel:
        plan = label_plan(self.encoder, self.settings.label_templates)
        possible = possible_labels(self.gold, len(self.labels))
        learner = LabelLearner(
            self.gold, self.dev, plan=plan, possible=possible, slots=self.preset.label_slots,
            largest_step=self.preset.label_step, threads=self.threads,
        )  # fmt: skip
        training = run_epochs(learner, self.options, progress=self.progress, checkpoint=kept)
        self.facts["labels"] = _history(training)
        return LabelModel(plan, pack(_best(training), most=self.preset.label_rows), possible)

    def _settle(self, scorer: ArcModel, dev: GoldTrees, dev_arcs: TableOfArcs | None) -> None:
        """Settle by the dev set what training left open: the search, and the temperature."""
        accuracy = {
            projective: head_accuracy(dev, scorer, projective=projective, threads=self.threads, arcs=dev_arcs)
            for projective in (self.settings.projective, not self.settings.projective)
        }
        projective = max(accuracy, key=lambda search: accuracy[search])
        temperature = fit_temperature(scorer, dev, projective=projective, arcs=dev_arcs)
        self.settings = replace(self.settings, projective=projective, temperature=temperature)


def _best(training: Training) -> npt.NDArray[np.float32]:
    assert training.best is not None
    return training.best


def _history(training: Training) -> dict[str, Any]:
    return {"epochs": training.epoch, "best_epoch": training.best_epoch, "dev": training.scores}


def _fingerprint(gold: GoldTrees) -> str:
    digest = blake2b(digest_size=16)
    for array in (gold.encoded.atoms, gold.encoded.starts, gold.heads, gold.labels):
        digest.update(array.tobytes())
    return digest.hexdigest()
