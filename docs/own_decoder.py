"""A custom decoder: it adds arcs greedily, the highest score first.

Register it under a name, and it parses and trains every model. See docs/architecture.md.
"""

from dataclasses import dataclass

import numpy as np

from headway.decoders import TableDecoder, register_decoder
from headway.decoders.decoder import ARCS, Cost
from headway.decoders.spanning_tree import SpanningTree
from headway.parts import Candidates, Parse, Scores, arc_table


@dataclass(frozen=True)
class EasiestFirst(TableDecoder):
    """Adds arcs in the order of their scores, unless they would close a cycle or give a second root.

    If a word is left without a head, exact search takes over.
    """

    name = "easiest-first"
    reads = ARCS

    def _search(self, candidates: Candidates, scores: Scores, *, single_root: bool, cost: Cost | None) -> Parse:
        table = arc_table(candidates, scores, cost)
        heads = np.full(candidates.length + 1, -1, dtype=np.int32)
        group = np.arange(len(heads))  # words that are connected
        for place in np.argsort(-table, axis=None, kind="stable").tolist():
            head, modifier = divmod(place, len(heads))
            taken = single_root and head == 0 and (heads == 0).any()
            if table[head, modifier] > -np.inf and heads[modifier] < 0 and group[head] != group[modifier] and not taken:
                heads[modifier] = head
                group[group == group[modifier]] = group[head]
        if (heads[1:] < 0).any():
            return SpanningTree().decode(candidates, scores, single_root=single_root, cost=cost)
        return Parse(heads, float(table[heads[1:], np.arange(1, len(heads))].sum()))


register_decoder("easiest-first", EasiestFirst)
