"""Probabilities of trees are consistent: with those of their arcs, and with each other."""

import brute_force
import high_order_samples as samples
import numpy as np
import pytest

from headway.decoders import find_decoder
from headway.parts.kinds import KINDS
from headway.search import SearchRule
from headway.search.confidence import tree_probability

MARGINAL = ("eisner", "spanning-tree", "model1", "model2")


@pytest.mark.parametrize("name", MARGINAL)
@pytest.mark.parametrize("power", [0.3, 1.0, 1.7])
def test_probabilities_of_all_trees_sum_to_one_at_most(name: str, power: float) -> None:
    decoder, temperature = find_decoder(name), 0.6
    for seed in range(4):
        case = samples.Case(seed, 4, [kind for kind in KINDS if kind in decoder.reads])
        search = case.search(decoder)
        curve = search.chances(case.encoded, 0)
        chances = curve(temperature)
        parses = search.best(case.encoded, 0, k=1000)
        found = [tree_probability(curve, chances, parse, temperature=temperature, power=power) for parse in parses]
        assert len(parses) == len(brute_force.candidates_of(4, getattr(decoder, "projective", False), True))
        assert sum(found) <= 1.0 + 1e-6
        for parse, chance in zip(parses, found, strict=True):
            assert 0.0 <= chance <= chances.arcs[parse.heads[1:], np.arange(1, 5)].min()
        if power == 1.0:  # the distribution that the marginals are those of
            assert sum(found) == pytest.approx(1.0, abs=1e-4)
            arcs = np.zeros_like(chances.arcs)
            for parse, chance in zip(parses, found, strict=True):
                arcs[parse.heads[1:], np.arange(1, 5)] += chance
            np.testing.assert_allclose(arcs, chances.arcs, atol=1e-4)


def test_a_tree_beside_its_rivals_is_no_surer_than_its_arcs() -> None:
    for seed in range(6):
        case = samples.Case(seed, 3 + seed)
        search = case.search(SearchRule(restarts=2).decoder(projective=False))
        [parse] = search.trees(case.encoded)
        curve = search.chances(case.encoded, 0, heads=parse.heads)
        chances = curve(1.0)
        arcs = chances.arcs[parse.heads[1:], np.arange(1, case.length + 1)]
        for power in (0.05, 0.5, 2.0):
            whole = tree_probability(curve, chances, parse, temperature=1.0, power=power)
            assert 0.0 <= whole <= arcs.min()
