"""Trees and senses together, against all choices of senses with all projective trees."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_charts import Places, parts_of, projective_trees, read_by

from headway.decoders.third_order import best_senses
from headway.errors import ConstraintError, UsageError
from headway.parts import Candidates, Scores


def sense_positions(senses: list[int]) -> np.ndarray:
    return np.repeat(np.arange(len(senses) + 1), [1, *senses])


def sense_candidates(positions: np.ndarray) -> Candidates:
    return Candidates.from_mask(positions[:, None] != positions[None, :])


def slow_best(places: Places, scores: Scores, positions: np.ndarray, factorization: str, single_root: bool) -> float:
    """The score of the best tree over one vertex for each word."""
    words = [np.flatnonzero(positions == word).tolist() for word in range(1, positions[-1] + 1)]
    arcs, best = places.candidates.dense(scores.arc, -np.inf), -np.inf
    none = len(positions)
    for chosen in itertools.product(*words):
        vertices = [0, *chosen, none]
        for tree in projective_trees(len(words), single_root=single_root):
            total = sum(arcs[vertices[tree[word]], vertices[word]] for word in range(1, len(tree)))
            for kind, side, words_of_part in parts_of(tree, factorization):
                part = kind, side, tuple(vertices[word] for word in words_of_part)
                total += getattr(scores, kind)[places.place[part]]
            best = max(best, total)
    return best


@pytest.mark.parametrize("factorization", ["first-order", "sibling", "model1"])
@given(
    senses=st.lists(st.integers(1, 3), min_size=1, max_size=4),
    seed=st.integers(0, 2**32 - 1),
    single_root=st.booleans(),
)
@settings(max_examples=25)
def test_the_best_tree_with_the_best_senses(
    factorization: str, senses: list[int], seed: int, single_root: bool
) -> None:
    positions = sense_positions(senses)
    places = Places(sense_candidates(positions))
    scores = places.random_scores(np.random.default_rng(seed))
    parse = best_senses(places.candidates, scores, positions, factorization=factorization, single_root=single_root)
    expected = slow_best(places, scores, positions, factorization, single_root)
    assert parse.score == pytest.approx(expected, abs=1e-9)
    chosen = np.flatnonzero(parse.heads >= 0)
    assert positions[chosen].tolist() == list(range(1, len(senses) + 1))
    assert all(head == 0 or parse.heads[head] >= 0 for head in parse.heads[chosen])
    assert parse.exact


def test_one_sense_each_is_the_plain_search() -> None:
    from headway.decoders.third_order import ChartDecoder

    places = Places(Candidates.all(5))
    scores = places.random_scores(np.random.default_rng(0))
    one = best_senses(places.candidates, scores, np.arange(6), factorization="model1")
    np.testing.assert_array_equal(
        one.heads, ChartDecoder("model1").decode(places.candidates, read_by("model1", scores)).heads
    )


@pytest.mark.parametrize("positions", [[0, 0, 1], [1, 2, 3], [0, 2, 3], [0, 1], [0, 2, 1]])
def test_positions_are_checked(positions: list[int]) -> None:
    candidates = Candidates.all(2)
    with pytest.raises(UsageError, match="positions must be 0 for the root"):
        best_senses(candidates, Scores(np.zeros(len(candidates))), np.array(positions))


def test_arcs_inside_a_word_are_refused() -> None:
    candidates = Candidates.all(2)
    with pytest.raises(UsageError, match="two senses of one word"):
        best_senses(candidates, Scores(np.zeros(len(candidates))), np.array([0, 1, 1]))


def test_a_word_that_no_arc_reaches() -> None:
    positions = np.array([0, 1, 1, 2])
    mask = np.zeros((4, 4), dtype=bool)
    mask[0, 1] = mask[0, 2] = True
    candidates = Candidates.from_mask(mask)
    with pytest.raises(ConstraintError, match="contain no"):
        best_senses(candidates, Scores(np.zeros(len(candidates))), positions)
