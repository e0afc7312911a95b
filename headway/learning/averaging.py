"""Averaged weights, computed lazily and exactly.

The average of the weights over all steps 1..T is ``w - u / T``, where u sums, for every change d made after step t,
``t * d`` (Daumé's trick): only weights that change are touched.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.kernel import kernel
from headway.scorers.sparse import SparseVector

_SLICE = 1 << 14


class AveragedTable(NamedTuple):
    """Weights during training, with the sums for their average.

    Parameters
    ----------
    values : (slots, width) float32
    changes : (slots, width) float64 or float32
        The sums of t * d, as above.
    """

    values: npt.NDArray[np.float32]
    changes: npt.NDArray[np.floating]


def averaged_table(slots: int, width: int, *, precise: bool = True) -> AveragedTable:
    """Return a table of zeros.

    Parameters
    ----------
    precise : bool
        Use double precision for the sums of changes. Perceptrons do not need it, because all their changes have the
        same size: the sums are exact up to 2 ** 24 in units of this size, with a relative error below 1e-6 beyond.
    """
    changes = np.zeros((slots, width), dtype=np.float64 if precise else np.float32)
    return AveragedTable(np.zeros((slots, width), dtype=np.float32), changes)


def average(table: AveragedTable, steps: int) -> npt.NDArray[np.float32]:
    """(slots, width) Return the mean of the weights after each of `steps` steps."""
    mean = np.empty_like(table.values)
    for first in range(0, len(mean), _SLICE):  # by slices, to avoid a second table of doubles
        part = slice(first, first + _SLICE)
        mean[part] = table.values[part] - table.changes[part] / max(steps, 1)
    return mean


@kernel
def add_scaled(table: AveragedTable, vector: SparseVector, factor: float, step: int) -> None:
    """Add ``factor * vector`` to the weights, as part of step number `step` (the first is 0)."""
    values, changes = table.values.reshape(-1), table.changes.reshape(-1)
    for entry in range(vector.size[0]):
        place = vector.order[entry]
        key, change = vector.keys[place], factor * vector.values[place]
        values[key] += change
        changes[key] += change * step
