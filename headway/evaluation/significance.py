"""Test the difference between two parsers for significance, by a paired bootstrap over sentences.

Koehn (2004), *Statistical significance tests for machine translation evaluation*; Berg-Kirkpatrick, Burkett
and Klein (2012), *An empirical investigation of statistical significance in NLP*, section 2.

Corpora of the same size are drawn from the sentences with replacement, and the difference between the systems is
measured on each. Under the null hypothesis, the mean difference would be 0 instead of the observed δ, so the
differences δ* of the draws are shifted by δ. The p-value is the share of draws that then deviate at least as far as δ,
in either direction: |δ* - δ| ≥ |δ|. (Berg-Kirkpatrick et al. count only one direction, δ* ≥ 2δ; if the draws are
symmetric, this is half as much.)

Cost: O(samples · sentences), in chunks of bounded memory.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headway.errors import HeadwayError, UsageError
from headway.evaluation.attachment import Evaluation
from headway.evaluation.metrics import Counts, find_metric

_DRAWS_AT_ONCE = 1 << 20
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Significance:
    """The result of a significance test.

    Parameters
    ----------
    metric : str
        The name of the metric.
    first, second : float
        The two systems' scores, in per cent.
    difference : float
        `second` - `first`, in points.
    p_value : float
        The probability of a difference of this size or more, in either direction, if the systems are equally good.
    interval : (float, float)
        A confidence interval of the difference: the central share of the draws.
    confidence : float
        The share of the draws that the interval contains, 0 to 1.
    samples : int
        The number of draws.
    """

    metric: str
    first: float
    second: float
    difference: float
    p_value: float
    interval: tuple[float, float]
    confidence: float
    samples: int


def paired_bootstrap(
    first: Evaluation,
    second: Evaluation,
    *,
    metric: str = "LAS",
    samples: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Significance:
    """Test whether two systems, evaluated on the same sentences, differ.

    Parameters
    ----------
    first, second : Evaluation
        The evaluations of the two systems, against the same gold standard.
    metric : str
        Any name in `METRICS`.
    samples : int
        The number of corpora to draw; the smallest possible p-value is 1 / (samples + 1).
    confidence : float
        The share of the draws that the interval contains.
    seed : int
        The same seed gives the same result.

    Returns
    -------
    Significance
        The difference is `second` - `first`.
    """
    if samples < 1:
        raise UsageError(f"a bootstrap needs at least 1 sample, not {samples}")
    if not 0 < confidence < 1:
        raise UsageError(f"the confidence must lie between 0 and 1, not be {confidence}")
    _check_same_gold(first.counts, second.counts)
    scores = first.score(metric).f1, second.score(metric).f1
    difference = scores[1] - scores[0]
    draws = _draw_differences(_ratio(first.counts, metric), _ratio(second.counts, metric), samples, seed)
    as_far = int(np.count_nonzero(np.abs(draws - difference) >= abs(difference) - _ROUNDING))
    low, high = np.quantile(draws, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Significance(
        metric=metric,
        first=scores[0],
        second=scores[1],
        difference=difference,
        p_value=(as_far + 1) / (samples + 1),
        interval=(float(low), float(high)),
        confidence=confidence,
        samples=samples,
    )


def _check_same_gold(first: Counts, second: Counts) -> None:
    if len(first.rows) != len(second.rows):
        sizes = f"{len(first.rows)} and {len(second.rows)}"
        raise HeadwayError(f"the two systems were evaluated on different corpora, of {sizes} sentences")
    if len(first.rows) < 2:
        raise HeadwayError(f"a bootstrap draws from at least 2 sentences, not from {len(first.rows)}")
    for column in ("words", "words-nopunct", "content_gold", "root_gold", "nonprojective_gold"):
        differs = np.flatnonzero(first.column(column) != second.column(column))
        if len(differs):
            place = f"sentence {differs[0] + 1} differs"
            raise HeadwayError(f"the two systems were evaluated against different gold standards: {place}")


def _ratio(counts: Counts, metric: str) -> NDArray[np.float64]:
    """Return the metric's numerator and denominator for each sentence, ``(sentences, 2) float64``."""
    columns = find_metric(metric)
    numerator = 200.0 * counts.column(columns.correct)
    denominator = counts.column(columns.gold) + counts.column(columns.system)
    return np.stack([numerator, denominator.astype(np.float64)], axis=1)


def _draw_differences(
    first: NDArray[np.float64], second: NDArray[np.float64], samples: int, seed: int
) -> NDArray[np.float64]:
    """Return the difference between the systems on each drawn corpus, ``(samples,) float64``."""
    both = np.concatenate([first, second], axis=1)
    sums = np.concatenate([weights @ both for weights in _draws(len(both), samples, seed)])
    scores = np.divide(sums[:, ::2], sums[:, 1::2], out=np.zeros((samples, 2)), where=sums[:, 1::2] > 0)
    differences: NDArray[np.float64] = scores[:, 1] - scores[:, 0]
    return differences


def _draws(sentences: int, samples: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """Yield the counts of each sentence in each drawn corpus, in batches: ``(batch, sentences) float64``."""
    generator = np.random.default_rng(seed)
    at_once = max(1, _DRAWS_AT_ONCE // sentences)
    for start in range(0, samples, at_once):
        batch = min(at_once, samples - start)
        drawn = generator.integers(sentences, size=(batch, sentences)) + np.arange(batch)[:, None] * sentences
        times = np.bincount(drawn.ravel(), minlength=batch * sentences)
        yield times.reshape(batch, sentences).astype(np.float64)
