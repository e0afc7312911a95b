"""The paired bootstrap: exact small cases, its behaviour under the null hypothesis, and its power."""

import numpy as np
import pytest
from evaluation_samples import small_corpus
from numpy.typing import NDArray
from scipy import stats

from headway.errors import HeadwayError, UsageError
from headway.evaluation import Counts, Evaluation, evaluate, paired_bootstrap
from headway.evaluation.metrics import COLUMNS

WORDS = 20


def evaluation_of(correct: NDArray[np.int64], words: NDArray[np.int64] | int = WORDS) -> Evaluation:
    """An evaluation in which only the columns of LAS are filled."""
    rows = np.zeros((len(correct), len(COLUMNS)), dtype=np.int64)
    rows[:, COLUMNS.index("words")] = words
    rows[:, COLUMNS.index("labelled")] = correct
    return Evaluation(Counts(rows), {}, {}, {}, {})


def draw_system(generator: np.random.Generator, difficulty: NDArray[np.float64], gain: float) -> Evaluation:
    return evaluation_of(generator.binomial(WORDS, np.clip(difficulty + gain, 0, 1)))


def draw_difficulty(generator: np.random.Generator, sentences: int) -> NDArray[np.float64]:
    return generator.beta(16, 4, sentences)


def test_two_sentences_exactly() -> None:
    """Of 10 words each, second gains 2 and loses 1: draws differ by 20 (1/4), 5 (1/2) and -10 (1/4)."""
    first, second = evaluation_of(np.array([5, 5]), 10), evaluation_of(np.array([7, 4]), 10)
    found = paired_bootstrap(first, second)
    assert (found.first, found.second, found.difference) == (50, 55, 5)
    assert found.interval == (-10, 20)
    assert found.p_value == pytest.approx(0.5, abs=0.02)


def test_two_sentences_that_agree() -> None:
    """Draws differ by 20, 15 and 10: never as far from 15 as 15 is from 0."""
    found = paired_bootstrap(evaluation_of(np.array([5, 5]), 10), evaluation_of(np.array([7, 6]), 10), samples=999)
    assert found.p_value == 1 / 1000
    assert found.interval == (10, 20)


def test_equal_systems() -> None:
    evaluation = evaluation_of(np.arange(1, 20))
    found = paired_bootstrap(evaluation, evaluation, samples=100)
    assert (found.difference, found.p_value, found.interval) == (0, 1, (0, 0))


def test_systems_can_change_places() -> None:
    generator = np.random.default_rng(1)
    difficulty = draw_difficulty(generator, 50)
    first, second = (draw_system(generator, difficulty, gain) for gain in (0, 0.03))
    one, other = paired_bootstrap(first, second, samples=500), paired_bootstrap(second, first, samples=500)
    assert one.difference == -other.difference
    assert one.p_value == other.p_value
    assert one.interval == pytest.approx((-other.interval[1], -other.interval[0]))


def test_seed_decides() -> None:
    generator = np.random.default_rng(2)
    difficulty = draw_difficulty(generator, 60)
    first, second = (draw_system(generator, difficulty, gain) for gain in (0, 0.01))
    same = [paired_bootstrap(first, second, samples=300, seed=seed) for seed in (5, 5, 6)]
    assert same[0] == same[1]
    assert same[0] != same[2]


def test_p_values_are_uniform_under_the_null() -> None:
    generator = np.random.default_rng(3)
    p_values, covered = [], []
    for trial in range(400):
        difficulty = draw_difficulty(generator, 120)
        first, second = draw_system(generator, difficulty, 0), draw_system(generator, difficulty, 0)
        found = paired_bootstrap(first, second, samples=400, seed=trial)
        p_values.append(found.p_value)
        covered.append(found.interval[0] <= 0 <= found.interval[1])
    assert stats.kstest(p_values, "uniform").pvalue > 0.01
    assert np.mean(np.array(p_values) < 0.05) == pytest.approx(0.05, abs=0.03)
    assert np.mean(covered) == pytest.approx(0.95, abs=0.03)


def test_true_difference_is_found() -> None:
    generator = np.random.default_rng(4)
    found = []
    for trial in range(20):
        difficulty = draw_difficulty(generator, 400)
        first, second = draw_system(generator, difficulty, 0), draw_system(generator, difficulty, 0.04)
        found.append(paired_bootstrap(first, second, samples=500, seed=trial))
    assert all(result.p_value < 0.01 and result.difference > 0 for result in found)
    assert all(result.interval[0] > 0 for result in found)


def test_interval_is_as_wide_as_the_standard_error_says() -> None:
    """Many sentences of unequal length, drawn in several chunks: the ratio estimator's normal interval."""
    generator = np.random.default_rng(5)
    words = generator.integers(1, 40, 1000)
    first, second = (generator.binomial(words, rate) for rate in (0.85, 0.86))
    found = paired_bootstrap(evaluation_of(first, words), evaluation_of(second, words))
    difference = (second - first).sum() / words.sum()
    error = np.sqrt(((second - first - difference * words) ** 2).sum()) / words.sum()
    expected = 100 * np.array([difference - 1.96 * error, difference + 1.96 * error])
    assert found.interval == pytest.approx(expected, abs=0.1 * 100 * error)


def test_any_metric_works_even_where_draws_hold_nothing() -> None:
    gold, system = small_corpus()
    first, second = evaluate(gold, system), evaluate(gold, gold)
    clas = paired_bootstrap(first, second, metric="CLAS", samples=200)
    assert (clas.first, clas.second) == (first.clas, second.clas)
    assert paired_bootstrap(first, second, metric="NONPROJ", samples=200).difference == 0


def test_other_confidence() -> None:
    generator = np.random.default_rng(6)
    first, second = (evaluation_of(generator.binomial(WORDS, 0.8, 100)) for _ in range(2))
    wide, narrow = (paired_bootstrap(first, second, confidence=c, samples=500) for c in (0.99, 0.5))
    assert wide.interval[0] < narrow.interval[0] < narrow.interval[1] < wide.interval[1]


def test_different_corpora_are_refused() -> None:
    first, second = evaluation_of(np.array([1, 2])), evaluation_of(np.array([1, 2, 3]))
    with pytest.raises(HeadwayError, match="2 and 3 sentences"):
        paired_bootstrap(first, second)
    with pytest.raises(HeadwayError, match="different gold standards: sentence 2 differs"):
        paired_bootstrap(first, evaluation_of(np.array([1, 2]), np.array([20, 19])))
    with pytest.raises(HeadwayError, match="at least 2 sentences"):
        paired_bootstrap(evaluation_of(np.array([1])), evaluation_of(np.array([1])))


def test_bad_options_are_refused() -> None:
    evaluation = evaluation_of(np.array([1, 2]))
    with pytest.raises(UsageError, match="at least 1 sample"):
        paired_bootstrap(evaluation, evaluation, samples=0)
    with pytest.raises(UsageError, match="confidence"):
        paired_bootstrap(evaluation, evaluation, confidence=95)
    with pytest.raises(UsageError, match="no metric 'F2'"):
        paired_bootstrap(evaluation, evaluation, metric="F2")
