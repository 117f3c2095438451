# SPDX-License-Identifier: BSL-1.0
"""What Doxygen 1.9.4 cannot do itself for the site: `site.py filter FILE` prints a source as Doxygen is to read it, and
`site.py finish FOLDER` mends the pages that it wrote."""

import html
import pathlib
import re
import shutil
import sys

root = pathlib.Path(__file__).resolve().parent.parent
library = root / "include" / "stagecut"

modules = {
    "core": "the language of all modules: intervals, cuts, outcomes, errors",
    "cost": "what a stage costs, and which stages may not be",
    "fit": "links from what was measured",
    "graph": "graphs of operators cut into stages",
    "joint": "more than the cut: replicas, tensor parallelism, recomputation",
    "io": "files, pictures, frameworks' formats",
    "makespan": "the cut with the least makespan",
    "orders": "schedules made for given stages",
    "plan": "from a profile to a plan",
    "profile": "layers and what they take",
    "schedule": "who does what when, and the simulation",
    "search": "candidates in mass, on processors and GPUs",
    "sequence": "partitioners of chains",
    "testing": "checks for models of your own",
}


def function_objects():
    """The page of every public function object, by its name."""
    pages = {}
    for header in library.rglob("*.hpp"):
        if {"detail", "parts", "engine"} & {*header.parts} or "_fn " not in (text := header.read_text()):
            continue
        space = re.search(r"^namespace stagecut::inline STAGECUT_ABI((?:::\w+)?)", text, re.MULTILINE)
        for name in re.findall(r"^inline constexpr \w+_fn (\w+)\{\};", text, re.MULTILINE):
            pages[name] = f"struct{escaped('stagecut' + space[1] + '::' + name)}.html"
    return pages


def escaped(name):
    """A name as Doxygen writes it into names of files."""
    return name.replace("_", "__").replace("::", "_1_1").replace(".", "_8").replace("/", "_2")


# ---------------------------------------------------------------------------------------------------------- headers


def header_for_doxygen(path):
    """A function object is shown as one thing: its type has its name and its documentation, and the constant is left out.
    What a header defines belongs to the module of its folder."""
    text = path.read_text().replace("::inline STAGECUT_ABI", "").replace("STAGECUT_DECL ", "")
    parts = path.relative_to(library).parts if path.is_relative_to(library) else ()
    if len(parts) < 2 or {"detail", "parts", "engine"} & {*parts}:
        return text
    for comment, kind, name in re.findall(
        r"((?:^///.*\n)+)^inline constexpr (\w+_fn) (\w+)\{\};\n", text, re.MULTILINE
    ):
        text = text.replace(f"{comment}inline constexpr {kind} {name}{{}};\n", "\n" * (comment.count("\n") + 1))
        text = re.sub(
            rf"(?:^///.*\n)+(?=(?:template.*\n)?struct {kind}\b)", lambda _: comment, text, count=1, flags=re.MULTILINE
        )
        text = re.sub(rf"\b{kind}\b", name, text)
        text = re.sub(rf"^( +/// )See `{name}`\.", r"\1A call; the parameters are described above.", text, flags=re.MULTILINE)
    # Between a backtick and an apostrophe Doxygen sees a quotation.
    text = re.sub(r"^ *///.*'.*$", lambda line: re.sub(r"`([^`]*'[^`]*)`", lambda m: f"<code>{html.escape(m[1], quote=False)}</code>",
                                                       line[0]), text, flags=re.MULTILINE)
    module = parts[0]
    opened = re.search(r"^namespace stagecut(?:::\w+)? \{\n", text, re.MULTILINE)
    closed = text.rfind("\n}  // namespace stagecut")
    if opened and closed > 0:
        group = f"\n/** @addtogroup module_{module} {module}: {modules[module]}\n@{{ */\n"
        text = text[: opened.end()] + group + text[opened.end() : closed] + "\n/** @} */" + text[closed:]
    # Doxygen would want a sentence for each macro of a header that it has a page for.
    return text if "@file" in text or "#define STAGECUT_" in text else f"{text}\n/** @file */\n"


# ------------------------------------------------------------------------------------------------------------ pages


def slug(heading):
    """The anchor that the forge gives a heading."""
    plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")


def page_name(path):
    return path.stem.lower()


def site_file(path):
    """What a file that is no page is called in the site: browsers show these endings as they are."""
    return path.name if path.suffix in (".svg", ".json") else f"{path.name}.txt"


def header_page(path, objects):
    if path.stem in objects:
        return objects[path.stem]
    alike = [other for other in library.rglob(path.name) if other != path]
    name = path.name if not alike else str(path.relative_to(library))
    return f"{escaped(name)}_source.html"


def linked(target, page, objects):
    """Where a link of a page leads in the site."""
    if re.match(r"[a-z]+:", target):
        return target
    name, _, anchor = target.partition("#")
    path = (page.parent / name).resolve() if name else page
    if path.suffix == ".md":
        return f"{page_name(path)}.html" + (f"#{page_name(path)}_{anchor}" if anchor else "")
    if path.suffix == ".hpp" and path.is_relative_to(library):
        return header_page(path, objects)
    return site_file(path)


class Page:
    """A page of Markdown, line by line: anchors for its headings, its links as they are in the site."""

    def __init__(self, path):
        self.path = path
        self.objects = function_objects()
        self.seen = {}  # how often each heading was met
        self.lines, self.paragraph = [], []

    def picture(self, text, target):
        return f'<img src="{linked(target, self.path, self.objects)}" alt="{html.escape(text)}"/>'

    def link(self, target):
        return f"]({linked(target, self.path, self.objects)})"

    def code(self, piece, before):
        """A span of code; the name of a function object leads to its page, unless the span stands in a link."""
        in_link = before.rfind("[") > before.rfind("]") and not before.endswith("]")
        name = re.match(r"`(?:stagecut::)?(?:search::)?(\w+)(?=[(`])", piece)
        if in_link or not name or name[1] not in self.objects:
            return piece
        return f'<a href="{self.objects[name[1]]}"><code>{html.escape(piece.strip("`"))}</code></a>'

    def prose(self, text):
        pieces = re.split(r"(`+[^`]+`+)", text)
        for i, piece in enumerate(pieces):
            if i % 2 == 1:
                pieces[i] = self.code(piece, "".join(pieces[:i]))
                continue
            piece = re.sub(r"!\[([^]]*)\]\(([^)\s]+)\)", lambda m: self.picture(m[1], m[2]), piece)
            pieces[i] = re.sub(r"\]\(([^)\s]+)\)", lambda m: self.link(m[1]), piece)
        return "".join(pieces)

    def heading(self, line):
        level, text = line.split(" ", 1)
        name = slug(text)
        if level == "#" or "'" in text:  # titles show text alone, and headings with an apostrophe do
            line = line.replace("`", "")
        self.seen[name] = self.seen.get(name, -1) + 1
        label = f"{page_name(self.path)}_{name}" + (f"-{self.seen[name]}" if self.seen[name] else "")
        if level == "#":
            label = "" if self.path.stem == "index" else page_name(self.path)
        return f"{line} {{#{label}}}" if label else line

    def flush(self):
        # A number that a line of a paragraph happens to begin with makes no list.
        if self.paragraph and not re.match(r" *(\d+\.|[-*]) ", self.paragraph[0]):
            self.paragraph = [re.sub(r"^(?!1\.)(\d+)\. ", r"\1\\. ", line) for line in self.paragraph]
        if self.paragraph:
            self.lines.extend(self.prose("\n".join(self.paragraph)).split("\n"))
            self.paragraph.clear()

    def for_doxygen(self):
        fenced = False
        for line in self.path.read_text().splitlines():
            fence, heading = line.startswith("```"), re.match(r"#+ ", line)
            if not (fence or fenced or heading or not line or line.startswith(("    ", "|"))):
                self.paragraph.append(line)
                continue
            self.flush()
            if fence:
                fenced = not fenced
            if fence or fenced or line.startswith("    "):
                self.lines.append(line)
            else:
                self.lines.append(self.heading(line) if heading else self.prose(line))
        self.flush()
        return "\n".join(self.lines) + "\n"


# ------------------------------------------------------------------------------------------------------- the pages written


def finish_function(text, name):
    """The page of a function object: its calls have its name."""
    text = text.replace("Struct Reference", "Function").replace("Public Member Functions", "How to call it")
    return re.sub(r'<tr class="memdesc:[^\n]*A call; [^\n]*</tr>\n', "", text.replace("operator()", name))


def finish_tree(text, modules):
    """The tree at the side: all names of the library begin alike, which would leave no room for what differs; and members of a
    module, which are described on its page, are looked for on those of headers."""
    text = text.replace('"stagecut::', '"')
    # A value of an enumeration that has no place of its own is described with the others.
    for place in set(re.findall(r'"\w+_8hpp\.html#(g+a\w+)"', text)):
        known = place if place in modules else place[1:35]
        text = re.sub(rf'"\w+_8hpp\.html#{place}"', f'"{modules[known]}#{known}"', text)
    return text


def finish_page(text, name, objects):
    if name.startswith("group__"):
        row = r'(valign="top">)struct(&#160;</td><td class="memItemRight" valign="bottom"><a class="el" href="([^"]*)")'
        text = re.sub(row, lambda m: f"{m[1]}{'function' if m[3] in objects else 'struct'}{m[2]}", text)
    # Doxygen announces nested classes that it was told to leave out.
    if 'id="nested-classes"' not in text:
        text = re.sub(r'<a href="#nested-classes">\w+</a>( &#124;)?', "", text)
    text = re.sub(r'<h2 class="groupheader">\s*</h2>', "", text)
    # A long name is broken behind its namespace.
    text = re.sub(r'<div class="title">[^<]*', lambda m: m[0].replace("::", "::<wbr/>"), text)
    # The commands of a transcript stand out from what they print.
    text = re.sub(r'<div class="line">(\$ [^\n]*)</div>', r'<div class="line prompt">\1</div>', text)
    text = text.replace('<table class="markdownTable">', '<div class="wide"><table class="markdownTable">')
    return re.sub(r'(<div class="wide"><table.*?</table>)', r"\1</div>", text, flags=re.DOTALL)


def copy_linked_files(site):
    """Files that pages link to and that are no pages."""
    for page in [root / "README.md", *(root / "docs").glob("*.md")]:
        text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)\s#]+)\)", text):
            path = (page.parent / target).resolve()
            if path.is_file() and path.suffix not in (".md", ".hpp"):
                shutil.copyfile(path, site / site_file(path))


def finish_search(folder):
    """The results of a search stand in a frame, which has styles of its own, and of a page that is read from a file may not touch
    what is around it, but send a message."""
    script = folder / "search.js"
    text = script.read_text().replace("parent.searchBox.CloseResultsWindow()", 'parent.postMessage("close", "*")')
    text = text.replace('parent.document.getElementById("MSearchField").focus()', 'parent.postMessage("focus", "*")')
    script.write_text(text + """
window.addEventListener("message", function(event) {
  if (event.data === "close") searchBox.CloseResultsWindow();
  if (event.data === "focus") document.getElementById("MSearchField").focus();
});
""")
    for page in folder.glob("*.html"):
        text = page.read_text()
        page.write_text(text.replace("</head>", '<link rel="stylesheet" type="text/css" href="../site.css"/>\n</head>', 1))


def finish(site):
    objects = {page: name for name, page in function_objects().items()}
    modules = {place: page.name for page in site.glob("group__*.html") for place in re.findall(r'id="(g+a\w+)"', page.read_text())}
    for tree in site.glob("*.js"):
        if not tree.name.startswith("navtreeindex"):
            tree.write_text(finish_tree(tree.read_text(), modules))
    for page in site.glob("*.html"):
        text = page.read_text()
        if page.name in objects:
            text = finish_function(text, objects[page.name])
        page.write_text(finish_page(text, page.name, objects))
    copy_linked_files(site)
    finish_search(site / "search")


if sys.argv[1] == "filter":
    file = pathlib.Path(sys.argv[2]).resolve()
    sys.stdout.write(Page(file).for_doxygen() if file.suffix == ".md" else header_for_doxygen(file))
else:
    finish(pathlib.Path(sys.argv[2]))
