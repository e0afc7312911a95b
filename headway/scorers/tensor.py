"""The low-rank tensor: score parts by products of projected words.

A part with K words w_1 … w_K and a shape s (for arcs, direction and length) scores

    T = sum over r of  (U_1[r] · phi(w_1)) … (U_K[r] · phi(w_K)) (W[0, r] + W[s, r])

where phi(w) are the word features of `headway.features.words` and r runs up to the rank R. Words are
projected once per sentence; an arc is then a product of two rows of R numbers, so features of head and modifier that
never occurred together in training still have a joint score.

Reference: Lei et al. 2014 (low-rank tensors), Section 3. Cost: n (features) R K to project, n² R for all arcs.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from headway.features.arc import ROW, length_bin
from headway.features.words import NO_WORDS, WordFeatures, WordPlan, table_rows, word_features
from headway.kernel import kernel, leaf_kernel, unit_kernel

ARC_SHAPES = ROW
"""The number of shapes of an arc: `length_bin`; 0 stands for all shapes."""

_FIRST_BIN, _LAST_BIN = 3, 14
_LARGEST = 127
_ROUNDING = 1e-12


class Tensor(NamedTuple):
    """A tensor, as factors.

    Parameters
    ----------
    plan : WordPlan
        The word features.
    words : (K, rows, R) float32 or int8
        A factor for each word of a part.
    scales : (K, R) float32
        The value of 1 in `words`.
    shapes : (shapes, R) float32
        The factor for the shape; its row 0 is added for every part.
    """

    plan: WordPlan
    words: npt.NDArray[Any]
    scales: npt.NDArray[np.float32]
    shapes: npt.NDArray[np.float32]


def plain_tensor(plan: WordPlan, words: npt.NDArray[np.float32], shapes: npt.NDArray[np.float32]) -> Tensor:
    """Return a tensor of unpacked factors."""
    return Tensor(plan, words, np.ones((words.shape[0], words.shape[2]), dtype=np.float32), shapes)


def pack_tensor(tensor: Tensor) -> Tensor:
    """Quantise the word factors to int8, which is a quarter of the size; integer sums are exact."""
    values = tensor.words * tensor.scales[:, None]
    scales = np.abs(values).max(axis=1) / _LARGEST
    scales[scales == 0.0] = 1.0
    words = np.rint(values / scales[:, None]).astype(np.int8)
    return _read_only(tensor._replace(words=words, scales=scales.astype(np.float32)))


def settle_signs(tensor: Tensor) -> Tensor:
    """Return the tensor with unique signs: the largest number of every word factor is positive.

    Changing the signs of two factors does not change scores, and the singular vectors used for initialisation have
    arbitrary signs. Shapes that are only rounding errors become zero.
    """
    largest = np.abs(tensor.words).argmax(axis=1)[:, None]
    signs = np.where(np.take_along_axis(tensor.words, largest, axis=1) < 0, -1, 1).astype(np.int8)
    shapes = tensor.shapes * signs.prod(axis=0)
    shapes = np.where(np.abs(shapes) < _ROUNDING, 0.0, shapes)
    return _read_only(tensor._replace(words=tensor.words * signs, shapes=shapes.astype(np.float32)))


def _read_only(tensor: Tensor) -> Tensor:
    """Make the factors read-only, as after loading, because kernels are compiled for one array type."""
    factors = {}
    for name in ("words", "scales", "shapes"):
        factors[name] = getattr(tensor, name).copy()
        factors[name].flags.writeable = False
    return tensor._replace(**factors)


def is_packed_tensor(tensor: Tensor, *, modes: int, shapes: int) -> bool:
    """Return whether this is a valid packed tensor; kernels do not check its rows."""
    rank = tensor.shapes.shape[-1]
    kinds = [factor.dtype.name for factor in (tensor.words, tensor.scales, tensor.shapes)]
    return (
        kinds == ["int8", "float32", "float32"]
        and tensor.words.shape == (modes, table_rows(tensor.plan), rank)
        and tensor.scales.shape == (modes, rank)
        and tensor.shapes.shape == (shapes, rank)
        and bool(np.isfinite(tensor.scales).all() and np.isfinite(tensor.shapes).all())
    )


def no_tensor(modes: int) -> Tensor:
    """Return the empty tensor, of rank 0: every part of `modes` words scores 0."""
    return plain_tensor(NO_WORDS, np.zeros((modes, 1, 0), dtype=np.float32), np.zeros((1, 0), dtype=np.float32))


NO_TENSOR = no_tensor(2)
"""The empty tensor of arcs."""

NO_PACKED_TENSOR = pack_tensor(NO_TENSOR)
"""The empty tensor for packed models, because kernels are compiled for one type of tensor."""


@kernel
def project(features: WordFeatures, tensor: Tensor) -> npt.NDArray[np.float32]:
    """(K, n + 2, R) float32: Project every word of a sentence in every mode."""
    modes, _, rank = tensor.words.shape
    size = features.rows.shape[0]
    projections = np.zeros((modes, size, rank), dtype=np.float32)
    for mode in range(modes):
        for word in range(size):
            total = projections[mode, word]
            for index in range(features.counts[word]):
                row = tensor.words[mode, features.rows[word, index]]
                for place in range(rank):
                    total[place] += row[place]
            _add_vector(features, tensor, mode, word, total)
            for place in range(rank):
                total[place] *= tensor.scales[mode, place]
    return projections


@kernel
def _add_vector(features: WordFeatures, tensor: Tensor, mode: int, word: int, total: npt.NDArray[np.float32]) -> None:
    """Add the rows of a word's vector, each times the number in its dimension."""
    size = features.vectors.shape[1]
    first = tensor.words.shape[1] - size
    for index in range(size):
        value = features.vectors[word, index]
        if value != 0.0:
            row = tensor.words[mode, first + index]
            for place in range(len(total)):
                total[place] += value * row[place]


@unit_kernel
def project_sentence(atoms: npt.NDArray[np.int32], tensor: Tensor) -> npt.NDArray[np.float32]:
    """(K, n + 2, R) float32: Like `project`, from ``atoms`` (n + 1, atoms)."""
    if tensor.words.shape[2] == 0:
        return np.zeros((tensor.words.shape[0], atoms.shape[0] + 1, 0), dtype=np.float32)
    return project(word_features(atoms, tensor.plan), tensor)


@unit_kernel
def add_arc_tensor(
    projections: npt.NDArray[np.float32],
    shapes: npt.NDArray[np.float32],
    allowed: npt.NDArray[np.bool_],
    scores: npt.NDArray[np.float64],
) -> None:
    """Add the tensor's scores to ``scores`` (n + 1, n + 1) [head, modifier], for the allowed arcs.

    Parameters
    ----------
    projections : (2, n + 2, R) float32
        Projections of words as heads and as modifiers.
    allowed : (n + 1, n + 1) bool
        The candidate arcs, or `headway.scorers.linear.EVERY_ARC`.
    """
    size, rank = scores.shape[0], shapes.shape[1]
    if rank == 0:
        return
    every = allowed.shape[0] == 0
    shaped = np.empty((ARC_SHAPES, rank), dtype=np.float32)
    for modifier in range(1, size):
        projection = projections[1, modifier]
        for shape in range(_FIRST_BIN, _LAST_BIN + 1):
            for place in range(rank):
                shaped[shape, place] = projection[place] * (shapes[0, place] + shapes[shape, place])
        for head in range(size):
            if head != modifier and (every or allowed[head, modifier]):
                scores[head, modifier] += _dot(projections[0, head], shaped[length_bin(head, modifier)])


TRIPLE_SHAPES = 16
"""The number of shapes of a part of three words: from 1 those of siblings, from 8 those of grandparents; 0 for all."""

NO_TRIPLES = no_tensor(3)
"""The empty tensor of siblings (sibling, head, modifier) and grandparents (grandparent, head, modifier)."""

NO_PACKED_TRIPLES = pack_tensor(NO_TRIPLES)
"""The empty tensor for packed models, because kernels are compiled for one type of tensor."""


@leaf_kernel
def triple_tensor_score(
    projections: npt.NDArray[np.float32],
    shapes: npt.NDArray[np.float32],
    first: int,
    second: int,
    third: int,
    shape: int,
) -> float:
    """Return the score of one part of three words, which may be n + 1 for "no such word".

    Parameters
    ----------
    projections : (3, n + 2, R) float32
    shape : int
        The shape, from 1; 0 stands for all shapes.
    """
    total = np.float32(0.0)
    for place in range(shapes.shape[1]):
        product = projections[0, first, place] * projections[1, second, place] * projections[2, third, place]
        total += product * (shapes[0, place] + shapes[shape, place])
    return float(total)


@kernel
def _dot(left: npt.NDArray[np.float32], right: npt.NDArray[np.float32]) -> float:
    total = np.float32(0.0)
    for place in range(len(left)):
        total += left[place] * right[place]
    return float(total)


def tensor_arrays(name: str, tensor: Tensor) -> dict[str, npt.NDArray[Any]]:
    """Return the factors of a tensor as arrays of a model file."""
    return {f"{name}_words": tensor.words, f"{name}_scales": tensor.scales, f"{name}_shapes": tensor.shapes}
