# SPDX-License-Identifier: BSL-1.0
"""Runs the command-line planner: planner("simulate", "plan.json", "--format", "trace") returns what it prints.

It is $STAGECUT, else `stagecut` beside this file or on PATH, else examples/run, which builds it.
"""

import os
import pathlib
import shutil
import subprocess

from plan_file import Refused


class PlannerError(Refused):
    """What the planner says it cannot do, in one line."""


def find():
    """The words that start the planner."""
    folder = pathlib.Path(__file__).resolve().parent
    given = os.environ.get("STAGECUT")
    if given:
        found = shutil.which(given)
        if not found:
            raise PlannerError(f"STAGECUT={given} is no program")
        return [found]
    for found in (shutil.which("stagecut", path=str(folder)), shutil.which("stagecut")):
        if found:
            return [found]
    build = folder.parent / "run"
    if build.exists():
        return [str(build)]
    raise PlannerError("the planner `stagecut` is neither beside planner.py nor on PATH: put it there, or set STAGECUT to it")


def planner(*words, stdin=None):
    """What the planner prints to standard output; a PlannerError with its message if it fails."""
    command = find() + [str(word) for word in words]
    try:
        done = subprocess.run(command, input=stdin, stdin=None if stdin is not None else subprocess.DEVNULL,
                              capture_output=True, text=True)
    except OSError as error:
        raise PlannerError(f"{command[0]}: {error.strerror}") from None
    if done.returncode != 0:
        raise PlannerError(done.stderr.strip() or f"the planner, {command[0]}, ended with status {done.returncode}: see STAGECUT")
    return done.stdout
