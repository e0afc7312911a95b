"""Count the local optima of first-order scores exactly: trees in which a hill climber gets stuck.

Zhang, Lei, Barzilay and Jaakkola (2014), "Greed is good if randomized", section 4.1, Figure 2 and Theorem 1.

A tree is a local optimum if no move of a single word to another head, all other words keeping theirs, improves it.
Let every word choose its best head. If that is a tree, it is the only optimum. If not, there is a cycle, and every
optimum has all of the cycle's arcs but one; so for each word of the cycle in turn, let the arc from outside enter
there, contract the cycle to one vertex, and count on::

    optima(G) = Σ over w in cycle: optima(G with the cycle contracted, entered at w)

An arc that leaves a contracted cycle may start at any of its words, and one that enters it ends at the chosen word. So
no table is rewritten: a contracted vertex is a set of words with one entry, and its best head is the best head of the
entry among the words outside. A contraction costs O(n), and each has at least two optima below it if all arcs are
possible: O(n) for each optimum. There are at most 2^(n-1) optima, so callers limit the count.
"""

import numpy as np
from numpy.typing import NDArray

from headway.errors import UsageError
from headway.kernel import kernel


def count_local_optima(scores: NDArray[np.float64], *, most: int = 10_001) -> int:
    """Count the trees that no move of a single word improves; the root may have several children.

    Parameters
    ----------
    scores : (n + 1, n + 1) float64
        Arc scores [head, modifier], -inf for no arc; the diagonal and column 0 are ignored.
    most : int
        Stop counting here.

    Returns
    -------
    int
        The number of local optima, at most `most`, which stands for that many or more; 0 if there is no tree.

    Notes
    -----
    Of heads with equal scores for a word, the first counts as the best.

    Examples
    --------
    In a sentence of two words, each prefers the other to the root, so one of them has to give way:

    >>> count_local_optima(np.array([[0.0, 1.0, 1.0], [0.0, 0.0, 2.0], [0.0, 2.0, 0.0]]))
    2
    """
    if scores.ndim != 2 or scores.shape[0] != scores.shape[1] or scores.shape[0] == 0:
        raise UsageError(f"arc scores have shape {scores.shape}; expected a square table [head, modifier]")
    if most < 1:
        raise UsageError(f"the limit of counting must be at least 1, not {most}")
    return int(_count_from_words(np.ascontiguousarray(scores.T, dtype=np.float64), most))


@kernel
def _count_from_words(incoming: NDArray[np.float64], most: int) -> int:
    """Count with every word a vertex by itself; `incoming` is [modifier, head]."""
    vertices = incoming.shape[0]
    vertex = np.arange(vertices)  # the contracted vertex of each word, named by the word where it is entered
    head = np.full(vertices, -1)  # the best head, a word, of each vertex
    for word in range(1, vertices):
        head[word] = _best_head(incoming[word], vertex, word)
        if head[word] < 0:
            return 0
    return _count(incoming, vertex, head, most)


@kernel
def _count(incoming: NDArray[np.float64], vertex: NDArray[np.int64], head: NDArray[np.int64], most: int) -> int:
    """Count up to `most`, by the recursion of Figure 2."""
    cycle = _find_cycle(vertex, head)
    if len(cycle) == 0:
        return 1
    inside = np.zeros(len(vertex), np.bool_)
    for member in cycle:
        inside[member] = True
    count = 0
    for entry in cycle:
        contracted = np.where(inside[vertex], entry, vertex)
        heads = head.copy()
        heads[entry] = _best_head(incoming[entry], contracted, entry)
        if heads[entry] >= 0:
            count += _count(incoming, contracted, heads, most - count)
        if count >= most:
            return most
    return count


@kernel
def _find_cycle(vertex: NDArray[np.int64], head: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the vertices of a cycle among the best heads; empty if they form a tree."""
    visit = np.zeros(len(vertex), np.int64)  # the first walk that visited each vertex; 0 for none, -1 for the root's
    visit[0] = -1
    for start in range(1, len(vertex)):
        current = vertex[start]
        while visit[current] == 0:
            visit[current] = start
            current = vertex[head[current]]
        if visit[current] == start:
            return _around(current, vertex, head)
    return np.empty(0, np.int64)


@kernel
def _around(start: int, vertex: NDArray[np.int64], head: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the cycle through `start`."""
    cycle = np.empty(len(vertex), np.int64)
    cycle[0] = start
    length = 1
    current = vertex[head[start]]
    while current != start:
        cycle[length] = current
        length += 1
        current = vertex[head[current]]
    return cycle[:length]


@kernel
def _best_head(incoming: NDArray[np.float64], vertex: NDArray[np.int64], target: int) -> int:
    """Return the first of the best heads outside the vertex `target`, -1 if there is none."""
    best, highest = -1, -np.inf
    for head in range(len(incoming)):
        if vertex[head] != target and incoming[head] > highest:
            best, highest = head, incoming[head]
    return best
