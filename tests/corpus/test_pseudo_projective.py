"""Lifting arcs and putting them back."""

import pytest
import small_corpus
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng

from headway.corpus import decode_crossing, encode_crossing, nonprojective_arcs, tree_problems
from headway.errors import TreeError

seeds = st.integers(0, 2**32 - 1)
lengths = st.integers(1, 12)


@given(lengths, seeds)
def test_what_is_encoded_has_no_crossing_arcs(length: int, seed: int) -> None:
    heads = small_corpus.random_heads(default_rng(seed), length)
    labels = [f"l{word % 3}" for word in range(length)]
    lifted, marked = encode_crossing(heads, labels)
    assert not any(nonprojective_arcs(lifted))
    for old, new, label, mark in zip(heads, lifted, labels, marked, strict=True):
        assert mark == (label if old == new else f"{label}|{labels[old - 1]}")


@given(lengths, seeds)
def test_different_labels_bring_every_tree_back(length: int, seed: int) -> None:
    heads = list(small_corpus.random_heads(default_rng(seed), length))
    labels = [f"l{word}" for word in range(length)]
    assert decode_crossing(*encode_crossing(heads, labels)) == (heads, labels)


@given(lengths, seeds, st.integers(1, 4))
def test_whatever_is_decoded_is_a_tree(length: int, seed: int, kinds: int) -> None:
    generator = default_rng(seed)
    heads = small_corpus.random_heads(generator, length)
    names = generator.integers(kinds, size=(length, 2))
    labels = [f"l{one}|l{other}" if generator.random() < 0.5 else f"l{one}" for one, other in names]
    found, unmarked = decode_crossing(heads, labels)
    assert not list(tree_problems(found, single_root=False))
    assert found.count(0) == list(heads).count(0) or found.count(0) >= 1
    assert unmarked == [label.partition("|")[0] for label in labels]


def test_a_mark_without_matching_head_leaves_the_word_in_place() -> None:
    assert decode_crossing([2, 0, 2], ["a|nowhere", "root", "b"]) == ([2, 0, 2], ["a", "root", "b"])


def test_labels_must_not_have_the_mark() -> None:
    with pytest.raises(TreeError, match="marks lifted arcs"):
        encode_crossing([0], ["a|b"])
