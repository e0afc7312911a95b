"""The structured perceptron (Collins 2002): update by the difference between gold tree and best tree."""

import numpy as np
import numpy.typing as npt

from headway.decoders.kernels import best_tree_kernel
from headway.kernel import kernel


@kernel
def tree_difference(
    scores: npt.NDArray[np.float64],
    gold: npt.NDArray[np.int32],
    projective: bool,
    single_root: bool,
    coefficients: npt.NDArray[np.float64],
) -> int:
    """Set ``coefficients`` (n + 1, n + 1) to +1 for missed and -1 for wrong arcs; return the number of wrong heads."""
    heads = np.empty(len(gold), dtype=np.int32)
    coefficients[:] = 0.0
    if not best_tree_kernel(scores, projective, single_root, heads):
        return 0
    wrong = 0
    for modifier in range(1, len(gold)):
        if heads[modifier] != gold[modifier]:
            coefficients[gold[modifier], modifier] = 1.0
            coefficients[heads[modifier], modifier] = -1.0
            wrong += 1
    return wrong
