# SPDX-License-Identifier: BSL-1.0
"""Each rule of rooms.py, of preprocessed_size.py and of the components of CMake, broken on purpose in a copy: it must be found, and named.

`planted_violations.py COMPILER`"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
top = here.parent
HEADER = "// SPDX-License-Identifier: BSL-1.0\n#pragma once\n"
PLANTED = [  # (file, text, what is said); a text that begins with + is added to the file
    ("include/stagecut/makespan/bounds/deep.hpp", HEADER, "makespan has no folder bounds"),
    ("include/stagecut/makespan/detail/deep.hpp", HEADER + "#include <stagecut/io/read_profile.hpp>\n", "makespan may not include io"),
    ("include/stagecut/makespan/detail/model.hpp", HEADER + "#include <stagecut/profile/profile.hpp>\n", "makespan may not include profile"),
    ("include/stagecut/schedule/generators/deep.hpp", HEADER + "#include <stagecut/sequence/uniform_cuts.hpp>\n", "schedule may not include sequence"),
    ("include/stagecut/io/json/inner/deep.hpp", HEADER, "io has no folder json/inner"),
    ("include/stagecut/attic/old.hpp", HEADER, "no such room"),
    ("include/other/old.hpp", HEADER, "not below stagecut/"),
    ("include/stagecut/core/notes.txt", "to do\n", "not a header"),
    ("include/stagecut/cost/unlisted.hpp", HEADER, "stagecut.hpp does not include stagecut/cost/unlisted.hpp"),
    ("include/stagecut/stagecut.hpp", "+#include <stagecut/core/detail/gallop.hpp>\n", "an umbrella has no details"),
    ("include/stagecut/core/detail/gallop.hpp", "+#include <stagecut/stagecut.hpp>\n", "a room may not include an umbrella"),
    ("include/stagecut/core/detail/gallop.hpp", "+#include <stagecut/core/gone.hpp>\n", "which does not exist"),
    ("include/stagecut/core/detail/gallop.hpp", "+#include \"seconds_now.hpp\"\n", "not by its full path"),
    ("include/stagecut/core/detail/gallop.hpp", "+#include <ranges>\n", "not in the dependency-free rooms"),
    ("include/stagecut/core/detail/gallop.hpp", "+#include <boost/config.hpp>\n", "third-party headers of this room"),
    ("include/stagecut/core/detail/gallop.hpp", "+#define TWICE(x) (2 * (x))\n", "defines the macro TWICE"),
    ("include/stagecut/core/detail/gallop.hpp", "+#ifdef __CUDACC__\n#endif\n", "__CUDACC__ outside"),
    ("examples/cli/stagecut.cpp", "+#include <stagecut/core/detail/gallop.hpp>\n", "a detail"),
]


def rooms(root):
    ended = subprocess.run([sys.executable, here / "rooms.py", root], capture_output=True, text=True)
    return ended.returncode, ended.stdout


def components(root):
    """Configures the library alone."""
    options = [f"-DSTAGECUT_BUILD_{part}=OFF" for part in ("TESTS", "EXAMPLES", "BENCH")]
    ended = subprocess.run(["cmake", "--fresh", "-S", root, "-B", root / "build", f"-DCMAKE_CXX_COMPILER={sys.argv[1]}", *options],
                           capture_output=True, text=True)
    return ended.returncode, ended.stdout + ended.stderr


wrong = []
with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    for name in ("include", "examples", "bench", "docs"):
        shutil.copytree(top / name, root / name)
    shutil.copytree(top / "cmake", root / "cmake")
    shutil.copy(top / "CMakeLists.txt", root)
    shutil.copy(top / "LICENSE", root)
    if rooms(root)[0] != 0:
        wrong.append("the copy itself is refused:\n" + rooms(root)[1])
    for name, text, said in PLANTED:
        path = root / name
        before = path.read_text() if path.exists() else None
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((before or "") + text[1:] if text.startswith("+") else text)
        status, output = rooms(root)
        lines = [line for line in output.splitlines() if said in line]
        if status == 0 or not lines:
            wrong.append(f"{name}: not found: {said}; rooms.py ended with {status}: {output}")
        if before is None:
            path.unlink()
            while path.parent not in (root / "include", root / "examples") and not any(path.parent.iterdir()):
                path = path.parent
                path.rmdir()
        else:
            path.write_text(before)
    if components(root)[0] != 0:
        wrong.append("the copy itself is not configured:\n" + components(root)[1])
    (root / "include" / "stagecut" / "attic").mkdir()
    status, output = components(root)
    if status == 0 or "no component has attic" not in output:
        wrong.append(f"CMake takes a folder of headers that no component has: {output}")
    (root / "include" / "stagecut" / "attic").rmdir()
    heavy = root / "include" / "stagecut" / "core" / "detail" / "heavy.hpp"
    heavy.write_text(HEADER + "#include <algorithm>\n#include <functional>\n#include <map>\n")
    ended = subprocess.run([sys.executable, here / "preprocessed_size.py", sys.argv[1], root, "core"], capture_output=True, text=True)
    if ended.returncode == 0 or "detail/heavy.hpp  <-- above" not in ended.stdout:
        wrong.append(f"a heavy header in detail/ is not found: {ended.stdout}{ended.stderr}")
print("\n".join(wrong) or f"{len(PLANTED) + 2} planted violations are found")
sys.exit(bool(wrong))
