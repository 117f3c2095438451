# SPDX-License-Identifier: BSL-1.0
"""`verify` as a user meets it."""

import json
import pathlib
import sys
import tempfile

from program import check, failures, fails, run

NAMES = ["profile", "assignment", "acyclic", "groups", "tied", "fixed", "devices", "loads", "memory", "messages", "schedule",
         "makespan", "objective", "bound"]


def verified(profile, plan):
    """The status, and the checks that do not hold and those that were not made, by name."""
    done = run("verify", profile, plan, "--format", "json")
    told = json.loads(done.stdout)
    names = [each["check"] for each in told["checks"]]
    check(names in (NAMES, [*NAMES, "predicted"]), done.stdout)
    results = {each["check"]: each for each in told["checks"]}
    broken = [name for name in NAMES if results[name]["result"] == "does not hold"]
    check(told["holds"] == (not broken) and done.returncode == (1 if broken else 0), done)
    return broken, results


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    profile, plan, other = folder / "profile.json", folder / "plan.json", folder / "other.json"
    profile.write_text(run("profile", "transformer", "--preset", "gpt2-xl").stdout)
    ways = [(), ("--microbatches", 8), ("--microbatches", 8, "--schedule", "zbv"), ("--microbatches", 8, "--stages-per-rank", 2),
            ("--microbatches", 8, "--memory", "40GiB", "--optimizer", "sgd"), ("--method", "uniform"), ("--method", "parameters"),
            ("--microbatches", 8, "--bandwidth", "10GB", "--latency", "1e-5", "--transfers", "blocking"),
            ("--microbatches", 8, "--schedule", "gpipe", "--checkpoint", "except_last"), ("--device-speeds", "1,0.5,1,1"),
            ("--microbatches", 8, "--checkpoint", "always", "--in-flight", "4,3,2,2"), ("--time-weight", 0.3)]
    made = json.loads(run("plan", profile, "--devices", 4, "--microbatches", 8, "--format", "json").stdout)
    made["predicted"]["mfu"] = 0.9
    plan.write_text(json.dumps(made))
    done = run("verify", profile, plan)
    check(done.returncode == 1 and "predicted" in done.stdout and "  mfu" in done.stdout, done)
    for words in ways:
        made = run("plan", profile, "--devices", 4, *words, "--format", "json")
        check(made.returncode == 0, words, made.stderr)
        plan.write_text(made.stdout)
        broken, results = verified(profile, plan)
        check(broken == [], words, broken, [results[name] for name in broken])
        check("--microbatches" not in words or results["makespan"]["result"] == "holds", words, results["makespan"])

    # A plan alone: it holds its profile.
    made = run("verify", plan)
    check(made.returncode == 0 and "0 do not" in made.stdout, made)
    check(run("verify", "-", stdin=plan.read_text()).stdout == made.stdout == run("verify", profile, plan).stdout, made.stdout)
    fails(2, "is a profile, and a plan is wanted", "verify", profile)

    # Edited by hand.
    plan.write_text(run("plan", profile, "--devices", 4, "--microbatches", 8, "--format", "json").stdout)
    for name, edit in {
        "loads": lambda it: it["stages"][1].update(forward=it["stages"][1]["forward"] * 1.01),
        "memory": lambda it: it["stages"][2]["memory"].update(workspace=it["stages"][2]["memory"]["workspace"] + 1),
        "makespan": lambda it: it.update(makespan=it["makespan"] * 0.999),
        "objective": lambda it: it["objective"].update(value=it["objective"]["value"] * 1.1),
    }.items():
        it = json.loads(plan.read_text())
        edit(it)
        other.write_text(json.dumps(it))
        check(name in verified(profile, other)[0], name, run("verify", profile, other).stdout)

    done = run("verify", profile, other)
    check(done.returncode == 1 and done.stderr == "", done)
    line = next(line for line in done.stdout.splitlines() if line.startswith("objective"))
    check("does not hold" in line and line.endswith("it is not the makespan"), line)
    check(max(map(len, done.stdout.splitlines())) <= 120, done.stdout)

    # Of an older profile, and of another one.
    it = json.loads(profile.read_text())
    it["layers"][3]["forward"] *= 2
    other.write_text(json.dumps(it))
    broken, results = verified(other, plan)
    check("profile" in broken and "loads" in broken, broken)
    check(results["profile"]["place"].startswith("layer 3 "), results["profile"])
    other.write_text(run("profile", "transformer", "--preset", "llama-2-7b").stdout)
    broken, results = verified(other, plan)
    check(broken == ["profile"] and results["loads"]["why"] == "it is of another profile", results)

    check(run("verify", "-", plan, stdin=profile.read_text()).returncode == 0)
    check(run("verify", profile, "-", stdin=plan.read_text()).returncode == 0)
    fails(2, "is a profile, and a plan is wanted", "verify", profile, profile)
    fails(2, "PLAN: - is standard input, which can be read only once", "verify", "-", "-")
    fails(2, "cannot be opened", "verify", profile, folder / "none")
    fails(2, "PROFILE is required", "verify")

sys.exit(1 if failures else 0)
