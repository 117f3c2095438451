# SPDX-License-Identifier: BSL-1.0
"""Files that were compiled for different device systems of Thrust do not link into one program, and the linker says why.

`two_systems.py COMPILER INCLUDE THRUST`: two files for one system link and run; with one of them for another system they do not."""

import pathlib
import subprocess
import sys
import tempfile

compiler, include, thrust = sys.argv[1:]
PROGRAM = """
#include <stagecut/search/best.hpp>
#include <stagecut/search/product.hpp>
#include <thrust/execution_policy.h>
struct cost { STAGECUT_HOST_DEVICE int operator()(stagecut::search::candidate points) const { return -static_cast<int>(points[0]); } };
int NAME() { return static_cast<int>(stagecut::search::best(thrust::seq, stagecut::search::configurations({9}), cost{})->score.index); }
"""
MAIN = "int one(); int other(); int main() { return one() == 8 && other() == 8 ? 0 : 1; }"

with tempfile.TemporaryDirectory() as folder:
    top = pathlib.Path(folder)

    def compiled(name, text, system="CPP"):
        source = top / f"{name}.cpp"
        source.write_text(text)
        result = top / f"{name}_{system}.o"
        subprocess.run([compiler, "-std=c++20", "-O0", f"-I{include}", "-isystem", thrust, "-c", source, "-o", result, "-fopenmp",
                        f"-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_{system}"], check=True)
        return result

    def linked(*objects):
        return subprocess.run([compiler, *objects, "-fopenmp", "-o", top / "program"], capture_output=True, text=True)

    one, other = PROGRAM.replace("NAME", "one"), PROGRAM.replace("NAME", "other")
    main = compiled("main", MAIN)
    same = linked(main, compiled("one", one), compiled("other", other))
    if same.returncode != 0 or subprocess.run([top / "program"]).returncode != 0:
        sys.exit(f"two files for one system do not make a program\n{same.stderr}")
    different = linked(main, compiled("one", one), compiled("other", other, "OMP"))
    if different.returncode == 0 or "stagecut_search_has_one_thrust_device_system" not in different.stderr:
        sys.exit(f"two files for different systems make a program, or nobody knows why not\n{different.stderr}")
print("one device system a program")
