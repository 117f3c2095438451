# SPDX-License-Identifier: BSL-1.0
"""The planner: the module `stagecut`, whose errors are refusals here."""

import contextlib
import pathlib

from plan_file import Refused

try:
    import stagecut
except ImportError:
    raise SystemExit(f"there is no module stagecut: pip install {pathlib.Path(__file__).resolve().parents[2]}") from None

__all__ = ["refusals", "stagecut"]


@contextlib.contextmanager
def refusals():
    """What stagecut raises inside is what the user can put right."""
    try:
        yield
    except (stagecut.NoAnswer, ValueError) as problem:
        raise Refused(str(problem)) from None
