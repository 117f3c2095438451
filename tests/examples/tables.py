# SPDX-License-Identifier: BSL-1.0
"""Tables of layers as people have them: made by hand, with columns in other words, units and orders."""

import json
import pathlib
import sys
import tempfile

from program import check, fails, failures, run

five = """Layer,Fwd (ms),Bwd (ms),Mem (MiB),# params
embed,1.5,3,10,1000
block 1,3,6,20,2001
block 2,3,6,20,2000
block 3,3,6,20,2000
head,2,4,5,1000
"""
counted = ':1: column "# params" counts parameters, which are taken as 2 bytes each: --parameter-bytes sets another size'

# A profile made by hand, of five lines, plans, and it is said what was taken for granted.
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "five.csv"
    path.write_text(five)
    done = run("plan", path, "--devices", 2, "--microbatches", 4, "--format", "json")
    check(done.returncode == 0, done)
    check(done.stderr.startswith(f"stagecut: {path}{counted}") and done.stderr.count("\n") == 1, done.stderr)
    plan = json.loads(done.stdout)
    layers = plan["profile"]["layers"]
    check([layer["name"] for layer in layers] == ["embed", "block 1", "block 2", "block 3", "head"], layers)
    check(layers[1] == {"name": "block 1", "forward": 0.003, "backward": 0.006, "parameters": 4002, "activations": 20 << 20}, layers[1])
    check(len(plan["stages"]) == 2 and plan["cuts"] == [0, 3, 5], plan.get("cuts"))
    made = pathlib.Path(folder) / "plan.json"
    made.write_text(done.stdout)
    for words in (("sweep", path, "--devices", 2, "--microbatches", 4), ("show", path), ("verify", path, made)):
        done = run(*words)
        check(done.returncode == 0 and done.stderr.startswith(f"stagecut: {path}{counted}"), words, done)
    done = run("show", path, "--format", "json", "--parameter-bytes", 4)
    check(json.loads(done.stdout)["layers"][1]["parameters"] == 8004 and "4 bytes each" in done.stderr, done)
for size in (0, -1, "nan", "inf", "1e400", "x", ""):
    fails(2, "--parameter-bytes", "show", "-", f"--parameter-bytes={size}", stdin=five)
check("--parameter-bytes" not in run("plan", "--help").stdout, "--help")
check("--parameter-bytes X" in run("plan", "--help-all").stdout, "--help-all")

# Tabulators and semicolons, and several things to say, each in a line of its own.
done = run("show", "-", "--format", "json", stdin=five.replace(",", "\t").replace("Bwd", "other"))
check(json.loads(done.stdout)["layers"][0] == {"name": "embed", "forward": 0.0015, "parameters": 2000, "activations": 10 << 20}, done)
check(done.stderr.count("\n") == 3, done.stderr)
check('column "other (ms)" is not read\n' in done.stderr, done.stderr)
check("there is no column backward: it is taken as 0\n" in done.stderr, done.stderr)
check(run("show", "-", "--format", "json", stdin=five.replace(",", ";")).stdout == run("show", "-", "--format", "json", stdin=five).stdout, ";")
asked = run("show", "-", stdin="params,forward_ms,bwd_ms\n5000,1,2\n")
check('column "params" is read as bytes: are these counts? Then name it parameter_count, else parameters_bytes' in asked.stderr, asked)

# What is read is what was there: the program's own tables need no word.
for model in ("gpt2-xl", "llama-2-7b"):
    shipped = pathlib.Path(__file__).resolve().parents[2] / "examples" / "models" / f"{model}.csv"
    done = run("show", shipped, "--format", "json")
    check(done.returncode == 0 and done.stderr == "", model, done.stderr)

# Mistakes are named with line, column and value.
fails(2, 'standard input:1: columns "fwd" and "forward_ms" are both forward', "show", "-", stdin="fwd,forward_ms\n1,2\n")
fails(2, 'standard input:3: Mem (GB): "1,5" is not a number', "show", "-", stdin="Fwd;Mem (GB)\n1;2\n1;1,5\n")
fails(2, 'standard input:2: mem_tb: "1e300" is out of range', "show", "-", stdin="mem_tb\n1e300\n")
fails(2, "standard input:2: 1 fields, and the header names 2", "show", "-", stdin="fwd,bwd\n1\n")
fails(2, "standard input:1: no column is a figure of a layer", "show", "-", stdin="name,size\na,1\n")

print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
