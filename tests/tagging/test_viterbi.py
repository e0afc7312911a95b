"""Trigram tagging against all sequences of a few words."""

import itertools

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headway.tagging.viterbi import Transitions, best_tags, no_transitions, step_weights, tag_probabilities


@given(length=st.integers(1, 5), size=st.integers(1, 4), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_all_sequences(length: int, size: int, seed: int) -> None:
    check_all_sequences(np.random.default_rng(seed), np.zeros((length, size)))


@given(length=st.integers(1, 5), size=st.integers(2, 4), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_sequences_of_allowed_tags(length: int, size: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    barred = np.where(generator.random((length, size)) < 0.5, -np.inf, 0.0)
    barred[np.arange(length), generator.integers(size, size=length)] = 0.0
    check_all_sequences(generator, barred)


def check_all_sequences(generator: np.random.Generator, barred: npt.NDArray[np.float64]) -> None:
    """Compare the best sequence, and probabilities, with all; `barred` is -inf for tags that are not allowed."""
    length, size = barred.shape
    emissions = generator.normal(size=(length, size)) + barred
    pairs = generator.normal(size=(size + 1, size + 1)).astype(np.float32)
    triples = generator.normal(size=(size + 1, size + 1, size + 1)).astype(np.float32)
    transitions, scale = Transitions(pairs, triples), 0.5
    every = list(itertools.product(range(size), repeat=length))
    totals = np.empty(len(every))
    for number, tags in enumerate(every):
        padded = (size, size, *tags, size)
        context = sum(pairs[padded[i - 1], padded[i]] for i in range(2, len(padded)))
        context += sum(triples[padded[i - 2], padded[i - 1], padded[i]] for i in range(2, len(padded)))
        totals[number] = sum(emissions[place, tag] for place, tag in enumerate(tags)) + scale * context
    found = np.empty(length, dtype=np.int32)
    best_tags(emissions, transitions, scale, found)
    assert totals[every.index(tuple(found.tolist()))] == pytest.approx(totals.max())
    shares = np.exp(totals - np.logaddexp.reduce(totals))
    expected = np.zeros((length, size))
    for tags, chance in zip(every, shares, strict=True):
        expected[np.arange(length), list(tags)] += chance
    np.testing.assert_allclose(tag_probabilities(emissions, step_weights(transitions, scale)), expected, atol=1e-6)


def test_no_words() -> None:
    nothing = np.zeros((0, 3))
    best_tags(nothing, no_transitions(3), 1.0, np.empty(0, dtype=np.int32))
    assert tag_probabilities(nothing, step_weights(no_transitions(3), 1.0)).shape == (0, 3)
