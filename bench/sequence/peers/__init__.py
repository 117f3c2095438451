# SPDX-License-Identifier: BSL-1.0
"""Partitioners of chains, and chains to cut, side by side: `bench/peers`.

A partitioner takes the weights of the items and the number of stages k, and returns the k + 1 cut points, from 0 to n. An
instance is a name and its weights, and if you like the numbers of stages to cut it into. example.py registers one of each:
`bench/peers --with FILE` adds yours.
"""

import dataclasses
import typing

PARTITIONERS = {}
INSTANCES = {}


@dataclasses.dataclass(frozen=True)
class Partitioner:
    cut: typing.Callable
    work: typing.Callable | None
    given: typing.Callable


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
