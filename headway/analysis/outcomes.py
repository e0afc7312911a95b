"""Measure accuracy and speed of a parser with different numbers of restarts.

Zhang, Lei, Barzilay and Jaakkola (2014), Figure 6: accuracy against speed, as the number of restarts varies.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from time import process_time

import numpy as np

from headway.analysis.climbs import check_climbs
from headway.analysis.rows import Row
from headway.corpus import Sentence
from headway.evaluation import evaluate
from headway.parser import Parser
from headway.plots.charts import Chart
from headway.search import SearchRule

RESTARTS = (0, 1, 2, 5, 10, 20, 50, 100, 300)
_COMPILES = 2
"""The number of sentences parsed as a warm-up, so that compile time does not count."""


@dataclass(frozen=True)
class Outcome:
    """Scores and speed of a parser on a treebank.

    Parameters
    ----------
    uas, las : float
        UAS and LAS over all words, in per cent.
    words : int
    seconds : float
        CPU time of parsing.
    """

    uas: float
    las: float
    words: int
    seconds: float

    @property
    def speed(self) -> float:
        """Words per CPU second."""
        return self.words / self.seconds

    def cells(self) -> dict[str, float | int]:
        """The cells of a table's row."""
        return {"UAS": self.uas, "LAS": self.las, "words/s": round(self.speed)}


@dataclass(frozen=True)
class TradeOff:
    """Accuracy and speed for some numbers of restarts.

    Parameters
    ----------
    restarts : tuple of int
    outcomes : tuple of Outcome
        The outcome for each number of restarts.
    """

    restarts: tuple[int, ...]
    outcomes: tuple[Outcome, ...]

    def rows(self) -> list[Row]:
        """A row for each number of restarts."""
        pairs = zip(self.restarts, self.outcomes, strict=True)
        return [{"restarts": restarts, **outcome.cells()} for restarts, outcome in pairs]

    def charts(self) -> list[Chart]:
        """UAS and LAS over speed."""
        speeds = np.array([outcome.speed for outcome in self.outcomes])
        metrics = {
            "UAS": np.array([outcome.uas for outcome in self.outcomes]),
            "LAS": np.array([outcome.las for outcome in self.outcomes]),
        }
        return [
            Chart(f"{name} and speed, by restarts", "words a CPU second", name, {name: (speeds, values)}, x_log=True)
            for name, values in metrics.items()
        ]


def measure(parser: Parser, sentences: Sequence[Sentence], *, search: SearchRule | None = None) -> Outcome:
    """Parse gold sentences on one thread; return scores and CPU time.

    Parameters
    ----------
    search : SearchRule, optional
        The search; the model's by default.
    """
    for _ in parser.parse(islice(sentences, _COMPILES), search=search):
        pass
    began = process_time()
    parsed = list(parser.parse(sentences, search=search))
    seconds = process_time() - began
    scores = evaluate(sentences, parsed)
    return Outcome(scores.uas, scores.las, scores.words, seconds)


def trade_off(
    parser: Parser,
    sentences: Sequence[Sentence],
    *,
    restarts: Iterable[int] = RESTARTS,
    rule: SearchRule | None = None,
) -> TradeOff:
    """Measure parsing with each number of restarts.

    Parameters
    ----------
    restarts : iterable of int
        The number of climbs in a row without a better tree after which the search ends; 0 means a single climb.
    rule : SearchRule, optional
        The other settings of the search; the model's by default.
    """
    check_climbs(parser)
    rule = rule or parser.model.rule
    measured = {number: measure(parser, sentences, search=replace(rule, restarts=number)) for number in restarts}
    return TradeOff(tuple(measured), tuple(measured.values()))
