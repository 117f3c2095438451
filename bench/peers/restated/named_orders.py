# SPDX-License-Identifier: BSL-1.0
"""Named schedules, for stages on ranks: GPipe (Huang and others, NeurIPS 2019), 1F1B (Narayanan and others, SOSP 2019, section
3.2, and with a flush ICML 2021), ZB-H1 (Qi and others, ICLR 2024, section 2.2).

They do not depend on times. If backward passes are split, GPipe and 1F1B run both parts at once. ZB-H1 is 1F1B with deferred W:
on rank r each runs once r more inputs' gradients have been computed, so that no rank keeps more than the first. If a cut is also
requested, it is the one with the smallest bottleneck that fits.
"""

from peers import Skipped, planner
from peers.restated.chain_sums import Sums


def words(passes):
    return " ".join(f"{stage}{kind}{microbatch}" for stage, kind, microbatch in passes)


def whole(stage, microbatch, split):
    return [(stage, kind, microbatch) for kind in ("IW" if split else "B")]


def gpipe(rank, ranks, microbatches, split):
    forward = [(rank, "F", m) for m in range(microbatches)]
    return forward + [each for m in range(microbatches) for each in whole(rank, m, split)]


def one_forward_one_backward(rank, ranks, microbatches, split):
    ahead = min(ranks - rank - 1, microbatches)
    order = [(rank, "F", m) for m in range(ahead)]
    for m in range(microbatches):
        if m + ahead < microbatches:
            order.append((rank, "F", m + ahead))
        order += whole(rank, m, split)
    return order


def zb_h1(rank, ranks, microbatches, split):
    if not split:
        raise Skipped("backward passes are whole")
    ahead = min(ranks - rank - 1, microbatches)
    order, weights = [(rank, "F", m) for m in range(ahead)], 0
    for m in range(microbatches):
        if m + ahead < microbatches:
            order.append((rank, "F", m + ahead))
        order.append((rank, "I", m))
        if m >= rank:
            order.append((rank, "W", weights))
            weights += 1
    return order + [(rank, "W", m) for m in range(weights, microbatches)]


def orders(make, ranks, microbatches, split):
    return [words(make(rank, ranks, microbatches, split)) for rank in range(ranks)]


def lightest_cut(instance, kept):
    """The dynamic program for the smallest bottleneck that has memory for `kept(s)` microbatches."""
    both = [i + w for i, w in zip(instance["backward_input"], instance["backward_weight"])]
    sums, devices = Sums({**instance, "backward": both}), instance["devices"]
    best = [{0: (0, None)}]
    for s in range(devices):
        layer = {}
        for last in range(s + 1, sums.count + 1):
            for first in range(last - 1, -1, -1):
                holds = sums.of(sums.resident, first, last) + kept(s) * sums.of(sums.activations, first, last)
                if holds > instance["memory"]:
                    break
                if first in best[s]:
                    value = max(best[s][first][0], sums.of(sums.time, first, last))
                    if last not in layer or value < layer[last][0]:
                        layer[last] = value, first
        best.append(layer)
    if sums.count not in best[-1]:
        raise Skipped("nothing fits")
    cuts = [sums.count]
    for layer in reversed(best[1:]):
        cuts.append(layer[cuts[-1]][1])
    return cuts[::-1]


# A schedule, and the number of m microbatches that stage s of p keeps.
SCHEDULES = (("GPipe", gpipe, lambda s, p, m: m), ("1F1B", one_forward_one_backward, lambda s, p, m: min(p - s, m)),
             ("ZB-H1, re-stated", zb_h1, lambda s, p, m: min(p, m)))
for name, make, kept in SCHEDULES:
    @planner(name, "order")
    def order(instance, make=make):
        rank_of = instance["rank_of"]
        if len(set(rank_of)) < len(rank_of):
            raise Skipped("several stages a rank")
        return {"orders": orders(make, len(rank_of), instance["microbatches"], "backward" not in instance)}

    @planner(f"lightest heaviest stage, {name}", "cut-and-order")
    def cut_and_schedule(instance, make=make, kept=kept):
        devices, microbatches = instance["devices"], instance["microbatches"]
        return {"cuts": lightest_cut(instance, lambda s: kept(s, devices, microbatches)),
                "orders": orders(make, devices, microbatches, True)}
