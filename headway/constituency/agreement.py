"""A constituent parser in agreement with a tagger, a dependency parser, or both: dual decomposition.

    maximise  f(tree) + a · g(tags of the tree) + b · h(dependencies of the tree)

Each model has an exact search of its own: the parser's forest, the tagger's trigrams, the dependency parser's chart.
Multipliers on tags (word, tag) and on arcs (head, modifier) make them agree; `headway.decoders.lagrangian` has the
search for them. Where they agree, the tree is certified to be the best of the forest under the sum.

Rush, Sontag, Collins and Jaakkola (2010), "On dual decomposition and linear programming relaxations for natural
language processing", sections 4.1 and 4.2 and appendix B; all three models at once are beyond the paper.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from headway.charts.chart import HEAD, MODIFIER, Chart
from headway.charts.derivations import write_best_tree
from headway.charts.values import highest_values
from headway.constituency.forest import LEAF, LEFT, PARENT, RIGHT, SYMBOL, Forest, best_edges, best_values
from headway.decoders.alternating_oracles import alternate_oracles
from headway.decoders.lagrangian import STEPS as SUBGRADIENT_STEPS
from headway.decoders.lagrangian import Relaxation, Vector, is_certified, relax
from headway.errors import UsageError
from headway.tagging.viterbi import Transitions, best_tags

ITERATIONS = 50
FIRST_STEP = 0.5
STEPS = ("mixed", "ad3", *SUBGRADIENT_STEPS)
"""How the dual is lowered: `mixed` begins with a few of Polyak's steps, which settle nine sentences in ten, and goes on
by halving from the lowest bound; `ad3` is alternating directions, in fewer iterations of more searches; the others are
those of `headway.decoders.lagrangian`."""
_FAST_STEPS = 8
FORBIDDEN = 1e6
"""What a choice that must not be made costs."""


class Partner(Protocol):
    """A model that trees are to agree with: see `headway.decoders.lagrangian.Oracle`."""

    @property
    def size(self) -> int:
        """The number of variables."""
        ...

    def best(self, weights: Vector) -> tuple[float, Vector]:
        """Return the highest value under additional weights of the variables, and the answer that has it."""
        ...

    def value(self, answer: Vector) -> float:
        """Return what an answer scores."""
        ...

    def read(self, forest: Forest) -> npt.NDArray[np.int64]:
        """(edges,) The variable that each edge of a forest sets, -1 where it sets none."""
        ...


@dataclass
class Trees:
    """The parser's side: the trees of a forest.

    Parameters
    ----------
    variables : sequence of (edges,) int64
        For each partner, the variable that an edge sets, -1 for none; those of a second partner come after the first's.
    """

    forest: Forest
    variables: Sequence[npt.NDArray[np.int64]]
    size: int

    def __post_init__(self) -> None:
        self.answer = np.empty(0, dtype=np.int32)

    def best(self, weights: Vector) -> tuple[float, Vector]:
        """Find the best tree under additional weights; its edges are kept in `answer`."""
        values, back = best_values(self.forest, self.weighted(weights))
        self.answer = best_edges(self.forest, back, len(values) - 1)
        return float(values[-1]), self.vector(self.answer)

    def weighted(self, weights: Vector) -> Vector:
        """(edges,) The scores of the forest's edges with additional weights of the variables."""
        padded = np.append(weights, 0.0)
        return np.asarray(self.forest.scores + sum(padded[own] for own in self.variables))

    def vector(self, edges: npt.NDArray[np.int32]) -> Vector:
        """(size,) The variables that a tree sets."""
        found = np.zeros(self.size + 1)
        for own in self.variables:
            found[own[edges]] = 1.0
        return found[:-1]


@dataclass(frozen=True)
class Tags:
    """The trigram tagger's side.

    Parameters
    ----------
    emissions : (words, tags) float64
        -inf for tags that the parser does not try.
    weight : float
        What the tagger counts beside the parser.
    leaves : (leaves, 2) int64
        The word and the tag of each leaf of the forest: variable number t of a word w is w · tags + t.
    """

    emissions: npt.NDArray[np.float64]
    transitions: Transitions
    weight: float
    leaves: npt.NDArray[np.int64]

    @property
    def size(self) -> int:
        """The number of variables."""
        return self.emissions.size

    def best(self, weights: Vector) -> tuple[float, Vector]:
        """Find the best tags under additional weights."""
        tags = np.empty(len(self.emissions), dtype=np.int32)
        best_tags(
            self.weight * self.emissions + weights.reshape(self.emissions.shape), self.transitions, self.weight, tags
        )
        answer = np.zeros(self.emissions.shape)
        answer[np.arange(len(tags)), tags] = 1.0
        flat = answer.reshape(-1)
        return self.value(flat) + float(flat @ np.where(flat > 0, weights, 0.0)), flat

    def value(self, answer: Vector) -> float:
        """Return what tags score."""
        edge = self.emissions.shape[1]
        tags = answer.reshape(self.emissions.shape).argmax(axis=1)
        padded = np.concatenate([[edge, edge], tags, [edge]])
        steps = self.transitions.pairs[padded[1:-1], padded[2:]].astype(np.float64)
        triples = self.transitions.triples[padded[:-2], padded[1:-1], padded[2:]].astype(np.float64)
        own = self.emissions[np.arange(len(tags)), tags]
        return self.weight * float(own.sum() + steps.sum() + triples.sum())

    def read(self, forest: Forest) -> npt.NDArray[np.int64]:
        """(edges,) The variable of each leaf edge."""
        leaf = forest.items[forest.edges[:, PARENT], LEAF]
        numbers = self.leaves[leaf, 0] * self.emissions.shape[1] + self.leaves[leaf, 1]
        return np.where(forest.edges[:, LEFT] < 0, numbers, -1)


@dataclass(frozen=True)
class Arcs:
    """The projective dependency parser's side.

    Parameters
    ----------
    chart, scores
        Of one sentence; the first scores are those of arcs.
    weight : float
        What the dependency parser counts beside the constituent parser.
    words : (leaves,) int64
        The word of each leaf of the forest, from 0.
    """

    chart: Chart
    scores: npt.NDArray[np.float64]
    weight: float
    words: npt.NDArray[np.int64]

    @property
    def size(self) -> int:
        """The number of variables: arcs."""
        return len(self.chart.arcs)

    def _search(self, weights: Vector) -> tuple[float, Vector]:
        scores = self.scores * self.weight
        scores[: self.size] += weights
        values = highest_values(self.chart, scores)
        heads = np.empty(len(self.chart.vertices), dtype=np.int32)
        write_best_tree(self.chart, scores, values, heads)
        return float(values[-1]), self.vector(heads)

    def vector(self, heads: Sequence[int] | npt.NDArray[np.int32]) -> Vector:
        """(arcs,) Which arcs a tree has, its heads with an entry for the root first."""
        own = np.asarray(heads)[self.chart.arcs[:, MODIFIER]] == self.chart.arcs[:, HEAD]
        return np.asarray(own, dtype=np.float64)

    def best(self, weights: Vector) -> tuple[float, Vector]:
        """Find the best dependency tree under additional weights."""
        return self._search(weights)

    def value(self, answer: Vector) -> float:
        """Return what a dependency tree scores: that of the best one with these arcs and no others."""
        return self._search(np.where(answer > 0, 0.0, -np.inf))[0]

    def read(self, forest: Forest) -> npt.NDArray[np.int64]:
        """(edges,) The variable of the arc that each edge adds."""
        heads, modifiers = edge_arcs(forest, self.words)
        found = self.chart.number[heads, modifiers].astype(np.int64)
        return np.where(modifiers > 0, found, -1)


def edge_arcs(forest: Forest, words: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """(edges,) The head and the modifier, counted from 1, of the arc that each edge adds; 0 and 0 where it adds none.

    Parameters
    ----------
    words : (leaves,) int64
        The word of each leaf.
    """
    leaf = forest.items[:, LEAF]
    place = np.append(words + 1, 0)  # leaf -1, that of the whole sentence, is the root
    parent, left, right = (forest.edges[:, column] for column in (PARENT, LEFT, RIGHT))
    is_top, is_binary = forest.items[parent, SYMBOL] < 0, right >= 0
    other = np.where(leaf[left] == leaf[parent], leaf[right], leaf[left])
    heads = np.where(is_binary, place[leaf[parent]], 0)
    modifiers = np.where(is_binary, place[other], np.where(is_top, place[leaf[left]], 0))
    return heads.astype(np.int64), modifiers.astype(np.int64)


class Both:
    """Two partners that know nothing of each other."""

    def __init__(self, one: Partner, other: Partner) -> None:
        self.partners, self.size = (one, other), one.size + other.size

    def best(self, weights: Vector) -> tuple[float, Vector]:
        """Find the best answer of each."""
        one, other = self.partners
        first, second = one.best(weights[: one.size]), other.best(weights[one.size :])
        return first[0] + second[0], np.concatenate([first[1], second[1]])

    def value(self, answer: Vector) -> float:
        """Return what both answers score."""
        one, other = self.partners
        return one.value(answer[: one.size]) + other.value(answer[one.size :])


@dataclass(frozen=True)
class Agreement:
    """What integrated parsing has found.

    Parameters
    ----------
    edges : (edges,) int32
        Of the best tree that was seen.
    score, bound : float
        What it scores under all models together, and what no tree of the forest can exceed.
    iterations : int
        How many were needed.
    searches : int
        How often the forest was searched: more than once an iteration with AD3.
    history : tuple of (int, (edges,) int32)
        The trees that were the best for a while, and since which iteration.
    multipliers : (variables,) float64
        Those of the lowest bound.
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
        """Whether the tree is proved to be the best."""
        return is_certified(self.score, self.bound)


def agree(
    forest: Forest,
    partners: Sequence[Partner],
    *,
    iterations: int = ITERATIONS,
    step: str = "mixed",
    first_step: float = FIRST_STEP,
) -> Agreement:
    """Find the tree that the forest and its partners like best together.

    Parameters
    ----------
    step : str
        One of `STEPS`.
    first_step : float
        See `headway.decoders.lagrangian.relax`.
    """
    if step not in STEPS:
        raise UsageError(f"no step {step!r}; there are {', '.join(STEPS)}")
    trees, partner = split_sides(forest, partners)

    def primal(answer: Vector) -> tuple[float, npt.NDArray[np.int32]]:
        return float(forest.scores[trees.answer].sum()) + partner.value(answer), trees.answer

    found = _relax(partner, trees, primal, iterations, step, first_step)
    return Agreement(
        found.solution, found.score, found.bound, len(found.bounds), found.searches, tuple(found.solutions),
        found.multipliers,
    )  # fmt: skip


def split_sides(forest: Forest, partners: Sequence[Partner]) -> tuple[Trees, "Partner | Both"]:
    """Return the two sides that are to agree: the trees, and the partners as one."""
    offset, variables = 0, []
    for partner in partners:
        own = partner.read(forest)
        variables.append(np.where(own >= 0, own + offset, -1))
        offset += partner.size
    joined = partners[0] if len(partners) == 1 else Both(partners[0], partners[1])
    return Trees(forest, variables, offset), joined


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
    """Find the best tree and prove it: as `agree`, then branch on variables over which the models differ.

    Parameters
    ----------
    most : int
        How many relaxations are solved at most; beyond, the tree may be uncertified.
    """
    trees, partner = split_sides(forest, partners)
    best = Agreement(np.empty(0, dtype=np.int32), -np.inf, -np.inf, 0)
    open_cases: list[tuple[float, dict[int, bool]]] = [(np.inf, {})]
    closed = -np.inf  # the highest bound of cases that are not looked into further
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
        own = replace(trees)
        shifted = _Shifted(own, weights, lift)

        def primal(answer: Vector, own: Trees = own) -> tuple[float, npt.NDArray[np.int32]]:
            return float(forest.scores[own.answer].sum()) + partner.value(answer), own.answer

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
    """Trees with some variables fixed, by weights that outweigh all else."""

    def __init__(self, trees: Trees, weights: Vector, lift: float) -> None:
        self.trees, self.weights, self.lift, self.size = trees, weights, lift, trees.size

    def best(self, weights: Vector) -> tuple[float, Vector]:
        value, answer = self.trees.best(weights + self.weights)
        return value - self.lift, answer


def obey(forest: Forest, partner: Partner, answer: Vector) -> npt.NDArray[np.int32]:
    """Return the edges of the best tree that departs from a partner's answer as little as the forest lets it.

    The baseline of Rush et al. (2010), section 7.1: dependencies, or tags, as hard constraints.
    """
    trees, _ = split_sides(forest, [partner])
    trees.best(np.where(answer > 0, FORBIDDEN, 0.0))
    return trees.answer
