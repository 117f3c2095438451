# SPDX-License-Identifier: BSL-1.0
"""`plan --recompute` as a user meets it."""

import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

from program import binary, check, fails, failures, run

LLAMA = {"name": "llama-175b", "stage_const_mem": 1206, "layers_description": [
    {"name": "HEAD", "type": "HEAD", "model_name": "l", "time": 0.0627, "nb_layer": 1, "memory_parameter": 4614},
    {"name": "BODY", "type": "BODY", "model_name": "l", "time": 3.1347, "nb_layer": 96, "memory_parameter": 2217,
     "memory_activation": 1002, "memory_select_rec": 783, "memory_select_comm": 695, "memory_both_comm_select": 423},
    {"name": "TAIL", "type": "TAIL", "model_name": "l", "time": 3.5109, "nb_layer": 1, "memory_parameter": 5885}]}
SMALL = {"schema": "stagecut-profile-2", "layers": [
    {"name": f"l{i}", "kind": "decoder", "forward": 1, "backward": 2, "parameters": 0, "resident": 10, "activations": 8,
     "output": 0, "recomputations": [{"name": "full", "forward": 1, "backward": 3, "parameters": 0, "resident": 10,
                                      "activations": 1, "output": 0}]} for i in range(8)]}


# Layers that all differ: nothing of them is proved in no time.
UNLIKE = {"schema": "stagecut-profile-2", "layers": [
    {**each, "forward": 1 + i * i % 7, "backward": 2 + i * i % 5, "activations": 8 + i % 3,
     "recomputations": [{**each["recomputations"][0], "forward": 1 + i * i % 7, "backward": 4 + i * i % 5}]}
    for i in range(24) for each in SMALL["layers"][:1]]}


def plain(layers):
    return [{name: value for name, value in each.items() if name != "recomputations"} for each in layers]


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
    text = run(*several, "--recompute", "auto", "--stages-per-rank", "1..3", "--less-memory").stdout
    check(len(re.findall(r"^[123] +(?:1f1b|sapp-less-memory) ", text, re.M)) == 3, text)
    text = run(*several, "--recompute", "auto", "--stages-per-rank", 3, "--empty-stages", "--format", "sapp").stdout
    check(min(map(min, numbers(text, "offset"))) == -2, text)

    # Names of recomputations.
    small = there / "small.json"
    small.write_text(json.dumps(SMALL))
    tight = ["plan", small, "--devices", 2, "--microbatches", 4, "--memory", "80B"]
    check("optimal" in run(*tight, "--recompute", "none,full").stdout, "none,full")
    fails(3, "bytes a device would do", *tight, "--recompute", "none")
    fails(2, '--recompute: "ful" is the recomputation of no layer: none, full, or auto for all: did you mean full?', *tight, "--recompute", "none,ful")
    for word in ("always", "AUTO", "both", "foo", ""):
        fails(2, f'--recompute: "{word}" is the recomputation of no layer: none, full, or auto for all', *tight, "--recompute", f"full,{word}")
    full = json.loads(run(*tight, "--recompute", "full", "--format", "json").stdout)
    check(all(each.get("recomputation") == "full" for each in full["choices"]), full["choices"])
    models = pathlib.Path(__file__).resolve().parents[2] / "examples/models"
    flags = run("plan", models / "llama-2-7b.json", "--devices", 4, "--microbatches", 8, "--recompute", "full,none",
                "--memory", "32GiB", "--format", "megatron")
    check("--recompute-granularity full" in flags.stdout and flags.stderr == "", flags)

    # Without --recompute, a request that does not fit names it if it could be added and some layer could recompute.
    short = ["plan", small, "--devices", 2, "--microbatches", 4, "--memory", "80B"]
    untried = "; not tried: --recompute auto\n"
    fails(3, untried, *short)
    fails(3, untried, *short, "--schedule", "auto")
    llama_7b = ["plan", models / "llama-2-7b.json", "--devices", 4, "--microbatches", 8, "--memory", "28GiB"]
    fails(3, untried, *llama_7b)
    fails(3, untried, *llama_7b, "--for", "megatron")
    unable = there / "unable.json"
    unable.write_text(json.dumps({**SMALL, "layers": plain(SMALL["layers"])}))
    for words in ([*short, "--recompute", "none"], [*short, "--recompute", "never"], [*short, "--device-speeds", "1,2"],
                  [*short, "--objective", "bottleneck"], [*short[:-1], "30B", "--checkpoint", "always"], [*short, "--cuts", "4"],
                  [*short, "--for", "torchgpipe", "--schedule", "gpipe"], ["plan", unable, *short[2:]]):
        done = run(*words)
        check(done.returncode == 3 and "infeasible" in done.stderr and "not tried" not in done.stderr, words, done.stderr)

    # A range of numbers of chunks: what is known of all of them together.
    ranged = ["plan", small, "--devices", 2, "--microbatches", 4, "--memory", "80B", "--recompute", "auto"]
    best = json.loads(run(*ranged, "--stages-per-rank", "1..4", "--format", "json").stdout)["objective"]
    check(best["state"] == "optimal" and best["bound"] == best["value"] == 60, best)
    text = run(*ranged, "--stages-per-rank", "1..1000000").stdout
    check(re.search(r"^5\.\.1000000 +- +- +- +infeasible  more stages than layers$", text, re.M) and "optimal: no cut" in text, text)
    text = run(*ranged, "--stages-per-rank", "1..5", "--empty-stages").stdout
    check(re.search(r"^5 +- +- +- +not tried  more stages than layers$", text, re.M) and "s, feasible\n" in text, text)
    unlike = there / "unlike.json"
    unlike.write_text(json.dumps(UNLIKE))
    hard = ["plan", unlike, "--devices", 4, "--microbatches", 8, "--memory", "180B", "--recompute", "auto", "--time-limit"]
    best = json.loads(run(*hard, 0.4, "--stages-per-rank", "1..3", "--format", "json").stdout)["objective"]
    alone = [json.loads(run(*hard, 0.2, "--stages-per-rank", v, "--format", "json").stdout or "{}").get("objective") for v in (1, 2, 3)]
    check(best["state"] == "feasible" and best["bound"] < best["value"], best)
    check(all(best["bound"] <= each["value"] for each in alone if each), best, alone)
    began = time.monotonic()
    stopped = subprocess.Popen([binary, *map(str, hard), "60", "--stages-per-rank", "1..6"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(0.4)
    stopped.send_signal(signal.SIGTERM)
    text = stopped.communicate()[0]
    check(time.monotonic() - began < 10 and re.search(r"not tried  stopped before$", text, re.M), text)
    text = run(*hard, 0, "--stages-per-rank", "1..3").stdout
    check("not tried  no time was left" in text and "s, feasible\n" in text or text == "", text)
    text = run(*hard, 0, "--stages-per-rank", 1).stdout
    check(re.search(r"feasible: no cut is below [1-9]", text), text)  # the work
    needs = [run(*ranged[:-4], "--memory", "20B", "--recompute", "auto", "--stages-per-rank", v).stderr for v in (1, 2, "1..2")]
    bytes_needed = [int(re.search(r"(\d+) bytes a device would do", each).group(1)) for each in needs]
    check(bytes_needed[2] == min(bytes_needed[:2]), needs)

    # A number that is refused is a line; if all are, that is said.
    two = ["plan", small, "--devices", 4, "--microbatches", 2, "--recompute", "auto"]
    text = run(*two, "--stages-per-rank", "1..2").stdout
    check(re.search(r"^2 +- +- +- +refused  --microbatches = 2, must be at least", text, re.M), text)
    fails(2, "--microbatches = 2, must be at least the number of ranks, 4", *two, "--stages-per-rank", "2..2")
    text = run(*two[:5], 4, *two[6:], "--stages-per-rank", "1..2", "--schedule", "interleaved").stdout
    check(re.search(r"^1 +- +- +- +refused  --schedule: interleaved needs --stages-per-rank above 1$", text, re.M), text)
    lists = there / "lists.yaml"
    lists.write_text("offset: [[0, 0], [0, 0]]\n")
    # A strategy of other chunks than the plan is simulated as what it is; several stand in one file, as SAPP has them.
    text = run(*ranged, "--stages-per-rank", "1..1", "--manual", lists)
    check(text.returncode == 0 and re.search(r"lists.yaml +\d", text.stdout), text)
    lists.write_text("manual1:\n  offset: 0\n  interleave_num: 1\nmanual2:\n  offset: [[0, 0], [0, 0]]\n  interleave_num: 2\n")
    text = run(*ranged, "--stages-per-rank", "1..2", "--manual", lists).stdout
    check(all(re.search(rf"lists.yaml: manual{i} +\d", text) for i in (1, 2)), text)
    # A picture of each strategy, of what its row says; also of other chunks, and where the plan is written for a program.
    for words in ((), ("--format", "json")):
        drawn = there / f"pictures{len(words)}" / "inside"
        done = run(*ranged, "--stages-per-rank", "1..2", "--manual", f"{lists},{lists}", "--pictures", drawn, *words)
        check(done.returncode == 0 and not done.stderr, done)
        names = [f"lists.yaml-manual{i}{again}" for i in (1, 2) for again in ("", "-2")]
        names += ["even-the-fastest", "even-the-leanest", "SAPPs-objective", "this-plan"]
        check(sorted(each.name for each in drawn.iterdir()) == sorted(f"{each}.svg" for each in names), list(drawn.iterdir()))
        for each in drawn.iterdir():
            xml.etree.ElementTree.parse(each)
        if not words:
            times = dict(re.findall(r"^(\S.*?)  +(\S+ \w*s)  ", done.stdout.split("strategy  ")[1], re.M))
            for row, name in ((f"{lists}: manual2", "lists.yaml-manual2"), ("this plan", "this-plan"), ("even, the fastest", "even-the-fastest")):
                picture = (drawn / f"{name}.svg").read_text()
                check(row in picture and times[row] in picture, row, times, picture[:600])
    check(not re.search("this.plan", (drawn / "lists.yaml-manual1.svg").read_text()), "one alone")
    fails(2, "--pictures: ", *ranged, "--stages-per-rank", "1..2", "--pictures", lists)
    fails(2, "--pictures: goes with --recompute", "plan", small, "--devices", 2, "--microbatches", 4, "--pictures", drawn)
    lists.write_text("manual1:\n  offset: [0]\n")
    fails(2, "lists.yaml#/manual1/offset: has 1 elements, and there are 2 ranks", *ranged, "--stages-per-rank", "1..1", "--manual", lists)

    # Sequences that are cut: equal stages take (m Q + p - 1) (F + B) of a slice, and hold p - 1 - r + Q slices.
    whole = {"schema": "stagecut-profile-2", "layers": plain(SMALL["layers"])}
    sliced = there / "sliced.json"
    sliced.write_text(json.dumps(whole))
    cut = ["plan", sliced, "--devices", 4, "--microbatches", 3, "--slices", 2]
    made = json.loads(run(*cut, "--format", "json").stdout)
    check(made["makespan"] == made["objective"]["bound"] == (3 * 2 + 3) * (2 + 4) / 2, made["objective"])
    check(made["schedule"] == {"name": "seq-1f1b", "microbatches": 3, "slices": 2}, made["schedule"])
    check([each["in_flight"] for each in made["stages"]] == [5, 4, 3, 2], made["stages"])
    check({each["memory"]["activations"] for each in made["stages"]} == {8}, made["stages"])  # half of two layers
    plan = there / "cut.json"
    plan.write_text(json.dumps(made))
    verified = run("verify", sliced, plan)
    check(verified.returncode == 0 and "not checked" not in verified.stdout, verified)
    for spoil in ({"makespan": 26}, {"stages": [{**each, "memory": {**each["memory"], "activations": 16}} for each in made["stages"]]},
                  {"stages": [{**each, "in_flight": 3} for each in made["stages"]]}, {"schedule": {**made["schedule"], "slices": 4}}):
        plan.write_text(json.dumps({**made, **spoil}))
        check("does not hold" in run("verify", sliced, plan).stdout, spoil)
    plan.write_text(json.dumps(made))
    told = json.loads(run("simulate", plan, "--format", "json").stdout)
    check(told["makespan"] == 27 and told["peak_memory"] == [20 + 5 * 8, 20 + 4 * 8, 20 + 3 * 8, 20 + 2 * 8], told)
    even = there / "even.json"
    even.write_text(run(*cut[:-2], "--format", "json").stdout)
    other = json.loads(run("simulate", even, "--schedule", "seq-1f1b", "--slices", 2, "--format", "json").stdout)
    check(other["makespan"] == 27 and other["peak_memory"] == told["peak_memory"], other)
    check("F" in run("simulate", plan).stdout and "<svg" in run("simulate", plan, "--format", "svg").stdout, "pictures")
    check("seq-1f1b of 3 microbatches in 2 slices: 27 s" in run(*cut).stdout, run(*cut))
    check(run("compare", plan, plan).returncode == 0 and run(*cut, "--format", "html").returncode == 0, "pages")
    check(run(*cut, "--format", "sapp", "--for", "sapp").stdout.endswith("seq_split_num: 2\n"), run(*cut, "--format", "sapp", "--for", "sapp"))
    # Fewer bytes than 1F1B: what is recomputed with it, and what is in flight; full would compute keys and values again.
    text = run("plan", small, "--devices", 4, "--microbatches", 3, "--slices", 4, "--memory", "50B").stdout
    check("seq-1f1b of 3 microbatches in 4 slices" in text and "optimal" in text, text)
    fails(2, "no choice but full", "plan", small, "--devices", 4, "--microbatches", 3, "--slices", 2, "--recompute", "full")
    for why, words in (("--slices: needs one stage a device", ("--stages-per-rank", 2)), ("--slices: is 1F1B over slices, and --schedule gives gpipe", ("--schedule", "gpipe")),
                       ("--schedule: auto does not go with --slices", ("--schedule", "auto")), ("--slices: is of training", ("--inference",)),
                       ("--slices = 2, must be 1 for PyTorch, which runs whole sequences", ("--for", "pytorch")),
                       ("--slices = 2, must be 1 where stages have several devices", ("--replicate", "auto")), ("--timeline: ", ("--timeline", "--format", "json")),
                       ("--cuts: does not go with --slices", ("--cuts", "0,2,4,6,8")),
                       ("--slices = 2, must be 1 for DeepSpeed, which runs whole sequences", ("--format", "deepspeed"))):
        fails(2, why, *cut, *words)
    fails(2, "--slices: 1000000000000 makes more than 1048576 forward passes", *cut[:-1], 10**12)
    fails(2, "its sequences are cut into slices", "explain", plan)
    fails(2, "--schedule: is of no use: the plan cuts sequences", "simulate", plan, "--schedule", "gpipe")
    made["schedule"]["name"] = "gpipe"
    plan.write_text(json.dumps(made))
    fails(2, "#/schedule/slices: 2 does not agree", "show", plan)

    # What Megatron-LM is told.
    config = models / "llama-2-7b.json"
    llama2 = ["plan", config, "--devices", 4, "--microbatches", 8, "--time-limit", 1]
    uniform = "--recompute-granularity full --recompute-method uniform --recompute-num-layers 1\n"
    check(run(*llama2, "--recompute", "full", "--format", "megatron").stdout.endswith(uniform), "as profiled")
    text = run(*llama2, "--recompute", "full", "--for", "megatron").stdout
    check(uniform in text and "to be set there" not in text, text)
    told = run(*llama2, "--recompute", "auto", "--memory", "30GB", "--for", "megatron")
    check(told.returncode == 0 and "--recompute-granularity" in told.stdout, told)
    told = run(*llama2[:5], 10, *llama2[6:], "--recompute", "auto", "--stages-per-rank", "1..2", "--memory", "40GB", "--for", "megatron")
    check(re.search(r"^1 +1f1b .*\n2 +- .* refused  --", told.stdout, re.M) and "--pipeline-model-parallel-size" in told.stdout, told)
    fails(2, "--recompute: megatron runs all layers alike, as none, selective or full, and they can be select, both", "plan", llama, "--devices", 16,
          "--microbatches", 16, "--recompute", "select,both", "--format", "megatron")
    fails(2, "--schedule: sapp-less-memory is of SAPP, not of megatron", *llama2, "--recompute", "auto", "--stages-per-rank", 2, "--less-memory", "--for", "megatron")

    # A plan shown and explained; the profile that it was made of.
    saved = there / "saved.json"
    saved.write_text(run(*ranged, "--stages-per-rank", 3, "--format", "json").stdout)
    table = re.search(r"^recomputed .*\n(?:full|none) .*\n(?:full|none) .*$", run(*ranged, "--stages-per-rank", 3).stdout, re.M)
    check(table and table.group(0) in run("show", saved).stdout, run("show", saved).stdout)
    text = run("explain", saved).stdout
    check("cut anew" not in text and "recomputation was planned with the cut" in text, text)
    check("recomputation was planned" in json.loads(run("explain", saved, "--format", "json").stdout)["memory"]["unknown"], "explain")
    saved.write_text(run(*llama2, "--recompute", "auto", "--memory", "40GB", "--format", "json").stdout)
    ways = there / "ways.json"
    ways.write_text(run("profile", "transformer", "--config", config, "--recompute", "auto").stdout)
    held = run("verify", ways, saved)
    check(held.returncode == 0 and ", 0 do not" in held.stdout, held)
    ways.write_text(run("profile", "transformer", "--config", config, "--recompute", "full").stdout)
    check(run("verify", ways, saved).returncode == 1, "another profile")
    fails(2, "--format: csv has no columns", "profile", "transformer", "--config", config, "--recompute", "auto", "--format", "csv")

    # What does not go together.
    fails(2, "--stages-per-rank: of several numbers goes with --recompute", "plan", small, "--devices", 2, "--microbatches", 4, "--stages-per-rank", "1..2")
    fails(2, "no range of numbers", *tight, "--recompute", "auto", "--stages-per-rank", "3..1")
    fails(2, "--less-memory: goes with --recompute", *tight, "--less-memory")
    fails(2, "--empty-stages: goes with --recompute", *tight, "--empty-stages")
    fails(2, "--schedule", *tight, "--recompute", "auto", "--schedule", "auto")
    auto = (*tight, "--recompute", "auto")
    fails(2, "--less-memory: is a schedule, and --schedule gives interleaved", *auto, "--stages-per-rank", 2, "--schedule", "interleaved", "--less-memory")
    check(run(*auto, "--stages-per-rank", 2, "--schedule", "sapp-less-memory", "--less-memory").returncode == 0, "both say the same")
    fails(2, "--less-memory: needs --stages-per-rank above 1", *auto, "--less-memory")
    fails(2, "--keep-together: must be left out where recomputation is planned", *auto, "--keep-together", "0..1")
    fails(2, "--forbid-cut: must be left out where recomputation is planned", *auto, "--forbid-cut", "0")
    with_plan = "goes with a planned recomputation: --recompute auto, or a list"
    fails(2, f"--manual: {with_plan}", *llama2, "--recompute", "full", "--manual", lists)
    fails(2, f"--stages-per-rank: of several numbers {with_plan}", *llama2, "--recompute", "full", "--stages-per-rank", "1..3")
    fails(2, "microbatches", "plan", small, "--devices", 2, "--recompute", "auto")

    # Small words.
    text = run("plan", small, "--devices", 2, "--microbatches", 1, "--recompute", "auto").stdout
    check("-0.0 %" not in text and "1f1b of 1 microbatch: " in text, text)
    check(run("fit", "--help-all").stdout == run("fit", "--help").stdout != "", "fit --help-all")

    small.write_text(json.dumps({**SMALL, "layers": plain(SMALL["layers"])}))
    free = tight[:-2]
    fails(2, "no layer defines how it could be recomputed", *tight, "--recompute", "auto")
    fails(2, '"full" is the recomputation of no layer: none has "recomputations"', *tight, "--recompute", "none,full")
    check(run(*free, "--recompute", "none").stdout == run(*free).stdout != "", "nothing to recompute")

print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
