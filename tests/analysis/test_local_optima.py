"""The counter of local optima, against every tree of short sentences and against the worst case."""

import brute_force
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_climber import best_head, climb
from small_corpus import random_heads

from headway.analysis import count_local_optima
from headway.errors import UsageError


def optima(table):
    """All local optima, as tuples of heads: no word has a better place, nor an equal one that comes first."""
    n = len(table) - 1
    trees = brute_force.candidates_of(n, False, False)
    return {
        tuple(heads.tolist())
        for heads in trees
        if np.all(table[heads, np.arange(1, n + 1)] > -np.inf)
        and all(best_head(table, np.array([-1, *heads]), word) == heads[word - 1] for word in range(1, n + 1))
    }


def worst(n):
    """The scores of Theorem 1: an arc between two words is worth the place of the one that comes first."""
    places = np.arange(n + 1.0)
    return np.minimum.outer(places, places)


@settings(max_examples=150)
@given(st.integers(0, 1 << 30), st.integers(0, 5), st.sampled_from(brute_force.KINDS))
def test_as_many_as_there_are(seed, n, kind):
    table = brute_force.random_table(np.random.default_rng(seed), n, kind)
    assert count_local_optima(table) == len(optima(table))


@pytest.mark.parametrize("n", range(1, 14))
def test_the_worst_case(n):
    assert count_local_optima(worst(n)) == 2 ** (n - 1)


@settings(max_examples=100)
@given(st.integers(0, 1 << 30), st.integers(1, 40))
def test_never_more_than_the_worst_case(seed, n):
    table = brute_force.random_table(np.random.default_rng(seed), n, "cycles")
    assert 1 <= count_local_optima(table, most=1 << 13) <= 2 ** (n - 1)


@pytest.mark.parametrize("most", [1, 2, 3, 1000, 4095, 4096, 4097])
def test_counting_stops_at_the_limit(most):
    assert count_local_optima(worst(13), most=most) == min(most, 4096)


def test_long_sentences():
    assert count_local_optima(worst(600)) == 10_001


@settings(max_examples=30)
@given(st.integers(0, 1 << 30), st.integers(1, 5))
def test_climbers_end_in_local_optima(seed, n):
    generator = np.random.default_rng(seed)
    table = brute_force.random_table(generator, n, "cycles")
    reached = {tuple(climb(table, np.array([-1, *random_heads(generator, n)]))[1:].tolist()) for _ in range(10)}
    assert reached <= optima(table)


def test_the_diagonal_and_the_root_as_modifier_do_not_count():
    table = brute_force.random_table(np.random.default_rng(3), 5, "cycles")
    filled = np.where(np.eye(6, dtype=bool) | (np.arange(6) == 0), 9999.0, table)
    assert count_local_optima(filled) == count_local_optima(table) > 1


def test_no_tree_no_optimum():
    table = brute_force.random_table(np.random.default_rng(3), 4, "normal")
    table[0] = -np.inf
    assert count_local_optima(table) == 0


@pytest.mark.parametrize("shape", [(3, 4), (9,), (0, 0)])
def test_tables_that_are_not_square(shape):
    with pytest.raises(UsageError, match="square"):
        count_local_optima(np.zeros(shape))


def test_nothing_to_count_up_to():
    with pytest.raises(UsageError):
        count_local_optima(worst(3), most=0)
