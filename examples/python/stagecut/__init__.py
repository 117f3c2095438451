# SPDX-License-Identifier: BSL-1.0
"""Cuts neural networks into pipeline stages.

Profiles and plans are dictionaries, as stagecut's JSON files hold them: `json.load` reads them, `json.dump` writes them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict, Union

import numpy

from . import _core
from ._errors import ArgumentError, Infeasible, InvalidInput, NoAnswer
from ._schemas import Explanation, Plan, Profile, Progress, Simulation

__all__ = ["ArgumentError", "Explanation", "Infeasible", "InvalidInput", "NoAnswer", "Plan", "Profile", "Progress",
           "Simulation", "chain", "compare", "explain", "format", "plan", "read_profile", "simulate"]
__version__ = _core.version

Numbers = Union[Sequence[float], numpy.ndarray]
Size = Union[float, str]  # bytes, or as 80GiB


def _text(document: Mapping[str, Any]) -> str:
    return json.dumps(document, default=_plain)


def _wants(name: str, value: Any, *kinds: type) -> None:
    """Refuses, as a TypeError, what is no number or text where one is wanted."""
    if not isinstance(value, kinds) or isinstance(value, bool):
        raise TypeError(f"stagecut.plan: {name} is a {type(value).__name__}, and must be a {kinds[0].__name__}")


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
    columns = {"forward": forward, "backward": [2 * each for each in forward] if backward is None else backward, "output": output,
               "parameters": parameters, "activations": activations}
    layers: list[dict[str, Any]] = []
    for i in range(len(forward)):
        layers.append({"name": names[i] if names is not None else f"layer{i}"})
    for column, values in columns.items():
        if values is None:
            continue
        if len(values) != len(layers):
            raise ArgumentError(f"stagecut.chain: {column} has {len(values)} values, and forward {len(layers)}")
        for layer, value in zip(layers, values):
            layer[column] = float(value)
    return {"schema": "stagecut-profile-1", "name": name, "layers": layers}


def read_profile(path: str | os.PathLike[str]) -> Profile:
    """The profile in a file of any format that stagecut reads.

    Raises InvalidInput, with the place, for what is none."""
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        text = file.read()
    return json.loads(_core.read_profile(text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"), os.fspath(path)))


def plan(profile: Mapping[str, Any], devices: int, *, microbatches: int | None = None, schedule: str | None = None,
         chunks: int | None = None, group: int | None = None, method: str | None = None, objective: str | None = None,
         in_flight: Sequence[int] | str | None = None, memory: Size | Sequence[Size] | Numbers | None = None,
         optimizer: str | float | None = None, checkpoint: str | None = None, bandwidth: Size | Sequence[Size] | Numbers | None = None,
         latency: float | Numbers | None = None, transfers: str | None = None, speeds: Numbers | None = None,
         forbidden_cuts: Sequence[int] | None = None, target: str | None = None, time_limit: float | None = None,
         node_limit: int | None = None, progress: Callable[[Progress], object] | None = None,
         stop: Callable[[], object] | None = None) -> Plan:
    """Cuts a model into stages for `devices` pipeline ranks.

    Words and defaults are those of `stagecut plan`. Times are in seconds, memory and messages in bytes. `memory` is of every
    device, or one value each. `progress` is called with what is known so far; `stop` is asked ten times a second, and ends the
    search with the best plan so far if it is true. Other threads of Python run meanwhile.

    Raises ArgumentError and InvalidInput, Infeasible if there is no such plan, NoAnswer if none was found in time; and what
    `progress` and `stop` raise."""
    said = {name: value for name, value in locals().items()
            if value is not None and name not in ("profile", "progress", "stop")}
    for name in ("devices", "microbatches", "chunks", "group", "node_limit"):
        if name in said:
            _wants(name, said[name], int, numpy.integer)
    for name in ("schedule", "method", "objective", "checkpoint", "transfers", "target"):
        if name in said:
            _wants(name, said[name], str)
    if isinstance(said.get("in_flight"), str) and said["in_flight"] != "auto":
        raise ArgumentError("stagecut.plan: in_flight is a list, or \"auto\"")
    return json.loads(_core.plan(_text(profile), _text(said), progress, stop))


def simulate(plan: Mapping[str, Any], *, schedule: str | None = None, microbatches: int | None = None, order: str | None = None,
             merge_backward: bool = False) -> Simulation:
    """An iteration of a plan as it will run: its makespan, how ranks spend it, and all passes as arrays.

    By another schedule, or with other microbatches, or in the order of a text for PyTorch (`torch-csv`), where these are given.
    `merge_backward` runs I with W behind it as one B."""
    return _core.simulate(_text(plan), schedule, microbatches or 0, order, merge_backward)


def explain(plan: Mapping[str, Any], *, target: str | None = None) -> Explanation:
    """What holds the iteration of a plan of a chain, and what would help: what `stagecut explain --format json` says."""
    return json.loads(_core.explain(_text(plan), target))


def compare(plans: Sequence[Mapping[str, Any]]) -> list[Simulation]:
    """What each plan's iteration comes to, with `relative`: its makespan by the shortest of all."""
    told = [simulate(each) for each in plans]
    least = min((each["makespan"] for each in told), default=0.0)
    for each in told:
        each["relative"] = each["makespan"] / least if least > 0 else 1.0
    return told


def format(plan: Mapping[str, Any], name: str, *, schedule: str | None = None, microbatches: int | None = None,
           order: str | None = None, merge_backward: bool = False) -> str:
    """What a framework is told of a plan: `megatron`, `deepspeed`, `pytorch` and those that `stagecut formats` lists.

    `torch-csv`, `torch-comms` and `torch-comms-2.9` are orders of passes for PyTorch's pipeline runtime: these alone may be of
    another schedule, or order, as for `simulate`."""
    return _core.format(_text(plan), name, schedule, microbatches or 0, order, merge_backward)
