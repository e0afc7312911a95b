"""Map the tags of any tag set to universal tags, and to the few word classes that global features distinguish.

A tag's universal tag is taken from a tag map (read from a file or found by `tag_finder`); otherwise it is the tag
itself, if that is one of the seventeen, or else guessed from its name. A mapping file has a line for each tag: the tag,
a tab, and its universal tag; the older names ``.``, ``CONJ`` and ``PRT`` of universal tags are understood.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from headway.encoding.atoms import TAG_CLASSES
from headway.errors import CorpusError

UNIVERSAL_TAGS = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM",
    "VERB", "X",
)  # fmt: skip

OTHER, VERB, NOUN, ADPOSITION, COORDINATOR, PUNCTUATION = range(6)
"""The classes of words."""

_CLASS_OF = {
    "VERB": VERB,
    "AUX": VERB,
    "NOUN": NOUN,
    "PROPN": NOUN,
    "PRON": NOUN,
    "ADP": ADPOSITION,
    "CCONJ": COORDINATOR,
    "PUNCT": PUNCTUATION,
}
_OLDER_NAMES = {".": "PUNCT", "CONJ": "CCONJ", "PRT": "PART"}
_KNOWN_NAMES = {
    "CC": "CCONJ",
    "KON": "CCONJ",
    "CONJUNCTION": "CCONJ",
    "IN": "ADP",
    "PREP": "ADP",
    "PREPOSITION": "ADP",
    "APPR": "ADP",
    "APPRART": "ADP",
    "$": "SYM",
    "#": "SYM",
    "-LRB-": "PUNCT",
    "-RRB-": "PUNCT",
}
_KNOWN_BEGINNINGS = {"PUNC": "PUNCT", "V": "VERB", "N": "NOUN"}


def read_tag_map(path: str | Path) -> dict[str, str]:
    """Read a mapping file as a dictionary from tags to universal tags.

    Raises
    ------
    CorpusError
        If the file cannot be read, a line does not have exactly one tab, or a tag is not universal.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"cannot read the tag map: {error}", path=str(path)) from error
    mapping = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) != 2:
            raise CorpusError(
                "expected a tag, a tab and a universal tag",
                path=str(path),
                line=number,
            )
        tag, universal = fields[0], fields[1].strip()
        universal = _OLDER_NAMES.get(universal, universal)
        if universal not in UNIVERSAL_TAGS:
            raise CorpusError(
                f"{universal!r} is not a universal tag",
                path=str(path),
                line=number,
                column=2,
            )
        mapping[tag] = universal
    return mapping


def universal_tag(tag: str, mapping: Mapping[str, str]) -> str:
    """Return the universal tag of a tag.

    >>> universal_tag("ADP", {}), universal_tag("VBD", {}), universal_tag("$,", {}), universal_tag("u", {"u": "ADP"})
    ('ADP', 'VERB', 'PUNCT', 'ADP')
    """
    if tag in mapping:
        return mapping[tag]
    if tag in UNIVERSAL_TAGS:
        return tag
    upper = tag.upper()
    older_or_known = _OLDER_NAMES.get(upper) or _KNOWN_NAMES.get(upper)
    if older_or_known is not None:
        return older_or_known
    if tag not in ("", "_") and not any(letter.isalnum() for letter in tag):
        return "PUNCT"
    return next(
        (to for beginning, to in _KNOWN_BEGINNINGS.items() if upper.startswith(beginning)),
        "X",
    )


def word_class(tag: str, mapping: Mapping[str, str]) -> int:
    """Return the word class of a tag."""
    return _CLASS_OF.get(universal_tag(tag, mapping), OTHER)


def classes_of_tags(tag_classes: Mapping[str, int], mapping: Mapping[str, str]) -> npt.NDArray[np.int64]:
    """(32,) int64: Return the word class of each number in `Encoded.tags`.

    Parameters
    ----------
    tag_classes : mapping of str to int
        From `Encoder.tag_classes`; rare tags that share a number are in the class `OTHER`.
    mapping : mapping of str to str
        From `read_tag_map`; may be empty.
    """
    classes = np.full(32, OTHER, dtype=np.int64)
    for tag, number in tag_classes.items():
        if number < TAG_CLASSES:
            classes[number] = word_class(tag, mapping)
    return classes
