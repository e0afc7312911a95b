"""The dictionary of tags, beside one that counts word by word."""

import json
from itertools import chain

import pytest
import small_corpus
from hypothesis import given
from hypothesis import strategies as st

from headway.corpus import Sentence
from headway.encoding import UNKNOWN, Encoder
from headway.encoding.tag_dictionary import DICTIONARY_ATOMS, TagCounts, TagDictionary
from headway.encoding.vocabulary import FIRST_FREE

TRAIN = [
    Sentence.from_words(["Dogs", "dogs", "dogs", "bark", "can", "can", "can", "like", "like", "like"],
                        upos=["NOUN"] * 3 + ["VERB"] + ["AUX"] * 2 + ["NOUN"] + ["ADP"] * 2 + ["VERB"]),
]  # fmt: skip
KINDS = {"dogs": 0, "bark": 1, "can": 2, "like": 1, "cats": 0}
"""Degrees of certainty that a word is a verb: 0 not at all, 1 it may be one (or was seen once), 2 as a rule."""


def encoder(dictionary: TagDictionary | None) -> Encoder:
    return Encoder.fit(TRAIN, ignored=("lemma", "xpos", "feats"), affixes=True, dictionary=dictionary)


def test_tags_are_ranked_and_rare_words_marked() -> None:
    forms = TagCounts(TRAIN).dictionary().forms
    assert forms == {"NOUN": ["dogs"], "?VERB": ["bark"], "AUX/NOUN": ["can"], "ADP/VERB": ["like"]}


def test_a_word_in_training_is_known_by_the_others_alone() -> None:
    counts = TagCounts(TRAIN)
    forms, tags = ["bark", "can", "can", "Dogs"], ["VERB", "NOUN", "AUX", "NOUN"]
    assert counts.unseen(forms, tags) == ["", "?AUX", "?AUX/NOUN", "?NOUN"]


@given(st.lists(st.lists(st.sampled_from([*KINDS, "Dogs"]), max_size=5), max_size=4))
def test_every_word_sees_the_verbs_around_it(texts: list[list[str]]) -> None:
    dictionary = TagCounts(TRAIN).dictionary()
    tags_of = {form: tags for tags, same in dictionary.forms.items() for form in same}
    known = encoder(dictionary)
    encoded = known.encode([Sentence.from_words(forms) for forms in texts])
    tags, verbal = (encoded.atoms[:, known.names.index(name)] for name in DICTIONARY_ATOMS)
    for forms, start in zip(texts, encoded.starts[:-1], strict=True):
        kinds = [KINDS[form.lower()] for form in forms]
        for place, form in enumerate(forms):
            before, after = max(kinds[:place], default=0), max(kinds[place + 1 :], default=0)
            assert verbal[start + 1 + place] == FIRST_FREE + before + 3 * after
            [right] = dictionary.ids([tags_of.get(form.lower(), "")])
            assert tags[start + 1 + place] == right
            assert (right == UNKNOWN) == (form == "cats")


@pytest.mark.parametrize("with_dictionary", [True, False])
def test_an_encoder_and_its_dictionary_are_saved(with_dictionary: bool) -> None:
    first = encoder(TagCounts(TRAIN).dictionary() if with_dictionary else None)
    again = Encoder.from_json(json.loads(json.dumps(first.to_json())))
    assert again.names == first.names
    assert ("known" in first.names) == with_dictionary
    assert again.constant_atoms() == first.constant_atoms()
    new = [*TRAIN, Sentence.from_words(["cats", "can", "bark"])]
    assert (again.encode(new).atoms == first.encode(new).atoms).all()


def test_without_verbs_nothing_is_verbal() -> None:
    sentences = [Sentence.from_words(["a", "b"], upos=["N", "V"])]
    known = Encoder.fit(sentences, affixes=True, dictionary=TagCounts(sentences).dictionary())
    assert "verbal" in known.constant_atoms()
    assert "known" not in known.constant_atoms()


def test_counts_of_a_treebank() -> None:
    sentences = small_corpus.sample(50)
    forms = TagCounts(sentences).dictionary().forms
    assert set(chain(*forms.values())) == {form.lower() for sentence in sentences for form in sentence.forms}
    assert "." in forms["PUNCT"]
