# SPDX-License-Identifier: BSL-1.0
"""Measures the layers of a PyTorch module and writes them as a profile that the planner reads.

  python profile.py models:toy_transformer -o model.json
  python profile.py my_file.py:make_model --args 8x3x224x224 --device cuda --busy 4 -o model.json
  python profile.py --hf-config config.json --gpu h100-80gb -o model.json

In Python: profile(module, args) returns the same as a dictionary.
"""

import argparse
import json
import sys
import warnings

import standard_profile


def __getattr__(name):
    """For cProfile, where it was imported before: what it looks for in a module of this name."""
    return getattr(standard_profile.load(), name)


import torch  # noqa: E402

import factory  # noqa: E402
import huggingface  # noqa: E402
import measure  # noqa: E402
from layers import WAYS, trace  # noqa: E402
from plan_file import Refused, check_folder  # noqa: E402

# Matrix products of 16 bits in FLOP/s, as measured, and bytes/s of memory by the data sheets: those that `stagecut profile transformer
# --gpu` counts with.
GPUS = {"a100-40gb": (271e12, 1.555e12), "a100-80gb": (271e12, 2.039e12), "h100-80gb": (794.5e12, 3.35e12),
        "h200-141gb": (794.5e12, 4.8e12), "b200-180gb": (1745e12, 8e12), "gb200-186gb": (1822e12, 8e12)}
GPU = "a100-80gb"


def profile(module, args, *, loss=None, layers=(), device=None, gpu=GPU, repeats=10, way="auto", name="", progress=None,
            warn=warnings.warn):
    """The profile of a module for the arguments of one microbatch.

    `layers` are patterns of names of modules (layers.*); without any they are chosen. `loss(output, first argument)` belongs to the
    last layer; by default it is the mean of squares. On `device` meta nothing is computed: times are those of `gpu` by its roofline.
    Where the module cannot be traced, its layers are its modules as one run calls them, and `warn` is told why.
    """
    try:
        device = torch.device(device or next((each.device for each in module.parameters()), "cpu"))
    except RuntimeError:
        raise Refused(f"--device {device}: cpu, cuda or meta") from None
    clock = clock_of(device, gpu)
    if device.type != "meta":
        module = module.to(device)
        args = tuple(each.to(device) if torch.is_tensor(each) else each for each in args)
    traced = trace(module, args, layers, way, check=device.type != "meta")
    found = measure.layers_of(traced, args, loss or factory.mean_square, clock, repeats, progress or (lambda done, of: None))
    made = {"schema": "stagecut-profile-2", "name": name or type(module).__name__, "layers": found}
    if not traced.is_chain:
        made["edges"] = [list(each) for each in traced.edges]
    made["profiled"] = {"torch": torch.__version__, "traced_by": traced.way, "device": str(device), "threads": torch.get_num_threads(),
                        **({"gpu": gpu} if device.type == "meta" else {"repeats": repeats})}
    if traced.wrapped:
        made["profiled"]["one_operator"] = traced.wrapped
    if traced.way == "modules" and traced.failed:
        made["profiled"]["not_traced"] = traced.failed
        warn(f"the module cannot be traced, so its layers are its modules as they were called in one run: {'; '.join(traced.failed)}")
    return made


def clock_of(device, gpu):
    if device.type == "cuda":
        if not torch.cuda.is_available():
            raise Refused("this machine has no GPU that PyTorch can use: --device cpu, or meta with --gpu")
        return measure.Events(device)
    if device.type == "meta":
        if gpu not in GPUS:
            raise Refused(f"no figures of {gpu}; there are {', '.join(GPUS)}")
        return measure.Roofline(*GPUS[gpu])
    if device.type == "cpu":
        return measure.Wall()
    raise Refused(f"--device {device}: cpu, cuda or meta")


def progress_bar(done, of):
    if sys.stderr.isatty():
        filled = 40 * done // of
        print(f"\r{'#' * filled}{'.' * (40 - filled)} {100 * done // of:3d} %", end="\n" if done == of else "", file=sys.stderr, flush=True)


def arguments():
    parser = argparse.ArgumentParser("profile.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", metavar="MODULE:FACTORY", help="returns a module, (module, args) or (module, args, loss)")
    parser.add_argument("--args", nargs="+", metavar="SHAPE", help="arguments of one microbatch: 8x3x224x224, 4x128:int64:32000")
    parser.add_argument("--set", nargs="+", action="extend", metavar="NAME=VALUE", help="keywords of the factory")
    parser.add_argument("--hf-config", metavar="FILE", help="a model of Hugging Face by its config.json, on meta unless --device says else")
    parser.add_argument("--microbatch", type=int, default=1, metavar="N", help="with --hf-config: samples (1)")
    parser.add_argument("--sequence", type=int, metavar="N", help="with --hf-config: tokens of a sample (what the model takes, at most 2048)")
    parser.add_argument("--dtype", metavar="TYPE", help="with --hf-config: bfloat16 ... (what the config says)")
    parser.add_argument("--layers", nargs="+", default=(), metavar="PATTERN", help="modules that are layers: embedding layers.* head")
    parser.add_argument("--device", help="cpu, cuda, or meta: computes nothing, counts FLOPs and bytes")
    parser.add_argument("--gpu", metavar="NAME", help=f"on meta ({GPU}): " + ", ".join(GPUS))
    parser.add_argument("--busy", type=int, default=1, metavar="P", help="measure while P - 1 other ranks compute as well")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="of a CPU for each rank (1)")
    parser.add_argument("--repeats", type=int, default=10, metavar="N", help="runs of each pass, of which the median counts (10)")
    parser.add_argument("--trace", default="auto", choices=("auto", *WAYS), dest="way", help="torch.export, else torch.fx, else calls of modules")
    parser.add_argument("-o", "--output", metavar="FILE", help="instead of standard output")
    options = parser.parse_args()
    if options.repeats < 1 or options.threads < 1 or options.busy < 1 or options.microbatch < 1 or (options.sequence or 1) < 1:
        parser.error("--repeats, --threads, --busy, --microbatch and --sequence are at least 1")
    if options.gpu and (options.device or ("meta" if options.hf_config else "cpu")) != "meta":
        parser.error("--gpu is for --device meta, where nothing is measured")
    options.gpu = options.gpu or GPU
    if (options.model is None) == (options.hf_config is None):
        parser.error("name a model as module:factory, or a configuration by --hf-config")
    return options


def load(options):
    device = options.device or ("meta" if options.hf_config else "cpu")
    made_on = "meta" if device == "meta" else "cpu"
    if options.hf_config:
        return huggingface.load(options.hf_config, options.microbatch, options.sequence, options.dtype, made_on), device
    return factory.load(options.model, factory.parse_settings(options.set), options.args, made_on), device


def report(made, file=sys.stderr):
    """What was measured, for a person: one line a layer."""
    width = max(len(each["name"]) for each in made["layers"])
    print(f"{'layer':{width}} {'forward':>12} {'spread':>6} {'backward':>12} {'I + W':>12} {'parameters':>14} {'activations':>14} {'output':>14}",
          file=file)
    for each in made["layers"]:
        low, high = each.get("measured", {}).get("forward", (each["forward"],) * 2)
        spread = f"{100 * (high - low) / each['forward']:.0f} %" if "measured" in each and each["forward"] else "-"
        times = [f"{1e3 * seconds:.4g} ms" for seconds in (each["forward"], each["backward"], each["backward_input"] + each["backward_weight"])]
        print(f"{each['name']:{width}} {times[0]:>12} {spread:>6} {times[1]:>12} {times[2]:>12} {each['parameters']:14,d} {each['activations']:14,d}"
              f" {each['output']:14,d}", file=file)


def main():
    options = arguments()
    if options.output:
        check_folder(options.output)
    torch.set_num_threads(options.threads)
    if (options.device or "").startswith("cuda"):
        clock_of(torch.device("cuda"), options.gpu)  # refuses where there is none, before others are started
    (module, args, loss), device = load(options)
    others = keep_busy(options, device)
    try:
        made = profile(module, args, loss=loss, layers=options.layers, device=device, gpu=options.gpu, repeats=options.repeats,
                       way=options.way, name=options.model or options.hf_config, progress=progress_bar,
                       warn=lambda text: print(f"profile.py: {text}", file=sys.stderr))
    finally:
        for each in others:
            each.kill()
    if options.busy > 1:
        made["profiled"]["busy"] = options.busy
    report(made)
    if len(made["layers"]) == 1:
        wrapped = made["profiled"].get("one_operator")
        print("the module is one layer, which cannot be cut: " + (f"what runs under {', '.join(wrapped)} is one operator, unless each module "
              "enters that by itself" if wrapped else "name the modules inside it by --layers"), file=sys.stderr)
    whole = [each["name"] for each in made["layers"] if each.get("whole_backward")]
    if whole:
        print(f"PyTorch cannot run I and W apart of {', '.join(whole)}: plan with --for pytorch, which lets their stages run whole", file=sys.stderr)
    text = json.dumps(made, indent=1)
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            print(text, file=file)
    else:
        print(text)


def keep_busy(options, device):
    """Starts processes that compute the same model over and over, each on a GPU of its own, and waits until all do."""
    if options.busy <= 1 or device == "meta":
        return []
    context = torch.multiprocessing.get_context("spawn")
    started = context.Barrier(options.busy)
    others = [context.Process(target=compute, args=(options, device, rank, started), daemon=True) for rank in range(1, options.busy)]
    for each in others:
        each.start()
    started.wait(120)
    return others


def compute(options, device, rank, started):
    torch.set_num_threads(options.threads)
    (module, args, loss), _ = load(options)
    if device.startswith("cuda"):
        device = f"cuda:{rank % torch.cuda.device_count()}"
    module, args = module.to(device), [each.to(device) for each in args]
    first = True
    while True:
        loss(module(*args), args[0]).backward()
        if first:
            started.wait()
            first = False


if __name__ == "__main__":
    try:
        main()
    except Refused as problem:
        sys.exit(f"profile.py: {problem}")
    except KeyboardInterrupt:
        sys.exit(130)
