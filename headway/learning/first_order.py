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
from headway.learning.arcs import ArcRule, GoldTrees
from headway.learning.calibration import fit_temperature
from headway.learning.checkpoint import FolderCheckpoint
from headway.learning.epochs import Training, run_epochs
from headway.learning.gold import check_gold, gold_trees, nonprojective_share
from headway.learning.labels import possible_labels
from headway.learning.learners import ArcLearner, LabelLearner, head_accuracy
from headway.learning.options import TrainingOptions
from headway.model import FirstOrderModel, Settings, plans
from headway.pipeline import ArcModel, LabelModel, Threads
from headway.presets import Preset
from headway.progress import Progress
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
) -> FirstOrderModel:
    """Train arcs and labels, shrink them, choose the search by the dev set, and calibrate.

    Parameters
    ----------
    checkpoint : Path, optional
        A folder to go on from, if there is something in it, and to write to after each epoch.
    """
    check_gold(sentences)
    if dev is not None:
        check_gold(dev)
    encoder = Encoder.fit(sentences)
    labels = tuple(sorted({label for sentence in sentences for label in sentence.labels}))
    settings = Settings(preset.arc_templates, preset.label_templates, nonprojective_share(sentences) < MANY_CROSSING)
    gold = gold_trees(sentences, encoder, labels)
    gold_dev = gold_trees(dev, encoder, labels) if dev is not None else None
    kept = FolderCheckpoint(checkpoint, (preset, options.seed, _fingerprint(gold))) if checkpoint else None
    arc_plan, label_plan = plans(encoder, settings)
    possible = possible_labels(gold, len(labels))
    with Threads(options.threads) as threads:
        arc_learner = ArcLearner(
            gold, gold_dev, plan=arc_plan, slots=preset.arc_slots, threads=threads,
            rule=ArcRule(preset.rule, settings.projective, largest_step=preset.arc_step),
        )  # fmt: skip
        arcs = run_epochs(arc_learner, options, progress=progress, checkpoint=kept)
        arc_model = ArcModel(arc_plan, pack(_best(arcs), most=preset.arc_rows))
        del arc_learner
        label_learner = LabelLearner(
            gold, gold_dev, plan=label_plan, possible=possible, slots=preset.label_slots,
            largest_step=preset.label_step, threads=threads,
        )  # fmt: skip
        names = run_epochs(label_learner, options, progress=progress, checkpoint=kept)
        namer = LabelModel(label_plan, pack(_best(names), most=preset.label_rows), possible)
        if gold_dev is not None:
            settings = _settle(settings, arc_model, gold_dev, threads)
    facts = {
        "preset": preset.name,
        "sentences": len(sentences),
        "words": sum(map(len, sentences)),
        "seed": options.seed,
        "arcs": _history(arcs),
        "labels": _history(names),
    }
    return FirstOrderModel(encoder, labels, arc_model, namer, settings, facts)


def _settle(settings: Settings, model: ArcModel, dev: GoldTrees, threads: Threads) -> Settings:
    """Settle by the dev set what training left open: the search, and the temperature."""
    accuracy = {
        projective: head_accuracy(dev, model, projective=projective, threads=threads)
        for projective in (settings.projective, not settings.projective)
    }
    projective = max(accuracy, key=lambda search: accuracy[search])
    temperature = fit_temperature(model, dev, projective=projective)
    return replace(settings, projective=projective, temperature=temperature)


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
