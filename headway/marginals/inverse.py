"""The inverse and the determinant of a small matrix in one pass: Gauss-Jordan with partial pivoting, O(n³).

It replaces LAPACK in the kernels: it is as fast at the size of a sentence, runs only on the calling thread, gives
the same bits on any number of threads, and returns a value for a singular matrix instead of an exception.
"""

import math

import numpy as np
from numpy.typing import NDArray

from headway.kernel import kernel


@kernel
def invert(matrix: NDArray[np.float64]) -> float:
    """Replace `matrix` (n, n) by its inverse.

    Returns
    -------
    float
        The logarithm of the absolute determinant; -inf for a singular matrix, and then `matrix` is undefined.
    """
    size = matrix.shape[0]
    swapped = np.empty(size, np.int64)
    log_determinant = 0.0
    for pivot in range(size):
        swapped[pivot] = _largest_below(matrix, pivot)
        _swap(matrix[pivot], matrix[swapped[pivot]])
        value = matrix[pivot, pivot]
        if value == 0.0 or not math.isfinite(value):
            return -np.inf
        log_determinant += math.log(abs(value))
        matrix[pivot, pivot] = 1.0
        row = matrix[pivot]
        for column in range(size):
            row[column] /= value
        for other in range(size):
            if other != pivot:
                factor = matrix[other, pivot]
                matrix[other, pivot] = 0.0
                target = matrix[other]
                for column in range(size):
                    target[column] -= factor * row[column]
    for pivot in range(size - 1, -1, -1):
        if swapped[pivot] != pivot:
            _swap(matrix[:, pivot], matrix[:, swapped[pivot]])
    return log_determinant


@kernel
def _largest_below(matrix: NDArray[np.float64], column: int) -> int:
    """Return the row, from the diagonal down, in which a column has its largest entry."""
    best = column
    for row in range(column + 1, matrix.shape[0]):
        if abs(matrix[row, column]) > abs(matrix[best, column]):
            best = row
    return best


@kernel
def _swap(one: NDArray[np.float64], other: NDArray[np.float64]) -> None:
    for index in range(one.shape[0]):
        one[index], other[index] = other[index], one[index]
