"""Limit the length of arcs by the treebank's longest arcs of the same kind.

The kind of an arc is the tags of its two words and their order. This is a hard constraint as in Eisner and Smith
(2005), "Parsing with soft and hard constraints on dependency length". For example, a determiner is always close to its
noun, so in long sentences many pairs of words need not be scored. Short arcs and arcs from the root are always kept, so
there is always a tree. Cost: one comparison per pair of words.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from headway.encoding import Encoded
from headway.encoding.atoms import TAG_CLASSES
from headway.kernel import kernel
from headway.parts.candidate_batch import CandidateBatch, mask_starts
from headway.support.schema import check_array
from headway.support.threads import Threads

_SLACK = 1.5
"""The factor by which an arc may be longer than the longest arc of its kind in the treebank."""
_LEAST = 10
"""Arcs up to this length are always kept."""
_ENDLESS = np.iinfo(np.int32).max
_TAGS = TAG_CLASSES + 1
"""The number of tags, including the root's."""


@dataclass(frozen=True)
class Reach:
    """The maximum lengths of arcs.

    Parameters
    ----------
    longest : (tags, tags, 2) int32
        The maximum length, indexed [head, modifier, whether the head comes first].
    """

    longest: npt.NDArray[np.int32]

    def __post_init__(self) -> None:
        """Check the table, because kernels do not; arcs between neighbours must be allowed."""
        if self.longest.dtype != np.int32 or self.longest.shape != (_TAGS, _TAGS, 2) or self.longest.min() < 1:
            raise ValueError("reach")

    @classmethod
    def fit(cls, encoded: Encoded, heads: npt.NDArray[np.int32]) -> "Reach":
        """Find the lengths in trees, given as rows of ``encoded``; there is no limit for tags that do not occur."""
        words = np.flatnonzero(heads >= 0)
        above = np.repeat(encoded.starts[:-1], np.diff(encoded.starts))[words] + heads[words]
        longest = np.zeros((_TAGS, _TAGS, 2), dtype=np.int32)
        kinds = encoded.tags[above], encoded.tags[words], (above < words).astype(np.int32)
        np.maximum.at(longest, kinds, np.abs(above - words).astype(np.int32))
        longest = np.maximum(_LEAST, (_SLACK * longest).astype(np.int32))
        new = np.setdiff1d(np.arange(_TAGS), encoded.tags[words])
        longest[new] = longest[:, new] = _ENDLESS
        return cls(longest)

    def prune(self, encoded: Encoded, *, threads: Threads) -> CandidateBatch:
        """Return the arcs of each sentence within these lengths."""
        starts = mask_starts(encoded.lengths())
        allowed = np.zeros(starts[-1], dtype=np.bool_)

        def work(first: int, stride: int) -> None:
            _reach_kernel(encoded.tags, encoded.starts, first, stride, self.longest, starts, allowed)

        threads.deal(work)
        return CandidateBatch(starts, allowed)


def read_reach(tensors: Mapping[str, npt.NDArray[Any]]) -> Reach:
    """Read the lengths from a model file; ValueError if they are not valid."""
    return Reach(check_array(tensors, "reach", np.int32, (_TAGS, _TAGS, 2), (0, _ENDLESS)))


@kernel
def _reach_kernel(
    tags: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    first: int,
    stride: int,
    longest: npt.NDArray[np.int32],
    tables: npt.NDArray[np.int64],
    allowed: npt.NDArray[np.bool_],
) -> None:
    for sentence in range(first, len(starts) - 1, stride):
        begin, size = starts[sentence], starts[sentence + 1] - starts[sentence]
        mask = allowed[tables[sentence] : tables[sentence + 1]].reshape(size, size)
        mask[0, 1:] = True
        for head in range(1, size):
            for modifier in range(1, head):
                mask[head, modifier] = head - modifier <= longest[tags[begin + head], tags[begin + modifier], 0]
            for modifier in range(head + 1, size):
                mask[head, modifier] = modifier - head <= longest[tags[begin + head], tags[begin + modifier], 1]
