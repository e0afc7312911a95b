import brute_force
import numpy as np
import pytest
from slow_climber import slow_hill_climbing

from headway.analysis import Optimality, compare_with_exact
from headway.decoders.eisner import Eisner
from headway.decoders.spanning_tree import SpanningTree
from headway.errors import UsageError


def tables(count, n, kind="cycles", seed=7):
    generator = np.random.default_rng(seed)
    return [brute_force.random_table(generator, n, kind) for _ in range(count)]


def optimality(lengths, best, reached, climbs=None):
    arrays = (best, reached, [np.nan] * len(best) if climbs is None else climbs)
    return Optimality(np.array(lengths), *(np.array(one, dtype=float) for one in arrays))


def test_what_is_found_by_length():
    found = optimality([3, 15, 16, 17, 90], [5, -5, 100, 1, 0], [5, -5, 99.9, 1, -1])
    assert found.found.tolist() == [True, True, False, True, False]
    assert [tuple(row.values()) for row in found.rows()] == [
        ("1-15", 2, 100.0),
        (">15", 3, pytest.approx(100 / 3)),
        ("all", 5, 60.0),
    ]


def test_rounding_is_no_difference():
    assert optimality([1, 1], [1e6, 0.1], [1e6 * (1 - 1e-12), 0.1 - 1e-12]).found.all()
    assert not optimality([1, 1], [1e6, 0.1], [1e6 * (1 - 1e-7), 0.1 - 1e-7]).found.any()


def test_an_exact_search_always_finds_it():
    assert compare_with_exact(tables(20, 8), SpanningTree()).found.all()


def test_a_search_among_fewer_trees_may_miss_the_best():
    compared = compare_with_exact(tables(30, 5, "normal"), Eisner())
    assert 0 < compared.found.sum() < 30
    assert np.all(compared.reached <= compared.best)


def test_a_search_that_is_better_than_exact_is_a_mistake():
    with pytest.raises(UsageError, match="the same trees"):
        compare_with_exact(tables(30, 5, "normal"), SpanningTree(), exact=Eisner())


@pytest.mark.parametrize("single_root", [True, False])
def test_both_searches_have_the_same_constraints(single_root):
    asked = []

    class Watching(SpanningTree):
        def decode(self, candidates, scores, *, single_root=True, cost=None, ignore=()):
            asked.append((len(candidates), single_root))
            return super().decode(candidates, scores, single_root=single_root)

    watching = Watching()
    sparse = [np.where(np.arange(16).reshape(4, 4) == 9, -np.inf, 1.0)]
    compare_with_exact(sparse, watching, exact=watching, single_root=single_root)
    assert asked == [(8, single_root)] * 2


class SlowHillClimbing(SpanningTree):
    def __init__(self, restarts):
        object.__setattr__(self, "restarts", restarts)

    def decode(self, candidates, scores, *, single_root=True, cost=None, ignore=()):
        return slow_hill_climbing(candidates, scores, single_root=single_root, restarts=self.restarts)


def test_more_restarts_find_it_more_often():
    problems = tables(25, 12, "normal")
    shares = [
        compare_with_exact(problems, SlowHillClimbing(count), single_root=False).found.mean() for count in (1, 40)
    ]
    assert shares[0] < shares[1]
    assert shares[1] >= 0.8


def test_the_chart_counts_trees_found_by_number_of_climbs():
    lines = optimality([3, 3, 20, 20], [1, 1, 1, 1], [1, 1, 1, 0], [1, 9, 100, 2]).chart().lines
    steps, shares = lines["all sentences"]
    assert (steps[0], steps[-1]) == (1, 100)
    assert (shares[0], shares[-1]) == (25, 75)
    assert shares[steps == 9] == [50]
    assert np.all(np.diff(shares) >= 0)


def test_the_chart_of_a_search_that_does_not_say():
    steps, shares = compare_with_exact(tables(3, 5), SpanningTree()).chart().lines["all sentences"]
    assert (steps.tolist(), shares.tolist()) == ([1], [100])


def test_no_sentences():
    nothing = compare_with_exact([], SpanningTree())
    assert [row["optimum found, %"] for row in nothing.rows()] == [None] * 3
    assert nothing.chart().lines == {}
