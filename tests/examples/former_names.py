# SPDX-License-Identifier: BSL-1.0
"""Names of before 0.2, of options and in files, are read like the present ones, and a line says so."""

import json
import pathlib
import tempfile

from program import check, fails, failures, run

LAYERS = [{"name": f"l{i}", "forward": 1 + i % 3, "backward": 2 + i % 4, "backward_input": 1, "backward_weight": 1 + i % 4, "parameters": 8,
           "activations": 4, "output": 2} for i in range(8)]
MODEL = json.dumps({"schema": "stagecut-profile-2", "layers": LAYERS})


def same(lines, former, now, stdin=""):
    """That both command lines print the same, the former one with these lines on standard error besides."""
    before, after = run(*former, stdin=stdin), run(*now, stdin=stdin)
    said = "".join(f"stagecut: {line}: it is read until 0.3\n" for line in lines)
    check((before.returncode, before.stdout, before.stderr) == (after.returncode, after.stdout, said + after.stderr), former, before, after)
    check(after.returncode == 0, now, after.stderr)


# Options.
chunks = "--chunks is now --stages-per-rank"
for command in (("plan", "-", "--devices", 2, "--microbatches", 4), ("sweep", "-", "--devices", 2, "--microbatches", 4),
                ("simulate", "--forward", 1, "--backward", 2, "--devices", 2, "--microbatches", 4, "--schedule", "interleaved"),
                ("schedules", "synthesize", "--forward", 1, "--backward", 2, "--devices", 2, "--microbatches", 4, "--node-limit", 50)):
    same([chunks], (*command, "--chunks", 2), (*command, "--stages-per-rank", 2), MODEL)
    same([chunks], (*command, "--chunks=2"), (*command, "--vpp=2"), MODEL)
    same([], (*command, "--vpp", 2), (*command, "--stages-per-rank", 2), MODEL)
recomputed = json.dumps({"schema": "stagecut-profile-2", "layers": [
    {**each, "recomputations": [{"name": "full", "forward": each["forward"], "backward": 9, "parameters": 8, "activations": 1, "output": 2}]}
    for each in LAYERS]})
plan = ("plan", "-", "--devices", 2, "--microbatches", 4, "--recompute", "auto", "--node-limit", 50)
same([chunks, "--empty-chunks is now --empty-stages"], (*plan, "--chunks", 2, "--empty-chunks"),
     (*plan, "--stages-per-rank", 2, "--empty-stages"), recomputed)
hybrid = ("plan", "-", "--devices", 2, "--microbatches", 4, "--replicate", "auto")
for former, now in ((("--objective", "pipeline-length"), ("--objective", "pipeline-latency")), (("--objective=pipeline-length",), ("--objective=pipeline-latency",))):
    same(["--objective pipeline-length is now pipeline-latency"], (*hybrid, *former), (*hybrid, *now), MODEL)
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "order.csv")
    times = ("simulate", "--forward", "1,1", "--backward", "2,2")
    path.write_text(run(*times, "--microbatches", 3, "--format", "torch-csv").stdout)
    same(["--order is now --schedule-file"], (*times, "--order", path), (*times, "--schedule-file", path))
fails(2, "--chunks is none of compare's options", "compare", "--chunks", 2)
check("chunks" not in run("plan", "--help-all").stdout + run("completion", "bash").stdout + run("manual", "plan").stdout, "former names are not shown")

# Files. A plan is held against its profile by a hash, which is of the names in the file.
with tempfile.TemporaryDirectory() as folder:
    seeds = pathlib.Path(__file__).resolve().parent.parent / "io/seeds"
    for former, now, schema in (("json_plan/full_2.json", "json_plan/full_3.json", "stagecut-plan-2"),
                                ("json_profile/graph.json", "json_profile/graph_2.json", "stagecut-profile-1")):
        before, after = run("show", seeds / former, "--format", "json"), run("show", seeds / now, "--format", "json")
        check(before.returncode == after.returncode == 0 and before.stdout == after.stdout, former, before.stderr, after.stderr)
        line = f"stagecut: {seeds / former}: is of {schema}, written by stagecut before 0.2: old names are read until 0.3\n"
        check(before.stderr == line and after.stderr == "", former, before.stderr, after.stderr)
    old = MODEL.replace("stagecut-profile-2", "stagecut-profile-1")
    said = "stagecut: standard input: is of stagecut-profile-1, written by stagecut before 0.2: old names are read until 0.3\n"
    made = run("plan", "-", "--devices", 2, "--microbatches", 4, "--format", "json", stdin=old)
    check(made.stderr == said and made.stdout == run("plan", "-", "--devices", 2, "--microbatches", 4, "--format", "json", stdin=MODEL).stdout, made)
    file = pathlib.Path(folder, "plan.json")
    file.write_text(made.stdout)
    held = run("verify", "-", file, stdin=old)
    check(held.returncode == 0 and held.stderr == said, held)
    fails(2, 'standard input#/schema: "stagecut-profile-3" is not known; read are', "plan", "-", "--devices", 2,
          stdin=MODEL.replace("stagecut-profile-2", "stagecut-profile-3"))

    # Misspelt members.
    wrong = json.loads(made.stdout)
    wrong["makspan"] = 3
    wrong["profile"]["layers"][0]["note"] = "kept"
    wrong["profile"]["layers"][1]["foward"] = wrong["profile"]["layers"][2]["foward"] = 1
    file.write_text(json.dumps(wrong))
    place = f"stagecut: {file}#"
    shown = run("show", file, "--format", "json")
    check(shown.stderr == f"{place}/makspan: is not known, and kept: did you mean makespan?\n"
          f"{place}/profile/layers/1/foward: is not known, and kept: did you mean forward?\n", shown.stderr)
    check(json.loads(shown.stdout) == wrong, "unknown members are written again")
    for command in (("simulate", file), ("explain", file), ("verify", file), ("compare", file)):
        check("did you mean makespan?" in run(*command).stderr, command)
    many = json.dumps({"schema": "stagecut-profile-2", "nmae": "x", "layer": 1, "edge": [], "machin": {}, "layers": LAYERS})
    done = run("plan", "-", "--devices", 2, stdin=many)
    check(done.returncode == 0 and done.stderr.count("did you mean") == 3 and "has more names that are not known\n" in done.stderr, done.stderr)

raise SystemExit(1 if failures else 0)
