"""Learning by beam search: averaged perceptron steps where the right transitions fall out of the beam.

============ =====================================================================================================
objective    when and against what the weights move
============ =====================================================================================================
baseline     where the right state falls out of the beam, against the best state there (early update; Collins and Roark
             2004); and at the end, where it is in the beam but not the best (Algorithm 2 of the HC-search paper)
violation    at the step where the best state is furthest above the right one (max-violation; Huang et al. 2012)
best         only where the right state falls out of the beam, against the best state there (Algorithm 3)
worst        the same, against the worst state there
============ =====================================================================================================

Liu, Zhang, Che and Liu, "HC-search for incremental parsing", Sections 2 and 3.2.
"""

import numpy as np
import numpy.typing as npt

from headway.features.hashing import role_hashes
from headway.incremental.beam import (
    STAY,
    Beam,
    Machine,
    Workspace,
    advance,
    collect,
    is_over,
    make_beam,
    make_workspace,
    most_steps,
    score_state,
    start_search,
    take,
)
from headway.incremental.states import ACTION, BEFORE, Arena, make_arena, state_slots
from headway.kernel import kernel, leaf_kernel
from headway.learning.averaging import AveragedTable
from headway.scorers.rows import NO_DIRECTORY, Rows, slot_mask

OBJECTIVES = ("baseline", "violation", "best", "worst")
_BASELINE, _VIOLATION, _BEST, _WORST = range(4)

STEP = 2.0**-7
"""By which weights move. Perceptrons do not depend on it; it makes scores of about the size of other models'."""


@kernel
def learn_beam(
    atoms: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    order: npt.NDArray[np.int64],
    gold: npt.NDArray[np.int32],
    gold_starts: npt.NDArray[np.int64],
    machine: Machine,
    table: AveragedTable,
    width: int,
    objective: int,
    step: int,
) -> int:
    """Visit some sentences once; the number of those with a wrong search is returned.

    Parameters
    ----------
    gold : int32
        The right actions, sentence after sentence; sentence i has ``gold[gold_starts[i] : gold_starts[i + 1]]``, and
        is left out where it has none.
    objective : int
        One of `OBJECTIVES`.
    """
    rows = Rows(table.values, NO_DIRECTORY, 1.0)
    longest = 0
    for sentence in order:
        longest = max(longest, starts[sentence + 1] - starts[sentence] - 1)
    arena = make_arena(longest, (width + 1) * most_steps(longest) + 1)
    beam, space = make_beam(width), make_workspace(machine)
    free = np.zeros(0, dtype=np.int32)
    mistakes = 0
    for sentence in order:
        right = gold[gold_starts[sentence] : gold_starts[sentence + 1]]
        if len(right) > 0:
            begins, ends = starts[sentence], starts[sentence + 1]
            hashes = role_hashes(atoms[begins:ends], machine.plan.words)
            start_search(arena, beam, ends - begins - 1)
            better, worse = _search(arena, beam, hashes, machine, rows, space, right, objective, free)
            if better >= 0:
                _prefer(arena, better, worse, hashes, machine, table, space, step)
                mistakes += 1
        step += 1
    return mistakes


@leaf_kernel
def _search(
    arena: Arena,
    beam: Beam,
    hashes: npt.NDArray[np.uint32],
    machine: Machine,
    rows: Rows,
    space: Workspace,
    right: npt.NDArray[np.int32],
    objective: int,
    free: npt.NDArray[np.int32],
) -> tuple[int, int]:
    """Search until the objective says where to move the weights: a right state and one above it, or -1 twice."""
    gold, is_inside, step = 0, True, 0
    most, better, worse = 0.0, -1, -1
    while not (is_over(arena, beam, machine) and step >= len(right)):
        wanted = right[step] if step < len(right) else STAY
        gold_score = arena.scores[gold]
        if wanted != STAY:
            score_state(arena, gold, hashes, machine, rows, space)
            gold_score += space.totals[wanted] * rows.scale
        collect(arena, beam, hashes, machine, rows, space, free, free, free, np.zeros((0, 0), dtype=np.bool_))
        place = -1
        if is_inside:
            for index in range(beam.size[1]):
                if beam.parents[index] == gold and beam.actions[index] == wanted:
                    place = index
        advance(arena, beam, machine, free)
        is_inside = place >= 0
        gold = int(beam.states[place]) if is_inside else take(arena, machine, gold, wanted, gold_score, free)
        step += 1
        if not is_inside and objective != _VIOLATION:
            last = beam.size[0] - 1 if objective == _WORST else 0
            return gold, int(beam.states[last])
        lead = arena.scores[beam.states[0]] - gold_score
        if place != 0 and objective == _VIOLATION and (better < 0 or lead >= most):
            most, better, worse = lead, gold, int(beam.states[0])
    if objective == _BASELINE and beam.states[0] != gold:
        return gold, int(beam.states[0])
    if objective == _VIOLATION and better >= 0 and beam.states[0] != gold:
        return better, worse
    return -1, -1


@leaf_kernel
def _prefer(
    arena: Arena,
    better: int,
    worse: int,
    hashes: npt.NDArray[np.uint32],
    machine: Machine,
    table: AveragedTable,
    space: Workspace,
    step: int,
) -> None:
    """Move the weights towards the transitions to one state and away from those to another, as far as they differ."""
    while better != worse:  # states are numbered in the order in which they are written
        if better > worse:
            better = _change(arena, better, STEP, hashes, machine, table, space, step)
        else:
            worse = _change(arena, worse, -STEP, hashes, machine, table, space, step)


@leaf_kernel
def _change(
    arena: Arena,
    state: int,
    change: float,
    hashes: npt.NDArray[np.uint32],
    machine: Machine,
    table: AveragedTable,
    space: Workspace,
    step: int,
) -> int:
    """Add a change to the weights of the transition to a state; the state before it is returned."""
    before, action = arena.states[state, BEFORE], arena.states[state, ACTION]
    mask = slot_mask(Rows(table.values, NO_DIRECTORY, 1.0))
    stacked = machine.traits[1] != 0
    count = state_slots(arena, arena.states[before], hashes, machine.plan, stacked, mask, space.words, space.slots)
    for index in range(count):
        slot = space.slots[index]
        table.values[slot, action] += change
        table.changes[slot, action] += change * step
    return int(before)
