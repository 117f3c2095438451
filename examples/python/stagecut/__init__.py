# SPDX-License-Identifier: BSL-1.0
"""Cuts neural networks into pipeline stages.

Profiles and plans are dictionaries, as stagecut's JSON files hold them: `json.load` reads them, `json.dump` writes them.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, SupportsFloat, SupportsIndex, Union

import numpy

from . import _core, _words
from ._errors import ArgumentError, Infeasible, InvalidInput, NoAnswer, NotRepresentable
from ._schemas import Check, Combination, Explanation, Plan, Profile, Progress, Simulation, SweepProgress, SweepRow

__all__ = ["ArgumentError", "Check", "Combination", "Explanation", "Infeasible", "InvalidInput", "NoAnswer", "NotRepresentable", "Plan",
           "Profile", "Progress", "Simulation", "SweepProgress", "SweepRow", "chain", "combinations", "compare", "explain", "format", "plan",
           "read_profile", "simulate", "sweep", "verify"]
__version__ = _core.version

Numbers = Union[Sequence[SupportsFloat], numpy.ndarray]
Counts = Union[Sequence[SupportsIndex], numpy.ndarray]
Size = Union[SupportsFloat, str]  # bytes, or as 80GiB
Sizes = Union[Sequence[Size], numpy.ndarray]

# The keywords that `plan` and `sweep` share, with what checks them.
_OF_DEVICES: dict[str, Callable[[str, str, Any], Any]] = {
    "memory": lambda function, name, value: _words.one_or_each(function, name, value, _words.positive_size),
    "memory_reserve": _words.size,
    "memory_buffer": _words.number,
    "boundary_buffers": _words.number,
    "optimizer": lambda function, name, value: value if isinstance(value, str) else _words.number(function, name, value),
    "bandwidth": lambda function, name, value: _words.one_or_each(function, name, value, _words.positive_size),
    "latency": lambda function, name, value: _words.one_or_each(function, name, value, _words.number),
    "transfers": _words.text,
    "topology": _words.levels,
    "speeds": lambda function, name, value: _words.each(function, name, value, _words.number),
    "forbid_cut": _words.layers,
    "keep_together": _words.runs,
    "time_limit": _words.number,
    "node_limit": lambda function, name, value: _words.count(function, name, value, 0),
}

# The keywords of `plan`.
_OF_PLAN: dict[str, Callable[[str, str, Any], Any]] = {
    **dict.fromkeys(("devices", "microbatches", "group", "slices", "device_size"), _words.count),
    **dict.fromkeys(("schedule", "method", "objective", "checkpoint", "target"), _words.text),
    **dict.fromkeys(("stages_per_rank", "replicas"), _words.counts),
    **dict.fromkeys(("empty_stages", "inference", "at_most"), _words.flag),
    **dict.fromkeys(("time_weight", "imbalance"), _words.number),
    "tensor_parallel": _words.auto_or(_words.counts),
    "recompute": _words.auto_or(_words.texts),
    "cpus": lambda function, name, value: _words.count(function, name, value, 0),
    "weights": lambda function, name, value: _words.each(function, name, value, _words.number),
    "in_flight": lambda function, name, value: value if isinstance(value, str) else _words.each(function, name, value, _words.count),
    "start": lambda function, name, value: _words.each(function, name, value, lambda *words: _words.count(*words, 0)),
    **_OF_DEVICES,
}

# The keywords of `sweep`.
_OF_SWEEP: dict[str, Callable[[str, str, Any], Any]] = {
    **dict.fromkeys(("devices", "microbatches", "stages_per_rank"), _words.counts),
    "schedules": _words.auto_or(_words.texts),
    "recompute": _words.texts,
    "all": _words.flag,
    "threads": _words.count,
    **_OF_DEVICES,
}


def _request(function: str, known: Mapping[str, Callable[[str, str, Any], Any]], given: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords that were given, checked."""
    found = {name: look(function, name, given[name]) for name, look in known.items() if given[name] is not None or name == "devices"}
    return {name: value for name, value in found.items() if value is not None}

# Schemas of documents whose names are converted.
_FORMER_SCHEMAS = ("stagecut-profile-1", "stagecut-plan-1", "stagecut-plan-2")


def _text(function: str, name: str, value: Any) -> str:
    if isinstance(value, Mapping) and value.get("schema") in _FORMER_SCHEMAS:
        warnings.warn(f"stagecut.{function}: {name} is of {value['schema']}: its names are read until 0.3", DeprecationWarning, stacklevel=3)
    return json.dumps(_words.document(function, name, value), default=_plain)


def _renamed(function: str, name: str, value: Any, former: str, former_value: Any) -> Any:
    """The value of a keyword that had another name before 0.2."""
    if former_value is None:
        return value
    if value is not None:
        raise TypeError(f"stagecut.{function}: {former} is the former name of {name}, which is given, too")
    warnings.warn(f"stagecut.{function}: {former} is now {name}: it is read until 0.3", DeprecationWarning, stacklevel=3)
    return former_value


def _plain(value: Any) -> Any:
    """What numpy holds, as JSON can say it."""
    if isinstance(value, numpy.ndarray):
        return value.tolist()
    if isinstance(value, numpy.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} is nothing that JSON knows")


def chain(forward: Numbers, backward: Numbers | None = None, *, name: str = "", names: Sequence[str] | None = None,
          output: Numbers | None = None, parameters: Numbers | None = None, activations: Numbers | None = None) -> Profile:
    """The profile of a chain of layers: seconds and bytes of a microbatch, a value a layer.

    Without `backward`, it is twice as long as forward."""
    given = {"forward": forward, "backward": backward, "output": output, "parameters": parameters, "activations": activations}
    columns = {column: _words.each("chain", column, values, _words.number) for column, values in given.items()
               if values is not None or column == "forward"}
    columns.setdefault("backward", [2 * each for each in columns["forward"]])
    if names is not None:
        columns["name"] = _words.each("chain", "names", names, _words.text)
    layers: list[Any] = [{"name": f"layer{i}"} for i in range(len(columns["forward"]))]
    for column, values in columns.items():
        if len(values) != len(layers):
            raise _words.wrong("chain", "names" if column == "name" else column, f"{len(values)} values",
                               f"must be as many as forward has, {len(layers)}")
        for layer, value in zip(layers, values):
            layer[column] = value
    return {"schema": "stagecut-profile-2", "name": name, "layers": layers}


def read_profile(path: str | os.PathLike[str]) -> Profile:
    """The profile in a file of any format that stagecut reads.

    Raises InvalidInput, with the place, for what is none."""
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        text = file.read()
    return json.loads(_core.read_profile(text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"), os.fsdecode(path)))


def plan(profile: Mapping[str, Any], devices: SupportsIndex, *, microbatches: SupportsIndex | None = None, schedule: str | None = None,
         stages_per_rank: SupportsIndex | Counts | None = None, group: SupportsIndex | None = None, method: str | None = None,
         objective: str | None = None, time_weight: SupportsFloat | None = None, weights: Numbers | None = None,
         imbalance: SupportsFloat | None = None, cpus: SupportsIndex | None = None, at_most: bool = False, inference: bool = False,
         recompute: Sequence[str] | str | None = None, slices: SupportsIndex | None = None, empty_stages: bool = False,
         replicas: SupportsIndex | Counts | None = None, tensor_parallel: SupportsIndex | Counts | str | None = None,
         device_size: SupportsIndex | None = None, in_flight: Counts | str | None = None, memory: Size | Sizes | None = None,
         memory_reserve: Size | None = None, memory_buffer: SupportsFloat | None = None, boundary_buffers: SupportsFloat | None = None,
         optimizer: str | float | None = None, checkpoint: str | None = None, bandwidth: Size | Sizes | None = None,
         latency: SupportsFloat | Numbers | None = None, transfers: str | None = None, topology: Sequence[Sequence[Any]] | None = None,
         speeds: Numbers | None = None, forbid_cut: Sequence[SupportsIndex | str] | numpy.ndarray | None = None,
         keep_together: Sequence[Sequence[SupportsIndex | str]] | None = None, target: str | None = None,
         time_limit: SupportsFloat | None = None, node_limit: SupportsIndex | None = None, start: Counts | None = None, search: bool = True,
         progress: Callable[[Progress], object] | None = None, stop: Callable[[], object] | None = None,
         chunks: SupportsIndex | None = None) -> Plan:
    """Plans a model: cuts it into stages for `devices` pipeline ranks, or with `replicas` or `tensor_parallel` for a machine of them.

    Words and defaults are those of `stagecut plan`. Times are in seconds, memory and messages in bytes.

    microbatches: in an iteration; with `replicas`, those of all replicas together.
    schedule: a name of `stagecut schedules`; "auto": the best of the usual ones.
    stages_per_rank: a number; or a list, where `microbatches` are known: the best of them.
    group: microbatches of a group of the interleaved schedule.
    method: the measure of stages, the method for a graph, or "modules" for a module tree.
    objective: what is minimised.
    time_weight: W of W * time + (1 - W) * memory, the cost of stages.
    weights: a weight of each layer, which is the cost of stages.
    imbalance: with the method "communication", the excess of a device over the mean: 0.3 is 30 %.
    cpus: for a graph, CPUs that take a stage, too; those of the machine in the profile by default.
    at_most: for a graph, and with `replicas`, whether fewer devices will do.
    inference: whether the model serves: forward passes alone.
    recompute: recomputations of layers, planned together with the cut: "auto" for all that layers have, or a list of names.
    slices: of each sequence, each with its own passes.
    empty_stages: with `recompute` or `slices`, whether stages may have no layers.
    replicas: numbers of replicas that a stage may have.
    tensor_parallel: tensor-parallel degrees that a stage may have; "auto": those for which layers have shardings.
    device_size: with either, processors in each device.
    in_flight: microbatches in flight of each stage; "auto": chosen together with the cut.
    memory: of every device, or one value each, or "none". By default the memory of the device for which the profile was computed, less
        `memory_reserve` (4 GiB).
    memory_buffer: the fraction of the memory that stays free.
    boundary_buffers: buffers of each tensor at the ends of a stage (2).
    optimizer: its name, or resident bytes per byte of parameters.
    checkpoint: the microbatches for which all activations are recomputed: "never", "except_last", "always".
    bandwidth, latency, transfers: of the links between stages, and what a message occupies.
    topology: devices in groups, innermost first, each a size, a bandwidth and a latency: [(8, "300GB"), (4, "25GB", 5e-6)].
    speeds: of each device; 1 is as profiled.
    forbid_cut: layers, by number from 0 or by name, with no cut directly after them.
    keep_together: pairs of a first and a last layer, by number or by name: one stage has both and all layers between them.
    target: the framework that runs the plan.
    time_limit, node_limit: end the search. By default a number of nodes, about ten seconds: the same plan on every machine.
    start: a cut, as `plan["cuts"]`: the plan is not worse, if the cut breaks no rule.
    search: False: the plan of `start` itself, with a UserWarning of the rules that it breaks.
    progress, stop: called with the current state, and ten times a second; where `stop` returns true, the plan so far is returned.
        Other threads of Python run meanwhile.
    chunks: the former name of `stages_per_rank`, with a DeprecationWarning.

    `combinations` lists what goes together. A keyword that the plan would not use raises an ArgumentError with its name. Warns, with
    a UserWarning, if the makespan was not minimised because of too many passes. Raises ArgumentError and InvalidInput, Infeasible if
    there is no such plan, NoAnswer if none was found in time; and what `progress` and `stop` raise."""
    stages_per_rank = _renamed("plan", "stages_per_rank", stages_per_rank, "chunks", chunks)
    request = _request("plan", _OF_PLAN, locals())
    if not search:
        request["search"] = False
    made, warning = _core.plan(_text("plan", "profile", profile), json.dumps(request), _words.callback("plan", "progress", progress),
                               _words.callback("plan", "stop", stop))
    if warning:
        warnings.warn(f"stagecut.plan: {warning}", stacklevel=2)
    return json.loads(made)


def combinations() -> list[Combination]:
    """What goes together in a request, and what its answer proves: what `stagecut plan --combinations` prints.

    One row for each `problem`, a kind of request, and each `part` that it may have. `proof` is "exact", "bound" for a plan and a
    lower bound, or "no" where it is refused; `why` is the reason, or a remark."""
    return json.loads(_core.combinations())


def verify(plan: Mapping[str, Any], profile: Mapping[str, Any] | None = None) -> list[Check]:
    """Checks a plan against the profile that was planned, by default the plan's own: what `stagecut verify` prints.

    Each check has a name, `check`, and a `result`: "holds", "does not hold" or "not checked". Where they are known, `place` and `why`
    say what is wrong, and `plan` and `profile` are the plan's figure and the one computed from the profile."""
    return json.loads(_core.verify(_text("verify", "plan", plan), None if profile is None else _text("verify", "profile", profile)))


def sweep(profile: Mapping[str, Any], *, devices: SupportsIndex | Counts, microbatches: SupportsIndex | Counts,
          schedules: Sequence[str] | str | None = None, stages_per_rank: SupportsIndex | Counts | None = None,
          recompute: Sequence[str] | None = None, memory: Size | Sizes | None = None, memory_reserve: Size | None = None,
          memory_buffer: SupportsFloat | None = None, boundary_buffers: SupportsFloat | None = None,
          optimizer: str | float | None = None, bandwidth: Size | Sizes | None = None, latency: SupportsFloat | Numbers | None = None,
          transfers: str | None = None, topology: Sequence[Sequence[Any]] | None = None, speeds: Numbers | None = None,
          forbid_cut: Sequence[SupportsIndex | str] | numpy.ndarray | None = None,
          keep_together: Sequence[Sequence[SupportsIndex | str]] | None = None, all: bool = False,
          threads: SupportsIndex | None = None, time_limit: SupportsFloat | None = None, node_limit: SupportsIndex | None = None,
          progress: Callable[[SweepProgress], object] | None = None, stop: Callable[[], object] | None = None) -> list[SweepRow]:
    """Plans every combination of the lists by its makespan, and marks those that no other beats in time and in memory.

    Words and defaults are those of `stagecut sweep`; keywords that `plan` has, too, mean the same.

    devices, microbatches, stages_per_rank: numbers, or lists of them; [1, 2] stages per rank by default.
    schedules: names; "auto", the default: the usual ones.
    recompute: "never", "always" or both: whether activations are recomputed; ["never"] by default.
    all: whether to plan configurations, too, whose bounds show that another one is faster and needs less memory.
    threads: that plan at once; by default as many as the machine has. The rows do not depend on it.
    node_limit, time_limit: of the search of each configuration; 1000 nodes by default.

    Returns a row for each configuration, with the columns of `stagecut sweep --csv`: `front` is true for the Pareto front, `memory` is
    the peak of the fullest device. Figures that are not known are None; `why` then says why there is no plan."""
    request = _request("sweep", _OF_SWEEP, locals())
    return json.loads(_core.sweep(_text("sweep", "profile", profile), json.dumps(request), _words.callback("sweep", "progress", progress),
                                  _words.callback("sweep", "stop", stop)))


def _run(function: str, schedule: Any, microbatches: Any, schedule_text: Any, merge_backward: Any) -> tuple[str | None, int, str | None, bool]:
    return (None if schedule is None else _words.text(function, "schedule", schedule),
            0 if microbatches is None else _words.count(function, "microbatches", microbatches),
            None if schedule_text is None else _words.text(function, "schedule_text", schedule_text), bool(merge_backward))


def simulate(plan: Mapping[str, Any], *, schedule: str | None = None, microbatches: SupportsIndex | None = None,
             schedule_text: str | None = None, merge_backward: bool = False, order: str | None = None) -> Simulation:
    """An iteration of a plan as it will run: its makespan, how ranks spend it, and all passes as arrays.

    By another schedule, or with other microbatches, or by the schedule in a text for PyTorch (`torch-csv`), where these are given.
    `merge_backward` runs I with W behind it as one B. `order` is the former name of `schedule_text`, with a DeprecationWarning."""
    schedule_text = _renamed("simulate", "schedule_text", schedule_text, "order", order)
    run: Any = _core.simulate(_text("simulate", "plan", plan), *_run("simulate", schedule, microbatches, schedule_text, merge_backward))
    passes = run["passes"]
    passes["kind"] = numpy.array(passes.pop("letters"))[passes["kind"]]
    return run


def explain(plan: Mapping[str, Any], *, target: str | None = None, stop: Callable[[], object] | None = None) -> Explanation:
    """What holds the iteration of a plan of a chain, and what would help: what `stagecut explain --format json` says.

    Where `stop` is true, what is known so far is returned."""
    name = None if target is None else _words.text("explain", "target", target)
    return json.loads(_core.explain(_text("explain", "plan", plan), name, _words.callback("explain", "stop", stop)))


def compare(plans: Sequence[Mapping[str, Any]]) -> list[Simulation]:
    """What each plan's iteration comes to, with `relative`: its makespan by the shortest of all."""
    if isinstance(plans, Mapping):
        raise TypeError("stagecut.compare: plans is one plan, and must be a list of them")
    told = [simulate(each) for each in plans]
    least = min((each["makespan"] for each in told), default=0.0)
    for each in told:
        each["relative"] = each["makespan"] / least if least > 0 else 1.0
    return told


def format(plan: Mapping[str, Any], name: str, *, schedule: str | None = None, microbatches: SupportsIndex | None = None,
           schedule_text: str | None = None, merge_backward: bool = False, order: str | None = None) -> str:
    """What a framework is told of a plan: `megatron`, `deepspeed`, `pytorch` and the others that `stagecut formats` lists for plans.

    `torch-csv`, `torch-comms` and `torch-comms-2.9` are orders of passes for PyTorch's pipeline runtime: these alone may be of
    another schedule, as for `simulate`. Raises NotRepresentable for a plan that the framework cannot express."""
    schedule_text = _renamed("format", "schedule_text", schedule_text, "order", order)
    return _core.format(_text("format", "plan", plan), _words.text("format", "name", name),
                        *_run("format", schedule, microbatches, schedule_text, merge_backward))
