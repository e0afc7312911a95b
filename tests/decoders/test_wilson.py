from collections import Counter

import brute_force
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chisquare

from headway.decoders.wilson import random_tree
from headway.kernel.random_numbers import make_generator, uniform
from headway.parts.arc_index import index_arcs

DRAWS = 20_000


def draw(table: NDArray[np.float64], roots: NDArray[np.float64], seed: int) -> Counter[tuple[int, ...]]:
    index = index_arcs(table > 0)
    words = range(1, len(table))
    weights = np.array([table[h, m] for m in words for h in range(len(table)) if h != m and table[h, m] > 0])
    generator, heads = make_generator(seed), np.empty(len(table), dtype=np.int32)
    found: Counter[tuple[int, ...]] = Counter()
    for _ in range(DRAWS):
        assert random_tree(index, weights, roots, generator, heads)
        found[tuple(heads[1:].tolist())] += 1
    return found


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("flat", [True, False])
@pytest.mark.parametrize("pruned", [True, False])
def test_trees_come_in_proportion_to_their_weight(single_root: bool, flat: bool, pruned: bool) -> None:
    n = 4
    table = np.ones((n + 1, n + 1)) if flat else np.exp(np.random.default_rng(5).normal(size=(n + 1, n + 1)))
    if pruned:
        table[[2, 3, 4, 0], [1, 2, 1, 3]] = 0.0
    trees = brute_force.candidates_of(n, False, single_root)
    chances = np.prod(table[trees, np.arange(1, n + 1)], axis=1)
    trees, chances = trees[chances > 0], chances[chances > 0] / chances.sum()
    roots = np.empty(0)
    if single_root:
        roots = np.array([0.0, *((trees == 0) * chances[:, None]).sum(axis=0)])
    found = draw(table, roots, seed=7)
    counts = np.array([found[tuple(tree)] for tree in trees.tolist()])
    assert counts.sum() == DRAWS
    assert chisquare(counts, chances * DRAWS).pvalue > 1e-4


def test_says_when_there_is_no_such_tree() -> None:
    table = np.zeros((4, 4))
    table[1, 2] = table[2, 1] = table[0, 3] = 1.0  # the first two only have each other
    index = index_arcs(table > 0)
    heads = np.empty(4, dtype=np.int32)
    assert not random_tree(index, np.ones(3), np.empty(0), make_generator(1), heads)
    assert not random_tree(index, np.ones(3), np.array([0.0, 0.0, 0.0, 1.0]), make_generator(1), heads)


def test_random_numbers_are_uniform_and_seeded() -> None:
    numbers = np.array([uniform(generator) for generator in [make_generator(3)] for _ in range(20_000)])
    assert ((numbers >= 0) & (numbers < 1)).all()
    assert chisquare(np.histogram(numbers, bins=50, range=(0, 1))[0]).pvalue > 1e-4
    again, other = make_generator(3), make_generator(4)
    assert uniform(again) == numbers[0] != uniform(other)
