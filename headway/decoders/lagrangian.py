"""Lagrangian relaxation with two oracles: maximise f(z) + h(y) subject to z = y on their shared variables.

Each oracle can maximise its function plus any linear one. With a multiplier u for every shared variable,

    L(u) = max over z of (f(z) - u z)  +  max over y of (h(y) + u y)

is an upper bound of the optimum for every u, and subgradient steps lower it. If the two oracles agree, or the score of
a solution reaches the bound, that solution is proved to be optimal.

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
"""`decreasing` is the rule of Koo et al.: a constant, divided by one plus the number of times that the dual value rose.
`polyak` divides the gap between bound and best solution by the squared length of the disagreement.
`halving` is the rule of Rush et al., appendix B: a constant, halved whenever the dual value rises."""


class Oracle(Protocol):
    """Maximises a fixed function plus a linear one."""

    def best(self, weights: Vector) -> tuple[float, Vector]:
        """Return the maximum and the 0/1 vector where it is reached."""
        ...


@dataclass
class Relaxation:
    """The result of minimising the dual.

    Parameters
    ----------
    solution : Any
        The best solution found, as `primal` returned it; None if there was none.
    score : float
        The score of the solution.
    bound : float
        An upper bound on the scores of all solutions.
    multipliers : (size,) float64
        The multipliers that gave the lowest bound.
    disagreement : (size,) float64
        A running mean of the difference between the oracles' answers: where it is not zero, the relaxation is loose.
    bounds, scores : list of float
        The lowest bound and the best score after each iteration.
    solutions : list of (int, Any)
        Each solution that was better than all before it, with the iteration that found it, counted from 1.
    searches : int
        The number of calls of the second oracle.
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
        """Whether the solution is proved to be optimal."""
        return is_certified(self.score, self.bound)


SLACK = 1e-9
"""The relative tolerance within which a score counts as reaching the bound."""


def is_certified(score: float, bound: float) -> bool:
    """Return whether a score reaches the bound, up to rounding."""
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
    """Lower the bound until a solution reaches it or the iterations are used up.

    Parameters
    ----------
    primal : callable
        Maps an answer of the second oracle to the score of a solution and the solution.
    start : Relaxation
        The state to continue from: multipliers and the best solution so far. It is modified in place.
    step : str
        One of `STEPS`.
    first_step : float
        The first step size of `halving`, in units of the scores.
    enough : float
        Stop as soon as the bound is at most this, because no solution can then be better than it.
    is_over : callable
        Called every 16 iterations; returns whether the time limit is reached.
    """
    if step not in STEPS:
        raise UsageError(f"no step {step!r}; choose from {', '.join(STEPS)}")
    state, multipliers = start, start.multipliers.copy()
    rate, rises, last, patience, best_since = 1.0, 0, np.inf, 0, np.inf
    earlier = len(state.bounds)
    for iteration in range(iterations):
        upper, first_answer = first.best(-multipliers)
        lower, second_answer = second.best(multipliers)
        state.searches += 1
        value = upper + lower
        score, solution = primal(second_answer)
        if score > state.score:
            state.score, state.solution = score, solution
            state.solutions.append((earlier + iteration + 1, solution))
        if value < state.bound:
            state.bound, state.multipliers = value, multipliers.copy()
        difference = first_answer - second_answer
        length = float(difference @ difference)
        state.disagreement += _AVERAGED * (np.abs(difference) - state.disagreement)
        if length == 0.0:  # the oracles agree, so the solution reaches the bound up to rounding
            state.bound = state.score
        state.bounds.append(state.bound)
        state.scores.append(state.score)
        if state.certified or state.bound <= enough or (iteration % 16 == 15 and is_over()):
            break
        if step == "polyak":
            if value < best_since - 1e-4 * abs(best_since - state.score):
                best_since, patience = value, 0
            else:
                patience += 1
                if patience >= _PATIENCE:
                    rate, patience = max(rate * 0.6, _LEAST_RATE), 0
            target = max(state.score, enough)
            size = rate * max(value - target, 0.0) / length
        else:
            if iteration == 0:
                rate = max(value - score, SLACK)
            rises += value > last
            size = rate / (1.0 + rises) if step == "decreasing" else first_step * 2.0**-rises
        last = value
        multipliers = multipliers + size * difference
    return state
