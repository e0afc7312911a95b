"""Long sentences stay bounded, on every way to a tree, and the output says so."""

import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import small_corpus
import small_parser
from small_parser import DEV, TRAIN, bare, partial

from headway.bulk import parse_files
from headway.bulk.worker import Task, Worker
from headway.corpus import Sentence, check_tree, format_sentence, read_sentences
from headway.errors import ConstraintError, TreeError, UsageError
from headway.learning import TrainingOptions
from headway.parser import Parser
from headway.parts import part_counts
from headway.progress import Progress
from headway.search.constraints import find_constraints
from headway.search.pieces import LONG

LOW = 8


@pytest.fixture(scope="module")
def parser() -> Parser:
    return small_parser.trained()


def long_sentence(words: int) -> Sentence:
    """The words of the sample treebank one after the other, as if they were one sentence."""
    forms, upos = [], []
    while len(forms) < words:
        for sentence in TRAIN:
            forms += sentence.forms
            upos += sentence.upos
    return Sentence.from_words(forms[:words], upos=upos[:words])


def pieces_of(sentence: Sentence) -> int:
    return int(sentence.metadata.get("parsed_in_pieces", 0))


DECODERS = (
    "eisner", "spanning-tree", "hill-climbing", "sibling", "model1", "dual-decomposition", "exact", "integer-program",
)  # fmt: skip


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("confidence", [False, True], ids=["trees", "confidence"])
def test_every_decoder_searches_long_sentences_in_pieces(parser: Parser, decoder: str, confidence: bool) -> None:
    given = [TRAIN[0], long_sentence(50), DEV[0]]
    found = list(parser.parse(map(bare, given), decoder=decoder, confidence=confidence, longest=LOW, seconds=5.0))
    for sentence, parsed in zip(given, found, strict=True):
        check_tree(parsed.heads)
        assert pieces_of(parsed) > 1 if len(sentence) > LOW else pieces_of(parsed) == 0
    long = found[1]
    assert "tree_prob" not in long.metadata
    assert long.metadata.get("optimal") is None
    if confidence:
        chances = long.misc("HeadProb")
        assert 0 < chances.count(None) < pieces_of(long)  # those of the arcs that join pieces
        second = [int(head) for head in long.misc("SecondHead") if head is not None]
        assert second
        assert all(0 <= head <= 50 for head in second)


@pytest.mark.parametrize("single_root", [True, False])
def test_kept_heads_are_kept_across_pieces(parser: Parser, single_root: bool) -> None:
    sentence = long_sentence(40)
    given = {3: 30, 31: 4, 40: 1, 10: 0, 12: 11, 25: 24}
    [found] = parser.parse([partial(sentence, given)], keep_heads=True, longest=LOW, single_root=single_root)
    check_tree(found.heads)
    assert {word: found.heads[word - 1] for word in given} == given
    assert pieces_of(found) > 1


def test_heads_that_no_tree_has_are_told_with_their_place(parser: Parser) -> None:
    broken, told = partial(long_sentence(40), {3: 30, 30: 3}), list[Exception]()
    with pytest.raises(ConstraintError, match=r"-:1: these heads cannot be kept: .* cycle through word"):
        list(parser.parse([broken], keep_heads=True, longest=LOW))
    found = list(parser.parse([TRAIN[0], broken, TRAIN[1]], keep_heads=True, longest=LOW, report=told.append))
    assert found == TRAIN[:2] or len(found) == 2
    assert len(told) == 1


def test_constraints_hold_across_pieces(parser: Parser) -> None:
    sentence = long_sentence(60)
    [found] = parser.parse([sentence], constraints=find_constraints(["leaf-punctuation", "one-subject"]), longest=LOW)
    check_tree(found.heads)
    leaves = {word for word, tag in enumerate(sentence.upos, start=1) if tag == "PUNCT"}
    assert leaves
    assert leaves.isdisjoint(found.heads)


@pytest.mark.parametrize("decoder", ["eisner", "spanning-tree", "model1"])
def test_the_best_trees_of_long_sentences_are_different_and_in_order(parser: Parser, decoder: str) -> None:
    found = list(parser.parse([long_sentence(40)], decoder=decoder, k_best=5, longest=LOW))
    assert len({tuple(sentence.heads) for sentence in found}) == len(found) == 5
    scores = [float(sentence.metadata["score"]) for sentence in found]
    assert scores == sorted(scores, reverse=True)
    [best] = parser.parse([long_sentence(40)], decoder=decoder, longest=LOW)
    assert best.heads == found[0].heads


def test_short_sentences_beside_long_ones_are_searched_whole(parser: Parser) -> None:
    alone = list(parser.parse(map(bare, DEV)))
    beside = list(parser.parse([long_sentence(LONG + 1), *map(bare, DEV)], threads=2))
    assert beside[1:] == alone
    assert pieces_of(beside[0]) > 1
    assert list(parser.parse(map(bare, DEV), longest=10_000)) == alone
    [longest] = parser.parse([long_sentence(LONG)])
    assert pieces_of(longest) == 0


def test_a_second_parse_says_what_it_did_itself(parser: Parser) -> None:
    [first] = parser.parse([long_sentence(20)], longest=LOW, confidence=True)
    [second] = parser.parse([first])
    assert pieces_of(first) > 0
    assert pieces_of(second) == 0
    with pytest.raises(UsageError, match="the length of pieces must be at least 1"):
        list(parser.parse([first], longest=0))


def test_pseudo_projective_models_search_in_pieces_too(parser: Parser) -> None:
    labels = tuple(f"{label}|nsubj" if label == "det" else label for label in parser.model.labels)
    settings = replace(parser.model.settings, pseudo_projective=True)
    [found] = Parser(replace(parser.model, labels=labels, settings=settings)).parse([long_sentence(60)], longest=LOW)
    check_tree(found.heads)


def test_probabilities_of_all_arcs_are_those_of_the_pieces(parser: Parser) -> None:
    search = parser.model.search(longest=LOW)
    table = search.probabilities(parser.model.encoder.encode([long_sentence(30)]), 0)
    assert table.sum(axis=0)[1:] == pytest.approx(np.ones(30))
    with pytest.raises(UsageError, match="too large"):
        parser.arc_probabilities(long_sentence(6_000))


def test_parts_that_do_not_fit_memory_are_searched_in_pieces(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    """By charts on the plain path, which have all parts of a sentence in memory."""
    monkeypatch.setattr(part_counts, "LARGEST", 600)
    sentence = long_sentence(40)
    for options in ({"k_best": 3}, {"keep_heads": True}, {"confidence": True}):
        chart: dict[str, Any] = {"decoder": "spanning-tree", **options}
        for found in parser.parse([partial(sentence, {1: 40})], **chart):
            check_tree(found.heads)
            assert pieces_of(found) > 1 or "confidence" in options
            assert "tree_prob" not in found.metadata


def test_training_leaves_long_sentences_out_and_says_so() -> None:
    notes = list[str]()

    class Notes(Progress):
        def note(self, message: str) -> None:
            notes.append(message)

    long = long_sentence(LONG + 1)
    long = long.with_tree([*range(LONG + 1)], ["root", *["dep"] * LONG])
    parser = Parser.train(
        [*TRAIN[:20], long], dev=[long, *DEV[:5]], preset=small_corpus.SMALL, options=TrainingOptions(epochs=1),
        progress=Notes(),
    )  # fmt: skip
    assert [note for note in notes if "left out" in note] == [
        "-:1: left out: a sentence of 401 words is too long to train on (limit: 400)",
        "-:1: left out: a sentence of 401 words is too long to test on while training (limit: 400)",
    ]
    assert parser.model.facts["sentences"] == 20
    with pytest.raises(TreeError, match="no sentence of at most 400 words"):
        Parser.train([long], preset=small_corpus.SMALL)


def test_a_long_sentence_in_the_middle_of_a_file(parser: Parser, tmp_path: Path) -> None:
    """Beside sentences that cannot be read: those are left out, and all others have trees."""
    parser.save(tmp_path / "small.headway")
    sentences = [bare(TRAIN[0]), long_sentence(3 * LONG), bare(TRAIN[1])]
    text = "".join(map(format_sentence, sentences))
    (tmp_path / "in.conllu").write_text("1\tbroken\n\n" + text + "2\tbroken too\n\n", encoding="utf-8")
    complaints = list[Exception]()
    worker = Worker(Task(str(tmp_path / "small.headway"), skip=True))
    parse_files([str(tmp_path / "in.conllu")], str(tmp_path / "out.conllu"), worker, tell=complaints.append)
    found = list(read_sentences(tmp_path / "out.conllu"))
    assert [len(sentence) for sentence in found] == [len(sentence) for sentence in sentences]
    assert len(complaints) == 2
    for sentence in found:
        check_tree(sentence.heads)
    assert [pieces_of(sentence) > 1 for sentence in found] == [False, True, False]


_MEASURE = """
import sys
from pathlib import Path
from headway.corpus import check_tree, read_sentences
from headway.parser import Parser

options = {"keep_heads": True, "confidence": True} if sys.argv[3] == "confidence" else {}
[found] = Parser.load(sys.argv[1]).parse(read_sentences(sys.argv[2]), **options)
check_tree(found.heads)
print(next(line.split()[1] for line in Path("/proc/self/status").open() if line.startswith("VmHWM")))
"""
"""Prints the peak in kilobytes; `ru_maxrss` would count the memory of the process that started this one, too."""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to measure memory")
@pytest.mark.parametrize("way", ["trees", "confidence"])
def test_twenty_thousand_words_take_little_memory(parser: Parser, tmp_path: Path, way: str) -> None:
    """All pairs of so many words would take 3 GB for their scores alone."""
    parser.save(tmp_path / "small.headway")
    (tmp_path / "long.conllu").write_text(format_sentence(partial(long_sentence(20_000), {7: 15_000})))
    command = [sys.executable, "-c", _MEASURE, str(tmp_path / "small.headway"), str(tmp_path / "long.conllu"), way]
    limit = 4 << 30
    done = subprocess.run(
        command, capture_output=True, text=True, check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )  # fmt: skip
    assert int(done.stdout) < 1 << 20
