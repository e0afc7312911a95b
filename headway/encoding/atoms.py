"""The atoms: properties of words for templates, and the columns that they are computed from.

An atom has the name that templates use for it (``h.upos``, ``m.suffix3``) and is read from one column of the file.
To add an atom, add a line to one of the lists below. Atoms that depend on the surrounding words are in `clauses`.
"""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from functools import partial

from headway.encoding.strings import NONE, affix, attributes, shape, tag_pieces, word_class

COLUMNS = ("form", "lemma", "upos", "xpos", "feats")

MORPH_SLOTS = 8
"""The number of FEATS attributes that have atoms; all others are only in the atom ``feats``."""

VECTOR = "vector"
"""The atom that holds the id of a word's vector."""

TAG_CLASSES = 30
"""The number of coarse tags that sets of tags between two words can distinguish."""


@dataclass(frozen=True)
class Atom:
    """One property of a word.

    Parameters
    ----------
    name : str
        The name in templates.
    column : str
        The column that the atom is computed from, one of `COLUMNS`.
    read : callable
        Maps the string in the column to the string of the atom.
    cutoff : int
        Strings that occur less often than this in training are unknown.
    stand_in : callable or None
        Maps an unknown string to a coarser string, which has an id.
    """

    name: str
    column: str
    read: Callable[[str], str]
    cutoff: int = 2
    stand_in: Callable[[str], str] | None = None


def _end(word: str, *, length: int) -> str:
    return affix(word.lower(), length)


def _attribute(feats: str, *, name: str) -> str:
    return attributes(feats).get(name, NONE)


_FIXED = (
    Atom("form", "form", str, stand_in=word_class),
    Atom("lower", "form", str.lower, stand_in=word_class),
    Atom("prefix2", "form", partial(_end, length=-2)),
    Atom("prefix3", "form", partial(_end, length=-3)),
    Atom("suffix1", "form", partial(_end, length=1)),
    Atom("suffix2", "form", partial(_end, length=2)),
    Atom("suffix3", "form", partial(_end, length=3)),
    Atom("suffix4", "form", partial(_end, length=4)),
    Atom("shape", "form", shape),
    Atom("class", "form", word_class),
    Atom("upos", "upos", str, cutoff=1),
    Atom("xpos", "xpos", str),
    Atom("xpos_first", "xpos", lambda tag: tag_pieces(tag)[0]),
    Atom("xpos_last", "xpos", lambda tag: tag_pieces(tag)[1]),
    Atom("feats", "feats", str),
)


def _middle(word: str, *, first: int) -> str:
    """Return three letters, starting `first` from the end, for languages with several suffixes in a row."""
    lower = word.lower()
    return lower[-first : 3 - first] if len(word) >= first else "^" + lower[: 3 - first]


_AFFIXES = (
    *(Atom(f"middle{first}", "form", partial(_middle, first=first)) for first in range(4, 9)),
    *(Atom(f"prefix{length}", "form", partial(_end, length=-length)) for length in (1, 4, 5)),
    *(Atom(f"suffix{length}", "form", partial(_end, length=length)) for length in (5, 6)),
)


def _spelling(form: str, *, known: Container[str]) -> str:
    return form if form in known else form.lower()


def atoms(
    morph_attributes: Sequence[str], *, has_lemmas: bool, affixes: bool = False, vectors: Container[str] | None = None
) -> tuple[Atom, ...]:
    """Return all atoms, given the FEATS attributes that fill the slots ``morph1``, ``morph2`` …

    Parameters
    ----------
    has_lemmas : bool
        Whether the treebank has lemmas; otherwise, the lower-cased form stands for the lemma.
    affixes : bool
        Whether to add longer and shorter affixes, which taggers use.
    vectors : container of str, optional
        The words that have vectors, as they are spelled there; adds ``vector`` as the last atom.
    """
    lemma = Atom("lemma", "lemma", str, stand_in=word_class)
    if not has_lemmas:
        lemma = Atom("lemma", "form", str.lower, stand_in=word_class)
    morph = (
        Atom(f"morph{slot}", "feats", partial(_attribute, name=name), cutoff=1)
        for slot, name in enumerate(morph_attributes, start=1)
    )
    vector = () if vectors is None else (Atom(VECTOR, "form", partial(_spelling, known=vectors)),)
    return (*_FIXED, *(_AFFIXES if affixes else ()), lemma, *morph, *vector)
