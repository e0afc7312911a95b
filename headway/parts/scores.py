"""The scores of parts, one array for each kind: the interface between scorers and decoders."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from headway.errors import ScoreError, UsageError
from headway.parts.candidates import Candidates
from headway.parts.kinds import KINDS, Kind

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scores:
    """Part scores over the candidates of one sentence; higher is better, and -inf forbids a part.

    Parameters
    ----------
    arc : (arcs,) float64
        The score of each candidate arc.
    sibling, grandparent, … : float64, optional
        The scores of the other kinds of parts (`headway.parts.kinds`), laid out as in `headway.parts.part_tables`;
        None for kinds that are not scored.
    outer : int
        0 if there are grandparent and grand-sibling parts for all children of a head; otherwise, the number of
        outermost children on each side that have them (Carreras 2007; Model 2 of Koo and Collins 2010).
    """

    arc: Vector
    sibling: Vector | None = None
    grandparent: Vector | None = None
    head_bigram: Vector | None = None
    grand_sibling: Vector | None = None
    tri_sibling: Vector | None = None
    great_grandparent: Vector | None = None
    sibling_grandchild: Vector | None = None
    arbitrary_sibling: Vector | None = None
    outer: int = 0

    @property
    def kinds(self) -> frozenset[Kind]:
        """The kinds of parts that are scored, always including arcs."""
        return frozenset(kind for kind in (Kind.ARC, *KINDS) if self.table(kind) is not None)

    def table(self, kind: Kind) -> Vector | None:
        """Return the scores of one kind, None if it is not scored."""
        table: Vector | None = getattr(self, kind)
        return table

    def without(self, kinds: Collection[Kind]) -> "Scores":
        """Return the scores without those of the given kinds."""
        absent: dict[str, Any] = {str(kind): None for kind in kinds if kind in KINDS}
        return replace(self, **absent)

    def scaled(self, factor: float) -> "Scores":
        """Return the scores, multiplied by a factor."""
        tables: dict[str, Any] = {str(kind): getattr(self, kind) * factor for kind in self.kinds}
        return replace(self, **tables)


def wanted_kinds(kinds: Collection[Kind]) -> npt.NDArray[np.bool_]:
    """(kinds,) Return whether each of `KINDS` is in `kinds`, as an array for kernels."""
    return np.array([kind in kinds for kind in KINDS])


def arc_table(candidates: Candidates, scores: Scores, cost: Vector | None = None) -> Vector:
    """Return arc scores as the square table that first-order kernels read.

    Parameters
    ----------
    cost : (arcs,) float64, optional
        Added to the arc scores.

    Returns
    -------
    (n + 1, n + 1) float64
        Indexed [head, modifier]; -inf for arcs that are not candidates.

    Raises
    ------
    UsageError
        If an array does not match the candidates.
    ScoreError
        If a score is NaN or +inf.
    """
    arc = scores.arc
    for name, values in (("arc scores", arc), ("costs", cost)):
        if values is not None and values.shape != candidates.heads.shape:
            raise UsageError(f"{name} have shape {values.shape}, but there are {len(candidates)} candidate arcs")
    if cost is not None:
        arc = arc + cost
    if not np.all(arc < np.inf):
        raise ScoreError("arc scores must be finite, or -inf for a forbidden arc; found NaN or +inf")
    return candidates.dense(arc, -np.inf)


def check_finite_parts(scores: Scores) -> None:
    """Raise ScoreError for part scores (other than arcs) that are not finite: their differences would be NaN."""
    for kind in KINDS:
        values = scores.table(kind)
        if values is not None and not np.isfinite(values).all():
            raise ScoreError(f"{kind.replace('_', '-')} scores must be finite numbers for hill climbing")


def check_table(kind: Kind, values: Vector, size: int) -> None:
    """Raise UsageError for a table of part scores that does not match the candidates; kernels do not check it."""
    message = f"{kind.replace('_', '-')} scores must be {size} numbers for these candidates, -inf for what is forbidden"
    if values.shape != (size,):
        raise UsageError(message)
    if not (values < np.inf).all():
        raise ScoreError(message)
