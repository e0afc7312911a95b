"""Compute an upper bound on the score of any tree: each arc gets the maximum score of the parts charged to it.

The best tree under these arc scores is found exactly. The bound is tight without parts and for very short sentences.
"""

import numpy as np

from headway.decoders.starts import best_of_arcs
from headway.kernel import kernel
from headway.parts.tree_scorer import TreeScorer, charge_arcs


@kernel
def upper_bound(scores: TreeScorer, projective: bool, single_root: bool) -> float:
    """Return the bound; infinity if the scorer cannot list its parts in advance."""
    index, bounds = scores.layout, scores.arc.copy()
    total = charge_arcs(scores, bounds)
    if total == np.inf:
        return total
    heads = np.empty(len(index.most), dtype=np.int32)
    if not best_of_arcs(index, bounds, projective, single_root, heads):
        return -np.inf
    for modifier in range(1, len(heads)):
        total += bounds[index.number[heads[modifier], modifier]]
    return total
