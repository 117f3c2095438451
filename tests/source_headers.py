# SPDX-License-Identifier: BSL-1.0
"""The sources of the compiled form: `source_headers.py write` writes include/stagecut/source/ROOM.hpp from the bodies (`.ipp`) that
are there, and all.hpp from the rooms; `source_headers.py check` fails unless they are as it would write them.

A second argument names another tree than this one."""

import pathlib
import re
import sys

# In the order of their layers, with the package that all of a room's bodies need.
ROOMS = {"core": "", "cost": "", "profile": "", "sequence": "", "schedule": "", "engine": "", "orders": "", "makespan": "", "plan": "", "graph": "", "joint": "",
         "search": "", "fit": "Eigen", "testing": "", "io": "nlohmann"}
# What is looked for to see whether a package is there. Thrust is none of them: its device system is the program's choice.
PACKAGES = {"boost": "boost/graph/graph_traits.hpp", "Eigen": "Eigen/Core", "nlohmann": "nlohmann/json.hpp"}
HEAD = "// SPDX-License-Identifier: BSL-1.0\n#pragma once\n\n// Written by tests/source_headers.py.\n"
FORM = '''#include <stagecut/core/config.hpp>
#if defined(STAGECUT_HEADER_ONLY)
#error "stagecut/source/ is for the compiled form: define STAGECUT_COMPILED in every file of the program, before its first header of stagecut"
#endif
'''

root = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).parent.parent).resolve() / "include"
includes = {}


def included(name):
    if name not in includes:
        includes[name] = re.findall(r"^\s*#\s*include\s*<([^>]+)>", (root / name).read_text(), re.MULTILINE)
    return includes[name]


def packages_of(name):
    """The packages that a body needs: those that it, doors that it includes, and their bodies, which it may call, include."""
    packages, seen, ahead = set(), {name}, [name]
    while ahead:
        for target in included(ahead.pop()):
            package = target.split("/")[0]
            if package in (*PACKAGES, "thrust"):
                packages.add(package)
            elif package == "stagecut" and target not in seen and (root / target).exists():
                seen.add(target)
                ahead.append(target)
    return packages


def guarded(packages, lines):
    """The lines, where these packages are there."""
    if not packages:
        return lines
    test = " && ".join(f"__has_include(<{PACKAGES[each]}>)" for each in packages)
    return f"#if {test}\n{lines}#endif\n"


def text_of(room):
    groups = {}
    for path in sorted((root / "stagecut" / room).rglob("*.ipp")):
        name = path.relative_to(root).as_posix()
        needed = packages_of(name)
        if "thrust" in needed:
            print(f"{name} includes Thrust, whose device system is the choice of each program")
            sys.exit(1)
        groups.setdefault(tuple(sorted(needed - {ROOMS[room]})), []).append(f"#include <{name}>\n")
    bodies = "".join(guarded(packages, "".join(groups[packages])) for packages in sorted(groups))
    return f"{HEAD}{FORM}\n{bodies}" if bodies else None


texts = {}
for room, package in ROOMS.items():
    if text := text_of(room):
        texts[f"{room}.hpp"] = text
texts["all.hpp"] = HEAD + "// Rooms whose packages are not there are left out.\n" + FORM + "\n" + "".join(
    guarded([ROOMS[name[:-4]]] if ROOMS[name[:-4]] else [], f"#include <stagecut/source/{name}>\n") for name in texts)

folder = root / "stagecut" / "source"
there = {path.name: path.read_text() for path in folder.rglob("*") if path.is_file()}
if sys.argv[1] == "write":
    folder.mkdir(exist_ok=True)
    for name in there.keys() - texts.keys():
        (folder / name).unlink()
    for name, text in texts.items():
        if there.get(name) != text:
            (folder / name).write_text(text)
    sys.exit()
wrong = [f"stagecut/source/{name} is not what `tests/source_headers.py write` writes"
         for name in sorted(there.keys() | texts.keys()) if there.get(name) != texts.get(name)]
print("\n".join(wrong) or f"{len(texts)} headers include all bodies")
sys.exit(bool(wrong))
