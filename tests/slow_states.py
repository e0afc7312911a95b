"""The features of states, computed from bare states: the twin of `headway.incremental.states`."""

import numpy as np
import numpy.typing as npt

from headway.features.hashing import role_hashes
from headway.incremental.beam import Machine
from headway.incremental.features import LONGEST, MOST, ROLES, SETS, VALUES, set_hash
from headway.incremental.systems import State


def slow_slots(state: State, atoms: npt.NDArray[np.int32], machine: Machine, mask: int) -> list[int]:
    """Return the slots of all features of a state."""
    nobody = len(atoms)
    stack = [nobody, nobody, nobody, *state.stack]
    front = state.buffer[0] if state.buffer else nobody
    base = {"s": stack[-1], "t": stack[-2], "u": stack[-3], "n": front}
    head_of = {modifier: head for head, modifier, _ in state.arcs}
    label_of = {modifier: label for _, modifier, label in state.arcs}

    def children(word: int, *, left: bool) -> list[int]:
        """The children on a side, the outermost first."""
        made = [modifier for head, modifier, _ in state.arcs if head == word and (modifier < head) == left]
        return made[::-1]

    words, values, sets = dict(base), {}, {}
    for role in ("s", "t", "n"):
        for side in ("l", "r"):
            found = children(base[role], left=side == "l")
            for name, place in ((role + side, 0), (role + side + "b", 1)):
                words[name] = found[place] if len(found) > place else nobody
                values[name + "_label"] = label_of[words[name]] + 1 if len(found) > place else 0
            values[role + ("left" if side == "l" else "right")] = min(len(found), MOST)
            sets[role + side + "_set"] = sum({1 << label_of[child] for child in found})
    words["sh"] = head_of.get(base["s"], nobody)
    words["shb"] = head_of.get(words["sh"], nobody)
    values["s_label"] = label_of[base["s"]] + 1 if base["s"] in head_of else 0
    other = base["t"] if machine.traits[1] else base["n"]
    values["distance"] = 0 if nobody in (base["s"], other) else min(abs(other - base["s"]), LONGEST)
    hashes = role_hashes(atoms, machine.plan.words)
    slots = []
    for template in range(hashes.shape[2]):
        total = sum(int(hashes[number, words[role], template]) for number, role in enumerate(ROLES))
        total += sum(int(machine.plan.values[kind, values[name], template]) for kind, name in enumerate(VALUES))
        for kind, name in enumerate(SETS):
            total += int(machine.plan.sets[kind, template]) * int(set_hash(np.uint64(sets[name])))
        slots.append(total & mask)
    return slots
