import itertools
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from slow_trees import dominates

from headway.corpus import (
    check_tree,
    is_projective,
    is_tree,
    nonprojective_arcs,
    projectivize,
    read_sentences,
    tree_problems,
)
from headway.errors import TreeError


def reaches_root(heads: list[int], word: int) -> bool:
    for _ in range(len(heads) + 1):
        if word == 0:
            return True
        word = heads[word - 1]
    return False


def ancestors(heads: list[int], word: int) -> set[int]:
    found = {word}
    while word:
        word = heads[word - 1]
        found.add(word)
    return found


def brute_force_nonprojective(heads: list[int]) -> list[bool]:
    return [
        any(head not in ancestors(heads, word) for word in range(min(head, modifier) + 1, max(head, modifier)))
        for modifier, head in enumerate(heads, start=1)
    ]


def crosses(one: tuple[int, int], other: tuple[int, int]) -> bool:
    (a, b), (c, d) = sorted(one), sorted(other)
    return a < c < b < d or c < a < d < b


def random_tree(count: int, generator: random.Random) -> list[int]:
    order = list(range(1, count + 1))
    generator.shuffle(order)
    heads = [0] * count
    for position, word in enumerate(order):
        heads[word - 1] = generator.choice([0, *order[:position]])
    return heads


@st.composite
def trees(draw, max_size: int = 7):
    count = draw(st.integers(1, max_size))
    return random_tree(count, random.Random(draw(st.integers(0, 10**9))))


def test_every_assignment_of_heads_to_four_words():
    counts = {True: 0, False: 0}
    for heads in itertools.product(range(5), repeat=4):
        valid = all(reaches_root(list(heads), word) for word in range(1, 5))
        assert is_tree(heads, single_root=False) == valid
        assert is_tree(heads, single_root=True) == (valid and heads.count(0) == 1)
        for single_root in (True, False):
            counts[single_root] += is_tree(heads, single_root=single_root)
    assert counts == {True: 4**3, False: 5**3}  # Cayley's formula


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_projectivity_of_all_trees(count):
    projective = 0
    for heads in itertools.product(range(count + 1), repeat=count):
        if not is_tree(heads, single_root=False):
            continue
        expected = brute_force_nonprojective(list(heads))
        assert nonprojective_arcs(heads) == expected
        assert is_projective(heads) == (not any(expected))
        projective += is_projective(heads)
    assert projective == [1, 3, 12, 55, 273][count - 1]  # closed form: binomial(3n, n) / (2n + 1)


@given(trees())
def test_nonprojective_arcs_are_those_of_the_definition(heads):
    assert nonprojective_arcs(heads) == brute_force_nonprojective(heads)
    assert nonprojective_arcs(np.array(heads)) == brute_force_nonprojective(heads)


@given(trees())
def test_a_tree_is_projective_when_no_arcs_cross(heads):
    arcs = [(head, modifier) for modifier, head in enumerate(heads, start=1)]
    assert is_projective(heads) == (not any(crosses(*pair) for pair in itertools.combinations(arcs, 2)))


@given(trees(max_size=30))
def test_lifting_gives_a_projective_tree(heads):
    lifted = projectivize(heads)
    assert is_projective(lifted)
    if heads.count(0) == 1:
        assert lifted.count(0) == 1
    for word, (old, new) in enumerate(zip(heads, lifted, strict=True), start=1):
        assert new in ancestors(heads, word) - {word}
        assert new == old or not is_projective(heads)


def test_lifting_takes_the_shortest_arc_first():
    assert nonprojective_arcs([4, 0, 1, 2, 3, 2]) == [True, False, True, False, True, False]
    assert projectivize([4, 0, 1, 2, 3, 2]) == [
        2,
        0,
        4,
        2,
        4,
        2,
    ]  # the longest first gives [2, 0, 2, 2, 2, 2]
    assert projectivize([3, 4, 0, 3, 1]) == [3, 3, 0, 3, 3]


@pytest.mark.parametrize(
    ("heads", "reasons"),
    [
        ([], []),
        ([0], []),
        ([2, 0, 2], []),
        ([0, 0], ["several roots: words 1, 2"]),
        ([2, 3, 1], ["no word is the root", "cycle: 1 -> 2 -> 3 -> 1"]),
        ([0, 3, 2, 5, 4], ["cycle: 2 -> 3 -> 2", "cycle: 4 -> 5 -> 4"]),
        ([0, 3, 4, 3], ["cycle: 3 -> 4 -> 3"]),
        ([0, 2], ["cycle: 2 -> 2"]),
        ([0, 7, -3], ["head 7 of word 2 is out of range 0..3", "head -3 of word 3 is out of range 0..3"]),
        ([-1, 0], ["no head for word 1"]),
        ([-1] * 12, ["no head for words 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more"]),
    ],
)
def test_reasons(heads, reasons):
    assert list(tree_problems(heads)) == reasons
    assert list(tree_problems(np.array(heads, dtype=np.int32))) == reasons
    if reasons:
        with pytest.raises(TreeError) as caught:
            check_tree(heads)
        assert str(caught.value) == reasons[0]
    else:
        check_tree(heads)


def test_several_roots_are_fine_where_allowed():
    check_tree([0, 0, 2], single_root=False)
    assert is_projective([0, 0, 2])


@pytest.mark.parametrize("function", [is_projective, projectivize])
def test_only_trees_can_be_projective(function):
    with pytest.raises(TreeError, match="cycle"):
        function([0, 3, 2])


def test_long_chains_need_no_recursion():
    heads = list(range(20_000))
    assert is_projective(heads)
    assert not any(nonprojective_arcs(heads))


def test_treebanks_have_trees(treebanks):
    lifts = 0
    for sentence in read_sentences(treebanks / "UD_Dutch-LassySmall" / "dev.conllu.xz"):
        check_tree(sentence.heads)
        assert nonprojective_arcs(sentence.heads) == brute_force_nonprojective(sentence.heads)
        lifted = projectivize(sentence.heads)
        assert is_projective(lifted)
        lifts += lifted != sentence.heads
    assert lifts > 0


@given(st.integers(1, 9).flatmap(lambda n: st.lists(st.integers(-1, n), min_size=n, max_size=n)))
def test_projectivity_is_domination_between_the_ends(heads: list[int]) -> None:
    expected = [
        head > 0 and not all(dominates(head, k, heads) for k in range(min(head, m) + 1, max(head, m)))
        for m, head in enumerate(heads, start=1)
    ]
    assert nonprojective_arcs(heads) == expected
