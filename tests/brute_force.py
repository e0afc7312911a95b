"""Every tree of a few words, one by one: what the decoders and the marginals are checked against."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

LARGEST = 6
"""The most words for tests of many tables."""
MOST = 7
"""The most words whose trees can be listed at all."""


@dataclass(frozen=True, eq=False)
class Trees:
    """All trees over n words: heads (trees, n) of the words 1..n, and which are projective or single-root."""

    heads: NDArray[np.int64]
    projective: NDArray[np.bool_]
    single_root: NDArray[np.bool_]

    def where(self, *, projective: bool, single_root: bool) -> NDArray[np.int64]:
        chosen = np.ones(len(self.heads), dtype=bool)
        if projective:
            chosen &= self.projective
        if single_root:
            chosen &= self.single_root
        return self.heads[chosen]


@cache
def trees(n: int) -> Trees:
    if n > MOST:
        raise ValueError(f"{n} words have too many trees to list")
    grid = np.indices((n + 1,) * n, dtype=np.int8).reshape(n, -1).T if n else np.zeros((1, 0), dtype=np.int8)
    ancestors = np.hstack([np.zeros((len(grid), 1), dtype=np.int8), grid])
    for _ in range(n):  # after n steps up, every word of a tree has arrived at the root
        ancestors = np.take_along_axis(ancestors, ancestors, axis=1)
    heads = grid[(ancestors == 0).all(axis=1)].astype(np.int64)
    return Trees(heads, _projective(heads), (heads == 0).sum(axis=1) == min(n, 1))


def _projective(heads: NDArray[np.int64]) -> NDArray[np.bool_]:
    """No two arcs cross, those from the root (to the left of all words) included."""
    count, n = heads.shape
    words = np.arange(1, n + 1)
    low, high = np.minimum(heads, words), np.maximum(heads, words)
    projective = np.ones(count, dtype=bool)
    for a in range(n):
        for b in range(n):
            projective &= ~((low[:, a] < low[:, b]) & (low[:, b] < high[:, a]) & (high[:, a] < high[:, b]))
    return projective


def is_projective(heads: NDArray[np.integer]) -> bool:
    """Whether one tree, the heads of the words 1..n, has no crossing arcs."""
    return bool(_projective(np.asarray(heads)[None])[0])


@cache
def candidates_of(n: int, projective: bool, single_root: bool) -> NDArray[np.int64]:
    return trees(n).where(projective=projective, single_root=single_root)


def tree_scores(table: NDArray[np.float64], *, projective: bool, single_root: bool) -> NDArray[np.float64]:
    """The score of every tree under a table (n + 1, n + 1) [head, modifier]."""
    n = len(table) - 1
    heads = candidates_of(n, projective, single_root)
    return table[heads, np.arange(1, n + 1)].sum(axis=1)


def best_score(table: NDArray[np.float64], *, projective: bool, single_root: bool) -> float:
    """The score of the best tree; -inf if there is none."""
    return float(tree_scores(table, projective=projective, single_root=single_root).max(initial=-np.inf))


def log_partition_and_marginals(
    table: NDArray[np.float64], *, projective: bool, single_root: bool
) -> tuple[float, NDArray[np.float64]]:
    """log Z, and the probability of each arc [head, modifier]; -inf and zeros if there is no tree."""
    n = len(table) - 1
    scores = tree_scores(table, projective=projective, single_root=single_root)
    marginals = np.zeros_like(table)
    highest = scores.max(initial=-np.inf)
    if highest == -np.inf:
        return -np.inf, marginals
    weights = np.exp(scores - highest)
    heads = candidates_of(n, projective, single_root)
    for word in range(1, n + 1):
        marginals[:, word] = np.bincount(heads[:, word - 1], weights, minlength=n + 1) / weights.sum()
    return float(highest + np.log(weights.sum())), marginals


KINDS = ("normal", "ties", "large", "small", "mixed", "cycles", "sparse", "sparse ties", "sparse large")


def random_table(generator: np.random.Generator, n: int, kind: str) -> NDArray[np.float64]:
    """A table of arc scores (n + 1, n + 1) [head, modifier] that is hard in the way its kind says."""
    table = generator.normal(size=(n + 1, n + 1))
    if "ties" in kind:
        table = generator.integers(-2, 3, size=table.shape).astype(np.float64)
    if "large" in kind:
        table = generator.uniform(-1000, 1000, size=table.shape)
    if kind == "small":
        table *= 1e-3
    if kind == "mixed":
        table *= 10.0 ** generator.integers(-3, 4, size=table.shape)
    if kind == "cycles":  # words in cycles that are dear to break, by amounts that differ little
        order = generator.permutation(np.arange(1, n + 1))
        for cycle in np.split(order, np.flatnonzero(generator.random(n) < 0.4)):
            table[cycle, np.roll(cycle, 1)] += 1000.0
        table[0] -= generator.choice([0.0, 500.0, 1000.0])
    if "sparse" in kind:
        table[generator.random(table.shape) < generator.uniform(0.2, 0.8)] = -np.inf
    table[:, 0] = -np.inf
    np.fill_diagonal(table, -np.inf)
    return table
