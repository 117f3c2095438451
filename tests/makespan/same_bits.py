# SPDX-License-Identifier: BSL-1.0
"""Compares what `same_bits` prints, built by several compilers with several flags: cuts, makespans, bounds and how much was
looked at.

Arguments: the folder of the headers, then compilers; empty ones are left out.
"""

import pathlib
import subprocess
import sys
import tempfile

include, *compilers = sys.argv[1:]
source = pathlib.Path(__file__).with_name("same_bits.cpp")
printed = {}
with tempfile.TemporaryDirectory() as folder:
    for compiler in filter(None, compilers):
        for level in ("-O0", "-O2"):
            program = pathlib.Path(folder, "program")
            subprocess.run([compiler, "-std=c++20", "-pthread", level, f"-I{include}", source, "-o", program], check=True)
            printed[f"{compiler} {level}"] = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout
first, *others = printed
different = [each for each in others if printed[each] != printed[first]]
for each in different:
    print(f"{each} prints\n{printed[each]}and {first}\n{printed[first]}")
print(f"{len(printed)} programs, {len(different)} differ")
sys.exit(1 if different or not printed[first] else 0)
