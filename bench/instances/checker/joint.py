# SPDX-License-Identifier: BSL-1.0
"""Cuts of a chain together with recomputation, the schedule, or the replicas of stages."""

from checker import chains, need, pipeline, whole, wholes


class Recomputation:
    """Cuts, and layers that recompute their activations: the makespan under 1F1B, one stage per device."""

    @staticmethod
    def value(instance, solution):
        forward, backward, resident, activations = chains.layers(instance)
        count, devices = len(forward), whole(instance["devices"], "devices", 1)
        again = {name: wholes(instance["recomputed"][name], name, count) for name in ("backward", "activations")}
        stages = chains.read_cuts(solution, count, devices)
        need("recomputed" in solution, "no-solution", "it has no member \"recomputed\"")
        chosen = wholes(solution["recomputed"], "recomputed")
        need(all(layer < count for layer in chosen), "unknown-layer", f"layers to be computed again go to {count - 1}")
        need(len(set(chosen)) == len(chosen), "double-layer", "a layer to be computed again stands twice")
        for layer in chosen:
            backward[layer], activations[layer] = again["backward"][layer], again["activations"][layer]
        orders = pipeline.named("1f1b", devices, 1, instance["microbatches"])
        rank_of = list(range(devices))
        pipeline.fits(orders, rank_of, chains.sums(resident, stages), chains.sums(activations, stages),
                      chains.limits_of(instance, devices))
        return pipeline.makespan(orders, rank_of, {"F": chains.sums(forward, stages), "B": chains.sums(backward, stages)},
                                 instance.get("message"))


class CutAndOrder:
    """Cuts, and the order of the passes of every device, one stage each."""

    @staticmethod
    def value(instance, solution):
        names = "forward", "backward_input", "backward_weight", "resident", "activations"
        count, devices = len(instance["forward"]), whole(instance["devices"], "devices", 1)
        forward, input_, weight, resident, activations = (wholes(instance[name], name, count) for name in names)
        stages = chains.read_cuts(solution, count, devices)
        need("orders" in solution, "no-solution", "it has no member \"orders\"")
        orders = pipeline.read_orders(solution["orders"], devices)
        rank_of = list(range(devices))
        pipeline.complete(orders, rank_of, whole(instance["microbatches"], "microbatches", 1), True)
        keeps = chains.sums(activations, stages)
        pipeline.fits(orders, rank_of, chains.sums(resident, stages), keeps, chains.limits_of(instance, devices), keeps)
        times = {"F": chains.sums(forward, stages), "I": chains.sums(input_, stages), "W": chains.sums(weight, stages)}
        return pipeline.makespan(orders, rank_of, times, instance.get("message"))


class Replication:
    """Cuts, and the number of devices that share each microbatch of a stage, each taking its part of it."""

    @staticmethod
    def value(instance, solution):
        forward, backward, resident, activations = chains.layers(instance)
        allowed = wholes(instance["replicas"], "replicas", least=1)
        need("cuts" in solution and "replicas" in solution, "no-solution", "it lacks \"cuts\" or \"replicas\"")
        replicas = wholes(solution["replicas"], "replicas", least=1)
        stages = chains.read_cuts(solution, len(forward), len(replicas))
        for s, copies in enumerate(replicas):
            need(copies in allowed, "unknown-replicas", f"stage {s} has {copies} replicas; there may be {allowed}")
        need(sum(replicas) <= whole(instance["devices"], "devices", 1), "too-many-devices",
             f"{sum(replicas)} devices are used, of {instance['devices']}")
        need(all(t % copies == 0 for each in (forward, backward, activations) for t in each for copies in allowed),
             "bad-instance", "a figure is no multiple of the replicas")

        def shared(of):
            return [total // copies for total, copies in zip(chains.sums(of, stages), replicas)]

        forward, backward, keeps = shared(forward), shared(backward), shared(activations)
        microbatches = whole(instance["microbatches"], "microbatches", 1)
        orders = pipeline.named("1f1b", len(stages), 1, microbatches)
        rank_of = list(range(len(stages)))
        limits = chains.limits_of(instance, len(stages))
        if limits:
            pipeline.fits(orders, rank_of, chains.sums(resident, stages), keeps, limits)
        times = [sum(pair) for pair in zip(forward, backward)]
        if instance["objective"] == "stage-time":
            return max(times)
        if instance["objective"] == "pipeline-latency":
            return sum(times) + (microbatches - 1) * max(times)
        need(instance["objective"] == "makespan", "bad-instance", f"no objective \"{instance['objective']}\"")
        # Replicas sum their gradients in a ring after the last backward pass: 2 (replicas - 1) messages in sequence.
        exchange = [2 * (copies - 1) * instance["message"]["time"] for copies in replicas] if "message" in instance else None
        return pipeline.makespan(orders, rank_of, {"F": forward, "B": backward}, instance.get("message"), exchange)
