"""MIRA: passive-aggressive updates with cost-augmented decoding (Crammer et al. 2006; McDonald et al. 2005).

The most violated tree maximises score plus cost, with a cost of 1 for each wrong head. The step size is the smallest
one that gives the gold tree a margin of that cost, but at most C.
"""

import numpy as np
import numpy.typing as npt

from headway.kernel import kernel
from headway.learning.perceptron import tree_difference
from headway.scorers.sparse import SparseVector, sparse_dot, sparse_norm


@kernel
def cost_augmented_difference(
    scores: npt.NDArray[np.float64],
    gold: npt.NDArray[np.int32],
    projective: bool,
    single_root: bool,
    coefficients: npt.NDArray[np.float64],
) -> int:
    """Like `tree_difference`, after adding 1 to the score of every arc that is not gold."""
    scores += 1.0
    for modifier in range(1, len(gold)):
        scores[gold[modifier], modifier] -= 1.0
    return tree_difference(scores, gold, projective, single_root, coefficients)


@kernel
def margin_step(difference: SparseVector, weights: npt.NDArray[np.float32], cost: float, most: float) -> float:
    """Return the step size: ``min(most, loss / |difference|²)``, zero if the margin is already satisfied."""
    norm = sparse_norm(difference)
    loss = cost - sparse_dot(difference, weights)
    if loss <= 0.0 or norm == 0.0:
        return 0.0
    return min(most, loss / norm)
