"""The scores of parts over candidate arcs, one table for each kind, filled when they are first asked for.

For searches that meet every part of a sentence. A table that would be too large is not kept: its parts are then scored
anew whenever they are asked for, so that memory stays bounded.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.kernel import kernel, leaf_kernel
from headway.parts.arc_index import ArcIndex, grandparent_place, sibling_place
from headway.parts.kinds import (
    GRAND_SIBLING,
    GRANDPARENT,
    SIBLING,
    chain_shape,
    grand_sibling_shape,
    part_key,
    sibling_shape,
)
from headway.parts.third_order_index import ThirdOrderIndex, grand_sibling_place, tri_sibling_place
from headway.scorers.high_order import PartScorer, part_score

LARGEST_TABLE = 1 << 22
"""Entries; parts of larger tables are not remembered."""


class PartTables(NamedTuple):
    """What projective charts score trees by.

    Parameters
    ----------
    arc : (arcs,) float64
    sibling, grandparent : float64
        Laid out as `ArcIndex` says; NaN for what was not scored yet.
    grand_sibling, tri_sibling : float64
        Laid out as `ThirdOrderIndex` says; empty if too large.
    wanted : (kinds,) bool
        The kinds of parts that count.
    parts : PartScorer
        Scores what is not in a table yet.
    """

    layout: ArcIndex
    places: ThirdOrderIndex
    arc: npt.NDArray[np.float64]
    sibling: npt.NDArray[np.float64]
    grandparent: npt.NDArray[np.float64]
    grand_sibling: npt.NDArray[np.float64]
    tri_sibling: npt.NDArray[np.float64]
    wanted: npt.NDArray[np.bool_]
    parts: PartScorer


@kernel
def empty_table(size: int, wanted: bool) -> npt.NDArray[np.float64]:
    """A table of parts that were not scored yet; no table if it is not wanted, or too large."""
    return np.full(size if wanted and size <= LARGEST_TABLE else 0, np.nan)


@leaf_kernel
def part_value(tables: PartTables, kind: int, side: int, first: int, second: int, third: int, fourth: int) -> float:
    """The score of one part whose kind is wanted; `side` is that of the modifiers."""
    if kind == SIBLING:
        table = tables.sibling
    elif kind == GRANDPARENT:
        table = tables.grandparent
    elif kind == GRAND_SIBLING:
        table = tables.grand_sibling
    else:
        table = tables.tri_sibling
    if len(table) == 0:
        return _score(tables, kind, side, first, second, third, fourth)
    place = part_place(tables.layout, tables.places, kind, side, first, second, third, fourth)
    if np.isnan(table[place]):
        table[place] = _score(tables, kind, side, first, second, third, fourth)
    return float(table[place])


@leaf_kernel
def part_place(
    index: ArcIndex, places: ThirdOrderIndex, kind: int, side: int, first: int, second: int, third: int, fourth: int
) -> int:
    """Where a part is in the table of its kind."""
    if kind == SIBLING:
        return sibling_place(index, first, side, second, third)
    if kind == GRANDPARENT:
        return grandparent_place(index, first, second, third)
    if kind == GRAND_SIBLING:
        return grand_sibling_place(index, places, first, second, side, third, fourth)
    return tri_sibling_place(index, places, first, side, second, third, fourth)


@leaf_kernel
def _score(tables: PartTables, kind: int, side: int, first: int, second: int, third: int, fourth: int) -> float:
    return part_score(tables.parts, key_of(kind, side, first, second, third, fourth, len(tables.layout.most)))


@leaf_kernel
def key_of(kind: int, side: int, first: int, second: int, third: int, fourth: int, none: int) -> int:
    """The key of a part, with its shape."""
    if kind == SIBLING:
        shape = sibling_shape(second, third, side, none)
    elif kind == GRANDPARENT:
        shape = chain_shape(first, second, third)
    elif kind == GRAND_SIBLING:
        shape = grand_sibling_shape(first, second, side)
    else:
        shape = 1 + side
    return part_key(kind, shape, first, second, third, fourth)
