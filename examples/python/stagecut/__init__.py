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
from ._schemas import Explanation, Plan, Profile, Progress, Simulation

__all__ = ["ArgumentError", "Explanation", "Infeasible", "InvalidInput", "NoAnswer", "NotRepresentable", "Plan", "Profile", "Progress",
           "Simulation", "chain", "compare", "explain", "format", "plan", "read_profile", "simulate"]
__version__ = _core.version

Numbers = Union[Sequence[SupportsFloat], numpy.ndarray]
Counts = Union[Sequence[SupportsIndex], numpy.ndarray]
Size = Union[SupportsFloat, str]  # bytes, or as 80GiB
Sizes = Union[Sequence[Size], numpy.ndarray]

# What `plan` may be told, and how it is looked at.
_TOLD: dict[str, Callable[[str, str, Any], Any]] = {
    **dict.fromkeys(("devices", "microbatches", "stages_per_rank", "group"), _words.count),
    **dict.fromkeys(("schedule", "method", "objective", "checkpoint", "transfers", "target"), _words.text),
    "in_flight": lambda function, name, value: value if isinstance(value, str) else _words.each(function, name, value, _words.count),
    "memory": lambda function, name, value: _words.one_or_each(function, name, value, _words.positive_size),
    "memory_reserve": _words.size,
    "optimizer": lambda function, name, value: value if isinstance(value, str) else _words.number(function, name, value),
    "bandwidth": lambda function, name, value: _words.one_or_each(function, name, value, _words.positive_size),
    "latency": lambda function, name, value: _words.one_or_each(function, name, value, _words.number),
    "speeds": lambda function, name, value: _words.each(function, name, value, _words.number),
    "start": lambda function, name, value: _words.each(function, name, value, lambda *words: _words.count(*words, 0)),
    "search": lambda function, name, value: bool(value),
    "time_limit": _words.number,
    "node_limit": lambda function, name, value: _words.count(function, name, value, 0),
}


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


def _behind(profile: Mapping[str, Any], layers: Any) -> list[int]:
    """The places right behind layers, which are told by number or by name."""
    names = [each.get("name") if isinstance(each, Mapping) else None for each in profile.get("layers", ())]

    def place(function: str, name: str, value: Any) -> int:
        if not isinstance(value, str):
            return _words.count(function, name, value, 0) + 1
        if names.count(value) != 1:
            raise _words.wrong(function, name, value, "names no layer" if value not in names else "names several layers")
        return names.index(value) + 1

    return _words.each("plan", "forbid_cut", layers, place)


def plan(profile: Mapping[str, Any], devices: SupportsIndex, *, microbatches: SupportsIndex | None = None, schedule: str | None = None,
         stages_per_rank: SupportsIndex | None = None, group: SupportsIndex | None = None, method: str | None = None,
         objective: str | None = None, in_flight: Counts | str | None = None, memory: Size | Sizes | None = None,
         memory_reserve: Size | None = None, optimizer: str | float | None = None, checkpoint: str | None = None,
         bandwidth: Size | Sizes | None = None, latency: SupportsFloat | Numbers | None = None, transfers: str | None = None,
         speeds: Numbers | None = None,
         forbid_cut: Sequence[SupportsIndex | str] | numpy.ndarray | None = None, target: str | None = None,
         time_limit: SupportsFloat | None = None, node_limit: SupportsIndex | None = None, start: Counts | None = None, search: bool = True,
         progress: Callable[[Progress], object] | None = None, stop: Callable[[], object] | None = None,
         chunks: SupportsIndex | None = None) -> Plan:
    """Cuts a model into stages for `devices` pipeline ranks.

    Words and defaults are those of `stagecut plan`. Times are in seconds, memory and messages in bytes. `memory` is of every
    device, or one value each, or "none"; unsaid it is what the device has that the profile was computed for, less `memory_reserve`
    (4 GiB). `forbid_cut` are layers, by number from 0 or by name, right behind which there is no cut. `start` is a cut of your own,
    as `plan["cuts"]` of a plan: what is found is not worse, if it breaks no rule; with `search=False` its plan is told, with a
    UserWarning of what it breaks. Unless `time_limit` or `node_limit` is given, a default number of nodes, about ten seconds, ends
    the search: the same on every machine. `progress` is called with what is known so far; `stop` is asked ten times a second, and
    ends the search with the best plan so far if it is true. Other threads of Python run meanwhile. `chunks` is the former name of
    `stages_per_rank`, with a DeprecationWarning.

    Warns, with a UserWarning, too, if there are so many passes that the makespan was not minimised. Raises ArgumentError and
    InvalidInput, Infeasible if there is no such plan, NoAnswer if none was found in time; and what `progress` and `stop` raise."""
    stages_per_rank = _renamed("plan", "stages_per_rank", stages_per_rank, "chunks", chunks)
    given = locals()
    given["search"] = None if search else False
    said = {name: look("plan", name, given[name]) for name, look in _TOLD.items() if given[name] is not None or name == "devices"}
    if forbid_cut is not None:
        said["forbid_cut"] = _behind(_words.document("plan", "profile", profile), forbid_cut)
    made, warning = _core.plan(_text("plan", "profile", profile), json.dumps(said), _words.callback("plan", "progress", progress),
                               _words.callback("plan", "stop", stop))
    if warning:
        warnings.warn(f"stagecut.plan: {warning}", stacklevel=2)
    return json.loads(made)


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
    another schedule, as for `simulate`. Raises NotRepresentable for a plan that the framework cannot be told."""
    schedule_text = _renamed("format", "schedule_text", schedule_text, "order", order)
    return _core.format(_text("format", "plan", plan), _words.text("format", "name", name),
                        *_run("format", schedule, microbatches, schedule_text, merge_backward))
