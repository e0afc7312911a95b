"""One epoch of training label weights: multiclass MIRA on gold trees, with an update for each word."""

import numpy as np
import numpy.typing as npt

from headway.features.label import LabelPlan, label_hashes, slot_buffer, tree_roles, tree_slots
from headway.kernel import kernel
from headway.learning.averaging import AveragedTable
from headway.learning.gold import GoldTrees
from headway.scorers.labels import best_possible, score_labels
from headway.scorers.rows import NO_DIRECTORY, Rows, slot_mask


def possible_labels(gold: GoldTrees, labels: int) -> npt.NDArray[np.bool_]:
    """(2, labels) Return the labels that occur on arcs between two words, and on arcs from the root."""
    possible = np.zeros((2, labels), dtype=np.bool_)
    for from_root, seen_labels in enumerate((gold.labels[gold.heads > 0], gold.labels[gold.heads == 0])):
        possible[from_root, seen_labels[seen_labels >= 0]] = True
    for row in possible:
        if not row.any():
            row[:] = True
    return possible


def learn_labels(
    gold: GoldTrees,
    order: npt.NDArray[np.int64],
    *,
    plan: LabelPlan,
    possible: npt.NDArray[np.bool_],
    table: AveragedTable,
    largest_step: float,
    step: int,
    beside: npt.NDArray[np.float32] | None = None,
) -> int:
    """Visit the sentences of `order` once and update `table`; return the number of violated margins.

    Parameters
    ----------
    beside : (rows, labels) float32, optional
        Fixed scores that are added to those of the trained weights.
    """
    encoded = gold.encoded
    if beside is None:
        beside = np.empty((0, possible.shape[1]), dtype=np.float32)
    violations: int = labels_kernel(
        encoded.atoms, encoded.starts, gold.heads, gold.labels, order, plan, possible, table, beside, largest_step, step
    )
    return violations


@kernel
def labels_kernel(
    atoms: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    heads: npt.NDArray[np.int32],
    labels: npt.NDArray[np.int32],
    order: npt.NDArray[np.int64],
    plan: LabelPlan,
    possible: npt.NDArray[np.bool_],
    table: AveragedTable,
    beside: npt.NDArray[np.float32],
    largest_step: float,
    step: int,
) -> int:
    """Run `learn_labels` as a kernel."""
    totals = np.empty(table.values.shape[1], dtype=np.float32)
    rows = Rows(table.values, NO_DIRECTORY, 1.0)
    slots = slot_buffer(plan)
    violations = 0
    for sentence in order:
        begin, end = starts[sentence], starts[sentence + 1]
        hashes, roles = label_hashes(atoms[begin:end], plan), tree_roles(heads[begin:end])
        for modifier in range(1, end - begin):
            gold = labels[begin + modifier]
            count = tree_slots(modifier, roles, hashes, plan, slot_mask(rows), slots)
            score_labels(rows, slots, count, totals)
            if len(beside) > 0:
                totals += beside[begin + modifier]
            totals += 1.0
            totals[gold] -= 1.0
            best = best_possible(totals, possible[int(heads[begin + modifier] == 0)])
            if best != gold:
                loss = totals[best] - totals[gold]
                size = min(largest_step, loss / (2.0 * count))
                _move(table, slots[:count], gold, size, step)
                _move(table, slots[:count], best, -size, step)
                violations += 1
        step += 1
    return violations


@kernel
def _move(table: AveragedTable, slots: npt.NDArray[np.uint32], label: int, change: float, step: int) -> None:
    for slot in slots:
        table.values[slot, label] += change
        table.changes[slot, label] += change * step
