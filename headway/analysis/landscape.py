"""Count the local optima of hill climbing on the sentences of a treebank.

Zhang, Lei, Barzilay and Jaakkola (2014), Table 2, left: the number of optima at percentiles of the sentences, such as
the number that half of the sentences do not exceed.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headway.analysis.local_optima import count_local_optima
from headway.analysis.rows import LONGEST_SHORT, Row, length_groups, mean, sentences_of, share
from headway.errors import UsageError
from headway.plots.charts import Chart

PERCENTILES = (50.0, 70.0, 90.0)


@dataclass(frozen=True, eq=False)
class Landscape:
    """The local optima of some sentences.

    Parameters
    ----------
    lengths : (sentences,) int64
        The number of words of each sentence.
    optima : (sentences,) int64
        The number of local optima of each sentence.
    most : int
        The number at which counting stopped: an entry of `optima` with this value means "this many or more".
    """

    lengths: NDArray[np.int64]
    optima: NDArray[np.int64]
    most: int

    def rows(self, *, percentiles: Sequence[float] = PERCENTILES, longest_short: int = LONGEST_SHORT) -> list[Row]:
        """The numbers of optima at `percentiles` of short sentences, of long ones and of all."""
        rows: list[Row] = []
        for name, chosen in length_groups(self.lengths, longest_short=longest_short).items():
            optima = self.optima[chosen]
            sizes: Row = {"words": name, "sentences": len(optima), "mean length": mean(self.lengths[chosen])}
            shares: Row = {"one optimum, %": share(optima == 1)}
            rows.append(
                {**sizes, **shares, **{f"at {percent:g} %": self._cell(optima, percent) for percent in percentiles}}
            )
        return rows

    def chart(self, *, longest_short: int = LONGEST_SHORT) -> Chart:
        """The number of optima at every percentile, on a logarithmic scale."""
        percents = np.arange(1.0, 101.0)
        lines = {
            sentences_of(name): (percents, np.array([percentile(self.optima[chosen], percent) for percent in percents]))
            for name, chosen in length_groups(self.lengths, longest_short=longest_short).items()
            if chosen.any()
        }
        return Chart("Local optima of first-order scores", "sentences, %", "local optima, at most", lines, y_log=True)

    def _cell(self, optima: NDArray[np.int64], percent: float) -> str | int | None:
        count = percentile(optima, percent)
        return count if count is None or count < self.most else f">{self.most - 1:,}"


def survey_local_optima(tables: Iterable[NDArray[np.float64]], *, most: int = 10_001) -> Landscape:
    """Count the local optima of each sentence.

    Parameters
    ----------
    tables : iterable of (n + 1, n + 1) float64
        [head, modifier] The arc scores of each sentence, from `arc_tables` for instance.
    most : int
        The number of optima of a sentence at which counting stops.
    """
    counted = [(len(table) - 1, count_local_optima(table, most=most)) for table in tables]
    lengths, optima = np.array(counted, dtype=np.int64).reshape(-1, 2).T
    return Landscape(lengths, optima, most)


def percentile(values: NDArray[np.int64], percent: float) -> int | None:
    """Return the smallest value that is at least as large as `percent` per cent of `values`; None without values.

    Examples
    --------
    >>> percentile(np.array([1, 1, 1, 8, 90]), 80)
    8
    """
    if not 0 < percent <= 100:
        raise UsageError(f"a percentile must be above 0 and at most 100, not {percent:g}")
    if not len(values):
        return None
    position = round(percent * len(values) / 100, 9)  # 7 % of 100 sentences are 7, not 7.000000000000001
    rank = math.ceil(position)
    return int(np.sort(values)[rank - 1])
