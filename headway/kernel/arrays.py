"""Small kernels over arrays.

For ``a[:] = b``, Numba also compiles the error message about different shapes, which takes seconds. These loops run as
fast and compile at once.
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
    """Write a chain, in which the head of each word is the word before it: the fallback for NaN scores."""
    for word in range(len(heads)):
        heads[word] = word - 1
