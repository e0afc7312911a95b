"""Charts: sound files of the kind that was asked for, the same bytes each time, and no half ones."""

import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from headway.errors import CorpusError, UsageError
from headway.plots.charts import BarChart, Chart, check_chart_path, draw_charts

LINES = Chart(
    "A title", "restarts", "score & more", {"short": (np.arange(1, 4), np.array([0.5, 0.9, 1.0]))}, x_log=True
)
BARS = BarChart("Bars", "UAS", ["Turkish", "Swedish"], {"first": [70.0, None], "third": [71.0, 82.5]}, lowest=60)


@pytest.fixture(autouse=True)
def _needs_matplotlib():
    pytest.importorskip("matplotlib", reason="charts need matplotlib: pip install 'headway[plots]'")


@pytest.mark.parametrize("chart", [LINES, BARS], ids=["lines", "bars"])
def test_pictures_of_both_kinds(tmp_path, chart):
    for name, magic in (("a.png", b"\x89PNG"), ("a.svg", b"<?xml")):
        draw_charts([chart], tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(magic)


@pytest.mark.parametrize(
    ("chart", "words"),
    [(LINES, {"A title", "restarts", "score & more"}), (BARS, {"Turkish", "UAS", "first", "third", "82.5"})],
    ids=["lines", "bars"],
)
def test_words_stay_words_in_svg(tmp_path, chart, words):
    draw_charts([chart], tmp_path / "a.svg")
    texts = {text.text for text in ElementTree.parse(tmp_path / "a.svg").iter("{http://www.w3.org/2000/svg}text")}
    assert words <= texts


@pytest.mark.parametrize("name", ["a.svg", "a.png"])
def test_the_same_chart_gives_the_same_bytes(tmp_path, name):
    pictures = []
    for _ in range(2):
        draw_charts([LINES], tmp_path / name)
        pictures.append((tmp_path / name).read_bytes())
    assert pictures[0] == pictures[1]


@pytest.mark.parametrize("name", ["a.pdf", "a", "svg", "a.svg.gz"])
def test_other_names_are_refused(tmp_path, name):
    with pytest.raises(UsageError, match=r"\.png or \.svg"):
        draw_charts([LINES], tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_folders_that_are_not_there(tmp_path):
    with pytest.raises(CorpusError, match="does not exist"):
        draw_charts([LINES], tmp_path / "none" / "a.svg")


def test_without_matplotlib(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageError, match=r"pip install 'headway\[plots\]'"):
        check_chart_path(tmp_path / "a.svg")


def test_drawing_leaves_matplotlib_as_it_was(tmp_path):
    import matplotlib

    before = dict(matplotlib.rcParams)
    draw_charts([BARS], tmp_path / "a.svg")
    assert dict(matplotlib.rcParams) == before


def test_charts_side_by_side(tmp_path):
    draw_charts([LINES, BARS], tmp_path / "a.svg")
    picture = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "A title" in picture
    assert "Bars" in picture
    draw_charts([LINES], tmp_path / "b.svg")
    widths = [
        float(ElementTree.parse(tmp_path / name).getroot().get("width").rstrip("pt")) for name in ("a.svg", "b.svg")
    ]
    assert widths[0] == 2 * widths[1]
