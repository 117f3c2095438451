# SPDX-License-Identifier: BSL-1.0
"""How far waiting stages in PyTorch's runtime are from what was predicted: fidelity.py [STEPS]

Three chains of 16 layers, cut evenly by layers, by the heaviest stage and by the makespan, four ranks, eight microbatches, four
schedules: 36 plans as a table in Markdown. It ends with status 1 if one is more than 5 % off, or if two plans of a chain and schedule,
predicted more than 1 % apart, rank otherwise. It takes about ten minutes, on a machine that does nothing else.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

folder = pathlib.Path(__file__).resolve().parents[2] / "examples" / "pytorch"
sys.path.insert(0, str(folder))

import stagecut  # noqa: E402

SCHEDULES = [("1f1b", 1), ("interleaved", 2), ("zb-h1", 1), ("zbv", 2)]
CUTS = [("uniform", {"method": "uniform"}), ("bottleneck", {"objective": "bottleneck"}), ("makespan", {})]


def chains():
    source = random.Random(5)
    yield "even", [0.01] * 16
    yield "growing", [0.004 + 0.0008 * number for number in range(16)]
    yield "random", [source.uniform(0.002, 0.02) for _ in range(16)]


def profile(seconds):
    return {"schema": "stagecut-profile-2", "layers": [
        {"name": str(number), "forward": each, "backward": 2 * each, "backward_input": 1.4 * each, "backward_weight": 0.9 * each}
        for number, each in enumerate(seconds)]}


def run(plan, where, steps):
    (where / "plan.json").write_text(json.dumps(plan))
    subprocess.run([sys.executable, str(folder / "run.py"), "plan.json", "--sleep", "--steps", str(steps), "--no-check", "--json", "report.json"],
                   cwd=where, check=True, stdout=subprocess.DEVNULL)
    return json.loads((where / "report.json").read_text())["iteration"]


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    bad = 0
    print("| chain | schedule | uniform: predicted, measured, off | bottleneck | makespan | ranked |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as where:
        for name, seconds in chains():
            for schedule, chunks in SCHEDULES:
                found = []
                for _, words in CUTS:
                    plan = stagecut.plan(profile(seconds), 4, stages_per_rank=chunks, microbatches=8, schedule=schedule, **words)
                    found.append(run(plan, pathlib.Path(where), steps))
                off = [each["measured"] / each["predicted"] - 1 for each in found]
                ranked = all((a["predicted"] < b["predicted"]) == (a["measured"] < b["measured"]) for a in found for b in found
                             if abs(a["predicted"] - b["predicted"]) > 0.01 * a["predicted"])
                bad += sum(abs(each) > 0.05 for each in off) + (not ranked)
                cells = [f"{1e3 * each['predicted']:.0f} ms, {1e3 * each['measured']:.0f} ms, {100 * far:+.1f} %" for each, far in zip(found, off)]
                print(f"| {name} | {schedule} | {' | '.join(cells)} | {'as predicted' if ranked else 'otherwise'} |", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
