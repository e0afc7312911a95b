"""A sparse vector over a weight table, for updates; entries with the same key are added up."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.kernel import kernel

_EMPTY = -1


class SparseVector(NamedTuple):
    """A hash table (open addressing) from flat weight indices to values.

    Parameters
    ----------
    keys : (capacity,) int64
        The index of each entry, -1 for empty places.
    values : (capacity,) float64
    order : (capacity,) int64
        The positions of the entries, in order of insertion.
    size : (1,) int64
        The number of entries.
    """

    keys: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    order: npt.NDArray[np.int64]
    size: npt.NDArray[np.int64]


@kernel
def sparse_vector(entries: int) -> SparseVector:
    """Return an empty vector with room for `entries` additions."""
    capacity = 16
    while capacity < 2 * entries:
        capacity *= 2
    return SparseVector(
        np.full(capacity, _EMPTY, dtype=np.int64),
        np.zeros(capacity, dtype=np.float64),
        np.empty(capacity, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )


@kernel
def sparse_add(vector: SparseVector, key: int, value: float) -> None:
    """Add `value` at `key`."""
    mask = len(vector.keys) - 1
    folded = (key ^ key >> 14 ^ key >> 28 ^ key >> 42) & 0xFFFFFFF  # keys of parts differ in their upper bits
    place = (folded * 0x9E3779B1 >> 7) & mask
    while vector.keys[place] != key:
        if vector.keys[place] == _EMPTY:
            vector.keys[place] = key
            vector.order[vector.size[0]] = place
            vector.size[0] += 1
            break
        place = (place + 1) & mask
    vector.values[place] += value


@kernel
def sparse_dot(vector: SparseVector, weights: npt.NDArray[np.float32]) -> float:
    """Return the dot product with a flat table of weights."""
    total = 0.0
    for entry in range(vector.size[0]):
        place = vector.order[entry]
        total += vector.values[place] * weights[vector.keys[place]]
    return total


@kernel
def sparse_norm(vector: SparseVector) -> float:
    """Return the squared Euclidean length."""
    total = 0.0
    for entry in range(vector.size[0]):
        value = vector.values[vector.order[entry]]
        total += value * value
    return total
