"""The ways in which an item is made of smaller ones, and the parts that each way scores.

A way is two items (one of them may be nothing) and a choice: the vertex that it is free in. Every projective tree has
exactly one derivation, so sums over derivations count each tree once.

Koo and Collins (2010), figures 2 to 7.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.charts.chart import (
    BETWEEN,
    CLOSED,
    COMPLETE,
    EMPTY,
    GOAL,
    OPEN,
    SPAN,
    Chart,
    context_of,
    half,
)
from headway.kernel import kernel, leaf_kernel
from headway.parts.arc_index import sibling_place
from headway.parts.kinds import GRAND_SIBLING, GRANDPARENT, SIBLING, TRI_SIBLING
from headway.scorers.part_tables import PartTables, part_value

ARC = -1
"""The kind of an arc in `list_parts_of_way`, beside the kinds of `headway.parts.kinds`."""

MOST_PARTS = 6


class Ways(NamedTuple):
    """Room for the ways of one item.

    Parameters
    ----------
    items : (room, 2) int64
    choices : (room,) int64
    values : (room,) float64
    parts : (MOST_PARTS, 6) int64
        The parts of one way: kind, side and words.
    """

    items: npt.NDArray[np.int64]
    choices: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    parts: npt.NDArray[np.int64]


@kernel
def make_ways(chart: Chart) -> Ways:
    """Room for the ways of any one item of a chart."""
    room = len(chart.positions) + 2
    return Ways(
        np.empty((room, 2), dtype=np.int64),
        np.empty(room, dtype=np.int64),
        np.empty(room),
        np.empty((MOST_PARTS, 6), dtype=np.int64),
    )


@leaf_kernel
def list_ways(chart: Chart, item: int, ways: Ways) -> int:
    """Write the ways of making an item; the number of them is returned. EMPTY has one way, of nothing."""
    row = chart.items[item]
    kind, first, second, third = int(row[0]), int(row[1]), int(row[2]), int(row[3])
    if kind == COMPLETE:
        return _complete_ways(chart, first, second, third, ways)
    if kind == BETWEEN:
        return _between_ways(chart, first, second, third, ways)
    if kind == OPEN:
        return _open_ways(chart, first, second, third, ways)
    if kind == SPAN:
        return _span_ways(chart, first, second, third, ways)
    if kind == CLOSED:
        return _closed_ways(chart, first, second, third, ways)
    if kind == GOAL:
        return _goal_ways(chart, ways)
    return _write(ways, 0, 0, 0, len(chart.positions))


@leaf_kernel
def _write(ways: Ways, count: int, one: int, other: int, choice: int) -> int:
    """Write a way, unless one of its items is none; the number of ways is returned."""
    if one < 0 or other < 0:
        return count
    ways.items[count, 0], ways.items[count, 1] = one, other
    ways.choices[count] = choice
    return count + 1


@leaf_kernel
def _complete_ways(chart: Chart, context: int, column: int, head: int, ways: Ways) -> int:
    side = 1 if column > chart.positions[head] else 0
    end = column - side
    start, count = chart.child_starts[head, side], 0
    shift = context - chart.contexts[head]
    for rank in range(chart.layout.most[head, side]):
        arc = chart.children[start + rank]
        modifier = chart.modifiers[arc]
        position = chart.positions[modifier]
        if (position > end) if side == 1 else (position < end):
            break
        outer = chart.complete[half(chart, context_of(chart, arc), column)]
        count = _write(ways, count, chart.closed[chart.rooms[arc] + shift], outer, modifier)
    return count


@leaf_kernel
def _between_ways(chart: Chart, left: int, right: int, head: int, ways: Ways) -> int:
    one, other = left, right
    if head >= 0:
        one = context_of(chart, int(chart.layout.number[head, left]))
        other = context_of(chart, int(chart.layout.number[head, right]))
    count = 0
    for split in range(chart.positions[left], chart.positions[right]):
        halves = chart.complete[half(chart, one, split + 1)], chart.complete[half(chart, other, split + 1)]
        count = _write(ways, count, halves[0], halves[1], split)
    return count


@leaf_kernel
def _inner_half(chart: Chart, arc: int) -> int:
    """The item of the half of a modifier that looks to its head, all that lies between them."""
    modifier, head = chart.modifiers[arc], chart.layout.heads[arc]
    position = chart.positions[head]
    column = position + 1 if modifier > head else position
    return int(chart.complete[half(chart, context_of(chart, arc), column)])


@leaf_kernel
def _gap(chart: Chart, head: int, sibling: int, modifier: int) -> int:
    """The item of what lies between two children."""
    if not chart.knows_grandparent:
        return int(chart.between[min(sibling, modifier) * len(chart.positions) + max(sibling, modifier)])
    side = 1 if modifier > head else 0
    return int(chart.between[sibling_place(chart.layout, head, side, sibling, modifier)])


@leaf_kernel
def _open_ways(chart: Chart, arc: int, context: int, modifier: int, ways: Ways) -> int:
    head = int(chart.layout.heads[arc])
    none, side = len(chart.positions), 1 if modifier > head else 0
    count = _write(ways, 0, _inner_half(chart, arc), 0, none)
    if head == 0 and chart.single_root:
        return count
    start, shift = chart.child_starts[head, side], context - chart.contexts[head]
    for rank in range(chart.layout.rank[arc] - 1):
        inner = chart.children[start + rank]
        sibling = int(chart.modifiers[inner])
        if chart.positions[sibling] != chart.positions[modifier]:
            gap = _gap(chart, head, sibling, modifier)
            count = _write(ways, count, chart.open[chart.rooms[inner] + shift], gap, sibling)
    return count


@leaf_kernel
def _span_ways(chart: Chart, head: int, sibling: int, modifier: int, ways: Ways) -> int:
    none, side = len(chart.positions), 1 if modifier > head else 0
    arc = int(chart.layout.number[head, modifier])
    if sibling == none:
        return _write(ways, 0, _inner_half(chart, arc), 0, none)
    gap = _gap(chart, head, sibling, modifier)
    start = chart.child_starts[head, side]
    count = _write(ways, 0, chart.span[sibling_place(chart.layout, head, side, none, sibling)], gap, none)
    for rank in range(chart.layout.rank[chart.layout.number[head, sibling]] - 1):
        before = int(chart.modifiers[chart.children[start + rank]])
        inner = chart.span[sibling_place(chart.layout, head, side, before, sibling)]
        count = _write(ways, count, inner, gap, before)
    return count


@leaf_kernel
def _closed_ways(chart: Chart, arc: int, context: int, modifier: int, ways: Ways) -> int:
    head = int(chart.layout.heads[arc])
    none, side = len(chart.positions), 1 if modifier > head else 0
    if chart.outer == 0:
        opened = chart.open[chart.rooms[arc] + context - chart.contexts[head]]
        return _write(ways, 0, opened, 0, none)
    start = chart.child_starts[head, side]
    count = _write(ways, 0, chart.span[sibling_place(chart.layout, head, side, none, modifier)], 0, none)
    for rank in range(chart.layout.rank[arc] - 1):
        sibling = int(chart.modifiers[chart.children[start + rank]])
        span = chart.span[sibling_place(chart.layout, head, side, sibling, modifier)]
        count = _write(ways, count, span, 0, sibling)
    return count


@leaf_kernel
def _goal_ways(chart: Chart, ways: Ways) -> int:
    if len(chart.positions) == 1:
        return _write(ways, 0, chart.complete[half(chart, 0, 1)], chart.complete[half(chart, 0, 0)], 0)
    start, count = chart.child_starts[0, 1], 0
    for rank in range(chart.layout.most[0, 1]):
        arc = chart.children[start + rank]
        column = chart.positions[-1] + 1
        outer = chart.complete[half(chart, context_of(chart, arc), column)]
        count = _write(ways, count, chart.closed[chart.rooms[arc]], outer, chart.modifiers[arc])
    return count


@leaf_kernel
def is_scored(chart: Chart, item: int) -> bool:
    """Whether the ways of an item have parts."""
    kind = chart.items[item, 0]
    return bool(kind != COMPLETE and kind != BETWEEN)


@leaf_kernel
def list_parts_of_way(
    chart: Chart, wanted: npt.NDArray[np.bool_], item: int, choice: int, parts: npt.NDArray[np.int64]
) -> int:
    """Write the parts that a way of making an item adds: rows of kind, side and words; their number is returned."""
    row = chart.items[item]
    kind, first, second, third = int(row[0]), int(row[1]), int(row[2]), int(row[3])
    none = len(chart.positions)
    if kind == GOAL:
        return _part(parts, 0, wanted, SIBLING, 0, 0, none, none, 0) if choice > 0 else 0
    if kind == EMPTY:
        side = second - chart.positions[third]
        return _step(chart, wanted, first, third, side, none, none, parts, 0)
    if kind == SPAN:
        side = 1 if third > first else 0
        count = _part(parts, 0, wanted, ARC, side, first, third, 0, 0)
        count = _part(parts, count, wanted, SIBLING, side, first, second, third, 0)
        if second != none:
            count = _part(parts, count, wanted, TRI_SIBLING, side, first, choice, second, third)
        return count
    if kind != OPEN and kind != CLOSED:
        return 0
    head = int(chart.layout.heads[first])
    side = 1 if third > head else 0
    if kind == OPEN:
        return _step(chart, wanted, second, head, side, choice, third, parts, 0)
    count = _step(chart, wanted, second, head, side, third, none, parts, 0)
    if chart.outer == 0:
        return count
    count = _part(parts, count, wanted, TRI_SIBLING, side, head, choice, third, none)
    above = int(chart.above[second])
    if above >= 0:
        count = _part(parts, count, wanted, GRANDPARENT, side, above, head, third, 0)
        count = _part(parts, count, wanted, GRAND_SIBLING, side, above, head, choice, third)
        if chart.outer > 1 and choice != none:
            count = _part(parts, count, wanted, GRANDPARENT, side, above, head, choice, 0)
    return count


@leaf_kernel
def _step(
    chart: Chart,
    wanted: npt.NDArray[np.bool_],
    context: int,
    head: int,
    side: int,
    sibling: int,
    modifier: int,
    parts: npt.NDArray[np.int64],
    count: int,
) -> int:
    """The parts of going from one child of a head to the next."""
    above = int(chart.above[context])
    if modifier != len(chart.positions):
        count = _part(parts, count, wanted, ARC, side, head, modifier, 0, 0)
        if above >= 0:
            count = _part(parts, count, wanted, GRANDPARENT, side, above, head, modifier, 0)
    count = _part(parts, count, wanted, SIBLING, side, head, sibling, modifier, 0)
    if above >= 0:
        count = _part(parts, count, wanted, GRAND_SIBLING, side, above, head, sibling, modifier)
    return count


@leaf_kernel
def _part(
    parts: npt.NDArray[np.int64],
    count: int,
    wanted: npt.NDArray[np.bool_],
    kind: int,
    side: int,
    first: int,
    second: int,
    third: int,
    fourth: int,
) -> int:
    if kind != ARC and not wanted[kind]:
        return count
    row = parts[count]
    row[0], row[1], row[2], row[3], row[4], row[5] = kind, side, first, second, third, fourth
    return count + 1


@leaf_kernel
def value_ways(chart: Chart, tables: PartTables, values: npt.NDArray[np.float64], item: int, ways: Ways) -> int:
    """Write the ways of making an item and their values: of the items that they are made of, and of their parts."""
    count = list_ways(chart, item, ways)
    scored = is_scored(chart, item)
    for way in range(count):
        total = values[ways.items[way, 0]] + values[ways.items[way, 1]]
        if scored and total > -np.inf:
            total += way_score(chart, tables, item, ways.choices[way], ways.parts)
        ways.values[way] = total
    return count


@leaf_kernel
def way_score(chart: Chart, tables: PartTables, item: int, choice: int, parts: npt.NDArray[np.int64]) -> float:
    """The sum of the scores of the parts of one way."""
    total = 0.0
    for number in range(list_parts_of_way(chart, tables.wanted, item, choice, parts)):
        part = parts[number]
        if part[0] == ARC:
            total += tables.arc[chart.layout.number[part[2], part[3]]]
        else:
            total += part_value(tables, part[0], part[1], part[2], part[3], part[4], part[5])
    return total
