"""What the exact first-order decoders share: from candidates to a kernel's table, and back to a parse."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from headway.parts import Candidates, Parse, Scores, arc_table
from headway.parts.constraints import no_tree

Kernel = Callable[[NDArray[np.float64], bool, NDArray[np.int32]], bool]


def decode(
    kernel: Kernel,
    candidates: Candidates,
    scores: Scores,
    *,
    single_root: bool,
    cost: NDArray[np.float64] | None,
) -> Parse:
    """Run an exact first-order `kernel` (table, single_root, heads) -> found, and say what it found."""
    table = arc_table(candidates, scores, cost)
    heads = np.empty(candidates.length + 1, dtype=np.int32)
    if not kernel(table, single_root, heads):
        raise no_tree(candidates.length, single_root=single_root)
    words = np.arange(1, candidates.length + 1)
    score = float(table[heads[1:], words].sum())
    return Parse(heads=heads, score=score, bound=score, exact=True)
