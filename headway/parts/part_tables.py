"""The position of every part's score in the table of its kind, over candidate arcs numbered as in `arc_index`.

Ranks are those of a head's modifiers on one side, from the nearest, 1, to the furthest, k; 0 is "before the first" and
k + 1 "after the last". The heads of a word are ranked from 0 in the order of its candidate arcs::

    sibling             for each head and side a triangle, rows by the outer one    (`arc_index`)
    grandparent         for each arc (h, m) one entry for each head of h            (`arc_index`)
    head bigram         for each word but the first a matrix: heads of the word before × heads of the word
    grand-sibling       for each entry of a head's sibling triangle one entry for each head of that head
    tri-sibling         for each head and side a pyramid                            (`third_order_index`)
    great-grandparent   for each entry (g, h, m) of grandparents one entry for each head of g
    sibling-grandchild  for each arc (h, m) a matrix: modifiers s of h on the side of m × modifiers x of m
    arbitrary sibling   for each head and side a triangle without first and last, rows by the outer one

There are entries for impossible parts, such as m as its own sibling, but they are not used.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.kernel import inner_kernel, kernel, leaf_kernel
from headway.parts import kinds
from headway.parts.arc_index import ArcIndex, grandparent_place, index_arcs, sibling_place
from headway.parts.kinds import part_key, read_key
from headway.parts.third_order_index import (
    ThirdOrderIndex,
    grand_sibling_place,
    index_third_order,
    tri_sibling_place,
)

_KINDS = len(kinds.KINDS)


class PartTables(NamedTuple):
    """The layout of the tables of all kinds of parts.

    Parameters
    ----------
    arcs : ArcIndex
    third : ThirdOrderIndex
    bigrams : (n + 2,) int64
        The start of the matrix of a word in the table of head bigrams; the last entry is the size of the table.
    long_chains : (grandparents + 1,) int64
        The start of the entries of a grandparent part in the table of great-grandparents.
    grandchildren : (arcs + 1,) int64
        The start of the matrix of an arc in the table of sibling-grandchildren.
    pairs : (n + 1, 2) int64
        The start of the triangle of a head and side in the table of arbitrary siblings.
    sizes : (kinds,) int64
        The number of entries of each table.
    """

    arcs: ArcIndex
    third: ThirdOrderIndex
    bigrams: npt.NDArray[np.int64]
    long_chains: npt.NDArray[np.int64]
    grandchildren: npt.NDArray[np.int64]
    pairs: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]


@kernel
def lay_out_tables(allowed: npt.NDArray[np.bool_]) -> PartTables:
    """Lay out the tables of all kinds over the arcs where ``allowed`` (n + 1, n + 1) [head, modifier] is true."""
    index = index_arcs(allowed)
    third = index_third_order(index)
    size, arcs = len(index.most), len(index.heads)
    bigrams = np.zeros(size + 1, dtype=np.int64)
    for word in range(1, size):
        before = _heads_of(index, word - 1) if word > 1 else 0
        bigrams[word + 1] = bigrams[word] + before * _heads_of(index, word)
    long_chains = np.zeros(index.sizes[1] + 1, dtype=np.int64)
    grandchildren = np.zeros(arcs + 1, dtype=np.int64)
    for modifier in range(1, size):
        for arc in range(index.offsets[modifier], index.offsets[modifier + 1]):
            head = index.heads[arc]
            for above in range(index.offsets[head], index.offsets[head + 1]):
                entry = index.grandparents[arc] + above - index.offsets[head]
                long_chains[entry + 1] = _heads_of(index, index.heads[above])
            row = index.most[head, 1 if modifier > head else 0]
            grandchildren[arc + 1] = grandchildren[arc] + row * (index.most[modifier, 0] + index.most[modifier, 1])
    for entry in range(len(long_chains) - 1):
        long_chains[entry + 1] += long_chains[entry]
    pairs = np.zeros((size, 2), dtype=np.int64)
    total = 0
    for head in range(size):
        for side in range(2):
            pairs[head, side] = total
            total += index.most[head, side] * (index.most[head, side] - 1) // 2
    sizes = np.empty(_KINDS, dtype=np.int64)
    sizes[kinds.SIBLING], sizes[kinds.GRANDPARENT] = index.sizes[0], index.sizes[1]
    sizes[kinds.GRAND_SIBLING], sizes[kinds.TRI_SIBLING] = third.sizes[0], third.sizes[1]
    sizes[kinds.HEAD_BIGRAM], sizes[kinds.GREAT_GRANDPARENT] = bigrams[size], long_chains[-1]
    sizes[kinds.SIBLING_GRANDCHILD], sizes[kinds.ARBITRARY_SIBLING] = grandchildren[arcs], total
    return PartTables(index, third, bigrams, long_chains, grandchildren, pairs, sizes)


@inner_kernel
def _heads_of(index: ArcIndex, word: int) -> int:
    return int(index.offsets[word + 1] - index.offsets[word])


@leaf_kernel
def part_place(tables: PartTables, key: int) -> int:
    """Return the position of the part with that key in the table of its kind."""
    kind, shape, first, second, third, fourth = read_key(key)
    index = tables.arcs
    if kind == kinds.SIBLING:
        return sibling_place(index, first, (shape - 1) // 3, second, third)
    if kind == kinds.GRANDPARENT:
        return grandparent_place(index, first, second, third)
    if kind == kinds.HEAD_BIGRAM:
        row = int(index.number[first, third - 1] - index.offsets[third - 1])
        column = int(index.number[second, third] - index.offsets[third])
        return int(tables.bigrams[third]) + row * _heads_of(index, third) + column
    if kind == kinds.GRAND_SIBLING:
        return grand_sibling_place(index, tables.third, first, second, (shape - 1) % 2, third, fourth)
    if kind == kinds.TRI_SIBLING:
        return tri_sibling_place(index, tables.third, first, shape - 1, second, third, fourth)
    if kind == kinds.GREAT_GRANDPARENT:
        rank = int(index.number[first, second] - index.offsets[second])
        return int(tables.long_chains[grandparent_place(index, second, third, fourth)]) + rank
    if kind == kinds.SIBLING_GRANDCHILD:
        arc = int(index.number[first, second])
        children = int(index.most[second, 0] + index.most[second, 1])
        row = int(index.rank[index.number[first, third]]) - 1
        column = int(index.rank[index.number[second, fourth]]) - 1
        if fourth > second:
            column += int(index.most[second, 0])
        return int(tables.grandchildren[arc]) + row * children + column
    inner, outer = int(index.rank[index.number[first, second]]), int(index.rank[index.number[first, third]])
    return int(tables.pairs[first, (shape - 1) // 3]) + (outer - 1) * (outer - 2) // 2 + inner - 1


@kernel
def list_table(tables: PartTables, kind: int) -> npt.NDArray[np.int64]:
    """(entries,) Return the key of the part at each position of a table; -1 for entries that no tree reads."""
    keys = np.full(tables.sizes[kind], -1)
    size = len(tables.arcs.most)
    for head in range(size):
        if kind in (kinds.SIBLING, kinds.GRAND_SIBLING, kinds.TRI_SIBLING, kinds.ARBITRARY_SIBLING):
            for side in range(2):
                _list_rows(tables, kind, head, side, keys)
    if kind in (kinds.GRANDPARENT, kinds.HEAD_BIGRAM, kinds.GREAT_GRANDPARENT, kinds.SIBLING_GRANDCHILD):
        for modifier in range(1, size):
            for arc in range(tables.arcs.offsets[modifier], tables.arcs.offsets[modifier + 1]):
                _list_arc(tables, kind, tables.arcs.heads[arc], modifier, keys)
    return keys


@leaf_kernel
def _put(tables: PartTables, keys: npt.NDArray[np.int64], key: int) -> None:
    keys[part_place(tables, key)] = key


@kernel
def _list_rows(tables: PartTables, kind: int, head: int, side: int, keys: npt.NDArray[np.int64]) -> None:
    """List the parts of two or three children of a head on one side."""
    index, none = tables.arcs, len(tables.arcs.most)
    row = np.full(index.most[head, side] + 2, none)
    for modifier in range(1, none):
        arc = index.number[head, modifier]
        if arc >= 0 and (modifier > head) == (side == 1):
            row[index.rank[arc]] = modifier
    for outer in range(1, len(row)):
        for inner in range(outer):
            sibling, modifier = row[inner], row[outer]
            if kind == kinds.SIBLING:
                shape = kinds.sibling_shape(sibling, modifier, side, none)
                _put(tables, keys, part_key(kind, shape, head, sibling, modifier, 0))
            elif kind == kinds.ARBITRARY_SIBLING:
                if inner > 0 and outer < len(row) - 1:
                    shape = kinds.sibling_shape(sibling, modifier, side, none)
                    _put(tables, keys, part_key(kind, shape, head, sibling, modifier, 0))
            elif kind == kinds.GRAND_SIBLING:
                for arc in range(index.offsets[head], index.offsets[head + 1]):
                    above = index.heads[arc]
                    if above not in (sibling, modifier):
                        shape = kinds.grand_sibling_shape(above, head, side)
                        _put(tables, keys, part_key(kind, shape, above, head, sibling, modifier))
            elif inner > 0:
                for before in range(inner):
                    _put(tables, keys, part_key(kind, 1 + side, head, row[before], sibling, modifier))


@kernel
def _list_arc(tables: PartTables, kind: int, head: int, modifier: int, keys: npt.NDArray[np.int64]) -> None:
    """List the parts of one arc with arcs above it, below it, or of neighbouring words."""
    index, size = tables.arcs, len(tables.arcs.most)
    if kind == kinds.HEAD_BIGRAM:
        for arc in range(index.offsets[modifier - 1], index.offsets[modifier]):
            before = index.heads[arc]
            shape = kinds.bigram_shape(before, head, modifier)
            _put(tables, keys, part_key(kind, shape, before, head, modifier, 0))
    elif kind == kinds.SIBLING_GRANDCHILD:
        for sibling in range(1, size):
            beside = index.number[head, sibling] >= 0 and (sibling > head) == (modifier > head)
            for child in range(1, size):
                distinct = sibling not in (modifier, child) and child not in (modifier, head)
                if beside and distinct and index.number[modifier, child] >= 0:
                    shape = kinds.grandchild_shape(head, modifier, sibling, child)
                    _put(tables, keys, part_key(kind, shape, head, modifier, sibling, child))
    else:
        for arc in range(index.offsets[head], index.offsets[head + 1]):
            grandparent = index.heads[arc]
            if grandparent == modifier:
                continue
            if kind == kinds.GRANDPARENT:
                shape = kinds.chain_shape(grandparent, head, modifier)
                _put(tables, keys, part_key(kind, shape, grandparent, head, modifier, 0))
                continue
            for top in range(index.offsets[grandparent], index.offsets[grandparent + 1]):
                ancestor = index.heads[top]
                if ancestor not in (head, modifier):
                    shape = kinds.long_chain_shape(ancestor, grandparent, head, modifier)
                    _put(tables, keys, part_key(kind, shape, ancestor, grandparent, head, modifier))
