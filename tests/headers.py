# SPDX-License-Identifier: BSL-1.0
"""The headers that checks compile."""

import re

FREE_ROOMS = ("core", "profile", "cost", "sequence", "schedule", "engine", "orders", "makespan", "plan", "testing")  # they need a compiler alone


def listed(include, room="", private=True, flags=None):
    """Names of the headers in the folder `include`, or of one room; without those of searches where no flag says Thrust's device
    system, and without what has the bodies of the compiled form, which only that can read."""
    names = sorted(path.relative_to(include).as_posix() for path in (include / "stagecut" / room).rglob("*.hpp"))
    with_thrust = flags is None or any("THRUST_DEVICE_SYSTEM" in flag for flag in flags)
    return [name for name in names if not name.startswith("stagecut/source/") and (private or not re.search("/(detail|parts|engine)/", name)) and
            (with_thrust or not name.startswith("stagecut/search/"))]


def is_free(name):
    return name.count("/") == 1 or name.split("/")[1] in FREE_ROOMS
