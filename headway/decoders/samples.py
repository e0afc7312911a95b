"""Samples of trees: estimates of the probabilities of arcs and other events, and of their reliability.

Successive samples of a chain are correlated, so they are worth fewer independent samples: the *effective* sample size
is computed from the autocorrelations within chains and the differences between them (Geyer 1992; Vehtari, Gelman,
Simpson, Carpenter and Bürkner 2021, section 3.2). If chains have not mixed, the variance between them is larger than
that within them: *R-hat*, over the halves of all chains, is then clearly above 1 (the same paper, section 3.1).
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.errors import MixingWarning

MIXED = 1.1
"""The maximum R-hat without a warning."""

_AT_ONCE = 64
"""The number of events whose autocorrelations are computed in one batch."""

Table = npt.NDArray[np.float64]


class Draws(NamedTuple):
    """Samples of one chain, in order; kernels write them.

    Parameters
    ----------
    heads : (samples, n + 1) int32
    scores : (samples,) float64
    """

    heads: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float64]


class Estimate(NamedTuple):
    """The share of samples with an event, its standard error, effective sample size and R-hat."""

    probability: float
    error: float
    effective: float
    r_hat: float


@dataclass(frozen=True, eq=False)
class Samples:
    """Trees drawn from a model.

    Parameters
    ----------
    heads : (samples, n + 1) int32
        ``heads[:, 0] = -1``. Samples of several chains alternate: sample i is from chain i mod `chains`.
    scores : (samples,) float64
        The score of each tree.
    chains : int
        The number of chains they come from; 0 for independent draws.
    """

    heads: npt.NDArray[np.int32]
    scores: Table
    chains: int = 0

    @classmethod
    def of_chains(cls, draws: Sequence[Draws], count: int) -> "Samples":
        """Return the first `count` samples of several chains of equal length.

        Warns with `MixingWarning` if the chains have not mixed.
        """
        heads = np.stack([heads for heads, _ in draws], axis=1)
        scores = np.stack([scores for _, scores in draws], axis=1).reshape(-1)
        samples = cls(heads.reshape(len(scores), heads.shape[2])[:count], scores[:count], len(draws))
        if not samples.r_hat <= MIXED:
            warnings.warn(
                f"the chains have not mixed (R-hat is {samples.r_hat:.2f}): draw more samples, these are not reliable",
                MixingWarning,
                stacklevel=2,
            )
        return samples

    @cached_property
    def arcs(self) -> Table:
        """(n + 1, n + 1) [head, modifier] The probability of each arc."""
        return self._tables[0]

    @cached_property
    def effective(self) -> Table:
        """(n + 1, n + 1) [head, modifier] The effective sample size for each arc."""
        return self._tables[1]

    @cached_property
    def errors(self) -> Table:
        """(n + 1, n + 1) [head, modifier] The standard error of each arc's probability.

        It is not 0 for an arc that all samples have, or none: it is estimated as if there were one more sample with the
        arc and one more without it.
        """
        return _errors(*self._tables)

    @cached_property
    def r_hat(self) -> float:
        """The largest R-hat of an arc or of the score; 1 for independent draws."""
        if not self.chains or len(self.scores) < 4 * self.chains:
            return 1.0
        return float(max(_r_hats(self._series(self.scores[:, None])).max(), self._worst_arc))

    def probability(self, event: Callable[[npt.NDArray[np.int32]], bool]) -> Estimate:
        """Estimate the probability of an event.

        Parameters
        ----------
        event : function
            Returns whether the event occurs, given the heads of a tree, (n + 1,): ``lambda heads: heads[3] ==
            heads[4]``.
        """
        trees, places = np.unique(self.heads, axis=0, return_inverse=True)
        occurs = np.array([bool(event(tree)) for tree in trees], dtype=np.float64)[places.reshape(-1)][:, None]
        effective, r_hats = self._judge(occurs)
        chance = occurs.mean(axis=0)
        return Estimate(float(chance[0]), float(_errors(chance, effective)[0]), float(effective[0]), float(r_hats[0]))

    @cached_property
    def _tables(self) -> tuple[Table, Table]:
        arcs, effective, _ = self._arc_figures
        return arcs, effective

    @cached_property
    def _worst_arc(self) -> float:
        return self._arc_figures[2]

    @cached_property
    def _arc_figures(self) -> tuple[Table, Table, float]:
        """Return the probability and the effective sample size of every arc, and the largest R-hat."""
        count, size = self.heads.shape
        arcs, effective, worst = np.zeros((size, size)), np.full((size, size), float(count)), 1.0
        words = np.arange(1, size)
        codes = self.heads[:, 1:].astype(np.int64) * size + words
        codes_drawn = np.unique(codes)
        for first in range(0, len(codes_drawn), _AT_ONCE):
            batch = codes_drawn[first : first + _AT_ONCE]
            heads, modifiers = batch // size, batch % size
            occurs = (self.heads[:, modifiers] == heads).astype(np.float64)
            arcs[heads, modifiers] = occurs.mean(axis=0)
            effective[heads, modifiers], r_hats = self._judge(occurs)
            worst = max(worst, float(r_hats.max()))
        return arcs, effective, worst

    def _judge(self, values: Table) -> tuple[Table, Table]:
        """(events,) Return the effective sample sizes of ``values`` (samples, events), and their R-hats."""
        if not self.chains or len(values) < 4 * self.chains:
            return np.full(values.shape[1], float(len(values))), np.ones(values.shape[1])
        series = self._series(values)
        return _effective(series), _r_hats(series)

    def _series(self, values: Table) -> npt.NDArray[np.float64]:
        """(chains, draws, events) Return values of samples by chains."""
        whole = len(values) - len(values) % self.chains
        return values[:whole].reshape(-1, self.chains, values.shape[1]).swapaxes(0, 1)


def _errors(chances: Table, effective: Table) -> Table:
    smooth = (chances * effective + 1.0) / (effective + 2.0)
    return np.sqrt(smooth * (1.0 - smooth) / effective)


def _r_hats(series: npt.NDArray[np.float64]) -> Table:
    """(events,) Return the root of the variance over all half chains, divided by the variance within them."""
    draws = series.shape[1] // 2
    halves = np.concatenate([series[:, :draws], series[:, -draws:]])
    within = halves.var(axis=1, ddof=1).mean(axis=0)
    between = halves.mean(axis=1).var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        r_hats = np.sqrt((draws - 1) / draws + between / within)
    return np.where(between <= 1e-20 * (1.0 + within), 1.0, r_hats)


def _effective(series: npt.NDArray[np.float64]) -> Table:
    """(events,) Return the number of draws divided by the sum of autocorrelations, at most the number of draws."""
    chains, draws, events = series.shape
    means = series.mean(axis=1)
    spectrum = np.fft.rfft(series - means[:, None], n=2 * draws, axis=1)
    covariance = np.fft.irfft(np.abs(spectrum) ** 2, axis=1)[:, :draws].mean(axis=0) / draws
    within = covariance[0] * draws / (draws - 1)
    total = covariance[0] + (means.var(axis=0, ddof=1) if chains > 1 else 0.0)
    constant = total <= 1e-20
    correlation = 1.0 - (within - covariance) / np.where(constant, 1.0, total)
    correlation[0] = 1.0
    # Sums of neighbours are positive and decrease (Geyer's initial monotone sequence); beyond that there is only noise.
    pairs = correlation[: draws - draws % 2].reshape(-1, 2, events).sum(axis=1)
    positive = np.logical_and.accumulate(pairs > 0.0, axis=0)
    falling = np.minimum.accumulate(np.where(positive, pairs, 0.0), axis=0)
    time = np.maximum(2.0 * falling.sum(axis=0) - 1.0, 1.0)
    return np.where(constant, float(chains * draws), chains * draws / time)
