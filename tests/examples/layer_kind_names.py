# SPDX-License-Identifier: BSL-1.0
"""What the program says to those who meant something else, and to those who wait."""

import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from program import binary, check, fails, failures, of_terminal, run, run_in_terminal

header = "name,kind,forward,backward,parameters,activations,output\n"
uneven = header + "".join(f"l{i},x,{f},{2 * f},10,3,1\n" for i, f in enumerate((8, 11, 2, 1, 18, 5, 4, 11)))

# An option that is not known is told first and alone, whatever else is wrong; so is a command.
help = " (see stagecut plan --help-all)\n"
meant = "stagecut: --device is none of plan's options: did you mean --devices?" + help
for words in (("--device", 4), ("--device=4",), ("--device", 4, "--memory", "much"), ("--microbatches", "many", "--device", 4),
              ("--device", 4, "--schedule", "1f1"), ("--microbatches", "--device", 4)):
    for file in (("-",), ()):
        fails(2, meant, "plan", *file, *words)
        check(run("plan", *file, *words).stderr == meant, words)
fails(2, "stagecut: --colour is none of plan's options" + help, "plan", "-", "--colour", "--device", 4)
fails(2, "-x is none of plan's options" + help, "plan", "-", "-x")
fails(2, "--presets is none of profile transformer's options: did you mean --preset? (see stagecut profile transformer --help-all)",
      "profile", "transformer", "--presets", "gpt2-xl")
fails(2, "--verson is none of its options: did you mean --version? (see stagecut --help)", "--verson")
fails(2, "plna is none of its commands: did you mean plan? (see stagecut --help)", "plna", "x.json", "--devices", 4)
fails(2, "transfomer is none of profile's commands: did you mean transformer? (see stagecut profile --help)", "profile", "transfomer")
fails(2, "--microbatches: -4 is no whole number", "plan", "-", "--microbatches=-4", "--devices", 2)

# So are words of every closed list.
plan = ("plan", "-", "--devices", 2)
for words, near in ((("--format", "megtron"), "megatron"), (("--schedule", "1f1"), "1f1b"), (("--schedule", "zbh1"), "zb-h1"),
                    (("--objective", "makspan"), "makespan"), (("--method", "parameter"), "parameters"), (("--optimizer", "adm"), "adam"),
                    (("--transfers", "links"), "link"), (("--checkpoint", "allways"), "always"), (("--search", "gpus"), "gpu")):
    fails(2, f"did you mean {near}?", *plan, *words, stdin=uneven)
for words, near in ((("--preset", "llama-2-7"), "llama-2-7b"), (("--preset", "gpt2-xl", "--gpu", "h100"), "h100-80gb"),
                    (("--preset", "gpt2-xl", "--precision", "bf61"), "bf16"), (("--preset", "gpt2-xl", "--recompute", "selectiv"), "selective"),
                    (("--preset", "gpt2-xl", "--format", "jsn"), "json")):
    fails(2, f"did you mean {near}?", "profile", "transformer", *words)
with tempfile.TemporaryDirectory() as folder:
    config = pathlib.Path(folder) / "config.json"
    config.write_text('{"model_type": "unheard-of"}')
    fails(2, "did you mean llama?", "plan", config, "--devices", 2, "--as", "lama")
fails(2, "--schedule: gpip is not known: did you mean gpipe? (see stagecut schedules)", "simulate", "--forward", "1,2", "--backward", "1,2",
      "--devices", 2, "--microbatches", 4, "--schedule", "gpip")
sweep = ("sweep", "-", "--devices", 2, "--microbatches", 4)
fails(2, "1f1 is none: did you mean 1f1b?", *sweep, "--schedules", "gpipe,1f1", stdin=uneven)
fails(2, "alway is neither none nor always: did you mean always?", *sweep, "--recompute", "alway", stdin=uneven)
fails(2, "did you mean bash?", "completion", "bsh")
fails(2, "plna is no command: did you mean plan?", "manual", "plna")
fails(2, "profile transfomer is no command: did you mean profile transformer?", "manual", "profile", "transfomer")


# Clusters by nodes and GPUs are the topology of the terse form, and what was understood is said beside the plan.
def planned(*words, devices=(), said=""):
    done = run("plan", "-", *devices, "--microbatches", 8, "--format", "json", *words, stdin=uneven)
    check(done.returncode == 0 and done.stderr == said, words, done)
    return json.loads(done.stdout)


four = ("--nodes", 2, "--gpus-per-node", 2, "--intra", "450GB", "--inter", "50GB@5e-6")
links = "stagecut: links: 2 nodes × 2 devices, 450 GB/s within a node, 50 GB/s and 5 us between nodes\n"
named = planned(*four, said=links)
check(len(named["stages"]) == 4, "the devices are those of all nodes")
check(named == planned(*four, devices=("--devices", 4), said=links), "--devices says the same")
check(named == planned("--topology", "2x2:450GB,50GB@5e-6", devices=("--devices", 4), said=links), "the terse form is the same")
check([each["bandwidth"] for each in named["messages"]["links"]] == [450e9, 50e9, 450e9], named["messages"])
one = planned("--nodes", 1, "--gpus-per-node", 4, "--intra", "450GB", said="stagecut: links: 4 devices, 450 GB/s between them\n")
check({each["bandwidth"] for each in one["messages"]["links"]} == {450e9}, one["messages"])
apart = planned("--nodes", 4, "--gpus-per-node", 1, "--inter", "50GB", said="stagecut: links: 4 devices, 50 GB/s between them\n")
check({each["bandwidth"] for each in apart["messages"]["links"]} == {50e9}, apart["messages"])
planned("--topology", "2x2x2:3GB,2GB,1GB@0.5", devices=("--devices", 4),
        said="stagecut: links: 2 × 2 × 2 devices, 3 GB/s within the innermost groups, 2 GB/s, 1 GB/s and 500 ms between the outermost\n")

sixteen = ("plan", "-", "--microbatches", 8, "--nodes", 2, "--gpus-per-node", 8, "--intra", "450GB", "--inter", "50GB")
for devices, would in ((20, "20 are more than the 16 GPUs of 2 nodes of 8: --nodes 3 would hold them"),
                       (4, "where 4 GPUs share each (tensor parallelism, for example), --nodes 2 --gpus-per-node 2; on 4 GPUs of one node, --nodes 1 --gpus-per-node 4"),
                       (1, "where 16 GPUs share each (tensor parallelism, for example), --nodes 1 --gpus-per-node 1"),
                       (12, "12 are fewer than the 16 GPUs of 2 nodes of 8, and each is a rank of the pipeline: give the nodes and GPUs that it runs on")):
    fails(2, would, *sixteen, "--devices", devices, stdin=uneven)
base = ("plan", "-", "--devices", 4)
for words, why in ((("--nodes", 2), "--gpus-per-node: is missing"), (("--gpus-per-node", 4), "--nodes: is missing"), (("--inter", "5GB"), "--nodes: is missing"),
                   (("--nodes", 2, "--gpus-per-node", 2, "--intra", "5GB"), "--inter: is missing"),
                   (("--nodes", 2, "--gpus-per-node", 2, "--inter", "5GB"), "--intra: is missing"),
                   (("--nodes", 1, "--gpus-per-node", 4, "--intra", "5GB", "--inter", "5GB"), "--inter: has no effect if there is one node"),
                   (("--nodes", 4, "--gpus-per-node", 1, "--intra", "5GB", "--inter", "5GB"), "--intra: has no effect if a node has one GPU"),
                   ((*four[:-1], "50"), "--inter: 50 bytes? write 50GB"), ((*four[:-1], "fast"), "--inter: fast is no bandwidth"),
                   ((*four[:-1], "50GB@soon"), "--inter: 50GB@soon is no bandwidth"),
                   ((*four, "--latency", 1), "--nodes: sets what --bandwidth and --latency do: give one of both"),
                   ((*four, "--bandwidth", "1GB"), "--nodes: sets what --bandwidth and --latency do: give one of both"),
                   ((*four, "--topology", "2x2:1GB,1GB"), "--topology: sets what --nodes, --gpus-per-node, --intra and --inter do: give one of both")):
    fails(2, why, *base, *words, stdin=uneven)
done = run("sweep", "-", "--microbatches", 8, "--schedules", "1f1b", "--stages-per-rank", 1, *four, stdin=uneven)
check(done.returncode == 0 and done.stderr == links and "1 of 1 configurations" in done.stdout, done)
done = run("sweep", "-", "--devices", "2,4", "--microbatches", 8, "--schedules", "1f1b", "--stages-per-rank", 1, *four, stdin=uneven)
check(done.returncode == 0 and "2 of 2 configurations" in done.stdout, done)
fails(2, "--devices: 8 are more than the 4 GPUs", "sweep", "-", "--devices", "4,8", "--microbatches", 8, *four, stdin=uneven)

# Sizes without a unit that are too small for memory.
fails(2, "--memory: 80 bytes? write 80GB or 80GiB, or 80B if bytes are meant", *base, "--memory", 80, stdin=uneven)
fails(2, "--memory: 81559 bytes? write 81559MB", *base, "--memory", "80GB,80GB,81559,80GB", stdin=uneven)
fails(2, "--memory: 80 bytes?", "sweep", "-", "--devices", 2, "--microbatches", 4, "--memory", 80, stdin=uneven)
fails(2, "--device-memory: 80 bytes?", "profile", "transformer", "--preset", "gpt2-xl", "--device-memory", 80)
check(run(*base, "--memory", 80 * 2**30, stdin=uneven).returncode == 0, "bytes are bytes")
check(run(*base, "--memory", "800B", stdin=uneven).returncode == 0, "so they are with B")

# What becomes of a schedule of one stage per rank.
done = run("plan", "-", "--devices", 2, "--microbatches", 8, "--schedule", "1f1b", "--stages-per-rank", 2, stdin=uneven)
check(done.stderr == "stagecut: --schedule: 1f1b with 2 stages per rank is interleaved\n" and "\ninterleaved of 8" in done.stdout, done)
for words in (("--schedule", "interleaved", "--stages-per-rank", 2), ("--stages-per-rank", 2), ("--schedule", "1f1b")):
    done = run("plan", "-", "--devices", 2, "--microbatches", 8, *words, stdin=uneven)
    check(done.returncode == 0 and done.stderr == "", words, done)

# Errors in the words of options.
for words, says in ((("--device-speeds", "1,2"), "--device-speeds: 2 values where each of the devices needs one"),
                    (("--memory", "9GB,8GB"), "--memory: 2 values where 4 are needed, one for each of the devices"),
                    (("--in-flight", "2"), "--in-flight: 1 value where 4 are needed, one for each of the stages"),
                    (("--device-speeds", "1,0,1,1"), "--device-speeds: 0 of device 1 must be finite and above 0"),
                    (("--objective", "range", "--bandwidth", "1GB"), "--objective: range is of equal devices without messages")):
    fails(2, says, *base, *words, stdin=uneven)
for command in (("plan", "-", "--devices", 2), ("show", "-"), ("sweep", "-", "--devices", 2, "--microbatches", 4)):
    fails(2, 'nor a plan, nor the config.json of a model ("model_type"): "schema" is missing', *command, stdin='{"stages": 4}')
fails(2, 'is no plan: "schema" is missing', "simulate", "-", stdin='{"stages": 4}')
half = ("profile", "transformer", "--preset", "gpt2-xl", "--set", "layers=2")
check(run(*half, "training.sequence=128").stdout == run(*half, "--set", "training.sequence=128").stdout != run(*half).stdout, "--set takes several")
share = "training.recomputed_share: has no effect without recomputation: give --recompute"
fails(2, share, *half, "training.recomputed_share=0.4")
check(run(*half, "training.recomputed_share=0.4", "--recompute", "full").returncode == 0, "of what is computed again")

# As many layers each: the most even cut. The last two layers of the demo's models stand together.
cuts = [line.split("each")[1] for line in run("demo").stdout.splitlines() if line.startswith("as many layers each")]
check("  7 7 7 6 6 6 6 6  " in cuts[1] and "  13 13 13 12  " in cuts[0], cuts)

# Plans with other microbatches rank by the time of one; of other samples in each, by that of a sample.
with tempfile.TemporaryDirectory() as folder:
    def plan_file(name, model, *words):
        path = pathlib.Path(folder) / name
        path.write_text(run("plan", "-", "--devices", 2, "--format", "json", *words, stdin=model).stdout)
        return path


    def rows(*files):
        head, *lines = run_in_terminal(200, "compare", *files).splitlines()
        return head, lines


    small, large = (plan_file(f"{m}.json", uneven, "--microbatches", m) for m in (4, 16))
    head, lines = rows(small, large)
    check("a microbatch" in head and "best" in lines[1] and "+" in lines[0], head, lines)
    of = lambda file: json.loads(run("simulate", file, "--format", "json").stdout)["makespan"]
    more = 100 * (of(small) / 4 / (of(large) / 16) - 1)
    check(f"+{more:.1f} %" in lines[0] and f"{of(large) / 16:.4g} s" in lines[1], lines)
    head, lines = rows(small, small)
    check("a microbatch" not in head and "a sample" not in head and all("best" in line for line in lines), head, lines)
    models = [run("profile", "transformer", "--preset", "gpt2-xl", "--microbatch", b).stdout for b in (1, 4)]
    one, four = (plan_file(f"b{b}.json", model, "--microbatches", 8) for b, model in zip((1, 4), models))
    head, lines = rows(one, four)
    check("a sample" in head and "best" in lines[1], head, lines)
    alike = plan_file("alike.json", models[0], "--microbatches", 32)  # as many samples
    head, lines = rows(alike, four)
    check("a sample" not in head and "best" in lines[0 if of(alike) < of(four) else 1], head, lines)
    head, lines = rows(small, four)  # one of them does not tell its samples
    check("a microbatch" in head, head)

# A progress line while a search runs long, on a terminal alone, erased at its end.
random.seed(5)
hard = header + "".join(f"l{i},x,{random.randint(1, 97)},{random.randint(1, 97)},10,3,1\n" for i in range(120))


def errors_in_terminal(*words, columns=80):
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as model:
        model.write(hard)
        model.flush()
        line = [binary, words[0], model.name, *map(str, words[1:])]
        return of_terminal(columns, lambda follower: subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=follower))


sanitized = os.environ.get("STAGECUT_SANITIZED") == "1"  # then two seconds may bring no bound yet
long = ("--devices", 8, "--microbatches", 24, "--time-limit")
with_bound = re.compile(r"bound .* gap \d+\.\d %, \d+ s left")
for words in (("--stages-per-rank", 2), ("--schedule", "auto")):
    for seconds in (2, 8, 32) if sanitized else (2,):
        seen = errors_in_terminal("plan", *long, seconds, *words)
        lines = [line for line in seen.split("\r") if line.strip()]
        if any(with_bound.search(line) for line in lines):
            break
    check(2 <= len(lines) <= 4 * seconds + 1, words, seen)
    check(all(re.match(r"searching: (makespan \S+ |no plan yet)", line) and len(line) < 80 for line in lines), words, seen)
    check(any(with_bound.search(line) for line in lines), words, seen)
    left = [int(n) for n in re.findall(r"(\d+) s left", seen)]
    check(left and seconds >= left[0] and left == sorted(left, reverse=True), words, seen)
    check(seen.endswith(" \r") and "\n" not in seen, words, seen)
narrow = errors_in_terminal("plan", *long, 2, "--stages-per-rank", 2, columns=40)
check("searching: " in narrow and all(len(line) < 40 for line in narrow.split("\r")), narrow)
seen = errors_in_terminal("sweep", "--devices", "8,10,12", "--microbatches", "24,48", "--node-limit", 4000, "--threads", 2)
lines = [line for line in seen.split("\r") if line.strip()]
check(len(lines) >= 2 and all(re.match(rf"planning: \d+ of 60 configurations, \d+ s", line) for line in lines), seen)
told = [[int(n) for n in re.findall(r"\d+", line)] for line in lines]
check(told == sorted(told) and seen.endswith(" \r"), seen)
quick = errors_in_terminal("plan", "--devices", 2)
check(quick == "", quick)

sys.exit(f"{len(failures)} failures" if failures else None)
