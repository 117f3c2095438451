# SPDX-License-Identifier: BSL-1.0
"""Converts a benchmark's JSON to a Markdown table: medians of times, ratios to the floor and to the textbook method; proofs."""

import collections
import json
import sys


def text(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"


def table(columns, rows):
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for cells in rows:
        print("| " + " | ".join(map(str, cells)) + " |")


def minimize_bottleneck(medians):
    times = collections.defaultdict(dict)  # (data, n, k) -> method -> nanoseconds
    for (method, data, n, k), (time, _) in medians.items():
        times[data, int(n[2:]), int(k[2:])][method] = time
    rows = []
    for (data, n, k), row in sorted(times.items(), key=lambda item: (item[0][1], item[0][2], item[0][0])):
        if "reused_prefix" not in row:
            continue
        # The kind of items does not affect methods that only read or copy them: the floor is the fastest of the kinds.
        read, copy = (min(entry[floor] for (_, items, _), entry in times.items() if items == n and floor in entry)
                      for floor in ("read", "copy"))
        book = row.get("textbook")
        rows.append([f"{n:.0e}".replace("e+0", "e"), k, data, text(read), text(copy), text(row["blocks"]),
                     f"{row['blocks'] / read:.2f}", text(row["prefix"]), f"{row['prefix'] / read:.2f}",
                     f"{row['prefix'] / copy:.2f}", text(row["reused_prefix"]), text(book) if book else "-",
                     f"{row['prefix'] / book:.3f}" if book else "-",
                     f"{row['reused_prefix'] / book:.3f}" if book else "-"])
    table(["n", "k", "data", "one read", "copy", "blocks", "÷ read", "prefix", "÷ read", "÷ copy", "reused prefix",
           "textbook", "prefix ÷ textbook", "reused ÷ textbook"], rows)


def chain_problem(runs):
    others = list(dict.fromkeys(who for _, who, *_ in runs if who not in ("stagecut", "prefix_pass")))
    rows = []
    for (problem, who, data, n, k), (time, entry) in runs.items():
        if who != "stagecut":
            continue
        cells = []
        for who in (*others, "prefix_pass"):
            other, found = runs.get((problem, who, data, n, "k:1" if who == "prefix_pass" else k), (None, None))
            worse = found and who in others and abs(found["found"] - entry["found"]) > 1e-9 * abs(found["found"])
            cells.append("-" if not other else text(other) + (f", finds {found['found'] / entry['found']:.4g}" if worse else ""))
            cells.append("-" if not other else f"{time / other:,.0f}" if time >= 100 * other else f"{time / other:.3g}")
        rows.append([problem.replace("_", " "), f"{int(n[2:]):,}", k[2:], data, text(time), *cells])
    table(["problem", "n", "k", "data", "stagecut", *(f"{sign}{who.replace('_', ' ')}" for who in (*others, "prefix_pass")
                                                      for sign in ("", "÷ "))], rows)


def simulate(medians):
    times = collections.defaultdict(dict)  # (passes, transfers, numbers) -> method -> nanoseconds
    tasks = {}
    for (method, numbers, transfers, n), (time, entry) in medians.items():
        case = int(n[2:]), ("none", "latency", "link").index(transfers), transfers, numbers
        times[case][method] = time
        tasks[case] = int(entry["tasks"])
    rows = []
    for case, row in sorted(times.items()):
        passes, _, transfers, numbers = case
        if not {"limit", "makespan", "events", "events_anew", "compile", "simulate"} <= row.keys():
            continue
        rows.append([f"{passes:,}", transfers, numbers, f"{tasks[case]:,}", text(row["limit"]), text(row["makespan"]),
                     f"{row['makespan'] / tasks[case]:.2f} ns", f"{row['makespan'] / row['limit']:.2f}",
                     text(row["events"]), f"{row['events'] / row['makespan']:.1f}",
                     f"{row['events_anew'] / row['makespan']:.1f}", text(row["compile"]), text(row["simulate"])])
    table(["passes", "transfers", "numbers", "tasks", "loop", "makespan", "a task", "÷ loop", "events",
           "events ÷ makespan", "events anew ÷ makespan", "task graph", "simulate"], rows)
    lanes(medians)


def lanes(medians):
    cases = collections.defaultdict(dict)  # (passes, transfers, numbers) -> registers, or what else -> entry
    for (method, numbers, transfers, n), (_, entry) in medians.items():
        if method.startswith("lanes_"):
            cases[int(n[2:]), ("none", "latency", "link").index(transfers), transfers, numbers][method[6:]] = entry
    rows = []
    for (passes, _, transfers, numbers), row in sorted(cases.items()):
        if not {"plain", "run", "limit"} <= row.keys():
            continue
        cells = [f"{row[each]['to_makespan']:.1f}" if each in row else "-" for each in ("plain", "256", "512", "run")]
        rows.append([f"{passes:,}", transfers, numbers, f"{int(row['run']['tasks']):,}", *cells,
                     f"{row['run']['candidates_per_second']:.2e}", f"{row['run']['items_per_second']:.2e}",
                     f"{row['limit']['items_per_second'] / row['run']['items_per_second']:.1f}"])
    if not rows:
        return
    print()
    table(["passes", "transfers", "numbers", "tasks", "plain", "256 bits", "512 bits", "run alone", "candidates a second",
           "tasks a second", "÷ limit"], rows)


def minimize_makespan(runs):
    rows = []
    for (schedule, chain, n, p, v, m, transfers, memory, *_), (_, entry) in runs.items():
        longer = (f"{round(entry[whose], 2) + 0.0:.2f} %" if whose in entry else "-"
                  for whose in ("uniform_percent", "bottleneck_percent", "shifting_percent"))
        gap = entry["gap_percent"]
        rows.append([schedule, chain, *(each.split(":")[1] for each in (n, p, v, m)), transfers, memory, entry["label"],
                     f"{entry['proved']:.0f} of {entry['instances']:.0f}", f"{gap:.2f} %" if gap else "0",
                     text(entry["median_s"] * 1e9), text(entry["worst_s"] * 1e9), *longer])
    table(["schedule", "chain", "n", "p", "v", "m", "transfers", "memory", "goal", "proved", "worst gap", "median",
           "worst", "uniform", "bottleneck", "shifting"], rows)


def several_stages(runs):
    rows = []
    for (schedule, chain, n, p, v, m, transfers, memory, *_), (_, entry) in runs.items():
        pair = lambda what: (f"{entry[what.format(which)]:.3g} %" if what.format(which) in entry else "-"
                             for which in ("median", "worst"))
        rows.append([schedule, chain, *(each.split(":")[1] for each in (n, p, v, m)), transfers, memory, entry["label"],
                     f"{entry['missed']:.0f} of {entry['instances']:.0f}", f"{entry['proved']:.0f}", *pair("above_{}_percent"),
                     *pair("gap_{}_percent"), text(entry["first_cut_worst_s"] * 1e9) if "first_cut_worst_s" in entry else "-",
                     text(entry["median_s"] * 1e9), text(entry["worst_s"] * 1e9),
                     f"{entry['annealing_percent']:.3g} %" if "annealing_percent" in entry else "-"])
    table(["schedule", "chain", "n", "p", "v", "m", "transfers", "memory", "goal", "missed", "proved", "above", "worst above",
           "gap", "worst gap", "first cut", "median time", "worst time", "annealing"], rows)


def minimize_load(runs):
    """Times are thread times: these runs are not repeated."""
    rows = []
    for (graph, method, *sizes), (_, entry) in runs.items():
        if method != "minimize_load":
            continue
        other, found = next(((who, runs[graph, who, *sizes, *end][1]) for who in ("down_set_pairs", "minimize_bottleneck")
                             for end in ([], ["iterations:1"]) if (graph, who, *sizes, *end) in runs), (None, None))
        time = entry["cpu_time"] * UNITS[entry["time_unit"]]
        theirs = found["cpu_time"] * UNITS[found["time_unit"]] if found else 0
        peaks = f"{entry['peak_mib']:.0f} and {found['peak_mib']:.0f} MiB" if found and "peak_mib" in found else "-"
        proof = "proved" if entry.get("proved") == 1 else f"at least {entry['bound']:.6g}" if "bound" in entry else "-"
        rows.append([graph, ", ".join(each.replace(":", " = ") for each in sizes if not each.startswith("iterations")),
                     f"{entry['down_sets']:,.0f}" if "down_sets" in entry else "-",
                     "none" if entry["load"] < 0 else f"{entry['load']:.6g}", proof, text(time),
                     f"{other.replace('_', ' ')} {text(theirs)}" if found else "-",
                     f"{theirs / time:.3g}" if found else "-", peaks,
                     f"{abs(entry['heuristic_percent']):.3g} %" if "heuristic_percent" in entry else "-"])
    table(["graph", "sizes", "down-sets", "load", "bound", "time", "another method", "÷ time", "peaks",
           "heuristics, 50 ms"], rows)


def plan_graph(runs):
    rows = [[model, k[2:], m[2:], f"{entry['operators']:.0f}", f"{entry['makespan']:,.1f} ms", f"{entry['gap_percent']:.1f} %",
             *(f"{entry[who]:.3f}" for who in ("chain", "chain_counts", "least_load")),
             text(entry["cpu_time"] * UNITS[entry["time_unit"]])] for (model, k, m, *_), (_, entry) in runs.items()]
    table(["model", "k", "m", "operators", "makespan", "gap", "chain ÷ it", "chain with counts ÷ it", "least load ÷ it",
           "time"], rows)


def orders(runs):
    """Mean and maximum of each figure over the schedules, or cuts with schedules, of a row."""
    def cell(entry, what):
        figures = [entry[f"{what}_{end}"] for end in ("percent", "most_percent") if f"{what}_{end}" in entry]
        return " ".join([f"{figures[0]:.2f}", *(f"({each:.1f})" for each in figures[1:])]) if figures else "-"
    rows = [["/".join(name[:-2]), f"{entry['proved']:.0f} of {entry.get('orders', entry.get('cases')):.0f}", cell(entry, "gap"),
             f"{entry['named_fit']:.0f}", cell(entry, "named_longer"), cell(entry, "heuristic_longer"),
             f"{entry['makespan']:.0f}" if "makespan" in entry else "-",
             f"{entry['longest_s']:.3g} s" if "longest_s" in entry else "-"] for name, (_, entry) in runs.items()]
    table(["row", "proved", "gap, %", "named that fit", "named longer, %", "heuristic longer, %", "makespan", "longest"], rows)


def training_memory(medians):
    rows = [[who, f"{int(n[2:]):,}", f"{int(ties[5:]):,}", text(time), text(medians[_, "ask", who, n, ties][0])]
            for (_, what, who, n, ties), (time, _entry) in medians.items() if what == "build"]
    table(["names", "layers", "shared in each", "built", "a stage"], rows)


UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}  # in nanoseconds
run = json.load(open(sys.argv[1]))
medians = {}  # name parts -> nanoseconds and the entry
for entry in run["benchmarks"]:
    if entry.get("aggregate_name") == "median" or "proved" in entry or "load" in entry or "chain" in entry:  # run once
        medians[tuple(entry["run_name"].split("/"))] = entry["real_time"] * UNITS[entry["time_unit"]], entry
context = run["context"]
machine = f"{context['num_cpus']} CPUs at {context['mhz_per_cpu']} MHz"
print(f"\n{machine}, commit {context.get('commit')}, {context['date'][:10]}\n")
if all("load" in entry for _, entry in medians.values()):
    minimize_load(medians)
elif all("chain" in entry for _, entry in medians.values()):
    plan_graph(medians)
elif all("named_fit" in entry for _, entry in medians.values()):
    orders(medians)
elif all("no_cut" in entry for _, entry in medians.values()):
    several_stages(medians)
elif all("proved" in entry for _, entry in medians.values()):
    minimize_makespan(medians)
elif all("tasks" in entry for _, entry in medians.values()):
    simulate(medians)
elif all(name[0] == "training_memory" for name in medians):
    training_memory(medians)
elif all(len(name) == 5 for name in medians):
    chain_problem(medians)
else:
    minimize_bottleneck(medians)
