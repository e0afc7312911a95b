"""Add numbers that are stored as logarithms."""

import math

import numpy as np
from numpy.typing import NDArray

from headway.kernel import kernel

_NEGLIGIBLE = -40.0  # a term below exp of this is lost in rounding, next to 1


@kernel
def log_add(one: float, other: float) -> float:
    """Return log(exp(one) + exp(other))."""
    if one < other:
        one, other = other, one
    if other == -np.inf or other - one < _NEGLIGIBLE:
        return one
    return one + math.log1p(math.exp(other - one))


@kernel
def log_sum(values: NDArray[np.float64]) -> float:
    """Return the logarithm of the sum of exp(values)."""
    highest = -np.inf
    for value in values:
        highest = value if value > highest else highest
    if highest == -np.inf:
        return highest
    total = 0.0
    for value in values:
        if value - highest > _NEGLIGIBLE:
            total += math.exp(value - highest)
    return highest + math.log(total)


@kernel
def log_inner_product(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return the logarithm of the sum of exp(one + other)."""
    highest = -np.inf
    for index in range(one.shape[0]):
        value = one[index] + other[index]
        highest = value if value > highest else highest
    if highest == -np.inf:
        return highest
    total = 0.0
    for index in range(one.shape[0]):
        difference = one[index] + other[index] - highest
        if difference > _NEGLIGIBLE:
            total += math.exp(difference)
    return highest + math.log(total)
