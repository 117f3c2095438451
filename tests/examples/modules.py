# SPDX-License-Identifier: BSL-1.0
"""Module trees, whose modules are dealt out to devices."""

import json
import pathlib
import sys
import tempfile

from program import check, fails, failures, run

tree = pathlib.Path(__file__).resolve().parents[1] / "io" / "seeds" / "json_profile" / "modules.json"
base = ("plan", tree, "--method", "modules")

# A table of the runs, one of the devices, and how far that is from the best cut.
done = run(*base, "--devices", 4)
check(done.returncode == 0 and done.stderr == "", done)
lines = [line.split() for line in done.stdout.splitlines()]
check([line[1] for line in lines[1:7]] == ["0", "2", "0", "1", "3", "0"], done.stdout)
check([line[-4:-2] for line in lines[8:12]] == [["44.56", "%"], ["15.96", "%"], ["23.51", "%"], ["15.96", "%"]], done.stdout)
check("heaviest device: 44.56 % of the model (0.8 memory, 0.2 time), feasible: none can be below 25.00 %\n" in done.stdout, done.stdout)
check("into 4 stages: 27.72 %, which the heaviest device is 60.76 % above\n" in done.stdout, done.stdout)
check("21.14 % above" in run(*base, "--devices", 2).stdout, "two devices")
check("8.51 % above" in run(*base, "--devices", 3).stdout, "three devices")
check("50.00 % above" in run(*base, "--devices", 4, "--time-weight", 0).stdout, "memory alone")
check("1 stage: 100.00 %, which is as much\n" in run(*base, "--devices", 1).stdout, "one device")

# The plan is one that other commands take.
done = run(*base, "--devices", 4, "--format", "json")
plan = json.loads(done.stdout)
check(plan["cuts"] == [0, 1, 5, 7, 9, 11, 12, 12, 12, 12, 12, 12, 12] and plan["stages_per_rank"] == 3, plan)
check([stage["device"] for stage in plan["stages"]] == [0, 2, 0, 1, 3, 0, 1, 1, 2, 2, 3, 3], plan["stages"])
check("makespan" not in plan and "schedule" not in plan, plan)
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "plan.json"
    path.write_text(done.stdout)
    for words in (("verify", tree, path), ("show", path)):
        done = run(*words)
        check(done.returncode == 0, words, done)
    done = run("show", path, "--format", "json")
    check(json.loads(done.stdout) == plan, done.stdout)

# Layers with nothing but shared parameters claim a device, too; devices may be left over, whose stages are empty.
word = [{"name": "word", "bytes": 4}]
tied = json.dumps({"schema": "stagecut-profile-2", "layers": [{"name": "model", "children": [1, 2, 3]}, {"name": "embedding", "tied": word},
                                                              {"name": "body", "parameters": 8}, {"name": "head", "tied": word}]})
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "tied.json").write_text(tied)
    for devices, stages in ((2, [1, 0, 1, 0]), (3, [1, 0, 1, 0, 2, 2])):
        made = run("plan", "-", "--method", "modules", "--devices", devices, "--format", "json", stdin=tied)
        (folder / "plan.json").write_text(made.stdout)
        check([stage["device"] for stage in json.loads(made.stdout)["stages"]] == stages, devices, made)
        for words in (("verify", folder / "tied.json", folder / "plan.json"), ("verify", folder / "plan.json"), ("show", folder / "plan.json")):
            done = run(*words)
            check(done.returncode == 0, words, done)

# What does not go with it is refused.
asked = (*base, "--devices", 4)
fails(2, "--microbatches: does not go with --method modules", *asked, "--microbatches", 8)
fails(2, "--memory: does not go with --method modules", *asked, "--memory", "80GiB")
fails(2, "--time-weight = 2, must be from 0 to 1", *asked, "--time-weight", 2)
fails(2, "--time-weight: goes with --method time or modules", "plan", tree, "--devices", 4, "--method", "layers", "--time-weight", 0.5)

# The old option is the weight of memory: the same plan, and a line about it.
old = run(*asked, "--memory-weight", 1)
check(old.returncode == 0 and old.stdout == run(*asked, "--time-weight", 0).stdout, old)
check(old.stderr == "stagecut: --memory-weight 1 is --time-weight 0 now, and version 0.3 will refuse it\n", old)
usual = run(*asked, "--memory-weight", 0.8, "--format", "json")
check(usual.stdout == run(*asked, "--format", "json").stdout and "--time-weight 0.2 now" in usual.stderr, usual)
fails(2, "--memory-weight: 2 must be from 0 to 1", *asked, "--memory-weight", 2)
fails(2, "--memory-weight: is the old name of 1 - W", *asked, "--memory-weight", 0.5, "--time-weight", 0.5)
fails(2, "--memory-weight: is --time-weight of --method modules", "plan", tree, "--devices", 4, "--memory-weight", 0.5)
fails(2, "text or json", *asked, "--format", "megatron")
fails(2, "--devices is required", *base)
fails(2, "no layer has children", "plan", "-", "--method", "modules", "--devices", 1, stdin='{"schema": "stagecut-profile-2", "layers": [{"forward": 1}]}')
fails(2, "has a fixed stage", "plan", "-", "--method", "modules", "--devices", 1, stdin=tree.read_text().replace('"name": "e0"', '"name": "e0", "stage": 0'))
fails(3, "13 stages need at least 13 layers, and there are 12", *base, "--devices", 13)

print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
