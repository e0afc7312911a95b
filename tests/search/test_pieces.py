"""Where long sentences are cut, and how the trees of their pieces are joined."""

import numpy as np
import pytest
import small_corpus
from hypothesis import given
from hypothesis import strategies as st

from headway.corpus import check_tree
from headway.encoding import Encoder
from headway.encoding.breaks import BREAK, CLOSING, NO_BREAK, STOP, break_ranks
from headway.errors import ConstraintError
from headway.parts import Parse
from headway.search.pieces import Cut, Joints, join_heads, joined_words, piece_starts

ranks = st.lists(st.sampled_from([NO_BREAK, NO_BREAK, CLOSING, BREAK, STOP]), min_size=1, max_size=60)


@given(ranks, st.integers(1, 20))
def test_pieces_are_neither_long_nor_tiny(breaks: list[int], most: int) -> None:
    starts = piece_starts(np.array(breaks, dtype=np.int8), most)
    sizes = np.diff([*starts, len(breaks)])
    assert starts[0] == 0
    assert sizes.max() <= most
    assert len(sizes) == 1 or sizes.min() >= max(1, most // 2)


@pytest.mark.parametrize(
    ("forms", "first"),
    [
        ("a b . c d , e f g h", 3),  # a full stop before a comma, though the comma is later
        ('a b . " c , e f g h', 4),  # what closes stays with what it closes
        ("a b c , d ( e f g h", 4),  # a comma, and never after an opening bracket
        ("a b c d e f g h i j", 5),  # nothing to cut at
    ],
)
def test_sentences_are_cut_at_punctuation(forms: str, first: int) -> None:
    assert piece_starts(break_ranks(forms.split()), 6)[1] == (first if first != 5 else 6)


def trees(generator: np.random.Generator, sizes: list[int], roots: int) -> list[np.ndarray]:
    """Draw a tree for each piece, with one root or a few."""
    return [random_tree(generator, size, int(generator.integers(1, roots + 1))) for size in sizes]


def random_tree(generator: np.random.Generator, size: int, roots: int = 1) -> np.ndarray:
    order = generator.permutation(size) + 1
    heads = np.full(size + 1, -1, dtype=np.int32)
    for place, word in enumerate(order):
        heads[word] = 0 if place < roots else order[generator.integers(place)]
    return heads


@given(st.lists(st.integers(1, 6), min_size=1, max_size=6), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_joined_trees_are_trees_with_one_root(sizes: list[int], roots: int, seed: int) -> None:
    pieces, starts = trees(np.random.default_rng(seed), sizes, roots), np.cumsum([0, *sizes])[:-1].tolist()
    heads = join_heads(pieces, starts)
    check_tree(heads[1:].tolist())
    assert heads[0] == -1
    kept = np.concatenate(
        [np.where(one[1:] > 0, one[1:] + start, -1) for one, start in zip(pieces, starts, strict=True)]
    )
    assert (heads[1:][kept > 0] == kept[kept > 0]).all()
    joined = joined_words(Parse(heads, 0.0, pieces=tuple(starts)))
    assert {word for word in joined if kept[word - 1] < 0} == joined


@given(st.lists(st.integers(1, 5), min_size=2, max_size=6), st.integers(0, 2**32 - 1))
def test_required_heads_in_other_pieces_are_kept(sizes: list[int], seed: int) -> None:
    """The pieces' trees need not know of them: what would hang below itself is moved."""
    generator = np.random.default_rng(seed)
    gold = random_tree(generator, sum(sizes))
    known = generator.random(len(gold)) < 0.5
    required = {word: int(gold[word]) for word in range(1, len(gold)) if known[word]}
    heads = join_heads(trees(generator, sizes, 2), np.cumsum([0, *sizes])[:-1].tolist(), Joints(required))
    check_tree(heads[1:].tolist())
    assert {word: heads[word] for word in required} == required


def test_joining_arcs_keep_constraints() -> None:
    pieces, starts = [np.array([-1, 0]), np.array([-1, 0]), np.array([-1, 2, 0])], [0, 1, 2]
    leaves = join_heads(pieces, starts, Joints({}, leaves={1, 2}))
    assert leaves.tolist() == [-1, 4, 4, 4, 0]
    assert join_heads(pieces, starts, Joints({}, forbidden={(0, 1)})).tolist() == [-1, 2, 0, 4, 2]
    assert join_heads(pieces, starts, Joints({}, forbidden={(1, 4)})).tolist() == [-1, 0, 1, 4, 2]
    with pytest.raises(ConstraintError, match="word 4 can be joined to no other piece"):
        join_heads(pieces, starts, Joints({}, forbidden={(1, 4), (2, 4)}))
    with pytest.raises(ConstraintError, match="must not be the root"):
        join_heads(pieces, starts, Joints({}, forbidden={(0, 1), (0, 2), (0, 4)}))


def test_pieces_are_rows_of_their_sentence_each_with_a_root() -> None:
    sentences = small_corpus.sample(3)
    encoded = Encoder.fit(sentences).encode(sentences)
    cut = Cut.at(encoded, [[0], [0, 2, 3], [0]])
    assert [list(cut.pieces(sentence)) for sentence in range(3)] == [[0], [1, 2, 3], [4]]
    for piece, sentence in enumerate([0, 1, 1, 1, 2]):
        rows = slice(cut.encoded.starts[piece], cut.encoded.starts[piece + 1])
        first = encoded.starts[sentence] + cut.before[piece] + 1
        assert (cut.encoded.atoms[rows][0] == encoded.atoms[encoded.starts[sentence]]).all()
        assert (cut.encoded.atoms[rows][1:] == encoded.atoms[first : first + rows.stop - rows.start - 1]).all()
        assert (cut.encoded.breaks[rows][1:] == encoded.breaks[first : first + rows.stop - rows.start - 1]).all()
    assert cut.encoded.lengths().tolist() == [len(sentences[0]), 2, 1, len(sentences[1]) - 3, len(sentences[2])]
