# SPDX-License-Identifier: BSL-1.0
"""Schedules, their times, and their memory."""

import re

from checker import need, whole

PASS = re.compile(r"([0-9]{1,9})([FBIW])([0-9]{1,9})")


def read_orders(orders, ranks):
    """Passes as (stage, kind, microbatch), from `["0F0 0F1 0B0", …]`, one text per rank."""
    need(type(orders) is list and all(type(each) is str for each in orders), "no-solution", "\"orders\" is no list of texts")
    need(len(orders) == ranks, "wrong-ranks", f"there are orders of {len(orders)} ranks, not of {ranks}")
    result = []
    for text in orders:
        found = [PASS.fullmatch(word) for word in text.replace(",", " ").split()]
        for word, each in zip(text.replace(",", " ").split(), found):
            need(each, "unknown-pass", f"\"{word[:40]}\" is none")
        result.append([(int(each[1]), each[2], int(each[3])) for each in found])
    return result


def complete(orders, rank_of, microbatches, split):
    """Rejects schedules in which a pass is missing, repeated, on another rank, or unknown."""
    kinds = "FIW" if split else "FB"
    seen = set()
    for rank, order in enumerate(orders):
        for stage, kind, microbatch in order:
            word = f"{stage}{kind}{microbatch}"
            need(stage < len(rank_of) and microbatch < microbatches and kind in kinds, "unknown-pass", f"there is no {word}")
            need(rank_of[stage] == rank, "wrong-rank", f"{word} stands on rank {rank}, its stage on {rank_of[stage]}")
            need((stage, kind, microbatch) not in seen, "double-pass", f"{word} stands twice")
            seen.add((stage, kind, microbatch))
    for stage in range(len(rank_of)):
        for kind in kinds:
            for microbatch in range(microbatches):
                need((stage, kind, microbatch) in seen, "missing-pass", f"{stage}{kind}{microbatch} stands nowhere")


def makespan(orders, rank_of, durations, message=None, exchange=None):
    """The end of the last pass. `durations`: per kind, a list by stage. `message`: {"time", "occupies"}: every message from rank
    to rank takes that time, and if it occupies a "link" it begins once the previous one has ended. `exchange`: per stage, the
    time after its last pass."""
    last = len(rank_of) - 1
    took, link = (message["time"], message["occupies"] == "link") if message else (0, False)
    backward = "I" if "I" in durations else "B"
    ends, arrivals, free_links = {}, {}, {}
    at, free = [0] * len(orders), [0] * len(orders)

    def ready(rank, stage, kind, microbatch):
        """The time when its inputs are there, or None."""
        wanted = []
        if kind == "F" and stage > 0:
            wanted.append(arrivals.get((stage - 1, "F", microbatch)))
        if kind in "BI":
            wanted.append(ends.get((stage, "F", microbatch)))
            if stage < last:
                wanted.append(arrivals.get((stage + 1, kind, microbatch)))
        if kind == "W":
            wanted.append(ends.get((stage, "I", microbatch)))
        return None if None in wanted else max([free[rank], *wanted])

    moved = True
    while moved:
        moved = False
        for rank, order in enumerate(orders):
            while at[rank] < len(order):
                stage, kind, microbatch = each = order[at[rank]]
                begin = ready(rank, *each)
                if begin is None:
                    break
                ends[each] = free[rank] = begin + durations[kind][stage]
                to = stage + 1 if kind == "F" else stage - 1 if kind == backward else -1
                if 0 <= to <= last:
                    arrivals[each] = ends[each]
                    if rank_of[to] != rank and took:
                        way = rank, rank_of[to]
                        departs = max(ends[each], free_links.get(way, 0)) if link else ends[each]
                        arrivals[each] = free_links[way] = departs + took
                at[rank] += 1
                moved = True
    for rank, order in enumerate(orders):
        if at[rank] < len(order):
            stage, kind, microbatch = order[at[rank]]
            need(False, "order-deadlock", f"{stage}{kind}{microbatch} on rank {rank} waits for itself")
    return max((end + (exchange[stage] if exchange else 0) for (stage, _, _), end in ends.items()), default=0)


def peaks(orders, keeps, keeps_for_weights=None):
    """The peak memory of each rank for microbatches: from F on, to the end of B, or in two parts, to the ends of I and W."""
    result = []
    for order in orders:
        held = most = 0
        for stage, kind, _ in order:
            late = keeps_for_weights[stage] if keeps_for_weights else 0
            held += {"F": keeps[stage], "B": -keeps[stage], "I": late - keeps[stage], "W": -late}[kind]
            most = max(most, held)
        result.append(most)
    return result


def fits(orders, rank_of, resident, keeps, limits, keeps_for_weights=None):
    """Rejects schedules that exceed a rank's limit."""
    for rank, peak in enumerate(peaks(orders, keeps, keeps_for_weights)):
        holds = peak + sum(bytes_ for stage, bytes_ in enumerate(resident) if rank_of[stage] == rank)
        need(holds <= limits[rank], "over-memory", f"rank {rank} holds {holds}, and has room for {limits[rank]}")


def named(name, ranks, chunks, microbatches):
    """The order of every rank under a named schedule; stage s is on rank s modulo ranks.

    gpipe: all forward passes, then all backward passes (Huang et al., 2019). 1f1b: rank r begins with one forward pass per later
    rank, then one of each in turn (Narayanan et al., 2019; Fan et al., 2021). interleaved: the same with several stages per rank,
    microbatches in groups of the number of ranks, which go through all stages of a rank in turn (Narayanan et al., 2021).
    """
    whole(microbatches, "microbatches", 1)
    need(chunks == 1 or name == "interleaved" and microbatches % ranks == 0 and microbatches > ranks, "bad-instance",
         f"{name} of {chunks} stages per rank and {microbatches} microbatches is not one of the schedules here")
    group = ranks * chunks
    result = []
    for rank in range(ranks):
        def forward(i):
            if chunks == 1:
                return rank, "F", i
            return i % group // ranks * ranks + rank, "F", i // group * ranks + i % ranks

        def backward(i):
            if chunks == 1:
                return rank, "B", i
            return (chunks - 1 - i % group // ranks) * ranks + rank, "B", i // group * ranks + i % ranks

        count = microbatches * chunks
        if name == "gpipe":
            ahead = count
        elif name == "1f1b":
            ahead = min(ranks - rank - 1, count)
        else:
            need(name == "interleaved", "bad-instance", f"there is no schedule \"{name}\" here")
            ahead = min(2 * (ranks - rank - 1) + (chunks - 1) * ranks, count)
        order = [forward(i) for i in range(ahead)]
        for i in range(count - ahead):
            order += [forward(ahead + i), backward(i)]
        result.append(order + [backward(i) for i in range(count - ahead, count)])
    return result
