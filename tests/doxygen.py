# SPDX-License-Identifier: BSL-1.0
"""Doxygen has no warning, writes nothing into the checkout but below build/, and its pages lead to every public function
object by its name: `doxygen.py DOXYGEN`."""

import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent


def checkout():
    skipped = {root / ".git", root / "build"}
    return {path for top in root.iterdir() if top not in skipped for path in [top, *top.rglob("*")]}


(root / "build").mkdir(exist_ok=True)
before = checkout()
ended = subprocess.run([sys.argv[1], "docs/Doxyfile"], cwd=root, capture_output=True, text=True)
wrong = [ended.stdout + ended.stderr] if ended.returncode != 0 else []
wrong += [f"{path}: written into the checkout" for path in sorted(checkout() - before) if "__pycache__" not in path.parts]
pages = root / "build" / "doxygen" / "html"
listed = "".join(page.read_text() for page in pages.glob("namespacemembers*.html"))
index = (pages / "index.html").read_text() if (pages / "index.html").exists() else ""
objects = 0
for header in sorted((root / "include").rglob("*.hpp")):
    if "detail" in header.parts:
        continue
    for name in re.findall(r"^inline constexpr \w+_fn (\w+)\{\};", header.read_text(), re.MULTILINE):
        objects += 1
        if not re.search(rf"\b{name}\b", listed):
            wrong.append(f"{header.name}: {name} is in no list of Doxygen's")
        if "testing" not in header.parts and not re.search(rf"<a [^>]*>stagecut::(?:search::)?{name}<", index):
            wrong.append(f"{header.name}: the main page leads to no {name}")
for room in sorted(path.name for path in (root / "include" / "stagecut").iterdir() if path.is_dir()):
    if room not in index:
        wrong.append(f"the main page does not name the room {room}")
print("\n".join(wrong) or f"no warning; {objects} function objects are found by name")
sys.exit(bool(wrong) or objects == 0)
