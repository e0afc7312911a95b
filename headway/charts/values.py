"""Compute the value of every item: the best score of its derivations, or the log of the sum over them.

One pass from the smallest items to the whole tree, in the time that `factorizations` lists.
"""

import numpy as np
import numpy.typing as npt

from headway.charts.chart import Chart
from headway.charts.ways import make_ways, value_ways
from headway.kernel import kernel
from headway.marginals.log_space import log_sum


@kernel
def highest_values(chart: Chart, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """(items,) Return the score of the best derivation of each item, -inf if there is none."""
    values = np.zeros(chart.size[0])
    ways = make_ways(chart)
    for item in range(1, chart.size[0]):
        highest = -np.inf
        for way in range(value_ways(chart, scores, values, item, ways)):
            value = ways.values[way]
            highest = value if value > highest else highest
        values[item] = highest
    return values


@kernel
def log_sums(chart: Chart, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """(items,) The inside pass: return the logarithm of the sum of exp(score) over each item's derivations."""
    values = np.zeros(chart.size[0])
    ways = make_ways(chart)
    for item in range(1, chart.size[0]):
        count = value_ways(chart, scores, values, item, ways)
        values[item] = log_sum(ways.values[:count])
    return values
