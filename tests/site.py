# SPDX-License-Identifier: BSL-1.0
"""The site in a browser: tasks are found on the main page, functions by the search, pictures are drawn, nothing is said on the
console, nothing is wider than the window. Screenshots go to build/site-screenshots. `site.py DOXYGEN` builds the site first,
`site.py` takes the one in build/site."""

import pathlib
import shutil
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True
from browser import browser  # first: it finds selenium
import doxygen
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.common.by import By

tasks = {
    "Cut a chain": "minimize_bottleneck",
    "Plan a transformer": "make_plan",
    "Write a cost of your own": "check_axioms",
    "Run a plan": "lower_transfers",
    "Search on a GPU": "best_n",
}
names = ["minimize_bottleneck", "minimize_makespan", "make_plan", "simulate", "prefix_sums", "minimize_load", "fit_link",
         "read_profile", "as_megatron", "check_axioms", "best_n", "training_memory"]
# What is wider than the window, and in no box that scrolls.
overflowing = """
const content = document.querySelector('#doc-content');
const scrolls = e => e && e !== content && (['auto', 'scroll'].includes(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
return [...content.querySelectorAll('.contents *, .header *')]
  .filter(e => e.getClientRects().length && e.getBoundingClientRect().right > content.clientWidth + content.getBoundingClientRect().left + 1)
  .filter(e => !scrolls(e.parentElement)).slice(0, 3).map(e => e.tagName + '.' + e.className + ': ' + e.textContent.slice(0, 60));
"""
undrawn = "return [...document.images].filter(i => !i.complete || i.naturalWidth === 0).map(i => i.src)"


class visitor:
    def __init__(self, driver, pictures):
        self.driver = driver
        self.pictures = pictures
        self.wrong = []

    def window(self, width, height, dark=False):
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 768}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def open(self, page, shot=None):
        self.driver.get((doxygen.site / page).as_uri())
        self.check(page)
        if shot:
            self.shoot(shot)

    def check(self, page):
        for entry in self.driver.get_log("browser"):
            self.wrong.append(f"{page}: the console says {entry['message']}")
        for picture in self.driver.execute_script(undrawn):
            self.wrong.append(f"{page}: {picture} is not drawn")
        for what in self.driver.execute_script(overflowing):
            self.wrong.append(f"{page}: wider than the window: {what}")

    def shoot(self, name):
        time.sleep(0.3)  # until the tree at the side has opened
        self.driver.save_screenshot(str(self.pictures / f"{name}.png"))

    def until(self, what, seconds=10):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if found := what():
                    return found
            except (NoSuchElementException, StaleElementReferenceException):
                pass
            time.sleep(0.05)
        return None

    def task(self, task, function):
        self.open("index.html")
        links = [each for each in self.driver.find_elements(By.CSS_SELECTOR, ".contents a") if each.text == task]
        if not links:
            return self.wrong.append(f"index.html: no link to the task {task}")
        links[0].click()
        seen = "return [...document.querySelectorAll('.contents h1')].some(h => h.textContent.trim() === arguments[0] && " \
               "h.getBoundingClientRect().top >= 0 && h.getBoundingClientRect().top < innerHeight / 2)"
        if not self.until(lambda: self.driver.execute_script(seen, task)):
            self.wrong.append(f"index.html: the link to {task} does not lead to it")
        if not self.driver.find_elements(By.LINK_TEXT, function):
            self.wrong.append(f"index.html: {task} leads to no {function}")
        return None

    def result(self, name):
        """The link of what the search shows under exactly this name."""
        for entry in self.driver.find_elements(By.CSS_SELECTOR, ".SRResult"):
            if entry.is_displayed():
                symbol = entry.find_element(By.CSS_SELECTOR, "a.SRSymbol")
                if symbol.text == name:
                    if not (symbol.get_attribute("href") or "").startswith("javascript:"):
                        return symbol
                    symbol.click()  # several of one name: their places open below it
                    return entry.find_element(By.CSS_SELECTOR, ".SRChildren a")
        return None

    def search(self, name, shot=None):
        self.open("index.html")
        field = self.driver.find_element(By.ID, "MSearchField")
        field.click()
        field.send_keys(name)
        frame = self.driver.find_element(By.ID, "MSearchResults")
        if not self.until(frame.is_displayed):
            return self.wrong.append(f"the search shows nothing for {name}")
        self.driver.switch_to.frame(frame)
        link = self.until(lambda: self.result(name))
        if shot:
            self.driver.switch_to.default_content()
            self.shoot(shot)
            self.driver.switch_to.frame(frame)
        if not link:
            self.driver.switch_to.default_content()
            return self.wrong.append(f"the search does not find {name}")
        link.click()
        self.driver.switch_to.default_content()
        if not self.until(lambda: "index.html" not in self.driver.current_url):
            return self.wrong.append(f"what the search found for {name} leads to no page")
        self.check(f"search for {name}")
        page = self.driver.current_url.rsplit("/", 1)[1]
        place = page.partition("#")[2]
        contents = self.until(lambda: self.driver.find_element(By.CSS_SELECTOR, ".contents").text)
        heading = self.driver.find_element(By.CSS_SELECTOR, ".title").text
        if name not in (heading + contents if not place else contents):
            self.wrong.append(f"{page}, which the search found for {name}, does not show it")
        elif place and not self.driver.find_elements(By.CSS_SELECTOR, f'[id="{place}"]'):
            self.wrong.append(f"{page}: no such place")
        return print(f"{name}: {page}")


def main():
    chromium = shutil.which("chromium")
    if not chromium or not shutil.which("chromedriver"):
        print("skipped: no chromium")
        return 77
    if len(sys.argv) > 1 or not (doxygen.site / "index.html").exists():
        if doxygen.main(sys.argv[1] if len(sys.argv) > 1 else "doxygen"):
            return 1
    pictures = doxygen.root / "build" / "site-screenshots"
    shutil.rmtree(pictures, ignore_errors=True)
    pictures.mkdir(parents=True)
    driver = browser()
    try:
        site = visitor(driver, pictures)
        site.window(1280, 900)
        site.open("index.html", "main")
        for task, function in tasks.items():
            site.task(task, function)
        for name in names:
            site.search(name, "search" if name == names[0] else None)
        site.shoot("function-of-module")

        shots = {"index.html": "main", "choosing.html": "tables", "executor.html": "picture", "planner.html": "commands",
                 "structstagecut_1_1minimize__bottleneck.html": "function",
                 "minimize__bottleneck_8hpp_source.html": "source", "group__module__io.html": "module"}
        pages = [doxygen.page_of(source) for source in doxygen.sources]
        reference = [page for page in shots if page not in pages]
        lists = ["annotated.html", "files.html", "concepts.html", "classes.html", "modules.html",
                 "classstagecut_1_1prefix__sums.html"]
        for page in [*pages, *reference, *lists]:
            site.open(page, shots.get(page))
        site.window(390, 844)
        for page in [*pages, *reference, *lists, "group__module__cost.html", "group__module__search.html",
                     "structstagecut_1_1minimize__objective.html"]:
            site.open(page, f"phone-{shots[page]}" if page in shots else None)
        site.window(1280, 900, dark=True)
        for page in ["index.html", "executor.html", *reference, "classes.html", "annotated.html"]:
            site.open(page, f"dark-{shots.get(page, page)}")

        # Would a picture that is not there, an error, a word that is too wide be seen?
        told = len(site.wrong)
        planted = doxygen.site / "planted.html"
        planted.write_text('<div id="doc-content"><div class="contents"><img src="none.svg"/><p style="width: 9999px">wide</p></div></div>'
                           "<script>missing()</script>")
        try:
            site.open("planted.html")
        finally:
            planted.unlink()
        seen = "\n".join(site.wrong[told:])
        del site.wrong[told:]
        if not all(each in seen for each in ("none.svg is not drawn", "wider than the window", "missing is not defined")):
            site.wrong.append(f"of what was planted only this was seen: {seen}")
    finally:
        driver.quit()
    print("\n".join(site.wrong) or f"{len(tasks)} tasks, {len(names)} names, {len(pages)} pages; see {pictures.relative_to(doxygen.root)}")
    return 1 if site.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
