"""The probability of every part: the outside pass.

From the whole tree down, the probability of an item is shared out among the ways in which it can be made, and each
way's share is added to its items and its parts. O of the chart's time, once more.
"""

import numpy as np
import numpy.typing as npt

from headway.charts.chart import Chart
from headway.charts.ways import ARC, is_scored, list_parts_of_way, make_ways, value_ways
from headway.kernel import kernel, leaf_kernel
from headway.parts.kinds import GRAND_SIBLING, GRANDPARENT, SIBLING
from headway.scorers.part_tables import PartTables, part_place


@kernel
def share_out(chart: Chart, tables: PartTables, values: npt.NDArray[np.float64], chances: PartTables) -> None:
    """Add the probabilities of all parts, under ``values`` from `log_sums`, to tables of zeros.

    Parameters
    ----------
    chances : PartTables
        Tables that are empty are left out.
    """
    goal = chart.size[0] - 1
    shares = np.zeros(chart.size[0])
    shares[goal] = 1.0
    ways = make_ways(chart)
    for item in range(goal, 0, -1):
        if shares[item] == 0.0:
            continue
        scored = is_scored(chart, item)
        for way in range(value_ways(chart, tables, values, item, ways)):
            share = shares[item] * np.exp(ways.values[way] - values[item])
            if share == 0.0:
                continue
            shares[ways.items[way, 0]] += share
            shares[ways.items[way, 1]] += share
            if scored:
                count = list_parts_of_way(chart, chances.wanted, item, ways.choices[way], ways.parts)
                _add(chart, chances, ways.parts, count, share)


@leaf_kernel
def _add(chart: Chart, chances: PartTables, parts: npt.NDArray[np.int64], count: int, share: float) -> None:
    for number in range(count):
        part = parts[number]
        kind = part[0]
        if kind == ARC:
            chances.arc[chart.layout.number[part[2], part[3]]] += share
            continue
        place = part_place(chances.layout, chances.places, kind, part[1], part[2], part[3], part[4], part[5])
        if kind == SIBLING:
            chances.sibling[place] += share
        elif kind == GRANDPARENT:
            chances.grandparent[place] += share
        elif kind == GRAND_SIBLING:
            chances.grand_sibling[place] += share
        else:
            chances.tri_sibling[place] += share
