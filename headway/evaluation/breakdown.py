"""Break errors down by category: gold arcs are counted for recall, the system's arcs for precision.

As in McDonald and Nivre (2007), an arc of a given length counts for recall under its
gold length, and for precision under its length in the system's tree.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Generic, TypeVar

from headway.evaluation.metrics import percentage

Category = TypeVar("Category", bound=Hashable)

ARC_LENGTH_BINS = (1, 2, 5, 10, 20)
SENTENCE_LENGTH_BINS = (5, 10, 20, 30, 40, 50)


@dataclass(frozen=True, slots=True)
class Row:
    """The arcs of one category.

    Parameters
    ----------
    gold, gold_heads, gold_labelled : int
        The gold arcs of this category; those with the right head; and those with the right head and relation.
    system, system_heads, system_labelled : int
        The same numbers for arcs that are in this category in the system's trees.
    """

    gold: int = 0
    gold_heads: int = 0
    gold_labelled: int = 0
    system: int = 0
    system_heads: int = 0
    system_labelled: int = 0

    def __add__(self, other: "Row") -> "Row":
        return Row(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))

    @property
    def precision(self) -> float:
        """System arcs with the right head and relation, in per cent."""
        return percentage(self.system_labelled, self.system)

    @property
    def recall(self) -> float:
        """Gold arcs with the right head and relation, in per cent."""
        return percentage(self.gold_labelled, self.gold)

    @property
    def f1(self) -> float:
        """The harmonic mean of `precision` and `recall`."""
        return _harmonic_mean(self.precision, self.recall)

    @property
    def unlabelled_precision(self) -> float:
        """System arcs with the right head, in per cent."""
        return percentage(self.system_heads, self.system)

    @property
    def unlabelled_recall(self) -> float:
        """Gold arcs with the right head, in per cent."""
        return percentage(self.gold_heads, self.gold)

    @property
    def unlabelled_f1(self) -> float:
        """The harmonic mean of `unlabelled_precision` and `unlabelled_recall`."""
        return _harmonic_mean(self.unlabelled_precision, self.unlabelled_recall)


class Tally(Generic[Category]):
    """Counts arcs by category; memory grows with the number of categories, not with the number of arcs."""

    def __init__(self) -> None:
        self._gold: Counter[tuple[Category, bool, bool]] = Counter()
        self._system: Counter[tuple[Category, bool, bool]] = Counter()

    def add(
        self,
        gold: Iterable[Category],
        system: Iterable[Category],
        heads: Sequence[bool],
        labelled: Sequence[bool],
    ) -> None:
        """Count the words of a sentence: their categories on both sides, and which heads and relations are right."""
        self._gold.update(zip(gold, heads, labelled, strict=True))
        self._system.update(zip(system, heads, labelled, strict=True))

    def rows(self) -> dict[Category, Row]:
        """Return the rows of all categories found in gold or system trees, the most frequent in gold first."""
        rows: dict[Category, Row] = {}
        for (category, head, labelled), count in self._gold.items():
            rows[category] = rows.get(category, Row()) + Row(count, count * head, count * labelled)
        for (category, head, labelled), count in self._system.items():
            rows[category] = rows.get(category, Row()) + Row(0, 0, 0, count, count * head, count * labelled)
        return dict(sorted(rows.items(), key=lambda item: (-item[1].gold, -item[1].system, str(item[0]))))


def bin_names(bounds: Sequence[int]) -> list[str]:
    """Return the names of the bins that end at `bounds`, and of the bin after the last.

    Examples
    --------
    >>> bin_names((1, 2, 5))
    ['1', '2', '3-5', '>5']
    """
    starts = [1, *(bound + 1 for bound in bounds)]
    ranges = zip(starts, bounds, strict=False)  # the last start has no bound
    names = [str(last) if first == last else f"{first}-{last}" for first, last in ranges]
    return [*names, f">{bounds[-1]}"]


def bin_of(length: int, bounds: Sequence[int]) -> int:
    """Return the index of the bin of `length`: the first bin whose bound is not smaller."""
    return bisect_left(bounds, length)


def merge_lengths(rows: Mapping[int, Row], bounds: Sequence[int]) -> dict[str, Row]:
    """Merge rows by exact length into rows by bin and drop empty bins; length 0 is "root", -1 is "missing"."""
    names = bin_names(bounds)
    merged = dict.fromkeys(["root", *names, "missing"], Row())
    for length, row in rows.items():
        name = names[bin_of(length, bounds)] if length > 0 else ("root" if length == 0 else "missing")
        merged[name] += row
    return {name: row for name, row in merged.items() if row.gold or row.system}


def _harmonic_mean(first: float, second: float) -> float:
    return 2 * first * second / (first + second) if first + second else 0.0
