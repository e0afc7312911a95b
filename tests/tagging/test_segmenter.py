"""Text to tokens and sentences."""

import itertools
from dataclasses import replace
from functools import cache

import pytest
import small_corpus

from headway.corpus.text import surface_tokens, treebank_text
from headway.tagging.segmenter import LONGEST, Segmenter, _sentences

SENTENCES = small_corpus.sample(120)


@cache
def trained() -> Segmenter:
    return Segmenter.fit(SENTENCES[:100])


def test_new_text_of_the_same_kind() -> None:
    gold = treebank_text(SENTENCES[100:])
    found = list(trained().segment(gold.text))
    assert [end for sentence in found for _, end in sentence] == gold.ends
    assert [sentence[-1][1] for sentence in found] == [
        end for end, last in zip(gold.ends, gold.last, strict=True) if last
    ]


WILD = {
    "nothing": "",
    "spaces": " \n\t\u3000 ",
    "emoji": "👩‍👩‍👧 hi 😀😀!!",
    "address": "see https://example.com/a?b=c&d=e#f or me@example.com.",
    "no spaces": "我喜欢吃苹果。你呢？他不知道",
    "right to left": "שלום world مرحبا!",
    "control": "a\x00b\x07c\x1b[0m\u200b\u2028d\x85e",
    "no stop": "word " * 3000,
    "one word": "x" * 20000,
    "combining": "e\u0301\u0301\u0301 \ud83d x",
}


@pytest.mark.parametrize("text", WILD.values(), ids=WILD)
def test_text_from_the_wild(text: str) -> None:
    sentences = list(trained().segment(text))
    places = [place for sentence in sentences for place in sentence]
    inside = {number for start, end in places for number in range(start, end)}
    for number, letter in enumerate(text):
        if letter.isspace() or not letter.isprintable():
            continue
        assert number in inside
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(places))
    assert all(start < end and text[start:end].strip() for start, end in places)
    assert all(0 < len(sentence) <= LONGEST for sentence in sentences)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("See https://example.com/a?b=c, or me@example.org.", ["https://example.com/a?b=c", "me@example.org"]),
        ("(www.example.com)", ["www.example.com"]),
        ("(www.example.com)\uc5d0\ub294 dog", ["www.example.com"]),
        ("See http://example.com/a_(b)c).", ["http://example.com/a_(b)c"]),
        ("The \u0645\u0631\u062d\u0628\u0627 dog", ["\u0645\u0631\u062d\u0628\u0627"]),
        ("The \u043f\u0440\u0438\u0432\u0435\u0442 dog", ["\u043f\u0440\u0438\u0432\u0435\u0442"]),
    ],
)
def test_addresses_and_unknown_letters_stay_together(text: str, tokens: list[str]) -> None:
    found = [text[start:end] for sentence in trained().segment(text) for start, end in sentence]
    assert set(tokens) <= set(found)


def test_other_text_tells_how_readily_sentences_end() -> None:
    train, dev = SENTENCES[:60], SENTENCES[60:120]
    plain, fitted, gold = Segmenter.fit(train), Segmenter.fit(train, dev=dev), treebank_text(dev)
    assert plain.leaning == 0.0
    assert sum(fitted.agreement(gold)) >= sum(plain.agreement(gold))
    assert sum(fitted.agreement(gold)) >= sum(replace(fitted, leaning=0.0).agreement(gold))
    assert replace(fitted, leaning=1e9).agreement(gold)[1] < fitted.agreement(gold)[1]
    assert Segmenter.fit(train, dev=[]).leaning == 0.0


def test_agreement_is_whole_with_itself() -> None:
    gold = treebank_text(SENTENCES[:20])
    spans = [[(start, end) for start, end in own] for own in _sentences(gold)]
    assert [len(own) for own in spans] == [sum(1 for _ in surface_tokens(one)) for one in SENTENCES[:20]]
    assert all(
        not gold.text[start].isspace() and not gold.text[end - 1].isspace() for own in spans for start, end in own
    )


def test_the_same_sentences_give_the_same_segmenter() -> None:
    again = Segmenter.fit(SENTENCES[:100])
    assert (again.rows.values == trained().rows.values).all()
    assert (again.known == trained().known).all()
