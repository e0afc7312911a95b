"""Find the projective tree that shares most arcs with a given tree, by Eisner's algorithm.

Lifting (`headway.corpus.lifting`), in contrast, keeps every word below its old ancestors, but fewer arcs.
"""

from collections.abc import Sequence

import numpy as np

from headway.decoders.eisner import Eisner
from headway.parts import Candidates, Scores

_NEARBY = 1e-6


def best_projective(heads: Sequence[int]) -> list[int]:
    """Return the projective tree with one child of the root that shares most arcs with `heads`.

    On ties, heads close to the old ones in the sentence are preferred.

    Parameters
    ----------
    heads : sequence of int, (n,)
        A tree: the head of each word, 0 for the root.

    Examples
    --------
    >>> best_projective([3, 4, 0, 3])
    [3, 3, 0, 3]
    """
    candidates = Candidates.all(len(heads))
    old = np.array([-1, *heads])[candidates.modifiers]
    distance = np.abs(candidates.heads - old) / (len(heads) + 1)
    scores = (candidates.heads == old) - _NEARBY * distance
    approximation: list[int] = Eisner().decode(candidates, Scores(arc=scores)).heads[1:].tolist()
    return approximation
