# SPDX-License-Identifier: BSL-1.0
"""What the program does with input without an end, nested without an end, or more than its memory holds."""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

from program import binary, check, fails, failures, run

mebibyte = 1 << 20


def run_within(bytes, *words):
    """Runs the program in an address space of so many bytes."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (bytes, bytes))
    return subprocess.run([binary, *map(str, words)], capture_output=True, text=True, preexec_fn=limit)


def peak(*words):
    """The most bytes of memory that it holds at once."""
    with subprocess.Popen([binary, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status) if hasattr(os, "waitstatus_to_exitcode") else status
        check(status == 0, words, "status", status)
    return used.ru_maxrss * 1024


# With sanitizers a program takes terabytes of addresses from the start.
plain = run_within(1024 * mebibyte, "--version").returncode == 0

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    profile, plan, order, output = (folder / name for name in ("profile.json", "plan.json", "order.csv", "output"))
    profile.write_text(json.dumps({"schema": "stagecut-profile-2", "layers": [{"forward": 1}, {"forward": 2}]}))
    check(run("plan", profile, "--devices", 2, "--microbatches", 2, "--format", "json", "--output", plan).returncode == 0, "plan")
    order.write_text(run("simulate", plan, "--format", "torch-csv").stdout)
    readers = [("plan", profile, "--devices", 2), ("show", profile), ("show", plan), ("compare", plan), ("explain", plan), ("simulate", plan),
               ("simulate", "--forward", "1,1", "--backward", "1,1", "--schedule-file", order)]
    for words in readers:
        file = next(word for word in words if isinstance(word, pathlib.Path))
        size = file.stat().st_size
        check(run(*words, "--input-limit", size).returncode == 0, words, "within the limit")
        fails(2, f"stagecut: {file}: is larger than {size - 1} bytes, the most that is read unless --input-limit allows more",
              *words, "--input-limit", size - 1)
        endless = [pathlib.Path("/dev/zero") if word == file else word for word in words]
        fails(2, "stagecut: /dev/zero: is larger than 1000000 bytes", *endless, "--input-limit", "1MB")
        if plain and file != order:
            piped = ["-" if word == file else word for word in words]
            text = "x" * 1000001
            if words[0] != "compare":
                fails(2, "stagecut: standard input: is larger than 1000000 bytes", *piped, "--input-limit", "1MB", stdin=text)
    # With one file at a time that may be open it does all the same; with none at all it says so.
    for files in (3, 4, 5):
        limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
        for words in (*readers, ("compare", plan, plan), ("profile", "transformer", "--preset", "gpt2-xl")):
            expected = run(*words).stdout
            for to in ((), ("--output", output)):
                output.unlink(missing_ok=True)
                done = subprocess.run([binary, *map(str, (*words, *to))], capture_output=True, text=True, preexec_fn=limit)
                whole = done.returncode == 0 and (output.read_text() if to else done.stdout) == expected
                said = done.returncode != 0 and done.stderr != "" and done.stdout == "" and not output.exists()
                check(whole or said, words, to, "with", files, "files", done)
        output.unlink(missing_ok=True)
    fails(2, "stagecut: /dev/zero: is larger than 1000 bytes", "profile", "transformer", "--config", "/dev/zero", "--input-limit", "1kB")
    for size in ("", "-1", "1x", "nan", "1e300"):
        fails(2, "--input-limit", "show", profile, f"--input-limit={size}")
    for depth in (0, 1001, -1, "x"):
        fails(2, "--input-depth", "show", profile, f"--input-depth={depth}")
    for command in ("plan", "show", "simulate", "compare", "explain", "verify"):
        check("--input-limit" not in run(command, "--help").stdout, command, "--help")
        check("--input-limit SIZE" in run(command, "--help-all").stdout, command, "--help-all")

    # What is nested deep is refused, and read where it is said.
    deep = profile.read_text().replace('"forward": 1', '"forward": 1, "x": ' + "[" * 100 + "]" * 100)
    fails(2, "nested deeper than 64, the most that is read unless --input-depth allows more", "show", "-", stdin=deep)
    again = run("show", "-", "--format", "json", "--input-depth", 300, stdin=deep)
    check(again.returncode == 0 and "[" * 100 in again.stdout, again)
    made = run("plan", "-", "--devices", 2, "--format", "json", "--input-depth", 300, stdin=deep)
    check(run("show", "-", "--format", "json", "--input-depth", 300, stdin=made.stdout).stdout == made.stdout, made)
    for depth in (65, 20000):
        fails(2, "--set: x: nested deeper than 64", "profile", "transformer", "--preset", "gpt2-xl", "--set", "x=" + "[" * depth + "]" * depth)
    fails(2, "--set: x: stands twice", "profile", "transformer", "--preset", "gpt2-xl", "--set", 'x={"a": 1, "a": 2}')

    # A trace is written piece by piece.
    few = ("simulate", "--forward", ",".join("1" * 4), "--backward", ",".join("2" * 4), "--format", "trace", "--output", output)
    done = run(*few, "--microbatches", 25000)
    check(done.returncode == 0 and done.stderr == "", done)
    done = run(*few, "--microbatches", 25001)
    size = output.stat().st_size
    events = json.loads(output.read_text())["traceEvents"]
    check(sum(each["ph"] == "X" for each in events) == 2 * 4 * 25001 and size <= 150 * len(events), size, len(events))
    words = done.stderr.split()
    check(done.returncode == 0 and done.stderr.count("\n") == 1 and "a trace of 200008 passes takes about" in done.stderr, done)
    check(words[-1] == "MiB" and 0.8 < float(words[-2]) * mebibyte / size < 1.25, words, size)
    if plain:
        text = [word if word != "trace" else "json" for word in few]
        check(peak(*few, "--microbatches", 50000) < peak(*text, "--microbatches", 50000) + 2 * mebibyte, "a trace takes memory")

    # Where memory ends, so does the program, with a line.
    layers = folder / "layers.csv"
    layers.write_text("name,kind,forward,backward,parameters,activations,output\n" +
                      "".join(f"layers.{i},decoder,{i % 7 + 1},2,3,4,5\n" for i in range(100000)))
    least = 8 * mebibyte
    while plain and run_within(least, "--version").returncode != 0:
        least += mebibyte
    for words in ((("plan", layers, "--devices", 4, "--format", "json"), ("show", layers, "--format", "json"), ("show", "/dev/zero"),
                   (*few, "--microbatches", 50000)) if plain else ()):
        ends = set()
        for more in (2, 8, 16, 32, 64, 128):
            done = run_within(least + more * mebibyte, *words)
            ends.add(done.returncode)
            if done.returncode != 0:
                message = done.stderr.splitlines()[-1:]
                check(done.returncode == 1 and message == ["stagecut: there is not enough memory"], words, more, done)
        check(1 in ends, words, "always had enough memory")

print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
