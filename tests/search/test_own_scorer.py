"""A scorer from outside the package gets everything: decoders, lists, proofs, confidences, constraints, commands."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import small_corpus
from small_parser import bare, trained
from typer.testing import CliRunner

from headway import presets
from headway.cli.app import app
from headway.corpus import Sentence, is_tree, read_sentences, write_sentences
from headway.decoders import ListsTrees, decoder_names, find_decoder
from headway.errors import ModelError
from headway.learning import TrainingOptions
from headway.parser import Parser
from headway.parts import Candidates, tree_score
from headway.scorers.given import GivenLabels
from headway.scorers.sum import Sum
from headway.search.labels import LabelSum, find_labels, label_scores
from headway.support.threads import Threads

DOCS = Path(__file__).resolve().parents[2] / "docs"
SENTENCES = small_corpus.sample(12)


@pytest.fixture(scope="module")
def parser() -> Parser:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS)
        from own_scorer import DistanceScorer

        patch.setitem(presets.PRESETS, "small", replace(small_corpus.SMALL, pruning=presets.Pruning()))
        base = Parser.train(SENTENCES, preset="small", options=TrainingOptions(epochs=1))
        return base.with_scorer(DistanceScorer(2.0))


@pytest.mark.parametrize("decoder", decoder_names())
def test_every_decoder_reads_it(parser: Parser, decoder: str) -> None:
    search = parser.model.search(decoder)
    for sentence in parser.parse(map(bare, SENTENCES[:4]), decoder=decoder, confidence=True):
        assert is_tree(sentence.heads)
        assert all(0.0 <= float(chance) <= 1.0 for chance in sentence.misc("HeadProb"))
    parse = parser.parse_one(SENTENCES[1], required={1: 2}, forbidden=[(1, 3)], decoder=decoder)
    assert parse.heads[1] == 2
    assert parse.heads[3] != 1
    assert search.ignored == ({"sibling"} if decoder in ("eisner", "spanning-tree", "model0") else set())
    if isinstance(find_decoder(decoder), ListsTrees):
        scores = [float(tree.metadata["score"]) for tree in parser.parse([SENTENCES[0]], decoder=decoder, k_best=4)]
        assert scores == sorted(scores, reverse=True)
        assert len(scores) == 4


def test_searches_agree_on_it(parser: Parser) -> None:
    for sentence in SENTENCES[:4]:
        exact, program, climbed = (
            parser.parse_one(sentence, decoder=name) for name in ("exact", "integer-program", "hill-climbing")
        )
        assert exact.exact
        assert exact.score == pytest.approx(program.score, abs=1e-6)
        assert climbed.score <= exact.score + 1e-9


def test_it_is_saved_and_found_again_by_its_name(parser: Parser, tmp_path: Path) -> None:
    path = tmp_path / "distance.headway"
    parser.save(path)
    again = Parser.load(path)
    assert again.model.scorer.closeness == 2.0
    assert list(again.parse(SENTENCES)) == list(parser.parse(SENTENCES))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("headway.scorers._REGISTERED", {})
        with pytest.raises(ModelError, match="no scorer 'distance'; choose from linear"):
            Parser.load(path)


def test_it_is_added_to_a_linear_model(parser: Parser, tmp_path: Path) -> None:
    base, distances = trained(), parser.model.scorer
    both = base.with_scorer(Sum(base.model.scorer, distances, weights=(1.0, 0.5)))
    encoded, candidates = base.model.encoder.encode([SENTENCES[1]]), Candidates.all(len(SENTENCES[1]))
    parse = both.parse_one(SENTENCES[1])
    scores = [
        tree_score(candidates, one.scores(encoded, 0, candidates), parse.heads) for one in both.model.scorer.scorers
    ]
    assert parse.score == pytest.approx(scores[0] + 0.5 * scores[1], abs=1e-4)
    both.save(tmp_path / "both.headway")
    again = Parser.load(tmp_path / "both.headway")
    assert again.model.scorer.weights == (1.0, 0.5)
    assert list(again.parse(SENTENCES)) == list(both.parse(SENTENCES))


def test_labels_of_two_scorers_are_added() -> None:
    parser = trained()
    encoded = parser.model.encoder.encode([SENTENCES[1]])
    heads = np.array([-1, *SENTENCES[1].heads], dtype=np.int32)
    given = np.random.default_rng(1).normal(size=(len(heads), len(parser.model.labels))).astype(np.float32)
    namer = LabelSum(parser.model.namer, GivenLabels(given), 0.5)
    expected = label_scores(encoded, 0, heads, parser.model.namer) + 0.5 * given
    np.testing.assert_allclose(label_scores(encoded, 0, heads, namer), expected)
    found = find_labels(encoded, heads, namer, threads=Threads())
    assert found[1:].tolist() == expected[1:].argmax(axis=1).tolist()


def test_the_command_finds_it_by_an_entry_point(parser: Parser, tmp_path: Path) -> None:
    """As an installed package would offer it: a folder on the path with a module and its metadata."""
    package = tmp_path / "site"
    info = package / "distance_scorer-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: distance-scorer\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[headway.scorers]\ndistance = own_scorer:DistanceScorer\n")
    (package / "own_scorer.py").write_bytes((DOCS / "own_scorer.py").read_bytes())
    model, source = tmp_path / "distance.headway", tmp_path / "in.conllu"
    parser.save(model)
    write_sentences(source, list(map(bare, SENTENCES[:3])))
    path = os.pathsep.join([str(package), *filter(None, sys.path)])
    for options in (["--exact"], ["--confidence"], ["--decoder", "model1", "--k-best", "2"], ["--keep-heads"]):
        target = tmp_path / "out.conllu"
        command = [sys.executable, "-m", "headway.cli.main", "parse", str(source), "-m", str(model), "-o", str(target)]
        done = subprocess.run(
            [*command, *options], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        parsed = list(read_sentences(target))
        assert all(is_tree(sentence.heads) for sentence in parsed)
        if options == ["--exact"]:
            assert [sentence.metadata["optimal"] for sentence in parsed] == ["yes"] * 3
        assert len(parsed) == (6 if "--k-best" in options else 3)


@pytest.fixture(scope="module")
def saved(parser: Parser, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A model file, and sentences without trees."""
    folder = tmp_path_factory.mktemp("saved")
    parser.save(folder / "distance.headway")
    write_sentences(folder / "in.conllu", list(map(bare, SENTENCES)))
    return folder / "distance.headway", folder / "in.conllu"


def parse_by_command(saved: tuple[Path, Path], *options: str) -> list[Sentence]:
    model, source = saved
    target = model.with_name("out.conllu")
    result = CliRunner().invoke(app, ["parse", str(source), "-m", str(model), "-o", str(target), *options])
    assert result.exit_code == 0, result.output
    return list(read_sentences(target))


def violations(sentence: Sentence) -> int:
    """The number of second subjects of a head, and of children of punctuation."""
    pairs = list(zip(sentence.heads, sentence.labels, strict=True))
    subjects = [head for head, label in pairs if label.partition(":")[0] in ("nsubj", "csubj")]
    return len(subjects) - len(set(subjects)) + sum(sentence.upos[head - 1] == "PUNCT" for head, _ in pairs if head > 0)


def test_without_constraints_there_are_violations(saved: tuple[Path, Path]) -> None:
    assert sum(map(violations, parse_by_command(saved))) > 0


@pytest.mark.filterwarnings("ignore:the chains have not mixed")
@pytest.mark.parametrize("decoder", decoder_names())
def test_the_command_has_every_decoder_with_confidences_and_constraints(saved: tuple[Path, Path], decoder: str) -> None:
    rules = ("--constraint", "one-subject", "--constraint", "leaf-punctuation")
    parsed = parse_by_command(saved, "--decoder", decoder, "--confidence", *rules)
    assert len(parsed) == len(SENTENCES)
    for sentence in parsed:
        assert is_tree(sentence.heads)
        assert None not in sentence.misc("HeadProb")
        assert violations(sentence) == 0


def test_scores_are_those_that_were_asked_for(parser: Parser) -> None:
    encoded = parser.model.encoder.encode([SENTENCES[0]])
    [parse] = parser.model.search("exact").best(encoded, 0)
    words = np.arange(1, len(parse.heads))
    assert parse.score <= -2.0 * np.log(np.abs(parse.heads[1:] - words)).sum() + 1e-9
