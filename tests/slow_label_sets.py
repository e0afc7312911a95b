"""The label features about every sibling and every child, straight from their definition."""

from collections.abc import Sequence

import numpy as np
from slow_features import Template, tree_roles, word_hash

MOST = 8


def members(heads: Sequence[int], modifier: int, role: str) -> list[int]:
    """The words that a set role stands for; ``heads`` has an entry for the root."""

    def children(word: int) -> list[int]:
        return [child for child in range(1, len(heads)) if heads[child] == word]

    if role == "c":
        return children(modifier)[:MOST]
    siblings = children(heads[modifier])
    left = [word for word in siblings if word < modifier][-MOST:]
    right = [word for word in siblings if word > modifier][:MOST]
    return left + right


def set_slots(
    template: Template,
    heads: Sequence[int],
    modifier: int,
    atoms: np.ndarray,
    names: Sequence[str],
    salts: np.ndarray,
    slots: int,
) -> list[int]:
    """The slots of a template with a set role, in ascending order."""
    [set_role] = {role for role, _, _ in template} & {"s", "c"}
    words = tree_roles(heads, modifier)
    base = sum(word_hash(template, role, word, atoms, names) for role, word in words.items())
    distance = modifier - heads[modifier]
    salt = int(salts[2 * (distance > 0) + (abs(distance) == 1)])
    totals = [base + word_hash(template, set_role, word, atoms, names) for word in members(heads, modifier, set_role)]
    return sorted((total + extra) % slots for total in totals for extra in (0, salt))
