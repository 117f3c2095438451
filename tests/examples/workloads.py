# SPDX-License-Identifier: BSL-1.0
"""Real PipeDream profiles, where STAGECUT_WORKLOADS names a folder of them: chains are planned, others are refused with
the node at which they are none."""

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
chains = 0
files = sorted(pathlib.Path(folder).glob("pipedream/*.txt")) + sorted(pathlib.Path(folder).glob("hpgo/*.txt"))
files = [f for f in files if f.name != "LICENSE.txt"]
for file in files:
    nodes, after, before = {}, collections.defaultdict(list), collections.defaultdict(list)
    for line in file.read_text().splitlines():
        if line[:1].isspace():
            source, target = line.strip().split(" -- ")
            after[source].append(target)
            before[target].append(source)
        elif line:
            times = re.findall(r"(?:forward|backward)_compute_time=([0-9.]+)", line)
            nodes[line.split(" -- ")[0]] = sum(map(float, times)) / 1000
    chain = all(len(after[n]) <= 1 and len(before[n]) <= 1 for n in nodes) and sum(not before[n] for n in nodes) == 1
    done = subprocess.run([binary, "plan", file, "--devices", "4", "--format", "json"], capture_output=True, text=True)
    if chain:
        chains += 1
        total = sum(stage["time"] for stage in json.loads(done.stdout)["stages"])
        if done.returncode != 0 or abs(total - sum(nodes.values())) > 1e-9:
            failures.append(f"{file.name}: {done}")
        continue
    named = re.match(r'stagecut: .*:\d+: not a chain: "?(?:nothing feeds )?"?([^" ]+)"', done.stderr)
    if done.returncode != 2 or not named:
        failures.append(f"{file.name}: {done}")
    elif "nothing feeds" in done.stderr:
        both = re.findall(r'nothing feeds "([^"]+)"', done.stderr)
        if len(both) != 2 or any(before[n] for n in both):
            failures.append(f"{file.name}: {done.stderr}")
    elif len(after[named[1]]) < 2 and len(before[named[1]]) < 2:
        failures.append(f"{file.name}: {named[1]} is not where it is no chain")

print(*failures, f"{len(files)} profiles, {chains} of them chains, {len(failures)} failures", sep="\n")
sys.exit(1 if failures or not files else 0)
