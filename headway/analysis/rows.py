"""Helpers of analyses: rows of named cells, as a table or as JSON, and groups of sentences by length."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from headway.evaluation.breakdown import bin_names
from headway.evaluation.tables import NOTHING, table

Cell = str | int | float | None
Row = Mapping[str, Cell]

LONGEST_SHORT = 15
"""The length in words of the longest sentence that counts as short, as in the paper's tables."""


_TOLERANCE = 1e-9
"""The relative tolerance within which scores are considered equal (they can differ by the order of summation)."""


def rows_table(rows: Sequence[Row]) -> str:
    """Return rows with the same columns as a table; decimals have two places, and a dash stands for None.

    Examples
    --------
    >>> print(rows_table([{"words": "all", "sentences": 1200, "found": 99.5}]))
    | words | sentences | found |
    | :---- | --------: | ----: |
    | all   |     1,200 | 99.50 |
    """
    header = list(rows[0]) if rows else []
    return table(header, [[_text(row[name]) for name in header] for row in rows])


def length_groups(lengths: NDArray[np.int64], *, longest_short: int = LONGEST_SHORT) -> dict[str, NDArray[np.bool_]]:
    """Return a mask (sentences,) for each group of sentences: short ones, long ones, and all."""
    short, long = bin_names((longest_short,))
    return {short: lengths <= longest_short, long: lengths > longest_short, "all": np.ones(len(lengths), dtype=bool)}


def sentences_of(group: str) -> str:
    """Return the name that charts give a group of `length_groups`."""
    return "all sentences" if group == "all" else f"{group} words"


def mean(values: NDArray[np.generic]) -> float | None:
    """Return the mean, or None if there are no values."""
    return float(np.mean(values.astype(np.float64))) if len(values) else None


def share(values: NDArray[np.bool_]) -> float | None:
    """Return the share of true values in per cent, or None if there are no values."""
    return 100 * float(np.mean(values)) if len(values) else None


def reaches(scores: NDArray[np.float64], best: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether each score is at least `best`, up to rounding."""
    return scores >= best - _TOLERANCE * np.maximum(1.0, np.abs(best))


def _text(cell: Cell) -> str:
    if cell is None:
        return NOTHING
    if isinstance(cell, float):
        return f"{cell:,.2f}"
    return f"{cell:,}" if isinstance(cell, int) else cell
