# SPDX-License-Identifier: BSL-1.0
"""What becomes of a file that `--output` names: all of it is written, or none."""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import threading

from program import binary, check, fails, failures, run


def run_limited(size, *words):
    """The same in a world where no file may be larger."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return subprocess.run([binary, *map(str, words)], capture_output=True, text=True, preexec_fn=limit)


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    profile, plan = folder / "profile.json", folder / "plan.json"
    profile.write_text(run("profile", "transformer", "--preset", "gpt2-xl").stdout)
    plan.write_text(run("plan", profile, "--devices", 4, "--microbatches", 8, "--format", "json").stdout)
    here = lambda: sorted(each.name for each in folder.iterdir())
    known = here()

    # Every command that writes, and every kind of file.
    commands = [("plan", profile, "--devices", 4, "--microbatches", 8), ("show", plan), ("show", profile), ("simulate", plan),
                ("compare", plan, plan), ("explain", plan), ("verify", profile, plan), ("profile", "transformer", "--preset", "gpt2-xl")]
    formats = {"plan": ("text", "json", "deepspeed"), "show": ("text", "json"), "simulate": ("text", "json", "svg", "trace", "torch-csv"),
               "compare": ("text", "json", "svg", "trace"), "explain": ("text", "json"), "verify": ("text", "json"), "profile": ("json", "csv", "text", "config")}
    out, link = folder / "out", folder / "link"
    for command in commands:
        for format in formats[command[0]]:
            words = (*command, "--format", format)
            expected = run(*words).stdout
            for before in (None, "something old and longer " * 10000):
                if before is not None:
                    out.write_text(before)
                    out.chmod(0o604)
                done = run(*words, "--output", out)
                check(done.returncode == 0 and done.stdout == "" and out.read_text() == expected, words, done)
                check(before is None or out.stat().st_mode & 0o7777 == 0o604, words, "changes permissions")
            # No room: the old one stays, and nothing is left beside it.
            out.write_text("old")
            done = run_limited(64, *words, "--output", out)
            check(done.returncode == 1 and f"{out}: could not be written: File too large" in done.stderr, words, done)
            check(out.read_text() == "old" and done.stdout == "", words, "does not leave the old file whole")
            # Through a link, which stays one.
            link.symlink_to("out")
            check(run(*words, "--output", link).returncode == 0 and out.read_text() == expected and link.is_symlink(), words, "link")
            link.unlink()
            out.unlink()
            check(here() == known, words, "leaves", here())
            done = subprocess.run([binary, *map(str, words), "--output", "/dev/stdout"], capture_output=True, text=True)
            check(done.returncode == 0 and done.stdout == expected, words, "/dev/stdout", done)
            fails(1, "/dev/full: could not be written: No space left on device", *words, "--output", "/dev/full")

        # What is no place for a file is refused before the work, and inputs are none.
        fails(1, f"{folder}: could not be written: Is a directory", *command, "--output", folder)
        fails(1, "could not be written: No such file", *command, "--output", folder / "no" / "such")
        fails(1, "could not be written: Not a directory", *command, "--output", profile / "plan")
        fails(2, "--output: must not be empty", *command, "--output", "")
        for input in command[1:2]:
            if command[0] == "profile":
                continue
            whole = input.read_text()
            link.symlink_to(input.name)
            out.hardlink_to(input)
            for name in (input, link, out, folder / ".." / folder.name / input.name):
                fails(2, f"--output: {name} is an input", *command, "--output", name)
            link.unlink()
            out.unlink()
            check(input.read_text() == whole, command, "writes over its input")
    config = folder / "config.json"
    config.write_text(run("profile", "transformer", "--preset", "gpt2-xl", "--format", "config").stdout)
    fails(2, f"--output: {config} is an input", "profile", "transformer", "--config", config, "--output", config)
    order = folder / "order.csv"
    order.write_text("0F0,0B0\n")
    fails(2, f"--output: {order} is an input", "simulate", "--forward", 1, "--backward", 1, "--schedule-file", order, "--output", order)
    fails(2, f"--output: {plan} is an input", "compare", profile, plan, "--output", plan)
    with open(plan, "rb") as opened:
        done = subprocess.run([binary, "show", "-", "--output", plan], stdin=opened, capture_output=True, text=True)
    check(done.returncode == 2 and f"--output: {plan} is an input" in done.stderr, "show -", "standard input", done)

    # What fails leaves the old file as it was.
    out.write_text("old")
    fails(3, "infeasible", "plan", profile, "--devices", 100, "--output", out)
    fails(2, "cannot express this schedule", "plan", profile, "--devices", 4, "--microbatches", 8, "--schedule", "1f1b", "--format", "torchgpipe", "--output", out)
    fails(2, "cannot be opened", "show", folder / "none", "--output", out)
    check(out.read_text() == "old", "a failed plan writes over the old file")
    if os.geteuid() != 0:  # who may write everywhere
        out.chmod(0o400)
        fails(1, f"{out}: could not be written: Permission denied", "show", plan, "--output", out)
        out.chmod(0o600)
        folder.chmod(0o500)
        fails(1, "its folder: could not be written: Permission denied", "show", plan, "--output", out)
        fails(1, "its folder: could not be written: Permission denied", "show", plan, "--output", folder / "new")
        folder.chmod(0o700)

    # A pipe, and a file of the shell's.
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    check(run("show", plan, "--format", "json", "--output", pipe).returncode == 0, "a pipe")
    reader.join()
    check(read == [plan.read_text()] and pipe.is_fifo(), "not through the pipe")
    log = folder / "log"
    with open(log, "w") as file:
        file.write("before\n")
        file.flush()
        for _ in range(2):
            subprocess.run([binary, "formats"], stdout=file, check=True)
            subprocess.run([binary, "show", plan, "--output", "/dev/stdout"], stdout=file, check=True)
    once = run("formats").stdout + run("show", plan).stdout
    check(log.read_text() == "before\n" + 2 * once, "what stands in front of it in the same file is lost")
    check(json.loads(plan.read_text())["schema"] == "stagecut-plan-3", "the plan")

# Streams that are closed: what is said is lost and nothing else, and no file that is opened takes their place.
with tempfile.TemporaryDirectory() as folder:
    out = pathlib.Path(folder) / "out.json"
    for closed in ("2>&-", "0<&- 2>&-", "1>&- 2>&-", "0<&- 1>&- 2>&-"):
        done = subprocess.run(["sh", "-c", f'exec "$0" profile transformer --preset gpt2-xl --output "$1" {closed}', binary, out], capture_output=True)
        check(done.returncode == 0 and out.read_text() == run("profile", "transformer", "--preset", "gpt2-xl").stdout, closed, done)
        done = subprocess.run(["sh", "-c", f'exec "$0" show "$1" {closed}', binary, out.with_name("none")], capture_output=True)
        check(done.returncode == 2, closed, done)
    done = subprocess.run(["sh", "-c", 'exec "$0" formats >&-', binary], capture_output=True, text=True)
    check(done.returncode == 1 and "could not be written" in done.stderr, "standard output closed", done)

print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
