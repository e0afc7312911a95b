"""Score arcs by hashed features.

Scoring hashes all features of an arc into a buffer and then looks them up, so that cache misses overlap; the weight
without distance, the one for the direction and the one for the length are in one cache line. Features of one word are
summed once per word, as a whole row.
"""

import numpy as np
import numpy.typing as npt

from headway.features.arc import (
    ROW,
    ArcHashes,
    ArcPlan,
    arc_capacity,
    arc_slots,
    length_bin,
    tags_between,
    word_slots,
)
from headway.features.hashing import plan_templates
from headway.kernel import kernel, leaf_kernel, unit_kernel
from headway.scorers.rows import Rows, find_rows, slot_mask
from headway.scorers.sparse import SparseVector, sparse_add, sparse_vector

EVERY_ARC = np.empty((0, 0), dtype=np.bool_)
"""A value of `allowed` that stands for all arcs."""


@kernel
def every_arc() -> npt.NDArray[np.bool_]:
    """Return `EVERY_ARC` for kernels, in which global arrays would have another, read-only type."""
    return np.empty((0, 0), dtype=np.bool_)


@unit_kernel
def score_arcs(
    hashes: ArcHashes,
    plan: ArcPlan,
    rows: Rows,
    allowed: npt.NDArray[np.bool_],
    scores: npt.NDArray[np.float64],
) -> None:
    """Fill ``scores`` (n + 1, n + 1) [head, modifier] for the allowed arcs of a sentence, -inf elsewhere.

    Parameters
    ----------
    rows : Rows
        Weight rows of width `ROW`.
    allowed : (n + 1, n + 1) bool
        The candidate arcs, or `EVERY_ARC`.
    """
    size = scores.shape[0]
    every = allowed.shape[0] == 0
    slots = np.empty(arc_capacity(plan), dtype=np.uint32)
    mask, packed = slot_mask(rows), len(rows.directory) > 0
    head_rows = _word_rows(hashes.head, size, rows, slots)
    modifier_rows = _word_rows(hashes.modifier, size, rows, slots)
    scores[:] = -np.inf
    for modifier in range(1, size):
        for step in (-1, 1):
            direction = 1 if step > 0 else 2
            between = 0
            head = modifier + step
            while 0 <= head < size:
                if every or allowed[head, modifier]:
                    count = arc_slots(head, modifier, between, hashes, plan, mask, slots)
                    count = find_rows(rows, slots, count)
                    place = length_bin(head, modifier)
                    total = head_rows[head, 0] + head_rows[head, direction] + head_rows[head, place]
                    total += modifier_rows[modifier, direction] + modifier_rows[modifier, place]
                    if packed:
                        total += _add_bytes(rows, slots, count, direction, place)
                    else:
                        for index in range(count):
                            row = rows.values[slots[index]]
                            total += float(row[0]) + float(row[direction]) + float(row[place])
                    scores[head, modifier] = total * rows.scale
                between |= 1 << hashes.tags[head]
                head += step


@leaf_kernel
def _add_bytes(rows: Rows, slots: npt.NDArray[np.uint32], count: int, direction: int, place: int) -> int:
    """Sum three weights of each packed row, as whole numbers: as exact as floats, and faster."""
    total = 0
    for index in range(count):
        row = rows.values[slots[index]]
        total += int(row[0]) + int(row[direction]) + int(row[place])
    return total


@kernel
def _word_rows(
    hashes: npt.NDArray[np.uint32], size: int, rows: Rows, slots: npt.NDArray[np.uint32]
) -> npt.NDArray[np.float64]:
    sums = np.zeros((size, ROW), dtype=np.float64)
    for word in range(size):
        count = word_slots(word, hashes, slot_mask(rows), slots)
        for index in range(find_rows(rows, slots, count)):
            row = rows.values[slots[index]]
            for place in range(ROW):
                sums[word, place] += row[place]
    return sums


@kernel
def arcs_vector(
    coefficients: npt.NDArray[np.float64], hashes: ArcHashes, plan: ArcPlan, mask: np.uint32
) -> SparseVector:
    """Return the sum of the features of all arcs of a sentence, each times its coefficient.

    Parameters
    ----------
    coefficients : (n + 1, n + 1) float64 [head, modifier]
        Most of them zero.
    """
    size = coefficients.shape[0]
    slots = np.empty(arc_capacity(plan), dtype=np.uint32)
    room = len(slots) + plan_templates(plan.head) + plan_templates(plan.modifier)
    vector = sparse_vector(3 * room * int(np.count_nonzero(coefficients)))
    for modifier in range(1, size):
        for head in range(size):
            coefficient = coefficients[head, modifier]
            if coefficient != 0.0:
                _add_arc(vector, head, modifier, coefficient, hashes, plan, mask, slots)
    return vector


@kernel
def _add_arc(
    vector: SparseVector,
    head: int,
    modifier: int,
    coefficient: float,
    hashes: ArcHashes,
    plan: ArcPlan,
    mask: np.uint32,
    slots: npt.NDArray[np.uint32],
) -> None:
    place = length_bin(head, modifier)
    direction = 1 if head > modifier else 2
    between = tags_between(min(head, modifier), max(head, modifier), hashes.tags)
    count = arc_slots(head, modifier, between, hashes, plan, mask, slots)
    _add_rows(vector, count, slots, True, direction, place, coefficient)
    count = word_slots(head, hashes.head, mask, slots)
    _add_rows(vector, count, slots, True, direction, place, coefficient)
    count = word_slots(modifier, hashes.modifier, mask, slots)
    _add_rows(vector, count, slots, False, direction, place, coefficient)


@kernel
def _add_rows(
    vector: SparseVector,
    count: int,
    slots: npt.NDArray[np.uint32],
    bare: bool,
    direction: int,
    place: int,
    coefficient: float,
) -> None:
    for index in range(count):
        first = int(slots[index]) * ROW
        if bare:  # weights of modifiers without distance do not depend on the head, so they are left out
            sparse_add(vector, first, coefficient)
        sparse_add(vector, first + direction, coefficient)
        sparse_add(vector, first + place, coefficient)
