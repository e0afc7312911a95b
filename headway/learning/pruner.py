"""Train a pruner, with cross-fitting.

A pruner is overconfident on sentences that it was trained on. So for training the parser, each fold is pruned by a
pruner that was trained on the other folds; the final pruner is trained on all sentences.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headway.corpus import folds
from headway.features.arc import ROW, ArcPlan
from headway.learning.arcs import ArcRule, learn_arcs
from headway.learning.averaging import average, averaged_table
from headway.learning.gold import GoldTrees
from headway.parts.candidate_batch import CandidateBatch, mask_starts
from headway.progress import Progress
from headway.pruning import PruningReport, PruningRule, keep_gold, prune, pruning_report
from headway.scorers.linear_models import ArcModel
from headway.scorers.rows import Rows, plain_rows
from headway.support.threads import Threads

_RULE = ArcRule("loglinear", largest_step=0.1)


@dataclass(frozen=True)
class PrunerTraining:
    """The options for training a pruner: its size, its epochs, and the number of folds."""

    slots: int = 1 << 18
    epochs: int = 3
    folds: int = 4
    seed: int = 1


def train_pruner(
    gold: GoldTrees, *, plan: ArcPlan, training: PrunerTraining, threads: Threads, progress: Progress
) -> ArcModel:
    """Train a pruner on all sentences."""
    all_sentences = np.arange(len(gold))
    return ArcModel(plan, _fit(gold, all_sentences, plan, training, threads, progress, "pruner, of everything"))


def cross_fitted_arcs(
    gold: GoldTrees,
    *,
    plan: ArcPlan,
    training: PrunerTraining,
    rule: PruningRule,
    threads: Threads,
    progress: Progress,
) -> tuple[CandidateBatch, PruningReport]:
    """Return the arcs for training a parser: each sentence is pruned by a model trained without it; gold arcs are kept.

    Returns
    -------
    CandidateBatch, PruningReport
        The report counts the pruner's errors before gold arcs are restored.
    """
    starts = mask_starts(gold.encoded.lengths())
    table = CandidateBatch(starts, np.zeros(starts[-1], dtype=np.bool_))
    parts: list[npt.NDArray[np.int64]] = [np.arange(1)]  # a single sentence has no other folds
    if len(gold) > 1:
        parts = folds(len(gold), number=min(training.folds, len(gold)), seed=training.seed)
    for number, part in enumerate(parts, start=1):
        rest = np.setdiff1d(np.arange(len(gold)), part)
        name = f"pruner, fold {number} of {len(parts)}"
        rows = _fit(gold, rest if len(rest) else part, plan, training, threads, progress, name)
        pruned = prune(gold.encoded.some(part), ArcModel(plan, rows), rule, threads=threads)
        for place, sentence in enumerate(part.tolist()):
            table.of(sentence)[:] = pruned.of(place)
    report = pruning_report(table, gold.encoded, gold.heads)
    keep_gold(table, gold.encoded, gold.heads)
    return table, report


def _fit(
    gold: GoldTrees,
    sentences: npt.NDArray[np.int64],
    plan: ArcPlan,
    training: PrunerTraining,
    threads: Threads,
    progress: Progress,
    name: str,
) -> Rows:
    table = averaged_table(training.slots, ROW)
    progress.start(name, training.epochs, share=1.0 / (training.folds + 1))
    for epoch in range(training.epochs):
        order = np.random.default_rng([training.seed, epoch]).permutation(sentences)
        learn_arcs(gold, order, plan=plan, table=table, rule=_RULE, step=epoch * len(order), threads=threads)
        progress.advance()
    progress.finish()
    return plain_rows(average(table, training.epochs * len(sentences)))
