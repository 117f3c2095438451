# SPDX-License-Identifier: BSL-1.0
"""Graphs, by the methods that are no search for the least load alone."""

import json
import pathlib
import sys
import tempfile

from program import check, fails, failures, run

towers = pathlib.Path(__file__).resolve().parents[2] / "examples" / "models" / "towers.dot"
base = ("plan", towers, "--format", "json")


def planned(*words):
    done = run(*base, *words)
    check(done.returncode == 0, words, done)
    return json.loads(done.stdout) if done.returncode == 0 else {}


def verified(plan, *what):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "plan.json"
        path.write_text(json.dumps(plan))
        done = run("verify", towers, path)
        check(done.returncode == 0 and " 0 do not" in done.stdout, what, done)


least = planned("--devices", 3)["objective"]["value"]
for method in ("multilevel", "merge"):
    plan = planned("--devices", 3, "--method", method)
    check(plan["objective"]["value"] >= least >= plan["objective"]["bound"], method, plan["objective"])
    check(plan == planned("--devices", 3, "--method", method), method, "differs from call to call")
    verified(plan, method)

# The least communication: of bytes without a link, of seconds with one; and placed anywhere, which is no plan.
plan = planned("--devices", 3, "--method", "communication", "--imbalance", 0.5)
check(plan["objective"]["name"] == "communication" and plan["objective"]["state"] == "optimal", plan["objective"])
verified(plan, "communication")
wide = planned("--devices", 3, "--method", "communication", "--imbalance", "200%", "--at-most")
check(wide["objective"]["value"] <= plan["objective"]["value"], wide["objective"])
done = run("plan", towers, "--devices", 3, "--method", "communication", "--imbalance", "50%", "--not-contiguous")
check(done.returncode == 0 and "words" in done.stdout, done)
fails(2, "--imbalance: goes with --method communication", "plan", towers, "--devices", 3, "--imbalance", 0.5)
for said, why in (("1.3", "1.3 is no factor but an excess: 0.3 is 30 %, write 0.3 in place of 1.3, or 130%"), ("1", "write 0 in place of 1, or 100%"),
                  ("-0.1", "is no excess"), ("-10%", "is no excess"), ("%", "is no excess"), ("1e400%", "is no excess")):
    fails(2, why, "plan", towers, "--devices", 3, "--method", "communication", "--imbalance=" + said)
fails(2, "--not-contiguous", "plan", towers, "--devices", 3, "--not-contiguous")

# Two chunks on each device are no worse than one.
plan = planned("--devices", 3, "--stages-per-rank", 2)
check(max(stage["time"] for stage in plan["stages"]) <= least * (1 + 1e-9), plan["stages"])
check(max(stage["device"] for stage in plan["stages"]) <= 2, plan["stages"])
verified(plan, "chunks")

print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
