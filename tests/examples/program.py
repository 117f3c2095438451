# SPDX-License-Identifier: BSL-1.0
"""What tests of the program from outside have in common: the first argument is the program."""

import errno
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
    terminal = {**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, "TERM": "xterm", **environment}
    return of_terminal(columns, lambda follower: subprocess.Popen([binary, *map(str, words)], stdout=follower, env=terminal))


def of_terminal(columns, start):
    """All that a terminal of so many columns shows of the program that `start` starts on it: one read need not be all."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with start(follower) as program:
        os.close(follower)
        shown = b"".join(iter(lambda: read_terminal(leader), b""))
    os.close(leader)
    check(program.returncode == 0, program.args, "status", program.returncode)
    return shown.decode()


def read_terminal(leader):
    """What a terminal has at hand, nothing once its programs have ended."""
    try:
        return os.read(leader, 1 << 16)
    except OSError as error:  # so Linux says that they have
        if error.errno != errno.EIO:
            raise
        return b""


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
