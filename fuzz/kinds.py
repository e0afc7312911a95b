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
        Folders and files of the package, in which new lines of code are detected.
    """

    lines: tuple[str, ...]

    def fresh(self, random: Random) -> bytes:
        """Return a new input."""
        ...

    def changed(self, random: Random, data: bytes, other: bytes) -> bytes:
        """Return a mutation of `data`, perhaps with a piece of `other`."""
        ...

    def smaller(self, data: bytes) -> list[bytes]:
        """Return inputs that are like `data`, but smaller; the smallest first."""
        ...

    def check(self, data: bytes) -> str:
        """Run Headway on an input and return the behaviour, in a word or two; raise an exception if it is wrong."""
        ...


KINDS = {"readers": Readers, "text": Text, "constraints": Constraints, "models": Models}
