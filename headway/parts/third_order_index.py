"""The positions of third-order parts in their tables, over candidate arcs numbered as in `arc_index`.

Ranks are those of a head's modifiers on one side, from the nearest, 1, to the furthest, k; 0 is "before the first" and
k + 1 "after the last"::

    grand-sibling  for each entry of a head's sibling triangle, one entry for each candidate head of that head
    tri-sibling    a pyramid for each head and side: for ranks a < b < c at
                   base + c (c - 1) (c - 2) / 6 + b (b - 1) / 2 + a
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.kernel import kernel, leaf_kernel
from headway.parts.arc_index import ArcIndex, sibling_place


class ThirdOrderIndex(NamedTuple):
    """The start of each head's parts in their tables, by side.

    Parameters
    ----------
    grand_siblings, tri_siblings : (n + 1, 2) int64
    sizes : (2,) int64
        The sizes of the two tables.
    """

    grand_siblings: npt.NDArray[np.int64]
    tri_siblings: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]


@kernel
def index_third_order(index: ArcIndex) -> ThirdOrderIndex:
    """Number the third-order parts over the given arcs."""
    size = len(index.most)
    grand_siblings = np.zeros((size, 2), dtype=np.int64)
    tri_siblings = np.zeros((size, 2), dtype=np.int64)
    grand, tri = 0, 0
    for head in range(size):
        above = index.offsets[head + 1] - index.offsets[head]
        for side in range(2):
            most = index.most[head, side]
            grand_siblings[head, side] = grand
            tri_siblings[head, side] = tri
            grand += above * ((most + 1) * (most + 2) // 2)
            tri += most * (most + 1) * (most + 2) // 6
    return ThirdOrderIndex(grand_siblings, tri_siblings, np.array([grand, tri]))


@leaf_kernel
def grand_sibling_place(
    index: ArcIndex, places: ThirdOrderIndex, grandparent: int, head: int, side: int, sibling: int, modifier: int
) -> int:
    """Return the position of a grand-sibling part in its table.

    A `sibling` of n + 1 means that none is before the modifier, a `modifier` of n + 1 that none is after the sibling.
    """
    above = int(index.offsets[head + 1]) - int(index.offsets[head])
    entry = sibling_place(index, head, side, sibling, modifier) - int(index.siblings[head, side])
    rank = int(index.number[grandparent, head]) - int(index.offsets[head])
    return int(places.grand_siblings[head, side]) + above * entry + rank


@leaf_kernel
def tri_sibling_place(
    index: ArcIndex, places: ThirdOrderIndex, head: int, side: int, before: int, sibling: int, modifier: int
) -> int:
    """Return the position of a tri-sibling part in its table.

    A `before` of n + 1 means that no child is before the sibling, a `modifier` of n + 1 that none is after it.
    """
    none = len(index.most)
    inner = 0 if before == none else int(index.rank[index.number[head, before]])
    middle = int(index.rank[index.number[head, sibling]])
    outer = int(index.most[head, side]) + 1 if modifier == none else int(index.rank[index.number[head, modifier]])
    start = int(places.tri_siblings[head, side])
    return start + outer * (outer - 1) * (outer - 2) // 6 + middle * (middle - 1) // 2 + inner
