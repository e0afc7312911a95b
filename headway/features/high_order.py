"""The features of second- and third-order parts: plans, hashes and slots for every kind of part.

The slot of a feature is the sum of its words' hashes (see `hashing`), so one kernel serves all kinds.

Reference: Zhang et al. 2014 ("Greed is good if randomized"), Section 5 and Figure 3.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.features import high_order_templates as lists
from headway.features.hashing import PlanList, list_plans, make_plan, plan_in, plan_roles, plan_templates, role_hashes
from headway.features.templates import read_templates
from headway.kernel import kernel, leaf_kernel
from headway.kernel.arrays import copy_into
from headway.parts.kinds import KINDS

PART_ROW = 8
"""Weights in a row: one without shape, and one for each of seven shapes."""

WHOLE = "whole parts:"
"""The first line of a list of templates that are not used for parts with missing words (first and last children)."""

ROLES: Mapping[str, tuple[str, ...]] = {
    "sibling": ("h", "s", "m"),
    "grandparent": ("g", "h", "m"),
    "head_bigram": ("j", "h", "m"),
    "grand_sibling": ("g", "h", "s", "m"),
    "tri_sibling": ("h", "t", "s", "m"),
    "great_grandparent": ("a", "g", "h", "m"),
    "sibling_grandchild": ("h", "m", "s", "x"),
    "arbitrary_sibling": ("h", "s", "m"),
}
"""The roles of the words of each kind of part, in the order of its key."""

TEMPLATES: Mapping[str, str] = {
    "sibling": lists.SIBLING_TEMPLATES,
    "grandparent": lists.GRANDPARENT_TEMPLATES,
    "head_bigram": lists.HEAD_BIGRAM_TEMPLATES,
    "grand_sibling": lists.GRAND_SIBLING_TEMPLATES,
    "tri_sibling": lists.TRI_SIBLING_TEMPLATES,
    "great_grandparent": lists.GREAT_GRANDPARENT_TEMPLATES,
    "sibling_grandchild": lists.SIBLING_GRANDCHILD_TEMPLATES,
    "arbitrary_sibling": lists.ARBITRARY_SIBLING_TEMPLATES,
}
"""The templates of each kind of part."""


class PartPlan(NamedTuple):
    """The compiled templates of every kind of part, in the order of `KINDS`.

    Parameters
    ----------
    plans : PlanList
    wanted : (kinds,) bool
        Whether each kind is scored.
    whole : (kinds,) bool
        Whether only parts without missing words are scored, by kind.
    """

    plans: PlanList
    wanted: npt.NDArray[np.bool_]
    whole: npt.NDArray[np.bool_]


class PartHashes(NamedTuple):
    """The hashes of one sentence for every kind of part, in only two arrays, because that makes kernels fast.

    Parameters
    ----------
    values : (hashes,) uint32
        For each kind an array (roles, n + 2, templates); the arrays are concatenated.
    layout : (kinds, 4) int64
        For each kind, the start of its array, its number of roles, its number of templates, and whether parts with
        missing words are ignored.
    """

    values: npt.NDArray[np.uint32]
    layout: npt.NDArray[np.int64]


def make_part_plan(templates: Mapping[str, str], *, atoms: Sequence[str], constant: Collection[str]) -> PartPlan:
    """Compile lists of templates.

    Parameters
    ----------
    templates : mapping of str to str
        Maps kinds in `KINDS` to lists of templates; other kinds are not scored. With a list that begins with `WHOLE`,
        only parts without missing words are scored.
    """
    plans = []
    for kind in KINDS:
        roles = ROLES[kind]
        listed = templates.get(kind, "").removeprefix(WHOLE)
        chosen = read_templates(listed, roles=roles, atoms=atoms, constant=constant)
        plans.append(make_plan(chosen, roles=roles, atoms=atoms))
    return PartPlan(
        list_plans(plans),
        wanted=np.array([kind in templates for kind in KINDS], dtype=np.bool_),
        whole=np.array([templates.get(kind, "").startswith(WHOLE) for kind in KINDS], dtype=np.bool_),
    )


NO_PARTS = make_part_plan({}, atoms=(), constant=())
"""A plan without any kind of part."""


@kernel
def part_hashes(atoms: npt.NDArray[np.int32], plan: PartPlan) -> PartHashes:
    """Hash one sentence: ``atoms`` (n + 1, atoms)."""
    kinds = len(plan.wanted)
    layout = np.zeros((kinds, 4), dtype=np.int64)
    total = 0
    for kind in range(kinds):
        roles = plan_roles(plan_in(plan.plans, kind))
        templates = plan_templates(plan_in(plan.plans, kind))
        layout[kind, 0], layout[kind, 1], layout[kind, 2] = total, roles, templates
        layout[kind, 3] = plan.whole[kind]
        total += roles * templates * (len(atoms) + 1)
    values = np.empty(total, dtype=np.uint32)
    for kind in range(kinds):
        hashes = role_hashes(atoms, plan_in(plan.plans, kind))
        copy_into(values[layout[kind, 0] :], hashes.reshape(-1))
    return PartHashes(values, layout)


@leaf_kernel
def part_slots(
    hashes: PartHashes,
    kind: int,
    first: int,
    second: int,
    third: int,
    fourth: int,
    mask: np.uint32,
    slots: npt.NDArray[np.uint32],
) -> int:
    """Write the slots of the features of a part, given its kind and its words; return their number."""
    begin, roles, count = hashes.layout[kind, 0], hashes.layout[kind, 1], int(hashes.layout[kind, 2])
    if count == 0:
        return 0
    rows = (len(hashes.values) if kind + 1 == len(hashes.layout) else hashes.layout[kind + 1, 0]) - begin
    rows //= roles * count
    if hashes.layout[kind, 3] and (second == rows - 1 or third == rows - 1 or fourth == rows - 1):
        return 0
    one = begin + first * count
    two = begin + (rows + second) * count
    three = begin + (2 * rows + third) * count
    values = hashes.values
    if roles == 3:
        for template in range(count):
            slots[template] = (values[one + template] + values[two + template] + values[three + template]) & mask
    else:
        four = begin + (3 * rows + fourth) * count
        for template in range(count):
            total = values[one + template] + values[two + template] + values[three + template]
            slots[template] = (total + values[four + template]) & mask
    return count


@kernel
def part_capacity(hashes: PartHashes) -> int:
    """Return an upper bound on the number of slots that `part_slots` writes."""
    return max(1, int(hashes.layout[:, 2].max()))
