"""Text that is safe to show on a terminal."""

from unicodedata import category

_JOINERS = "\u200c\u200d"
"""Invisible characters that are part of the spelling of Persian and Hindi words, and of emoji."""


def printable(text: str) -> str:
    r"""Return `text` in one line that is safe on any terminal: control characters become escapes like ``\x1b``.

    >>> printable("a\tb\x1b[2J")
    'a\\tb\\x1b[2J'
    """
    if text.isprintable():
        return text
    return "".join(letter if _is_harmless(letter) else repr(letter)[1:-1] for letter in text)


def _is_harmless(letter: str) -> bool:
    return letter.isprintable() or letter in _JOINERS or category(letter) == "Zs"
