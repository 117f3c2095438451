# SPDX-License-Identifier: BSL-1.0
"""`plan --replicate` and `--tensor-parallel auto` as a user meets them."""

import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from program import binary, check, fails, failures, run

MODELS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "models"


def layer(i, **more):
    return {"name": f"layers.{i}", "kind": "decoder", "forward": 1 + i % 3, "backward": 2 + i % 2, "parameters": 10,
            "activations": 8, "output": 4, **more}


SMALL = {"schema": "stagecut-profile-2", "layers": [
    layer(i, recomputations=[{**layer(i), "name": "full", "backward": 4 + i % 2, "activations": 1}],
          shardings=[{**layer(i), "name": f"tp2{'+full' if again else ''}", "tensor_parallel": 2, "forward": 0.6 + i % 3 / 2,
                      "backward": 1.4 + i % 2 / 2 + again, "parameters": 5, "activations": 1 if again else 4,
                      **({"recomputation": "full"} if again else {})} for again in (0, 1)]) for i in range(12)]}
for each in SMALL["layers"]:
    for variant in each["recomputations"] + each["shardings"]:
        del variant["kind"]

with tempfile.TemporaryDirectory() as folder:
    there = pathlib.Path(folder)
    small = there / "small.json"
    small.write_text(json.dumps(SMALL))
    nodes = ["--nodes", 2, "--gpus-per-node", 4, "--intra", "100B", "--inter", "20B"]
    base = ["plan", small, *nodes, "--microbatches", 8, "--replicate", "auto"]

    def plan(*words):
        return json.loads(run(*base, *words, "--format", "json").stdout)

    def devices(made):
        return sum(each.get("replicas", 1) * each.get("tensor_parallel", 1) for each in made["stages"])

    # A plan of all devices, which verify, show and simulate take back.
    made = plan("--tensor-parallel", "auto", "--recompute", "auto", "--memory", "250B")
    check(made["objective"]["name"] == "iteration" and made["objective"]["state"] == "optimal", made["objective"])
    check(devices(made) == 8, made["stages"])
    file = there / "plan.json"
    file.write_text(json.dumps(made))
    text = run("verify", file, small).stdout
    check("does not hold" not in text, text)
    check("×" in run("show", file).stdout, "show")
    again = json.loads(run("simulate", file, "--format", "json").stdout)
    check(abs(again["makespan"] - made["makespan"]) <= 1e-9 * made["makespan"], again["makespan"])

    # No other objective ends earlier, more memory and more to choose from end no later.
    for objective in ("stage-time", "pipeline-latency"):
        other = plan("--tensor-parallel", "auto", "--recompute", "auto", "--memory", "250B", "--objective", objective)
        check(other["objective"]["name"] == objective, other["objective"])
        check(other["makespan"] >= made["makespan"] * (1 - 1e-9), objective)
    check(plan("--memory", "250B")["makespan"] >= made["makespan"] * (1 - 1e-9), "fewer choices")
    roomier = plan("--tensor-parallel", "auto", "--recompute", "auto", "--memory", "2000B")
    check(roomier["makespan"] <= made["makespan"] * (1 + 1e-9), "memory")
    text = run(*base, "--tensor-parallel", "auto", "--recompute", "auto", "--memory", "250B").stdout
    for name in ("PipeDream", "DAPPLE", "Piper", "Alpa", "stagecut"):
        check(re.search(rf"^ *{name} ", text, re.M), text)
    check(re.search(r"^ *stagecut .*\*$", text, re.M) or "*" in text, text)
    check("8 devices" in text, text)

    # Of replicas auto are all numbers; what was not searched is said, of an infeasible request, too.
    heavy = there / "heavy.json"
    heavy.write_text(json.dumps({"schema": "stagecut-profile-2", "layers": [
        {"name": "wide", "forward": 6, "backward": 12, "parameters": 1, "output": 1},
        {"name": "narrow", "forward": 1, "backward": 2, "parameters": 900, "output": 1}]}))
    of = ["plan", heavy, "--devices", 7, "--bandwidth", "100B", "--microbatches", 16, "--replicate"]
    made = json.loads(run(*of, "auto", "--format", "json").stdout)
    check([each.get("replicas", 1) for each in made["stages"]] == [6, 1], made["stages"])
    listed = json.loads(run(*of, "1,2,3,4,5,6,7", "--format", "json").stdout)
    check(made["objective"] == listed["objective"], [made["objective"], listed["objective"]])
    text = run(*of, "auto").stdout
    check("\nnot searched: replicas that run microbatches of their own,\n  several stages a device, orders but 1F1B\n" in text, text)
    # The plan's JSON says it, too, and show and page tell it.
    hybrid = there / "hybrid.json"
    hybrid.write_text(run(*of, "auto", "--format", "json").stdout)
    said = "replicas that run microbatches of their own, several stages a device, orders but 1F1B"
    check(json.loads(hybrid.read_text())["not_searched"] == said, hybrid.read_text()[-600:])
    check("\nnot searched: replicas that run" in run("show", hybrid).stdout, run("show", hybrid).stdout)
    check(said in run("show", hybrid, "--format", "html").stdout, "page")
    # A cut is not all that such a plan says.
    fails(2, "--plan: stage 0 has 6 replicas of 1 device, and a cut has one device a stage", "plan", heavy, "--plan", hybrid)
    check("optimal: no cut is below" in text, text)
    fails(3, "not searched: ", *base, "--memory", "20B")

    # What was not tried of a computed model is named.
    short = ["plan", MODELS / "llama-2-7b.json", "--gpu", "a100-80gb", "--devices", 4, "--nodes", 1, "--gpus-per-node", 4, "--intra", "300GB",
             "--microbatches", 16, "--memory", "20GiB", "--replicate", "auto"]
    fails(3, "; not tried: --recompute auto, --tensor-parallel auto; not searched: ", *short)
    fails(3, "; not tried: --tensor-parallel auto; not searched: ", *short, "--recompute", "auto")
    none = run(*short[:14], "--memory", "8GiB", "--replicate", "auto", "--recompute", "auto", "--tensor-parallel", "auto")
    check(none.returncode == 3 and "not tried" not in none.stderr and "fewer than " in none.stderr, none)

    # A plan in no time: the even cut.
    rows = there / "many.csv"
    rows.write_text("name,forward,backward,parameters_bytes,output\n" + "".join(f"l{i},{1 + i % 7},{2 + i % 5},8,4\n" for i in range(400)))
    text = run("plan", rows, "--devices", 64, "--microbatches", 64, "--replicate", "auto", "--time-limit", "0.01").stdout
    check("iteration: " in text and "replicas but " in text, text)
    check(all(len(line) <= 80 for line in text.splitlines() if line.startswith(("not searched", "  "))
              and "×" not in line), text)

    # GPUs that share a layer fill the node before those that share a sample.
    text = run("plan", MODELS / "llama-2-70b.json", "--gpu", "h100-80gb", "--sequence", 131072, "--context-parallel", 8, "--nodes", 16,
               "--gpus-per-node", 8, "--intra", "450GB", "--inter", "50GB@5e-6", "--microbatches", 16, "--memory", "80GB", "--replicate",
               "auto", "--tensor-parallel", "auto", "--recompute", "auto", "--for", "megatron").stdout
    check("--tensor-model-parallel-size 8 " in text and "recomputation of some layers" in text, text)

    # What makes replicas look cheap, or keeps stages from having any, is said.
    free = run("plan", small, "--devices", 8, "--microbatches", 8, "--replicate", "auto")
    check("so replicas exchange gradients in no time: --nodes or --bandwidth sets one" in free.stderr, free.stderr)
    check("in no time" not in run(*base).stderr, "links are known")
    one = run("plan", MODELS / "llama-2-7b.json", "--devices", 4, "--microbatches", 8, "--replicate", "auto")
    check("no stage has replicas, which would share the 1 sample of a microbatch: --microbatch 2 allows 2" in one.stderr, one.stderr)

    # Fixed numbers, and fewer devices.
    made = plan("--tensor-parallel", 2)
    check(all(each.get("tensor_parallel", 1) == 2 for each in made["stages"]), made["stages"])
    made = json.loads(run("plan", small, "--devices", 7, "--microbatches", 8, "--replicate", 2, "--at-most", "--format", "json").stdout)
    check(devices(made) <= 6 and all(each["replicas"] == 2 for each in made["stages"]), made["stages"])

    # What does not fit, or cannot be.
    fails(3, "bytes a device would do", *base, "--memory", "20B")
    fails(3, "on all 7 devices are not possible; on fewer devices they are", "plan", small, "--devices", 7,
          "--microbatches", 8, "--replicate", 2)
    for words, says in ((["--stages-per-rank", 2], "--stages-per-rank"), (["--schedule", "gpipe"], "--schedule"),
                        (["--in-flight", "1,1"], "--in-flight"), (["--device-speeds", "1,2"], "--device-speeds"),
                        (["--checkpoint", "always"], "--checkpoint"), (["--inference"], "--inference"),
                        (["--objective", "range"], "--objective"), (["--tensor-parallel", 8], "--tensor-parallel"),
                        (["--tensor-parallel", 4], "\"shardings\""), (["--recompute", "half"], "no layer"),
                        (["--for", "deepspeed"], "deepspeed"), (["--forbid-cut", 3], "--forbid-cut: must be left out where stages have several devices")):
        fails(2, says, *base, *words)
    fails(2, "--microbatches", "plan", small, *nodes, "--replicate", 2)
    fails(2, "--method: must be time where stages have several devices", *base, "--time-weight", "0.5")
    fails(2, "--at-most", "plan", small, *nodes, "--microbatches", 8, "--at-most")
    fails(2, "or with --replicate", "plan", small, *nodes, "--microbatches", 8, "--tensor-parallel", 2)
    plain = there / "plain.json"
    plain.write_text(json.dumps({"schema": "stagecut-profile-2", "layers": [layer(i) for i in range(8)],
                                 "edges": [[0, 1], [0, 2], [1, 3], [2, 3], [3, 4], [4, 5], [4, 6], [5, 7], [6, 7]]}))
    fails(2, "\"shardings\"", "plan", plain, *base[2:], "--tensor-parallel", "auto")

    # A graph with branches: its stages hand on what passes them, and are verified, shown and simulated.
    made = json.loads(run("plan", plain, *base[2:], "--memory", "200B", "--format", "json").stdout)
    check(made["objective"]["state"] == "optimal" and [(each["from"], each["to"]) for each in made["edges"]] ==
          [(s, s + 1) for s in range(len(made["stages"]) - 1)], made.get("edges"))
    file.write_text(json.dumps(made))
    check("do not" not in run("verify", file, plain).stdout.replace("0 do not", ""), "verify a graph")
    check(abs(json.loads(run("simulate", file, "--format", "json").stdout)["makespan"] - made["makespan"]) <= 1e-9 * made["makespan"], "graph")
    fails(2, "graph", "plan", plain, *base[2:], "--for", "megatron")
    fails(2, "neither auto nor", *base[:-1], "0")

    # A model by its configuration, to the lines of frameworks.
    llama = [MODELS / "llama-2-7b.json", "--gpu", "a100-80gb", *nodes[:4], "--intra", "300GB", "--inter", "25GB@5e-6",
             "--microbatches", 32, "--memory", "60GB", "--replicate", "auto", "--tensor-parallel", "auto"]
    text = run("plan", *llama, "--recompute", "auto", "--for", "megatron").stdout
    line = re.search(r"^.*--pipeline-model-parallel-size (\d+).*$", text, re.M)
    check(line, text)
    if line:
        shards = re.search(r"--tensor-model-parallel-size (\d+)", line.group(0))
        stages = int(line.group(1)) * (int(shards.group(1)) if shards else 1)
        check(8 % stages == 0, text)
    text = run("plan", *llama, "--format", "torchtitan").stdout
    check("pipeline_parallel_degree" in text, text)
    text = run("plan", *llama, "--format", "alpa").stdout
    check("ManualStageOption" in text and "(1," in text, text)
    profile = there / "llama.json"
    profile.write_text(run("profile", "transformer", "--preset", "llama-2-7b", "--tensor-parallel", "1,2", "--recompute", "auto").stdout)
    of_file = json.loads(run("plan", profile, *llama[3:], "--format", "json").stdout)
    of_model = json.loads(run("plan", llama[0], *llama[1:-1], "1,2", "--format", "json").stdout)
    check(of_file["objective"]["value"] == of_model["objective"]["value"], [of_file["objective"], of_model["objective"]])

    # What frameworks cannot be told is a constraint: equal stages between the first and the last, no recomputed head.
    flags = run("plan", *llama, "--recompute", "auto", "--for", "megatron-flags").stdout
    check("--pipeline-model-parallel-size" in flags and "layout" not in flags, flags)
    text = run(*base, "--recompute", "auto", "--for", "pipedream").stdout
    conf = json.loads(text[text.index('{"module_to_stage_map"'):])
    check(sorted(sum(conf["stage_to_rank_map"].values(), [])) == list(range(8)), conf)
    check(conf["module_to_stage_map"] == sorted(conf["module_to_stage_map"]), conf)
    fails(2, "\"full\"", *base, "--recompute", "full", "--for", "pipedream")

    # Graphs of Piper's, from a file or a stream, in words and as Piper writes plans.
    def piper_node(i, before, after):
        ways = {str(t): [{"id": name, "timePerSample": (8 + i + again) / t, "parameterSize": 8 / t, "memoryUsageA": (1 if again else 6) / t,
                          "memoryUsageB": 8 / t, "syncTimeFw": {str(j): 0 for j in before}, "syncTimeBw": {str(j): 0 for j in after}}
                         for name, again in (("vanilla", 0), ("activation recomp", 3))] for t in (1, 2)}
        return {"id": i, "name": f"node {i}", "TMPCs": ways}

    arcs = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)]
    graph = {"maxMemoryPerDevice": 60, "maxDevices": 4, "bandwidth": 10, "mbsInBatch": 8,
             "nodes": [piper_node(i, [a for a, b in arcs if b == i], [b for a, b in arcs if a == i]) for i in range(5)],
             "edges": [{"sourceId": a, "destId": b, "communicationCost": 1} for a, b in arcs]}
    piper = there / "piper.json"
    piper.write_text(json.dumps(graph))
    text = run("plan", piper).stdout
    check("optimal" in text and "of 4 devices, 8 microbatches" in text, text)
    check(run("plan", "-", stdin=piper.read_text()).stdout == text, "a stream")
    stages = json.loads(run("plan", piper, "--format", "piper").stdout)["stages"]
    check(sorted(sum((each["nodes"] for each in stages), [])) == list(range(5)), stages)
    check(sum(each["dataParallelDegree"] * each["tensorParallelDegree"] for each in stages) <= 4, stages)
    check("of 2 devices, 16 microbatches" in run("plan", piper, "--devices", 2, "--microbatches", 16, "--memory", "100B", "--bandwidth", "1GB",
                                                 "--replicate", "auto", "--objective", "stage-time").stdout, "words")
    fails(3, "bytes a device would do", "plan", piper, "--memory", "12B")

    # As JSON, which the other commands read, with the figures that it prints.
    for words in (["--memory", "60B"], ["--memory", "32B"], ["--memory", "32B", "--devices", 3], ["--memory", "100B", "--bandwidth", "1B", "--devices", 3]):
        text = run("plan", piper, *words).stdout
        made = run("plan", piper, *words, "--format", "json").stdout
        rows = [re.split(r"\s{2,}", line.strip()) for line in text.splitlines() if re.match(r"\s+\d", line)]
        stages = json.loads(made)["stages"]
        check(len(stages) == len(rows), text, made)
        for row, stage in zip(rows, stages):
            bytes_held = stage["memory"]["resident"] + stage["in_flight"] * stage["memory"]["activations"]
            check(row[1] == f"{stage.get('replicas', 1)} × {stage.get('tensor_parallel', 1)}" and float(row[4]) == float(f"{stage['forward'] + stage['backward']:.6g}") and
                  row[6] == f"{bytes_held:g} B", row, stage)
        checked = run("verify", "-", stdin=made)
        check(checked.returncode == 0 and " 0 do not" in checked.stdout, checked)
        objective = next(line for line in text.splitlines() if line.startswith("stage-time")).split(":")[1]
        check(f"stage-time:{objective}" in run("show", "-", stdin=made).stdout, objective)
        check(json.loads(run("simulate", "-", "--format", "json", stdin=made).stdout)["makespan"] == json.loads(made)["makespan"], made)
        check(run("show", "-", "--format", "piper", stdin=made).stdout == run("plan", piper, *words, "--format", "piper").stdout, words)
    del graph["edges"][:]
    for each in sum((ways for node in graph["nodes"] for ways in node["TMPCs"].values()), []): each["syncTimeFw"] = each["syncTimeBw"] = {}
    fails(2, "layers without edges would be a chain there", "plan", "-", "--format", "json", stdin=json.dumps(graph))
    for words, says in ((["--format", "dot"], "text, json or piper"), (["--schedule", "gpipe"], "has no effect on a graph of Piper's"),
                        (["--objective", "makespan"], "stage-time"), (["--replicate", 2], "--replicate"), (["--memory", "1GB,2GB"], "--memory"),
                        (["--bandwidth", "0"], "--bandwidth"), (["--tensor-parallel", "auto"], "--tensor-parallel")):
        fails(2, says, "plan", piper, *words)
    fails(2, "a graph of Piper's", "sweep", piper, "--devices", 2, "--microbatches", 8)
    stages = json.loads(run(*base, "--tensor-parallel", "auto", "--format", "piper").stdout)["stages"]
    check(sum(each["dataParallelDegree"] * each["tensorParallelDegree"] for each in stages) == 8, stages)

    # It stops when it is asked to.
    began = time.time()
    stopped = subprocess.Popen([binary, *map(str, ["plan", MODELS / "gpt3-175b.json", "--nodes", 64, "--gpus-per-node", 8, "--intra", "300GB",
                                                   "--inter", "25GB", "--microbatches", 512, "--memory", "75GB", "--replicate", "auto",
                                                   "--tensor-parallel", "auto", "--recompute", "auto", "--time-limit", "600"])],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(2)
    stopped.send_signal(signal.SIGINT)
    text, _ = stopped.communicate(timeout=300)
    check(stopped.returncode == 0 and "\niteration: " in text, stopped.returncode, text)

print("\n".join(map(str, failures)) or "plans on several devices a stage hold")
sys.exit(bool(failures))
