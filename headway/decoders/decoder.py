"""The face that all decoders share."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from headway.parts import Candidates, Parse, Scores


class Decoder(Protocol):
    """A search for a high-scoring tree among the candidates."""

    def __call__(
        self,
        candidates: Candidates,
        scores: Scores,
        *,
        single_root: bool = True,
        cost: NDArray[np.float64] | None = None,
    ) -> Parse:
        """Find a tree; raise ConstraintError if the candidates hold none."""
        ...
