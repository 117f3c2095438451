# SPDX-License-Identifier: BSL-1.0
"""`plan --recompute` as a user meets it."""

import json
import pathlib
import re
import sys
import tempfile

from program import check, fails, failures, run

LLAMA = {"name": "llama-175b", "stage_const_mem": 1206, "layers_description": [
    {"name": "HEAD", "type": "HEAD", "model_name": "l", "time": 0.0627, "nb_layer": 1, "memory_parameter": 4614},
    {"name": "BODY", "type": "BODY", "model_name": "l", "time": 3.1347, "nb_layer": 96, "memory_parameter": 2217,
     "memory_activation": 1002, "memory_select_rec": 783, "memory_select_comm": 695, "memory_both_comm_select": 423},
    {"name": "TAIL", "type": "TAIL", "model_name": "l", "time": 3.5109, "nb_layer": 1, "memory_parameter": 5885}]}
SMALL = {"schema": "stagecut-profile-1", "layers": [
    {"name": f"l{i}", "kind": "decoder", "forward": 1, "backward": 2, "parameters": 0, "resident": 10, "activations": 8,
     "output": 0, "recomputations": [{"name": "full", "forward": 1, "backward": 3, "parameters": 0, "resident": 10,
                                      "activations": 1, "output": 0}]} for i in range(8)]}


def numbers(text, name):
    return json.loads(re.search(rf"^{name}: (\[\[.*\]\])$", text, re.M).group(1))


with tempfile.TemporaryDirectory() as folder:
    there = pathlib.Path(folder)
    llama = there / "llama.json"
    llama.write_text(json.dumps(LLAMA))
    base = ["plan", llama, "--devices", 16, "--microbatches", 16, "--memory", "56000MiB", "--recompute", "auto"]

    # The optimum of SAPP's readme case, of one stage a rank.
    text = run(*base).stdout
    check("1.879 s, optimal" in text, text)
    check(re.search(r"^even, the leanest +\d", text, re.M) and "SAPP's objective" in text and "this plan" in text, text)
    made = json.loads(run(*base, "--format", "json").stdout)
    check(abs(made["objective"]["value"] - 1.87856325) < 1e-9 and made["objective"]["state"] == "optimal", made["objective"])
    plan = there / "plan.json"
    plan.write_text(json.dumps(made))
    check("does not hold" not in run("verify", plan).stdout, "verify")
    check(abs(json.loads(run("simulate", plan, "--format", "json").stdout)["makespan"] - 1.87856325) < 1e-9, "simulate")

    # SAPP's words lead back to the same iteration, with --manual.
    words = run(*base, "--format", "sapp").stdout
    check(sum(map(sum, numbers(words, "offset"))) == 0, words)
    manual = there / "manual.yaml"
    manual.write_text(words)
    text = run(*base, "--manual", manual).stdout
    own = re.search(rf"^{re.escape(str(manual))} +(.*)$", text, re.M)
    best = re.search(r"^this plan +(.*)$", text, re.M)
    check(own and best and own.group(1) == best.group(1), text)
    manual.write_text("offset: 0\nrecompute: true\n")
    fails(2, "runs layers as full, which they cannot be", *base, "--manual", manual)
    manual.write_text("offset: [[0, 0], [0, 0]]\n")
    fails(2, "ranks", *base, "--manual", manual)

    # Several numbers of chunks, stages that may be empty.
    several = ["plan", llama, "--devices", 16, "--microbatches", 16, "--memory", "56000MiB", "--time-limit", 4]
    text = run(*several, "--recompute", "auto", "--chunks", "1..3", "--less-memory").stdout
    check(len(re.findall(r"^[123] +(?:1f1b|sapp-less-memory) ", text, re.M)) == 3, text)
    text = run(*several, "--recompute", "auto", "--chunks", 3, "--empty-chunks", "--format", "sapp").stdout
    check(min(map(min, numbers(text, "offset"))) == -2, text)

    # Names of recomputations.
    small = there / "small.json"
    small.write_text(json.dumps(SMALL))
    tight = ["plan", small, "--devices", 2, "--microbatches", 4, "--memory", "80B"]
    check("optimal" in run(*tight, "--recompute", "none,full").stdout, "none,full")
    fails(3, "bytes a device would do", *tight, "--recompute", "none")
    fails(2, '--recompute: "ful" is the recomputation of no layer', *tight, "--recompute", "none,ful")
    full = json.loads(run(*tight, "--recompute", "full", "--format", "json").stdout)
    check(all(each.get("recomputation") == "full" for each in full["choices"]), full["choices"])
    models = pathlib.Path(__file__).resolve().parents[2] / "examples/models"
    flags = run("plan", models / "llama-2-7b.json", "--devices", 4, "--microbatches", 8, "--recompute", "full,none",
                "--memory", "40GiB", "--format", "megatron")
    check("--recompute-granularity full" in flags.stdout or "at the beginning of every stage" in flags.stderr, flags)

    # What does not go together.
    fails(2, "--chunks: of several numbers goes with --recompute", "plan", small, "--devices", 2, "--microbatches", 4, "--chunks", "1..2")
    fails(2, "no range of numbers", *tight, "--recompute", "auto", "--chunks", "3..1")
    fails(2, "--less-memory: goes with --recompute", *tight, "--less-memory")
    fails(2, "--empty-chunks: goes with --recompute", *tight, "--empty-chunks")
    fails(2, "--schedule", *tight, "--recompute", "auto", "--schedule", "auto")
    fails(2, "microbatches", "plan", small, "--devices", 2, "--recompute", "auto")
    SMALL["layers"] = [{**each, "recomputations": []} for each in SMALL["layers"]]
    small.write_text(json.dumps(SMALL))
    fails(2, "no layer says how it could be recomputed", *tight, "--recompute", "auto")

print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
