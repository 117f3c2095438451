# SPDX-License-Identifier: BSL-1.0
"""Stored profiles of the cost model of stagecut 0.2: the program reads each, and their figures are those that later planners are compared
with."""

import json
import pathlib
import sys
import tempfile

from program import check, failures, run

stored = pathlib.Path(__file__).resolve().parent.parent / "stored_profiles"
sys.path.insert(0, str(stored))
import unpack  # noqa: E402

every = {name: unpack.profiles(stored / f"{name}.json") for name in ("training", "serving")}
check(len(every["training"]) == 34 and len(every["serving"]) == 36, {name: len(rows) for name, rows in every.items()})

with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "profile.json"

    def written(row):
        """The profile of a row, in `file`."""
        made = unpack.unpacked(row)
        names = [layer["name"] for layer in made["layers"]]
        check(len(set(names)) == len(names), row["command"])
        file.write_text(json.dumps(made))
        return made

    for rows in every.values():
        for row in rows:
            written(row)
            done = run("show", file)
            check(done.returncode == 0 and done.stderr == "", row["command"])

    # A token of the 70B model on cards of 48 GB takes 58.67 ms at tensor parallelism 4.
    row = next(r for r in every["serving"] if "--tensor-parallel 4" in r["command"] and r["phase"] == "decode")
    check(round(1000 * sum(layer["forward"] for layer in written(row)["layers"]), 2) == 58.67, row["command"])

    # Llama 3.1 8B on 8 A100: two stages a pipeline of six chunks each; 34.964 s was what the planner found with these times.
    row = every["training"][0]
    written(row)
    made = json.loads(run("plan", file, "--devices", "2", "--stages-per-rank", "6", "--schedule", "interleaved", "--microbatches", "32",
                          "--time-limit", "2", "--format", "json").stdout)
    check(34 < made["makespan"] < 35, made["makespan"])

print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
