"""Checks of arguments from Python: a wrong type is a TypeError that says what is expected."""

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from numbers import Integral
from pathlib import Path
from typing import Any


def check_iterable(items: object, expected: str) -> None:
    """Raise TypeError for a string, and for anything else that cannot be iterated over.

    Parameters
    ----------
    expected : str
        What the caller wants, such as ``an iterable of texts``.
    """
    if isinstance(items, str | bytes) or not (hasattr(items, "__iter__") or hasattr(items, "__getitem__")):
        raise TypeError(f"expected {expected}, got {type(items).__name__}")


def check_words(words: object) -> None:
    """Raise TypeError unless this is a list, tuple or array of strings; a string would be taken for its letters."""
    if isinstance(words, str | bytes | Set | Mapping) or not isinstance(words, Collection):
        raise TypeError(f"expected a list of words, got {type(words).__name__}")
    for kind in set(map(type, words)):  # most lists have one type: faster than a look at each word
        if not issubclass(kind, str):
            raise TypeError(f"expected a word (str), got {kind.__name__}")


def checked_pair(pair: Any) -> tuple[Any, Any]:
    """Return a text and the value beside it; TypeError unless there are two."""
    if isinstance(pair, str | bytes) or not isinstance(pair, Sequence):
        raise TypeError(f"expected pairs (text, value) with as_tuples=True, got {type(pair).__name__}")
    if len(pair) != 2:
        raise TypeError(f"expected pairs (text, value) with as_tuples=True, got {len(pair)} values, not 2")
    return pair[0], pair[1]


def check_kind(name: str, value: object, kinds: type | tuple[type, ...], expected: str) -> None:
    """Raise TypeError unless an argument is of one of these types.

    Parameters
    ----------
    expected : str
        What it should be, such as ``a mapping of words to heads``.
    """
    if not isinstance(value, kinds):
        raise TypeError(f"expected {name} to be {expected}, got {type(value).__name__}")


def check_flag(name: str, value: object) -> None:
    """Raise TypeError unless an option is True or False; those of NumPy are allowed."""
    if type(value).__name__ != "bool":  # NumPy's has the same name, and is not imported here
        raise TypeError(f"expected {name} to be True or False (bool), got {type(value).__name__}")


def checked_arcs(name: str, arcs: object) -> list[tuple[int, int]]:
    """Return pairs (head, modifier) as a list; TypeError for anything else, such as a mapping."""
    expected = f"expected {name} to be pairs (head, modifier), got"
    if isinstance(arcs, str | bytes | Mapping) or not isinstance(arcs, Iterable):
        raise TypeError(f"{expected} {type(arcs).__name__}")
    pairs = list(arcs)
    for pair in pairs:
        if isinstance(pair, str | bytes | Set | Mapping) or not isinstance(pair, Collection) or len(pair) != 2:
            raise TypeError(f"{expected} {pair!r} among them")
    return [(head, modifier) for head, modifier in pairs]


def check_whole(name: str, value: object) -> None:
    """Raise TypeError unless an option is a whole number; those of NumPy are allowed, True and False are not."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"expected {name} to be a number (int), got {type(value).__name__}")


def check_path(path: object, expected: str) -> None:
    """Raise TypeError unless this is a string or a `Path`.

    Parameters
    ----------
    expected : str
        What the caller wants, such as ``the path of a file``.
    """
    if not isinstance(path, str | Path):
        raise TypeError(f"expected {expected} (str or Path), got {type(path).__name__}")
