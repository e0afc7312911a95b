"""The exact first-order search as one kernel, for loops that are compiled as a whole."""

import numpy as np
from numpy.typing import NDArray

from headway.decoders.eisner import eisner_kernel
from headway.decoders.spanning_tree import spanning_tree_kernel
from headway.kernel import unit_kernel


@unit_kernel
def best_tree_kernel(dense: NDArray[np.float64], projective: bool, single_root: bool, heads: NDArray[np.int32]) -> bool:
    """Write the best tree, projective or not, into `heads`; False if there is none."""
    if projective:
        return eisner_kernel(dense, single_root, heads)
    return spanning_tree_kernel(dense, single_root, heads)
