"""From candidates and scores to a chart and its tables."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.charts.chart import Chart, make_chart
from headway.charts.factorizations import Factorization
from headway.errors import ConstraintError, UsageError
from headway.features.high_order import NO_PARTS, PART_ROW
from headway.parts import Candidates, Scores, arc_table
from headway.parts.arc_index import index_arcs
from headway.parts.kinds import KINDS
from headway.parts.third_order_index import index_third_order
from headway.scorers.high_order import PartScorer, make_part_scorer
from headway.scorers.part_tables import PartTables
from headway.scorers.rows import plain_rows

_TABLES = ("sibling", "grandparent", "grand_sibling", "tri_sibling")


class Problem(NamedTuple):
    """A chart, and what its parts score."""

    chart: Chart
    tables: PartTables


def make_problem(
    candidates: Candidates,
    scores: Scores,
    factorization: Factorization,
    *,
    single_root: bool = True,
    cost: npt.NDArray[np.float64] | None = None,
    positions: npt.NDArray[np.int64] | None = None,
) -> Problem:
    """The chart of one sentence, with the simplest spans that do.

    Parameters
    ----------
    scores : Scores
        Only the parts of the factorization are read.
    cost : (arcs,) float64, optional
        Added to the arc scores.
    positions : (vertices,) int64, optional
        The position of each vertex, ascending, where words have several senses; see `headway.charts.chart`.

    Raises
    ------
    UsageError
        If a table does not fit the candidates, or has numbers that are no scores.
    """
    arc = candidates.gather(arc_table(candidates, scores, cost))
    if positions is None:
        positions = np.arange(candidates.length + 1)
    check_positions(candidates, positions)
    index = index_arcs(candidates.mask())
    places = index_third_order(index)
    sizes = (*index.sizes.tolist(), *places.sizes.tolist())
    tables, present = [], np.zeros(len(KINDS), dtype=np.bool_)
    for kind, size in zip(_TABLES, sizes, strict=True):
        values = getattr(scores, kind) if kind in factorization.kinds else None
        if values is not None:
            _check(kind, values, size)
            present[KINDS.index(kind)] = True
        tables.append(np.empty(0) if values is None else np.ascontiguousarray(values, dtype=np.float64))
    sibling, grandparent, grand_sibling, tri_sibling = tables
    simplest = factorization.simplest(present)
    chart = make_chart(index, positions, simplest.knows_grandparent, simplest.outer, single_root)
    scorer = _no_scorer(len(positions))
    return Problem(
        chart,
        PartTables(index, places, arc, sibling, grandparent, grand_sibling, tri_sibling, present, scorer),
    )


def check_positions(candidates: Candidates, positions: npt.NDArray[np.int64]) -> None:
    """Refuse positions that leave gaps, descend, or do not begin with the root alone."""
    steps = np.diff(positions)
    fits = len(positions) == candidates.length + 1 and positions[0] == 0
    if not fits or not np.isin(steps, (0, 1)).all() or (len(steps) > 0 and steps[0] != 1):
        raise UsageError("positions must be 0 for the root, then 1, 2, … in order, once for each sense of each word")
    if (positions[candidates.heads] == positions[candidates.modifiers]).any():
        raise UsageError("an arc joins two senses of one word")


def no_tree(candidates: Candidates, *, single_root: bool) -> ConstraintError:
    """What to raise where there is no tree."""
    name = "projective tree with a single child of the root" if single_root else "projective tree"
    return ConstraintError(f"the candidate arcs of this {candidates.length}-word sentence hold no {name}")


def _check(kind: str, values: npt.NDArray[np.float64], size: int) -> None:
    if values.shape != (size,) or not (values < np.inf).all():
        name = kind.replace("_", "-")
        raise UsageError(f"{name} scores must be {size} numbers for these candidates, -inf for what is forbidden")


def _no_scorer(vertices: int) -> PartScorer:
    rows = plain_rows(np.zeros((1, PART_ROW), dtype=np.float32))
    return make_part_scorer(np.zeros((vertices, 1), dtype=np.int32), NO_PARTS, rows)
