# SPDX-License-Identifier: BSL-1.0
"""Values, bounds and node counts of the planners must not get worse: compares the published instances, models of examples/ and drawn
models with tests/figures.txt. `figures.py PROGRAM` compares the quick ones, with STAGECUT_CASES (`tests/run --long`) all.
`figures.py PROGRAM write [NAME…]` updates the file, and refuses worse figures without `--worse`.

Every search is limited by nodes, so each line is the same on every machine. Who needs more nodes for a better answer writes the
line anew, and says why in the commit.
"""

import concurrent.futures
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE = ROOT / "tests" / "figures.txt"
sys.path.insert(0, str(ROOT / "bench" / "instances"))

import checker  # noqa: E402

SOLVE = {"__file__": str(ROOT / "bench" / "instances" / "solve"), "__name__": "solve"}
exec(compile(pathlib.Path(SOLVE["__file__"]).read_text(), SOLVE["__file__"], "exec"), SOLVE)

MODELS = {  # of examples/models, by the words of `stagecut plan`
    "gpt3-175b/1f1b": "gpt3-175b.json --devices 32 --microbatches 64 --memory none",
    "gpt3-175b/chunks": "gpt3-175b.json --devices 16 --microbatches 32 --stages-per-rank 2 --schedule interleaved --memory none",
    "gpt3-175b/recompute": "gpt3-175b.json --devices 16 --microbatches 32 --memory 250GB --recompute auto",
    "gpt3-175b/replicate": "gpt3-175b.json --devices 64 --microbatches 64 --replicate auto --memory 110GB",
    "llama-2-70b/auto": "llama-2-70b.json --devices 8 --microbatches 32 --schedule auto --memory none",
    "llama-2-70b/memory": "llama-2-70b.json --devices 32 --microbatches 64 --memory 88GiB",
    "llama-2-70b/recompute": "llama-2-70b.json --devices 16 --microbatches 32 --memory 80GiB --recompute auto",
    "llama-2-70b/topology": "llama-2-70b.json --topology 4x8:450GB,50GB@5e-6 --microbatches 64 --replicate auto --memory 90GiB",
    "llama-2-7b/chunks": "llama-2-7b.json --devices 4 --microbatches 8 --stages-per-rank 2 --schedule interleaved --recompute auto",
    "llama-2-7b/leximax": "llama-2-7b.json --devices 8 --objective leximax",
    "llama-2-7b/stage-time": "llama-2-7b.json --devices 16 --microbatches 32 --replicate auto --objective stage-time",
    "llama-2-7b/synthesize": "llama-2-7b.json --devices 8 --microbatches 16 --schedule synthesize",
    "llama-2-7b/variance": "llama-2-7b.json --devices 8 --objective variance",
    "llama-3.1-405b/chunks": "llama-3.1-405b.json --devices 16 --microbatches 64 --stages-per-rank 4 --schedule interleaved --memory none",
    "mixtral-8x7b/1f1b": "mixtral-8x7b.json --devices 16 --microbatches 64 --memory none",
    "mixtral-8x7b/length": "mixtral-8x7b.json --devices 32 --microbatches 64 --replicate auto --objective pipeline-latency",
    "towers/load": "towers.dot --devices 4",
    "towers/makespan": "towers.dot --devices 4 --microbatches 8",
    "unet/chunks": "unet.dot --devices 3 --microbatches 6 --stages-per-rank 2 --schedule interleaved",
    "unet/communication": "unet.dot --devices 4 --method communication --imbalance 100%",
    "unet/load": "unet.dot --devices 4",
    "unet/makespan": "unet.dot --devices 4 --microbatches 8",
}
DRAWN = {  # the seed, the number of layers (negative: a graph), and the options
    "drawn/1f1b": (1, 90, "--devices 12 --microbatches 24 --bandwidth 5"),
    "drawn/1f1b-memory": (2, 60, "--devices 8 --microbatches 16 --memory 700B --bandwidth 5"),
    "drawn/auto": (3, 48, "--devices 6 --microbatches 12 --schedule auto --memory 1500B"),
    "drawn/chunks": (4, 64, "--devices 4 --microbatches 8 --stages-per-rank 2 --schedule interleaved"),
    "drawn/chunks-recompute": (5, 32, "--devices 4 --microbatches 8 --stages-per-rank 2 --schedule interleaved --recompute auto --memory 700B"),
    "drawn/graph-chunks": (6, -24, "--devices 3 --microbatches 6 --stages-per-rank 2 --schedule interleaved"),
    "drawn/graph-communication": (7, -60, "--devices 4 --method communication"),
    "drawn/graph-linear": (8, -60, "--devices 4 --method linear"),
    "drawn/graph-load": (9, -30, "--devices 4 --memory 400B"),
    "drawn/graph-makespan": (10, -40, "--devices 4 --microbatches 8"),
    "drawn/graph-replicate": (12, -20, "--devices 6 --microbatches 12 --replicate auto"),
    "drawn/length-memory": (13, 60, "--devices 16 --microbatches 32 --replicate auto --objective pipeline-latency --memory 600B"),
    "drawn/recompute": (14, 60, "--devices 8 --microbatches 16 --recompute auto --memory 500B"),
    "drawn/recompute-gpipe": (15, 32, "--devices 4 --microbatches 8 --schedule gpipe --recompute auto --memory 1000B"),
    "drawn/replicate": (16, 60, "--devices 16 --microbatches 32 --replicate auto --bandwidth 5"),
    "drawn/replicate-memory": (17, 60, "--devices 16 --microbatches 32 --replicate auto --memory 600B --recompute auto"),
    "drawn/speeds": (18, 40, "--devices 6 --microbatches 12 --device-speeds 1,1,0.5,1,2,1"),
    "drawn/stage-time-memory": (19, 60, "--devices 16 --microbatches 32 --replicate auto --objective stage-time --memory 600B"),
    "drawn/synthesize-memory": (20, 24, "--devices 4 --microbatches 8 --schedule synthesize --memory 700B"),
    "drawn/zero-bubble": (21, 60, "--devices 8 --microbatches 16 --schedule zb-h1 --memory 900B"),
    "drawn/zbv": (22, 40, "--devices 4 --microbatches 8 --schedule zbv"),
}


def drawn(seed, count):
    """A chain of `count` layers; if negative, a graph of -`count`."""
    state = seed

    def below(most):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) % most

    layers = []
    for i in range(abs(count)):
        forward, kept = 600 + 8 * below(100), 4 + below(8)
        backward = forward + 8 * below(forward // 8)
        layer = {"name": str(i), "forward": forward, "backward_input": backward * 5 // 8, "backward_weight": backward * 3 // 8,
                 "resident": 20 + below(20), "activations": kept, "output": 100 * (1 + below(4)), "parameters": 4 + below(4)}
        if count > 0:
            full = {"name": "full", "forward": forward, "backward_input": layer["backward_input"] + forward,
                    "backward_weight": layer["backward_weight"], "activations": 1,
                    **{name: layer[name] for name in ("resident", "output", "parameters")}}
            layer["recomputations"] = [full]
        layers.append(layer)
    made = {"schema": "stagecut-profile-2", "name": "drawn", "machine": {"latency": 0, "bandwidth": 10, "buffers": False},
            "layers": layers}
    if count < 0:
        edges = {(below(min(i, 6)) + max(0, i - 6), i) for i in range(1, -count) for _ in range(2)}
        made["edges"] = [list(edge) for edge in sorted(edges)]
    return made


CASES = [*MODELS, *DRAWN, *checker.names()]


class Program(SOLVE["Program"]):
    """One that counts the nodes of its last plan."""

    nodes = 0

    def run(self, *words, at_most=3600):
        counted = ["--count-nodes"] if words[0] == "plan" else []
        done = subprocess.run([self.path, *map(str, words), *counted], capture_output=True, text=True, timeout=at_most)
        if done.returncode:
            raise SOLVE["NoPlan"](done.stderr.strip())
        if counted:
            self.nodes = int(done.stderr.split()[-2])
        return done.stdout


def figures(path, name):
    """Value, bound and nodes of the case."""
    program = Program(path)
    with tempfile.TemporaryDirectory() as folder:
        model, plan, words = pathlib.Path(folder, "profile.json"), pathlib.Path(folder, "plan.json"), ""
        if name in DRAWN:
            seed, count, words = DRAWN[name]
            model.write_text(json.dumps(drawn(seed, count)))
        elif name in MODELS:
            file, words = MODELS[name].split(maxsplit=1)
            model = ROOT / "examples" / "models" / file
        if words:
            program.run("plan", model, *words.split(), "--format", "json", "--output", plan)
            objective = json.loads(plan.read_text())["objective"]
            return objective["value"], objective["bound"], program.nodes
    _, value, bound = SOLVE["solve"](program, checker.load(name))
    return value, bound, program.nodes


def line_of(found):
    return " ".join(f"{x:.14g}" for x in found)


def read():
    """Of every name, whether it is quick, and its figures."""
    known = {}
    for line in FILE.read_text().splitlines() if FILE.exists() else ():
        if line and not line.startswith("#"):
            name, when, *numbers = line.split()
            known[name] = when == "quick", tuple(map(float, numbers))
    return known


def got_worse(old, new):
    """What is worse; the twelve digits that are written may differ by one."""
    kinds = (("value", new[0] - old[0]), ("bound", old[1] - new[1]), ("nodes", new[2] - old[2]))
    return [kind for (kind, by), was in zip(kinds, old) if by > 2e-12 * abs(was)]


def write(path, names, allow_worse):
    import time

    known = read()
    worse = []
    for name in names:
        began = time.process_time(), os.times().children_user
        try:
            found = figures(path, name)
        except SOLVE["NoPlan"] as why:
            print(f"{name}: {why}")
            continue
        seconds = os.times().children_user - began[1]
        old = known.get(name)
        if old and got_worse(old[1], found) and not allow_worse:
            worse.append(f"{name}: {line_of(old[1])} is now {line_of(found)}")
            continue
        known[name] = old[0] if old else seconds < 2, found
        print(f"{name} {line_of(found)} ({seconds:.2f} s)", flush=True)
        begin = "# Value, bound and nodes by name: see figures.py. What is quick is compared in every run of the tests.\n"
        rows = [f"{name} {'quick' if quick else 'long'} {line_of(of)}\n" for name, (quick, of) in sorted(known.items())]
        FILE.write_text(begin + "".join(rows))
    return worse


def compare(path):
    every = "STAGECUT_CASES" in os.environ
    known = read()
    wrong = [f"{name} is not in {FILE.name}" for name in CASES if name not in known]
    chosen = [name for name, (quick, _) in known.items() if quick or every]
    with concurrent.futures.ThreadPoolExecutor(2 if every else 1) as pool:
        for name, found in zip(chosen, pool.map(lambda name: figures(path, name), chosen)):
            old = known[name][1]
            if not all(math.isclose(a, b, rel_tol=2e-12) for a, b in zip(old, found)):
                worse = got_worse(old, found)
                says = f"{' and '.join(worse)} got worse" if worse else "better: figures.py PROGRAM write"
                wrong.append(f"{name}: {line_of(old)} is now {line_of(found)}: {says}")
    return wrong


def main():
    path, *words = sys.argv[1:]
    if words[:1] == ["write"]:
        names = [word for word in words[1:] if word != "--worse"]
        wrong = write(path, names or CASES, "--worse" in words)
    else:
        wrong = compare(path)
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
