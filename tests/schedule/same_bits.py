# SPDX-License-Identifier: BSL-1.0
"""Compares what `same_bits` prints, built with several flags, with what g++ and clang printed before: a hash, for every
schedule, of the bits of all times of 300 simulations. Of schedules that are newer than that, all must print the same."""

import pathlib
import subprocess
import sys

expected = pathlib.Path(__file__).with_name("same_bits.txt").read_text()
failures = 0
first = None
for program in sys.argv[1:]:
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    first = first or printed
    if printed != first or not printed.startswith(expected):
        failures += 1
        print(f"{program} prints\n{printed}and not\n{expected}or\n{first}")
print(f"{len(sys.argv) - 1} programs, {failures} failures")
sys.exit(1 if failures or len(sys.argv) < 4 else 0)
