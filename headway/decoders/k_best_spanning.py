"""The k best trees, projective or not, under scores of arcs: partition what is left after each tree found.

Lawler (1972), "A procedure for computing the k best solutions to discrete optimization problems". All trees but the
best fall into n classes: class i shares the heads of the first i - 1 words with it, and differs in that of word i. The
best of each class, by Chu-Liu-Edmonds under these constraints, waits in a heap; the class that the next best tree comes
from is partitioned in turn. O(k n) searches; classes that cannot matter any more are dropped.
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
    """Find the k best trees, or all where there are fewer, best first, each once.

    Parameters
    ----------
    scores : Scores
        Only ``scores.arc`` is read.
    cost : (arcs,) float64, optional
        Added to the arc scores.

    Raises
    ------
    ConstraintError
        If the candidates hold no tree.
    """
    check_k(k)
    best = SpanningTree().decode(candidates, scores, single_root=single_root, cost=cost)
    table = arc_table(candidates, scores, cost)
    words = np.arange(1, candidates.length + 1)
    # less the score; a number, so that ties never compare what follows; the tree; its class: the table of the heads
    # that its trees may have, and the first word whose head is not settled
    heap = [(-best.score, 0, best.heads, table, 1)]
    found: list[Parse] = []
    number = 1
    while heap and len(found) < k:
        score, _, heads, allowed, first = heapq.heappop(heap)
        found.append(Parse(heads, -score, bound=best.score))
        for word in range(first, candidates.length + 1):
            rest = allowed.copy()
            for settled in range(first, word):
                rest[np.arange(len(rest)) != heads[settled], settled] = -np.inf
            rest[heads[word], word] = -np.inf
            tree = np.empty(candidates.length + 1, dtype=np.int32)
            if spanning_tree_kernel(rest, single_root, tree):
                total = float(table[tree[1:], words].sum())
                heapq.heappush(heap, (-total, number, tree, rest, word))
                number += 1
        if len(heap) > 2 * k:  # the others cannot be among the k best
            heap = heapq.nsmallest(k - len(found), heap)
    return [replace(found[0], exact=True), *found[1:]]
