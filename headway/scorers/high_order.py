"""Score second- and third-order parts by hashed features, and siblings and grandparents also by a tensor.

A search needs only a few of the possible parts, so they are scored on first use and cached: siblings and grandparents
in tables over the candidate arcs, the other kinds, which are far more numerous, in a hash table.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.features.high_order import PART_ROW, PartHashes, PartPlan, part_capacity, part_hashes, part_slots
from headway.kernel import inner_kernel, kernel, leaf_kernel, unit_kernel
from headway.parts.kinds import GRANDPARENT, SIBLING, read_key
from headway.scorers.memo import Memo, make_memo, memo_place, remember
from headway.scorers.rows import Rows, find_rows, slot_mask
from headway.scorers.sparse import SparseVector, sparse_add, sparse_vector
from headway.scorers.tensor import TRIPLE_SHAPES, Tensor, project_sentence, triple_tensor_score


class PartScorer(NamedTuple):
    """The hashes of one sentence, the weights, and the cached scores.

    Parameters
    ----------
    slots : (capacity,) uint32
        A buffer for slots.
    projections, shapes : (3, n + 2, R) float32, (shapes, R) float32
        Projections and shapes of the tensor of siblings and grandparents; R is 0 if there is none.
    """

    hashes: PartHashes
    rows: Rows
    memo: Memo
    slots: npt.NDArray[np.uint32]
    projections: npt.NDArray[np.float32]
    shapes: npt.NDArray[np.float32]


_REMEMBERED = 512  # parts per word in the cache; beyond that, scores are dropped and computed again
_FEWEST, _MOST = 1 << 10, 1 << 20


@unit_kernel
def make_part_scorer(atoms: npt.NDArray[np.int32], plan: PartPlan, rows: Rows, triples: Tensor) -> PartScorer:
    """Return the scorer of one sentence, ``atoms`` (n + 1, atoms)."""
    hashes = part_hashes(atoms, plan)
    capacity = _FEWEST
    while capacity < min(_REMEMBERED * atoms.shape[0], _MOST):
        capacity *= 2
    slots = np.empty(part_capacity(hashes), dtype=np.uint32)
    return PartScorer(hashes, rows, make_memo(capacity), slots, project_sentence(atoms, triples), triples.shapes)


@leaf_kernel
def part_score(scorer: PartScorer, key: int) -> float:
    """Return the score of one part, from its features."""
    kind, shape, first, second, third, fourth = read_key(key)
    rows, slots = scorer.rows, scorer.slots
    count = part_slots(scorer.hashes, kind, first, second, third, fourth, slot_mask(rows), slots)
    count = find_rows(rows, slots, count)
    total = 0.0
    if shape == 0:
        for index in range(count):
            total += float(rows.values[slots[index], 0])
    else:
        for index in range(count):
            row = rows.values[slots[index]]
            total += float(row[0]) + float(row[shape])
    total *= rows.scale
    if kind <= GRANDPARENT and scorer.shapes.shape[1] > 0:
        sibling, head, place = triple_words(kind, shape, first, second)
        total += triple_tensor_score(scorer.projections, scorer.shapes, sibling, head, third, place)
    return total


@leaf_kernel
def triple_words(kind: int, shape: int, first: int, second: int) -> tuple[int, int, int]:
    """Return the sibling or grandparent of a part, its head, and its shape in the tensor of both."""
    if kind == SIBLING:
        return second, first, shape
    return first, second, TRIPLE_SHAPES // 2 + shape


@inner_kernel
def remembered_score(scorer: PartScorer, key: int) -> float:
    """Return the score of one part, cached if possible."""
    memo = scorer.memo
    place = memo_place(memo, key)
    if memo.keys[place] == key:
        return float(memo.values[place])
    return _score_anew(scorer, place, key)


@leaf_kernel
def _score_anew(scorer: PartScorer, place: int, key: int) -> float:
    value = part_score(scorer, key)
    remember(scorer.memo, place, key, value)
    return value


@kernel
def parts_vector(difference: SparseVector, hashes: PartHashes, mask: np.uint32) -> SparseVector:
    """Return the sum of the features of parts, each times its coefficient.

    Parameters
    ----------
    difference : SparseVector
        Maps keys to coefficients; zeros and keys of structures are skipped.
    """
    slots = np.empty(part_capacity(hashes), dtype=np.uint32)
    vector = sparse_vector(2 * len(slots) * int(np.count_nonzero(difference.values)))
    for entry in range(difference.size[0]):
        key = difference.keys[difference.order[entry]]
        coefficient = difference.values[difference.order[entry]]
        kind, shape, first, second, third, fourth = read_key(key)
        if coefficient == 0.0 or kind >= len(hashes.layout):
            continue
        count = part_slots(hashes, kind, first, second, third, fourth, mask, slots)
        for index in range(count):
            row = int(slots[index]) * PART_ROW
            sparse_add(vector, row, coefficient)
            if shape > 0:
                sparse_add(vector, row + shape, coefficient)
    return vector
