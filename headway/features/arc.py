"""The features of arcs: kernels that compute their slots.

Roles: ``h`` the head, ``m`` the modifier. Each feature has a row of weights: one without distance, one for the arc's
direction, and one for its direction and length, so no template needs a "distance" atom. Templates with a single word
are summed once per word rather than looked up for each arc.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.encoding.atoms import TAG_CLASSES
from headway.features.hashing import HashPlan, make_plan, plan_templates, role_hashes
from headway.features.templates import ARC_ATOMS, Template, read_templates
from headway.kernel import kernel, unit_kernel
from headway.kernel.arrays import copy_into

ROW = 16
"""Weights in a row: one without distance, two directions, and six lengths in each direction (one is unused)."""

_LENGTHS = (1, 2, 3, 5, 10)  # upper ends of the bins; the last bin is open
_LONGEST = 11
_BIN_OF_LENGTH = np.searchsorted(_LENGTHS, np.arange(_LONGEST + 1)).astype(np.int64)

_ROLES = ("h", "h", "h", "m", "m", "m")
_HIDDEN = (0, 1, -1, 0, 1, -1)
_MOST_COUNTED = 3
_COUNTED_AS = {
    "VERB": "verbs",
    "AUX": "verbs",
    "PUNCT": "punctuation",
    "CCONJ": "coordinators",
    "CONJ": "coordinators",
}
_SALTS = np.frombuffer(
    bytes.fromhex(
        "b8eb69159a0553b26fc36320387b807e970a6875fbdd7dee8bdecb6a2dac92c52156465758c295a24007c9e5cf5587b4"
        "cc36cc3fdfc239c46390c1359ec25883c69a40825f90e5b419e458edb303192738cbf7b3a968f5ce886429fcdb868570"
        "7b270a568efbc0a753d4a2d6cc1e704fd06b5bd32978ecba45e66038f1a9ad7b8507e971231b5443d5eba9fb9c1c01ca"
        "257b73a8ba5cc8fd962e34cfb6e1e074824dea02baa2b3cc8546d7220d286cd574cafb9a64571fdefdaacd3d54410bbf"
        "9d4922f295cb160848f313fcd161de84447de163998a3a6f810c7e5d15e40ef9018f0fb2b065955693cd9256cfc6d953"
        "cdb6bd1c95c45ff00c848a72ca59b2f1c7ae2c6f9c61ce8a58379986d6bf19bb832af90a2ffac1779de328500e41a5bc"
        "5cb0227b614dd1c14e3b9942803f9780b97e90174c05cbf7c5920cfd854e1002bbb0b5fceb8dc4de54ea7fe5a97a9356"
        "4bd5f8702c487b591294273d64f7bd58d323800bcfec876e60a9232d90bf6295899d1e4daf23a4f884521803bc17b127"
        "f003f5631f9b34256ba95edb3e380dd821e63235c4bd936a1642f5aa4620b27de05b8db95933224d2299567f1772abe3"
        "98a91d28914480e9397ea411a8b225f777d1e1901d8ae9e7468cc1a2c575a79bf115978acc234ed123ec187c9e9da386"
        "ac6c340a2d58a069eb719c217d06b14d76b9849090b5b8084ba753b2bb846ef0"
    ),
    dtype="<u4",
).reshape(len(ARC_ATOMS), 32)
"""Constants: the first numbers of `numpy.random.default_rng(20140623)`, because importing numpy.random is slow."""


class ArcPlan(NamedTuple):
    """The arc templates as arrays: with one word, with two, with two and a count, with two and the tags between."""

    head: HashPlan
    modifier: HashPlan
    pair: HashPlan
    counted: HashPlan
    counted_kind: npt.NDArray[np.int64]
    tagged: HashPlan
    classes: npt.NDArray[np.int64]
    salts: npt.NDArray[np.uint32]


def make_arc_plan(
    text: str,
    *,
    atoms: Sequence[str],
    constant: Collection[str],
    tag_class: Mapping[str, int],
    tag_map: Mapping[str, str] | None = None,
) -> ArcPlan:
    """Compile a list of arc templates.

    Parameters
    ----------
    text : str
        The templates, in the form of `ARC_TEMPLATES`.
    tag_class : mapping of str to int
        The class number of each coarse tag, for counts of tags between the words.
    tag_map : mapping of str to str, optional
        Maps coarse tags that are not universal to universal ones.
    """
    templates = read_templates(text, roles=("h", "m"), atoms=atoms, constant=constant)

    def chosen(kind: str) -> list[Template]:
        return [template for template in templates if _kind(template) == kind]

    def pair_plan(pair_templates: Sequence[Template]) -> HashPlan:
        return make_plan(pair_templates, roles=_ROLES, atoms=atoms, hidden=_HIDDEN)

    counted = chosen("counted")
    kinds = [ARC_ATOMS.index(str(template.between)) for template in counted]
    classes = np.full(32, -1, dtype=np.int64)
    for tag, number in tag_class.items():
        universal = (tag_map or {}).get(tag, tag)
        if number < TAG_CLASSES and universal in _COUNTED_AS:  # the last class is shared by rare tags
            classes[number] = ARC_ATOMS.index(_COUNTED_AS[universal])
    return ArcPlan(
        make_plan(chosen("h"), roles=("h",), atoms=atoms),
        make_plan(chosen("m"), roles=("m",), atoms=atoms),
        pair_plan(chosen("pair")),
        pair_plan(counted),
        np.array(kinds, dtype=np.int64),
        pair_plan(chosen("tagged")),
        classes,
        _SALTS.astype(np.uint32),
    )


def _kind(template: Template) -> str:
    if template.between is not None:
        return "tagged" if template.between == "tags" else "counted"
    return "pair" if len(template.roles) == 2 else min(template.roles)


class ArcHashes(NamedTuple):
    """The hashes of one sentence; the slots of an arc are sums of them."""

    head: npt.NDArray[np.uint32]
    modifier: npt.NDArray[np.uint32]
    pair: npt.NDArray[np.uint32]
    counted: npt.NDArray[np.uint32]
    tagged: npt.NDArray[np.uint32]
    tags: npt.NDArray[np.int32]
    sums: npt.NDArray[np.int32]


@unit_kernel
def arc_hashes(atoms: npt.NDArray[np.int32], tags: npt.NDArray[np.int32], plan: ArcPlan) -> ArcHashes:
    """Hash one sentence: ``atoms`` (n + 1, atoms), ``tags`` (n + 1,)."""
    sums = np.zeros((len(tags) + 1, 4), dtype=np.int32)  # sums[i, kind]: words of a class before position i
    for word in range(len(tags)):
        copy_into(sums[word + 1], sums[word])
        kind = plan.classes[tags[word]]
        if kind >= 0:
            sums[word + 1, kind] += 1
    return ArcHashes(
        role_hashes(atoms, plan.head),
        role_hashes(atoms, plan.modifier),
        role_hashes(atoms, plan.pair),
        role_hashes(atoms, plan.counted),
        role_hashes(atoms, plan.tagged),
        tags,
        sums,
    )


@kernel
def length_bin(head: int, modifier: int) -> int:
    """Return the position, in a row of weights, of the weight for this arc's direction and length."""
    distance = abs(head - modifier)
    length = int(_BIN_OF_LENGTH[min(distance, _LONGEST)])
    return 3 + length if head > modifier else 9 + length


@kernel
def arc_slots(
    head: int,
    modifier: int,
    between: int,
    hashes: ArcHashes,
    plan: ArcPlan,
    mask: np.uint32,
    slots: npt.NDArray[np.uint32],
) -> int:
    """Write the slots of the features of two words; return their number.

    Parameters
    ----------
    between : int
        The set of tag classes strictly between the two words, as bits.
    """
    role_h, role_m = 0, 3
    if head + 1 == modifier:
        role_h, role_m = 1, 5
    elif modifier + 1 == head:
        role_h, role_m = 2, 4
    first, second = hashes.pair[role_h, head], hashes.pair[role_m, modifier]
    count: int = first.shape[0]
    for template in range(count):
        slots[template] = (first[template] + second[template]) & mask
    left, right = min(head, modifier), max(head, modifier)
    for template in range(plan.counted_kind.shape[0]):
        kind = plan.counted_kind[template]
        number = min(hashes.sums[right, kind] - hashes.sums[left + 1, kind], _MOST_COUNTED)
        base = hashes.counted[role_h, head, template] + hashes.counted[role_m, modifier, template]
        slots[count] = (base + plan.salts[kind, number]) & mask
        count += 1
    for template in range(hashes.tagged.shape[2]):
        base = hashes.tagged[role_h, head, template] + hashes.tagged[role_m, modifier, template]
        rest, tag = between, 0
        while rest != 0:
            if rest & 1:
                slots[count] = (base + plan.salts[0, tag]) & mask
                count += 1
            rest >>= 1
            tag += 1
    return count


@kernel
def word_slots(word: int, hashes: npt.NDArray[np.uint32], mask: np.uint32, slots: npt.NDArray[np.uint32]) -> int:
    """Write the slots of the features of one word, from `ArcHashes.head` or `ArcHashes.modifier`."""
    count: int = hashes.shape[2]
    for template in range(count):
        slots[template] = hashes[0, word, template] & mask
    return count


@kernel
def arc_capacity(plan: ArcPlan) -> int:
    """Return an upper bound on the number of slots that `arc_slots` and `word_slots` write."""
    pairs = plan_templates(plan.pair) + len(plan.counted_kind) + 32 * plan_templates(plan.tagged)
    return max(pairs, plan_templates(plan.head), plan_templates(plan.modifier))


@kernel
def tags_between(left: int, right: int, tags: npt.NDArray[np.int32]) -> int:
    """Return the tag classes strictly between two words, as bits."""
    found = 0
    for place in range(left + 1, right):
        found |= 1 << tags[place]
    return found
