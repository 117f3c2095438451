# SPDX-License-Identifier: BSL-1.0
"""SAPP's pipeline balance (MindFormers; BMPipe: Bubble-Memory Co-Optimization Strategy Planner, hal-05564425): layers and their
recomputation, with one stage per rank: the largest F + B of a stage within memory, in place of the makespan.

There it is an integer program over numbers of equal layers; here, as layers differ, a dynamic program over cuts, and for each
stage all non-dominated sums of time and memory. A stage s of S keeps S - s microbatches. Omits several stages per rank, and the
weaker forms of recomputation.
"""

from peers import Skipped, planner


def undercut(points):
    """The non-dominated ones of (memory, time, chosen), by growing memory."""
    result = []
    for point in sorted(points):
        if not result or point[1] < result[-1][1]:
            result.append(point)
    return result


@planner("SAPP's surrogate, re-stated", "recomputation")
def surrogate(instance):
    count, stages, memory = len(instance["forward"]), instance["devices"], instance["memory"]
    again = instance["recomputed"]
    best = [{count: (0, None)}]  # from the last stage: (value, how) per first layer with a stage
    fronts = {}
    for first in range(count):
        front, resident = [(0, 0, ())], 0
        for last in range(first + 1, count + 1):
            layer = last - 1
            resident += instance["resident"][layer]
            forward = instance["forward"][layer]
            keep, time = instance["activations"][layer], forward + instance["backward"][layer]
            less, longer = again["activations"][layer], forward + again["backward"][layer]
            front = undercut([(a + keep, t + time, c) for a, t, c in front] +
                             [(a + less, t + longer, (layer, c)) for a, t, c in front])
            front = [point for point in front if resident + point[0] <= memory]
            if not front:
                break
            fronts[first, last] = resident, front
    for kept in range(1, stages + 1):
        layer = {}
        for (first, last), (resident, front) in fronts.items():
            if last in best[-1]:
                fits = [point for point in front if resident + min(kept, instance["microbatches"]) * point[0] <= memory]
                if fits:
                    value = max(best[-1][last][0], fits[-1][1])
                    if first not in layer or value < layer[first][0]:
                        layer[first] = value, (last, fits[-1][2])
        best.append(layer)
    if 0 not in best[-1]:
        raise Skipped("nothing fits")
    at, cuts, recomputed = 0, [0], []
    for layer in reversed(best[1:]):
        at, chosen = layer[at][1]
        cuts.append(at)
        while chosen:
            recomputed.append(chosen[0])
            chosen = chosen[1]
    return {"cuts": cuts, "recomputed": sorted(recomputed)}
