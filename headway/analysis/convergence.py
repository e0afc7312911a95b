"""Measure the convergence of hill climbing: the best score after each number of climbs.

Zhang, Lei, Barzilay and Jaakkola (2014), Figure 5 (the score, relative to the best of all climbs) and Table 6 (the
sentences whose best tree has been found).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headway.analysis.rows import LONGEST_SHORT, Row, length_groups, reaches, sentences_of, share
from headway.decoders.hill_climbing import Trace
from headway.plots.charts import Chart

STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 300, 500, 1000, 3000)


@dataclass(frozen=True, eq=False)
class Convergence:
    """The scores reached, climb by climb.

    Parameters
    ----------
    lengths : (sentences,) int64
        The number of words of each sentence.
    scores : (sentences, climbs) float64
        The score of the best tree so far; it never falls along a row.
    """

    lengths: NDArray[np.int64]
    scores: NDArray[np.float64]

    @property
    def best(self) -> NDArray[np.float64]:
        """(sentences,) The best score that any climb reached."""
        return self.scores[:, -1]

    @property
    def found(self) -> NDArray[np.bool_]:
        """(sentences, climbs) Whether the best score has been reached."""
        return reaches(self.scores, self.best[:, None])

    def relative_score(self, chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
        """(climbs,) The score of the `chosen` (sentences,) sentences, in per cent of the best score.

        Notes
        -----
        Sums over sentences are compared, because the score of a single tree may be zero or negative.
        """
        best = self.best[chosen]
        missing = (best[:, None] - self.scores[chosen]).sum(axis=0)
        whole = max(float(np.abs(best).sum()), np.finfo(np.float64).tiny)
        return np.asarray(100 * (1 - missing / whole))

    def rows(self, *, steps: Sequence[int] = STEPS, longest_short: int = LONGEST_SHORT) -> list[Row]:
        """The scores reached after each number of climbs in short sentences, in long ones and in all."""
        groups = length_groups(self.lengths, longest_short=longest_short)
        scores = {name: self.relative_score(chosen) for name, chosen in groups.items()}
        rows: list[Row] = []
        for step in self._steps(steps):
            found = self.found[:, step - 1]
            shares = {f"best found, % ({name})": share(found[chosen]) for name, chosen in groups.items()}
            reached = {
                f"score, % ({name})": float(scores[name][step - 1]) if chosen.any() else None
                for name, chosen in groups.items()
            }
            rows.append({"climbs": step, **shares, **reached})
        return rows

    def charts(self, *, longest_short: int = LONGEST_SHORT) -> list[Chart]:
        """The score, and the sentences that have found their best tree, over the number of climbs."""
        climbs = np.arange(1, self.scores.shape[1] + 1)
        scores, shares = {}, {}
        for group, chosen in length_groups(self.lengths, longest_short=longest_short).items():
            if chosen.any():
                name = sentences_of(group)
                scores[name] = (climbs, self.relative_score(chosen))
                shares[name] = (climbs, 100 * self.found[chosen].mean(axis=0))
        return [
            Chart("Score of the best tree so far", "climbs", "of the best score, %", scores, x_log=True),
            Chart("Best tree found", "climbs", "sentences, %", shares, x_log=True),
        ]

    def _steps(self, steps: Sequence[int]) -> list[int]:
        """Return the number of climbs and all `steps` up to it."""
        last = self.scores.shape[1]
        return sorted({*(step for step in steps if 1 <= step <= last), last})


def follow_climbs(traces: Iterable[Trace]) -> Convergence:
    """Record how the best score of each sentence rises, climb by climb.

    Parameters
    ----------
    traces : iterable of Trace
        Traces with the same number of climbs each, as from `climb_traces`; traces without a tree are skipped.
    """
    lengths: list[int] = []
    scores: list[NDArray[np.float64]] = []
    for trace in traces:
        if trace.scores[0] == -np.inf:
            continue
        lengths.append(trace.heads.shape[1] - 1)
        scores.append(np.maximum.accumulate(trace.scores))
    table = np.stack(scores) if scores else np.zeros((0, 1))
    return Convergence(np.array(lengths, dtype=np.int64), table)
