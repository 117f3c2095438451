# SPDX-License-Identifier: BSL-1.0
"""All headers compile in whatever order they are included, as C++20 and C++23, without run-time types, and what needs nothing but
a compiler without exceptions: `standards.py [--all] COMPILER... -- FLAG...`. A compiler that is not there is left out, and named.

Each compiler reads all headers once, as C++23: what `tests/run` builds it reads as C++20. The first one reads them from the last to
the first, the last one the rooms from the top down: a function of one room must not change what another calls. With --all each
reads them in every way."""

import concurrent.futures
import pathlib
import shutil
import subprocess
import sys
import tempfile

import headers

tests = pathlib.Path(__file__).resolve().parent
include = tests.parent / "include"
split = sys.argv.index("--")
every_way = "--all" in sys.argv[:split]
asked, flags = [word for word in sys.argv[1:split] if word and word != "--all"], sys.argv[split + 1:]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
ROOMS = ("joint", "search", "graph", "fit", "io", "plan", "makespan", "orders", "engine", "schedule", "sequence", "profile", "cost", "core")
NO_TYPES, NOTHING = ("-fno-rtti",), ("-fno-rtti", "-fno-exceptions")
forwards = headers.listed(include, flags=flags)
ORDERS = {
    "forwards": forwards,
    "backwards": forwards[::-1],
    "top_down": sorted(forwards, key=lambda name: ROOMS.index(name.split("/")[1]) if name.split("/")[1] in ROOMS else len(ROOMS)),
    "free": [name for name in forwards if headers.is_free(name)],  # of all that is no compiler's
}


def ways(compilers):
    """(compiler, standard, flags, order)"""
    if every_way:
        return [(compiler, standard, *way) for compiler in compilers for standard in ("c++20", "c++2b")
                for way in ((NO_TYPES, "forwards"), (NO_TYPES, "backwards"), (NO_TYPES, "top_down"), (NOTHING, "free"))]
    return [(compilers[0], "c++2b", NO_TYPES, "backwards"), (compilers[-1], "c++2b", NO_TYPES, "top_down"),
            (compilers[0], "c++20", NOTHING, "free")]


def command(compiler, standard, options, *words):
    return [str(word) for word in (compiler, f"-std={standard}", *options, *WARNINGS, f"-I{include}", *flags, *words)]


def read(way):
    """What is wrong with the headers in that order."""
    compiler, standard, options, order = way
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / f"{order}.cpp"
        source.write_text("".join(f"#include <{each}>\n" for each in ORDERS[order]))
        ended = subprocess.run(command(compiler, standard, options, "-fsyntax-only", source), capture_output=True, text=True)
    name = f"{compiler} -std={standard} {' '.join(options)}, headers {order}"
    return name, ended.returncode and f"FAILED: {name}\n{ended.stderr[:3000]}"


def run_program(compiler, standard):
    """A program without exceptions ends with the text of an error, in an orderly way."""
    name = f"{compiler} -std={standard}, a program without exceptions"
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program"
        built = subprocess.run(command(compiler, standard, NOTHING, "-O0", tests / "no_exceptions.cpp", "-o", program), capture_output=True,
                               text=True)
        if built.returncode != 0:
            return name, f"FAILED: {name}\n{built.stderr[:3000]}"
        ended = subprocess.run([program], capture_output=True, text=True)
    right = ended.returncode == 3 and ended.stderr.startswith("cut at 3 5\nstagecut::minimize_bottleneck: stages = 0")
    return name, not right and f"FAILED: {name}: it printed {ended.stderr!r} and ended with {ended.returncode}"


compilers = [each for each in asked if shutil.which(each)]
for each in set(asked) - set(compilers):
    print(f"left out: there is no {each}")
if not compilers:
    sys.exit("no compiler")
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    done = list(pool.map(read, ways(compilers)))
if every_way:
    done += [run_program(compiler, standard) for compiler in compilers for standard in ("c++20", "c++2b")]
failed = [wrong for _, wrong in done if wrong]
print("\n".join(failed or [f"{len(forwards)} headers", *(name for name, _ in done)]))
sys.exit(bool(failed))
