"""The explorer's page as a person uses and sees it."""

import os
import time


class Page:
    """The page as a person uses and sees it."""

    def __init__(self, browser, address, *, models=2):
        self.browser = browser
        browser.get(address)
        self.until(lambda: browser.execute_script("return document.getElementById('model').options.length") == models)

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
