"""Train by beam search: averaged perceptron updates where the gold transitions fall out of the beam.

========= =============================================================================================================
objective what counts as a mistake, and which state the update is made against
========= =============================================================================================================
baseline  the gold state is not the best state, or not in the beam; against the best state (Algorithm 2 of the
          HC-search paper)
best      the relaxed H-step: the gold state falls out of the beam; against the best state in it (Algorithm 3). Here
          it must be among the best eighth of the beam, which leaves a margin for other sentences
worst     the gold state falls out of the beam; against the worst state in it
explore   for a beam of 1: the parser's action makes gold arcs impossible (`headway.learning.exploration`)
========= =============================================================================================================

========= =============================================================================================================
update    the step at which the update is made
========= =============================================================================================================
early     where the gold state falls out of the beam, or else at the end (Collins and Roark 2004)
violation where the other state's lead over the gold state is largest (max-violation; Huang et al. 2012)
========= =============================================================================================================

Liu, Zhang, Che and Liu, "HC-search for incremental parsing", Sections 2 and 3.2. With ``violation``, the search always
continues to the end of the sentence, and updates use longer sequences.
"""

import numpy as np
import numpy.typing as npt

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
from headway.incremental.features import word_hashes
from headway.incremental.states import ACTION, BEFORE, Arena, Constraints, make_arena, no_constraints, state_slots
from headway.kernel import kernel, leaf_kernel
from headway.learning.averaging import AveragedTable
from headway.scorers.rows import NO_DIRECTORY, Rows, slot_mask

OBJECTIVES = ("baseline", "best", "worst", "explore")
RELAXED = ("best", "worst")
UPDATES = ("early", "violation")
_BASELINE, _BEST, _WORST = range(3)

_MARGIN = 8
"""With ``best``, the gold state must be in the first eighth of the beam, so that fewer fall out in other sentences."""
_EARLY, _VIOLATION = range(2)

STEP = 2.0**-7
"""The size of an update. It does not affect a perceptron's trees; this value gives scores of the usual size."""


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
    update: int,
    step: int,
) -> int:
    """Visit the sentences of `order` once and update `table`; return the number of sentences with an update.

    Parameters
    ----------
    gold : int32
        The gold actions, sentence after sentence: sentence i has ``gold[gold_starts[i] : gold_starts[i + 1]]``.
        Sentences without actions are skipped.
    objective, update : int
        Indices into `OBJECTIVES` and `UPDATES`.
    """
    rows = Rows(table.values, NO_DIRECTORY, 1.0)
    longest = 0
    for sentence in order:
        longest = max(longest, starts[sentence + 1] - starts[sentence] - 1)
    arena = make_arena(longest, (width + 1) * most_steps(longest) + 1)
    beam, space = make_beam(width), make_workspace(machine, width)
    free = no_constraints()
    safe = 1
    if objective == _WORST:
        safe = width
    elif objective == _BEST:
        safe = max(1, width // _MARGIN)
    mistakes = 0
    for sentence in order:
        right = gold[gold_starts[sentence] : gold_starts[sentence + 1]]
        if len(right) > 0:
            begins, ends = starts[sentence], starts[sentence + 1]
            hashes = word_hashes(atoms[begins:ends], machine.plan.words)
            start_search(arena, beam, ends - begins - 1)
            better, worse = _search(arena, beam, hashes, machine, rows, space, right, objective, update, safe, free)
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
    update: int,
    safe: int,
    free: Constraints,
) -> tuple[int, int]:
    """Search; return the gold state and the state to update against, as the objective says, or -1 twice for none.

    Parameters
    ----------
    safe : int
        The gold state is not a mistake while it is among this many best states of the beam.
    """
    gold, is_inside, step = 0, True, 0
    most, better, worse = 0.0, -1, -1
    while not (is_over(arena, beam, machine) and step >= len(right)):
        wanted = right[step] if step < len(right) else STAY
        gold_score = arena.scores[gold]
        if wanted != STAY:
            score_state(arena, gold, hashes, machine, rows, space)
            gold_score += space.totals[0, wanted] * rows.scale
        collect(arena, beam, hashes, machine, rows, space, free)
        place = -1
        if is_inside:
            for index in range(beam.size[1]):
                if beam.parents[index] == gold and beam.actions[index] == wanted:
                    place = index
        advance(arena, beam, machine, free)
        is_inside = place >= 0
        gold = int(beam.states[place]) if is_inside else take(arena, machine, gold, wanted, gold_score, free)
        step += 1
        rival = int(beam.states[beam.size[0] - 1 if objective == _WORST else 0])
        is_wrong = not 0 <= place < safe
        if update == _EARLY and (not is_inside if objective == _BASELINE else is_wrong):
            return gold, rival
        lead = arena.scores[rival] - gold_score
        if is_wrong and update == _VIOLATION and (better < 0 or lead >= most):
            most, better, worse = lead, gold, rival
    if objective == _BASELINE and beam.states[0] == gold:
        return -1, -1
    if objective == _BASELINE and update == _EARLY:
        return gold, int(beam.states[0])
    return better, worse


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
    """Update the weights in favour of the transitions to one state and against those to another, where they differ."""
    while better != worse:  # later states have higher numbers
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
    """Add a change to the weights of the transition to a state; return the previous state."""
    before, action = arena.states[state, BEFORE], arena.states[state, ACTION]
    mask = slot_mask(Rows(table.values, NO_DIRECTORY, 1.0))
    stacked = machine.traits[1] != 0
    count = state_slots(arena, arena.states[before], hashes, machine.plan, stacked, mask, space.words[0], space.slots)
    for index in range(count):
        slot = space.slots[index]
        table.values[slot, action] += change
        table.changes[slot, action] += change * step
    return int(before)
