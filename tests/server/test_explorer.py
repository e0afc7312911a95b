"""The explorer as a person sees it, in a real browser; and what it asks the server."""

import pytest
from browsing import needs_browser

from headway.annotator import load_model
from headway.errors import HeadwayError
from headway.server.jobs import Exploration

pytest.importorskip("fastapi", reason="needs the server's packages: pip install 'headway[server]'")
from headway.server.explore import explore

TEXT = "Dogs bark at the pilot. Clara sleeps <b>now</b>."
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
def test_trees_come_paragraph_by_paragraph(page):
    page.browser.execute_script(
        "window.counts = []; const trees = document.getElementById('trees');"
        "new MutationObserver(() => counts.push(trees.children.length)).observe(trees, {childList: true})"
    )
    page.parse("Dogs bark.\n\nClara sleeps.\n\nDogs bark at the pilot.", 3)
    assert set(page.browser.execute_script("return counts")) >= {1, 2, 3}


@needs_browser
def test_unsure_arcs_have_other_colours(page):
    page.parse(TEXT, 2)
    colours = {}
    for arc in page.all("g.arc"):
        chance = int(arc.get_attribute("aria-label").partition("%")[0].rpartition(" ")[2])
        names = arc.get_attribute("class").split()
        for name, low, high in (("poor", 0, 60), ("weak", 60, 80), ("fair", 80, 95)):
            assert low <= chance <= high if name in names else not low < chance < high
        drawn = page.browser.execute_script(
            "return getComputedStyle(arguments[0].querySelector('path.line')).stroke", arc
        )
        colours.setdefault(" ".join(names), set()).add(drawn)
    assert len(colours) > 1, "the sample has both sure and unsure arcs"
    assert all(len(drawn) == 1 for drawn in colours.values())
    assert len(set.union(*colours.values())) == len(colours)


def rival_rows(small_model, word):
    """The lines of the tip of the arc to a word of the first sentence of TEXT."""
    forms = ["root", "Dogs", "bark", "at", "the", "pilot", "."]
    table = "".join(f"{place}\t{form}" + "\t_" * 8 + "\n" for place, form in enumerate(forms[1:], start=1)) + "\n"
    rivals = explore(load_model(small_model), Exploration("small", table))["rivals"][word - 1]
    return [f"{forms[word]} – heads", *(f"{forms[head]} {100 * chance:.1f}%" for head, chance in rivals)]


@needs_browser
def test_pointing_at_an_arc_shows_rival_heads(page, small_model):
    from selenium.webdriver import ActionChains

    page.parse(TEXT, 2)
    ActionChains(page.browser).move_to_element(page.arc(5).find_element("css selector", "text")).perform()
    page.until(lambda: page.find("#tip").is_displayed())
    expected = rival_rows(small_model, 5)
    assert len(expected) > 2, "the sample has rivals"
    assert page.find("#tip").text.splitlines() == expected
    page.shot("rivals")


@needs_browser
def test_arcs_by_the_keyboard(page, small_model):
    page.parse(TEXT, 2)
    page.browser.execute_script("document.getElementById('find-all').focus()")

    def press(key):
        page.browser.switch_to.active_element.send_keys(key)

    for word in (1, 2):
        press("\ue004")  # Tab
        assert page.browser.execute_script("return document.activeElement.dataset.word") == str(word)
        page.until(lambda: page.find("#tip").text.splitlines() == rival_rows(small_model, word))  # noqa: B023
    press("\n")
    assert page.find("#menu").is_displayed()
    assert not page.find("#tip").is_displayed()
    press("\ue00c")  # Escape
    assert not page.find("#menu").is_displayed()
    assert page.browser.execute_script("return document.activeElement.dataset.word") == "2"


@needs_browser
def test_a_parsed_text_is_downloaded_as_the_command_writes_it(page, small_model, folder):
    text = "  Dogs bark\tloudly.\n\nClara sleeps \U0001f600. It ends.\n \n\n# newdoc.\n\nDogs bark at|the pilot."
    page.browser.execute_script("arguments[0].value = arguments[1]", page.find("#text"), text)
    page.find("#parse").click()
    expected = load_model(small_model)(text, confidence=True)
    page.until(lambda: page.status == f"{len(expected.sentences)} sentences")
    page.find("#download").click()
    path = folder / "parsed.conllu"
    page.until(path.exists)
    try:
        page.until(lambda: path.read_text(encoding="utf-8") == expected.to_conllu())
    finally:
        path.unlink()


@needs_browser
def test_an_arc_is_fixed_forbidden_and_freed(page):
    page.parse("Dogs bark at the pilot.", 1)
    before = page.heads()
    page.arc(5).find_element("css selector", "text").click()
    assert page.find("#menu-title").text == f"{['root', 'Dogs', 'bark', 'at', 'the', 'pilot', '.'][before[4]]} → pilot"
    page.find("#forbid").click()
    page.until(lambda: page.heads()[4] != before[4])
    assert "0 fixed, 1 forbidden" in page.find("section").text
    assert not page.find("#tip").is_displayed(), "it would cover the tree; only keys show it on focus"
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
    places = page.browser.execute_script(
        "return ['svg:not(.other)', 'svg.other'].map(tree => [...document.querySelectorAll(`${tree} g.word`)].map("
        "word => word.getBoundingClientRect().left))"
    )
    assert places[0] == places[1], "words stand one below the other"
    page.shot("compared")


@needs_browser
def test_two_models_side_by_side_for_whatever_is_parsed(page):
    from selenium.webdriver.support.select import Select

    Select(page.find("#other")).select_by_visible_text("model other-<i>one</i>")
    for text in ("Dogs bark at the pilot.", "Clara sleeps."):
        page.parse(text, 1)
        page.until(lambda: page.all("svg.other"))
        assert page.heads(tree="svg.other") == page.heads()
        assert "other-<i>one</i>: 0 arcs differ" in page.find("section").text
    assert page.all("section i") == []


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
def test_searches_step_by_step(page, small_model):
    page.parse("Dogs bark at the pilot.", 1)
    buttons = page.all("section .tools button")
    buttons[1].click()
    page.until(lambda: page.all(".steps svg"))
    assert "Start" in page.find(".steps p").text
    words = [["Dogs", "bark", "at", "the", "pilot", "."]]
    table = "".join(f"{place}\t{word}" + "\t_" * 8 + "\n" for place, word in enumerate(words[0], start=1)) + "\n"
    trees = explore(load_model(small_model), Exploration("small", table, steps="climb"))["steps"]["trees"]
    assert page.heads(tree=".steps svg") == trees[0]
    page.find('input[type="range"]').send_keys("\ue010")  # End
    assert page.heads(tree=".steps svg") == trees[-1]
    page.all("section .tools button")[2].click()
    page.until(lambda: page.all("polyline.bound"))
    assert "Iteration 1 of" in page.find(".steps p").text
    page.find('input[type="range"]').send_keys("\ue010")  # End
    assert "proved best" in page.find(".steps p").text
    assert page.find(".legend").text.startswith("━ bound ━ best tree so far, from ")
    last = page.browser.execute_script(
        "return [document.querySelector('line.marker').x1.baseVal.value,"
        " [...document.querySelector('polyline.bound').points].at(-1).x]"
    )
    assert last[0] == pytest.approx(last[1], abs=0.01), "the line stands at this iteration"
    page.shot("dual")


def test_the_description_of_the_interface(server):
    page = server.ask("/docs")
    assert page.status == 200
    assert "/v1/explore" in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
