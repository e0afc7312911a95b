"""Marginals over non-projective trees: the matrix-tree theorem, O(n³).

Koo et al. (2007), "Structured prediction models via the matrix-tree theorem", sections 3 and 4; Tutte (1984).

With A[h, m] = exp(score(h -> m)), the Laplacian over the words is L[m, m] = sum over h of A[h, m],
L[h, m] = -A[h, m]. Its determinant is the partition function, and the gradient of its logarithm, read off the
inverse X, the marginals::

    several roots    P(0 -> m) = A[0, m] X[m, m]     P(h -> m) = A[h, m] (X[m, m] - X[m, h])
    a single root    the root leaves the diagonal, and A[0, m] replaces the first row

The differences lose digits if words form cycles with few arcs leaving them, and an arc whose weight
underflows may be the one that breaks a cycle: both happen with large scores. So the result is
checked, and if it fails, computed again by `headway.marginals.elimination`, which subtracts nothing.
"""

import math

import numpy as np
from numpy.typing import NDArray

from headway.kernel import kernel, unit_kernel
from headway.marginals.elimination import elimination_kernel
from headway.marginals.inverse import invert
from headway.marginals.marginals import Marginals, infer
from headway.parts import Candidates, Scores

_TOLERANCE = 1e-9
_LARGEST_ENTRY = 1e5  # of the scaled inverse; its decimal logarithm is the number of digits lost


def matrix_tree(candidates: Candidates, scores: Scores, *, single_root: bool = True) -> Marginals:
    """Compute arc marginals over all trees, crossing arcs allowed.

    Parameters
    ----------
    candidates : Candidates
    scores : Scores
        Only ``scores.arc`` is read.
    single_root : bool
        Whether the root has exactly one child.

    Returns
    -------
    Marginals

    Raises
    ------
    ConstraintError
        If no such tree can be built from the candidates.
    """
    return infer(matrix_tree_kernel, candidates, scores, single_root=single_root)


@unit_kernel
def matrix_tree_kernel(dense: NDArray[np.float64], single_root: bool, marginals: NDArray[np.float64]) -> float:
    """Write arc marginals over non-projective trees.

    Parameters
    ----------
    dense : (n + 1, n + 1) float64
        Arc scores [head, modifier], -inf for no arc; the diagonal and column 0 are ignored.
    single_root : bool
    marginals : (n + 1, n + 1) float64, output
        Arc probabilities [head, modifier].

    Returns
    -------
    float
        The log partition; -inf if there is no tree, and then `marginals` is undefined.
    """
    marginals[:] = 0.0
    if dense.shape[0] == 1:
        return 0.0
    log_partition = laplacian_kernel(dense, single_root, marginals)
    if not np.isnan(log_partition):
        return log_partition
    return elimination_kernel(dense, single_root, marginals)


@kernel
def laplacian_kernel(dense: NDArray[np.float64], single_root: bool, marginals: NDArray[np.float64]) -> float:
    """Compute the same only by the inverse of the Laplacian; return NaN if the result is not reliable."""
    weight = np.empty(dense.shape)
    shift = _weights(dense, single_root, weight)
    if shift == -np.inf:
        return np.nan
    laplacian, degree = _laplacian(weight, single_root)
    log_determinant = invert(laplacian)
    if log_determinant == -np.inf or _largest_entry(laplacian, degree) > _LARGEST_ENTRY:
        return np.nan
    _read_off(weight, laplacian, single_root, marginals)
    return shift + log_determinant if _sum_to_one(marginals, single_root) else np.nan


@kernel
def _weights(dense: NDArray[np.float64], single_root: bool, weight: NDArray[np.float64]) -> float:
    """Fill `weight` [head, modifier] with exp(scores), scaled for each modifier; return the log scale.

    A tree with a single root contains one root arc, so the root arcs then have a separate scale.
    """
    vertices = dense.shape[0]
    start = 1 if single_root else 0
    total = 0.0
    highest = np.full(vertices, -np.inf)
    for head in range(start, vertices):
        for modifier in range(1, vertices):
            if head != modifier and dense[head, modifier] > highest[modifier]:
                highest[modifier] = dense[head, modifier]
    for modifier in range(1, vertices):
        if highest[modifier] == -np.inf:
            highest[modifier] = 0.0
        total += highest[modifier]
    for head in range(start, vertices):
        for modifier in range(1, vertices):
            weight[head, modifier] = math.exp(dense[head, modifier] - highest[modifier])
        weight[head, head] = 0.0
    if single_root:
        root = -np.inf
        for modifier in range(1, vertices):
            root = max(root, dense[0, modifier] - highest[modifier])
        if root == -np.inf:
            return -np.inf
        for modifier in range(1, vertices):
            weight[0, modifier] = math.exp(dense[0, modifier] - highest[modifier] - root)
        total += root
    return total


@kernel
def _laplacian(weight: NDArray[np.float64], single_root: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the Laplacian, and the degrees: the sum of the weights of each word's arcs."""
    words = weight.shape[0] - 1
    laplacian = np.empty((words, words))
    degree = np.zeros(words)
    for head in range(words):
        for modifier in range(words):
            laplacian[head, modifier] = -weight[head + 1, modifier + 1]
            degree[modifier] += weight[head + 1, modifier + 1]
    for modifier in range(words):
        if not single_root:
            degree[modifier] += weight[0, modifier + 1]
        laplacian[modifier, modifier] = degree[modifier]
    if single_root:
        for modifier in range(words):
            laplacian[0, modifier] = weight[0, modifier + 1]
    return laplacian, degree


@kernel
def _largest_entry(inverse: NDArray[np.float64], degree: NDArray[np.float64]) -> float:
    """Return the largest entry of the inverse, with each row in units of its degree.

    Rounding changes column m of the Laplacian by about 1e-16 degree[m], and with it the inverse X by X times
    that change times X.
    """
    largest = 0.0
    for modifier in range(inverse.shape[0]):
        for head in range(inverse.shape[0]):
            largest = max(largest, max(degree[modifier], 1.0) * abs(inverse[modifier, head]))
    return largest


@kernel
def _read_off(
    weight: NDArray[np.float64],
    inverse: NDArray[np.float64],
    single_root: bool,
    marginals: NDArray[np.float64],
) -> None:
    """Fill `marginals` from the inverse."""
    words = inverse.shape[0]
    for modifier in range(words):
        diagonal = 0.0 if single_root and modifier == 0 else inverse[modifier, modifier]
        root = inverse[modifier, 0] if single_root else diagonal
        marginals[0, modifier + 1] = weight[0, modifier + 1] * root
        for head in range(words):
            other = 0.0 if single_root and head == 0 else inverse[modifier, head]
            marginals[head + 1, modifier + 1] = weight[head + 1, modifier + 1] * (diagonal - other)


@kernel
def _sum_to_one(marginals: NDArray[np.float64], single_root: bool) -> bool:
    """Return whether the marginals are probabilities; clip those that rounding put just outside."""
    vertices = marginals.shape[0]
    sums = np.zeros(vertices)
    for head in range(vertices):
        for modifier in range(1, vertices):
            value = marginals[head, modifier]
            if not -_TOLERANCE <= value <= 1.0 + _TOLERANCE:
                return False
            marginals[head, modifier] = min(max(value, 0.0), 1.0)
            sums[modifier] += value
    for modifier in range(1, vertices):
        if abs(sums[modifier] - 1.0) > _TOLERANCE:
            return False
    root = 0.0
    for modifier in range(1, vertices):
        root += marginals[0, modifier]
    return not single_root or abs(root - 1.0) <= _TOLERANCE
