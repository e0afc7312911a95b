"""An upper bound on the score of any tree: every arc gets the best that its parts of order two could add.

Each sibling and grandparent part is charged to its modifier's arc, the parts "after the last child" to their head;
the best tree of those arcs is found exactly. It is tight for arcs alone and for very short sentences.
"""

import numpy as np

from headway.decoders.starts import best_of_arcs
from headway.kernel import kernel
from headway.scorers.trees import TreeScores


@kernel
def upper_bound(scores: TreeScores, projective: bool, single_root: bool) -> float:
    """The bound; infinite where some parts are scored only when they are asked for."""
    index = scores.layout
    if (
        np.isnan(scores.sibling).any()
        or np.isnan(scores.grandparent).any()
        or scores.wanted[2:].any()
        or scores.has_structures
    ):
        return np.inf
    best = scores.arc.copy()
    total = 0.0
    if len(scores.grandparent) > 0:
        for arc in range(len(best)):
            first, end = index.grandparents[arc], index.grandparents[arc + 1]
            if first < end:
                best[arc] += scores.grandparent[first:end].max()
    if len(scores.sibling) > 0:
        for arc in range(len(best)):
            modifier = int(np.searchsorted(index.offsets, arc, side="right")) - 1
            head, outer = index.heads[arc], int(index.rank[arc])
            first = index.siblings[head, 1 if modifier > head else 0] + outer * (outer - 1) // 2
            best[arc] += scores.sibling[first : first + outer].max()
        for head in range(len(index.most)):
            for side in range(2):
                last = int(index.most[head, side]) + 1
                first = index.siblings[head, side] + last * (last - 1) // 2
                total += scores.sibling[first : first + last].max()
    heads = np.empty(len(index.most), dtype=np.int32)
    if not best_of_arcs(index, best, projective, single_root, heads):
        return -np.inf
    for modifier in range(1, len(heads)):
        total += best[index.number[heads[modifier], modifier]]
    return total
