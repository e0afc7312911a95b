"""The likelihood of counts under given probabilities."""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2


def p_value(counts: NDArray[np.int64], chances: NDArray[np.float64]) -> float:
    """Of Pearson's test, cells that few draws are expected in being put together; 0 where something impossible is."""
    if counts[chances == 0.0].any():
        return 0.0
    expected = chances * counts.sum()
    rare = expected < 5.0
    observed = np.append(counts[~rare], counts[rare].sum())
    wanted = np.append(expected[~rare], expected[rare].sum())
    observed, wanted = observed[wanted > 0.0], wanted[wanted > 0.0]
    if len(wanted) < 2:
        return 1.0
    return float(chi2.sf(((observed - wanted) ** 2 / wanted).sum(), len(wanted) - 1))
