import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.features.arc import length_bin
from headway.features.words import NO_WORDS, WordFeatures
from headway.learning.tensor import (
    ALL_MODES,
    LearnedTensor,
    TensorGradient,
    TensorParts,
    add_gradient,
    arc_tensor_parts,
    average_tensor,
    current_tensor,
    learned_tensor,
    moving_mode,
    tensor_gradient,
)
from headway.scorers.tensor import Tensor, plain_tensor, project

ROWS, RANK, SHAPES = 11, 5, 6
DENSE = 2  # the last rows are those of vectors


class Lesson:
    """Words with random features (some in common), random factors and random parts."""

    def __init__(self, seed: int, modes: int) -> None:
        self.generator = generator = np.random.default_rng(seed)
        rows = np.zeros((7, 4), dtype=np.int32)
        for word in range(7):
            rows[word, 1:] = generator.choice(np.arange(1, ROWS - DENSE), 3, replace=False)
        vectors = generator.normal(size=(7, DENSE)).astype(np.float32)
        self.features = WordFeatures(rows, generator.integers(1, 5, size=7).astype(np.int32), vectors)
        words = generator.normal(size=(modes, ROWS, RANK)).astype(np.float32)
        self.tensor = plain_tensor(NO_WORDS, words, generator.normal(size=(SHAPES, RANK)).astype(np.float32))
        self.parts = TensorParts(
            generator.integers(7, size=(8, modes)).astype(np.int32),
            generator.integers(1, SHAPES, size=8).astype(np.int32),
            generator.integers(-2, 3, size=8).astype(np.float64),
        )

    def score(self, words: np.ndarray, shapes: np.ndarray) -> float:
        """The parts' summed score in double precision, from the definition."""
        total = 0.0
        for some, shape, coefficient in zip(*self.parts, strict=True):
            product = shapes[0].astype(np.float64) + shapes[shape]
            for mode, word in enumerate(some):
                found = words[mode, self.features.rows[word, : self.features.counts[word]]].sum(axis=0)
                product = product * (found + self.features.vectors[word] @ words[mode, -DENSE:])
            total += coefficient * product.sum()
        return total

    def gradient(self, tensor: Tensor, mode: int = ALL_MODES) -> TensorGradient:
        projections = project(self.features, tensor)
        return tensor_gradient(self.features, projections, tensor.shapes, self.parts, ROWS, mode)

    def dense(self, gradient: TensorGradient) -> np.ndarray:
        """(K, rows, R) The gradient of the word factors."""
        whole = np.zeros((self.tensor.words.shape[0] * ROWS, RANK))
        whole[gradient.keys] = gradient.rows
        return whole.reshape(self.tensor.words.shape)


@given(st.integers(0, 10_000), st.sampled_from([2, 3]))
def test_gradient_is_the_slope_of_the_score(seed: int, modes: int) -> None:
    lesson = Lesson(seed, modes)
    words, shapes = lesson.tensor.words.astype(np.float64), lesson.tensor.shapes.astype(np.float64)
    gradient = lesson.gradient(lesson.tensor)
    assert gradient.score == pytest.approx(lesson.score(words, shapes), rel=1e-4, abs=1e-3)
    for factor, found in ((words, lesson.dense(gradient)), (shapes, gradient.shapes)):
        for _ in range(10):
            place = tuple(lesson.generator.integers(factor.shape))
            before = factor[place]
            factor[place] = before + 1.0  # the score is linear in each number: any distance will do
            above = lesson.score(words, shapes)
            factor[place] = before - 1.0
            below = lesson.score(words, shapes)
            factor[place] = before
            assert found[place] == pytest.approx((above - below) / 2, rel=1e-3, abs=1e-3)


@given(st.integers(0, 10_000), st.sampled_from([2, 3]))
def test_modes_are_pieces_of_the_whole_gradient(seed: int, modes: int) -> None:
    lesson = Lesson(seed, modes)
    whole = lesson.gradient(lesson.tensor)
    pieces = [lesson.gradient(lesson.tensor, mode) for mode in range(modes + 1)]
    for mode, piece in enumerate(pieces[:-1]):
        assert not piece.shapes.any()
        assert set(piece.keys // ROWS) <= {mode}
    np.testing.assert_array_equal(sum(lesson.dense(piece) for piece in pieces), lesson.dense(whole))
    np.testing.assert_array_equal(pieces[-1].shapes, whole.shapes)
    assert len(pieces[-1].keys) == 0
    assert sum(piece.norm for piece in pieces) == pytest.approx(whole.norm)
    squares = (lesson.dense(whole) ** 2).sum() + (whole.shapes.astype(np.float64) ** 2).sum()
    assert whole.norm == pytest.approx(squares, rel=1e-5)
    assert (np.diff(whole.keys) > 0).all()


def test_a_step_in_one_mode_changes_the_score_by_step_times_norm() -> None:
    lesson = Lesson(3, 2)
    for mode in range(3):
        learned = learned_tensor(lesson.tensor)
        gradient = lesson.gradient(lesson.tensor, mode)
        add_gradient(learned, gradient, 0.125, 0)
        after = lesson.score(learned.words.values, learned.shapes.values)
        assert after - gradient.score == pytest.approx(0.125 * gradient.norm, rel=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_average_is_the_mean_of_all_snapshots(seed: int) -> None:
    lesson = Lesson(seed, 2)
    learned: LearnedTensor = learned_tensor(lesson.tensor)
    snapshots = []
    for step in range(20):
        if step % 3:
            gradient = lesson.gradient(current_tensor(learned))
            add_gradient(learned, gradient, 0.1 / gradient.norm, step)
        snapshots.append((learned.words.values.copy(), learned.shapes.values.copy()))
    mean = average_tensor(learned, 20)
    assert not np.array_equal(mean.words, lesson.tensor.words)
    np.testing.assert_allclose(mean.words, np.mean([words for words, _ in snapshots], axis=0), atol=1e-5)
    np.testing.assert_allclose(mean.shapes, np.mean([shapes for _, shapes in snapshots], axis=0), atol=1e-5)


def test_learning_leaves_the_start_alone() -> None:
    lesson = Lesson(4, 2)
    before = lesson.tensor.words.copy()
    learned = learned_tensor(lesson.tensor)
    add_gradient(learned, lesson.gradient(lesson.tensor), 1.0, 0)
    np.testing.assert_array_equal(lesson.tensor.words, before)
    assert not np.array_equal(learned.words.values, before)


def test_arcs_as_parts() -> None:
    coefficients = np.zeros((5, 5))
    coefficients[0, 2], coefficients[4, 1], coefficients[3, 0] = 1.0, -0.5, 9.0  # nothing hangs the root
    parts = arc_tensor_parts(coefficients)
    assert parts.words.tolist() == [[4, 1], [0, 2]]
    assert parts.shapes.tolist() == [length_bin(4, 1), length_bin(0, 2)]
    assert parts.coefficients.tolist() == [-0.5, 1.0]


def test_factors_take_turns_where_asked() -> None:
    assert [moving_mode(True, step, 2) for step in range(4)] == [0, 1, 2, 0]
    assert moving_mode(False, 1, 2) == ALL_MODES
