# SPDX-License-Identifier: BSL-1.0
"""docs/site builds the site without a warning and writes nothing into the checkout but below build/; every link in it leads
somewhere; the search knows every public function object, and leads to a page that says how to call it: `doxygen.py DOXYGEN`."""

import collections
import html
import os
import pathlib
import re
import subprocess
import sys
import time
import urllib.parse

root = pathlib.Path(__file__).resolve().parent.parent
site = root / "build" / "site"
sources = [root / "README.md", *sorted((root / "docs").glob("*.md"))]


def checkout():
    skipped = {root / ".git", root / "build"}
    return {path for top in root.iterdir() if top not in skipped for path in [top, *top.rglob("*")]}


def page_of(source):
    return f"{source.stem.lower()}.html"


def linked_from(text):
    """What a page, the tree at the side, or the index of the search leads to."""
    return re.findall(r'(?:href|src)="([^"]*)"', text) + re.findall(r"""["'](?:\.\./)?(\w[\w.-]*\.html(?:#\w*)?)["']""", text)


def broken_links(pages, exists):
    """Links of pages, by name, to pages or places in pages that are not there; and where links lead outside."""
    places = {name: set(re.findall(r'(?:id|name)="([^"]*)"', text)) for name, text in pages.items()}
    wrong = []
    outside = set()
    for name, text in pages.items():
        for link in sorted(set(linked_from(text))):
            target = urllib.parse.urlsplit(html.unescape(link))
            if target.scheme in ("http", "https"):
                outside.add(link)
                continue
            if target.scheme == "javascript" or link in ("", "#"):
                continue
            folder = "search" if name.startswith("search/") and name.endswith(".html") else ""
            path = os.path.normpath(os.path.join(folder, urllib.parse.unquote(target.path))) if target.path else name
            if not exists(path) and path not in pages:
                wrong.append(f"{name}: {link} leads nowhere")
            elif target.fragment and path in places and urllib.parse.unquote(target.fragment) not in places[path]:
                wrong.append(f"{name}: {link}: the page has no such place")
    return wrong, outside


def searchable():
    """What the search finds: the pages by name."""
    found = collections.defaultdict(set)
    for part in (site / "search").glob("all_*.js"):
        for line in part.read_text().splitlines():
            entry = re.match(r"\s*\['\w+',\['([^']*)',(.*)$", line)
            if entry:
                found[html.unescape(entry[1])].update(re.findall(r"'\.\./([^'#]*)", entry[2]))
    return found


def function_objects():
    for header in sorted((root / "include").rglob("*.hpp")):
        if "detail" not in header.parts:
            for name in re.findall(r"^inline constexpr \w+_fn (\w+)\{\};", header.read_text(), re.MULTILINE):
                yield header, name


def foreign_excerpts():
    """Code on the main page that stands in no program which the tests compile, and code of another one than a page says."""
    programs = "".join(path.read_text() for path in (root / "examples").glob("*.cpp"))
    for block in re.findall(r"^```cpp\n(.*?)^```", (root / "docs" / "index.md").read_text(), re.MULTILINE | re.DOTALL):
        if not block.startswith("#include") and block not in programs:
            yield f"index.md: in no program:\n{block}"
    for page in sources:
        text = page.read_text()
        for found in re.finditer(r"^This is from \[[^]]*\]\(\.\./examples/(\w+\.cpp)\)", text, re.MULTILINE):
            blocks = re.findall(r"^```cpp\n(.*?)^```", text[: found.start()], re.MULTILINE | re.DOTALL)
            if not blocks or blocks[-1] not in (root / "examples" / found[1]).read_text():
                yield f"{page.name}: the code before {found[0]} is not in that program"


def lost(source, page):
    """What of a source its page does not show: lines of code, and words beside them; and marks that a reader should not see."""
    shown = html.unescape(re.sub(r"<[^>]*>", "", page)).replace("\u200b", "").replace("\xa0", " ")
    lines = {line.strip() for line in shown.splitlines()}
    words = set(re.findall(r"\w+", shown + " ".join(re.findall(r'alt="([^"]*)"', page))))
    text = source.read_text()
    for block in re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        yield from (f"the line {line}" for line in block.splitlines() if line.strip() not in lines)
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"\]\([^)]*\)|<[^>]*>", "", text)
    yield from (f"the word {word}" for word in sorted(set(re.findall(r"\w+", text)) - words))
    yield from (f"a bare {mark}" for mark in ("&lsquo;", "&lt;tt&gt;", "{#") if mark in page)


def main(doxygen):
    (root / "build").mkdir(exist_ok=True)
    before = checkout()
    started = time.monotonic()
    ended = subprocess.run([root / "docs" / "site"], cwd=root, capture_output=True, text=True, env=os.environ | {"DOXYGEN": doxygen})
    seconds = time.monotonic() - started
    if ended.returncode != 0:
        sys.exit(ended.stdout + ended.stderr)
    wrong = [f"{path}: written into the checkout" for path in sorted(checkout() - before) if "__pycache__" not in path.parts]

    pages = {str(path.relative_to(site)): path.read_text() for path in site.rglob("*.html")}
    pages |= {str(path.relative_to(site)): path.read_text() for path in [*site.glob("*.js"), *(site / "search").glob("*_*.js")]
              if path.name not in ("jquery.js", "dynsections.js", "resize.js", "navtree.js") and "navtreeindex" not in path.name}
    exists = lambda path: (site / path).exists()
    broken, outside = broken_links(pages, exists)
    wrong += broken
    # Would they be found?
    planted = {"a.html": '<a href="none.html">', "b.html": '<img src="none.svg"/>', "c.html": '<a href="a.html#none">',
               "d.js": '[ "x", "none.html#y", null ]', "e.html": '<a id="y" href="#y"></a><a href="a.html">'}
    found, _ = broken_links(planted, lambda path: False)
    if sorted(each.split(":")[0] for each in found) != ["a.html", "b.html", "c.html", "d.js"]:
        wrong.append(f"of the broken links that were planted these were found: {found}")

    known = searchable()
    architecture = pages.get("architecture.html", "")
    objects = 0
    for header, name in function_objects():
        objects += 1
        calls = [page for page in known[name] if "How to call it" in pages.get(page, "") and f"<b>{name}</b>" in pages[page] or
                 re.search(rf">{name}</a>(?:</b>)? ?\(", pages.get(page, "")) and "How to call it" in pages[page]]
        if not known[name]:
            wrong.append(f"{header.name}: the search does not know {name}")
        elif not calls:
            wrong.append(f"{header.name}: the search leads to no page that says how to call {name}: {sorted(known[name])}")
        elif not re.search(r'<div class="textblock"><p ?>\w', pages[calls[0]]):
            wrong.append(f"{calls[0]} does not say what {name} does")
        if "testing" not in header.parts and not re.search(rf"<a [^>]*>stagecut::(?:search::)?{name}<", architecture):
            wrong.append(f"{header.name}: the page of the architecture leads to no {name}")
    for module in sorted(path.name for path in (root / "include" / "stagecut").iterdir() if path.is_dir()):
        if module not in architecture:
            wrong.append(f"the page of the architecture does not name the module {module}")
        if module not in ("engine", "source") and f"group__module__{module}.html" not in pages:  # those two are not for users
            wrong.append(f"the reference has no page of the module {module}")
    titles = {name: re.findall(r'<(?:title|div class="title")>([^<]*)', text) for name, text in pages.items() if name.endswith(".html")}
    wrong += [f"{name}: its title says room, for a module" for name, found in titles.items() if re.search(r"\brooms?\b", " ".join(found))]
    side = pages.get("navtreedata.js", "")
    for source in sources:
        if page_of(source) not in pages:
            wrong.append(f"{source.name}: no page of the site")
        elif f'"{page_of(source)}"' not in side:
            wrong.append(f"{source.name}: nothing at the side leads to it; see docs/layout.xml")
        else:
            wrong += [f"{page_of(source)} does not show {what}" for what in lost(source, pages[page_of(source)])]
    wrong += [f"{name}: an opening quotation mark where there is code" for name, text in pages.items() if "&lsquo;" in text]
    if not set(lost(root / "README.md", pages["index.html"])):
        wrong.append("a page that shows nothing of README.md passes as its page")
    wrong += foreign_excerpts()
    print("\n".join(wrong) or f"{len(pages)} pages and lists without a broken link, built in {seconds:.0f} s; "
          f"{objects} function objects are found by name\nnot followed: {' '.join(sorted(outside))}")
    return bool(wrong) or objects == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
