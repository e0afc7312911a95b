"""The explorer as a person sees it, in a real browser; and what it asks the server."""

import os
import time

import pytest
import small_corpus
from browsing import browsing, needs_browser

from headway.annotator import load_model
from headway.corpus import format_sentence
from headway.errors import HeadwayError
from headway.server.jobs import Exploration

pytest.importorskip("fastapi", reason="needs the server's packages: pip install 'headway[server]'")
from headway.server.explore import explore

TEXT = "Dogs bark at the pilot. Clara sleeps <b>now</b>."
TABLE = "".join(map(format_sentence, small_corpus.sample(25)))
WORDS = "1\tDogs\t_\t_\t_\t_\t_\t_\t_\t_\n2\tbark\t_\t_\t_\t_\t_\t_\t_\t_\n3\tloudly\t_\t_\t_\t_\t_\t_\t_\t_\n\n"


def looked_at(model, **asked):
    return explore(load_model(model), Exploration("small", WORDS, **asked))


def test_constraints_are_kept(small_model):
    for head in (1, 2):
        found = looked_at(small_model, required=((head, 3),), k_best=5)
        assert all(tree["heads"][2] == head for tree in found["trees"])
        found = looked_at(small_model, forbidden=((head, 3),), k_best=5)
        assert all(tree["heads"][2] != head for tree in found["trees"])


def test_the_most_probable_heads_come_first(small_model):
    for heads in looked_at(small_model)["rivals"]:
        chances = [chance for _, chance in heads]
        assert chances == sorted(chances, reverse=True)
        assert sum(chances) == pytest.approx(1.0, abs=0.01)


def test_a_climb_gains_with_every_move(small_model):
    steps = looked_at(small_model, steps="climb")["steps"]
    assert len(steps["trees"]) == len(steps["moves"]) + 1
    for before, move, after in zip(steps["trees"], steps["moves"], steps["trees"][1:], strict=False):
        assert move["gain"] > 0
        assert (before[move["word"] - 1], after[move["word"] - 1]) == (move["from"], move["to"])


def test_the_bound_falls_to_the_score(small_model):
    steps = looked_at(small_model, steps="dual")["steps"]
    assert steps["bounds"] == sorted(steps["bounds"], reverse=True)
    assert steps["certified"]
    assert steps["bounds"][-1] == pytest.approx(steps["scores"][-1], abs=1e-5)
    assert steps["scores"][-1] == pytest.approx(looked_at(small_model, decoder="exact")["trees"][0]["score"], abs=1e-4)


@pytest.mark.parametrize("arcs", [((4, 1),), ((1, 1),), ((0, 9),)])
def test_arcs_that_cannot_be(small_model, arcs):
    with pytest.raises(HeadwayError):
        looked_at(small_model, required=arcs)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("browser")


@pytest.fixture(scope="module")
def browser(folder):
    pytest.importorskip("selenium", reason="needs selenium: pip install 'headway[dev]'")
    with browsing(folder, size=(1100, 900)) as driver:
        driver.set_script_timeout(60)
        yield driver


class Page:
    """The page as a person uses and sees it."""

    def __init__(self, browser, address):
        self.browser = browser
        browser.get(address)
        self.until(lambda: browser.execute_script("return document.getElementById('model').options.length") == 2)

    def until(self, condition):
        for _ in range(600):
            if condition():
                return
            time.sleep(0.05)
        raise AssertionError(f"nothing happens; the page says: {self.status}")

    def find(self, selector):
        return self.browser.find_element("css selector", selector)

    def all(self, selector):
        return self.browser.find_elements("css selector", selector)

    @property
    def status(self):
        return self.find("#status").text

    def parse(self, text, sentences):
        box = self.find("#text")
        box.clear()
        box.send_keys(text)
        self.find("#parse").click()
        self.until(lambda: self.status.startswith(f"{sentences} sentence"))

    def open(self, path):
        self.find("#file").send_keys(str(path))
        self.until(lambda: "sentence" in self.status)

    def heads(self, sentence=0, tree="svg:not(.other)"):
        """The heads that are drawn, all at one moment."""
        arcs = self.browser.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map(arc => [arc.dataset.word, arc.dataset.head])",
            f'section[data-sentence="{sentence}"] {tree} g.arc',
        )
        found = {int(word): int(head) for word, head in arcs}
        return [found[word] for word in sorted(found)]

    def is_fixed(self, word):
        return bool(self.all(f'section g.arc.fixed[data-word="{word}"]'))

    def arc(self, word, sentence=0):
        return self.find(f'section[data-sentence="{sentence}"] svg:not(.other) g.arc[data-word="{word}"]')

    def menu(self, word, sentence=0):
        self.browser.execute_script("arguments[0].focus()", self.arc(word, sentence))
        self.arc(word, sentence).send_keys("\n")
        assert self.find("#menu").is_displayed()

    def drag(self, word, head, sentence=0):
        from selenium.webdriver import ActionChains

        place = f'section[data-sentence="{sentence}"] svg g.word[data-word="%d"] rect'
        ActionChains(self.browser).drag_and_drop(self.find(place % word), self.find(place % head)).perform()

    def shot(self, name):
        if folder := os.environ.get("HEADWAY_SCREENSHOTS"):  # to be looked at
            self.browser.save_screenshot(f"{folder}/explorer-{name}.png")


@pytest.fixture
def page(browser, server):
    return Page(browser, server.address)


@needs_browser
def test_trees_of_a_text(page, small_model):
    page.parse(TEXT, 2)
    expected = load_model(small_model)(TEXT)
    assert [page.heads(number) for number in range(2)] == [sentence.heads for sentence in expected.sentences]
    words = [[word.text for word in page.all(f'section[data-sentence="{n}"] g.word text:not(.tag)')] for n in range(2)]
    assert words == [sentence.forms for sentence in expected.sentences]
    assert page.all("section b") == []
    ends = page.browser.execute_script(
        "return [...document.querySelectorAll('section[data-sentence=\"0\"] g.arc')].map(arc => {"
        " const middle = box => (box.left + box.right) / 2, root = arc.closest('svg');"
        " return [middle(arc.querySelector('.tip').getBoundingClientRect()),"
        '  middle(root.querySelector(`g.word[data-word="${arc.dataset.word}"] rect`).getBoundingClientRect())] })'
    )
    assert all(abs(tip - word) < 2 for tip, word in ends), "an arc ends beside its word"
    assert not [entry for entry in page.browser.get_log("browser") if entry["level"] == "SEVERE"]
    page.shot("desktop")


@needs_browser
def test_pointing_at_an_arc_shows_rival_heads(page):
    from selenium.webdriver import ActionChains

    page.parse(TEXT, 2)
    ActionChains(page.browser).move_to_element(page.arc(5).find_element("css selector", "text")).perform()
    page.until(lambda: page.find("#tip").is_displayed())
    assert "pilot" in page.find("#tip").text
    assert page.find("#tip").text.count("%") >= 1
    page.shot("rivals")


@needs_browser
def test_an_arc_is_fixed_forbidden_and_freed(page):
    page.parse("Dogs bark at the pilot.", 1)
    before = page.heads()
    page.menu(5)
    page.find("#forbid").click()
    page.until(lambda: page.heads()[4] != before[4])
    assert "0 fixed, 1 forbidden" in page.find("section").text
    forbidden = page.heads()[4]
    page.menu(5)
    page.find("#fix").click()
    page.until(lambda: page.is_fixed(5))
    assert page.heads()[4] == forbidden
    page.menu(5)
    page.find("#free").click()
    page.until(lambda: page.heads() == before)


@needs_browser
def test_dragging_a_word_onto_its_head_fixes_the_arc(page):
    page.parse("Dogs bark at the pilot.", 1)
    page.drag(3, 1)
    page.until(lambda: len(page.heads()) == 6 and page.heads()[2] == 1)
    assert page.is_fixed(3)
    page.shot("fixed")


@needs_browser
def test_two_decoders_side_by_side(page):
    from selenium.webdriver.support.select import Select

    page.parse("Dogs bark at the pilot.", 1)
    page.drag(3, 1)
    page.until(lambda: len(page.heads()) == 6 and page.heads()[2] == 1)
    Select(page.find("#other")).select_by_visible_text("decoder eisner")
    page.until(lambda: page.all("svg.other"))
    other = page.heads(tree="svg.other")
    marked = [int(arc.get_attribute("data-word")) for arc in page.all("svg:not(.other) g.arc.differs")]
    assert {word for word, head in enumerate(page.heads(), start=1) if head != other[word - 1]} <= set(marked)
    assert 3 in marked
    page.shot("compared")


@needs_browser
def test_the_best_trees_can_be_chosen(page):
    page.parse("Dogs bark at the pilot.", 1)
    page.find("section .tools button").click()
    page.until(lambda: len(page.all("ol.best button")) >= 5)
    before = page.heads()
    page.all("ol.best button")[1].click()
    page.until(lambda: page.all('ol.best button[aria-pressed="true"]')[0].text == page.all("ol.best button")[1].text)
    assert page.heads() != before
    page.shot("best")


@needs_browser
def test_searches_step_by_step(page):
    page.parse("Dogs bark at the pilot.", 1)
    buttons = page.all("section .tools button")
    buttons[1].click()
    page.until(lambda: page.all(".steps svg"))
    assert "Start" in page.find(".steps p").text
    page.all("section .tools button")[2].click()
    page.until(lambda: page.all("polyline.bound"))
    assert "Iteration 1 of" in page.find(".steps p").text
    page.find('input[type="range"]').send_keys("\ue010")  # End
    assert "proved best" in page.find(".steps p").text
    page.shot("dual")


@needs_browser
def test_a_file_is_paged_searched_corrected_and_downloaded(page, folder):
    path = folder / "given <i>.conllu"
    path.write_text(TABLE, encoding="utf-8", newline="")
    page.open(path)
    assert page.status == "given <i>.conllu: 25 sentences"
    assert page.find("#place").text == "page 1 of 3"
    page.find("body").send_keys("]")
    assert page.find("#place").text == "page 2 of 3"
    page.find("body").send_keys("[")
    page.find("#find-relation").send_keys("nsubj*")
    page.find("#find-head").send_keys("VERB")
    page.find('#search button[type="submit"]').click()
    expected = [
        sentence
        for sentence in small_corpus.sample(25)
        if any(word.label.startswith("nsubj") and word.head and word.head.upos == "VERB" for word in sentence)
    ]
    page.until(lambda: page.status.startswith(f"{len(expected)} of 25"))
    page.find("#find-all").click()
    page.menu(2, sentence=1)
    for name, value in (("#menu-head", "1"), ("#menu-label", "flat:name")):
        page.find(name).clear()
        page.find(name).send_keys(value)
    page.find('#menu button[type="submit"]').click()
    page.until(lambda: page.heads(1)[1] == 1)
    page.find("#download").click()
    page.until(lambda: [one for one in folder.glob("*.conllu") if one != path])
    [saved] = [one for one in folder.glob("*.conllu") if one != path]
    blocks = TABLE.split("\n\n")
    lines = [line.split("\t") for line in blocks[1].split("\n")]
    [row] = [row for row in lines if row[0] == "2"]
    row[6:8] = ["1", "flat:name"]
    blocks[1] = "\n".join("\t".join(line) for line in lines)
    page.until(lambda: saved.read_text(encoding="utf-8") == "\n\n".join(blocks))


@needs_browser
def test_editing_by_hand_says_what_is_no_tree(page):
    page.parse("Dogs bark at the pilot.", 1)
    page.find("#by-hand").click()
    root = page.heads().index(0) + 1
    page.drag(root, 1 if root != 1 else 2)
    page.until(lambda: "no tree" in page.find("section").text)


@needs_browser
def test_right_to_left_scripts_run_from_the_right(page):
    page.parse("كتب الولد رسالة", 1)
    places = page.browser.execute_script(
        "return [...document.querySelectorAll('g.word')].map(word => word.getBoundingClientRect().left)"
    )
    assert places == sorted(places, reverse=True)


@needs_browser
def test_zoom_dark_and_phone(page):
    page.parse(" ".join(["Dogs bark at the pilot"] * 8), 1)
    wide = page.find("section svg").size["width"]
    page.browser.execute_script("document.activeElement.blur()")
    page.find("body").send_keys("+")
    assert page.find("section svg").size["width"] > wide
    inner, outer = page.browser.execute_script(
        "const box = document.querySelector('.scroll'); return [box.scrollWidth, box.clientWidth]"
    )
    assert inner > outer
    page.browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 390, "height": 800, "deviceScaleFactor": 2, "mobile": True}
    )
    try:
        assert page.browser.execute_script("return document.documentElement.scrollWidth") <= 390
        page.shot("phone")
    finally:
        page.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    for theme in ("dark", "light"):
        if page.browser.execute_script("return document.documentElement.dataset.theme") != theme:
            page.find("#theme").click()
        page.shot(theme)
        assert all(ratio >= 4.5 for ratio in page.browser.execute_script(CONTRASTS)), theme


CONTRASTS = """
const value = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const light = colour => {
  const [r, g, b] = [1, 3, 5].map(place => parseInt(colour.slice(place, place + 2), 16) / 255)
    .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ratio = (one, two) => {
  const [low, high] = [light(value(one)), light(value(two))].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};
const inks = ['--ink', '--quiet', '--accent', '--sure', '--fair', '--weak', '--poor', '--fixed', '--differs'];
return [...inks.map(ink => ratio(ink, '--ground')), ratio('--ink', '--raised'), ratio('--quiet', '--raised')];
"""


def test_the_description_of_the_interface(server):
    page = server.ask("/docs")
    assert page.status == 200
    assert "/v1/explore" in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
