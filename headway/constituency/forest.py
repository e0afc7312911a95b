"""All trees of a chart as a hypergraph: items, and edges that build an item from one or two others.

All edges that build an item come before all edges that use it. So one pass over the edges finds the best tree under any
scores, and another one sums over all trees. If only the scores change, as in every iteration of dual decomposition, the
sentence need not be parsed again. This is a directed hypergraph (Martin, Rardin and Campbell 1990), whose trees are the
vertices of a polytope (Rush et al. 2010, section 5.1). O(edges).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.kernel import kernel

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

SYMBOL, START, END, LEAF = 0, 1, 2, 3
"""Columns of `Forest.items`."""
PARENT, LEFT, RIGHT, RULE = 0, 1, 2, 3
"""Columns of `Forest.edges`."""


class Forest(NamedTuple):
    """The forest of a sentence.

    Parameters
    ----------
    items : (items, 4) int32
        The symbol, the first word, the word after the last one, and the head leaf (-1 if heads are unknown). The last
        item is the whole sentence.
    edges : (edges, 4) int32
        The item that is built, the items it is built from (-1 for none), and the rule: -1 for leaves, and for the whole
        sentence, which has only one child.
    scores : (edges,) float64
    """

    items: Ints
    edges: Ints
    scores: Floats


@kernel
def best_values(forest: Forest, scores: Floats) -> tuple[Floats, Ints]:
    """(items,) Return the score of the best tree below each item, and its top edge, -1 if there is none."""
    values = np.full(len(forest.items), -np.inf)
    back = np.full(len(forest.items), -1, dtype=np.int32)
    for edge in range(len(forest.edges)):
        parent, left, right = forest.edges[edge, PARENT], forest.edges[edge, LEFT], forest.edges[edge, RIGHT]
        value = scores[edge]
        if left >= 0:
            value += values[left]
        if right >= 0:
            value += values[right]
        if value > values[parent]:
            values[parent], back[parent] = value, edge
    return values, back


@kernel
def best_edges(forest: Forest, back: Ints, root: int) -> Ints:
    """(edges,) Return the edges of the best tree below an item, parents first, from left to right."""
    stack = np.empty(len(forest.items) + 1, dtype=np.int32)
    found = np.empty(len(forest.items), dtype=np.int32)
    size, count = 1, 0
    stack[0] = root
    while size > 0:
        size -= 1
        edge = back[stack[size]]
        found[count] = edge
        count += 1
        for side in (RIGHT, LEFT):
            if forest.edges[edge, side] >= 0:
                stack[size] = forest.edges[edge, side]
                size += 1
    return found[:count]


def best_tree(forest: Forest) -> tuple[float, Ints]:
    """Return the score and the edges, parents first, of the best tree of the whole sentence."""
    values, back = best_values(forest, forest.scores)
    return float(values[-1]), best_edges(forest, back, len(values) - 1)


@kernel
def _log_add(one: float, other: float) -> float:
    high, low = (one, other) if one > other else (other, one)
    return high if low == -np.inf else high + np.log1p(np.exp(low - high))


@kernel
def log_sums(forest: Forest, scores: Floats) -> Floats:
    """(items,) The inside pass: return the logarithm of the sum of exp(score) over all trees below each item."""
    values = np.full(len(forest.items), -np.inf)
    for edge in range(len(forest.edges)):
        parent, left, right = forest.edges[edge, PARENT], forest.edges[edge, LEFT], forest.edges[edge, RIGHT]
        value = scores[edge]
        if left >= 0:
            value += values[left]
        if right >= 0:
            value += values[right]
        values[parent] = _log_add(values[parent], value)
    return values


@kernel
def edge_values(forest: Forest, scores: Floats) -> Floats:
    """(edges,) Return, for each edge, the score of the best tree of the whole sentence that has this edge."""
    inside, _ = best_values(forest, scores)
    outside = np.full(len(forest.items), -np.inf)
    outside[len(outside) - 1] = 0.0
    found = np.empty(len(forest.edges))
    for edge in range(len(forest.edges) - 1, -1, -1):
        parent, left, right = forest.edges[edge, PARENT], forest.edges[edge, LEFT], forest.edges[edge, RIGHT]
        above = outside[parent] + scores[edge]
        one = inside[left] if left >= 0 else 0.0
        other = inside[right] if right >= 0 else 0.0
        if left >= 0:
            outside[left] = max(outside[left], above + other)
        if right >= 0:
            outside[right] = max(outside[right], above + one)
        found[edge] = above + one + other
    return found


def pruned(forest: Forest, margin: float) -> Forest:
    """Remove edges whose best tree is worse than the best tree of all by more than a margin."""
    values = edge_values(forest, forest.scores)
    if not len(values) or values.max() == -np.inf:
        return forest
    kept = np.flatnonzero(values >= values.max() - margin)
    used = np.zeros(len(forest.items), dtype=bool)
    used[forest.edges[kept, PARENT]] = True
    numbers = np.append((np.cumsum(used) - 1).astype(np.int32), np.int32(-1))  # -1 stays -1
    edges = forest.edges[kept]
    edges[:, :RULE] = numbers[edges[:, :RULE]]
    return Forest(forest.items[used], edges, forest.scores[kept])
