"""The features of a label: the arc it names, and the tree around it.

Roles: ``m`` the modifier, ``h`` its head, ``g`` the head's head, ``l`` and ``r`` the nearest siblings to the left and
right, ``f`` and ``e`` the modifier's first and last child. A word that is not there reads as the end of the sentence.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.features.hashing import HashPlan, make_plan
from headway.features.templates import read_templates
from headway.kernel import kernel

LABEL_ROLES = ("m", "h", "g", "l", "r", "f", "e")

LABEL_TEMPLATES = """
# the modifier
m.form
m.lemma
m.upos
m.xpos
m.feats
m.lemma m.upos
m.suffix2 m.upos
m.suffix3 m.upos
m-1.lemma m.upos
m.upos m+1.lemma
m-1.upos m.upos m+1.upos
m-2.upos m-1.upos m.upos
m.upos m+1.upos m+2.upos
m.lemma m.feats

# modifier and head
h.form m.form
h.lemma m.lemma
h.lemma m.upos
h.upos m.lemma
h.upos m.form
h.upos m.upos
h.xpos m.xpos
h.lemma m.feats
h.lemma h.feats m.upos
h.lemma m.upos m.feats
h.upos m.lemma m.feats
h.upos h.feats m.upos m.feats
h.upos m.upos m.feats
h.lemma m.suffix3
h.upos h.suffix3 m.upos m.suffix3
h.upos m-1.upos m.upos m+1.upos
h-1.upos h.upos h+1.upos m.upos
h.upos m-1.lemma m.upos
h.lemma m-1.lemma m.upos
h.upos m.upos m+1.lemma
h.upos m.upos m.morph*
h.lemma m.morph*
h.upos h.morph= m.upos m.morph=

# the modifier's children: a preposition or a conjunction says a lot
f.upos m.upos
f.lemma m.upos
e.upos m.upos
f.lemma h.upos m.upos
e.lemma h.upos m.upos
f.upos h.upos m.upos
e.upos h.upos m.upos
f.lemma h.lemma m.upos
f.upos e.upos h.upos m.upos

# siblings
h.upos l.upos m.upos
h.upos m.upos r.upos
h.upos l.upos m.upos r.upos
h.upos l.lemma m.upos
h.upos m.upos r.lemma
h.lemma l.upos m.upos
h.lemma m.upos r.upos
l.feats m.feats
m.feats r.feats

# the head's head
g.upos h.upos m.upos
g.lemma h.upos m.upos
g.upos h.lemma m.upos
g.upos h.upos m.lemma
"""

DIRECTIONS = 4
"""Each template fires bare and with the arc's direction and whether it is adjacent: four salts."""


class LabelPlan(NamedTuple):
    """The label templates as arrays."""

    words: HashPlan
    salts: npt.NDArray[np.uint32]


def make_label_plan(text: str, *, atoms: Sequence[str], constant: Collection[str]) -> LabelPlan:
    """The arrays for a list of label templates, as `LABEL_TEMPLATES`."""
    templates = read_templates(text, roles=LABEL_ROLES, atoms=atoms, constant=constant)
    salts = np.random.default_rng(20151013).integers(1, 1 << 32, size=DIRECTIONS, dtype=np.uint64)
    return LabelPlan(make_plan(templates, roles=LABEL_ROLES, atoms=atoms), salts.astype(np.uint32))


@kernel
def tree_roles(heads: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """(n + 1, roles) The word in each role of each modifier's arc; n + 1 stands for none."""
    size = len(heads)
    roles = np.full((size, 7), size, dtype=np.int32)
    last = np.full(size, size, dtype=np.int32)  # the last child of each head so far
    for modifier in range(1, size):
        head = heads[modifier]
        roles[modifier, 0], roles[modifier, 1] = modifier, head
        if head > 0:
            roles[modifier, 2] = heads[head]
        before = last[head]
        roles[modifier, 3] = before
        if before < size:
            roles[before, 4] = modifier
        else:
            roles[head, 5] = modifier
        last[head] = modifier
        roles[head, 6] = modifier
    return roles


@kernel
def label_slots(
    words: npt.NDArray[np.int32],
    hashes: npt.NDArray[np.uint32],
    plan: LabelPlan,
    mask: np.uint32,
    slots: npt.NDArray[np.uint32],
) -> int:
    """List the slots of one arc's label features: every template bare, then with direction and adjacency."""
    templates: int = hashes.shape[2]
    distance = words[0] - words[1]
    salt = plan.salts[(2 if distance > 0 else 0) + (1 if abs(distance) == 1 else 0)]
    for template in range(templates):
        total = np.uint32(0)
        for role in range(7):
            total += hashes[role, words[role], template]
        slots[template] = total & mask
        slots[templates + template] = (total + salt) & mask
    return 2 * templates
