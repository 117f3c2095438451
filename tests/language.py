# SPDX-License-Identifier: BSL-1.0
"""A compiler that cannot read the headers says so in one line before it fails at anything else, whichever header comes first.

Clang parses the standard headers before, which takes long: there the preprocessor alone is asked.

`language.py COMPILER [ROOT ROOM]`: every header alone as C++17, and as of a compiler that says it is older than it is; of
another tree, of one room alone."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

compiler = sys.argv[1]
root = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).parent.parent).resolve() / "include"
room = sys.argv[3] if len(sys.argv) > 3 else ""
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


headers = sorted(path.relative_to(root).as_posix() for path in (root / "stagecut" / room).rglob("*.hpp"))
cases = [(header, flags, needs) for flags, needs in NEEDS.items() for header in headers if header != NO_CODE]
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    lines = list(pool.map(lambda case: first_error(*case[:2]), cases))
problems = [f"{header} {flags[0]}: {line}" for (header, flags, needs), line in zip(cases, lines) if needs not in line]
print("\n".join(problems) or f"{len(headers)} headers say what they need")
sys.exit(1 if problems or not headers else 0)
