"""Turn the characters of a text into code points and character classes, for classifiers over a character window."""

import unicodedata

import numpy as np
import numpy.typing as npt

SPACE, NEWLINE = 0, 1
_UPPER, _LOWER, _LETTER, _MARK, _DIGIT = 2, 3, 4, 5, 6
STOP, _COMMA, _OPEN, _CLOSE, _QUOTE, _DASH, _SYMBOL, _OTHER = 7, 8, 9, 10, 11, 12, 13, 14
FIRST_LETTER, LAST_LETTER = _UPPER, _MARK
"""The first and the last class of letters; combining marks count as letters."""

_KINDS = {
    "Lu": _UPPER, "Lt": _UPPER, "Ll": _LOWER, "Lo": _LETTER, "Lm": _LETTER, "Mn": _MARK, "Mc": _MARK, "Me": _MARK,
    "Nd": _DIGIT, "Nl": _DIGIT, "No": _DIGIT, "Ps": _OPEN, "Pe": _CLOSE, "Pi": _QUOTE, "Pf": _QUOTE, "Pd": _DASH,
    "Pc": _DASH, "Po": _COMMA, "Sm": _SYMBOL, "Sc": _SYMBOL, "Sk": _SYMBOL, "So": _SYMBOL,
}  # fmt: skip
_STOPS = ".!?…。！？؟।۔;·"
_QUOTES = "'\"`´"

Codes = npt.NDArray[np.int32]


def read_characters(text: str) -> tuple[Codes, Codes, Codes]:
    """(characters,) Return the code points of a text, those of the text in lower case, and the character classes."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.int32)
    letters = sorted(set(text))
    places = np.searchsorted(np.array([ord(letter) for letter in letters], dtype=np.int32), codes)
    lower = np.array([ord(letter.lower()[0]) for letter in letters], dtype=np.int32)
    kinds = np.array([_kind(letter) for letter in letters], dtype=np.int32)
    if not len(codes):
        return codes, codes, codes
    return codes, lower[places], kinds[places]


def _kind(letter: str) -> int:
    if letter in "\n\r\x0b\x0c\x85\u2028\u2029":
        return NEWLINE
    category = unicodedata.category(letter)
    if letter.isspace() or category == "Cc":
        return SPACE
    if letter in _STOPS:
        return STOP
    if letter in _QUOTES:
        return _QUOTE
    return _KINDS.get(category, _OTHER)
