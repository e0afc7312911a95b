"""Findings: errors that an input causes, and how to distinguish them from each other."""

import re
import traceback
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
_NUMBERS = re.compile(r"\d+")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\([^)]*\)")


class FindingError(AssertionError):
    """An error without exception: a lost sentence, an invalid tree."""


def expect(condition: object, what: str) -> None:
    """Raise FindingError unless the condition holds."""
    if not condition:
        raise FindingError(what)


def shape(error: BaseException) -> str:
    """Return the message of an error without the numbers and names in it."""
    text = _QUOTED.sub("''", str(error).rpartition(": ")[2])
    return f"{type(error).__name__}: {_NUMBERS.sub('0', text)[:60]}"


def signature(error: BaseException) -> str:
    """Return the place and type of an exception: the same for all inputs with that defect."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if str(_ROOT) in frame.filename]
    place = frames[-1] if frames else None
    where = f"{Path(place.filename).relative_to(_ROOT)}:{place.lineno} {place.name}" if place else "?"
    what = str(error) if isinstance(error, FindingError) else ""
    return f"{type(error).__name__} at {where} {_NUMBERS.sub('0', what)}".strip()
