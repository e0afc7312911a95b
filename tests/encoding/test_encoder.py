import json
from collections.abc import Sequence

import numpy as np
import pytest
import small_corpus
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_atoms import READ, SlowAtom, words_of

from headway.corpus import Sentence
from headway.encoding import ROOT, UNKNOWN, Encoded, Encoder, encoder
from headway.encoding.atoms import MORPH_SLOTS, TAG_CLASSES


def assert_same(one: Encoded, other: Encoded) -> None:
    for name in ("atoms", "tags", "starts"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def slow_atoms(known: Encoder, training: Sequence[Sentence], new: Sequence[Sentence]) -> np.ndarray:
    """(rows, atoms) The ids that `known` should give to `new`, word by word, without the atoms of clauses."""
    names = [atom.name for atom in known.atoms]
    computers = [SlowAtom(name, words_of(training), known.morph_attributes) for name in names]
    rows = []
    for sentence in new:
        rows.append([ROOT] * len(computers))
        rows.extend([compute(word) for compute in computers] for word in words_of([sentence]))
    return np.array(rows)


@settings(max_examples=40)
@given(
    st.lists(small_corpus.sentences(), min_size=1, max_size=6),
    st.lists(small_corpus.sentences(), min_size=1, max_size=3),
    st.booleans(),
)
def test_every_atom_of_every_word(training: list[Sentence], new: list[Sentence], has_lemmas: bool) -> None:
    if not has_lemmas:
        training = [Sentence.from_words(s.forms, upos=s.upos, feats=s.feats) for s in training]
    known = Encoder.fit(training)
    assert set(READ) <= set(known.names)
    for some in (training, new):
        encoded = known.encode(some)
        np.testing.assert_array_equal(encoded.atoms[:, : len(known.atoms)], slow_atoms(known, training, some))
        assert encoded.lengths().tolist() == [len(sentence) for sentence in some]
        assert len(encoded) == len(some)


def test_rare_words_share_the_id_of_their_class() -> None:
    training = [Sentence.from_words(["Bergen", "Halden", "walking", "the", "the"])]
    known = Encoder.fit(training)
    form = known.encode(training).atoms[1:, known.names.index("form")]
    assert form[0] == form[1]
    assert form[3] == form[4]
    assert form[2] == UNKNOWN  # the only rare word of its class
    assert len({form[0], form[2], form[3], UNKNOWN}) == 3


def test_unseen_words_get_the_class_of_the_rare_ones() -> None:
    known = Encoder.fit([Sentence.from_words(["Bergen", "Halden", "the", "the"])])
    place = known.names.index("form")
    [bergen, norden, thing] = known.encode([Sentence.from_words(["Bergen", "Norden", "thing"])]).atoms[1:, place]
    assert bergen == norden != UNKNOWN
    assert thing == UNKNOWN


def test_a_word_named_like_a_class_is_not_taken_for_it() -> None:
    known = Encoder.fit([Sentence.from_words(["Bergen", "Halden", "the", "the"])])
    place = known.names.index("form")
    [norden, named] = known.encode([Sentence.from_words(["Norden", "capital:en"])]).atoms[1:, place]
    assert norden != named


def test_without_lemmas_the_lower_cased_form_is_the_lemma() -> None:
    known = Encoder.fit([Sentence.from_words(["Dogs", "dogs", "bark", "bark"])])
    new = Sentence.from_words(["DOGS", "dogs", "bark"], lemmas=["x", "y", "x"])
    [capital, small, bark] = known.encode([new]).atoms[1:, known.names.index("lemma")]
    assert capital == small != bark


def test_root_rows_and_sentence_starts() -> None:
    sentences = [Sentence.from_words(["a"]), Sentence.from_words(["a", "b", "a"])]
    encoded = Encoder.fit(sentences).encode(sentences)
    assert encoded.starts.tolist() == [0, 2, 6]
    assert np.flatnonzero((encoded.atoms == ROOT).all(axis=1)).tolist() == [0, 2]
    assert encoded.tags[[0, 2]].tolist() == [0, 0]
    assert (encoded.tags[[1, 3, 4, 5]] > 0).all()


def test_no_sentence_at_all() -> None:
    encoded = Encoder.fit([Sentence.from_words(["a"])]).encode([])
    assert len(encoded) == 0
    assert encoded.atoms.shape[0] == 0


def test_frequent_tags_have_a_class_each_and_the_rest_one_together() -> None:
    tags = [f"T{number:02}" for number in range(TAG_CLASSES + 10)]
    forms = [tag for place, tag in enumerate(tags) for _ in range(len(tags) - place)]
    known = Encoder.fit([Sentence.from_words(forms, upos=forms)])
    classes = known.tag_classes()
    assert [classes[tag] for tag in tags] == [min(place, TAG_CLASSES) for place in range(1, len(tags) + 1)]
    encoded = known.encode([Sentence.from_words(["a"] * 3, upos=["T00", "T39", "never seen"])])
    assert encoded.tags.tolist() == [0, 1, TAG_CLASSES, TAG_CLASSES]


@settings(max_examples=20)
@given(st.lists(small_corpus.sentences(), min_size=1, max_size=4), small_corpus.sentences())
def test_saved_as_json_and_made_again(training: list[Sentence], new: Sentence) -> None:
    known = Encoder.fit(training)
    again = Encoder.from_json(json.loads(json.dumps(known.to_json())))
    assert again.names == known.names
    assert again.constant_atoms() == known.constant_atoms()
    assert again.tag_classes() == known.tag_classes()
    assert_same(again.encode([*training, new]), known.encode([*training, new]))


def test_empty_columns_make_constant_atoms() -> None:
    sentences = [Sentence.from_words(["dogs", "bark", "dogs", "bark"], upos=["NOUN", "VERB"] * 2)]
    constant = Encoder.fit(sentences).constant_atoms()
    assert {"xpos", "xpos_first", "xpos_last", "feats"} <= constant
    assert not constant & {"form", "upos", "suffix2", "lemma"}


@settings(max_examples=20)
@given(st.lists(small_corpus.sentences(), min_size=1, max_size=4))
def test_constant_atoms_do_not_tell_known_words_apart(training: list[Sentence]) -> None:
    known = Encoder.fit(training)
    encoded = known.encode(training)
    words = np.delete(encoded.atoms, encoded.starts[:-1], axis=0)
    for name in known.constant_atoms():
        ids = set(words[:, known.names.index(name)].tolist())
        assert len(ids - {UNKNOWN}) <= 1


def test_forgetting_strings_does_not_change_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(3)
    training = [small_corpus.random_sentence(generator, 8) for _ in range(10)]
    remembering, forgetful = Encoder.fit(training), Encoder.fit(training)
    expected = [remembering.encode([sentence]) for sentence in training * 2]
    monkeypatch.setattr(encoder, "_MOST_STRINGS", 3)
    for sentence, want in zip(training * 2, expected, strict=True):
        assert_same(forgetful.encode([sentence]), want)
        assert all(len(table._row_of) <= 3 + 8 for table in forgetful._tables)


def test_more_strings_than_a_table_has_room_for_at_first() -> None:
    forms = [f"word{number}" for number in range(3000)]
    training = [Sentence.from_words(forms * 2)]
    known = Encoder.fit(training)
    form = known.encode(training).atoms[1:, known.names.index("form")]
    assert len(set(form.tolist())) == 3000
    np.testing.assert_array_equal(form[:3000], form[3000:])


def test_there_are_no_more_morphological_atoms_than_slots() -> None:
    feats = [f"A{number}={value}" for number in range(MORPH_SLOTS + 5) for value in "xy"]
    known = Encoder.fit([Sentence.from_words(["a"] * len(feats), feats=feats)])
    assert [name for name in known.names if name.startswith("morph")] == [
        f"morph{slot}" for slot in range(1, MORPH_SLOTS + 1)
    ]


def test_ignored_columns_are_taken_for_empty() -> None:
    tagged = [
        Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], xpos=["NNS", "VBP"], feats=["A=1", "B=2"])
    ] * 3
    bare = Sentence.from_words(["Dogs", "bark"])
    encoder = Encoder.fit(tagged, ignored=("upos", "xpos", "feats"))
    assert {"upos", "xpos", "feats"} <= encoder.constant_atoms()
    assert encoder.morph_attributes == []
    again = Encoder.from_json(json.loads(json.dumps(encoder.to_json())))
    for one in (encoder, again):
        np.testing.assert_array_equal(one.encode([tagged[0]]).atoms, encoder.encode([bare]).atoms)
        np.testing.assert_array_equal(one.encode([tagged[0]]).tags, encoder.encode([bare]).tags)


def test_with_a_tag_map_rare_tags_share_the_number_of_the_frequent_one_with_their_universal_tag() -> None:
    frequent = [f"N{number:02}" for number in range(TAG_CLASSES + 5)]
    tags = [tag for tag in frequent for _ in range(9)] + ["C1"] * 3 + ["C2", "other"]
    tag_map = {**dict.fromkeys(frequent, "NOUN"), "C1": "CCONJ", "C2": "CCONJ"}
    sentence = Sentence.from_words(tags, upos=tags)
    classes = Encoder.fit([sentence], tag_map=tag_map).tag_classes()
    assert [classes[tag] for tag in frequent[: TAG_CLASSES - 2]] == list(range(1, TAG_CLASSES - 1))
    assert {classes[tag] for tag in frequent[TAG_CLASSES - 2 :]} == {classes["N00"]}
    assert classes["C1"] == classes["C2"] == TAG_CLASSES - 1
    assert classes["other"] == TAG_CLASSES


def test_a_tag_map_is_saved_and_none_leaves_no_trace() -> None:
    sentence = Sentence.from_words(["a", "b"], upos=["v", "n"])
    with_map = Encoder.fit([sentence], tag_map={"v": "VERB", "n": "NOUN"})
    again = Encoder.from_json(json.loads(json.dumps(with_map.to_json())))
    assert again.tag_map == {"v": "VERB", "n": "NOUN"}
    np.testing.assert_array_equal(again.encode([sentence]).atoms, with_map.encode([sentence]).atoms)
    assert "tag_map" not in Encoder.fit([sentence]).to_json()
