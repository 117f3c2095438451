# SPDX-License-Identifier: BSL-1.0
"""`explain` as a user meets it."""

import json
import pathlib
import sys
import tempfile

from program import check, failures, fails, run

SECTIONS = ["Where the time goes", "Critical path", "One per cent less of", "What would help"]


def near(a, b, whole):
    return abs(a - b) <= 1e-9 * whole


def per_cent_less(made, i):
    """The makespan of a plan, of which the passes of layer i take one per cent less: by `simulate`."""
    it = json.loads(json.dumps(made))
    stage = next(s for s in range(len(it["stages"])) if i < it["cuts"][s + 1])
    layer, figures = it["profile"]["layers"][i], it["stages"][stage]
    for name in ("forward", "backward", "backward_input", "backward_weight"):
        if name in figures and name in layer:
            figures[name] -= 0.01 * layer[name]
    done = run("simulate", "-", "--format", "json", stdin=json.dumps(it))
    check(done.returncode == 0, done.stderr)
    return json.loads(done.stdout)["makespan"]


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    profile, plan, other = folder / "profile.json", folder / "plan.json", folder / "other.json"
    profile.write_text(run("profile", "transformer", "--preset", "gpt2-xl").stdout)
    ways = [("--microbatches", 8), ("--microbatches", 8, "--memory", "none"), ("--microbatches", 8, "--schedule", "zbv"), ("--microbatches", 8, "--stages-per-rank", 2),
            ("--microbatches", 8, "--memory", "14GiB"), ("--microbatches", 8, "--objective", "bottleneck"),
            ("--microbatches", 8, "--bandwidth", "10GB", "--latency", "1e-5", "--transfers", "stream"),
            ("--microbatches", 8, "--bandwidth", "10GB", "--schedule", "zb-h1"),
            ("--microbatches", 8, "--memory", "16GiB,20GiB,20GiB,20GiB", "--device-speeds", "1,0.5,1,1")]
    for words in ways:
        made = run("plan", profile, "--devices", 4, *words, "--format", "json")
        check(made.returncode == 0, words, made.stderr)
        plan.write_text(made.stdout)
        made = json.loads(made.stdout)
        done = run("explain", plan)
        check(done.returncode == 0 and done.stderr == "", words, done)
        heads = [line for line in done.stdout.splitlines() if line.startswith(tuple(SECTIONS))]
        check([each.split(":")[0] for each in heads] == SECTIONS, words, heads)
        check(max(map(len, done.stdout.splitlines())) <= 80, words, done.stdout)
        check(("memory, 1 % more" in done.stdout) == ("none" not in words and "bottleneck" not in words), words, done.stdout)
        check(done.stdout == run("explain", plan).stdout, words, "is not the same again")

        told = json.loads(run("explain", plan, "--format", "json").stdout)
        all_of = told["makespan"]
        check(near(all_of, made["makespan"], all_of), words, all_of, made["makespan"])
        path = told["critical_path"]
        check(near(sum(sum(each.values()) for each in path["stages"]) + sum(path["messages"]), all_of, all_of), words, path)
        for each in told["devices"]:
            check(near(each["work"] + sum(each["idle"].values()), all_of, all_of), words, each)
        less = told["one_per_cent_less"]
        check([each["name"] for each in less["layers"]] == [each["name"] for each in made["profile"]["layers"]], words, less)
        for i in (0, 7, 25, len(less["layers"]) - 1):
            check(near(less["layers"][i]["saves"], all_of - per_cent_less(made, i), all_of), words, i, less["layers"][i])
        check(len(less["links"]) == (len(made["stages"]) - 1 if "--bandwidth" in words else 0), words, less["links"])
        saved = [each["saved"] for each in told["changes"]]
        check(len(saved) <= 3 and saved == sorted(saved, reverse=True) and min(saved, default=1) > 0, words, told["changes"])
        for each in told["changes"]:
            if each["change"] == "schedule":
                run_by = run("simulate", plan, "--schedule", each["schedule"], "--format", "json")
                check(near(json.loads(run_by.stdout)["makespan"], each["makespan"], all_of), words, each)
            if each["change"] == "microbatches":
                run_by = run("simulate", plan, "--microbatches", each["microbatches"], "--format", "json")
                check(near(json.loads(run_by.stdout)["makespan"], each["makespan"], all_of), words, each)
        check(told["cut_proved"] == (made["objective"]["name"] == "makespan" and made["objective"]["state"] == "optimal"), words)

    # Under a limit of time, into a file, from standard input.
    check(run("explain", plan, "--time-limit", 0.5, "--output", other).stdout == "")
    check(other.read_text().startswith("Where the time goes: 1f1b of 8 microbatches"), other.read_text())
    check(run("explain", "-", stdin=plan.read_text()).stdout == run("explain", plan).stdout)

    # Weights without a unit, long names, a stage that keeps to rules of which the plan does not tell.
    names = [f"{'encoder.' * 9}layers.{i}" for i in range(12)]
    layers = [{"name": name, "forward": 1000.5 + i % 5, "backward": 2000.25, "output": 7, "parameters": 5} for i, name in enumerate(names)]
    other.write_text(json.dumps({"schema": "stagecut-profile-2", "layers": layers}))
    words = ("plan", other, "--devices", 4, "--microbatches", 6, "--bandwidth", "1kB", "--memory", "1GiB", "--keep-together", "0..5")
    done = run("explain", "-", stdin=run(*words, "--format", "json").stdout)
    check(done.returncode == 0 and max(map(len, done.stdout.splitlines())) <= 80, done)
    check("keeps to rules that it does not list" in done.stdout, done.stdout)
    done = run("explain", "-", stdin=run("plan", "-", "--devices", 2, "--microbatches", 4, "--format", "json", stdin="time\n3\n1\n4\n1\n5\n").stdout)
    check("makespan 38" in done.stdout.splitlines()[0] and " s" not in done.stdout.splitlines()[1], done)

    # For a framework: changes that it can run.
    words = ("plan", profile, "--devices", 4, "--microbatches", 8, "--objective", "bottleneck")
    made = run(*words, "--for", "megatron", "--format", "json").stdout
    told = run("explain", "-", "--format", "json", stdin=made).stdout
    check("zb-h2" in [each["schedule"] for each in json.loads(told)["changes"]], told)
    done = run("explain", "-", "--for", "megatron", stdin=made)
    check(done.returncode == 0 and "zb-" not in done.stdout, done)
    told = json.loads(run("explain", "-", "--for", "megatron", "--format", "json", stdin=made).stdout)
    check(told["changes"] and all(each["schedule"] == "1f1b" for each in told["changes"]), told["changes"])
    without_kinds = run("plan", "-", "--devices", 2, "--microbatches", 4, "--format", "json", stdin="time\n3\n1\n4\n1\n5\n").stdout
    fails(2, "kinds known to it are", "explain", "-", "--for", "megatron", stdin=without_kinds)
    fails(2, "--for", "explain", plan, "--for", "nobody")

    # What cannot be explained.
    fails(2, "is a profile, and a plan is wanted", "explain", profile)
    fails(2, "cannot be opened", "explain", folder / "none")
    fails(2, "PLAN is required", "explain")
    fails(2, "--time-limit", "explain", plan, "--time-limit", "soon")
    without = run("plan", profile, "--devices", 4, "--format", "json").stdout
    fails(2, "standard input: it cannot be explained: the number of its microbatches is not known", "explain", "-", stdin=without)
    served = run("plan", profile, "--devices", 4, "--inference", "--format", "json").stdout
    fails(2, "it is of inference, which has no iteration", "explain", "-", stdin=served)
    graph = pathlib.Path(__file__).parents[2] / "examples" / "models" / "towers.dot"
    made = run("plan", graph, "--devices", 2, "--microbatches", 4, "--format", "json")
    fails(2, "it is of a graph, and only chains of layers are explained", "explain", "-", stdin=made.stdout)
    it = json.loads(plan.read_text())
    it["stages"][1]["forward"] *= 1.01
    fails(2, "stage 1: its times are not the sums over its layers", "explain", "-", stdin=json.dumps(it))

sys.exit(1 if failures else 0)
