"""The diagnostics of samples against series whose autocorrelation is known."""

import numpy as np
import pytest
from numpy.typing import NDArray

from headway.decoders.samples import Draws, Samples
from headway.errors import MixingWarning


def switching(generator: np.random.Generator, draws: int, stay: float, first: int) -> Draws:
    """A chain over two trees of two words that are equally probable; it stays where it is with a given probability."""
    moves = generator.random(draws) >= stay
    states = (first + np.cumsum(moves)) % 2
    trees = np.array([[-1, 0, 1], [-1, 2, 0]], dtype=np.int32)
    return Draws(trees[states], states.astype(np.float64))


def chains(stay: float, draws: int = 4_000) -> Samples:
    generator = np.random.default_rng(1)
    return Samples.of_chains([switching(generator, draws, stay, first % 2) for first in range(4)], 4 * draws)


@pytest.mark.parametrize("stay", [0.5, 0.8, 0.95])
def test_the_effective_number_is_that_of_a_chain_with_known_correlation(stay: float) -> None:
    """The correlation t draws apart is (2 stay - 1)^t, so n draws are worth n (1 - r) / (1 + r) of them."""
    samples, correlation = chains(stay), 2.0 * stay - 1.0
    worth = 16_000 * (1.0 - correlation) / (1.0 + correlation)
    assert samples.effective[0, 1] == pytest.approx(worth, rel=0.15)
    assert samples.errors[0, 1] == pytest.approx(0.5 / np.sqrt(worth), rel=0.1)
    assert abs(samples.arcs[0, 1] - 0.5) < 4 * samples.errors[0, 1]
    assert samples.r_hat < 1.02


def test_errors_cover_the_truth_as_often_as_they_should() -> None:
    covered = 0
    for seed in range(200):
        generator = np.random.default_rng(seed)
        samples = Samples.of_chains([switching(generator, 300, 0.7, first) for first in range(4)], 1_200)
        covered += abs(samples.arcs[0, 1] - 0.5) < 1.96 * samples.errors[0, 1]
    assert 178 <= covered <= 199  # 190 expected


def test_chains_that_have_not_mixed_give_a_warning() -> None:
    with pytest.warns(MixingWarning, match=r"R-hat is (inf|\d)"):
        stuck = chains(1.0, 50)
    assert stuck.r_hat == np.inf
    with pytest.warns(MixingWarning):
        slow = chains(0.9999, 1_000)
    assert slow.r_hat > 1.1


def test_samples_of_chains_take_turns_and_are_cut() -> None:
    draws = [Draws(np.full((3, 2), chain, dtype=np.int32), np.full(3, chain, dtype=np.float64)) for chain in range(2)]
    samples = Samples.of_chains(draws, 5)
    assert samples.scores.tolist() == [0, 1, 0, 1, 0]
    assert samples.heads[:, 1].tolist() == [0, 1, 0, 1, 0]


def test_any_event_has_a_probability() -> None:
    samples = chains(0.5)

    def first_on_second(heads: NDArray[np.int32]) -> bool:
        return bool(heads[1] == 2)

    estimate = samples.probability(first_on_second)
    assert estimate.probability == pytest.approx(samples.arcs[2, 1])
    assert estimate.error == pytest.approx(samples.errors[2, 1])
    assert estimate.effective == pytest.approx(samples.effective[2, 1])
    always = samples.probability(lambda heads: True)
    assert always.probability == 1.0
    assert 0.0 < always.error < 1e-3


def test_independent_draws_are_worth_what_they_are() -> None:
    samples = Samples(np.array([[-1, 0, 1]] * 30 + [[-1, 2, 0]] * 10, dtype=np.int32), np.zeros(40))
    assert samples.effective.tolist() == [[40.0] * 3] * 3
    assert samples.arcs[0, 1] == 0.75
    assert samples.errors[0, 1] == pytest.approx(np.sqrt(0.75 * 0.25 / 40), rel=0.05)
    assert samples.errors[0, 0] > 0.0
