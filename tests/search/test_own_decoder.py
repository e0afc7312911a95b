"""A decoder from outside the package parses and trains models of every order."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import small_corpus
from small_parser import bare

from headway import presets
from headway.corpus import is_tree, parse_sentences, write_sentences
from headway.decoders import decoder_names, find_decoder
from headway.errors import UsageError
from headway.learning import TrainingOptions
from headway.parser import Parser
from headway.parts import Candidates, Kind, tree_score
from headway.scorers import find_scorer

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


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the path, as of an installed package: a module and its metadata."""
    package = tmp_path_factory.mktemp("site")
    info = package / "easiest_decoder-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: easiest-decoder\nVersion: 1.0\n")
    entries = "[headway.decoders]\neasiest = easiest_decoder:EasiestFirst\nlost = lost_decoder:Lost\n"
    entries += "renamed = easiest_decoder:Renamed\n[headway.scorers]\nlost = lost_scorer:Lost\n"
    (info / "entry_points.txt").write_text(entries)
    (package / "easiest_decoder.py").write_bytes((DOCS / "own_decoder.py").read_bytes())
    return package


def test_the_command_finds_it_by_an_entry_point(site: Path, tmp_path: Path) -> None:
    model, source = tmp_path / "small.headway", tmp_path / "in.conllu"
    parser = Parser.train(SENTENCES, preset="fast", options=TrainingOptions(epochs=1))
    parser.save(model)
    write_sentences(source, list(map(bare, SENTENCES[:3])))
    expected = [sentence.heads for sentence in parser.parse(map(bare, SENTENCES[:3]), decoder=NAME)]
    command = [sys.executable, "-m", "headway.cli.main", "parse", str(source), "-m", str(model), "--quiet", "--decoder"]
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), *filter(None, sys.path)])}

    def run(*options: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([*command, *options], env=variables, capture_output=True, text=True, check=False)

    for options in ([], ["--confidence"], ["--keep-heads"], ["--k-best", "2"]):
        done = run("easiest", *options)
        assert done.returncode == 0, done.stderr
        parsed = list(parse_sentences(done.stdout))
        if options == ["--k-best", "2"]:
            assert len(parsed) == 6
        else:
            assert [sentence.heads for sentence in parsed] == expected
    lost = run("lost")
    assert lost.returncode == 2
    [error] = lost.stderr.splitlines()
    assert error.startswith(
        "headway: error: the plugin 'lost' (headway.decoders: lost_decoder:Lost) cannot be imported"
    )
    assert "No module named 'lost_decoder'" in error


def test_a_plugin_that_cannot_be_imported_is_named(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(site)
    assert {"easiest", "lost", "renamed"} <= set(decoder_names())
    for find, name in ((find_decoder, "lost"), (find_decoder, "renamed"), (find_scorer, "lost")):
        with pytest.raises(UsageError, match=f"the plugin '{name}' .* cannot be imported: .*: reinstall the package"):
            find(name)
