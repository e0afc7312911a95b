"""Candidate arcs of several sentences, and the arrays for searching several sentences at a time."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headway.encoding import Encoded
from headway.parts.candidates import Candidates

IntArray = npt.NDArray[np.int32]

NO_GOLD = np.empty(0, dtype=np.int32)
"""A value of `gold` in kernels that stands for unknown heads."""


@dataclass(frozen=True)
class CandidateBatch:
    """The candidate arcs of several sentences: masks (n + 1, n + 1) [head, modifier], concatenated.

    Parameters
    ----------
    starts : (sentences + 1,) int64
        The start of each sentence's mask; empty if all arcs of all sentences are candidates.
    allowed : (entries,) bool
    """

    starts: npt.NDArray[np.int64]
    allowed: npt.NDArray[np.bool_]

    def of(self, sentence: int) -> npt.NDArray[np.bool_]:
        """(n + 1, n + 1) Return the mask of one sentence; the batch must not be `ALL_ARCS`."""
        entries = self.allowed[self.starts[sentence] : self.starts[sentence + 1]]
        size = math.isqrt(len(entries))
        return entries.reshape(size, size)

    def mask(self, sentence: int, size: int) -> npt.NDArray[np.bool_]:
        """(n + 1, n + 1) Return the mask of one sentence of `size` - 1 words."""
        return self.of(sentence) if len(self.starts) else np.ones((size, size), dtype=np.bool_)

    def candidates(self, sentence: int, length: int) -> Candidates:
        """Return the candidate arcs of one sentence of `length` words."""
        return Candidates.from_mask(self.mask(sentence, length + 1))


ALL_ARCS = CandidateBatch(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.bool_))
"""All arcs of all sentences."""


def mask_starts(lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """(sentences + 1,) Return the start of each sentence's (n + 1, n + 1) mask if masks are concatenated."""
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum((lengths + 1) ** 2, out=starts[1:])
    return starts


@dataclass(frozen=True)
class TreeBatch:
    """Several sentences to search, and the arrays for their trees.

    Parameters
    ----------
    sentences : (some,) int64
        The indices of the sentences in `encoded`.
    gold : (rows,) int32
        The gold heads: all other heads get a cost of 1. `NO_GOLD` for no costs.
    heads : (rows,) int32
        Output: the heads, in the order of the rows of `encoded`; -1 for roots.
    outcomes : (some, 2) float64
        Output: the score of each tree, and an upper bound on the score of any tree; the score is -inf if there is no
        tree.
    exact : (some,) bool
        Output: whether each tree is proved to be the best one; False unless the search says so.
    """

    encoded: Encoded
    sentences: npt.NDArray[np.int64]
    candidates: CandidateBatch
    gold: IntArray
    heads: IntArray
    outcomes: npt.NDArray[np.float64]
    exact: npt.NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        encoded: Encoded,
        sentences: npt.NDArray[np.int64],
        candidates: CandidateBatch = ALL_ARCS,
        *,
        gold: IntArray = NO_GOLD,
        heads: IntArray | None = None,
    ) -> "TreeBatch":
        """Allocate the arrays for the trees of several sentences, except those that are given."""
        heads = np.empty(len(encoded.atoms), dtype=np.int32) if heads is None else heads
        size = len(sentences)
        return cls(encoded, sentences, candidates, gold, heads, np.empty((size, 2)), np.zeros(size, dtype=np.bool_))

    def rows(self, sentence: int) -> slice:
        """Return the rows of a sentence."""
        return slice(int(self.encoded.starts[sentence]), int(self.encoded.starts[sentence + 1]))
