# SPDX-License-Identifier: BSL-1.0
"""A chain, cut into stages: the heaviest stage, the difference of the heaviest and the lightest, or the makespan of a named
schedule."""

from checker import need, pipeline, whole, wholes


def layers(instance):
    """Forward and backward times, resident bytes and bytes per microbatch, of every layer."""
    forward = wholes(instance["forward"], "forward")
    count = len(forward)
    zeros = [0] * count
    return (forward, wholes(instance.get("backward", zeros), "backward", count),
            wholes(instance.get("resident", zeros), "resident", count),
            wholes(instance.get("activations", zeros), "activations", count))


def read_cuts(solution, count, stages):
    """The stages of `{"cuts": [0, …, count]}` as (first, last)."""
    need("cuts" in solution, "no-solution", "it has no member \"cuts\"")
    cuts = wholes(solution["cuts"], "cuts")
    need(len(cuts) <= stages + 1, "too-many-stages", f"these are {len(cuts) - 1} stages, not {stages}")
    need(len(cuts) == stages + 1, "missing-stage", f"these are {len(cuts) - 1} stages, not {stages}")
    for first, last in zip(cuts, cuts[1:]):
        need(first <= last, "overlap", f"a stage begins at {first} and the next one at {last}")
        need(first < last, "empty-stage", f"a stage begins and ends at {first}")
    need(cuts[-1] <= count, "unknown-layer", f"the last stage ends at {cuts[-1]}, and there are {count} layers")
    need(cuts[0] == 0 and cuts[-1] == count, "missing-layer",
         f"stages go from {cuts[0]} to {cuts[-1]}, layers from 0 to {count}")
    return list(zip(cuts, cuts[1:]))


def sums(of, stages):
    return [sum(of[first:last]) for first, last in stages]


def limits_of(instance, ranks):
    """The memory of every rank for activations, or None."""
    memory = instance.get("memory")
    if memory is None or type(memory) is int:
        return None if memory is None else [whole(memory, "memory")] * ranks
    return wholes(memory, "memory", ranks)


def value(instance, solution):
    forward, backward, resident, activations = layers(instance)
    devices, chunks = whole(instance["devices"], "devices", 1), whole(instance.get("stages_per_rank", 1), "stages_per_rank", 1)
    stages = read_cuts(solution, len(forward), devices * chunks)
    resident, activations = sums(resident, stages), sums(activations, stages)
    times = [sum(pair) for pair in zip(sums(forward, stages), sums(backward, stages))]
    limits = limits_of(instance, devices)
    if instance["objective"] == "makespan":
        orders = pipeline.named(instance["schedule"], devices, chunks, instance["microbatches"])
        rank_of = [s % devices for s in range(len(stages))]
        if limits:
            pipeline.fits(orders, rank_of, resident, activations, limits)
        return pipeline.makespan(orders, rank_of, {"F": sums(forward, stages), "B": sums(backward, stages)},
                                 instance.get("message"))
    if limits:  # one microbatch in flight per stage from this one on
        for s, (parameters, each) in enumerate(zip(resident, activations)):
            holds = parameters + (len(stages) - s) * each
            need(holds <= limits[s], "over-memory", f"stage {s} holds {holds}, and has room for {limits[s]}")
    need(instance["objective"] in ("bottleneck", "range"), "bad-instance", f"no objective \"{instance['objective']}\"")
    return max(times) if instance["objective"] == "bottleneck" else max(times) - min(times)
