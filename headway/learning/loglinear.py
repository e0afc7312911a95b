"""Log-linear training: increase the log probability of the gold tree.

The gradient is gold arcs minus expected arcs, over all trees, by the matrix-tree theorem (Koo et al. 2007). The step
size is the passive-aggressive one for the log loss, ``min(C, loss / |gradient|²)``, which needs no schedule.
"""

import numpy as np
import numpy.typing as npt

from headway.kernel import kernel
from headway.marginals import matrix_tree_kernel
from headway.scorers.sparse import SparseVector, sparse_norm

_NEGLIGIBLE = 1e-3
_MOST_ARCS = 50_000
"""The maximum number of arcs in an update: expected heads sum to 1 per word, so at most this many exceed n / it."""


@kernel
def expected_difference(
    scores: npt.NDArray[np.float64],
    gold: npt.NDArray[np.int32],
    single_root: bool,
    coefficients: npt.NDArray[np.float64],
) -> float:
    """Set ``coefficients`` (n + 1, n + 1) to gold minus expected arcs, with small entries set to 0; return the loss."""
    loss = matrix_tree_kernel(scores, single_root, coefficients)
    size = len(gold)
    least = max(_NEGLIGIBLE, size / _MOST_ARCS)
    for modifier in range(1, size):
        loss -= scores[gold[modifier], modifier]
        for head in range(size):
            expected = coefficients[head, modifier]
            coefficients[head, modifier] = -expected if expected > least else 0.0
        coefficients[gold[modifier], modifier] += 1.0
        if coefficients[gold[modifier], modifier] < _NEGLIGIBLE:
            coefficients[gold[modifier], modifier] = 0.0
    for head in range(size):
        coefficients[head, 0] = 0.0
    return loss


@kernel
def loss_step(gradient: SparseVector, loss: float, most: float) -> float:
    """Return the step size: ``min(most, loss / |gradient|²)``."""
    norm = sparse_norm(gradient)
    if loss <= 0.0 or norm == 0.0:
        return 0.0
    return min(most, loss / norm)
