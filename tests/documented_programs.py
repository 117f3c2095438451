# SPDX-License-Identifier: BSL-1.0
"""The program in a page: `program PAGE FILE` writes it to a file, `output PAGE BINARY` compares what it prints with what the
page says it prints."""

import pathlib
import re
import subprocess
import sys

page = sys.argv[2]
text = (pathlib.Path(__file__).resolve().parent.parent / page).read_text()
found = re.search(r"```cpp\n(#include.*?)```\n.*?```text\n(.*?)```", text, re.DOTALL)
if not found:
    sys.exit(f"{page}: no ```cpp program followed by its ```text output")
program, expected = found.groups()

if sys.argv[1] == "program":
    target = pathlib.Path(sys.argv[3])
    if not target.exists() or target.read_text() != program:
        target.write_text(program)
else:
    printed = subprocess.run([sys.argv[3]], capture_output=True, text=True, check=True).stdout
    if printed != expected:
        sys.exit(f"{page} says\n{expected}\nand its program prints\n{printed}")
    print(printed, end="")
