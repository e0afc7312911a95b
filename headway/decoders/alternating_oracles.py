"""AD3 for two oracles: the relaxation of `headway.decoders.lagrangian`, with a quadratic penalty for disagreement.

Each side keeps its own copy of the shared variables, which is a mixture (a convex combination) of answers of its
oracle. In every iteration, each side chooses the mixture that maximises

    its score + its multipliers · copy - rate / 2 · |copy - average of both copies|²

and queries its oracle for another answer as long as that increases the maximum, a few times at most. Then the average
is recomputed, and the multipliers are changed in proportion to the difference between the copies. This takes fewer
iterations than subgradient steps, but more queries in each. `headway.decoders.alternating_directions` does the same for
head automata, in one kernel.

Martins, Figueiredo, Aguiar, Smith and Xing (2015), "AD3: Alternating directions dual decomposition for MAP inference in
graphical models", section 6 for the quadratic problem.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from headway.decoders.lagrangian import Oracle, Relaxation, Vector

_CHOICES = 16
"""The maximum number of answers that a side mixes."""
_CORRECTIONS = 8
"""The maximum number of additional queries of each oracle in one iteration."""
_PAIRS = 100
"""The maximum number of steps for finding the best mixture; each moves mass between a pair of answers."""
_TOLERANCE = 1e-8
_ADAPT, _UNEVEN = 4, 10.0
"""Every `_ADAPT` iterations, the rate is doubled or halved if the squared distance of the copies to their average, and
the squared change of the average, differ by more than the factor `_UNEVEN`."""


class _Mixture:
    """One side: its oracle, the answers that it mixes, and `copy`, the mixture.

    Parameters
    ----------
    size : int
        The number of shared variables.
    listener : callable
        Called with every answer of the oracle.
    """

    def __init__(self, oracle: Oracle, size: int, listener: Callable[[Vector], None]) -> None:
        self.oracle, self.listener, self.searches = oracle, listener, 0
        self.answers, self.values, self.mass = np.empty((0, size)), np.empty(0), np.empty(0)
        self.copy = np.zeros(size)

    def ask(self, weights: Vector) -> tuple[float, Vector]:
        """Query the oracle with these weights, tell the listener the answer, and return its value and the answer."""
        value, answer = self.oracle.best(weights)
        self.searches += 1
        self.listener(answer)
        return value, answer

    def add(self, value: float, answer: Vector) -> None:
        """Add an answer, whose score without weights is `value`; if full, drop the answer with the least mass."""
        if len(self.mass) == _CHOICES:
            least = int(np.argmin(self.mass))
            kept = np.arange(_CHOICES) != least
            self.answers, self.values, self.mass = self.answers[kept], self.values[kept], self.mass[kept]
            self.mass /= self.mass.sum()
        self.answers = np.vstack([self.answers, answer])
        self.values = np.append(self.values, value)
        self.mass = np.append(self.mass, 0.0 if len(self.mass) else 1.0)

    def solve(self, weights: Vector, average: Vector, rate: float) -> None:
        """Set `copy` to the optimum of the quadratic problem, or near it."""
        gradient = self._mix(weights, average, rate)
        for _ in range(_CORRECTIONS):
            slope = weights - rate * (self.copy - average)
            value, answer = self.ask(slope)
            if value <= gradient + _TOLERANCE * (1.0 + abs(gradient)):
                break
            self.add(value - float(slope @ answer), answer)
            gradient = self._mix(weights, average, rate)

    def _mix(self, weights: Vector, average: Vector, rate: float) -> float:
        """Find the best mixture by moving mass between pairs of answers; return the gradient of answers with mass."""
        common = self.answers @ self.answers.T
        gains = self.values + self.answers @ (weights + rate * average) - rate * (common @ self.mass)
        for _ in range(_PAIRS):
            up = int(np.argmax(gains))
            down = int(np.argmin(np.where(self.mass > 0.0, gains, np.inf)))
            if gains[up] - gains[down] <= _TOLERANCE:
                break
            distance = common[up, up] + common[down, down] - 2.0 * common[up, down]
            whole = self.mass[down]
            size = whole if distance <= 0.0 else min(whole, (gains[up] - gains[down]) / (rate * distance))
            self.mass[up] += size
            self.mass[down] = whole - size
            gains -= rate * size * (common[up] - common[down])
        self.copy = self.mass @ self.answers
        return float(np.where(self.mass > 0.0, gains, -np.inf).max())


def alternate_oracles(
    first: Oracle,
    second: Oracle,
    primal: Callable[[Vector], tuple[float, Any]],
    *,
    start: Relaxation,
    iterations: int = 50,
    rate: float = 1.0,
) -> Relaxation:
    """Lower the bound until a solution reaches it or the iterations are used up.

    Parameters
    ----------
    primal, start
        As in `headway.decoders.lagrangian.relax`. Every answer of the second oracle is tried as a solution.
    rate : float
        The initial weight of the quadratic penalty, in units of the scores.
    """
    state, multipliers = start, start.multipliers.copy()
    iteration, earlier_searches = len(state.bounds), start.searches

    def keep(answer: Vector) -> None:
        score, solution = primal(answer)
        if score > state.score:
            state.score, state.solution = score, solution
            state.solutions.append((iteration, solution))

    sides = [
        _Mixture(first, len(multipliers), lambda answer: None),
        _Mixture(second, len(multipliers), keep),
    ]
    average = np.zeros(len(multipliers))
    for turn in range(iterations):
        iteration += 1
        total, answers = 0.0, list[Vector]()
        for side, weights in zip(sides, (-multipliers, multipliers), strict=True):
            value, answer = side.ask(weights)
            total += value
            answers.append(answer)
            if turn == 0:
                side.add(value - float(weights @ answer), answer)
        if total < state.bound:
            state.bound, state.multipliers = total, multipliers.copy()
        if np.array_equal(answers[0], answers[1]):  # then the solution reaches the bound up to rounding
            state.bound = state.score
        state.bounds.append(state.bound)
        state.scores.append(state.score)
        state.searches = earlier_searches + sides[1].searches
        if state.certified:
            break
        if turn == 0:
            average = (answers[0] + answers[1]) / 2.0
        for side, weights in zip(sides, (-multipliers, multipliers), strict=True):
            side.solve(weights, average, rate)
        new_average = (sides[0].copy + sides[1].copy) / 2.0
        difference = sides[0].copy - sides[1].copy
        state.disagreement = np.abs(difference)
        multipliers = multipliers + rate * difference / 2.0
        change = new_average - average
        apart, moved = float(difference @ difference) / 2.0, 2.0 * float(change @ change)
        average = new_average
        if turn % _ADAPT == _ADAPT - 1 and max(apart, moved) > _UNEVEN * min(apart, moved):
            rate *= 2.0 if apart > moved else 0.5
    state.searches = earlier_searches + sides[1].searches
    return state
