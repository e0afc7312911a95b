"""The features of labels: properties of the arc and of the surrounding tree.

Roles: ``m`` the modifier, ``h`` its head, ``g`` the head's head, ``l`` and ``r`` the nearest siblings to the left and
right, ``f`` and ``e`` the modifier's first and last child. A missing word reads as the end of the sentence. Two roles
stand for sets of words, ``s`` for all siblings and ``c`` for all children of the modifier: a template with such a role
fires once for each word of the set. At most `MOST_MEMBERS` are used on each side, so the cost of an arc is bounded.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.errors import UsageError
from headway.features.hashing import HashPlan, make_plan, plan_templates, role_hashes
from headway.features.templates import Template, read_templates
from headway.kernel import kernel

WORD_ROLES = ("m", "h", "g", "l", "r", "f", "e")
SET_ROLES = ("s", "c")
LABEL_ROLES = (*WORD_ROLES, *SET_ROLES)

MOST_MEMBERS = 8
"""The maximum number of siblings on each side of the modifier, and of its children, that set templates use."""

PLAIN_LABEL_TEMPLATES = """
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

# the modifier's children: prepositions and conjunctions are very informative
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

SET_LABEL_TEMPLATES = """
# every child of the modifier
c.upos m.upos
c.lemma m.upos
c.lemma h.upos m.upos

# every sibling
h.upos m.upos s.upos
h.upos m.upos s.lemma
h.upos m.feats s.upos
m.feats s.feats
"""

LABEL_TEMPLATES = PLAIN_LABEL_TEMPLATES + SET_LABEL_TEMPLATES

DIRECTIONS = 4
"""The number of salts for direction and adjacency; each template fires without a salt and with one."""


class LabelPlan(NamedTuple):
    """The compiled label templates.

    Parameters
    ----------
    words : HashPlan
        The templates about single words, with the roles `WORD_ROLES`.
    sets : HashPlan
        The templates with a set role, with the roles `LABEL_ROLES`.
    set_role : (set templates,) int64
        The index, in `LABEL_ROLES`, of each template's set role.
    salts : (DIRECTIONS,) uint32
    """

    words: HashPlan
    sets: HashPlan
    set_role: npt.NDArray[np.int64]
    salts: npt.NDArray[np.uint32]


def make_label_plan(text: str, *, atoms: Sequence[str], constant: Collection[str]) -> LabelPlan:
    """Compile a list of label templates, in the form of `LABEL_TEMPLATES`."""
    templates = read_templates(text, roles=LABEL_ROLES, atoms=atoms, constant=constant)
    sets = [template for template in templates if template.roles & set(SET_ROLES)]
    words = [template for template in templates if not template.roles & set(SET_ROLES)]
    salts = np.random.default_rng(20151013).integers(1, 1 << 32, size=DIRECTIONS, dtype=np.uint64)
    return LabelPlan(
        make_plan(words, roles=WORD_ROLES, atoms=atoms),
        make_plan(sets, roles=LABEL_ROLES, atoms=atoms),
        np.array([_set_role(template) for template in sets], dtype=np.int64),
        salts.astype(np.uint32),
    )


def _set_role(template: Template) -> int:
    set_roles = sorted(template.roles & set(SET_ROLES))
    if len(set_roles) > 1:
        raise UsageError(f"template {str(template)!r}: {' and '.join(set_roles)} cannot occur together")
    return LABEL_ROLES.index(set_roles[0])


class LabelHashes(NamedTuple):
    """The hashes of one sentence: (roles, n + 2, templates), for templates of single words and for set templates."""

    words: npt.NDArray[np.uint32]
    sets: npt.NDArray[np.uint32]


@kernel
def label_hashes(atoms: npt.NDArray[np.int32], plan: LabelPlan) -> LabelHashes:
    """Hash one sentence: ``atoms`` (n + 1, atoms)."""
    return LabelHashes(role_hashes(atoms, plan.words), role_hashes(atoms, plan.sets))


@kernel
def slot_buffer(plan: LabelPlan) -> npt.NDArray[np.uint32]:
    """Return a buffer for the slots of any arc."""
    words, sets = plan_templates(plan.words), len(plan.set_role)
    return np.empty(2 * (words + 2 * MOST_MEMBERS * sets), dtype=np.uint32)


@kernel
def tree_roles(heads: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """(n + 1, roles) Return the word in each role of each modifier's arc; n + 1 stands for none."""
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
def tree_slots(
    modifier: int,
    roles: npt.NDArray[np.int32],
    hashes: LabelHashes,
    plan: LabelPlan,
    mask: np.uint32,
    slots: npt.NDArray[np.uint32],
) -> int:
    """Write the slots of all label features of one arc of a tree; return their number.

    Parameters
    ----------
    roles : (n + 1, 7) int32
        From `tree_roles`.
    slots : uint32
        From `slot_buffer`.
    """
    count: int = label_slots(roles[modifier], hashes.words, plan, mask, slots)
    if len(plan.set_role) == 0:
        return count
    salt = _arc_salt(roles[modifier], plan)
    members = np.empty((2, 2 * MOST_MEMBERS), dtype=np.int32)
    siblings, children = _members(modifier, roles, members)
    for template in range(len(plan.set_role)):
        role = plan.set_role[template]
        kind = role - 7
        base = np.uint32(0)
        for single in range(7):
            base += hashes.sets[single, roles[modifier, single], template]
        for index in range(siblings if kind == 0 else children):
            total = base + hashes.sets[role, members[kind, index], template]
            slots[count] = total & mask
            slots[count + 1] = (total + salt) & mask
            count += 2
    return count


@kernel
def _members(modifier: int, roles: npt.NDArray[np.int32], members: npt.NDArray[np.int32]) -> tuple[int, int]:
    """Write siblings (left ones first, nearest first) and children; return the numbers of both."""
    siblings = 0
    for side in (3, 4):
        word, most = roles[modifier, side], siblings + MOST_MEMBERS
        while word < len(roles) and siblings < most:
            members[0, siblings] = word
            siblings += 1
            word = roles[word, side]
    children = 0
    word = roles[modifier, 5]
    while word < len(roles) and children < MOST_MEMBERS:
        members[1, children] = word
        children += 1
        word = roles[word, 4]
    return siblings, children


@kernel
def _arc_salt(words: npt.NDArray[np.int32], plan: LabelPlan) -> np.uint32:
    """Return the salt for the direction and adjacency of an arc."""
    distance = words[0] - words[1]
    salt: np.uint32 = plan.salts[(2 if distance > 0 else 0) + (1 if abs(distance) == 1 else 0)]
    return salt


@kernel
def label_slots(
    words: npt.NDArray[np.int32],
    hashes: npt.NDArray[np.uint32],
    plan: LabelPlan,
    mask: np.uint32,
    slots: npt.NDArray[np.uint32],
) -> int:
    """Write the slots of single-word features: every template without a salt, then with direction and adjacency."""
    templates: int = hashes.shape[2]
    salt = _arc_salt(words, plan)
    for template in range(templates):
        total = np.uint32(0)
        for role in range(7):
            total += hashes[role, words[role], template]
        slots[template] = total & mask
        slots[templates + template] = (total + salt) & mask
    return 2 * templates
