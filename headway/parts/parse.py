"""The answer of every decoder: a tree, its score, and how good the decoder knows it to be."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from headway.parts.kinds import Kind


@dataclass(frozen=True, eq=False)
class Parse:
    """A tree over n words and what its decoder knows of it.

    Parameters
    ----------
    heads : (n + 1,) int32
        The head of each word; ``heads[0] = -1``.
    score : float
        The score of the tree, costs included where the decoder was given some.
    labels : tuple of str, optional
        The relation of each word to its head, n of them.
    bound : float, optional
        No tree that meets the constraints scores higher than this.
    exact : bool
        Whether the tree is certified to be the best one under all scores that were asked for.
    ignored : frozenset of Kind
        The kinds of parts that the scorer has and the caller told the decoder to leave out: score, bound and
        certificate are about the others.
    pieces : tuple of int
        Where the sentence was searched in pieces, the words before each; the score is then the sum of the pieces', and
        says nothing of the arcs between them. Empty where it was searched whole.
    statistics : mapping of str to float
        What the decoder counted on its way: iterations, restarts and the like.
    """

    heads: NDArray[np.int32]
    score: float
    labels: tuple[str, ...] | None = None
    bound: float | None = None
    exact: bool = False
    ignored: frozenset[Kind] = frozenset()
    pieces: tuple[int, ...] = ()
    statistics: Mapping[str, float] = field(default_factory=dict)
