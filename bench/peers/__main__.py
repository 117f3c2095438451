# SPDX-License-Identifier: BSL-1.0
"""Compares planners and prints what they do as Markdown."""

import argparse
import contextlib
import importlib
import importlib.machinery
import importlib.util
import math
import pathlib
import statistics
import sys

import peers
from peers import chains, measure, published, solvers  # noqa: F401, chains registers its contents


def arguments():
    example = (pathlib.Path(__file__).parent / "example.py").read_text().split("\n", 1)[1]
    parser = argparse.ArgumentParser("bench/peers/run", description=peers.__doc__ + "\n" + __doc__, epilog=example,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--with", dest="files", metavar="FILE", action="append", default=[], help="registers what it holds")
    parser.add_argument("--only", metavar="WORD", default="", help="only instances whose set holds the word")
    parser.add_argument("--stages", metavar="K,K...", default="4,16,64,256", help="into how many stages")
    parser.add_argument("--limit", metavar="SECONDS", type=float, default=5, help="the time of a call, at most")
    parser.add_argument("--offline", action="store_true", help="without the partitioners that are fetched")
    parser.add_argument("--quick", action="store_true", help="at most 1,000 items and 16 stages, half a second a call")
    parser.add_argument("--instances", action="store_true", help="on the problems of bench/instances, of every kind")
    parser.add_argument("--csv", metavar="FILE", help="with --instances: the rows as CSV, too")
    parser.add_argument("--program", metavar="STAGECUT", help="with --instances: the command-line program takes part as well")
    parser.add_argument("--library", help=argparse.SUPPRESS)
    return parser.parse_args()


def values(weights, points):
    """The objectives: the heaviest stage, heaviest - lightest, and the variance of the stages."""
    sums = [math.fsum(weights[first:last]) for first, last in zip(points, points[1:])]
    return max(sums), max(sums) - min(sums), statistics.pvariance(sums)


def is_partition(points, n, k):
    return len(points) == k + 1 and points[0] == 0 and points[-1] == n and all(a <= b for a, b in zip(points, points[1:]))


class Cell:
    """The result of one partitioner on an instance."""

    def __init__(self, note, seconds=None, points=(), values=None):
        self.note, self.seconds, self.points, self.values = note, seconds, points, values

    @property
    def empty(self):
        return sum(a == b for a, b in zip(self.points, self.points[1:]))


class Comparison:
    def __init__(self, limit, seconds):
        self.limit, self.seconds = limit, seconds
        self.pace = {}  # partitioner -> seconds per unit of its work
        self.late = {}  # partitioner, set -> sizes at which it ran out of time
        self.rows = []  # name, n, k, partitioner -> cell, smallest values

    def cell(self, which, name, weights, k):
        partitioner, n = peers.PARTITIONERS[which], len(weights)
        if partitioner.work and which in self.pace:
            foretold = self.pace[which] * partitioner.work(n, k)
            if foretold > self.limit:
                return Cell(f"≈ {duration(foretold)}")
        if any(n >= at_n and k >= at_k for at_n, at_k in self.late.get((which, name), ())):
            return Cell("skipped")
        answer = measure.isolated(lambda: measure.timed(partitioner, weights, k, self.seconds), limit=self.limit + self.seconds)
        if answer == "TIMEOUT":
            self.late.setdefault((which, name), []).append((n, k))
            return Cell(f"> {self.limit:g} s")
        if isinstance(answer, str):
            print(answer, file=sys.stderr)
            return Cell(answer.split(":")[0])
        points, seconds = answer
        if partitioner.work and seconds > 1e-3:
            self.pace[which] = seconds / partitioner.work(n, k)
        if not is_partition(points, n, k):
            return Cell("INVALID", seconds)
        return Cell("", seconds, points, values(weights, points))

    def add(self, name, weights, k):
        print(f"{name}, n = {len(weights)}, k = {k}", file=sys.stderr)
        cells = {which: self.cell(which, name, weights, k) for which in peers.PARTITIONERS}
        least = [min((cell.values[i] for cell in cells.values() if cell.values), default=None) for i in range(3)]
        # The exact answers are the solvers', as far as they take part.
        scale = 1e-9 * math.fsum(weights)
        beaten = []
        for i, solver in enumerate(("minimize_bottleneck", "minimize_range", "minimize_variance")):
            if solver in cells:
                exact = cells[solver].values[i] if cells[solver].values else math.inf
                if least[i] < exact - (scale if i < 2 else scale * math.fsum(weights)):
                    beaten.append(solver)
                least[i] = exact
        self.rows.append((name, len(weights), k, cells, least))
        return beaten


def duration(seconds):
    for unit, size in (("h", 3600), ("min", 60), ("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def ratio(value, least):
    """The ratio to the smallest; up to rounding, 0 is once 0."""
    return 1 if value <= least * (1 + 1e-9) else value / least if least > 0 else math.inf


def text(ratio):
    return "∞" if ratio == math.inf else f"{ratio:.4g}"


def table(title, columns, rows):
    print(f"\n### {title}\n\n| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    for cells in rows:
        print("| " + " | ".join(map(str, cells)) + " |")


def report(rows):
    columns = ["chain", "n", "k", *peers.PARTITIONERS]

    def quality(i, cell, least):
        if not cell.values:
            return cell.note if cell.note == "INVALID" else "-"
        return text(ratio(cell.values[i], least[i])) + (f", {cell.empty} empty" if cell.empty else "")

    table("Time of a call", columns,
          ([name, f"{n:,}", k, *(duration(cell.seconds) if cell.seconds else cell.note for cell in cells.values())]
           for name, n, k, cells, _ in rows))
    for i, title in enumerate(("Heaviest stage ÷ least", "Heaviest - lightest ÷ least")):
        table(title, columns, ([name, f"{n:,}", k, *(quality(i, cell, least) for cell in cells.values())]
                               for name, n, k, cells, least in rows))

    summary = []
    for which in peers.PARTITIONERS:
        cells = [(row[3][which], row[4]) for row in rows]
        answered = [(cell, least) for cell, least in cells if cell.values]
        late = sum(cell.note[:1] in (">", "≈") or cell.note == "skipped" for cell, _ in cells)
        invalid = sum(cell.note == "INVALID" for cell, _ in cells)
        worst = (text(max(ratio(cell.values[i], least[i]) for cell, least in answered)) if answered else "-" for i in range(3))
        summary.append([which, f"{len(answered)} of {len(cells)}", invalid, len(cells) - len(answered) - invalid - late, late,
                        sum(cell.empty > 0 for cell, _ in answered), *worst])
    table("All together", ["partitioner", "partitions", "INVALID", "raised", "too late", "with empty stages",
                           "worst heaviest stage", "worst heaviest - lightest", "worst variance"], summary)


def take(file):
    """Registers the contents of a file. Its output is not part of the tables."""
    loader = importlib.machinery.SourceFileLoader(pathlib.Path(file).stem, file)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            loader.exec_module(module)
    except peers.NoPlanner as why:
        sys.exit(f"bench/peers/run: {file}: {why}")
    except OSError as why:
        if why.filename != file:
            raise
        sys.exit(f"bench/peers/run: {file} cannot be read: {why.strerror}")


def main():
    options = arguments()
    if options.library:
        solvers.register(options.library)
    if not options.offline:
        published.register()
    importlib.import_module("peers.textbook")
    if options.instances:
        on_instances = importlib.import_module("peers.on_instances")
        on_instances.register(options)
        before = on_instances.planners_of()
    for file in options.files:
        take(file)
    if options.instances:
        return on_instances.compare(options, before)
    comparison = Comparison(min(options.limit, 0.5), 0.02) if options.quick else Comparison(options.limit, 0.1)
    wrong = []
    for name, generate in peers.INSTANCES.items():
        if options.only not in name:
            continue
        for label, weights, *stages in generate():
            for k in stages[0] if stages else map(int, options.stages.split(",")):
                if k > len(weights) or options.quick and (len(weights) > 1000 or k > 16):
                    continue
                title = f"{name}: {label}" if label else name
                wrong += [f"{solver}, {title}, n = {len(weights)}, k = {k}" for solver in comparison.add(title, weights, k)]
    if not comparison.rows:
        sys.exit(f"bench/peers/run: no instances of a set named \"{options.only}\"")
    report(comparison.rows)
    for each in wrong:
        print(f"not the least: {each}", file=sys.stderr)
    return 1 if wrong else 0


sys.exit(main())
