# SPDX-License-Identifier: BSL-1.0
"""dnn-partitioning (Tarnawski and others, Efficient Algorithms for Device Placement of DNN Graph Operators, NeurIPS 2020), for
throughput: the exact dynamic program over order ideals, and DPL, the same along one depth-first order.

A device takes the times of its operators and the cost of every output that enters or leaves it, once. Operators of a group count
as one. Omits CPUs and training graphs. Limits the number of sets, not the time.
"""

from peers import Skipped, planner

MOST_SETS = 1500


class Elements:
    """Groups as one operator each, in topological order."""

    def __init__(self, instance):
        count = len(instance["time"])
        element = list(range(count))
        for group in instance.get("groups", []):
            for operator in group:
                element[operator] = group[0]
        kept = sorted(set(element))
        self.members = {each: [o for o in range(count) if element[o] == each] for each in kept}
        before = {each: set() for each in kept}
        for begin, end in instance["edges"]:
            if element[begin] != element[end]:
                before[element[end]].add(element[begin])
        self.order = self.deep(before)
        place = {each: at for at, each in enumerate(self.order)}
        self.before = [sum(1 << place[b] for b in before[each]) for each in self.order]
        zeros = [0] * count
        self.time = [sum(instance["time"][o] for o in self.members[each]) for each in self.order]
        self.resident = [sum(instance.get("resident", zeros)[o] for o in self.members[each]) for each in self.order]
        nets = {}
        for begin, end in instance["edges"]:
            mask = 1 << place[element[begin]]
            nets[begin] = nets.get(begin, mask) | 1 << place[element[end]]
        self.nets = [(mask, instance["sent"][o]) for o, mask in nets.items() if "sent" in instance and mask & (mask - 1)]
        self.memory, self.devices = instance.get("memory"), instance["devices"]

    @staticmethod
    def deep(before):
        """Depth first: the operator that became ready last comes next."""
        left, after = {each: len(of) for each, of in before.items()}, {each: [] for each in before}
        for each, of in before.items():
            for one in of:
                after[one].append(each)
        ready, order = [each for each in sorted(before, reverse=True) if not left[each]], []
        while ready:
            order.append(ready.pop())
            for each in sorted(after[order[-1]], reverse=True):
                left[each] -= 1
                if not left[each]:
                    ready.append(each)
        if len(order) < len(before):
            raise Skipped("groups make a circle")
        return order

    def load(self, stage):
        """The load of a set of elements, or None if it does not fit."""
        at = [i for i in range(len(self.order)) if stage >> i & 1]
        if self.memory is not None and sum(self.resident[i] for i in at) > self.memory:
            return None
        return sum(self.time[i] for i in at) + sum(cost for mask, cost in self.nets if mask & stage and mask & ~stage)

    def best(self, sets):
        """The dynamic program over `sets`, smaller ones first."""
        layers, full = [{0: (0, 0)}], sets[-1]
        loads = {}
        for _ in range(self.devices):
            known, made = layers[-1], dict(layers[-1])
            for to in sets:
                for begin, (value, _) in known.items():
                    if begin & ~to or begin == to or to in made and made[to][0] <= value:
                        continue
                    stage = to & ~begin
                    if stage not in loads:
                        loads[stage] = self.load(stage)
                    if loads[stage] is not None and (to not in made or max(value, loads[stage]) < made[to][0]):
                        made[to] = max(value, loads[stage]), begin
            layers.append(made)
        if full not in layers[-1]:
            raise Skipped("nothing fits")
        stage_of, at = {}, full
        for number in range(self.devices, 0, -1):
            value, begin = layers[number][at]
            if layers[number - 1].get(at) == (value, begin):
                continue  # known with fewer devices
            for i, each in enumerate(self.order):
                if (at & ~begin) >> i & 1:
                    stage_of.update((o, number - 1) for o in self.members[each])
            at = begin
        return {"stage_of": [stage_of[o] for o in range(len(stage_of))]}


@planner("dnn-partitioning, re-stated: all sets", "graph")
def all_sets(instance):
    elements = Elements(instance)
    sets, edge = {0}, [0]
    while edge:
        known = edge.pop()
        for i, before in enumerate(elements.before):
            more = known | 1 << i
            if not known >> i & 1 and not before & ~known and more not in sets:
                if len(sets) == MOST_SETS:
                    raise Skipped(f"more than {MOST_SETS} sets")
                sets.add(more)
                edge.append(more)
    return elements.best(sorted(sets, key=lambda each: bin(each).count("1")))


@planner("dnn-partitioning, re-stated: DPL", "graph")
def one_order(instance):
    elements = Elements(instance)
    return elements.best([(1 << i) - 1 for i in range(len(elements.order) + 1)])
