# SPDX-License-Identifier: BSL-1.0
"""The preprocessed size of each header without dependencies: at most 32,000 lines that are neither blank nor markers."""

import concurrent.futures
import pathlib
import subprocess
import sys

LIMIT = 32_000
ROOMS = ("", "core", "cost", "sequence", "schedule", "makespan", "testing")

compiler = sys.argv[1]
root = pathlib.Path(__file__).resolve().parent.parent / "include"
headers = [h for room in ROOMS for h in sorted((root / "stagecut" / room).glob("*.hpp"))]


def lines(header):
    source = f"#include <{header.relative_to(root).as_posix()}>\n"
    command = [compiler, "-std=c++20", "-I", str(root), "-E", "-x", "c++", "-"]
    output = subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
    return sum(1 for line in output.splitlines() if line.strip() and not line.startswith("#"))


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    sizes = dict(zip(headers, pool.map(lines, headers)))
for header, size in sorted(sizes.items(), key=lambda entry: -entry[1]):
    print(f"{size:6} {header.relative_to(root).as_posix()}{'  <-- above ' + str(LIMIT) if size > LIMIT else ''}")
sys.exit(1 if not sizes or max(sizes.values()) > LIMIT else 0)
