# SPDX-License-Identifier: BSL-1.0
"""Counts words that make sentences hard to read, in README, docs and comments: `of which` chains, `so many`, `likewise`, ...
Fails when there are more than were left the last time somebody looked; lower `MOST` when there are fewer.

`plain_english.py [--list]`: with each place."""

import pathlib
import re
import sys

MOST = 23
WORDS = re.compile(r"\b(so many|likewise|whoever|of which|that of|beside)\b", re.IGNORECASE)
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|(//[^\n]*|/\*.*?\*/)', re.DOTALL)
CODE = (".hpp", ".ipp", ".cpp", ".cu", ".h")

root = pathlib.Path(__file__).resolve().parent.parent
folders = [root / folder for folder in ("include", "tests", "examples", "bench", "docs")]
names = ["README.md", *sorted(str(path.relative_to(root)) for folder in folders for path in folder.rglob("*")
                              if path.suffix in CODE or folder.name == "docs" and path.suffix == ".md")]


def prose(name):
    """The text of a page, or the comments of a file, by line."""
    text = (root / name).read_text(encoding="utf-8")
    if name.endswith(".md"):
        yield from enumerate(text.splitlines(), 1)
    else:
        for match in COMMENT.finditer(text):
            if match[1]:
                first = text.count("\n", 0, match.start()) + 1
                yield from enumerate(match[1].splitlines(), first)


found = [(name, line, text.strip()) for name in names for line, text in prose(name) for _ in WORDS.findall(text)]
if "--list" in sys.argv:
    for name, line, text in found:
        print(f"{name}:{line}: {text}")
print(f"{len(found)} words that make sentences hard to read, at most {MOST}")
sys.exit(len(found) > MOST)
