"""The one hashing kernel: from atoms and templates to slots of a weight table.

A template's atoms are grouped by the role of their word. Each word gets, once per sentence and for every role and
template, a 32-bit hash of its group; the slot of a feature of a part is the sum of its words' hashes, cut to the
table's size. So hashing a part costs one vector addition a role, and what depends on one word is done once a word:

    slot(t; h, m) = (H[h, t] + M[m, t]) mod size
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.encoding import END, MIDDLE, START
from headway.features.templates import Template
from headway.kernel import kernel

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
_HALF = np.uint64(32)


class HashPlan(NamedTuple):
    """Templates as arrays, for the kernel.

    Parameters
    ----------
    starts : (roles * templates + 1,) int32
        Where the terms of (role, template) begin in `terms`.
    terms : (terms, 2) int32
        Offset and atom.
    seeds : (roles * templates,) uint64
        Zero where a template has no term for a role.
    hidden : (roles,) int32
        The neighbour (-1 or +1; 0 for none) that a role shows as "between", because the arc's other end is there.
    same : (roles * templates,) int32
        The role whose hash is the same, because what is hidden does not matter to the template; -1 for none.
    """

    starts: npt.NDArray[np.int32]
    terms: npt.NDArray[np.int32]
    seeds: npt.NDArray[np.uint64]
    hidden: npt.NDArray[np.int32]
    same: npt.NDArray[np.int32]


def make_plan(
    templates: Sequence[Template],
    *,
    roles: Sequence[str],
    atoms: Sequence[str],
    hidden: Sequence[int] | None = None,
) -> HashPlan:
    """The arrays of some templates.

    Parameters
    ----------
    roles : sequence of str
        One name a role; a name may stand twice, with another neighbour hidden.
    hidden : sequence of int, optional
        See `HashPlan`; nothing is hidden by default.
    """
    number = {name: index for index, name in enumerate(atoms)}
    hidden = hidden if hidden is not None else [0] * len(roles)
    starts, terms, seeds, same = [0], [], [], []
    for role, neighbour in zip(roles, hidden, strict=True):
        for template in templates:
            own = [(term.offset, number[term.atom]) for term in template.terms if term.role == role]
            terms.extend(own)
            starts.append(len(terms))
            seeds.append(_seed(f"{role}|{template}") if own else 0)
            shown = neighbour == 0 or neighbour in {offset for offset, _ in own}
            same.append(-1 if shown else roles.index(role))
    return HashPlan(
        np.array(starts, dtype=np.int32),
        np.array(terms, dtype=np.int32).reshape(-1, 2),
        np.array(seeds, dtype=np.uint64),
        np.array(hidden, dtype=np.int32),
        np.array(same, dtype=np.int32),
    )


def _seed(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little") | 1


@kernel
def fold(state: np.uint64, value: int | np.int64 | np.uint64) -> np.uint64:
    """One more value into a 64-bit hash."""
    state = (state ^ np.uint64(value)) * _MULTIPLIER
    return state ^ (state >> _SHIFT)


@kernel
def role_hashes(atoms: npt.NDArray[np.int32], plan: HashPlan) -> npt.NDArray[np.uint32]:
    """(roles, n + 2, templates) uint32: the hash of each word in each role; row n + 1 is "no such word".

    Parameters
    ----------
    atoms : (n + 1, atoms) int32
        One sentence; row 0 is the root.
    """
    size = atoms.shape[0]
    roles = plan.hidden.shape[0]
    templates = plan.seeds.shape[0] // roles
    hashes = np.zeros((roles, size + 1, templates), dtype=np.uint32)
    for role in range(roles):
        for word in range(size + 1):
            for template in range(templates):
                group = role * templates + template
                first, last = plan.starts[group], plan.starts[group + 1]
                if first == last:
                    continue
                if plan.same[group] >= 0:
                    hashes[role, word, template] = hashes[plan.same[group], word, template]
                    continue
                state = plan.seeds[group]
                for term in range(first, last):
                    offset = plan.terms[term, 0]
                    place = word + offset
                    if offset != 0 and offset == plan.hidden[role]:
                        value = MIDDLE
                    elif place < 0:
                        value = START
                    elif place >= size or word == size:
                        value = END
                    else:
                        value = atoms[place, plan.terms[term, 1]]
                    state = fold(state, value)
                hashes[role, word, template] = np.uint32((state * _MULTIPLIER) >> _HALF)
    return hashes
