# SPDX-License-Identifier: BSL-1.0
"""A cut of one's own in `plan`: `own_cut.py BINARY`. Every way to say one says the same; it is scored, compared, and begun with."""

import json
import pathlib
import sys
import tempfile

from program import check, failures, fails, run

model = run("profile", "transformer", "--preset", "llama-2-7b", "--set", "layers=16").stdout
words = ("plan", "-", "--microbatches", 8)
score = (*words, "--no-search", "--format", "json")

# One cut, in everybody's words.
want = [0, 5, 9, 13, 19]
said = {"--cuts": ("0,5,9,13", "5,9,13", "0,5,9,13,19", "tok_embeddings,layers.4,layers.8,layers.12"),
        "--balance": ("5,4,4,6", "4,4,4,4"), "--layout": ("Et*4|t*4|t*4|t*4L", "Etttt|(tttt|)*2,tttt,L", "Et*4|(t*4|)*2t*4L")}
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    own = folder / "own.json"
    for option, values in said.items():
        for value in values:
            done = run(*score, option, value, stdin=model)
            check(done.returncode == 0 and done.stderr == "", option, value, done)
            made = json.loads(done.stdout)
            check(made["cuts"] == want and made["devices"] == 4, option, value, made["cuts"])
            check(made["objective"]["state"] == "unknown", made["objective"])
    own.write_text(done.stdout)
    edited = json.loads(done.stdout)
    edited["cuts"] = [0, 4, 9, 13, 19]
    (folder / "edited.json").write_text(json.dumps(edited))
    again = json.loads(run("plan", "-", "--plan", folder / "edited.json", "--no-search", "--format", "json", stdin=model).stdout)
    check(again["cuts"] == edited["cuts"] and again["schedule"]["microbatches"] == 8, again["cuts"], again["schedule"])
    check(again == json.loads(run(*score, "--cuts", "4,9,13", stdin=model).stdout), "an edited plan is made anew")

    # What it writes is a plan: simulated, explained and verified as others are.
    simulated = json.loads(run("simulate", own, "--format", "json").stdout)
    check(abs(simulated["makespan"] - made["makespan"]) < 1e-12, simulated["makespan"], made["makespan"])
    check(run("explain", own).returncode == 0, "explain")
    (folder / "model.json").write_text(model)
    check(run("verify", folder / "model.json", own).returncode == 0, "verify")
    v = folder / "v.json"
    v.write_text(run("plan", "-", "--devices", 2, "--stages-per-rank", 2, "--microbatches", 8, "--format", "json", stdin=model).stdout)
    taken = json.loads(run("plan", "-", "--plan", v, "--no-search", "--format", "json", stdin=model).stdout)
    check((taken["devices"], taken["stages_per_rank"], taken["schedule"]) == (2, 2, {"name": "interleaved", "microbatches": 8}), taken["schedule"])

# The pattern of a hybrid model, as Megatron-LM reads it, there and back.
kinds = {"M": "mamba", "*": "attention", "-": "mlp", "E": "moe"}
pattern = "M-M*M-ME-M*-M-M"
layers = [{"name": "embedding", "kind": "embedding", "forward": 0.1, "backward": 0.2}]
layers += [{"name": f"layers.{i}", "kind": kinds[each], "forward": 1 + (each == "*"), "backward": 2} for i, each in enumerate(pattern)]
layers += [{"name": "norm", "kind": "norm", "forward": 0, "backward": 0}, {"name": "head", "kind": "head", "forward": 1, "backward": 2}]
hybrid = json.dumps({"schema": "stagecut-profile-2", "layers": layers})
mine = "M-|M*M-ME-M|*-M-M"
made = json.loads(run(*score, "--layout", mine, stdin=hybrid).stdout)
check(made["cuts"] == [0, 3, 11, 18] and made["devices"] == 3, made["cuts"])
check(json.loads(run(*score, "--balance", "2,8,5", stdin=hybrid).stdout)["cuts"] == made["cuts"], "--balance of a hybrid model")
done = run(*words, "--layout", mine, "--for", "megatron", stdin=hybrid)
check("\nyour cut, --layout:\n" in done.stdout and "your cut 219.3 s, the best 177.8 s, 18.9 % less\n" in done.stdout, done)
line = done.stdout.splitlines()[-1]
check(line.startswith('--pipeline-model-parallel-size 3 --hybrid-layer-pattern "') and line.count("|") == 2, line)
check(line.split('"')[1].replace("|", "") == pattern, line)
again = run(*words, "--layout", line.split('"')[1], stdin=hybrid).stdout
check(": none is better\n" in again, again)
done = run("plan", "-", "--devices", 2, "--stages-per-rank", 2, "--microbatches", 4, "--format", "megatron", stdin=hybrid).stdout
check(done.startswith('--pipeline-model-parallel-size 2 --hybrid-layer-pattern "') and done.count("|") == 3, done)
fails(2, "letters are M, *, -, E and G, of a hybrid model", *words, "--layout", "Et*8|t*7L", stdin=hybrid)

# What a framework cannot be told is not advised; a layout's last stage has a layer; of stages on several devices no cut is taken.
advice = run(*words, "--cuts", "5,9,13", "--no-search", stdin=model).stdout
check("the schedule zb-h2 would save " in advice or "the schedule interleaved-zb would save " in advice, advice)
advice = run(*words, "--cuts", "5,9,13", "--no-search", "--for", "megatron", stdin=model).stdout
check(" would save " in advice and "zb" not in advice, advice)
fails(2, "stage 4 has no layer: every stage of a plan has one", *words, "--layout", "Et*4|t*4|t*4|t*4L|", stdin=model)
several = run("plan", "-", "--devices", 4, "--microbatches", 8, "--replicate", "auto", "--format", "json", "--bandwidth", "1TB", stdin=model).stdout
with tempfile.TemporaryDirectory() as folder:
    several_file = pathlib.Path(folder) / "several.json"
    made = json.loads(several)
    made["stages"][0]["replicas"] = 2
    several_file.write_text(json.dumps(made))
    fails(2, "--plan: stage 0 has 2 replicas of 1 device, and a cut has one device a stage", "plan", "-", "--plan", several_file, stdin=model)

# Above the limit is not within it; the line of a framework is told all the same, or why it is none.
above = run(*words, "--cuts", "5,9,13", "--memory", "20GiB", "--no-search", "--for", "megatron", stdin=model)
check(", above the limit of 20 GiB\n" in above.stdout and "memory: within" not in above.stdout, above)
check(above.returncode == 3 and "\n--pipeline-model-parallel-size 4 --pipeline-model-parallel-layout" in above.stdout, above)
fits = run(*words, "--cuts", "5,9,13", "--memory", "70GiB", "--no-search", stdin=model).stdout
check("memory: within 70 GiB of a device" in fits, fits)

# Compared with the best, which is no worse, and explained.
done = run(*words, "--cuts", "0,4,8,12", stdin=model)
best = json.loads(run(*words, "--devices", 4, "--format", "json", stdin=model).stdout)["objective"]["value"]
mine = json.loads(run(*score, "--cuts", "0,4,8,12", stdin=model).stdout)["objective"]["value"]
check(f"your cut {mine:.4g} s, the best {best:.4g} s, {100 * (1 - best / mine):.3g} % less\n" in done.stdout, done.stdout)
check("\nyour cut, --cuts:\n" in done.stdout and "of its iteration a device computes " in done.stdout and " would save " in done.stdout, done.stdout)
known = run(*words, "--cuts", "6,10,14", stdin=model).stdout
check(f"your cut {best:.4g} s: none is better\n" in known, known)
weights = "".join(f"{each}\n" for each in (3, 1, 4, 1, 5))
check("your cut 6: none is better\n" in run("plan", "-", "--cuts", "2,4", stdin=weights).stdout.replace("5: none", "6: none"), "a list")
auto = run(*words, "--cuts", "0,4,8,12", "--schedule", "auto", stdin=model).stdout
check("your cut " in auto and "the best " in auto, auto)
half = run(*words, "--cuts", "2,4,6,8,10,12,14", "--devices", 4, "--time-limit", 1, stdin=model).stdout
check("\ninterleaved of 8 microbatches" in half, half)

# The limit that it is above is told, and no change that the framework cannot be told; what to tell it stands behind the broken rule.
done = run(*words, "--balance", "4,4,4,4", "--memory", "20GiB", "--no-search", stdin=model)
check("memory: 22.12 GiB on device 0, above the limit of 20 GiB\n" in done.stdout and "within" not in done.stdout, done)
done = run(*words, "--cuts", "0,4,8,12", "--no-search", stdin=model)
check("the schedule zb" in done.stdout, done.stdout)
done = run(*words, "--cuts", "0,4,8,12", "--no-search", "--for", "megatron", stdin=model)
check(" would save " in done.stdout and "the schedule zb" not in done.stdout, done.stdout)
done = run(*words, "--cuts", "0,4,8,12", "--memory", "20GiB", "--no-search", "--for", "megatron", stdin=model)
at = done.stdout.find("it breaks a rule: device 3 needs ")
check(0 < at < done.stdout.find("--pipeline-model-parallel-size 4"), done)

# What it breaks is told, and is the status of what is only written.
done = run(*words, "--balance", "4,4,4,4", "--memory", "20GiB", "--no-search", stdin=model)
check(done.returncode == 3 and "device 0 needs 23748673536 bytes (22.1 GiB), and may have 21474836480 bytes (20.0 GiB)" in done.stderr, done)
done = run(*words, "--balance", "4,4,4,4", "--memory", "24GB", "--forbid-cut", "4,8", "--format", "text", stdin=model)
check(done.returncode == 0 and 'it breaks a rule: layer 4 ("layers.3") and layer 5 ("layers.4") stay together, and stand on two stages\n' in done.stdout, done)
done = run(*words, "--cuts", "0,1,2,18", "--for", "megatron", stdin=model)
check('it breaks a rule: megatron: layer "norm" of kind "norm" on stage 2, and its place is stage 3, the last\n' in done.stdout, done)
done = run(*words, "--balance", "4,4,4,4", "--memory", "2GiB", stdin=model)
check(done.returncode == 3 and "your cut, --balance:" in done.stdout, done)

# What is no cut of that model, or does not go with it.
fails(2, "--cuts: 3 does not follow 4", *words, "--cuts", "4,3", stdin=model)
fails(2, "--cuts: there is no layer 20", *words, "--cuts", "4,20", stdin=model)
fails(2, "--cuts: 4 stages are not 1 on each of 3 devices", *words, "--cuts", "4,8,12", "--devices", 3, "--stages-per-rank", 1, stdin=model)
fails(2, "--cuts: 4 stages are not 3 on each device", *words, "--cuts", "4,8,12", "--stages-per-rank", 3, stdin=model)
fails(2, "--balance: 4,4,4 are 12 layers: the model has 19, 16 of them decoders", *words, "--balance", "4,4,4", stdin=model)
fails(2, '--layout: "Et*8|t*8L|": stage 2 has no layer', *words, "--layout", "Et*8|t*8L|", stdin=model)
fails(2, "--balance: stage 1 is empty", *words, "--balance", "16,0", stdin=model)
fails(2, '--layout: "Et*4|t*4|L": has other layers than the model: 8 t for 16', *words, "--layout", "Et*4|t*4|L", stdin=model)
fails(2, "--balance: gives a cut, and --cuts does: give one of both", *words, "--cuts", "4", "--balance", "4,4", stdin=model)
fails(2, "--no-search: goes with a cut of your own", *words, "--no-search", "--devices", 2, stdin=model)
fails(2, "--cuts: does not go with --replicate", *words, "--cuts", "4", "--replicate", "auto", "--devices", 2, stdin=model)
towers = pathlib.Path(__file__).resolve().parents[2] / "examples" / "models" / "towers.dot"
fails(2, "--cuts: is for a chain, and this is a graph", "plan", towers, "--cuts", "4")

print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
