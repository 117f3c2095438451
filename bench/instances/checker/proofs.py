# SPDX-License-Identifier: BSL-1.0
"""Proves bounds again, without the library: `check --prove`.

Each function takes an instance and its bound, and returns in words how it is proved, or raises Unsettled. A function that omits a
rule, such as memory, relaxes the instance, so its proof holds.
"""

import bisect
import itertools

from checker import Refused, value_of

MOST_CUTS = 2000
MOST_STAGES = 100_000


class Unsettled(Exception):
    """These simple methods do not settle it."""


class Layers:
    """Sums over the layers of a chain, from one to before another."""

    def __init__(self, instance):
        self.count = len(instance["forward"])
        zeros = [0] * self.count
        self.forward = [0, *itertools.accumulate(instance["forward"])]
        self.backward = [0, *itertools.accumulate(instance.get("backward", zeros))]
        self.time = [sum(pair) for pair in zip(self.forward, self.backward)]
        self.resident = [0, *itertools.accumulate(instance.get("resident", zeros))]
        self.activations = [0, *itertools.accumulate(instance.get("activations", zeros))]
        self.memory = instance.get("memory")

    def fits(self, first, last, microbatches, replicas=1):
        kept = microbatches * (self.activations[last] - self.activations[first]) // replicas
        return self.memory is None or self.resident[last] - self.resident[first] + kept <= self.memory


def farthest(count, stages, may):
    """The furthest end of this many stages, each as long as allowed. Any part of an allowed stage is allowed, so none reaches
    farther."""
    first = 0
    for s in range(stages):
        last = first
        while last < count and may(s, first, last + 1):
            last += 1
        first = last
    return first


def bottleneck(instance, bound):
    layers, stages = Layers(instance), instance["devices"] * instance.get("stages_per_rank", 1)
    reached = farthest(layers.count, stages, lambda s, first, last: layers.time[last] - layers.time[first] < bound and
                       layers.fits(first, last, stages - s))
    if reached == layers.count:
        raise Unsettled(f"stages below {bound} reach the end")
    return f"stages below {bound}, each as long as it may be, end at layer {reached} of {layers.count}"


def range_(instance, bound):
    layers, stages = Layers(instance), instance["devices"] * instance.get("stages_per_rank", 1)
    sums, count = layers.time, layers.count
    lightest = {sums[j] - sums[i] for i in range(count) for j in range(i + 1, count + 1)
                if sums[count] - bound * stages < (sums[j] - sums[i]) * stages <= sums[count]}  # no more than the mean
    for least in lightest:
        ends = {0}
        for _ in range(stages):
            ends = {j for i in ends for j in range(max(i + 1, bisect.bisect_left(sums, sums[i] + least)),
                                                   bisect.bisect_left(sums, sums[i] + least + bound))}
        if count in ends:
            raise Unsettled(f"there are cuts with the lightest stage {least}")
    return f"all ends of stages, for each of {len(lightest)} weights that the lightest stage may have"


def gpipe(instance, bound):
    """All passes of one microbatch, and the slowest passes of the others: exactly the smallest makespan."""
    layers, stages, others = Layers(instance), instance["devices"], instance["microbatches"] - 1
    left = bound - 1 - layers.time[layers.count] - messages(instance, 2 * (stages - 1))
    slowest = {b - a for a, b in itertools.combinations(layers.forward, 2)}
    for forward in slowest:
        backward = left - others * forward
        if backward >= 0 and farthest(layers.count, stages, lambda s, first, last:
                                      layers.forward[last] - layers.forward[first] <= forward and
                                      others * (layers.backward[last] - layers.backward[first]) <= backward) == layers.count:
            raise Unsettled(f"there are cuts with forward passes up to {forward}")
    return f"the longest stages, for each of {len(slowest)} times that the slowest forward pass may take"


def messages(instance, number):
    return number * instance["message"]["time"] if "message" in instance else 0


def one_forward_one_backward(instance, bound):
    """Simulates the cuts in which no single stage takes too long. A stage waits for the first microbatch, runs all its passes,
    and the last one goes back; and from its first backward pass on it runs all but the forward passes before that."""
    layers, stages, microbatches = Layers(instance), instance["devices"], instance["microbatches"]

    def may(s, first, last):
        forward = layers.forward[last] - layers.forward[first]
        backward = layers.backward[last] - layers.backward[first]
        before = min(stages - s, microbatches)
        alone = layers.time[first] + messages(instance, 2 * s) + microbatches * (forward + backward)
        behind = (layers.time[layers.count] + messages(instance, 2 * (stages - 1)) + (microbatches - 1) * backward +
                  (microbatches - before) * forward)
        return max(alone, behind) < bound and layers.fits(first, last, before)

    number, cuts = cuts_of(layers.count, stages, may)
    if number > MOST_CUTS:
        raise Unsettled(f"{number} cuts would have to be simulated")
    for each in cuts:
        try:
            value = value_of(instance, {"cuts": each})
        except Refused:
            continue
        if value < bound:
            raise Unsettled(f"cuts {each} are worth {value}")
    return f"one stage alone takes too long or too much in all cuts but {number}, which were simulated"


def cuts_of(count, stages, may):
    """The number of cuts with allowed stages, and all of them."""
    ways = [[0] * count + [1]]  # the number of cuts from a layer on, by stages
    ends = []
    for s in reversed(range(stages)):
        ends.append([[last for last in range(first + 1, count + 1) if ways[-1][last] and may(s, first, last)]
                     for first in range(count)])
        ways.append([sum(ways[-1][last] for last in each) for each in ends[-1]] + [0])
    ends.reverse()

    def walk(cuts):
        if len(cuts) == stages + 1:
            yield cuts
        else:
            for last in ends[len(cuts) - 1][cuts[-1]]:
                yield from walk([*cuts, last])

    return ways[-1][0], walk([0])


def order(instance, bound):
    """A rank waits for the first microbatch and runs all its passes; unsplit backward passes go back to stage 0, too."""
    rank_of, microbatches = instance["rank_of"], instance["microbatches"]
    kinds = ["forward", "backward"] if "backward" in instance else ["forward", "backward_input", "backward_weight"]
    hops = [0, *itertools.accumulate(messages(instance, a != b) for a, b in zip(rank_of, rank_of[1:]))]

    def before(kind, stage):
        return sum(instance[kind][:stage]) + hops[stage]

    shown = 0
    for rank in set(rank_of):
        own = [s for s, at in enumerate(rank_of) if at == rank]
        runs = microbatches * sum(instance[kind][s] for kind in kinds for s in own)
        tail = min(before("backward", s) for s in own) if "backward" in instance else 0
        shown = max(shown, min(before("forward", s) for s in own) + runs + tail)
    if shown < bound:
        raise Unsettled(f"one rank alone, what it waits for and all its passes, shows {shown}")
    return "one rank alone takes as long: what it waits for, and all its passes"


def least_sum(instance, layers, most):
    """The smallest sum of the times of stages, with replicas and within memory, none above `most`; None if there is none."""
    microbatches, least = instance["microbatches"], None
    known = {(layers.count, 0): 0}  # by first layer and devices: with one more stage per round
    for behind in range(min(instance["devices"], layers.count)):
        after = {}
        for (last, used), value in known.items():
            for replicas in instance["replicas"]:
                if used + replicas > instance["devices"]:
                    continue
                for first in reversed(range(last)):
                    time = (layers.time[last] - layers.time[first]) // replicas
                    if time > most or not layers.fits(first, last, min(microbatches, behind + 1), replicas):
                        break
                    at = first, used + replicas
                    if value + time < after.get(at, float("inf")):
                        after[at] = value + time
        least = min((value for value in (least, *(v for (first, _), v in after.items() if not first)) if value is not None),
                    default=None)
        known = after
    return least


def stage_time(instance, bound):
    if least_sum(instance, Layers(instance), bound - 1) is not None:
        raise Unsettled(f"there are stages below {bound}")
    return "all stages with all replicas, from the last layer to the first"


def pipeline_latency(instance, bound):
    """The least sum of plans with stages up to `most` says which slowest stage such a plan can have, to be better: less than
    `most`. So on, until there are no such stages."""
    layers, others = Layers(instance), instance["microbatches"] - 1
    most, looks = layers.time[-1], 0
    while True:
        sum_ = least_sum(instance, layers, most)
        looks += 1
        if sum_ is None:
            return f"all stages with all replicas, for {looks} limits of the slowest one"
        below = (bound - 1 - sum_) // others
        if below >= most:
            raise Unsettled(f"stages up to {most} with the sum {sum_} are not excluded")
        most = below


def graph(instance, bound):
    """Order ideals of operators, by the smallest number of stages that reaches them."""
    count = len(instance["time"])
    one = list(range(count))  # per operator the first of its group
    for group in instance.get("groups", []):
        for operator in group:
            one[operator] = min(group)
    at = {each: i for i, each in enumerate(sorted(set(one)))}
    one = [at[each] for each in one]
    zeros = [0] * count
    time, holds, needs = [0] * len(at), [0] * len(at), [0] * len(at)
    nets = {}
    for operator in range(count):
        time[one[operator]] += instance["time"][operator]
        holds[one[operator]] += instance.get("resident", zeros)[operator]
    for begin, end in instance["edges"]:
        if one[begin] != one[end]:
            needs[one[end]] |= 1 << one[begin]
            nets[begin] = nets.get(begin, 1 << one[begin]) | 1 << one[end]
    left = full = (1 << len(at)) - 1
    while left:
        ready = sum(1 << i for i, need in enumerate(needs) if left >> i & 1 and not need & left)
        if not ready:
            raise Unsettled("groups wait for each other in a circle")
        left &= ~ready
    sent = instance.get("sent", zeros)
    nets = [(mask, sent[operator]) for operator, mask in nets.items() if sent[operator]]
    limit = instance.get("memory", float("inf"))
    reached, new, looked_at = {0}, {0}, 0
    for _ in range(instance["devices"]):
        found = set()
        for before in new:
            grown, seen = [(before, 0, 0)], {before}
            while grown:
                set_, takes, keeps = grown.pop()
                for i, need in enumerate(needs):
                    more = set_ | 1 << i
                    if more == set_ or need & ~set_ or more in seen or takes + time[i] >= bound or keeps + holds[i] > limit:
                        continue
                    seen.add(more)
                    looked_at += 1
                    if looked_at > MOST_STAGES:
                        raise Unsettled(f"more than {MOST_STAGES} stages would have to be looked at")
                    grown.append((more, takes + time[i], keeps + holds[i]))
                    if more not in reached and more not in found:
                        stage = more & ~before
                        if takes + time[i] + sum(cost for mask, cost in nets if mask & stage and mask & ~stage) < bound:
                            found.add(more)
        if full in found:
            raise Unsettled(f"there are stages below {bound}")
        new = found
        reached |= found
    return f"all {len(reached)} sets of operators that stages below {bound} come to"


METHODS = {("chain", "bottleneck"): bottleneck, ("chain", "range"): range_, ("chain", "gpipe"): gpipe,
           ("chain", "1f1b"): one_forward_one_backward, ("order", "makespan"): order, ("graph", "load"): graph,
           ("replication", "stage-time"): stage_time, ("replication", "pipeline-latency"): pipeline_latency}


def prove(instance):
    """How the bound of the instance is proved. Raises Unsettled."""
    of = instance["problem"], instance["objective"]
    if of == ("chain", "makespan"):
        of = "chain", instance["schedule"]
    if of not in METHODS:
        raise Unsettled("no simple means are here for it")
    return METHODS[of](instance, instance["bound"]["value"])
