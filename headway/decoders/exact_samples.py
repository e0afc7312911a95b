"""Draw independent samples of (non-projective) trees under arc scores, by Wilson's loop-erased random walks.

Wilson (1996), "Generating random spanning trees more quickly than the cover time". The only child of the root is drawn
first, by its marginal; see `headway.decoders.wilson`. Cost: O(n³) for the marginals, and about O(n) per tree.
"""

import numpy as np

from headway.decoders.decoder import check_count
from headway.decoders.samples import Samples
from headway.decoders.starts import best_of_arcs, exact_starts
from headway.decoders.wilson import random_tree
from headway.errors import UsageError
from headway.kernel.random_numbers import make_generator
from headway.parts import Candidates, Scores
from headway.parts.constraints import no_tree
from headway.parts.table_scores import possible_scores


def sample_arcs(
    candidates: Candidates, scores: Scores, *, count: int, seed: int = 0, single_root: bool = True
) -> Samples:
    """Draw independent trees with probability proportional to exp(score).

    Raises
    ------
    ConstraintError
        If no tree can be built from the candidates.
    UsageError
        If words prefer each other as heads so strongly that a random walk does not leave the cycle in time.
    """
    check_count(count)
    tables = possible_scores(candidates, Scores(scores.arc))
    index, arc = tables.layout, tables.arc
    heads = np.empty((count, candidates.length + 1), dtype=np.int32)
    if not best_of_arcs(index, arc, False, single_root, heads[0]):
        raise no_tree(candidates.length, single_root=single_root)
    starts, generator = exact_starts(index, arc, False, single_root), make_generator(seed)
    for tree in heads:
        if not random_tree(index, starts.weights, starts.roots, generator, tree):
            raise UsageError("scores too far apart for random walks: sample at a higher temperature, or by chains")
    numbers = index.number[heads[:, 1:], np.arange(1, candidates.length + 1)]
    return Samples(heads, arc[numbers].sum(axis=1))
