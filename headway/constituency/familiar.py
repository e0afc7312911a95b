r"""Words as a treebank writes them: ``-LRB-`` for a bracket, ```` `` ```` and ``''`` for quotation marks, ``1\/2``.

Raw text has brackets, quotation marks and slashes as they are; the Penn Treebank writes them in other ways, other
treebanks do not. A word that a lexicon does not have is looked up as the lexicon may write it.
"""

from collections.abc import Container, Sequence

_NAMES = {
    "(": ("-LRB-",), ")": ("-RRB-",), "[": ("-LSB-", "-LRB-"), "]": ("-RSB-", "-RRB-"), "{": ("-LCB-", "-LRB-"),
    "}": ("-RCB-", "-RRB-"), "-LRB-": ("(",), "-RRB-": (")",), "-LSB-": ("[",), "-RSB-": ("]",), "-LCB-": ("{",),
    "-RCB-": ("}",), "“": ("``", '"'), "”": ("''", '"'), "„": ("``", '"'), "‘": ("`", "'"), "’": ("'",),
    "``": ("“", '"'), "''": ("”", '"'), "…": ("...",), "–": ("--", "-"), "—": ("--", "-"), "--": ("—", "–"),
}  # fmt: skip
_MARKS = (("``", "“"), ("''", "”"))
"""What a straight quotation mark stands for: the first, third, … of a sentence, and the others."""


def familiar_words(forms: Sequence[str], known: Container[str]) -> list[str]:
    r"""Return words as they are if they are known, else in the first known of other spellings.

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
