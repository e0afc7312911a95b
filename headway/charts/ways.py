"""List the ways in which an item is made of smaller items, and the parts that each way scores.

A way consists of two items (one of them may be none) and a choice: the arc that is not determined by the item. Every
projective tree has exactly one derivation, so sums over derivations count each tree once.

Koo and Collins (2010), figures 2 to 7.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.charts.chart import (
    BETWEEN,
    CHILDREN,
    CLOSED,
    COMPLETE,
    CONTEXTS,
    COUNT,
    EMPTY,
    GOAL,
    GRAND,
    GRANDPARENTS,
    HEAD,
    LEAD,
    MODIFIER,
    MOST,
    OPEN,
    POSITION,
    RANK,
    ROOM,
    SIBLINGS,
    SPAN,
    TRI,
    Chart,
    gap_place,
    pair_place,
)
from headway.kernel import kernel, leaf_kernel

MOST_PARTS = 6
_NONE = -1


class Ways(NamedTuple):
    """Buffers for the ways of one item.

    Parameters
    ----------
    items : (room, 2) int64
    choices : (room,) int64
        An arc, or -1.
    values : (room,) float64
    places : (MOST_PARTS,) int64
        The positions, among the scores, of the parts of one way.
    """

    items: npt.NDArray[np.int64]
    choices: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    places: npt.NDArray[np.int64]


@kernel
def make_ways(chart: Chart) -> Ways:
    """Return buffers that hold the ways of any item of a chart."""
    room = len(chart.vertices) + 2
    return Ways(
        np.empty((room, 2), dtype=np.int64),
        np.empty(room, dtype=np.int64),
        np.empty(room),
        np.empty(MOST_PARTS, dtype=np.int64),
    )


@leaf_kernel
def value_ways(
    chart: Chart, scores: npt.NDArray[np.float64], values: npt.NDArray[np.float64], item: int, ways: Ways
) -> int:
    """Write the ways of making an item and their values; return their number.

    Parameters
    ----------
    scores : (parts,) float64
        The scores, laid out as in `PartPlaces`.
    values : (items,) float64
        The values of all smaller items.
    """
    count = list_ways(chart, item, ways)
    if is_scored(chart, item):
        for way in range(count):
            total = values[ways.items[way, 0]] + values[ways.items[way, 1]]
            for part in range(list_places(chart, item, ways.choices[way], ways.places)):
                total += scores[ways.places[part]]
            ways.values[way] = total
    else:
        for way in range(count):
            ways.values[way] = values[ways.items[way, 0]] + values[ways.items[way, 1]]
    return count


@leaf_kernel
def is_scored(chart: Chart, item: int) -> bool:
    """Return whether the ways of an item have parts."""
    kind = chart.items[item, 0]
    return bool(kind != COMPLETE and kind != BETWEEN)


@leaf_kernel
def list_ways(chart: Chart, item: int, ways: Ways) -> int:
    """Write the ways of making an item; return their number. EMPTY has one way, without items."""
    kind = chart.items[item, 0]
    first, second, third = int(chart.items[item, 1]), int(chart.items[item, 2]), int(chart.items[item, 3])
    if kind == COMPLETE:
        return _complete_ways(chart, first, second, third, ways)
    if kind == BETWEEN:
        return _between_ways(chart, first, second, third, ways)
    if kind == OPEN:
        return _open_ways(chart, first, second, ways)
    if kind == SPAN:
        return _span_ways(chart, first, second, third, ways)
    if kind == CLOSED:
        return _closed_ways(chart, first, second, ways)
    if kind == GOAL:
        return _goal_ways(chart, ways)
    return _write(ways, 0, 0, 0, _NONE)


@leaf_kernel
def _write(ways: Ways, count: int, one: int, other: int, choice: int) -> int:
    """Write a way, unless one of its items does not exist; return the number of ways."""
    if one < 0 or other < 0:
        return count
    ways.items[count, 0], ways.items[count, 1] = one, other
    ways.choices[count] = choice
    return count + 1


@leaf_kernel
def _complete_ways(chart: Chart, context: int, column: int, head: int, ways: Ways) -> int:
    vertex = chart.vertices[head]
    side = 1 if column > vertex[POSITION] else 0
    end = column - side
    start, count = vertex[CHILDREN + side], 0
    closed = chart.closed + context - vertex[CONTEXTS]
    for rank in range(vertex[MOST + side]):
        arc = chart.children[start + rank]
        row = chart.arcs[arc]
        position = chart.vertices[row[MODIFIER], POSITION]
        if (position > end) if side == 1 else (position < end):
            break
        count = _write(ways, count, chart.ids[closed + row[ROOM]], chart.ids[row[LEAD] + column], arc)
    return count


@leaf_kernel
def _between_ways(chart: Chart, left: int, right: int, head: int, ways: Ways) -> int:
    columns = len(chart.firsts)
    one, other = left * columns, right * columns
    if head >= 0:
        one, other = chart.arcs[chart.number[head, left], LEAD], chart.arcs[chart.number[head, right], LEAD]
    count = 0
    for column in range(chart.vertices[left, POSITION] + 1, chart.vertices[right, POSITION] + 1):
        count = _write(ways, count, chart.ids[one + column], chart.ids[other + column], _NONE)
    return count


@leaf_kernel
def _inner_half(chart: Chart, arc: int) -> int:
    """Return the item of the modifier's half that faces its head, including all words between them."""
    row = chart.arcs[arc]
    position = chart.vertices[row[HEAD], POSITION]
    return int(chart.ids[row[LEAD] + (position + 1 if row[MODIFIER] > row[HEAD] else position)])


@leaf_kernel
def _side(chart: Chart, arc: int) -> int:
    return 1 if chart.arcs[arc, MODIFIER] > chart.arcs[arc, HEAD] else 0


@leaf_kernel
def _open_ways(chart: Chart, arc: int, context: int, ways: Ways) -> int:
    row = chart.arcs[arc]
    head = int(row[HEAD])
    vertex = chart.vertices[head]
    count = _write(ways, 0, _inner_half(chart, arc), 0, _NONE)
    if head == 0 and chart.single_root:
        return count
    start, opened = vertex[CHILDREN + _side(chart, arc)], chart.opened + context - vertex[CONTEXTS]
    for rank in range(row[RANK] - 1):
        inner = int(chart.children[start + rank])
        gap = chart.ids[gap_place(chart, head, inner, arc)]
        count = _write(ways, count, chart.ids[opened + chart.arcs[inner, ROOM]], gap, inner)
    return count


@leaf_kernel
def _span_ways(chart: Chart, head: int, sibling: int, arc: int, ways: Ways) -> int:
    if sibling == _NONE:
        return _write(ways, 0, _inner_half(chart, arc), 0, _NONE)
    side = _side(chart, arc)
    gap = chart.ids[gap_place(chart, head, sibling, arc)]
    start, outer = chart.vertices[head, CHILDREN + side], int(chart.arcs[sibling, RANK])
    count = _write(ways, 0, chart.ids[chart.spans + pair_place(chart, head, side, 0, outer)], gap, _NONE)
    for inner in range(1, outer):
        span = chart.ids[chart.spans + pair_place(chart, head, side, inner, outer)]
        count = _write(ways, count, span, gap, chart.children[start + inner - 1])
    return count


@leaf_kernel
def _closed_ways(chart: Chart, arc: int, context: int, ways: Ways) -> int:
    row = chart.arcs[arc]
    head, side, outer = int(row[HEAD]), _side(chart, arc), int(row[RANK])
    if chart.outer == 0:
        opened = chart.opened + row[ROOM] + context - chart.vertices[head, CONTEXTS]
        return _write(ways, 0, chart.ids[opened], 0, _NONE)
    start = chart.vertices[head, CHILDREN + side]
    count = _write(ways, 0, chart.ids[chart.spans + pair_place(chart, head, side, 0, outer)], 0, _NONE)
    for inner in range(1, outer):
        span = chart.ids[chart.spans + pair_place(chart, head, side, inner, outer)]
        count = _write(ways, count, span, 0, chart.children[start + inner - 1])
    return count


@leaf_kernel
def _goal_ways(chart: Chart, ways: Ways) -> int:
    if len(chart.vertices) == 1:
        return _write(ways, 0, chart.ids[0], chart.ids[1], _NONE)
    start, count, column = chart.vertices[0, CHILDREN + 1], 0, len(chart.firsts) - 1
    for rank in range(chart.vertices[0, MOST + 1]):
        arc = chart.children[start + rank]
        row = chart.arcs[arc]
        count = _write(ways, count, chart.ids[chart.closed + row[ROOM]], chart.ids[row[LEAD] + column], arc)
    return count


@leaf_kernel
def list_places(chart: Chart, item: int, choice: int, places: npt.NDArray[np.int64]) -> int:
    """Write the positions, among the scores, of the parts that a way of making an item adds; return their number."""
    kind = chart.items[item, 0]
    first, second, third = int(chart.items[item, 1]), int(chart.items[item, 2]), int(chart.items[item, 3])
    if kind == EMPTY:
        vertex = chart.vertices[third]
        side = second - int(vertex[POSITION])
        end = int(vertex[MOST + side]) + 1
        return _list_step(chart, third, side, first - int(vertex[CONTEXTS]), 0, end, places, 0)
    if kind == GOAL:
        root = chart.vertices[0]
        if choice == _NONE or root[SIBLINGS] < 0:
            return 0
        places[0] = root[SIBLINGS]
        return 1
    if kind == SPAN:
        return _list_span(chart, first, second, third, choice, places)
    row = chart.arcs[first]
    head, side, rank = int(row[HEAD]), _side(chart, first), int(row[RANK])
    shift = second - int(chart.vertices[head, CONTEXTS])
    if kind == OPEN:
        places[0] = first
        count = _list_chain(chart, first, shift, places, 1)
        inner = 0 if choice == _NONE else int(chart.arcs[choice, RANK])
        return _list_step(chart, head, side, shift, inner, rank, places, count)
    end = int(chart.vertices[head, MOST + side]) + 1
    count = _list_step(chart, head, side, shift, rank, end, places, 0)
    if chart.outer > 0:
        inner = 0 if choice == _NONE else int(chart.arcs[choice, RANK])
        count = _list_tri(chart, head, side, inner, rank, end, places, count)
        count = _list_chain(chart, first, shift, places, count)
        if chart.outer > 1 and choice != _NONE:
            count = _list_chain(chart, choice, shift, places, count)
        count = _list_grand(chart, head, side, shift, inner, rank, places, count)
    return count


@leaf_kernel
def _list_span(chart: Chart, head: int, sibling: int, arc: int, choice: int, places: npt.NDArray[np.int64]) -> int:
    side, rank = _side(chart, arc), int(chart.arcs[arc, RANK])
    inner = 0 if sibling == _NONE else int(chart.arcs[sibling, RANK])
    places[0] = arc
    count = _list_pair(chart, head, side, inner, rank, places, 1)
    if sibling != _NONE:
        before = 0 if choice == _NONE else int(chart.arcs[choice, RANK])
        count = _list_tri(chart, head, side, before, inner, rank, places, count)
    return count


@leaf_kernel
def _list_step(
    chart: Chart, head: int, side: int, shift: int, inner: int, outer: int, places: npt.NDArray[np.int64], count: int
) -> int:
    """List the sibling and grand-sibling of a step from one child to the next, given by their ranks."""
    count = _list_pair(chart, head, side, inner, outer, places, count)
    return _list_grand(chart, head, side, shift, inner, outer, places, count)


@leaf_kernel
def _list_pair(
    chart: Chart, head: int, side: int, inner: int, outer: int, places: npt.NDArray[np.int64], count: int
) -> int:
    start = chart.vertices[head, SIBLINGS + side]
    if start < 0:
        return count
    places[count] = start + outer * (outer - 1) // 2 + inner
    return count + 1


@leaf_kernel
def _list_grand(
    chart: Chart, head: int, side: int, shift: int, inner: int, outer: int, places: npt.NDArray[np.int64], count: int
) -> int:
    start = chart.vertices[head, GRAND + side]
    if start < 0:
        return count
    places[count] = start + chart.vertices[head, COUNT] * (outer * (outer - 1) // 2 + inner) + shift
    return count + 1


@leaf_kernel
def _list_tri(
    chart: Chart, head: int, side: int, inner: int, middle: int, outer: int, places: npt.NDArray[np.int64], count: int
) -> int:
    start = chart.vertices[head, TRI + side]
    if start < 0:
        return count
    places[count] = start + outer * (outer - 1) * (outer - 2) // 6 + middle * (middle - 1) // 2 + inner
    return count + 1


@leaf_kernel
def _list_chain(chart: Chart, arc: int, shift: int, places: npt.NDArray[np.int64], count: int) -> int:
    start = chart.arcs[arc, GRANDPARENTS]
    if start < 0:
        return count
    places[count] = start + shift
    return count + 1
