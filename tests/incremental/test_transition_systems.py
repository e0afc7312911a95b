"""Transition systems and oracles against enumeration."""

import itertools
import os
from collections.abc import Iterator
from functools import cache
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_machines import machine

from headway.corpus import nonprojective_arcs, read_sentences, tree_problems
from headway.errors import TreeError, UsageError
from headway.incremental.beam import take
from headway.incremental.oracles import DYNAMIC, dynamic_costs, static_oracle
from headway.incremental.states import begin, make_arena, no_constraints
from headway.incremental.systems import SYSTEMS, State, System, apply, find_system, is_final, is_legal, legal, run
from headway.learning.exploration import action_costs
from headway.search.projective_approximation import best_projective

TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", "../shared/treebanks"))


@cache
def trees(words: int) -> list[tuple[int, ...]]:
    """All trees with one root."""
    choices = itertools.product(range(words + 1), repeat=words)
    found = [heads for heads in choices if heads.count(0) == 1 and not any(tree_problems(list(heads)))]
    assert len(found) == words ** (words - 1)  # Cayley
    return found


def is_projective(heads: tuple[int, ...]) -> bool:
    return not any(nonprojective_arcs(list(heads)))


def projective_trees(first: int, last: int) -> list[tuple[tuple[int, int], ...]]:
    """All projective trees of the words from `first` to `last`, as (modifier, head); the root's head is 0."""
    return [
        ((root, 0), *left, *right)
        for root in range(first, last + 1)
        for left in _forests(first, root - 1, root)
        for right in _forests(root + 1, last, root)
    ]


@cache
def _forests(first: int, last: int, head: int) -> list[tuple[tuple[int, int], ...]]:
    """All ways to hang the words of a span on a word beside it: one tree after the other."""
    if first > last:
        return [()]
    return [
        (*((word, above or head) for word, above in tree), *rest)
        for end in range(first, last + 1)
        for tree in projective_trees(first, end)
        for rest in _forests(end + 1, last, head)
    ]


def all_trees(words: int) -> Iterator[list[int]]:
    """All trees with one root: Prüfer's sequences, each tree hung up at each of its words."""
    for code in itertools.product(range(words), repeat=max(0, words - 2)):
        degrees = [1 + code.count(word) for word in range(words)]
        neighbours: list[list[int]] = [[] for _ in range(words)]
        for word in (*code, -1)[: words - 1]:
            leaf = degrees.index(1)
            degrees[leaf] = 0
            word = word if word >= 0 else degrees.index(1)  # the last two
            degrees[word] -= 1
            neighbours[leaf].append(word)
            neighbours[word].append(leaf)
        for root in range(words):
            heads, waiting = [0] * words, [root]
            while waiting:
                word = waiting.pop()
                for other in neighbours[word]:
                    if other + 1 != heads[word]:
                        heads[other] = word + 1
                        waiting.append(other)
            yield heads


def test_trees_are_all_trees() -> None:
    for words in range(1, 6):
        assert sorted(map(tuple, all_trees(words))) == sorted(trees(words))
        projective = {tuple(head for _, head in sorted(tree)) for tree in projective_trees(1, words)}
        assert projective == set(filter(is_projective, trees(words)))


@pytest.mark.parametrize("name", SYSTEMS)
def test_oracles_build_every_tree(name: str) -> None:
    """Up to 8 words where trees are projective; to HEADWAY_EXHAUSTIVE, by default 6, where they are any."""
    system = find_system(name)
    most = 8 if system.projective else int(os.environ.get("HEADWAY_EXHAUSTIVE", "6"))
    for words in range(1, most + 1):
        count = 0
        projective = ([head for _, head in sorted(tree)] for tree in projective_trees(1, words))
        for heads in projective if system.projective else all_trees(words):
            assert _rebuilt(system, words, static_oracle(system, heads)) == heads
            count += 1
        assert count == (comb(3 * words - 2, words - 1) // words if system.projective else words ** (words - 1))


@pytest.mark.parametrize("name", SYSTEMS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_oracles_build_random_trees(name: str, data: st.DataObject) -> None:
    system, words = find_system(name), data.draw(st.integers(6, 8))
    order = data.draw(st.permutations(range(1, words + 1)))
    heads = [0] * words
    for place, word in enumerate(order[1:], start=1):  # any tree: each word hangs on one drawn before it
        heads[word - 1] = order[data.draw(st.integers(0, place - 1))]
    if system.projective:
        heads = best_projective(heads)
    if heads.count(0) == 1:
        assert run(system, words, static_oracle(system, heads)).heads(words) == heads


@pytest.mark.parametrize("name", [name for name in SYSTEMS if SYSTEMS[name].projective])
def test_projective_systems_refuse_crossing_arcs(name: str) -> None:
    with pytest.raises(TreeError, match="crossing"):
        static_oracle(find_system(name), [3, 0, 2, 1])


def all_states(system: System, words: int) -> list[State]:
    """Every state that can be reached; a state is told apart by what it may still become."""
    found, waiting = {}, [State.start(words)]
    while waiting:
        state = waiting.pop()
        key = (state.stack, state.buffer, frozenset(state.arcs))
        if key not in found:
            found[key] = state
            waiting += [apply(state, system.transitions[number]) for number in legal(system, state)]
    return list(found.values())


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_sequence_ends_in_a_tree_with_one_root(name: str) -> None:
    system, words = find_system(name), 4
    for state in all_states(system, words):
        if legal(system, state):
            assert not is_final(state)
        else:
            assert is_final(state)
            assert not any(tree_problems(state.heads(words)))


@pytest.mark.parametrize("name", DYNAMIC)
@pytest.mark.parametrize("words", [1, 2, 3, 4, 5])
def test_dynamic_costs_equal_brute_force(name: str, words: int) -> None:
    check_costs(name, words, [heads for heads in trees(words) if is_projective(heads)])


def check_costs(name: str, words: int, golds: list[tuple[int, ...]]) -> None:
    system = find_system(name)
    several = system.keeps_modifiers

    def following(state: State) -> list[State | None]:
        return [
            apply(state, some) if is_legal(system, state, some, several_roots=several) else None
            for some in system.transitions
        ]

    steps: dict[State, list[State | None]] = {}
    waiting = [State.start(words)]
    while waiting:
        state = waiting.pop()
        if state not in steps:
            steps[state] = following(state)
            waiting += [some for some in steps[state] if some is not None]
    for heads in golds:
        losses: dict[State, int] = {}
        order = sorted(steps, key=lambda state: len(state.buffer) * 2 + len(state.stack))
        for state in order:  # a transition makes stack and buffer smaller in this sense
            after = [losses[some] for some in steps[state] if some is not None]
            final = sum(a != b for a, b in zip(state.heads(words), heads, strict=True))
            losses[state] = min(after) if after else final
        for state in order:
            brute = [-1 if some is None else losses[some] - losses[state] for some in steps[state]]
            assert dynamic_costs(system, state, heads) == brute, (state, heads)


@pytest.mark.parametrize("name", DYNAMIC)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_costs_of_actions_are_those_of_transitions_and_labels(name: str, data: st.DataObject) -> None:
    system, words = find_system(name), data.draw(st.integers(1, 7))
    tree = data.draw(st.sampled_from(projective_trees(1, words)))
    heads = [head for _, head in sorted(tree)]
    labels = data.draw(st.lists(st.integers(0, 1), min_size=words, max_size=words))
    chosen, free = machine(name), no_constraints()
    arena, costs = make_arena(words, 2 * words), np.zeros(len(chosen.actions), dtype=np.int64)
    begin(arena, words)
    state, number = State.start(words), 0
    gold = np.array([-1, *heads], dtype=np.int32), np.array([-1, *labels], dtype=np.int32)
    while not is_final(state):
        may = np.array([is_legal(system, state, some) for some in system.transitions])
        action_costs(arena, arena.states[number], chosen, may, *gold, costs)
        expected = dynamic_costs(system, state, heads)
        for action, (transition, label) in enumerate(chosen.actions.tolist()):
            if may[transition]:
                some, lost = system.transitions[transition], expected[transition]
                if some.labelled and heads[state.word(some.modifier) - 1] == state.word(some.head):
                    lost += labels[state.word(some.modifier) - 1] != label
                assert costs[action] == lost
        action = data.draw(st.sampled_from([a for a, (t, _) in enumerate(chosen.actions.tolist()) if may[t]]))
        transition, label = chosen.actions[action].tolist()
        state = apply(state, system.transitions[transition], label)
        number = take(arena, chosen, number, action, 0.0, free)


def test_other_systems_have_no_dynamic_oracle() -> None:
    with pytest.raises(TreeError, match="no dynamic oracle"):
        dynamic_costs(find_system("swap"), State.start(2), [2, 0])


def test_unknown_systems_are_refused() -> None:
    with pytest.raises(UsageError, match="arc-standard"):
        find_system("arc-backward")


@pytest.mark.skipif(not TREEBANKS.is_dir(), reason=f"no treebanks in {TREEBANKS}")
@pytest.mark.parametrize("name", SYSTEMS)
def test_oracles_build_trees_of_treebanks(name: str) -> None:
    system = find_system(name)
    for path in sorted(TREEBANKS.glob("*/dev.conllu.xz")):
        for sentence in itertools.islice(read_sentences(str(path)), 150):
            if sentence.heads.count(0) == 1 and (not system.projective or is_projective(tuple(sentence.heads))):
                taken = static_oracle(system, sentence.heads)
                assert _rebuilt(system, len(sentence), taken) == sentence.heads


def _rebuilt(system: System, words: int, taken: list[int]) -> list[int]:
    """As `run`, by lists that change in place: quick, for long sentences."""
    stack: list[int] = []
    buffer, heads = list(range(words, 0, -1)), [0] * words
    for number in taken:
        some = system.transitions[number]
        places = {1: stack[-1:], 2: stack[-2:-1], 3: buffer[-1:]}
        if some.labelled:
            heads[places[some.modifier][0] - 1] = places[some.head][0]
        if some.move == 0:
            stack.append(buffer.pop())
        elif some.move == 1:
            stack.remove(places[some.modifier][0])
        elif some.move == 2:
            stack.pop()
        else:
            buffer.append(stack.pop(-2))
    assert not buffer
    return heads
