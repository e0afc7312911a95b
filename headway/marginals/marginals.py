"""The result of computing marginals, and the common steps before and after the kernels."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headway.parts import Candidates, Scores, arc_table
from headway.parts.constraints import no_tree

Kernel = Callable[[NDArray[np.float64], bool, NDArray[np.float64]], float]


@dataclass(frozen=True, eq=False)
class Marginals:
    """The probability of each arc under the log-linear distribution over trees.

    Parameters
    ----------
    arc : (arcs,) float64
        The probability that the tree contains each candidate arc; the arcs of a modifier sum to 1.
    log_partition : float
        The logarithm of the sum over trees of exp(score).
    """

    arc: NDArray[np.float64]
    log_partition: float


def infer(kernel: Kernel, candidates: Candidates, scores: Scores, *, single_root: bool) -> Marginals:
    """Run a `kernel` (table, single_root, marginals) -> log partition; raise ConstraintError if there is no tree."""
    table = arc_table(candidates, scores)
    probabilities = np.empty_like(table)
    log_partition = float(kernel(table, single_root, probabilities))
    if log_partition == -np.inf:
        raise no_tree(candidates.length, single_root=single_root)
    return Marginals(arc=candidates.gather(probabilities), log_partition=log_partition)
