"""The common part of the exact first-order decoders: fill a kernel's table from candidates, and return a parse."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from headway.decoders.decoder import ARCS, Cost, TableDecoder
from headway.parts import Candidates, Parse, Scores, arc_table
from headway.parts.constraints import no_tree

Kernel = Callable[[NDArray[np.float64], bool, NDArray[np.int32]], bool]


class FirstOrderDecoder(TableDecoder):
    """An exact first-order decoder; its `kernel` (table, single_root, heads) returns whether there is a tree."""

    reads = ARCS
    projective: bool

    @property
    def _kernel(self) -> Kernel:
        raise NotImplementedError

    def _search(self, candidates: Candidates, scores: Scores, *, single_root: bool, cost: Cost | None) -> Parse:
        table = arc_table(candidates, scores, cost)
        heads = np.empty(candidates.length + 1, dtype=np.int32)
        if not self._kernel(table, single_root, heads):
            raise no_tree(candidates.length, single_root=single_root, projective=self.projective)
        words = np.arange(1, candidates.length + 1)
        score = float(table[heads[1:], words].sum())
        return Parse(heads=heads, score=score, bound=score, exact=True)
