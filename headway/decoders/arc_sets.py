"""Parts as sets of arcs that must, and that must not, be in the tree, for greedy inference.

A part is defined by two sets of arcs, A and B: a tree has the part if it has all arcs of A and none of B (Tchernowitz,
Yedidsion and Reichart 2016, "Effective greedy inference for graph-based non-projective dependency parsing", footnote
1). Here A has up to three arcs, and B consists of the arcs to all modifiers of a head between two siblings (a run)::

    sibling             h → s, h → m                  nothing between s and m
    grand-sibling       g → h, h → s, h → m           nothing between s and m
    tri-sibling         h → t, h → s, h → m           nothing between t and m, apart from s
    sibling-grandchild  h → m, h → s, m → x           nothing between m and s
    all other kinds     two or three arcs             B is empty

Arcs that A excludes anyway are left out of B: h → x if A has m → x, and the root's other arcs if it has a single child.
So choosing an arc never excludes a part in two ways at once.

Cost: the number of parts.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.kernel import kernel, leaf_kernel
from headway.parts import kinds
from headway.parts.arc_index import ArcIndex
from headway.parts.kinds import read_key
from headway.parts.part_tables import list_table
from headway.parts.table_scores import TableScores

Ints = npt.NDArray[np.int64]
Rows = npt.NDArray[np.int32]

FIRST, SECOND, THIRD, GROUP, START, END, HOLE, ABOVE = 0, 1, 2, 3, 4, 5, 6, 7
"""The columns of `ArcSets.parts`."""


class ArcSets(NamedTuple):
    """The parts of one sentence, without parts that score 0 or that no tree can have.

    Parameters
    ----------
    parts : (parts, 8) int32
        Three arcs of A; the group of B, the first and the last rank of its run, and an arc in the run that is not in B;
        the arc g → h of a grand-sibling. -1 for none.
    weights : (parts,) float64
        The scores of the parts.
    arc_starts, by_arc : int64, int32
        The parts that have arc a in A: ``by_arc[arc_starts[a]:arc_starts[a + 1]]``.
    group_starts, by_group : int64, int32
        The same for the parts whose B is in a group. A group is a head and a side: 2 · head + side.
    members : (groups, n + 2) int32
        The arc of each rank in a group, -1 for none.
    """

    parts: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float64]
    arc_starts: Ints
    by_arc: Rows
    group_starts: Ints
    by_group: Rows
    members: npt.NDArray[np.int32]


@kernel
def list_arc_sets(scores: TableScores, single_root: bool) -> ArcSets:
    """List the parts of a sentence, arcs first."""
    index = scores.layout
    size, arcs = len(index.most), len(index.heads)
    members = np.full((2 * size, size + 1), -1, dtype=np.int32)
    for modifier in range(1, size):
        for arc in range(index.offsets[modifier], index.offsets[modifier + 1]):
            head = index.heads[arc]
            members[2 * head + (1 if modifier > head else 0), index.rank[arc]] = arc
    parts = np.full((arcs + len(scores.values), 8), -1, dtype=np.int32)
    weights = np.empty(len(parts), dtype=np.float64)
    for arc in range(arcs):
        parts[arc, FIRST] = arc
        weights[arc] = scores.arc[arc]
    count = arcs
    for kind in range(len(scores.wanted)):
        if not scores.wanted[kind]:
            continue
        keys = list_table(scores.tables, kind)
        for place in range(len(keys)):
            weight = scores.values[scores.bases[kind] + place]
            if keys[place] >= 0 and weight != 0.0 and _write_part(index, keys[place], single_root, parts, count):
                weights[count] = weight
                count += 1
    arc_starts, by_arc = _sort(parts[:count, :GROUP], arcs)
    group_starts, by_group = _sort(parts[:count, GROUP:START], 2 * size)
    return ArcSets(parts[:count].copy(), weights[:count].copy(), arc_starts, by_arc, group_starts, by_group, members)


@leaf_kernel
def _write_part(index: ArcIndex, key: int, single_root: bool, parts: npt.NDArray[np.int32], row: int) -> bool:
    """Write the sets of one part; return False if no tree, or every tree, has it."""
    kind, shape, first, second, third, fourth = read_key(key)
    for column in range(8):
        parts[row, column] = -1
    number = index.number
    head, inner, outer, side = first, second, third, (shape - 1) // 3
    if kind == kinds.GRANDPARENT:
        parts[row, FIRST], parts[row, SECOND] = number[first, second], number[second, third]
        return True
    if kind == kinds.HEAD_BIGRAM:
        parts[row, FIRST], parts[row, SECOND] = number[first, third - 1], number[second, third]
        return not (single_root and first == 0 and second == 0)
    if kind == kinds.GREAT_GRANDPARENT:
        parts[row, FIRST], parts[row, SECOND] = number[first, second], number[second, third]
        parts[row, THIRD] = number[third, fourth]
        return True
    if kind == kinds.ARBITRARY_SIBLING:
        parts[row, FIRST], parts[row, SECOND] = number[first, second], number[first, third]
        return not (single_root and first == 0)
    column, middle = FIRST, len(index.most)
    if kind == kinds.GRAND_SIBLING:
        head, inner, outer, side = second, third, fourth, (shape - 1) % 2
        parts[row, FIRST] = parts[row, ABOVE] = number[first, second]
        column = SECOND
    elif kind == kinds.TRI_SIBLING:
        outer, middle, side = fourth, third, shape - 1
    elif kind == kinds.SIBLING_GRANDCHILD:
        side = 1 if second > first else 0
        parts[row, FIRST], column = number[second, fourth], SECOND
        if abs(second - first) > abs(third - first):
            inner, outer = third, second
        parts[row, HOLE] = number[first, fourth]
    return _write_run(index, head, side, inner, middle, outer, single_root, parts, row, column)


@leaf_kernel
def _write_run(
    index: ArcIndex,
    head: int,
    side: int,
    inner: int,
    middle: int,
    outer: int,
    single_root: bool,
    parts: npt.NDArray[np.int32],
    row: int,
    column: int,
) -> bool:
    """Write siblings, from the inner to the outer one, into columns from `column` on, and the run between them."""
    none, start, end, real = len(index.most), 1, int(index.most[head, side]), 0
    if inner != none:
        parts[row, column] = index.number[head, inner]
        start = int(index.rank[parts[row, column]]) + 1
        column += 1
        real += 1
    if middle != none:
        parts[row, column] = parts[row, HOLE] = index.number[head, middle]
        column += 1
        real += 1
    if outer != none:
        parts[row, column] = index.number[head, outer]
        end = int(index.rank[parts[row, column]]) - 1
        real += 1
    hole = parts[row, HOLE]
    if single_root and head == 0:
        parts[row, HOLE] = -1
        return real == 1  # the root has this child and no other
    if hole >= 0 and not (start <= index.rank[hole] <= end and (side == 1) == lies_right(index, hole, head)):
        parts[row, HOLE] = hole = -1
    if end - start + 1 > (1 if hole >= 0 else 0):
        parts[row, GROUP], parts[row, START], parts[row, END] = 2 * head + side, start, end
        return True
    parts[row, HOLE] = -1
    return bool(parts[row, FIRST] >= 0)  # without arcs, it is in every tree


@leaf_kernel
def lies_right(index: ArcIndex, arc: int, head: int) -> bool:
    """Return whether the modifier of an arc is to the right of its head."""
    return bool(arc >= index.offsets[head + 1])


@kernel
def _sort(columns: npt.NDArray[np.int32], buckets: int) -> tuple[Ints, Rows]:
    """Sort row indices by the values in some columns, ignoring -1; return the start of each value, and the rows."""
    starts = np.zeros(buckets + 1, dtype=np.int64)
    for row in range(len(columns)):
        for column in range(columns.shape[1]):
            if columns[row, column] >= 0:
                starts[columns[row, column] + 1] += 1
    for bucket in range(buckets):
        starts[bucket + 1] += starts[bucket]
    rows, filled = np.empty(starts[buckets], dtype=np.int32), starts.copy()
    for row in range(len(columns)):
        for column in range(columns.shape[1]):
            bucket = columns[row, column]
            if bucket >= 0:
                rows[filled[bucket]] = row
                filled[bucket] += 1
    return starts, rows
