"""Find places for cutting a sentence: after punctuation, which is recognised only by characters, not by tags."""

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

NO_BREAK, CLOSING, BREAK, STOP = 0, 1, 2, 3
"""Ranks: a word; a closing bracket or quotation mark; other punctuation, except opening brackets; sentence end."""

_STOPS = frozenset(".!?…。！？؟।॥۔።")
_CLOSING = frozenset(("Pe", "Pf"))
_QUOTES = frozenset("\"'`´")
_LONGEST = 16
"""Longer words never count as punctuation."""


def break_ranks(forms: Iterable[str]) -> npt.NDArray[np.int8]:
    """(words,) Return the rank of a cut after each word: `NO_BREAK`, `CLOSING`, `BREAK` or `STOP`.

    >>> break_ranks(["Stop", "!", ")", ",", "(", "U.S."]).tolist()
    [0, 3, 1, 2, 0, 0]
    """
    return np.fromiter((NO_BREAK if form[:1].isalnum() else _rank(form) for form in forms), dtype=np.int8)


@lru_cache(maxsize=1 << 12)  # not called for words that begin with a letter, of which there are too many
def _rank(form: str) -> int:
    if len(form) > _LONGEST:
        return NO_BREAK
    kinds = [unicodedata.category(letter) for letter in form]
    if not kinds or any(kind[0] != "P" for kind in kinds) or kinds[-1] == "Ps":
        return NO_BREAK
    if not _STOPS.isdisjoint(form):
        return STOP
    closes = all(kind in _CLOSING or letter in _QUOTES for kind, letter in zip(kinds, form, strict=True))
    return CLOSING if closes else BREAK
