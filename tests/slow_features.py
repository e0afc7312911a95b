"""The features of arcs and labels straight from their definition, in Python integers and one template at a time."""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

START, END, MIDDLE = 0, 1, 2
_MULTIPLIER = 0x9E3779B97F4A7C15
_64 = (1 << 64) - 1

Template = tuple[tuple[str, int, str], ...]
"""(role, offset, atom) in ascending order."""

COUNTED = {"verbs": ("VERB", "AUX"), "punctuation": ("PUNCT",), "coordinators": ("CCONJ", "CONJ")}
KINDS = ("tags", "verbs", "punctuation", "coordinators")


def read_line(line: str) -> Template:
    """One template without wild cards."""
    terms = []
    for word in line.split():
        where, atom = word.split(".")
        role = where.rstrip("+-0123456789")
        terms.append((role, int(where[len(role) :] or 0), atom))
    return tuple(sorted(terms))


def spell(template: Template) -> str:
    return " ".join(f"{role}{offset:+d}.{atom}" if offset else f"{role}.{atom}" for role, offset, atom in template)


def word_hash(
    template: Template, role: str, word: int, atoms: np.ndarray, names: Sequence[str], hidden: int = 0
) -> int:
    """The 32-bit hash of a word in a role; zero where the template does not look at the role."""
    terms = [(offset, atom) for other, offset, atom in template if other == role]
    if not terms:
        return 0
    return hash_values(template, role, [_value(word, *term, atoms, names, hidden) for term in terms])


def hash_values(template: Template, role: str, values: Sequence[int]) -> int:
    """The hash of the values that a template finds in a role."""
    state = int.from_bytes(blake2b(f"{role}|{spell(template)}".encode(), digest_size=8).digest(), "little") | 1
    for value in values:
        state = ((state ^ value) * _MULTIPLIER) & _64
        state ^= state >> 29
    return ((state * _MULTIPLIER) & _64) >> 32


def _value(word: int, offset: int, atom: str, atoms: np.ndarray, names: Sequence[str], hidden: int) -> int:
    if offset and offset == hidden:
        return MIDDLE
    if word + offset < 0:
        return START
    if word == len(atoms) or word + offset >= len(atoms):
        return END
    return int(atoms[word + offset, list(names).index(atom)])


def arc_slots(
    templates: Sequence[Template],
    head: int,
    modifier: int,
    atoms: np.ndarray,
    names: Sequence[str],
    upos: Sequence[str],
    tags: Sequence[int],
    salts: np.ndarray,
    slots: int,
) -> list[int]:
    """The slots of the templates about both ends of an arc; ``upos`` and ``tags`` have an entry for the root."""
    hidden_h = 1 if modifier == head + 1 else -1 if modifier == head - 1 else 0
    between = range(min(head, modifier) + 1, max(head, modifier))
    found = []
    for template in templates:
        base = word_hash(template, "h", head, atoms, names, hidden_h)
        base += word_hash(template, "m", modifier, atoms, names, -hidden_h)
        atom = next((atom for role, _, atom in template if role == "between"), None)
        if atom is None:
            extras = [0]
        elif atom == "tags":
            extras = [int(salts[0, tag]) for tag in {tags[word] for word in between}]
        else:
            count = sum(upos[word] in COUNTED[atom] for word in between)
            extras = [int(salts[KINDS.index(atom), min(count, 3)])]
        found.extend((base + extra) % slots for extra in extras)
    return found


def weight_places(head: int, modifier: int) -> tuple[int, int, int]:
    """Where in a row the weights of an arc are: bare, direction, direction and length."""
    distance = abs(head - modifier)
    lengths = [range(1, 2), range(2, 3), range(3, 4), range(4, 6), range(6, 11), range(11, 1 << 30)]
    [length] = [place for place, some in enumerate(lengths) if distance in some]
    return (0, 1, 3 + length) if head > modifier else (0, 2, 9 + length)


def tree_roles(heads: Sequence[int], modifier: int) -> dict[str, int]:
    """The word in each role of a modifier's label; ``heads`` has an entry for the root, n + 1 is nobody."""
    nobody = len(heads)

    def children(word: int) -> list[int]:
        return [child for child in range(1, len(heads)) if heads[child] == word]

    head = heads[modifier]
    siblings = children(head)
    place = siblings.index(modifier)
    return {
        "m": modifier,
        "h": head,
        "g": heads[head] if head > 0 else nobody,
        "l": siblings[place - 1] if place > 0 else nobody,
        "r": siblings[place + 1] if place + 1 < len(siblings) else nobody,
        "f": min(children(modifier), default=nobody),
        "e": max(children(modifier), default=nobody),
    }


def label_slots(
    templates: Sequence[Template],
    words: dict[str, int],
    atoms: np.ndarray,
    names: Sequence[str],
    salts: np.ndarray,
    slots: int,
) -> list[int]:
    """The slots of one arc's label features, bare and with direction and adjacency."""
    distance = words["m"] - words["h"]
    salt = int(salts[2 * (distance > 0) + (abs(distance) == 1)])
    sums = [sum(word_hash(t, role, word, atoms, names) for role, word in words.items()) for t in templates]
    return [total % slots for total in sums] + [(total + salt) % slots for total in sums]
