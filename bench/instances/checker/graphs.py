# SPDX-License-Identifier: BSL-1.0
"""A graph of operators, cut into stages without cyclic waits: the load of the heaviest one."""

from checker import need, whole, wholes


def read_stages(solution, operators, devices):
    need("stage_of" in solution, "no-solution", "it has no member \"stage_of\"")
    stage_of = wholes(solution["stage_of"], "stage_of")
    need(len(stage_of) >= operators, "missing-operator", f"{len(stage_of)} operators have a stage, of {operators}")
    need(len(stage_of) <= operators, "unknown-operator", f"{len(stage_of)} operators have a stage, of {operators}")
    for operator, stage in enumerate(stage_of):
        need(stage < devices, "too-many-stages", f"operator {operator} stands on stage {stage}, of {devices}")
    return stage_of


def refuse_circles(stage_of, edges, devices):
    before = [set() for _ in range(devices)]
    for begin, end in edges:
        if stage_of[begin] != stage_of[end]:
            before[stage_of[end]].add(stage_of[begin])
    left = set(range(devices))
    while left:
        free = {stage for stage in left if not before[stage] & left}
        need(free, "cycle-between-stages", f"stages {sorted(left)} hold some that wait for each other in a circle")
        left -= free


def value(instance, solution):
    time = wholes(instance["time"], "time")
    count, devices = len(time), whole(instance["devices"], "devices", 1)
    sent = wholes(instance.get("sent", [0] * count), "sent", count)
    resident = wholes(instance.get("resident", [0] * count), "resident", count)
    edges = [wholes(edge, "an edge", 2) for edge in instance["edges"]]
    need(all(end < count for edge in edges for end in edge), "bad-instance", "an edge leads to no operator")
    need(instance["objective"] == "load", "bad-instance", f"no objective \"{instance['objective']}\"")
    stage_of = read_stages(solution, count, devices)
    for group in instance.get("groups", []):
        need(len({stage_of[operator] for operator in group}) == 1, "split-group", f"operators {group} stand apart")
    refuse_circles(stage_of, edges, devices)
    load, holds = [0] * devices, [0] * devices
    for operator, stage in enumerate(stage_of):
        load[stage] += time[operator]
        holds[stage] += resident[operator]
    takers = [set() for _ in range(count)]  # stages that use the output of each operator
    for begin, end in edges:
        takers[begin].add(stage_of[end])
    for operator, stages in enumerate(takers):
        if stages - {stage_of[operator]}:
            for stage in stages | {stage_of[operator]}:
                load[stage] += sent[operator]
    if "memory" in instance:
        for stage in range(devices):
            need(holds[stage] <= whole(instance["memory"], "memory"), "over-memory",
                 f"stage {stage} holds {holds[stage]}, and has room for {instance['memory']}")
    return max(load)
