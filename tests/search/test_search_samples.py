"""Samples of linear models, by every way to draw them, against the list of all trees."""

from dataclasses import replace

import brute_force
import high_order_samples
import numpy as np
import pytest
import small_parser
from frequencies import p_value
from numpy.typing import NDArray
from small_parser import DEV

from headway.corpus import is_tree
from headway.decoders import find_decoder
from headway.decoders.hill_climbing import HillClimbing
from headway.decoders.sampling import Sampling
from headway.parser import Parser
from headway.parts.kinds import KINDS
from headway.parts.links import make_links, set_tree
from headway.parts.tree_scorer import tree_total
from headway.search import Search

DIGITS = 5 ** np.arange(4)


def tree_chances(
    case: high_order_samples.Case, *, projective: bool, single_root: bool, temperature: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """All trees of four words, and how probable each is by all scores of the model."""
    trees, scores, links = brute_force.candidates_of(4, projective, single_root), case.scores(), make_links(5)
    totals = np.empty(len(trees))
    for number, tree in enumerate(trees):
        set_tree(links, np.array([-1, *tree], dtype=np.int32))
        totals[number] = tree_total(scores, links)
    weights = np.exp((totals - totals.max()) / temperature)
    return trees, weights / weights.sum()


def search_with(case: high_order_samples.Case, decoder: object, *, single_root: bool, temperature: float) -> Search:
    return replace(case.search(decoder), single_root=single_root, temperature=temperature)


@pytest.mark.parametrize("name", ["hill-climbing", "sampling", "gibbs", "spanning-tree", "eisner"])
@pytest.mark.parametrize("single_root", [True, False])
def test_samples_are_as_the_model_says(name: str, single_root: bool) -> None:
    decoder = {
        "hill-climbing": HillClimbing(projective=True),
        "gibbs": Sampling(proposal="gibbs", chains=4, thinning=20),
        "sampling": Sampling(chains=4, thinning=40, words=2),
    }.get(name) or find_decoder(name)
    case = high_order_samples.Case(3, 4, [kind for kind in KINDS if kind in decoder.reads])
    projective = getattr(decoder, "projective", False)
    trees, chances = tree_chances(case, projective=projective, single_root=single_root, temperature=6.0)
    search = search_with(case, decoder, single_root=single_root, temperature=6.0)
    count = 3_000
    samples = search.sample(case.encoded, 0, count, seed=2)
    assert samples.heads.shape == (count, 5)
    places = {int(tree @ DIGITS): number for number, tree in enumerate(trees)}
    rows = np.array([places[int(tree @ DIGITS)] for tree in samples.heads[:, 1:]])
    if name != "hill-climbing":  # whose chains are not so far apart
        assert p_value(np.bincount(rows, minlength=len(trees)), chances) > 1e-4
    arcs = np.zeros((5, 5))
    for tree, chance in zip(trees, chances, strict=True):
        arcs[tree, np.arange(1, 5)] += chance
    assert (np.abs(samples.arcs - arcs) < 6 * samples.errors).all()
    alike = samples.probability(lambda heads: heads[1] == heads[2])
    assert abs(alike.probability - chances[trees[:, 0] == trees[:, 1]].sum()) < 5 * alike.error


def test_probabilities_are_counted_in_samples_where_the_decoder_runs_chains() -> None:
    case = high_order_samples.Case(5, 4)
    search = search_with(case, Sampling(proposal="gibbs", chains=4, thinning=20), single_root=True, temperature=6.0)
    trees, chances = tree_chances(case, projective=False, single_root=True, temperature=6.0)
    arcs = np.zeros((5, 5))
    for tree, chance in zip(trees, chances, strict=True):
        arcs[tree, np.arange(1, 5)] += chance
    np.testing.assert_allclose(search.probabilities(case.encoded, 0), arcs, atol=0.08)


@pytest.fixture(scope="module")
def parser() -> Parser:
    return small_parser.search(small_parser.trained(), projective=False)


def test_a_parser_samples(parser: Parser) -> None:
    """As the docstring of `Parser.sample` shows it."""
    sentence = next(sentence for sentence in DEV if len(sentence) >= 6)
    samples = parser.sample(sentence, 500)
    assert samples.heads.shape == (500, len(sentence) + 1)
    assert all(is_tree(tree[1:].tolist()) for tree in samples.heads)
    alike = samples.probability(lambda heads: heads[3] == heads[4])
    assert alike.probability == np.mean(samples.heads[:, 3] == samples.heads[:, 4])
    search = parser.model.search()
    marginals = search.chances(parser.model.encoder.encode([sentence]), 0)(search.temperature).arcs
    errors = np.sqrt(marginals * (1.0 - marginals) / 500) + 0.002
    assert (np.abs(samples.arcs - marginals) < 5 * errors).all()
    chains = parser.sample(sentence, 500, decoder="sampling", seed=1, threads=2)
    assert (np.abs(chains.arcs - marginals) < 6 * errors).all()
    np.testing.assert_array_equal(chains.heads, parser.sample(sentence, 500, decoder="sampling", seed=1).heads)


@pytest.mark.filterwarnings("ignore::headway.errors.MixingWarning")
def test_parses_by_sampling(parser: Parser) -> None:
    exact = list(parser.parse(DEV[:5]))
    for confidence in (False, True):
        found = list(parser.parse(DEV[:5], decoder="sampling", confidence=confidence))
        assert [sentence.heads for sentence in found] == [sentence.heads for sentence in exact]
    assert all(float(chance) <= 1.0 for chance in found[0].misc("HeadProb"))
