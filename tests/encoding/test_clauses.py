"""The atoms of clauses, against their definition read word by word."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headway.corpus import Sentence
from headway.encoding import ROOT, Encoder
from headway.encoding.atoms import TAG_CLASSES
from headway.encoding.clauses import CLAUSE_ATOMS
from headway.features.templates import read_templates

TOLD = frozenset(("AUX", "CCONJ", "CONJ", "PART", "PRON", "PUNCT", "SCONJ"))
TAGS = ("VERB", "NOUN", "ADJ", *sorted(TOLD))
FEATS = ("_", "PronType=Rel", "PronType=Int,Rel", "PronType=Prs", "Number=Sing|PronType=Int")
LEMMAS = ("that", "and", "who")

Words = list[tuple[str, str, str]]
"""Tag, FEATS and lemma of each word."""

some_words = st.lists(st.tuples(*map(st.sampled_from, (TAGS, FEATS, LEMMAS))), min_size=1, max_size=9)


def sentence_of(words: Words) -> Sentence:
    tags, feats, lemmas = zip(*words, strict=True)
    return Sentence.from_words(lemmas, lemmas=lemmas, upos=tags, feats=feats)


EVERYTHING = sentence_of([*itertools.product(TAGS, FEATS, LEMMAS)] * 2)
KNOWN = Encoder.fit([EVERYTHING])


def clause_of(words: Words, place: int) -> tuple[object, ...]:
    """Return the facts about the clause of the word at `place`."""
    before, after = words[:place], words[place + 1 :]
    since = [*itertools.takewhile(lambda word: word[0] != "VERB", reversed(before))]
    until = itertools.takewhile(lambda word: word[0] != "VERB", after)
    openers = [
        lemma
        for tag, feats, lemma in since
        if tag in ("SCONJ", "CCONJ", "CONJ") or feats.rpartition("PronType=")[2] in ("Rel", "Int", "Int,Rel")
    ]
    verbs = tuple(min(3, sum(tag == "VERB" for tag, _, _ in side)) for side in (before, after))
    told = [TOLD.intersection(tag for tag, _, _ in side) for side in (since, until)]
    return *told, verbs, (openers or [None])[0]


def columns(known: Encoder, sentences: list[Sentence]) -> np.ndarray:
    atoms = known.encode(sentences).atoms
    return atoms[:, [known.names.index(name) for name in CLAUSE_ATOMS]]


@settings(max_examples=60)
@given(st.lists(some_words, min_size=1, max_size=4))
def test_two_words_share_an_atom_if_and_only_if_it_says_the_same_of_both(some: list[Words]) -> None:
    found = columns(KNOWN, [sentence_of(words) for words in some])
    expected = [one for words in some for one in (None, *(clause_of(words, place) for place in range(len(words))))]
    for atom in range(len(CLAUSE_ATOMS)):
        pairs = {
            (clause[atom], id_)
            for clause, id_ in zip(expected, found[:, atom].tolist(), strict=True)
            if clause is not None
        }
        assert len({clause for clause, _ in pairs}) == len({id_ for _, id_ in pairs}) == len(pairs)
    roots = [place for place, one in enumerate(expected) if one is None]
    assert (found[roots] == ROOT).all()


def test_the_clause_that_a_conjunction_opens() -> None:
    words: Words = [("VERB", "_", "who"), ("SCONJ", "_", "that"), ("PRON", "PronType=Prs", "who"), ("VERB", "_", "and")]
    opener = columns(KNOWN, [sentence_of(words)])[1:, CLAUSE_ATOMS.index("opener")].tolist()
    assert opener[0] == opener[1]  # nobody has opened theirs
    assert opener[2] == opener[3] != opener[0]


def test_tags_that_share_the_class_of_the_rare_ones_tell_nothing() -> None:
    rare = [f"T{number:02}" for number in range(TAG_CLASSES)]
    tags = ["VERB"] * 99 + [tag for tag in rare for _ in range(9)] + ["PRON"] * 10 + ["AUX", "SCONJ"]
    known = Encoder.fit([Sentence.from_words(tags, upos=tags)])
    new = Sentence.from_words(["a"] * 6, upos=["T00", "AUX", "SCONJ", "never seen", "PRON", "T01"])
    atoms = columns(known, [new])[1:]
    since, opener = atoms[:, CLAUSE_ATOMS.index("since")], atoms[:, CLAUSE_ATOMS.index("opener")]
    assert len(set(since[:5].tolist())) == 1
    assert since[5] != since[4]
    assert len(set(opener.tolist())) == 1


@pytest.mark.parametrize("without", [(), ("upos",)])
def test_without_verbs_clauses_tell_no_words_apart(without: tuple[str, ...]) -> None:
    sentence = Sentence.from_words(["a", "b", "a"], upos=["X", "VERB" if without else "Y", "Z"])
    known = Encoder.fit([sentence], ignored=without)
    assert set(CLAUSE_ATOMS) <= known.constant_atoms()
    assert len(np.unique(columns(known, [sentence])[1:])) == 1


def test_verbs_between_two_words_are_counted_without_clauses() -> None:
    sentence = Sentence.from_words(["a", "b", "a"], upos=["AUX", "Y", "Z"])
    known = Encoder.fit([sentence])
    [template] = read_templates(
        "h.upos m.upos h.verbs between.verbs", roles=("h", "m"), atoms=known.names, constant=known.constant_atoms()
    )
    assert str(template) == "between.verbs h.upos m.upos"


def test_a_tagger_knows_nothing_of_clauses() -> None:
    known = Encoder.fit([EVERYTHING], affixes=True)
    assert not set(CLAUSE_ATOMS) & {*known.names, *known.constant_atoms()}


def test_clauses_of_no_sentences() -> None:
    assert columns(KNOWN, []).shape == (0, len(CLAUSE_ATOMS))


def test_other_tag_sets_tell_the_same_with_a_map() -> None:
    def named(tag: str) -> str:
        return tag.lower() + "2"

    sentences = [
        sentence_of([("CCONJ", "_", "and"), ("VERB", "_", "who"), ("PRON", "_", "that"), ("NOUN", "_", "and")])
    ]
    renamed = [sentence.with_tags(upos=list(map(named, sentence.upos))) for sentence in (EVERYTHING, *sentences)]
    mapped = Encoder.fit(renamed[:1], tag_map={named(tag): tag for tag in TAGS})
    np.testing.assert_array_equal(columns(mapped, renamed[1:]), columns(KNOWN, sentences))


def test_several_tags_may_be_verbs() -> None:
    sentence = Sentence.from_words(["a", "b", "c"], upos=["v1", "n", "v2"])
    known = Encoder.fit([sentence], tag_map={"v1": "VERB", "v2": "VERB", "n": "NOUN"})
    verbs = columns(known, [sentence])[1:, CLAUSE_ATOMS.index("verbs")]
    same = Sentence.from_words(["a", "b", "c"], upos=["VERB", "NOUN", "VERB"])
    assert verbs.tolist() == columns(Encoder.fit([same]), [same])[1:, CLAUSE_ATOMS.index("verbs")].tolist()
