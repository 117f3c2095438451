# SPDX-License-Identifier: BSL-1.0
"""Who includes whom: every header, at any depth, and every file of bodies includes only what its room may, and stands where its
room says; bodies have one door, which includes them at its end, header-only; no room includes another's private files, core's apart; and programs, whether
examples, benchmarks or in the documentation, use what is public alone; no chain of includes is long.

`rooms.py [ROOT]` checks the headers below ROOT/include and what ROOT includes of them; ROOT is this project by default."""

import pathlib
import re
import sys

TABLE = {  # room: (rooms it may include, third-party headers it may include, families of headers that have a folder)
    "core": ((), (), ()),
    "cost": (("core",), (), ()),
    # Training memory prices intervals by prefix sums.
    "profile": (("core", "cost"), (), ()),
    "sequence": (("core", "cost"), (), ()),
    "schedule": (("core", "cost"), (), ("generators",)),
    # What every search stands on: for other rooms, not for users.
    "engine": (("core", "cost", "schedule"), (), ()),
    "orders": (("core", "cost", "schedule", "engine"), (), ()),
    "makespan": (("core", "cost", "sequence", "schedule", "engine", "orders"), (), ()),
    "plan": (("core", "profile", "cost", "sequence", "schedule", "engine", "orders", "makespan"), (), ()),
    "graph": (("core", "profile", "cost", "sequence", "schedule", "engine", "makespan", "plan"), ("boost/",), ()),
    # Sweeps plan profiles.
    "search": (("core", "profile", "cost", "sequence", "schedule", "engine", "makespan", "plan"), ("thrust/", "cuda_runtime.h"), ()),
    # Links are fitted, which are a part of costs.
    "fit": (("core", "profile", "cost"), ("Eigen/",), ()),
    "joint": (("core", "profile", "cost", "sequence", "schedule", "engine", "makespan", "plan", "graph"), ("boost/",), ("baselines",)),
    "io": (("core", "profile", "cost", "schedule", "plan"), ("nlohmann/", "boost/"), ("frameworks", "graphs", "json", "pictures", "tables")),
    "testing": (("core", "cost", "schedule"), (), ()),
}
# Slow to compile, not everywhere, or reached through views: not in the dependency-free rooms.
FREE_ROOMS = ("core", "profile", "cost", "sequence", "schedule", "engine", "orders", "makespan", "plan", "testing")
FORBIDDEN = ("ranges", "source_location", "execution", "regex", "iostream")
IN_BODIES = ("ranges",)  # what they may include for all that
CONFIG = "stagecut/core/config.hpp"
MOST_DEEP = 15  # headers, one including the next
AT_THE_END = re.compile(r"\n#if defined\(STAGECUT_HEADER_ONLY\)\n(#include <stagecut/[\w/]+\.ipp>\n)+#endif\n\Z")
# What only headers of the room include stands in its folder `detail`, or that of a family; what other rooms include, too, and no
# user, in `parts`, or in the room engine. All else is public, and the umbrella has that of these rooms.
UMBRELLA_ROOMS = ("core", "profile", "cost", "sequence", "schedule", "orders", "makespan", "plan")

top = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
root = top / "include"
problems = []


def parts_of(name):
    """The room and the folder in it of `stagecut/ROOM/FOLDER/NAME`, None where there is none."""
    parts = name.split("/")
    return (parts[1] if len(parts) > 2 else None), "/".join(parts[2:-1]) or None


def is_private(folder):
    """Whether it is of one room alone."""
    return folder is not None and folder.split("/")[-1] == "detail"


def is_inner(name):
    """Whether a header is for headers of the library alone."""
    room, folder = parts_of(name)
    return is_private(folder) or folder == "parts" or room == "engine"


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if found:
            yield number, *found.groups()


def check_header(header):
    name = header.relative_to(root).as_posix()
    room, folder = parts_of(name)
    if not name.startswith("stagecut/"):
        return problems.append(f"{name}: not below stagecut/")
    if room == "source":
        return None  # tests/source_headers.py writes them
    if room is not None and room not in TABLE:
        return problems.append(f"{name}: no such room")
    bodies = header.suffix == ".ipp"
    families = TABLE[room][2] if room else ()
    if folder not in (None, "detail", "parts", *families, *(f"{family}/detail" for family in families)):
        problems.append(f"{name}: {room} has no folder {folder}")
    text = header.read_text()
    spaces = re.findall(r"^namespace (stagecut\b[\w: ]*?) \{", text, re.MULTILINE)
    public = [space for space in spaces if not space.endswith("::detail")]
    inner = is_private(folder) or folder == "parts"
    if bodies:
        check_bodies(header, name, room, folder)
    elif inner and public:
        problems.append(f"{name}: opens {public[0]}, and headers in {folder}/ define only details")
    if room is not None and not inner and spaces and not public:
        problems.append(f"{name}: defines only details, which stand in detail/")
    if "\n#pragma once\n" not in text:
        problems.append(f"{name}: has no #pragma once")
    # The second one refuses to be read without nvcc.
    if "__CUDACC__" in text and name not in ("stagecut/core/host_device.hpp", "stagecut/search/detail/system.hpp"):
        problems.append(f"{name}: __CUDACC__ outside core/host_device.hpp")
    for macro in re.findall(r"^\s*#\s*define\s+(\w+)", text, re.MULTILINE):
        of_form = name == CONFIG and macro in (
            "STAGECUT_DECL", "STAGECUT_INSTANCE_DECL", "STAGECUT_INSTANCE", "STAGECUT_ABI", "STAGECUT_ABI_TAG", "STAGECUT_HEADER_ONLY")
        of_version = name == "stagecut/version.hpp" and macro.startswith("STAGECUT_VERSION_")
        if macro not in ("STAGECUT_HOST_DEVICE", "STAGECUT_DEVICE", "STAGECUT_CALLS_ANY") and not of_form and not of_version:
            problems.append(f"{name}: defines the macro {macro}")
    if name != CONFIG and re.search("STAGECUT_(COMPILED|HEADER_ONLY)", AT_THE_END.sub("", text)):
        problems.append(f"{name}: asks for the form, and not to include its bodies at its end")
    may, third_party, _ = TABLE.get(room, ((), (), ()))
    for number, style, target in includes(header):
        place = f"{name}:{number}: includes {target}"
        if style == '"':
            problems.append(f"{place}, and not by its full path in <>")
        elif target.startswith("stagecut/"):
            check_inside(place, room, may, target)
        elif "/" in target or target.endswith(".h"):
            if room is None or not target.startswith(third_party or "\0"):
                problems.append(f"{place}: third-party headers of this room: {third_party}")
        elif target in FORBIDDEN and (room is None or room in FREE_ROOMS) and not (bodies and target in IN_BODIES):
            problems.append(f"{place}: not in the dependency-free rooms")


def check_bodies(header, name, room, folder):
    """It stands in detail/, and includes first the one header of its room that includes it at its end."""
    if not is_private(folder):
        problems.append(f"{name}: bodies stand in detail/")
    source = f"stagecut/source/{room}.hpp"
    who = includers.get(name, [])
    doors = [each for each in who if name in named_at_the_end((root / each).read_text())]
    others = [each for each in who if each not in (*doors, source)]
    if len(doors) != 1 or parts_of(doors[0])[0] != room:
        problems.append(f"{name}: one header of {room} has to include it at its end, not {doors}")
    if doors and next((target for _, _, target in includes(header)), None) != doors[0]:
        problems.append(f"{name}: does not include {doors[0]} first")
    if others:
        problems.append(f"{name}: is included by {others}")
    if source not in who:
        problems.append(f"{name}: {source} does not include it: tests/source_headers.py write")


def named_at_the_end(text):
    """The bodies that a door includes."""
    found = AT_THE_END.search(text)
    return re.findall(r"<(.*?)>", found[0]) if found else []


def check_inside(place, room, may, target):
    if not (root / target).exists():
        problems.append(f"{place}, which does not exist")
    target_room, target_folder = parts_of(target)
    if room is None:
        if is_inner(target):
            problems.append(f"{place}: an umbrella has no details")
    elif target_room is None:
        if target != "stagecut/version.hpp":
            problems.append(f"{place}: a room may not include an umbrella")
    elif target.endswith(".ipp"):
        pass  # `check_bodies` says who may
    elif target_room not in (room, *may):
        problems.append(f"{place}: {room} may not include {target_room}")
    elif is_private(target_folder) and target_room not in (room, "core"):
        problems.append(f"{place}, a private file of {target_room}: what others need stands in its parts/, or in engine")


headers = sorted(path for path in root.rglob("*") if path.is_file())
includers = {}  # of bodies
for header in headers:
    for _, _, target in includes(header):
        if target.endswith(".ipp"):
            includers.setdefault(target, []).append(header.relative_to(root).as_posix())
for header in headers:
    if header.suffix in (".hpp", ".cuh", ".ipp"):
        check_header(header)
    else:
        problems.append(f"{header.relative_to(root).as_posix()}: not a header")

# No header includes itself by way of others: behind `#pragma once` one of them would be read without what it needs. A door is read
# when it includes its bodies.
below = {header.relative_to(root).as_posix(): [target for _, _, target in includes(header) if not target.endswith(".ipp")]
         for header in headers}
done, open_now = set(), []


def follow(name):
    if name in open_now:
        return problems.append("a cycle of includes: " + " -> ".join((*open_now[open_now.index(name):], name)))
    if name in done or name not in below:
        return
    open_now.append(name)
    for target in below[name]:
        follow(target)
    done.add(open_now.pop())


for header in below:
    follow(header)

# What a header includes, and what that includes, is a chain that its reader may have to go down.
chains = {}


def chain_of(name):
    """The longest chain of includes that begins with a header."""
    if name not in chains:
        chains[name] = [name]  # where it includes itself, which is told above
        chains[name] = [name, *max((chain_of(target) for target in below[name] if target in below), key=len, default=[])]
    return chains[name]


for name in below:
    if len(chain_of(name)) > MOST_DEEP and parts_of(name)[0] not in (None, "source"):
        problems.append(f"{name}: a chain of more than {MOST_DEEP} headers: " + " > ".join(chains[name]))

# Bodies stand apart for those who include the door and do not want them. A header that no public one includes is read where it is
# compiled: it holds its bodies itself.
shown, ahead = set(), [name for name in below if parts_of(name)[0] and not is_inner(name)]
while ahead:
    name = ahead.pop()
    if name not in shown and name in below:
        shown.add(name)
        ahead += below[name]
for name in includers:
    doors = [each for each in includers[name] if name in named_at_the_end((root / each).read_text())]
    problems += [f"{name}: no public header includes {door}, which can hold its bodies" for door in doors if door not in shown]

# The top level of a room is what users include: the umbrella has all of it, and nobody outside includes a detail.
umbrella = root / "stagecut" / "stagecut.hpp"
public = {header.relative_to(root).as_posix() for room in UMBRELLA_ROOMS for header in (root / "stagecut" / room).glob("*.hpp")}
if umbrella.exists():
    named = {target for _, _, target in includes(umbrella)}
    problems += [f"stagecut/stagecut.hpp does not include {name}" for name in sorted(public - named)]
else:
    problems.append("no umbrella stagecut/stagecut.hpp")

# Whatever a program needs is public; it may have details of its own.
of_library = re.compile(r"\b(?:stagecut|io|testing|transformer)::(?:inline |\w+::)*(?:detail|engine)\b")
of_either = re.compile(r"(?<![\w:])detail::|\busing namespace detail\b")
pages = [*(path for folder in ("examples", "bench", "docs") for path in (top / folder).rglob("*")), top / "README.md"]
for path in sorted(pages):
    if path.suffix not in (".hpp", ".cpp", ".cu", ".md") or not path.exists():
        continue
    text = path.read_text()
    own = re.search(r"^namespace detail\b", text, re.MULTILINE)
    for number, _, target in includes(path):
        if target.startswith("stagecut/") and is_inner(target) and path.name != "architecture.md":  # of the inside
            problems.append(f"{path.relative_to(top).as_posix()}:{number}: includes {target}, a detail")
    for number, line in enumerate(text.splitlines(), 1):
        if of_library.search(line) or (not own and of_either.search(line)):
            problems.append(f"{path.relative_to(top).as_posix()}:{number}: names a detail of the library")


# A header that a page names exists, under the folder of a room.
for path in (*sorted((top / "docs").glob("*.md")), top / "README.md"):
    if path.name == "CHANGELOG.md" or not path.exists():
        continue
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for name in re.findall(r"`(?:stagecut/)?((?:%s)/[a-z0-9_/]+\.(?:hpp|ipp))`" % "|".join(TABLE), line):
            if not (root / "stagecut" / name).exists():
                problems.append(f"{path.relative_to(top).as_posix()}:{number}: there is no header {name}")


# The table has no cycle, so the rooms are layers.
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
