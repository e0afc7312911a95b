"""A scorer of which only the name is known, to describe a model without the packages that its scorer needs."""

from collections.abc import Collection
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from headway.encoding import Encoded
from headway.errors import UsageError
from headway.parts import Candidates, Kind, Scores
from headway.parts.candidate_batch import IntArray
from headway.parts.scorer import TableScorer


class NamedScorer(TableScorer):
    """Stands for a scorer that is not loaded; it has no scores."""

    kinds = frozenset({Kind.ARC})

    def __init__(self, name: str) -> None:
        self.name = name

    def scores(
        self, encoded: Encoded, sentence: int, candidates: Candidates, kinds: Collection[Kind] | None = None
    ) -> Scores:
        """Raise UsageError."""
        self._refuse()

    def label_scores(self, encoded: Encoded, sentence: int, heads: IntArray) -> npt.NDArray[np.float64]:
        """Raise UsageError."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise UsageError(f"the scorer {self.name} was not loaded: this model can only be described")
