"""Charts of every factorization, against all projective trees of a few words."""

import math
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest
import slow_charts
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import chisquare
from slow_charts import Places, projective_trees, read_by

from headway.charts.factorizations import FACTORIZATIONS
from headway.charts.marginals import part_marginals, sample_trees
from headway.decoders.third_order import ChartDecoder
from headway.errors import ConstraintError, UsageError
from headway.parts import Candidates, Scores

every_factorization = pytest.mark.parametrize("name", FACTORIZATIONS)
seeds = st.integers(0, 2**32 - 1)
TABLES = 10


@cache
def places(length: int) -> Places:
    return Places(Candidates.all(length))


def test_every_factorization_has_an_oracle() -> None:
    assert set(slow_charts.PARTS) == set(FACTORIZATIONS)


@pytest.mark.parametrize(("length", "trees"), [(1, 1), (2, 2), (3, 7), (4, 30), (5, 143), (6, 728), (7, 3876)])
def test_the_oracle_lists_every_tree_once(length: int, trees: int) -> None:
    found = projective_trees(length, single_root=True)
    assert len(found) == len(np.unique(found, axis=0)) == trees


@pytest.mark.parametrize("length", range(6))
def test_places_are_all_the_entries_of_a_table(length: int) -> None:
    for kind, size in places(length).sizes.items():
        entries = sorted(place for part, place in places(length).place.items() if part[0] == kind)
        assert entries == list(range(size))


@every_factorization
@given(length=st.integers(0, 7), seed=seeds, single_root=st.booleans(), whole=st.booleans())
@settings(max_examples=40)
def test_the_best_tree_is_that_of_brute_force(
    name: str, length: int, seed: int, single_root: bool, whole: bool
) -> None:
    generator, layout = np.random.default_rng(seed), places(length)
    trees = projective_trees(length, single_root=single_root)
    for _ in range(TABLES if length < 7 else 2):
        scores = layout.random_scores(generator, whole=whole)
        cost = generator.integers(0, 3, size=len(layout.candidates)).astype(np.float64)
        augmented = replace(scores, arc=scores.arc + cost)
        totals = layout.tree_scores(augmented, name, single_root=single_root)
        parse = ChartDecoder(name).decode(layout.candidates, read_by(name, scores), single_root=single_root, cost=cost)
        assert parse.score == pytest.approx(totals.max(), abs=1e-9)
        found = np.flatnonzero((trees == parse.heads).all(axis=1))
        assert totals[found] == pytest.approx(totals.max(), abs=1e-9)
        assert parse.exact
        assert parse.bound == parse.score


@every_factorization
@given(length=st.integers(1, 5), seed=seeds, single_root=st.booleans())
@settings(max_examples=60)
def test_pruned_arcs_are_left_out(name: str, length: int, seed: int, single_root: bool) -> None:
    generator = np.random.default_rng(seed)
    mask = generator.random((length + 1, length + 1)) < 0.6
    layout = Places(Candidates.from_mask(mask))
    scores = layout.random_scores(generator)
    totals = layout.tree_scores(scores, name, single_root=single_root)
    decoder = ChartDecoder(name)
    if totals.max() == -np.inf:
        for search in (decoder.decode, partial(decoder.k_best, k=3)):
            with pytest.raises(ConstraintError, match="contain no"):
                search(layout.candidates, read_by(name, scores), single_root=single_root)
        with pytest.raises(ConstraintError, match="contain no"):
            part_marginals(layout.candidates, scores, factorization=name, single_root=single_root)
        return
    parse = decoder.decode(layout.candidates, read_by(name, scores), single_root=single_root)
    assert parse.score == pytest.approx(totals.max(), abs=1e-9)
    marginals = part_marginals(layout.candidates, scores, factorization=name, single_root=single_root)
    assert marginals.log_partition == pytest.approx(logsumexp(totals), abs=1e-9)


@every_factorization
@given(length=st.integers(1, 7), seed=seeds, single_root=st.booleans(), k=st.integers(1, 100), whole=st.booleans())
@settings(max_examples=40)
def test_the_k_best_are_those_of_brute_force(
    name: str, length: int, seed: int, single_root: bool, k: int, whole: bool
) -> None:
    generator, layout = np.random.default_rng(seed), places(length)
    for _ in range(TABLES if length < 7 else 1):
        scores = layout.random_scores(generator, whole=whole)
        totals = layout.tree_scores(scores, name, single_root=single_root)
        parses = ChartDecoder(name).k_best(layout.candidates, read_by(name, scores), k=k, single_root=single_root)
        found = np.array([parse.heads for parse in parses])
        assert len(np.unique(found, axis=0)) == len(found) == min(k, len(totals))
        np.testing.assert_allclose([parse.score for parse in parses], np.sort(totals)[::-1][:k], atol=1e-9)
        trees = projective_trees(length, single_root=single_root)
        which = {tuple(tree): total for tree, total in zip(trees, totals, strict=True)}
        for parse in parses:
            assert parse.score == pytest.approx(which[tuple(parse.heads)], abs=1e-9)


@every_factorization
@given(length=st.integers(1, 7), seed=seeds, single_root=st.booleans())
@settings(max_examples=40)
def test_marginals_are_those_of_brute_force(name: str, length: int, seed: int, single_root: bool) -> None:
    generator, layout = np.random.default_rng(seed), places(length)
    trees = projective_trees(length, single_root=single_root)
    for _ in range(TABLES if length < 6 else 1):
        scores = layout.random_scores(generator)
        totals = layout.tree_scores(scores, name, single_root=single_root)
        chances = np.exp(totals - logsumexp(totals))
        marginals = part_marginals(layout.candidates, scores, factorization=name, single_root=single_root)
        assert marginals.log_partition == pytest.approx(logsumexp(totals), abs=1e-9)
        arcs = np.zeros((length + 1, length + 1))
        np.add.at(arcs, (trees[:, 1:], np.arange(1, length + 1)), chances[:, None])
        parts = layout.parts_of_trees(name, single_root=single_root)
        np.testing.assert_allclose(layout.candidates.dense(marginals.arc, 0.0), arcs, atol=1e-9)
        for kind in slow_charts.KINDS:
            if kind in slow_charts.PARTS[name]:
                numbers, where = parts[kind]
                expected = np.bincount(where, chances[numbers], minlength=layout.sizes[kind])
                np.testing.assert_allclose(getattr(marginals, kind), expected, atol=1e-9)
            else:
                assert getattr(marginals, kind) is None


@every_factorization
@pytest.mark.parametrize("single_root", [True, False])
def test_samples_are_drawn_from_the_distribution(name: str, single_root: bool) -> None:
    length, count, layout = 4, 20_000, places(4)
    scores = layout.random_scores(np.random.default_rng(3))
    totals = layout.tree_scores(scores, name, single_root=single_root)
    chances = np.exp(totals - logsumexp(totals))
    drawn = sample_trees(layout.candidates, scores, factorization=name, count=count, seed=5, single_root=single_root)
    number = {tuple(tree): place for place, tree in enumerate(projective_trees(length, single_root=single_root))}
    counts = np.bincount([number[tuple(tree)] for tree in drawn], minlength=len(chances))
    often = chances * count > 5
    observed = [*counts[often], counts[~often].sum()]
    expected = [*(count * chances[often]), count * chances[~often].sum()]
    assert chisquare(observed, expected).pvalue > 1e-3


def test_the_same_seed_draws_the_same_trees() -> None:
    layout = places(6)
    scores = layout.random_scores(np.random.default_rng(1))
    one, again, other = (
        sample_trees(layout.candidates, scores, factorization="model1", count=20, seed=seed) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, again)
    assert (one != other).any()


@every_factorization
def test_constraints_hold(name: str) -> None:
    layout = Places(Candidates.all(5).restrict({2: 4, 5: 4}, [(0, 1), (4, 3)]))
    scores = layout.random_scores(np.random.default_rng(9))
    parse = ChartDecoder(name).decode(layout.candidates, read_by(name, scores))
    assert parse.heads[2] == 4
    assert parse.heads[5] == 4
    assert parse.heads[1] != 0
    assert parse.heads[3] != 4


def test_a_forbidden_part_is_avoided() -> None:
    layout = places(4)
    scores = layout.random_scores(np.random.default_rng(2))
    best = ChartDecoder("model1").decode(layout.candidates, read_by("model1", scores))
    for part in slow_charts.parts_of(best.heads, "model1"):
        if part[2][-1] == 5:  # the end of a row of children; some cannot be avoided
            continue
        tables = {kind: getattr(scores, kind).copy() for kind in slow_charts.KINDS}
        tables[part[0]][layout.place[part]] = -np.inf
        other = ChartDecoder("model1").decode(layout.candidates, read_by("model1", Scores(scores.arc, **tables)))
        assert part not in slow_charts.parts_of(other.heads, "model1")


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_tables_are_checked(wrong: float) -> None:
    layout = places(3)
    scores = layout.random_scores(np.random.default_rng(2))
    assert scores.sibling is not None
    scores.sibling[1] = wrong
    with pytest.raises(UsageError, match="sibling scores must be"):
        ChartDecoder("model1").decode(layout.candidates, read_by("model1", scores))
    with pytest.raises(UsageError, match="grand-sibling scores must be 60 numbers"):
        ChartDecoder("model1").decode(layout.candidates, Scores(scores.arc, grand_sibling=np.zeros(5)))
    with pytest.raises(UsageError, match="no factorization 'model7'"):
        ChartDecoder("model7").decode(layout.candidates, scores)
    with pytest.raises(UsageError, match="must be at least 1"):
        ChartDecoder("model1").k_best(layout.candidates, read_by("model1", scores), k=0)


@every_factorization
def test_first_order_scores_give_the_trees_of_eisner(name: str) -> None:
    from headway.decoders.eisner import Eisner

    generator = np.random.default_rng(4)
    for length in (1, 8, 20):
        candidates = Candidates.all(length)
        scores = Scores(generator.normal(size=len(candidates)))
        parse = ChartDecoder(name).decode(candidates, scores)
        np.testing.assert_array_equal(parse.heads, Eisner().decode(candidates, scores).heads)


def test_a_hundred_best_of_a_longer_sentence_descend_and_differ() -> None:
    generator = np.random.default_rng(8)
    layout = Places(Candidates.all(9))
    scores = layout.random_scores(generator)
    parses = ChartDecoder("model2").k_best(layout.candidates, read_by("model2", scores), k=100)
    totals = [parse.score for parse in parses]
    assert totals == sorted(totals, reverse=True)
    assert len({tuple(parse.heads) for parse in parses}) == 100
    assert not math.isclose(totals[0], totals[-1])
