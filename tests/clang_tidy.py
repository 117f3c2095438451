# SPDX-License-Identifier: BSL-1.0
"""clang-tidy finds nothing of what .clang-tidy names, in all headers, all bodies and the command-line program: `clang_tidy.py TIDY BUILD
FLAG...`; or with --programs, in the other programs of examples. All is read in the compiled form: headers together, bodies by rooms, and
programs as BUILD/compile_commands.json says. First it has to find a bug that was planted."""

import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

import headers

root = pathlib.Path(__file__).resolve().parent.parent
others = "--programs" in sys.argv
tidy, build, *flags = [word for word in sys.argv[1:] if word != "--programs"]
if tidy.endswith("NOTFOUND"):
    print("skipped: there is no clang-tidy-16")
    sys.exit(77)
names = headers.listed(root / "include", flags=flags)
# clang has no OpenMP without packages of its own; what of a program is only compiled with it is not looked at.
OTHERWISE = [f"--extra-arg={flag}" for flag in ("-DSTAGECUT_COMPILED", "-fno-openmp", "-UCLI_WITH_OPENMP", "-UTHRUST_DEVICE_SYSTEM",
                                                "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP")]
PLANTED = "#include <string>\n#include <utility>\nauto f(std::string s) { const auto t = std::move(s); return s + t; }\n"
compiled = {entry["file"] for entry in json.loads((pathlib.Path(build) / "compile_commands.json").read_text())}
PLANNER = str(root / "examples/cli/")
programs = sorted(file for file in compiled if file.startswith(str(root / "examples/")) and file.endswith(".cpp") and
                  file.startswith(PLANNER) != others)


def complaints(*words):
    ended = subprocess.run([tidy, f"--config-file={root / '.clang-tidy'}", "--quiet", *map(str, words)], capture_output=True, text=True)
    return ended.stdout + ended.stderr[-2000:] + f"\nclang-tidy ended with {ended.returncode}" if ended.returncode != 0 else ""


with tempfile.TemporaryDirectory() as folder:
    planted, everything = pathlib.Path(folder) / "planted.cpp", pathlib.Path(folder) / "everything.cpp"
    planted.write_text(PLANTED)
    everything.write_text("".join(f"#include <{each}>\n" for each in names))
    assert "bugprone-use-after-move" in complaints(planted, "--", "-std=c++20"), "the planted bug was not found"
    files = [] if others else [everything]
    for room in sorted((root / "include/stagecut/source").glob("*.hpp")):
        if room.stem != "all" and not others:
            files.append(pathlib.Path(folder) / f"{room.stem}.cpp")
            files[-1].write_text(f"#include <stagecut/source/{room.name}>\n")
    read = [(file, "--", "-std=c++20", "-DSTAGECUT_COMPILED", f"-I{root}/include", *flags) for file in files]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda words: complaints(*words), [*read, *((file, "-p", build, *OTHERWISE) for file in programs)]))
print("\n".join(filter(None, found)) or f"{0 if others else len(names)} headers, {len(programs)} programs: nothing found")
sys.exit(any(found) or not programs)
