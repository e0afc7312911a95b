"""Beam search against enumeration, and its features against a slow twin."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_states import slow_slots
from small_machines import ENCODER, LABELS, machine, sentence

from headway.corpus import tree_problems
from headway.incremental.beam import make_workspace, search_trees, take
from headway.incremental.features import word_hashes
from headway.incremental.states import FREE, begin, make_arena, no_constraints, state_slots
from headway.incremental.systems import SYSTEMS, State, apply, find_system, is_final, legal
from headway.scorers.rows import Rows, plain_rows

SLOTS = 1 << 8
NOTHING = np.empty(0, dtype=np.int32)
ALL_ARCS = np.empty((0, 0), dtype=np.bool_)


def random_rows(actions: int, seed: int) -> Rows:
    return plain_rows(np.random.default_rng(seed).normal(size=(SLOTS, actions)).astype(np.float32))


def search(
    name: str,
    rows: Rows,
    words: int,
    width: int,
    k: int,
    given: npt.NDArray[np.int32] = NOTHING,
    labels: int = LABELS,
    allowed: npt.NDArray[np.bool_] = ALL_ARCS,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    encoded = ENCODER.encode([sentence(words)])
    heads, names = np.zeros((k, words + 1), dtype=np.int32), np.zeros((k, words + 1), dtype=np.int32)
    scores = np.zeros((k, 1))
    free = np.full(len(given), -1, dtype=np.int32)
    chosen = machine(name, labels=labels)
    search_trees(encoded.atoms, encoded.starts, 0, 1, chosen, rows, width, given, free, allowed, heads, names, scores)
    return heads, names, scores[:, 0]


def enumerated(name: str, rows: Rows, words: int, labels: int) -> list[float]:
    """The scores of all sequences of transitions, best first."""
    system, chosen, atoms = find_system(name), machine(name, labels=labels), ENCODER.encode([sentence(words)]).atoms
    finished, waiting = [], [(State.start(words), 0.0)]
    totals: dict[State, npt.NDArray[np.float64]] = {}
    while waiting:
        state, score = waiting.pop()
        if is_final(state):
            finished.append(score)
            continue
        if state not in totals:
            slots = slow_slots(state, atoms, chosen, SLOTS - 1)
            totals[state] = rows.values[slots].astype(np.float64).sum(axis=0)
        for action, (number, label) in enumerate(chosen.actions.tolist()):
            if number in legal(system, state):
                after = apply(state, system.transitions[number], label)
                waiting.append((after, score + float(totals[state][action])))
    return sorted(finished, reverse=True)


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize(("words", "labels"), [(1, 2), (2, 2), (3, 2), (6, 1)])
def test_an_unbounded_beam_finds_what_enumeration_finds(name: str, words: int, labels: int) -> None:
    if name == "swap":
        words = min(words, 3)  # a search swaps n times at most, which three words cannot exceed
    rows = random_rows(len(machine(name, labels=labels).actions), seed=words)
    expected = enumerated(name, rows, words, labels)
    k = min(20, len(expected))
    assert len(expected) < 5000
    scores = search(name, rows, words, 5000, k, labels=labels)[2]
    np.testing.assert_allclose(scores, expected[:k], atol=1e-3)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_features_equal_those_of_the_bare_state(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(SYSTEMS)))
    system, chosen, words = find_system(name), machine(name), data.draw(st.integers(1, 6))
    atoms = ENCODER.encode([sentence(words)]).atoms
    hashes, arena, space = word_hashes(atoms, chosen.plan.words), make_arena(words, 60), make_workspace(chosen, 1)
    begin(arena, words)
    state, number = State.start(words), 0
    while not is_final(state):
        count = state_slots(
            arena, arena.states[number], hashes, chosen.plan, bool(chosen.traits[1]), np.uint32(SLOTS * 256 - 1),
            space.words[0], space.slots,
        )  # fmt: skip
        assert space.slots[:count].tolist() == slow_slots(state, atoms, chosen, SLOTS * 256 - 1)
        numbers = set(legal(system, state))
        choices = [place for place, (some, _) in enumerate(chosen.actions.tolist()) if some in numbers]
        action = data.draw(st.sampled_from(choices))
        transition, label = chosen.actions[action].tolist()
        state = apply(state, system.transitions[transition], label)
        number = take(arena, chosen, number, action, 0.0, no_constraints())


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_trees_are_trees_and_keep_given_heads(data: st.DataObject) -> None:
    name, words = data.draw(st.sampled_from(sorted(SYSTEMS))), data.draw(st.integers(1, 6))
    rows = random_rows(len(machine(name).actions), seed=data.draw(st.integers(0, 99)))
    heads, labels, scores = search(name, rows, words, 8, 8)
    for tree, some, score in zip(heads, labels, scores, strict=True):
        if score > -np.inf:
            assert tree[0] == some[0] == -1
            assert not any(tree_problems(tree[1:].tolist()))
            assert (some[1:] >= 0).all()
    kept = np.full(words + 1, FREE, dtype=np.int32)
    for word in data.draw(st.sets(st.integers(1, words))):
        kept[word] = heads[0, word]
    again, _, score = search(name, rows, words, 64, 1, kept)
    chosen = kept != FREE
    assert score[0] > -np.inf
    assert (again[0][chosen] == kept[chosen]).all()


@pytest.mark.parametrize("name", SYSTEMS)
def test_an_unbounded_beam_finds_the_best_tree_of_the_allowed_arcs(name: str) -> None:
    words, random = 4, np.random.default_rng(5)
    rows = random_rows(len(machine(name, labels=1).actions), seed=5)
    trees, _, scores = search(name, rows, words, 5000, 5000, labels=1)
    modifiers = np.arange(1, words + 1)
    for _ in range(20):
        allowed = random.random((words + 1, words + 1)) < 0.7
        fits = (scores > -np.inf) & allowed[trees[:, 1:], modifiers].all(axis=1)
        found, _, reached = search(name, rows, words, 5000, 5000, labels=1, allowed=allowed)
        np.testing.assert_allclose(reached[reached > -np.inf], scores[fits], atol=1e-4)
        assert allowed[found[reached > -np.inf, 1:], modifiers].all()
