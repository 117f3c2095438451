# SPDX-License-Identifier: BSL-1.0
"""Compares what `same_bits` prints, built by several compilers with several flags: cuts, makespans, bounds and how much was
looked at.

`same_bits.py [--all] INCLUDE COMPILER...`; empty compilers are left out. The first one optimises and the last one does not, with
--all each does both.
"""

import pathlib
import subprocess
import sys
import tempfile

include, *compilers = [word for word in sys.argv[1:] if word and word != "--all"]
ways = [(compiler, level) for compiler in compilers for level in ("-O0", "-O2")]
if "--all" not in sys.argv:
    ways = [(compilers[0], "-O2"), (compilers[-1], "-O0")]
source = pathlib.Path(__file__).with_name("same_bits.cpp")
printed = {}
with tempfile.TemporaryDirectory() as folder:
    for compiler, level in ways:
        program = pathlib.Path(folder, "program")
        subprocess.run([compiler, "-std=c++20", "-pthread", level, f"-I{include}", source, "-o", program], check=True)
        printed[f"{compiler} {level}"] = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout
first, *others = printed
different = [each for each in others if printed[each] != printed[first]]
for each in different:
    print(f"{each} prints\n{printed[each]}and {first}\n{printed[first]}")
print(f"{len(printed)} programs, {len(different)} differ")
sys.exit(1 if different or not printed[first] else 0)
