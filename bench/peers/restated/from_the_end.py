# SPDX-License-Identifier: BSL-1.0
"""Stages and replicas within memory, from the last stage to the first: the microbatches that a stage keeps depend on the number
of later stages."""


def states(sums, instance, most, step):
    """A list by the number of stages: for (first layer, devices) the smallest value, and its derivation. `step(value behind,
    time)` combines values; no stage takes more than `most`."""
    devices, allowed, memory = instance["devices"], instance["replicas"], instance.get("memory")
    microbatches = instance["microbatches"]
    layer = {(sums.count, 0): (0, None)}
    result = []
    for behind in range(min(devices, sums.count)):
        kept, after = min(microbatches, behind + 1), {}
        for (last, used), (value, _) in layer.items():
            for r in allowed:
                if used + r > devices:
                    continue
                for first in range(last - 1, -1, -1):
                    time = sums.of(sums.time, first, last) // r
                    holds = sums.of(sums.resident, first, last) + kept * (sums.of(sums.activations, first, last) // r)
                    if time > most or memory is not None and holds > memory:
                        break  # with more layers it takes and holds more
                    made = step(value, time)
                    if (first, used + r) not in after or made < after[first, used + r][0]:
                        after[first, used + r] = made, (last, used, r)
        result.append(after)
        layer = after
        if not layer:
            break
    return result


def read(layers, stages, used):
    """The solution that ends in `stages` stages on this many devices."""
    at, cuts, replicas = (0, used), [0], []
    for layer in reversed(layers[:stages]):
        last, before, r = layer[at][1]
        cuts.append(last)
        replicas.append(r)
        at = last, before
    return {"cuts": cuts, "replicas": replicas}


def best_end(layers):
    """(value, stages, devices) of the best complete plan, or None."""
    return min(((value, stages + 1, used) for stages, layer in enumerate(layers)
                for (first, used), (value, _) in layer.items() if first == 0), default=None)
