"""A tree scorer that has a score for every single tree of a few words: any score at all, and quickly compiled."""

from typing import NamedTuple

import brute_force
import numpy as np
import part_samples
from numpy.typing import NDArray

from headway.kernel import implements, inner_kernel, leaf_kernel
from headway.parts import Kind
from headway.parts.arc_index import ArcIndex, index_arcs
from headway.parts.links import Links, link, set_tree, unlink
from headway.parts.tree_scorer import Options, charge_arcs, hang, plant, take, tree_total, weigh


class ListedScores(NamedTuple):
    """`values` holds the score of the tree with heads h at the place sum of h[m] (n + 1) ** (m - 1)."""

    layout: ArcIndex
    arc: NDArray[np.float64]
    values: NDArray[np.float64]


@inner_kernel
def _place(links: Links, modifier: int, head: int) -> int:
    place, factor = 0, 1
    for word in range(1, len(links.heads)):
        place += factor * (head if word == modifier else links.heads[word])
        factor *= len(links.heads)
    return place


@implements(weigh, ListedScores)
@leaf_kernel
def _weigh(scores: ListedScores, links: Links, modifier: int, options: Options, count: int) -> None:
    for option in range(count):
        options.gains[option] = scores.values[_place(links, modifier, options.heads[option])]


@implements(plant, ListedScores)
@leaf_kernel
def _plant(scores: ListedScores, links: Links, heads: NDArray[np.int32]) -> None:
    set_tree(links, heads)


@implements(take, ListedScores)
@inner_kernel
def _take(scores: ListedScores, links: Links, modifier: int) -> None:
    unlink(links, modifier)


@implements(hang, ListedScores)
@inner_kernel
def _hang(scores: ListedScores, links: Links, modifier: int, head: int) -> None:
    link(links, modifier, head)


@implements(tree_total, ListedScores)
@leaf_kernel
def _total(scores: ListedScores, links: Links) -> float:
    return float(scores.values[_place(links, 0, 0)])


@implements(charge_arcs, ListedScores)
@leaf_kernel
def _charge(scores: ListedScores, bounds: NDArray[np.float64]) -> float:
    return np.inf


class Listed:
    """Random scores of arcs, siblings, grandparents and of how deep a tree is, the latter for whole trees only.

    Parameters
    ----------
    pruned : bool
        Whether some arcs are no candidates.
    """

    def __init__(self, seed: int, n: int, *, single_root: bool, projective: bool, pruned: bool = False) -> None:
        generator = np.random.default_rng(seed)
        table = brute_force.random_table(generator, n, "normal")
        if pruned:
            while True:
                some = np.where(generator.random(table.shape) < 0.35, -np.inf, table)
                trees = brute_force.tree_scores(some, projective=projective, single_root=single_root)
                if np.isfinite(trees).sum() > 3:
                    break
            table = some
        case = part_samples.Case(generator, table, [Kind.SIBLING, Kind.GRANDPARENT])
        listed = brute_force.trees(n)
        totals = case.tree_scores() + generator.normal(size=n + 2)[depths(listed.heads)]
        chosen = np.isfinite(totals) & (listed.projective | (not projective)) & (listed.single_root | (not single_root))
        self.n, self.single_root, self.projective, self.table = n, single_root, projective, table
        self.trees = [tuple(tree) for tree in listed.heads[chosen].tolist()]
        self.numbers = {tree: number for number, tree in enumerate(self.trees)}
        self.totals = totals[chosen]
        self.digits = (n + 1) ** np.arange(n)
        self.places, values = np.full((n + 1) ** n, -1), np.full((n + 1) ** n, np.nan)
        self.places[listed.heads[chosen] @ self.digits] = np.arange(len(self.trees))
        values[listed.heads @ self.digits] = np.where(np.isfinite(totals), totals, np.nan)
        self.scores = ListedScores(index_arcs(table > -np.inf), case.candidates.gather(table), values)

    def chances(self, temperature: float) -> NDArray[np.float64]:
        """(trees,) The probability of every tree."""
        weights = np.exp((self.totals - self.totals.max()) / temperature)
        return weights / weights.sum()

    def count(self, heads: NDArray[np.int32]) -> NDArray[np.int64]:
        """(trees,) The number of times that each tree is among samples (samples, n + 1)."""
        return np.bincount(self.rows(heads), minlength=len(self.trees))

    def rows(self, heads: NDArray[np.int32]) -> NDArray[np.int64]:
        """(samples,) The number of each tree; KeyError for one that is no tree, or not of the right kind."""
        rows = self.places[heads[:, 1:] @ self.digits]
        if (rows < 0).any():
            raise KeyError(heads[rows < 0][0])
        return rows


def depths(heads: NDArray[np.int64]) -> NDArray[np.int64]:
    """(trees,) The arcs from the root to the word furthest from it."""
    padded = np.hstack([np.zeros((len(heads), 1), dtype=np.int64), heads])
    above, found = padded, np.zeros(len(heads), dtype=np.int64)
    while above.any():
        above = np.take_along_axis(padded, above, axis=1)
        found += 1
    return found + 1
