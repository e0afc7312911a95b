"""The hashing kernel: compute slots of a weight table from atoms and templates.

A template's atoms are grouped by the role of their word in the part, such as head and modifier. Once per sentence, each
word gets a 32-bit hash of the atoms of each role in each template. The slot of a feature of a part is the sum of the
hashes of its words in their roles, modulo the table's size; for an arc (h, m) and a template t

    slot(t; h, m) = (H[h, t] + M[m, t]) mod size

So hashing a part costs one vector addition per role.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from headway.encoding import END, MIDDLE, START
from headway.features.templates import Template
from headway.kernel import kernel

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
_HALF = np.uint64(32)


HashPlan: TypeAlias = npt.NDArray[np.int64]
"""The templates of a kernel, in one array: every array argument of a kernel takes time to compile and to pass.

=================== ==================== ============================================================================
roles, templates    2 numbers            the numbers of roles and of templates
hidden              1 number per role    the neighbour (-1 or +1; 0 for none) that reads as "between" in this role,
                                         because it is the other end of the arc
first, last, seed,  4 numbers for each   the start and the end of the template's terms in this array; the hash that
same                role and template    they are folded into; the role whose hash is the same, because the template
                                         does not use the hidden neighbour, -1 for none
terms               2 numbers each       offset and atom
=================== ==================== ============================================================================
"""

_HEADER = 2
_GROUP = 4


class PlanList(NamedTuple):
    """Several concatenated plans: plan i is ``codes[starts[i] : starts[i + 1]]``."""

    codes: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]


def make_plan(
    templates: Sequence[Template],
    *,
    roles: Sequence[str],
    atoms: Sequence[str],
    hidden: Sequence[int] | None = None,
) -> HashPlan:
    """Compile templates to a plan.

    Parameters
    ----------
    roles : sequence of str
        The names of the roles; a name can occur several times, with different hidden neighbours, the first time
        without one.
    hidden : sequence of int, optional
        See `HashPlan`; nothing is hidden by default.
    """
    number = {name: index for index, name in enumerate(atoms)}
    hidden = hidden if hidden is not None else [0] * len(roles)
    groups: list[int] = []
    terms: list[int] = []
    place = _HEADER + len(roles) + _GROUP * len(roles) * len(templates)  # the position of the next term
    for role, neighbour in zip(roles, hidden, strict=True):
        for template in templates:
            chosen = [(term.offset, number[term.atom]) for term in template.terms if term.role == role]
            seed = _seed(f"{role}|{template}") if chosen else 0
            shown = neighbour == 0 or neighbour in {offset for offset, _ in chosen}
            groups += place, place + 2 * len(chosen), seed, -1 if shown else roles.index(role)
            terms += [value for term in chosen for value in term]
            place += 2 * len(chosen)
    code = [len(roles), len(templates), *hidden, *groups, *terms]
    return np.array(code, dtype=np.int64)


def list_plans(plans: Sequence[HashPlan]) -> PlanList:
    """Concatenate several plans."""
    starts = np.cumsum([0, *map(len, plans)], dtype=np.int64)
    return PlanList(np.concatenate(plans), starts)


def _seed(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little", signed=True) | 1


@kernel
def fold(state: np.uint64, value: int | np.int64 | np.uint64) -> np.uint64:
    """Fold another value into a 64-bit hash."""
    state = (state ^ np.uint64(value)) * _MULTIPLIER
    return state ^ (state >> _SHIFT)


@kernel
def plan_roles(plan: HashPlan) -> int:
    """Return the number of roles of a plan."""
    return int(plan[0])


@kernel
def plan_templates(plan: HashPlan) -> int:
    """Return the number of templates of a plan."""
    return int(plan[1])


@kernel
def plan_in(plans: PlanList, number: int) -> HashPlan:
    """Return one plan of a list, by its index."""
    return plans.codes[plans.starts[number] : plans.starts[number + 1]]


@kernel
def role_hashes(atoms: npt.NDArray[np.int32], plan: HashPlan) -> npt.NDArray[np.uint32]:
    """(roles, n + 2, templates) uint32: Return the hash of each word in each role; row n + 1 stands for "no such word".

    Parameters
    ----------
    atoms : (n + 1, atoms) int32
        One sentence; row 0 is the root.
    """
    size = atoms.shape[0]
    roles, templates = plan[0], plan[1]
    hashes = np.zeros((roles, size + 1, templates), dtype=np.uint32)
    for role in range(roles):
        hidden = plan[_HEADER + role]
        for template in range(templates):  # words are in the inner loop, because their hashes are independent
            group = _HEADER + roles + _GROUP * (role * templates + template)
            first, last, seed, same = plan[group], plan[group + 1], np.uint64(plan[group + 2]), plan[group + 3]
            if first == last:
                continue
            if same >= 0:
                for word in range(size + 1):
                    hashes[role, word, template] = hashes[same, word, template]
                continue
            for word in range(size + 1):
                state = seed
                for term in range(first, last, 2):
                    offset = plan[term]
                    place = word + offset
                    if offset != 0 and offset == hidden:
                        value = MIDDLE
                    elif place < 0:
                        value = START
                    elif place >= size or word == size:
                        value = END
                    else:
                        value = atoms[place, plan[term + 1]]
                    state = fold(state, value)
                hashes[role, word, template] = np.uint32((state * _MULTIPLIER) >> _HALF)
    return hashes
