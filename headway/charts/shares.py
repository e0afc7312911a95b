"""Compute the probability of every part, by the outside pass.

From the whole tree down, the probability of an item is divided among the ways in which it can be made, and the
probability of each way is added to its items and its parts. This takes as long as the inside pass.
"""

import numpy as np
import numpy.typing as npt

from headway.charts.chart import Chart
from headway.charts.ways import is_scored, list_places, make_ways, value_ways
from headway.kernel import kernel


@kernel
def part_shares(
    chart: Chart, scores: npt.NDArray[np.float64], values: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """(parts,) Return the probability of every part, laid out like `scores`, given the values of `log_sums`."""
    goal = chart.size[0] - 1
    chances = np.zeros(len(scores))
    shares = np.zeros(chart.size[0])
    shares[goal] = 1.0
    ways = make_ways(chart)
    for item in range(goal, 0, -1):
        if shares[item] == 0.0:
            continue
        scored = is_scored(chart, item)
        for way in range(value_ways(chart, scores, values, item, ways)):
            share = shares[item] * np.exp(ways.values[way] - values[item])
            if share == 0.0:
                continue
            shares[ways.items[way, 0]] += share
            shares[ways.items[way, 1]] += share
            if scored:
                for part in range(list_places(chart, item, ways.choices[way], ways.places)):
                    chances[ways.places[part]] += share
    return chances
