"""Find the best projective tree with second- and third-order parts exactly, in O(n³) or O(n⁴).

Koo and Collins (2010), "Efficient third-order dependency parsers": the second-order sibling parser (section 3.2) and
Models 0, 1 and 2 (section 4); Carreras (2007) and the third-order sibling parser of McDonald and Pereira (2006) as
Model 2 with fewer parts. The algorithms are in `headway.charts`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headway.charts.derivations import write_best_tree, write_best_trees
from headway.charts.factorizations import find_factorization
from headway.charts.marginals import part_marginals, sample_trees
from headway.charts.problems import Problem, make_problem
from headway.charts.values import highest_values
from headway.decoders.decoder import Cost, TableDecoder, check_count, check_k
from headway.decoders.samples import Samples
from headway.marginals import Marginals
from headway.parts import Candidates, Kind, Parse, Scores
from headway.parts.constraints import no_tree
from headway.parts.table_scores import tree_scores


@dataclass(frozen=True)
class ChartDecoder(TableDecoder):
    """The best projective tree under the parts of one factorization; always exact among projective trees.

    Parameters
    ----------
    factorization : str
        One of `headway.charts.factorizations.FACTORIZATIONS`.
    """

    factorization: str
    projective = True

    @property
    def name(self) -> str:  # type: ignore[override]
        """The factorization."""
        return self.factorization

    @property
    def reads(self) -> frozenset[Kind]:  # type: ignore[override]
        """Arcs and the parts of the factorization."""
        return frozenset({Kind.ARC, *map(Kind, find_factorization(self.factorization).kinds)})

    @property
    def outer(self) -> int:  # type: ignore[override]
        """The number of outermost children in grandparent and grand-sibling parts; see `Scores`."""
        return find_factorization(self.factorization).outer if Kind.GRANDPARENT in self.reads else 0

    def _search(self, candidates: Candidates, scores: Scores, *, single_root: bool, cost: Cost | None) -> Parse:
        factorization = find_factorization(self.factorization)
        problem = make_problem(candidates, scores, factorization, single_root=single_root, cost=cost)
        return _best(problem, candidates, single_root=single_root)

    def k_best(
        self,
        candidates: Candidates,
        scores: Scores,
        *,
        k: int,
        single_root: bool = True,
        cost: Cost | None = None,
        ignore: Collection[Kind] = (),
    ) -> Sequence[Parse]:
        """Find the k best projective trees; see `ListsTrees`."""
        check_k(k)
        scores, ignored = self.readable(scores, ignore)
        factorization = find_factorization(self.factorization)
        problem = make_problem(candidates, scores, factorization, single_root=single_root, cost=cost)
        trees, totals = np.empty((k, candidates.length + 1), dtype=np.int32), np.empty(k)
        values = highest_values(problem.chart, problem.scores)
        found = write_best_trees(problem.chart, problem.scores, values, trees, totals)
        if found == 0:
            raise no_tree(candidates.length, single_root=single_root, projective=True)
        return [
            Parse(trees[rank], float(totals[rank]), bound=float(totals[0]), exact=rank == 0, ignored=ignored)
            for rank in range(found)
        ]

    def marginals(
        self, candidates: Candidates, scores: Scores, *, single_root: bool = True, ignore: Collection[Kind] = ()
    ) -> Marginals:
        """Compute arc marginals over projective trees; see `HasMarginals`."""
        scores, _ = self.readable(scores, ignore)
        return part_marginals(candidates, scores, factorization=self.factorization, single_root=single_root)

    def sample(
        self,
        candidates: Candidates,
        scores: Scores,
        *,
        count: int,
        seed: int = 0,
        single_root: bool = True,
        ignore: Collection[Kind] = (),
    ) -> Samples:
        """Draw independent projective trees; see `SamplesTrees`."""
        check_count(count)
        scores, _ = self.readable(scores, ignore)
        heads = sample_trees(
            candidates, scores, factorization=self.factorization, count=count, seed=seed, single_root=single_root
        )
        return Samples(heads, tree_scores(candidates, scores, heads))


def best_senses(
    candidates: Candidates,
    scores: Scores,
    positions: NDArray[np.int64],
    *,
    factorization: str = "sibling",
    single_root: bool = True,
) -> Parse:
    """Find the best projective tree and the best sense of every word together.

    Koo and Collins (2010), section 5.3; Eisner (2000), section 4.2. With S senses per word, decoding with arcs and
    siblings takes S³ times as long.

    Parameters
    ----------
    candidates : Candidates
        Arcs over vertices, one vertex for each sense of each word; arcs join senses of different words.
    scores : Scores
        The score of a sense by itself is added to every arc that ends in it.
    positions : (vertices,) int64
        The word, 1, 2, …, that each vertex is a sense of, ascending; 0 for the root.

    Returns
    -------
    Parse
        Its heads are over vertices: the head of each chosen sense, -1 for the others.
    """
    problem = make_problem(
        candidates, scores, find_factorization(factorization), single_root=single_root, positions=positions
    )
    return _best(problem, candidates, single_root=single_root)


def _best(problem: Problem, candidates: Candidates, *, single_root: bool) -> Parse:
    values = highest_values(problem.chart, problem.scores)
    heads = np.empty(candidates.length + 1, dtype=np.int32)
    if not write_best_tree(problem.chart, problem.scores, values, heads):
        raise no_tree(candidates.length, single_root=single_root, projective=True)
    score = float(values[-1])
    return Parse(heads=heads, score=score, bound=score, exact=True)
