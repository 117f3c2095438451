# SPDX-License-Identifier: BSL-1.0
"""Runs the program that was installed with the module: planner("plan", "plan.json") returns what it prints."""

import pathlib
import subprocess
import sys

PROGRAM = pathlib.Path(sys.executable).parent / "stagecut"


def planner(*words, stdin=None):
    return subprocess.run([PROGRAM, *map(str, words)], input=stdin, capture_output=True, text=True, check=True).stdout
