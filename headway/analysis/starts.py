"""Compare starting trees of hill climbing.

Zhang, Lei, Barzilay and Jaakkola (2014), Table 5: the accuracy of the starting trees, and of the trees that the search
finds.
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
"""The number of random starting trees that are measured per sentence."""


@dataclass(frozen=True)
class Beginning:
    """The results for one kind of starting tree.

    Parameters
    ----------
    name : str
    start_uas : float
        The UAS of the starting trees, in per cent.
    outcome : Outcome
        The outcome of the whole search.
    """

    name: str
    start_uas: float
    outcome: Outcome


@dataclass(frozen=True)
class Beginnings:
    """The kinds of starting trees and their results."""

    entries: tuple[Beginning, ...]

    def rows(self) -> list[Row]:
        """A row for each kind of starting tree."""
        return [
            {"start": entry.name, "UAS of starts": entry.start_uas, **entry.outcome.cells()} for entry in self.entries
        ]

    def chart(self) -> BarChart:
        """Chart of the accuracy of starting trees, and of the trees found from them."""
        bars = {
            "starts": [entry.start_uas for entry in self.entries],
            "trees found": [entry.outcome.uas for entry in self.entries],
        }
        return BarChart("Where climbs start, and end", "UAS", [entry.name for entry in self.entries], bars)


def compare_starts(parser: Parser, sentences: Sequence[Sentence], *, rule: SearchRule | None = None) -> Beginnings:
    """Search from the best first-order tree, with a single climb and with restarts, and from random trees.

    Parameters
    ----------
    rule : SearchRule, optional
        All other settings of the search; the model's by default.
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
    """Return the UAS of the starting trees, in per cent."""
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
