# SPDX-License-Identifier: BSL-1.0
"""Modules profiled and split: profile_test.py, with the module stagecut and its program. Needs torch, no GPU."""

import contextlib
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

folder = pathlib.Path(__file__).resolve().parents[2] / "examples" / "pytorch"
sys.path.insert(0, str(folder))

import profile  # noqa: E402

import torch  # noqa: E402

import factory  # noqa: E402
import layers  # noqa: E402
import measure  # noqa: E402
import models  # noqa: E402
import plan_file  # noqa: E402
import split  # noqa: E402
from plan_file import Refused  # noqa: E402
from installed import planner  # noqa: E402

MODELS = ["toy_transformer", "dropout_transformer", "resnet", "unet", "in_place", "again", "towers"]
UNTRACED_BY_FX = {"toy_transformer", "dropout_transformer"}  # they unpack a tuple in a generator


def setUpModule():
    torch.set_num_threads(1)


def profiled(name, way="auto", device=None):
    module, args, loss = factory.load(f"models:{name}", device=device or "cpu")
    return module, args, profile.profile(module, args, loss=loss, repeats=1, way=way, device=device), loss or factory.mean_square


def random_plan(made, random_source):
    """A plan as the planner writes it, of the parts that split.py reads, with any stages that edges allow."""
    count = len(made["layers"])
    stages = random_source.randint(1, min(5, count))
    if "edges" not in made or random_source.random() < 0.5:
        cuts = [0, *sorted(random_source.sample(range(1, count), stages - 1)), count]
        return {"cuts": cuts, "stages": [{}] * stages, "profile": made}
    stage_of = []
    for number in range(count):  # a layer may stand on any stage from those that feed it on
        least = max((stage_of[source] for source, target in made["edges"] if target == number), default=0)
        stage_of.append(random_source.randint(least, stages - 1))
    used = sorted(set(stage_of))
    return {"assignment": [used.index(each) for each in stage_of], "stages": [{}] * len(used), "profile": made}


class Layers(unittest.TestCase):
    def test_bytes_kept_are_those_of_the_whole_module(self):
        for name in MODELS:
            for way in ("export", "fx"):
                if way == "fx" and name in UNTRACED_BY_FX:
                    continue
                with self.subTest(name=name, way=way):
                    module, args, made, loss = profiled(name, way)
                    self.assertEqual(sum(each["activations"] for each in made["layers"]), measure.bytes_kept(module, args, loss))

    def test_parameters_are_those_of_the_whole_module(self):
        for name in MODELS:
            with self.subTest(name=name):
                module, _, made, _ = profiled(name)
                tied = {each["name"]: each["bytes"] for layer in made["layers"] for each in layer.get("tied", ())}
                self.assertEqual(sum(each["parameters"] for each in made["layers"]) + sum(tied.values()),
                                 sum(each.numel() * each.element_size() for each in module.parameters()))

    def test_meta_counts_what_a_cpu_has(self):
        for name in ("resnet", "unet", "in_place", "again", "towers"):
            with self.subTest(name=name):
                here, there = profiled(name)[2], profiled(name, device="meta")[2]
                self.assertEqual(here.get("edges"), there.get("edges"))
                for a, b in zip(here["layers"], there["layers"]):
                    self.assertEqual([a[key] for key in ("name", "parameters", "activations", "output")],
                                     [b[key] for key in ("name", "parameters", "activations", "output")])
                    self.assertGreater(b["forward"], 0)

    def test_attention_on_meta_keeps_no_scores(self):
        def kept(dtype, device, mask=False, tokens=256):
            class Attention(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.of, self.out = torch.nn.Linear(32, 96, dtype=dtype), torch.nn.Linear(32, 32, dtype=dtype)

                def forward(self, x):
                    q, k, v = (each.view(2, tokens, 4, 8).transpose(1, 2) for each in self.of(x).chunk(3, -1))
                    causal = torch.ones(tokens, tokens, dtype=torch.bool, device=x.device).tril() if mask else None
                    mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v, causal, is_causal=not mask)
                    return self.out(mixed.transpose(1, 2).flatten(-2))

            with torch.device(device):
                module, args = Attention(), (torch.randn(2, tokens, 32, dtype=dtype),)
            made = profile.profile(module, args, repeats=1)["layers"]
            self.assertEqual(sum(each["activations"] for each in made), measure.bytes_kept(module, args, factory.mean_square))
            return sum(each["activations"] for each in made), made

        cpu, meta = kept(torch.float32, "cpu")[0], kept(torch.float32, "meta")[0]
        self.assertLess(abs(meta - cpu), 0.01 * cpu)
        for dtype in (torch.float32, torch.bfloat16):  # twice the tokens, twice the bytes, but for a mask
            self.assertLess(kept(dtype, "meta", tokens=512)[0], 2.01 * kept(dtype, "meta")[0])
        self.assertGreater(kept(torch.bfloat16, "meta", True)[0], kept(torch.bfloat16, "meta")[0])
        flops = 2 * 2 * 2 * 4 * 8192**2 * 8  # both products of both samples, of four heads of 8
        self.assertGreater(kept(torch.bfloat16, "meta", tokens=8192)[1][0]["forward"], flops / profile.GPUS["a100-80gb"][0])

    def test_w_on_meta_adds_to_gradients_as_b_does(self):
        module = torch.nn.Sequential(*(torch.nn.Linear(64, 64, device="meta") for _ in range(3)))
        made = profile.profile(module, (torch.empty(8, 64, device="meta"),))["layers"]
        for each in made:  # both parts read the weights again, and no more
            self.assertLess(each["backward_input"] + each["backward_weight"], 1.5 * each["backward"])
        self.assertTrue(all(each.grad is None for each in module.parameters()))

    def test_a_roofline_counts_products(self):
        module = torch.nn.Linear(512, 256, bias=False, device="meta")
        made = profile.profile(torch.nn.Sequential(module), (torch.empty(1024, 512, device="meta"),), gpu="a100-80gb")["layers"][0]
        flops, bandwidth = profile.GPUS["a100-80gb"]
        moved = 4 * (512 * 256 + 1024 * 512 + 1024 * 256)
        product = max(2 * 1024 * 512 * 256 / flops, moved / bandwidth)
        self.assertGreaterEqual(made["forward"], product)
        self.assertLess(made["forward"], 3 * product)  # the loss squares and adds

    def test_names_ties_and_edges(self):
        made = profiled("again")[2]
        names = ["inner", "shared", "others.0", "shared@2", "others.1", "shared@3", "others.2", "outer"]
        self.assertEqual([each["name"] for each in made["layers"]], names)
        self.assertNotIn("edges", made)  # the table belongs to no layer
        for number in (1, 3, 5):
            self.assertEqual(sorted(each["name"] for each in made["layers"][number]["tied"]), ["shared.bias", "shared.weight"])
            self.assertEqual(made["layers"][number]["parameters"], 0)
        skips = profiled("unet")[2]
        self.assertIn([2, 5], skips["edges"])  # cat and interpolate stand between modules, and belong to the one before
        self.assertIn([1, 6], skips["edges"])
        self.assertTrue(all(source < target for source, target in skips["edges"]))
        tied = profiled("toy_transformer")[2]["layers"]
        self.assertEqual(tied[0]["tied"][0]["bytes"], 4 * 1000 * 128)
        self.assertEqual(tied[0]["tied"][0]["name"], tied[-1]["tied"][0]["name"])

    def test_the_module_is_as_it_was(self):
        module, args, loss = factory.load("models:resnet")
        before = {name: each.clone() for name, each in module.state_dict().items()}
        profile.profile(module, args, loss=loss, repeats=1)
        for name, each in module.state_dict().items():
            self.assertTrue(torch.equal(each, before[name]), name)
        self.assertTrue(all(each.grad is None for each in module.parameters()))
        self.assertTrue(module.training)

    def test_all_times_are_there(self):
        made = profile.profile(*models.towers(), repeats=4)
        for each in made["layers"]:
            self.assertGreater(each["forward"], 0)
            self.assertGreater(each["backward"], 0)
            self.assertGreater(each["backward_weight"], 0)
            low, high = each["measured"]["forward"]
            self.assertTrue(low <= each["forward"] <= high)
        self.assertEqual(made["layers"][0]["backward_input"], 0)  # its input has no gradient
        self.assertGreater(made["layers"][1]["backward_input"], 0)

    def test_chosen_layers(self):
        module, args = models.toy_transformer(layers=3)[:2]
        made = layers.trace(module, args, ["layers.*", "head"])
        self.assertEqual([each.name for each in made.layers], ["layers.0", "layers.1", "layers.2", "head"])
        finer = layers.trace(module, args, ["layers.*", "layers.1.up", "head"])
        self.assertEqual([each.name for each in finer.layers],
                         ["layers.0", "layers.1", "layers.1.up", "layers.1@2", "layers.2", "head"])
        with self.assertRaisesRegex(Refused, "no module is called block"):
            layers.trace(module, args, ["block.*"])

    def test_a_list_of_one_and_a_big_wrapper_are_opened(self):
        inner = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Linear(8, 8))
        wrapper = torch.nn.Module()
        wrapper.inner = inner
        wrapper.forward = lambda x: inner(x)
        self.assertEqual(layers.chosen_modules(wrapper), ["inner.0", "inner.1"])

    def test_what_is_never_called_is_no_layer(self):
        class Nested(torch.nn.Module):
            def __init__(self):
                super().__init__()
                blocks = torch.nn.ModuleList(torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Tanh()) for _ in range(3))
                self.transformer = torch.nn.ModuleDict({"table": torch.nn.Embedding(10, 8), "drop": torch.nn.Dropout(0.0), "h": blocks,
                                                        "norm": torch.nn.LayerNorm(8)})
                self.head = torch.nn.Linear(8, 10)

            def forward(self, tokens):
                x = self.transformer.drop(self.transformer.table(tokens))
                for block in self.transformer.h:
                    x = block(x)
                return self.head(self.transformer.norm(x))

        names = ["transformer.table", "transformer.drop", "transformer.h.0", "transformer.h.1", "transformer.h.2", "transformer.norm", "head"]
        module, args = Nested(), (torch.randint(0, 10, (2, 4)),)
        for way in ("export", "fx"):
            made = [each.name for each in layers.trace(module, args, way=way).layers]
            self.assertEqual([each for each in made if each != "transformer.drop"], [each for each in names if each != "transformer.drop"])
        with self.assertRaisesRegex(Refused, r"transformer.h is never called itself.*--layers transformer.h.\*"):
            layers.trace(module, args, ["transformer.h"])

    def test_attention_with_parameters_of_its_own_is_a_layer(self):
        class Attention(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.attention = torch.nn.MultiheadAttention(16, 2, batch_first=True)
                self.out = torch.nn.Linear(16, 16)

            def forward(self, x):
                return self.out(x + self.attention(x, x, x)[0])

        made = layers.trace(Attention(), (torch.randn(2, 3, 16),))
        self.assertEqual([each.name for each in made.layers], ["attention", "out"])

    def test_two_inputs_with_gradients(self):
        module = torch.nn.Transformer(16, 2, 2, 2, 16, batch_first=True)
        args = (torch.randn(2, 4, 16), torch.randn(2, 3, 16))
        made = profile.profile(module, args, repeats=1)
        self.assertIn([2, 3], made["edges"])  # what the encoder returns goes to every decoder
        self.assertIn([2, 4], made["edges"])
        for each in made["layers"]:
            if each.get("whole_backward"):
                self.assertEqual((each["backward_input"], each["backward_weight"]), (each["backward"], 0))
        self.assertEqual(sum(each["activations"] for each in made["layers"]), measure.bytes_kept(module, args, factory.mean_square))

    def test_what_earlier_layers_return(self):
        class Both(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.blocks = torch.nn.ModuleList(torch.nn.Linear(4, 4) for _ in range(4))

            def forward(self, x):
                kept = []
                for block in self.blocks:
                    x = block(x)
                    kept.append(x)
                return {"last": x, "early": (kept[0], kept[1])}

        module, args = Both(), (torch.randn(2, 4),)
        made = profile.profile(module, args, repeats=1)
        self.assertEqual(made["edges"], [[0, 1], [0, 3], [1, 2], [1, 3], [2, 3]])
        plan = {"cuts": [0, 1, 3, 4], "stages": [{}] * 3, "profile": made}
        self.assertEqual(split.difference(split.stages(plan, module, args), module, args), 0)

    def test_what_a_layer_refuses_is_told_with_its_name(self):
        class Wrong(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.one, self.two = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)

            def forward(self, x):
                y = torch.tanh(self.two(self.one(x)))
                y += x
                return y

        with self.assertRaisesRegex(Refused, "layer two fails: .*modified by an inplace operation"):
            profile.profile(Wrong(), (torch.randn(2, 4),), repeats=1)

    def test_untraceable(self):
        class Untraceable(torch.nn.Module):
            def forward(self, x):
                return x * 2 if float(x.sum()) > 0 else x

        with self.assertRaisesRegex(Refused, "cannot be traced: torch.export: .*; torch.fx: "):
            layers.trace(Untraceable(), (torch.ones(3),))

    def test_what_cannot_be_traced_is_profiled_by_its_modules(self):
        class Routed(torch.nn.Module):  # which way depends on the data
            def __init__(self):
                super().__init__()
                self.one, self.two = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)

            def forward(self, x, scale=1.0):
                return scale * (self.one(x) if float(x.detach().sum()) > 0 else self.two(x))

        class Whole(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.start = torch.nn.Linear(4, 4)
                self.layers = torch.nn.ModuleList(Routed() for _ in range(3))
                self.norm = torch.nn.BatchNorm1d(4)

            def forward(self, x):
                x = self.start(x)
                for layer in self.layers:
                    x = layer(x, scale=2.0)
                return self.norm(x)

        module, args, said = Whole(), (torch.randn(8, 4),), []
        made = profile.profile(module, args, repeats=1, warn=said.append)
        self.assertEqual([each["name"] for each in made["layers"]], ["start", "layers.0", "layers.1", "layers.2", "norm"])
        self.assertNotIn("edges", made)
        self.assertEqual(made["profiled"]["traced_by"], "modules")
        self.assertRegex(said[0], "cannot be traced, so its layers are its modules .*: torch.export: .*; torch.fx: ")
        self.assertEqual([each.split(":")[0] for each in made["profiled"]["not_traced"]], ["torch.export", "torch.fx"])
        self.assertEqual(int(module.norm.num_batches_tracked), 0)
        self.assertFalse(any(each._forward_hooks or each._forward_pre_hooks for each in module.modules()))
        with self.assertWarnsRegex(UserWarning, "cannot be traced"):
            profile.profile(module, args, repeats=1)
        plan = {"cuts": [0, 2, 5], "stages": [{}] * 2, "profile": made}
        self.assertEqual(split.difference(split.stages(plan, module, args), module, args), 0)

    def test_modules_hand_on_tuples_and_skip(self):
        class Pair(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = torch.nn.Linear(4, 4)

            def forward(self, x, also=None):
                return (self.inner(x), {"mask": x * 2}) if bool(x.detach().sum() > -1e9) and also is None else x + also

        class Whole(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.b, self.c = Pair(), torch.nn.Linear(4, 4), Pair()

            def forward(self, x):
                x, rest = self.a(x)
                return self.c(self.b(x), also=rest["mask"])

        module, args = Whole(), (torch.randn(8, 4),)
        made = profile.profile(module, args, repeats=1, warn=lambda text: None)
        self.assertEqual((made["profiled"]["traced_by"], made["edges"]), ("modules", [[0, 1], [0, 2], [1, 2]]))
        self.assertEqual(split.difference(split.stages({"cuts": [0, 1, 3], "stages": [{}] * 2, "profile": made}, module, args), module, args), 0)

    def test_what_is_computed_between_modules_is_told(self):
        class Whole(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.b = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)

            def forward(self, x):
                x = self.a(x)
                return self.b(x * 2 if float(x.detach().sum()) > 0 else x + 1)

        with self.assertRaisesRegex(Refused, "torch.fx: .*; modules: b takes what is computed outside of the modules"):
            layers.trace(Whole(), (torch.randn(3, 4),))

    def test_gradients_that_export_leaves_out_are_taken_by_fx(self):
        class Checkpointed(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = torch.nn.ModuleList(torch.nn.Linear(4, 4) for _ in range(3))

            def forward(self, x):
                x = self.layers[0](x)
                for layer in self.layers[1:]:
                    x = x + torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=True)
                return x

        module, args = Checkpointed(), (torch.randn(2, 4),)
        made = profile.profile(module, args, repeats=1)
        self.assertEqual((made["profiled"]["traced_by"], len(made["layers"])), ("fx", 3))
        self.assertTrue(all(each.grad is None for each in module.parameters()))
        with self.assertRaisesRegex(Refused, "leaves out the gradient of layers"):
            profile.profile(module, args, repeats=1, way="export")

    def test_what_the_user_gets_wrong_is_told_with_its_line(self):
        module, args = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)), (torch.randn(2, 4),)
        for loss, said in ((lambda output: output.sum(), "the loss fails: .*profile_test.py|the loss fails: .*2 were given"),
                           (lambda output, target: output, r"one number, not of shape \(2, 4\)"), (lambda output, target: 1.0, "not float")):
            with self.assertRaisesRegex(Refused, said):
                profile.profile(module, args, loss=loss, repeats=1)
        with self.assertRaisesRegex(Refused, "fails with these arguments: .*mat1 and mat2"):
            profile.profile(module, (torch.randn(2, 5),), repeats=1)

    def test_what_export_prints_is_not_shown(self):
        class Branch(torch.nn.Module):
            def forward(self, x):
                return x * 2 if x.sum() > 0 else x

        out = io.StringIO()
        with contextlib.redirect_stderr(out), contextlib.redirect_stdout(out), self.assertRaises(Refused):
            layers.trace(Branch(), (torch.ones(3),))
        self.assertEqual(out.getvalue(), "")

    def test_the_standard_library_keeps_its_profile(self):
        for first in ("import profile, cProfile", "import cProfile", "import split, cProfile"):
            done = subprocess.run([sys.executable, "-c", f"{first}; cProfile.run('1 + 1'); from profile import profile; profile.__code__"],
                                  cwd=folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, first + done.stderr)


class Split(unittest.TestCase):
    def test_any_stages_compute_what_the_module_does(self):
        source = random.Random(7)
        for name in MODELS:
            module, args, made, _ = profiled(name)
            for _ in range(12):
                plan = random_plan(made, source)
                with self.subTest(name=name, plan=plan.get("cuts") or plan["assignment"]):
                    parts = split.stages(plan, module, args, "graph")
                    self.assertEqual(split.difference(parts, module, args), 0)
                    self.assertEqual({id(each) for part in parts for each in part.parameters()}, {id(each) for each in module.parameters()})
                    names = {name for part in parts for name, _ in part.named_parameters()}
                    self.assertLessEqual(names, {name for name, _ in module.named_parameters(remove_duplicate=False)})

    def test_dropout_of_stages_that_are_no_intervals(self):
        class Sum(torch.nn.Module):
            def forward(self, a, b):
                return a + b

        class Branches(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.left, self.right = (torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(0.5)) for _ in range(2))
                self.last = Sum()

            def forward(self, x):
                return self.last(self.left(x), self.right(x))

        module, args = Branches(), (torch.randn(4, 8),)
        made = profile.profile(module, args, repeats=1, layers=["left", "right", "last"])
        for assignment, same in (([0, 1, 2], True), ([1, 0, 2], False)):
            plan = {"assignment": assignment, "stages": [{}] * 3, "profile": made}
            self.assertEqual(split.keeps_order(plan), same)
            parts = split.stages(plan, module, args, "graph")
            self.assertEqual(split.difference(parts, module, args) == 0, same)
            self.assertEqual(split.difference(parts, module, args, dropout=False), 0)

    def test_the_other_ways(self):
        for name, hows in (("toy_transformer", ("modules", "pipeline")), ("resnet", ("pipeline",)), ("in_place", ("auto", "modules", "pipeline"))):
            module, args, made, _ = profiled(name)
            plan = {"cuts": [0, 3, 5, len(made["layers"])], "stages": [{}] * 3, "profile": made}
            for how in hows:
                with self.subTest(name=name, how=how):
                    self.assertEqual(split.difference(split.stages(plan, module, args, how), module, args), 0)

    def test_wrong_stages_are_seen(self):
        module, args, made, _ = profiled("again")
        plan = {"cuts": [0, 3, len(made["layers"])], "stages": [{}] * 2, "profile": made}
        self.assertGreater(split.difference(split.stages(plan, module, args, "modules"), module, args), 0)
        module, args, made, _ = profiled("unet")
        plan = {"cuts": [0, 3, len(made["layers"])], "stages": [{}] * 2, "profile": made}
        with self.assertRaisesRegex(Refused, "graph cuts any module"):
            split.difference(split.stages(plan, module, args, "modules"), module, args)
        with self.assertRaisesRegex(Refused, "the plan is of another model"):
            split.stages(plan, *models.unet(depth=2), "graph")
        module, args, made, _ = profiled("towers")
        plan = {"cuts": [0, len(made["layers"])], "stages": [{}], "profile": {**made, "layers": [dict(each) for each in made["layers"]]}}
        plan["profile"]["layers"][0]["parameters"] += 4
        with self.assertRaisesRegex(Refused, "bytes of parameters"):
            split.stages(plan, module, args, "graph")

    def test_writes_through_views_of_other_layers_are_refused(self):
        class View(torch.nn.Module):
            def forward(self, x):
                return x.view(-1, 4)

        class Write(torch.nn.Module):
            def forward(self, x):
                return x.add_(1)

        class Aliased(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.v, self.w, self.e = torch.nn.Linear(4, 4), View(), Write(), torch.nn.Linear(4, 4)

            def forward(self, x):
                h = self.a(x)
                return self.e(self.w(self.v(h)) + h)

        with self.assertRaisesRegex(Refused, "changes in place a part of what .* takes"):
            layers.trace(Aliased(), (torch.randn(2, 4),), ["a", "v", "w", "e"])

    def test_functions_in_place_are_seen_by_fx(self):
        class Rectified(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.b = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)

            def forward(self, x):
                return self.b(torch.relu_(self.a(x)))

        made = layers.trace(Rectified(), (torch.randn(2, 4),), way="fx")
        self.assertEqual(sum(len(layers.written(node)) for layer in made.layers for node in layer.nodes), 1)

    def test_what_fx_makes_something_else_of_is_refused(self):
        class Added(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.b = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)

            def forward(self, x):
                y = self.a(x)
                z = y
                z += 1
                return self.b(z) + y

        args = (torch.randn(2, 4),)
        with self.assertRaisesRegex(Refused, "another module of this one"):
            profile.profile(Added(), args, repeats=1, way="fx")
        self.assertEqual(len(profile.profile(Added(), args, repeats=1)["layers"]), 2)

    def test_sizes_that_depend_on_the_data_are_refused(self):
        class Routed(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.gate, self.expert = torch.nn.Linear(4, 2), torch.nn.Linear(4, 4)

            def forward(self, x):
                taken = (self.gate(x).argmax(-1) == 0).nonzero().squeeze(-1)
                return torch.zeros_like(x).index_add(0, taken, self.expert(x[taken]))

        module, args = Routed(), (torch.randn(8, 4),)
        plan = {"cuts": [0, 1, 2], "stages": [{}] * 2, "profile": {"layers": [{"name": "gate"}, {"name": "expert"}]}}
        with self.assertRaisesRegex(Refused, "whose size depends on the data"):
            split.stages(plan, module, args)

    def test_from_the_planner(self):
        for name in ("toy_transformer", "unet", "towers"):
            module, args, made, _ = profiled(name)
            plan = json.loads(planner("plan", "-", "--devices", 3, "--microbatches", 6, "--format", "json", stdin=json.dumps(made)))
            self.assertEqual(split.difference(split.stages(plan, module, args), module, args), 0)


class Words(unittest.TestCase):
    def test_arguments(self):
        self.assertEqual(factory.parse_tensor("2x3").shape, (2, 3))
        words = factory.parse_tensor("4x5:int64:7")
        self.assertTrue(words.dtype is torch.int64 and 0 <= int(words.min()) and int(words.max()) < 7)
        self.assertIs(factory.parse_tensor("4:bfloat16").dtype, torch.bfloat16)
        for word in ("", "x3", "2x3:int65", "2,3", "2x3:float32:4:5", "0x3", "2x3:int64:0"):
            with self.assertRaises(Refused):
                factory.parse_tensor(word)
        self.assertEqual(factory.parse_settings(["a=1", "b=[2, 3]", "c=word"]), {"a": 1, "b": [2, 3], "c": "word"})

    def test_arguments_of_a_factory_are_tensors(self):
        with tempfile.TemporaryDirectory() as where:
            file = pathlib.Path(where) / "given.py"
            file.write_text("import torch\ndef make(of): return torch.nn.Linear(2, 2), eval(of)\n")
            for of, said in (("{}", "a dict"), ("torch.ones(2)", "a Tensor"), ("(torch.ones(2), None)", "a tuple with a NoneType"),
                             ("[1.0]", "a tuple with a float")):
                with self.assertRaisesRegex(Refused, f"returns as arguments {said}"):
                    factory.load(f"{file}:make", {"of": of})
            self.assertEqual(len(factory.load(f"{file}:make", {"of": "[torch.ones(2)]"})[1]), 1)

    def test_plans(self):
        with tempfile.TemporaryDirectory() as where:
            file = pathlib.Path(where) / "plan.json"
            for text, said in (("[", "is not JSON"), ("[]", "is no plan"), ('{"schema": "stagecut-plan-3"}', "has no stages"),
                               ('{"schema": "stagecut-plan-3", "stages": [], "devices": 1}', "has no profile")):
                file.write_text(text)
                with self.assertRaisesRegex(Refused, said):
                    plan_file.read_plan(file)

    def test_a_chain_of_stages_hands_through(self):
        edges = [{"from": 0, "to": 1, "bytes": 5}, {"from": 0, "to": 2, "bytes": 7}, {"from": 1, "to": 2, "bytes": 1}]
        self.assertEqual(plan_file.with_chain_edges({"stages": [{}] * 3, "edges": edges})["edges"],
                         [{"from": 0, "to": 1, "bytes": 12}, {"from": 1, "to": 2, "bytes": 8}])

    def test_commands(self):
        with tempfile.TemporaryDirectory() as where:
            made, plan = pathlib.Path(where) / "model.json", pathlib.Path(where) / "plan.json"

            def run(program, *words, status=0):
                done = subprocess.run([sys.executable, str(folder / program), *map(str, words)], cwd=where, capture_output=True, text=True)
                self.assertEqual(done.returncode, status, done.stderr)
                return done

            small = ("--set", "layers=2", "tokens=8")
            run("profile.py", "models:toy_transformer", *small, "--repeats", 1, "--busy", 2, "-o", made)
            self.assertEqual(json.loads(made.read_text())["profiled"]["busy"], 2)
            planner("plan", made, "--devices", 2, "--microbatches", 4, "--format", "json", "--output", plan)
            self.assertIn("not split: 0\n", run("split.py", plan, "--model", "models:toy_transformer", *small).stdout)
            (pathlib.Path(where) / "mine.py").write_text("import torch\ndef make(n=4): return torch.nn.Linear(n, n)\n")
            self.assertIn('"all"', run("profile.py", "mine.py:make", "--set", "n=8", "--args", "2x8").stdout)
            for words in (("mine.py:make",), ("mine.py:other",), ("nowhere:make",), ("models:unet", "--set", "colour=1"),
                          ("models:unet", "--device", "tpu"), ("models:unet", "-o", "nowhere/model.json"),
                          *([("models:unet", "--device", "cuda", "--busy", "2")] if not torch.cuda.is_available() else [])):
                done = run("profile.py", *words, status=1)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn("at least 1", run("profile.py", "models:unet", "--repeats", "0", status=2).stderr)
            self.assertIn("is one layer", run("profile.py", "mine.py:make", "--args", "2x4", "--repeats", 1).stderr)

    def test_hugging_face(self):
        try:
            import transformers  # noqa: F401
        except ImportError:
            self.skipTest("there is no package transformers")
        shape = {"hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 500}
        kinds = {"llama": ({"architectures": ["LlamaForCausalLM"], "num_key_value_heads": 2, **shape}, "model.model.layers.2"),
                 "bert": ({"architectures": ["BertForMaskedLM"], **shape}, "model.bert.encoder.layer.2"),
                 "gpt2": ({"architectures": ["GPT2LMHeadModel"], "n_embd": 64, "n_layer": 3, "n_head": 4, "vocab_size": 500},
                          "model.transformer.h.2"),
                 "t5": ({"architectures": ["T5ForConditionalGeneration"], "d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 2, "num_heads": 4,
                         "vocab_size": 500, "is_encoder_decoder": True}, "model.decoder.block.1"),
                 "vit": ({"architectures": ["ViTForImageClassification"], "image_size": 32, "patch_size": 8, **shape}, "layers.2")}
        with tempfile.TemporaryDirectory() as where:
            config, made = pathlib.Path(where) / "config.json", pathlib.Path(where) / "model.json"
            for kind, (fields, layer) in kinds.items():
                with self.subTest(kind=kind):
                    config.write_text(json.dumps({"model_type": kind, "torch_dtype": "bfloat16", **fields}))
                    done = subprocess.run([sys.executable, str(folder / "profile.py"), "--hf-config", str(config), "--sequence", "16", "--gpu",
                                           "h100-80gb", "-o", str(made)], capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    found = json.loads(made.read_text())
                    self.assertTrue(any(each["name"].endswith(layer) for each in found["layers"]), found["layers"])
                    planner("plan", made, "--devices", 2, "--microbatches", 4)


class Progress(unittest.TestCase):
    def test_report(self):
        made = profile.profile(*models.in_place(), repeats=4)
        out = io.StringIO()
        profile.report(made, out)
        self.assertEqual(len(out.getvalue().splitlines()), 1 + len(made["layers"]))
        with contextlib.redirect_stderr(out):
            profile.progress_bar(1, 2)  # no terminal: nothing
        self.assertNotIn("%\r", out.getvalue())


if __name__ == "__main__":
    unittest.main()
