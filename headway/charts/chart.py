"""The items of a chart: the spans that projective trees are made of, smallest first.

A *context* is what a span knows about its head: the head alone or, where grandparents are scored, the arc above the
head. With c a context of the head h, the items are

=============  ===========================================================================================
EMPTY c        h without children on one side
COMPLETE c e   h and everything below it on one side, as far as position e
OPEN c m       h as far as its child m: all between them, and the half of m that looks to h
SPAN h s m     the same without a context, but with the child s before m (charts that score outer parts)
CLOSED c m     OPEN, or SPAN, with m known to be the last child
BETWEEN s m    what lies between two neighbouring children of h: the outer half of s, the inner half of m
GOAL           a whole tree
=============  ===========================================================================================

Vertices have positions. Usually vertex v is the word at position v; a word with several *senses* (tags, say) has one
vertex for each, all at its position, and a tree picks one of them.

Koo and Collins (2010), figures 2 to 7, and section 5.3 for senses. Only spans over candidate arcs become items, so
what was pruned costs nothing.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.kernel import kernel, leaf_kernel
from headway.parts.arc_index import ArcIndex, sibling_place

NOTHING, EMPTY, COMPLETE, OPEN, SPAN, CLOSED, BETWEEN, GOAL = 0, 1, 2, 3, 4, 5, 6, 7


class Chart(NamedTuple):
    """The items, each after those it is made of; item 0 is nothing.

    Parameters
    ----------
    items : (room, 4) int32
        The type, and by type: context, column and head (EMPTY, COMPLETE); arc, context and modifier (OPEN, CLOSED);
        head, sibling and modifier (SPAN); left vertex, right vertex and head, -1 for any head (BETWEEN).
    size : (1,) int64
        How many items there are.
    complete : (contexts, positions + 1) int32
        The item of one half of a head. The column is its end, plus one on the right side. -1 here and below: no item.
    open, closed : int32
        The item of an arc and a context, at ``rooms[arc] + context - contexts[head]``.
    span, between : int32
        By the place of the sibling part; BETWEEN without contexts by left * vertices + right.
    rooms : (arcs,) int64
    contexts : (vertices + 1,) int64
        The contexts of a vertex are ``contexts[v]:contexts[v + 1]``.
    above : (contexts,) int64
        The grandparent; -1 where there is none, or it is not known.
    child_starts : (vertices, 2) int64
    children : (arcs,) int64
        The arcs of a head to one side, nearest first, are ``children[child_starts[head, side]:]``.
    modifiers : (arcs,) int64
    positions : (vertices,) int64
    firsts : (positions + 1,) int64
        The vertices at position p are ``firsts[p]:firsts[p + 1]``.
    """

    layout: ArcIndex
    items: npt.NDArray[np.int32]
    size: npt.NDArray[np.int64]
    complete: npt.NDArray[np.int32]
    open: npt.NDArray[np.int32]
    closed: npt.NDArray[np.int32]
    span: npt.NDArray[np.int32]
    between: npt.NDArray[np.int32]
    rooms: npt.NDArray[np.int64]
    contexts: npt.NDArray[np.int64]
    above: npt.NDArray[np.int64]
    child_starts: npt.NDArray[np.int64]
    children: npt.NDArray[np.int64]
    modifiers: npt.NDArray[np.int64]
    positions: npt.NDArray[np.int64]
    firsts: npt.NDArray[np.int64]
    knows_grandparent: bool
    outer: int
    single_root: bool


@kernel
def make_chart(
    index: ArcIndex, positions: npt.NDArray[np.int64], knows_grandparent: bool, outer: int, single_root: bool
) -> Chart:
    """List the items over some arcs, none of which joins two vertices at one position."""
    vertices, arcs = len(index.most), len(index.heads)
    contexts, above = np.arange(vertices + 1), np.full(vertices, -1)
    if knows_grandparent:
        contexts[1:] = index.offsets[1:] + 1
        above = np.concatenate((np.full(1, -1), index.heads))
    rooms, room = np.empty(arcs, dtype=np.int64), 0
    for arc in range(arcs):
        rooms[arc] = room
        room += contexts[index.heads[arc] + 1] - contexts[index.heads[arc]]
    child_starts, children, modifiers = _list_children(index)
    firsts = np.searchsorted(positions, np.arange(positions[-1] + 2))
    columns = positions[-1] + 2
    spans = index.sizes[0] if outer > 0 else 0
    gaps = index.sizes[0] if knows_grandparent else vertices * vertices
    most = 2 + len(above) * columns + 2 * room + spans + gaps
    chart = Chart(
        index, np.empty((most, 4), dtype=np.int32), np.zeros(1, dtype=np.int64), _no_items(len(above) * columns),
        _no_items(room), _no_items(room), _no_items(spans), _no_items(gaps), rooms, contexts, above,
        child_starts, children, modifiers, positions, firsts, knows_grandparent, outer, single_root,
    )  # fmt: skip
    _add(chart, NOTHING, 0, 0, 0)
    _list_items(chart)
    return chart


@kernel
def _no_items(size: int) -> npt.NDArray[np.int32]:
    return np.full(size, -1, dtype=np.int32)


@kernel
def _list_children(index: ArcIndex) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Where the arcs of each head and side begin, these arcs, and the modifier of every arc."""
    vertices, arcs = len(index.most), len(index.heads)
    starts = np.empty((vertices, 2), dtype=np.int64)
    children, modifiers = np.empty(arcs, dtype=np.int64), np.empty(arcs, dtype=np.int64)
    total = 0
    for head in range(vertices):
        for side in range(2):
            starts[head, side] = total
            total += index.most[head, side]
    for modifier in range(1, vertices):
        for arc in range(index.offsets[modifier], index.offsets[modifier + 1]):
            head = index.heads[arc]
            children[starts[head, 1 if modifier > head else 0] + index.rank[arc] - 1] = arc
            modifiers[arc] = modifier
    return starts, children, modifiers


@leaf_kernel
def _add(chart: Chart, kind: int, first: int, second: int, third: int) -> int:
    number = chart.size[0]
    item = chart.items[number]
    item[0], item[1], item[2], item[3] = kind, first, second, third
    chart.size[0] = number + 1
    return int(number)


@kernel
def _list_items(chart: Chart) -> None:
    vertices, length = len(chart.positions), chart.positions[-1]
    for head in range(vertices):
        for context in range(chart.contexts[head], chart.contexts[head + 1]):
            for side in range(2):
                column = chart.positions[head] + side
                chart.complete[half(chart, context, column)] = _add(chart, EMPTY, context, column, head)
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
def half(chart: Chart, context: int, column: int) -> int:
    """Where the item of one half of a head is."""
    return context * (int(chart.positions[-1]) + 2) + column


@leaf_kernel
def context_of(chart: Chart, arc: int) -> int:
    """The context that an arc is to its modifier."""
    return arc + 1 if chart.knows_grandparent else int(chart.modifiers[arc])


@leaf_kernel
def _is_outside(chart: Chart, context: int, one: int, other: int) -> bool:
    """Whether the grandparent, if it is known, lies outside the positions from `one` to `other`."""
    above = chart.above[context]
    if above < 0:
        return True
    position = chart.positions[above]
    return bool(position < min(one, other) or position > max(one, other))


@leaf_kernel
def _add_between(chart: Chart, left: int, right: int) -> None:
    vertices = len(chart.positions)
    if not chart.knows_grandparent:
        chart.between[left * vertices + right] = _add(chart, BETWEEN, left, right, -1)
        return
    index = chart.layout
    one, other = index.offsets[left], index.offsets[right]
    while one < index.offsets[left + 1] and other < index.offsets[right + 1]:
        head = index.heads[one]
        if head < index.heads[other]:
            one += 1
        elif head > index.heads[other]:
            other += 1
        else:
            if _may_have_siblings(chart, head):
                if head < left:
                    place = sibling_place(index, head, 1, left, right)
                    chart.between[place] = _add(chart, BETWEEN, left, right, head)
                elif head > right:
                    place = sibling_place(index, head, 0, right, left)
                    chart.between[place] = _add(chart, BETWEEN, left, right, head)
            one += 1
            other += 1


@leaf_kernel
def _may_have_siblings(chart: Chart, head: int) -> bool:
    return head > 0 or not chart.single_root


@leaf_kernel
def _add_arc(chart: Chart, head: int, modifier: int) -> None:
    """The items of a head and its outermost child so far."""
    arc = int(chart.layout.number[head, modifier])
    if arc < 0:
        return
    if chart.outer > 0:
        _add_spans(chart, head, modifier)
    one, other = chart.positions[head], chart.positions[modifier]
    begin, end = chart.contexts[head], chart.contexts[head + 1]
    for context in range(begin, end):
        if _is_outside(chart, context, one, other):
            place = chart.rooms[arc] + context - begin
            if chart.outer == 0:
                chart.open[place] = _add(chart, OPEN, arc, context, modifier)
            chart.closed[place] = _add(chart, CLOSED, arc, context, modifier)


@leaf_kernel
def _add_spans(chart: Chart, head: int, modifier: int) -> None:
    side = 1 if modifier > head else 0
    none = len(chart.positions)
    chart.span[sibling_place(chart.layout, head, side, none, modifier)] = _add(chart, SPAN, head, none, modifier)
    if not _may_have_siblings(chart, head):
        return
    start = chart.child_starts[head, side]
    for rank in range(chart.layout.rank[chart.layout.number[head, modifier]] - 1):
        sibling = int(chart.modifiers[chart.children[start + rank]])
        if chart.positions[sibling] != chart.positions[modifier]:
            place = sibling_place(chart.layout, head, side, sibling, modifier)
            chart.span[place] = _add(chart, SPAN, head, sibling, modifier)


@leaf_kernel
def _add_complete(chart: Chart, head: int, end: int) -> None:
    position = chart.positions[head]
    column = end + 1 if end > position else end
    for context in range(chart.contexts[head], chart.contexts[head + 1]):
        if _is_outside(chart, context, position, end):
            chart.complete[half(chart, context, column)] = _add(chart, COMPLETE, context, column, head)
