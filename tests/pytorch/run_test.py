# SPDX-License-Identifier: BSL-1.0
"""Plans run in PyTorch: run_test.py, with STAGECUT naming the planner. Needs torch, no GPU."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

root = pathlib.Path(__file__).resolve().parents[2]
program = root / "examples" / "pytorch" / "run.py"
sys.path.insert(0, str(program.parent))

from planner import planner  # noqa: E402

MODEL = '''
import torch

def chain(layers=8, dropout=0.1):
    width = 16
    block = lambda: torch.nn.Sequential(torch.nn.Linear(width, width), torch.nn.Tanh(), torch.nn.Dropout(dropout))
    blocks = [block() for _ in range(layers)]
    return torch.nn.Sequential(*blocks), (torch.randn(4, width),)

def wrong():
    raise ValueError("this model cannot be made")
'''
# name, chunks: one of every way in which passes can be ordered. What `plan` does not plan comes from `simulate` as an order.
SCHEDULES = [("gpipe-lifo", 1), ("zb-h2", 1), ("backward-first", 1), ("interleaved-zb", 2), ("dualpipev", 2)]


def profile(layers=8, scale=0.001):
    """A chain whose layers differ, named as the model's."""
    figures = [scale * (1 + 0.5 * (place % 3)) for place in range(layers)]
    return {"schema": "stagecut-profile-1",
            "layers": [{"name": str(place), "forward": one, "backward": 2 * one, "backward_input": 1.1 * one,
                        "backward_weight": 0.9 * one}
                       for place, one in enumerate(figures)]}


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "chain_model.py").write_text(MODEL)

    def plan(self, *words, schedule="1f1b", chunks=1, devices=2, microbatches=4, of=None):
        text = planner("plan", "-", "--format", "json", "--devices", devices, "--chunks", chunks,
                       "--microbatches", microbatches, "--schedule", schedule, *words, stdin=json.dumps(of or profile()))
        (self.folder / "plan.json").write_text(text)
        return json.loads(text)

    def run_it(self, *words, launcher=()):
        environment = {**os.environ, "PYTHONPATH": str(self.folder)}
        return subprocess.run([sys.executable, *launcher, str(program), "plan.json", *words], cwd=self.folder, env=environment,
                              capture_output=True, text=True, timeout=100)

    def report(self, *words, **more):
        done = self.run_it("--json", "report.json", *words, **more)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads((self.folder / "report.json").read_text())

    def is_same(self, report):
        self.assertLessEqual(report["check"]["loss_difference"], 1e-6)
        self.assertLessEqual(report["check"]["gradient_difference"], 2e-6)
        self.assertGreater(report["check"]["gradient_norm"], 0)


class Waiting(Run):
    def test_takes_what_was_predicted(self):
        for schedule, chunks in (("1f1b", 1), ("zbv", 2)):
            plan = self.plan(schedule=schedule, chunks=chunks, devices=4, microbatches=8, of=profile(16, 0.01))
            report = self.report("--sleep", "--steps", "3")
            self.assertAlmostEqual(report["iteration"]["predicted"], plan["makespan"], places=6)
            self.assertGreaterEqual(report["iteration"]["measured"], plan["makespan"])
            self.assertLess(report["iteration"]["measured"], 1.1 * plan["makespan"])
            for of in report["ranks"]:
                every = of["measured"]["busy"] + sum(of["measured"]["idle"].values())
                self.assertAlmostEqual(every, report["iteration"]["measured"])

    def test_pictures_and_torchrun(self):
        self.plan()
        self.report("--sleep", "--steps", "1", "--trace", "trace.json", "--svg", "both.svg",
                    launcher=("-m", "torch.distributed.run", "--nproc-per-node", "2"))
        events = json.loads((self.folder / "trace.json").read_text())["traceEvents"]
        counts = [sum(event["ph"] == "X" and event["tid"] == thread for event in events) for thread in (0, 1)]
        self.assertEqual(counts, [2 * 4 * 2] * 2)
        self.assertEqual((self.folder / "both.svg").read_text().count("<rect"), sum(counts))

    def test_links_are_left_out(self):
        self.plan("--latency", "0.01")
        done = self.run_it("--sleep", "--steps", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("messages take no time"), 1, done.stderr)


class Training(Run):
    def test_schedules(self):
        for schedule, chunks in SCHEDULES:
            with self.subTest(schedule=schedule):
                planned = schedule != "backward-first"
                plan = self.plan(schedule=schedule if planned else "1f1b", chunks=chunks)
                words = []
                if not planned:
                    times = {key: ",".join(str(stage[key]) for stage in plan["stages"]) for key in ("forward", "backward")}
                    planner("simulate", "--forward", times["forward"], "--backward", times["backward"], "--microbatches", 4,
                            "--schedule", schedule, "--format", "torch-csv", "--output", self.folder / "order.csv")
                    words = ["--order", "order.csv"]
                self.is_same(self.report("--model", "chain_model:chain", "--steps", "1", *words))

    def test_with_transfers(self):
        self.plan(schedule="interleaved", chunks=2)
        self.is_same(self.report("--model", "chain_model:chain", "--steps", "1", "--format", "torch-comms"))

    def test_merged(self):
        self.plan(schedule="zbv", chunks=2)
        report = self.report("--model", "chain_model:chain", "--steps", "1", "--merge-backward")
        self.is_same(report)
        self.assertIn("B", report["stages"][0]["measured"])


class Errors(Run):
    def refused(self, text, *words, status=2, **more):
        done = self.run_it(*words, **more)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(text, done.stderr)

    def test_words(self):
        self.refused("--model MODULE:FACTORY or --sleep is needed")
        self.refused("No such file", "--sleep")

    def test_plans(self):
        (self.folder / "plan.json").write_text(json.dumps(profile()))
        self.refused("is no plan", "--sleep")
        plan = self.plan()
        for change, text in (({"schedule": None}, "names no schedule"),
                             ({"profile": {**plan["profile"], "weights_only": True}}, "weights"),
                             ({"stages": [{**stage, "replicas": 2} for stage in plan["stages"]]}, "replicas")):
            kept = {key: value for key, value in {**plan, **change}.items() if value is not None}
            (self.folder / "plan.json").write_text(json.dumps(kept))
            self.refused(text, "--sleep")

    def test_other_number_of_ranks(self):
        self.plan()
        done = self.run_it("--sleep", launcher=("-m", "torch.distributed.run", "--nproc-per-node", "1"))
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("is for 2 ranks, and there are 1"), 1, done.stderr)

    def test_models(self):
        self.plan()
        self.refused("chain_model", "--model", "chain_model:none")
        self.refused("this model cannot be made", "--model", "chain_model:wrong")


if __name__ == "__main__":
    unittest.main()
