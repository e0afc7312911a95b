"""Compute marginals of arcs and parts over projective trees, and draw exact samples, for every factorization.

Koo and Collins (2010), section 5.1.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headway.charts.derivations import write_random_tree
from headway.charts.factorizations import find_factorization
from headway.charts.problems import make_problem
from headway.charts.shares import part_shares
from headway.charts.values import log_sums
from headway.kernel.random_numbers import make_generator
from headway.marginals import Marginals
from headway.parts import Candidates, Scores
from headway.parts.constraints import no_tree


@dataclass(frozen=True, eq=False)
class PartMarginals(Marginals):
    """The probability of each arc and each part.

    Parameters
    ----------
    sibling, grandparent, grand_sibling, tri_sibling : float64, optional
        Laid out like the scores; None for parts that the factorization or the scores lack.
    """

    sibling: npt.NDArray[np.float64] | None = None
    grandparent: npt.NDArray[np.float64] | None = None
    grand_sibling: npt.NDArray[np.float64] | None = None
    tri_sibling: npt.NDArray[np.float64] | None = None


def part_marginals(
    candidates: Candidates, scores: Scores, *, factorization: str, single_root: bool = True
) -> PartMarginals:
    """Compute the marginals of arcs and parts over projective trees.

    Parameters
    ----------
    scores : Scores
        Only the parts of the factorization are read.
    factorization : str
        One of `headway.charts.factorizations.FACTORIZATIONS`.

    Raises
    ------
    ConstraintError
        If no such tree can be built from the candidates.
    """
    problem = make_problem(candidates, scores, find_factorization(factorization), single_root=single_root)
    values = log_sums(problem.chart, problem.scores)
    if values[-1] == -np.inf:
        raise no_tree(candidates.length, single_root=single_root, projective=True)
    chances = part_shares(problem.chart, problem.scores, values)
    return PartMarginals(log_partition=float(values[-1]), **problem.tables(chances))


def sample_trees(
    candidates: Candidates,
    scores: Scores,
    *,
    factorization: str,
    count: int,
    seed: int = 0,
    single_root: bool = True,
) -> npt.NDArray[np.int32]:
    """Draw `count` independent projective trees, (count, n + 1), with probabilities proportional to exp(score)."""
    problem = make_problem(candidates, scores, find_factorization(factorization), single_root=single_root)
    values, generator = log_sums(problem.chart, problem.scores), make_generator(seed)
    heads = np.empty((count, candidates.length + 1), dtype=np.int32)
    for number in range(count):
        if not write_random_tree(problem.chart, problem.scores, values, generator, heads[number]):
            raise no_tree(candidates.length, single_root=single_root, projective=True)
    return heads
