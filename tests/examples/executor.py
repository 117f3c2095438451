# SPDX-License-Identifier: BSL-1.0
"""The executor from outside: executor.py EXECUTOR PLANNER. What it computes and in which order is checked, never how long it took."""

import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

executor, planner = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
folder = tempfile.TemporaryDirectory()
here = pathlib.Path(folder.name)
MODEL = {"tokens": 16, "width": 16, "words": 64, "hidden": [16, 64, 16, 32], "microbatches": 4, "seed": 7}
(here / "model.json").write_text(json.dumps(MODEL))
failures = 0


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print(f"FAILED: {what}")


def run(*words, status=0, program=executor):
    done = subprocess.run([program, *words], cwd=here, capture_output=True, text=True, timeout=300)
    check(done.returncode == status, f"{' '.join(words)}: status {done.returncode}\n{done.stderr}")
    return done


def plans_of(done):
    return json.loads(done.stdout)["plans"]


def all_four_steps():
    for transport in ("queues", "sockets"):
        done = run("--model", "model.json", "--ranks", "2", "--iterations", "2", "--transport", transport, "--format", "json",
                   "--schedule", "1f1b", "--schedule", "zbv", "--picture", "drawn")
        plans = plans_of(done)
        check([(each["plan"], each["schedule"]) for each in plans]
              == [(plan, schedule) for schedule in ("1f1b", "zbv") for plan in ("uniform", "bottleneck", "makespan")], "plans")
        for each in plans:
            check(each["difference"] == 0, f"{transport}: the numbers of {each['plan']}, {each['schedule']}")
            check(each["measured_activations"] == each["predicted_activations"], "activations are those predicted")
            check(each["measured"] > 0 and each["fastest"] <= each["measured"] <= each["slowest"], "times")
            parts = sum(part["measured"] for part in each["parts"].values())
            check(abs(parts - each["measured"]) < 1e-9, "the parts of what was measured add up to it")
        check("measured" in (here / "drawn.svg").read_text(), "a picture of both")
        check(len(json.loads((here / "drawn.json").read_text())["traceEvents"]) > 100, "a trace of both")


    unchecked = run("--model", "model.json", "--ranks", "2", "--iterations", "1", "--schedule", "1f1b", "--format", "json", "--no-check")
    check(all("difference" not in each for each in plans_of(unchecked)), "--no-check compares nothing")
    check("one processor of the host" not in unchecked.stderr, "--no-check computes nothing twice")
    done = subprocess.run(["sh", "-c", 'exec "$0" "$@" 2>&-', executor, "--model", "model.json", "--ranks", "2", "--iterations", "1",
                           "--schedule", "1f1b", "--format", "json"], cwd=here, capture_output=True, text=True, timeout=300)
    check(done.returncode == 0 and len(plans_of(done)) == 3, f"standard error closed: {done}")


def few_files():
    """Where files and sockets lack it says so."""
    for files in (4, 6, 10):
        limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
        done = subprocess.run([executor, "--model", "model.json", "--ranks", "2", "--iterations", "1", "--transport", "sockets", "--schedule",
                               "1f1b", "--format", "json"], cwd=here, capture_output=True, text=True, timeout=300, preexec_fn=limit)
        if done.returncode == 0:
            check(len(plans_of(done)) == 3, f"{files} files: {done}")
        else:
            check("Too many open files" in done.stderr and done.stdout == "", f"{files} files: {done}")


def timed():
    """Of the three plans, those predicted to be clearly better are. Eight ranks, whatever the machine."""
    began = time.monotonic()
    with subprocess.Popen([executor, "--work", "timed", "--schedule", "1f1b", "--schedule", "interleaved", "--microbatches", "8", "--iterations", "2",
                           "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stderr.readline()
        check(time.monotonic() - began < 10, "the first line within ten seconds")
        lines = process.stderr.readlines()
        plans = json.loads(process.stdout.read())["plans"]
    check(len(lines) >= 6, "a line for each plan")
    check(len(plans) == 6 and len(plans[0]["cuts"]) == 9 and len(plans[3]["cuts"]) == 17, "eight ranks")
    compared = 0
    for a in plans:
        for b in plans:
            if a["predicted"] * 1.1 > b["predicted"]:
                continue
            compared += 1
            check(a["measured"] < b["measured"], f"{a['plan']}, {a['schedule']} ends before {b['plan']}, {b['schedule']}")
    check(compared >= 2, "some plans are clearly better than others")


def files():
    profile = run("profile", "--model", "model.json").stdout
    (here / "profile.json").write_text(profile)
    layers = json.loads(profile)["layers"]
    check([each["name"] for each in layers] == ["embedding", "block.0", "block.1", "block.2", "block.3", "head"], "layers")
    floats = 16 * 16
    check(layers[1]["activations"] == 4 * (4 * floats - floats + 16 + 2 * floats), "what a block keeps, as allocated")
    check(layers[1]["parameters"] == 4 * (2 * 16 + 16 * 16 + 16 + 16 * 16 + 16), "its parameters")
    run("plan", "profile.json", "--devices", "2", "--microbatches", "4", "--format", "json", "--output", "plan.json", program=planner)
    done = run("run", "plan.json", "--model", "model.json", "--format", "json", "--iterations", "1")
    check(plans_of(done)[0]["difference"] == 0, "a plan of the planner's computes what one device does")
    run("plan", "profile.json", "--devices", "2", "--stages-per-rank", "2", "--microbatches", "4", "--schedule", "synthesize", "--time-limit", "1", "--format",
        "json", "--output", "made.json", program=planner)
    done = run("run", "made.json", "--model", "model.json", "--format", "json", "--iterations", "1")
    check(plans_of(done)[0]["difference"] == 0, "an order that was made for it computes the same")
    (here / "order.csv").write_text("0F0,0F1,0F2,0F3,0B0,0B1,0B2,0B3\n1F0,1B0,1F1,1B1,1F2,1B2,1F3,1B3\n")
    done = run("run", "plan.json", "--model", "model.json", "--schedule-file", "order.csv", "--format", "json", "--iterations", "1")
    check(plans_of(done)[0]["difference"] == 0 and plans_of(done)[0]["schedule"] == "order.csv", "in another order")
    (here / "cycle.csv").write_text("0F0,0B0,0F1,0B1,0F2,0F3,0B2,0B3\n1F1,1B1,1F0,1B0,1F2,1F3,1B2,1B3\n")
    done = run("run", "plan.json", "--model", "model.json", "--schedule-file", "cycle.csv", status=2)
    check("deadlock" in done.stderr and done.stdout == "", f"a cycle is refused: {done.stderr}")


def refusals():
    for words, part in ((("--schedule", "5f5b"), "there is no schedule 5f5b"), (("--model", "gone.json"), "gone.json"),
                        (("--ranks", "0"), "--ranks"), (("run", "gone.json"), "gone.json"), (("--work", "hard"), "--work")):
        done = run(*words, status=2)
        check(part in done.stderr and done.stdout == "", f"{words}: {done.stderr}")
    (here / "bad.json").write_text('{"tokens": "many"}')
    check("bad.json" in run("--model", "bad.json", status=2).stderr, "a model that is none")
    (here / "none.json").write_text('{"tokens": 0}')
    check("none.json: the model's tokens" in run("--model", "none.json", status=2).stderr, "a model without tokens")


all_four_steps()
few_files()
timed()
files()
refusals()
print(f"{failures} failures")
sys.exit(failures != 0)
