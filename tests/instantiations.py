# SPDX-License-Identifier: BSL-1.0
"""What it takes to compile the programs that users write first: lines after preprocessing, neither blank nor markers, and
functions in the object file at -O0, which are those that templates were instantiated for and all that they call.

`instantiations.py COMPILER [--root ROOT] [--program NAME] [INCLUDE...]`: of another tree, of one of the programs alone. The
limits are those of g++ 12, what was reached and 3 % more."""

import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

tests = pathlib.Path(__file__).resolve().parent
LIMITS = {  # program: (lines, functions); "separate": as one of the files that have no long bodies
    "first": (54_000, 650),
    "own_makespan": (38_700, 8_300),
    "profile_to_launch": (128_500, 21_900),
    "own_makespan separate": (29_700, 1_590),
    "profile_to_launch separate": (77_300, 940),
}
parser = argparse.ArgumentParser()
parser.add_argument("compiler")
parser.add_argument("--root", type=pathlib.Path, default=tests.parent)
parser.add_argument("--program", choices=LIMITS)
parser.add_argument("includes", nargs="*")
asked = parser.parse_args()
root = asked.root
compiler = [asked.compiler, "-std=c++20", f"-I{root / 'include'}", *(f"-I{folder}" for folder in asked.includes if folder)]


def source(name):
    if name != "first":
        return (tests / "instantiations" / f"{name.split()[0]}.cpp").read_text()
    found = re.search(r"```cpp\n(#include.*?)```", (root / "README.md").read_text(), re.DOTALL)
    if not found:
        sys.exit("README.md: no program that includes anything")
    return found[1]


def run(command, text):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def measured(name):
    text = source(name)
    flags = [*compiler, "-DSTAGECUT_SEPARATE"] if name.endswith("separate") else compiler
    lines = run([*flags, "-E", "-x", "c++", "-"], text).splitlines()
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / "made.o"
        run([*flags, "-O0", "-c", "-x", "c++", "-", "-o", str(made)], text)
        symbols = run(["nm", "--defined-only", str(made)], "").splitlines()
    functions = sum(1 for line in symbols if line.split()[-2] in ("T", "t", "W", "w"))
    return sum(1 for line in lines if line.strip() and not line.startswith("#")), functions


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    names = [asked.program] if asked.program else list(LIMITS)
    reached = dict(zip(names, pool.map(measured, names)))
wrong = False
for name, counts in reached.items():
    for count, limit, what in zip(counts, LIMITS[name], ("lines", "functions")):
        # Far below, a limit limits nothing any more.
        off = "above" if count > limit else "far below" if count < 0.8 * limit else ""
        wrong = wrong or bool(off)
        print(f"{count:6} {what:9} of {name}{f'  <-- {off} {limit}' if off else ''}")
sys.exit(1 if wrong else 0)
