"""The items of a chart: the spans that projective trees are made of, smallest first.

A *context* is the part of the tree above a span that its score depends on: only the head or, if grandparents are
scored, the arc to the head. With c a context of the head h, the items are

=============  ===========================================================================================
EMPTY c        h without children on one side
COMPLETE c e   h and its descendants on one side, up to position e
OPEN c m       h up to its child m: everything between them, and the half of m that faces h
SPAN h s m     the same without a context, but with the child s before m (charts that score outer parts)
CLOSED c m     OPEN, or SPAN, with m as the last child
BETWEEN s m    everything between two consecutive children of h: the outer half of s, the inner half of m
GOAL           a whole tree
=============  ===========================================================================================

Vertices have positions. Usually vertex v is the word at position v; a word with several *senses* (such as tags) has one
vertex for each, all at its position, and a tree uses one of them.

Koo and Collins (2010), figures 2 to 7, and section 5.3 for senses. Only spans over candidate arcs become items, so
pruned arcs cost nothing.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.charts.part_places import PartPlaces
from headway.kernel import kernel, leaf_kernel
from headway.parts.arc_index import ArcIndex

NOTHING, EMPTY, COMPLETE, OPEN, SPAN, CLOSED, BETWEEN, GOAL = 0, 1, 2, 3, 4, 5, 6, 7

HEAD, MODIFIER, RANK, ROOM, LEAD, GRANDPARENTS, ARC_COLUMNS = 0, 1, 2, 3, 4, 5, 6
"""The columns of `Chart.arcs`."""

POSITION, CONTEXTS, COUNT, CHILDREN, MOST, PAIRS, SIBLINGS, GRAND, TRI, VERTEX_COLUMNS = 0, 1, 2, 3, 5, 7, 9, 11, 13, 15
"""The columns of `Chart.vertices`; from CHILDREN on, there are two columns for each, left and right."""


class Chart(NamedTuple):
    """The items, each after the items it is made of; item 0 means "no item".

    It has few arrays, because kernels are called with them for every item.

    Parameters
    ----------
    items : (room, 4) int32
        The type, and by type: context, column and head (EMPTY, COMPLETE); arc and context (OPEN, CLOSED); head, arc of
        the sibling or -1, arc (SPAN); left vertex, right vertex and head, -1 for any head (BETWEEN). The column is the
        end of a half, plus one on the right side.
    size : (1,) int64
        The number of items.
    ids : int32
        The numbers of items, -1 for none, in five tables: COMPLETE by context and column, from 0; OPEN and CLOSED by
        ``room + context - contexts`` of the arc and head, from `opened` and `closed`; SPAN and BETWEEN by the place of
        the pair of siblings, from `spans` and `gaps` (BETWEEN without contexts: by left * vertices + right).
    arcs : (arcs, ARC_COLUMNS) int64
        Head and modifier; rank among the head's modifiers on that side; where its OPEN items are; where the halves of
        its modifier are among the COMPLETE; where its grandparents' scores are, -1 for nowhere.
    vertices : (vertices, VERTEX_COLUMNS) int64
        Position; first context and how many; where the arcs to each side begin in `children` and how many there are;
        where pairs of siblings begin; where the scores of siblings, grand-siblings and tri-siblings begin, or -1.
    number : (vertices, vertices) int32
        The number of an arc, [head, modifier]; -1 for none.
    children : (arcs,) int64
        The arcs of each head to each side, nearest first.
    above : (contexts,) int64
        The grandparent; -1 where there is none, or where contexts do not include it.
    firsts : (positions + 1,) int64
        The vertices at position p are ``firsts[p]:firsts[p + 1]``.
    """

    items: npt.NDArray[np.int32]
    size: npt.NDArray[np.int64]
    ids: npt.NDArray[np.int32]
    arcs: npt.NDArray[np.int64]
    vertices: npt.NDArray[np.int64]
    number: npt.NDArray[np.int32]
    children: npt.NDArray[np.int64]
    above: npt.NDArray[np.int64]
    firsts: npt.NDArray[np.int64]
    opened: int
    closed: int
    spans: int
    gaps: int
    knows_grandparent: bool
    outer: int
    single_root: bool


@kernel
def make_chart(
    index: ArcIndex,
    places: PartPlaces,
    positions: npt.NDArray[np.int64],
    knows_grandparent: bool,
    outer: int,
    single_root: bool,
) -> Chart:
    """List the items over some arcs; no arc may join two vertices at the same position."""
    columns = positions[-1] + 2
    vertices, above = _describe_vertices(index, places, positions, knows_grandparent)
    arcs, room = _describe_arcs(index, places, vertices, columns, knows_grandparent)
    children = np.empty(len(arcs), dtype=np.int64)
    for arc in range(len(arcs)):
        side = 1 if arcs[arc, MODIFIER] > arcs[arc, HEAD] else 0
        children[vertices[arcs[arc, HEAD], CHILDREN + side] + arcs[arc, RANK] - 1] = arc
    firsts = np.searchsorted(positions, np.arange(positions[-1] + 2))
    opened = len(above) * columns
    closed = opened + (room if outer == 0 else 0)
    spans = closed + room
    gaps = spans + (index.sizes[0] if outer > 0 else 0)
    most = gaps + (index.sizes[0] if knows_grandparent else len(vertices) ** 2)
    chart = Chart(
        np.empty((2 + most, 4), dtype=np.int32), np.zeros(1, dtype=np.int64), np.full(most, -1, dtype=np.int32),
        arcs, vertices, index.number, children, above, firsts, opened, closed, spans, gaps,
        knows_grandparent, outer, single_root,
    )  # fmt: skip
    _list_items(chart)
    return chart


@kernel
def _describe_vertices(
    index: ArcIndex, places: PartPlaces, positions: npt.NDArray[np.int64], knows_grandparent: bool
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return `Chart.vertices` and `Chart.above`."""
    vertices = np.empty((len(positions), VERTEX_COLUMNS), dtype=np.int64)
    total = 0
    for vertex in range(len(positions)):
        row = vertices[vertex]
        row[POSITION], row[CONTEXTS], row[COUNT] = positions[vertex], vertex, 1
        if knows_grandparent and vertex > 0:
            row[CONTEXTS] = index.offsets[vertex] + 1
            row[COUNT] = index.offsets[vertex + 1] - index.offsets[vertex]
        for side in range(2):
            row[CHILDREN + side], row[MOST + side] = total, index.most[vertex, side]
            row[PAIRS + side] = index.siblings[vertex, side]
            row[SIBLINGS + side] = places.siblings[vertex, side]
            row[GRAND + side] = places.grand_siblings[vertex, side]
            row[TRI + side] = places.tri_siblings[vertex, side]
            total += index.most[vertex, side]
    if knows_grandparent:
        return vertices, np.concatenate((np.full(1, -1), index.heads))
    return vertices, np.full(len(positions), -1)


@kernel
def _describe_arcs(
    index: ArcIndex, places: PartPlaces, vertices: npt.NDArray[np.int64], columns: int, knows_grandparent: bool
) -> tuple[npt.NDArray[np.int64], int]:
    """Return `Chart.arcs` and the maximum number of OPEN items."""
    arcs = np.empty((len(index.heads), ARC_COLUMNS), dtype=np.int64)
    room = 0
    for modifier in range(1, len(vertices)):
        for arc in range(index.offsets[modifier], index.offsets[modifier + 1]):
            row = arcs[arc]
            row[HEAD], row[MODIFIER], row[RANK], row[ROOM] = index.heads[arc], modifier, index.rank[arc], room
            row[LEAD] = columns * (arc + 1 if knows_grandparent else modifier)
            row[GRANDPARENTS] = places.grandparents[arc]
            room += vertices[index.heads[arc], COUNT]
    return arcs, room


@leaf_kernel
def _add(chart: Chart, kind: int, first: int, second: int, third: int) -> int:
    number = chart.size[0]
    item = chart.items[number]
    item[0], item[1], item[2], item[3] = kind, first, second, third
    chart.size[0] = number + 1
    return int(number)


@kernel
def _list_items(chart: Chart) -> None:
    vertices = chart.vertices
    length = len(chart.firsts) - 2
    _add(chart, NOTHING, 0, 0, 0)
    for head in range(len(vertices)):
        first, position = vertices[head, CONTEXTS], vertices[head, POSITION]
        for context in range(first, first + vertices[head, COUNT]):
            for column in range(position, position + 2):
                chart.ids[context * (length + 2) + column] = _add(chart, EMPTY, context, column, head)
    for width in range(1, length + 1):
        for left in range(0, length - width + 1):
            right = left + width
            for one in range(chart.firsts[left], chart.firsts[left + 1]):
                for other in range(chart.firsts[right], chart.firsts[right + 1]):
                    if left > 0:
                        _add_between(chart, one, other)
                        _add_arc(chart, other, one)
                    _add_arc(chart, one, other)
            if left > 0:
                for head in range(chart.firsts[left], chart.firsts[left + 1]):
                    _add_complete(chart, head, right)
                for head in range(chart.firsts[right], chart.firsts[right + 1]):
                    _add_complete(chart, head, left)
    _add(chart, GOAL, 0, 0, 0)


@leaf_kernel
def pair_place(chart: Chart, head: int, side: int, inner: int, outer: int) -> int:
    """Return the position of a pair of siblings, by their ranks."""
    return int(chart.vertices[head, PAIRS + side]) + outer * (outer - 1) // 2 + inner


@leaf_kernel
def gap_place(chart: Chart, head: int, inner: int, outer: int) -> int:
    """Return the position of the BETWEEN item of two arcs of one head."""
    one, other = int(chart.arcs[inner, MODIFIER]), int(chart.arcs[outer, MODIFIER])
    if chart.knows_grandparent:
        side = 1 if other > head else 0
        ranks = int(chart.arcs[inner, RANK]), int(chart.arcs[outer, RANK])
        return chart.gaps + pair_place(chart, head, side, ranks[0], ranks[1])
    return chart.gaps + min(one, other) * len(chart.vertices) + max(one, other)


@leaf_kernel
def _is_outside(chart: Chart, context: int, one: int, other: int) -> bool:
    """Return whether the context's grandparent, if it has one, is outside the positions from `one` to `other`."""
    above = chart.above[context]
    if above < 0:
        return True
    position = chart.vertices[above, POSITION]
    return bool(position < min(one, other) or position > max(one, other))


@leaf_kernel
def _add_between(chart: Chart, left: int, right: int) -> None:
    if not chart.knows_grandparent:
        chart.ids[chart.gaps + left * len(chart.vertices) + right] = _add(chart, BETWEEN, left, right, -1)
        return
    for head in range(1 if chart.single_root else 0, len(chart.vertices)):
        one, other = chart.number[head, left], chart.number[head, right]
        if one >= 0 and other >= 0 and (head < left or head > right):
            inner, outer = (one, other) if head < left else (other, one)
            chart.ids[gap_place(chart, head, inner, outer)] = _add(chart, BETWEEN, left, right, head)


@leaf_kernel
def _add_arc(chart: Chart, head: int, modifier: int) -> None:
    """Add the items of a head and its outermost child so far."""
    arc = int(chart.number[head, modifier])
    if arc < 0:
        return
    if chart.outer > 0:
        _add_spans(chart, head, arc)
    one, other = chart.vertices[head, POSITION], chart.vertices[modifier, POSITION]
    for shift in range(chart.vertices[head, COUNT]):
        context = int(chart.vertices[head, CONTEXTS]) + shift
        if _is_outside(chart, context, one, other):
            place = int(chart.arcs[arc, ROOM]) + shift
            if chart.outer == 0:
                chart.ids[chart.opened + place] = _add(chart, OPEN, arc, context, 0)
            chart.ids[chart.closed + place] = _add(chart, CLOSED, arc, context, 0)


@leaf_kernel
def _add_spans(chart: Chart, head: int, arc: int) -> None:
    modifier = chart.arcs[arc, MODIFIER]
    side, rank = 1 if modifier > head else 0, int(chart.arcs[arc, RANK])
    chart.ids[chart.spans + pair_place(chart, head, side, 0, rank)] = _add(chart, SPAN, head, -1, arc)
    if head == 0 and chart.single_root:
        return
    for inner in range(1, rank):
        sibling = int(chart.children[chart.vertices[head, CHILDREN + side] + inner - 1])
        if chart.vertices[chart.arcs[sibling, MODIFIER], POSITION] != chart.vertices[modifier, POSITION]:
            place = chart.spans + pair_place(chart, head, side, inner, rank)
            chart.ids[place] = _add(chart, SPAN, head, sibling, arc)


@leaf_kernel
def _add_complete(chart: Chart, head: int, end: int) -> None:
    position = chart.vertices[head, POSITION]
    column = end + 1 if end > position else end
    first = int(chart.vertices[head, CONTEXTS])
    for context in range(first, first + chart.vertices[head, COUNT]):
        if _is_outside(chart, context, position, end):
            chart.ids[context * len(chart.firsts) + column] = _add(chart, COMPLETE, context, column, head)
