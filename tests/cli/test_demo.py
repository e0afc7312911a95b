"""The demo."""

import re

import pytest

from headway import Parser
from headway.cli import demo
from headway.cli.demo import SAMPLES, tree_lines
from headway.corpus import Sentence, read_sentences


def test_words_under_each_other():
    sentence = Sentence.from_words(["Look", "up"], heads=[0, 1], labels=["root", "advmod"])
    assert [line.plain for line in tree_lines(sentence)] == [
        "─┬─ Look  root  ",
        " └─ up    advmod",
    ]
    sure = sentence.with_misc("HeadProb", ["1.000", "0.254"])
    assert [line.plain for line in tree_lines(sure)] == [
        "─┬─ Look  root    100%",
        " └─ up    advmod   25%",
    ]


def test_the_demo_scores_and_draws(model, monkeypatch, capsys):
    monkeypatch.setattr(demo, "_train", lambda sentences: Parser.load(model))
    monkeypatch.setattr("sys.argv", ["demo"])  # an argument would be the picture to write
    demo.main()
    shown = capsys.readouterr().out
    assert re.search(r"\d\d\.\d % of words get the\s+right\s+head", shown)
    for sentence in read_sentences(SAMPLES / "new-sentences.conllu"):
        assert sentence.metadata["text"] in shown
        assert re.search(rf"\s{sentence.forms[0]} .*%\n", shown)


def test_without_the_examples_there_is_one_line(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(demo, "SAMPLES", tmp_path / "nowhere")
    with pytest.raises(SystemExit):
        demo.main()
    assert capsys.readouterr().err.startswith("headway: error: the demo needs the folder of examples")
