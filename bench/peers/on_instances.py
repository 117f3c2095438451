# SPDX-License-Identifier: BSL-1.0
"""Every planner on every instance of bench/instances that it supports, with its answers judged by the checker there."""

import csv
import importlib
import operator
import pathlib
import sys
import time

import peers
from peers import measure

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "instances"))

import checker  # noqa: E402

RESTATED = "alpa", "dnn_partitioning", "named_orders", "pipedream", "piper", "sapp"
COLUMNS = "instance", "planner", "value", "best known", "gap %", "seconds", "note"


def by_partitioner(partitioner):
    """A partitioner of weights as a planner of chains: the weight of a layer is its time, whatever the objective."""

    def plan(instance):
        zeros = [0] * len(instance["forward"])
        weights = partitioner.given([float(f + b) for f, b in zip(instance["forward"], instance.get("backward", zeros))])
        return {"cuts": partitioner.cut(weights, instance["devices"] * instance.get("stages_per_rank", 1))}

    return plan


def with_program(path, seconds):
    """stagecut's command-line program, called as in bench/instances/solve."""
    from importlib.machinery import SourceFileLoader
    from importlib.util import module_from_spec, spec_from_loader

    loader = SourceFileLoader("solve", str(checker.FOLDER / "solve"))
    solve = module_from_spec(spec_from_loader("solve", loader))
    loader.exec_module(solve)
    program = solve.Program(path, "--time-limit", seconds)
    for problem, solver in solve.SOLVERS.items():
        peers.planner("stagecut", problem)(lambda instance, solver=solver: solver(program, instance)[0])


def plain(value):
    """A solution of lists and numbers of Python, as in JSON; whole numbers of other types remain whole."""
    if value is None or isinstance(value, (bool, str, float)):
        return value
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if hasattr(value, "tolist"):  # arrays and numbers of NumPy, PyTorch, JAX, and of the standard library
        return plain(value.tolist())
    if hasattr(value, "__index__"):
        return operator.index(value)
    if hasattr(value, "item"):
        return plain(value.item())
    if hasattr(value, "__iter__") and not isinstance(value, (bytes, set, frozenset)):
        return [plain(each) for each in value]
    return repr(value)


def row(name, planner, plan, instance, limit):
    given = {member: value for member, value in instance.items() if member not in ("best", "bound")}

    def work():
        begin = time.perf_counter()
        try:
            solution = plan(given)
        except peers.Skipped as why:
            return "skipped", str(why)
        seconds = time.perf_counter() - begin
        return "answered", plain(solution), seconds

    answer = measure.isolated(work, limit=limit)
    best = instance["best"]["value"]
    if type(answer) is str:
        note = f"too late: {limit:g} s" if answer == "TIMEOUT" else answer
        return [name, planner, "", best, "", "", note.split("\n")[0]]
    if answer[0] == "skipped":
        return [name, planner, "", best, "", "", f"skipped: {answer[1]}"]
    _, solution, seconds = answer
    try:
        value = checker.check(instance, {"instance": name, "solution": solution})
    except checker.Refused as why:
        return [name, planner, "", best, "", f"{seconds:.3f}", f"refused: {why}"]
    gap = 100 * (value - best) / best if best else 0 if value == best else float("inf")
    note = "proved optimal" if value == instance["bound"]["value"] else "better than known" if value < best else ""
    return [name, planner, value, best, f"{gap:.2f}", f"{seconds:.3f}", note]


def print_table(columns, rows):
    print("\n| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    for cells in rows:
        print("| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |")


def summary(rows):
    """Per planner and set: the number of answers, and their distance to the best known."""
    groups = {}
    for each in rows:
        groups.setdefault((each[0].split("/")[0], each[1]), []).append(each)
    for (set_, planner), of in groups.items():
        gaps = [float(each[4]) for each in of if each[4] != ""]
        count = {word: sum(each[6].startswith(word) for each in of) for word in ("refused", "too late", "skipped")}
        other = len(of) - len(gaps) - sum(count.values())
        yield [set_, planner, f"{len(gaps)} of {len(of)}", sum(each[2] != "" and each[2] <= each[3] for each in of), *count.values(), other,
               f"{sum(gaps) / len(gaps):.2f}" if gaps else "-", f"{max(gaps):.2f}" if gaps else "-"]


def limit_of(options):
    return 2 if options.quick else options.limit


def register(options):
    """The available planners."""
    for each in RESTATED:
        importlib.import_module(f"peers.restated.{each}")
    if options.program:
        with_program(options.program, min(10, limit_of(options)))


def planners_of():
    return {(problem, name) for problem, of in peers.PLANNERS.items() for name in of}


def compare(options, before):
    """`before`: the planners registered without the user's."""
    rows = []
    for name in checker.names():
        if options.only not in name:
            continue
        instance = checker.load(name)
        planners = dict(peers.PLANNERS[instance["problem"]])
        if instance["problem"] == "chain":
            planners.update((which, by_partitioner(each)) for which, each in peers.PARTITIONERS.items())
        print(name, file=sys.stderr)
        rows += [row(name, which, plan, instance, limit_of(options)) for which, plan in planners.items()]
    if not rows:
        sys.exit(f"bench/peers/run: no instance with \"{options.only}\" in its name{checker.did_you_mean(options.only)}")
    took_part = {each[1] for each in rows}
    for problem, name in sorted(planners_of() - before):
        if name not in took_part:
            print(f"{name}: none of these instances is of the problem {problem}", file=sys.stderr)
    print_table(COLUMNS, rows)
    print_table(["set", "planner", "solutions", "as good as known", "refused", "too late", "skipped", "raised", "mean gap %",
                 "worst gap %"], summary(rows))
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            csv.writer(file).writerows([COLUMNS, *rows])
    return 0
