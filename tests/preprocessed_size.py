# SPDX-License-Identifier: BSL-1.0
"""The preprocessed size of each header without dependencies, at any depth, in lines that are neither blank nor markers.

`preprocessed_size.py COMPILER [ROOT ROOM]`: of another tree, of one room alone."""

import concurrent.futures
import pathlib
import subprocess
import sys

# What was reached, and 3 % more. <algorithm> alone would be 9,000 lines: core/detail/sort.hpp sorts.
LIMITS = {"": 54_000, "core": 24_500, "profile": 27_900, "cost": 27_500, "sequence": 29_900, "schedule": 31_000,
          "makespan": 41_500, "plan": 47_500, "testing": 26_000}

compiler = sys.argv[1]
root = (pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parent.parent) / "include"
rooms = sys.argv[3:] or LIMITS
headers = [h for room in rooms for h in sorted((root / "stagecut" / room).glob("**/*.hpp" if room else "*.hpp"))]


def lines(header):
    source = f"#include <{header.relative_to(root).as_posix()}>\n"
    command = [compiler, "-std=c++20", "-I", str(root), "-E", "-x", "c++", "-"]
    output = subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
    return sum(1 for line in output.splitlines() if line.strip() and not line.startswith("#"))


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    sizes = dict(zip(headers, pool.map(lines, headers)))
wrong = not sizes
for header, size in sorted(sizes.items(), key=lambda entry: -entry[1]):
    name = header.relative_to(root).as_posix()
    limit = LIMITS[name.split("/")[1] if name.count("/") > 1 else ""]
    wrong = wrong or size > limit
    print(f"{size:6} {name}{f'  <-- above {limit}' if size > limit else ''}")
sys.exit(1 if wrong else 0)
