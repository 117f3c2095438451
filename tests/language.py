# SPDX-License-Identifier: BSL-1.0
"""A compiler that cannot read the headers says so in one line before it fails at anything else, whichever header comes first.

Clang parses the standard headers before, which takes long: there the preprocessor alone is asked.

`language.py [--all] COMPILER [ROOT ROOM]`: every header that users include alone as C++17, and one of each room by a compiler that
says it is older than it is, as one header has both messages; with --all every header that there is, in both ways. Of another tree,
of one room alone."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

import headers

words = [word for word in sys.argv[1:] if word != "--all"]
compiler = words[0]
root = pathlib.Path(words[1] if len(words) > 1 else pathlib.Path(__file__).parent.parent).resolve() / "include"
room = words[2] if len(words) > 2 else ""
NO_CODE = "stagecut/version.hpp"  # macros that CMake reads, too
is_clang = "clang" in subprocess.run([compiler, "--version"], text=True, capture_output=True).stdout
older = ("-U__clang_major__", "-D__clang_major__=15") if is_clang else ("-U__GNUC__", "-D__GNUC__=11")
NEEDS = {
    ("-std=c++17",): "stagecut needs C++20: compile with -std=c++20, by g++ 12, clang 16 or newer",
    ("-std=c++20", *older): "stagecut needs g++ 12, clang 16 or newer: this",
}


def first_error(header, flags):
    run = subprocess.run([compiler, "-E" if is_clang else "-fsyntax-only", "-w", "-Wfatal-errors", *flags, f"-I{root}", "-x", "c++", "-"], text=True,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, input=f"#include <{header}>\n", env=dict(os.environ, LC_ALL="C"))
    return next((line for line in run.stderr.splitlines() if "error:" in line), f"no error, status {run.returncode}")


names = [name for name in headers.listed(root, room, private="--all" in sys.argv) if name != NO_CODE]
one_of_each = {name.rpartition("/")[0]: name for name in names}.values()
cases = [(header, flags, needs) for flags, needs in NEEDS.items()
         for header in (names if "--all" in sys.argv or len(flags) == 1 else one_of_each)]
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    lines = list(pool.map(lambda case: first_error(*case[:2]), cases))
problems = [f"{header} {flags[0]}: {line}" for (header, flags, needs), line in zip(cases, lines) if needs not in line]
print("\n".join(problems) or f"{len(names)} headers say what they need")
sys.exit(1 if problems or not names else 0)
