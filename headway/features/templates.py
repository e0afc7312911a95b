"""The template language: feature templates as readable lines.

A template names atoms of the words of a part::

    h.upos m.upos h+1.upos      the tags of head, modifier, and the word after the head
    h.morph* m.lemma            one template for each morphological attribute
    h.morph= m.morph=           one for each attribute, the same on both sides
    h.upos m.upos between.tags  one feature for each distinct tag between the two words

``#`` starts a comment. Roles (``h``, ``m`` …) depend on the kind of part; an offset refers to a neighbour. Lines are
expanded, atoms that are empty throughout the treebank are removed, and duplicates are dropped.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from headway.errors import UsageError

_TERM = re.compile(r"([a-z]+)([+-]\d+)?\.([a-z_]+\d*)([*=]?)")

ARC_ATOMS = ("tags", "verbs", "punctuation", "coordinators")
"""The atoms of ``between``: the set of tags, or the number (at most three) of words of a class."""


@dataclass(frozen=True, order=True)
class Term:
    """One atom of one word: the word at `offset` from the part's `role`."""

    role: str
    offset: int
    atom: str

    def __str__(self) -> str:
        return f"{self.role}{self.offset:+d}.{self.atom}" if self.offset else f"{self.role}.{self.atom}"


@dataclass(frozen=True)
class Template:
    """A conjunction of terms."""

    terms: tuple[Term, ...]

    def __str__(self) -> str:
        return " ".join(map(str, self.terms))

    @property
    def roles(self) -> frozenset[str]:
        """The roles that occur in the template."""
        return frozenset(term.role for term in self.terms)

    @property
    def between(self) -> str | None:
        """The atom of ``between`` in the template, if there is one."""
        return next((term.atom for term in self.terms if term.role == "between"), None)


def read_templates(
    text: str, *, roles: Collection[str], atoms: Sequence[str], constant: Collection[str] = ()
) -> list[Template]:
    """Parse a list of templates; return them expanded and without duplicates.

    Parameters
    ----------
    text : str
        The templates, one per line.
    roles : collection of str
        The roles of the kind of part.
    atoms : sequence of str
        The atoms of words.
    constant : collection of str
        Atoms that are the same for all words of the treebank; they are removed from every template.
    """
    templates: dict[Template, None] = {}
    morph = [atom for atom in atoms if re.fullmatch(r"morph\d+", atom)]
    for line in text.splitlines():
        for template in _read_line(line.partition("#")[0], roles=roles, atoms=atoms, morph=morph):
            terms = tuple(
                sorted(term for term in template.terms if term.role == "between" or term.atom not in constant)
            )
            if any(term.role != "between" for term in terms):
                templates[Template(terms)] = None
    return list(templates)


def _read_line(line: str, *, roles: Collection[str], atoms: Sequence[str], morph: Sequence[str]) -> Iterable[Template]:
    choices: list[tuple[Term, ...]] = [()]
    same = "=" in line
    for word in line.split():
        match = _TERM.fullmatch(word)
        if match is None:
            raise UsageError(f"template {line.strip()!r}: cannot read {word!r}; write role.atom, as in h+1.upos")
        role, offset, atom, wild = match.groups()
        _check(line, role, atom, wild, roles=roles, atoms=atoms)
        names = [f"{atom}="] if wild == "=" else morph if wild == "*" else [atom]
        choices = [(*terms, Term(role, int(offset or 0), name)) for terms in choices for name in names]
    if not choices or not choices[0]:
        return []
    if same:
        return [Template(tuple(_fill(term, name) for term in choice)) for choice in choices for name in morph]
    return [Template(choice) for choice in choices]


def _fill(term: Term, name: str) -> Term:
    return Term(term.role, term.offset, name) if term.atom == "morph=" else term


def _check(line: str, role: str, atom: str, wild: str, *, roles: Collection[str], atoms: Sequence[str]) -> None:
    if role == "between":
        if atom not in ARC_ATOMS or wild:
            raise UsageError(f"template {line.strip()!r}: between has {', '.join(ARC_ATOMS)}, not {atom}{wild}")
    elif role not in roles:
        raise UsageError(f"template {line.strip()!r}: no role {role!r}; this part type has {', '.join(roles)}")
    elif wild and atom != "morph":
        raise UsageError(f"template {line.strip()!r}: only morph takes * or =")
    elif not wild and atom not in atoms:
        raise UsageError(f"template {line.strip()!r}: no atom {atom!r}")
