"""Text that is safe to show on a terminal."""

from unicodedata import category

_JOINERS = "\u200c\u200d"
"""Characters without a shape that words of Persian or Hindi, and emoji, are spelled with."""


def printable(text: str) -> str:
    r"""Return `text` in one line that is safe on any terminal: what would control it becomes escapes like ``\x1b``.

    >>> printable("a\tb\x1b[2J")
    'a\\tb\\x1b[2J'
    """
    if text.isprintable():
        return text
    return "".join(letter if _is_harmless(letter) else repr(letter)[1:-1] for letter in text)


def _is_harmless(letter: str) -> bool:
    return letter.isprintable() or letter in _JOINERS or category(letter) == "Zs"
