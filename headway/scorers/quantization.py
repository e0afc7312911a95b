"""Learned weights as bytes: a model shrinks to what its scores need.

Weights keep their ratio to the largest one in steps of 1/127 of it. Sums of bytes are exact, so a saved model scores
the same everywhere, and four rows share a cache line where one did.
"""

import numpy as np
import numpy.typing as npt

_LARGEST = 127


def to_bytes(weights: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.int8], float]:
    """Rounded weights, and what a weight of 1 is worth among them.

    >>> to_bytes(np.array([[0.5, -1.0]], dtype=np.float32))
    (array([[  64, -127]], dtype=int8), 0.007874015748031496)
    """
    largest = float(np.max(np.abs(weights), initial=0.0)) or 1.0
    scale = largest / _LARGEST
    rounded = np.rint(weights / scale).astype(np.int8)
    rounded.flags.writeable = False  # as it will be when it comes from a file
    return rounded, scale
