# SPDX-License-Identifier: BSL-1.0
"""`plan` and `sweep` with `--search` find the same plans as without where these are proved, and say what this program or machine
lacks: helped_search.py BINARY."""

import os
import pathlib
import subprocess
import sys
import tempfile

binary = sys.argv[1]
failures = 0


def run(*words):
    return subprocess.run([binary, *words], capture_output=True, text=True, env={**os.environ, "OMP_WAIT_POLICY": "passive"})


def check(what, holds, done):
    global failures
    if not holds:
        failures += 1
        print(f"FAILED: {what}\nstatus {done.returncode}\n{done.stdout}{done.stderr}")


with tempfile.TemporaryDirectory() as folder:
    model = str(pathlib.Path(folder) / "model.csv")
    rows = [f"layer{i},block,{1 + i * 7 % 11},{2 + i * 5 % 17},0,0,0" for i in range(24)]
    pathlib.Path(model).write_text("name,kind,forward,backward,parameters,activations,output\n" + "\n".join(rows) + "\n")
    for words in (["--schedule", "1f1b"], ["--schedule", "interleaved", "--stages-per-rank", "3"], ["--schedule", "auto"]):
        words = ["plan", model, "--devices", "2", "--microbatches", "4", *words]
        plain = run(*words)
        check(f"{words}", plain.returncode == 0 and "optimal" in plain.stdout, plain)
        off = run(*words, "--search", "off")
        check(f"{words} off", off.stdout == plain.stdout, off)
        helped = run(*words, "--search", "cpu")
        if "built without Thrust" in helped.stderr:
            check("without Thrust", helped.returncode == 2, helped)
        else:
            check(f"{words} cpu", helped.returncode == 0 and helped.stdout == plain.stdout, helped)
        gpu = run(*words, "--search", "gpu")
        lacks = gpu.returncode == 2 and gpu.stdout == "" and "--search: " in gpu.stderr and gpu.stderr.count("\n") == 1
        check(f"{words} gpu", lacks or gpu.stdout == plain.stdout, gpu)
    words = ["sweep", model, "--devices", "2,3", "--microbatches", "4,6", "--schedules", "1f1b,interleaved", "--node-limit", "100000"]
    plain = run(*words)
    check("sweep", plain.returncode == 0 and " of 16 configurations have a plan" in plain.stdout, plain)
    helped = run(*words, "--search", "cpu", "--threads", "1")
    lacks = helped.returncode == 2 and "built without Thrust" in helped.stderr
    check("sweep cpu", lacks or helped.stdout == plain.stdout, helped)
    crowd = run(*words, "--search", "cpu", "--threads", "2")
    check("sweep cpu, two threads", crowd.returncode == 2 and (lacks or "--threads: above 1" in crowd.stderr), crowd)
    wrong = run("plan", model, "--devices", "2", "--search", "tpu")
    check("a word that is none", wrong.returncode == 2 and "tpu" in wrong.stderr, wrong)
print(f"{failures} failures")
sys.exit(failures != 0)
