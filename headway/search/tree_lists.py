"""Lists of trees of a sentence, and their scores under features of whole trees."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headway.kernel import kernel
from headway.parts import Candidates
from headway.parts.candidate_batch import IntArray
from headway.parts.links import make_links
from headway.parts.tree_scorer import TreeScorer, plant, tree_total

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TreeList:
    """Trees of one sentence, sorted by the scores of another parser, best first.

    Parameters
    ----------
    heads : (k, n + 1) int32
    scores : (k,) float64
    """

    heads: IntArray
    scores: FloatArray

    def wrong_heads(self, gold: IntArray) -> npt.NDArray[np.int64]:
        """(k,) Return the number of wrong heads of each tree; ``gold`` is (n + 1,)."""
        counts: npt.NDArray[np.int64] = (self.heads[:, 1:] != gold[1:]).sum(axis=1, dtype=np.int64)
        return counts

    def first(self, k: int) -> "TreeList":
        """Return the k best trees."""
        return TreeList(self.heads[:k], self.scores[:k])

    def candidates(self) -> Candidates:
        """Return the arcs of all trees as candidates."""
        size = self.heads.shape[1]
        mask = np.zeros((size, size), dtype=np.bool_)
        mask[self.heads[:, 1:], np.arange(1, size)] = True
        return Candidates.from_mask(mask)


@kernel
def score_trees(scores: TreeScorer, heads: IntArray, totals: FloatArray) -> None:
    """Write the scores of the trees ``heads`` (k, n + 1)."""
    links = make_links(heads.shape[1])
    for number in range(len(heads)):
        plant(scores, links, heads[number])
        totals[number] = tree_total(scores, links)
