# SPDX-License-Identifier: BSL-1.0
"""`fit times` as a user meets it: traces that are written here have known times, and these come back."""

import gzip
import json
import pathlib
import sys
import tempfile

from program import check, fails, failures, run


def near(a, b, off=1e-9):
    return a is not None and abs(a - b) <= off * abs(b)


class Trace:
    """Events as PyTorch's profiler writes them, in microseconds: a thread for forward passes, one for gradients."""

    def __init__(self):
        self.events, self.number = [{"ph": "M", "name": "process_name", "pid": 9, "args": {"name": "python"}}], 0

    def host(self, category, name, first, last, thread=1, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 9, "tid": thread, "ts": first, "dur": last - first, "args": args})

    def kernel(self, name, launched, thread, first, seconds, stream=7):
        self.number += 1
        self.host("cuda_runtime", "cudaLaunchKernel", launched, launched + 0.5, thread, correlation=self.number)
        self.events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": first, "dur": seconds,
                            "args": {"correlation": self.number, "stream": stream}})

    def write(self, path):
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": self.events}))
        return path


def steps(times, range_of, number=2, extra=0):
    """A trace of some steps in which layer i takes times[i] forward and backward, then an optimizer."""
    trace, now, sequence = Trace(), 0.0, 100
    for step in range(number):
        begin = 10000.0 * step
        trace.host("user_annotation", f"ProfilerStep#{step}", begin, begin + 9000)
        now = begin + 1000
        for i, (forward, _) in enumerate(times):
            at = begin + 10 * i
            category = "python_function" if range_of(i).startswith("nn.Module: ") else "user_annotation"
            trace.host(category, range_of(i), at, at + 9)
            trace.host("cpu_op", "aten::mm", at + 1, at + 8, **{"Sequence number": sequence + i, "Fwd thread id": 0})
            trace.kernel("gemm", at + 2, 1, now, forward + extra)
            now += forward + extra
        for i in reversed(range(len(times))):
            at = begin + 500 + 10 * (len(times) - i)
            trace.host("cpu_op", "autograd::engine::evaluate_function: MmBackward0", at, at + 9, 2, **{"Sequence number": sequence + i, "Fwd thread id": 1})
            for share in (0.25, 0.75):
                trace.kernel("dgrad" if share < 0.5 else "wgrad", at + 10 * share, 2, now, share * times[i][1])
                now += share * times[i][1]
        trace.kernel("adam", begin + 900, 1, now, 50)
        sequence += len(times)
    return trace


times = [(100, 200), (140, 300)]
transformer = ("profile", "transformer")

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    trace = steps(times, lambda i: f"layers.{i}").write(folder / "trace.json")
    measured = folder / "measured.json"

    def layers_in(said):
        check(said.returncode == 0, said)
        return {layer["name"]: layer for layer in json.loads(said.stdout)["layers"]} if said.returncode == 0 else {}

    def is_measured(found, expected):
        ok = found.keys() == expected.keys()
        return ok and all(near(found[key].get("forward"), f * 1e-6) and near(found[key].get("backward"), b * 1e-6) for key, (f, b) in expected.items())

    # What was written comes back, and what is of no layer is told.
    said = run("fit", "times", trace, "--layers", "layers.*")
    expected = {"layers.0": (100, 200), "layers.1": (140, 300)}
    check(is_measured(layers_in(said), expected), said.stdout)
    check(said.stderr.splitlines() == [f"stagecut: {trace}: 12 of 14 kernels belong to 2 layers, in 2 steps; the device was busy {100 * 1580 / 10790:.1f} % of 10.79 ms",
                                       f"stagecut: {trace}: {100 * 100 / 1580:.1f} % of the device's time is of no layer: adam (2 kernels, 100 us)"], said.stderr)
    check(layers_in(run("fit", "times", "-", "--layers", "layers.*", stdin=trace.read_text())) == layers_in(said), "standard input")
    said = run("fit", "times", trace, "--layers", "layers.*", "--layers", "blocks.*=h.*", "--layers", "layer.1")
    check(is_measured(layers_in(said), expected), said.stdout)
    check([line for line in said.stderr.splitlines() if "is called so" in line] ==
          ["stagecut: --layers blocks.*=h.*: no range with kernels is called so", "stagecut: --layers layer.1: no range with kernels is called so"], said.stderr)
    # Modules by their class and number, which other layers than the first have in a stage of a pipeline.
    modules = steps(times, lambda i: f"nn.Module: LlamaDecoderLayer_{i}").write(folder / "modules.json")
    found = layers_in(run("fit", "times", modules, "--layers", "LlamaDecoderLayer_*=layers.*+8"))
    check(is_measured(found, {"layers.8": (100, 200), "layers.9": (140, 300)}), found)
    found = layers_in(run("fit", "times", modules, "--layers", "nn.Module: LlamaDecoderLayer_1=last", "--layers", "LlamaDecoderLayer_*"))
    check(is_measured(found, {"LlamaDecoderLayer_0": (100, 200), "last": (140, 300)}), found)
    # Of several traces the median of all runs; a disturbed one does not count.
    others = [steps(times, lambda i: f"layers.{i}", extra=extra).write(folder / f"{extra}.json") for extra in (2, 5000)]
    said = run("fit", "times", trace, *others, trace, trace, "--layers", "layers.*")
    check(is_measured(layers_in(said), expected), said)
    check("stagecut: medians of runs; most different are those of layers.0, forward: median 100 us of 10 runs, quartiles 100 us and " in said.stderr, said.stderr)

    # --calibrate reads it.
    fitted = run("fit", "times", trace, "--layers", "layers.*", "--output", measured)
    check(fitted.returncode == 0 and fitted.stdout == "", fitted)
    said = run(*transformer, "--preset", "llama-2-7b", "--calibrate", measured)
    found = layers_in(said)
    check(near(found["layers.0"]["forward"], 100e-6) and near(found["layers.1"]["backward"], 300e-6), said.stderr)

    # Into a profile: what was not measured follows its kind.
    model = folder / "model.json"
    check(run(*transformer, "--preset", "llama-2-7b", "--output", model).returncode == 0, "a profile")
    before = {layer["name"]: layer for layer in json.loads(model.read_text())["layers"]}
    said = run("fit", "times", trace, "--into", model)
    found = layers_in(said)
    check(json.loads(said.stdout)["computed"]["measured"] is True, "measured")
    ratios = [sum(of) / sum(before[f"layers.{i}"][which] for i in range(2)) for which, of in (("forward", (100e-6, 140e-6)), ("backward", (200e-6, 300e-6)))]
    for key, layer in found.items():
        if key in expected:
            check(near(layer["forward"], expected[key][0] * 1e-6) and near(layer["backward"], expected[key][1] * 1e-6), layer)
            share = before[key]["backward_input"] / before[key]["backward"]
            check(near(layer["backward_input"], share * layer["backward"]), layer)
        elif layer["kind"] == "decoder":
            check(near(layer["forward"], ratios[0] * before[key]["forward"]) and near(layer["backward"], ratios[1] * before[key]["backward"]), layer)
        else:
            check(layer == before[key], layer)
    check(f"stagecut: {model}: decoder: layers.2 ... layers.31 (30 layers): from layers.0, layers.1, forward {ratios[0]:.4g} times what it was, "
          f"backward {ratios[1]:.4g} times what it was\n" in said.stderr, said.stderr)
    check(f"stagecut: {model}: norm: norm: no layer of the kind was measured, times stay\n" in said.stderr, said.stderr)
    into = folder / "into.json"
    check(run("fit", "times", modules, "--into", model, "--layers", "LlamaDecoderLayer_*=layers.*", "--output", into).returncode == 0, "--layers and --into")
    check(into.read_text() == said.stdout, "by modules, another profile")
    check(run("plan", into, "--devices", 2, "--microbatches", 4).returncode == 0, "a plan")
    # A profile names its modules, and may have no times: then layers of a kind are alike.
    bare = folder / "bare.json"
    bare.write_text(json.dumps({"schema": "stagecut-profile-2", "layers": [
        {"name": "first", "kind": "block", "modules": ["LlamaDecoderLayer_0"]}, {"name": "second", "kind": "block", "modules": ["LlamaDecoderLayer_1"]},
        {"name": "third", "kind": "block"}]}))
    said = run("fit", "times", modules, "--into", bare)
    check(is_measured(layers_in(said), {"first": (100, 200), "second": (140, 300), "third": (120, 250)}), said)
    check(f"{bare}: block: third: from first, second, forward their mean, 120 us, backward their mean, 250 us\n" in said.stderr, said.stderr)

    # The reports of nsys: single passes, or their sums.
    table = folder / "proj.csv"
    table.write_text("Name,Projected Start (ns),Projected Duration (ns),Orig Start (ns),Orig Duration (ns),Style,PID,TID,NumGPUOps,Lvl\n" +
                     "".join(f":layers.{i}{pass_},0,{nanoseconds},0,1,PushPop,1,1,1,0\n" for i in range(2) for pass_, of in (("", 0), (" backward", 1))
                             for nanoseconds in (999 * times[i][of], 1000 * times[i][of], 1010 * times[i][of])) +
                     ":optimizer,0,5000,0,1,PushPop,1,1,1,0\n")
    said = run("fit", "times", table, "--layers", "layers.*")
    check(is_measured(layers_in(said), expected), said)
    check(f"{table}: 4 of 5 ranges are passes of layers; their times include gaps between kernels\n" in said.stderr, said.stderr)
    table.write_text("Range,Style,Total Proj Time (ns),Total Range Time (ns),Range Instances,Proj Avg (ns),Proj Med (ns),Proj Min (ns),Proj Max (ns)\n"
                     ":layers.0,PushPop,330000,1,3,110000,100000,90000,140000\n:layers.0 bwd,PushPop,600000,1,3,200000,200000,200000,200000\n")
    check(is_measured(layers_in(run("fit", "times", table, "--layers", "layers.*")), {"layers.0": (100, 200)}), "a summary")

    # What cannot be done is one line.
    words = ("fit", "times", trace)
    fails(2, "fit times: needs --layers, or --into with a profile that names its layers", *words)
    fails(2, f"{trace}: no range with kernels is a layer: name them by --layers; other ranges are layers.* (2)\n", *words, "--layers", "block.*")
    fails(2, f"{modules}: no range with kernels is a layer: name them by --layers; other ranges are nn.Module: LlamaDecoderLayer_* (2)\n", "fit", "times", modules, "--into", model)
    for each in ("a*b*", "a=b*", "=b", "a*=**"):
        fails(2, f"--layers: {each} is not RANGE or RANGE=NAME, with one * in each at most", *words, "--layers", each)
    packed = folder / "trace.json.gz"
    packed.write_bytes(gzip.compress(trace.read_bytes()))
    fails(2, f"{packed}: is compressed by gzip, which is not read: decompress it first", "fit", "times", packed, "--layers", "layers.*")
    table.write_text("Range,Style,Total Time (ns),Instances\n:layers.0,PushPop,330000,3\n")
    fails(2, f"{table}: has times of the host, where a range ends before its kernels do: take the report nvtx_gpu_proj_trace or", "fit", "times", table, "--layers", "layers.*")
    plain = folder / "plain.txt"
    plain.write_text("time\n1\n2\n")
    fails(2, f"{plain}: has weights, not seconds", *words, "--into", plain)
    config = folder / "config.json"
    config.write_text(run(*transformer, "--preset", "llama-2-7b", "--format", "config").stdout)
    fails(2, f"{config}: is a configuration, not a profile: give the output of fit times to profile transformer --calibrate", *words, "--into", config)
    instant = steps([(0, 0)], lambda i: f"layers.{i}").write(folder / "instant.json")
    check("instant.json: kernels of layers take no time in it\n" in run("fit", "times", instant, "--layers", "layers.*").stderr, "no time")
    broken = folder / "broken.json"
    broken.write_text('{"traceEvents": [{"ph": "X", "cat": "kernel", "ts": 1}]}')
    fails(2, f"{broken}#/traceEvents/0: \"dur\" is missing", "fit", "times", broken, "--layers", "layers.*")
    fails(2, f"{trace}: ", *words, "--layers", "layers.*", "--input-limit", "300B")
    # What --layers says goes before the names in the profile: a stage counts its layers from 0.
    found = layers_in(run(*words, "--layers", "layers.*=layers.*+8", "--into", model))
    check(near(found["layers.8"]["forward"], 100e-6) and near(found["layers.0"]["forward"], 120e-6), "layers of a stage")
    done = run(*words, "--layers", "layers.*=block.*", "--into", model)
    check(done.returncode == 2 and done.stdout == "" and f"{model}: has no layer block.0, which --layers names\n" in done.stderr, done)
    before = trace.read_text()
    check(run(*words, "--layers", "layers.*", "--output", trace).returncode != 0 and trace.read_text() == before, "--output is the input")

print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
