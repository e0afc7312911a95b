"""Probabilities of trees are consistent: with those of their arcs, and with each other."""

from dataclasses import replace

import brute_force
import high_order_samples as samples
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.decoders import find_decoder
from headway.learning.calibration import _fit_logistic
from headway.parts.kinds import KINDS
from headway.search import SearchRule
from headway.search.calibrator import (
    ARC_WEIGHTS,
    TREE_WEIGHTS,
    UNCALIBRATED,
    Calibrator,
    arc_inputs,
    logit,
    make_calibrator,
    sigmoid,
)

MARGINAL = ("eisner", "spanning-tree", "model1", "model2")


def some_calibrator(seed: int) -> Calibrator:
    generator = np.random.default_rng(seed)
    return Calibrator(generator.normal(size=ARC_WEIGHTS), generator.normal(size=TREE_WEIGHTS))


@pytest.mark.parametrize("name", MARGINAL)
def test_probabilities_of_all_trees_sum_to_one_at_most(name: str) -> None:
    decoder = find_decoder(name)
    for seed in range(8):
        case = samples.Case(seed, 4, [kind for kind in KINDS if kind in decoder.reads])
        calibrator = UNCALIBRATED if seed < 2 else some_calibrator(seed)
        search = replace(case.search(decoder), temperature=(0.01, 0.6)[seed % 2], calibrator=calibrator)
        parses = search.best(case.encoded, 0, k=1000)
        confidence = search.confidence(case.encoded, 0, parses[0])
        found = [confidence.tree(parse) for parse in parses]
        assert len(parses) == len(brute_force.candidates_of(4, getattr(decoder, "projective", False), True))
        assert sum(found) <= 1.0 + 1e-6
        np.testing.assert_allclose(confidence.arcs[:, 1:].sum(axis=0), 1.0, atol=1e-6)
        for parse, chance in zip(parses, found, strict=True):
            judged = confidence.judge(parse.heads)
            np.testing.assert_allclose(judged.chances, confidence.arcs[parse.heads[1:], np.arange(1, 5)], atol=1e-9)
            assert 0.0 <= chance <= judged.chances.min()


def test_without_a_calibrator_arcs_have_the_marginals_of_the_search() -> None:
    case = samples.Case(1, 5, [KINDS[0]])
    search = replace(case.search(find_decoder("spanning-tree")), temperature=0.7)
    [best] = search.best(case.encoded, 0)
    found = search.confidence(case.encoded, 0, best).arcs
    np.testing.assert_allclose(found[:, 1:], search.chances(case.encoded, 0)(0.7).arcs[:, 1:], atol=1e-5)


def test_a_tree_beside_its_rivals_is_no_surer_than_its_arcs() -> None:
    for seed in range(6):
        case = samples.Case(seed, 3 + seed)
        search = replace(
            case.search(SearchRule(restarts=2).decoder(projective=False)), calibrator=some_calibrator(seed)
        )
        [parse] = search.trees(case.encoded)
        confidence = search.confidence(case.encoded, 0, parse, heads=parse.heads)
        assert 0.0 <= confidence.tree(parse) <= confidence.judge(parse.heads).chances.min()


@given(st.integers(0, 1000))
def test_regression_finds_the_weights_that_made_the_data(seed: int) -> None:
    generator = np.random.default_rng(seed)
    truth, inputs = generator.normal(size=3), generator.normal(size=(20_000, 3))
    right = generator.random(len(inputs)) < sigmoid(inputs @ truth)
    found = _fit_logistic(inputs, right, np.zeros(3), np.full(3, 0.1))
    np.testing.assert_allclose(found, truth, atol=0.15)


def test_uninformative_weights_keep_their_start() -> None:
    inputs = np.zeros((10, 2))
    inputs[:, 0] = 1.0
    found = _fit_logistic(inputs, np.ones(10, dtype=np.bool_), np.array([0.0, 0.7]), np.ones(2))
    assert found[0] > 0.5
    assert found[1] == 0.7


def test_classes_and_the_last_word_have_numbers_of_their_own() -> None:
    heads, tags = np.array([-1, 2, 0, 2], dtype=np.int32), np.array([0, 3, 4, 4], dtype=np.int32)
    inputs = arc_inputs(np.full(3, 0.9), np.full(3, 0.1), heads, tags)
    assert len({tuple(np.flatnonzero(row)) for row in inputs}) == 3
    np.testing.assert_allclose(inputs[:, 0], logit(0.9))
    np.testing.assert_allclose(sigmoid(inputs @ UNCALIBRATED.arcs), 0.9)


def test_an_arc_is_judged_by_that_of_its_head_where_this_is_known() -> None:
    heads, tags = np.array([-1, 2, 0, 2], dtype=np.int32), np.array([0, 3, 4, 4], dtype=np.int32)
    for chance, certainty, above in ((0.9, logit(0.9), 0.9), (np.nan, 0.0, 1.0)):
        inputs = arc_inputs(np.array([0.6, chance, 0.7]), np.full(3, 0.1), heads, tags)
        np.testing.assert_allclose(inputs[[0, 2], 6], certainty)
        np.testing.assert_allclose(inputs[[0, 2], 7], above)
        assert inputs[1, 6:8].tolist() == [0.0, 1.0]  # the head is the root
        assert np.isfinite(inputs[[0, 2]]).all()


@pytest.mark.parametrize(
    ("arcs", "trees"), [([], []), ([0.0] * ARC_WEIGHTS, [0.0, 1.0]), ([np.nan] * ARC_WEIGHTS, [0.0] * 3)]
)
def test_calibrators_that_are_none_are_refused(arcs: list[float], trees: list[float]) -> None:
    with pytest.raises(ValueError, match="calibration"):
        make_calibrator(arcs, trees)
