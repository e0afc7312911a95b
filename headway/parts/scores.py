"""The scores of parts, one array for each type of part: the contract between scorers and decoders."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headway.errors import UsageError
from headway.parts.candidates import Candidates


@dataclass(frozen=True, eq=False)
class Scores:
    """Part scores over the candidates of one sentence; higher is better, -inf forbids.

    Parameters
    ----------
    arc : (arcs,) float64
        The score of each candidate arc.
    sibling, grandparent : float64, optional
        The scores of parts of order two, laid out as `headway.parts.arc_index` says; None where there are none.
    grand_sibling, tri_sibling : float64, optional
        The scores of parts of order three, laid out as `headway.parts.third_order_index` says.
    """

    arc: NDArray[np.float64]
    sibling: NDArray[np.float64] | None = None
    grandparent: NDArray[np.float64] | None = None
    grand_sibling: NDArray[np.float64] | None = None
    tri_sibling: NDArray[np.float64] | None = None


def arc_table(candidates: Candidates, scores: Scores, cost: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Arc scores as the square table that first-order kernels read.

    Parameters
    ----------
    candidates : Candidates
    scores : Scores
    cost : (arcs,) float64, optional
        Added to the arc scores.

    Returns
    -------
    (n + 1, n + 1) float64
        Indexed [head, modifier]; -inf where there is no candidate.

    Raises
    ------
    UsageError
        If an array does not fit the candidates, or a score is NaN or +inf.
    """
    arc = scores.arc
    for name, values in (("arc scores", arc), ("costs", cost)):
        if values is not None and values.shape != candidates.heads.shape:
            raise UsageError(f"{name} have shape {values.shape}, but there are {len(candidates)} candidate arcs")
    if cost is not None:
        arc = arc + cost
    if not np.all(arc < np.inf):
        raise UsageError("arc scores must be finite, or -inf for a forbidden arc; found NaN or +inf")
    return candidates.dense(arc, -np.inf)
