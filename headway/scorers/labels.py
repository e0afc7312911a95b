"""Linear scores of labels, given the tree: a row of hashed weights, one for each label, for every feature.

The second stage of labelled parsing. An arc's label is chosen by itself, but its features see the tree around it.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from headway.features.hashing import role_hashes
from headway.features.label import LabelPlan, label_slots, tree_roles
from headway.kernel import kernel

LabelWeights = npt.NDArray[Any]
"""(slots, labels) float32 or int8; the number of slots is a power of two."""


@kernel
def score_labels(slots: npt.NDArray[np.int64], weights: LabelWeights, totals: npt.NDArray[Any]) -> None:
    """Sum the rows of `slots` into ``totals`` (labels,)."""
    totals[:] = 0
    for slot in slots:
        row = weights[slot]
        for label in range(len(totals)):
            totals[label] += row[label]


@kernel
def best_labels(
    atoms: npt.NDArray[np.int32],
    heads: npt.NDArray[np.int32],
    plan: LabelPlan,
    weights: LabelWeights,
    totals: npt.NDArray[Any],
    labels: npt.NDArray[np.int32],
) -> None:
    """Choose the label of every arc of a tree.

    Parameters
    ----------
    atoms : (n + 1, atoms) int32
    heads : (n + 1,) int32
    totals : (labels,)
        A workspace of the type that sums of weights need (float32, or int32 for int8 weights).
    labels : (n + 1,) int32
        Where the answer goes; ``labels[0]`` is -1.
    """
    hashes = role_hashes(atoms, plan.words)
    roles = tree_roles(heads)
    slots = np.empty(2 * hashes.shape[2], dtype=np.int64)
    labels[0] = -1
    for modifier in range(1, len(heads)):
        label_slots(roles[modifier], hashes, plan, weights.shape[0] - 1, slots)
        score_labels(slots, weights, totals)
        labels[modifier] = np.argmax(totals)
