# SPDX-License-Identifier: BSL-1.0
"""Stages with given times on ranks: the makespan of a schedule, within the memory of every rank."""

from checker import chains, need, pipeline, whole, wholes


def value(instance, solution):
    rank_of = wholes(instance["rank_of"], "rank_of")
    count, ranks = len(rank_of), max(rank_of) + 1
    split = "backward" not in instance
    kinds = {"F": "forward", "I": "backward_input", "W": "backward_weight"} if split else {"F": "forward", "B": "backward"}
    times = {kind: wholes(instance[name], name, count) for kind, name in kinds.items()}
    need("orders" in solution, "no-solution", "it has no member \"orders\"")
    orders = pipeline.read_orders(solution["orders"], ranks)
    pipeline.complete(orders, rank_of, whole(instance["microbatches"], "microbatches", 1), split)
    limits = chains.limits_of(instance, ranks)
    if limits:
        keeps = wholes(instance["keeps"], "keeps", count)
        late = wholes(instance["keeps_for_weights"], "keeps_for_weights", count) if split else None
        pipeline.fits(orders, rank_of, [0] * count, keeps, limits, late)
    return pipeline.makespan(orders, rank_of, times, instance.get("message"))
