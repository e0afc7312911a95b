"""Take the pictures of the explorer that docs/server.md shows, from a running server.

    python tools/explorer_screenshots.py http://127.0.0.1:8000 docs/images

It needs Chromium, its driver and selenium, as the tests of the explorer do.
"""

import argparse
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "server")]

from browsing import browsing  # noqa: E402
from explorer_page import Page  # noqa: E402

TEXT = "The old man saw the dog with a telescope."
PHONE = {"width": 390, "height": 780, "deviceScaleFactor": 2, "mobile": True}


def main() -> None:
    """Take the pictures."""
    from selenium.webdriver import ActionChains
    from selenium.webdriver.support.select import Select

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address")
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()

    with tempfile.TemporaryDirectory() as place, browsing(Path(place), size=(1100, 1000)) as browser:

        def opened(theme: str) -> Page:
            page = Page(browser, given.address, models=1)
            if browser.execute_script("return document.documentElement.dataset.theme") != theme:
                page.find("#theme").click()
            page.parse(TEXT, 1)
            return page

        def save(name: str) -> None:
            browser.save_screenshot(str(given.folder / f"explorer-{name}.png"))

        page = opened("light")
        ActionChains(browser).move_to_element(page.arc(6).find_element("css selector", "text")).perform()
        page.until(lambda: page.find("#tip").is_displayed())
        save("desktop")
        page = opened("dark")
        Select(page.find("#other")).select_by_visible_text("decoder spanning-tree")
        page.until(lambda: page.all("svg.other"))
        page.arc(6).find_element("css selector", "text").click()
        page.find("#fix").click()
        page.until(lambda: page.is_fixed(6))
        save("dark")
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
        page = opened("light")
        save("phone")


if __name__ == "__main__":
    main()
