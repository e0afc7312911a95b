"""States of a beam search that share structure, for kernels.

A state is a row that refers to two cells: the top of its stack and the front of its buffer. A cell refers to an item
and to the next cell. An item is a word with information about its children. A transition adds one row, at most two
cells and at most two items, whatever the length of the sentence; everything else is shared with earlier states.

    states   stack cell, buffer cell, previous state, action, arc …
    cells    item, next cell                                              0: none
    items    word, its head, its outermost children, their labels, counts  0: none

Words are counted from 1; word 0 means none.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.incremental.features import LONGEST, MOST, SETS, VALUES, StatePlan, set_hash
from headway.incremental.systems import HEADED, HEADLESS, N0, NOWHERE, ORDERED, REMOVE, S0, SHIFT, SWAP
from headway.kernel import kernel, leaf_kernel

STACK, BUFFER, BEFORE, ACTION, HEAD, MODIFIER, HEADLESS_WORDS, SWAPS, DEPTH, LEFT_OVER = range(10)
"""Columns of states."""

WORD, ABOVE, LABEL, L1, L2, R1, R2, L1_LABEL, L2_LABEL, R1_LABEL, R2_LABEL, LEFTS, RIGHTS, KEPT, ABOVE_2 = range(15)
"""Columns of items; labels are counted from 1."""

MOVE, TO, FROM, NEEDS_STACK, NEEDS_BUFFER, CONDITION = range(6)
"""Columns of a system's table."""

FREE = -2
"""In place of a required head: any head is allowed."""


class Arena(NamedTuple):
    """Memory for the states of one sentence.

    Parameters
    ----------
    states : (states, 10) int32
    cells : (cells, 2) int32
    items : (items, 15) int32
    sets : (items, 2) uint64
        The sets of labels of the children on each side.
    scores : (states,) float64
    used : (4,) int64
        The numbers of states, cells and items in use, and of words in the sentence.
    """

    states: npt.NDArray[np.int32]
    cells: npt.NDArray[np.int32]
    items: npt.NDArray[np.int32]
    sets: npt.NDArray[np.uint64]
    scores: npt.NDArray[np.float64]
    used: npt.NDArray[np.int64]


class Constraints(NamedTuple):
    """Constraints on the trees of a sentence; empty arrays allow everything.

    Parameters
    ----------
    heads : (n + 1,) int32
        The heads that words must have, or `FREE`.
    labels : (n + 1,) int32
        The required labels of words with a required head, -1 for any label; empty if `heads` is.
    children : (n + 1,) int32
        The number of required children of each word; empty if `heads` is.
    allowed : (n + 1, n + 1) bool
        [head, modifier] The allowed arcs.
    """

    heads: npt.NDArray[np.int32]
    labels: npt.NDArray[np.int32]
    children: npt.NDArray[np.int32]
    allowed: npt.NDArray[np.bool_]


@kernel
def no_constraints() -> Constraints:
    """Return constraints that allow every tree."""
    nothing = np.zeros(0, dtype=np.int32)
    return Constraints(nothing, nothing, nothing, np.zeros((0, 0), dtype=np.bool_))


@kernel
def make_arena(words: int, most: int) -> Arena:
    """Allocate memory for sentences of at most `words` words and searches of at most `most` states."""
    more = words + 2 + 2 * most
    return Arena(
        np.zeros((most + 1, 10), dtype=np.int32),
        np.zeros((more, 2), dtype=np.int32),
        np.zeros((more, 15), dtype=np.int32),
        np.zeros((more, 2), dtype=np.uint64),
        np.zeros(most + 1, dtype=np.float64),
        np.zeros(4, dtype=np.int64),
    )


@leaf_kernel
def begin(arena: Arena, words: int) -> None:
    """Clear the arena and write the initial state of a sentence, state 0."""
    for item in range(words + 1):
        _write_word(arena, item, item, item)
        arena.cells[item, 1] = item + 1 if 0 < item < words else 0
    first = arena.states[0]
    for column in range(10):
        first[column] = 0
    first[BUFFER] = 1 if words > 0 else 0
    first[BEFORE] = -1
    first[ACTION] = -1
    first[LEFT_OVER] = words
    arena.scores[0] = 0.0
    arena.used[0] = 1
    arena.used[1] = words + 1
    arena.used[2] = words + 1
    arena.used[3] = words


@leaf_kernel
def _write_word(arena: Arena, word: int, item: int, cell: int) -> None:
    """Write an item for a word without children, and a cell for it; word 0 means none."""
    row = arena.items[item]
    for column in range(15):
        row[column] = 0
    row[WORD] = word
    arena.sets[item, 0] = 0
    arena.sets[item, 1] = 0
    arena.cells[cell, 0] = item
    arena.cells[cell, 1] = 0


@leaf_kernel
def append_word(arena: Arena, last: int) -> int:
    """Append a word to the sentence, after the cell of the last word (0 for none), and return its cell.

    The caller must update `LEFT_OVER` of the states.
    """
    item, cell = arena.used[2], arena.used[1]
    arena.used[1] += 1
    arena.used[2] += 1
    arena.used[3] += 1
    _write_word(arena, arena.used[3], item, cell)
    if last > 0:
        arena.cells[last, 1] = cell
    return int(cell)


@leaf_kernel
def is_complete(state: npt.NDArray[np.int32]) -> bool:
    """Return whether a state's tree is complete."""
    return bool(state[LEFT_OVER] == 0 and state[HEADLESS_WORDS] <= 1)


@leaf_kernel
def item_at(arena: Arena, state: npt.NDArray[np.int32], place: int) -> int:
    """Return the item at a place; 0 for none."""
    if place == N0:
        return int(arena.cells[state[BUFFER], 0])
    if place == S0:
        return int(arena.cells[state[STACK], 0])
    return int(arena.cells[arena.cells[state[STACK], 1], 0])


@leaf_kernel
def may_follow(
    arena: Arena,
    state: npt.NDArray[np.int32],
    transition: npt.NDArray[np.int64],
    keeps_modifiers: bool,
    constraints: Constraints,
) -> bool:
    """Return whether a transition is legal in a state that is not complete."""
    given, allowed = constraints.heads, constraints.allowed
    depth, left_over = state[DEPTH], state[LEFT_OVER]
    if depth < transition[NEEDS_STACK] or left_over < transition[NEEDS_BUFFER]:
        return False
    condition, move = transition[CONDITION], transition[MOVE]
    if condition == ORDERED:
        top, below = item_at(arena, state, S0), item_at(arena, state, S0 + 1)
        if arena.items[below, WORD] > arena.items[top, WORD] or state[SWAPS] >= arena.used[3]:
            return False
    elif condition in (HEADLESS, HEADED):
        has_head = arena.items[item_at(arena, state, S0), LABEL] > 0
        if has_head != (condition == HEADED):
            return False
    last_shift = keeps_modifiers and move == SHIFT and left_over == 1
    if last_shift and state[HEADLESS_WORDS] != (0 if transition[TO] == NOWHERE else 1):
        return False
    if len(allowed) > 0 and transition[TO] != NOWHERE:
        head = arena.items[item_at(arena, state, transition[TO]), WORD]
        if not allowed[head, arena.items[item_at(arena, state, transition[FROM]), WORD]]:
            return False
        if move == REMOVE and left_over == 0 and depth == 2 and not allowed[0, head]:
            return False  # the word that stays is the root's child
    if len(given) > 0:
        leaving = item_at(arena, state, S0)
        if transition[TO] != NOWHERE:
            head = arena.items[item_at(arena, state, transition[TO]), WORD]
            leaving = item_at(arena, state, transition[FROM])
            wanted = given[arena.items[leaving, WORD]]
            if wanted != FREE and wanted != head:
                return False
        if move != SHIFT and move != SWAP:
            return bool(arena.items[leaving, KEPT] >= constraints.children[arena.items[leaving, WORD]])
    return True


@leaf_kernel
def _push(arena: Arena, item: int, behind: int) -> int:
    cell = arena.used[1]
    arena.used[1] += 1
    arena.cells[cell, 0] = item
    arena.cells[cell, 1] = behind
    return int(cell)


@leaf_kernel
def _copy_item(arena: Arena, item: int) -> int:
    new = arena.used[2]
    arena.used[2] += 1
    for column in range(15):
        arena.items[new, column] = arena.items[item, column]
    arena.sets[new, 0] = arena.sets[item, 0]
    arena.sets[new, 1] = arena.sets[item, 1]
    return int(new)


@leaf_kernel
def _with_child(arena: Arena, item: int, child: int, label: int, kept: bool) -> int:
    """Return a copy of an item with one more child, the outermost on its side."""
    new = _copy_item(arena, item)
    row, word = arena.items[new], arena.items[child, WORD]
    bit = np.uint64(1) << np.uint64(label % 64)
    if word < row[WORD]:
        row[L2], row[L2_LABEL] = row[L1], row[L1_LABEL]
        row[L1], row[L1_LABEL] = word, label + 1
        row[LEFTS] = min(row[LEFTS] + 1, MOST)
        arena.sets[new, 0] |= bit
    else:
        row[R2], row[R2_LABEL] = row[R1], row[R1_LABEL]
        row[R1], row[R1_LABEL] = word, label + 1
        row[RIGHTS] = min(row[RIGHTS] + 1, MOST)
        arena.sets[new, 1] |= bit
    if kept:
        row[KEPT] += 1
    return new


@leaf_kernel
def follow(
    arena: Arena,
    before: int,
    transition: npt.NDArray[np.int64],
    action: int,
    label: int,
    score: float,
    constraints: Constraints,
) -> int:
    """Write the state after a transition and return its number."""
    number = int(arena.used[0])
    arena.used[0] += 1
    old, new = arena.states[before], arena.states[number]
    for column in range(10):
        new[column] = old[column]
    new[BEFORE], new[ACTION], new[HEAD], new[MODIFIER] = before, action, 0, 0
    arena.scores[number] = score
    move, to = transition[MOVE], transition[TO]
    top_cell, front_cell = old[STACK], old[BUFFER]
    second_cell = arena.cells[top_cell, 1]
    top, front = arena.cells[top_cell, 0], arena.cells[front_cell, 0]
    second = arena.cells[second_cell, 0]
    if to == NOWHERE:
        if move == SHIFT:
            new[STACK] = _push(arena, front, top_cell)
            new[BUFFER] = arena.cells[front_cell, 1]
            new[DEPTH] += 1
            new[LEFT_OVER] -= 1
            new[HEADLESS_WORDS] += 1
        elif move == SWAP:
            new[STACK] = _push(arena, top, arena.cells[second_cell, 1])
            new[BUFFER] = _push(arena, second, front_cell)
            new[DEPTH] -= 1
            new[LEFT_OVER] += 1
            new[SWAPS] += 1
            new[HEADLESS_WORDS] -= 1
        else:  # reduce
            new[STACK] = second_cell
            new[DEPTH] -= 1
        return number
    head = front if to == N0 else top if to == S0 else second
    place = transition[FROM]
    modifier = front if place == N0 else top if place == S0 else second
    word = arena.items[modifier, WORD]
    new[HEAD], new[MODIFIER] = arena.items[head, WORD], word
    is_given = len(constraints.heads) > 0 and constraints.heads[word] != FREE
    grown = _with_child(arena, head, modifier, label, is_given)
    if move == REMOVE:
        new[DEPTH] -= 1
        new[HEADLESS_WORDS] -= 1
        if to == N0:  # the left arc of arc-eager and arc-hybrid
            new[BUFFER] = _push(arena, grown, arena.cells[front_cell, 1])
            new[STACK] = second_cell
        else:
            new[STACK] = _push(arena, grown, arena.cells[second_cell, 1])
        return number
    child = _copy_item(arena, modifier)  # the right arc of arc-eager pushes the modifier
    arena.items[child, ABOVE], arena.items[child, LABEL] = arena.items[head, WORD], label + 1
    arena.items[child, ABOVE_2] = arena.items[head, ABOVE]
    new[STACK] = _push(arena, child, _push(arena, grown, second_cell))
    new[BUFFER] = arena.cells[front_cell, 1]
    new[DEPTH] += 1
    new[LEFT_OVER] -= 1
    return number


@leaf_kernel
def describe(arena: Arena, state: npt.NDArray[np.int32], between_stack: bool, words: npt.NDArray[np.int64]) -> None:
    """Write what the features of a state are about; states with equal descriptions have equal features.

    Parameters
    ----------
    between_stack : bool
        Whether the distance is that between the two words on top of the stack, instead of that between s and n.
    words : (DESCRIPTION,) int64
        The word of each role, the value of each kind of labels and numbers, the hash of each set of labels.
    """
    second_cell = arena.cells[state[STACK], 1]
    items = arena.items
    s, t = items[arena.cells[state[STACK], 0]], items[arena.cells[second_cell, 0]]
    u, n = items[arena.cells[arena.cells[second_cell, 1], 0]], items[arena.cells[state[BUFFER], 0]]
    words[0], words[1], words[2], words[3] = s[WORD], t[WORD], u[WORD], n[WORD]
    for column in range(4):
        source = L1 + column
        words[4 + column], words[8 + column] = s[source], t[source]
        words[16 + column], words[20 + column] = s[L1_LABEL + column], t[L1_LABEL + column]
    words[12], words[13] = n[L1], n[L2]
    words[24], words[25] = n[L1_LABEL], n[L2_LABEL]
    words[14], words[15] = s[ABOVE], s[ABOVE_2]
    words[26] = s[LABEL]
    other = t[WORD] if between_stack else n[WORD]
    apart = 0
    if s[WORD] != 0 and other != 0:
        apart = min(abs(other - s[WORD]), LONGEST)
    words[27], words[28], words[29], words[30], words[31] = apart, s[LEFTS], s[RIGHTS], t[LEFTS], t[RIGHTS]
    words[32] = n[LEFTS]
    for kind in range(len(SETS)):
        item = arena.cells[state[BUFFER] if kind == 4 else state[STACK] if kind < 2 else second_cell, 0]
        words[16 + len(VALUES) + kind] = set_hash(arena.sets[item, kind % 2])


@leaf_kernel
def described_slots(
    words: npt.NDArray[np.int64],
    hashes: npt.NDArray[np.uint32],
    plan: StatePlan,
    mask: np.uint32,
    slots: npt.NDArray[np.uint32],
) -> int:
    """Write the slots of all features of a state, given its description, and return their number.

    Parameters
    ----------
    hashes : (roles, n + 2, templates) uint32
    """
    count = int(hashes.shape[2])
    last = plan.values[len(VALUES) - 1, words[16 + len(VALUES) - 1]]
    for template in range(count):
        slots[template] = last[template]
    for first in range(0, 16, 4):  # four vectors at a time, so that sums stay in registers
        word_0, word_1 = hashes[first, words[first]], hashes[first + 1, words[first + 1]]
        word_2, word_3 = hashes[first + 2, words[first + 2]], hashes[first + 3, words[first + 3]]
        value_0, value_1 = plan.values[first, words[16 + first]], plan.values[first + 1, words[17 + first]]
        value_2, value_3 = plan.values[first + 2, words[18 + first]], plan.values[first + 3, words[19 + first]]
        for template in range(count):
            from_words = word_0[template] + word_1[template] + word_2[template] + word_3[template]
            from_values = value_0[template] + value_1[template] + value_2[template] + value_3[template]
            slots[template] += np.uint32(from_words + from_values)
    for kind in range(len(SETS)):
        factor = np.uint32(words[16 + len(VALUES) + kind])
        row = plan.sets[kind]
        for template in range(count):
            slots[template] += row[template] * factor
    for template in range(count):
        slots[template] &= mask
    return count


@leaf_kernel
def state_slots(
    arena: Arena,
    state: npt.NDArray[np.int32],
    hashes: npt.NDArray[np.uint32],
    plan: StatePlan,
    between_stack: bool,
    mask: np.uint32,
    words: npt.NDArray[np.int64],
    slots: npt.NDArray[np.uint32],
) -> int:
    """Write the slots of all features of a state and return their number; see `describe` and `described_slots`."""
    describe(arena, state, between_stack, words)
    return int(described_slots(words, hashes, plan, mask, slots))


DESCRIPTION = 16 + len(VALUES) + len(SETS)
"""The size of a description: roles, kinds of labels and numbers, sets."""
