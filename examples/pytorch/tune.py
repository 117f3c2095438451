# SPDX-License-Identifier: BSL-1.0
"""From a model to the plan that is best when it is run: profile, plan, run, correct the profile by what was measured, plan again.

  python tune.py models:toy_transformer --devices 4 --batch batch=32 --microbatches 8 16

Every plan is one of a schedule, a number of stages per rank and one of microbatches. The best three as predicted are run, and, beside them,
1F1B with as many layers on each stage. Of each layer, the forward and the backward times are then scaled by measured : predicted
of the stages in which it ran, and all plans are made and compared again. --batch NAME=SAMPLES keeps the samples of an iteration: the
factory is called with NAME=SAMPLES/m, and there is a profile for each m. Without it, a microbatch is what the factory makes of it.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

from plan_file import Refused, stage_of_layers
from planner import refusals, stagecut

HERE = pathlib.Path(__file__).resolve().parent
IN_A_V = ("zbv", "dualpipev")  # two stages a rank, always
OF_SEVERAL_STAGES = ("interleaved", "looped-bfs", "interleaved-zb")
PASSES = {"forward": "F", "backward": "B", "backward_input": "I", "backward_weight": "W"}


class Candidate:
    """A way to plan, its plan, and what was measured of it."""

    def __init__(self, schedule, stages_per_rank, microbatches, method="time"):
        self.schedule, self.stages_per_rank, self.microbatches, self.method = schedule, stages_per_rank, microbatches, method
        self.plan = self.report = self.refused = None

    def __str__(self):
        words = f"{self.schedule}, {self.microbatches} microbatches"
        words += f", {self.stages_per_rank} stages a rank" if self.stages_per_rank > 1 else ""
        return words + (", uniform" if self.method == "uniform" else "")

    @property
    def predicted(self):
        """Seconds of an iteration."""
        return self.plan["makespan"]

    @property
    def measured(self):
        return self.report["iteration"]["measured"]

    def sample(self, seconds):
        """What plans of unlike iterations are compared by."""
        return seconds / self.plan["profile"].get("samples", 1) / self.microbatches

    def make(self, profile, options):
        limits = {name: getattr(options, name) for name in ("bandwidth", "latency", "memory") if getattr(options, name)}
        try:
            with refusals():
                self.plan = stagecut.plan(profile, options.devices, microbatches=self.microbatches, schedule=self.schedule,
                                          stages_per_rank=self.stages_per_rank, method=self.method, **limits)
            self.refused = None
        except Refused as problem:
            self.plan, self.refused = None, str(problem).splitlines()[0]
        return self


def candidates(options):
    made = []
    for microbatches in options.microbatches:
        for schedule in options.schedules:
            per_rank = (2,) if schedule in IN_A_V else options.stages_per_rank if schedule in OF_SEVERAL_STAGES else (1,)
            made += [Candidate(schedule, each, microbatches) for each in per_rank]
    return made


def settings_of(options, microbatches):
    """The factory's settings for that many microbatches, and the samples of one."""
    if not options.batch:
        return options.settings, 1
    name, _, samples = options.batch.partition("=")
    if int(samples) % microbatches:
        raise Refused(f"--batch {options.batch}: {samples} samples do not come out in {microbatches} microbatches")
    return [*options.settings, f"{name}={int(samples) // microbatches}"], int(samples) // microbatches


def script(name, *words):
    """Runs one of the other programs; its words on standard error are shown if it fails."""
    done = subprocess.run([sys.executable, str(HERE / name), *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise Refused(done.stderr.strip() or f"{name} ended with status {done.returncode}")
    return done.stdout


def model_words(options, microbatches):
    settings, _ = settings_of(options, microbatches)
    return (["--set", *settings] if settings else []) + (["--args", *options.args] if options.args else [])


def profiles(options):
    """The profile of each number of microbatches: one, unless --batch makes them unlike."""
    made, found = {}, {}
    for microbatches in options.microbatches:
        words = model_words(options, microbatches)
        key = tuple(words)
        if key not in made:
            print(f"profiling {options.model} {' '.join(words)}".rstrip() + f", {options.devices} ranks busy ...", flush=True)
            layers = ["--layers", *options.layers] if options.layers else []
            made[key] = json.loads(script("profile.py", options.model, *words, *layers, "--device", options.device, "--busy", options.devices,
                                          "--threads", options.threads, "--repeats", options.repeats))
            made[key]["samples"] = settings_of(options, microbatches)[1]
        found[microbatches] = made[key]
    return found


def run(candidate, options, number):
    """Runs a plan; leaves its figures, and the pictures, in the folder."""
    stem = options.folder / f"run-{number}"
    plan, report = stem.with_suffix(".plan.json"), stem.with_suffix(".report.json")
    plan.write_text(json.dumps(candidate.plan, indent=1))
    script("run.py", plan, "--model", options.model, *model_words(options, candidate.microbatches), "--steps", options.steps, "--threads",
           options.threads, "--backend", "nccl" if options.device == "cuda" else "gloo", "--json", report, "--svg",
           stem.with_suffix(".svg"), "--trace", stem.with_suffix(".trace.json"))
    candidate.report = json.loads(report.read_text())
    return candidate


def scales(ran, layers):
    """Measured : predicted of each kind of pass of each layer, the mean over the runs whose stages held it.

    A run of 1F1B tells of B alone, one of a zero-bubble schedule of I and W: what a kind was never measured as is scaled as the backward
    pass was otherwise. A stage whose I PyTorch leaves to W (the first one) tells of both together.
    """
    found = {kind: [[] for _ in range(layers)] for kind in PASSES}
    for candidate in ran:
        stage_of = stage_of_layers(candidate.plan)
        for each in candidate.report["stages"]:
            planned, measured = each["predicted"], each["measured"]
            here = [layer for layer, stage in enumerate(stage_of) if stage == each["stage"]]
            both = {kind: planned.get(kind, 0) for kind in "IW"}, {kind: measured.get(kind, 0) for kind in "IW"}
            ratios = {kind: measured[letter] / planned[letter] for kind, letter in PASSES.items()
                      if planned.get(letter, 0) > 0 and letter in measured}
            if sum(both[0].values()) > 0 and 0 < both[1]["W"] and both[1]["I"] < 0.1 * both[1]["W"]:
                ratios["backward_input"] = ratios["backward_weight"] = sum(both[1].values()) / sum(both[0].values())
            for kind, ratio in ratios.items():
                for layer in here:
                    found[kind][layer].append(ratio)
    means = {kind: [statistics.geometric_mean(each) if each else None for each in of_kind] for kind, of_kind in found.items()}
    for kind in ("backward", "backward_input", "backward_weight"):
        others = [other for other in ("backward", "backward_input", "backward_weight") if other != kind]
        means[kind] = [mean or next((means[other][layer] for other in others if means[other][layer]), 1.0)
                       for layer, mean in enumerate(means[kind])]
    means["forward"] = [mean or 1.0 for mean in means["forward"]]
    return means


def corrected(profile, means):
    """The profile with each time of a layer multiplied by its scale, which it keeps as `scale`."""
    layers = []
    for number, layer in enumerate(profile["layers"]):
        scale = {kind: means[kind][number] for kind in PASSES}
        layers.append({**layer, **{kind: layer[kind] * scale[kind] for kind in PASSES}, "scale": scale})
    return {**profile, "layers": layers}


def ranked(made):
    possible = [each for each in made if each.plan is not None]
    return sorted(possible, key=lambda each: each.sample(each.predicted))


def ms(candidate, seconds):
    return f"{1e3 * seconds:.1f} ms"


def table(title, rows, options):
    per = "a sample" if options.batch else "a microbatch"
    print(f"\n{title}\n{'plan':44} {'predicted':>12} {'measured':>12} {'off':>8} {'predicted, measured ' + per:>34}")
    for each in rows:
        measured = each.report is not None
        last = f"{1e3 * each.sample(each.predicted):.3f} ms" + (f", {1e3 * each.sample(each.measured):.3f} ms" if measured else "")
        print(f"{str(each):44} {ms(each, each.predicted):>12} {ms(each, each.measured) if measured else '':>12} "
              f"{f'{100 * (each.measured / each.predicted - 1):+.1f} %' if measured else '':>8} {last:>34}")


def arguments():
    parser = argparse.ArgumentParser("tune.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", metavar="MODULE:FACTORY", help="as for profile.py")
    parser.add_argument("--devices", type=int, required=True, metavar="P", help="ranks, processes of this machine")
    parser.add_argument("--microbatches", type=int, nargs="+", default=[8], metavar="M", help="of an iteration (8)")
    parser.add_argument("--batch", metavar="NAME=SAMPLES", help="samples of an iteration, by the factory's word for those of a microbatch")
    parser.add_argument("--schedules", nargs="+", default=["1f1b", "interleaved", "zb-h1", "zbv"], metavar="NAME", help="see stagecut schedules")
    parser.add_argument("--stages-per-rank", "--chunks", type=int, nargs="+", default=[2], metavar="V", help="stages of a rank where a schedule has several (2)")
    parser.add_argument("--set", dest="settings", nargs="+", action="extend", default=[], metavar="NAME=VALUE", help="keywords of the factory")
    parser.add_argument("--args", nargs="+", metavar="SHAPE", help="arguments of one microbatch, as for profile.py")
    parser.add_argument("--layers", nargs="+", default=[], metavar="PATTERN", help="modules that are layers, as for profile.py")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="of a CPU for each rank (1)")
    parser.add_argument("--repeats", type=int, default=10, metavar="N", help="of each pass while profiling (10)")
    parser.add_argument("--steps", type=int, default=5, metavar="N", help="of each run (5)")
    parser.add_argument("--run", type=int, default=3, metavar="N", help="how many of the best are run (3)")
    for name, what in (("bandwidth", "bytes a second of messages"), ("latency", "of every message"), ("memory", "limit of a device")):
        kind = {"metavar": "SECONDS", "type": float} if name == "latency" else {"metavar": "SIZE"}
        parser.add_argument(f"--{name}", **kind, help=f"{what}, as for stagecut plan")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("tuned"), metavar="DIRECTORY", help="for plans, reports, pictures (tuned)")
    options = parser.parse_args()
    if min([options.devices, options.threads, options.repeats, options.steps, options.run, *options.microbatches, *options.stages_per_rank]) < 1:
        parser.error("numbers are at least 1")
    if options.batch and not options.batch.partition("=")[2].isdigit():
        parser.error("--batch is written NAME=SAMPLES, as batch=32")
    return options


def main():
    options = arguments()
    try:
        options.folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise Refused(f"{options.folder}: {problem.strerror}") from None
    of = profiles(options)
    made = [each.make(of[each.microbatches], options) for each in candidates(options)]
    best = ranked(made)
    if not best:
        raise Refused("no plan can be made: " + "; ".join(sorted({each.refused for each in made})))
    for each in made:
        if each.plan is None:
            print(f"left out: {each}: {each.refused}")
    uniform = Candidate("1f1b", 1, best[0].microbatches, "uniform").make(of[best[0].microbatches], options)
    ran = [run(each, options, number) for number, each in enumerate(best[:options.run] + ([uniform] if uniform.plan else []))]
    table("As profiled", ran + best[options.run:], options)
    fastest = min(ran, key=lambda each: each.sample(each.measured))
    print(f"best when run: {fastest}" + (", as predicted" if fastest is best[0] else f"; predicted: {best[0]}"))
    if uniform.report:
        print(f"uniform takes {100 * (uniform.sample(uniform.measured) / fastest.sample(fastest.measured) - 1):.1f} % longer")

    means = {}
    for microbatches, profile in of.items():
        same = [each for each in ran if of[each.microbatches] is profile] or ran
        means[microbatches] = scales(same, len(profile["layers"]))
        path = options.folder / (f"corrected-{microbatches}.json" if options.batch else "corrected.json")
        path.write_text(json.dumps(corrected(profile, means[microbatches]), indent=1))
    again = [Candidate(each.schedule, each.stages_per_rank, each.microbatches).make(corrected(of[each.microbatches], means[each.microbatches]), options)
             for each in made]
    second = ranked(again)
    run(second[0], options, "corrected")
    table("Planned again with the corrected profile", second, options)
    last = min([*ran, second[0]], key=lambda each: each.sample(each.measured))
    stem = "run-corrected" if last is second[0] else f"run-{ran.index(last)}"
    print(f"take {options.folder / stem}.plan.json: {last}")


if __name__ == "__main__":
    try:
        main()
    except Refused as problem:
        sys.exit(f"tune.py: {problem}")
    except KeyboardInterrupt:
        sys.exit(130)
