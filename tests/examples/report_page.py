# SPDX-License-Identifier: BSL-1.0
"""The page of a report in a browser, by clicking: at three sizes, in light and dark, on a phone, by keys. `report_page.py FOLDER`
leaves screenshots in FOLDER. The one demand on time: a frame of 64 ranks, 512 microbatches and 2 stages a rank is drawn in
16 ms. That is the time of the redraw itself, as the page measures it (`frame`); the best median of several rounds counts."""

import base64
import copy
import pathlib
import re
import shutil
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.dont_write_bytecode = True
from browser import browser  # first: it finds selenium
import report_data
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

frame_limit = 16  # milliseconds
left, top, below = 64, 18, 26  # of a timeline: where its passes begin, and what is under them


class visitor:
    """A reader of pages, who notes what is wrong."""

    def __init__(self, driver, folder, pictures):
        self.driver, self.folder, self.pictures = driver, folder, pictures
        self.wrong, self.checks, self.page = [], 0, ""

    def check(self, holds, what):
        self.checks += 1
        if not holds:
            self.wrong.append(f"{self.page}: {what}")

    def js(self, text, *words):
        return self.driver.execute_script(text, *words)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def press(self, element):
        """Clicks an element as a reader does, who first scrolls so that nothing lies over it."""
        self.js("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def rows(self, caption):
        """The cells of the table of that caption."""
        return self.js("const table = [...document.querySelectorAll('table')].find(t => t.caption?.textContent === arguments[0]);"
                       "return [...(table?.tBodies[0].rows ?? [])].map(r => [...r.cells].map(c => c.textContent))", caption)

    def written(self):
        """The texts that the pictures write when they are drawn anew."""
        return self.js("const texts = [], {prototype} = CanvasRenderingContext2D, {fillText} = prototype;"
                       "prototype.fillText = (text) => texts.push(text); repaint(); prototype.fillText = fillText;"
                       "repaint(); return texts")

    def waits(self, text, *words):
        """Whether that comes to hold within two seconds."""
        until = time.monotonic() + 2
        while not (holds := self.js(f"return {text}", *words)) and time.monotonic() < until:
            time.sleep(0.02)
        return holds

    def text(self, selector):
        return self.js("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def window(self, width, height, dark=False, touch=False):
        self.width, self.height, self.touches = width, height, touch
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
        self.metrics(width, height)

    def metrics(self, width, height):
        size = {"width": width, "height": height, "deviceScaleFactor": 2 if self.touches else 1, "mobile": self.touches}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def frame(self):
        """Waits until what was asked for is drawn."""
        self.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(arguments[0])))")

    def open(self, name, data):
        self.page = name
        path = self.folder / f"{name}.html"
        if not path.exists():
            path.write_text(report_data.assembled(data))
        self.driver.get(path.as_uri())
        self.frame()

    def close(self):
        """What holds of every page, whatever was done to it."""
        for entry in self.driver.get_log("browser"):
            self.check(False, f"the console says {entry['message']}")
        self.check(self.js("return performance.getEntriesByType('resource').length") == 0, "it asks the network")
        self.check(self.js("return document.documentElement.scrollWidth") <= self.width, "it is wider than the window")
        smallest = self.js("return Math.min(...[...document.body.querySelectorAll('*')]"
                           ".map(e => parseFloat(getComputedStyle(e).fontSize)))")
        self.check(smallest >= 11, f"a text of {smallest} px")

    def shoot(self, name):
        if self.pictures:
            size = self.js("return [document.documentElement.scrollWidth, Math.min(4000, document.documentElement.scrollHeight)]")
            self.metrics(self.width, size[1])
            time.sleep(0.1)
            self.frame()
            clip = {"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1}
            shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})
            (self.pictures / f"{name}.png").write_bytes(base64.b64decode(shot["data"]))
            self.metrics(self.width, self.height)
            self.frame()

    # A timeline, as a reader sees it: passes are found by what the data says, on the axis that is shown.

    def axis(self, plan=0):
        return self.js("const {from, to, length} = document.querySelectorAll('.plan')[arguments[0]].querySelector('canvas').chart.axis;"
                       "return {from, to, length}", plan)

    def at(self, data, rank, index, plan=0):
        """Where the middle of a pass is in the window."""
        box = self.js("const c = document.querySelectorAll('.plan')[arguments[0]].querySelector('canvas');"
                      "c.scrollIntoView({block: 'center'}); const b = c.getBoundingClientRect();"
                      "return [b.left, b.top, b.width, b.height, c.chart.right]", plan)
        axis, row = self.axis(plan), data["ranks"][rank]
        time = (row["start"][index] + row["end"][index]) / 2
        across = (time - axis["from"]) / (axis["to"] - axis["from"]) * (box[2] - left - box[4])
        return box[0] + left + across, box[1] + top + (rank + 0.5) * (box[3] - top - below) / len(data["ranks"])

    def mouse(self, kind, x, y, **more):
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})

    def click(self, x, y, count=1):
        self.mouse("mouseMoved", x, y)
        for n in range(1, count + 1):
            for kind in ("mousePressed", "mouseReleased"):
                self.mouse(kind, x, y, button="left", clickCount=n)
        self.frame()

    def touch(self, kind, *points):
        fingers = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]
        self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})

    def keys(self, *words):
        for word in words:
            self.driver.switch_to.active_element.send_keys(word)
        self.frame()


def name_of(plan, rank, index):
    row = plan["ranks"][rank]
    kind = {"F": "forward", "B": "backward"}[row["kinds"][index]]
    return f"{kind} of microbatch {row['microbatches'][index]} on stage {row['stages'][index]}"


def chain_of(plan, rank, index):
    causes = [cause for row in plan["ranks"] for cause in row["causes"]]
    at = sum(len(row["kinds"]) for row in plan["ranks"][:rank]) + index
    length = 0
    while at >= 0:
        at, length = causes[at], length + 1
    return length


def painted(page, x, y):
    """The colour of the first timeline at a point in the window, moved up by what a label takes."""
    return page.js("const c = document.querySelector('.plan canvas'), b = c.getBoundingClientRect(), d = c.chart.dense;"
                   "const into = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});"
                   "into.drawImage(c, (b.left - arguments[0]) * d, (b.top + 0.35 * c.chart.row - arguments[1]) * d);"
                   "return [...into.getImageData(0, 0, 1, 1).data]", x, y)


def near(a, b, by=6):
    return all(abs(p - q) <= by for p, q in zip(a, b))


def times(text):
    """The times of a text, in seconds."""
    return [float(value) * {"s": 1, "ms": 1e-3, "us": 1e-6}[unit] for value, unit in re.findall(r"([\d.]+) (s|ms|us)\b", text)]


def hovering(page, plan):
    x, y = page.at(plan, 1, 0)
    page.mouse("mouseMoved", x, y)
    said = page.text("#tip")
    row = plan["ranks"][1]
    for word in (name_of(plan, 1, 0), "rank 1", f"for {name_of(plan, 0, 0)} (rank 0", "the message takes 1 ms", "memory 9.25 GiB"):
        page.check(word in said, f"the tip of the first pass of rank 1 has no `{word}`: {said}")
    figures = (row["start"][0], row["end"][0], row["end"][0] - row["start"][0], row["start"][0], plan["ranks"][0]["end"][0], 0.001)
    page.check(near(times(said), figures, 1e-4), f"a tip's times are {times(said)}, not {figures}")
    last = len(plan["ranks"]) - 1
    x, y = page.at({"ranks": plan["ranks"][:last] + [{"start": [0], "end": plan["ranks"][last]["start"]}]}, last, 0)
    page.mouse("mouseMoved", x, y)
    said = page.text("#tip")
    page.check(f"rank {last} is idle" in said and f"then {name_of(plan, last, 0)}: waits" in said, f"the tip of an idle rank says {said}")


def choosing(page, plan):
    last = len(plan["ranks"][0]["kinds"]) - 1
    x, y = page.at(plan, 0, last)
    bright = painted(page, *page.at(plan, 3, 3))
    page.click(x, y)
    told, length = page.text(".status"), chain_of(plan, 0, last)
    page.check(name_of(plan, 0, last) in told, f"what is told of the chosen pass is {told}")
    page.check(f"back to the start: {length} passes" in told, f"a chain of {length} is told as {told}")
    page.check(page.js("return document.querySelector('.plan canvas').chart.chain.length") == length, "the chain that is drawn")
    chain = page.js("return document.querySelector('.plan canvas').chart.chain")
    page.check([3, 3] in chain or not near(bright, painted(page, *page.at(plan, 3, 3))), "a pass outside the chain does not fade")
    page.press(page.one(".plan figcaption button"))
    page.check(name_of(plan, 0, last) in page.text(".status"), "the critical path does not end with the last pass")


def scrolling(page, plan):
    """With all of the time shown, the wheel that would show more scrolls the page; else it zooms, and the page stays."""
    x, y = page.at(plan, 2, 4)
    before, whole = page.js("return scrollY"), page.axis()
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=60)
    page.check(page.waits("scrollY != arguments[0]", before), "the wheel over a timeline does not scroll the page")
    page.check(page.axis() == whole, "the wheel that scrolls the page zooms")
    x, y = page.at(plan, 2, 4)
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-400)
    page.frame()
    before = page.js("return scrollY")
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=60)
    time.sleep(0.2)
    page.check(page.js("return scrollY") == before, "the wheel that zooms scrolls the page")
    page.js("const {axis} = document.querySelector('.plan canvas').chart; axis.show(0, axis.length)")
    page.frame()


def zooming(page, plan):
    whole = page.axis()
    x, y = page.at(plan, 2, 4)
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-400)
    page.frame()
    near_it = page.axis()
    page.check(near_it["to"] - near_it["from"] < 0.6 * (whole["to"] - whole["from"]), "the wheel does not zoom")
    page.check(abs(page.at(plan, 2, 4)[0] - x) < 2, "the wheel does not zoom about the pointer")
    page.mouse("mousePressed", x, y, button="left", clickCount=1)
    page.mouse("mouseMoved", x - 60, y, button="left", buttons=1)
    page.mouse("mouseReleased", x - 60, y, button="left", clickCount=1)
    page.frame()
    page.check(abs(page.at(plan, 2, 4)[0] - (x - 60)) < 2, "a drag does not pan")
    page.click(x, y, count=2)
    page.check(page.axis() == whole, "a double click does not show all")
    for label, holds in (("Zoom in", lambda a: a["to"] - a["from"] < whole["to"]), ("Later", lambda a: a["from"] > 0),
                         ("Show all of the time", lambda a: a == whole)):
        page.press(page.one(f"button[aria-label='{label}']"))
        page.frame()
        page.check(holds(page.axis()), f"the button {label}")


def keyboard(page, plan):
    page.js("document.querySelector('.controls button:last-of-type').focus()")
    for _ in range(30):
        page.keys(Keys.TAB)
        if page.js("return document.activeElement.tagName") == "CANVAS":
            break
    page.check(page.js("return document.activeElement === document.querySelector('.plan canvas')"), "Tab does not lead to the timeline")
    whole = page.axis()
    page.keys(Keys.ESCAPE, "+", "+", Keys.ARROW_RIGHT)
    page.check(page.axis()["from"] > whole["from"], "the keys + and → do not zoom and pan")
    page.keys("0")
    page.check(page.axis() == whole, "the key 0 does not show all")
    page.keys(Keys.ENTER)
    page.check(name_of(plan, 0, 0) in page.text(".status"), "Enter does not choose the first pass")
    page.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    page.check(name_of(plan, 0, 2) in page.text(".status"), f"arrows do not walk: {page.text('.status')}")
    page.keys(Keys.ARROW_DOWN)
    page.check("rank 1" in page.text(".status"), "the arrow down does not lead to the next rank")
    page.check(page.one(".status").get_attribute("role") == "status", "the walk is not announced")
    before = page.js("return document.querySelector('.plan canvas').chart.chain.length")
    page.keys("c")
    page.check(page.js("return document.querySelector('.plan canvas').chart.chain.length") == before - 1, "C does not lead to the cause")
    page.keys(Keys.ESCAPE)
    page.check("No pass is chosen" in page.text(".status"), "Escape does not let go")


def legend(page, plan):
    x, y = page.at(plan, 0, 0)
    before = painted(page, x, y)
    page.check(near(before, (0x6F, 0xA8, 0xEE)) or before[2] > 200, f"a forward pass is not blue: {before}")
    button = next(each for each in page.driver.find_elements(By.CSS_SELECTOR, ".legend button") if each.text == "forward")
    page.press(button)
    page.frame()
    page.check(button.get_attribute("aria-pressed") == "false", "the legend's button does not say that it is off")
    page.check(not near(before, painted(page, *page.at(plan, 0, 0))), "the legend hides nothing")
    page.click(x, y)
    page.check("No pass is chosen" in page.text(".status"), "a hidden pass is chosen")
    page.press(button)
    page.frame()
    page.check(near(before, painted(page, *page.at(plan, 0, 0))), "the legend does not show again")


def tables(page, plan):
    """The tables behind the pictures of a plan: made when they are opened, with the figures of the data."""
    behind = page.driver.find_elements(By.CSS_SELECTOR, ".plan details")
    page.check(page.js("return document.querySelectorAll('.plan details table').length") == 0, "tables are made before they are opened")
    for each in behind:
        page.press(each.find_element(By.TAG_NAME, "summary"))
    page.frame()
    count = len(plan["ranks"][0]["kinds"])
    rows = page.rows("Passes of rank 0")
    page.check(len(rows) == min(200, count), f"{len(rows)} rows of {count} passes")
    shown = [float(rows[i][3].split()[0]) * {"s": 1, "ms": 1e-3}[rows[i][3].split()[1]] for i in range(len(rows))]
    row = plan["ranks"][0]
    page.check(all(abs(a - b) <= 1e-3 for a, b in zip(shown, row["start"])), "the table's starts are not those of the data")
    page.check(rows[1][1:3] == [str(row["stages"][1]), str(row["microbatches"][1])], f"the second row is {rows[1]}")
    if count > 200:
        page.press(next(each for each in page.driver.find_elements(By.CSS_SELECTOR, ".plan details button") if each.text == "Next"))
        page.check(f"Rows 201 to {min(count, 400)} of {count}" in page.text(".plan"), "the table does not turn its page")
    uses = page.rows("What becomes of every rank's time")
    busy = sum(b - a for a, b in zip(row["start"], row["end"]))
    page.check(len(uses) == len(plan["ranks"]), f"{len(uses)} rows of ranks")
    shown = times(" ".join(uses[0])) if uses else []
    page.check(len(shown) == 2 and near(shown, (busy, plan["makespan"] - busy), 1e-3), f"rank 0 is busy and idle for {shown}")
    peak = max(row["memory"]["bytes"]) / report_data.gib
    page.check(f"{float(f'{peak:.4g}'):g} GiB" in page.text(".plan details:last-of-type"), "the table of memory has no peak of rank 0")
    for each in behind:
        page.press(each.find_element(By.TAG_NAME, "summary"))


def pasted(page):
    page.js("const a = document.createElement('textarea'); a.id = 'paste'; document.body.append(a); a.focus()")
    page.keys(Keys.CONTROL + "v")
    return page.js("const a = document.getElementById('paste'), v = a.value; a.remove(); return v")


def copying(page, lines):
    told = [each for each in lines if "text" in each]
    buttons = page.driver.find_elements(By.CSS_SELECTOR, ".line button")
    page.check(len(buttons) == len(told), "not every line has a button")
    for each, button in zip(told, buttons):
        page.press(button)
        page.frame()
        page.check(page.text("#announced") == f"Copied the line for {each['name']}", f"a copy is announced as {page.text('#announced')}")
        page.check(pasted(page) == each["text"], f"the line of {each['name']} is not copied")
        # For the next one, as a browser without a clipboard for pages from files.
        page.js("Object.defineProperty(navigator, 'clipboard', {value: undefined, configurable: true})")


def hostile(page, data):
    page.check(page.text("h1") == data["title"] == page.driver.title, f"the title is {page.text('h1')}, {page.driver.title}")
    page.check(page.js("return document.querySelectorAll('img, main script, main b').length") == 0, "a name has become an element")
    page.js("document.querySelectorAll('summary').forEach(s => s.parentElement.open = true)")
    page.frame()
    page.check(report_data.hostile in page.text("main"), "the hostile layer's name is not shown as text")
    page.check(page.js("return document.querySelectorAll('img, main script, main b').length") == 0, "a name has become an element")
    page.js("document.querySelectorAll('details').forEach(d => d.open = false)")


def every_part(page, size, plan_data):
    """A page of `plan`, by all of its clicks."""
    plan = plan_data["plans"][0]
    page.window(1280, 900)
    page.open(size, plan_data)
    page.shoot(size)
    hovering(page, plan)
    choosing(page, plan)
    page.shoot(f"{size}-chosen")
    page.js("document.querySelector('.plan canvas').chart.choose()")
    zooming(page, plan)
    scrolling(page, plan)
    keyboard(page, plan)
    legend(page, plan)
    tables(page, plan)
    if "lines" in plan_data:
        copying(page, plan_data["lines"])
        hostile(page, plan_data)
        page.check(len(page.driver.find_elements(By.CSS_SELECTOR, ".cuts .stages")) == 3, "the cuts")
    page.close()


def by_hand(page):
    """What no schedule of the simulator has."""
    data = report_data.overlapping()
    plan = data["plans"][0]
    page.window(1280, 900)
    page.open("by-hand", data)
    page.shoot("by-hand")
    first = "forward of microbatch 0, slice 0, on stage 0 rank 0, 0.00 to 10.00 (10) memory 1 activation from its start"
    for index, height, words in ((0, 0.5, first), (1, 0.25, "forward of microbatch 1, slice 1, on stage 0"),
                                 (2, 0.75, "backward of microbatch 0, slice 0, on stage 2"),
                                 (3, 0.9, "send forward of microbatch 1, slice 1, on stage 0"), (4, 0.2, "backward of microbatch 1"),
                                 (5, 0.5, "input gradient"), (6, 0.3, "weight gradient"), (7, 0.9, "all-reduce on stage 0"),
                                 (8, 0.5, "step of Adam rank 0")):
        x, y = page.at(plan, 0, index)
        page.mouse("mouseMoved", x, y + (height - 0.5) * 26)
        said = " ".join(page.text("#tip").split())
        page.check(words in said, f"the tip of pass {index} says {said}, not {words}")
    page.check("critical path" not in page.text("main"), "a critical path is offered where no causes are known")
    page.close()


def blocking(page):
    """Time in which messages hold a rank is not idle: as the passes show it, or the data says it."""
    data = report_data.blocking()
    plan = data["plans"][0]
    told, overlap = copy.deepcopy(data), copy.deepcopy(data)
    told["plans"][0]["ranks"][0] |= {"busy": 60, "blocked": 15}
    overlap["plans"][0]["ranks"][1]["start"][0] -= 2
    first, second = ["0", "66", "58.9 %", "30", "26.8 %"], ["1", "60", "53.6 %", "36", "32.1 %"]
    held = ["16", "14.3 %"]
    for name, each, rows in (("blocking", data, [first + held, second + held]),
                             ("told", told, [["0", "60", "53.6 %", "37", "33.0 %", "15", "13.4 %"],
                                             ["1", "60", "53.6 %", "52", "46.4 %", "0", "0.0 %"]]),
                             ("overlap", overlap, [["0", "66", "58.9 %", "46", "41.1 %"], ["1", "62", "55.4 %", "50", "44.6 %"]])):
        page.window(1280, 900)
        page.open(name, each)
        page.press(page.one(".plan summary"))
        page.frame()
        shown = page.rows("What becomes of every rank's time")
        page.check(shown == rows, f"the ranks' time is {shown}, not {rows}")
        texts = page.written()
        beside = [row[i] for row in rows for i in range(4, len(row), 2)]
        page.check([text for text in texts if "%" in text] == beside, f"{texts} stand beside the ranks, not {beside}")
        page.check(("blocked" in texts) == (name != "overlap"), f"{texts} name what is beside the ranks")
        page.shoot(name)
        page.close()
    page.open("blocking", data)
    names = [each.text for each in page.driver.find_elements(By.CSS_SELECTOR, ".legend button")]
    page.check(len(set(names)) == len(names) == 5, f"the legend's buttons are called {names}")
    page.check("send forward" in names and "send backward" in names, f"the legend's buttons are called {names}")
    x, y = page.at({"ranks": [plan["ranks"][0]] * 2}, 1, 3)
    page.mouse("mouseMoved", x, y)
    said = page.text("#tip")
    page.check("rank 1 is blocked" in said and "send forward of microbatch 1" in said, f"the tip of a blocked rank says {said}")
    page.close()


# What in the picture of cuts is not where it should be: boxes and marks beside it, numbers cut off, texts that touch.
misplaced = """
const box = e => e.getBoundingClientRect(), wrong = [], whole = box(document.querySelector('.cuts .stages'));
for (const each of document.querySelectorAll('.cuts .stages > *, .marks > *'))
  if (box(each).left < whole.left - 0.5 || box(each).right > whole.right + 0.5) wrong.push('beside: ' + each.textContent);
for (const each of document.querySelectorAll('.cuts .stages > *')) {
  const text = document.createRange();
  text.selectNodeContents(each);
  const {left, right, width} = box(text);
  if (width > 0 && (right > box(each).right || left < box(each).left)) wrong.push('cut off: ' + each.textContent);
}
const marks = [...document.querySelectorAll('.marks span')].map(box);
marks.forEach((each, i) => { if (i > 0 && each.left < marks[i - 1].right + 4) wrong.push('touches: mark ' + i); });
if (marks.length < 3) wrong.push(marks.length + ' marks');
return wrong;
"""


def cut_picture(page):
    uneven = report_data.planned(16, 64, 2)
    for i, layer in enumerate(uneven["cuts"]["layers"]):
        layer["seconds"] = 0.001 if i < 8 or i > 120 else 0.011
    for name, data in (("16x64x2", report_data.planned(16, 64, 2)), ("uneven", uneven), ("4x8", report_data.planned(4, 8))):
        for width in (375, 700, 1280):
            page.window(width, 900)
            page.open(name, data)
            wrong = page.js(misplaced)
            page.check(wrong == [], f"cuts at a width of {width}: {wrong}")
            page.js("document.querySelector('.cuts').scrollIntoView()")
            page.shoot(f"cuts-{name}-{width}")
    shown = page.js("return document.querySelectorAll('.stages > * > *:not([hidden])').length")
    page.check(shown == 12, f"{shown} numbers of 12 that have room are shown")
    notes = page.js("return document.querySelector('.cuts').parentElement.querySelector('.note')?.innerText ?? ''").split("\n")
    for name in ("uniform", "bottleneck", "this plan"):
        page.check(sum(note.startswith(f"{name}: ") for note in notes) == 1, f"{name} is not explained: {notes}")
    notes = [each.text for each in page.driver.find_elements(By.CSS_SELECTOR, ".note")]
    page.check("What the makespan would be shorter by,\nwere that 1 % faster." in notes, f"a note loses its lines: {notes}")
    sides = page.js("const table = document.querySelector('section:nth-of-type(3) table');"
                    "return [...table.rows].map(r => getComputedStyle(r.cells[3]).textAlign)")
    page.check(sides == ["right"] * 3, f"a column of figures of which one is missing stands at {sides}")
    page.check(page.js("return help").count("\n") == 0, "the help has a break in a sentence")
    page.close()


def extremes(page):
    """Times of any size are drawn, with labels that tell them apart."""
    for factor, unit in ((1e-4, "us"), (1e-300, "e-"), (1e-310, "e-"), (1e306, "e+")):
        data = report_data.scaled(report_data.planned(4, 8), factor)
        page.window(1280, 900)
        page.open(f"times {factor}", data)
        texts = page.written()
        page.check(sum(unit in text for text in texts) > 4 and "µ" not in "".join(texts), f"the labels are {texts}")
        page.js("document.querySelectorAll('details').forEach(d => d.open = true)")
        page.click(*page.at(data["plans"][0], 3, 5))
        for _ in range(4):
            page.js("document.querySelector('.plan canvas').chart.axis.zoom(40)")
            page.frame()
            texts = page.written()
            page.check(len(texts) < 200 and max(map(len, texts)) < 80, f"the labels are {texts}")
        page.check(page.rows("Stages of every cut") != [], "no table of cuts")
        page.close()


def printing(page):
    """On paper everything is drawn, and dark on light."""
    page.window(1280, 900, dark=True)
    page.open("compare", report_data.compared())
    blank = ("const c = [...document.querySelectorAll('canvas')].at(-1);"
             "const into = new OffscreenCanvas(c.width, c.height).getContext('2d', {willReadFrequently: true}); into.drawImage(c, 0, 0);"
             "return into.getImageData(0, 0, c.width, c.height).data.every(each => each === 0)")
    page.check(page.js(blank), "the last picture is drawn before it is in sight")
    page.js("dispatchEvent(new Event('beforeprint'))")
    page.check(not page.js(blank), "the last picture is not drawn for paper")
    page.check(page.js("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)", "paper is dark")
    page.js("dispatchEvent(new Event('afterprint'))")
    page.check(page.js("return getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)", "the screen stays light")
    page.close()


def comparison(page):
    data = report_data.compared()
    page.window(1280, 900)
    page.open("compare", data)
    page.shoot("compare")
    page.check(page.axis(0) == page.axis(1), "two plans have two axes")
    page.check(abs(page.axis(0)["length"] - max(p["makespan"] for p in data["plans"])) < 1e-9, "the axis does not end with the longer plan")
    x, y = page.at(data["plans"][1], 3, 10, plan=1)
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-600)
    page.frame()
    page.check(page.axis(0) == page.axis(1) and page.axis(0)["from"] > 0, "zooming one plan does not zoom the other")
    page.close()


def sweep(page):
    data = report_data.swept()
    page.window(1280, 900)
    page.open("sweep", data)
    points = page.driver.find_elements(By.CSS_SELECTOR, ".scatter circle")
    page.check(len(points) == len(data["scatter"]["points"]), "the points")
    first = next(each for each in points if data["scatter"]["points"][0]["name"] in each.get_attribute("aria-label"))
    page.press(first)
    page.frame()
    page.check(page.text(".behind-point h3") == "the plan of the first point", "a point does not show its plan")
    page.shoot("sweep")
    # By keys, to the plan with the hostile title.
    page.js("document.querySelector('.scatter circle[tabindex=\"0\"]').focus()")
    names = [each["name"] for each in sorted(data["scatter"]["points"], key=lambda each: (each["memory"], each["time"]))]
    steps = names.index(data["scatter"]["points"][20]["name"]) - names.index(data["scatter"]["points"][0]["name"])
    page.keys(*[Keys.ARROW_RIGHT] * steps, Keys.ENTER)
    page.check(page.text(".behind-point h3") == report_data.hostile, "keys do not lead to a point's plan")
    page.close()


# Of names of colours in the style sheet, those pairs with less contrast than text needs.
faint = """
const of = name => { const t = getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
  const l = [1, 3, 5].map(i => parseInt(t.slice(i, i + 2), 16) / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2]; };
const pairs = ['page', 'raised'].flatMap(b => ['text', 'soft', 'link'].map(t => [t, b])).concat(
  ['memory', 'limit', 'critical'].map(t => [t, 'page']),
  ['forward', 'backward', 'input', 'weight'].flatMap(k => [['on-pass', k], ['on-pass', k + '-light']]));
const contrast = (a, b) => (Math.max(of(a), of(b)) + 0.05) / (Math.min(of(a), of(b)) + 0.05);
return pairs.filter(([a, b]) => !(contrast(a, b) >= 4.5)).map(pair => pair.join(' on '));
"""


def dark_and_phone(page, data):
    plan = data["plans"][0]
    for dark in (False, True):
        page.window(1280, 900, dark=dark)
        page.open("4x8", data)
        page.check(page.js(faint) == [], f"too little contrast: {page.js(faint)}")
        lightness = page.js("return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).reduce((a, b) => a + +b, 0)")
        page.check((lightness < 200) == dark, "dark mode")
    page.shoot("dark")
    page.click(*page.at(plan, 3, 5))
    page.shoot("dark-chosen")
    page.close()
    page.window(360, 740, touch=True)
    page.open("4x8", data)
    page.shoot("phone")
    x, y = page.at(plan, 2, 5)
    page.touch("touchStart", (x, y))
    page.touch("touchEnd")
    page.frame()
    page.check(name_of(plan, 2, 5) in page.text(".status"), f"a tap does not choose a pass: {page.text('.status')}")
    page.touch("touchStart", (x, y), (x + 20, y))
    page.touch("touchMove", (x - 10, y), (x + 30, y))
    page.touch("touchMove", (x - 20, y), (x + 40, y))
    page.touch("touchEnd")
    page.frame()
    now = page.axis()
    page.check(now["to"] - now["from"] < 0.6 * now["length"], "two fingers do not zoom")
    page.js("document.querySelectorAll('details').forEach(d => d.open = true)")
    page.frame()
    page.close()
    page.open("sweep", report_data.swept())
    page.shoot("phone-sweep")
    page.close()


# 40 steps into a timeline and back; its redraws as `performance.measure` has them, with the pixels asked back if `read`.
frames = """
const [read, done] = arguments, {axis} = document.querySelector('.plan canvas').chart, times = [];
const observer = new PerformanceObserver(list => times.push(...list.getEntriesByName('frame').map(e => e.duration)));
observer.observe({entryTypes: ['measure']});
let step = 0, began;
const whole = [];
function next() {
  if (read && step > 0) {
    for (const c of document.querySelectorAll('.plan canvas')) {
      const into = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
      into.drawImage(c, 0, 0);
      into.getImageData(0, 0, 1, 1);
    }
    whole.push(performance.now() - began);
  }
  if (++step > 40) return setTimeout(() => { observer.disconnect(); done(read ? whole : times); }, 50);
  began = performance.now();
  axis.zoom(step <= 20 ? 1.25 : 0.8, axis.length * 0.37);
  if (read) { axis.draw(); setTimeout(next); } else requestAnimationFrame(() => requestAnimationFrame(next));
}
next();
"""


def smooth(page):
    plan = report_data.simulate(64, 512, 2)
    page.window(1280, 900)
    page.open("64x512x2", {"title": "64 ranks, 512 microbatches, 2 stages a rank", "plans": [plan]})
    page.shoot("64x512x2")
    page.js("document.querySelector('.plan canvas').scrollIntoView()")
    medians = []
    for _ in range(5):
        times = page.driver.execute_async_script(frames, False)
        page.check(len(times) >= 40, f"{len(times)} frames of 40")
        medians.append(statistics.median(times))
        if medians[-1] <= frame_limit / 2:
            break
    page.check(min(medians) <= frame_limit, f"a frame takes {min(medians):.1f} ms")
    read = statistics.median(page.driver.execute_async_script(frames, True))
    passes = sum(len(row["kinds"]) for row in plan["ranks"])
    print(f"{passes} passes: a frame takes {min(medians):.1f} ms, {read:.1f} ms until its pixels can be read")
    page.close()


def seen_if_wrong(page):
    """Would the network, an error, a word that is too wide be seen?"""
    told = len(page.wrong)
    page.open("planted", {"title": "planted", "figures": [["wide", "x"]]})
    page.js("document.querySelector('dd').style.width = '9999px'; new Image().src = 'https://stagecut.invalid/x.png';"
            "setTimeout(() => missing())")
    page.frame()
    page.close()
    seen = "\n".join(page.wrong[told:])
    del page.wrong[told:]
    for each in ("missing is not defined", "Content Security Policy", "wider than the window"):
        page.check(each in seen, f"of what was planted only this was seen: {seen}")


def main():
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        print("skipped: no chromium")
        return 77
    pictures = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    empty = len(report_data.assembled({"title": ""}).encode())
    small = report_data.planned(4, 8)
    with tempfile.TemporaryDirectory() as folder:
        driver = browser()
        try:
            page = visitor(driver, pathlib.Path(folder), pictures)
            page.check(empty <= 300_000, f"it weighs {empty} bytes without data")
            for size, data in (("4x8", small), ("16x64x2", report_data.planned(16, 64, 2)),
                               ("64x512", {"title": "64 ranks, 512 microbatches", "plans": [report_data.simulate(64, 512)]})):
                began = time.monotonic()
                every_part(page, size, data)
                print(f"{size}: {time.monotonic() - began:.1f} s")
            by_hand(page)
            blocking(page)
            cut_picture(page)
            extremes(page)
            comparison(page)
            printing(page)
            sweep(page)
            dark_and_phone(page, small)
            smooth(page)
            seen_if_wrong(page)
        finally:
            driver.quit()
    print("\n".join(page.wrong) or f"{page.checks} checks; the page weighs {empty} bytes without data")
    return 1 if page.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
