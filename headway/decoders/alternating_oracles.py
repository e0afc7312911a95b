"""AD3 for two oracles: `headway.decoders.lagrangian` with a quadratic penalty for disagreement.

Each side keeps a copy of the variables, a mixture of answers that its oracle has given. In every iteration each side
maximises

    its score + its multipliers · copy - rate / 2 · |copy - average of both copies|²

over mixtures of its answers, querying its oracle for new answers as long as the gradient prefers one; then the average
is recomputed, and the multipliers move by the distance between the copies. Fewer iterations than with subgradients,
each with more searches. `headway.decoders.alternating_directions` does the same for head automata, in one kernel.

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
"""The maximum number of queries of an oracle in one iteration."""
_PAIRS = 100
_TOLERANCE = 1e-8
_ADAPT, _UNEVEN = 4, 10.0
"""The rate is adapted after this many iterations, if the squared distance of the copies to the average and
the last move of the average differ by more than this factor."""


class _Mixture:
    """One side: its oracle, and the answers that it mixes."""

    def __init__(self, oracle: Oracle, size: int, heard: Callable[[Vector], None]) -> None:
        self.oracle, self.heard, self.searches = oracle, heard, 0
        self.answers, self.values, self.mass = np.empty((0, size)), np.empty(0), np.empty(0)
        self.copy = np.zeros(size)

    def ask(self, weights: Vector) -> tuple[float, Vector]:
        """Query the oracle under these weights, and report the answer to the listener."""
        value, answer = self.oracle.best(weights)
        self.searches += 1
        self.heard(answer)
        return value, answer

    def add(self, value: float, answer: Vector) -> None:
        """Add an answer, whose score without weights is `value`, in place of the answer with the least mass."""
        if len(self.mass) == _CHOICES:
            least = int(np.argmin(self.mass))
            kept = np.arange(_CHOICES) != least
            self.answers, self.values, self.mass = self.answers[kept], self.values[kept], self.mass[kept]
            self.mass /= self.mass.sum()
        self.answers = np.vstack([self.answers, answer])
        self.values = np.append(self.values, value)
        self.mass = np.append(self.mass, 0.0 if len(self.mass) else 1.0)

    def solve(self, weights: Vector, average: Vector, rate: float) -> None:
        """Move the copy to the optimum of the quadratic problem."""
        gradient = self._mix(weights, average, rate)
        for _ in range(_CORRECTIONS):
            pulled = weights - rate * (self.copy - average)
            value, answer = self.ask(pulled)
            if value <= gradient + _TOLERANCE * (1.0 + abs(gradient)):
                break
            self.add(value - float(pulled @ answer), answer)
            gradient = self._mix(weights, average, rate)

    def _mix(self, weights: Vector, average: Vector, rate: float) -> float:
        """Distribute the mass over the answers, by steps between pairs; return the gradient of those with mass."""
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
    """Lower the bound until a solution reaches it, or iterations are used up.

    Parameters
    ----------
    primal, start
        As in `headway.decoders.lagrangian.relax`. Every answer of the second oracle is tried as a solution.
    rate : float
        The weight of the quadratic penalty, in units of the scores; it is adapted.
    """
    found, multipliers = start, start.multipliers.copy()
    iteration, before = len(found.bounds), start.searches

    def keep(answer: Vector) -> None:
        score, solution = primal(answer)
        if score > found.score:
            found.score, found.solution = score, solution
            found.solutions.append((iteration, solution))

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
        if total < found.bound:
            found.bound, found.multipliers = total, multipliers.copy()
        if np.array_equal(answers[0], answers[1]):  # the oracles agree, so the bound is reached up to rounding
            found.bound = found.score
        found.bounds.append(found.bound)
        found.scores.append(found.score)
        found.searches = before + sides[1].searches
        if found.certified:
            break
        if turn == 0:
            average = (answers[0] + answers[1]) / 2.0
        for side, weights in zip(sides, (-multipliers, multipliers), strict=True):
            side.solve(weights, average, rate)
        fresh = (sides[0].copy + sides[1].copy) / 2.0
        apart = sides[0].copy - sides[1].copy
        found.disagreement = np.abs(apart)
        multipliers = multipliers + rate * apart / 2.0
        pulled, shifted = float(apart @ apart) / 2.0, 2.0 * float((fresh - average) @ (fresh - average))
        average = fresh
        if turn % _ADAPT == _ADAPT - 1 and max(pulled, shifted) > _UNEVEN * min(pulled, shifted):
            rate *= 2.0 if pulled > shifted else 0.5
    found.searches = before + sides[1].searches
    return found
