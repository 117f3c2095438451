# SPDX-License-Identifier: BSL-1.0
"""`fit times` on traces of PyTorch's profiler: a CPU runs no kernels, so each innermost operator gets one. The layers differ in one size, by which
an operator tells whose it is: trace_test.py, with the module stagecut and its program."""

import bisect
import copy
import json
import pathlib
import subprocess
import tempfile
import unittest
import warnings

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule
from torch.utils.checkpoint import checkpoint

from installed import PROGRAM

LAYERS, MICROBATCHES, STEPS, WIDTH = 4, 2, 2, 101


class Block(nn.Module):
    def __init__(self, i):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(32), nn.Linear(32, WIDTH + i), nn.Linear(WIDTH + i, 32)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


class Model(nn.Module):
    """Its layers are recomputed: "no", "each" (`reentrant` or not), or in "pairs"."""

    def __init__(self, recompute, reentrant=False):
        super().__init__()
        self.recompute, self.reentrant = recompute, reentrant
        self.embedding, self.layers, self.head = nn.Embedding(50, 32), nn.ModuleList(Block(i) for i in range(LAYERS)), nn.Linear(32, 50)

    def forward(self, ids):
        x = self.embedding(ids)
        size = 2 if self.recompute == "pairs" else 1
        for i in range(0, LAYERS, size):
            part = nn.Sequential(*self.layers[i : i + size])
            x = part(x) if self.recompute == "no" else checkpoint(part, x, use_reentrant=self.reentrant)
        return self.head(x)


def record(model, path):
    optimizer = torch.optim.AdamW(model.parameters())
    ids = torch.randint(0, 50, (8, 16))

    def step():
        for _ in range(MICROBATCHES):
            loss = nn.functional.cross_entropy(model(ids).view(-1, 50), ids.view(-1))
            with record_function("all gradients"):
                loss.backward()
        optimizer.step()
        optimizer.zero_grad()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with profile(activities=[ProfilerActivity.CPU], record_shapes=True, with_stack=True, schedule=schedule(wait=0, warmup=1, active=STEPS, repeat=1),
                     on_trace_ready=lambda made: made.export_chrome_trace(str(path))) as made:
            for _ in range(1 + STEPS):
                step()
                made.step()
    return json.loads(path.read_text())["traceEvents"]


def spans(events, name):
    return sorted((each["ts"], each["ts"] + each["dur"]) for each in events if each.get("name", "").startswith(name))


def within(span_list, moment):
    i = bisect.bisect(span_list, (moment, float("inf"))) - 1
    return i >= 0 and moment <= span_list[i][1]


def with_kernels(events):
    """A kernel of 10 us for each innermost operator, and how many of them each pass of a layer runs for a microbatch."""
    operators = sorted((each for each in events if each.get("cat") == "cpu_op"), key=lambda each: (each["ts"], -each["dur"]))
    inner = [a for a, b in zip(operators, operators[1:] + [None]) if b is None or b["ts"] >= a["ts"] + a["dur"]]
    backward, optimizer = spans(events, "all gradients"), spans(events, "Optimizer.")
    made, expected, now = list(events), {}, 0
    for number, each in enumerate(inner, 1):
        layers = [i for i in range(LAYERS) if str(WIDTH + i) in json.dumps(each["args"].get("Input Dims", []))]
        moment = each["ts"] + each["dur"] / 2
        if len(layers) != 1 or within(optimizer, moment):
            continue
        where = {"pid": each["pid"], "tid": each["tid"]}
        made.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", **where, "ts": moment, "dur": 0, "args": {"correlation": number}})
        made.append({"ph": "X", "cat": "kernel", "name": each["name"], "pid": 0, "tid": 7, "ts": now, "dur": 10, "args": {"correlation": number}})
        now += 10
        key = f"layers.{layers[0]}", "backward" if within(backward, moment) else "forward"
        expected[key] = expected.get(key, 0) + 1 / (MICROBATCHES * STEPS)
    return made, expected


def on_another_thread(events):
    """What a GPU's gradients are launched from."""
    backward = spans(events, "all gradients")
    moved = copy.deepcopy(events)
    for each in moved:
        if each.get("cat") in ("cpu_op", "python_function", "fwdbwd", "cuda_runtime") and within(backward, each["ts"]):
            each["tid"] = 77
    return moved


class Traces(unittest.TestCase):
    def passes(self, events, path):
        path.write_text(json.dumps({"traceEvents": events}))
        done = subprocess.run([PROGRAM, "fit", "times", str(path), "--layers", "Block_*=layers.*"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f" kernels belong to {LAYERS} layers, in {STEPS} steps; ", done.stderr)
        return {(layer["name"], name): round(layer[name] / 10e-6, 6) for layer in json.loads(done.stdout)["layers"] for name in ("forward", "backward")}

    def test_kernels_belong_to_the_layers_whose_size_they_have(self):
        torch.manual_seed(0)
        counts = {}
        with tempfile.TemporaryDirectory() as where:
            path = pathlib.Path(where) / "trace.json"
            for recompute, reentrant in (("no", False), ("each", False), ("each", True), ("pairs", False)):
                events, expected = with_kernels(record(Model(recompute, reentrant), path))
                self.assertEqual(len(expected), 2 * LAYERS)
                counts[recompute, reentrant] = expected
                without_flows = [each for each in events if each.get("cat") != "fwdbwd"]
                self.assertLess(len(without_flows), len(events))
                variants = {"one thread": events, "without flows": without_flows}
                if not reentrant:  # a second thread would have recorded other numbers of threads
                    variants |= {"two threads": on_another_thread(events), "two threads without flows": on_another_thread(without_flows)}
                for name, variant in variants.items():
                    with self.subTest(recompute=recompute, reentrant=reentrant, trace=name):
                        self.assertEqual(self.passes(variant, path), expected)
        for key in counts["no", False]:  # recomputation is of the backward pass
            more = counts["each", False][key] > counts["no", False][key]
            self.assertEqual(more, key[1] == "backward", key)


if __name__ == "__main__":
    unittest.main()
