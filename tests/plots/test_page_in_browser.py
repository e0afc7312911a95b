"""The page of trees as a person sees it, in a real browser."""

import os
from io import BytesIO
from itertools import pairwise

import pytest
from browsing import browsing, needs_browser

from headway.corpus import Sentence
from headway.plots.page import tree_page

selenium = pytest.importorskip("selenium", reason="needs selenium: pip install 'headway[dev]'")
pytestmark = needs_browser

SENTENCES = (
    (["The", "pilot", "saw", "Clara", "."], [2, 3, 0, 3, 3], ["det", "nsubj", "root", "obj", "punct"]),
    (["这些", "文字", "没有", "空格"], [2, 3, 0, 3], ["det", "nsubj", "root", "obj"]),
    (["مرحبا", "🙂🙂🙂", "<script>alert(1)</script>"], [0, 1, 1], ["root", "discourse", "parataxis"]),
    (["word"] * 60, [0, *range(1, 60)], ["root"] + ["dep"] * 59),
)
CHANCES = (0.99, 0.85, 0.7, 0.3)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with browsing(tmp_path_factory.mktemp("browser")) as driver:
        yield driver


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    trees = []
    for forms, heads, labels in SENTENCES:
        tree = Sentence.from_words(forms, upos=["X"] * len(forms), heads=heads, labels=labels)
        trees.append(tree.with_misc("HeadProb", [str(CHANCES[number % 4]) for number in range(len(forms))]))
    path = tmp_path_factory.mktemp("page") / "trees.html"
    path.write_text(tree_page(trees), encoding="utf-8")
    browser.get(path.as_uri())
    return browser


def test_every_sentence_is_drawn(page):
    sizes = page.execute_script(
        "return [...document.querySelectorAll('section svg')].map(svg => {"
        " const box = svg.getBoundingClientRect(); return [box.width, box.height] })"
    )
    assert len(sizes) == len(SENTENCES)
    assert all(width > 100 and height > 60 for width, height in sizes)
    assert not [entry for entry in page.get_log("browser") if entry["level"] == "SEVERE"]


def test_words_stand_side_by_side(page):
    places = page.execute_script(
        "return [...document.querySelectorAll('section svg')].map(svg =>"
        " [...svg.querySelectorAll('text[font-size=\"16\"]')].map(text => {"
        "  const box = text.getBoundingClientRect(); return [text.textContent, box.left, box.right] }))"
    )
    for (forms, _, _), words in zip(SENTENCES, places, strict=True):
        assert [text for text, _, _ in words] == forms
        for (_, _, right), (_, left, _) in pairwise(words):
            assert right <= left, "two words overlap"


def test_a_long_sentence_scrolls_by_itself(page):
    body, inner, outer = page.execute_script(
        "const box = [...document.querySelectorAll('section > div')].at(-1);"
        " return [document.documentElement.scrollWidth, box.scrollWidth, box.clientWidth]"
    )
    assert inner > outer
    assert body <= 1000


def test_colours_tell_how_sure_an_arc_is(page):
    colours = page.execute_script(
        "return [...document.querySelector('section svg').querySelectorAll('path[fill=none]')]"
        ".map(path => getComputedStyle(path).stroke)"
    )
    assert len(set(colours)) == 4
    assert colours[0] == colours[4]


def test_something_can_be_seen(page):
    image = pytest.importorskip("PIL.Image").open(BytesIO(page.get_screenshot_as_png())).convert("RGB")
    colours = {colour for _, colour in image.getcolors(1 << 20)}
    assert (255, 255, 255) in colours
    assert len(colours) > 20
    if folder := os.environ.get("HEADWAY_SCREENSHOTS"):  # to be looked at
        page.save_screenshot(f"{folder}/page.png")
