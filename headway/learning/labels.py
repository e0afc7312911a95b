"""One epoch of learning label weights: multiclass MIRA on the gold trees, a step for each word."""

import numpy as np
import numpy.typing as npt

from headway.features.hashing import role_hashes
from headway.features.label import LabelPlan, label_slots, tree_roles
from headway.kernel import kernel
from headway.learning.arcs import GoldTrees
from headway.learning.averaging import AveragedTable
from headway.scorers.labels import score_labels


def learn_labels(
    gold: GoldTrees,
    order: npt.NDArray[np.int64],
    *,
    plan: LabelPlan,
    table: AveragedTable,
    largest_step: float,
    step: int,
) -> int:
    """Visit the sentences of `order` once and update `table`; the number of violated margins is returned."""
    encoded = gold.encoded
    violations: int = labels_kernel(
        encoded.atoms, encoded.starts, gold.heads, gold.labels, order, plan, table, largest_step, step
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
    table: AveragedTable,
    largest_step: float,
    step: int,
) -> int:
    """The epoch, compiled; see `learn_labels`."""
    totals = np.empty(table.values.shape[1], dtype=np.float32)
    mask = table.values.shape[0] - 1
    violations = 0
    for sentence in order:
        begin, end = starts[sentence], starts[sentence + 1]
        hashes = role_hashes(atoms[begin:end], plan.words)
        roles = tree_roles(heads[begin:end])
        slots = np.empty(2 * hashes.shape[2], dtype=np.int64)
        for modifier in range(1, end - begin):
            gold = labels[begin + modifier]
            label_slots(roles[modifier], hashes, plan, mask, slots)
            score_labels(slots, table.values, totals)
            totals += 1.0
            totals[gold] -= 1.0
            best = int(np.argmax(totals))
            if best != gold:
                loss = totals[best] - totals[gold]
                size = min(largest_step, loss / (2.0 * len(slots)))
                _move(table, slots, gold, size, step)
                _move(table, slots, best, -size, step)
                violations += 1
        step += 1
    return violations


@kernel
def _move(table: AveragedTable, slots: npt.NDArray[np.int64], label: int, change: float, step: int) -> None:
    for slot in slots:
        table.values[slot, label] += change
        table.changes[slot, label] += change * step
