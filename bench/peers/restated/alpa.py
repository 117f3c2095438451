# SPDX-License-Identifier: BSL-1.0
"""Alpa (Zheng and others, OSDI 2022, section 5.2, between operators): the sum of all stages, and B - 1 times the slowest one.

For every limit of the slowest stage, in increasing order, finds the smallest sum by a dynamic program; ends once the limit alone
exceeds the best. All devices are used. Omits clustering of operators and sharing within a mesh. Skips limits between two with the
same sum, which changes no answer.
"""

from peers import Skipped, planner
from peers.restated.chain_sums import Sums
from peers.restated.from_the_end import best_end, read, states


@planner("Alpa, re-stated", "replication")
def alpa(instance):
    sums, others = Sums(instance), instance["microbatches"] - 1
    limits = sorted({sums.of(sums.time, first, last) // r for first in range(sums.count)
                     for last in range(first + 1, sums.count + 1) for r in instance["replicas"]})
    slowest = best_end(states(sums, instance, float("inf"), max))
    least = best_end(states(sums, instance, float("inf"), int.__add__))
    if not slowest:
        raise Skipped("nothing fits")
    best = None
    for limit in limits:
        if limit < slowest[0]:
            continue  # no plan has such fast stages
        if best and least[0] + others * limit >= best[0]:
            break
        layers = states(sums, instance, limit, int.__add__)
        ends = [(layer[0, used][0], stages + 1, used) for stages, layer in enumerate(layers)
                for first, used in layer if first == 0 and used == instance["devices"]]
        if ends:
            total, stages, used = min(ends)
            if not best or total + others * limit < best[0]:
                best = total + others * limit, read(layers, stages, used)
    if not best:
        raise Skipped("nothing fits that uses all devices")
    return best[1]
