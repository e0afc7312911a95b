"""The relaxed search for `headway.learning.relaxed`: head automata choose arcs that need not form a tree."""

import numpy as np
import numpy.typing as npt

from headway.charts.part_places import place_parts
from headway.decoders.dual_decomposition import ALTERNATING, DualRule, Parts, relaxed_shares
from headway.decoders.dual_decomposition import KINDS as AUTOMATA_KINDS
from headway.decoders.head_automata import HeadAutomata, make_automata, share_taken
from headway.encoding import Encoded
from headway.parts.arc_index import index_arcs
from headway.parts.scores import wanted_kinds
from headway.scorers.linear_models import TreeModel
from headway.search.charts import sentence_parts

_ALTERNATIONS = 20
"""Iterations of AD3 per sentence; if it has not converged by then, the fractional solution is rough but usable."""


def automata_kinds(wanted: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """(kinds,) Return which of the wanted kinds of parts head automata can score."""
    kinds: npt.NDArray[np.bool_] = wanted & wanted_kinds(AUTOMATA_KINDS)
    return kinds


def automata_parts(
    encoded: Encoded, sentence: int, model: TreeModel, allowed: npt.NDArray[np.bool_]
) -> tuple[Parts, npt.NDArray[np.int64]]:
    """Build the head automata of one sentence over the allowed arcs; return them with the keys of their parts."""
    rows = slice(encoded.starts[sentence], encoded.starts[sentence + 1])
    index = index_arcs(allowed)
    places = place_parts(index, automata_kinds(model.part_plan.wanted))
    scores, keys = sentence_parts(encoded.atoms[rows], encoded.tags[rows], allowed, model, index, places, False)
    return Parts(make_automata(index, places), index.number, scores), keys


def taken_shares(parts: Parts, *, single_root: bool, fractional: bool) -> npt.NDArray[np.float64] | None:
    """Return how much of each arc and part is in the solution (0 to 1); None if there is no tree.

    Parameters
    ----------
    fractional : bool
        Use AD3, whose solution is consistent but fractional; otherwise maximise each automaton separately.
    """
    if fractional:
        shares = relaxed_shares(parts, DualRule(_ALTERNATIONS, ALTERNATING, single_root=single_root))
        return shares if shares.any() else None
    automata = HeadAutomata(parts.automata, parts.scores, single_root=single_root)
    return share_taken(parts.automata, automata.best(np.zeros(automata.size))[1], len(parts.scores))
