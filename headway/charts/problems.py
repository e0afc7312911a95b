"""Build the chart and the array of scores of a sentence from candidates and scores."""

import itertools
from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.charts.chart import Chart, make_chart
from headway.charts.factorizations import Factorization
from headway.charts.part_places import PartPlaces, place_parts
from headway.errors import UsageError
from headway.parts import Candidates, Scores, arc_table
from headway.parts.arc_index import ArcIndex, index_arcs
from headway.parts.kinds import KINDS, Kind
from headway.parts.scores import check_table
from headway.parts.third_order_index import index_third_order

_TABLES = (Kind.SIBLING, Kind.GRANDPARENT, Kind.GRAND_SIBLING, Kind.TRI_SIBLING)


class Problem(NamedTuple):
    """A chart, the scores of its parts in one array, and the position of each part in it."""

    chart: Chart
    scores: npt.NDArray[np.float64]
    places: PartPlaces
    kinds: tuple[str, ...]

    def tables(self, values: npt.NDArray[np.float64]) -> dict[str, npt.NDArray[np.float64]]:
        """Split an array that is laid out like the scores into tables of arcs and of each kind of part."""
        bounds = zip(("arc", *_TABLES), itertools.pairwise(self.places.bases.tolist()), strict=True)
        return {kind: values[slice(*limits)] for kind, limits in bounds if kind == "arc" or kind in self.kinds}


def make_problem(
    candidates: Candidates,
    scores: Scores,
    factorization: Factorization,
    *,
    single_root: bool = True,
    cost: npt.NDArray[np.float64] | None = None,
    positions: npt.NDArray[np.int64] | None = None,
) -> Problem:
    """Build the chart of one sentence, with the simplest spans that suffice for its scores.

    Parameters
    ----------
    scores : Scores
        Only the parts of the factorization are read.
    cost : (arcs,) float64, optional
        Added to the arc scores.
    positions : (vertices,) int64, optional
        The position of each vertex, ascending, if words have several senses; see `headway.charts.chart`.

    Raises
    ------
    UsageError
        If a table does not fit the candidates, or contains NaN or +inf.
    """
    if positions is None:
        positions = np.arange(candidates.length + 1)
    check_positions(candidates, positions)
    index, places, flat, kinds = flat_scores(candidates, scores, factorization.kinds, cost)
    simplest = factorization.simplest(np.array([kind in kinds for kind in KINDS]))
    chart = make_chart(index, places, positions, simplest.knows_grandparent, simplest.outer, single_root)
    return Problem(chart, flat, places, kinds)


def flat_scores(
    candidates: Candidates, scores: Scores, kinds: Collection[str], cost: npt.NDArray[np.float64] | None = None
) -> tuple[ArcIndex, PartPlaces, npt.NDArray[np.float64], tuple[str, ...]]:
    """Put arc scores, and the scores of `kinds` as far as they exist, into one array; also return these kinds.

    Raises
    ------
    UsageError
        If a table does not fit the candidates, or contains NaN or +inf.
    """
    arc = candidates.gather(arc_table(candidates, scores, cost))
    index = index_arcs(candidates.mask())
    present = tuple(kind for kind in _TABLES if kind in kinds and scores.table(kind) is not None)
    sizes = (*index.sizes.tolist(), *index_third_order(index).sizes.tolist())
    tables = [arc]
    for kind, size in zip(_TABLES, sizes, strict=True):
        values = scores.table(kind)
        if values is not None and kind in present:
            check_table(kind, values, size)
            tables.append(values)
    places = place_parts(index, np.array([kind in present for kind in KINDS]))
    return index, places, np.concatenate(tables, dtype=np.float64), present


def check_positions(candidates: Candidates, positions: npt.NDArray[np.int64]) -> None:
    """Raise UsageError if positions have gaps, descend, or do not start with exactly one root."""
    steps = np.diff(positions)
    fits = len(positions) == candidates.length + 1 and positions[0] == 0
    if not fits or not np.isin(steps, (0, 1)).all() or (len(steps) > 0 and steps[0] != 1):
        raise UsageError("positions must be 0 for the root, then 1, 2, … in order, once for each sense of each word")
    if (positions[candidates.heads] == positions[candidates.modifiers]).any():
        raise UsageError("an arc joins two senses of one word")
