# SPDX-License-Identifier: BSL-1.0
"""What tests of the program from outside have in common: the first argument is the program."""

import subprocess
import sys

binary = sys.argv[1]
failures = []


def run(*words, stdin=""):
    return subprocess.run([binary, *map(str, words)], input=stdin, capture_output=True, text=True)


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
