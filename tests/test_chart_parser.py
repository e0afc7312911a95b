"""Parsers that are trained and searched with exact charts, from sentences to sentences."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import small_corpus
from small_parser import bare, partial

from headway import presets
from headway.corpus import Sentence, is_projective, is_tree, nonprojective_arcs
from headway.decoders import ListsTrees, decoder_names, find_decoder
from headway.errors import UsageError
from headway.features.high_order import TEMPLATES
from headway.learning import TrainingOptions
from headway.learning.gold import gold_trees, projective_gold
from headway.parser import Parser
from headway.presets import DecoderChoice, HighOrder, Preset, Pruning, find_preset

SENTENCES = small_corpus.sample(60)
TRAIN, DEV = SENTENCES[:45], SENTENCES[45:]
PARTS = HighOrder(
    {kind: TEMPLATES[kind] for kind in ("sibling", "grandparent", "grand_sibling", "tri_sibling")},
    slots=1 << 14,
    rows=1 << 13,
)
MODEL1 = replace(
    small_corpus.SMALL,
    name="small-model1",
    parts=PARTS,
    pruning=Pruning(),
    decoder=DecoderChoice("model1"),
)


def train(
    preset: Preset = MODEL1,
    *,
    sentences: Sequence[Sentence] = TRAIN,
    dev: Sequence[Sentence] = DEV,
    threads: int = 1,
    epochs: int = 3,
) -> Parser:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(presets.PRESETS, preset.name, preset)
        training = TrainingOptions(epochs=epochs, threads=threads)
        return Parser.train(sentences, dev=dev, preset=preset.name, options=training)


@pytest.fixture(scope="module")
def parser() -> Parser:
    return train()


def accuracy(parser: Parser, sentences: Sequence[Sentence] = TRAIN) -> float:
    pairs = zip(sentences, parser.parse(map(bare, sentences)), strict=True)
    right = [one == other for gold, found in pairs for one, other in zip(gold.heads, found.heads, strict=True)]
    return float(np.mean(right))


@pytest.mark.parametrize("rule", ["mira", "perceptron", "loglinear"])
@pytest.mark.parametrize("factorization", ["model1", "model2"])
def test_every_way_of_learning_learns(rule: str, factorization: str) -> None:
    assert accuracy(train(replace(MODEL1, rule=rule, decoder=DecoderChoice(factorization)), epochs=4)) > 0.8


@pytest.mark.parametrize(
    ("inference", "rule"), [("dual", "mira"), ("relaxed", "mira"), ("relaxed", "perceptron"), ("fractional", "mira")]
)
def test_every_inference_learns(inference: str, rule: str) -> None:
    dual = inference == "dual"
    decoder = DecoderChoice(train="dual-decomposition" if dual else "")
    preset = replace(MODEL1, decoder=decoder, rule=rule, inference="trees" if dual else inference)
    assert accuracy(train(preset, sentences=TRAIN[:20], dev=DEV[:5], epochs=4), TRAIN[:20]) > 0.8


@pytest.mark.parametrize("rule", ["mira", "loglinear"])
def test_the_model_is_the_same_on_any_number_of_threads(rule: str) -> None:
    preset = replace(MODEL1, rule=rule)
    one, two = (train(preset, sentences=TRAIN[:20], threads=threads, epochs=2).model for threads in (1, 2))
    np.testing.assert_array_equal(one.linear.arcs.rows.values, two.linear.arcs.rows.values)
    np.testing.assert_array_equal(one.linear.parts.rows.values, two.linear.parts.rows.values)
    assert one.settings == two.settings


def test_trees_are_projective_trees(parser: Parser) -> None:
    for sentence in parser.parse(map(bare, DEV)):
        assert is_tree(sentence.heads)
        assert is_projective(sentence.heads)


def test_a_saved_parser_parses_alike(parser: Parser, tmp_path) -> None:
    parser.save(tmp_path / "model1.headway")
    again = Parser.load(tmp_path / "model1.headway")
    assert again.model.settings == parser.model.settings
    assert list(again.parse(DEV)) == list(parser.parse(DEV))


@pytest.mark.parametrize("decoder", decoder_names())
def test_every_decoder_parses_and_says_how_sure_it_is(parser: Parser, decoder: str) -> None:
    for sentence in parser.parse(map(bare, DEV[:5]), decoder=decoder, confidence=True):
        assert is_tree(sentence.heads)
        assert all(0.0 <= float(chance) <= 1.0 for chance in sentence.misc("HeadProb"))
    table = parser.arc_probabilities(DEV[1], decoder=decoder)
    np.testing.assert_allclose(table[:, 1:].sum(axis=0), 1.0, atol=1e-6)
    parse = parser.parse_one(DEV[1], required={1: 2}, decoder=decoder)
    assert parse.heads[1] == 2


@pytest.mark.parametrize("decoder", [name for name in decoder_names() if isinstance(find_decoder(name), ListsTrees)])
def test_the_best_trees_come_in_order(parser: Parser, decoder: str) -> None:
    found = list(parser.parse([DEV[0]], decoder=decoder, k_best=7, confidence=True))
    scores = [float(tree.metadata["score"]) for tree in found]
    assert [tree.metadata["tree"] for tree in found] == [str(rank) for rank in range(1, 8)]
    assert scores == sorted(scores, reverse=True)
    assert len({tuple(tree.heads) for tree in found}) == 7
    [best] = parser.parse([DEV[0]], decoder=decoder)
    assert found[0].heads == best.heads
    assert found[0].labels == best.labels
    assert DEV[0].comments == best.comments


def test_short_sentences_have_fewer_trees(parser: Parser) -> None:
    lists = list(parser.parse([small_corpus.sample(1)[0].from_words(["Yes"])], k_best=5))
    assert len(lists) == 1


def test_the_best_trees_keep_given_heads(parser: Parser) -> None:
    gold = DEV[0].heads
    sentence = partial(DEV[0], {1: gold[0], 2: gold[1]})
    for tree in parser.parse([sentence], k_best=4, keep_heads=True):
        assert tree.heads[:2] == gold[:2]


def test_proofs_are_told(parser: Parser) -> None:
    free = Parser(replace(parser.model, settings=replace(parser.model.settings, projective=False)))
    for one in (parser, free):
        for sentence in one.parse(DEV[:6], decoder="exact"):
            assert sentence.metadata["optimal"] == "yes"
        for sentence in one.parse(DEV[:6], decoder="dual-decomposition"):
            assert ("optimal" in sentence.metadata) != ("gap" in sentence.metadata)
    [hurried] = free.parse([DEV[0]], decoder="exact", seconds=0.0)
    assert is_tree(hurried.heads)
    exact, climbed = (free.parse_one(DEV[0], decoder=name) for name in ("exact", "hill-climbing"))
    assert exact.exact
    assert exact.score >= climbed.score - 1e-6


def test_charts_and_dual_decomposition_agree() -> None:
    tables = {kind: TEMPLATES[kind] for kind in ("sibling", "grandparent", "grand_sibling")}
    trained = train(replace(MODEL1, parts=replace(PARTS, templates=tables)))
    for sentence in DEV[:8]:
        chart, dual = (trained.parse_one(sentence, decoder=name) for name in ("model1", "exact"))
        assert dual.exact
        assert chart.score == pytest.approx(dual.score, abs=1e-4)


def test_lists_of_a_decoder_that_finds_one_tree(parser: Parser) -> None:
    for sentence in DEV[:5]:
        found = list(parser.parse([sentence], decoder="hill-climbing", k_best=4))
        scores = [float(tree.metadata["score"]) for tree in found]
        [climbed] = parser.parse([sentence], decoder="hill-climbing")
        assert scores == sorted(scores, reverse=True)
        assert len({tuple(tree.heads) for tree in found}) == len(found)
        assert climbed.heads in [tree.heads for tree in found]


def test_who_cannot_list_trees(parser: Parser) -> None:
    with pytest.raises(UsageError, match="exact finds only one tree"):
        list(parser.parse(DEV, decoder="exact", k_best=2))
    with pytest.raises(UsageError, match="must be at least 1"):
        list(parser.parse(DEV, k_best=0))
    with pytest.raises(UsageError, match="no decoder 'guess'; choose from spanning-tree"):
        list(parser.parse(DEV, decoder="guess"))


def test_searches_say_what_they_ignore(parser: Parser) -> None:
    assert parser.model.search().ignored == {"tri_sibling"}
    assert parser.model.search("model2").ignored == {
        "grandparent",
        "grand_sibling",
    }  # which it scores for outer children
    assert parser.model.search("hill-climbing").ignored == frozenset()
    assert parser.model.search("eisner").ignored == {"sibling", "grandparent", "grand_sibling", "tri_sibling"}
    with pytest.raises(UsageError, match="eisner cannot read sibling, grandparent, grand-sibling, tri-sibling parts"):
        parser.model.search("eisner", ignore=())


def test_marginals_are_fairly_calibrated_where_they_were_fitted(parser: Parser) -> None:
    chances, right = [], []
    for gold, found in zip(DEV, parser.parse(map(bare, DEV), confidence=True), strict=True):
        chances += [float(chance) for chance in found.misc("HeadProb")]
        right += [one == other for one, other in zip(gold.heads, found.heads, strict=True)]
    assert abs(np.mean(chances) - np.mean(right)) < 0.1


def test_gold_trees_are_made_projective() -> None:
    crossing = [sentence for sentence in small_corpus.sample(200) if any(nonprojective_arcs(sentence.heads))]
    encoder = train(epochs=1).model.encoder
    gold = gold_trees([*crossing, TRAIN[0]], encoder, ["x"])
    heads = projective_gold(gold).heads
    for start, end in zip(gold.encoded.starts[:-1], gold.encoded.starts[1:], strict=True):
        assert is_projective(heads[start + 1 : end].tolist())
    rows = slice(gold.encoded.starts[-2], gold.encoded.starts[-1])
    np.testing.assert_array_equal(heads[rows][1:], TRAIN[0].heads)


def test_pseudo_projective_parsers_put_crossing_arcs_back() -> None:
    heads, labels = [3, 0, 2, 2], ["det", "root", "obj", "punct"]
    template = small_corpus.sample(1)[0]
    sentence = template.from_words(["The", "saw", "dog", "."], upos=["DET", "VERB", "NOUN", "PUNCT"])
    corpus = [sentence.with_tree(heads, labels)] * 12
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(presets.PRESETS, "small", small_corpus.SMALL)
        parser = Parser.train(corpus, preset="small", options=TrainingOptions(epochs=5), pseudo_projective=True)
    assert parser.model.settings.projective
    assert "det|obj" in parser.model.labels
    [found] = parser.parse([bare(sentence)])
    assert (found.heads, found.labels) == (heads, labels)
    parse = parser.parse_one(bare(sentence))
    assert (parse.heads.tolist(), list(parse.labels or ())) == ([-1, *heads], labels)
    [kept] = parser.parse([partial(sentence, {1: 2})], keep_heads=True)
    assert kept.heads == [2, 0, 2, 2]


def test_beams() -> None:
    assert find_preset("model1", beam=1e-4).pruning == Pruning(ratio=1e-4, most=1 << 20)
    with pytest.raises(UsageError, match="does not prune"):
        find_preset("fast", beam=0.1)
    with pytest.raises(UsageError, match="from 0 to 1"):
        find_preset("model1", beam=2.0)
