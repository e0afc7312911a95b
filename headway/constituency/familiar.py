r"""Convert words to a treebank's spelling: ``-LRB-`` for a bracket, ```` `` ```` and ``''`` for quotes, ``1\/2``.

The Penn Treebank spells brackets, quotation marks and slashes differently from raw text; other treebanks do not. A word
that is not in a lexicon is looked up in these other spellings.
"""

from collections.abc import Container, Sequence

_NAMES = {
    "(": ("-LRB-",), ")": ("-RRB-",), "[": ("-LSB-", "-LRB-"), "]": ("-RSB-", "-RRB-"), "{": ("-LCB-", "-LRB-"),
    "}": ("-RCB-", "-RRB-"), "-LRB-": ("(",), "-RRB-": (")",), "-LSB-": ("[",), "-RSB-": ("]",), "-LCB-": ("{",),
    "-RCB-": ("}",), "“": ("``", '"'), "”": ("''", '"'), "„": ("``", '"'), "‘": ("`", "'"), "’": ("'",),
    "``": ("“", '"'), "''": ("”", '"'), "…": ("...",), "–": ("--", "-"), "—": ("--", "-"), "--": ("—", "–"),
}  # fmt: skip
_MARKS = (("``", "“"), ("''", "”"))
"""The meanings of straight quotation marks: opening (the first, third, … of a sentence) and closing."""


def familiar_words(forms: Sequence[str], known: Container[str]) -> list[str]:
    r"""Replace unknown words by their first known alternative spelling, if there is one.

    >>> familiar_words(["(", '"', "1/2", '"', ")"], {"-LRB-", "``", "''", r"1\/2"})
    ['-LRB-', '``', '1\\/2', "''", ')']
    """
    found, marks = [], 0
    for form in forms:
        if form == '"':
            others: tuple[str, ...] = _MARKS[marks % 2]
            marks += 1
        else:
            others = (*_NAMES.get(form, ()), form.replace("’", "'"), _escaped(form), form.replace("\\", ""))
        found.append(form if form in known else next((other for other in others if other in known), form))
    return found


def _escaped(form: str) -> str:
    return form.replace("/", "\\/").replace("*", "\\*")
