"""A small cache of scores by key, for parts that are scored on first use.

It is a hash table with open addressing. It is cleared when it is three quarters full, so its size never changes.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.kernel import inner_kernel, kernel, leaf_kernel

_EMPTY = -1


class Memo(NamedTuple):
    """A hash table.

    Parameters
    ----------
    keys : (capacity,) int64
        The key at each position, -1 if it is free.
    values : (capacity,) float64
        The score at each position.
    size : (1,) int64
        The number of keys.
    """

    keys: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    size: npt.NDArray[np.int64]


@kernel
def make_memo(capacity: int) -> Memo:
    """Return an empty cache; the capacity must be a power of two."""
    return Memo(
        np.full(capacity, _EMPTY, dtype=np.int64),
        np.empty(capacity, dtype=np.float64),
        np.zeros(1, dtype=np.int64),
    )


@inner_kernel
def memo_place(memo: Memo, key: int) -> int:
    """Return the position of `key`, or the position where it would be inserted."""
    mask = len(memo.keys) - 1
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    place = int(mixed >> np.uint64(32)) & mask
    while memo.keys[place] != key and memo.keys[place] != _EMPTY:
        place = (place + 1) & mask
    return place


@leaf_kernel
def remember(memo: Memo, place: int, key: int, value: float) -> None:
    """Insert the value of a new key at the position that `memo_place` returned."""
    if 4 * memo.size[0] >= 3 * len(memo.keys):
        memo.keys[:] = _EMPTY
        memo.size[0] = 0
        place = memo_place(memo, key)
    memo.keys[place] = key
    memo.values[place] = value
    memo.size[0] += 1
