"""Candidate arcs: a list of possible heads for each modifier, all in one flat array.

An arc is an index into this array, which determines the order of all tables of part scores::

    modifier      1       2     3
    offsets    0  0       2     3        5        (offsets[m] : offsets[m + 1] are the arcs of m)
    heads         0   3   1     0   2
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from headway.errors import ConstraintError
from headway.parts.constraints import check_arc, check_required


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidate arcs of one sentence of n words; vertex 0 is the root.

    Parameters
    ----------
    offsets : (n + 2,) int64
        The arcs of modifier m are ``offsets[m]:offsets[m + 1]``; ``offsets[0] = offsets[1] = 0``.
    heads : (arcs,) int32
        The head of each arc, ascending within a modifier.
    """

    offsets: NDArray[np.int64]
    heads: NDArray[np.int32]

    @classmethod
    def all(cls, length: int) -> Self:
        """Return all arcs of a sentence of `length` words; each word has all other words and the root as heads."""
        return cls.from_mask(np.ones((length + 1, length + 1), dtype=np.bool_))

    @classmethod
    def from_mask(cls, mask: NDArray[np.bool_]) -> Self:
        """Return the arcs where `mask` (n + 1, n + 1), indexed [head, modifier], is true.

        The diagonal and the column of the root are ignored.
        """
        allowed = mask.T.copy()
        np.fill_diagonal(allowed, False)
        allowed[0] = False
        offsets = np.zeros(len(allowed) + 1, dtype=np.int64)
        np.cumsum(allowed.sum(axis=1), out=offsets[1:])
        return cls(offsets, np.nonzero(allowed)[1].astype(np.int32))

    @property
    def length(self) -> int:
        """The number of words, n."""
        return len(self.offsets) - 2

    @cached_property
    def modifiers(self) -> NDArray[np.int32]:
        """The modifier of each arc, (arcs,) int32, ascending."""
        return np.repeat(np.arange(self.length + 1, dtype=np.int32), np.diff(self.offsets))

    def __len__(self) -> int:
        return len(self.heads)

    def index(self, head: int, modifier: int) -> int:
        """Return the index of the arc from `head` to `modifier`, or -1 if it is not a candidate."""
        if not 0 <= modifier <= self.length:
            return -1
        start, end = self.offsets[modifier], self.offsets[modifier + 1]
        arc = start + np.searchsorted(self.heads[start:end], head)
        return int(arc) if arc < end and self.heads[arc] == head else -1

    def mask(self) -> NDArray[np.bool_]:
        """(n + 1, n + 1) Return whether each arc is a candidate, indexed [head, modifier]."""
        table = np.zeros((self.length + 1, self.length + 1), dtype=np.bool_)
        table[self.heads, self.modifiers] = True
        return table

    def dense(self, values: ArrayLike, fill: float) -> NDArray[np.float64]:
        """Spread `values` (arcs,) over a square table.

        Returns
        -------
        (n + 1, n + 1) float64
            Indexed [head, modifier]; `fill` for arcs that are not candidates.
        """
        table = np.full((self.length + 1, self.length + 1), fill, dtype=np.float64)
        table[self.heads, self.modifiers] = values
        return table

    def gather(self, dense: NDArray[np.float64]) -> NDArray[np.float64]:
        """Read the candidates' values (arcs,) from a table (n + 1, n + 1) [head, modifier]."""
        return dense[self.heads, self.modifiers]

    def restrict(
        self,
        required: Mapping[int, int] | None = None,
        forbidden: Iterable[tuple[int, int]] | None = None,
        *,
        leaves: Iterable[int] = (),
        single_root: bool = True,
    ) -> Self:
        """Keep the candidates that agree with known parts of the tree.

        Parameters
        ----------
        required : mapping of modifier to head, optional
            A partial tree: the heads that these words must have.
        forbidden : iterable of (head, modifier), optional
            Arcs that the tree must not contain.
        leaves : iterable of int
            Words that must not have children.
        single_root : bool
            Whether several required children of the root are an error.

        Raises
        ------
        ConstraintError
            If an arc is outside the sentence or a loop, if required arcs contradict each other, the forbidden arcs or
            the candidates, or if a word has no possible head left.
        """
        required, banned = dict(required or {}), set(forbidden or ())
        check_required(self.length, required, single_root=single_root)
        mask = self.mask()
        banned |= {(leaf, word) for leaf in leaves for word in range(1, self.length + 1) if word != leaf}
        for head, modifier in banned:
            check_arc(self.length, head, modifier)
            if required.get(modifier) == head:
                raise ConstraintError(f"the arc {head} -> {modifier} is both required and forbidden")
            mask[head, modifier] = False
        for modifier, head in required.items():
            if not mask[head, modifier]:
                raise ConstraintError(f"the required arc {head} -> {modifier} is not among the candidates")
            mask[:, modifier] = False
            mask[head, modifier] = True
        without = np.flatnonzero(~mask[:, 1:].any(axis=0)) + 1
        if without.size:
            raise ConstraintError(f"word {without[0]} is left without any possible head")
        return self.from_mask(mask)
