"""One epoch of training arc weights.

A small batch is decoded in parallel with fixed weights; then the updates are made in order, so that the model does not
depend on the number of threads.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headway.features.arc import ArcPlan, arc_hashes
from headway.kernel import kernel
from headway.learning.averaging import AveragedTable, add_scaled
from headway.learning.gold import GoldTrees
from headway.learning.loglinear import expected_difference, loss_step
from headway.learning.mira import cost_augmented_difference, margin_step
from headway.learning.perceptron import tree_difference
from headway.parts.candidate_batch import CandidateBatch, mask_starts
from headway.scorers.linear import EVERY_ARC, arcs_vector, score_arcs
from headway.scorers.rows import NO_DIRECTORY, Rows
from headway.support.threads import Threads

RULES = ("perceptron", "mira", "loglinear")
_MIRA, _LOGLINEAR = 1, 2


@dataclass(frozen=True)
class ArcRule:
    """The learning rule of arc weights: one of `RULES`, the search space, and the largest step size."""

    name: str = "mira"
    projective: bool = True
    single_root: bool = True
    largest_step: float = 0.01
    batch: int = 8

    def violation(
        self,
        scores: npt.NDArray[np.float64],
        gold: npt.NDArray[np.int32],
        coefficients: npt.NDArray[np.float64],
    ) -> float:
        """Write gold arcs minus found (or expected) arcs into `coefficients`; return the loss.

        If the gold tree has several roots, so may the others; otherwise, no weights could make it the best.
        """
        single_root = self.single_root and bool(np.count_nonzero(gold == 0) == 1)
        if self.name == "loglinear":
            return expected_difference(scores, gold, single_root, coefficients)
        difference = cost_augmented_difference if self.name == "mira" else tree_difference
        return difference(scores, gold, self.projective, single_root, coefficients)


def learn_arcs(
    gold: GoldTrees,
    order: npt.NDArray[np.int64],
    *,
    plan: ArcPlan,
    table: AveragedTable,
    rule: ArcRule,
    step: int,
    threads: Threads,
    arcs: CandidateBatch | None = None,
) -> int:
    """Visit the sentences of `order` once and update `table`; return the number of wrong heads.

    Parameters
    ----------
    step : int
        The number of sentences visited so far, for averaging.
    arcs : CandidateBatch, optional
        The arcs to score; all arcs by default.
    """
    wrong = 0
    for first in range(0, len(order), rule.batch):
        batch = order[first : first + rule.batch]
        wrong += _learn_batch(gold, batch, plan, table, rule, step + first, threads, arcs)
    return wrong


def _learn_batch(
    gold: GoldTrees,
    batch: npt.NDArray[np.int64],
    plan: ArcPlan,
    table: AveragedTable,
    rule: ArcRule,
    step: int,
    threads: Threads,
    arcs: CandidateBatch | None,
) -> int:
    encoded = gold.encoded
    tables = mask_starts(encoded.lengths()[batch])
    coefficients = np.empty(tables[-1], dtype=np.float64)
    losses = np.empty(len(batch), dtype=np.float64)

    def search(first: int, stride: int) -> None:
        for place in range(first, len(batch), stride):
            begin, end = encoded.starts[batch[place]], encoded.starts[batch[place] + 1]
            scores = np.empty((end - begin, end - begin), dtype=np.float64)
            difference = coefficients[tables[place] : tables[place + 1]].reshape(scores.shape)
            bits = EVERY_ARC if arcs is None else arcs.of(batch[place])
            scores_kernel(encoded.atoms[begin:end], encoded.tags[begin:end], plan, table.values, bits, scores)
            losses[place] = rule.violation(scores, gold.heads[begin:end], difference)

    threads.deal(search)
    wrong: int = updates_kernel(
        encoded.atoms, encoded.tags, encoded.starts, batch, tables, coefficients, losses,
        plan, table, RULES.index(rule.name), rule.largest_step, step,
    )  # fmt: skip
    return wrong


@kernel
def scores_kernel(
    atoms: npt.NDArray[np.int32],
    tags: npt.NDArray[np.int32],
    plan: ArcPlan,
    weights: npt.NDArray[np.float32],
    allowed: npt.NDArray[np.bool_],
    scores: npt.NDArray[np.float64],
) -> None:
    """Score the arcs of one sentence with the current weights."""
    score_arcs(arc_hashes(atoms, tags, plan), plan, Rows(weights, NO_DIRECTORY, 1.0), allowed, scores)


@kernel
def updates_kernel(
    atoms: npt.NDArray[np.int32],
    tags: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    batch: npt.NDArray[np.int64],
    tables: npt.NDArray[np.int64],
    coefficients: npt.NDArray[np.float64],
    losses: npt.NDArray[np.float64],
    plan: ArcPlan,
    table: AveragedTable,
    rule: int,
    largest_step: float,
    step: int,
) -> int:
    """Make the updates of a batch, in order; return the sum of the losses, rounded."""
    mask = np.uint32(table.values.shape[0] - 1)
    flat = table.values.reshape(-1)
    total = 0.0
    for place in range(len(batch)):
        loss = losses[place]
        if loss <= 0.0:
            continue
        total += loss
        begin, end = starts[batch[place]], starts[batch[place] + 1]
        size = end - begin
        difference = coefficients[tables[place] : tables[place + 1]].reshape(size, size)
        vector = arcs_vector(difference, arc_hashes(atoms[begin:end], tags[begin:end], plan), plan, mask)
        factor = 1.0
        if rule == _MIRA:
            factor = margin_step(vector, flat, loss, largest_step)
        elif rule == _LOGLINEAR:
            factor = loss_step(vector, loss, largest_step)
        add_scaled(table, vector, factor, step + place)
    return int(total)
