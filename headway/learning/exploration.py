"""Train greedy parsers with a dynamic oracle, which knows the best actions after a mistake, too.

The action with the highest score should be one with the lowest cost, which is the number of gold arcs and labels that
it makes impossible. Otherwise, an update is made in favour of the best-scored action of lowest cost. From the second
epoch on, the parser mostly follows its predictions even if they are wrong, so that it is trained on the states that it
will meet (Goldberg and Nivre 2012, "A dynamic oracle for arc-eager dependency parsing", Algorithm 3). For arc-hybrid
and arc-eager; the costs are those of `headway.incremental.oracles`. The oracle takes O(n) per state, in addition to
scoring.
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
"""The probability of following a wrong prediction, from the second epoch on."""

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
    """Visit the sentences of `order` once and update `table`; return the number of sentences with a wrong prediction.

    Parameters
    ----------
    heads, labels : (rows,) int32
        The gold trees. Sentences with several roots are skipped.
    explored : float
        The probability of following a wrong prediction.
    """
    rows = Rows(table.values, NO_DIRECTORY, 1.0)
    longest = 0
    for sentence in order:
        longest = max(longest, starts[sentence + 1] - starts[sentence] - 1)
    arena, space, free = make_arena(longest, most_steps(longest) + 1), make_workspace(machine, 1), no_constraints()
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
    """Return a pseudo-random number from 0 to 1, determined by step and state."""
    return (fold(fold(np.uint64(0x51ED270B), step), state) >> np.uint64(11)) / 2.0**53


@leaf_kernel
def _choose(space: Workspace, costs: npt.NDArray[np.int64]) -> tuple[int, int]:
    """Return the action with the highest score, and the best-scored action with the lowest cost."""
    guess, right = -1, -1
    for action in range(len(costs)):
        if costs[action] < _IMPOSSIBLE:
            score = space.totals[0, action]
            if guess < 0 or score > space.totals[0, guess]:
                guess = action
            is_cheaper = right < 0 or costs[action] < costs[right]
            if is_cheaper or (costs[action] == costs[right] and score > space.totals[0, right]):
                right = action
    return guess, right


@leaf_kernel
def _prefer_action(table: AveragedTable, space: Workspace, right: int, wrong: int, step: int) -> None:
    """Update the weights of the state that was scored last."""
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
    """Write each action's cost, the number of gold arcs and labels it makes impossible; a large number if illegal."""
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
    """Return the number of gold arcs that a transition makes impossible: `dynamic_costs` as a kernel.

    The buffer of these systems always contains the words from its front to the end of the sentence.
    """
    words, top = len(heads) - 1, arena.items[arena.cells[state[STACK], 0], WORD]
    front = arena.items[arena.cells[state[BUFFER], 0], WORD] if state[BUFFER] > 0 else words + 1
    move, lost = transition[MOVE], 0
    if move == SHIFT:  # the front can no longer get children or its head on the stack
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
    for word in range(front, words + 1):  # the top can no longer get children in the buffer
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
