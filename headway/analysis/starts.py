"""Whether it matters where climbs start.

Zhang, Lei, Barzilay and Jaakkola (2014), Table 5: the accuracy of the trees that climbs start with, and of the trees
that the search ends with.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from headway.analysis.climbs import climb_traces
from headway.analysis.outcomes import Outcome, measure
from headway.analysis.rows import Row
from headway.corpus import Sentence
from headway.decoders.hill_climbing import Trace
from headway.parser import Parser
from headway.plots.charts import BarChart
from headway.search import SearchRule

_SAMPLE = 10
"""Random starts of each sentence that are looked at."""


@dataclass(frozen=True)
class Beginning:
    """One way to start.

    Parameters
    ----------
    name : str
    start_uas : float
        Right heads of the trees that climbs start with, in per cent.
    outcome : Outcome
        Of the whole search.
    """

    name: str
    start_uas: float
    outcome: Outcome


@dataclass(frozen=True)
class Beginnings:
    """Ways to start, side by side."""

    entries: tuple[Beginning, ...]

    def rows(self) -> list[Row]:
        """A row for each way to start."""
        return [{"start": one.name, "UAS of starts": one.start_uas, **one.outcome.cells()} for one in self.entries]

    def chart(self) -> BarChart:
        """Chart of the scores that a search starts with, beside those that it ends with."""
        bars = {
            "starts": [one.start_uas for one in self.entries],
            "trees found": [one.outcome.uas for one in self.entries],
        }
        return BarChart("Where climbs start, and end", "UAS", [one.name for one in self.entries], bars)


def compare_starts(parser: Parser, sentences: Sequence[Sentence], *, rule: SearchRule | None = None) -> Beginnings:
    """Search from the best tree of the arcs alone with a single climb, then with restarts, then from random trees.

    Parameters
    ----------
    rule : SearchRule, optional
        The rest of the search; the model's own by default.
    """
    rule = rule or parser.model.rule
    ways = {
        "map, one climb": replace(rule, start="map", restarts=0),
        "map": replace(rule, start="map"),
        "uniform": replace(rule, start="uniform"),
        "first-order": replace(rule, start="first-order"),
    }
    return Beginnings(tuple(_try(parser, sentences, name, way) for name, way in ways.items()))


def start_accuracy(traces: Iterable[Trace], sentences: Iterable[Sentence]) -> float:
    """Right heads of the trees that climbs start with, in per cent."""
    right = words = 0
    for trace, sentence in zip(traces, sentences, strict=True):
        starts = trace.starts[trace.scores > -np.inf, 1:]
        right += int(np.count_nonzero(starts == np.array(sentence.heads)))
        words += starts.size
    return 100 * right / max(words, 1)


def _try(parser: Parser, sentences: Sequence[Sentence], name: str, rule: SearchRule) -> Beginning:
    climbs = 1 if rule.start == "map" else _SAMPLE
    traces = climb_traces(parser, sentences, rule=rule, climbs=climbs)
    return Beginning(name, start_accuracy(traces, sentences), measure(parser, sentences, search=rule))
