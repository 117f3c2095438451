# SPDX-License-Identifier: BSL-1.0
"""All headers compile as C++20 and C++23, without run-time types, and what needs nothing but a compiler runs without exceptions:
`standards.py COMPILER... -- FLAG...`. A compiler that is not there is left out, and named."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

tests = pathlib.Path(__file__).resolve().parent
include = tests.parent / "include"
split = sys.argv.index("--")
compilers, flags = sys.argv[1:split], sys.argv[split + 1 :]
with_thrust = any("THRUST_DEVICE_SYSTEM" in flag for flag in flags)
headers = sorted(path.relative_to(include).as_posix() for path in include.rglob("*.hpp"))
headers = [each for each in headers if with_thrust or not each.startswith("stagecut/search/")]
warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
failed, done = [], []


def run(name, *command):
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    done.append(name)
    if ended.returncode != 0:
        failed.append(f"FAILED: {name}\n{ended.stderr[:3000]}")
    return ended


with tempfile.TemporaryDirectory() as folder:
    everything = pathlib.Path(folder) / "everything.cpp"
    everything.write_text("".join(f"#include <{each}>\n" for each in headers) + "int main() {}\n")
    # The rooms that need nothing but a compiler.
    free = pathlib.Path(folder) / "free.cpp"
    rooms = ("core", "profile", "cost", "sequence", "schedule", "makespan", "plan", "testing")
    free.write_text("".join(f"#include <{each}>\n" for each in headers if each.count("/") == 1 or each.split("/")[1] in rooms))
    program = pathlib.Path(folder) / "program"
    for compiler in compilers:
        if not shutil.which(compiler):
            print(f"left out: there is no {compiler}")
            continue
        for standard in ("c++20", "c++2b"):
            name = f"{compiler} -std={standard}"
            run(f"{name} -fno-rtti, all headers", compiler, f"-std={standard}", "-fno-rtti", "-fsyntax-only", *warnings,
                f"-I{include}", *flags, everything)
            run(f"{name} -fno-rtti -fno-exceptions, headers without dependencies", compiler, f"-std={standard}", "-fno-rtti",
                "-fno-exceptions", "-fsyntax-only", *warnings, f"-I{include}", free)
            run(f"{name} -fno-rtti -fno-exceptions, a program", compiler, f"-std={standard}", "-fno-rtti", "-fno-exceptions", "-O0",
                *warnings, f"-I{include}", tests / "no_exceptions.cpp", "-o", program)
            # It ends with the text of an error, in an orderly way.
            printed = subprocess.run([program], capture_output=True, text=True)
            if printed.returncode != 3 or not printed.stderr.startswith("cut at 3 5\nstagecut::minimize_bottleneck: stages = 0"):
                failed.append(f"FAILED: {name}: the program printed {printed.stderr!r} and ended with {printed.returncode}")
print("\n".join(failed) or "\n".join(done))
sys.exit(bool(failed) or not done)
