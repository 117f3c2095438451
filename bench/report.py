# SPDX-License-Identifier: BSL-1.0
"""Medians of a benchmark's JSON as a Markdown table: times, and ratios to one read and to the textbook method."""

import collections
import json
import sys

run = json.load(open(sys.argv[1]))
times = collections.defaultdict(dict)  # (data, n, k) -> method -> nanoseconds
for entry in run["benchmarks"]:
    if entry.get("aggregate_name") == "median":
        method, data, n, k = entry["run_name"].split("/")
        scale = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[entry["time_unit"]]
        times[data, int(n[2:]), int(k[2:])][method] = entry["real_time"] * scale


def text(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"


context = run["context"]
print(f"{context['num_cpus']} CPUs at {context['mhz_per_cpu']} MHz, commit {context.get('commit')}, {context['date'][:10]}\n")
columns = ["n", "k", "data", "one read", "copy", "blocks", "÷ read", "prefix", "÷ read", "÷ copy", "reused prefix", "textbook",
           "prefix ÷ textbook", "reused ÷ textbook"]
print("| " + " | ".join(columns) + " |")
print("|" + "---|" * len(columns))
for (data, n, k), row in sorted(times.items(), key=lambda item: (item[0][1], item[0][2], item[0][0])):
    if "reused_prefix" not in row:
        continue
    # What the items are does not matter to who only reads or copies them: the floor is the fastest of the kinds.
    read, copy = (min(entry[floor] for (_, items, _), entry in times.items() if items == n and floor in entry)
                  for floor in ("read", "copy"))
    book = row.get("textbook")
    cells = [f"{n:.0e}".replace("e+0", "e"), k, data, text(read), text(copy), text(row["blocks"]), f"{row['blocks'] / read:.2f}",
             text(row["prefix"]), f"{row['prefix'] / read:.2f}", f"{row['prefix'] / copy:.2f}", text(row["reused_prefix"]),
             text(book) if book else "-", f"{row['prefix'] / book:.3f}" if book else "-",
             f"{row['reused_prefix'] / book:.3f}" if book else "-"]
    print("| " + " | ".join(map(str, cells)) + " |")
