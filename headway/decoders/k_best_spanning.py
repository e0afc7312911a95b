"""Find the k best trees, projective or not, under arc scores, by partitioning the remaining trees after each one.

Lawler (1972), "A procedure for computing the k best solutions to discrete optimization problems". All trees except the
best fall into n classes: trees of class i share the heads of the first i - 1 words with it, and differ in the head of
word i. The best tree of each class, by Chu-Liu-Edmonds under these constraints, waits in a heap; the class that the
next best tree comes from is partitioned in turn. This takes O(k n) searches; classes that cannot contain one of the k
best trees are dropped.
"""

import heapq
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from headway.decoders.decoder import check_k
from headway.decoders.spanning_tree import SpanningTree, spanning_tree_kernel
from headway.parts import Candidates, Parse, Scores, arc_table


def best_spanning_trees(
    candidates: Candidates,
    scores: Scores,
    *,
    k: int,
    single_root: bool = True,
    cost: NDArray[np.float64] | None = None,
) -> Sequence[Parse]:
    """Find the k best trees (all, if there are fewer), best first and without duplicates.

    Parameters
    ----------
    scores : Scores
        Only ``scores.arc`` is read.
    cost : (arcs,) float64, optional
        Added to the arc scores.

    Raises
    ------
    ConstraintError
        If no tree can be built from the candidates.
    """
    check_k(k)
    best = SpanningTree().decode(candidates, scores, single_root=single_root, cost=cost)
    table = arc_table(candidates, scores, cost)
    words = np.arange(1, candidates.length + 1)
    # Entries: the negated score; a number, so that ties never compare the rest; the tree; its class, as the table of
    # heads that its trees may have and the first word whose head is not fixed.
    heap = [(-best.score, 0, best.heads, table, 1)]
    trees: list[Parse] = []
    number = 1
    while heap and len(trees) < k:
        score, _, heads, allowed, first = heapq.heappop(heap)
        trees.append(Parse(heads, -score, bound=best.score))
        for word in range(first, candidates.length + 1):
            remaining = allowed.copy()
            for settled in range(first, word):
                remaining[np.arange(len(remaining)) != heads[settled], settled] = -np.inf
            remaining[heads[word], word] = -np.inf
            tree = np.empty(candidates.length + 1, dtype=np.int32)
            if spanning_tree_kernel(remaining, single_root, tree):
                total = float(table[tree[1:], words].sum())
                heapq.heappush(heap, (-total, number, tree, remaining, word))
                number += 1
        if len(heap) > 2 * k:  # trees beyond these cannot be among the k best
            heap = heapq.nsmallest(k - len(trees), heap)
    return [replace(trees[0], exact=True), *trees[1:]]
