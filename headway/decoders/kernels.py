"""Exact first-order search, projective or not, as one kernel that other kernels can call."""

import numpy as np
from numpy.typing import NDArray

from headway.decoders.eisner import eisner_kernel
from headway.decoders.spanning_tree import spanning_tree_kernel
from headway.kernel import unit_kernel


@unit_kernel
def best_tree_kernel(dense: NDArray[np.float64], projective: bool, single_root: bool, heads: NDArray[np.int32]) -> bool:
    """Write the best tree under arc scores (n + 1, n + 1) [head, modifier] into `heads`; False if there is none."""
    if projective:
        return eisner_kernel(dense, single_root, heads)
    return spanning_tree_kernel(dense, single_root, heads)
