# SPDX-License-Identifier: BSL-1.0
"""One translation unit of several tests, which share headers and what is instantiated of them: `together.py OUT TEST...` writes it.

What the tests include is included first, so that each can stand in a namespace of its own. Of fuzzers, NAME_fuzz.cpp, each is a
function of its name, and fuzz_choice.hpp calls one of them."""

import os
import pathlib
import re
import sys

out, *tests = map(pathlib.Path, sys.argv[1:])
includes, bodies, fuzzers = {}, [], []  # a dictionary keeps the order
for test in tests:
    for included in re.findall(r"^#include (\S+)", test.read_text(), re.MULTILINE):
        beside = os.path.normpath(test.parent / included[1:-1])
        if included.startswith('"') and os.path.exists(beside):
            included = f'"{beside}"'
        includes[f"#include {included}\n"] = None
    body = f'#include "{test}"\n'
    if test.stem.endswith("_fuzz"):
        fuzzers.append(test.stem)
        bodies.append(f"#define LLVMFuzzerTestOneInput {test.stem}\n{body}#undef LLVMFuzzerTestOneInput\n")
    else:
        bodies.append(f"namespace {test.stem} {{\n{body}}}\n")
if fuzzers:
    listed = ", ".join(f'{{"{name}", {name}}}' for name in fuzzers)
    bodies.append(f'#define FUZZERS {listed}\n#include "{pathlib.Path(__file__).with_name("fuzz_choice.hpp")}"\n')
out.parent.mkdir(parents=True, exist_ok=True)
out.write_text("".join(includes) + "".join(bodies))
