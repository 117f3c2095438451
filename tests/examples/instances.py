# SPDX-License-Identifier: BSL-1.0
"""bench/instances: what is shipped is accepted, what is wrong is refused by its name, and the checker, which knows nothing of
the library, agrees with the program."""

import copy
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

from program import binary, check, failures, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "bench" / "instances"
sys.dont_write_bytecode = True
sys.path.insert(0, str(FOLDER))

import checker  # noqa: E402
from checker import pipeline, proofs  # noqa: E402

PYTHON = [sys.executable, "-B"]


def checked(*words):
    return subprocess.run([*PYTHON, FOLDER / "check", *map(str, words)], capture_output=True, text=True)


def peers(*words):
    return subprocess.run([*PYTHON, "-m", "peers", "--instances", "--offline", "--limit", "60", *words], capture_output=True,
                          text=True, cwd=ROOT / "bench")


def best(name):
    known = checker.load(name)["best"]
    return {"instance": name, "value": known["value"], "solution": copy.deepcopy(known["solution"])}


def words_of(answer, rank):
    return answer["solution"]["orders"][rank].split()


def put(answer, rank, words):
    answer["solution"]["orders"][rank] = " ".join(words)


def swapped(answer):
    """The first backward pass before its forward pass."""
    words = words_of(answer, 0)
    forward, backward = words.index("0F0"), words.index("0I0")
    words[forward], words[backward] = words[backward], words[forward]
    put(answer, 0, words)


def all_forward_first(answer):
    for rank in range(len(answer["solution"]["orders"])):
        words = words_of(answer, rank)
        put(answer, rank, sorted(words, key=lambda word: "F" not in word))


def cuts(change):
    return lambda answer: answer["solution"].update(cuts=change(answer["solution"]["cuts"]))


def stages(change):
    return lambda answer: answer["solution"].update(stage_of=change(answer["solution"]["stage_of"]))


CORRUPTED = [  # the instance, what is done to its best solution, the name of the defect
    ("chains/eight", lambda answer: answer.update(instance="chains/nine"), "unknown-instance"),
    ("chains/eight", lambda answer: answer.update(instance=["chains/eight"]), "unknown-instance"),
    ("chains/eight", lambda answer: answer.update(value=-573), "too-small"),
    ("chains/eight", cuts(lambda c: [0, -3, 5, 6, 8]), "too-small"),
    ("joint/replicas-stage-time", lambda answer: answer["solution"].update(replicas=[0, 4, 1]), "too-small"),
    ("chains/eight", lambda answer: answer.pop("solution"), "no-solution"),
    ("chains/eight", lambda answer: answer["solution"].clear(), "no-solution"),
    ("chains/eight", lambda answer: answer.update(value=572), "wrong-value"),
    ("chains/eight", lambda answer: answer.update(value=573.0), "not-a-number"),
    ("chains/eight", lambda answer: answer.update(value=float("nan")), "not-a-number"),
    ("chains/eight", cuts(lambda c: [0, 3, "5", 6, 8]), "not-a-number"),
    ("chains/eight", cuts(lambda c: [0, True, 5, 6, 8]), "not-a-number"),
    ("chains/eight", cuts(lambda c: [0, 3, 6, 8]), "missing-stage"),
    ("chains/eight", cuts(lambda c: [0, 1, 3, 5, 6, 8]), "too-many-stages"),
    ("chains/eight", cuts(lambda c: [0, 5, 3, 6, 8]), "overlap"),
    ("chains/eight", cuts(lambda c: [0, 3, 3, 6, 8]), "empty-stage"),
    ("chains/eight", cuts(lambda c: [1, 3, 5, 6, 8]), "missing-layer"),
    ("chains/eight", cuts(lambda c: [0, 3, 5, 6, 7]), "missing-layer"),
    ("chains/eight", cuts(lambda c: [0, 3, 5, 6, 9]), "unknown-layer"),
    ("chains/memory-48", cuts(lambda c: [0, 1, 2, 3, 4, 5, 48]), "over-memory"),
    ("schedules/four-uneven", lambda answer: put(answer, 0, words_of(answer, 0)[1:]), "missing-pass"),
    ("schedules/four-uneven", lambda answer: put(answer, 0, ["0F0", *words_of(answer, 0)]), "double-pass"),
    ("schedules/four-uneven", lambda answer: put(answer, 0, ["0F8", *words_of(answer, 0)]), "unknown-pass"),
    ("schedules/four-uneven", lambda answer: put(answer, 0, ["0B0", *words_of(answer, 0)]), "unknown-pass"),
    ("schedules/four-uneven", lambda answer: put(answer, 0, ["0F0x", *words_of(answer, 0)]), "unknown-pass"),
    ("schedules/four-uneven", lambda answer: put(answer, 0, ["0F\u0660", *words_of(answer, 0)]), "unknown-pass"),
    ("schedules/four-uneven", lambda answer: put(answer, 0, ["0F" + 5000 * "1", *words_of(answer, 0)]), "unknown-pass"),
    ("schedules/four-uneven", lambda answer: answer["solution"]["orders"].reverse(), "wrong-rank"),
    ("schedules/four-uneven", lambda answer: answer["solution"]["orders"].pop(), "wrong-ranks"),
    ("schedules/four-uneven", swapped, "order-deadlock"),
    ("schedules/four-uneven", all_forward_first, "over-memory"),
    ("graphs/six", stages(lambda s: s[:-1]), "missing-operator"),
    ("graphs/six", stages(lambda s: [*s, 0]), "unknown-operator"),
    ("graphs/six", stages(lambda s: [3, *s[1:]]), "too-many-stages"),
    ("graphs/six", stages(lambda s: [0, 1, 0, 0, 0, 0]), "cycle-between-stages"),
    ("graphs/towers-memory", stages(lambda s: [0] * len(s)), "over-memory"),
    ("graphs/towers-memory", stages(lambda s: [*s[:12], (s[0] + 1) % 5, *s[13:]]), "split-group"),
    ("joint/recompute-16", lambda answer: answer["solution"].update(recomputed=[]), "over-memory"),
    ("joint/recompute-16", lambda answer: answer["solution"].update(recomputed=[1, 1]), "double-layer"),
    ("joint/recompute-16", lambda answer: answer["solution"].update(recomputed=[16]), "unknown-layer"),
    ("joint/replicas-stage-time", lambda answer: answer["solution"].update(replicas=[3, 4, 1]), "unknown-replicas"),
    ("joint/replicas-stage-time", lambda answer: answer["solution"].update(replicas=[8, 8, 8]), "too-many-devices"),
    ("joint/replicas-stage-time", lambda answer: answer["solution"].update(cuts=[0, 16], replicas=[8]), "over-memory"),
    ("joint/order-12", lambda answer: put(answer, 0, words_of(answer, 0)[::-1]), "order-deadlock"),
]


def check_shipped():
    done = checked("--all")
    check(done.returncode == 0, done.stdout)
    check(done.stdout.count("gap 0 %") == len(checker.names()) == done.stdout.count("\n") > 40, done.stdout)
    page = (ROOT / "docs" / "instances.md").read_text()
    table = subprocess.run([*PYTHON, FOLDER / "check", "--table"], capture_output=True, text=True).stdout
    check(table in page, "docs/instances.md has another table than `bench/instances/check --table`")
    check(sum(path.stat().st_size for path in FOLDER.glob("*/*.json")) < 1.5e6, "instances are large")
    check(subprocess.run([*PYTHON, FOLDER / "generate", "--check"]).returncode == 0, "generate draws other instances")


def check_corrupted(folder):
    defects = {defect for _, _, defect in CORRUPTED} | {"unproved-bound"}
    paths = [folder / f"{number}.json" for number in range(len(CORRUPTED))]
    for path, (name, corrupt, _) in zip(paths, CORRUPTED):
        answer = best(name)
        corrupt(answer)
        path.write_text(json.dumps(answer))
    done = checked(*paths)
    check(done.returncode == 1 and done.stdout.count("\n") == len(paths), done.stdout, done.stderr)
    for path, (name, _, defect), line in zip(paths, CORRUPTED, done.stdout.splitlines()):
        check(line.startswith(f"refused {path} {defect}: "), name, defect, line)
    path = folder / "one.json"
    path.write_text(paths[0].read_text())
    check(checked(path).returncode == 1, "one refused file has status 0")
    (folder / "text.json").write_text("{\"instance\": ")
    (folder / "twice.json").write_text("{\"instance\": \"chains/eight\", \"instance\": \"chains/seven\"}")
    for path in folder / "text.json", folder / "twice.json":
        done = checked(path)
        check(done.returncode == 1 and " not-json: " in done.stdout, path, done.stdout, done.stderr)
    for path, why in (folder / "none.json", "No such file or directory"), (folder, "Is a directory"):
        done = checked(path)
        check(done.returncode == 1 and done.stdout == f"refused {path} cannot-be-read: {why}\n", done.stdout, done.stderr)
    for name, meant in ("eight", "chains/eight"), ("chains/eigth", "chains/eight"), ("graph/u-nets", "graphs/u-net"):
        done = checked("--prove", name)
        check(done.returncode == 1 and f" unknown-instance: there is no \"{name}\"; did you mean {meant}" in done.stdout,
              done.stdout)
    page = (ROOT / "docs" / "instances.md").read_text()
    sources = "".join(path.read_text() for path in (FOLDER / "checker").glob("*.py"))
    sources += (FOLDER / "check").read_text()
    known = {"not-json", "overlap", *re.findall(r'(?:Refused\(|, )"([a-z]+-[a-z-]+)",', sources)} - {"cut-and-order"}
    check(defects | {"not-json"} <= known, "not found in the source:", defects - known)
    check(all(f"`{defect}`" in page for defect in known), "the page lacks", [d for d in known if f"`{d}`" not in page])
    check(len(defects) >= 10, defects)
    # A bound that a solution undercuts is wrong, and said so.
    instance = checker.load("chains/eight")
    instance["bound"]["value"] = 574
    try:
        checker.check(instance, best("chains/eight"))
        check(False, "a solution below the bound is accepted")
    except checker.Refused as why:
        check(why.defect == "better-than-bound", why)
    check(checked().returncode == 2, "nothing to check has status 2")
    # So is one that is said to be checked and is not.
    copied = folder / "instances"
    shutil.copytree(FOLDER, copied)
    path = copied / "chains" / "heavy-64-1f1b.json"
    path.write_text(path.read_text().replace("\"checked\": false", "\"checked\": true"))
    done = subprocess.run([*PYTHON, copied / "check", "--prove", "chains/heavy-64-1f1b"], capture_output=True, text=True)
    check(done.returncode == 1 and " unproved-bound: " in done.stdout, done.stdout, done.stderr)


def check_broken_at_random():
    """Whatever stands in an answer, it is refused or worth something; no other exception, and never less than the bound."""
    draw = random.Random(1)
    odd = [None, True, -1, 0, 1, 10 ** 30, 1.5, float("nan"), "", "0F0", [], [[]], {}, [0], "x" * 1000]

    def broken(value):
        if draw.random() < 0.3 or not isinstance(value, (dict, list)) or not value:
            return copy.deepcopy(draw.choice(odd))
        value = copy.deepcopy(value)
        key = draw.choice(list(value)) if isinstance(value, dict) else draw.randrange(len(value))
        if draw.random() < 0.2:
            value.pop(key)
        elif draw.random() < 0.3 and isinstance(value, list):
            other = draw.randrange(len(value))
            value[key], value[other] = value[other], value[key]
        else:
            value[key] = broken(value[key])
        return value

    for name in ("chains/eight", "schedules/four-uneven", "graphs/towers-memory", "joint/recompute-16", "joint/order-12",
                 "joint/replicas-makespan"):
        instance, answer = checker.load(name), best(name)
        for number in range(300):
            wrong = {"instance": name, "solution": broken(answer["solution"])}
            try:
                check(checker.check(instance, wrong) >= instance["bound"]["value"], name, number)
            except checker.Refused:
                pass
            except Exception as problem:
                check(False, name, number, repr(problem), json.dumps(wrong)[:200])


def check_enumerated():
    """All cuts of the smallest chains, by the checker alone: none is better than the best."""
    for name in "chains/seven", "chains/eight":
        instance = checker.load(name)
        layers, stages = len(instance["forward"]), instance["devices"]
        least = min(checker.value_of(instance, {"cuts": [0, *inner, layers]})
                    for inner in itertools.combinations(range(1, layers), stages - 1))
        check(least == instance["best"]["value"], name, least)


def check_proofs():
    """What is said to be checked can be, in seconds; and no proof shows more than is true."""
    slow = {"graphs/branches-20", "graphs/layered-20x5", "graphs/layered-20x5-free", "graphs/layered-40x10",
            "graphs/stencil-16x16"}
    names = [name for name in checker.names() if name not in slow]
    done = checked("--prove", *names)
    check(done.returncode == 0 and done.stdout.count("\n") == len(names), done.stdout, done.stderr)
    for name in names:
        instance = checker.load(name)
        if instance["bound"]["checked"]:
            check(not proved(instance, instance["best"]["value"] + 1), name, "is shown to be worth more than its best")
        check(instance["bound"]["checked"] or instance["objective"] not in ("bottleneck", "range", "stage-time"), name)
    draw = random.Random(2)
    for number in range(120):
        count, devices = draw.randint(3, 7), draw.randint(1, 3)
        times = [[draw.randint(0, 9) for _ in range(count)] for _ in range(4)]
        objective, schedule = (("bottleneck", ""), ("range", ""), ("makespan", "gpipe"), ("makespan", "1f1b"))[number % 4]
        instance = {"problem": "chain", "objective": objective, "schedule": schedule, "devices": devices, "forward": times[0],
                    "backward": times[1], "microbatches": draw.randint(1, 5)}
        if objective in ("bottleneck", "makespan") and schedule != "gpipe" and draw.random() < 0.5:
            instance.update(resident=times[2], activations=times[3], memory=draw.randint(20, 60))
        if objective == "makespan" and draw.random() < 0.5:
            instance["message"] = {"time": draw.randint(1, 9), "occupies": draw.choice(["link", "nothing"])}
        agrees(instance, ({"cuts": [0, *inner, count]} for inner in itertools.combinations(range(1, count), devices - 1)),
               exact=schedule == "1f1b" or "message" not in instance)
    for number in range(40):
        count, devices = draw.randint(2, 5), draw.randint(1, 3)
        instance = {"problem": "graph", "objective": "load", "devices": devices,
                    "time": [draw.randint(0, 9) for _ in range(count)],
                    "sent": [draw.randint(0, 4) for _ in range(count)],
                    "resident": [draw.randint(1, 5) for _ in range(count)],
                    "memory": draw.randint(8, 16), "groups": [[0, count - 1]] if number % 3 == 0 else [],
                    "edges": [[a, b] for a, b in itertools.combinations(range(count), 2) if draw.random() < 0.5]}
        agrees(instance, ({"stage_of": list(each)} for each in itertools.product(range(devices), repeat=count)),
               exact=not instance["groups"])
    for number in range(40):
        count = draw.randint(2, 5)
        forward, resident, activations = ([4 * draw.randint(1, 9) for _ in range(count)] for _ in range(3))
        instance = {"problem": "replication", "objective": ("stage-time", "pipeline-latency")[number % 2], "devices": 4,
                    "replicas": [1, 2], "microbatches": draw.randint(2, 5), "forward": forward, "resident": resident,
                    "activations": activations, "memory": draw.randint(60, 300)}
        agrees(instance, ({"cuts": [0, *inner, count], "replicas": list(replicas)} for stages in range(1, count + 1)
                          for inner in itertools.combinations(range(1, count), stages - 1)
                          for replicas in itertools.product([1, 2], repeat=stages)), exact=True)


    for number in range(40):
        ranks, chunks, microbatches = draw.randint(1, 3), draw.randint(1, 2), draw.randint(1, 4)
        rank_of = [s % ranks for s in range(ranks * chunks)]
        times = {name: [draw.randint(0, 9) for _ in rank_of] for name in ("forward", "backward_input", "backward_weight")}
        message = {"message": {"time": draw.randint(1, 9), "occupies": "link"}} if number % 2 else {}
        instance = {"problem": "order", "objective": "makespan", "rank_of": rank_of, "microbatches": microbatches, **times,
                    **message}
        orders = run_at_random(rank_of, microbatches, draw)
        agrees(instance, [{"orders": [" ".join(f"{s}{kind}{m}" for s, kind, m in each) for each in orders]}], exact=False)


def proved(instance, bound):
    try:
        return proofs.prove({**instance, "bound": {"value": bound}})
    except proofs.Unsettled:
        return None


def agrees(instance, solutions, exact):
    """A proof beside all solutions there are: the least value is shown, if the method is exact, and nothing above it."""
    values = []
    for each in solutions:
        try:
            values.append(checker.value_of(instance, each))
        except checker.Refused:
            pass
    if values:
        check(proved(instance, min(values)) or not exact, instance, min(values), "is not shown")
        check(not proved(instance, min(values) + 1), instance, min(values) + 1, "is shown")


def check_page(folder):
    """What the page says that a stranger does: the ten lines, and every command with its output."""
    page = (ROOT / "docs" / "instances.md").read_text()
    block, = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    check(len([line for line in block.splitlines() if line.strip()]) <= 10, "more than ten lines:", block)
    (folder / "mine.py").write_text(block)
    (folder / "bench").symlink_to(ROOT / "bench")
    for name, content in re.findall(r"^    \$ cat (\S+)\n    (.*)$", page, re.M):
        (folder / name).write_text(content + "\n")
    commands = re.findall(r"^    \$ (.*)\n((?:(?:    (?!\$ ).*)?\n)+)", page, re.M)
    check(len(commands) == 5, commands)
    for command, output in commands:
        done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder,
                              env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        told = "\n".join(line[4:] for line in output.rstrip().split("\n"))
        alike = [re.sub(r"\b0\.0\d\d\b", "0.0", text).strip() for text in (done.stdout, told)]
        check(alike[0] == alike[1], command, done.stdout, "and on the page", told)


def check_planners_of_users(folder):
    def run(text, *words, only="chains/eight"):
        (folder / "own.py").write_text("from peers import planner\n" + text)
        return peers("--only", only, "--with", folder / "own.py", *words)

    for problems, says in (("\"chains\"", "no problem \"chains\" (did you mean chain?); there are chain, order, graph,"),
                           ("", "there are chain, order, graph,"), ("7", "no problem \"7\"; there are chain, order, graph,")):
        done = run(f"@planner(\"x\", {problems})\ndef plan(instance): pass\n")
        check(done.returncode == 1 and says in done.stderr and done.stderr.count("\n") == 1 and not done.stdout, done.stderr)
    done = run("@planner(\"1F1B\", \"order\")\ndef plan(instance): pass\n")
    check(done.returncode == 1 and "there is a planner \"1F1B\" of the problem order already" in done.stderr, done.stderr)
    done = run("@planner(\"x\", \"graph\")\ndef plan(instance): pass\n")
    check(done.returncode == 0 and "x: none of these instances is of the problem graph\n" in done.stderr, done.stderr)
    for file in folder / "nofile.py", folder:
        done = peers("--only", "chains/eight", "--with", file)
        check(done.returncode == 1 and done.stderr.startswith(f"bench/peers/run: {file} cannot be read: ") and
              done.stderr.count("\n") == 1, done.stderr)
    done = peers("--only", "eigth")
    check(done.returncode == 1 and "did you mean chains/eight?" in done.stderr, done.stderr)
    done = run("""
print("| loud")
class Index:
    def __init__(self, value): self.value = value
    def __index__(self): return self.value
class Item:
    def __init__(self, value): self.value = value
    def item(self): return self.value
class Array(list):
    def tolist(self): return list(self)
def with_cuts(name, make):
    @planner(name, "chain")
    def plan(instance):
        print("| loud")
        assert not {"best", "bound"} & set(instance), "it is told"
        return make([0, 3, 5, 6, 8])
with_cuts("index", lambda c: {"cuts": tuple(map(Index, c))})
with_cuts("item", lambda c: {"cuts": list(map(Item, c))})
with_cuts("array", lambda c: {"cuts": Array(map(Index, c))})
with_cuts("floats", lambda c: {"cuts": list(map(float, c))})
with_cuts("truth", lambda c: {"cuts": [True] * 5})
with_cuts("list", lambda c: c)
with_cuts("wrong", lambda c: {"cuts": [0, 3, 5, 6, 9]})
""", "--csv", folder / "rows.csv")
    for name in "index", "item", "array":
        check(f"| chains/eight | {name} | 573 | 573 | 0.00 |" in done.stdout, name, done.stdout, done.stderr)
    for name, why in (("floats", "not-a-number: cuts[0] is 0.0, no whole number"),
                      ("truth", "not-a-number: cuts[0] is true, no whole number"),
                      ("list", "no-solution: the solution is no object, but a list"),
                      ("wrong", "unknown-layer: the last stage ends at 9, and there are 8 layers")):
        line, = [line for line in done.stdout.splitlines() if line.startswith(f"| chains/eight | {name} |")]
        check("refused: " in line and why in line, line)
    check("loud" not in done.stdout and done.stderr.count("| loud") == 8, done.stdout, done.stderr)
    check("chains/eight,index,573,573,0.00," in (folder / "rows.csv").read_text(), "no CSV")


def check_peers():
    """Planners that solve a problem exactly meet what is proved of it."""
    for only, row in (("graphs/six", "| graphs/six | dnn-partitioning, re-stated: all sets | 11 |"),
                      ("replicas-stage", "| joint/replicas-stage-time | Piper, re-stated | 6044 |"),
                      ("replicas-length", "| joint/replicas-length | Alpa, re-stated | 99630 |"),
                      ("four-even", "| schedules/four-even | ZB-H1, re-stated | 270 |")):
        done = peers("--only", only)
        check(row in done.stdout, done.stdout, done.stderr)


def check_solved(folder):
    names = ("chains/seven", "chains/eight", "chains/range-60", "chains/memory-48", "chains/uneven-40-1f1b", "chains/gpt2-xl",
             "schedules/four-even", "graphs/six", "graphs/u-net", "joint/recompute-16", "joint/replicas-stage-time",
             "joint/replicas-makespan")
    done = subprocess.run([*PYTHON, FOLDER / "solve", "--program", binary, "--time-limit", "60", "--output", folder, *names],
                          capture_output=True, text=True)
    check(done.returncode == 0, done.stdout, done.stderr)
    for name in names:
        answer = json.loads((folder / f"{name}.json").read_text())
        instance = checker.load(name)
        check(instance["bound"]["proved"] and answer["value"] == instance["best"]["value"], name, answer["value"])
    done = checked(*(folder / f"{name}.json" for name in names))
    check(done.returncode == 0 and done.stdout.count("gap 0 %") == len(names), done.stdout)


def run_at_random(rank_of, microbatches, draw):
    """Orders in which every rank runs some pass that can run: never stuck."""
    last, done = len(rank_of) - 1, set()
    orders = [[] for _ in range(max(rank_of) + 1)]
    left = [(s, kind, m) for s in range(last + 1) for kind in "FIW" for m in range(microbatches)]
    while left:
        def can(each):
            s, kind, m = each
            if kind == "F":
                return s == 0 or (s - 1, "F", m) in done
            if kind == "W":
                return (s, "I", m) in done
            return (s, "F", m) in done and (s == last or (s + 1, "I", m) in done)

        each = draw.choice([each for each in left if can(each)])
        left.remove(each)
        done.add(each)
        orders[rank_of[each[0]]].append(each)
    return orders


def simulated(folder, rank_of, durations, message, orders):
    words = ["--devices", max(rank_of) + 1, "--stages-per-rank", len(rank_of) // (max(rank_of) + 1)]
    for kind, option in (("F", "forward"), ("B", "backward"), ("I", "backward-input"), ("W", "backward-weight")):
        if kind in durations:
            words += [f"--{option}", ",".join(map(str, durations[kind]))]
    if message:
        words += ["--latency", message["time"], "--transfers", "link" if message["occupies"] == "link" else "latency"]
    text = "\n".join(",".join(f"{s}{kind}{m}" for s, kind, m in order) for order in orders)
    (folder / "order.csv").write_text(text + "\n")
    done = run("simulate", *words, "--schedule-file", folder / "order.csv", "--format", "json")
    check(done.returncode == 0, done.stderr)
    return json.loads(done.stdout)


def check_simulator(folder):
    for seed in range(30):
        draw = random.Random(seed)
        ranks, chunks = draw.randint(1, 4), draw.randint(1, 2)
        rank_of = [s % ranks for s in range(ranks * chunks)]
        if chunks == 2 and draw.random() < 0.4:
            rank_of = [*range(ranks), *reversed(range(ranks))]
        durations = {kind: [draw.randint(0, 9) for _ in rank_of] for kind in "FIW"}
        message = {"time": draw.randint(1, 12), "occupies": draw.choice(["link", "nothing"])} if draw.random() < 0.7 else None
        orders = run_at_random(rank_of, draw.randint(1, 5), draw)
        told = simulated(folder, rank_of, durations, message, orders)
        own = pipeline.makespan(orders, rank_of, durations, message)
        check(told["makespan"] == own, "seed", seed, "the program says", told["makespan"], "the checker", own)
        held = pipeline.peaks(orders, [1] * len(rank_of), [1] * len(rank_of))
        check(max(held) >= max(told["peak_activations"]), seed, held, told["peak_activations"])
    for seed in range(20):  # schedules by name
        draw = random.Random(seed)
        name = ("gpipe", "1f1b", "interleaved")[seed % 3]
        ranks, chunks = draw.randint(2, 4), draw.randint(2, 3) if name == "interleaved" else 1
        microbatches = ranks * draw.randint(2, 3) if name == "interleaved" else draw.randint(1, 9)
        rank_of = [s % ranks for s in range(ranks * chunks)]
        durations = {kind: [draw.randint(1, 9) for _ in rank_of] for kind in "FB"}
        message = {"time": draw.randint(1, 5), "occupies": "link"} if seed % 2 else None
        words = ["--devices", ranks, "--stages-per-rank", chunks, "--microbatches", microbatches, "--schedule", name]
        if message:
            words += ["--latency", message["time"]]
        for kind, option in (("F", "--forward"), ("B", "--backward")):
            words += [option, ",".join(map(str, durations[kind]))]
        done = run("simulate", *words, "--format", "json")
        told = json.loads(done.stdout)
        orders = pipeline.named(name, ranks, chunks, microbatches)
        pipeline.complete(orders, rank_of, microbatches, False)
        check(told["makespan"] == pipeline.makespan(orders, rank_of, durations, message), name, seed, told["makespan"])
        check(told["peak_activations"] == pipeline.peaks(orders, [1] * len(rank_of)), name, seed, told["peak_activations"])


with tempfile.TemporaryDirectory() as name:
    for each in (check_simulator, check_corrupted, check_page, check_planners_of_users, check_solved):
        folder = pathlib.Path(name, each.__name__)
        folder.mkdir()
        each(folder)
check_broken_at_random()
check_enumerated()
check_proofs()
check_shipped()
check_peers()
sys.exit(1 if failures else 0)
