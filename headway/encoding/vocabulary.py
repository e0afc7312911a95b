"""Strings to small integers, with a cut-off for the rare ones."""

from collections import Counter
from collections.abc import Iterable
from functools import cached_property

START, END, MIDDLE, ROOT, UNKNOWN = range(5)
"""Ids that every vocabulary keeps free: beside the sentence, between two ends of an arc, the root, not seen."""

FIRST_FREE = 5


class Vocabulary:
    """A frozen map from strings to ids; what it does not hold is `UNKNOWN`.

    Parameters
    ----------
    strings : iterable of str
        In the order of their ids, the first getting `FIRST_FREE`.
    """

    def __init__(self, strings: Iterable[str]) -> None:
        self.strings = list(strings)

    @cached_property
    def ids(self) -> dict[str, int]:
        """The id of every string; made when first asked for: a text may need none of it."""
        return dict(zip(self.strings, range(FIRST_FREE, FIRST_FREE + len(self.strings)), strict=True))

    @classmethod
    def count(cls, counts: Counter[str], *, cutoff: int = 1) -> "Vocabulary":
        """The strings seen at least `cutoff` times, the frequent ones first, ties by the alphabet."""
        kept = [string for string, count in counts.items() if count >= cutoff]
        return cls(sorted(kept, key=lambda string: (-counts[string], string)))

    def __len__(self) -> int:
        return len(self.strings)

    def __getitem__(self, string: str) -> int:
        return self.ids.get(string, UNKNOWN)
