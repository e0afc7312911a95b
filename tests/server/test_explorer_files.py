"""The explorer with files, other scripts, narrow screens and the keyboard."""

import pytest
import small_corpus
from browsing import needs_browser
from explorer_page import CONTRASTS

from headway.corpus import format_sentence

TABLE = "".join(map(format_sentence, small_corpus.sample(25)))


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
    first = small_corpus.sample(25)[0][0]
    for relation, form, upos, head in (
        ("nsubj*", "", "", "VERB"), ("", first.text, "", ""), ("", "", "NO*", ""), ("root", "", "", "ROOT"),
        ("x", "", "", ""),
    ):  # fmt: skip
        for name, value in (("relation", relation), ("form", form), ("upos", upos), ("head", head)):
            page.find(f"#find-{name}").clear()
            page.find(f"#find-{name}").send_keys(value)
        page.find('#search button[type="submit"]').click()
        hits = [
            [word for word in sentence if fits(relation, word.label) and fits(form, word.text) and fits(upos, word.upos)
             and fits(head, word.head.upos if word.head else "ROOT")]
            for sentence in small_corpus.sample(25)
        ]  # fmt: skip
        expected = f"{sum(map(bool, hits))} of 25 sentences, {sum(map(len, hits))} words"
        page.until(lambda: page.status == expected)  # noqa: B023
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


def fits(pattern, value):
    return not pattern or pattern == value or (pattern.endswith("*") and value.startswith(pattern[:-1]))


ODD = "\ufeff# a comment without words\r\n\r\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\r\n" + "".join(
    f"{word}\t_\tNOUN\t_\t_\t{head}\t{label}\t_\tA=<b>\r\n"
    for word, head, label in (("1\tde", 0, "root"), ("2\tle", 1, "<img src=x onerror=hacked=1>"))
)


@needs_browser
def test_a_corrected_file_keeps_all_its_other_bytes(page, folder):
    (folder / "odd.conllu").write_bytes(f"{ODD}\r\n".encode())
    page.open(folder / "odd.conllu")
    assert page.status == "odd.conllu: 1 sentence"
    assert "<img src=x onerror=hacked=1>" in page.arc(2).text
    assert page.all("img") == []
    assert page.browser.execute_script("return window.hacked") is None
    page.menu(2)
    page.find("#menu-label").clear()
    page.find("#menu-label").send_keys("flat")
    page.find('#menu button[type="submit"]').click()
    page.until(lambda: page.arc(2).text == "flat")
    page.find("#download").click()
    page.until(lambda: (folder / "odd (1).conllu").exists())
    expected = f"{ODD}\r\n".replace("<img src=x onerror=hacked=1>", "flat").encode()
    page.until(lambda: (folder / "odd (1).conllu").read_bytes() == expected)


@needs_browser
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"1\tword\n\n", "line 1 has 2 fields instead of the 10 of CoNLL-U"),
        (b"Plain text.\n", "line 1 has 1 fields"),
        (ODD.encode("utf-16"), "not UTF-8"),
        (b"", "no sentences"),
    ],
)
def test_files_that_are_no_tables_are_refused(page, folder, content, reason):
    page.parse("Dogs bark.", 1)
    (folder / "bad.conllu").write_bytes(content)
    page.find("#file").send_keys(str(folder / "bad.conllu"))
    page.until(lambda: reason in page.status)
    assert page.all("section"), "what was there before stays"


@needs_browser
def test_place_and_focus_stay_when_a_sentence_is_parsed_again(page):
    page.parse(" ".join(["Dogs bark at the pilot"] * 12), 1)
    page.browser.execute_script("document.querySelector('.scroll').scrollLeft = 500")
    page.menu(8)
    place = page.browser.execute_script("return document.querySelector('.scroll').scrollLeft")
    assert place > 0
    page.find("#fix").click()
    page.until(lambda: page.is_fixed(8))
    page.until(lambda: page.browser.execute_script("return document.activeElement.dataset.word") == "8")
    assert page.browser.execute_script("return document.querySelector('.scroll').scrollLeft") == place
    page.find("body").send_keys("\ue00c")  # Escape
    assert not page.find("#menu").is_displayed()


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
    page.parse(" ".join(["كتب الولد رسالة"] * 20), 1)
    left, right = page.browser.execute_script(
        "const box = document.querySelector('.scroll'), first = document.querySelector('g.word');"
        "return [first.getBoundingClientRect().left, box.getBoundingClientRect().right]"
    )
    assert left < right, "the first word is in sight"


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
