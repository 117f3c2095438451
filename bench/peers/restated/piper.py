# SPDX-License-Identifier: BSL-1.0
"""Piper (Tarnawski and others, NeurIPS 2021, section 4): stages and their replicas within memory, the slowest stage as fast as
can be, by a dynamic program from the last stage to the first.

Sets of layers that are closed under what they need are the prefixes here, as instances are chains. Left out: layers shared by
devices, recomputation, messages. A stage keeps as many microbatches as stages stand behind it and one, each replica its share,
as the instance has it; in the paper replicas keep whole microbatches in turn.
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
