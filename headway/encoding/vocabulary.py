"""Vocabularies, which map strings to small integers, without rare strings."""

from collections import Counter
from collections.abc import Iterable
from functools import cached_property

START, END, MIDDLE, ROOT, UNKNOWN = range(5)
"""Reserved ids of every vocabulary: outside the sentence, between the ends of an arc, the root, unknown."""

FIRST_FREE = 5


class Vocabulary:
    """An immutable map from strings to ids; other strings are `UNKNOWN`.

    Parameters
    ----------
    strings : iterable of str
        The strings in the order of their ids; the first gets `FIRST_FREE`.
    """

    def __init__(self, strings: Iterable[str]) -> None:
        self.strings = list(strings)

    @cached_property
    def ids(self) -> dict[str, int]:
        """The id of every string; computed on first use, since short texts may not need it."""
        return dict(zip(self.strings, range(FIRST_FREE, FIRST_FREE + len(self.strings)), strict=True))

    @classmethod
    def count(cls, counts: Counter[str], *, cutoff: int = 1) -> "Vocabulary":
        """Return a vocabulary of strings that occur at least `cutoff` times, most frequent first, ties alphabetical."""
        kept = [string for string, count in counts.items() if count >= cutoff]
        return cls(sorted(kept, key=lambda string: (-counts[string], string)))

    def __len__(self) -> int:
        return len(self.strings)

    def __getitem__(self, string: str) -> int:
        return self.ids.get(string, UNKNOWN)
