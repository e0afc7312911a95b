"""Features of joint scores: kernels that compute their slots and sum their weights.

Given readings and a tree, each word has one feature for each n-gram template, about the word and its neighbours, and
one for each tree template, about the word and its head. The cost is O(n) for n words.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.encoding import Encoder
from headway.features.hashing import HashPlan, make_plan, plan_templates, role_hashes
from headway.features.templates import read_templates
from headway.joint.templates import NGRAM_TEMPLATES, READING_TEMPLATES, TREE_TEMPLATES
from headway.kernel import kernel
from headway.scorers.rows import Rows, find_rows, slot_mask
from headway.scorers.sparse import SparseVector, sparse_add, sparse_vector

_TO_THE_RIGHT = np.uint64(0x85EBCA6B)
"""A constant added to the hashes of arcs from left to right."""

IntArray = npt.NDArray[np.int32]
Slots = npt.NDArray[np.uint32]


class JointPlan(NamedTuple):
    """The compiled templates: n-grams with the role ``w``, and trees with the roles ``h`` and ``m``."""

    words: HashPlan
    arcs: HashPlan


def make_joint_plan(encoder: Encoder) -> JointPlan:
    """Compile the templates for the atoms of an encoder."""

    def plan(text: str, roles: tuple[str, ...]) -> HashPlan:
        constant = encoder.constant_atoms()
        return make_plan(
            read_templates(text, roles=roles, atoms=encoder.names, constant=constant), roles=roles, atoms=encoder.names
        )

    return JointPlan(plan(NGRAM_TEMPLATES + READING_TEMPLATES, ("w",)), plan(TREE_TEMPLATES, ("h", "m")))


@kernel
def joint_slots(atoms: IntArray, heads: IntArray, plan: JointPlan, mask: np.uint32) -> Slots:
    """(n, templates) Return the slots of all features of every word.

    Parameters
    ----------
    atoms : (n + 1, atoms) int32
        One sentence; row 0 is the root.
    heads : (n + 1,) int32
        The tree of the sentence.
    """
    words, arcs = role_hashes(atoms, plan.words)[0], role_hashes(atoms, plan.arcs)
    first, more = plan_templates(plan.words), plan_templates(plan.arcs)
    slots = np.empty((len(atoms) - 1, first + more), dtype=np.uint32)
    for word in range(1, len(atoms)):
        head, row = heads[word], slots[word - 1]
        for template in range(first):
            row[template] = words[word, template] & mask
        _write_arc(arcs, head, word, mask, row[first : first + more])
    return slots


@kernel
def _write_arc(hashes: npt.NDArray[np.uint32], head: int, modifier: int, mask: np.uint32, slots: Slots) -> None:
    """Write the slots of the features of one arc."""
    turn = _TO_THE_RIGHT if head < modifier else np.uint64(0)
    for template in range(len(slots)):
        total = np.uint64(hashes[0, head, template]) + np.uint64(hashes[1, modifier, template]) + turn
        slots[template] = np.uint32(total & np.uint64(mask))


@kernel
def add_weights(slots: Slots, rows: Rows) -> float:
    """Return the sum of the weights of all features; `slots` is overwritten."""
    flat, total = slots.reshape(-1), 0.0
    for index in range(find_rows(rows, flat, len(flat))):
        total += rows.values[flat[index], 0]
    return total * rows.scale


@kernel
def joint_totals(
    atoms: IntArray, starts: npt.NDArray[np.int64], heads: IntArray, plan: JointPlan, rows: Rows
) -> npt.NDArray[np.float64]:
    """(sentences,) Return the sum of the feature weights of each sentence."""
    totals, mask = np.empty(len(starts) - 1), slot_mask(rows)
    for sentence in range(len(totals)):
        begin, end = starts[sentence], starts[sentence + 1]
        totals[sentence] = add_weights(joint_slots(atoms[begin:end], heads[begin:end], plan, mask), rows)
    return totals


@kernel
def arc_weights(atoms: IntArray, plan: JointPlan, rows: Rows) -> tuple[float, npt.NDArray[np.float64]]:
    """Return the sum of the n-gram weights, and (n + 1, n + 1) [head, modifier] the sum of the weights of each arc.

    The score of a tree is the first sum plus the sums of its arcs; column 0 is 0.
    """
    size, mask = len(atoms), slot_mask(rows)
    table, total = np.zeros((size, size)), 0.0
    slots = joint_slots(atoms, np.zeros(size, dtype=np.int32), plan, mask)
    first, hashes = plan_templates(plan.words), role_hashes(atoms, plan.arcs)
    arc = np.empty(plan_templates(plan.arcs), dtype=np.uint32)
    for modifier in range(1, size):
        total += add_weights(slots[modifier - 1, :first].copy(), rows)
        for head in range(size):
            _write_arc(hashes, head, modifier, mask, arc)
            table[head, modifier] = add_weights(arc, rows)
    return total, table


@kernel
def slot_difference(slots: Slots, base: Slots) -> SparseVector:
    """Return the features of a sentence minus its features with other readings or another tree, `base`."""
    difference = sparse_vector(2 * slots.size)
    for word in range(slots.shape[0]):
        for template in range(slots.shape[1]):
            if slots[word, template] != base[word, template]:
                sparse_add(difference, int(slots[word, template]), 1.0)
                sparse_add(difference, int(base[word, template]), -1.0)
    return difference
