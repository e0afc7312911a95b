"""Lagrangian relaxation with two oracles: maximise f(z) + h(y) where z and y agree.

Each oracle can maximise its own function plus any linear one. With a multiplier for every place where they must agree,

    L(u) = max over z of (f(z) - u z)  +  max over y of (h(y) + u y)

is an upper bound of the optimum, whatever u is; subgradient steps lower it. Where the two answers agree, or a solution
is found that reaches the bound, the solution is certified to be the best.

Rush, Sontag, Collins and Jaakkola (2010), "On dual decomposition and linear programming relaxations for natural
language processing"; Koo et al. (2010), section 4 and appendix A.1. Polyak (1969) for the steps of that name.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from headway.errors import UsageError

Vector = npt.NDArray[np.float64]

STEPS = ("decreasing", "polyak", "halving")
"""`decreasing` is the rule of Koo et al.: a constant, divided by one plus the number of times that the bound rose.
`polyak` goes as far as the gap between bound and best solution, over the squared length of the disagreement, says.
`halving` is that of Rush et al., appendix B: a constant, halved whenever the bound rises."""


class Oracle(Protocol):
    """Maximises a function of its own plus a linear one."""

    def best(self, weights: Vector) -> tuple[float, Vector]:
        """The highest value, and where it is reached: zeros and ones."""
        ...


@dataclass
class Relaxation:
    """The result of a dual search.

    Parameters
    ----------
    solution : Any
        The best one seen, as `primal` described it; None where there was none.
    score : float
        Of the solution.
    bound : float
        No solution scores more.
    multipliers : (size,) float64
        Those of the lowest bound.
    disagreement : (size,) float64
        How far the two oracles' answers were apart on average: where it is not zero, the relaxation is loose.
    bounds, scores : list of float
        The lowest bound and the best score after each iteration.
    solutions : list of (int, Any)
        Every solution that was the best for a while, and the iteration that found it, counted from 1.
    searches : int
        How often the second oracle was asked.
    """

    multipliers: Vector
    disagreement: Vector
    solution: Any = None
    score: float = -np.inf
    bound: float = np.inf
    bounds: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    solutions: list[tuple[int, Any]] = field(default_factory=list)
    searches: int = 0

    @property
    def certified(self) -> bool:
        """Whether the solution is proved to be the best."""
        return is_certified(self.score, self.bound)


SLACK = 1e-9
"""How far below the bound, for its size, a solution may be and still count as reaching it."""


def is_certified(score: float, bound: float) -> bool:
    """Whether a solution of that score reaches the bound, up to rounding."""
    return score > -np.inf and bound - score <= SLACK * (1.0 + abs(score))


_AVERAGED = 0.05
_PATIENCE, _LEAST_RATE = 12, 0.01


def relax(
    first: Oracle,
    second: Oracle,
    primal: Callable[[Vector], tuple[float, Any]],
    *,
    start: Relaxation,
    iterations: int = 5000,
    step: str = "decreasing",
    first_step: float = 0.5,
    enough: float = -np.inf,
    is_over: Callable[[], bool] = lambda: False,
) -> Relaxation:
    """Lower the bound until it is met by a solution, or iterations are used up.

    Parameters
    ----------
    primal : callable
        From the second oracle's answer to the score of a solution, and the solution.
    start : Relaxation
        Where to go on from: multipliers, and the best solution so far. It is changed.
    step : str
        One of `STEPS`.
    first_step : float
        Of `halving`: in the units of the scores.
    enough : float
        Stop when the bound falls to this: no solution beyond it is wanted.
    is_over : callable
        Asked now and then whether time is up.
    """
    if step not in STEPS:
        raise UsageError(f"no step {step!r}; there are {', '.join(STEPS)}")
    found, multipliers = start, start.multipliers.copy()
    rate, rises, last, patience, best_since = 1.0, 0, np.inf, 0, np.inf
    earlier = len(found.bounds)
    for iteration in range(iterations):
        upper, one = first.best(-multipliers)
        lower, other = second.best(multipliers)
        found.searches += 1
        value = upper + lower
        score, solution = primal(other)
        if score > found.score:
            found.score, found.solution = score, solution
            found.solutions.append((earlier + iteration + 1, solution))
        if value < found.bound:
            found.bound, found.multipliers = value, multipliers.copy()
        difference = one - other
        length = float(difference @ difference)
        found.disagreement += _AVERAGED * (np.abs(difference) - found.disagreement)
        if length == 0.0:  # agreement: the bound is reached, up to rounding
            found.bound = found.score
        found.bounds.append(found.bound)
        found.scores.append(found.score)
        if found.certified or found.bound <= enough or (iteration % 16 == 15 and is_over()):
            break
        if step == "polyak":
            if value < best_since - 1e-4 * abs(best_since - found.score):
                best_since, patience = value, 0
            else:
                patience += 1
                if patience >= _PATIENCE:
                    rate, patience = max(rate * 0.6, _LEAST_RATE), 0
            target = max(found.score, enough)
            size = rate * max(value - target, 0.0) / length
        else:
            if iteration == 0:
                rate = max(value - score, SLACK)
            rises += value > last
            size = rate / (1.0 + rises) if step == "decreasing" else first_step * 2.0**-rises
        last = value
        multipliers = multipliers + size * difference
    return found
