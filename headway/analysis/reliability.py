"""Measure the calibration of confidences: are 90 % of the arcs with a confidence of 90 % correct?"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headway.analysis.rows import Row
from headway.corpus import Sentence
from headway.plots.charts import Chart

_EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Claims:
    """Claims of a parser (that an arc, or a whole tree, is correct) with their confidences.

    Parameters
    ----------
    confidence : (claims,) float64
        The probability that each claim is correct, according to the parser.
    right : (claims,) bool
        Whether each claim is correct.
    """

    confidence: Floats
    right: Bools

    def bins(self) -> list[tuple[float, float, int, float, float]]:
        """For each non-empty bin: lower and upper bound, number of claims, mean confidence, accuracy."""
        bins = []
        numbers = np.clip(np.searchsorted(_EDGES, self.confidence, side="right") - 1, 0, len(_EDGES) - 2)
        for number in np.unique(numbers).tolist():
            in_bin = numbers == number
            mean, accuracy = float(self.confidence[in_bin].mean()), float(self.right[in_bin].mean())
            bins.append((_EDGES[number], _EDGES[number + 1], int(in_bin.sum()), mean, accuracy))
        return bins

    def error(self) -> float:
        """The expected calibration error: the mean difference between confidence and accuracy, by bins."""
        total = max(len(self.right), 1)
        return sum(count * abs(mean - accuracy) for _, _, count, mean, accuracy in self.bins()) / total


@dataclass(frozen=True, eq=False)
class Reliability:
    """The claims about arcs and about whole trees."""

    arcs: Claims
    trees: Claims

    def rows(self) -> list[Row]:
        """A row for each bin of arcs and of trees, and a row for all of them with the expected calibration error."""
        rows: list[Row] = []
        for name, claims in (("arcs", self.arcs), ("trees", self.trees)):
            bins = [
                (f"{low:g} to {high:g}", count, mean, accuracy) for low, high, count, mean, accuracy in claims.bins()
            ]
            if len(claims.right):
                bins.append(("all", len(claims.right), float(claims.confidence.mean()), float(claims.right.mean())))
            for interval, count, mean, accuracy in bins:
                error = claims.error() if interval == "all" else abs(mean - accuracy)
                rows.append(
                    {
                        "of": name,
                        "confidence": interval,
                        "number": count,
                        "mean, %": 100 * mean,
                        "right, %": 100 * accuracy,
                        "off by": 100 * error,
                    }
                )
        return rows

    def charts(self) -> list[Chart]:
        """The reliability diagrams of arcs and trees: calibrated confidences lie on the diagonal."""
        ends = np.array([0.0, 1.0])
        return [
            Chart(
                f"Confidence of {name}",
                "mean confidence",
                "accuracy",
                {
                    "ideal": (ends, ends),
                    name: (
                        np.array([mean for _, _, _, mean, _ in claims.bins()]),
                        np.array([accuracy for *_, accuracy in claims.bins()]),
                    ),
                },
            )
            for name, claims in (("arcs", self.arcs), ("trees", self.trees))
        ]


def measure_reliability(gold: Sequence[Sentence], parsed: Iterable[Sentence]) -> Reliability:
    """Compare sentences, parsed with confidences, with their gold trees."""
    arcs: tuple[list[float], list[bool]] = [], []
    trees: tuple[list[float], list[bool]] = [], []
    for expected, predicted in zip(gold, parsed, strict=True):
        right = [head == gold_head for head, gold_head in zip(predicted.heads, expected.heads, strict=True)]
        arcs[0].extend(float(probability or 0.0) for probability in predicted.misc("HeadProb"))
        arcs[1].extend(right)
        trees[0].append(predicted.confidence or 0.0)
        trees[1].append(all(right))
    return Reliability(
        *(
            Claims(np.array(confidences, dtype=np.float64), np.array(right, dtype=np.bool_))
            for confidences, right in (arcs, trees)
        )
    )
