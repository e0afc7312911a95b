import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.errors import ConstraintError
from headway.parts import Candidates


def test_lays_arcs_out_by_modifier() -> None:
    mask = np.zeros((4, 4), dtype=bool)
    mask[[0, 3, 1, 0, 2], [1, 1, 2, 3, 3]] = True
    candidates = Candidates.from_mask(mask)
    assert candidates.length == 3
    assert len(candidates) == 5
    assert candidates.offsets.tolist() == [0, 0, 2, 3, 5]
    assert candidates.heads.tolist() == [0, 3, 1, 0, 2]
    assert candidates.modifiers.tolist() == [1, 1, 2, 3, 3]
    assert (candidates.offsets.dtype, candidates.heads.dtype) == (np.int64, np.int32)
    assert candidates.modifiers.dtype == np.int32


@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_all_has_every_arc_but_loops(n: int) -> None:
    candidates = Candidates.all(n)
    assert len(candidates) == n * n
    assert candidates.offsets[:2].tolist() == [0, 0]
    assert not (candidates.heads == candidates.modifiers).any()


def test_loops_and_arcs_to_the_root_are_no_candidates() -> None:
    assert Candidates.from_mask(np.eye(4, dtype=bool)).heads.size == 0
    mask = np.zeros((4, 4), dtype=bool)
    mask[:, 0] = True
    assert Candidates.from_mask(mask).heads.size == 0


@given(n=st.integers(0, 9), seed=st.integers(0, 2**32 - 1))
def test_dense_gather_and_index_agree(n: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    mask = generator.random((n + 1, n + 1)) < 0.5
    candidates = Candidates.from_mask(mask)
    values = generator.normal(size=len(candidates))
    table = candidates.dense(values, -7.0)
    np.testing.assert_array_equal(candidates.gather(table), values)
    for head in range(n + 1):
        for modifier in range(n + 1):
            arc = candidates.index(head, modifier)
            if modifier > 0 and head != modifier and mask[head, modifier]:
                assert (candidates.heads[arc], candidates.modifiers[arc]) == (head, modifier)
                assert table[head, modifier] == values[arc]
            else:
                assert arc == -1
                assert table[head, modifier] == -7.0


def test_index_of_words_that_are_not_there() -> None:
    candidates = Candidates.all(3)
    assert candidates.index(1, 4) == -1
    assert candidates.index(4, 1) == -1
    assert candidates.index(1, -1) == -1


def test_restrict_keeps_what_agrees() -> None:
    restricted = Candidates.all(3).restrict({2: 3}, [(0, 1), (1, 3)])
    arcs = set(zip(restricted.heads.tolist(), restricted.modifiers.tolist(), strict=True))
    assert arcs == {(2, 1), (3, 1), (3, 2), (0, 3), (2, 3)}
    assert len(Candidates.all(3).restrict()) == 9


@pytest.mark.parametrize(
    ("required", "forbidden", "message"),
    [
        ({4: 1}, [], "names modifier 4: words are 1 to 3"),
        ({0: 1}, [], "names modifier 0"),
        ({1: 4}, [], "names head 4: heads are 0 to 3"),
        ({1: -1}, [], "names head -1"),
        ({2: 2}, [], "word 2 cannot be its own head"),
        ({}, [(1, 4)], "names modifier 4"),
        ({}, [(3, 3)], "own head"),
        ({1: 2}, [(2, 1)], "both required and forbidden"),
        ({1: 2, 2: 3, 3: 1}, [], "cycle through word"),
        ({1: 0, 3: 0}, [], "words 1 and 3 are both required"),
        ({}, [(0, 2), (1, 2), (3, 2)], "word 2 is left without any possible head"),
    ],
)
def test_restrict_says_what_is_wrong(required: dict[int, int], forbidden: list[tuple[int, int]], message: str) -> None:
    with pytest.raises(ConstraintError, match=message):
        Candidates.all(3).restrict(required, forbidden)


def test_restrict_takes_several_roots_when_asked() -> None:
    restricted = Candidates.all(3).restrict({1: 0, 3: 0}, single_root=False)
    assert restricted.index(0, 1) >= 0
    assert restricted.index(0, 3) >= 0


def test_restrict_does_not_bring_back_what_was_pruned() -> None:
    pruned = Candidates.all(3).restrict(forbidden=[(2, 1)])
    with pytest.raises(ConstraintError, match="2 -> 1 is not among the candidates"):
        pruned.restrict({1: 2})
