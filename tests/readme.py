# SPDX-License-Identifier: BSL-1.0
"""The program in the README: `program FILE` writes it to a file, `output BINARY` compares what it prints with the README."""

import pathlib
import re
import subprocess
import sys

readme = (pathlib.Path(__file__).resolve().parent.parent / "README.md").read_text()
found = re.search(r"```cpp\n(#include.*?)```\n.*?```text\n(.*?)```", readme, re.DOTALL)
if not found:
    sys.exit("README.md: no ```cpp program followed by its ```text output")
program, expected = found.groups()

if sys.argv[1] == "program":
    target = pathlib.Path(sys.argv[2])
    if not target.exists() or target.read_text() != program:
        target.write_text(program)
else:
    printed = subprocess.run([sys.argv[2]], capture_output=True, text=True, check=True).stdout
    if printed != expected:
        sys.exit(f"README.md says\n{expected}\nand its program prints\n{printed}")
    print(printed, end="")
