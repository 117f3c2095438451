# SPDX-License-Identifier: BSL-1.0
"""nvcc refuses costs, constraints and spaces that are not marked for devices, each of them: else their calls would be left out of
kernels in silence. `unmarked.py NVCC INCLUDE FILE.cu`; marked, the same file compiles."""

import os
import re
import subprocess
import sys
import tempfile

nvcc, include, file = sys.argv[1:]
names = re.findall(r"^struct (\w+) {", open(file).read(), re.MULTILINE)


def compiled(*options):
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([nvcc, "-std=c++20", "-arch=sm_75", f"-I{include}", *options, "-c", "-o", os.path.join(folder, "o"), file],
                              capture_output=True, text=True)


unmarked, marked = compiled(), compiled("-DMARK=STAGECUT_HOST_DEVICE")
wrong = [f"{name}: not refused" for name in names
         if not re.search(rf'error: calling a __host__ function\("{name}::', unmarked.stdout + unmarked.stderr)]
if unmarked.returncode == 0:
    wrong.append("compiles without marks")
if marked.returncode != 0 or "warning" in marked.stderr:
    wrong.append(f"marked:\n{marked.stdout}{marked.stderr}")
print("\n".join(wrong) or f"{len(names)} types are refused without marks, and compile with them")
sys.exit(bool(wrong or len(names) < 7))
