"""The best projective approximation, against all projective trees."""

import brute_force
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_corpus import random_heads

from headway.corpus import is_projective, is_tree
from headway.search.projective_approximation import best_projective


@given(length=st.integers(1, 6), seed=st.integers(0, 10_000))
def test_no_projective_tree_shares_more_arcs(length, seed):
    heads = random_heads(np.random.default_rng(seed), length)
    found = best_projective(heads)
    assert is_tree(found, single_root=True)
    assert is_projective(found)
    every = brute_force.candidates_of(length, projective=True, single_root=True)
    assert sum(a == b for a, b in zip(found, heads, strict=True)) == (every == np.array(heads)).sum(axis=1).max()


@pytest.mark.parametrize("heads", [[0], [2, 0], [2, 0, 2, 5, 3]])
def test_projective_trees_stay_as_they_are(heads):
    assert best_projective(heads) == heads
