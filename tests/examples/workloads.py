# SPDX-License-Identifier: BSL-1.0
"""Real PipeDream profiles, where STAGECUT_WORKLOADS names a folder of them: chains are planned, others are refused with
two nodes that take time or hold parameters and between which there is no path."""

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

    chain = not any(apart(u, v) for u in costly for v in costly)
    done = subprocess.run([binary, "plan", file, "--devices", "4", "--format", "json"], capture_output=True, text=True)
    if chain:
        chains.append(file.stem)
        total = sum(stage["time"] for stage in json.loads(done.stdout)["stages"]) if done.returncode == 0 else -1
        if abs(total - sum(nodes.values())) > 1e-9:
            failures.append(f"{file.name}: {done}")
        continue
    named = re.match(r'stagecut: .*:\d+: not a chain: no path joins "([^"]+)" and "([^"]+)", ', done.stderr)
    if done.returncode != 2 or not named:
        failures.append(f"{file.name}: {done}")
    elif not set(named.groups()) <= costly or not apart(*named.groups()):
        failures.append(f"{file.name}: {named[0]}, which is not so")

print(*failures, f"{len(files)} profiles, {len(failures)} failures, {len(chains)} chains: {' '.join(chains)}", sep="\n")
sys.exit(1 if failures or not files else 0)
