"""Compare a search with an exact one: the share of sentences for which it finds the best tree.

Zhang, Lei, Barzilay and Jaakkola (2014), Table 2, right: hill climbing against Chu-Liu-Edmonds on first-order scores.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headway.analysis.rows import LONGEST_SHORT, Row, length_groups, reaches, sentences_of, share
from headway.decoders import Decoder
from headway.decoders.spanning_tree import SpanningTree
from headway.errors import UsageError
from headway.parts import Candidates, Scores
from headway.plots.charts import Chart

_SPANNING_TREE = SpanningTree()


@dataclass(frozen=True, eq=False)
class Optimality:
    """The scores of the trees that a search found, and the best possible scores.

    Parameters
    ----------
    lengths : (sentences,) int64
        Words of each sentence.
    best : (sentences,) float64
        The score of the best tree.
    reached : (sentences,) float64
        The score of the tree that the search found.
    climbs : (sentences,) float64
        The number of the climb that found that tree, from 1; NaN if the search does not report it.
    """

    lengths: NDArray[np.int64]
    best: NDArray[np.float64]
    reached: NDArray[np.float64]
    climbs: NDArray[np.float64]

    @property
    def found(self) -> NDArray[np.bool_]:
        """(sentences,) Whether the search found a best tree."""
        return reaches(self.reached, self.best)

    def rows(self, *, longest_short: int = LONGEST_SHORT) -> list[Row]:
        """The share of best trees found in short sentences, in long ones and in all."""
        groups = length_groups(self.lengths, longest_short=longest_short)
        return [
            {"words": name, "sentences": int(chosen.sum()), "optimum found, %": share(self.found[chosen])}
            for name, chosen in groups.items()
        ]

    def chart(self, *, longest_short: int = LONGEST_SHORT) -> Chart:
        """The share of sentences whose best tree was found, over the number of climbs."""
        last = np.nanmax(self.climbs, initial=1.0)
        steps = np.unique(np.geomspace(1, last, 60).round())
        lines = {
            sentences_of(name): (steps, np.array([share(self._found_within(step)[chosen]) for step in steps]))
            for name, chosen in length_groups(self.lengths, longest_short=longest_short).items()
            if chosen.any()
        }
        return Chart("The best tree found", "climbs", "sentences, %", lines, x_log=True)

    def _found_within(self, climbs: float) -> NDArray[np.bool_]:
        return self.found & ~(self.climbs > climbs)


def compare_with_exact(
    tables: Iterable[NDArray[np.float64]],
    decoder: Decoder,
    *,
    exact: Decoder = _SPANNING_TREE,
    single_root: bool = True,
) -> Optimality:
    """Search every sentence twice and compare the scores.

    Parameters
    ----------
    tables : iterable of (n + 1, n + 1) float64
        Arc scores [head, modifier], -inf for no arc.
    decoder : Decoder
        The search to measure, such as ``HillClimbing(restarts=300)``.
    exact : Decoder
        A decoder that always finds the best tree.
    single_root : bool
        Whether trees have exactly one child of the root.

    Raises
    ------
    UsageError
        If `decoder` finds a better tree than `exact`: then the two do not search among the same trees.
    """
    scored = [_search(table, decoder, exact, single_root=single_root) for table in tables]
    lengths, best, reached, climbs = np.array(scored, dtype=np.float64).reshape(-1, 4).T
    result = Optimality(lengths.astype(np.int64), best, reached, climbs)
    if not reaches(best, reached).all():
        raise UsageError("the search found a better tree than the exact one: the two must search among the same trees")
    return result


def _search(
    table: NDArray[np.float64], decoder: Decoder, exact: Decoder, *, single_root: bool
) -> tuple[float, float, float, float]:
    candidates = Candidates.from_mask(table > -np.inf)
    scores = Scores(arc=candidates.gather(table))
    best = exact.decode(candidates, scores, single_root=single_root)
    reached = decoder.decode(candidates, scores, single_root=single_root)
    return float(candidates.length), best.score, reached.score, float(reached.statistics.get("found", np.nan))
