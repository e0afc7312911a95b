"""How probable arcs and whole trees are, by a search and a temperature.

Where the decoder has marginals, a tree of score s has probability exp(s / T) / Z(T), and an arc the sum over the trees
that have it. Else an arc's probability is that of the tree beside those with another head for one word.

A whole tree is right less often than its arcs suggest one by one, and more often than if they were independent, so
trees have a temperature of their own, T / power, fitted on the dev set. No tree is more probable than its least
probable arc, and the probabilities of different trees sum to 1 at most where the decoder has marginals.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headway.parts import Parse

_LEAST = 1e-9


@dataclass(frozen=True, eq=False)
class Chances:
    """The probabilities of arcs at one temperature.

    Parameters
    ----------
    arcs : (n + 1, n + 1) float64
        [head, modifier]
    log_partition : float, optional
        The logarithm of Z, where the decoder has marginals.
    """

    arcs: npt.NDArray[np.float64]
    log_partition: float | None = None


Curve = Callable[[float], Chances]
"""Probabilities as a function of the temperature."""


def tree_probability(curve: Curve, chances: Chances, parse: Parse, *, temperature: float, power: float) -> float:
    """Return how probable a whole tree is.

    Parameters
    ----------
    curve, chances
        Of the sentence; the latter at `temperature`.
    power : float
        The temperature of arcs divided by that of trees.
    """
    arcs = chances.arcs[parse.heads[1:], np.arange(1, len(parse.heads))]
    least = float(arcs.min(initial=1.0))
    if chances.log_partition is None:
        return min(least, float(np.exp(power * np.log(np.maximum(arcs, _LEAST)).sum())))
    log_partition = curve(temperature / power).log_partition
    assert log_partition is not None
    return min(least, float(np.exp(min(0.0, power * parse.score / temperature - log_partition))))
