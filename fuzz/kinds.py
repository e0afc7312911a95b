"""The kinds of input, by their names."""

from random import Random
from typing import Protocol

from fuzz.constraints import Constraints
from fuzz.models import Models
from fuzz.readers import Readers
from fuzz.text import Text


class Kind(Protocol):
    """A kind of input.

    Attributes
    ----------
    lines : tuple of str
        Folders and files of the package whose lines tell whether an input reaches something new.
    """

    lines: tuple[str, ...]

    def fresh(self, random: Random) -> bytes:
        """Return a new input."""
        ...

    def changed(self, random: Random, data: bytes, other: bytes) -> bytes:
        """Return another input that is much like `data`, perhaps with something of `other`."""
        ...

    def smaller(self, data: bytes) -> list[bytes]:
        """Return inputs that are like `data`, but smaller; the smallest first."""
        ...

    def check(self, data: bytes) -> str:
        """Run Headway on an input and return what happened, in a word or two; raise where something is wrong."""
        ...


KINDS = {"readers": Readers, "text": Text, "constraints": Constraints, "models": Models}
