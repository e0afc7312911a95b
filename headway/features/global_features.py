"""The features of structures of whole trees: plans, hashes and slots.

The slot of a feature is the sum of its words' hashes, as for parts, and of a hash for each of its ``tree`` values.

Reference: Zhang et al. 2014 ("Steps to excellence"), the global features; docs/global-features.md.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.encoding.tag_map import ADPOSITION, COORDINATOR, PUNCTUATION, classes_of_tags
from headway.errors import UsageError
from headway.features.global_templates import FAMILIES, PAIRS, STRUCTURE_ROLES, TREE_ATOMS
from headway.features.hashing import (
    HashPlan,
    PlanList,
    fold,
    list_plans,
    make_plan,
    plan_in,
    plan_roles,
    plan_templates,
    role_hashes,
)
from headway.features.templates import Template, read_templates
from headway.kernel import kernel, leaf_kernel
from headway.kernel.arrays import copy_into
from headway.parts import structures
from headway.parts.kinds import read_key
from headway.parts.structures import CLASS, FIRST_STRUCTURE, LISTED, PARTNER, STRUCTURES, TAG, TAG_BITS, Traits
from headway.parts.styles import Styles

_TREE_VALUES = 4
_SALT, _MULTIPLIER, _HALF = (np.uint64(0xD1B54A32D192ED03), np.uint64(0x9E3779B97F4A7C15), np.uint64(32))
_SIDE = TAG_BITS * structures.TAGS_A_SIDE


class GlobalPlan(NamedTuple):
    """The compiled templates of every kind of structure, and the required properties of the treebank.

    Parameters
    ----------
    plans : PlanList
        The plans in the order of `STRUCTURES`.
    tree : (templates,) int64
        The ``tree`` atoms of each template as bits, kind after kind.
    wanted : (structures,) bool
        Whether each kind has templates.
    classes : (32,) int64
        The class of words for each number of `Encoded.tags`.
    pairs : (pairs, 2) int64
        Ids of forms that open and close, such as brackets.
    form : int
        The number of the atom for the form.
    """

    plans: PlanList
    tree: npt.NDArray[np.int64]
    wanted: npt.NDArray[np.bool_]
    classes: npt.NDArray[np.int64]
    pairs: npt.NDArray[np.int64]
    form: int
    styles: Styles


class GlobalHashes(NamedTuple):
    """The hashes of one sentence, for finding and hashing its structures.

    Parameters
    ----------
    words : (hashes,) uint32
        For each kind, in the order of `STRUCTURES`, an array (roles, n + 2, templates); the arrays are concatenated.
    layout : (structures, 4) int64
        For each kind, the start of its array, its roles, its templates, and the start of its templates in `tree`.
    tree : (templates,) int64
        `GlobalPlan.tree`.
    """

    words: npt.NDArray[np.uint32]
    layout: npt.NDArray[np.int64]
    tree: npt.NDArray[np.int64]
    traits: Traits


def make_global_plan(
    families: Collection[str],
    *,
    atoms: Sequence[str],
    constant: Collection[str],
    tag_classes: Mapping[str, int],
    forms: Mapping[str, int],
    styles: Styles,
    tag_map: Mapping[str, str],
) -> GlobalPlan:
    """Compile the templates of some families of global features.

    Parameters
    ----------
    families : collection of str
        Names from `FAMILIES`.
    atoms, constant : sequence of str, collection of str
        As for `make_part_plan`.
    tag_classes : mapping of str to int
        From `Encoder.tag_classes`.
    forms : mapping of str to int
        The ids of forms, for recognising brackets and quotes.
    styles : Styles
        From `find_styles`.
    tag_map : mapping of str to str
        From `read_tag_map`; may be empty.

    Raises
    ------
    UsageError
        If a family does not exist.
    """
    for family in families:
        if family not in FAMILIES:
            raise UsageError(f"no family of global features {family!r}; choose from {', '.join(FAMILIES)}")
    plans: list[HashPlan] = []
    values: list[int] = []
    for kind in STRUCTURES:
        text = "\n".join(
            FAMILIES[family][1] for family in FAMILIES if family in families and FAMILIES[family][0] == kind
        )
        roles, tree = STRUCTURE_ROLES[kind], TREE_ATOMS.get(kind, ())
        some = read_templates(text, roles=(*roles, "tree"), atoms=(*atoms, *tree), constant=constant)
        plans.append(make_plan(some, roles=roles, atoms=atoms))
        values.extend(_tree_values(template, tree) for template in some)
    kinds = {FAMILIES[family][0] for family in families}
    pairs = [(forms[first], forms[second]) for first, second in PAIRS if first in forms and second in forms]
    return GlobalPlan(
        list_plans(plans),
        np.array(values, dtype=np.int64),
        np.array([kind in kinds for kind in STRUCTURES], dtype=np.bool_),
        classes_of_tags(tag_classes, tag_map),
        np.array(pairs, dtype=np.int64).reshape(-1, 2),
        list(atoms).index("form"),
        styles,
    )


def _tree_values(template: Template, tree: Sequence[str]) -> int:
    return sum(1 << tree.index(term.atom) for term in template.terms if term.role == "tree")


NO_GLOBALS = make_global_plan((), atoms=("form",), constant=(), tag_classes={}, forms={}, styles=Styles(), tag_map={})
"""No global features."""


@kernel
def global_hashes(atoms: npt.NDArray[np.int32], tags: npt.NDArray[np.int32], plan: GlobalPlan) -> GlobalHashes:
    """Hash one sentence: ``atoms`` (n + 1, atoms), ``tags`` (n + 1,)."""
    traits = sentence_traits(atoms, tags, plan)
    layout = _layout(plan, traits.words)
    values = np.empty(layout[-1, 0] + layout[-1, 1] * layout[-1, 2] * len(traits.words), dtype=np.uint32)
    for kind in range(len(layout)):
        if layout[kind, 2] > 0:
            hashes = role_hashes(atoms, plan_in(plan.plans, kind))
            copy_into(values[layout[kind, 0] :], hashes.reshape(-1))
    return GlobalHashes(values, layout, plan.tree, traits)


@kernel
def sentence_traits(atoms: npt.NDArray[np.int32], tags: npt.NDArray[np.int32], plan: GlobalPlan) -> Traits:
    """Return the traits of a sentence's words that structures need, and those of the treebank's style."""
    words = _word_traits(atoms[:, plan.form], tags, plan)
    return Traits(words, plan.wanted, plan.styles.coordination, plan.styles.preposition)


@kernel
def _layout(plan: GlobalPlan, words: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """(structures, 4) See `GlobalHashes`; a kind that cannot occur in the sentence has no templates."""
    layout = np.zeros((len(plan.wanted), 4), dtype=np.int64)
    total, earlier = 0, 0
    for kind in range(len(layout)):
        roles = plan_roles(plan_in(plan.plans, kind))
        templates = plan_templates(plan_in(plan.plans, kind))
        layout[kind, 0], layout[kind, 1], layout[kind, 3] = total, roles, earlier
        if _may_occur(kind + FIRST_STRUCTURE, words):
            layout[kind, 2] = templates
            total += roles * templates * len(words)
        earlier += templates
    return layout


@kernel
def _may_occur(kind: int, words: npt.NDArray[np.int64]) -> bool:
    if kind == structures.COORDINATION:
        return bool(words[0, LISTED] != 0)
    if kind == structures.PREPOSITION:
        return bool(np.any(words[:, CLASS] == ADPOSITION))
    if kind == structures.PUNCTUATION:
        return bool(np.any(words[:, PARTNER] != 0))
    return True


@kernel
def _word_traits(forms: npt.NDArray[np.int32], tags: npt.NDArray[np.int32], plan: GlobalPlan) -> npt.NDArray[np.int64]:
    """(n + 2, 4) Return the columns of `Traits` for the words."""
    size = len(tags)
    words = np.zeros((size + 1, 4), dtype=np.int64)
    coordinators = 0
    for word in range(1, size):
        words[word, TAG], words[word, CLASS] = tags[word], plan.classes[tags[word]]
        if words[word, CLASS] == COORDINATOR:
            words[coordinators, LISTED] = word
            coordinators += 1
    for word in range(1, size):
        for pair in range(len(plan.pairs)):
            if forms[word] == plan.pairs[pair, 1]:
                _find_partner(words, forms, word, plan.pairs[pair, 0])
    return words


@kernel
def _find_partner(words: npt.NDArray[np.int64], forms: npt.NDArray[np.int32], word: int, opening: int) -> None:
    """Pair a closing mark with the nearest opening mark before it, if neither has a partner."""
    if words[word, PARTNER] != 0:
        return
    for other in range(word - 1, 0, -1):
        if forms[other] == opening and words[other, PARTNER] == 0:
            words[word, PARTNER], words[other, PARTNER] = other, word
            return


@leaf_kernel
def global_slots(hashes: GlobalHashes, key: int, mask: np.uint32, slots: npt.NDArray[np.uint32]) -> int:
    """Write the slots of the features of the structure with this key; return their number.

    The structure's shape is that of its key, as `read_key` gives it.
    """
    kind, _, first, second, third, fourth = read_key(key)
    number = kind - FIRST_STRUCTURE
    layout, values = hashes.layout, hashes.words
    begin, roles, count = (int(layout[number, 0]), layout[number, 1], int(layout[number, 2]))
    row = len(hashes.traits.words) * count
    for template in range(count):
        slots[template] = values[begin + first * count + template]
    for role in range(1, roles):
        word = second if role == 1 else third if role == 2 else fourth
        place = begin + role * row + word * count
        for template in range(count):
            slots[template] += values[place + template]
    for template in range(count):
        rest, column = hashes.tree[layout[number, 3] + template], 0
        while rest != 0:
            if rest & 1:
                slots[template] += _salt(number, column, _tree_value(hashes.traits.words, key, column))
            rest >>= 1
            column += 1
        slots[template] &= mask
    return count


@leaf_kernel
def _tree_value(words: npt.NDArray[np.int64], key: int, column: int) -> int:
    """Return the ``tree`` value of a structure in a column of `TREE_ATOMS`."""
    kind, _, _, second, _, fourth = read_key(key)
    if kind == structures.SPAN:
        if fourth == len(words) - 1:
            return 2
        return 1 if words[fourth, CLASS] == PUNCTUATION else 0
    if kind == structures.RIGHT_BRANCH:
        return second
    tags = (key >> _SIDE if column % 2 == 0 else key) & ((1 << _SIDE) - 1)
    if column >= 2:
        return tags
    count = 0
    while tags != 0:
        count += 1
        tags >>= TAG_BITS
    return count


@leaf_kernel
def _salt(kind: int, column: int, value: int) -> np.uint32:
    state = fold(fold(_SALT, _TREE_VALUES * kind + column), value)
    return np.uint32((state * _MULTIPLIER) >> _HALF)


@kernel
def global_capacity(hashes: GlobalHashes) -> int:
    """Return an upper bound on the number of slots that `global_slots` writes."""
    return max(1, int(hashes.layout[:, 2].max()))
