# SPDX-License-Identifier: BSL-1.0
"""The preprocessed size of each header without dependencies that users include, in the compiled form, in lines that are neither
blank nor markers: declarations include little.

`preprocessed_size.py COMPILER [ROOT ROOM]`: of another tree, of one room alone."""

import concurrent.futures
import pathlib
import subprocess
import sys

import headers

# What was reached, and 3 % more. <algorithm> alone is 9,000 lines.
LIMITS = {"": 47_300, "core": 24_500, "profile": 27_700, "cost": 27_400, "sequence": 30_000, "schedule": 28_500, "orders": 28_500,
          "makespan": 40_300, "plan": 28_900, "testing": 26_000}

compiler = sys.argv[1]
root = (pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parent.parent) / "include"
room = sys.argv[3] if len(sys.argv) > 3 else ""
names = [name for name in headers.listed(root, room, private=False) if headers.is_free(name)]


def lines(name):
    command = [compiler, "-std=c++20", "-DSTAGECUT_COMPILED", "-I", str(root), "-E", "-x", "c++", "-"]
    output = subprocess.run(command, input=f"#include <{name}>\n", capture_output=True, text=True, check=True).stdout
    return sum(1 for line in output.splitlines() if line.strip() and not line.startswith("#"))


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    sizes = dict(zip(names, pool.map(lines, names)))
wrong = not sizes
for name, size in sorted(sizes.items(), key=lambda entry: -entry[1]):
    limit = LIMITS[name.split("/")[1] if name.count("/") > 1 else ""]
    wrong = wrong or size > limit
    print(f"{size:6} {name}{f'  <-- above {limit}' if size > limit else ''}")
sys.exit(1 if wrong else 0)
