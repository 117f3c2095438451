# SPDX-License-Identifier: BSL-1.0
"""Profiles as the cost model computed them until stagecut 0.2, before it counted mixtures of experts, 8 and 4 bits anew.

  unpack.py FILE                prints a line for each profile: its number, its case, the command that computed it
  unpack.py FILE NUMBER [OUT]   writes that profile, as the planner reads it

Planners of whole configurations and of serving are compared with figures that hold for these times. Layers that differ in their name
alone are stored once, with `repeat`.
"""

import json
import pathlib
import sys


def profiles(file):
    """The stored profiles of a file."""
    return json.loads(pathlib.Path(file).read_text())


def unpacked(stored):
    """A stored profile with all of its layers."""
    layers = []
    for layer in stored["layers"]:
        stem = layer["name"].rstrip("0123456789")
        first = layer["name"][len(stem):]
        figures = {key: value for key, value in layer.items() if key != "repeat"}
        for i in range(layer.get("repeat", 1)):
            layers.append({**figures, "name": f"{stem}{int(first) + i}" if first else stem})
    made = {"schema": "stagecut-profile-2", "name": stored["case"], "layers": layers}
    return {**made, "inference": True} if "phase" in stored else made


def main(file, number=None, out=None):
    """See above."""
    every = profiles(file)
    if number is None:
        for i, stored in enumerate(every):
            print(f"{i}  {stored['case']}  {stored['command']}")
        return
    text = json.dumps(unpacked(every[int(number)]), indent=1) + "\n"
    if out:
        pathlib.Path(out).write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main(*sys.argv[1:])
