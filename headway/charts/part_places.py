"""The positions of all parts of a sentence in one flat array of scores.

The array has arcs first, then siblings, grandparents, grand-siblings and tri-siblings (only the kinds that are scored),
each laid out as in `headway.parts.arc_index` and `headway.parts.third_order_index`. So the value of an item is the sum
of a few entries of one array, and the marginals of all parts are another array of the same layout.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.kernel import kernel
from headway.parts.arc_index import ArcIndex, grandparent_place, sibling_place
from headway.parts.kinds import (
    GRAND_SIBLING,
    GRANDPARENT,
    SIBLING,
    TRI_SIBLING,
    chain_shape,
    grand_sibling_shape,
    part_key,
    sibling_shape,
)
from headway.parts.third_order_index import (
    ThirdOrderIndex,
    grand_sibling_place,
    index_third_order,
    tri_sibling_place,
)


class PartPlaces(NamedTuple):
    """The first position of each group of parts; -1 for parts that are not scored.

    Parameters
    ----------
    siblings, grand_siblings, tri_siblings : (n + 1, 2) int64
        By head and side; grand-siblings are also -1 below the root.
    grandparents : (arcs,) int64
        By the lower arc; -1 below the root, too.
    bases : (6,) int64
        The first position of each kind's table, and the end of the last table; kinds that are not scored have empty
        tables.
    """

    siblings: npt.NDArray[np.int64]
    grandparents: npt.NDArray[np.int64]
    grand_siblings: npt.NDArray[np.int64]
    tri_siblings: npt.NDArray[np.int64]
    bases: npt.NDArray[np.int64]


@kernel
def place_parts(index: ArcIndex, wanted: npt.NDArray[np.bool_]) -> PartPlaces:
    """Lay out the parts of the wanted kinds over the candidate arcs."""
    third = index_third_order(index)
    sizes = (index.sizes[0], index.sizes[1], third.sizes[0], third.sizes[1])
    kinds = (SIBLING, GRANDPARENT, GRAND_SIBLING, TRI_SIBLING)
    bases = np.empty(6, dtype=np.int64)
    bases[0], bases[1] = 0, len(index.heads)
    for number in range(4):
        bases[number + 2] = bases[number + 1] + (sizes[number] if wanted[kinds[number]] else 0)
    nowhere = np.full(index.siblings.shape, -1)
    siblings = index.siblings + bases[1] if wanted[SIBLING] else nowhere
    grandparents = np.full(len(index.heads), -1)
    for arc in range(len(index.heads)):
        if wanted[GRANDPARENT] and index.heads[arc] > 0:
            grandparents[arc] = index.grandparents[arc] + bases[2]
    grand_siblings = nowhere.copy()
    if wanted[GRAND_SIBLING]:
        grand_siblings = third.grand_siblings + bases[3]
        grand_siblings[0] = -1
    tri_siblings = third.tri_siblings + bases[4] if wanted[TRI_SIBLING] else nowhere
    return PartPlaces(siblings, grandparents, grand_siblings, tri_siblings, bases)


@kernel
def list_keys(index: ArcIndex, places: PartPlaces, projective: bool) -> npt.NDArray[np.int64]:
    """(parts,) Return the key of each part; -1 for arcs and, if `projective`, for parts that no projective tree has."""
    third = index_third_order(index)
    keys = np.full(places.bases[5], -1)
    size = len(index.most)
    row = np.empty(size + 1, dtype=np.int64)
    for head in range(size):
        for side in range(2):
            count = _list_row(index, head, side, row)
            for outer in range(1, count):
                for inner in range(outer):
                    _list_pair(index, third, places, head, side, row[inner], row[outer], projective, keys)
                    if places.tri_siblings[head, side] >= 0 and inner > 0:
                        for before in range(inner):
                            words = row[before], row[inner], row[outer]
                            place = tri_sibling_place(index, third, head, side, words[0], words[1], words[2])
                            keys[places.bases[4] + place] = part_key(
                                TRI_SIBLING, 1 + side, head, words[0], words[1], words[2]
                            )
    return keys


@kernel
def _list_row(index: ArcIndex, head: int, side: int, row: npt.NDArray[np.int64]) -> int:
    """Write a head's candidate modifiers on one side, nearest first, with "none" at both ends; return their number."""
    size = len(index.most)
    row[0] = size
    count = 1
    for distance in range(1, size):
        modifier = head + distance if side == 1 else head - distance
        if 0 < modifier < size and index.number[head, modifier] >= 0:
            row[count] = modifier
            count += 1
    row[count] = size
    return count + 1


@kernel
def _list_pair(
    index: ArcIndex,
    third: ThirdOrderIndex,
    places: PartPlaces,
    head: int,
    side: int,
    sibling: int,
    modifier: int,
    projective: bool,
    keys: npt.NDArray[np.int64],
) -> None:
    """Write the keys of a pair of siblings, of the pair with each grandparent, and of its triples."""
    none = len(index.most)
    if places.siblings[head, side] >= 0:
        shape = sibling_shape(sibling, modifier, side, none)
        place = sibling_place(index, head, side, sibling, modifier)
        keys[places.bases[1] + place] = part_key(SIBLING, shape, head, sibling, modifier, 0)
    if head == 0:
        return
    furthest = sibling if modifier == none else modifier
    for arc in range(index.offsets[head], index.offsets[head + 1]):
        grandparent = index.heads[arc]
        if projective and furthest != none and min(head, furthest) < grandparent < max(head, furthest):
            continue
        if places.grand_siblings[head, side] >= 0:
            shape = grand_sibling_shape(grandparent, head, side)
            place = grand_sibling_place(index, third, grandparent, head, side, sibling, modifier)
            keys[places.bases[3] + place] = part_key(GRAND_SIBLING, shape, grandparent, head, sibling, modifier)
        if sibling == none and modifier != none and places.grandparents[index.number[head, modifier]] >= 0:
            shape = chain_shape(grandparent, head, modifier)
            place = grandparent_place(index, grandparent, head, modifier)
            keys[places.bases[2] + place] = part_key(GRANDPARENT, shape, grandparent, head, modifier, 0)
