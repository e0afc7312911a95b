"""Tags, morphology and lemmas of the sample treebank."""

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import small_corpus

from headway.corpus import Sentence
from headway.features.templates import read_templates
from headway.tagging.lexicon import _MOST_CLASSES, Lexicon
from headway.tagging.morphology import ENDING, LOWER, Morphology
from headway.tagging.tagger import SHARES, TagScores
from headway.tagging.templates import MORPH_TEMPLATES
from headway.tagging.words import WordModel

SENTENCES = small_corpus.sample(120)
DEV = SENTENCES[100:]


@cache
def trained(*, short_sentences: bool = False) -> WordModel:
    return WordModel.fit(SENTENCES[:100], short_sentences=short_sentences)


def bare(sentence: Sentence) -> Sentence:
    return Sentence.from_words(sentence.forms)


def accuracy(found: list[Sentence], column: str) -> float:
    pairs = [
        pair for one, other in zip(found, DEV, strict=True)
        for pair in zip(getattr(one, column), getattr(other, column), strict=True)
    ]  # fmt: skip
    return float(np.mean([one == other for one, other in pairs]))


@pytest.mark.parametrize("short_sentences", [False, True])
@pytest.mark.parametrize("column", ["upos", "xpos", "feats", "lemmas"])
def test_it_learns(column: str, short_sentences: bool) -> None:
    model = trained(short_sentences=short_sentences)
    assert accuracy(model.tag([bare(sentence) for sentence in DEV]), column) > 0.95


def test_what_is_there_is_kept_if_asked_for() -> None:
    given = bare(DEV[0]).with_tags(upos=["X"] * len(DEV[0]))
    kept, fresh = trained().tag([given], keep=True)[0], trained().tag([given])[0]
    assert set(kept.upos) == {"X"}
    assert set(fresh.upos) != {"X"}
    assert kept.lemmas != ["_"] * len(given)


def test_what_is_empty_beside_columns_that_are_filled() -> None:
    full, plain = DEV[0], DEV[1].with_tags(feats=["_"] * len(DEV[1]))
    gap = DEV[2].with_tags(upos=["_", *DEV[2].upos[1:]])
    tags = bare(DEV[3]).with_tags(upos=DEV[3].upos)
    found = trained().tag([full, plain, gap, tags, bare(DEV[4])], keep=True)
    assert found == [
        one for sentence in (full, plain, gap, tags, bare(DEV[4])) for one in trained().tag([sentence], keep=True)
    ]
    assert [one.feats for one in found[:3]] == [full.feats, plain.feats, gap.feats]  # "_" may be what is right
    assert found[2].upos[0] != "_"
    assert found[2].upos[1:] == gap.upos[1:]
    assert found[3].upos == tags.upos
    assert set(found[3].lemmas + found[4].lemmas + found[4].upos).isdisjoint({"_"})


def test_tag_probabilities() -> None:
    model = trained()
    encoded = model.encoder.encode([bare(sentence) for sentence in DEV])
    chances = model.tagger.probabilities(encoded)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-6)
    best = [model.tagger.names[number] for number in chances.argmax(axis=1)]
    assert np.mean([one == other for one, other in zip(best, model.tagger.tag(encoded), strict=True)]) > 0.97


@pytest.mark.parametrize("short_sentences", [False, True])
def test_the_same_seed_gives_the_same_model(short_sentences: bool) -> None:
    first = trained(short_sentences=short_sentences)
    again = WordModel.fit(SENTENCES[:100], short_sentences=short_sentences)
    np.testing.assert_array_equal(again.tagger.rows.values, first.tagger.rows.values)
    np.testing.assert_array_equal(again.morphology.rows.values, first.morphology.rows.values)


def test_short_sentences_move_the_tagger_and_it_is_saved() -> None:
    plain, short = trained(), trained(short_sentences=True)
    assert plain.encoder.dictionary is None
    assert not np.array_equal(plain.tagger.rows.values, short.tagger.rows.values)
    pairs, triples = short.tagger.transitions
    transitions = {"tag_pairs": pairs, "tag_triples": triples}
    rows = {"tag": short.tagger.rows, "morphology": short.morphology.rows}
    again = WordModel.from_json(json.loads(json.dumps(short.to_json())), lambda name, _: rows[name], transitions)
    new = [*map(bare, DEV), Sentence.from_words(["Zebras", "zoom", "."])]
    assert again.tag(new) == short.tag(new)


def test_one_sentence_is_enough() -> None:
    model = WordModel.fit(SENTENCES[:1])
    assert model.tag(SENTENCES[:1])[0].upos == SENTENCES[0].upos


def test_no_sentences_and_empty_ones() -> None:
    assert trained().tag([]) == []
    [empty] = trained().tag([Sentence.from_words([])])
    assert len(empty) == 0


def test_templates_conjoined_with_the_previous_class() -> None:
    encoder = trained().encoder
    lines = read_templates(MORPH_TEMPLATES, roles=("w",), atoms=encoder.names, constant=encoder.constant_atoms())
    assert (str(lines[LOWER]), str(lines[ENDING])) == ("w.lower", "w.suffix2")


def test_classes_that_do_not_exist_are_refused() -> None:
    saved = trained().morphology.to_json()
    broken = {**saved, "endings": {"NOUN|s": [len(saved["classes"])]}}
    with pytest.raises(ValueError, match="a class that is not in the list"):
        Morphology.from_json(broken, trained().encoder, trained().morphology.rows)


CLASSES = [("NOUN", "N", "Case=Acc"), ("NOUN", "N", "Case=Nom"), ("VERB", "V", "_")]


def test_a_lexicon_offers_classes_from_training() -> None:
    several = [f"{letter}s" for letter in "abcdefghijklmnop"]
    forms = ["cats"] * 8 + several + ["hen", "Run"]
    numbers = [1] * 8 + [0, 1] * (len(several) // 2) + [1, 2]
    lexicon = Lexicon.fit(forms, numbers, CLASSES)
    assert lexicon.classes("cats", "NOUN") == (1,)  # often, and never otherwise
    assert lexicon.classes("suns", "NOUN") == (0, 1)  # as other words in -s
    assert lexicon.classes("RUN", "VERB") == (2,)
    assert lexicon.classes("walk", "VERB") == (2,)
    assert lexicon.classes("walk", "ADV") == ()


def test_an_ending_of_few_forms_tells_nothing() -> None:
    forms = ["anna"] * 6 + ["hanna"] * 6 + [f"{letter}n" for letter in "abcdefghijklmnop"]
    lexicon = Lexicon.fit(forms, [0] * 12 + [1] * 16, CLASSES)
    assert lexicon.classes("Johanna", "NOUN") == (0, 1)
    assert lexicon.classes("Anna", "NOUN") == (0, 1)
    assert lexicon.classes("on", "NOUN") == (1,)


def test_an_ending_keeps_its_most_frequent_classes() -> None:
    many = _MOST_CLASSES + 6
    classes = [("NOUN", f"N{number}", "_") for number in range(many)]
    numbers = [number for number in range(many) for _ in range(number + 1)]
    forms = [f"{chr(0x4E00 + place)}um" for place in range(len(numbers))]  # that share nothing but their last letters
    lexicon = Lexicon.fit(forms, numbers, classes)
    assert lexicon.classes("unseenum", "NOUN") == tuple(range(6, many))
    assert lexicon.classes(forms[0], "NOUN") == (0, *range(6, many))


def test_readings_begin_with_the_tag_of_tag() -> None:
    model, unread = trained(), [bare(sentence) for sentence in DEV]
    several = 0
    for tagged, (sentence, readings) in zip(model.tag(unread), model.readings(unread, most=3, margin=1.5), strict=True):
        assert sentence == tagged
        for word, ranked in enumerate(readings):
            assert ranked[0][:4] == (tagged.upos[word], tagged.xpos[word], tagged.feats[word], tagged.lemmas[word])
            weights = [reading.weight for reading in ranked]
            assert weights == sorted(weights, reverse=True)
            assert weights[0] == 0.0
            assert weights[-1] >= -1.5
            assert len({(reading.upos, reading.feats) for reading in ranked}) == len(ranked) <= 3
            several += len(ranked) > 1
    assert several > 10


def test_the_weight_of_a_reading_is_what_it_takes_to_choose_it() -> None:
    """A class is chosen as soon as its tag is worth more than it lacks."""
    model, sentence = trained(), bare(DEV[1])
    encoded = model.encoder.encode([sentence])
    _, options = model.tagger.options(encoded)
    first = model.morphology.rank(encoded, sentence.forms, options, trust=1.0, most=9, margin=50.0)
    for word, ranked in enumerate(first):
        for (upos, _, _), weight in ranked[1:]:
            if upos != ranked[0][0][0]:
                for more, chosen in ((1e-6, True), (-1e-6, False)):
                    raised = [(tag, value + (more - weight if tag == upos else 0.0)) for tag, value in options[word]]
                    changed = [*options[:word], raised, *options[word + 1 :]]
                    again = model.morphology.rank(encoded, sentence.forms, changed, trust=1.0, most=1, margin=0.0)
                    assert (again[word][0][0][0] == upos) == chosen
                return
    raise AssertionError("no word with two tags")


def test_tags_by_two_taggers_are_those_of_the_weighted_product() -> None:
    model, sentence = trained(), bare(DEV[0])
    encoded, names = model.encoder.encode([sentence]), model.tagger.names
    tagged = model.tagger.probabilities(encoded)
    generator = np.random.default_rng(1)
    order = generator.permutation(len(names))
    beside = TagScores([names[tag] for tag in order], np.log(generator.dirichlet(np.ones(len(names)), len(sentence))))
    product = np.sqrt(tagged) * np.exp(beside.log_probabilities[:, np.argsort(order)])
    best, options = model.tagger.options(encoded, beside)
    assert best == [names[tag] for tag in product.argmax(axis=1)]
    for word, kept in enumerate(options):
        for name, weight in kept:
            expected = product[word, names.index(name)] / product[word].sum()
            assert weight == pytest.approx(np.log(max(expected, 1e-4)), abs=1e-3)


def test_a_tagger_that_is_sure_decides() -> None:
    model, sentence = trained(), bare(DEV[0])
    for name in ("NOUN", "VERB"):
        beside = TagScores(["X?", name], np.log(np.full((len(sentence), 2), [1e-12, 1.0])))
        assert set(model.tag([sentence], beside=beside)[0].upos) == {name}


def test_the_share_is_that_with_the_most_right_tags() -> None:
    dev, names = SENTENCES[100:120], sorted({tag for sentence in SENTENCES for tag in sentence.upos})
    gold = np.array([names.index(tag) for sentence in dev for tag in sentence.upos])
    right = np.log(np.where(np.arange(len(names)) == gold[:, None], 0.9, 0.1 / len(names)))
    wrong = np.log(np.where(np.arange(len(names)) == (gold[:, None] + 1) % len(names), 0.9, 0.1 / len(names)))
    trusting, doubting = (trained().fit_share(dev, TagScores(names, scores)) for scores in (right, wrong))
    assert trusting.share < 1.0 < doubting.share
    for share in SHARES:
        same = replace(trained(), share=share).tag(dev, beside=TagScores(names, right))
        assert accuracy_of(same, dev) <= accuracy_of(trusting.tag(dev, beside=TagScores(names, right)), dev)
    saved, weights = json.loads(json.dumps(doubting.to_json())), doubting.tagger.transitions
    rows = {"tag": doubting.tagger.rows, "morphology": doubting.morphology.rows}
    tensors = {"tag_pairs": weights[0], "tag_triples": weights[1]}
    assert WordModel.from_json(saved, lambda name, _: rows[name], tensors).share == doubting.share
    del saved["share"]  # as in models made before
    assert WordModel.from_json(saved, lambda name, _: rows[name], tensors).share == SHARES[0]


def accuracy_of(found: list[Sentence], gold: list[Sentence]) -> int:
    """Count the right tags and features, as `fit_share` does."""
    return sum(
        (one == other)
        for a, b in zip(found, gold, strict=True)
        for one, other in [*zip(a.upos, b.upos, strict=True), *zip(a.feats, b.feats, strict=True)]
    )
