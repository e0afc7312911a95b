"""Weight tables: plain in training, packed in trained models.

A packed table stores only useful rows. Its directory has two numbers for every 64 slots: a bit mask of the stored
slots, and the number of rows stored before them. A slot's row is that number plus the number of set bits below the
slot's bit. The directory of a million slots takes 256 KB, so most look-ups, which find nothing, stay in the nearest CPU
cache. Weights are stored as int8 with one scale: integer sums are exact, so a model has the same scores on every
machine.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from headway.kernel import leaf_kernel

_LARGEST = 127
_BITS = 64
_ONE, _TWO, _FOUR, _BYTES = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
_ALTERNATE = np.uint64(0x5555555555555555)
_PAIRS = np.uint64(0x3333333333333333)
_NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
_SUM = np.uint64(0x0101010101010101)
_WORD, _PLACE = np.uint64(6), np.uint64(63)


NO_DIRECTORY = np.empty((0, 2), dtype=np.uint64)
"""The directory of a plain table."""


class Rows(NamedTuple):
    """Rows of weights, which are looked up by slot.

    Parameters
    ----------
    values : (rows, width) float32 or int8
    directory : (slots / 64, 2) uint64
        Bits and counts; empty for a plain table, where the slot is the row.
    scale : float
        The value of a weight of 1.
    """

    values: npt.NDArray[Any]
    directory: npt.NDArray[np.uint64]
    scale: float


def plain_rows(values: npt.NDArray[np.float32]) -> Rows:
    """Return a table with a row for every slot; the number of slots is a power of two."""
    return Rows(values, NO_DIRECTORY, 1.0)


def pack(weights: npt.NDArray[np.float32], *, most: int) -> Rows:
    """Quantise the `most` rows with the largest weights (and ties) to int8; rows that round to zero are dropped."""
    largest = np.max(np.abs(weights), axis=1)
    scale = float(np.max(largest, initial=0.0)) / _LARGEST or 1.0
    least = scale / 2
    if len(weights) > most:
        least = max(least, float(np.partition(largest, -most)[-most]))
    kept = largest >= least
    values = np.rint(weights[kept] / scale).astype(np.int8)
    directory = _directory(kept)
    for array in (values, directory):
        array.flags.writeable = False  # as if it came from a file
    return Rows(values, directory, scale)


def thin(rows: Rows, *, most: int) -> Rows:
    """Return a packed table with only its `most` largest rows; on ties, earlier rows are kept."""
    if len(rows.values) <= most:
        return rows
    largest = np.max(np.abs(rows.values.astype(np.int16)), axis=1)
    staying = np.zeros(len(rows.values), dtype=np.bool_)
    staying[np.argsort(-largest, kind="stable")[:most]] = True
    shifts = np.arange(_BITS, dtype=np.uint64)
    kept = ((rows.directory[:, :1] >> shifts) & _ONE).astype(np.bool_).reshape(-1)
    kept[np.flatnonzero(kept)[~staying]] = False
    values, directory = np.ascontiguousarray(rows.values[staying]), _directory(kept)
    for array in (values, directory):
        array.flags.writeable = False
    return Rows(values, directory, rows.scale)


def holds_bytes(rows: Rows) -> bool:
    """Return whether this is a packed table, of any width."""
    return bool(rows.values.dtype == np.int8)


def is_packed(rows: Rows, width: int) -> bool:
    """Return whether this is a valid packed table of this width; look-ups do not check the directory."""
    values, directory = rows.values, rows.directory
    if values.dtype != np.int8 or values.ndim != 2 or values.shape[1] != width:
        return False
    if directory.dtype != np.uint64 or directory.ndim != 2 or directory.shape[1] != 2:
        return False
    if len(directory) == 0 or len(directory) & (len(directory) - 1):
        return False
    ones = np.bitwise_count(directory[:, 0]).astype(np.uint64)
    ends = np.cumsum(ones, dtype=np.uint64)
    return bool(np.array_equal(directory[:, 1], ends - ones)) and int(ends[-1]) == len(values)


def _directory(kept: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint64]:
    groups = np.zeros((-(-len(kept) // _BITS), _BITS), dtype=np.uint64)
    groups.reshape(-1)[: len(kept)] = kept
    bits = (groups << np.arange(_BITS, dtype=np.uint64)).sum(axis=1, dtype=np.uint64)
    before = np.cumsum(groups.sum(axis=1), dtype=np.uint64) - groups.sum(axis=1, dtype=np.uint64)
    return np.stack([bits, before], axis=1)


@leaf_kernel
def slot_mask(rows: Rows) -> np.uint32:
    """Return the number of slots minus one: the mask of hashes."""
    slots = len(rows.directory) * _BITS if len(rows.directory) > 0 else len(rows.values)
    return np.uint32(slots - 1)


@leaf_kernel
def find_rows(rows: Rows, slots: npt.NDArray[np.uint32], count: int) -> int:
    """Replace the first `count` slots by the indices of their rows, dropping missing ones; return the number left."""
    if len(rows.directory) == 0:
        return count
    kept = 0
    for index in range(count):
        slot = slots[index]
        slots[kept] = slot
        kept += int((rows.directory[slot >> _WORD, 0] >> (slot & _PLACE)) & _ONE)
    for index in range(kept):
        slot = slots[index]
        bits = rows.directory[slot >> _WORD, 0] & ((_ONE << (slot & _PLACE)) - _ONE)
        slots[index] = rows.directory[slot >> _WORD, 1] + _ones(bits)
    return kept


@leaf_kernel
def _ones(bits: np.uint64) -> np.uint64:
    """Count the set bits (compilers turn this pattern into a single instruction)."""
    bits = bits - ((bits >> _ONE) & _ALTERNATE)
    bits = (bits & _PAIRS) + ((bits >> _TWO) & _PAIRS)
    bits = (bits + (bits >> _FOUR)) & _NIBBLES
    return (bits * _SUM) >> _BYTES


def row_tensors(name: str, rows: Rows) -> dict[str, npt.NDArray[Any]]:
    """Return a weight table as arrays of a model file."""
    return {
        f"{name}_values": rows.values,
        f"{name}_directory": rows.directory,
        f"{name}_scale": np.array([rows.scale]),
    }
