"""Compute the feature slots of a state: sums of hashes of its words, labels and numbers.

As in the graph parser (`headway.features.hashing`), a word has one hash for each role and template, computed once per
sentence. Labels, distances and numbers of children have one hash for each value and template, computed once per model.
So the slots of all T templates of a state are a sum of vectors of T numbers:

    slot(t) = sum over roles r of W[r, word(r), t] + sum over kinds k of V[k, value(k), t] + sets

Cost: O(T) for a state, whatever the length of the sentence.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.features.hashing import HashPlan, fold, make_plan, role_hashes
from headway.features.templates import read_templates
from headway.kernel import kernel

ROLES = ("s", "t", "u", "n", "sl", "slb", "sr", "srb", "tl", "tlb", "tr", "trb", "nl", "nlb", "sh", "shb")

LABELS = tuple(f"{role}_label" for role in (*ROLES[4:14], "s"))
NUMBERS = ("distance", "sleft", "sright", "tleft", "tright", "nleft")
VALUES = (*LABELS, *NUMBERS)
"""The kinds of labels and numbers in features of a state, in the order of the kernels."""

SETS = ("sl_set", "sr_set", "tl_set", "tr_set", "nl_set")

LONGEST, MOST = 7, 7
"""The maximum distance and number of children; larger values count as these."""


class StatePlan(NamedTuple):
    """The compiled templates of states.

    Parameters
    ----------
    words : HashPlan
    values : (kinds, values, templates) uint32
    sets : (kinds, templates) uint32
        Odd numbers for templates that use the set, 0 for others.
    reach : int
        The maximum distance from a word of the state to a neighbour that a template uses.
    """

    words: HashPlan
    values: npt.NDArray[np.uint32]
    sets: npt.NDArray[np.uint32]
    reach: int


def make_state_plan(text: str, *, atoms: Sequence[str], constant: Collection[str], labels: int) -> StatePlan:
    """Compile a list of templates.

    Parameters
    ----------
    labels : int
        The number of labels.
    """
    known = [*atoms, *VALUES, *SETS]
    templates = read_templates(text, roles=(*ROLES, "state"), atoms=known, constant=constant)
    words = make_plan(templates, roles=ROLES, atoms=atoms)
    height = max(labels + 1, LONGEST + 1, MOST + 1)
    values = np.zeros((len(VALUES), height, len(templates)), dtype=np.uint32)
    sets = np.zeros((len(SETS), len(templates)), dtype=np.uint32)
    for number, template in enumerate(templates):
        for term in template.terms:
            if term.role == "state" and term.atom in VALUES:
                kind = VALUES.index(term.atom)
                values[kind, :, number] = _hashes(number * len(VALUES) + kind, height)
            elif term.role == "state":
                kind = SETS.index(term.atom)
                sets[kind, number] = _hashes(-1 - number * len(SETS) - kind, 1)[0] | np.uint32(1)
    reach = max((abs(term.offset) for template in templates for term in template.terms), default=0)
    return StatePlan(words, values, sets, reach)


def _hashes(number: int, count: int) -> npt.NDArray[np.uint32]:
    """(count,) Return pseudo-random numbers: SplitMix64 of consecutive numbers."""
    with np.errstate(over="ignore"):
        mixed = np.arange(count, dtype=np.uint64) + np.uint64((number % (1 << 32)) << 20)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = (mixed + np.uint64(0x9E3779B97F4A7C15)) * np.uint64(factor)
            mixed ^= mixed >> np.uint64(shift)
    return (mixed >> np.uint64(32)).astype(np.uint32)


@kernel
def word_hashes(atoms: npt.NDArray[np.int32], plan: HashPlan) -> npt.NDArray[np.uint32]:
    """(roles, n + 2, templates) uint32: Return the hash of each word in each role; row 0 stands for "no such word".

    The root is never on the stack or in the buffer.
    """
    hashes = role_hashes(atoms, plan)
    for role in range(hashes.shape[0]):
        row, nobody = hashes[role, 0], hashes[role, atoms.shape[0]]
        for template in range(len(row)):
            row[template] = nobody[template]
    return hashes


@kernel
def set_hash(members: np.uint64) -> np.uint32:
    """Return the hash of a set of labels."""
    return np.uint32(fold(np.uint64(0x51ED270B), members) >> np.uint64(32))
