# SPDX-License-Identifier: BSL-1.0
"""What becomes of a search that is sent SIGINT or SIGTERM."""

import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from program import binary, check, failures

if not pathlib.Path("/proc/self/status").exists():
    print("skipped: which signals a process takes is not told here")
    sys.exit(77)

config = pathlib.Path(__file__).resolve().parents[1] / "io" / "seeds" / "hugging_face_config" / "llama-3.1-405b.json"
generator = random.Random(3)
header = "name,kind,forward,backward,parameters,activations,output\n"
times = [generator.randint(100, 1000) for _ in range(96)]
# Proved only after minutes; and one of chunks that may not be together, of which not even a first cut is found for long.
hard = header + "".join(f"l{i},x,{f},{2 * f},10,3,1\n" for i, f in enumerate(times))
long = ("--devices", 16, "--stages-per-rank", 2, "--microbatches", 64, "--time-limit", 100000)
times = [generator.randint(100, 1000) for _ in range(2000)]
full = header + "".join(f"l{i},x,{f},{2 * f},{f % 97},{f % 31 + 1},1\n" for i, f in enumerate(times))
tight = ("--devices", 64, "--stages-per-rank", 2, "--microbatches", 256, "--memory", "44000B", "--time-limit", 100000)


def start(*words, command="plan", stdin=None, **options):
    """The program, once it takes signals."""
    process = subprocess.Popen([binary, command, *map(str, words)], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, **options)
    status = pathlib.Path(f"/proc/{process.pid}/status")
    while process.poll() is None:
        taken = int(re.search(r"SigCgt:\s*([0-9a-f]+)", status.read_text()).group(1), 16)
        if all(taken >> (number - 1) & 1 for number in (signal.SIGINT, signal.SIGTERM)):
            break
        time.sleep(0.001)
    return process


def is_searching(process):
    """Waits until it computes, which it does longer than anything else."""
    def used():
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    while process.poll() is None and used() < 0.5:
        time.sleep(0.01)
    check(process.poll() is None, "ends by itself", process.returncode)


def stopped(number, *words, **options):
    process = start(*words, **options)
    is_searching(process)
    process.send_signal(number)
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def check_best(number, text, err, status):
    made = json.loads(text or "{}")
    objective = made.get("objective", {})
    check(status == 0 and err == "", number, status, err)
    check(objective.get("state") == "feasible" and objective.get("name") == "makespan", number, objective)
    check(0 < objective["bound"] < objective["value"] == made["makespan"], number, objective)
    check(len(made["cuts"]) == 33 and made["cuts"][-1] == 96, number, made["cuts"])
    return made


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    model, crowded, out = folder / "model.csv", folder / "crowded.csv", folder / "plan.json"
    model.write_text(hard)
    crowded.write_text(full)
    for number in (signal.SIGINT, signal.SIGTERM):
        # The best so far, printed or written.
        status, text, err = stopped(number, model, *long, "--format", "json")
        made = check_best(number, text, err, status)
        out.write_text("old")
        status, text, err = stopped(number, model, *long, "--format", "json", "--output", out)
        check(text == "", number, "printed", text)
        check_best(number, out.read_text(), err, status)
        status, text, err = stopped(number, model, *long)
        check(status == 0 and "\nmakespan: " in text and ", feasible: no cut is below " in text, number, status, text, err)
        status, text, err = stopped(number, model, *long[:2], *long[4:], "--schedule", "auto")
        check(status == 0 and ", feasible: no cut is below " in text and text.count("best") == 1, number, status, text, err)

        # Of a config.json as well, whose profile is computed before.
        status, text, err = stopped(number, config, "--tensor-parallel", 8, "--devices", 16, "--stages-per-rank", 7, "--microbatches", 32, "--memory", "none", "--time-limit", 60)
        large = err.endswith(": nothing limits the plan, by --memory none\n")  # than the device that it is computed for
        check(status == 0 and large and ", feasible: no cut is below " in text, number, status, text, err)

        # No plan yet.
        out.write_text("old")
        status, text, err = stopped(number, crowded, *tight, "--output", out)
        check((status, text, err) == (4, "", f"stagecut: {crowded}: unknown: stopped before a plan was found\n"), number, status, text, err)
        check(out.read_text() == "old", number, "writes over the old file")

        # Before there is anything to plan: of what was read by then there may be more to come.
        process = start("-", "--devices", 1, "--output", out, stdin=subprocess.PIPE)
        process.stdin.write("1\n2\n")
        process.stdin.flush()
        time.sleep(0.05)
        process.send_signal(number)
        process.wait(timeout=300)
        check(process.returncode == 4, number, process.returncode)
        check(process.stderr.read() == "stagecut: standard input: unknown: stopped before a plan was found\n", number, "says something else")
        check(out.read_text() == "old", number, "writes over the old file")
        process.stdin.close()

        # The second signal ends it: both wait until the process, which is held, goes on.
        process = start(model, *long, "--output", out)
        is_searching(process)
        for each in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):
            process.send_signal(each)
        text, _ = process.communicate(timeout=300)
        check(-process.returncode in (signal.SIGINT, signal.SIGTERM) and text == "", number, process.returncode, text)
        check(out.read_text() == "old", number, "writes over the old file")
        check(sorted(each.name for each in folder.iterdir()) == ["crowded.csv", "model.csv", "plan.json"], "leaves something")

    # What helps a search ends with it; and of a sweep there is what was planned by then, with a word that it is not all.
    status, text, err = stopped(signal.SIGINT, model, "--devices", 8, "--stages-per-rank", 4, "--microbatches", 32, "--time-limit", 100000,
                                "--search", "cpu")
    lacks = status == 2 and "built without Thrust" in err
    check(lacks or (status == 0 and ", feasible: no cut is below " in text and err == ""), "helped", status, text, err)
    status, text, err = stopped(signal.SIGINT, model, "--devices", "4,16", "--stages-per-rank", "1,2", "--microbatches", "32,64",
                                "--schedules", "interleaved,1f1b", "--node-limit", 10**9, command="sweep")
    check(status == 0 and re.fullmatch(rf"stagecut: {model}: stopped: \d+ of 16 configurations have a plan so far\n", err), status, text, err)

    # The plan is not lost between search and output: a pipe that nobody reads yet holds it up.
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    process = start(model, "--devices", 4, "--microbatches", 8, "--format", "json", "--output", pipe)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    time.sleep(0.1)
    made = json.loads(pipe.read_text())
    process.communicate(timeout=300)
    check(process.returncode == 0 and made["objective"]["name"] == "makespan", "the plan is lost", process.returncode)

    # Whoever has it ignore them is not stopped by them: a shell's background.
    process = start(model, "--devices", 4, "--microbatches", 8, "--time-limit", 60,
                    preexec_fn=lambda: [signal.signal(each, signal.SIG_IGN) for each in (signal.SIGINT, signal.SIGTERM)])
    out_text, _ = process.communicate(timeout=300)
    check(process.returncode == 0 and "optimal" in out_text, "what is ignored", process.returncode)

print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
