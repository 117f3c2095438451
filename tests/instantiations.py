# SPDX-License-Identifier: BSL-1.0
"""What it takes to compile the programs that users write first: lines after preprocessing, neither blank nor markers, and
functions in the object file at -O0, which are those that templates were instantiated for and all that they call.

`instantiations.py COMPILER [--root ROOT] [--program NAME] [--all] [--write] [INCLUDE...]`: of another tree, of one of the programs
alone, of those that take long, too. The limits are those of g++ 12, what was reached and 3 % more; --write prints them anew."""

import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

tests = pathlib.Path(__file__).resolve().parent
LIMITS = {  # program, header-only or compiled: (lines, functions)
    "first": (29_500, 650),
    "umbrella": (71_000, 1),
    "own_makespan": (48_600, 8_490),
    "profile_to_launch": (135_300, 22_860),
    "own_load": (165_900, 9_580),
    "plan_graph": (158_400, 15_390),
    "plan_hybrid": (77_200, 10_390),
    "first compiled": (29_100, 540),
    "umbrella compiled": (47_400, 1),
    "own_makespan compiled": (28_900, 920),
    "profile_to_launch compiled": (54_600, 440),
    "own_load compiled": (125_600, 1_240),
    "plan_graph compiled": (28_900, 430),
    "plan_hybrid compiled": (29_400, 320),
}
# Header-only these take seconds each.
LONG = ("own_makespan", "profile_to_launch", "own_load", "plan_graph", "plan_hybrid")
parser = argparse.ArgumentParser()
parser.add_argument("compiler")
parser.add_argument("--root", type=pathlib.Path, default=tests.parent)
parser.add_argument("--program", choices=LIMITS)
parser.add_argument("--all", action="store_true")
parser.add_argument("--write", action="store_true")
parser.add_argument("includes", nargs="*")
asked = parser.parse_args()
root = asked.root
compiler = [asked.compiler, "-std=c++20", f"-I{root / 'include'}", *(f"-I{folder}" for folder in asked.includes if folder)]


def source(name):
    if not name.startswith("first"):
        return (tests / "instantiations" / f"{name.split()[0]}.cpp").read_text()
    found = re.search(r"```cpp\n(#include.*?)```", (root / "README.md").read_text(), re.DOTALL)
    if not found:
        sys.exit("README.md: no program that includes anything")
    return found[1]


def run(command, text):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def measured(name):
    text = source(name)
    flags = [*compiler, "-DSTAGECUT_COMPILED"] if name.endswith(" compiled") else compiler
    lines = run([*flags, "-E", "-x", "c++", "-"], text).splitlines()
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / "made.o"
        run([*flags, "-O0", "-c", "-x", "c++", "-", "-o", str(made)], text)
        symbols = run(["nm", "--defined-only", str(made)], "").splitlines()
    functions = sum(1 for line in symbols if line.split()[-2] in ("T", "t", "W", "w"))
    return sum(1 for line in lines if line.strip() and not line.startswith("#")), functions


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    names = [asked.program] if asked.program else [name for name in LIMITS if asked.all or name not in LONG]
    reached = dict(zip(names, pool.map(measured, names)))
if asked.write:
    print("\n".join(f'    "{name}": ({round(1.03 * lines, -2):_.0f}, {round(1.03 * functions, -1):_.0f}),' for name, (lines, functions) in reached.items()))
    sys.exit()
wrong = False
for name, counts in reached.items():
    for count, limit, what in zip(counts, LIMITS[name], ("lines", "functions")):
        # Far below, a limit limits nothing any more.
        off = "above" if count > limit else "far below" if count < 0.8 * limit else ""
        wrong = wrong or bool(off)
        print(f"{count:6} {what:9} of {name}{f'  <-- {off} {limit}' if off else ''}")
sys.exit(1 if wrong else 0)
