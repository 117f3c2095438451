# SPDX-License-Identifier: BSL-1.0
"""Plans run in PyTorch: run_test.py, with the module stagecut and its program. Needs torch, no GPU."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

root = pathlib.Path(__file__).resolve().parents[2]
program = root / "examples" / "pytorch" / "run.py"
sys.path.insert(0, str(program.parent))

import plan_file  # noqa: E402
import timeline  # noqa: E402
from installed import planner  # noqa: E402

MODEL = '''
import torch

def chain(layers=8, dropout=0.1):
    width = 16
    block = lambda: torch.nn.Sequential(torch.nn.Linear(width, width), torch.nn.Tanh(), torch.nn.Dropout(dropout))
    blocks = [block() for _ in range(layers)]
    return torch.nn.Sequential(*blocks), (torch.randn(4, width),)

def partly():
    module, args = chain(dropout=0.0)
    for block in list(module)[:4]:
        block.requires_grad_(False)
    return module, args

def wrong():
    raise ValueError("this model cannot be made")

def frozen():
    module, args = chain()
    for each in module.parameters():
        each.requires_grad_(False)
    return module, args

class Skipping(torch.nn.Module):
    def __init__(self):
        super().__init__()
        for place in range(8):
            self.add_module(str(place), torch.nn.Linear(16, 16))

    def forward(self, x):
        for each in self.children():
            x = x + each(x)
        return x

def skipping():
    return Skipping(), (torch.randn(4, 16),)

class Counting(torch.nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.linear, self.factor = torch.nn.Linear(16, 16), factor
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x):
        self.calls.add_(1.0)
        return self.linear(x) * (1 + self.factor * self.calls)

class Twice(torch.nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.counting = Counting(factor)
        self.blocks = torch.nn.ModuleList([torch.nn.Linear(16, 16) for _ in range(2)])

    def forward(self, x):
        return self.blocks[1](self.counting(self.blocks[0](self.counting(x))))

def twice(factor=1.0):
    return Twice(factor), (torch.randn(4, 16),)

class Join(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(32, 16)

    def forward(self, a, b):
        return self.linear(torch.cat([a, b], 1))

class Diamond(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.left, self.right, self.last = *(torch.nn.Linear(16, 16) for _ in range(3)), Join()

    def forward(self, x):
        x = self.first(x)
        return self.last(self.left(x), self.right(x))

class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(50, 16)
        self.blocks = torch.nn.ModuleList([torch.nn.Linear(16, 16) for _ in range(3)])

    def forward(self, tokens):
        x = self.table(tokens)
        for block in self.blocks:
            x = x + torch.tanh(block(x))
        return x @ self.table.weight.T

def tied():
    return Tied().bfloat16(), (torch.randint(0, 50, (4, 8)),)

def diamond():
    return Diamond(), (torch.randn(4, 16),)
'''
# name, chunks: one of every way in which passes can be ordered. What `plan` does not plan comes from `simulate` as an order.
SCHEDULES = [("gpipe-lifo", 1), ("zb-h2", 1), ("backward-first", 1), ("interleaved-zb", 2), ("dualpipev", 2)]


def profile(layers=8, scale=0.001):
    """A chain whose layers differ, named as the model's."""
    figures = [scale * (1 + 0.5 * (place % 3)) for place in range(layers)]
    return {"schema": "stagecut-profile-2",
            "layers": [{"name": str(place), "forward": one, "backward": 2 * one, "backward_input": 1.4 * one,
                        "backward_weight": 0.9 * one}
                       for place, one in enumerate(figures)]}


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "chain_model.py").write_text(MODEL)

    def plan(self, *words, schedule="1f1b", chunks=1, devices=2, microbatches=4, of=None):
        text = planner("plan", "-", "--format", "json", "--devices", devices, "--stages-per-rank", chunks,
                       "--microbatches", microbatches, "--schedule", schedule, *words, stdin=json.dumps(of or profile()))
        (self.folder / "plan.json").write_text(text)
        return json.loads(text)

    def run_it(self, *words, launcher=()):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(self.folder), *filter(None, [os.environ.get("PYTHONPATH")])])}
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
            foretold = timeline.iteration(timeline.predicted(plan_file.with_whole_first_stage(plan)))  # as PyTorch runs stage 0
            self.assertAlmostEqual(report["iteration"]["predicted"], foretold, places=6)
            if schedule == "1f1b":
                self.assertAlmostEqual(foretold, plan["makespan"], places=6)
            self.assertGreaterEqual(report["iteration"]["measured"], foretold)
            passes = sum(of["measured"]["busy"] for of in report["ranks"])  # each sleeps as long as it should, or longer
            self.assertGreaterEqual(passes, sum(of["predicted"]["busy"] for of in report["ranks"]))
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
                    words = ["--schedule-file", "order.csv"]
                self.is_same(self.report("--model", "chain_model:chain", "--steps", "1", *words))

    def test_with_transfers(self):
        self.plan(schedule="interleaved", chunks=2)
        self.is_same(self.report("--model", "chain_model:chain", "--steps", "1", "--format", "torch-comms"))

    def test_stages_side_by_side_are_run_as_a_chain(self):
        of = profile(4)
        for layer, name in zip(of["layers"], ("first", "left", "right", "last")):
            layer.update(name=name, output=256)
        graph = self.plan(devices=4, of={**of, "edges": [[0, 1], [0, 2], [1, 3], [2, 3]]})
        done = self.run_it("--model", "chain_model:diamond", "--steps", "1", "--json", "report.json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("runs stages as a chain"), 1, done.stderr)
        report = json.loads((self.folder / "report.json").read_text())
        self.is_same(report)
        in_flight = ",".join(str(stage["in_flight"]) for stage in graph["stages"])
        of["layers"] = [layer for _, layer in sorted(zip(graph["assignment"], of["layers"]), key=lambda pair: pair[0])]
        as_chain = self.plan("--in-flight", in_flight, devices=4, of=of)
        self.assertAlmostEqual(report["iteration"]["predicted"], as_chain["makespan"])

    def test_a_graph_is_run_by_schedules_of_chains(self):
        of = profile(4)
        for layer, name in zip(of["layers"], ("first", "left", "right", "last")):
            layer.update(name=name, output=256)
        for schedule, chunks in (("interleaved", 2), ("zb-h1", 1)):
            with self.subTest(schedule=schedule):
                plan = self.plan("--for", "pytorch", schedule=schedule, chunks=chunks,
                                 of={**of, "edges": [[0, 1], [0, 2], [1, 3], [2, 3]]})
                self.assertEqual([(each["from"], each["to"]) for each in plan["edges"]],
                                 [(stage, stage + 1) for stage in range(2 * chunks - 1)])
                done = self.run_it("--model", "chain_model:diamond", "--steps", "1", "--json", "report.json")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertNotIn("runs stages as a chain", done.stderr)
                report = json.loads((self.folder / "report.json").read_text())
                self.is_same(report)
                self.assertAlmostEqual(report["iteration"]["predicted"], plan["makespan"])

    def test_parameters_of_16_bits_that_ranks_share_are_named_where_gradients_differ(self):
        program = pathlib.Path(__file__).resolve().parents[2] / "examples" / "pytorch" / "profile.py"
        made = subprocess.run([sys.executable, str(program), "chain_model.py:tied", "--repeats", "1"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.plan("--method", "uniform", of=json.loads(made.stdout))
        done = self.run_it("--model", "chain_model:tied", "--steps", "1")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)  # the limit is that of all
        self.assertIn("ranks share parameters of 16 bits", done.stdout)

    def test_buffers_that_ranks_have_of_their_own_are_named(self):
        of = profile(4)
        for layer, name in zip(of["layers"], ("counting", "blocks.0", "counting@2", "blocks.1")):
            layer.update(name=name, modules=[name.split("@")[0]])
        self.plan("--method", "uniform", of=of)
        for factor, status in ((0.0, 0), (1.0, 1)):
            done = self.run_it("--model", "chain_model:twice", "--set", f"factor={factor}", "--steps", "1")
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
            self.assertIn("ranks 0, 1 each have a buffer counting.calls of their own", done.stdout)
            self.assertEqual(status == 1, "which may be why" in done.stdout)

    def test_merged(self):
        self.plan(schedule="zbv", chunks=2)
        report = self.report("--model", "chain_model:chain", "--steps", "1", "--merge-backward")
        self.is_same(report)
        self.assertIn("B", report["stages"][0]["measured"])


class BehindFrozenLayers(Run):
    """What trains behind layers that do not has no gradient to hand back: PyTorch's W would not find its parameters."""

    def of(self):
        of = profile()
        for layer in of["layers"][:4]:
            layer.update(backward=0, backward_input=0, backward_weight=0)
        of["layers"][4].update(backward_input=0, backward_weight=of["layers"][4]["backward"])
        return of

    def test_plans_for_pytorch_lose_no_gradients(self):
        for schedule in ("zb-h1", "synthesize"):
            plan = self.plan("--for", "pytorch", schedule=schedule, of=self.of())
            if schedule == "zb-h1":
                self.assertGreater(plan["cuts"][1], 4)
            self.is_same(self.report("--model", "chain_model:partly", "--steps", "1"))

    def test_other_plans_are_refused(self):
        self.plan("--keep-together", "4..7", schedule="zb-h1", of=self.of())
        done = self.run_it("--model", "chain_model:partly", "--steps", "1")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn('I and W of stage 1 cannot be run apart: layer 4 ("4") trains, and no gradient leaves it by its input', done.stderr)


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

    def test_i_and_w_that_cannot_be_run_apart(self):
        of = profile()
        of["layers"][5]["whole_backward"] = True
        self.plan(schedule="zb-h1", of=of)
        self.refused('I and W of stage 1 cannot be run apart: layer 5 ("5") runs its backward pass whole', "--sleep")
        self.plan(of=of)
        self.assertEqual(self.run_it("--sleep", "--steps", "1").returncode, 0)

    def test_files_that_cannot_be_written_are_said_first(self):
        self.plan()
        for word in ("--json", "--svg", "--trace"):
            self.refused("there is no folder nowhere", "--sleep", word, "nowhere/file")

    def test_interrupted(self):
        self.plan()
        command = [sys.executable, str(program), "plan.json", "--sleep", "--steps", "100000"]
        started = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        time.sleep(6)
        os.killpg(started.pid, signal.SIGINT)
        _, said = started.communicate(timeout=60)
        self.assertEqual((started.returncode, said), (130, ""))

    def test_models(self):
        self.plan()
        self.refused("nothing to train", "--model", "chain_model:frozen")
        self.refused("compute something else than the module", "--model", "chain_model:skipping", "--split", "modules")
        self.refused("chain_model", "--model", "chain_model:none")
        self.refused("this model cannot be made", "--model", "chain_model:wrong")


if __name__ == "__main__":
    unittest.main()
