"""Score siblings and grandparents from the factors that a network outputs; see `trilinear`. O(R) per part."""

import numpy as np
import numpy.typing as npt

from headway.kernel import kernel
from headway.parts.kinds import read_key


@kernel
def trilinear_scores(keys: npt.NDArray[np.int64], factors: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """(parts,) Score the parts with these keys; 0 for keys that are not parts.

    Parameters
    ----------
    factors : (n + 2, 3, R) float32
        The factors of each word as the first, second and third word of a part.
    """
    scores = np.zeros(len(keys))
    for number in range(len(keys)):
        if keys[number] >= 0:
            _, _, first, second, third, _ = read_key(keys[number])
            total = 0.0
            for place in range(factors.shape[2]):
                total += factors[first, 0, place] * factors[second, 1, place] * factors[third, 2, place]
            scores[number] = total
    return scores
