"""Learning to parse greedily, by a dynamic oracle: what is best to do after a mistake.

At each state, the action with the highest score should be one that loses the fewest right arcs and labels; else the
weights move towards the best-scored of those. From the second epoch on, the parser then mostly follows its own choice,
and so learns from the states that it will meet (Goldberg and Nivre 2012, "A dynamic oracle for arc-eager dependency
parsing", Algorithm 3). For arc-hybrid and arc-eager, whose costs are those of `headway.incremental.oracles`. Cost: O(n)
for a state of a sentence of n words, beside scoring it.
"""

import numpy as np
import numpy.typing as npt

from headway.features.hashing import fold
from headway.incremental.beam import Machine, Workspace, make_workspace, most_steps, score_state, take
from headway.incremental.features import word_hashes
from headway.incremental.states import (
    BUFFER,
    FROM,
    LABEL,
    MOVE,
    STACK,
    TO,
    WORD,
    Arena,
    begin,
    is_complete,
    item_at,
    make_arena,
    may_follow,
    no_constraints,
)
from headway.incremental.systems import N0, NOWHERE, REDUCE, SHIFT
from headway.kernel import kernel, leaf_kernel
from headway.learning.averaging import AveragedTable
from headway.learning.beam import STEP
from headway.scorers.rows import NO_DIRECTORY, Rows

EXPLORED = 0.9
"""How often a wrong choice of the parser is followed, from the second epoch on."""

_IMPOSSIBLE = 1 << 20


@kernel
def learn_exploring(
    atoms: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    order: npt.NDArray[np.int64],
    heads: npt.NDArray[np.int32],
    labels: npt.NDArray[np.int32],
    machine: Machine,
    table: AveragedTable,
    explored: float,
    step: int,
) -> int:
    """Visit some sentences once; the number of those with a wrong choice is returned.

    Parameters
    ----------
    heads, labels : (rows,) int32
        Of gold trees. Sentences with several children of the root are left out.
    explored : float
        How often to follow the parser's choice where it is wrong.
    """
    rows = Rows(table.values, NO_DIRECTORY, 1.0)
    longest = 0
    for sentence in order:
        longest = max(longest, starts[sentence + 1] - starts[sentence] - 1)
    arena, space, free = make_arena(longest, most_steps(longest) + 1), make_workspace(machine), no_constraints()
    costs = np.zeros(len(machine.actions), dtype=np.int64)
    mistakes = 0
    for sentence in order:
        begins, ends = starts[sentence], starts[sentence + 1]
        gold, gold_labels = heads[begins:ends], labels[begins:ends]
        if _roots(gold) == 1:
            hashes = word_hashes(atoms[begins:ends], machine.plan.words)
            begin(arena, ends - begins - 1)
            state, is_wrong = 0, False
            while not is_complete(arena.states[state]):
                score_state(arena, state, hashes, machine, rows, space)
                for transition in range(len(machine.table)):
                    space.legal[transition] = may_follow(
                        arena, arena.states[state], machine.table[transition], machine.traits[0] != 0, free
                    )
                action_costs(arena, arena.states[state], machine, space.legal, gold, gold_labels, costs)
                guess, right = _choose(space, costs)
                if costs[guess] > costs[right]:
                    _prefer_action(table, space, right, guess, step)
                    is_wrong = True
                    if not _draw(step, state) < explored:
                        guess = right
                state = take(arena, machine, state, guess, 0.0, free)
            mistakes += is_wrong
        step += 1
    return mistakes


@leaf_kernel
def _roots(heads: npt.NDArray[np.int32]) -> int:
    count = 0
    for word in range(1, len(heads)):
        count += heads[word] == 0
    return count


@leaf_kernel
def _draw(step: int, state: int) -> float:
    """Return a number from 0 to 1 without a pattern, the same for the same step and state."""
    return (fold(fold(np.uint64(0x51ED270B), step), state) >> np.uint64(11)) / 2.0**53


@leaf_kernel
def _choose(space: Workspace, costs: npt.NDArray[np.int64]) -> tuple[int, int]:
    """Return the action with the highest score, and that of those with the lowest cost."""
    guess, right = -1, -1
    for action in range(len(costs)):
        if costs[action] < _IMPOSSIBLE:
            score = space.totals[action]
            if guess < 0 or score > space.totals[guess]:
                guess = action
            is_cheaper = right < 0 or costs[action] < costs[right]
            if is_cheaper or (costs[action] == costs[right] and score > space.totals[right]):
                right = action
    return guess, right


@leaf_kernel
def _prefer_action(table: AveragedTable, space: Workspace, right: int, wrong: int, step: int) -> None:
    """Move the weights of the state that was scored last."""
    for index in range(len(space.slots)):
        slot = space.slots[index]
        table.values[slot, right] += STEP
        table.values[slot, wrong] -= STEP
        table.changes[slot, right] += STEP * step
        table.changes[slot, wrong] -= STEP * step


@leaf_kernel
def action_costs(
    arena: Arena,
    state: npt.NDArray[np.int32],
    machine: Machine,
    legal: npt.NDArray[np.bool_],
    heads: npt.NDArray[np.int32],
    labels: npt.NDArray[np.int32],
    costs: npt.NDArray[np.int64],
) -> None:
    """Write how many right arcs and labels each action makes impossible; a large number if it may not follow."""
    for action in range(len(costs)):
        number, label = machine.actions[action, 0], machine.actions[action, 1]
        transition = machine.table[number]
        costs[action] = _IMPOSSIBLE
        if legal[number]:
            is_first = action == 0 or machine.actions[action - 1, 0] != number
            if is_first:
                cost = _cost(arena, state, transition, machine.traits[0] != 0, heads)
            costs[action] = cost
            if transition[TO] != NOWHERE:
                modifier = arena.items[item_at(arena, state, transition[FROM]), WORD]
                head = arena.items[item_at(arena, state, transition[TO]), WORD]
                costs[action] += heads[modifier] == head and labels[modifier] != label


@leaf_kernel
def _cost(
    arena: Arena,
    state: npt.NDArray[np.int32],
    transition: npt.NDArray[np.int64],
    keeps_modifiers: bool,
    heads: npt.NDArray[np.int32],
) -> int:
    """Return how many right arcs a transition makes impossible: `dynamic_costs`, for kernels.

    The buffer of these systems is the words from its front to the end of the sentence.
    """
    words, top = len(heads) - 1, arena.items[arena.cells[state[STACK], 0], WORD]
    front = arena.items[arena.cells[state[BUFFER], 0], WORD] if state[BUFFER] > 0 else words + 1
    move, lost = transition[MOVE], 0
    if move == SHIFT:  # the front loses children on the stack, and its head there
        right = heads[front]
        cell, is_top = state[STACK], True
        while cell > 0:
            item = arena.cells[cell, 0]
            word = arena.items[item, WORD]
            waits = not keeps_modifiers or arena.items[item, LABEL] == 0
            lost += waits and heads[word] == front
            if keeps_modifiers:
                lost += right == word and (transition[TO] == NOWHERE or not is_top)
            else:
                lost += right == word and not is_top
            cell, is_top = arena.cells[cell, 1], False
        if keeps_modifiers and transition[TO] != NOWHERE:
            return int(lost + (right == 0 or right > front))
        return int(lost + (not keeps_modifiers and right == 0 and state[STACK] > 0))
    for word in range(front, words + 1):  # the top loses children in the buffer
        lost += heads[word] == top
    right = heads[top]
    if move == REDUCE:
        return int(lost)
    if transition[TO] != N0:  # arc-hybrid's right
        return int(lost + (right >= front))
    second_cell = arena.cells[state[STACK], 1]
    if keeps_modifiers:
        return int(lost + (right == 0 or right > front))
    is_second = second_cell > 0 and right == arena.items[arena.cells[second_cell, 0], WORD]
    return int(lost + (right > front or is_second or (right == 0 and second_cell == 0)))
