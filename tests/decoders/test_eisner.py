"""Eisner's algorithm beyond the reach of brute force."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from headway.decoders.eisner import Eisner
from headway.marginals import inside_outside
from headway.parts import Candidates, Scores

LENGTH = 120


def chain_to_the_right() -> NDArray[np.int64]:
    return np.arange(LENGTH)


def chain_to_the_left() -> NDArray[np.int64]:
    return np.append(np.arange(2, LENGTH + 1), 0)


def star_around_the_middle() -> NDArray[np.int64]:
    heads = np.full(LENGTH, LENGTH // 2)
    heads[LENGTH // 2 - 1] = 0
    return heads


def zigzag() -> NDArray[np.int64]:
    """The middle word heads its left neighbour, that one nothing but the next further out, side by side."""
    order = sorted(range(1, LENGTH + 1), key=lambda word: abs(2 * word - LENGTH - 1), reverse=True)
    heads = np.zeros(LENGTH, dtype=np.int64)
    for head, modifier in pairwise(order):
        heads[modifier - 1] = head
    return heads


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize(
    "shape",
    [chain_to_the_right, chain_to_the_left, star_around_the_middle, zigzag],
    ids=lambda shape: shape.__name__,
)
def test_finds_trees_of_extreme_shapes(shape, single_root: bool) -> None:  # type: ignore[no-untyped-def]
    heads = np.concatenate([[-1], shape()])
    candidates = Candidates.all(LENGTH)
    scores = Scores(np.where(heads[candidates.modifiers] == candidates.heads, 1.0, 0.0))
    parse = Eisner().decode(candidates, scores, single_root=single_root)
    np.testing.assert_array_equal(parse.heads, heads)


@pytest.mark.parametrize("single_root", [True, False])
def test_is_the_limit_of_the_log_partition(single_root: bool) -> None:
    generator = np.random.default_rng(3)
    candidates = Candidates.all(40)
    for _ in range(5):
        scores = generator.normal(size=len(candidates))
        parse = Eisner().decode(candidates, Scores(scores), single_root=single_root)
        cold = inside_outside(candidates, Scores(scores * 1e4), single_root=single_root)
        assert parse.score == pytest.approx(cold.log_partition / 1e4, abs=1e-2)
