# SPDX-License-Identifier: BSL-1.0
"""The types of profiles and plans, made from the JSON schemas by examples/python/schemas.py; those say what each member is."""

from typing import Any, TypedDict

import numpy

Profile = TypedDict("Profile", {
    "schema": "str",
    "name": "str",
    "weights_only": "bool",
    "inference": "bool",
    "layers": "list[Layer]",
    "edges": "list[list[int]]",
    "machine": "ProfileMachine",
}, total=False)

Layer = TypedDict("Layer", {
    "name": "str",
    "kind": "str",
    "forward": "float",
    "backward": "float",
    "backward_input": "float",
    "backward_weight": "float",
    "parameters": "float",
    "resident": "float",
    "activations": "float",
    "output": "float",
    "workspace": "float",
    "recomputed": "float",
    "update": "float",
    "group": "str",
    "tied": "list[Tied]",
    "modules": "list[str]",
    "recomputation": "str",
    "recomputations": "list[Variant]",
    "shardings": "list[Variant]",
    "children": "list[int]",
    "cpu": "float",
    "stage": "int",
    "accelerator": "bool",
    "pass": "str",
    "whole_backward": "bool",
}, total=False)

Tied = TypedDict("Tied", {
    "name": "str",
    "bytes": "float",
    "resident": "float",
    "placement": "str",
}, total=False)

Variant = TypedDict("Variant", {
    "name": "str",
    "tensor_parallel": "int",
    "recomputation": "str",
    "forward": "float",
    "backward": "float",
    "backward_input": "float",
    "backward_weight": "float",
    "parameters": "float",
    "resident": "float",
    "activations": "float",
    "output": "float",
    "workspace": "float",
    "recomputed": "float",
    "update": "float",
}, total=False)

ProfileMachine = TypedDict("ProfileMachine", {
    "devices": "int",
    "cpus": "int",
    "memory": "float",
    "latency": "float",
    "bandwidth": "float",
    "buffers": "bool",
}, total=False)

Plan = TypedDict("Plan", {
    "schema": "str",
    "cuts": "list[int]",
    "assignment": "list[int]",
    "edges": "list[PlanEdges]",
    "choices": "list[PlanChoices]",
    "own_microbatches": "bool",
    "objective": "PlanObjective",
    "devices": "int",
    "stages_per_rank": "int",
    "stages": "list[Stage]",
    "schedule": "PlanSchedule",
    "memory": "PlanMemory",
    "speeds": "list[float]",
    "messages": "PlanMessages",
    "makespan": "float",
    "timeline": "list[list[Any]]",
    "profile_hash": "str",
    "profile": "Profile",
}, total=False)

PlanEdges = TypedDict("PlanEdges", {
    "from": "int",
    "to": "int",
    "bytes": "float",
}, total=False)

PlanChoices = TypedDict("PlanChoices", {
    "recomputation": "str",
    "sharding": "str",
}, total=False)

PlanObjective = TypedDict("PlanObjective", {
    "name": "str",
    "of": "str",
    "value": "float",
    "bound": "float",
    "state": "str",
}, total=False)

Stage = TypedDict("Stage", {
    "first": "int",
    "last": "int",
    "time": "float",
    "device": "int",
    "cpu": "bool",
    "replicas": "int",
    "tensor_parallel": "int",
    "forward": "float",
    "backward": "float",
    "backward_kept": "float",
    "backward_input": "float",
    "backward_weight": "float",
    "all_reduce": "float",
    "in_flight": "int",
    "memory": "StageMemory",
}, total=False)

StageMemory = TypedDict("StageMemory", {
    "resident": "float",
    "activations": "float",
    "recomputed": "float",
    "recomputed_apart": "float",
    "workspace": "float",
    "buffers": "float",
}, total=False)

PlanSchedule = TypedDict("PlanSchedule", {
    "name": "str",
    "microbatches": "int",
    "group": "int",
    "slices": "int",
    "orders": "list[list[list[str] | str]]",
}, total=False)

PlanMemory = TypedDict("PlanMemory", {
    "optimizer": "str",
    "parameter_multiplier": "float",
    "checkpoint": "str",
    "boundary_buffers": "float",
    "memory_limit": "float | list[float]",
    "buffer_fraction": "float",
}, total=False)

PlanMessages = TypedDict("PlanMessages", {
    "kind": "str",
    "links": "list[PlanMessagesLinks]",
}, total=False)

PlanMessagesLinks = TypedDict("PlanMessagesLinks", {
    "latency": "float",
    "bandwidth": "float",
}, total=False)


class Progress(TypedDict):
    """How far a search is."""

    seconds: float
    makespan: float  # of the best plan so far; 0: there is none yet
    bound: float  # no plan has less
    nodes: int


class SweepProgress(TypedDict):
    """How far a sweep is."""

    seconds: float
    done: int  # configurations that are known
    dominated: int  # of these, those that need no plan
    rows: int  # configurations


class SweepRow(TypedDict):
    """A configuration of a sweep; what is not known is None."""

    devices: int
    microbatches: int
    schedule: str
    stages_per_rank: int
    checkpoint: str
    state: str
    makespan: "float | None"
    bound: "float | None"
    per_microbatch: "float | None"
    memory: "float | None"
    memory_bound: "float | None"
    front: bool
    dominated: bool
    why: str


class Combination(TypedDict):
    """What a plan proves where its request has a part."""

    problem: str
    part: str
    proof: str
    why: str


class Check(TypedDict, total=False):
    """One claim of a plan, held against its profile."""

    check: str
    result: str
    place: str
    why: str
    plan: float
    profile: float


class Passes(TypedDict):
    """All passes of an iteration, a value each: by rank, and on each rank in its order."""

    rank: numpy.ndarray
    stage: numpy.ndarray
    microbatch: numpy.ndarray
    kind: numpy.ndarray  # of str: F, B, I or W
    start: numpy.ndarray
    end: numpy.ndarray


class Simulation(TypedDict, total=False):
    """An iteration as it will run; arrays have a value a rank."""

    schedule: str
    makespan: float
    span: float
    busy: numpy.ndarray
    blocked: numpy.ndarray
    idle: numpy.ndarray
    peak_memory: numpy.ndarray
    passes: Passes
    relative: float


Explanation = dict[str, Any]
