# SPDX-License-Identifier: BSL-1.0
"""An example prints what stands in its first comment, behind a line that begins with "prints": programs.py SOURCE BINARY [WORD...]."""

import pathlib
import re
import subprocess
import sys

source, *command = sys.argv[1:]
found = re.search(r"^// prints[^\n]*\n((?://   [^\n]*\n)+)", pathlib.Path(source).read_text(), re.MULTILINE)
if not found:
    sys.exit(f"{source} does not say what it prints")
expected = re.sub(r"^//   ", "", found.group(1), flags=re.MULTILINE)
done = subprocess.run(command, capture_output=True, text=True)
if done.returncode != 0 or done.stdout + done.stderr != expected:
    sys.exit(f"{source} says\n{expected}\nand the program, with status {done.returncode}, prints\n{done.stdout}{done.stderr}")
print(expected, end="")
