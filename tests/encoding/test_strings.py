import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.encoding import strings
from headway.encoding.strings import affix, attributes, shape, tag_pieces, word_class


def test_examples_in_the_docstrings() -> None:
    failed, tried = doctest.testmod(strings)
    assert tried >= 5
    assert failed == 0


@given(st.text(min_size=1), st.integers(1, 5))
def test_affixes_are_ends_of_the_word_or_the_marked_word(word: str, length: int) -> None:
    if len(word) <= length:
        assert affix(word, length) == affix(word, -length) == "^" + word
    else:
        assert affix(word, length) == word[len(word) - length :]
        assert affix(word, -length) == "".join(list(word)[:length])


@pytest.mark.parametrize(
    ("word", "expected"),
    [("USA", "XX"), ("a", "x"), ("3.14", "d.dd"), ("--", "--"), ("-----", "--"), ("iPhone", "xXxx"), ("日本", "xx")],
)
def test_shape(word: str, expected: str) -> None:
    assert shape(word) == expected


@given(st.text(max_size=60))
def test_shape_is_short_and_has_no_three_in_a_row(word: str) -> None:
    found = shape(word)
    assert len(found) <= 12
    assert not any(a == b == c for a, b, c in zip(found, found[1:], found[2:], strict=False))


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("42", "number"),
        ("1,5", "number"),
        ("B2", "alphanumeric"),
        ("...", "symbol"),
        ("NATO", "upper:to"),
        ("A", "capital:a"),
        ("x", "letters:x"),
        ("Jean-Luc", "hyphen:uc"),
        ("Åse", "capital:se"),
    ],
)
def test_word_class(word: str, expected: str) -> None:
    assert word_class(word) == expected


def test_a_tag_of_separators_alone_has_the_pieces_of_none() -> None:
    assert tag_pieces("|") == ("_", "_")
    assert tag_pieces("A+B|C") == ("A", "C")


def test_attributes_keep_a_value_that_holds_an_equals_sign() -> None:
    assert attributes("Gloss=a=b|Foreign") == {"Gloss": "a=b", "Foreign": "Yes"}
