"""Find arcs that cross."""

import numpy as np
import numpy.typing as npt

from headway.kernel import leaf_kernel


@leaf_kernel
def crosses(heads: npt.NDArray[np.int64], head: int, modifier: int) -> bool:
    """Return whether the arc head -> modifier crosses an arc of another word."""
    left, right = min(head, modifier), max(head, modifier)
    for word in range(1, len(heads)):
        if word == modifier:
            continue
        near, far = min(word, heads[word]), max(word, heads[word])
        if near < left < far < right or left < near < right < far:
            return True
    return False
