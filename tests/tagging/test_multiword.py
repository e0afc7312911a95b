"""Multiword tokens: known ones, and after the example of others."""

import pytest

from headway.corpus import Sentence
from headway.corpus.text import Token, make_sentence
from headway.tagging.multiword import Splitter, apply_rule, make_rule


def sentence(*tokens: tuple[str, ...]) -> Sentence:
    """A sentence of tokens: the form, and its words if there are several."""
    found, place = [], 0
    for form, *words in tokens:
        found.append(Token(form, place, place + len(form), tuple(words) or (form,)))
        place += len(form) + 1
    return make_sentence(found, " ".join(form for form, *_ in tokens), number=1, before=0, after=place)


TRAIN = [
    sentence(("don't", "do", "n't"), ("won't", "wo", "n't"), ("isn't", "is", "n't"), ("it",), ("can", "can")),
    sentence(("John's", "John", "'s"), ("cat's", "cat", "'s"), ("Ada's", "Ada", "'s"), ("house",), ("dogs",)),
    sentence(("du", "de", "le"), ("au", "à", "le"), ("bus",), ("plus",)),
]


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("don't", ["do", "n't"]),
        ("Don't", ["Do", "n't"]),
        ("hasn't", ["has", "n't"]),
        ("McDonald's", ["McDonald", "'s"]),
        ("NASA's", ["NASA", "'s"]),
        ("DON'T", ["DO", "N'T"]),
        ("du", ["de", "le"]),
        ("Au", ["À", "le"]),
        ("house", ["house"]),
        ("'s", ["'s"]),
        ("😀", ["😀"]),
    ],
)
def test_splits(token: str, words: list[str]) -> None:
    splitter = Splitter.fit(TRAIN)
    for one in (splitter, Splitter.from_json(splitter.to_json())):
        assert one.split(token) == words


def test_letters_that_grow_in_lower_case_are_split_like_others() -> None:
    train = [sentence((f"{one}deki", f"{one}de", "ki")) for one in ("ev", "okul", "bahçe", "köy")]
    splitter = Splitter.fit(train)
    assert splitter.split("İzmirdeki") == ["İzmirde", "ki"]
    assert splitter.split("EVDEKİ") == ["EVDE", "Kİ"]


def test_letters_that_look_otherwise_at_the_end_are_split_like_others() -> None:
    splitter = Splitter.fit([sentence(("στις", "σ", "τις"), ("στους", "σ", "τους"))])
    assert splitter.split("ΣΤΙΣ") == ["Σ", "ΤΙΣ"]


def test_a_treebank_without_multiword_tokens() -> None:
    splitter = Splitter.fit([sentence(("a",), ("b's",))])
    assert splitter == Splitter({}, {})
    assert splitter.split("John's") == ["John's"]


def test_rules() -> None:
    rule = make_rule("cannot", ("can", "not"))
    assert apply_rule("cannot", rule) == ["can", "not"]
    assert apply_rule("not", rule) == []
    assert apply_rule("knot", rule) == ["k", "not"]
