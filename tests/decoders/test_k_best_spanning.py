"""The k best trees of arcs, against all trees of a few words."""

import brute_force
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headway.decoders.k_best_spanning import best_spanning_trees
from headway.decoders.spanning_tree import SpanningTree
from headway.errors import ConstraintError, UsageError
from headway.parts import Candidates, Scores

TABLES = 6


@given(
    n=st.integers(1, 5),
    kind=st.sampled_from(brute_force.KINDS),
    seed=st.integers(0, 2**32 - 1),
    single_root=st.booleans(),
    k=st.integers(1, 100),
)
@settings(max_examples=60)
def test_answers_as_brute_force_does(n: int, kind: str, seed: int, single_root: bool, k: int) -> None:
    generator = np.random.default_rng(seed)
    for _ in range(TABLES):
        table = brute_force.random_table(generator, n, kind)
        candidates = Candidates.from_mask(table > -np.inf)
        scores = Scores(arc=candidates.gather(table))
        totals = brute_force.tree_scores(table, projective=False, single_root=single_root)
        totals = np.sort(totals[totals > -np.inf])[::-1]
        if not len(totals):
            with pytest.raises(ConstraintError):
                best_spanning_trees(candidates, scores, k=k, single_root=single_root)
            continue
        parses = best_spanning_trees(candidates, scores, k=k, single_root=single_root)
        slack = 1e-12 * (1 + np.abs(table[np.isfinite(table)]).sum())
        np.testing.assert_allclose([parse.score for parse in parses], totals[:k], rtol=0, atol=slack)
        found = {tuple(parse.heads) for parse in parses}
        assert len(found) == len(parses)
        for parse in parses:
            assert (brute_force.candidates_of(n, False, single_root) == parse.heads[1:]).all(axis=1).any()
            assert parse.score == pytest.approx(table[parse.heads[1:], np.arange(1, n + 1)].sum(), abs=slack)


def test_a_hundred_trees_of_a_long_sentence_descend_from_the_best() -> None:
    candidates = Candidates.all(30)
    scores = Scores(np.random.default_rng(5).normal(size=len(candidates)))
    cost = np.random.default_rng(6).integers(0, 2, size=len(candidates)).astype(np.float64)
    parses = best_spanning_trees(candidates, scores, k=100, cost=cost)
    totals = [parse.score for parse in parses]
    assert totals == sorted(totals, reverse=True)
    assert len({tuple(parse.heads) for parse in parses}) == 100
    np.testing.assert_array_equal(parses[0].heads, SpanningTree().decode(candidates, scores, cost=cost).heads)
    assert parses[0].exact
    assert not parses[1].exact
    assert all(parse.bound == parses[0].score for parse in parses)


def test_an_empty_sentence_has_one_tree() -> None:
    assert len(best_spanning_trees(Candidates.all(0), Scores(np.zeros(0)), k=5)) == 1


def test_asks_for_a_tree_at_least() -> None:
    with pytest.raises(UsageError, match="must be at least 1"):
        best_spanning_trees(Candidates.all(2), Scores(np.zeros(4)), k=0)
