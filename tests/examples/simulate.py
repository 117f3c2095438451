# SPDX-License-Identifier: BSL-1.0
"""`simulate` and `compare` as a user meets them."""

import json
import pathlib
import re
import sys
import tempfile
import xml.etree.ElementTree

from program import check, fails, failures, run, run_in_terminal, stage_bytes


def simulated(*words):
    done = run("simulate", *words, "--format", "json")
    check(done.returncode == 0 and done.stderr == "", words, done)
    return json.loads(done.stdout or "{}")


def makespan(*words):
    return simulated(*words).get("makespan")


# Worked cases: equal stages of 1 and 2, or of 1, 1 and 1; stages whose order matters; messages.
one_two = ("--forward", 1, "--backward", 2)
apart = ("--forward", 1, "--backward-input", 1, "--backward-weight", 1)
four = ("--devices", 4, "--microbatches", 8)
for schedule, expected in (("gpipe", 33), ("gpipe-lifo", 33), ("1f1b", 33), ("eager-1f1b", 33), ("backward-first", 33)):
    check(makespan(*one_two, *four, "--schedule", schedule) == expected, schedule)
for schedule, chunks, expected, span in (
    ("interleaved", 2, 57, 57), ("looped-bfs", 2, 57, 57), ("zb-h1", 1, 27, 27), ("zb-h2", 1, 27, 24), ("zbv", 2, 51, 48),
    ("dualpipev", 2, 54, None), ("interleaved-zb", 2, 51, None), ("sapp-big", 2, None, None), ("sapp-less-memory", 2, None, None),
):
    found = simulated(*apart, *four, "--schedule", schedule, "--stages-per-rank", chunks)
    check(expected in (None, found["makespan"]), schedule, found)
    check(span in (None, found["span"]), schedule, found)
    check(chunks == 1 or makespan(*apart, *four, "--schedule", schedule, "--stages-per-rank", chunks) == found["makespan"], schedule)
check(makespan(*apart, *four, "--schedule", "zbv") == 51, "zbv has two chunks unsaid")
check(makespan("--forward", "8,14,18,20", "--backward", "16,28,36,40", "--microbatches", 8) == 600, "the level cut")
check(makespan("--forward", "21,19,5,15", "--backward", "42,38,10,30", "--microbatches", 8) == 573, "the fast cut")
# Ranks above the limit of a plan say the limit.
limited = run("plan", "-", "--devices", 2, "--microbatches", 8, "--memory", "20B", "--format", "json",
              stdin="name,forward,backward,activations\na,1,2,10\nb,2,3,10\n").stdout
above = run("simulate", "-", "--schedule", "gpipe", stdin=limited).stdout
check(above.count("  80 B  above the limit of 20 B\n") == 2, above)
check("above" not in run("simulate", "-", stdin=limited).stdout, "within the limit")
check(makespan(*one_two, *four, "--latency", 0.5) == 41, "1f1b with latency")
check(makespan(*one_two, *four, "--latency", 0.5, "--schedule", "eager-1f1b") == 36, "eager 1f1b hides it")
check(makespan(*one_two, *four, "--latency", 0.5, "--transfers", "blocking") > 41, "blocking costs more")
for slices, expected in ((1, 33), (2, 28.5), (4, 26.25)):
    check(makespan(*one_two, *four, "--schedule", "seq-1f1b", "--slices", slices) == expected, slices, "slices")
# The third example of SAPP's simulator, which takes 421.2 there: no kind of transfer is SAPP's.
example = ("--devices", 8, "--stages-per-rank", 3, "--microbatches", 16, "--schedule", "sapp-big", "--forward", "2," * 23 + "2.6",
           "--backward", "4,4,4,4,4,4,4,4,5,4,4,4,4,4,4,4,6,6,5,4,4,4,4,5.2")
check(abs(makespan(*example) - 385.8) < 1e-9, "without messages")
for kind, expected in (("latency", 389.8), ("link", 389.8), ("stream", 593.9), ("blocking", 919.3)):
    found = makespan(*example, "--latency", 0.1, "--transfers", kind)
    check(abs(found - expected) < 1e-9, kind, found)
found = simulated(*one_two, *four)
check(found["peak_activations"] == [4, 3, 2, 1] and found["busy"] == [24] * 4, found)
check(found["bubble_rate"] == 1 - 24 / 33 and found["work"] == 24, found)
check(found["idle"] == {"schedule": 9, "imbalance": 0, "transfers": 0, "update": 0}, found)
check(found["critical_path"][0] == "0F0" and found["critical_path"][-1] == "0B7", found)
check(simulated(*one_two, *four, "--in-flight", "7,5,3,1")["peak_activations"] == [7, 5, 3, 1], "in flight")
check(simulated(*one_two, *four, "--schedule", "backward-first")["peak_activations"] == [6, 6, 4, 1], "SageMaker's p + 2")
found = simulated("--forward", "3,1,1,1", "--backward", "6,2,2,2", "--microbatches", 8, "--latency", 1)
check(abs(found["work"] + sum(found["idle"].values()) - found["makespan"]) < 1e-9, "parts do not add up", found)

# Every schedule that is listed runs.
names = [line.split()[0] for line in run("schedules").stdout.splitlines()[1:]]
check(len(names) >= 16, names)
for name in names:
    words = ("--in-flight", "3,3,1") if name == "in-flight" else ()
    words = ("simulate", *apart, "--devices", 3, "--microbatches", 6, "--schedule", name, *words)
    done = run(*words, "--stages-per-rank", 2)
    if "must be 1 for" in done.stderr:
        done = run(*words)
    check(done.returncode == 0 and "makespan" in done.stdout, name, done)
    check(all(len(line) <= 100 for line in done.stdout.splitlines()), name, "is too wide")

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    model = folder / "model.json"
    model.write_text(run("profile", "transformer", "--preset", "llama-2-7b").stdout)
    plans = []
    for name, words in (("gpipe", ("--schedule", "gpipe")), ("1f1b", ()), ("chunks", ("--stages-per-rank", 2))):
        plans.append(folder / f"{name}.json")
        done = run("plan", model, "--devices", 4, "--microbatches", 8, *words, "--objective", "bottleneck", "--format", "json",
                   "--output", plans[-1])
        check(done.returncode == 0, done)
        plan = json.loads(plans[-1].read_text())
        check(makespan(plans[-1]) == plan["makespan"], name, "is not simulated as it was planned")
        peaks = [0] * 4
        for stage in plan["stages"]:
            peaks[stage["device"]] += stage_bytes(stage)
        found = simulated(plans[-1])["peak_memory"]
        check(all(a <= b + 1 for a, b in zip(found, peaks)), name, found, peaks)  # the peaks of its stages need not coincide
        check(name == "chunks" or found == peaks, name, found, peaks)
    check(makespan(plans[1], "--schedule", "gpipe") == makespan(plans[0]), "the same cut as GPipe")
    check(makespan(plans[1], "--bandwidth", "1GB") > makespan(plans[1]), "messages take no time")
    check(makespan(plans[1], "--microbatches", 16) > makespan(plans[1]), "microbatches")
    check(run("simulate", "-", stdin=plans[1].read_text()).stdout == run("simulate", plans[1]).stdout, "standard input")
    found = json.loads(run("compare", *plans, "--format", "json").stdout)
    check([each["plan"] for each in found] == [str(plan) for plan in plans], found)
    check([each["makespan"] for each in found] == [makespan(plan) for plan in plans], found)
    # Columns without room stand below, and none is lost.
    whole = run_in_terminal(140, "compare", *plans)
    check(len(whole.splitlines()) == 4 and whole.count("best") == 1, whole)
    for columns, seen in ((100, run("compare", *plans).stdout), (80, run_in_terminal(80, "compare", *plans))):
        check(all(len(line) <= columns for line in seen.splitlines()) and seen.count("best") == 1, columns, seen)
        check(set(seen.split()) == set(whole.split()), columns, seen, whole)
    svg = xml.etree.ElementTree.fromstring(run("compare", *plans, "--format", "svg").stdout)
    check(svg.tag.endswith("svg") and "script" not in {each.tag.split("}")[-1] for each in svg.iter()}, "an SVG")
    trace = json.loads(run("compare", *plans, "--format", "trace").stdout)
    check(sum(each["ph"] == "X" and each["tid"] == 0 for each in trace["traceEvents"]) == 2 * 8 * (4 + 4 + 8), "a trace")
    output = folder / "run.svg"
    check(run("simulate", plans[1], "--format", "svg", "--output", output).stdout == "" and output.stat().st_size > 0, output)

    # What is written for PyTorch runs when it is read again.
    order = folder / "order.csv"
    for schedule, chunks in (("1f1b", 1), ("interleaved", 2), ("zb-h1", 1), ("zbv", 2), ("dualpipev", 2)):
        words = (*apart, *four, "--stages-per-rank", chunks)
        apart_takes = makespan(*words, "--schedule", schedule)
        for format in ("torch-csv", "torch-comms", "torch-comms-2.9"):
            for how in ((), ("--separate-backward",), ("--merge-backward",)):
                order.write_text(run("simulate", *words, "--schedule", schedule, "--format", format, *how).stdout)
                found, before = makespan(*words, "--schedule-file", order), makespan(*words, "--schedule", schedule, *how)
                check(found == before, schedule, format, how, found, before)
                check(before == apart_takes or (how == ("--merge-backward",) and before > apart_takes), schedule, how)
                check(("WAIT_SEND" in order.read_text()) == (format == "torch-comms"), order.read_text())
    # A plan's prediction is that of the order that is written of it.
    split = folder / "split.csv"
    split.write_text("name,forward,backward_input,backward_weight,output\n" + "".join(
        f"l{i},{1 + i % 3},{1 + i % 2},{1 + i % 4},1\n" for i in range(10)))
    for schedule in ("zb-h1", "zbv", "dualpipev"):
        whole = folder / "whole.json"
        whole.write_text(run("plan", split, "--devices", 2, "--microbatches", 6, "--schedule", schedule, "--format", "json").stdout)
        for how in ((), ("--merge-backward",)):
            order.write_text(run("simulate", whole, "--format", "torch-csv", *how).stdout)
            check(makespan(whole, "--schedule-file", order) == makespan(whole, *how), schedule, how)
        check(makespan(whole) == json.loads(whole.read_text())["makespan"], schedule)
    fails(2, "--merge-backward: is the opposite of --separate-backward", "simulate", *apart, *four, "--merge-backward", "--separate-backward")
    order.write_text(run("simulate", *apart, *four, "--schedule", "zb-h1", "--format", "torch-csv").stdout)
    check(makespan(*apart, "--schedule-file", order) == 27, "the file knows its ranks")
    order.write_text("0F0,0B0\n1F0,1B0,1F1,1B1\n")
    fails(2, f"{order}", "simulate", *one_two, "--devices", 2, "--schedule-file", order)
    order.write_text("0F0,0B0,0F1,0B1\n1F1,1B1,1F0,1B0\n")
    fails(2, "deadlock: ", "simulate", *one_two, "--devices", 2, "--schedule-file", order)
    fails(2, "has 2 ranks, not 3", "simulate", *one_two, "--devices", 3, "--schedule-file", order)
    fails(2, "has 2 stages, not 3", "simulate", "--forward", "1,2,3", "--backward", 1, "--schedule-file", order)
    fails(2, "has 2 microbatches, not 5", "simulate", *one_two, "--schedule-file", order, "--microbatches", 5)
    fails(2, "has 2 ranks, not 1", "simulate", *one_two, "--schedule-file", order, "--stages-per-rank", 2)
    fails(2, "--schedule-file: stands in the place", "simulate", *one_two, *four, "--schedule-file", order, "--schedule", "1f1b")

    fails(2, "--group: is of no use for --schedule-file", "simulate", *one_two, "--devices", 2, "--schedule-file", order, "--group", 2)
    fails(2, "--slices: goes with --schedule seq-1f1b", "simulate", plans[1], "--slices", 2)
    fails(2, "--group: goes with --schedule interleaved", "simulate", plans[2], "--group", 4)
    # A plan with an order of its own, which has no name.
    own = folder / "own.json"
    document = json.loads(run("plan", model, "--devices", 2, "--microbatches", 2, "--format", "json").stdout)
    document["schedule"] = {"name": "", "microbatches": 2,
                            "orders": [["0F0", "0F1", "0B0", "0B1"], ["1F0", "1B0", "1F1", "1B1"]]}
    own.write_text(json.dumps(document))
    check(makespan(own) == document["makespan"], "its order is 1F1B's")
    check("\nits own order of 2 microbatches: " in run("show", own).stdout, run("show", own))
    check(run("simulate", own).stdout.splitlines()[0].endswith(", its own order"), run("simulate", own))
    check("  its own order  " in run("compare", own, own).stdout, run("compare", own, own))
    # Ranks that decide as they go hand on to the next alone.
    document["edges"] = [{"from": 0, "to": 1, "bytes": 1}]
    own.write_text(json.dumps(document))
    check(run("simulate", own, "--schedule", "backward-first").returncode == 0, "edges of a chain")
    wide = json.loads(run("plan", model, "--devices", 3, "--microbatches", 2, "--format", "json").stdout)
    wide["edges"] = [{"from": a, "to": b, "bytes": 1} for a, b in ((0, 1), (0, 2), (1, 2))]
    own.write_text(json.dumps(wide))
    check(run("simulate", own).returncode == 0, "a stage that feeds two")
    fails(2, "--schedule: backward-first: the plan's 3 edges must be those of a chain", "simulate", own, "--schedule", "backward-first")
    kept = folder / "kept.json"
    kept.write_text(run("plan", model, "--devices", 4, "--microbatches", 8, "--schedule", "gpipe", "--checkpoint", "except_last",
                        "--format", "json").stdout)
    check(makespan(kept) == json.loads(kept.read_text())["makespan"], "all but the last recomputed")
    fails(2, f"{kept}: keeps the last microbatch, which gpipe alone", "simulate", kept, "--schedule", "1f1b")
    fails(2, f"{kept}: keeps the last microbatch, which gpipe alone", "simulate", kept, "--in-flight", "4,3,2,1")
    check(makespan(kept, "--schedule", "gpipe") == makespan(kept), "its own schedule")
    never = folder / "never.json"
    never.write_text(run("plan", model, "--devices", 4, "--microbatches", 8, "--schedule", "gpipe", "--format", "json").stdout)
    check(json.loads(never.read_text())["cuts"] == json.loads(kept.read_text())["cuts"], "other cuts")
    check(makespan(kept, "--microbatches", 1) == makespan(never, "--microbatches", 1), "the only one is the last")
    fails(2, "--devices: 3 are not the 4 of the plan", "simulate", plans[1], "--devices", 3)
    fails(2, "--backward: goes with --forward", "simulate", plans[1], "--backward", 1)
    fails(2, "--bandwidth: fast is no size", "simulate", plans[1], "--bandwidth", "fast")
    fails(2, "needs either a plan or --forward", "simulate", plans[1], *one_two)
    edited = folder / "edited.json"
    edited.write_text(plans[1].read_text().replace('"name": "1f1b"', '"name": "zbv"'))
    fails(2, f"{edited}: stagecut::make_schedule: stages_per_rank = 1, must be 2 for zbv", "simulate", edited)
    fails(2, f"{edited}: stagecut::make_schedule: stages_per_rank = 1, must be 2 for zbv", "compare", edited)
    edited.write_text(plans[1].read_text().replace('"microbatches": 8', '"microbatches": 10000000'))
    fails(2, f"{edited}: more than 1048576 forward passes", "simulate", edited)
    fails(2, f"{edited}: more than 1048576 forward passes", "compare", edited)
    fails(2, "--latency: -1 is no time", "compare", plans[1], "--latency=-1")
    bare = folder / "bare.json"
    bare.write_text(run("plan", "-", "--devices", 2, "--microbatches", 4, "--format", "json", stdin="3\n1\n2\n").stdout)
    check("peak_memory" not in simulated(bare), "memory of a list of weights")
    fails(2, f"{bare}: its times are no seconds, unlike those of", "compare", plans[1], bare)
    nothing = "--bandwidth: has no effect: no layer has an output, and messages have no latency"
    for command in ("simulate", "compare"):
        fails(2, nothing, command, bare, "--bandwidth", "1GB")
        fails(2, nothing, command, bare, "--bandwidth", "1GB", "--latency", 0)
    once = folder / "once.json"
    once.write_text(bare.read_text().replace('"microbatches": 4', '"microbatches": 1'))
    for words in (("--latency", 0.5), ("--latency", 0.5, "--bandwidth", "1GB")):
        check(makespan(once, *words) == 6 + 1, words, makespan(once, *words))
        found = json.loads(run("compare", once, "--format", "json", *words).stdout)
        check(found[0]["makespan"] == 6 + 1, words, found)

    # One standard input, which is read once.
    fails(2, "PLAN: - is standard input, which can be read only once", "compare", "-", "-", stdin=plans[0].read_text())
    fails(2, "PLAN: - is standard input, which can be read only once", "compare", "-", plans[0], "-", stdin=plans[0].read_text())
    done = run("compare", "-", plans[0], plans[0], stdin=plans[0].read_text())
    check(done.returncode == 0 and done.stdout.count("best") == 3, done)

    # A schedule that cannot run as asked.
    fails(2, "--microbatches = 6, must be a multiple of the group, 4", "simulate", plans[2], "--microbatches", 6)
    fails(2, "--microbatches = 6, must be a multiple of the group, 4", "simulate", plans[2], "--microbatches", 6, "--schedule", "interleaved")
    fails(2, "--stages-per-rank = 2, must be 1 for in-flight", "simulate", plans[2], "--in-flight", "4,3,2,1")
    fails(2, "--in-flight: no values are taken for gpipe", "simulate", plans[1], "--schedule", "gpipe", "--in-flight", "4,3,2,1")
    check(makespan(plans[1], "--schedule", "1f1b", "--in-flight", "2,2,2,1") == makespan(plans[1], "--in-flight", "2,2,2,1"), "1f1b so")
    edited = folder / "uneven.json"
    edited.write_text(plans[2].read_text().replace('"microbatches": 8', '"microbatches": 6'))
    for command in ("simulate", "compare"):
        fails(2, f"{edited}: stagecut::interleaved_one_forward_one_backward: microbatches = 6, must be a multiple", command, edited)
    unscheduled = folder / "unscheduled.json"
    unscheduled.write_text(run("plan", model, "--devices", 4, "--format", "json").stdout)
    fails(2, "names no schedule", "simulate", unscheduled)
    fails(2, "names no schedule", "compare", plans[0], unscheduled)
    fails(2, "--microbatches: is needed", "simulate", unscheduled, "--schedule", "1f1b")
    check(run("simulate", unscheduled, "--schedule", "1f1b", "--microbatches", 8).returncode == 0, "a schedule for a cut")

of_one = ("--forward", 1, "--backward-input", 1, "--backward-weight", 3, "--devices", 1, "--schedule", "zb-h1", "--microbatches", 4)
check(makespan(*of_one) == 20, "I and W")
check(makespan(*of_one, "--merge-backward") == 20, "B is both, where it is not told")
check(makespan(*of_one, "--backward", 2, "--merge-backward") == 12, "B that takes less than both")

fails(2, "needs either a plan or --forward", "simulate")
fails(2, "--microbatches: is needed", "simulate", *one_two, "--devices", 4)
fails(2, "--backward: is needed, or", "simulate", "--forward", 1, *four)
fails(2, "--forward: 1,x is no list", "simulate", "--forward", "1,x", "--backward", 1, "--microbatches", 2)
fails(2, "5 stages are not 2 on each", "simulate", "--forward", "1,2,3,4,5", "--backward", 1, "--microbatches", 4, "--stages-per-rank", 2)
fails(2, "--schedule: nosuch is not known (see stagecut schedules)", "simulate", *one_two, *four, "--schedule", "nosuch")
fails(2, "--schedule: zb-h1 needs the gradients of inputs and weights apart", "simulate", *one_two, *four, "--schedule", "zb-h1")
fails(2, "--microbatches = 7, must be at least", "simulate", *apart, "--devices", 4, "--microbatches", 7, "--schedule", "zb-h1")
fails(2, "--stages-per-rank = 2, must be 1 for 1f1b", "simulate", *one_two, *four, "--stages-per-rank", 2)
fails(2, "--group = 3, must", "simulate", *one_two, *four, "--stages-per-rank", 2, "--schedule", "interleaved", "--group", 3)
fails(2, "forward: has 2 elements", "simulate", "--forward", "1,2", "--backward", "1,2,3", "--microbatches", 4)
fails(2, "--forward[1]: -2", "simulate", "--forward=1,-2", "--backward", "1,2", "--microbatches", 4)
for number in ("nan", "inf", "0x10", "+1", " 1", "1 ", "", "1e999"):
    for word in ("--forward", "--backward", "--backward-input", "--backward-weight"):
        times = {"--forward": 1, "--backward": 1, "--backward-input": 1, "--backward-weight": 1, word: f"1,{number}"}
        fails(2, f"{word}: 1,{number} is no list of numbers", "simulate", *(f"{name}={list}" for name, list in times.items()),
              "--microbatches", 4)
    fails(2, f"--latency: {number}", "simulate", *one_two, *four, f"--latency={number}")
check(makespan(*one_two, *four, "--latency", 0, "--transfers", "blocking") == 45, "messages of no time keep their order")
fails(2, "more than 1048576 forward passes", "simulate", *one_two, "--devices", 4, "--microbatches", 10**7)
fails(2, "more than 16384 ranks", "simulate", *one_two, "--devices", 2**40 - 1, "--stages-per-rank", 2**40 - 1, "--microbatches", 2)
fails(2, "stagecut: times: the sum of all", "simulate", "--forward", "1e308,1e308", "--backward", 1, "--microbatches", 4)
fails(2, "--latency: -1 is no time", "simulate", *one_two, *four, "--latency=-1")
fails(2, "--in-flight: has 3 numbers, there are 4 ranks", "simulate", *one_two, *four, "--in-flight", "3,2,1", "--schedule", "backward-first")
fails(2, "--slices: is of no use", "simulate", *one_two, *four, "--slices", 2, "--schedule", "backward-first")
fails(2, "--slices = 2, must be 1 for 1f1b", "simulate", *one_two, *four, "--slices", 2)
fails(2, "--group = 2, must be 0 for 1f1b", "simulate", *one_two, *four, "--group", 2)
fails(2, "--backward-input: is of no use", "simulate", *one_two, *four, "--backward-input", 1, "--backward-weight", 1)
fails(2, "--backward: is of no use", "simulate", *apart, *four, "--backward", 2, "--schedule", "zb-h1")
fails(2, "--backward-weight: is needed with --backward-input", "simulate", *one_two, *four, "--backward-input", 1)
fails(2, "--bandwidth: needs a plan", "simulate", *one_two, *four, "--bandwidth", "1GB")
fails(2, "cannot express this schedule: its microbatches have slices", "simulate", *one_two, *four, "--schedule", "seq-1f1b", "--slices", 2,
      "--format", "torch-csv")
fails(2, "no/such: cannot be opened", "simulate", "no/such")
fails(2, "PLAN is required", "compare")

print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
