"""The result of every decoder: a tree, its score, and an upper bound."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from headway.parts.kinds import Kind


@dataclass(frozen=True, eq=False)
class Parse:
    """A tree over n words, with its score and certificate.

    Parameters
    ----------
    heads : (n + 1,) int32
        The head of each word; ``heads[0] = -1``.
    score : float
        The score of the tree, including costs if the decoder was given any.
    labels : tuple of str, optional
        The relation of each word to its head, n of them.
    bound : float, optional
        An upper bound on the score of all trees that satisfy the constraints.
    exact : bool
        Whether the tree is proved to be the best one under all scores that are not ignored.
    ignored : frozenset of Kind
        The kinds of parts that the scorer has but that the decoder ignored, as the caller allowed. Score, bound and
        certificate are for the other kinds.
    pieces : tuple of int
        If the sentence was searched in pieces, the number of words before each piece; the score is then the sum over
        pieces, without the arcs between them. Empty if it was searched as a whole.
    statistics : mapping of str to float
        Statistics of the decoder, such as iterations or restarts.
    """

    heads: NDArray[np.int32]
    score: float
    labels: tuple[str, ...] | None = None
    bound: float | None = None
    exact: bool = False
    ignored: frozenset[Kind] = frozenset()
    pieces: tuple[int, ...] = ()
    statistics: Mapping[str, float] = field(default_factory=dict)
