"""Score structures of whole trees, with a cache, and compute the difference in features between two trees.

`global_gains` computes the change when one word moves.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.features.global_features import GlobalHashes, GlobalPlan, global_capacity, global_hashes, global_slots
from headway.features.high_order import PART_ROW
from headway.kernel import kernel, leaf_kernel, unit_kernel
from headway.parts.kinds import read_key
from headway.parts.links import Links
from headway.parts.structure_lists import list_globals, most_structures
from headway.parts.structures import FIRST_STRUCTURE
from headway.scorers.memo import Memo, make_memo, remember
from headway.scorers.rows import Rows, find_rows, slot_mask
from headway.scorers.sparse import SparseVector, sparse_add, sparse_vector


class GlobalScorer(NamedTuple):
    """The hashes of one sentence, the weights, the cached scores, and the spans of the tree that is being changed.

    Parameters
    ----------
    rows : Rows
        The weight table of parts, which structures share.
    slots : (capacity,) uint32
        A buffer for slots.
    spans : (n + 1, 2) int64
        The spans, see `headway.parts.spans`; the caller keeps them up to date.
    notes : (room, 2) int64
        A buffer for `global_gains`.
    """

    hashes: GlobalHashes
    rows: Rows
    memo: Memo
    slots: npt.NDArray[np.uint32]
    spans: npt.NDArray[np.int64]
    notes: npt.NDArray[np.int64]


_REMEMBERED = 128  # structures per word in the cache; beyond that, scores are dropped and computed again
_FEWEST, _MOST = 1 << 10, 1 << 19
_NOTES = 8  # per word


@unit_kernel
def make_global_scorer(
    atoms: npt.NDArray[np.int32], tags: npt.NDArray[np.int32], plan: GlobalPlan, rows: Rows
) -> GlobalScorer:
    """Return the scorer of one sentence, ``atoms`` (n + 1, atoms), ``tags`` (n + 1,); its spans are not set yet."""
    hashes = global_hashes(atoms, tags, plan)
    capacity = _FEWEST
    while capacity < min(_REMEMBERED * len(tags), _MOST):
        capacity *= 2
    slots = np.empty(global_capacity(hashes), dtype=np.uint32)
    spans = np.zeros((len(tags), 2), dtype=np.int64)
    notes = np.empty((_NOTES * len(tags), 2), dtype=np.int64)
    return GlobalScorer(hashes, rows, make_memo(capacity), slots, spans, notes)


@leaf_kernel
def global_score(scorer: GlobalScorer, key: int) -> float:
    """Return the score of one structure, from its features."""
    _, shape, _, _, _, _ = read_key(key)
    rows, slots = scorer.rows, scorer.slots
    count = find_rows(rows, slots, global_slots(scorer.hashes, key, slot_mask(rows), slots))
    total = 0.0
    for index in range(count):
        row = rows.values[slots[index]]
        total += float(row[0]) + float(row[shape])
    return total * rows.scale


@leaf_kernel
def score_anew(scorer: GlobalScorer, place: int, key: int) -> float:
    """Score one structure and cache the score at the position that `memo_place` returned."""
    value = global_score(scorer, key)
    remember(scorer.memo, place, key, value)
    return value


@kernel
def tree_globals(scorer: GlobalScorer, links: Links) -> float:
    """Return the score of all structures of a tree, without using cache or spans."""
    keys = np.empty(most_structures(len(links.heads)), dtype=np.int64)
    total = 0.0
    for number in range(list_globals(links, scorer.hashes.traits, keys)):
        total += global_score(scorer, keys[number])
    return total


@kernel
def globals_vector(difference: SparseVector, hashes: GlobalHashes, mask: np.uint32) -> SparseVector:
    """Return the sum of the features of structures, each times its coefficient.

    Parameters
    ----------
    difference : SparseVector
        Maps keys to coefficients; zeros and keys of parts are skipped.
    """
    slots = np.empty(global_capacity(hashes), dtype=np.uint32)
    vector = sparse_vector(2 * len(slots) * max(1, _structures(difference)))
    for entry in range(difference.size[0]):
        key = difference.keys[difference.order[entry]]
        coefficient = difference.values[difference.order[entry]]
        kind, shape, _, _, _, _ = read_key(key)
        if coefficient == 0.0 or kind < FIRST_STRUCTURE:
            continue
        for index in range(global_slots(hashes, key, mask, slots)):
            row = int(slots[index]) * PART_ROW
            sparse_add(vector, row, coefficient)
            sparse_add(vector, row + shape, coefficient)
    return vector


@kernel
def _structures(difference: SparseVector) -> int:
    count = 0
    for entry in range(difference.size[0]):
        place = difference.order[entry]
        kind, _, _, _, _, _ = read_key(difference.keys[place])
        count += int(kind >= FIRST_STRUCTURE and difference.values[place] != 0.0)
    return count
