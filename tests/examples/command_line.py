# SPDX-License-Identifier: BSL-1.0
"""The planner as a user meets it: standard output, standard error and exit status of whole commands."""

import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile

binary = sys.argv[1]
models = pathlib.Path(__file__).resolve().parents[2] / "examples" / "models"
failures = 0


def run(*words, stdin=""):
    return subprocess.run([binary, *map(str, words)], input=stdin, capture_output=True, text=True)


def check(condition, *what):
    global failures
    if not condition:
        failures += 1
        print("FAILED:", *what)


def fails(status, message, *words, stdin=""):
    done = run(*words, stdin=stdin)
    check(done.returncode == status, words, "status", done.returncode, "not", status)
    check(message in done.stderr, words, "said", done.stderr)
    check(done.stdout == "", words, "printed", done.stdout)
    check(done.stderr.count("\n") == 1, words, "is not one line:", done.stderr)


def best(weights, stages):
    """The first of the best cuts in lexicographic order, by trying all."""
    ways = itertools.combinations(range(1, len(weights)), stages - 1)
    cuts = [(0, *way, len(weights)) for way in ways]
    return min(cuts, key=lambda c: (max(sum(weights[a:b]) for a, b in zip(c, c[1:])), c))


def check_plan(text, weights, stages):
    done = run("plan", "-", "--devices", stages, "--format", "json", stdin=text)
    check(done.returncode == 0 and done.stderr == "", done)
    plan = json.loads(done.stdout)
    cuts = best(weights, stages)
    times = [sum(weights[a:b]) for a, b in zip(cuts, cuts[1:])]
    check(plan["cuts"] == list(cuts), weights, stages, plan["cuts"], "not", cuts)
    check(plan["objective"] == {"name": "bottleneck", "value": max(times), "bound": max(times), "state": "optimal"}, plan)
    expected = [{"first": a, "last": b, "time": t} for a, b, t in zip(cuts, cuts[1:], times)]
    check(plan["stages"] == expected, plan["stages"], "not", expected)


generator = random.Random(1)
for _ in range(60):
    weights = [generator.choice((0, 1, 2, 5, 9, 30)) for _ in range(generator.randint(1, 10))]
    check_plan("time\n" + "".join(f"{w}\n" for w in weights), weights, generator.randint(1, len(weights)))
layers = [(f"l{i}", generator.randint(0, 9), generator.randint(0, 9)) for i in range(9)]
header = "name,kind,forward,backward,parameters,activations,output\n"
check_plan(header + "".join(f"{n},x,{f},{b},1,2,3\n" for n, f, b in layers), [f + b for _, f, b in layers], 4)
nodes = [f"{n} -- x(1, 2) -- forward_compute_time={1000 * f}, backward_compute_time={1000 * b}, activation_size=1, parameter_size=0\n" for n, f, b in layers]
generator.shuffle(nodes)
check_plan("".join(nodes) + "".join(f"\tl{i} -- l{i + 1}\n" for i in range(8)), [f + b for _, f, b in layers], 3)

# The shipped profiles are what the program computes, and their plans are the best of all.
for preset in ("gpt2-xl", "llama-2-7b"):
    shipped = (models / f"{preset}.csv").read_text()
    check(run("profile", "transformer", "--preset", preset).stdout == shipped, preset, "differs from the shipped profile")
    done = run("plan", models / f"{preset}.csv", "--devices", 4, "--format", "json")
    rows = [row.split(",") for row in shipped.splitlines()[1:]]
    times = [float(row[2]) + float(row[3]) for row in rows]
    expected = max(sum(times[a:b]) for a, b in itertools.pairwise(best(times, 4))) if hasattr(itertools, "pairwise") else None
    value = json.loads(done.stdout)["objective"]["value"]
    check(expected is None or abs(value - expected) <= 1e-12 * expected, preset, value, expected)

text = run("plan", models / "gpt2-xl.csv", "--devices", 4)
check(text.returncode == 0 and text.stdout.count("#") > 100 and "optimal" in text.stdout, text)
check("layer.47" not in text.stdout and "head" in text.stdout, text.stdout)
demo = run("demo", models / "gpt2-xl.csv", models / "llama-2-7b.csv")
check(demo.returncode == 0 and demo.stdout.count("bottleneck") == 4, demo)
check(run("--version").stdout.startswith("stagecut "), "--version")
check(run("--help").returncode == 0 and "plan" in run("--help").stdout, "--help")

fails(2, "A subcommand is required")
fails(2, "FILE is required", "plan", "--devices", 2)
fails(2, "--devices is required", "plan", "-", stdin="1\n")
fails(2, "--devices", "plan", "-", "--devices", 0, stdin="1\n")
fails(2, "--devices", "plan", "-", "--devices", -1, stdin="1\n")
fails(2, "--devices", "plan", "-", "--devices", "two", stdin="1\n")
fails(2, "--devices", "plan", "-", "--devices", "2.5", stdin="1\n")
fails(2, "--objective: fastest not in {bottleneck}", "plan", "-", "--devices", 1, "--objective", "fastest", stdin="1\n")
fails(2, "--format", "plan", "-", "--devices", 1, "--format", "xml", stdin="1\n")
fails(2, "standard input: is empty", "plan", "-", "--devices", 1)
fails(2, "standard input:2: time: \"x\" is not a number", "plan", "-", "--devices", 1, stdin="1\nx\n")
fails(2, "no/such/file: cannot be opened: No such file", "plan", "no/such/file", "--devices", 1)
fails(2, "begins no known format", "plan", __file__, "--devices", 1)
fails(2, "-: item 1: the sum of the items up to this one overflows", "plan", "-", "--devices", 1, stdin="1e308\n1e308\n")
fails(3, "infeasible: 4 stages need at least 4 layers, and there are 2", "plan", "-", "--devices", 4, stdin="1\n2\n")
fails(3, "infeasible", "plan", "-", "--devices", 4, "--format", "json", stdin="1\n2\n")
fails(3, "infeasible", "plan", "-", "--devices", 1 << 40, stdin="1\n2\n")

escape = run("plan", "-", "--devices", 1, stdin=header + "a\x1b[31m,x,1,2,3,4,5\n")
check(escape.returncode == 0 and "\x1b" not in escape.stdout, "names pass escapes to the terminal")
with open("/dev/full", "w") as full:
    lost = subprocess.run([binary, "plan", "-", "--devices", "1"], input="1\n", stdout=full, stderr=subprocess.PIPE, text=True)
    check(lost.returncode == 1 and "could not be written" in lost.stderr, "lost output:", lost)

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "list.csv"
    path.write_text("time\n1\nnan\n")
    fails(2, f"{path}:3: time: \"nan\" is NaN", "plan", path, "--devices", 1)

print(f"{failures} failures")
sys.exit(1 if failures else 0)
