"""Beam search over the transitions of a sentence.

In each step, all states in the beam are extended by all legal transitions, and the k resulting states with the highest
scores are the next beam (Liu et al., HC-search for incremental parsing, Algorithm 1). Scores are sums over transitions;
only the k states that are kept are written. Complete states wait for the others. Cost: O(n k (T + A)) for n words, T
templates and A actions, with another factor log k for the heap.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.incremental.features import StatePlan, word_hashes
from headway.incremental.states import (
    ACTION,
    BEFORE,
    DESCRIPTION,
    FROM,
    HEAD,
    LEFT_OVER,
    MODIFIER,
    WORD,
    Arena,
    Constraints,
    begin,
    describe,
    described_slots,
    follow,
    is_complete,
    item_at,
    make_arena,
    may_follow,
)
from headway.incremental.systems import NOWHERE
from headway.kernel import kernel, leaf_kernel
from headway.scorers.rows import Rows, find_rows, slot_mask

_FACTOR, _HIGH = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)

STAY = -1
"""The action of a complete state: it is kept unchanged."""


class Machine(NamedTuple):
    """The settings of a search, without the weights.

    Parameters
    ----------
    plan : StatePlan
    table : (transitions, 6) int64
        The transitions of the system.
    actions : (actions, 2) int64
        The transition and the label of each action, sorted by transition.
    traits : (3,) int64
        Whether the system keeps modifiers on the stack; whether arcs are only between words on the stack; whether to
        stop, with a forest, as soon as all words are on the stack.
    root_label : int
    """

    plan: StatePlan
    table: npt.NDArray[np.int64]
    actions: npt.NDArray[np.int64]
    traits: npt.NDArray[np.int64]
    root_label: int


class Beam(NamedTuple):
    """The states of one step, best first, and the candidates for the next step.

    Parameters
    ----------
    states : (k,) int64
    parents, actions : (k,) int64
        Of the candidates, which are a heap with the worst one first while they are collected.
    scores : (k,) float64
    size : (3,) int64
        The numbers of states, candidates and steps.
    """

    states: npt.NDArray[np.int64]
    parents: npt.NDArray[np.int64]
    actions: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]
    size: npt.NDArray[np.int64]


class Workspace(NamedTuple):
    """Buffers of a search.

    Parameters
    ----------
    words : (k, DESCRIPTION) int64
        The descriptions of the states of a step, each once.
    totals : (k, actions) float32
        The scores of all actions after these states.
    places : (at least 2 k,) int64
        A hash table of the descriptions: their rows, or -1; its length is a power of two.
    slots : (templates,) uint32
    touched : (1,) float32
    legal : (transitions,) bool
    """

    words: npt.NDArray[np.int64]
    totals: npt.NDArray[np.float32]
    places: npt.NDArray[np.int64]
    slots: npt.NDArray[np.uint32]
    touched: npt.NDArray[np.float32]
    legal: npt.NDArray[np.bool_]


@kernel
def make_beam(width: int) -> Beam:
    """Return an empty beam."""
    return Beam(
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.float64),
        np.zeros(3, dtype=np.int64),
    )


@kernel
def make_workspace(machine: Machine, width: int) -> Workspace:
    """Return the buffers of a search with a beam of this width."""
    places = 2
    while places < 2 * width:
        places *= 2
    return Workspace(
        np.zeros((width, DESCRIPTION), dtype=np.int64),
        np.zeros((width, len(machine.actions)), dtype=np.float32),
        np.zeros(places, dtype=np.int64),
        np.zeros(machine.plan.values.shape[2], dtype=np.uint32),
        np.zeros(1, dtype=np.float32),
        np.zeros(len(machine.table), dtype=np.bool_),
    )


@kernel
def most_steps(words: int) -> int:
    """Return the maximum number of transitions of a search: 2n, and two for each of at most n swaps."""
    return 4 * words + 2


@leaf_kernel
def score_state(
    arena: Arena,
    state: int,
    hashes: npt.NDArray[np.uint32],
    machine: Machine,
    rows: Rows,
    space: Workspace,
) -> None:
    """Write the scores of all actions after a state to ``space.totals[0]``, in units of the scale."""
    describe(arena, arena.states[state], machine.traits[1] != 0, space.words[0])
    _score_described(space, 0, hashes, machine, rows)


@leaf_kernel
def _score_described(
    space: Workspace, place: int, hashes: npt.NDArray[np.uint32], machine: Machine, rows: Rows
) -> None:
    """Write the scores of all actions after the state with the description in this place."""
    count = described_slots(space.words[place], hashes, machine.plan, slot_mask(rows), space.slots)
    count = find_rows(rows, space.slots, count)
    totals = space.totals[place]
    for action in range(len(totals)):
        totals[action] = 0
    touched, end = np.float32(0), rows.values.shape[1] - 1
    for index in range(count):  # fetch all rows first, so that cache misses overlap
        slot = space.slots[index]
        touched += np.float32(rows.values[slot, 0]) + np.float32(rows.values[slot, end])
    space.touched[0] = touched  # so that the loop is not optimised away
    index = 0
    while index + 4 <= count:  # four rows at a time, so that sums stay in registers
        row_0, row_1 = rows.values[space.slots[index]], rows.values[space.slots[index + 1]]
        row_2, row_3 = rows.values[space.slots[index + 2]], rows.values[space.slots[index + 3]]
        for action in range(len(totals)):
            first = np.float32(row_0[action]) + np.float32(row_1[action])
            totals[action] += first + (np.float32(row_2[action]) + np.float32(row_3[action]))
        index += 4
    while index < count:
        row_0 = rows.values[space.slots[index]]
        for action in range(len(totals)):
            totals[action] += row_0[action]
        index += 1


@leaf_kernel
def _place_described(space: Workspace, count: int) -> int:
    """Return the place of a description that equals that in place `count`, which is added if there is none before."""
    words, mask = space.words[count], len(space.places) - 1
    code = np.uint64(0)
    for index in range(DESCRIPTION):
        code = (code ^ np.uint64(words[index])) * _FACTOR
    bucket = int(code >> _HIGH) & mask
    while space.places[bucket] >= 0:
        known = space.words[space.places[bucket]]
        index = 0
        while index < DESCRIPTION and known[index] == words[index]:
            index += 1
        if index == DESCRIPTION:
            return int(space.places[bucket])
        bucket = (bucket + 1) & mask
    space.places[bucket] = count
    return count


@leaf_kernel
def _offer(beam: Beam, parent: int, action: int, score: float) -> None:
    """Add a candidate if it is among the k best so far; on ties, the first one is kept."""
    width, count = len(beam.states), beam.size[1]
    if count == width:
        if not score > beam.scores[0]:
            return
        place = 0
        while True:  # sift down from the root of the heap, where the worst candidate was
            child = 2 * place + 1
            if child >= width:
                break
            if child + 1 < width and beam.scores[child + 1] < beam.scores[child]:
                child += 1
            if beam.scores[child] >= score:
                break
            _move(beam, child, place)
            place = child
    else:
        place = count
        beam.size[1] += 1
        while place > 0:
            parent_place = (place - 1) // 2
            if beam.scores[parent_place] <= score:
                break
            _move(beam, parent_place, place)
            place = parent_place
    beam.scores[place], beam.parents[place], beam.actions[place] = score, parent, action


@leaf_kernel
def _move(beam: Beam, source: int, target: int) -> None:
    beam.scores[target] = beam.scores[source]
    beam.parents[target] = beam.parents[source]
    beam.actions[target] = beam.actions[source]


@leaf_kernel
def _sort(beam: Beam) -> None:
    """Sort the candidates, best first."""
    for index in range(1, beam.size[1]):
        score, parent, action = beam.scores[index], beam.parents[index], beam.actions[index]
        place = index
        while place > 0 and beam.scores[place - 1] < score:
            _move(beam, place - 1, place)
            place -= 1
        beam.scores[place], beam.parents[place], beam.actions[place] = score, parent, action


@leaf_kernel
def start_search(arena: Arena, beam: Beam, words: int) -> None:
    """Start a sentence."""
    begin(arena, words)
    beam.states[0] = 0
    beam.size[0] = 1
    beam.size[1] = 0
    beam.size[2] = 0


@leaf_kernel
def is_done(state: npt.NDArray[np.int32], machine: Machine) -> bool:
    """Return whether a state is complete."""
    return bool(is_complete(state) or (machine.traits[2] != 0 and state[LEFT_OVER] == 0))


@leaf_kernel
def is_over(arena: Arena, beam: Beam, machine: Machine) -> bool:
    """Return whether all states are complete, or there are none."""
    waiting = 0
    for index in range(beam.size[0]):
        waiting += not is_done(arena.states[beam.states[index]], machine)
    return waiting == 0


@leaf_kernel
def collect(
    arena: Arena,
    beam: Beam,
    hashes: npt.NDArray[np.uint32],
    machine: Machine,
    rows: Rows,
    space: Workspace,
    constraints: Constraints,
) -> None:
    """Collect the candidates for the next beam, best first; states with equal features are scored once."""
    beam.size[1] = 0
    keeps, stacked = machine.traits[0] != 0, machine.traits[1] != 0
    space.places[:] = -1
    count = 0
    for index in range(beam.size[0]):
        number = beam.states[index]
        state, before = arena.states[number], arena.scores[number]
        if is_done(state, machine):
            _offer(beam, number, STAY, before)
            continue
        describe(arena, state, stacked, space.words[count])
        place = _place_described(space, count) if beam.size[0] > 1 else count
        if place == count:
            _score_described(space, place, hashes, machine, rows)
            count += 1
        totals = space.totals[place]
        for transition in range(len(machine.table)):
            space.legal[transition] = may_follow(arena, state, machine.table[transition], keeps, constraints)
        for action in range(len(machine.actions)):
            if space.legal[machine.actions[action, 0]]:
                score = before + totals[action] * rows.scale
                is_good = beam.size[1] < len(beam.states) or score > beam.scores[0]
                if is_good and _keeps_label(arena, state, machine, action, constraints.labels):
                    _offer(beam, number, action, score)
    _sort(beam)


@leaf_kernel
def _keeps_label(
    arena: Arena,
    state: npt.NDArray[np.int32],
    machine: Machine,
    action: int,
    labels: npt.NDArray[np.int32],
) -> bool:
    """Return whether an action obeys the given label, if it attaches a word with a given head."""
    place = machine.table[machine.actions[action, 0], FROM]
    if len(labels) == 0 or place == NOWHERE:
        return True
    word = arena.items[item_at(arena, state, place), WORD]
    return bool(labels[word] < 0 or labels[word] == machine.actions[action, 1])


@leaf_kernel
def take(arena: Arena, machine: Machine, parent: int, action: int, score: float, constraints: Constraints) -> int:
    """Write the state after an action to the arena and return its number."""
    if action == STAY:
        return parent
    transition, label = machine.actions[action, 0], machine.actions[action, 1]
    return int(follow(arena, parent, machine.table[transition], action, label, score, constraints))


@leaf_kernel
def advance(arena: Arena, beam: Beam, machine: Machine, constraints: Constraints) -> None:
    """Make the candidates the next beam."""
    for index in range(beam.size[1]):
        parent, action, score = beam.parents[index], beam.actions[index], beam.scores[index]
        beam.states[index] = take(arena, machine, parent, action, score, constraints)
    beam.size[0] = beam.size[1]
    beam.size[2] += 1


@leaf_kernel
def write_tree(
    arena: Arena, state: int, machine: Machine, heads: npt.NDArray[np.int32], labels: npt.NDArray[np.int32]
) -> None:
    """Write the tree of a state: ``heads`` and ``labels`` (n + 1,); words without a head are children of the root."""
    heads[0] = -1
    labels[0] = -1
    for word in range(1, len(heads)):
        heads[word] = 0
        labels[word] = machine.root_label
    while state > 0:
        row = arena.states[state]
        if row[MODIFIER] > 0:
            heads[row[MODIFIER]] = row[HEAD]
            labels[row[MODIFIER]] = machine.actions[row[ACTION], 1]
        state = row[BEFORE]


@kernel
def search_trees(
    atoms: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    first: int,
    stride: int,
    machine: Machine,
    rows: Rows,
    width: int,
    given: npt.NDArray[np.int32],
    given_labels: npt.NDArray[np.int32],
    allowed: npt.NDArray[np.bool_],
    heads: npt.NDArray[np.int32],
    labels: npt.NDArray[np.int32],
    scores: npt.NDArray[np.float64],
) -> None:
    """Find the trees of every `stride`-th sentence.

    Parameters
    ----------
    width : int
        The width of the beam.
    given, given_labels : (rows,) int32
        Heads (or `FREE`) and labels (or -1) that trees must have; both are empty if there are none.
    allowed : (n + 1, n + 1) bool
        [head, modifier] For a single sentence, the allowed arcs; empty to allow all.
    heads, labels : (k, rows) int32
        The k best trees of the final beam, best first.
    scores : (k, sentences) float64
        -inf if there are fewer trees.
    """
    longest = 0
    for sentence in range(first, len(starts) - 1, stride):
        longest = max(longest, starts[sentence + 1] - starts[sentence] - 1)
    arena = make_arena(longest, width * most_steps(longest) + 1)
    beam, space = make_beam(width), make_workspace(machine, width)
    for sentence in range(first, len(starts) - 1, stride):
        begins, ends = starts[sentence], starts[sentence + 1]
        words = ends - begins - 1
        hashes = word_hashes(atoms[begins:ends], machine.plan.words)
        kept, kept_labels = given[:0], given_labels[:0]
        children = np.zeros(0, dtype=np.int32)
        if len(given) > 0:
            kept, kept_labels = given[begins:ends], given_labels[begins:ends]
            children = np.zeros(words + 1, dtype=np.int32)
            for word in range(1, words + 1):
                if kept[word] > 0:
                    children[kept[word]] += 1
        constraints = Constraints(kept, kept_labels, children, allowed)
        start_search(arena, beam, words)
        while not is_over(arena, beam, machine):
            collect(arena, beam, hashes, machine, rows, space, constraints)
            advance(arena, beam, machine, constraints)
        rank = 0
        for index in range(beam.size[0]):
            if rank < len(heads):
                state, tree = beam.states[index], heads[rank, begins:ends]
                write_tree(arena, state, machine, tree, labels[rank, begins:ends])
                if _root_is_allowed(tree, allowed):
                    scores[rank, sentence] = arena.scores[state]
                    rank += 1
        scores[rank:, sentence] = -np.inf


@leaf_kernel
def _root_is_allowed(heads: npt.NDArray[np.int32], allowed: npt.NDArray[np.bool_]) -> bool:
    """Return whether the constraints allow the root's child to be there."""
    if len(allowed) > 0:
        for word in range(1, len(heads)):
            if heads[word] == 0 and not allowed[0, word]:
                return False
    return True
