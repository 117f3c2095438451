# SPDX-License-Identifier: BSL-1.0
"""Planners and problems side by side: `bench/peers/run`.

A partitioner takes the weights of the items of a chain and the number of stages k, and returns the k + 1 cut points, from 0 to
n. An instance is a name and its weights, and if you like the numbers of stages to cut it into. example.py registers one of
each: `bench/peers/run --with FILE` adds yours.

A planner takes an instance of bench/instances, as its JSON has it, and returns a solution: `bench/peers/run --instances`.
Partitioners take part there as well, on chains.
"""

import dataclasses
import typing

PARTITIONERS = {}
INSTANCES = {}
PLANNERS = {}


@dataclasses.dataclass(frozen=True)
class Partitioner:
    cut: typing.Callable
    work: typing.Callable | None
    given: typing.Callable


class Skipped(Exception):
    """Raised by a planner for an instance that is none of its own, with the reason."""


def partitioner(name, *, work=None, given=list):
    """Registers `cut(weights, k)`. `work(n, k)`: what its time is proportional to; where that foretells more than the time
    limit, it is not tried. `given`: the type that it takes weights in; the clock does not run while they are converted."""

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
    """Registers `plan(instance)` for instances of these problems: chain, order, graph, recomputation, cut-and-order,
    replication. It returns what stands in an answer as "solution", or raises Skipped."""

    def register(plan):
        for problem in problems:
            PLANNERS.setdefault(problem, {})[name] = plan
        return plan

    return register
