# SPDX-License-Identifier: BSL-1.0
"""The Python module, installed: `python module_test.py PROGRAM`. Plans are those of the program, as it was installed with it."""

import csv
import inspect
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import numpy
import stagecut

root = pathlib.Path(__file__).resolve().parents[2]
program = sys.argv.pop(1)


def drawn(random_state, layers):
    forward = [random_state.randint(1, 30) for _ in range(layers)]
    return stagecut.chain(forward, [2 * each for each in forward], output=[random_state.randint(1, 9) for _ in forward])


def with_variants(random_state, layers):
    """Layers that can be recomputed, and shared by two devices."""
    profile = drawn(random_state, layers)
    for layer in profile["layers"]:
        time, sent = layer["forward"], layer["output"]
        layer.update(parameters=1e8 * time, activations=4e9)
        layer["recomputations"] = [{"name": "full", "forward": time, "backward": 3 * time, "parameters": 1e8 * time, "activations": 1e9,
                                    "output": sent}]
        layer["shardings"] = [{"name": "halves", "tensor_parallel": 2, "forward": 0.6 * time, "backward": 1.2 * time, "parameters": 5e7 * time,
                               "activations": 2e9, "output": sent}]
    return profile


class Module(unittest.TestCase):
    def refused(self, keyword, profile, devices, **given):
        """The error of a plan, which names that keyword."""
        with self.assertRaises(stagecut.ArgumentError) as raised:
            stagecut.plan(profile, devices, **given)
        self.assertEqual(raised.exception.argument.partition("[")[0], keyword)
        self.assertIn(keyword, str(raised.exception))
        return str(raised.exception)

    def check_as_program(self, profile, cases, devices=4, microbatches=8):
        """Plans are those of the program, but for what only the program says."""
        numbers = ["--devices", devices] + ([] if microbatches is None else ["--microbatches", microbatches])
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(profile, file)
            file.flush()
            for given, words in cases:
                with self.subTest(words=words):
                    said = json.loads(self.run_program("plan", file.name, *numbers, *words, "--format", "json"))
                    said.pop("not_searched", None)
                    self.assertEqual(stagecut.plan(profile, devices, microbatches=microbatches, **given), said)

    def run_program(self, *words):
        return subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=True).stdout

    def test_plans_are_those_of_the_program(self):
        dice = random.Random(1)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "profile.json")
            for _ in range(12):
                profile = drawn(dice, dice.randint(4, 12))
                file.write_text(json.dumps(profile))
                devices, microbatches = dice.randint(2, 4), dice.randint(2, 9)
                said = self.run_program("plan", file, "--devices", devices, "--microbatches", microbatches, "--format", "json")
                self.assertEqual(stagecut.plan(profile, devices=devices, microbatches=microbatches), json.loads(said))

    def test_a_cut_of_ones_own_is_told_and_begun_with(self):
        profile = drawn(random.Random(7), 9)
        best = stagecut.plan(profile, 3, microbatches=6)
        own = stagecut.plan(profile, 3, microbatches=6, start=[0, 1, 2, 9], search=False)
        self.assertEqual(own["cuts"], [0, 1, 2, 9])
        self.assertEqual(own["objective"]["state"], "unknown")
        self.assertEqual(stagecut.simulate(own)["makespan"], own["makespan"])
        self.assertGreater(own["makespan"], best["makespan"])
        again = stagecut.plan(profile, 3, microbatches=6, start=numpy.array(best["cuts"]), node_limit=1)
        self.assertEqual(again["objective"]["value"], best["objective"]["value"])
        with self.assertWarnsRegex(UserWarning, "breaks a rule: layer 0 .* stay together"):
            stagecut.plan(profile, 3, start=[0, 1, 2, 9], search=False, forbid_cut=[0])
        for start in ([0, 1, 9], [0, 2, 1, 9], [1, 2, 3, 9], [0, 1, 2, 8]):
            with self.assertRaisesRegex(stagecut.ArgumentError, "start"):
                stagecut.plan(profile, 3, microbatches=6, start=start)
        with self.assertRaisesRegex(stagecut.ArgumentError, "needs a cut"):
            stagecut.plan(profile, 3, search=False)

    def test_a_simulation_is_that_of_the_program(self):
        plan = stagecut.plan(drawn(random.Random(2), 9), 3, microbatches=6)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(plan, file)
            file.flush()
            told = json.loads(self.run_program("simulate", file.name, "--format", "json"))
            explained = json.loads(self.run_program("explain", file.name, "--format", "json"))
            line = self.run_program("show", file.name, "--format", "deepspeed")
        run = stagecut.simulate(plan)
        self.assertEqual(run["makespan"], told["makespan"])
        self.assertEqual(run["busy"].tolist(), told["busy"])
        passes = run["passes"]
        self.assertIsInstance(passes["start"], numpy.ndarray)
        self.assertEqual(len(passes["start"]), 3 * 6 * 2)
        self.assertEqual((passes["kind"] == "F").sum(), 18)
        self.assertEqual(float(passes["end"].max()), run["makespan"])
        length = passes["end"] - passes["start"]
        for rank in range(3):
            self.assertAlmostEqual(length[passes["rank"] == rank].sum(), run["busy"][rank])
        self.assertEqual(stagecut.explain(plan), explained)
        self.assertEqual(stagecut.format(plan, "deepspeed") + "\n", line)
        gpipe = stagecut.simulate(plan, schedule="gpipe", microbatches=2)
        self.assertEqual(len(gpipe["passes"]["start"]), 12)

    def test_words_are_those_of_the_program(self):
        dice = random.Random(5)
        profile = stagecut.chain([dice.randint(1, 30) for _ in range(10)], output=[1e9] * 10, parameters=[1e9] * 10, activations=[1e6] * 10)
        cases = [({"method": "uniform"}, ["--method", "uniform"]), ({"schedule": "auto"}, ["--schedule", "auto"]),
                 ({"schedule": "auto", "stages_per_rank": 2}, ["--schedule", "auto", "--stages-per-rank", 2]),
                 ({"schedule": "interleaved", "stages_per_rank": 2}, ["--schedule", "interleaved", "--stages-per-rank", 2]),
                 ({"memory": "60GiB", "optimizer": "adam"}, ["--memory", "60GiB", "--optimizer", "adam"]),
                 ({"memory": ["64GB", 64e9]}, ["--memory", "64GB,64GB"]), ({"in_flight": "auto"}, ["--in-flight", "auto"]),
                 ({"bandwidth": "25GB", "latency": 5e-6}, ["--bandwidth", "25GB", "--latency", "5e-6"]),
                 ({"forbid_cut": [4, "layer2"], "objective": "throughput"}, ["--forbid-cut", "4,layer2", "--objective", "throughput"]),
                 ({"transfers": "stream"}, ["--transfers", "stream"]),
                 ({"objective": "bottleneck", "bandwidth": "9GB", "transfers": "stream"},
                  ["--objective", "bottleneck", "--bandwidth", "9GB", "--transfers", "stream"])]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(profile, file)
            file.flush()
            for given, words in cases:
                with self.subTest(words=words):
                    said = self.run_program("plan", file.name, "--devices", 2, "--microbatches", 4, *words, "--format", "json")
                    self.assertEqual(stagecut.plan(profile, 2, microbatches=4, **given), json.loads(said))
        with self.assertRaises(stagecut.ArgumentError) as raised:
            stagecut.plan(profile, 2, memory="fourteen")
        self.assertEqual(raised.exception.argument, "memory")

    def test_recomputation_is_that_of_the_program(self):
        profile = with_variants(random.Random(11), 10)
        self.check_as_program(profile, [
            ({"recompute": "auto", "memory": "36GB"}, ["--recompute", "auto", "--memory", "36GB"]),
            ({"recompute": ["none", "full"], "memory": "40GB", "stages_per_rank": [1, 2]},
             ["--recompute", "none,full", "--memory", "40GB", "--stages-per-rank", "1..2"]),
            ({"recompute": ["full"]}, ["--recompute", "full"]),
            ({"recompute": ["full"], "schedule": "1f1b"}, ["--recompute", "full", "--schedule", "1f1b"]),
            ({"recompute": "auto", "empty_stages": True, "memory": "60GB"}, ["--recompute", "auto", "--empty-stages", "--memory", "60GB"]),
            ({"slices": 2}, ["--slices", 2])])
        plan = stagecut.plan(profile, 4, microbatches=8, memory="36GB", recompute="auto")
        self.assertIn({"recomputation": "full"}, plan["choices"])
        self.assertTrue(all(each["result"] != "does not hold" for each in stagecut.verify(plan, profile)))
        with self.assertRaises(stagecut.NoAnswer):
            stagecut.plan(profile, 4, microbatches=8, memory="4GB", recompute="auto")

    def test_stages_on_several_devices_are_those_of_the_program(self):
        profile = with_variants(random.Random(12), 8)
        self.check_as_program(profile, [
            ({"replicas": [1, 2]}, ["--replicate", "1,2"]), ({"replicas": 2, "at_most": True}, ["--replicate", 2, "--at-most"]),
            ({"replicas": numpy.array([1, 2, 4]), "tensor_parallel": "auto", "bandwidth": "25GB", "latency": 5e-6},
             ["--replicate", "1,2,4", "--tensor-parallel", "auto", "--bandwidth", "25GB", "--latency", "5e-6"]),
            ({"tensor_parallel": [1, 2], "recompute": "auto", "memory": "60GB", "topology": [(2, "300GB"), (2, "25GB", 5e-6)]},
             ["--tensor-parallel", "1,2", "--recompute", "auto", "--memory", "60GB", "--topology", "2x2:300GB,25GB@5e-6"]),
            ({"objective": "pipeline-latency", "replicas": [1, 2]}, ["--objective", "pipeline-latency", "--replicate", "1,2"])])
        plan = stagecut.plan(profile, 4, microbatches=8, replicas=2)
        self.assertEqual({stage["replicas"] for stage in plan["stages"]}, {2})

    def test_other_fields_are_those_of_the_program(self):
        profile = drawn(random.Random(13), 9)
        self.check_as_program(profile, [
            ({"keep_together": [(0, 2), ("layer5", "layer6")]}, ["--keep-together", "0..2,layer5..layer6"]),
            ({"topology": [(2, 3e9), (2, "1GB", 0.5)]}, ["--topology", "2x2:3GB,1GB@0.5"]),
            ({"time_weight": 0.5, "objective": "bottleneck"}, ["--time-weight", 0.5, "--objective", "bottleneck"]),
            ({"memory": "1GB", "memory_buffer": 0.1, "boundary_buffers": 1},
             ["--memory", "1GB", "--memory-buffer", 0.1, "--boundary-buffers", 1]),
            ({"method": "linear"}, ["--method", "linear"]), ({"method": "auto"}, ["--method", "auto"]),
            ({"schedule": "synthesize", "node_limit": 1000}, ["--schedule", "synthesize", "--node-limit", 1000])])
        self.check_as_program(profile, [({"inference": True}, ["--inference"]),
                                        ({"inference": True, "objective": "time-per-token"}, ["--inference", "--objective", "time-per-token"])],
                              microbatches=None)
        weighted = stagecut.plan(profile, 3, weights=[1] * 6 + [4, 4, 4])
        self.assertEqual(weighted["objective"]["value"], 8)
        several = stagecut.plan(profile, 2, microbatches=4, stages_per_rank=[1, 2])
        single = [stagecut.plan(profile, 2, microbatches=4, stages_per_rank=each)["makespan"] for each in (1, 2)]
        self.assertEqual(several["makespan"], min(single))

    def test_graphs_and_module_trees_are_those_of_the_program(self):
        graph = stagecut.read_profile(root / "examples/models/unet.dot")
        self.check_as_program(graph, [({}, []), ({"method": "merge"}, ["--method", "merge"]), ({"at_most": True}, ["--at-most"]),
                                      ({"cpus": 1}, ["--cpus", 1]), ({"schedule": "gpipe"}, ["--schedule", "gpipe"])], devices=3)
        self.check_as_program(graph, [({"method": "communication", "imbalance": 1.0}, ["--method", "communication", "--imbalance", "100%"])],
                              devices=2, microbatches=None)
        with_cpus = {**graph, "machine": {"cpus": 1}}
        self.check_as_program(with_cpus, [({}, []), ({"cpus": 0}, ["--cpus", 0]), ({"schedule": "eager-1f1b"}, ["--schedule", "eager-1f1b"]),
                                          ({"objective": "makespan"}, ["--objective", "makespan"])], devices=2)
        self.assertTrue(any(stage.get("cpu") for stage in stagecut.plan(with_cpus, 2, microbatches=8)["stages"]))
        tree = stagecut.read_profile(root / "examples/models/trees/modules.json")
        self.check_as_program(tree, [({"method": "modules"}, ["--method", "modules"]),
                                     ({"method": "modules", "time_weight": 0.6}, ["--method", "modules", "--time-weight", 0.6]),
                                     ({}, [])], devices=2, microbatches=None)
        self.assertIn("module tree", self.refused("microbatches", tree, 2, method="modules", microbatches=4))

    def test_what_a_plan_does_not_use_is_refused_by_its_name(self):
        profile = with_variants(random.Random(14), 8)
        recomputed, shared = {"microbatches": 8, "recompute": "auto"}, {"microbatches": 8, "replicas": 2}
        for keyword, given in (("speeds", {**recomputed, "speeds": [1, 1, 1, 1]}), ("schedule", {**recomputed, "schedule": "auto"}),
                               ("checkpoint", {**recomputed, "checkpoint": "always"}), ("keep_together", {**recomputed, "keep_together": [(0, 1)]}),
                               ("method", {**recomputed, "method": "uniform"}), ("weights", {**recomputed, "weights": [1] * 8}),
                               ("start", {**recomputed, "start": [0, 2, 4, 6, 8]}), ("recompute", {**recomputed, "recompute": ["ful"]}),
                               ("recompute", {**recomputed, "recompute": "full"}), ("inference", {**recomputed, "inference": True}),
                               ("schedule", {**shared, "schedule": "auto"}), ("schedule", {**shared, "schedule": "gpipe"}),
                               ("stages_per_rank", {**shared, "stages_per_rank": 2}), ("stages_per_rank", {**shared, "stages_per_rank": [1, 2]}),
                               ("transfers", {**shared, "transfers": "stream"}), ("group", {**shared, "group": 2}),
                               ("replicas", {**shared, "replicas": [1, 5]}), ("microbatches", {"replicas": 2}),
                               ("tensor_parallel", {"microbatches": 8, "tensor_parallel": 3}),
                               ("tensor_parallel", {"microbatches": 8, "tensor_parallel": "most"}),
                               ("slices", {"microbatches": 8, "slices": 2, "stages_per_rank": 2}), ("empty_stages", {"empty_stages": True}),
                               ("device_size", {"device_size": 2}), ("imbalance", {"imbalance": 0.3}), ("cpus", {"cpus": 1}),
                               ("at_most", {"at_most": True}), ("memory_buffer", {"memory_buffer": 0.1}),
                               ("time_weight", {"time_weight": 0.3, "method": "uniform"}), ("weights", {"weights": [1] * 7}),
                               ("bandwidth", {"topology": [(4, "1GB")], "bandwidth": "1GB"}), ("topology", {"topology": [(4,)]}),
                               ("keep_together", {"keep_together": [(3, 1)]}), ("keep_together", {"keep_together": [("none", 1)]}),
                               ("forbid_cut", {"forbid_cut": [9]}), ("search", {"microbatches": 8, "schedule": "auto", "search": False, "start": [0, 2, 4, 6, 8]})):
            with self.subTest(keyword=keyword, given=given):
                self.refused(keyword, profile, 4, **given)
        self.assertEqual(self.refused("speeds", profile, 4, **recomputed, speeds=[1, 1, 1, 2]),
                         "stagecut.plan: speeds = [1.0,1.0,1.0,2.0], must be left out where recomputation is planned: devices are alike")
        plain = drawn(random.Random(15), 8)
        self.assertIn("no layer defines", self.refused("recompute", plain, 4, **recomputed))
        self.assertIn("no layer defines", self.refused("tensor_parallel", plain, 4, microbatches=8, tensor_parallel="auto"))
        for keyword, value in (("empty_stages", 1), ("recompute", 3), ("recompute", [1]), ("replicas", [1.5]), ("topology", 4), ("inference", "yes"),
                               ("keep_together", [3]), ("time_weight", "0.5")):
            with self.subTest(keyword=keyword, value=value), self.assertRaisesRegex(TypeError, keyword):
                stagecut.plan(profile, 4, **{keyword: value})
        computed = {**plain, "computed": {"microbatch": 1}}
        self.assertIn("cannot share the samples", self.refused("replicas", computed, 4, microbatches=8, replicas=2))

    def test_combinations_are_those_of_the_program(self):
        rows = stagecut.combinations()
        self.assertEqual({each["proof"] for each in rows}, {"exact", "bound", "no"})
        self.assertTrue(all(each["why"] for each in rows if each["proof"] == "no"))
        table = subprocess.run([program, "plan", "--combinations"], capture_output=True, text=True, check=True).stdout
        lines = [line.split() for line in table.splitlines() if "unlike speeds (--device-speeds) " in line]
        self.assertEqual(lines[0][3:], [each["proof"] for each in rows if each["part"] == "unlike speeds"])
        for each in rows:
            if each["why"]:
                self.assertIn(each["why"], table)

    def test_a_verification_is_that_of_the_program(self):
        profile = drawn(random.Random(16), 8)
        plan = stagecut.plan(profile, 4, microbatches=8)
        wrong = json.loads(json.dumps(plan))
        wrong["stages"][1]["forward"] += 1
        for made, model, holds in ((plan, None, True), (plan, profile, True), (wrong, None, False), (plan, drawn(random.Random(17), 8), False)):
            with tempfile.TemporaryDirectory() as folder:
                files = [pathlib.Path(folder, "plan.json")] + ([] if model is None else [pathlib.Path(folder, "profile.json")])
                for file, document in zip(files, (made, model)):
                    file.write_text(json.dumps(document))
                said = subprocess.run([program, "verify", *files[::-1], "--format", "json"], capture_output=True, text=True)
            checks = stagecut.verify(made, model)
            self.assertEqual(checks, json.loads(said.stdout)["checks"])
            self.assertEqual(all(each["result"] != "does not hold" for each in checks), holds)
        with self.assertRaises(TypeError):
            stagecut.verify("plan.json")
        with self.assertRaises(stagecut.InvalidInput):
            stagecut.verify({})

    def test_a_sweep_is_that_of_the_program(self):
        profile = with_variants(random.Random(18), 8)
        with tempfile.TemporaryDirectory() as folder:
            file, table = pathlib.Path(folder, "profile.json"), pathlib.Path(folder, "sweep.csv")
            file.write_text(json.dumps(profile))
            for given, words in (({}, []), ({"recompute": ["never", "always"], "stages_per_rank": 1, "node_limit": 50, "all": True},
                                            ["--recompute", "never,always", "--stages-per-rank", 1, "--node-limit", 50, "--all"]),
                                 ({"schedules": ["1f1b", "interleaved"], "memory": "40GB", "keep_together": [(0, 1)], "threads": 1},
                                  ["--schedules", "1f1b,interleaved", "--memory", "40GB", "--keep-together", "0..1"])):
                self.run_program("sweep", file, "--devices", "2,4", "--microbatches", "4,8", *words, "--csv", table)
                with open(table, newline="") as lines:
                    said = list(csv.DictReader(lines))
                rows = stagecut.sweep(profile, devices=[2, 4], microbatches=numpy.array([4, 8]), **given)
                self.assertEqual(len(rows), len(said))
                self.assertTrue(any(row["front"] for row in rows))
                for row, line in zip(rows, said):
                    self.assertEqual(list(row), list(line))
                    for name, value in row.items():
                        text = line[name]
                        self.assertEqual(value, text if isinstance(value, str) else float(text) if text else None)
        best = min((row for row in rows if row["makespan"]), key=lambda row: row["per_microbatch"])
        plan = stagecut.plan(profile, best["devices"], microbatches=best["microbatches"], schedule=best["schedule"], keep_together=[(0, 1)],
                             stages_per_rank=best["stages_per_rank"], checkpoint=best["checkpoint"], memory="40GB")
        self.assertLessEqual(plan["makespan"], best["makespan"])

    def test_sweeps_tell_progress_and_are_stopped(self):
        profile, told = self.hard(), []
        rows = stagecut.sweep(profile, devices=[2, 4], microbatches=8, schedules=["1f1b"], stages_per_rank=1, node_limit=10, progress=told.append)
        self.assertEqual(told[-1]["done"], len(rows))
        self.assertEqual(told[-1]["rows"], 2)
        began = time.monotonic()
        rows = stagecut.sweep(profile, devices=list(range(2, 40)), microbatches=64, node_limit=10**9, time_limit=60,
                              stop=lambda: time.monotonic() - began > 0.5)
        self.assertLess(time.monotonic() - began, 30)
        self.assertTrue(any(row["state"] == "unknown" for row in rows))

        def wrong():
            raise KeyError("mine")

        with self.assertRaises(KeyError):
            stagecut.sweep(profile, devices=list(range(2, 40)), microbatches=64, node_limit=10**9, time_limit=60, stop=wrong)
        for argument, value in (("devices", 0), ("devices", []), ("microbatches", 2**40), ("schedules", ["gippe"]), ("schedules", ["synthesize"]),
                                ("schedules", "gpipe"), ("recompute", ["except_last"]), ("stages_per_rank", 0), ("threads", 0), ("forbid_cut", ["nobody"]),
                                ("memory", "big"), ("memory_reserve", "1GB"), ("speeds", [1, 1, 1])):
            with self.subTest(argument=argument, value=value), self.assertRaises(stagecut.ArgumentError) as raised:
                stagecut.sweep(profile, **{"devices": 2, "microbatches": 4, argument: value})
            self.assertEqual(raised.exception.argument.partition("[")[0], argument)
            self.assertTrue(str(raised.exception).startswith("stagecut.sweep: "), raised.exception)

    def test_orders_are_those_of_the_program(self):
        times = [3.0, 1.0, 2.0, 2.0]
        profile = {"schema": "stagecut-profile-2", "layers": [
            {"forward": each, "backward": 2 * each, "backward_input": 1.2 * each, "backward_weight": each} for each in times]}
        plan = stagecut.plan(profile, 2, microbatches=4, schedule="zb-h1")
        with tempfile.TemporaryDirectory() as folder:
            file, order = pathlib.Path(folder, "plan.json"), pathlib.Path(folder, "order.csv")
            file.write_text(json.dumps(plan))
            for name in ("torch-csv", "torch-comms", "torch-comms-2.9"):
                for given, words in (({}, []), ({"merge_backward": True}, ["--merge-backward"]),
                                     ({"schedule": "gpipe", "microbatches": 2}, ["--schedule", "gpipe", "--microbatches", 2])):
                    said = self.run_program("simulate", file, *words, "--format", name)
                    self.assertEqual(stagecut.format(plan, name, **given), said)
            order.write_text(stagecut.format(plan, "torch-csv", schedule="1f1b"))
            said = json.loads(self.run_program("simulate", file, "--schedule-file", order, "--format", "json"))
            self.assertEqual(stagecut.simulate(plan, schedule_text=order.read_text())["makespan"], said["makespan"])
        for wrong in ({"schedule_text": "0F0\n"}, {"schedule": "nothing"}, {"schedule": "1f1b", "schedule_text": "0F0\n"}, {"schedule_text": "0F0,1F0\n1F"}):
            with self.assertRaises(ValueError):
                stagecut.simulate(plan, **wrong)
        with self.assertRaises(stagecut.ArgumentError):
            stagecut.format(plan, "deepspeed", merge_backward=True)

    def test_former_names_are_taken_with_a_warning(self):
        profile = stagecut.chain([3, 1, 2, 2, 5, 4, 1, 2])
        with self.assertWarnsRegex(DeprecationWarning, "^stagecut.plan: chunks is now stages_per_rank: it is read until 0.3$"):
            former = stagecut.plan(profile, 2, chunks=2, microbatches=4)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            plan = stagecut.plan(profile, 2, stages_per_rank=2, microbatches=4)
            text = stagecut.format(plan, "torch-csv")
            makespan = stagecut.simulate(plan, schedule_text=text)["makespan"]
        self.assertEqual(former, plan)
        with self.assertWarnsRegex(DeprecationWarning, "^stagecut.simulate: order is now schedule_text"):
            self.assertEqual(stagecut.simulate(plan, order=text)["makespan"], makespan)
        with self.assertWarnsRegex(DeprecationWarning, "^stagecut.format: order is now schedule_text"):
            self.assertEqual(stagecut.format(plan, "torch-csv", order=text), text)
        with self.assertRaisesRegex(TypeError, "chunks is the former name of stages_per_rank, which is given, too"):
            stagecut.plan(profile, 2, chunks=2, stages_per_rank=2)
        old = {**profile, "schema": "stagecut-profile-1"}
        with self.assertWarnsRegex(DeprecationWarning, "^stagecut.plan: profile is of stagecut-profile-1"):
            self.assertEqual(stagecut.plan(old, 2, stages_per_rank=2, microbatches=4), plan)

    def test_numbers_of_numpy_are_taken(self):
        times = numpy.array([1.0, 2.0, 3.0, 4.0])
        plan = stagecut.plan(stagecut.chain(times, parameters=numpy.arange(1, 5)), numpy.int64(2), microbatches=4)
        self.assertEqual(plan["devices"], 2)
        self.assertEqual(plan["cuts"][0], 0)
        for kind, value in ((numpy.uint8, 200), (numpy.int8, 100), (numpy.int32, 2**31 - 1), (numpy.float16, 60000)):
            backward = [layer["backward"] for layer in stagecut.chain(numpy.array([value, 1], kind))["layers"]]
            self.assertEqual(backward, [2 * float(kind(value)), 2])

    def test_plans_are_compared(self):
        profile = drawn(random.Random(3), 8)
        plans = [stagecut.plan(profile, 4, microbatches=8, objective=each) for each in ("makespan", "bottleneck")]
        told = stagecut.compare(plans)
        self.assertEqual(min(each["relative"] for each in told), 1)
        self.assertLessEqual(told[0]["makespan"], told[1]["makespan"])

    def test_errors_are_exceptions(self):
        profile = stagecut.chain([1, 2, 3])
        with self.assertRaises(stagecut.Infeasible) as raised:
            stagecut.plan(profile, 5)
        self.assertIn("5 stages need at least 5 layers", str(raised.exception))
        with self.assertRaises(stagecut.ArgumentError) as raised:
            stagecut.plan(profile, 0)
        self.assertEqual(raised.exception.argument, "devices")
        for argument, value in (("schedule", "gippe"), ("in_flight", "some"), ("in_flight", []), ("objective", "speed"), ("target", "me"),
                                ("devices", 0), ("devices", -1), ("devices", 10**30), ("microbatches", 0), ("microbatches", 2**63),
                                ("stages_per_rank", -1), ("node_limit", -1), ("memory", 0), ("memory", []), ("memory", float("nan")), ("memory", "big"),
                                ("memory", [1e9] * 3), ("bandwidth", 0), ("latency", -1), ("latency", float("inf")), ("time_limit", float("inf")),
                                ("optimizer", "adamm"), ("optimizer", -1), ("speeds", [1, 2, 3]), ("forbid_cut", ["nobody"]), ("forbid_cut", [])):
            with self.subTest(argument=argument, value=value), self.assertRaises(stagecut.ArgumentError) as raised:
                stagecut.plan(profile, **{"devices": 2, argument: value})
            self.assertEqual(raised.exception.argument.partition("[")[0], argument)
        for argument, value in (("devices", None), ("devices", 2.0), ("devices", True), ("devices", "2"), ("microbatches", 4.5), ("in_flight", [2.5, 1]),
                                ("in_flight", 3), ("memory", True), ("memory", {}), ("memory", [[1]]), ("speeds", 1), ("speeds", ["1"]), ("latency", "8us"),
                                ("optimizer", [8]), ("time_limit", "5"), ("forbid_cut", 2), ("forbid_cut", [1.0]), ("stop", 5), ("progress", "told")):
            with self.subTest(argument=argument, value=value), self.assertRaises(TypeError) as raised:
                stagecut.plan(profile, **{"devices": 2, argument: value})
            self.assertIn(argument, str(raised.exception))
        for wrong in ({"backward": [1]}, {"names": ["a"]}, {"names": ["a", "b", "c"]}, {"forward": []}, {"forward": [1, -2]}, {"output": [1, float("nan")]}):
            with self.subTest(chain=wrong), self.assertRaises(stagecut.ArgumentError) as raised:
                stagecut.chain(**{"forward": [1, 2], **wrong})
            self.assertEqual(raised.exception.argument.partition("[")[0], next(iter(wrong)))
        for wrong in ("123", ["1", "2"], [True], {"a": 1}, [[1, 2]], None):
            with self.subTest(chain=wrong), self.assertRaises(TypeError):
                stagecut.chain(wrong)
        with self.assertRaisesRegex(TypeError, "read_profile"):
            stagecut.plan("profile.json", 2)
        with self.assertRaises(TypeError):
            stagecut.compare(stagecut.plan(profile, 2))
        with self.assertRaises(stagecut.NotRepresentable):
            stagecut.format(stagecut.plan(profile, 2, microbatches=4), "megatron")
        with self.assertRaisesRegex(stagecut.ArgumentError, "deepspeed"):
            stagecut.format(stagecut.plan(profile, 2, microbatches=4), "json")
        for word in ({"schedule": 1}, {"microbatches": 2.5}, {"schedule_text": b"0F0"}):
            with self.assertRaises(TypeError):
                stagecut.simulate(stagecut.plan(profile, 2, microbatches=4), **word)
        with self.assertWarnsRegex(UserWarning, "makespan was not minimised"):
            stagecut.plan(profile, 2, microbatches=2**40)
        with self.assertRaises(stagecut.InvalidInput) as raised:
            stagecut.plan({"schema": "stagecut-profile-2", "layers": [{"forward": -1}]}, 1)
        self.assertIn("profile", raised.exception.place)
        with self.assertRaises(ValueError):
            stagecut.plan({}, 1)
        with self.assertRaises(TypeError):
            stagecut.plan(profile, "two")
        with self.assertRaises(TypeError):
            stagecut.plan({"layers": [object()]}, 1)
        with self.assertRaises(stagecut.InvalidInput):
            stagecut.simulate(stagecut.plan(profile, 2))  # without microbatches
        with self.assertRaisesRegex(stagecut.InvalidInput, "more than 1048576 forward passes"):
            stagecut.simulate(stagecut.plan(profile, 2, microbatches=4), microbatches=2**20)

    def test_a_file_of_any_format_is_read(self):
        profile = stagecut.read_profile(root / "examples/models/llama-2-7b.csv")
        self.assertGreater(len(profile["layers"]), 30)
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("name,forward\na,1\nb,x\n")
            file.flush()
            with self.assertRaises(stagecut.InvalidInput) as raised:
                stagecut.read_profile(file.name)
            self.assertIn(":3", raised.exception.place)

    def hard(self):
        dice = random.Random(4)
        return stagecut.chain([dice.uniform(1, 100) for _ in range(200)])

    def test_progress_is_told_and_stop_ends_the_search(self):
        told = []
        began = time.monotonic()
        plan = stagecut.plan(self.hard(), 16, stages_per_rank=4, schedule="interleaved", microbatches=64, time_limit=60, progress=told.append,
                             stop=lambda: time.monotonic() - began > 1)
        self.assertLess(time.monotonic() - began, 30)
        self.assertTrue(told)
        self.assertLessEqual(told[-1]["bound"], told[-1]["makespan"])
        self.assertEqual(plan["devices"], 16)

    def test_what_callbacks_raise_is_raised(self):
        def wrong(*_):
            raise KeyError("mine")

        with self.assertRaises(KeyError):
            stagecut.plan(self.hard(), 16, stages_per_rank=4, schedule="interleaved", microbatches=64, time_limit=60, stop=wrong)
        with self.assertRaises(KeyError):
            stagecut.plan(self.hard(), 16, stages_per_rank=4, schedule="interleaved", microbatches=64, time_limit=60, progress=wrong)

    def test_other_threads_run_meanwhile(self):
        counted = 0
        done = threading.Event()

        def search():
            stagecut.plan(self.hard(), 16, stages_per_rank=4, schedule="interleaved", microbatches=64, time_limit=1)
            done.set()

        thread = threading.Thread(target=search)
        thread.start()
        while not done.wait(0.01):
            counted += 1
        thread.join()
        self.assertGreater(counted, 10)

    def test_the_page_and_the_checks_have_all_keywords(self):
        page = (root / "docs/python.md").read_text()
        for function, known in ((stagecut.plan, stagecut._OF_PLAN), (stagecut.sweep, stagecut._OF_SWEEP)):
            names = set(inspect.signature(function).parameters) - {"profile", "search", "progress", "stop", "chunks"}
            self.assertEqual(names, set(known))
            for name in names:
                self.assertRegex(page, rf"`{name}[`=]")
                if function is stagecut.plan:
                    self.assertRegex(function.__doc__, rf"\b{name}\b")

    def test_the_types_are_those_of_the_schemas(self):
        made = subprocess.run([sys.executable, root / "examples/python/schemas.py"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(made, (root / "examples/python/stagecut/_schemas.py").read_text())


if __name__ == "__main__":
    unittest.main()
