"""Build trees from the values of a chart's items: the best tree, random trees, and the k best trees.

A derivation expands items from the goal down, each in one of the ways of making it. It is stored as the list of the
chosen ways; items are expanded in the order of a stack, so this list determines them. The k best derivations are found
by *deviations*: copy a known derivation up to some item, choose another way there, and make all later items in the best
way. As the value of an item is the score of the best way of making it, the score of a deviation is known before it is
expanded, and a heap of deviations yields the trees in order, without duplicates. Time for k trees of n words:
O(k n (n + log k n²)).

Huang and Chiang (2005), "Better k-best parsing", solve the same problem bottom-up.
"""

import heapq

import numpy as np
import numpy.typing as npt

from headway.charts.chart import HEAD, MODIFIER, OPEN, SPAN, Chart
from headway.charts.ways import Ways, make_ways, value_ways
from headway.kernel import kernel, leaf_kernel
from headway.kernel.random_numbers import Generator, uniform


@kernel
def write_best_tree(
    chart: Chart, scores: npt.NDArray[np.float64], values: npt.NDArray[np.float64], heads: npt.NDArray[np.int32]
) -> bool:
    """Write the best tree, given the values of `highest_values`; return False if there is none.

    Parameters
    ----------
    heads : (vertices,) int32
        The head of each vertex; -1 for the root, and for senses that are not chosen.
    """
    heads[:] = -1
    goal = chart.size[0] - 1
    if values[goal] == -np.inf:
        return False
    ways = make_ways(chart)
    stack = np.empty(_most_waiting(chart), dtype=np.int64)
    stack[0], waiting = goal, 1
    while waiting > 0:
        waiting -= 1
        item = stack[waiting]
        count = value_ways(chart, scores, values, item, ways)
        waiting = _follow(chart, item, ways, _highest(ways, count), heads, stack, waiting)
    return True


@kernel
def write_random_tree(
    chart: Chart,
    scores: npt.NDArray[np.float64],
    values: npt.NDArray[np.float64],
    generator: Generator,
    heads: npt.NDArray[np.int32],
) -> bool:
    """Draw a tree with probability proportional to exp(score), given the values of `log_sums`; False if none exists.

    Parameters
    ----------
    heads : (vertices,) int32
        As for `write_best_tree`.
    """
    heads[:] = -1
    goal = chart.size[0] - 1
    if values[goal] == -np.inf:
        return False
    ways = make_ways(chart)
    stack = np.empty(_most_waiting(chart), dtype=np.int64)
    stack[0], waiting = goal, 1
    while waiting > 0:
        waiting -= 1
        item = stack[waiting]
        count = value_ways(chart, scores, values, item, ways)
        rest, way = uniform(generator), 0
        for last in range(count):
            chance = np.exp(ways.values[last] - values[item])
            if chance > 0.0:  # rounding must not select an impossible way
                way = last
                rest -= chance
                if rest < 0.0:
                    break
        waiting = _follow(chart, item, ways, way, heads, stack, waiting)
    return True


@kernel
def write_best_trees(
    chart: Chart,
    scores: npt.NDArray[np.float64],
    values: npt.NDArray[np.float64],
    trees: npt.NDArray[np.int32],
    totals: npt.NDArray[np.float64],
) -> int:
    """Write the k best trees, best first, given the values of `highest_values`; return their number.

    Parameters
    ----------
    trees : (k, vertices) int32
        The heads of each tree, as for `write_best_tree`.
    totals : (k,) float64
        The scores of the trees.
    """
    goal = chart.size[0] - 1
    most = len(trees)
    if values[goal] == -np.inf or most == 0:
        return 0
    ways = make_ways(chart)
    stack = np.empty(_most_waiting(chart), dtype=np.int64)
    choices = np.empty((most, 8 * len(chart.vertices) + 8), dtype=np.int32)
    heap = [(-values[goal], 0, -1, -1)]  # negated score, tree to deviate from, step, other way there
    found = 0
    while found < most and len(heap) > 0:
        score, parent, place, other = heapq.heappop(heap)
        trees[found] = -1
        totals[found] = -score
        stack[0], waiting, step = goal, 1, 0
        while waiting > 0:
            waiting -= 1
            item = stack[waiting]
            count = value_ways(chart, scores, values, item, ways)
            if step < place:
                way = int(choices[parent, step])
            elif step == place:
                way = other
            else:
                way = _highest(ways, count)
                for rival in range(count):
                    value = ways.values[rival]
                    if rival != way and value > -np.inf:
                        heapq.heappush(heap, (score + (values[item] - value), found, step, rival))
            choices[found, step] = way
            waiting = _follow(chart, item, ways, way, trees[found], stack, waiting)
            step += 1
        found += 1
    return found


@leaf_kernel
def _highest(ways: Ways, count: int) -> int:
    best = 0
    for way in range(1, count):
        if ways.values[way] > ways.values[best]:
            best = way
    return best


@leaf_kernel
def _follow(
    chart: Chart,
    item: int,
    ways: Ways,
    way: int,
    heads: npt.NDArray[np.int32],
    stack: npt.NDArray[np.int64],
    waiting: int,
) -> int:
    """Write the arc that an item adds, push the items of the chosen way, and return the new height of the stack."""
    kind = chart.items[item, 0]
    if kind in (OPEN, SPAN):
        row = chart.arcs[chart.items[item, 1 if kind == OPEN else 3]]
        heads[row[MODIFIER]] = row[HEAD]
    for part in range(2):
        smaller = ways.items[way, part]
        if smaller > 0:
            stack[waiting] = smaller
            waiting += 1
    return waiting


@leaf_kernel
def _most_waiting(chart: Chart) -> int:
    """Return an upper bound on the height of the stack: its items are empty halves or cover different words."""
    return 4 * len(chart.vertices) + 4
