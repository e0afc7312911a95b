"""Automata that decide together, against all that each of them could take."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from slow_charts import Places

from headway.decoders.clusters import WAYS, Clusters, apart, bring_together, decide_together
from headway.decoders.dual_decomposition import ALTERNATING, DualRule, Parts, exact_tree, parts_of, relax_tree
from headway.decoders.head_automata import Automata, list_head, make_room, most_taken
from headway.parts import Candidates, Scores

MODELS = {
    "sibling": ("sibling",),
    "sibling and grandparent": ("sibling", "grandparent"),
    "grand-sibling": ("sibling", "grandparent", "grand_sibling"),
    "tri-sibling": ("sibling", "tri_sibling"),
}
every_model = pytest.mark.parametrize("kinds", MODELS.values(), ids=MODELS)


def random_parts(length: int, kinds: tuple[str, ...], seed: int) -> Parts:
    layout = Places(Candidates.all(length))
    scores = layout.random_scores(np.random.default_rng(seed))
    return parts_of(layout.candidates, Scores(scores.arc, **{kind: getattr(scores, kind) for kind in kinds}))


Choice = tuple[float, frozenset[int], int]


def every_choice(
    parts: Parts, weights: NDArray[np.float64], head: int, grandparents: bool, single_root: bool
) -> list[Choice]:
    """All that one automaton could take: the value, the arcs below, the arc above (-1 for none)."""
    automata, arcs = parts.automata, parts.arcs
    below = np.flatnonzero(automata.heads == head)
    above = np.flatnonzero(automata.modifiers == head).tolist() if grandparents and head > 0 else [-1]
    places, found = np.empty(most_taken(automata), dtype=np.int64), list[Choice]()
    for size in range(len(below) + 1):
        if head == 0 and single_root and size != 1:
            continue
        for children, upper in itertools.product(itertools.combinations(below.tolist(), size), above):
            taken = np.zeros(2 * arcs if grandparents else arcs)
            taken[list(children)] = 1.0
            value = weights[0, list(children)].sum()
            if upper >= 0:
                taken[arcs + upper] = 1.0
                value += weights[1, upper]
            listed = places[: list_head(automata, taken, head, places)]
            found.append((value + parts.scores[listed[listed >= arcs]].sum(), frozenset(children), upper))
    return found


def is_consistent(automata: Automata, contested: list[int], heads: list[int], choices: tuple[Choice, ...]) -> bool:
    """Whether a word has one contested arc at most, which its own automaton knows of, and none close a circle."""
    taken = [arc for _, children, _ in choices for arc in children if arc in contested]
    words = [int(automata.modifiers[arc]) for arc in taken]
    if len(set(words)) < len(words):
        return False
    for head, (_, _, above) in zip(heads, choices, strict=True):
        settled = [arc for arc in contested if automata.modifiers[arc] == head]
        if above >= 0 and settled:
            got = [arc for arc in taken if arc in settled]
            if (above in settled) != bool(got) or (got and got[0] != above):
                return False
    parent = {word: int(automata.heads[arc]) for word, arc in zip(words, taken, strict=True)}
    for word in parent:
        above, steps = parent[word], 0
        while above in parent and above != word and steps < len(parent):
            above, steps = parent[above], steps + 1
        if above == word:
            return False
    return True


@every_model
@given(seed=st.integers(0, 2**32 - 1), single_root=st.booleans())
@settings(max_examples=15)
def test_a_cluster_finds_the_best_that_its_heads_can_agree_on(
    kinds: tuple[str, ...], seed: int, single_root: bool
) -> None:
    parts, generator = random_parts(3, kinds, seed), np.random.default_rng(seed)
    automata, grandparents = parts.automata, "grandparent" in kinds
    weights = generator.normal(size=(3, parts.arcs))
    shares = np.where(generator.random(parts.arcs) < 0.5, 0.5, 0.0)
    clusters = bring_together(automata, parts.scores, shares, apart(4))
    for which in range(len(clusters.starts) - 1):
        heads = clusters.heads[clusters.starts[which] : clusters.starts[which + 1]].tolist()
        contested = clusters.contested[clusters.firsts[which] : clusters.firsts[which + 1]].tolist()
        taken = np.zeros((3, parts.arcs))
        value = decide_together(
            automata, parts.scores, weights, clusters, which, grandparents, single_root, make_room(automata), taken
        )
        lists = [every_choice(parts, weights, head, grandparents, single_root) for head in heads]
        possible = [
            choices for choices in itertools.product(*lists) if is_consistent(automata, contested, heads, choices)
        ]
        best = max(possible, key=lambda choices: sum(choice[0] for choice in choices))
        assert value == pytest.approx(sum(choice[0] for choice in best), abs=1e-8)
        assert set(np.flatnonzero(taken[0])) == frozenset().union(*(choice[1] for choice in best))
        if grandparents:
            assert set(np.flatnonzero(taken[1])) == {choice[2] for choice in best} - {-1}


@given(length=st.integers(1, 9), seed=st.integers(0, 2**32 - 1), doubt=st.floats(0.0, 1.0))
@settings(max_examples=40)
def test_clusters_hold_all_heads_and_the_words_of_their_contested_arcs(length: int, seed: int, doubt: float) -> None:
    parts, generator = random_parts(length, ("sibling",), seed), np.random.default_rng(seed)
    automata = parts.automata
    shares = np.where(generator.random(parts.arcs) < doubt, generator.random(parts.arcs), 0.0)
    clusters = bring_together(automata, parts.scores, shares, apart(length + 1))
    assert sorted(clusters.heads.tolist()) == list(range(length + 1))
    for which in range(len(clusters.starts) - 1):
        heads = clusters.heads[clusters.starts[which] : clusters.starts[which + 1]]
        contested = clusters.contested[clusters.firsts[which] : clusters.firsts[which + 1]]
        assert (clusters.factor[heads] == which).all()
        assert set(automata.heads[contested]) | set(automata.modifiers[contested]) <= set(heads.tolist())
        assert (np.diff(automata.modifiers[contested]) >= 0).all()
        assert np.prod(np.bincount(automata.modifiers[contested]) + 1) <= WAYS


def test_without_contested_arcs_nothing_is_merged() -> None:
    parts = random_parts(4, ("sibling",), 1)
    clusters = bring_together(parts.automata, parts.scores, np.zeros(parts.arcs), apart(5))
    assert isinstance(clusters, Clusters)
    assert clusters.factor.tolist() == list(range(5))
    assert len(clusters.contested) == 0


@every_model
def test_merging_proves_more_and_only_what_is_true(kinds: tuple[str, ...]) -> None:
    certified = {True: 0, False: 0}
    length = 6 if "grandparent" in kinds else 7
    for seed in range(20):
        parts = random_parts(length, kinds, seed)
        best = exact_tree(parts, DualRule())
        for merge in (False, True):
            found, _ = relax_tree(parts, DualRule(200, ALTERNATING, merge=merge))
            assert found.bound >= best.score - 1e-7
            certified[merge] += found.certified
            if found.certified:
                assert found.score == pytest.approx(best.score, abs=1e-7)
    assert certified[True] > certified[False]
