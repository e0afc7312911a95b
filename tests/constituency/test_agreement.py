"""Dual decomposition of trees and tags against enumeration, linear programs, and the example of appendix A."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from slow_forests import all_trees, small_table
from test_forest import random_leaves

from headway.constituency.agreement import STEPS, agree, agree_exactly, obey
from headway.constituency.cky import Leaves, fill_chart
from headway.constituency.forest import LEAF, LEFT, PARENT, RIGHT, START, SYMBOL, Forest, best_values
from headway.constituency.grammar import RuleTable
from headway.constituency.k_best import agree_on_best, k_best_trees
from headway.constituency.partners import Both, Tags, Trees, split_sides
from headway.tagging.viterbi import Transitions


def with_leaves(forest: Forest, leaves: Leaves) -> Forest:
    """A forest whose leaf items say which leaf they are."""
    items = forest.items.copy()
    for edge in np.flatnonzero(forest.edges[:, LEFT] < 0):
        item = forest.edges[edge, PARENT]
        start = leaves.starts[items[item, START]]
        items[item, LEAF] = start + np.flatnonzero(leaves.tags[start:] == items[item, SYMBOL])[0]
    return Forest(items, forest.edges, forest.scores)


def random_tags(generator: np.random.Generator, leaves: Leaves, tags: int) -> Tags:
    words = np.repeat(np.arange(len(leaves.starts) - 1), np.diff(leaves.starts))
    emissions = np.full((len(leaves.starts) - 1, tags), -np.inf)
    emissions[words, leaves.tags] = generator.normal(size=len(words))
    size = tags + 1
    transitions = Transitions(
        generator.normal(size=(size, size)).astype(np.float32),
        generator.normal(size=(size, size, size)).astype(np.float32),
    )
    return Tags(emissions, transitions, 1.5, np.stack([words, leaves.tags], axis=1).astype(np.int64))


def joint_optimum(forest: Forest, partner: Tags) -> float:
    trees, _ = split_sides(forest, [partner])
    return max(
        float(forest.scores[tree].sum()) + partner.value(trees.vector(np.array(tree, dtype=np.int32)))
        for tree in all_trees(forest)
    )


def problem(seed: int, length: int) -> tuple[Forest, Tags] | None:
    generator = np.random.default_rng(seed)
    table = small_table(generator, 3)
    leaves = random_leaves(generator, length, 3)
    forest = with_leaves(fill_chart(leaves, table, np.inf), leaves)
    if best_values(forest, forest.scores)[0][-1] == -np.inf:
        return None
    return forest, random_tags(generator, leaves, 3)


@given(st.integers(0, 100_000), st.integers(1, 4))
@settings(max_examples=60)
def test_bounds_hold_and_certified_trees_are_the_best(seed: int, length: int) -> None:
    made = problem(seed, length)
    if made is None:
        return
    forest, partner = made
    best = joint_optimum(forest, partner)
    for step in STEPS:
        found = agree(forest, [partner], step=step)
        assert found.bound >= best - 1e-6
        assert found.score <= best + 1e-6
        if found.certified:
            assert found.score == pytest.approx(best)
    exact = agree_exactly(forest, [partner])
    assert exact.certified
    assert exact.score == pytest.approx(best)


@given(st.integers(0, 100_000), st.integers(1, 4), st.integers(1, 12))
@settings(max_examples=40)
def test_the_best_trees_of_a_forest_and_of_all_models(seed: int, length: int, most: int) -> None:
    made = problem(seed, length)
    if made is None:
        return
    forest, partner = made
    trees, _ = split_sides(forest, [partner])
    every = [np.array(tree, dtype=np.int32) for tree in all_trees(forest)]
    plain = sorted((float(forest.scores[tree].sum()) for tree in every), reverse=True)[:most]
    listed = k_best_trees(forest, forest.scores, most)
    np.testing.assert_allclose([score for score, _ in listed], plain)
    for score, edges in listed:
        assert float(forest.scores[edges].sum()) == pytest.approx(score)
    joint = sorted(
        (float(forest.scores[tree].sum()) + partner.value(trees.vector(tree)) for tree in every), reverse=True
    )
    found = agree_on_best(forest, [partner], most, iterations=50)
    assert len(found) == min(most, len(every))
    for place, one in enumerate(found):
        assert one.score <= joint[place] + 1e-6
        assert one.bound >= joint[place] - 1e-6
        assert not one.certified or one.score == pytest.approx(joint[place])


@given(st.integers(0, 100_000), st.integers(1, 4))
@settings(max_examples=15)
def test_the_bound_is_that_of_the_linear_program(seed: int, length: int) -> None:
    made = problem(seed, length)
    if made is None:
        return
    forest, partner = made
    relaxed = linear_program(forest, partner)
    found = agree(forest, [partner], iterations=400, step="polyak")
    assert found.bound >= relaxed - 1e-6
    assert found.bound <= relaxed + 0.05 * (1 + abs(relaxed))
    pulled = agree(forest, [partner], iterations=100, step="ad3")
    assert relaxed - 1e-6 <= pulled.bound <= relaxed + 0.01 * (1 + abs(relaxed))
    assert pulled.searches >= pulled.iterations


def linear_program(forest: Forest, partner: Tags) -> float:
    """The relaxation of section 5.2, by HiGHS: flows over edges, a distribution over tag sequences, equal marginals."""
    count = len(forest.edges)
    sequences = [
        np.eye(partner.emissions.shape[1])[list(tags)].reshape(-1)
        for tags in itertools.product(range(partner.emissions.shape[1]), repeat=len(partner.emissions))
        if all(partner.emissions[word, tag] > -np.inf for word, tag in enumerate(tags))
    ]
    values = [partner.value(sequence) for sequence in sequences]
    rows, right = [], []
    for item in range(len(forest.items)):  # what goes into an item comes out of it; one tree in all
        row = np.zeros(count + len(sequences))
        row[:count][forest.edges[:, PARENT] == item] += 1.0
        for side in (LEFT, RIGHT):
            row[:count][forest.edges[:, side] == item] -= 1.0
        rows.append(row)
        right.append(1.0 if item == len(forest.items) - 1 else 0.0)
    row = np.zeros(count + len(sequences))
    row[count:] = 1.0
    rows.append(row)
    right.append(1.0)
    variables = partner.read(forest)
    for variable in range(partner.size):
        row = np.zeros(count + len(sequences))
        row[:count][variables == variable] = 1.0
        row[count:] = [-sequence[variable] for sequence in sequences]
        rows.append(row)
        right.append(0.0)
    found = linprog(-np.concatenate([forest.scores, values]), A_eq=np.array(rows), b_eq=right, method="highs")
    return -float(found.fun)


def appendix_a() -> tuple[Forest, Tags]:
    """Tags A and B, a phrase X; two parses and two tag sequences, half of each, agree on average and nowhere else."""
    a, b, x = 0, 1, 2
    rules = {(x, a, x): 0.0, (x, a, b): 0.0, (x, b, a): 0.0, (x, b, x): -1.0, (x, a, a): -1.0, (x, b, b): -1.0}
    binary = sorted(rules, key=lambda rule: rule[1])
    table = RuleTable(
        np.array(binary, dtype=np.int32),
        np.empty((0, 2), dtype=np.int32),
        np.searchsorted([rule[1] for rule in binary], np.arange(4)).astype(np.int64),
        np.zeros(4, dtype=np.int64),
        np.array([rules[rule] for rule in binary]),
        np.arange(3, dtype=np.int32),
        np.zeros(3),
        np.array([-np.inf, -np.inf, 0.0]),
    )
    leaves = Leaves(np.array([0, 2, 4, 6]), np.array([a, b] * 3, dtype=np.int32), np.zeros(6))
    triples = np.full((4, 4, 4), -1.0, dtype=np.float32)
    triples[3, :, :] = triples[:, 3, :] = triples[:, :, 3] = 0.0  # only whole trigrams count
    triples[a, a, a] = triples[a, b, b] = 0.0
    words = np.repeat(np.arange(3), 2)
    tags = Tags(
        np.zeros((3, 2)),
        Transitions(np.zeros((3, 3), dtype=np.float32), triples[np.ix_([0, 1, 3], [0, 1, 3], [0, 1, 3])].copy()),
        1.0,
        np.stack([words, leaves.tags], axis=1).astype(np.int64),
    )
    return with_leaves(fill_chart(leaves, table, np.inf), leaves), tags


def test_the_fractional_example_stays_uncertified_and_branching_solves_it() -> None:
    forest, tags = appendix_a()
    assert joint_optimum(forest, tags) == pytest.approx(-1.0)
    assert linear_program(forest, tags) == pytest.approx(0.0)
    for step in ("mixed", "halving", "polyak", "ad3"):
        found = agree(forest, [tags], iterations=200, step=step)
        assert not found.certified
        assert found.bound >= -1e-9
        assert found.score == pytest.approx(-1.0)
    exact = agree_exactly(forest, [tags])
    assert exact.certified
    assert exact.score == pytest.approx(-1.0)


@given(st.integers(0, 100_000), st.integers(2, 4))
@settings(max_examples=20)
def test_two_partners_at_once_and_hard_constraints(seed: int, length: int) -> None:
    made = problem(seed, length)
    if made is None:
        return
    forest, one = made
    other = Tags(one.emissions[:, ::1] * 0.5, one.transitions, 0.3, one.leaves)
    trees, joined = split_sides(forest, [one, other])
    assert isinstance(joined, Both)
    assert isinstance(trees, Trees)
    best = max(
        float(forest.scores[tree].sum()) + joined.value(trees.vector(np.array(tree, dtype=np.int32)))
        for tree in all_trees(forest)
    )
    found = agree(forest, [one, other], step="polyak")
    assert found.bound >= best - 1e-6
    if found.certified:
        assert found.score == pytest.approx(best)
    obeyed = obey(forest, one, trees.vector(found.edges)[: one.size])
    assert (trees.vector(obeyed)[: one.size] == trees.vector(found.edges)[: one.size]).all()
