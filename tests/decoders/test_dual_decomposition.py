"""Dual decomposition, branch and bound and integer programs, against all trees of a few words."""

import itertools
from functools import cache

import brute_force
import numpy as np
import pytest
import slow_charts
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from slow_charts import Places

from headway.decoders.dual_decomposition import (
    ALTERNATING,
    KINDS,
    DualDecomposition,
    DualRule,
    Exact,
    exact_tree,
    parts_of,
    relax_tree,
    relaxed_shares,
)
from headway.decoders.head_automata import Automata, HeadAutomata, score_tree
from headway.decoders.integer_program import IntegerProgram
from headway.decoders.lagrangian import STEPS, Relaxation, relax
from headway.errors import ConstraintError, UsageError
from headway.kernel import kernel
from headway.parts import Candidates, Scores

MODELS = {
    "arcs": (),
    "sibling": ("sibling",),
    "grandparent": ("grandparent",),
    "sibling and grandparent": ("sibling", "grandparent"),
    "grand-sibling": ("sibling", "grandparent", "grand_sibling"),
    "tri-sibling": ("sibling", "tri_sibling"),
    "everything": KINDS,
}
every_model = pytest.mark.parametrize("kinds", MODELS.values(), ids=MODELS)
seeds = st.integers(0, 2**32 - 1)


@cache
def places(length: int) -> Places:
    return Places(Candidates.all(length))


def parts_of_tree(heads: NDArray[np.int32], kinds: tuple[str, ...]) -> list[slow_charts.Part]:
    found = slow_charts.parts_of(heads, "model1") + slow_charts.parts_of(heads, "tri-sibling")
    return [part for part in dict.fromkeys(found) if part[0] in kinds]


@cache
def listed(length: int, kinds: tuple[str, ...], single_root: bool, projective: bool) -> tuple[list[int], ...]:
    """For every tree, where its parts are in the tables laid end to end."""
    layout, bases = places(length), dict[str, int]()
    for kind in slow_charts.KINDS:
        bases[kind] = sum(layout.sizes[other] for other in bases)
    trees = brute_force.candidates_of(length, projective, single_root)
    return tuple(
        [bases[part[0]] + layout.place[part] for part in parts_of_tree(np.array([-1, *tree], dtype=np.int32), kinds)]
        for tree in trees
    )


def slow_totals(scores: Scores, kinds: tuple[str, ...], single_root: bool, projective: bool) -> NDArray[np.float64]:
    length = places(0).candidates.length if len(scores.arc) == 0 else round(np.sqrt(len(scores.arc)))
    table = places(length).candidates.dense(scores.arc, -np.inf)
    flat = np.concatenate([np.zeros(0), *(getattr(scores, kind) for kind in slow_charts.KINDS)])
    trees = brute_force.candidates_of(length, projective, single_root)
    arcs = table[trees, np.arange(1, length + 1)].sum(axis=1)
    return arcs + [flat[parts].sum() for parts in listed(length, kinds, single_root, projective)]


def only(scores: Scores, kinds: tuple[str, ...]) -> Scores:
    return Scores(scores.arc, **{kind: getattr(scores, kind) for kind in kinds})


@every_model
@given(length=st.integers(1, 5), seed=seeds, single_root=st.booleans(), projective=st.booleans())
@settings(max_examples=25)
def test_bounds_hold_and_certificates_are_true(
    kinds: tuple[str, ...], length: int, seed: int, single_root: bool, projective: bool
) -> None:
    generator, layout = np.random.default_rng(seed), places(length)
    for step in (*STEPS, ALTERNATING):
        scores = layout.random_scores(generator)
        best = slow_totals(scores, kinds, single_root, projective).max()
        decoder = DualDecomposition(projective, 300 if step == ALTERNATING else 60, step)
        parse = decoder.decode(layout.candidates, only(scores, kinds), single_root=single_root)
        assert parse.bound is not None
        assert parse.score <= best + 1e-9
        assert parse.bound >= best - 1e-9
        if parse.exact:
            assert parse.score == pytest.approx(best, abs=1e-7)
        proved = Exact(projective).decode(layout.candidates, only(scores, kinds), single_root=single_root)
        assert proved.exact
        assert proved.score == pytest.approx(best, abs=1e-7)
        trees = brute_force.candidates_of(length, projective, single_root)
        totals = slow_totals(scores, kinds, single_root, projective)
        which = np.flatnonzero((trees == proved.heads[1:]).all(axis=1))
        assert totals[which] == pytest.approx(best, abs=1e-7)


@every_model
def test_shares_are_worth_the_bound_where_the_iterations_suffice(kinds: tuple[str, ...]) -> None:
    """On some tables the copies still disagree a little after a thousand iterations."""
    layout, gaps = places(4), []
    for seed in range(12):
        parts = parts_of(layout.candidates, only(layout.random_scores(np.random.default_rng(seed)), kinds))
        rule = DualRule(1000, ALTERNATING, seed % 2 == 0, True, merge=False)
        shares = relaxed_shares(parts, rule)
        used = shares > 0.0
        gaps.append(abs(shares[used] @ parts.scores[used] - relax_tree(parts, rule)[0].bound))
    assert np.median(gaps) < 0.01
    assert np.mean(np.array(gaps) < 0.1) > 0.9


@every_model
@given(length=st.integers(1, 6), seed=seeds, single_root=st.booleans(), projective=st.booleans())
@settings(max_examples=15)
def test_shares_of_parts_are_a_tree_or_fractions_worth_the_bound(
    kinds: tuple[str, ...], length: int, seed: int, single_root: bool, projective: bool
) -> None:
    layout = places(length)
    parts = parts_of(layout.candidates, only(layout.random_scores(np.random.default_rng(seed)), kinds))
    rule = DualRule(1000, ALTERNATING, projective, single_root, merge=False)
    shares, (relaxed, _) = relaxed_shares(parts, rule), relax_tree(parts, rule)
    used = shares > 0.0
    assert shares[used] @ parts.scores[used] == pytest.approx(relaxed.bound, abs=1.0)
    if relaxed.certified:
        assert set(shares.tolist()) <= {0.0, 1.0}
        assert parts.automata.heads[used[: parts.arcs]].tolist() == relaxed.solution[1:].tolist()
    for head, side in itertools.product(range(length + 1), range(2)):
        _check_flow(parts.automata, shares, head, side)


def _check_flow(automata: Automata, shares: NDArray[np.float64], head: int, side: int) -> None:
    """One row of children, in fractions: every child that comes next to something has something next to it."""
    first, start, end = automata.siblings[head, side], automata.starts[head, side], automata.most[head, side] + 1
    arcs = automata.children[start : start + end - 1]
    rows = {
        outer: shares[first + outer * (outer - 1) // 2 :][:outer] for outer in range(1, end + 1) if first >= 0
    }  # by the child before
    if rows:
        assert rows[end].sum() == pytest.approx(1.0, abs=1e-7)
    for rank, arc in enumerate(arcs, start=1):
        if rows:
            assert rows[rank].sum() == pytest.approx(shares[arc], abs=1e-7)
            assert sum(rows[outer][rank] for outer in range(rank + 1, end + 1)) == pytest.approx(shares[arc], abs=1e-7)
        if head > 0 and automata.grandparents[arc] >= 0:
            above = automata.offsets[head + 1] - automata.offsets[head]
            chains = shares[automata.grandparents[arc] :][:above]
            assert chains.sum() == pytest.approx(shares[arc], abs=1e-7)


def test_without_a_tree_nothing_is_shared() -> None:
    candidates = Candidates.from_mask(np.array([[False, False, False], [False, False, True], [False, True, False]]))
    parts = parts_of(candidates, Scores(np.zeros(2)))
    assert not relaxed_shares(parts, DualRule(50, ALTERNATING)).any()


@every_model
@given(length=st.integers(1, 4), seed=seeds, single_root=st.booleans(), flow=st.sampled_from(["single", "multi"]))
@settings(max_examples=10)
def test_integer_programs_find_the_best_tree(
    kinds: tuple[str, ...], length: int, seed: int, single_root: bool, flow: str
) -> None:
    layout = places(length)
    scores = layout.random_scores(np.random.default_rng(seed))
    best = slow_totals(scores, kinds, single_root, False).max()
    parse = IntegerProgram(flow).decode(layout.candidates, only(scores, kinds), single_root=single_root)
    assert parse.exact
    assert parse.score == pytest.approx(best, abs=1e-6)
    relaxed = IntegerProgram(flow, relaxed=True).decode(layout.candidates, only(scores, kinds), single_root=single_root)
    assert relaxed.bound is not None
    assert relaxed.bound >= best - 1e-6
    assert relaxed.score <= best + 1e-6
    if relaxed.exact:
        assert relaxed.score == pytest.approx(best, abs=1e-5)


@every_model
def test_two_ways_to_the_optimum_of_longer_sentences(kinds: tuple[str, ...]) -> None:
    generator = np.random.default_rng(1)
    for length in (7, 9):
        mask = generator.random((length + 1, length + 1)) < 0.5
        mask[np.arange(length), np.arange(1, length + 1)] = True
        layout = Places(Candidates.from_mask(mask))
        scores = only(layout.random_scores(generator), kinds)
        one, other = Exact().decode(layout.candidates, scores), IntegerProgram().decode(layout.candidates, scores)
        assert one.exact
        assert one.score == pytest.approx(other.score, abs=1e-6)


@kernel
def every_score(parts: tuple[Automata, NDArray[np.float64], NDArray[np.int32]], trees: NDArray[np.int64]) -> float:
    heads, best = np.empty(trees.shape[1] + 1, dtype=np.int32), -np.inf
    for tree in trees:
        heads[0] = -1
        heads[1:] = tree
        best = max(best, score_tree(parts[0], parts[1], parts[2], heads))
    return best


@every_model
@pytest.mark.parametrize("projective", [False, True])
def test_all_trees_of_seven_words(kinds: tuple[str, ...], projective: bool) -> None:
    generator = np.random.default_rng(7)
    for length in (6, 7):
        layout, trees = places(length), brute_force.candidates_of(length, projective, True)
        scores = only(layout.random_scores(generator), kinds)
        parts = parts_of(layout.candidates, scores)
        best = every_score((parts.automata, parts.scores, parts.number), trees)
        proved = Exact(projective).decode(layout.candidates, scores)
        assert proved.exact
        assert proved.score == pytest.approx(best, abs=1e-7)
        for step in (*STEPS, ALTERNATING):
            found, _ = relax_tree(parts, DualRule(100, step, projective))
            assert found.bound >= best - 1e-9
            if found.certified:
                assert found.score == pytest.approx(best, abs=1e-7)


@given(length=st.integers(1, 5), seed=seeds)
@settings(max_examples=20)
def test_the_score_of_a_tree_is_that_of_its_parts(length: int, seed: int) -> None:
    layout = places(length)
    scores = layout.random_scores(np.random.default_rng(seed))
    parts = parts_of(layout.candidates, scores)
    totals = slow_totals(scores, KINDS, False, False)
    for tree, total in itertools.islice(
        zip(brute_force.candidates_of(length, False, False), totals, strict=True), 0, None, 7
    ):
        heads = np.array([-1, *tree], dtype=np.int32)
        assert score_tree(parts.automata, parts.scores, parts.number, heads) == pytest.approx(total, abs=1e-9)


def test_unchanged_automata_are_not_run_again() -> None:
    layout = places(5)
    parts = parts_of(layout.candidates, layout.random_scores(np.random.default_rng(0)))
    automata = HeadAutomata(parts.automata, parts.scores)
    weights = np.zeros(automata.size)
    first = automata.best(weights)
    assert automata.runs[0] >= 1.0
    again = automata.best(weights)
    assert automata.runs[1] == 0.0
    assert again[0] == first[0]
    generator = np.random.default_rng(1)
    for change in range(200):  # as small as steps are, and as large as to change the choice
        some = generator.integers(automata.size, size=3)
        weights[some] += generator.normal(size=3) * (0.01 if change % 2 else 1.0)
        changed = automata.best(weights)
        fresh = HeadAutomata(parts.automata, parts.scores).best(weights)
        assert changed[0] == pytest.approx(fresh[0])
        np.testing.assert_array_equal(changed[1], fresh[1])
    assert 0.0 < np.mean(automata.runs[2:]) < 0.5


def test_after_the_time_limit_the_gap_is_reported() -> None:
    generator = np.random.default_rng(3)
    layout = places(7)
    scores = layout.random_scores(generator)
    parse = exact_tree(parts_of(layout.candidates, scores), DualRule(seconds=0.0, iterations=20))
    assert parse.bound is not None
    assert parse.bound >= parse.score
    assert not parse.exact
    with pytest.raises(UsageError, match="time limit"):
        Exact(seconds=-1.0)


def test_a_relaxation_can_be_continued() -> None:
    layout = places(6)
    parts = parts_of(layout.candidates, layout.random_scores(np.random.default_rng(4)))
    short, _ = relax_tree(parts, DualRule(iterations=30))
    bound = short.bound
    longer, _ = relax_tree(parts, DualRule(iterations=200), short)
    assert longer.bound <= bound
    assert len(longer.bounds) > 30
    assert all(one >= other - 1e-12 for one, other in itertools.pairwise(longer.bounds))


class Pick:
    """Takes one of some vectors."""

    def __init__(self, values: list[float]) -> None:
        self.values = np.array(values)

    def best(self, weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        total = self.values + weights
        return float(total.max()), np.eye(len(total))[int(total.argmax())]


def test_the_core_works_with_any_two_oracles() -> None:
    one, other = Pick([3.0, 2.0, 0.0]), Pick([0.0, 2.5, 1.0])

    def primal(taken: NDArray[np.float64]) -> tuple[float, int]:
        which = int(taken.argmax())
        return float(one.values[which] + other.values[which]), which

    for step in STEPS:
        found = relax(one, other, primal, start=Relaxation(np.zeros(3), np.zeros(3)), iterations=500, step=step)
        assert found.solution == 1
        assert found.bound == pytest.approx(4.5, abs=1e-3)
    with pytest.raises(UsageError, match="no step 'huge'"):
        relax(one, other, primal, start=Relaxation(np.zeros(3), np.zeros(3)), step="huge")


def test_integer_programs_check_what_they_are_given() -> None:
    candidates = Candidates.all(2)
    with pytest.raises(UsageError, match="no flow 'none'"):
        IntegerProgram("none").decode(candidates, Scores(np.zeros(4)))
    two = Candidates.all(3).restrict({1: 0, 2: 0}, single_root=False)
    with pytest.raises(ConstraintError, match="single child of the root"):
        IntegerProgram().decode(two, Scores(np.zeros(len(two))))
