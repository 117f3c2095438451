# SPDX-License-Identifier: BSL-1.0
"""Real PipeDream profiles, where STAGECUT_WORKLOADS names a folder of them: all are read with every layer and edge, a path
without edges; chains and graphs are planned, and their plans hold."""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys

folder = os.environ.get("STAGECUT_WORKLOADS")
if not folder:
    print("skipped: STAGECUT_WORKLOADS is not set")
    sys.exit(77)

binary = sys.argv[1]
failures = []
chains = []
paths = []
files = sorted(pathlib.Path(folder).glob("pipedream/*.txt")) + sorted(pathlib.Path(folder).glob("hpgo/*.txt"))
files = [f for f in files if f.name != "LICENSE.txt"]
for file in files:
    nodes, costly, after = {}, set(), collections.defaultdict(list)
    for line in file.read_text().splitlines():
        if line[:1].isspace():
            source, target = line.strip().split(" -- ")
            after[source].append(target)
        elif line:
            times = re.findall(r"(?:forward|backward)_compute_time=([0-9.]+)", line)
            name = line.split(" -- ")[0]
            nodes[name] = sum(map(float, times)) / 1000
            if nodes[name] > 0 or float(re.search(r"parameter_size=([0-9.]+)", line)[1]) > 0:
                costly.add(name)
    edges = {(source, target) for source in after for target in after[source]}
    done = subprocess.run([binary, "show", file, "--format", "json"], capture_output=True, text=True)
    if done.returncode != 0:
        failures.append(f"{file.name}: {done}")
        continue
    shown = json.loads(done.stdout)
    names = [layer["name"] for layer in shown["layers"]]
    path = len(edges) == len(nodes) - 1 == len({source for source, _ in edges}) == len({target for _, target in edges})
    if path:
        paths.append(file.stem)
    read = {(names[a], names[b]) for a, b in shown.get("edges", [] if not path else zip(range(len(names)), range(1, len(names))))}
    if sorted(names) != sorted(nodes) or read != edges or path == ("edges" in shown):
        failures.append(f"{file.name}: {len(names)} layers and {len(read)} edges of {len(nodes)} and {len(edges)}, a path: {path}")
    if any(a >= b for a, b in shown.get("edges", [])):
        failures.append(f"{file.name}: a layer stands before one that feeds it")
    text = subprocess.run([binary, "show", file], capture_output=True, text=True).stdout
    if (f"a graph of {len(edges)} edges\n" in text) == path or not re.search(rf"^all +{len(nodes)} ", text, re.MULTILINE):
        failures.append(f"{file.name}: shown as {text}")

    below = {}  # what each node reaches, by depth-first search from it
    for node in nodes:
        below[node], stack = set(), [node]
        while stack:
            for target in after[stack.pop()]:
                if target not in below[node]:
                    below[node].add(target)
                    stack.append(target)

    def apart(u, v):
        return u != v and v not in below[u] and u not in below[v]

    if not any(apart(u, v) for u in costly for v in costly):
        chains.append(file.stem)
    done = subprocess.run([binary, "plan", file, "--devices", "4", "--format", "json"], capture_output=True, text=True)
    total = sum(stage["time"] for stage in json.loads(done.stdout)["stages"]) if done.returncode == 0 else -1
    if abs(total - sum(nodes.values())) > 1e-9:
        failures.append(f"{file.name}: {done}")
        continue
    checked = subprocess.run([binary, "verify", file, "-"], input=done.stdout, capture_output=True, text=True)
    if checked.returncode != 0:
        failures.append(f"{file.name}: its plan is not so: {checked.stdout}{checked.stderr}")

print(*failures, f"{len(files)} profiles, {len(failures)} failures, {len(chains)} chains: {' '.join(chains)}; "
      f"{len(paths)} paths: {' '.join(paths)}", sep="\n")
sys.exit(1 if failures or not files else 0)
