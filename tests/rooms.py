# SPDX-License-Identifier: BSL-1.0
"""Who includes whom: each header includes only what its room may."""

import pathlib
import re
import sys

TABLE = {  # room: (rooms it may include, third-party headers it may include)
    "core": ((), ()),
    "cost": (("core",), ()),
    "sequence": (("core", "cost"), ()),
    "schedule": (("core", "cost"), ()),
    "makespan": (("core", "cost", "sequence", "schedule"), ()),
    "graph": (("core", "cost", "sequence"), ("boost/",)),
    "search": (("core", "cost", "sequence", "schedule"), ("thrust/", "cuda/", "cub/")),
    "joint": (("core", "cost", "sequence", "schedule", "makespan", "graph"), ("boost/",)),
    "io": (("core", "schedule"), ("nlohmann/", "boost/")),
    "fit": (("core",), ("Eigen/",)),
    "testing": (("core", "cost"), ()),
}
# Slow to compile, not everywhere, or reached through views: not in the dependency-free rooms.
FREE_ROOMS = ("core", "cost", "sequence", "schedule", "makespan", "testing")
FORBIDDEN = ("ranges", "source_location", "execution", "regex", "iostream")

root = pathlib.Path(__file__).resolve().parent.parent / "include"
problems = []
headers = sorted(root.rglob("*.hpp")) + sorted(root.rglob("*.cuh"))
for header in headers:
    name = header.relative_to(root).as_posix()
    parts = name.split("/")
    room = parts[1] if len(parts) == 3 else None
    if room is not None and room not in TABLE:
        problems.append(f"{name}: no such room")
        continue
    text = header.read_text()
    if "__CUDACC__" in text and name != "stagecut/core/host_device.hpp":
        problems.append(f"{name}: __CUDACC__ outside core/host_device.hpp")
    for macro in re.findall(r"^\s*#\s*define\s+(\w+)", text, re.MULTILINE):
        if macro != "STAGECUT_HOST_DEVICE" and not (name == "stagecut/version.hpp" and macro.startswith("STAGECUT_VERSION_")):
            problems.append(f"{name}: defines the macro {macro}")
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not found:
            continue
        style, target = found.groups()
        place = f"{name}:{number}: includes {target}"
        if style == '"':
            problems.append(f"{place}, and not by its full path in <>")
        elif target.startswith("stagecut/"):
            if not (root / target).exists():
                problems.append(f"{place}, which does not exist")
            target_parts = target.split("/")
            if room is not None and len(target_parts) == 3 and target_parts[1] not in (room, *TABLE[room][0]):
                problems.append(f"{place}: {room} may not include {target_parts[1]}")
            if room is not None and len(target_parts) == 2 and target != "stagecut/version.hpp":
                problems.append(f"{place}: a room may not include an umbrella")
        elif "/" in target or target.endswith(".h"):
            if room is None or not target.startswith(TABLE[room][1] or "\0"):
                problems.append(f"{place}: third-party headers of this room: {TABLE.get(room, ((), ()))[1]}")
        elif target in FORBIDDEN and (room is None or room in FREE_ROOMS):
            problems.append(f"{place}: not in the dependency-free rooms")

# Self-test: the table has no cycle, so the rooms are layers.
def reach(room, seen=()):
    if room in seen:
        problems.append("the table has a cycle: " + " -> ".join((*seen, room)))
        return
    for below in TABLE[room][0]:
        reach(below, (*seen, room))
for room in TABLE:
    reach(room)

if not headers:
    problems.append("no header found")
print("\n".join(problems) or f"{len(headers)} headers include only what they may")
sys.exit(1 if problems else 0)
