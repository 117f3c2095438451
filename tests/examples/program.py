# SPDX-License-Identifier: BSL-1.0
"""What tests of the program from outside have in common: the first argument is the program."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

binary = sys.argv[1]
failures = []


def run(*words, stdin=""):
    return subprocess.run([binary, *map(str, words)], input=stdin, capture_output=True, text=True)


def run_in_terminal(columns, *words, **environment):
    """What it prints to a terminal of so many columns."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    terminal = {**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, "TERM": "xterm", **environment}
    subprocess.run([binary, *map(str, words)], stdout=follower, env=terminal, check=True)
    os.close(follower)
    return os.read(leader, 1 << 16).decode()


def stage_bytes(stage):
    """All of the memory of a stage of a plan in JSON, which tells that of each microbatch in flight."""
    memory = stage["memory"]
    microbatches = stage["in_flight"] - ("backward_kept" in stage)
    return memory["resident"] + memory["activations"] * microbatches + memory["recomputed"] + memory["workspace"] + memory["buffers"]


def check(condition, *what):
    if not condition:
        failures.append(what)
        print("FAILED:", *what)


def fails(status, message, *words, stdin=""):
    done = run(*words, stdin=stdin)
    check(done.returncode == status, words, "status", done.returncode, "not", status)
    check(message in done.stderr, words, "said", done.stderr)
    check(done.stdout == "", words, "printed", done.stdout)
    check(done.stderr.count("\n") == 1, words, "is not one line:", done.stderr)
