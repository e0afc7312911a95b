"""Where parts are in their tables, against a plain enumeration."""

import brute_force
import numpy as np
import part_samples
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headway.errors import UsageError
from headway.parts import Candidates, Kind, Scores, restrict_scores, tree_score
from headway.parts.kinds import KINDS, read_key
from headway.parts.part_tables import lay_out_tables, list_table, part_place

seeds = st.integers(0, 2**32 - 1)
THREE_WORDS = ("sibling", "grandparent", "head_bigram", "arbitrary_sibling")


@given(seed=seeds, n=st.integers(0, 7), share=st.floats(0.2, 1.0))
@settings(max_examples=60)
def test_every_part_is_where_the_layout_says(seed: int, n: int, share: float) -> None:
    allowed = np.random.default_rng(seed).random((n + 1, n + 1)) < share
    candidates = Candidates.from_mask(allowed)
    tables = lay_out_tables(candidates.mask())
    for number, kind in enumerate(KINDS):
        words = list(part_samples.slow_layout(candidates, kind))
        keys = list_table(tables, number)
        assert tables.sizes[number] == len(words) == len(keys)
        for place, (words_of_part, key) in enumerate(zip(words, keys.tolist(), strict=True)):
            if key >= 0:
                found, _, *listed = read_key(key)
                assert (KINDS[found], tuple(listed[: 3 if kind in THREE_WORDS else 4])) == (kind, words_of_part)
                assert part_place(tables, key) == place


@given(n=st.integers(1, 5))
@settings(max_examples=5)
def test_every_part_of_a_tree_is_listed(n: int) -> None:
    candidates = Candidates.all(n)
    tables = lay_out_tables(candidates.mask())
    listed = set()
    for number, kind in enumerate(KINDS):
        for words_of_part, key in zip(
            part_samples.slow_layout(candidates, kind), list_table(tables, number), strict=True
        ):
            if key >= 0:
                listed.add((kind, words_of_part))
    assert set(part_samples.tree_parts(n)[0]) <= listed


@given(seed=seeds, n=st.integers(1, 5), outer=st.sampled_from([0, 0, 1, 2]), some=st.sets(st.sampled_from(KINDS)))
@settings(max_examples=60)
def test_a_tree_scores_all_its_parts(seed: int, n: int, outer: int, some: set[Kind]) -> None:
    generator = np.random.default_rng(seed)
    case = part_samples.Case(generator, brute_force.random_table(generator, n, "sparse"), some, outer=outer)
    totals = case.tree_scores()
    for tree in generator.integers(len(totals), size=20):
        heads = np.array([-1, *brute_force.trees(n).heads[tree]], dtype=np.int32)
        assert tree_score(case.candidates, case.scores, heads) == pytest.approx(totals[tree], abs=1e-9)


@given(seed=seeds, n=st.integers(1, 5), some=st.sets(st.sampled_from(KINDS)))
@settings(max_examples=40)
def test_fewer_candidates_have_the_same_scores(seed: int, n: int, some: set[Kind]) -> None:
    generator = np.random.default_rng(seed)
    table = brute_force.random_table(generator, n, "normal")
    case = part_samples.Case(generator, table, some)
    fewer = Candidates.from_mask((table > -np.inf) & (generator.random(table.shape) < 0.7))
    scores = restrict_scores(case.candidates, case.scores, fewer)
    for words in brute_force.trees(n).heads:
        heads = np.array([-1, *words], dtype=np.int32)
        total = tree_score(fewer, scores, heads)
        if total > -np.inf:
            assert total == pytest.approx(tree_score(case.candidates, case.scores, heads), abs=1e-9)
    assert scores.kinds == case.scores.kinds


def test_tables_that_do_not_fit_are_refused() -> None:
    candidates = Candidates.all(3)
    for kind in KINDS:
        with pytest.raises(UsageError, match="numbers for these candidates"):
            tree_score(candidates, Scores(np.zeros(len(candidates)), **{kind: np.zeros(1)}), np.array([-1, 0, 1, 1]))
