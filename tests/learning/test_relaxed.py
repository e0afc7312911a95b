"""Tests of learning from fractional trees."""

import brute_force
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from headway.charts.part_places import list_keys, place_parts
from headway.decoders.dual_decomposition import KINDS as AUTOMATA_KINDS
from headway.decoders.head_automata import make_automata, share_taken, tree_taken
from headway.learning.relaxed import _relaxed_difference
from headway.parts.arc_index import index_arcs
from headway.parts.kinds import KINDS
from headway.scorers.sparse import SparseVector

WANTED = np.array([kind in AUTOMATA_KINDS for kind in KINDS])


def entries(vector: SparseVector) -> dict[int, float]:
    found = zip(vector.keys.tolist(), vector.values.tolist(), strict=True)
    return {key: value for key, value in found if key >= 0 and abs(value) > 1e-12}


@given(length=st.integers(1, 4), seed=st.integers(0, 2**32 - 1), half=st.floats(0.01, 0.99))
@settings(max_examples=40)
def test_a_mixture_is_learned_from_as_much_as_its_trees_are(length: int, seed: int, half: float) -> None:
    index = index_arcs(np.ones((length + 1, length + 1), dtype=np.bool_))
    places = place_parts(index, WANTED)
    automata, keys = make_automata(index, places), list_keys(index, places, False)
    trees = brute_force.candidates_of(length, False, True)
    chosen = np.random.default_rng(seed).integers(len(trees), size=3)
    gold, *others = (np.array([-1, *trees[tree]], dtype=np.int32) for tree in chosen)

    def shares(heads: NDArray[np.int32]) -> NDArray[np.float64]:
        return share_taken(automata, tree_taken(automata, index.number, heads), len(keys))

    one, other = map(shares, others)
    arcs, parts, cost = _relaxed_difference(
        gold, automata.heads, automata.modifiers, half * one + (1 - half) * other, keys, WANTED
    )
    (arcs1, parts1, cost1), (arcs2, parts2, cost2) = (
        _relaxed_difference(gold, automata.heads, automata.modifiers, taken, keys, WANTED) for taken in (one, other)
    )
    np.testing.assert_allclose(arcs, half * arcs1 + (1 - half) * arcs2, atol=1e-12)
    assert cost == pytest.approx(half * cost1 + (1 - half) * cost2)
    first, second = entries(parts1), entries(parts2)
    mixed = {key: half * first.get(key, 0.0) + (1 - half) * second.get(key, 0.0) for key in first | second}
    assert entries(parts) == pytest.approx({key: value for key, value in mixed.items() if abs(value) > 1e-12})
    assert cost1 == (gold[1:] != others[0][1:]).sum()


def test_gold_itself_teaches_nothing() -> None:
    index = index_arcs(np.ones((4, 4), dtype=np.bool_))
    places = place_parts(index, WANTED)
    automata, gold = make_automata(index, places), np.array([-1, 2, 0, 2], dtype=np.int32)
    taken = share_taken(automata, tree_taken(automata, index.number, gold), int(places.bases[5]))
    arcs, parts, cost = _relaxed_difference(
        gold, automata.heads, automata.modifiers, taken, list_keys(index, places, False), WANTED
    )
    assert not arcs.any()
    assert entries(parts) == {}
    assert cost == 0.0
