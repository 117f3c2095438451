# SPDX-License-Identifier: BSL-1.0
"""`fit` as a user meets it: peaks are made of parts that are known, and these come back."""

import json
import pathlib
import re
import sys
import tempfile

from program import check, fails, failures, run

MB = 2**20
PARTS = {"constant": 1200, "parameters": 2200, "none": 1000, "select": 780, "comm": 700, "both": 640, "full": 420, "head": 4600, "tail": 5900}


def numbers(text):
    return [int(each) for each in re.findall(r"-?\d+", text)]


def runs_of(text):
    """The settings in a proposal: of each run its lists, as they stand in text or yaml."""
    lists = {}
    name = None
    for line in text.splitlines():
        found = re.match(r"\s*(\w+):\s*(\[.*\])?$", line)
        name = found.group(1) if found else name
        row = found.group(2) if found else (line if line.strip().startswith("- [") else None)
        if row:
            lists.setdefault(name, []).append(numbers(row))
    return [dict(zip(lists, row)) for row in zip(*lists.values())]


def counts(settings, layers, rank):
    """How many layers of a rank are run in each way: the settings count the stronger ways, too."""
    share = layers // len(settings["offset"])
    held = share + settings["offset"][rank]
    full, select, comm = (settings[name][rank] for name in ("recompute", "select_recompute", "select_comm_recompute"))
    both = max(min(select - full, comm - full), 0)
    ways = {"select": max(select - full - both, 0), "comm": max(comm - full - both, 0), "both": both, "full": full}
    return held, {"none": held - sum(ways.values()), **ways}


def peak(settings, layers, rank, parts=PARTS):
    """In MB, under 1F1B with one stage on each rank."""
    ranks = len(settings["offset"])
    held, ways = counts(settings, layers, rank)
    ends = (parts["head"] if rank == 0 else 0) + (parts["tail"] if rank == ranks - 1 else 0)
    return parts["constant"] + parts["parameters"] * held + (ranks - rank) * sum(parts[way] * n for way, n in ways.items()) + ends


def log(megabytes):
    return f"[INFO] start\nUsed peak memory usage (without fragments): {megabytes}M\nActual peak memory usage (with fragments): {megabytes + 99}M\n"


def write_logs(folder, settings, layers, change=lambda rank: 0):
    folder.mkdir()
    (folder / "scheduler.log").write_text("no rank")
    for rank in range(len(settings["offset"])):
        (folder / f"worker_{rank}.log").write_text(log(peak(settings, layers, rank) + change(rank)))


def parts_in(text):
    """What a table says, in MB."""
    units = {"B": 1 / MB, "KiB": 1 / 1024, "MiB": 1, "GiB": 1024, "TiB": 2**20}
    found = re.findall(r"^(constant|parameters|activations|head|tail)( of a (?:rank|layer)(?:, (\w+))?)? +(-?[\d.e+-]+) (\w+)$", text, re.MULTILINE)
    return {way or part: float(value) * units[unit] for part, _, way, value, unit in found}


def close(found, expected, off=1e-3):
    return found.keys() == expected.keys() and all(abs(found[k] - expected[k]) <= off * abs(expected[k]) for k in found)


def sapp(runs, layers, measured, head, tail, more=""):
    """A file with the memory of some ranks between the ends, of every run, and that of both ends of one run."""
    rows = lambda name: "[" + ", ".join(str(each[name]) for each in runs) + "]"
    peaks = [[peak(each, layers, rank) for rank in measured] for each in runs]
    return (f"pipeline_config: {{pipeline_num: {len(runs[0]['offset'])}, num_layer: {layers}, offset: {rows('offset')}}}\n"
            f"recompute_config:\n  recompute: {rows('recompute')}\n  select_recompute: {rows('select_recompute')}\n"
            f"  select_comm_recompute: {rows('select_comm_recompute')}\n"
            f"memory_usage:\n  head_memory: {head}\n  tail_memory: {tail}\n  body_memories:\n    stage_id: {[list(measured)] * len(runs)}\n"
            f"    memories: {peaks}\n{more}")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    # What is proposed tells all parts, whatever is recomputed; from logs of the proposed runs they come back.
    for ranks, layers, recompute, more in ((4, 18, "full", ()), (4, 18, "select,full", ()), (8, 32, "select,comm,both,full", ("--runs", 3)),
                                           (3, 11, "none", ()), (16, 96, "both,comm", ("--seed", 7))):
        words = ("fit", "guide", "--devices", ranks, "--layers", layers, "--recompute", recompute, *more)
        said, written = run(*words), run(*words, "--format", "sapp")
        check(said.returncode == 0 and not said.stderr and written.returncode == 0, said, written)
        proposed = runs_of(said.stdout)
        check(proposed == runs_of(written.stdout) and len(proposed) >= 1, said.stdout, written.stdout)
        check(not more or more[0] != "--runs" or len(proposed) == more[1], said.stdout)
        wanted = {"none", *recompute.split(",")}
        used = set()
        for each in proposed:
            check(all(len(row) == ranks for row in each.values()) and sum(each["offset"]) == layers % ranks, each)
            for rank in range(ranks):
                held, ways = counts(each, layers, rank)
                check(held >= 1 and all(n >= 0 for n in ways.values()), each, rank)
                used |= {way for way, n in ways.items() if n}
        check(used == wanted, recompute, used)
        check(re.search(r"^\d+ runs? determines? all parts$", said.stdout, re.MULTILINE), said.stdout)
        check(re.search(r"^condition: .* [\d.]+ times in the parts at most$", said.stdout, re.MULTILINE), said.stdout)
        file = folder / "runs.yaml"
        file.write_text(written.stdout)
        logs = []
        for i, each in enumerate(proposed):
            logs.append(folder / f"{ranks}-{recompute}-{i}")
            write_logs(logs[-1], each, layers)
        told = run("fit", "memory", file, *(word for each in logs for word in ("--logs", each)))
        check(told.returncode == 0 and not told.stderr, told)
        expected = {part: value for part, value in PARTS.items() if part in wanted | {"constant", "parameters", "head", "tail"}}
        check(close(parts_in(told.stdout), expected), told.stdout)
        check("predictions are off the peaks by less than a byte\ncondition: " in told.stdout, told.stdout)

    # One run of SAPP's own, whose ends are of the first or the last run.
    first = {"offset": [1, 1, -1, 0, 0, -1], "recompute": [0, 2, 0, 1, 0, 2], "select_recompute": [2, 2, 1, 1, 0, 2], "select_comm_recompute": [0, 2, 0, 1, 0, 2]}
    last = {"offset": [-1, 0, 2, -1, 1, -1], "recompute": [2, 0, 1, 0, 4, 0], "select_recompute": [2, 1, 1, 2, 4, 0], "select_comm_recompute": [2, 0, 1, 0, 4, 0]}
    layers, both = 18, [first, last]
    expected = {part: PARTS[part] for part in ("constant", "parameters", "none", "select", "full", "head", "tail")}
    times = "time_config: {head: 0.0627, body: 3.1347, tail: 3.5109}\n"
    init = folder / "init.yaml"
    ends = lambda of: (peak(of, layers, 0), peak(of, layers, 5))
    for of, words in ((first, ()), (first, ("--ends", "first")), (last, ("--ends", "last"))):
        init.write_text(sapp(both, layers, range(1, 5), *ends(of), times))
        told = run("fit", "memory", init, *words)
        check(told.returncode == 0 and not told.stderr and close(parts_in(told.stdout), expected), told)
        check("forward passes: head 62.7 us, a layer 3.135 ms, tail 3.511 ms\n" in told.stdout, told.stdout)
    init.write_text(sapp(both, layers, range(1, 5), *ends(first), times))
    # Two files of a run each tell the same.
    alone = [folder / f"run{i}.yaml" for i in range(2)]
    for file, each in zip(alone, both):
        file.write_text(sapp([each], layers, range(1, 5), *ends(each)))
    check(close(parts_in(run("fit", "memory", *alone).stdout), expected), run("fit", "memory", *alone))
    check(close(parts_in(run("fit", "memory", "-", stdin=init.read_text()).stdout), expected), "standard input")
    # SAPP's way has the constant in both ends once more.
    told = run("fit", "memory", init, "--as-sapp")
    check(close(parts_in(told.stdout), {**expected, "head": PARTS["head"] + PARTS["constant"], "tail": PARTS["tail"] + PARTS["constant"]}), told)
    check("margin: " not in told.stdout and "predictions are off the peaks by 1.172 GiB at most, on rank 0 of run 0" in told.stdout, told.stdout)
    # Logs take the place of what the file says, and one peak that is above all others is told, with a margin.
    logs = []
    for i, each in enumerate(both):
        logs.append(folder / f"logs{i}")
        write_logs(logs[-1], each, layers, lambda rank: 300 if (i, rank) == (1, 2) else 0)
    by_logs = ("--logs", logs[0], "--logs", logs[1])
    told = run("fit", "memory", init, *by_logs)
    check("on rank 2 of run 1, root mean square" in told.stdout and "margin: keep " in told.stdout, told.stdout)
    # By name, in order, or some ranks alone: then the file says the others.
    in_order = ",".join(str(logs[0] / f"worker_{rank}.log") for rank in range(6))
    one = f"2={logs[1] / 'worker_2.log'}"
    check(run("fit", "memory", init, "--logs", in_order, "--logs", logs[1]).stdout == told.stdout, "in order")
    right = run("fit", "memory", init, "--logs", logs[0], "--logs", f"3={logs[1] / 'worker_3.log'},{logs[1] / 'worker_4.log'}")
    check(close(parts_in(right.stdout), expected), right)
    check("margin: keep " in run("fit", "memory", init, "--logs", logs[0], "--logs", one).stdout, "a rank alone")
    # SAPP's layout: a folder of each device that was run, of which a stage may have several: the largest peak is its own.
    by_stage = [folder / "sapp0", folder / "sapp1" / "log"]
    for at, called, each in zip(by_stage, ("stage_{}_rank_{}", "stage{}_{}"), both):
        for rank in range(6):
            for device in (1024 * rank, 1024 * rank + 7):
                place = at / called.format(rank, device)
                place.mkdir(parents=True)
                (place / "env.log").write_text("HOME=/root")
                (place / "mindformer.log").write_text(log(peak(each, layers, rank) - (device % 1024 == 0)))
    told = run("fit", "memory", init, "--logs", by_stage[0], "--logs", folder / "sapp1")
    check(told.returncode == 0 and close(parts_in(told.stdout), expected) and not told.stderr, told)
    for other in ("stage_3_rank_3072.old", "stage_3_rank_x", "stage", "stages_3"):  # which are of no stage
        (by_stage[0] / other).mkdir()
    check(run("fit", "memory", init, "--logs", by_stage[0], "--logs", folder / "sapp1").stdout == told.stdout, "others")
    one = by_stage[0] / "stage_3_rank_3079" / "mindformer.log"
    one.write_text("start\nUsed peak memory usage (without fragments): lots\n")
    words = ("fit", "memory", init, "--logs", by_stage[0], "--logs", folder / "sapp1")
    fails(2, "stage_3_rank_3079/mindformer.log:2: Used peak memory usage (without fragments): \"lots\" is no number of M", *words)
    one.unlink()
    (one.parent / "env.log").unlink()
    fails(2, "stage_3_rank_3079: has no mindformer.log", *words)
    (one.parent / "worker_5.log").write_text(log(peak(first, layers, 3)))  # the only one: that is it
    check(close(parts_in(run(*words).stdout), expected), run(*words))
    for gone in (2, 5):
        for device in (1024 * gone, 1024 * gone + 7):
            (by_stage[0] / f"stage_{gone}_rank_{device}").rename(folder / f"gone_{device}")
    told = run(*words)
    check(told.returncode == 0 and "sapp0: has no log of stages 2, 5\n" in told.stderr, told)
    (by_stage[0] / "stage_6_rank_6144").mkdir()
    (by_stage[0] / "stage_6_rank_6144" / "mindformer.log").write_text(log(1))
    fails(2, "stage_6_rank_6144/mindformer.log is of stage 6, and ", *words)

    # No constant: other parts have it, and no peak is met.
    told = run("fit", "memory", init, "--no-constant")
    check("constant of a rank" in told.stdout and "left out" in told.stdout and "off the peaks by less" not in told.stdout, told.stdout)

    # The layers: as SAPP has them, and as a profile, which `plan` takes; both are one.
    layer_file = folder / "layers.json"
    check(run("fit", "memory", init, "--name", "tiny", "--format", "sapp", "--output", layer_file).returncode == 0, "layers")
    written = json.loads(layer_file.read_text())
    head, body, tail = written["layers_description"]
    check((written["name"], written["stage_const_mem"]) == ("tiny", 1200), written)
    check([each["type"] for each in (head, body, tail)] == ["HEAD", "BODY", "TAIL"] and body["nb_layer"] == layers, written)
    check([head["time"], body["time"], tail["time"]] == [0.0627, 3.1347, 3.5109], written)
    check([head["memory_parameter"], body["memory_parameter"], tail["memory_parameter"]] == [4600, 2200, 5900], written)
    check({key: body[key] for key in body if key.startswith("memory_")} ==
          {"memory_parameter": 2200, "memory_activation": 1000, "memory_select_rec": 780, "memory_recompute": 420}, body)
    profile = run("fit", "memory", init, "--name", "tiny", "--format", "json")
    made = json.loads(profile.stdout)
    check(made["schema"] == "stagecut-profile-2" and made["memory_constant"] == 1200 * MB and len(made["layers"]) == layers + 2, profile)
    check([each["name"] for each in made["layers"][1]["recomputations"]] == ["select", "full"], made["layers"][1])
    own = folder / "profile.json"
    own.write_text(profile.stdout)
    plan = ("--devices", 6, "--microbatches", 12, "--memory", "40000MiB", "--format", "json")
    a, b = (run("plan", file, *plan) for file in (layer_file, own))
    check(a.returncode == 0 and a.stdout == b.stdout, a, b)
    check(a.stderr == "stagecut: --memory: layers have 1.172 GiB less of a device, by the constant in the profile\n", a.stderr)
    check(json.loads(a.stdout)["memory"]["memory_limit"] == (40000 - 1200) * MB, a.stdout[:600])
    other = run("plan", layer_file, *plan, "--memory-constant", "1GiB")
    check(other.stderr == "stagecut: --memory: layers have 1 GiB less of a device, by --memory-constant\n", other.stderr)
    check("and 1.172 GiB on every device besides\n" in run("show", layer_file).stdout, run("show", layer_file))
    tight = ("plan", layer_file, "--devices", 6, "--microbatches", 12, "--recompute", "auto")
    lacking = run(*tight, "--memory", "6000MiB")
    would = re.search(r"; (\d+) bytes a device would do; --memory: layers have .*, which is not in those bytes$", lacking.stderr)
    check(lacking.returncode == 3 and would, lacking)
    enough = int(would[1]) + 1200 * MB
    check(run(*tight, "--memory", f"{enough}B").returncode == 0 and run(*tight, "--memory", f"{enough - 1}B").returncode == 3, enough)
    fails(2, "--memory: 1 GiB is no more than the constant of a device, 1.172 GiB", "plan", layer_file, "--devices", 6, "--memory", "1GiB")
    fails(2, "--memory-constant: needs --memory", "plan", layer_file, "--devices", 6, "--memory-constant", "1GiB")
    fails(2, "--memory-constant: 5 apples is no size", "plan", layer_file, "--devices", 6, "--memory", "40GiB", "--memory-constant", "5 apples")
    swept = run("sweep", layer_file, "--devices", 6, "--microbatches", 12, "--stages-per-rank", 1, "--memory", "40000MiB")
    check(swept.returncode == 0 and "1.172 GiB less of a device" in swept.stderr, swept)
    # Times that are said are before those of the file; without any, no layers are written.
    said = run("fit", "memory", init, "--times", "1,2,3", "--format", "sapp")
    check([each["time"] for each in json.loads(said.stdout)["layers_description"]] == [1, 2, 3], said)
    init.write_text(sapp(both, layers, range(1, 5), *ends(first)))
    fails(2, "init.yaml: has no times of layers: give --times HEAD,BODY,TAIL, in ms", "fit", "memory", init, "--format", "json")
    # Traces: those of all ranks in the folder, here from the file that names it.
    cells = {"head": "LlamaEmbedding", "body": "LLamaDecodeLayer", "tail": "lm_head-Linear"}
    config = f"profiling_config: {{micro_batch_num: 1, folder_path: traces, head_layers: {cells['head']}, body_layers: {cells['body']}, tail_layers: {cells['tail']}}}\n"
    init.write_text(sapp(both, layers, range(1, 5), *ends(first), config))
    without = run("fit", "memory", init)
    check(without.returncode == 0 and without.stderr.endswith("init.yaml: no times: there are no traces in traces\n"), without)

    def trace(cells_of_rank):
        """Four steps of 10 ms, of which the first two do not count."""
        events = [{"name": "process_name", "ph": "M", "pid": 7, "args": {"name": "Scope Layer"}}]
        for step in range(4):
            begin = 10_000 * step
            events.append({"name": "x/MatMul-op1", "ph": "X", "pid": 1, "tid": 1, "ts": begin, "dur": 1})
            events.append({"name": "Default", "ph": "X", "pid": 7, "tid": 0, "ts": begin, "dur": 9_000})
            for i, (cell, microseconds) in enumerate(cells_of_rank):
                events.append({"name": cell, "ph": "X", "pid": 7, "tid": 3, "ts": begin + 10 + 1_000 * i, "dur": microseconds})
        return json.dumps({"traceEvents": events})

    for rank, some in enumerate(([(cells["head"], 100), ("0-" + cells["body"], 400)], [("1-" + cells["body"], 420), (cells["tail"], 300)])):
        (folder / "traces" / f"rank_{rank}").mkdir(parents=True)
        (folder / "traces" / f"rank_{rank}" / "trace_view.json").write_text(trace(some))
    traced = run("fit", "memory", init, "--format", "sapp")
    check(traced.returncode == 0 and [each["time"] for each in json.loads(traced.stdout)["layers_description"]] == [0.1, 0.41, 0.3], traced)
    (folder / "traces" / "rank_1" / "trace_view.json").unlink()
    fails(2, "no trace has the tail: give --times instead", "fit", "memory", init, "--format", "sapp")

    # What is next, after what was made: as few runs as tell what is missing, of the pipeline of the file.
    after = folder / "after.yaml"
    even = {"offset": [0] * 6, "recompute": [0] * 6, "select_recompute": [0] * 6, "select_comm_recompute": [0] * 6}
    after.write_text(sapp([even], layers, range(1, 5), *ends(even)))
    fails(2, "after.yaml: the constant and the parameters of a layer", "fit", "memory", after)
    said = run("fit", "guide", "--after", after, "--recompute", "full")
    check(said.returncode == 0 and said.stdout.startswith("run 1: ") and "1 run determines all parts" in said.stdout, said)
    more = folder / "more.yaml"
    more.write_text(run("fit", "guide", "--after", after, "--recompute", "full", "--format", "sapp").stdout)
    write_logs(folder / "more", runs_of(more.read_text())[0], layers)
    told = run("fit", "memory", after, more, "--logs", folder / "more")  # of the file that has no memory
    check(told.returncode == 0 and close(parts_in(told.stdout), {p: PARTS[p] for p in ("constant", "parameters", "none", "full", "head", "tail")}), told)
    fails(2, "--recompute: lacks select, which layers in", "fit", "guide", "--after", init, "--recompute", "full")

    # Words and files that make no sense.
    fails(2, "FILE is required", "fit", "memory")
    fails(2, "--devices is required", "fit", "guide", "--layers", 8)
    fails(2, "--layers is required", "fit", "guide", "--devices", 4)
    fails(2, "--devices: 1 is no whole number from 2", "fit", "guide", "--devices", 1, "--layers", 8)
    fails(2, "--layers = 3, must be at least the number of ranks, 4", "fit", "guide", "--devices", 4, "--layers", 3)
    fails(2, "--recompute: ful is none of none, select, comm, both, full: did you mean full?", "fit", "guide", "--devices", 4, "--layers", 8, "--recompute", "ful")
    fails(2, "--most-layers = 1, must be at least 2", "fit", "guide", "--devices", 4, "--layers", 8, "--most-layers", 1)
    fails(2, "--runs = 1, must be at least 2", "fit", "guide", "--devices", 3, "--layers", 11, "--recompute", "full", "--runs", 1)
    fails(2, "--no-constant: goes without --as-sapp", "fit", "memory", init, "--as-sapp", "--no-constant")
    fails(2, "--times: 1,2 has 2 numbers", "fit", "memory", init, "--times", "1,2")
    fails(2, "--times: -1 is no number of milliseconds", "fit", "memory", init, "--times=-1,2,3")
    fails(2, "more.yaml: has no memory_usage: give the logs of its ranks by --logs", "fit", "memory", more)
    fails(2, "--logs: is given 1 time, and there are 2 runs to measure", "fit", "memory", init, "--logs", logs[0])
    fails(2, "worker_0.log,0=", "fit", "memory", more, "--logs", f"{logs[0] / 'worker_0.log'},0={logs[0] / 'worker_0.log'}")
    fails(2, "is of rank 6, and ", "fit", "memory", more, "--logs", f"6={logs[0] / 'worker_0.log'}")
    (folder / "empty").mkdir()
    fails(2, "has no file whose name ends in the number of a rank: worker_3.log, nor a folder stage_3_rank_3072 with mindformer.log", "fit", "memory", more, "--logs", folder / "empty")
    fails(2, "scheduler.log: has no line", "fit", "memory", more, "--logs", logs[0] / "scheduler.log")
    fails(2, "its model has 18 layers, and the model of ", "fit", "memory", folder / "runs.yaml", init)
    fails(2, "none.yaml: ", "fit", "memory", folder / "none.yaml")
    fails(2, "is an input", "fit", "memory", init, "--output", init)
    fails(2, "- is standard input, which can be read only once", "fit", "memory", "-", "-")
    odd = {**even, "offset": [1] + [0] * 5}
    init.write_text(sapp([odd], layers, range(1, 5), *ends(odd)))
    fails(2, "leaves 19 layers on the ranks, and the model has 18", "fit", "memory", init, "--no-constant")
    check(run("fit", "memory", init, "--no-constant", "--lenient").returncode == 0, run("fit", "memory", init, "--no-constant", "--lenient"))

print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
