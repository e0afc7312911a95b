import numpy as np
import pytest

from headway.errors import UsageError
from headway.parts import Candidates, Parse, Scores, arc_table, tree_score


def test_tree_score_sums_the_parts() -> None:
    candidates = Candidates.all(3)
    scores = Scores(candidates.gather(np.arange(16.0).reshape(4, 4)))
    heads = np.array([-1, 2, 0, 2], dtype=np.int32)
    assert tree_score(candidates, scores, heads) == 9.0 + 2.0 + 11.0


def test_tree_score_of_an_arc_that_is_no_candidate() -> None:
    candidates = Candidates.all(3).restrict(forbidden=[(2, 3)])
    scores = Scores(np.ones(len(candidates)))
    assert tree_score(candidates, scores, np.array([-1, 2, 0, 2], dtype=np.int32)) == -np.inf
    assert tree_score(candidates, scores, np.array([-1, 2, 0, 1], dtype=np.int32)) == 3.0


def test_tree_score_of_no_words() -> None:
    candidates = Candidates.all(0)
    assert tree_score(candidates, Scores(np.zeros(0)), np.array([-1], dtype=np.int32)) == 0.0


def test_arc_table_adds_costs_and_fills_with_minus_infinity() -> None:
    candidates = Candidates.all(2).restrict({1: 2})
    table = arc_table(candidates, Scores(np.array([1.0, 2.0, 3.0])), np.array([0.0, 0.0, 10.0]))
    assert table.tolist() == [[-np.inf, -np.inf, 2.0], [-np.inf, -np.inf, 13.0], [-np.inf, 1.0, -np.inf]]


def test_arc_table_refuses_what_does_not_fit() -> None:
    candidates = Candidates.all(2)
    with pytest.raises(UsageError, match="4 candidate arcs"):
        arc_table(candidates, Scores(np.zeros((2, 2))))
    with pytest.raises(UsageError, match="NaN"):
        arc_table(candidates, Scores(np.array([0.0, np.nan, 0.0, 0.0])))


def test_a_parse_claims_nothing_by_itself() -> None:
    parse = Parse(heads=np.array([-1, 0], dtype=np.int32), score=1.0)
    assert (parse.labels, parse.bound, parse.exact, dict(parse.statistics)) == (None, None, False, {})
