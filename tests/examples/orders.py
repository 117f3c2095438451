# SPDX-License-Identifier: BSL-1.0
"""Orders made for the stages: `schedules synthesize`, `plan --schedule synthesize` and `plan --in-flight auto`."""

import json
import pathlib
import sys
import tempfile
import time

from program import check, fails, failures, run

times = ("--forward", "8,14,18,20", "--backward-input", "8,14,18,20", "--backward-weight", "8,14,18,12")
asked = ("schedules", "synthesize", *times, "--microbatches", 8, "--memory", 4, "--time-limit", 60)

# The order, its proof, and the best named one.
done = run(*asked)
check(done.returncode == 0 and done.stderr == "", done)
check("no order is shorter: proved\nbest named schedule that fits: zb-h1, 488, 5.6 % longer\n" in done.stdout, done.stdout)
made = json.loads(run(*asked, "--format", "json").stdout)
check(made["makespan"] == made["bound"] == 462 and made["state"] == "optimal", made)
check([len(order) for order in made["orders"]] == [24] * 4 and max(made["peak_activations"]) <= 4, made)

# What PyTorch reads has B on the first stage, and is what simulate says it is.
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "order.csv"
    check(run(*asked, "--format", "torch-csv", "--output", path).returncode == 0, "a file")
    text = path.read_text()
    check(len(text.splitlines()) == 4 and "0B7" in text and "0I" not in text and "1I7,1W7" in text, text)
    whole = ("--backward", "16,28,36,32")
    done = run("simulate", *times, *whole, "--schedule-file", path, "--format", "json")
    check(json.loads(done.stdout)["makespan"] == 462, done)
for format in ("svg", "trace", "torch-comms"):
    check(len(run(*asked, "--format", format).stdout) > 1000, format)

# Two stages a rank, whole backward passes, messages, memory of each rank, seeds and nodes.
vee = ("schedules", "synthesize", "--forward", 10, "--backward-input", 10, "--backward-weight", 10, "--devices", 4, "--stages-per-rank", 2,
       "--placement", "v", "--microbatches", 8, "--time-limit", 60)
check(json.loads(run(*vee, "--memory", 8, "--format", "json").stdout)["makespan"] == 510, "V")
bytes_ = ("--keeps", 2, "--keeps-for-weights", 1, "--resident", 3)
check(json.loads(run(*vee, *bytes_, "--memory", 6 + 12, "--format", "json").stdout)["makespan"] == 530, "V-Half")
check(run(*vee, *bytes_, "--memory", "30,28,28,28", "--node-limit", 100).returncode == 0, "memory of each")
one = run(*vee, "--node-limit", 50, "--seed", 3, "--memory", 5, "--format", "json").stdout
check(one == run(*vee, "--node-limit", 50, "--seed", 3, "--memory", 5, "--format", "json").stdout, "the same twice")
done = run("schedules", "synthesize", "--forward", "1,2", "--backward", "2,3", "--microbatches", 4, "--latency", 1, "--transfers", "blocking")
check(done.returncode == 0 and "best named schedule that fits: " in done.stdout, done)

# What is wrong.
fails(2, "--forward is required", "schedules", "synthesize", "--microbatches", 4)
fails(2, "--microbatches is required", "schedules", "synthesize", *times)
fails(2, "--forward: 3 times are not 2 for each rank", "schedules", "synthesize", "--forward", "1,2,3", "--backward", "1,2,3", "--stages-per-rank", 2, "--microbatches", 4)
fails(2, "--placement: v needs --stages-per-rank 2", "schedules", "synthesize", *times, "--placement", "v", "--microbatches", 4)
fails(2, "--memory: 2 values, must be 1 or the number of ranks, 4", *asked[:-4], "--memory", "4,4")
fails(2, "--keeps", *asked, "--keeps", "1,2")
fails(2, "stages", "schedules", "synthesize", "--forward", "1,2", "--backward-input", "1,2", "--backward-weight", "1,2,3", "--microbatches", 4)
fails(3, "rank 0 needs at least 2, with one microbatch at a time, and --memory is 1", *vee, "--memory", 1)
check(json.loads(run("simulate", *times, "--schedule", "synthesize", "--microbatches", 8, "--format", "json").stdout)["makespan"] <= 462, "without a limit")
fails(2, "--backward-weight: is needed with --backward-input", "schedules", "synthesize", "--forward", 1, "--backward-input", 1, "--devices", 2, "--microbatches", 2)
fails(2, "--forward[0]", "schedules", "synthesize", "--forward", "-1,2", "--backward", "1,2", "--microbatches", 2)
fails(2, "more than 1048576 forward passes", "schedules", "synthesize", "--forward", "1,2", "--backward", "2,4", "--microbatches", 1000000)
check("synthesize" in run("schedules").stdout, "in the list")
# Within the time, however many microbatches there are.
began = time.monotonic()
check(run("schedules", "synthesize", "--forward", "1,2", "--backward", "2,4", "--microbatches", 100000, "--time-limit", 0.1, "--format", "json").returncode == 0, "some order")
check(time.monotonic() - began < 60, "soon")

# Plans hold their order; everything takes them.
layers = [{"name": f"l{i}", "forward": 1 + i % 3, "backward": 2 + 2 * (i % 3), "backward_input": 1 + i % 3, "backward_weight": 1 + i % 3,
           "parameters": 1e6, "activations": 4e6 + 1e6 * (i % 2), "output": 1e5} for i in range(12)]
layers[11] |= {"forward": 5, "backward": 9, "backward_input": 5, "backward_weight": 4}
with tempfile.TemporaryDirectory() as folder:
    profile = pathlib.Path(folder) / "profile.json"
    profile.write_text(json.dumps({"schema": "stagecut-profile-2", "layers": layers}))
    plan = ("plan", profile, "--devices", 3, "--microbatches", 6, "--time-limit", 60)
    limit = ("--memory", "70MB")
    done = run(*plan, *limit, "--schedule", "synthesize", "--format", "json")
    check(done.returncode == 0, done)
    made = json.loads(done.stdout)
    check(made["schedule"]["name"] == "" and len(made["schedule"]["orders"]) == 3, made["schedule"])
    named = [json.loads(run(*plan, *limit, "--schedule", each, "--format", "json").stdout or "{}").get("makespan", 1e9) for each in ("1f1b", "zb-h1", "gpipe")]
    check(made["makespan"] <= min(named), made["makespan"], named)
    own, usual = pathlib.Path(folder) / "own.json", pathlib.Path(folder) / "usual.json"
    own.write_text(done.stdout)
    usual.write_text(run(*plan, *limit, "--schedule", "1f1b", "--format", "json").stdout)
    for words in (("verify", profile, own), ("show", own), ("explain", own), ("simulate", own), ("compare", own, usual)):
        done = run(*words)
        check(done.returncode == 0, words, done)
    check("its own order" in run("compare", own, usual).stdout, "compared")
    for format in ("torch-csv", "trace", "svg"):
        check(len(run("simulate", own, "--format", format).stdout) > 100, format)
    chunks = json.loads(run(*plan[:-1], 1, "--stages-per-rank", 2, "--schedule", "synthesize", "--format", "json").stdout)
    check(chunks["stages_per_rank"] == 2 and len(chunks["stages"]) == 6, chunks["makespan"])
    # Numbers in flight.
    done = run(*plan, *limit, "--in-flight", "auto", "--format", "json")
    counts = json.loads(done.stdout)
    check(counts["schedule"]["name"] == "in-flight" and counts["objective"]["state"] == "optimal", done)
    check(counts["makespan"] <= json.loads(usual.read_text())["makespan"], "no more than 1F1B")
    fails(2, "--in-flight", *plan, "--in-flight", "auto", "--stages-per-rank", 2)
    best = json.loads(run(*plan, *limit, "--in-flight", "auto", "--schedule", "auto", "--format", "json").stdout)
    check(best["objective"]["value"] <= counts["objective"]["value"], "with all schedules no plan is worse")
    fails(2, "must be 1f1b for numbers in flight", *plan, "--in-flight", "auto", "--schedule", "gpipe")
    fails(2, "--in-flight", *plan, "--in-flight", "automatic")
    fails(2, "microbatches is not known", "plan", profile, "--devices", 3, "--schedule", "synthesize")
    fails(2, "synthesize", *plan, "--schedule", "synthesize", "--for", "megatron")
    fails(3, "at least", *plan, "--schedule", "synthesize", "--memory", "10MB")
    fails(2, "plan does that, a sweep does not", "sweep", profile, "--devices", 3, "--microbatches", 6, "--schedules", "synthesize")

print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
