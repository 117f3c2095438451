# SPDX-License-Identifier: BSL-1.0
"""Headers compile in whatever order they are included: include_order.py COMPILER [FLAG...] compiles a file with all of them from
the last to the first, and one with the rooms from the top down. A function of one room must not change what another calls. Those
of searches are among them if a flag says Thrust's device system."""

import pathlib
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent / "include"
with_thrust = any("THRUST_DEVICE_SYSTEM" in flag for flag in sys.argv)
headers = sorted(path.relative_to(root).as_posix() for path in root.rglob("*.hpp"))
headers = [each for each in headers if with_thrust or not each.startswith("stagecut/search/")]
rooms = ("joint", "search", "graph", "fit", "io", "plan", "makespan", "schedule", "sequence", "profile", "cost", "core")
top_down = [each for room in rooms for each in headers if each.startswith(f"stagecut/{room}/")]
failed = 0
with tempfile.TemporaryDirectory() as folder:
    for name, order in (("backwards", headers[::-1]), ("top_down", top_down)):
        source = pathlib.Path(folder) / f"{name}.cpp"
        source.write_text("".join(f"#include <{each}>\n" for each in order))
        command = [sys.argv[1], "-std=c++20", "-fsyntax-only", f"-I{root}", *sys.argv[2:], str(source)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            failed += 1
            print(f"FAILED: {name}\n{done.stderr[:3000]}")
print(f"{len(headers)} headers, {failed} orders failed")
sys.exit(failed != 0)
