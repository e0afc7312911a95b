"""Random scores of parts of all kinds over a few words, and the score of every tree under them: the decoders' oracle.

A part is scored by a dictionary from its kind and words to a number; the tables that decoders read are filled from it
by the definition of their layout, and trees are scored from the definition of their parts. Neither uses kernels.
"""

import itertools
from collections.abc import Collection, Iterator
from functools import cache

import brute_force
import numpy as np
from high_order_samples import slow_parts
from numpy.typing import NDArray

from headway.parts import Candidates, Kind, Scores
from headway.parts.kinds import KINDS

Part = tuple[str, tuple[int, ...]]


@cache
def tree_parts(n: int, outer: int = 0) -> tuple[list[Part], NDArray[np.int64], NDArray[np.int64]]:
    """All parts that trees over n words have; and pairs (tree, part), the trees as in `brute_force.trees`."""
    numbers: dict[Part, int] = {}
    rows, columns = [], []
    for row, words in enumerate(brute_force.trees(n).heads):
        heads = np.array([-1, *words], dtype=np.int32)
        for kind, _, part_words in slow_parts(heads, KINDS):
            if outer and not _is_outer(heads, kind, part_words, outer):
                continue
            rows.append(row)
            columns.append(numbers.setdefault((kind, part_words), len(numbers)))
    return list(numbers), np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64)


def _is_outer(heads: NDArray[np.int32], kind: str, words: tuple[int, ...], outer: int) -> bool:
    """Whether a part counts where only the outermost children take part in grandparents and grand-siblings."""
    if kind not in ("grandparent", "grand_sibling"):
        return True
    head, last = words[1], words[-1]
    side = words[-1] if words[-1] != len(heads) else words[-2]
    if last == len(heads):  # the end of a row belongs to its outermost child, and to no child
        return True
    row = [m for m in range(1, len(heads)) if heads[m] == head and (m > head) == (side > head)]
    furthest = sorted(row, key=lambda m: abs(m - head))
    kept = 1 if kind == "grand_sibling" else outer
    return last in furthest[-kept:]


class Case:
    """Scores of arcs and of some kinds of parts, over some candidates."""

    def __init__(
        self, generator: np.random.Generator, table: NDArray[np.float64], kinds: Collection[Kind], *, outer: int = 0
    ) -> None:
        self.n, self.kinds, self.outer = len(table) - 1, [kind for kind in KINDS if kind in kinds], outer
        self.candidates = Candidates.from_mask(table > -np.inf)
        self.arc = table
        parts, _, _ = tree_parts(self.n, outer)
        self.parts = {part: float(generator.normal()) for part in parts if part[0] in kinds}

    @property
    def scores(self) -> Scores:
        tables = {str(kind): self._table(kind) for kind in self.kinds}
        return Scores(arc=self.candidates.gather(self.arc), outer=self.outer, **tables)

    def _table(self, kind: Kind) -> NDArray[np.float64]:
        return np.array([self.parts.get((kind, words), 0.0) for words in slow_layout(self.candidates, kind)])

    def tree_scores(self) -> NDArray[np.float64]:
        """The score of every tree of `brute_force.trees`; -inf where an arc is no candidate."""
        trees = brute_force.trees(self.n).heads
        totals = self.arc[trees, np.arange(1, self.n + 1)].sum(axis=1)
        parts, rows, columns = tree_parts(self.n, self.outer)
        values = np.array([self.parts.get(part, 0.0) for part in parts])
        return totals + np.bincount(rows, values[columns], minlength=len(totals))


def slow_layout(candidates: Candidates, kind: Kind) -> Iterator[tuple[int, ...]]:
    """The words of the part at each place of a table, straight from the words of `headway.parts.part_tables`."""
    none = candidates.length + 1
    words = range(none)
    heads = [[h for h in words if candidates.index(h, m) >= 0] if m else [] for m in words]
    arcs = [(h, m) for m in words for h in heads[m]]

    def modifiers(head: int, side: int) -> list[int]:
        found = [m for h, m in arcs if h == head and (m > h) == (side == 1)]
        return sorted(found, key=lambda m: abs(m - head))

    if kind in ("sibling", "grand_sibling", "tri_sibling", "arbitrary_sibling"):
        for head, side in itertools.product(words, (0, 1)):
            row = [none, *modifiers(head, side), none]
            for outer in range(1, len(row)):
                for middle in range(outer):
                    if kind == "sibling":
                        yield head, row[middle], row[outer]
                    if kind == "grand_sibling":
                        yield from ((above, head, row[middle], row[outer]) for above in heads[head])
                    if kind == "tri_sibling" and middle > 0:
                        yield from ((head, row[inner], row[middle], row[outer]) for inner in range(middle))
                    if kind == "arbitrary_sibling" and middle > 0 and outer < len(row) - 1:
                        yield head, row[middle], row[outer]
    for head, m in arcs:
        if kind == "grandparent":
            yield from ((above, head, m) for above in heads[head])
        if kind == "great_grandparent":
            yield from ((top, above, head, m) for above in heads[head] for top in heads[above])
        if kind == "sibling_grandchild":
            below = [*modifiers(m, 0), *modifiers(m, 1)]
            yield from ((head, m, sibling, x) for sibling in modifiers(head, int(m > head)) for x in below)
    if kind == "head_bigram":
        for m in range(2, none):
            yield from ((before, head, m) for before in heads[m - 1] for head in heads[m])
