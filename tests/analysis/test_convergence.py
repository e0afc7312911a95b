import numpy as np
import pytest

from headway.analysis import Convergence, follow_climbs
from headway.decoders.hill_climbing import Trace


def trace(scores, length):
    trees = np.zeros((len(scores), length + 1), dtype=np.int32)
    return Trace(np.array(scores, dtype=float), trees, trees)


def test_the_best_so_far():
    followed = follow_climbs([trace([3, 1, 5], 4), trace([2, 2, 1], 20)])
    assert followed.lengths.tolist() == [4, 20]
    assert followed.scores.tolist() == [[3, 3, 5], [2, 2, 2]]
    assert followed.best.tolist() == [5, 2]
    assert followed.found.tolist() == [[False, False, True], [True, True, True]]


def test_sentences_without_a_tree_are_left_out():
    assert follow_climbs([trace([-np.inf, -np.inf], 3), trace([1, 2], 5)]).lengths.tolist() == [5]


def test_rounding_is_no_progress():
    assert follow_climbs([trace([1e6 * (1 - 1e-12), 1e6], 3)]).found.tolist() == [[True, True]]
    assert follow_climbs([trace([1e6 * (1 - 1e-7), 1e6], 3)]).found.tolist() == [[False, True]]


def test_rows_by_length():
    rows = follow_climbs([trace([6, 8], 15), trace([8, 8], 15), trace([1, 4], 16)]).rows(steps=(1, 2, 50))
    assert rows == [
        {
            "climbs": 1,
            "best found, % (1-15)": 50.0, "best found, % (>15)": 0.0, "best found, % (all)": pytest.approx(100 / 3),
            "score, % (1-15)": 87.5, "score, % (>15)": 25.0, "score, % (all)": pytest.approx(75),
        },
        {
            "climbs": 2,
            "best found, % (1-15)": 100, "best found, % (>15)": 100, "best found, % (all)": 100,
            "score, % (1-15)": 100, "score, % (>15)": 100, "score, % (all)": 100,
        },
    ]  # fmt: skip


def test_the_last_climb_always_has_a_row():
    followed = follow_climbs([trace(range(7), 3)])
    assert [row["climbs"] for row in followed.rows(steps=(0, 1, 5, 10))] == [1, 5, 7]


def test_scores_below_zero():
    followed = follow_climbs([trace([-12, -10], 3), trace([20, 30], 3), trace([0, 0], 3)])
    assert followed.relative_score(np.ones(3, dtype=bool)) == pytest.approx([70, 100])


@pytest.mark.parametrize("score", [0.0, -3.0])
def test_nothing_to_be_gained(score):
    assert follow_climbs([trace([score, score], 3)]).relative_score(np.array([True])).tolist() == [100, 100]


def test_charts():
    scores, found = follow_climbs([trace([6, 8], 15), trace([8, 8], 15), trace([1, 4], 16)]).charts()
    assert list(scores.lines) == list(found.lines) == ["1-15 words", ">15 words", "all sentences"]
    climbs, values = scores.lines["1-15 words"]
    assert (climbs.tolist(), values.tolist()) == ([1, 2], [87.5, 100])
    assert found.lines["1-15 words"][1].tolist() == [50, 100]


def test_no_sentences():
    nothing = follow_climbs([])
    assert isinstance(nothing, Convergence)
    [row] = nothing.rows()
    assert set(row.values()) == {1, None}
    assert [chart.lines for chart in nothing.charts()] == [{}, {}]
