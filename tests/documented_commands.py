# SPDX-License-Identifier: BSL-1.0
"""The commands that a page shows print what it says: documented_commands.py BINARY PAGE.

A command stands in a block marked `console`, after `$ examples/run`; it may end in `> FILE`. A file that stands in docs
already must be the same. Commands find `examples/models` and `examples/dry_runs`. With STAGECUT_SANITIZED=1 a search that did not end within the
seconds that `plan` has by itself is given more.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

binary = pathlib.Path(sys.argv[1]).resolve()
root = pathlib.Path(__file__).resolve().parents[1]
page = root / sys.argv[2]
blocks = re.findall(r"^```console\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
limits = ((), ("--time-limit", "600")) if os.environ.get("STAGECUT_SANITIZED") == "1" else ((),)
failures = commands = 0
with tempfile.TemporaryDirectory() as folder:
    (pathlib.Path(folder) / "examples").mkdir()
    for inputs in ("models", "dry_runs"):
        (pathlib.Path(folder) / "examples" / inputs).symlink_to(root / "examples" / inputs)
    for block in blocks:
        for command in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, expected = command.partition("\n")
            words = shlex.split(line)
            assert words[0] == "examples/run", line
            target = words[-1] if len(words) > 2 and words[-2] == ">" else None
            words = words[1 : -2 if target else None]
            for more in limits:
                done = subprocess.run([binary, *words, *more], cwd=folder, capture_output=True, text=True)
                if words[0] != "plan" or "--time-limit" in words or done.stdout == expected or ", feasible: no " not in done.stdout:
                    break
            if target:
                (pathlib.Path(folder) / target).write_text(done.stdout)
                shown = root / "docs" / target
                if shown.exists() and shown.read_text() != done.stdout:
                    failures += 1
                    print(f"FAILED: docs/{target} is not what {line} writes")
                done.stdout = ""
            commands += 1
            if done.stdout + done.stderr != expected:
                failures += 1
                print(f"FAILED: {line}\nprinted\n{done.stdout + done.stderr}\nthe page says\n{expected}")
print(f"{commands} commands, {failures} failures")
sys.exit(1 if failures or not commands else 0)
