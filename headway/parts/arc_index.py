"""Number the candidate arcs of a sentence, and lay out the tables of its sibling and grandparent parts.

Arcs are sorted by modifier and then by head, as in `Candidates`. The candidate modifiers of a head on one side are
ranked from 1, the nearest, to k, the furthest; rank 0 means "before the first child", and k + 1 "after the last". The
tables have these entries::

    sibling      for each head and side, all ranks inner < outer:  start + outer (outer - 1) / 2 + inner
    grandparent  for each arc (h, m), all candidate heads g of h:  start + the place of g among them
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.kernel import inner_kernel, unit_kernel


class ArcIndex(NamedTuple):
    """The candidate arcs of one sentence, and where the entries of its two tables start.

    Parameters
    ----------
    offsets : (n + 2,) int64
        The arcs of modifier m are ``offsets[m]:offsets[m + 1]``.
    heads : (arcs,) int64
        The head of each arc.
    number : (n + 1, n + 1) int32
        [head, modifier] The index of the arc, -1 if it is not a candidate.
    rank : (arcs,) int64
        The rank of each arc's modifier among its head's candidate modifiers on that side.
    most : (n + 1, 2) int64
        [head, side] The number k of candidate modifiers; side 0 is on the left.
    siblings : (n + 1, 2) int64
        [head, side] Where the entries of the head and side start in the sibling table.
    grandparents : (arcs + 1,) int64
        Where the entries of each arc start in the grandparent table; at the end, the table's size.
    sizes : (2,) int64
        The sizes of the sibling table and of the grandparent table.
    """

    offsets: npt.NDArray[np.int64]
    heads: npt.NDArray[np.int64]
    number: npt.NDArray[np.int32]
    rank: npt.NDArray[np.int64]
    most: npt.NDArray[np.int64]
    siblings: npt.NDArray[np.int64]
    grandparents: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]


@unit_kernel
def index_arcs(allowed: npt.NDArray[np.bool_]) -> ArcIndex:
    """Number the arcs where ``allowed`` (n + 1, n + 1) [head, modifier] is true, without loops and arcs to the root."""
    size = allowed.shape[0]
    offsets = np.zeros(size + 1, dtype=np.int64)
    number = np.full((size, size), -1, dtype=np.int32)
    arcs = 0
    for modifier in range(1, size):
        for head in range(size):
            if head != modifier and allowed[head, modifier]:
                number[head, modifier] = arcs
                arcs += 1
        offsets[modifier + 1] = arcs
    heads = np.empty(arcs, dtype=np.int64)
    rank = np.empty(arcs, dtype=np.int64)
    most = np.zeros((size, 2), dtype=np.int64)
    siblings = np.zeros((size, 2), dtype=np.int64)
    sibling_parts = 0
    for head in range(size):
        for side in range(2):
            step = 1 if side == 1 else -1
            modifier = head + step
            while 1 <= modifier < size:
                arc = number[head, modifier]
                if arc >= 0:
                    most[head, side] += 1
                    heads[arc] = head
                    rank[arc] = most[head, side]
                modifier += step
            siblings[head, side] = sibling_parts
            sibling_parts += (most[head, side] + 1) * (most[head, side] + 2) // 2
    grandparents = np.zeros(arcs + 1, dtype=np.int64)
    for arc in range(arcs):
        grandparents[arc + 1] = grandparents[arc] + offsets[heads[arc] + 1] - offsets[heads[arc]]
    sizes = np.array([sibling_parts, grandparents[arcs]])
    return ArcIndex(offsets, heads, number, rank, most, siblings, grandparents, sizes)


@inner_kernel
def sibling_place(index: ArcIndex, head: int, side: int, sibling: int, modifier: int) -> int:
    """Return the index of a sibling part in the sibling table.

    Parameters
    ----------
    sibling, modifier : int
        Two consecutive children, inner and outer: `sibling` is n + 1 if `modifier` is the first child, and `modifier`
        is n + 1 if `sibling` is the last.
    """
    none = len(index.most)
    inner = 0 if sibling == none else int(index.rank[index.number[head, sibling]])
    outer = int(index.most[head, side]) + 1 if modifier == none else int(index.rank[index.number[head, modifier]])
    return int(index.siblings[head, side]) + outer * (outer - 1) // 2 + inner


@inner_kernel
def grandparent_place(index: ArcIndex, grandparent: int, head: int, modifier: int) -> int:
    """Return the index of a grandparent part in the grandparent table."""
    rank = int(index.number[grandparent, head]) - int(index.offsets[head])
    return int(index.grandparents[index.number[head, modifier]]) + rank
