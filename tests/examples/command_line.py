# SPDX-License-Identifier: BSL-1.0
"""The planner as a user meets it: standard output, standard error and exit status of whole commands."""

import itertools
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    jsonschema = None  # the test `schema` then says that it is skipped

from program import binary, check, fails, failures, run, run_in_terminal, stage_bytes

docs = pathlib.Path(__file__).resolve().parents[2] / "docs"
models = pathlib.Path(__file__).resolve().parents[2] / "examples" / "models"


def best(weights, stages):
    """The first of the best cuts in lexicographic order, by trying all."""
    ways = itertools.combinations(range(1, len(weights)), stages - 1)
    cuts = [(0, *way, len(weights)) for way in ways]
    return min(cuts, key=lambda c: (max(sum(weights[a:b]) for a, b in zip(c, c[1:])), c))


def check_plan(text, weights, stages):
    done = run("plan", "-", "--devices", stages, "--format", "json", stdin=text)
    check(done.returncode == 0 and done.stderr == "", done)
    plan = json.loads(done.stdout)
    cuts = best(weights, stages)
    times = [sum(weights[a:b]) for a, b in zip(cuts, cuts[1:])]
    check(plan["cuts"] == list(cuts), weights, stages, plan["cuts"], "not", cuts)
    objective = {"name": "bottleneck", "value": max(times), "bound": max(times), "state": "optimal"}
    check(plan["objective"].items() >= objective.items(), plan["objective"])
    expected = [{"first": a, "last": b, "time": t} for a, b, t in zip(cuts, cuts[1:], times)]
    check(all(s.items() >= e.items() for s, e in zip(plan["stages"], expected)), plan["stages"], "not", expected)
    check(len(plan["stages"]) == stages, plan["stages"])


generator = random.Random(1)
for _ in range(60):
    weights = [generator.choice((0, 1, 2, 5, 9, 30)) for _ in range(generator.randint(1, 10))]
    check_plan("time\n" + "".join(f"{w}\n" for w in weights), weights, generator.randint(1, len(weights)))
layers = [(f"l{i}", generator.randint(0, 9), generator.randint(0, 9)) for i in range(9)]
header = "name,kind,forward,backward,parameters,activations,output\n"
check_plan(header + "".join(f"{n},x,{f},{b},1,2,3\n" for n, f, b in layers), [f + b for _, f, b in layers], 4)
nodes = [f"{n} -- x(1, 2) -- forward_compute_time={1000 * f}, backward_compute_time={1000 * b}, activation_size=1, parameter_size=0\n" for n, f, b in layers]
generator.shuffle(nodes)
check_plan("".join(nodes) + "".join(f"\tl{i} -- l{i + 1}\n" for i in range(8)), [f + b for _, f, b in layers], 3)

# The shipped profiles are what the program computes, and their plans are the best of all.
for preset in ("gpt2-xl", "llama-2-7b"):
    shipped = (models / f"{preset}.csv").read_text()
    computed = run("profile", "transformer", "--preset", preset, "--format", "csv").stdout
    check(computed == shipped, preset, "differs from the shipped profile")
    done = run("plan", models / f"{preset}.csv", "--devices", 4, "--format", "json")
    rows = [row.split(",") for row in shipped.splitlines()[1:]]
    times = [float(row[2]) + float(row[3]) for row in rows]
    expected = max(sum(times[a:b]) for a, b in itertools.pairwise(best(times, 4))) if hasattr(itertools, "pairwise") else None
    value = json.loads(done.stdout)["objective"]["value"]
    check(expected is None or abs(value - expected) <= 1e-12 * expected, preset, value, expected)

text = run("plan", models / "gpt2-xl.csv", "--devices", 4)
check(text.returncode == 0 and text.stdout.count("#") > 80 and "optimal" in text.stdout, text)
check("layers.47" not in text.stdout and "output" in text.stdout, text.stdout)
demo = run("demo")
check(demo.returncode == 0 and demo.stdout.count("\nmakespan: ") == 4, demo)
check(all(demo.stdout.count(f"\n{cut}  ") == 4 for cut in ("as many layers each", "heaviest stage lightest", "least makespan")), demo)
check(run("--version").stdout.startswith("stagecut "), "--version")
check(run("--help").returncode == 0 and "plan" in run("--help").stdout, "--help")

# Every preset is profiled and planned, and what is read back and written again is the same.
with tempfile.TemporaryDirectory() as folder:
    profile, plan, config = (pathlib.Path(folder) / name for name in ("profile.json", "plan.json", "config.json"))
    for preset in [line.split()[0] for line in run("presets").stdout.splitlines()[1:]]:
        check(run("profile", "transformer", "--preset", preset, "--output", profile).returncode == 0, preset)
        check(run("show", profile, "--format", "json").stdout == profile.read_text(), preset, "is not read back")
        words = ("plan", profile, "--devices", 4, "--microbatches", 8, "--memory", "none")
        done = run(*words, "--format", "json", "--timeline", "--output", plan)
        large = done.stderr.endswith(" has 74.51 GiB: nothing limits the plan, by --memory none\n")  # the device it is computed for
        check(done.returncode == 0 and done.stdout == "" and (done.stderr == "" or large), done)
        check(run("show", plan, "--format", "json").stdout == plan.read_text(), preset, "'s plan is not read back")
        made = json.loads(plan.read_text())
        if jsonschema:
            for kind, value in (("profile", made["profile"]), ("plan", made)):
                schema = json.loads((docs / f"{kind}.schema.json").read_text())
                if kind == "plan":
                    schema["properties"]["profile"] = {"type": "object"}  # checked for itself
                wrong = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(value))
                check(wrong is None, preset, kind, wrong)
        check(made["profile"] == json.loads(profile.read_text()), preset, "is not the profile in its plan")
        check(len(made["timeline"]) == 2 * 4 * 8 and max(p[4] for p in made["timeline"]) == made["objective"]["value"], preset)
        check(made["makespan"] > made["objective"]["value"], preset, "does nothing behind its passes")
        check(run("show", plan).stdout == run(*words).stdout, preset)
        check(preset in run("show", profile).stdout, preset)
        config.write_text(run("profile", "transformer", "--preset", preset, "--format", "config").stdout)
        again = run("profile", "transformer", "--config", config).stdout
        check(again == profile.read_text(), preset, "'s configuration gives another profile")
    small = run("profile", "transformer", "--config", config, "--set", "layers=2", "--set", "tied=replicate").stdout
    check(sum(l["kind"] == "decoder" for l in json.loads(small)["layers"]) == 2 and '"tied"' in small, small)

    # From a model to the line in a launch script; the other way round by the rules of Megatron-LM: megatron_layout.py.
    llama = run("profile", "transformer", "--preset", "llama-2-7b").stdout
    line = run("plan", "-", "--devices", 4, "--microbatches", 16, "--format", "megatron", stdin=llama).stdout
    batch = "--bf16 --seq-length 4096 --micro-batch-size 1 --global-batch-size"
    check(line == f'--pipeline-model-parallel-size 4 --pipeline-model-parallel-layout "Et*8|t*8|t*8|t*8L" {batch} 16\n', line)
    chunks = run("plan", "-", "--devices", 2, "--stages-per-rank", 2, "--microbatches", 8, "--format", "megatron", stdin=llama).stdout
    check(chunks.startswith("--pipeline-model-parallel-size 2 ") and chunks.count("|") == 3, chunks)
    formats = [line.split()[0] for line in run("formats").stdout.splitlines()]
    for schedule in ("gpipe", "1f1b"):
        for format in formats:
            done = run("plan", "-", "--devices", 4, "--microbatches", 8, "--schedule", schedule, "--objective", "bottleneck",
                       "--format", format, stdin=llama)
            refused = "cannot express this schedule: it is" in done.stderr
            check(refused == (done.returncode == 2) and refused != bool(done.stdout), format, done)
            check(done.stdout.count("\n") == 0 or done.stdout.endswith("\n"), format, "does not end its line")
    plan.write_text(run("plan", "-", "--devices", 4, "--stages-per-rank", 2, "--microbatches", 8, "--format", "json", stdin=llama).stdout
                    .replace('"microbatches": 8', '"microbatches": 6'))
    fails(2, "6 microbatches, and interleaved they must be a multiple of the 4 ranks", "show", plan, "--format", "megatron")
    for format, call in (("torchgpipe", "GPipe"), ("fairscale", "Pipe")):
        words = ("plan", "-", "--devices", 4, "--microbatches", 8, "--format", format)
        check(f"\nmodel = {call}(model, balance, chunks=8, " in run(*words, "--schedule", "gpipe", stdin=llama).stdout, format)
        check(run(*words, stdin=llama).stdout == run(*words, "--schedule", "gpipe", stdin=llama).stdout, format, "runs gpipe alone")
        fails(2, f"{format} cannot express this schedule: it is", *words, "--schedule", "1f1b", stdin=llama)
    flags = ("--format", "megatron-flags")
    check(run("plan", "-", "--devices", 5, *flags, stdin=llama).stdout ==
          "--pipeline-model-parallel-size 5 --decoder-first-pipeline-num-layers 6 --decoder-last-pipeline-num-layers 5"
          " --bf16 --seq-length 4096 --micro-batch-size 1\n", "the best of flags")
    fails(3, "megatron-flags: 32 decoders do not come out even on 10 stages", "plan", "-", "--devices", 5, "--stages-per-rank", 2,
          "--microbatches", 5, *flags, stdin=llama)
    # Of several stages a device the first and the last may have a decoder less.
    for layers, accounted in ((31, ("embedding", )), (31, ("loss", )), (30, ("embedding", "loss")), (32, ())):
        model = run("profile", "transformer", "--preset", "llama-2-7b", "--set", f"layers={layers}").stdout
        heavy = json.loads(model)
        decoder = next(layer for layer in heavy["layers"] if layer["kind"] == "decoder")
        for layer in heavy["layers"] if len(accounted) == 1 else ():  # one takes as long as a decoder, the other nothing
            for kind, name in (("embedding", "embedding"), ("head", "loss")):
                if layer["kind"] != kind: continue
                for passes in ("forward", "backward"): layer[passes] = decoder[passes] if name in accounted else 0
        done = run("plan", "-", "--devices", 4, "--stages-per-rank", 2, "--microbatches", 8, *flags, stdin=json.dumps(heavy))
        check(done.stdout == "--pipeline-model-parallel-size 4 --num-layers-per-virtual-pipeline-stage 4" +
              "".join(f" --account-for-{each}-in-pipeline-split" for each in accounted) +
              " --bf16 --seq-length 4096 --micro-batch-size 1 --global-batch-size 8\n", layers, done)
    fails(2, "llama is no format (see stagecut formats)", "plan", "-", "--devices", 5, "--format", "llama", stdin=llama)
    fails(2, "is a profile, and megatron is a format of plans", "show", profile, "--format", "megatron")

    # Llama 3.1 405B on 16 devices of 80 GiB: with 8 devices a stage it fits, without it does not.
    run("profile", "transformer", "--preset", "llama-3.1-405b", "--tensor-parallel", 8, "--output", profile)
    limit = 80 * 2**30
    done = run("plan", profile, "--devices", 16, "--microbatches", 64, "--memory", "80GiB", "--format", "json")
    check(done.returncode == 0, done)
    stages = json.loads(done.stdout)["stages"]
    check(len(stages) == 16 and all(stage_bytes(s) <= limit for s in stages), stages)
    check([s["in_flight"] for s in stages] == list(range(16, 0, -1)), stages)
    run("profile", "transformer", "--preset", "llama-3.1-405b", "--output", profile)
    fails(3, "finds no place: the fullest of 16 stages needs at least", "plan", profile, "--devices", 16, "--memory", "80GiB")
    fails(3, "bytes a device would do", "plan", profile, "--devices", 16, "--memory", "80GiB")
    fails(3, "finds no place", "plan", profile, "--devices", 16, "--memory", limit, "--format", "json")
    fails(3, 'infeasible: layer 1 ("layers.0") needs', "plan", profile, "--devices", 16, "--memory", "2GB")

# What stages are cut by.
kinds = header + "e,Embedding,1,0,900,0,0\n" + "b,Block,2,0,100,0,0\n" * 5 + "h,Head,9,0,100,0,0\n"


def cuts(*words, stdin=kinds, devices=3):
    done = run("plan", "-", "--devices", devices, "--format", "json", *words, stdin=stdin)
    check(done.returncode == 0, words, done)
    made = json.loads(done.stdout)
    return made["cuts"], made["objective"]["of"]


check(cuts() == ([0, 2, 6, 7], "time"), cuts())
check(cuts("--method", "parameters") == ([0, 1, 2, 7], "parameters"), cuts("--method", "parameters"))
check(cuts("--method", "uniform") == ([0, 3, 5, 7], "layers"), cuts("--method", "uniform"))
check(cuts("--method", "type:block") == ([0, 2, 4, 7], "type:block"), cuts("--method", "type:block"))
check(cuts("--method", "type:^(?:x|:|Block)$")[0] == [0, 2, 4, 7], "a colon in an expression cuts it short")
check(cuts("--time-weight", 1) == ([0, 2, 6, 7], "time and memory"), cuts("--time-weight", 1))
check(cuts("--time-weight", 0)[0] == [0, 1, 2, 7], cuts("--time-weight", 0))
untimed = header + "a,x,0,0,5,0,0\nb,x,0,0,5,0,0\n"
done = run("plan", "-", "--devices", 2, stdin=untimed)
check(done.returncode == 0 and "no layer has a time: cut by bytes of parameters" in done.stderr, done)
check("bottleneck of parameters: 5 B" in done.stdout, done)
fails(2, "no layer has a time, and none has parameters", "plan", "-", "--devices", 1, stdin=header + "a,x,0,0,0,0,0\n")
fails(2, "no layer has a kind that matches conv", "plan", "-", "--devices", 1, "--method", "type:conv", stdin=kinds)
fails(2, "type:( is no regular expression", "plan", "-", "--devices", 1, "--method", "type:(", stdin=kinds)
fails(2, "type:a)(b is no regular expression", "plan", "-", "--devices", 1, "--method", "type:a)(b", stdin=kinds)
fails(2, "back-references are not known", "plan", "-", "--devices", 1, "--method", r"type:(a)\1", stdin=kinds)
# By backtracking this takes years.
fails(2, "no layer has a kind that matches (a+)+$", "plan", "-", "--devices", 1, "--method", "type:(a+)+$",
      stdin=header + f"a,{'a' * 999}!,1,1,1,1,1\n")
fails(2, "--method: profile is none of", "plan", "-", "--devices", 1, "--method", "profile", stdin=kinds)
fails(2, "a kind is longer", "plan", "-", "--devices", 1, "--method", "type:a", stdin=header + f"a,{'a' * 2000},1,1,1,1,1\n")
fails(2, "--time-weight: goes with", "plan", "-", "--devices", 1, "--method", "uniform", "--time-weight", 1, stdin=kinds)
fails(2, "--time-weight = 2", "plan", "-", "--devices", 1, "--time-weight", 2, stdin=kinds)

# The makespan, which the heaviest stage does not tell; other objectives where it is not known.
uneven = header + "".join(f"l{i},x,{f},{2 * f},10,3,1\n" for i, f in enumerate((8, 11, 2, 1, 18, 5, 4, 11)))


def planned(*words, stdin=uneven, devices=("--devices", 4)):
    done = run("plan", "-", *devices, "--format", "json", *words, stdin=stdin)
    check(done.returncode == 0, words, done)
    return json.loads(done.stdout)


least = planned("--microbatches", 8)
check(least["objective"] == {"name": "makespan", "of": "time", "value": 573, "bound": 573, "state": "optimal"}, least)
check((least["makespan"], least["cuts"]) == (573, [0, 3, 5, 6, 8]), least)
check(planned("--microbatches", 8, "--objective", "makespan") == least, "makespan is not the default")
lightest = planned("--microbatches", 8, "--objective", "bottleneck")
check((lightest["makespan"], lightest["objective"]["name"]) == (600, "bottleneck"), lightest)
check(planned()["objective"]["name"] == "bottleneck", "an iteration of unknown length")
check(planned("--microbatches", 8, "--method", "uniform")["cuts"] == [0, 2, 4, 6, 8], "--method uniform")
check(planned("--microbatches", 8, "--in-flight", "2,2,2,1")["makespan"] == 960, "--in-flight")
hasty = planned("--microbatches", 8, "--time-limit", 0)["objective"]
check(hasty["bound"] <= 573 <= hasty["value"], hasty)
text = run("plan", "-", "--devices", 4, "--microbatches", 8, stdin=uneven).stdout
check("makespan: 573 s, optimal: no cut is below 573 s\n" in text, text)
last = ("--microbatches", 8, "--checkpoint", "except_last", "--schedule", "gpipe", "--devices", 4)
check(planned(*last, devices=())["objective"]["name"] == "bottleneck", "all but the last recomputed")
fails(2, "--objective: makespan: ", "plan", "-", *last, "--objective", "makespan", stdin=uneven)

# A schedule that cannot run as asked is refused, whatever is minimised and however it is asked for.
objectives = ((), ("--objective", "makespan"), ("--objective", "bottleneck"), ("--objective", "leximax"), ("--method", "uniform"),
              ("--memory", "1MB"))
for words, why in (
    (("--microbatches", 6, "--stages-per-rank", 2), "--microbatches = 6, must be a multiple of the devices, 4, for interleaved: 4 or 8 would do, or a group of 6, as in PyTorch"),
    (("--microbatches", 3, "--stages-per-rank", 2), "--microbatches = 3, must be a multiple of the devices, 4, for interleaved: 4 would do, or a group of 3, as in PyTorch"),
    (("--microbatches", 2**30 + 1, "--stages-per-rank", 2), "--microbatches = 1073741825, must be a multiple of the devices, 4"),
    (("--microbatches", 6, "--stages-per-rank", 2, "--schedule", "interleaved"), "--microbatches = 6, must be a multiple of the devices"),
    (("--microbatches", 8, "--stages-per-rank", 2, "--in-flight", "4,3,2,1,1,1,1,1"), "--in-flight: is of one stage on each device"),
    (("--stages-per-rank", 2, "--in-flight", "4,3,2,1,1,1,1,1"), "--in-flight: is of one stage on each device"),
    (("--microbatches", 8, "--schedule", "gpipe", "--in-flight", "4,3,2,1"), "--schedule = gpipe, must be 1f1b for numbers in flight"),
    (("--microbatches", 8, "--schedule", "eager-1f1b", "--in-flight", "4,3,2,1"), "--schedule = eager-1f1b, must be 1f1b for numbers"),
    (("--microbatches", 9, "--stages-per-rank", 2, "--group", 4), "--group = 4, must be from the devices, 4, on and leave of 9 microbatches"),
    (("--microbatches", 8, "--group", 4), "--group: 4 is of several stages on each device"),
    (("--microbatches", 8, "--schedule", "gpipe", "--group", 4), "--group: 4 is of interleaved, not of gpipe"),
    (("--microbatches", 8, "--in-flight", "4,3"), "--in-flight: 2 values where 4 are needed, one for each of the stages"),
):
    for objective in objectives:
        fails(2, why, "plan", "-", "--devices", 4, *words, *objective, stdin=uneven)
grouped = json.dumps(planned("--microbatches", 5, "--stages-per-rank", 2, "--group", 5, devices=("--devices", 2)))
check(json.loads(grouped)["schedule"] == {"name": "interleaved", "microbatches": 5, "group": 5}, grouped)
for words in ((), ("--schedule", "interleaved"), ("--schedule", "interleaved", "--group", 5)):
    again = json.loads(run("simulate", "-", *words, "--format", "json", stdin=grouped).stdout)
    check(again["makespan"] == json.loads(grouped)["makespan"], words, again)
done = run("plan", "-", "--devices", 2, "--microbatches", 5, "--stages-per-rank", 2, "--group", 5, stdin=uneven)
check("interleaved of 5 microbatches in groups of 5: " in done.stdout, done)
auto = ("plan", "-", "--devices", 4, "--schedule", "auto")
fails(2, "--in-flight: is of one stage", *auto, "--microbatches", 8, "--stages-per-rank", 2, "--in-flight", "4,3,2,1", stdin=uneven)
fails(2, "--in-flight: 2 values where 4 are needed", *auto, "--microbatches", 8, "--in-flight", "4,3", stdin=uneven)
fails(2, "--device-speeds: 2 values where", *auto, "--microbatches", 8, "--device-speeds", "1,2", stdin=uneven)
fails(2, "--devices = 4, must not be above the devices of the topology, 2", *auto, "--microbatches", 8, "--topology", "2:1GB", stdin=uneven)
done = run(*auto, "--microbatches", 6, "--stages-per-rank", 2, stdin=uneven)  # looped-bfs can
check(done.returncode == 0 and "looped-bfs" in done.stdout and "\ninterleaved" not in done.stdout, done)
done = run("plan", "-", "--devices", 4, "--microbatches", 2**18 + 1, stdin=uneven)  # which could run, but is too long to be predicted
check(done.returncode == 0 and "bottleneck of time" in done.stdout, done)
check(done.stderr == "stagecut: standard input: no makespan is predicted: there are more than 2^20 forward passes\n", done)
fails(2, "--objective: makespan: the number of microbatches is not known", "plan", "-", "--devices", 2, "--objective", "makespan", stdin=uneven)
fails(2, "--objective: makespan: stages are measured by something else", "plan", "-", "--devices", 2, "--microbatches", 4,
      "--method", "uniform", "--objective", "makespan", stdin=uneven)
for limit in (-1, "nan", "x", "inf", "1e999", ""):
    fails(2, "--time-limit", "plan", "-", "--devices", 2, "--time-limit", limit, stdin=uneven)
# By stages, to be compared, every schedule can be planned, and predicts what it simulates to.
split = "name,forward,backward_input,backward_weight,parameters,activations,output\n" + "".join(
    f"l{i},{f},{f},{f},10,3,1\n" for i, f in enumerate((8, 11, 2, 1, 18, 5, 4, 11)))
for schedule in (line.split()[0] for line in run("schedules").stdout.splitlines()[1:]):
    if schedule in ("in-flight", "seq-1f1b", "backward-first", "synthesize"):  # the last is of the makespan alone
        continue
    several = schedule in ("interleaved", "looped-bfs", "interleaved-zb", "zbv", "dualpipev", "sapp-big", "sapp-less-memory")
    words = ("--devices", 2, "--microbatches", 4, "--schedule", schedule) + (("--stages-per-rank", 2) if several else ())
    for how in (("--method", "uniform"), ("--objective", "bottleneck"), ("--method", "parameters"),
                ("--objective", "bottleneck", "--memory", "2KB")):
        made = run("plan", "-", *words, *how, "--format", "json", stdin=split).stdout
        document = json.loads(made or "{}")
        check(document.get("objective", {}).get("name") == "bottleneck", schedule, how, document)
        again = json.loads(run("simulate", "-", "--format", "json", stdin=made).stdout or "{}")
        check(again.get("makespan") == document["makespan"], schedule, how)
        if schedule in ("zbv", "dualpipev"):
            check([s["device"] for s in document["stages"]] == [0, 1, 1, 0], schedule)
fails(3, "the fullest of 2 devices of 2 stages each needs at least", "plan", "-", "--devices", 2, "--stages-per-rank", 2, "--microbatches", 4,
      "--schedule", "zbv", "--objective", "bottleneck", "--memory", "90B", stdin=split)
fails(2, "--schedule: interleaved needs --stages-per-rank above 1", "plan", "-", "--devices", 2, "--microbatches", 4, "--schedule", "interleaved", stdin=uneven)
fails(2, "--stages-per-rank = 3, must be 2 for zbv", "plan", "-", "--devices", 4, "--stages-per-rank", 3, "--microbatches", 4, "--schedule", "zbv", stdin=split)
fails(3, "none of 5 combinations: 10 stages need at least 10 layers", "plan", "-", "--devices", 2, "--stages-per-rank", 5, "--microbatches", 4,
      "--schedule", "auto", stdin=uneven)
fails(2, "--microbatches = 2, must be at least twice", "plan", "-", "--devices", 2, "--microbatches", 2, "--schedule", "zb-h1", stdin=split)
fails(2, "has no backward_weight: the schedule runs the gradients", "plan", "-", "--devices", 2, "--microbatches", 4, "--schedule", "zb-h1", stdin=uneven)
fails(2, "--schedule: fastest not in {auto,gpipe,", "plan", "-", "--devices", 2, "--schedule", "fastest", stdin=uneven)
fails(2, "--schedule: auto compares makespans: the number of microbatches", "plan", "-", "--devices", 2, "--schedule", "auto", stdin=uneven)
fails(2, "--objective = bottleneck, must be the makespan, by which plans are compared", "plan", "-", "--devices", 2, "--microbatches", 4, "--schedule", "auto",
      "--objective", "bottleneck", stdin=uneven)

# Other objectives of the stages' times, against all cuts.
def spread(times):
    mean = sum(times) / len(times)
    return sum((t - mean) ** 2 for t in times) / len(times)


measures = {"bottleneck": max, "leximax": lambda times: sorted(times, reverse=True), "variance": spread,
            "range": lambda times: max(times) - min(times)}
for name, measure in measures.items():
    made = planned("--objective", name)
    cuts_of = [(0, *way, 8) for way in itertools.combinations(range(1, 8), 3)]
    weights = [3 * w for w in (8, 11, 2, 1, 18, 5, 4, 11)]
    least = min(cuts_of, key=lambda c: (measure([sum(weights[a:b]) for a, b in zip(c, c[1:])]), c))
    check(made["cuts"] == list(least), name, made["cuts"], least)
    value = measure([stage["time"] for stage in made["stages"]])
    value = value[0] if name == "leximax" else value
    check(abs(made["objective"]["value"] - value) < 1e-9 and made["objective"]["name"] == name, name, made["objective"])
for name, words in (("range", "between the heaviest and the lightest stage, optimal"), ("leximax", "s for the heaviest stage, then the next"),
                    ("variance", "from the mean of the stages (root of the mean square), optimal")):
    text = run("plan", "-", "--devices", 4, "--objective", name, stdin=uneven).stdout
    check(f"\n{name}: " in text and words in text, text)
text = run("plan", "-", "--devices", 2, "--objective", "range", "--method", "parameters", stdin=uneven).stdout
check("range of parameters: 0 B between" in text, text)
fails(2, "--objective: range is of equal devices without messages: ", "plan", "-", "--devices", 2, "--objective", "range",
      "--device-speeds", "1,2", stdin=uneven)
fails(2, "--objective: variance is of equal devices without messages: ", "plan", "-", "--devices", 2, "--objective", "variance",
      "--bandwidth", "1GB", stdin=uneven)

# Devices of different speeds, and links between them: the plan remembers both.
fast = planned("--microbatches", 8, "--device-speeds", "1,1,2,1")
check(fast["speeds"] == [1, 1, 2, 1] and "messages" not in fast, fast)
check(fast["makespan"] < 573, fast["makespan"])
for stage in fast["stages"]:
    work = sum((8, 11, 2, 1, 18, 5, 4, 11)[stage["first"]:stage["last"]])
    check(stage["forward"] == work / fast["speeds"][stage["device"]] and stage["backward"] == 2 * stage["forward"], stage)
check("  speed  " in run("plan", "-", "--devices", 4, "--device-speeds", "1,1,2,1", stdin=uneven).stdout, "no column of speeds")
slow = planned("--microbatches", 8, "--bandwidth", 1, "--latency", 2, "--transfers", "blocking")
check(slow["messages"] == {"kind": "blocking", "links": [{"latency": 2, "bandwidth": 1}]}, slow)
check(slow["makespan"] > 573, slow["makespan"])
check(planned("--microbatches", 8, "--latency", 0)["makespan"] == 573, "messages of no time")
check("573 s without transfers" in run("plan", "-", "--devices", 4, "--microbatches", 8, stdin=uneven).stdout, "no links")
alone = run("plan", "-", "--devices", 1, "--microbatches", 8, "--latency", 1, stdin=uneven).stdout
check("1f1b of 8 microbatches: " in alone and "transfers" not in alone, alone)
check("with transfers" in run("plan", "-", "--devices", 4, "--microbatches", 8, "--latency", 1, stdin=uneven).stdout, "links")
blocked = planned("--objective", "bottleneck", "--bandwidth", 1, "--transfers", "blocking")
ends = (2, 4, 4, 2)
check([s["time"] for s in blocked["stages"]] == [s["forward"] + s["backward"] + e for s, e in zip(blocked["stages"], ends)], blocked)
nodes = planned("--microbatches", 8, "--topology", "2x4:1GB,1@0.5")
check([link["bandwidth"] for link in nodes["messages"]["links"]] == [1e9, 1, 1e9], nodes["messages"])
check([link["latency"] for link in nodes["messages"]["links"]] == [0, 0.5, 0], nodes["messages"])
done = run("plan", "-", "--devices", 2, "--microbatches", 8, "--schedule", "auto", "--topology", "1x2:1GB,1", "--device-speeds", "1,2",
           stdin=uneven)
check(done.returncode == 0 and all(name in done.stdout for name in ("1f1b", "eager-1f1b", "interleaved")), done)
with tempfile.TemporaryDirectory() as folder:
    kept = pathlib.Path(folder) / "plan.json"
    for made in (fast, slow, nodes, blocked):
        kept.write_text(json.dumps(made))
        if "makespan" in made:
            again = json.loads(run("simulate", kept, "--format", "json").stdout)["makespan"]
            check(again == made["makespan"], "is not simulated as it was planned", again, made["makespan"])
            both = json.loads(run("compare", kept, kept, "--format", "json").stdout)
            check([each["makespan"] for each in both] == [made["makespan"]] * 2, both)
        shown = json.loads(run("show", kept, "--format", "json").stdout)
        check(shown == made, "is not read back", shown)
    kept.write_text(json.dumps(slow))
    other = lambda *words: json.loads(run("simulate", kept, "--format", "json", *words).stdout)["makespan"]
    check(other("--latency", 0) < other() and other("--transfers", "latency") < other(), "no other links than those of the plan")
    check(other("--bandwidth", 0.5, "--latency", 2) > other(), "the links that are said")
    kept.write_text(json.dumps(fast))
    # Another schedule may have other neighbours: stage 1 stays on device 1, stages 2 and 3 change places.
    split = [{"name": str(i), "forward": 4, "backward": 8, "backward_input": 4, "backward_weight": 4, "output": 1} for i in range(4)]
    split = json.dumps({"schema": "stagecut-profile-2", "layers": split})
    for schedule, placed in (("interleaved", (0, 1, 0, 1)), ("zbv", (0, 1, 1, 0))):
        for words in ((), ("--topology", "1x2:1GB,1@0.5")):
            made = planned("--devices", 2, "--stages-per-rank", 2, "--microbatches", 4, "--schedule", schedule, "--device-speeds", "1,2", *words,
                           stdin=split, devices=())
            check([stage["device"] for stage in made["stages"]] == list(placed), made)
            check([stage["forward"] for stage in made["stages"]] == [(4, 2)[device] for device in placed], made)
            kept.write_text(json.dumps(made))
            check(other() == made["makespan"], schedule)
            swapped = {"interleaved": "zbv", "zbv": "interleaved"}[schedule]
            if words:
                fails(2, f"--schedule: {swapped} has other neighbours, whose links the plan does not know: give --bandwidth", "simulate",
                      kept, "--schedule", swapped)
                check(other("--schedule", swapped, "--latency", 0) > 0, swapped)
            else:
                there = planned("--devices", 2, "--stages-per-rank", 2, "--microbatches", 4, "--schedule", swapped, "--device-speeds", "1,2",
                                stdin=split, devices=())
                check(other("--schedule", swapped) == there["makespan"], schedule, "as", swapped)
fails(2, "must run the model in a finite time", "plan", "-", "--devices", 2, "--device-speeds", "1,1e-310",
      stdin="3\n1\n")
for word in "--topology", "--device-speeds", "--keep-together", "--forbid-cut":
    fails(2, f"{word}: must not be empty", "plan", "-", "--devices", 2, word, "", stdin=uneven)
fails(2, "--device-speeds: 2 values where each of the devices needs one", "plan", "-", "--devices", 4, "--device-speeds", "1,2", stdin=uneven)
fails(2, "--device-speeds: 0 of device 1 must be finite and above 0", "plan", "-", "--devices", 2, "--device-speeds", "1,0", stdin=uneven)
fails(2, "--device-speeds: 1,x is no list of numbers: 1,1,0.5,1", "plan", "-", "--devices", 2, "--device-speeds", "1,x", stdin=uneven)
fails(2, "--bandwidth: fast is no size", "plan", "-", "--devices", 2, "--bandwidth", "fast", stdin=uneven)
nothing = "has no effect: no layer has an output, and messages have no latency"
for word, link in (("--bandwidth", "1GB"), ("--topology", "2:1GB"), ("--topology", "2x2:1GB,1GB@0")):
    fails(2, f"{word}: {nothing}", "plan", "-", "--devices", 2, word, link, stdin="1\n2\n")
fails(2, f"--bandwidth: {nothing}", "plan", "-", "--devices", 2, "--bandwidth", "1GB", "--latency", 0, stdin="1\n2\n")
# Empty messages take the latency alone, however it is told.
for words in (("--topology", "2:1GB@0.5"), ("--topology", "1x2:1GB,1GB@0.5"), ("--latency", 0.5), ("--latency", 0.5, "--bandwidth", "1GB")):
    late = planned("--devices", 2, "--microbatches", 1, *words, stdin="2\n2\n", devices=())
    check(late["makespan"] == 2 + 0.5 + 2 + 0.5, words, late)
    check([link["latency"] for link in late["messages"]["links"]] == [0.5], words, late)
blocked = planned("--devices", 2, "--topology", "2:1GB@0.5", "--transfers", "blocking", stdin="2\n2\n", devices=())
check([stage["time"] for stage in blocked["stages"]] == [3, 3], blocked)
# A list is of each boundary; a topology tells the devices.
listed = planned("--microbatches", 1, "--devices", 3, "--latency", "0.5,2", stdin="2\n2\n2\n", devices=())
check([link["latency"] for link in listed["messages"]["links"]] == [0.5, 2] and listed["makespan"] == 2 * 2.5 + 6, listed["makespan"])
fails(2, "--bandwidth: 3 values, must be 1 or the number of boundaries of stages", "plan", "-", "--devices", 3, "--microbatches", 1,
      "--latency", "1,2,3", stdin="2\n2\n2\n")
counted = planned("--microbatches", 1, "--topology", "2x2:1GB@0.5,1GB@1", stdin="2\n" * 4, devices=())
check(counted["devices"] == 4 and counted == planned("--microbatches", 1, "--devices", 4, "--topology", "2x2:1GB@0.5,1GB@1", stdin="2\n" * 4, devices=()), counted)
fails(2, "--latency: x is no number", "plan", "-", "--devices", 2, "--latency=1,x", stdin=uneven)
fails(2, "--bandwidth: x is no size", "plan", "-", "--devices", 2, "--bandwidth", "1GB,x", stdin=uneven)
fails(2, "--latency: 3 values, and --bandwidth has 2: one, or as many", "plan", "-", "--devices", 3, "--bandwidth", "1GB,2GB", "--latency", "1,2,3", stdin=uneven)
fails(2, "--latency: -1 is no time", "plan", "-", "--devices", 2, "--latency=-1", stdin=uneven)
fails(2, "--transfers: pigeon not in", "plan", "-", "--devices", 2, "--transfers", "pigeon", stdin=uneven)
for words in (("--bandwidth", "1GB"), ("--latency", 1)):
    fails(2, "--topology: sets what --bandwidth and --latency do: give one of both", "plan", "-", "--devices", 2, "--topology", "2:1GB", *words, stdin=uneven)
for topology, why in (("8x4", "8x4 has no bandwidth: "), ("8x4:1GB", "2 sizes have 1 bandwidths: "), ("8xfour:1GB,1GB", "four is no number of devices"),
                      ("0:1GB", "0 is no number"), ("8:fast", "fast is no bandwidth, nor"), ("8:1GB@soon", "1GB@soon is no bandwidth"),
                      ("8:1GB@-1", "1GB@-1 is no bandwidth"), ("8:0", "0 is no bandwidth"), ("x:1", " is no number")):
    fails(2, f"--topology: {why}", "plan", "-", "--devices", 2, "--topology", topology, stdin=uneven)
fails(2, "--topology[1] = ", "plan", "-", "--devices", 2, "--topology", f"{2**40}x{2**40}:1GB,1GB", stdin=uneven)
fails(2, "--devices = 5, must not be above the devices of the topology, 4", "plan", "-", "--devices", 5, "--topology", "2x2:1GB,1GB", stdin=uneven)

# Where not to cut: by name or number.
check(planned("--microbatches", 8, "--forbid-cut", "l2,4")["cuts"] != [0, 3, 5, 6, 8], "--forbid-cut")
for objective in ("makespan", *measures):
    made = planned("--microbatches", 8, "--objective", objective, "--forbid-cut", "l2,4", "--keep-together", "l5..6")["cuts"]
    check(not {3, 5, 6} & set(made) and len(made) == 5, objective, made)
check(planned("--keep-together", "0..l1,2..4")["cuts"] == [0, 2, 5, 6, 8], planned("--keep-together", "0..l1,2..4")["cuts"])
check(planned("--keep-together", "l3..l3") == planned(), "one layer with itself")
dotted = header + "".join(f"{n},x,1,1,1,1,1\n" for n in ("a..b", "c", "1", "c", "d..e"))
check(cuts("--keep-together", "a..b..1", stdin=dotted)[0] == [0, 3, 4, 5], "names with dots")
check(cuts("--forbid-cut", "a..b,0", stdin=dotted)[0][1] > 1, "a name before a number")
check(cuts("--forbid-cut", "1", stdin=dotted)[0][1:3] != [1, 3] and 3 not in cuts("--forbid-cut", "1", stdin=dotted)[0], "a name before a number")
fails(2, "--forbid-cut: c are 2 layers: give the number, 1, 3", "plan", "-", "--devices", 2, "--forbid-cut", "c", stdin=dotted)
fails(2, "--forbid-cut: there is no layer l8: there are l0, l1, l2, l3, l4 .. l7, or 0 to 7", "plan", "-", "--devices", 2, "--forbid-cut", "l8", stdin=uneven)
fails(2, "--forbid-cut: there is no layer 8: there are l0,", "plan", "-", "--devices", 2, "--forbid-cut", "8", stdin=uneven)
fails(2, '--forbid-cut: there is no layer "": there are l0,', "plan", "-", "--devices", 2, "--forbid-cut", "l1,", stdin=uneven)
fails(2, "--forbid-cut: l7 is the last layer: there is no cut behind it", "plan", "-", "--devices", 2, "--forbid-cut", "l7", stdin=uneven)
fails(2, "--keep-together: l1 is not FIRST..LAST", "plan", "-", "--devices", 2, "--keep-together", "l1", stdin=uneven)
fails(2, "--keep-together: l3..l1 ends before it begins", "plan", "-", "--devices", 2, "--keep-together", "l3..l1", stdin=uneven)
fails(2, "--keep-together: there is no layer y: there are l0", "plan", "-", "--devices", 2, "--keep-together", "l3..y", stdin=uneven)
fails(3, "4 stages need at least 4 layers, and there are 3; layers that must share a stage count as one", "plan", "-", "--devices", 4,
      "--keep-together", "0..4,l5..l6", stdin=uneven)

done = run("plan", "-", "--devices", 2, "--microbatches", 8, "--schedule", "auto", stdin=uneven)
rows = [line.split() for line in done.stdout.splitlines() if line.endswith("%") or line.endswith("best")]
check(sum(row[-1] == "best" for row in rows) == 1, done.stdout)
# They are as the program lists them, and whatever it can plan that runs B as one is no faster than the best.
listed = [line.split() for line in run("schedules").stdout.splitlines()]
check(listed[0] == ["schedule", "order", "of", "the", "passes", "backward"], listed[0])
plain = [words[0] for words in listed if words[-1] == "B"]
tried = [(int(row[2]), plain.index(row[0])) for row in rows]
check(len(rows) >= 5 and tried == sorted(set(tried)), done.stdout)
best_makespan = min(float(row[4]) for row in rows)
for chunks, name in itertools.product((1, 2), plain):
    alone = run("plan", "-", "--devices", 2, "--microbatches", 8, "--schedule", name, "--stages-per-rank", chunks, "--format", "json", stdin=uneven)
    check(alone.returncode == 0 or (chunks, plain.index(name)) not in tried, alone)
    check(alone.returncode != 0 or json.loads(alone.stdout)["makespan"] >= best_makespan, name, chunks)
best_of = next(row for row in rows if row[-1] == "best")
chosen = json.loads(
    run("plan", "-", "--devices", 2, "--microbatches", 8, "--schedule", "auto", "--format", "json", stdin=uneven).stdout)
check(chosen["schedule"]["name"] == best_of[0] and chosen["stages_per_rank"] == int(best_of[2]), chosen, best_of)
done = run("plan", "-", "--devices", 2, "--stages-per-rank", 2, "--microbatches", 8, "--schedule", "auto", stdin=uneven)
check("1f1b" not in done.stdout and "interleaved" in done.stdout, done.stdout)

# The memory of stages that share a device.
roomy = json.loads(
    run("plan", "-", "--devices", 2, "--stages-per-rank", 2, "--microbatches", 8, "--format", "json", stdin=uneven).stdout)
check(roomy["makespan"] == 776, roomy["makespan"])
tight = run("plan", "-", "--devices", 2, "--stages-per-rank", 2, "--microbatches", 8, "--memory", "250B", "--format", "json", stdin=uneven)
check(tight.returncode == 0 and json.loads(tight.stdout)["makespan"] >= 776, tight)
fails(3, "the fullest of 2 devices of 2 stages each needs at least", "plan", "-", "--devices", 2, "--stages-per-rank", 2,
      "--microbatches", 8, "--memory", "170B", stdin=uneven)

# Memory: what is in flight, the optimizer, the buffer, checkpoints.
heavy = header + "a,x,1,1,100,10,1\nb,x,1,1,100,10,1\nc,x,1,1,100,10,1\nd,x,1,1,100,10,1\n"


def memory(*words):
    done = run("plan", "-", "--devices", 2, "--format", "json", *words, stdin=heavy)
    check(done.returncode == 0, words, done)
    return [stage_bytes(stage) for stage in json.loads(done.stdout)["stages"]]


check(memory() == [842, 822], memory())
once = ("--microbatches", 1, "--objective", "bottleneck")
check(memory(*once) == [822, 822], memory(*once))
check(memory("--microbatches", 8, "--schedule", "gpipe") == [962, 962], memory("--microbatches", 8, "--schedule", "gpipe"))
check(memory("--in-flight", "5,3") == [902, 862], memory("--in-flight", "5,3"))
check(memory("--optimizer", "sgd") == [442, 422], memory("--optimizer", "sgd"))
check(memory("--optimizer", "0.5") == [142, 122], memory("--optimizer", "0.5"))
check(memory("--boundary-buffers", 0) == [840, 820], memory("--boundary-buffers", 0))
check(memory("--checkpoint", "always") == [822, 823], memory("--checkpoint", "always"))
check(memory("--memory", "842B") == [842, 822], "842 bytes do")
fails(3, "2 stages needs at least 842 bytes, and a device has 841 bytes", "plan", "-", "--devices", 2, "--memory", "841B", stdin=heavy)
fails(3, "needs at least 842 bytes, and a device has 631 bytes", "plan", "-", "--devices", 2, "--memory", "842B", "--memory-buffer", 0.25, stdin=heavy)
fails(3, "842 bytes a device would do", "plan", "-", "--devices", 2, "--memory", "400B", stdin=heavy)
fails(2, "--memory: 80gib is no size", "plan", "-", "--devices", 2, "--memory", "80gib", stdin=heavy)
fails(2, "--memory: 40G is no size: write 40GB or 40GiB", "plan", "-", "--devices", 2, "--memory", "40G", stdin=heavy)
fails(2, "--cpus: is for graphs: these layers are a chain", "plan", "-", "--devices", 2, "--cpus", 1, stdin=heavy)
fails(2, "--at-most: is for graphs and --replicate", "plan", "-", "--devices", 2, "--at-most", stdin=heavy)
fails(2, "--memory = 0", "plan", "-", "--devices", 2, "--memory", "0", stdin=heavy)
fails(2, "--memory-buffer = 1", "plan", "-", "--devices", 2, "--memory", "9B", "--memory-buffer", 1, stdin=heavy)
fails(2, "--optimizer: lion is neither a number nor one of sgd", "plan", "-", "--devices", 2, "--optimizer", "lion", stdin=heavy)
fails(2, "--optimizer = -1", "plan", "-", "--devices", 2, "--optimizer", "-1", stdin=heavy)
fails(2, "--in-flight[1] = 3", "plan", "-", "--devices", 2, "--in-flight", "2,3", stdin=heavy)
fails(2, "--in-flight: 2,x is no list of numbers", "plan", "-", "--devices", 2, "--in-flight", "2,x", stdin=heavy)
fails(2, "--in-flight: 2, is no list of numbers", "plan", "-", "--devices", 2, "--in-flight", "2,", stdin=heavy)
fails(2, "--in-flight: 1 value where 2 are needed", "plan", "-", "--devices", 2, "--in-flight", "2", stdin=heavy)
fails(2, "--microbatches = 0", "plan", "-", "--devices", 2, "--schedule", "gpipe", "--memory", "9B", stdin=heavy)
fails(2, "--memory-buffer: needs --memory", "plan", "-", "--devices", 2, "--memory-buffer", 0.5, stdin=heavy)
fails(2, "--memory: 1e308TiB is no size", "plan", "-", "--devices", 2, "--memory", "1e308TiB", stdin=heavy)
fails(2, "--schedule: gpipe has one stage", "plan", "-", "--devices", 2, "--stages-per-rank", 2, "--schedule", "gpipe", stdin=heavy)
fails(2, "--timeline: needs --microbatches", "plan", "-", "--devices", 2, "--timeline", "--format", "json", stdin=heavy)
fails(2, "--timeline: needs --format json", "plan", "-", "--devices", 2, "--timeline", "--microbatches", 2, stdin=heavy)
fails(2, "--timeline: there is no", "plan", "-", "--devices", 2, "--timeline", "--format", "json", "--microbatches", 1 << 22, stdin=heavy)
fails(2, "no layer takes any bytes: a memory limit has no effect", "plan", "-", "--devices", 2, "--memory", "9B", stdin="1\n2\n")
fails(2, "more than 10^18 bytes", "plan", "-", "--devices", 2, stdin=header + "a,x,1,1,1,1,1e308\nb,x,1,1,1,1,1\n")
fails(2, "--checkpoint: except_last needs", "plan", "-", "--devices", 2, "--checkpoint", "except_last", stdin=heavy)
fails(2, "limits what the order of interleaved keeps, and that is not known: the number of microbatches", "plan", "-", "--devices", 2, "--stages-per-rank", 2, "--memory", "900B", stdin=heavy)

# The memory of each device; a list of one is of all.
unlike = json.loads(run("plan", "-", "--devices", 2, "--memory", "442B,1232B", "--format", "json", stdin=heavy).stdout)
check(unlike["cuts"] == [0, 1, 4] and unlike["memory"]["memory_limit"] == [442, 1232], unlike)
table = run("plan", "-", "--devices", 2, "--memory", "442B,2KB", "--device-speeds", "1,2", stdin=heavy).stdout
check(table.splitlines()[0].endswith(" of") and "422 B      442 B" in table and "memory: within the limit of each device" in table, table)
both = ("--microbatches", 4, "--memory", "442B,1232B")
check(json.loads(run("plan", "-", "--devices", 2, *both, "--format", "json", stdin=heavy).stdout)["cuts"] == [0, 1, 4], "by the makespan")
fails(2, "--memory: 3 values where 2 are needed, one for each of the devices", "plan", "-", "--devices", 2, "--memory", "9B,9B,9B", stdin=heavy)
fails(2, "--memory: 9x is no size", "plan", "-", "--devices", 2, "--memory", "9B,9x", stdin=heavy)
fails(2, "--memory:  is no size", "plan", "-", "--devices", 2, "--memory", "9B,", stdin=heavy)
fails(2, "--memory: 0 of device 1 must be finite and above 0", "plan", "-", "--devices", 2, "--memory", "9B,0", stdin=heavy)
fails(2, "--memory: must be one value for all devices of a graph", "plan", models / "towers.dot", "--devices", 2, "--memory", "9GB,8GB")
fails(2, "limits what the order of interleaved keeps", "plan", "-", "--devices", 2, "--stages-per-rank", 2, "--memory", "900B,800B", stdin=heavy)
fails(3, "of the memory of every device would do", "plan", "-", "--devices", 2, "--memory", "422B,842B", stdin=heavy)

# Inference: forward passes alone, parameters and what is kept of a group of requests.
serve = ("plan", "-", "--devices", 2, "--inference")
served = json.loads(run(*serve, "--format", "json", stdin=heavy).stdout)
check([stage_bytes(stage) for stage in served["stages"]] == [222, 222] and served["profile"]["inference"], served)
check(all(stage["backward"] == 0 for stage in served["stages"]) and served["objective"]["value"] == 2, served)
check(served["memory"]["optimizer"] == "inference" and served["objective"]["name"] == "bottleneck", served)
check(json.loads(run(*serve, "--objective", "throughput", "--format", "json", stdin=heavy).stdout) == served, "throughput")
again = json.loads(run("plan", "-", "--devices", 2, "--format", "json", stdin=json.dumps(served["profile"])).stdout)
check(again == served, "a profile of inference is planned for it")
check(json.loads(run(*serve, "--format", "json", stdin=json.dumps(served["profile"])).stdout) == served, "said twice")
soon = json.loads(run(*serve, "--objective", "time-per-token", "--device-speeds", "1,4", "--format", "json", stdin=heavy).stdout)
check(soon["cuts"] == [0, 1, 4] and soon["objective"]["value"] == 1.75 and soon["objective"]["name"] == "time-per-token", soon)
text = run(*serve, "--bandwidth", 1, "--device-speeds", "1,4", stdin=heavy).stdout
check("time per token: 2.75 s, 1 s of it messages" in text, text)
check("throughput: 1 passes of groups of requests a second, 2 groups in flight; memory is for 1 of them: --in-flight 2 plans for all" in text, text)
two = json.loads(run(*serve, "--in-flight", 2, "--format", "json", stdin=heavy).stdout)
check([stage_bytes(stage) for stage in two["stages"]] == [242, 242], two)
fails(2, "--microbatches: 4 is of training", *serve, "--microbatches", 4, stdin=heavy)
fails(2, "--schedule: is of training", *serve, "--schedule", "gpipe", stdin=heavy)
fails(2, "--schedule: is of training", *serve, "--schedule", "auto", stdin=heavy)
fails(2, "--optimizer: adam is of training", *serve, "--optimizer", "adam", stdin=heavy)
fails(2, "--checkpoint: always is of training", *serve, "--checkpoint", "always", stdin=heavy)
fails(2, "--stages-per-rank: 2 is of training", *serve, "--stages-per-rank", 2, stdin=heavy)
fails(2, "--objective: time-per-token is of inference", "plan", "-", "--devices", 2, "--objective", "time-per-token", stdin=heavy)
fails(2, "--objective: makespan: the profile is of inference", *serve, "--objective", "makespan", stdin=heavy)

fails(2, "--inference: is planned as a chain", "plan", models / "towers.dot", "--devices", 2, "--inference")
# What serves is told of such a plan as of any other.
decoders = header + "e,embedding,1,2,1,1,1\n" + "d,decoder,1,2,1,1,1\n" * 4 + "h,head,1,2,1,1,1\n"
for words in (("--format", "vllm"), ("--format", "sglang", "--inference"), ("--format", "vllm", "--inference", "--objective", "time-per-token")):
    line = run("plan", "-", "--devices", 2, *words, stdin=decoders).stdout
    check(line.endswith("_PP_LAYER_PARTITION=2,2\n"), words, line)

# Profiles that cannot be computed, and files that are none.
fails(2, "needs --preset or --config, one of both", "profile", "transformer")
fails(2, "--preset: gpt-5 not in", "profile", "transformer", "--preset", "gpt-5")
fails(2, "llama-2-7b#/layrs: is not known", "profile", "transformer", "--preset", "llama-2-7b", "--set", "layrs=4")
fails(2, "--set: layers is not KEY=VALUE", "profile", "transformer", "--preset", "llama-2-7b", "--set", "layers")
fails(2, "--tensor-parallel: tensor_parallel = 3 does not divide", "profile", "transformer", "--preset", "llama-2-7b", "--tensor-parallel", 3)
fails(2, "--zero: 4 is not from 0 to 3", "profile", "transformer", "--preset", "llama-2-7b", "--data-parallel", 2, "--zero", 4)
fails(2, "--zero: needs --data-parallel", "profile", "transformer", "--preset", "llama-2-7b", "--zero", 3)
fails(2, "--sequence: 0 is no whole number from 1", "profile", "transformer", "--preset", "llama-2-7b", "--sequence", 0)
fails(2, "--efficiency: ", "profile", "transformer", "--preset", "llama-2-7b", "--efficiency", 3)
fails(2, "--device-memory", "profile", "transformer", "--preset", "llama-2-7b", "--device-memory", "much")
fails(2, "standard input#/layers/1/forward: -1 is negative", "plan", "-", "--devices", 1,
      stdin='{"schema": "stagecut-profile-2", "layers": [{"name": "a", "forward": 1}, {"name": "b", "forward": -1}]}')
fails(2, "standard input:2: no JSON", "plan", "-", "--devices", 1, stdin='{"schema": "stagecut-profile-2",\n"layers": [}')
fails(2, "cannot be opened", "show", "no/such/file")
for words in (["--help"], ["plan", "--help"], ["profile", "transformer", "--help"], ["simulate", "--help"], ["compare", "--help"], ["explain", "--help"], ["verify", "--help"], ["show", "--help"]):
    help = run(*words).stdout.splitlines()
    check(len(help) <= 24 and max(map(len, help)) <= 80, words, "does not fit a screen")
brief, whole = run("plan", "--help").stdout, run("plan", "--help-all").stdout
check(whole.startswith(brief.rstrip("\n")) and max(map(len, whole.splitlines())) <= 80, whole)
seldom = ("--in-flight", "--latency", "--transfers", "--memory-buffer", "--boundary-buffers", "--time-weight", "--timeline")
check(all(word not in brief and word in whole for word in seldom), whole)

# Graphs are shown as they are, and planned if they are chains.
def graph(*edges):
    layers = [{"name": name, "forward": 1, "output": 4} for name in "acb"]
    return json.dumps({"schema": "stagecut-profile-2", "layers": layers, "edges": edges})


chain = run("plan", "-", "--devices", 3, "--format", "json", stdin=graph([0, 2], [2, 1], [0, 1]))
check([layer["name"] for layer in json.loads(chain.stdout)["profile"]["layers"]] == ["a", "b", "c"], chain)
check([layer["output"] for layer in json.loads(chain.stdout)["profile"]["layers"]] == [4, 8, 4], chain)
fork = graph([0, 1], [0, 2])
check("optimal" in run("plan", "-", "--devices", 2, stdin=fork).stdout, "a fork is a graph")
done = run("plan", "-", "--devices", 2, "--microbatches", 4, "--schedule", "auto", stdin=fork).stdout
check("not searched: other orders of the layers\n" in done and "in-flight          2            1  4 " in done, done)
for words in (("zb-h1", "--devices", 2), ("interleaved", "--devices", 1, "--stages-per-rank", 2)):
    split = fork.replace('"forward": 1', '"forward": 1, "backward": 1, "backward_input": 0.5, "backward_weight": 0.5')
    made = run("plan", "-", "--microbatches", 4, "--format", "json", "--schedule", *words, stdin=split)
    edges = json.loads(made.stdout)["edges"] if made.returncode == 0 else made
    check([(each["from"], each["to"]) for each in edges] == [(0, 1)], edges)
fails(2, "--objective = bottleneck, must be the makespan for a graph run as eager-1f1b", "plan", "-", "--devices", 2, "--microbatches", 4,
      "--schedule", "eager-1f1b", "--objective", "bottleneck", stdin=fork)
fails(2, "--schedule = eager-1f1b, must be 1f1b or gpipe where stages do not stand in a row", "plan", "-", "--devices", 2, "--microbatches", 4,
      "--schedule", "eager-1f1b", "--at-most", stdin=fork)
check(json.loads(run("show", "-", "--format", "json", stdin=fork).stdout)["edges"] == [[0, 1], [0, 2]], "loses edges")
check(run("show", "-", stdin=fork).stdout.startswith("a graph of 2 edges\n"), "says not that it is a graph")

# Plain when not a terminal, with colours in one, whatever its width.
for columns, environment in ((80, {}), (50, {}), (80, {"NO_COLOR": "1"})):
    seen = run_in_terminal(columns, "plan", models / "gpt2-xl.csv", "--devices", 4, **environment)
    check(("\x1b[" in seen) == (not environment and columns == 80), columns, environment, repr(seen))
    if columns == 80:
        check(all(len(re.sub("\x1b\\[[0-9]*m", "", line)) <= columns for line in seen.splitlines()[:5]), seen)
for words in (("plan", models / "gpt2-xl.csv", "--stages-per-rank", 2, "--schedule", "interleaved", "--device-speeds", "1,1,0.8,1", "--memory", "30GB,30GB,31GB,32GB"),
              ("sweep", models / "gpt2-xl.csv", "--schedules", "1f1b,zb-h1", "--recompute", "never,always", "--memory", "30GB")):
    seen = run_in_terminal(80, *words, "--devices", 4, "--microbatches", 8)
    table = [re.sub("\x1b\\[[0-9]*m", "", line) for line in seen.split("makespan: ")[0].split(" configurations ")[0].splitlines()]
    check(len(table) > 4 and all(len(line) <= 80 for line in table), seen)

# Numbers are decimal, and nothing but a number.
eleven = "".join(f"{i}\n" for i in range(1, 12))
check(run("plan", "-", "--devices", "010", stdin=eleven).stdout == run("plan", "-", "--devices", 10, stdin=eleven).stdout, "010 is ten")
check(planned("--in-flight", "04,03,02,01")["stages"] == planned("--in-flight", "4,3,2,1")["stages"], "in lists, too")
counts = ("0x10", "+5", " 5", "5 ", "1e3", "5.0", "", "-5", "5x", "five", "nan", "inf", "99999999999999999999")
for word in ("--devices", "--stages-per-rank", "--microbatches"):
    for count in (*counts, "0"):
        fails(2, f"{word}: {count}", "plan", "-", *(() if word == "--devices" else ("--devices", 2)), f"{word}={count}", stdin=uneven)
for word in ("--devices", "--stages-per-rank", "--microbatches", "--slices", "--group"):
    for count in (*counts, "0"):
        fails(2, f"{word}: {count}", "simulate", "--forward", 1, "--backward", 2, f"{word}={count}")
for word in ("--sequence", "--microbatch", "--tensor-parallel", "--context-parallel", "--expert-parallel", "--data-parallel", "--zero", "--concurrent"):
    for count in counts:
        fails(2, f"{word}: {count}", "profile", "transformer", "--preset", "gpt2-xl", f"{word}={count}")
numbers = ("0x10", "+5", " 5", "5 ", "", "5x", "0x1p3", "nan", "inf", "-inf", "infinity", "1e999")
for word in ("--time-limit", "--latency", "--memory-buffer", "--boundary-buffers", "--time-weight"):
    for number in numbers:
        fails(2, f"{word}: {number}", "plan", "-", "--devices", 2, "--memory", "1GB", f"{word}={number}", stdin=uneven)
for word in ("--gemm", "--memory-bandwidth", "--efficiency", "--network-efficiency"):
    for number in numbers:
        fails(2, f"{word}: {number}", "profile", "transformer", "--preset", "gpt2-xl", f"{word}={number}")
for number in (*numbers, "-5", "5 ZB"):
    for word in ("--memory", "--bandwidth"):
        fails(2, f"{word}: ", "plan", "-", "--devices", 2, f"{word}={number}", stdin=uneven)
    fails(2, "--topology: ", "plan", "-", "--devices", 2, f"--topology=2:{number}", stdin=uneven)
    fails(2, "--topology: ", "plan", "-", "--devices", 2, f"--topology=2:1GB@{number}", stdin=uneven)
for number in numbers:
    fails(2, "--optimizer: ", "plan", "-", "--devices", 2, f"--optimizer={number}", stdin=uneven)
    for word in ("--in-flight", "--device-speeds"):
        fails(2, f"{word}: ", "plan", "-", "--devices", 2, f"{word}=1,{number}", stdin=uneven)
for count in counts:
    fails(2, "--topology: ", "plan", "-", "--devices", 2, f"--topology={count}x2:1GB,1GB", stdin=uneven)
    fails(2, "--forbid-cut: ", "plan", "-", "--devices", 2, f"--forbid-cut={count}", stdin=uneven)

fails(2, "A subcommand is required")
fails(2, "foo is none of its commands (see stagecut --help)", "foo")
fails(2, "(see stagecut --help)", "--foo")
fails(2, "(see stagecut plan --help-all)", "plan", "-", "--foo")
fails(2, "foo not in {never,except_last,always} (see stagecut plan --help)", "plan", "-", "--devices", 1, "--checkpoint", "foo")
fails(2, "(see stagecut profile --help)", "profile")
fails(2, "(see stagecut profile transformer --help)", "profile", "transformer", "--preset", "gpt2-xl", "--device-memory", "much")
fails(2, "no\\u000asuch\\u001b[31m: cannot be opened", "plan", "no\nsuch\x1b[31m", "--devices", 1)
fails(2, "FILE is required", "plan", "--devices", 2)
fails(2, "--devices is required", "plan", "-", stdin="1\n")
fails(2, "--devices", "plan", "-", "--devices", 0, stdin="1\n")
# Graphs: of one that is a chain, too, `--method auto` asks for a plan as a graph.
unet = ("plan", models / "unet.dot", "--devices", 4, "--bandwidth", "25GB", "--microbatches", 8, "--format", "json")
ways = [json.loads(run(*unet, "--objective", "makespan", *more).stdout) for more in ((), ("--method", "auto"))]
check("edges" not in ways[0] and ways[1]["edges"] and ways[1]["objective"]["value"] < ways[0]["objective"]["value"], "skips are passed on by every stage")
automatic = json.loads(run(*unet, "--method", "auto").stdout)["objective"]
check(automatic["name"] == "makespan" and automatic["value"] <= ways[1]["objective"]["value"] * 1.05, "a graph of known microbatches is planned by the iteration")
fails(2, "stagecut: --checkpoint = always, must be never for a graph: what enters a stage belongs to no operator of it", *unet, "--checkpoint", "always", "--at-most")
fails(2, "--cpus = 1, must be 0 where choices are open", *unet, "--schedule", "auto", "--cpus", 1)
fails(2, "--at-most: must be false where choices are open", *unet, "--schedule", "auto", "--at-most")
towers = ("plan", models / "towers.dot", "--devices", 4)
fails(2, "--topology: is not supported for a graph", *towers, "--topology", "2x2:300GB,2GB")
fails(2, "--keep-together: are for chains only", *towers, "--keep-together", "text1..text2")
fails(2, "--cpus = 1, must be 0 for the makespan", *towers, "--cpus", 1, "--microbatches", 8, "--objective", "makespan")

fails(2, "--devices", "plan", "-", "--devices", -1, stdin="1\n")
fails(2, "--devices", "plan", "-", "--devices", "two", stdin="1\n")
fails(2, "--devices", "plan", "-", "--devices", "2.5", stdin="1\n")
fails(2, "--objective: fastest not in {makespan,bottleneck,throughput,time-per-token,leximax,range,variance,iteration,stage-time,pipeline-latency}", "plan", "-", "--devices", 1, "--objective", "fastest", stdin="1\n")
fails(2, "--format", "plan", "-", "--devices", 1, "--format", "xml", stdin="1\n")
fails(2, "standard input: is empty", "plan", "-", "--devices", 1)
fails(2, "standard input:2: time: \"x\" is not a number", "plan", "-", "--devices", 1, stdin="1\nx\n")
fails(2, "no/such/file: cannot be opened: No such file", "plan", "no/such/file", "--devices", 1)
fails(2, "begins no known format", "plan", __file__, "--devices", 1)
fails(2, "standard input: item 1: the sum of the items up to this one overflows", "plan", "-", "--devices", 1, stdin="1e308\n1e308\n")
fails(3, "infeasible: 4 stages need at least 4 layers, and there are 2", "plan", "-", "--devices", 4, stdin="1\n2\n")
fails(3, "infeasible", "plan", "-", "--devices", 4, "--format", "json", stdin="1\n2\n")
fails(3, "infeasible", "plan", "-", "--devices", (1 << 40) - 1, stdin="1\n2\n")

escape = run("plan", "-", "--devices", 1, stdin=header + "a\x1b[31m,x,1,2,3,4,5\n")
check(escape.returncode == 0 and "\x1b" not in escape.stdout, "names pass escapes to the terminal")
with open("/dev/full", "w") as full:
    lost = subprocess.run([binary, "plan", "-", "--devices", "1"], input="1\n", stdout=full, stderr=subprocess.PIPE, text=True)
    check(lost.returncode == 1 and "could not be written" in lost.stderr, "lost output:", lost)
    for word in ("--version", "--help"):
        lost = subprocess.run([binary, word], stdout=full, stderr=subprocess.PIPE, text=True)
        check(lost.returncode == 1 and "could not be written" in lost.stderr, "lost output:", lost)

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "list.csv"
    path.write_text("time\n1\nnan\n")
    fails(2, f"{path}:3: time: \"nan\" is NaN", "plan", path, "--devices", 1)

# The table of what goes together: every refusal of the program is in it, with its reason.
table = run("plan", "--combinations").stdout
check("a target framework (--for)" in table and "several devices a stage" in table, table)
refused = run("plan", models / "llama-2-7b.json", "--devices", 4, "--microbatches", 8, "--replicate", 2, "--microbatch", 2,
              "--device-speeds", "1,1,1,2")
reason = refused.stderr.removeprefix("stagecut: --device-speeds: ").split(" (see ")[0]
check(refused.returncode == 2 and f"unlike speeds: {reason}\n" in table, refused.stderr)

print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
