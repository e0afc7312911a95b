"""Text to tokens and sentences."""

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import small_corpus
from hypothesis import given
from hypothesis import strategies as st

from headway.corpus import Sentence
from headway.corpus.text import surface_tokens, treebank_text
from headway.tagging.segmenter import LONG, LONGEST, Segmenter, _drop_half, _sentences, _to_chances

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
    "one word": "x" * 200_000,
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
        ("http://a\x00 dog", ["http://a", "dog"]),
        ("http://a.com\x1b dog", ["http://a.com", "dog"]),
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
    assert sum(fitted.agreement(gold)) >= sum(plain.agreement(gold))
    assert sum(fitted.agreement(gold)) >= sum(replace(fitted, leaning=0.0).agreement(gold))
    assert replace(fitted, leaning=1e9).agreement(gold)[1] < fitted.agreement(gold)[1]
    assert Segmenter.fit(train, dev=[]).leaning == plain.leaning
    assert Segmenter.fit(train[:5]).leaning == 0.0


def test_a_part_of_the_treebank_is_believed_by_half(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Segmenter, "_best", lambda sentences, gold: (replace(trained(), leaning=1.0), 2))
    assert Segmenter.fit(SENTENCES[:20]).leaning == 0.5
    assert Segmenter.fit(SENTENCES[:20], dev=SENTENCES[20:25]).leaning == 1.0


def test_ties_go_to_the_fewest_passes() -> None:
    gold = treebank_text(SENTENCES[100:])
    best, passes = Segmenter._best(SENTENCES[:100], gold)
    assert best.agreement(gold) == (1.0, 1.0)
    assert (best.wide, passes, best.leaning) == (False, 2, 0.0)


def test_a_long_sentence_ends_at_the_next_good_place() -> None:
    gold = treebank_text(SENTENCES)
    ends = {end for end, last in zip(gold.ends, gold.last, strict=True) if last}
    *found, _ = replace(trained(), leaning=-12.0).segment(gold.text)
    assert len(found) > 1
    assert all(LONG < len(sentence) < LONGEST and sentence[-1][1] in ends for sentence in found)


def test_agreement_is_whole_with_itself() -> None:
    gold = treebank_text(SENTENCES[:20])
    spans = [[(start, end) for start, end in sentence_spans] for sentence_spans in _sentences(gold)]
    assert [len(sentence_spans) for sentence_spans in spans] == [
        sum(1 for _ in surface_tokens(one)) for one in SENTENCES[:20]
    ]
    assert all(
        not gold.text[start].isspace() and not gold.text[end - 1].isspace()
        for sentence_spans in spans
        for start, end in sentence_spans
    )


def test_the_same_sentences_give_the_same_segmenter() -> None:
    again = Segmenter.fit(SENTENCES[:100])
    assert (again.rows.values == trained().rows.values).all()
    assert (again.known == trained().known).all()


def unmarked_sentences(count: int, seed: int) -> list[Sentence]:
    """Words of random letters, no full stops; two words in a row end in o where a sentence begins, and nowhere else."""
    generator = np.random.default_rng(seed)

    def word(ending: str) -> str:
        return "".join(generator.choice(list("bdfgklmnprstv"), size=generator.integers(2, 5))) + ending

    found = []
    for _ in range(count):
        endings = ["o", "o", "a"]
        while generator.random() < 0.8:
            endings += [str(generator.choice(["o", "i"])), "a"]
        found.append(Sentence.from_words([word(ending) for ending in endings]))
    return found


def test_a_wide_view_sees_how_words_after_the_end_go_on() -> None:
    train, dev = unmarked_sentences(300, seed=1), unmarked_sentences(60, seed=2)
    [near], fitted, gold = Segmenter._learned(train, False, [8]), Segmenter.fit(train, dev=dev), treebank_text(dev)
    assert fitted.wide
    assert Segmenter.fit(train).wide
    assert fitted.agreement(gold)[1] > 0.95
    assert max(replace(near, leaning=leaning).agreement(gold)[1] for leaning in range(-4, 5)) < 0.7


@given(st.lists(st.floats(-50, 50), min_size=3, max_size=3), st.floats(0.5, 2.0))
def test_scores_become_probabilities(scores: list[float], scale: float) -> None:
    chances = np.array(scores)
    _to_chances(chances, scale)
    expected = np.exp(scale * (np.array(scores) - max(scores)))
    np.testing.assert_allclose(chances, expected / expected.sum(), rtol=1e-9)


@given(st.integers(0, 60), st.integers(0, 2**64 - 1))
def test_features_whose_bits_are_set_are_kept(count: int, bits: int) -> None:
    slots = np.arange(60, dtype=np.uint32)
    kept = _drop_half(slots, count, np.uint64(bits))
    assert slots[:kept].tolist() == [place for place in range(count) if bits >> place & 1]
