"""The learning of joint scores: its gradient against differences, and what it learns of made-up words."""

import numpy as np
import small_corpus

from headway.encoding import Encoder
from headway.joint.examples import SLOTS, Examples
from headway.joint.learning import gradients, learn

GENERATOR = np.random.default_rng(7)


def made_up(words: int) -> Examples:
    """Words with three readings: the second is right where feature 5 says so, else the first."""
    second = GENERATOR.random(words) < 0.5
    slots, values, starts = list[int](), list[float](), [0]
    for told in second:
        for active in ([], [5 if told else 6, 7], [8]):
            slots += active
            values += [1.0] * len(active)
            starts.append(len(slots))
    good = np.stack([~second, second, np.zeros(words, dtype=np.bool_)], axis=1).reshape(-1)
    dense = np.stack([np.zeros((words, 2)), GENERATOR.normal(size=(words, 2)), GENERATOR.normal(size=(words, 2))], 1)
    return Examples(
        np.arange(0, 3 * words + 1, 3),
        good,
        dense.reshape(-1, 2),
        np.array(starts),
        np.array(slots, dtype=np.int32),
        np.array(values, dtype=np.float32),
    )


def likelihood(examples: Examples, word: int, table: np.ndarray, dense: np.ndarray, extra: np.ndarray) -> float:
    begin, end = examples.words[word], examples.words[word + 1]
    scores = np.array([
        dense @ examples.dense[entry]
        + sum(table[examples.slots[place]] * examples.values[place] for place in range(*examples.features[entry:][:2]))
        for entry in range(begin, end)
    ])  # fmt: skip
    weights = np.exp(scores + extra)
    return float(np.log(weights[examples.good[begin:end]].sum() / weights.sum()))


def test_gradients_are_those_of_the_likelihood() -> None:
    examples = made_up(4)
    examples.good[3:6] = True, False, True  # two readings may be as good as each other
    table, dense = GENERATOR.normal(size=16), GENERATOR.normal(size=2)
    for word in range(4):
        found = gradients(examples, int(examples.words[word]), int(examples.words[word + 1]), table, dense)
        for entry in range(3):
            step = np.zeros(3)
            step[entry] = 1e-5
            slope = likelihood(examples, word, table, dense, step) - likelihood(examples, word, table, dense, -step)
            np.testing.assert_allclose(found[entry], slope / 2e-5, atol=1e-6)


def test_it_learns_what_tells_readings_apart() -> None:
    weights = learn(made_up(400), Encoder.fit(small_corpus.sample(5)), epochs=5)
    rows = weights.rows
    kept = np.zeros(SLOTS, dtype=np.bool_)
    bits = rows.directory[:, :1] >> np.arange(64, dtype=np.uint64) & np.uint64(1)
    kept[:] = bits.reshape(-1).astype(np.bool_)
    weight = dict(zip(np.flatnonzero(kept).tolist(), (rows.values[:, 0] * rows.scale).tolist(), strict=True))
    assert weight[5] > 0.2 > 0.0 > weight[6]
    assert weight[8] < 0.0
    assert min(weights.tree, weights.reading) >= 0.0


def test_the_same_seed_gives_the_same_weights() -> None:
    examples, encoder = made_up(50), Encoder.fit(small_corpus.sample(5))
    first, second, third = (learn(examples, encoder, seed=seed) for seed in (1, 1, 2))
    assert (first.rows.values == second.rows.values).all()
    assert (first.tree, first.reading) == (second.tree, second.reading) != (third.tree, third.reading)
