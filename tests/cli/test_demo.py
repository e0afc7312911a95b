"""The demo, whose model is searched by hill-climbing."""

import re

import pytest

from headway.cli import demo
from headway.cli.demo import TEXT
from headway.corpus import Sentence
from headway.plots.drawing import tree_lines


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


def test_the_demo_draws_and_writes_a_page(monkeypatch, capsys, tmp_path):
    page = tmp_path / "page.html"
    monkeypatch.setattr("sys.argv", ["demo", str(page)])
    demo.main()
    shown = capsys.readouterr().out
    for line in TEXT.read_text().split(". ")[:2]:
        assert line.split("\n")[0] in shown.replace("\n", " ")
    assert re.search(r"\slighthouse .*%\n", shown)
    assert page.read_text().count("<svg") == len(re.findall(r" root +\d", shown))


def test_without_the_examples_there_is_one_line(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(demo, "TEXT", tmp_path / "nowhere.txt")
    with pytest.raises(SystemExit):
        demo.main()
    assert capsys.readouterr().err.startswith("headway: error: the demo needs the folder of examples")
