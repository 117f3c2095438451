# SPDX-License-Identifier: BSL-1.0
"""Piper (Tarnawski and others, NeurIPS 2021, section 4): stages and their replicas within memory, with the smallest bottleneck,
by a dynamic program from the last stage to the first.

The order ideals are prefixes here, as instances are chains. Omits layers shared by devices, recomputation, and messages. A stage
keeps one microbatch per stage from itself on, each replica its share, as in the instance; in the paper replicas keep whole
microbatches in turn.
"""

from peers import Skipped, planner
from peers.restated.chain_sums import Sums
from peers.restated.from_the_end import best_end, read, states


@planner("Piper, re-stated", "replication")
def piper(instance):
    layers = states(Sums(instance), instance, float("inf"), max)
    found = best_end(layers)
    if not found:
        raise Skipped("nothing fits")
    return read(layers, *found[1:])
