"""Precomputed scores of given sentences, such as a network's scores when a linear model is trained on top of it."""

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from headway.encoding import Encoded
from headway.parts import Candidates, Kind, Scores
from headway.parts.candidate_batch import IntArray
from headway.parts.scorer import TableScorer


class GivenArcs(TableScorer):
    """A table of arc scores for each sentence of a batch, by the index of the sentence.

    Parameters
    ----------
    tables : sequence of (n + 1, n + 1) arrays
        Indexed [head, modifier].
    weight : float
        The factor of the tables.
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
        """Return the score of one tree (n + 1,) minus that of another."""
        table, words = self.tables[sentence], np.arange(1, len(better))
        gains = table[better[1:], words].astype(np.float64) - table[worse[1:], words]
        return self.weight * float(gains.sum())


class GivenLabels:
    """Precomputed label scores of given trees, by the index of the sentence.

    Parameters
    ----------
    rows : (rows, labels) float32
        The scores, in the order of the rows of a batch.
    """

    def __init__(self, rows: npt.NDArray[np.float32]) -> None:
        self.rows = rows

    def label_scores(self, encoded: Encoded, sentence: int, heads: IntArray) -> npt.NDArray[np.float64]:
        """(n + 1, labels) Return the scores of all labels, which do not depend on the tree; see `NamesArcs`."""
        return self.rows[encoded.starts[sentence] : encoded.starts[sentence + 1]].astype(np.float64)
