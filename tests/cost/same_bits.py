# SPDX-License-Identifier: BSL-1.0
"""Compares what `same_bits` prints, built with several flags, with the same figures computed here from the documented order of
summation, one rounded addition at a time; and proves each cost optimal by a greedy probe at the number just below it."""

import math
import struct
import subprocess
import sys

MASK = (1 << 64) - 1


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


state, items = 1, []
for _ in range(4999):
    state = (state * 6364136223846793005 + 1442695040888963407) & MASK
    items.append(float(state >> 11) * (2.0**-30 if state % 5 == 0 else 2.0**-53))

prefix = [0.0]
for first in range(0, len(items), 8):
    x = (items[first:first + 8] + [0.0] * 8)[:8]
    s1, s3 = x[0] + x[1], (x[0] + x[1]) + (x[2] + x[3])
    t5 = x[4] + x[5]
    sums = [x[0], s1, s1 + x[2], s3, s3 + x[4], s3 + t5, s3 + (t5 + x[6]), s3 + (t5 + (x[6] + x[7]))]
    before = prefix[-1]
    prefix += [before + s for s in sums]
prefix = prefix[:len(items) + 1]
digest = 0
for p in prefix:
    digest = ((digest * 1099511628211) & MASK) ^ bits(p)
expected = f"{digest:016x} {digest:016x}"


def fits(stages, bound):
    """Whether at most so many stages within the bound suffice, each as long as it can be."""
    first, last = 0, 0
    for _ in range(stages):
        while last < len(items) and prefix[last + 1] - prefix[first] <= bound:
            last += 1
        if last == len(items):
            return True
        first = last
    return False


failures = 0
outputs = [subprocess.run([binary], capture_output=True, text=True, check=True).stdout for binary in sys.argv[1:]]
for binary, output in zip(sys.argv[1:], outputs):
    if output.splitlines()[0] != expected:
        failures += 1
        print(f"{binary}: prefixes {output.splitlines()[0]}, expected {expected}")
    if output != outputs[0]:
        failures += 1
        print(f"{binary}: not what {sys.argv[1]} prints")
for line in outputs[0].splitlines()[1:]:
    cost, same, *cuts = line.split()
    cost, cuts = struct.unpack("<d", struct.pack("<Q", int(cost, 16)))[0], list(map(int, cuts))
    worst = max(prefix[b] - prefix[a] for a, b in zip(cuts, cuts[1:]))
    if same != "1" or worst != cost or fits(len(cuts) - 1, math.nextafter(cost, 0)) or not fits(len(cuts) - 1, cost):
        failures += 1
        print(f"{len(cuts) - 1} stages: cost {cost} is not the optimum, or not that of the cuts, {worst}")
print(f"{len(outputs)} programs, {failures} failures")
sys.exit(1 if failures or not outputs else 0)
