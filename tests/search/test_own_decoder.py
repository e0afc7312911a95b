"""A decoder from outside the package parses and trains models of every order."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import small_corpus
from small_parser import bare

from headway import presets
from headway.corpus import is_tree
from headway.learning import TrainingOptions
from headway.parser import Parser
from headway.parts import Candidates, Kind, tree_score

DOCS = Path(__file__).resolve().parents[2] / "docs"
SENTENCES = small_corpus.sample(40)
NAME = "easiest-first"


@pytest.fixture(scope="module", autouse=True)
def registered() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS)
        import own_decoder  # noqa: F401  # registers the decoder


def accuracy(parser: Parser) -> float:
    pairs = zip(SENTENCES, parser.parse(map(bare, SENTENCES)), strict=True)
    return float(np.mean([a == b for gold, found in pairs for a, b in zip(gold.heads, found.heads, strict=True)]))


@pytest.mark.parametrize("name", ["fast", "standard"])
def test_it_trains_and_parses(name: str, tmp_path: Path) -> None:
    preset = replace(presets.PRESETS[name], name="own", decoder=presets.DecoderChoice(NAME, train=NAME))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(presets.PRESETS, "own", preset)
        parser = Parser.train(SENTENCES, dev=SENTENCES[:10], preset="own", options=TrainingOptions(epochs=4))
    assert parser.model.settings.decoder == NAME
    assert accuracy(parser) > 0.7
    parser.save(tmp_path / "own.headway")
    again = Parser.load(tmp_path / "own.headway")
    assert list(again.parse(SENTENCES)) == list(parser.parse(SENTENCES))


def test_it_parses_with_models_that_were_trained_otherwise() -> None:
    parser = Parser.train(SENTENCES, preset="fast", options=TrainingOptions(epochs=2))
    for sentence in parser.parse(map(bare, SENTENCES), decoder=NAME, confidence=True):
        assert is_tree(sentence.heads)
    parse = parser.parse_one(SENTENCES[0], decoder=NAME, required={2: 1})
    assert parse.heads[2] == 1
    best = parser.parse_one(SENTENCES[0], decoder="spanning-tree", required={2: 1})
    assert parse.score <= best.score + 1e-9


def test_its_lists_are_ranked_without_the_parts_that_it_ignores() -> None:
    parser = Parser.train(SENTENCES, preset="standard", options=TrainingOptions(epochs=1))
    scorer, encoder = parser.model.scorer, parser.model.encoder
    for sentence in SENTENCES[:5]:
        parses = parser.parse_best(sentence, 3, decoder=NAME)
        encoded, candidates = encoder.encode([sentence]), Candidates.all(len(sentence))
        arcs = scorer.scores(encoded, 0, candidates, {Kind.ARC})
        expected = [tree_score(candidates, arcs, parse.heads) for parse in parses]
        assert [parse.score for parse in parses] == pytest.approx(expected, abs=1e-4)
        assert expected == sorted(expected, reverse=True)
        assert {parse.ignored for parse in parses} == {scorer.kinds - {Kind.ARC}}
