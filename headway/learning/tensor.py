"""Train a low-rank tensor together with sparse weights, by MIRA.

With all factors but one fixed, the score is linear in that factor, so a passive-aggressive update has a closed form;
Lei et al. (2014, Section 4) alternate between factors. By default, all factors are updated at once, along the gradient
at their old values. The tensor's steps are `rate` times those of the sparse weights:

    alpha = min(C, loss / (|D|² + rate |dT|²)),    weights += alpha D,    factors += alpha rate dT

which is the papers' balance between the two scores, applied to the step size instead of the score. Factors are averaged
separately. Cost: O(R) for each feature of the words of each wrong arc.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.features.arc import length_bin
from headway.features.words import WordFeatures, WordPlan, word_features
from headway.kernel import kernel
from headway.learning.averaging import AveragedTable, average
from headway.parts.kinds import GRANDPARENT, read_key
from headway.scorers.high_order import triple_words
from headway.scorers.sparse import SparseVector
from headway.scorers.tensor import Tensor, plain_tensor, project

ALL_MODES = -1
"""A value of `mode`: the gradient of all factors at once."""


@dataclass(frozen=True)
class TensorRule:
    """The size of a tensor.

    Parameters
    ----------
    rank : int
        The R of `headway.scorers.tensor`.
    least, most : int
        The minimum frequency of word features, and the maximum number of rows.
    """

    rank: int = 48
    least: int = 2
    most: int = 1 << 16


class LearnedTensor(NamedTuple):
    """A tensor during training: the tables of `Tensor`, with the sums for their averages."""

    plan: WordPlan
    words: AveragedTable
    shapes: AveragedTable


class TensorParts(NamedTuple):
    """Parts of one sentence with coefficients, such as gold parts minus found parts.

    Parameters
    ----------
    words : (parts, K) int32
    shapes : (parts,) int32
    coefficients : (parts,) float64
    """

    words: npt.NDArray[np.int32]
    shapes: npt.NDArray[np.int32]
    coefficients: npt.NDArray[np.float64]


class TensorGradient(NamedTuple):
    """The gradient of the score of some parts.

    Parameters
    ----------
    keys : (entries,) int64
        Rows of the word factors: mode times the number of rows, plus the row; sorted.
    rows : (entries, R) float32
    shapes : (shapes, R) float32
    score : float
        The score of the parts, including coefficients.
    norm : float
        The squared length of the gradient.
    """

    keys: npt.NDArray[np.int64]
    rows: npt.NDArray[np.float32]
    shapes: npt.NDArray[np.float32]
    score: float
    norm: float


def learned_tensor(start: Tensor) -> LearnedTensor:
    """Return a tensor to train, starting from `start`, which must not be packed."""
    words, shapes = (AveragedTable(factor.copy(), np.zeros(factor.shape)) for factor in (start.words, start.shapes))
    return LearnedTensor(start.plan, words, shapes)


def average_tensor(tensor: LearnedTensor, steps: int) -> Tensor:
    """Return the tensor whose factors are the means of the factors after each of `steps` steps."""
    return plain_tensor(tensor.plan, average(tensor.words, steps), average(tensor.shapes, steps))


@kernel
def current_tensor(tensor: LearnedTensor) -> Tensor:
    """Return the tensor with its current values; it changes as training continues."""
    modes, _, rank = tensor.words.values.shape
    scales = np.ones((modes, rank), dtype=np.float32)
    return Tensor(tensor.plan, tensor.words.values, scales, tensor.shapes.values)


@kernel
def arc_tensor_parts(coefficients: npt.NDArray[np.float64]) -> TensorParts:
    """Return the arcs with a coefficient, given coefficients (n + 1, n + 1) [head, modifier]."""
    count = int(np.count_nonzero(coefficients[:, 1:]))
    parts = TensorParts(
        np.empty((count, 2), dtype=np.int32), np.empty(count, dtype=np.int32), np.empty(count, dtype=np.float64)
    )
    place = 0
    for modifier in range(1, coefficients.shape[0]):
        for head in range(coefficients.shape[0]):
            if coefficients[head, modifier] != 0.0:
                parts.words[place, 0], parts.words[place, 1] = head, modifier
                parts.shapes[place] = length_bin(head, modifier)
                parts.coefficients[place] = coefficients[head, modifier]
                place += 1
    return parts


@kernel
def triple_tensor_parts(difference: SparseVector, tensor: LearnedTensor) -> TensorParts:
    """Return the siblings and grandparents with a coefficient; none if there is no tensor for them.

    Parameters
    ----------
    difference : SparseVector
        Maps keys of parts to coefficients.
    """
    count = difference.size[0] if tensor.shapes.values.shape[1] > 0 else 0
    words, shapes = np.empty((count, 3), dtype=np.int32), np.empty(count, dtype=np.int32)
    coefficients = np.empty(count, dtype=np.float64)
    place = 0
    for entry in range(count):
        kind, shape, first, second, third, _ = read_key(difference.keys[difference.order[entry]])
        coefficient = difference.values[difference.order[entry]]
        if kind <= GRANDPARENT and coefficient != 0.0:
            words[place, 0], words[place, 1], shapes[place] = triple_words(kind, shape, first, second)
            words[place, 2], coefficients[place] = third, coefficient
            place += 1
    return TensorParts(words[:place], shapes[:place], coefficients[:place])


@kernel
def moving_mode(alternating: bool, step: int, modes: int) -> int:
    """Return the factor to update in this step: `ALL_MODES` or, if alternating, one factor, shapes after words."""
    return step % (modes + 1) if alternating else ALL_MODES


@kernel
def sentence_gradient(
    atoms: npt.NDArray[np.int32], tensor: LearnedTensor, parts: TensorParts, mode: int
) -> TensorGradient:
    """Return the gradient for parts of one sentence at the current factors; see `tensor_gradient`."""
    features = word_features(atoms, tensor.plan)
    projections = project(features, current_tensor(tensor))
    rows = tensor.words.values.shape[1]
    return tensor_gradient(features, projections, tensor.shapes.values, parts, rows, mode)


@kernel
def tensor_gradient(
    features: WordFeatures,
    projections: npt.NDArray[np.float32],
    shapes: npt.NDArray[np.float32],
    parts: TensorParts,
    rows: int,
    mode: int,
) -> TensorGradient:
    """Return the gradient of the parts' summed score.

    Parameters
    ----------
    projections : (K, n + 2, R) float32
        Projections by the current factors.
    rows : int
        The number of rows of a word factor.
    mode : int
        The factor to differentiate by, or `ALL_MODES`.
    """
    by_word = np.zeros(projections.shape, dtype=np.float32)
    by_shape = np.zeros(shapes.shape, dtype=np.float32)
    score = 0.0
    for part in range(len(parts.shapes)):
        score += _add_part(projections, shapes, parts, part, mode, by_word, by_shape)
    keys, values = _spread(features, parts, by_word, rows, mode)
    norm = 0.0
    for table in (values, by_shape):
        for line in range(table.shape[0]):
            for place in range(table.shape[1]):
                norm += table[line, place] * table[line, place]
    return TensorGradient(keys, values, by_shape, score, norm)


@kernel
def _add_part(
    projections: npt.NDArray[np.float32],
    shapes: npt.NDArray[np.float32],
    parts: TensorParts,
    part: int,
    mode: int,
    by_word: npt.NDArray[np.float32],
    by_shape: npt.NDArray[np.float32],
) -> float:
    """Add one part's gradient by its words' projections and by the shapes; return its score."""
    modes, _, rank = projections.shape
    shape, coefficient = parts.shapes[part], np.float32(parts.coefficients[part])
    product = np.empty(rank, dtype=np.float32)
    for factor in range(modes + 1):  # the last factor is that of shapes
        for place in range(rank):
            product[place] = coefficient
            if factor < modes:
                product[place] *= shapes[0, place] + shapes[shape, place]
        for other in range(modes):
            if other != factor:
                row = projections[other, parts.words[part, other]]
                for place in range(rank):
                    product[place] *= row[place]
        if factor < modes and mode in (ALL_MODES, factor):
            target = by_word[factor, parts.words[part, factor]]
            for place in range(rank):
                target[place] += product[place]
    score = 0.0
    for place in range(rank):
        score += product[place] * (shapes[0, place] + shapes[shape, place])
        if mode in (ALL_MODES, modes):
            by_shape[0, place] += product[place]
            by_shape[shape, place] += product[place]
    return score


@kernel
def _spread(
    features: WordFeatures, parts: TensorParts, by_word: npt.NDArray[np.float32], rows: int, mode: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """Turn gradients of words into gradients of feature rows: keys (entries,), and summed gradients (entries, R)."""
    modes, size, rank = by_word.shape
    used = np.zeros((modes, size), dtype=np.bool_)
    for part in range(len(parts.shapes)):
        for factor in range(modes):
            used[factor, parts.words[part, factor]] = mode in (ALL_MODES, factor)
    dense = features.vectors.shape[1]
    every = np.empty(int((used * (features.counts + dense)).sum()), dtype=np.int64)
    count = 0
    for factor in range(modes):
        for word in np.flatnonzero(used[factor]):
            for index in range(features.counts[word]):
                every[count] = factor * rows + features.rows[word, index]
                count += 1
            for index in range(dense):
                every[count] = (factor + 1) * rows - dense + index
                count += 1
    keys = np.unique(every)
    places = np.searchsorted(keys, every)
    values = np.zeros((len(keys), rank), dtype=np.float32)
    count = 0
    for factor in range(modes):
        for word in np.flatnonzero(used[factor]):
            for _ in range(features.counts[word]):
                target = values[places[count]]
                for place in range(rank):
                    target[place] += by_word[factor, word, place]
                count += 1
            for index in range(dense):
                target, value = values[places[count]], features.vectors[word, index]
                for place in range(rank):
                    target[place] += by_word[factor, word, place] * value
                count += 1
    return keys, values


@kernel
def add_gradient(tensor: LearnedTensor, gradient: TensorGradient, factor: float, step: int) -> None:
    """Add ``factor * gradient`` to the factors, as part of step number `step` (the first is 0)."""
    rank = tensor.shapes.values.shape[1]
    values, changes = tensor.words.values.reshape(-1, rank), tensor.words.changes.reshape(-1, rank)
    for entry in range(len(gradient.keys)):
        key = gradient.keys[entry]
        for place in range(rank):
            change = factor * gradient.rows[entry, place]
            values[key, place] += change
            changes[key, place] += change * step
    for shape in range(gradient.shapes.shape[0]):
        for place in range(rank):
            change = factor * gradient.shapes[shape, place]
            tensor.shapes.values[shape, place] += change
            tensor.shapes.changes[shape, place] += change * step
