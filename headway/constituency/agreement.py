"""Joint inference of a constituent parser with a tagger, a dependency parser, or both, by dual decomposition.

    maximise  f(tree) + a · g(tags of the tree) + b · h(dependencies of the tree)

Each model has an exact decoder: the parser's forest, the tagger's trigrams, the dependency parser's chart. Multipliers
on tags (word, tag) and on arcs (head, modifier) make them agree; `headway.decoders.lagrangian` finds them. If the
models agree, the tree is certified to be the best tree of the forest under the sum.

Rush, Sontag, Collins and Jaakkola (2010), "On dual decomposition and linear programming relaxations for natural
language processing", sections 4.1 and 4.2 and appendix B. The paper does not combine all three models.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from headway.constituency.forest import Forest
from headway.constituency.partners import Both, Partner, Trees, split_sides
from headway.decoders.alternating_oracles import alternate_oracles
from headway.decoders.lagrangian import STEPS as SUBGRADIENT_STEPS
from headway.decoders.lagrangian import Relaxation, Vector, is_certified, relax
from headway.errors import UsageError

ITERATIONS = 50
FIRST_STEP = 0.5
STEPS = ("mixed", "ad3", *SUBGRADIENT_STEPS)
"""The methods of minimising the dual: `mixed` starts with a few Polyak steps, which suffice for nine sentences in ten,
and continues from the lowest bound by halving; `ad3` (alternating directions) needs fewer iterations, but more
searches; the others are those of `headway.decoders.lagrangian`."""

_FAST_STEPS = 8
FORBIDDEN = 1e6
"""The cost of a forbidden choice."""


@dataclass(frozen=True)
class Agreement:
    """The result of joint inference.

    Parameters
    ----------
    edges : (edges,) int32
        The edges of the best tree found.
    score, bound : float
        The tree's score under all models together, and an upper bound for all trees of the forest.
    iterations : int
        The number of iterations.
    searches : int
        The number of searches of the forest; with AD3, more than one per iteration.
    history : tuple of (int, (edges,) int32)
        Each tree that was better than all before it, with its iteration.
    multipliers : (variables,) float64
        The multipliers that gave the lowest bound.
    """

    edges: npt.NDArray[np.int32]
    score: float
    bound: float
    iterations: int
    searches: int = 1
    history: tuple[tuple[int, npt.NDArray[np.int32]], ...] = ()
    multipliers: Vector | None = None

    @property
    def certified(self) -> bool:
        """Whether the tree is proved to be optimal."""
        return is_certified(self.score, self.bound)


def agree(
    forest: Forest,
    partners: Sequence[Partner],
    *,
    iterations: int = ITERATIONS,
    step: str = "mixed",
    first_step: float = FIRST_STEP,
) -> Agreement:
    """Find the best tree under the sum of the forest's and its partners' scores.

    Parameters
    ----------
    step : str
        One of `STEPS`.
    first_step : float
        See `headway.decoders.lagrangian.relax`.
    """
    if step not in STEPS:
        raise UsageError(f"no step {step!r}; choose from {', '.join(STEPS)}")
    trees, partner = split_sides(forest, partners)

    def primal(answer: Vector) -> tuple[float, npt.NDArray[np.int32]]:
        return float(forest.scores[trees.answer].sum()) + partner.value(answer), trees.answer

    found = _relax(partner, trees, primal, iterations, step, first_step)
    return Agreement(
        found.solution, found.score, found.bound, len(found.bounds), found.searches, tuple(found.solutions),
        found.multipliers,
    )  # fmt: skip


def _relax(
    first: "Partner | Both",
    second: Trees,
    primal: Callable[[Vector], tuple[float, npt.NDArray[np.int32]]],
    iterations: int,
    step: str,
    first_step: float = FIRST_STEP,
) -> Relaxation:
    found = Relaxation(np.zeros(second.size), np.zeros(second.size))
    if step == "ad3":
        return alternate_oracles(first, second, primal, start=found, iterations=iterations)
    if step == "mixed":
        found = relax(first, second, primal, start=found, iterations=min(_FAST_STEPS, iterations), step="polyak")
        step, iterations = "halving", iterations - len(found.bounds)
    if found.certified or iterations <= 0:
        return found
    return relax(first, second, primal, start=found, iterations=iterations, step=step, first_step=first_step)


def agree_exactly(
    forest: Forest, partners: Sequence[Partner], *, iterations: int = ITERATIONS, most: int = 200
) -> Agreement:
    """Find the best tree with a proof: like `agree`, then branch on variables on which the models disagree.

    Parameters
    ----------
    most : int
        The maximum number of relaxations to solve; if it is reached, the tree may be uncertified.
    """
    trees, partner = split_sides(forest, partners)
    best = Agreement(np.empty(0, dtype=np.int32), -np.inf, -np.inf, 0)
    open_cases: list[tuple[float, dict[int, bool]]] = [(np.inf, {})]
    closed = -np.inf  # the highest bound of branches that are not explored further
    solved = 0
    while open_cases and solved < most:
        case = max(range(len(open_cases)), key=lambda place: open_cases[place][0])
        bound, fixed = open_cases.pop(case)
        if bound <= best.score or is_certified(best.score, bound):
            closed = max(closed, bound)
            continue
        solved += 1
        weights = np.zeros(trees.size)
        for variable, is_set in fixed.items():
            weights[variable] = FORBIDDEN if is_set else -FORBIDDEN
        lift = FORBIDDEN * sum(fixed.values())
        case_trees = replace(trees)
        shifted = _Shifted(case_trees, weights, lift)

        def primal(answer: Vector, case_trees: Trees = case_trees) -> tuple[float, npt.NDArray[np.int32]]:
            return float(forest.scores[case_trees.answer].sum()) + partner.value(answer), case_trees.answer

        found = _relax(partner, shifted, primal, iterations, "polyak")  # type: ignore[arg-type]
        if found.score > best.score:
            best = Agreement(found.solution, found.score, found.bound, solved)
        free = found.disagreement.copy()
        free[list(fixed)] = 0.0
        if found.bound <= best.score or found.certified or free.max() == 0.0:
            closed = max(closed, min(found.bound, bound))
            continue
        variable = int(free.argmax())
        open_cases += [(found.bound, {**fixed, variable: is_set}) for is_set in (False, True)]
    bound = max([closed, best.score, *(case[0] for case in open_cases)])
    return replace(best, bound=bound, iterations=solved)


class _Shifted:
    """Trees with some variables fixed, by weights that dominate all scores."""

    def __init__(self, trees: Trees, weights: Vector, lift: float) -> None:
        self.trees, self.weights, self.lift, self.size = trees, weights, lift, trees.size

    def best(self, weights: Vector) -> tuple[float, Vector]:
        value, answer = self.trees.best(weights + self.weights)
        return value - self.lift, answer


def obey(forest: Forest, partner: Partner, answer: Vector) -> npt.NDArray[np.int32]:
    """Return the edges of the best tree among those that differ least from a partner's answer.

    This is the baseline of Rush et al. (2010), section 7.1: dependencies or tags as hard constraints.
    """
    trees, _ = split_sides(forest, [partner])
    trees.best(np.where(answer > 0, FORBIDDEN, 0.0))
    return trees.answer
