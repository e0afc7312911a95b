"""Scores that were computed beforehand, for given sentences: by networks, say, while a linear model learns."""

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from headway.encoding import Encoded
from headway.parts import Candidates, Kind, Scores
from headway.parts.candidate_batch import IntArray
from headway.parts.scorer import TableScorer


class GivenArcs(TableScorer):
    """A table of arcs for each sentence of a batch; sentences are known by their numbers.

    Parameters
    ----------
    tables : sequence of (n + 1, n + 1) arrays
        Indexed [head, modifier].
    weight : float
        What they are multiplied by.
    """

    name = "given"
    kinds = frozenset({Kind.ARC})

    def __init__(self, tables: Sequence[npt.NDArray[np.float32]], weight: float = 1.0) -> None:
        self.tables, self.weight = tables, weight

    def scores(
        self, encoded: Encoded, sentence: int, candidates: Candidates, kinds: Collection[Kind] | None = None
    ) -> Scores:
        """Return the scores of arcs; see `Scorer`."""
        return Scores(self.weight * candidates.gather(self.tables[sentence].astype(np.float64)))

    def margin(self, sentence: int, better: IntArray, worse: IntArray) -> float:
        """Return by how much one tree (n + 1,) scores more than another."""
        table, words = self.tables[sentence], np.arange(1, len(better))
        gains = table[better[1:], words].astype(np.float64) - table[worse[1:], words]
        return self.weight * float(gains.sum())


class GivenLabels:
    """Scores of the labels of given trees; sentences are known by their numbers.

    Parameters
    ----------
    rows : (rows, labels) float32
        Laid like the rows of a batch.
    """

    def __init__(self, rows: npt.NDArray[np.float32]) -> None:
        self.rows = rows

    def label_scores(self, encoded: Encoded, sentence: int, heads: IntArray) -> npt.NDArray[np.float64]:
        """(n + 1, labels) Return the scores of all labels, whatever the tree; see `NamesArcs`."""
        return self.rows[encoded.starts[sentence] : encoded.starts[sentence + 1]].astype(np.float64)
