# SPDX-License-Identifier: BSL-1.0
"""Planners and problems side by side: `bench/peers/run`.

A partitioner takes the weights of the items of a chain and the number of stages k, and returns the k + 1 cut points, from 0 to
n. An instance is a name and its weights, and if you like the numbers of stages to cut it into. example.py registers one of
each: `bench/peers/run --with FILE` adds yours.

A planner takes an instance of bench/instances, as its JSON has it but for what is known of it, and returns a solution:
`bench/peers/run --instances`.
Partitioners take part there as well, on chains.
"""

import dataclasses
import difflib
import typing

PARTITIONERS = {}
INSTANCES = {}
PROBLEMS = "chain", "order", "graph", "recomputation", "cut-and-order", "replication"
PLANNERS = {problem: {} for problem in PROBLEMS}


@dataclasses.dataclass(frozen=True)
class Partitioner:
    cut: typing.Callable
    work: typing.Callable | None
    given: typing.Callable


class NoPlanner(Exception):
    """An invalid registration."""


class Skipped(Exception):
    """Raised by a planner for an instance that it does not support, with the reason."""


def partitioner(name, *, work=None, given=list):
    """Registers `cut(weights, k)`. `work(n, k)`: proportional to its time; if that predicts more than the time limit, it is not
    tried. `given`: the type of its weights; the clock does not run while they are converted."""

    def register(cut):
        PARTITIONERS[name] = Partitioner(cut, work, given)
        return cut

    return register


def instances(name):
    """Registers a generator of `(name, weights)` or `(name, weights, numbers of stages)`."""

    def register(generate):
        INSTANCES[name] = generate
        return generate

    return register


def planner(name, *problems):
    """Registers `plan(instance)` for instances of these problems: chain, order, graph, recomputation, cut-and-order, replication.
    It returns the "solution" of an answer, or raises Skipped. Arrays and numbers of NumPy and the like are allowed in it."""
    there_are = f"there are {', '.join(PROBLEMS)}"
    if not isinstance(name, str) or not problems:
        raise NoPlanner(f"@planner(NAME, PROBLEM…) wants a name and problems; {there_are}")
    for problem in problems:
        if problem not in PLANNERS:
            like = difflib.get_close_matches(str(problem), PROBLEMS, 1)
            meant = f" (did you mean {like[0]}?)" if like else ""
            raise NoPlanner(f"planner \"{name}\": no problem \"{problem}\"{meant}; {there_are}")
        if name in PLANNERS[problem]:
            raise NoPlanner(f"there is a planner \"{name}\" of the problem {problem} already")

    def register(plan):
        for problem in problems:
            PLANNERS[problem][name] = plan
        return plan

    return register
