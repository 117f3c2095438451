# SPDX-License-Identifier: BSL-1.0
"""PipeDream (Narayanan and others, SOSP 2019, section 3.1): stages and their replicas, with the smallest bottleneck.

A(j, m) is the smallest time of the slowest stage of the first j layers on m devices: the last stage takes the layers after some i
on r of them, in its time divided by r. Memory is not part of that recurrence. Omits messages, and the weights that replicas
exchange each minibatch (the instance's figures for both are for synchronous pipelines); and the option of its published program
to skip stages that hold too much.
"""

from peers import Skipped, planner
from peers.restated.chain_sums import Sums


def fastest(sums, devices, allowed):
    best = {(0, 0): (0, None)}
    for m in range(1, devices + 1):
        for j in range(1, sums.count + 1):
            found = None
            for r in allowed:
                for i in range(j - 1, -1, -1) if r <= m else ():
                    time = sums.of(sums.time, i, j) // r
                    if found and time >= found[0]:
                        break  # with fewer layers before it the stage takes longer
                    if (i, m - r) in best:
                        value = max(best[i, m - r][0], time)
                        if not found or value < found[0]:
                            found = value, (i, m - r, r)
            if found:
                best[j, m] = found
    return best


@planner("PipeDream, re-stated", "replication")
def pipedream(instance):
    sums = Sums(instance)
    best = fastest(sums, instance["devices"], instance["replicas"])
    ends = [(best[sums.count, m][0], m) for m in range(1, instance["devices"] + 1) if (sums.count, m) in best]
    if not ends:
        raise Skipped("no numbers of replicas make so few devices")
    at, cuts, replicas = (sums.count, min(ends)[1]), [sums.count], []
    while at != (0, 0):
        i, m, r = best[at][1]
        cuts.append(i)
        replicas.append(r)
        at = i, m
    return {"cuts": cuts[::-1], "replicas": replicas[::-1]}
