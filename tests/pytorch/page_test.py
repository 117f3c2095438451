# SPDX-License-Identifier: BSL-1.0
"""The commands that docs/pytorch.md begins with, one after the other: page_test.py, with the module stagecut and its program."""

import json
import pathlib
import shlex
import subprocess
import sys
import tempfile
import unittest

from installed import PROGRAM

root = pathlib.Path(__file__).resolve().parents[2]


class Page(unittest.TestCase):
    def test_commands(self):
        page = (root / "docs" / "pytorch.md").read_text(encoding="utf-8").split("## Your module")[0]
        commands = [shlex.split(line) for line in page.splitlines() if line.startswith("    ")]
        self.assertEqual([words[1].rpartition("/")[2] for words in commands], ["profile.py", "plan", "split.py", "run.py", "tune.py"])
        with tempfile.TemporaryDirectory() as where:
            (pathlib.Path(where) / "examples").symlink_to(root / "examples")
            for words in commands:
                words = [PROGRAM, *words[1:]] if words[0] == "stagecut" else [sys.executable, *words[1:]]
                done = subprocess.run(words, cwd=where, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, f"{words}\n{done.stderr}")
            events = json.loads((pathlib.Path(where) / "trace.json").read_text())["traceEvents"]
            self.assertGreater(len(events), 2 * 2 * 2 * 8)
            self.assertIn("<svg", (pathlib.Path(where) / "run.svg").read_text())


if __name__ == "__main__":
    unittest.main()
