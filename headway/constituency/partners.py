"""The sides that are to agree: the trees of a forest, and their partners, a tagger and a dependency parser.

Each finds its best answer under additional weights of the variables that it shares with the others: tags (word, tag)
and arcs (head, modifier). See `headway.constituency.agreement`.
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
    """A model that trees are to agree with: see `headway.decoders.lagrangian.Oracle`."""

    name: ClassVar[str]

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
        return np.asarray(self.forest.scores + sum(padded[of_edges] for of_edges in self.variables))

    def vector(self, edges: npt.NDArray[np.int32]) -> Vector:
        """(size,) The variables that a tree sets."""
        found = np.zeros(self.size + 1)
        for of_edges in self.variables:
            found[of_edges[edges]] = 1.0
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
        """Return what tags score."""
        edge = self.emissions.shape[1]
        tags = answer.reshape(self.emissions.shape).argmax(axis=1)
        padded = np.concatenate([[edge, edge], tags, [edge]])
        steps = self.transitions.pairs[padded[1:-1], padded[2:]].astype(np.float64)
        triples = self.transitions.triples[padded[:-2], padded[1:-1], padded[2:]].astype(np.float64)
        emitted = self.emissions[np.arange(len(tags)), tags]
        return self.weight * float(emitted.sum() + steps.sum() + triples.sum())

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

    name: ClassVar[str] = "dependencies"
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
        has_arc = np.asarray(heads)[self.chart.arcs[:, MODIFIER]] == self.chart.arcs[:, HEAD]
        return np.asarray(has_arc, dtype=np.float64)

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


def split_sides(forest: Forest, partners: Sequence[Partner]) -> tuple[Trees, "Partner | Both"]:
    """Return the two sides that are to agree: the trees, and the partners as one."""
    offset, variables = 0, []
    for partner in partners:
        numbers = partner.read(forest)
        variables.append(np.where(numbers >= 0, numbers + offset, -1))
        offset += partner.size
    joined = partners[0] if len(partners) == 1 else Both(partners[0], partners[1])
    return Trees(forest, variables, offset), joined
