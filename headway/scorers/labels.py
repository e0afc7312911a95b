"""Score the labels of a tree by hashed features, each with one weight per label.

This is the second stage of labelled parsing: the label of each arc is chosen independently, with features of the tree
around it.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from headway.features.label import LabelPlan, label_hashes, slot_buffer, tree_roles, tree_slots
from headway.kernel import kernel
from headway.scorers.rows import Rows, find_rows, slot_mask


@kernel
def score_labels(rows: Rows, slots: npt.NDArray[np.uint32], count: int, totals: npt.NDArray[Any]) -> None:
    """Sum the rows of the first `count` slots into ``totals`` (labels,), in units of the scale."""
    totals[:] = 0
    for index in range(find_rows(rows, slots, count)):
        row = rows.values[slots[index]]
        for label in range(len(totals)):
            totals[label] += row[label]


@kernel
def best_labels(
    atoms: npt.NDArray[np.int32],
    heads: npt.NDArray[np.int32],
    plan: LabelPlan,
    rows: Rows,
    possible: npt.NDArray[np.bool_],
    totals: npt.NDArray[Any],
    labels: npt.NDArray[np.int32],
) -> None:
    """Choose the label of every arc of a tree.

    Parameters
    ----------
    atoms : (n + 1, atoms) int32
    heads : (n + 1,) int32
    rows : Rows
        Weight rows with a column for each label.
    possible : (2, labels) bool
        Whether each label is allowed on an arc between two words, and on an arc from the root.
    totals : (labels,)
        A buffer of the type that sums of weights need (float32, or int32 for int8 weights).
    labels : (n + 1,) int32
        Output; ``labels[0]`` is -1.
    """
    hashes, roles, slots = label_hashes(atoms, plan), tree_roles(heads), slot_buffer(plan)
    labels[0] = -1
    for modifier in range(1, len(heads)):
        count = tree_slots(modifier, roles, hashes, plan, slot_mask(rows), slots)
        score_labels(rows, slots, count, totals)
        labels[modifier] = best_possible(totals, possible[int(heads[modifier] == 0)])


@kernel
def best_possible(totals: npt.NDArray[Any], possible: npt.NDArray[np.bool_]) -> int:
    """Return the possible label with the largest total (the first one on ties)."""
    best = -1
    for label in range(len(totals)):
        if possible[label] and (best < 0 or totals[label] > totals[best]):
            best = label
    return best
