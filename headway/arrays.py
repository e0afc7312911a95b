"""Small kernels over arrays.

Where an array is written into another, Numba compiles the text of an error message about their shapes, which takes
seconds; these loops compile at once and run as fast.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from headway.kernel import leaf_kernel


@leaf_kernel
def copy_into(target: npt.NDArray[Any], values: npt.NDArray[Any]) -> None:
    """Write ``values`` (n,) to the beginning of `target`."""
    for place in range(len(values)):
        target[place] = values[place]


@leaf_kernel
def divide(values: npt.NDArray[np.float64], divisor: float) -> None:
    """Divide ``values`` (n,) in place."""
    for place in range(len(values)):
        values[place] /= divisor


@leaf_kernel
def write_chain(heads: npt.NDArray[np.int32]) -> None:
    """Write the tree in which every word hangs on the one before it: what remains where scores are NaN."""
    for word in range(len(heads)):
        heads[word] = word - 1
