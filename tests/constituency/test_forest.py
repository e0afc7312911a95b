"""CKY and forests against all trees, one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_forests import all_trees, slow_scores, small_table

from headway.constituency import cky
from headway.constituency.cky import Leaves, fill_chart
from headway.constituency.forest import best_edges, best_values, edge_values, log_sums, pruned


def random_leaves(generator: np.random.Generator, length: int, symbols: int) -> Leaves:
    tags = [sorted(generator.choice(symbols, size=generator.integers(1, 3), replace=False)) for _ in range(length)]
    starts = np.cumsum([0, *map(len, tags)])
    return Leaves(starts, np.concatenate(tags).astype(np.int32), generator.normal(size=starts[-1]))


@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(2, 3))
@settings(max_examples=60)
def test_cky_equals_brute_force(seed: int, length: int, symbols: int) -> None:
    generator = np.random.default_rng(seed)
    table = small_table(generator, symbols)
    leaves = random_leaves(generator, length if symbols < 3 else min(length, 5), symbols)
    right = slow_scores(leaves, table)
    forest = fill_chart(leaves, table, np.inf)
    values, back = best_values(forest, forest.scores)
    if not right:
        assert values[-1] == -np.inf
        return
    assert values[-1] == pytest.approx(max(right))
    assert log_sums(forest, forest.scores)[-1] == pytest.approx(np.logaddexp.reduce(right))
    edges = best_edges(forest, back, len(forest.items) - 1)
    assert forest.scores[edges].sum() == pytest.approx(max(right))


def test_a_chart_is_left_as_soon_as_nobody_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(1)
    table, leaves = small_table(generator, 2), random_leaves(generator, 6, 2)
    assert len(fill_chart(leaves, table, np.inf).edges) > 0
    monkeypatch.setattr(cky, "stop_flag", lambda: np.ones(1, dtype=np.int64))
    assert len(fill_chart(leaves, table, np.inf).edges) == 0


@given(st.integers(0, 10_000), st.integers(1, 4))
@settings(max_examples=40)
def test_forests_hold_every_tree_once_and_pruning_keeps_the_good_ones(seed: int, length: int) -> None:
    generator = np.random.default_rng(seed)
    table = small_table(generator, 2)
    leaves = random_leaves(generator, length, 2)
    forest = fill_chart(leaves, table, np.inf)
    trees = all_trees(forest)
    scores = sorted(float(forest.scores[tree].sum()) for tree in trees)
    assert scores == pytest.approx(sorted(slow_scores(leaves, table)))
    if not trees:
        return
    best = edge_values(forest, forest.scores)
    for edge in range(len(forest.edges)):
        totals = [float(forest.scores[tree].sum()) for tree in trees if edge in tree]
        assert best[edge] == pytest.approx(max(totals, default=-np.inf))
    small = pruned(forest, 1.0)
    kept = sorted((float(small.scores[tree].sum()) for tree in all_trees(small)), reverse=True)
    assert kept[: sum(score >= max(scores) - 1.0 for score in scores)] == pytest.approx(
        [score for score in sorted(scores, reverse=True) if score >= max(scores) - 1.0]
    )
