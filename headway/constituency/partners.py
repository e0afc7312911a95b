"""The models of dual decomposition: the trees of a forest and their partners, a tagger and a dependency parser.

Each model finds its best answer under additional weights of the variables that it shares with the others: tags (word,
tag) and arcs (head, modifier). See `headway.constituency.agreement`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from headway.charts.chart import HEAD, MODIFIER, Chart
from headway.charts.derivations import write_best_tree
from headway.charts.values import highest_values
from headway.constituency.forest import LEAF, LEFT, PARENT, RIGHT, SYMBOL, Forest, best_edges, best_values
from headway.decoders.lagrangian import Vector
from headway.tagging.viterbi import Transitions, best_tags


class Partner(Protocol):
    """A model that trees must agree with: see `headway.decoders.lagrangian.Oracle`."""

    name: ClassVar[str]

    @property
    def size(self) -> int:
        """The number of variables."""
        ...

    def best(self, weights: Vector) -> tuple[float, Vector]:
        """Return the maximum under additional weights of the variables, and the answer where it is reached."""
        ...

    def value(self, answer: Vector) -> float:
        """Return the score of an answer."""
        ...

    def read(self, forest: Forest) -> npt.NDArray[np.int64]:
        """(edges,) Return the variable that each edge of a forest sets, -1 for none."""
        ...


@dataclass
class Trees:
    """The constituent parser's oracle: the trees of a forest.

    Parameters
    ----------
    variables : sequence of (edges,) int64
        For each partner, the variable that each edge sets, -1 for none; a second partner's variables follow the
        first's.
    """

    forest: Forest
    variables: Sequence[npt.NDArray[np.int64]]
    size: int

    def __post_init__(self) -> None:
        self.answer = np.empty(0, dtype=np.int32)

    def best(self, weights: Vector) -> tuple[float, Vector]:
        """Find the best tree under additional weights; its edges are stored in `answer`."""
        values, back = best_values(self.forest, self.weighted(weights))
        self.answer = best_edges(self.forest, back, len(values) - 1)
        return float(values[-1]), self.vector(self.answer)

    def weighted(self, weights: Vector) -> Vector:
        """(edges,) Return the scores of the forest's edges with additional weights of the variables."""
        padded = np.append(weights, 0.0)
        return np.asarray(self.forest.scores + sum(padded[of_edges] for of_edges in self.variables))

    def vector(self, edges: npt.NDArray[np.int32]) -> Vector:
        """(size,) Return the variables that a tree sets."""
        found = np.zeros(self.size + 1)
        for of_edges in self.variables:
            found[of_edges[edges]] = 1.0
        return found[:-1]


@dataclass(frozen=True)
class Tags:
    """The trigram tagger's oracle.

    Parameters
    ----------
    emissions : (words, tags) float64
        The scores of tags; -inf for tags that the parser does not try.
    weight : float
        The weight of the tagger relative to the parser.
    leaves : (leaves, 2) int64
        The word and the tag of each leaf of the forest; the variable of word w and tag t is w · tags + t.
    """

    name: ClassVar[str] = "tags"
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
        """Return the score of tags."""
        edge = self.emissions.shape[1]
        tags = answer.reshape(self.emissions.shape).argmax(axis=1)
        padded = np.concatenate([[edge, edge], tags, [edge]])
        steps = self.transitions.pairs[padded[1:-1], padded[2:]].astype(np.float64)
        triples = self.transitions.triples[padded[:-2], padded[1:-1], padded[2:]].astype(np.float64)
        emitted = self.emissions[np.arange(len(tags)), tags]
        return self.weight * float(emitted.sum() + steps.sum() + triples.sum())

    def read(self, forest: Forest) -> npt.NDArray[np.int64]:
        """(edges,) Return the variable of each leaf edge."""
        leaf = forest.items[forest.edges[:, PARENT], LEAF]
        numbers = self.leaves[leaf, 0] * self.emissions.shape[1] + self.leaves[leaf, 1]
        return np.where(forest.edges[:, LEFT] < 0, numbers, -1)


@dataclass(frozen=True)
class Arcs:
    """The projective dependency parser's oracle.

    Parameters
    ----------
    chart, scores
        The chart and the scores of one sentence; arc scores come first.
    weight : float
        The weight of the dependency parser relative to the constituent parser.
    words : (leaves,) int64
        The word of each leaf of the forest, from 0.
    """

    name: ClassVar[str] = "dependencies"
    chart: Chart
    scores: npt.NDArray[np.float64]
    weight: float
    words: npt.NDArray[np.int64]

    @property
    def size(self) -> int:
        """The number of variables, which are arcs."""
        return len(self.chart.arcs)

    def _search(self, weights: Vector) -> tuple[float, Vector]:
        scores = self.scores * self.weight
        scores[: self.size] += weights
        values = highest_values(self.chart, scores)
        heads = np.empty(len(self.chart.vertices), dtype=np.int32)
        write_best_tree(self.chart, scores, values, heads)
        return float(values[-1]), self.vector(heads)

    def vector(self, heads: Sequence[int] | npt.NDArray[np.int32]) -> Vector:
        """(arcs,) Return which arcs a tree has, given its heads (n + 1,)."""
        has_arc = np.asarray(heads)[self.chart.arcs[:, MODIFIER]] == self.chart.arcs[:, HEAD]
        return np.asarray(has_arc, dtype=np.float64)

    def best(self, weights: Vector) -> tuple[float, Vector]:
        """Find the best dependency tree under additional weights."""
        return self._search(weights)

    def value(self, answer: Vector) -> float:
        """Return the score of the dependency tree with these arcs."""
        return self._search(np.where(answer > 0, 0.0, -np.inf))[0]

    def read(self, forest: Forest) -> npt.NDArray[np.int64]:
        """(edges,) Return the variable of the arc that each edge adds."""
        heads, modifiers = edge_arcs(forest, self.words)
        found = self.chart.number[heads, modifiers].astype(np.int64)
        return np.where(modifiers > 0, found, -1)


def edge_arcs(forest: Forest, words: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """(edges,) Return head and modifier, counted from 1, of the arc that each edge adds; 0 and 0 for none.

    Parameters
    ----------
    words : (leaves,) int64
        The word of each leaf.
    """
    leaf = forest.items[:, LEAF]
    place = np.append(words + 1, 0)  # leaf -1, the head of the whole sentence, is the root
    parent, left, right = (forest.edges[:, column] for column in (PARENT, LEFT, RIGHT))
    is_top, is_binary = forest.items[parent, SYMBOL] < 0, right >= 0
    other = np.where(leaf[left] == leaf[parent], leaf[right], leaf[left])
    heads = np.where(is_binary, place[leaf[parent]], 0)
    modifiers = np.where(is_binary, place[other], np.where(is_top, place[leaf[left]], 0))
    return heads.astype(np.int64), modifiers.astype(np.int64)


class Both:
    """Two independent partners as one."""

    def __init__(self, one: Partner, other: Partner) -> None:
        self.partners, self.size = (one, other), one.size + other.size

    def best(self, weights: Vector) -> tuple[float, Vector]:
        """Find the best answers of both partners."""
        one, other = self.partners
        first, second = one.best(weights[: one.size]), other.best(weights[one.size :])
        return first[0] + second[0], np.concatenate([first[1], second[1]])

    def value(self, answer: Vector) -> float:
        """Return the sum of both answers' scores."""
        one, other = self.partners
        return one.value(answer[: one.size]) + other.value(answer[one.size :])


def split_sides(forest: Forest, partners: Sequence[Partner]) -> tuple[Trees, "Partner | Both"]:
    """Return the two oracles for dual decomposition: the trees, and the partners as one."""
    offset, variables = 0, []
    for partner in partners:
        numbers = partner.read(forest)
        variables.append(np.where(numbers >= 0, numbers + offset, -1))
        offset += partner.size
    joined = partners[0] if len(partners) == 1 else Both(partners[0], partners[1])
    return Trees(forest, variables, offset), joined
