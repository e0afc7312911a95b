"""Edit scripts and what is made of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.tagging.lemmatizer import Lemmatizer, apply_script, make_script

words = st.text("abcdABÉé'-|", min_size=1, max_size=8)


@given(form=words, lemma=words)
def test_a_script_makes_the_lemma_of_its_form(form: str, lemma: str) -> None:
    assert apply_script(form, make_script(form, lemma)) == lemma


@pytest.mark.parametrize(
    ("form", "script_of", "lemma"),
    [
        ("Tables", ("Houses", "house"), "table"),
        ("machte", ("lachte", "lachen"), "machen"),
        ("IBM", ("USA", "USA"), "IBM"),
    ],
)
def test_scripts_carry_over(form: str, script_of: tuple[str, str], lemma: str) -> None:
    assert apply_script(form, make_script(*script_of)) == lemma


def test_a_form_may_be_too_short() -> None:
    assert apply_script("es", make_script("houses", "hous")) is None


TRAIN = {
    ("houses", "NOUN", "Number=Plur"): "house",
    ("tables", "NOUN", "Number=Plur"): "table",
    ("walked", "VERB", "Tense=Past"): "walk",
    ("talked", "VERB", "Tense=Past"): "talk",
    ("was", "AUX", "Tense=Past"): "be",
    ("left", "VERB", "Tense=Past"): "leave",
    ("left", "ADJ", "_"): "left",
}


def test_words_and_endings() -> None:
    known = Lemmatizer.fit(TRAIN.keys(), TRAIN.values())
    for lemmatizer in (known, Lemmatizer.from_json(known.to_json())):
        for word, lemma in TRAIN.items():
            assert lemmatizer.lemma(*word) == lemma
        assert lemmatizer.lemmas([("Candles", "NOUN", "Number=Plur"), ("balked", "VERB", "Tense=Past")]) == [
            "candle",
            "balk",
        ]
        assert lemmatizer.lemma("xyz", "X", "_") == "xyz"


def test_no_lemmas_to_learn() -> None:
    assert Lemmatizer.fit([("a", "X", "_")], ["_"]).lemma("a", "X", "_") == "a"
