# SPDX-License-Identifier: BSL-1.0
"""Data for pages of reports, from a small simulator of 1F1B and its interleaved form; no program of the library takes part.
What the parts mean stands at the top of examples/cli/report/report.js."""

import copy
import html
import json
import pathlib

folder = pathlib.Path(__file__).resolve().parents[2] / "examples" / "cli" / "report"
hostile = '</script><img src=x onerror="document.title=\'pwned\'"><b>&amp;'
gib = 2**30


def orders(ranks, microbatches, chunks):
    """The passes of every rank as (kind, stage, microbatch), in the order of 1F1B; microbatches in groups as many as ranks."""
    whole = ranks * chunks
    of = lambda k: (k % whole // ranks, k // whole * ranks + k % ranks)  # chunk and microbatch of the k-th pass
    total = microbatches * chunks
    for rank in range(ranks):
        ahead = min(total, ranks - rank - 1 if chunks == 1 else (ranks - rank - 1) * 2 + (chunks - 1) * ranks)
        forward = [("F", of(k)[0] * ranks + rank, of(k)[1]) for k in range(total)]
        backward = [("B", (chunks - 1 - of(k)[0]) * ranks + rank, of(k)[1]) for k in range(total)]
        steady = [each for pair in zip(forward[ahead:], backward) for each in pair]
        yield forward[:ahead] + steady + backward[total - ahead:]


def seconds(kind, stage):
    return (0.010 if kind == "F" else 0.020) * (1 + 0.04 * (stage % 3))


def simulate(ranks, microbatches, chunks=1, latency=0.001, title=None, memory=True):
    """A plan as the page takes it."""
    passes = list(orders(ranks, microbatches, chunks))
    first = [sum(map(len, passes[:r])) for r in range(ranks)]
    done, at = {}, [0] * ranks  # when a pass has ended and its number; the next of every rank
    starts, ends, causes = ([[] for _ in range(ranks)] for _ in range(3))
    waiting = list(range(ranks))
    while waiting:
        r = waiting.pop()
        while at[r] < len(passes[r]):
            kind, stage, microbatch = passes[r][at[r]]
            step = -1 if kind == "F" else 1
            needs = None if not 0 <= stage + step < ranks * chunks else (kind, stage + step, microbatch)
            if needs and needs not in done:
                break
            start, cause = (ends[r][-1], first[r] + at[r] - 1) if at[r] else (0, -1)
            if needs and done[needs][0] + latency > start:
                start, cause = done[needs][0] + latency, done[needs][1]
            end = start + seconds(kind, stage)
            done[kind, stage, microbatch] = (end, first[r] + at[r])
            starts[r].append(start), ends[r].append(end), causes[r].append(cause)
            at[r] += 1
            waiting.append((r - step) % ranks)
    rows = []
    for r in range(ranks):
        rows.append({"kinds": "".join(kind for kind, _, _ in passes[r]), "stages": [stage for _, stage, _ in passes[r]],
                     "microbatches": [microbatch for _, _, microbatch in passes[r]], "start": starts[r], "end": ends[r],
                     "causes": causes[r]})
        if memory:
            rows[r] |= {"memory": held(passes[r], starts[r], ends[r]), "limit": 40 * gib}
    return {"title": title or f"{'interleaved ' if chunks > 1 else ''}1f1b, {ranks} ranks, {microbatches} microbatches",
            "makespan": max(map(max, ends)), "chunk_of": [stage // ranks for stage in range(ranks * chunks)], "ranks": rows,
            "facts": f"{ranks} ranks with {chunks} stage{'s' * (chunks > 1)} each, {microbatches} microbatches"}


def held(passes, starts, ends):
    """The memory of a rank: its parameters, and what each microbatch keeps from its forward to the end of its backward."""
    changes = {0.0: 0}
    for (kind, _, _), start, end in zip(passes, starts, ends):
        time, change = (start, 1) if kind == "F" else (end, -1)
        changes[time] = changes.get(time, 0) + change
    resident, at, kept, flying = 8 * gib, [], [], 0
    for time in sorted(changes):
        flying += changes[time]
        at.append(time), kept.append(resident + flying * 5 * gib // 4)
    return {"resident": resident, "at": at, "bytes": kept}


def planned(ranks, microbatches, chunks=1):
    """What `plan` would show: all parts, with names that are not to be trusted."""
    plan = simulate(ranks, microbatches, chunks)
    stages = ranks * chunks
    layers = [{"name": hostile if i == 3 else f"layers.{i}", "seconds": 0.01 * (1 + i % 3)} for i in range(4 * stages)]
    cut = list(range(0, 4 * stages + 1, 4))
    rows = [[s, f"layers.{4 * s} .. layers.{4 * s + 3}", 4, "30.2 ms", max(1, ranks - s), "12.5 GiB"] for s in range(stages)]
    plan["stages"] = {"columns": ["stage", "layers", "count", "time", "in flight", "memory"], "rows": rows,
                      "bars": {"name": "of the limit", "shares": [1 - s / stages / 2 for s in range(stages)]}}
    shifted = [c - (0 < i < stages and i % 2) for i, c in enumerate(cut)]
    cuts = [{"name": "uniform: as many layers in each stage", "cuts": cut, "facts": "makespan 12.4 s, +2.6 %"},
            {"name": "bottleneck", "cuts": shifted, "facts": "makespan 12.2 s, +1.1 %"},
            {"name": "this plan", "cuts": cut, "facts": "makespan 12.08 s, optimal"}]
    figures = [["makespan", f"{plan['makespan']:.4g} s"], ["idle", "13.4 %"], ["devices", ranks]]
    return {"title": f"Plan of a model {hostile}", "figures": figures, "plans": [plan], "cuts": {"layers": layers, "rows": cuts},
            "prices": [{"title": "One per cent less of", "note": "What the makespan would be shorter by,\nwere that 1 % faster.",
                        "columns": ["time of", "count", "stage", "saves each", "share"],
                        "bars": {"name": "of the most", "shares": [1, 0.25]},
                        "rows": [["layers.0 .. layers.3", 4, "0", "-", "0.4 %"], ["all messages", 1, "", "3 ms", "0.1 %"]]}],
            "lines": [{"name": "Megatron-LM", "text": f"--pipeline-model-parallel-size {ranks} --layout \"Et*18|t*20|t*21|t*21L\""},
                      {"name": "torchgpipe", "text": "balance=[21, 20, 20, 22]\nmodel = GPipe(model, balance, chunks=32)"},
                      {"name": "vLLM", "refused": "it serves, and this plan is of training"}]}


def overlapping():
    """A plan by hand: passes at one time, messages, slices, what is of no microbatch; neither seconds nor bytes nor causes."""
    ranks = [{"kinds": "FFBsBIWaU", "stages": [0, 0, 2, 0, 2, 0, 0, 0, -1], "microbatches": [0, 1, 0, 1, 1, 0, 0, -1, -1],
              "slices": [0, 1, 0, 1, 1, 0, 0, 0, 0], "start": [0, 10, 10, 20, 24, 40, 50, 55, 70],
              "end": [10, 20, 24, 30, 38, 50, 60, 70, 75],
              "memory": {"at": [0, 10, 40], "bytes": [1, 2, 0]}, "limit": 3},
             {"kinds": "", "stages": [], "microbatches": [], "start": [], "end": [], "memory": {"at": [], "bytes": []}}]
    plan = {"title": "by hand", "seconds": False, "bytes": False, "makespan": 80, "chunk_of": [0, 0, 1, 1], "ranks": ranks}
    return {"title": "By hand", "kinds": {"U": "step of Adam"}, "plans": [plan]}


def blocking():
    """Two ranks whose messages hold both of them: each 16 of 112; rank 0 works 66 of these, rank 1 60."""
    ranks = [{"kinds": "FsFsBBU", "stages": [0, 0, 0, 0, 0, 0, -1], "microbatches": [0, 0, 1, 1, 0, 1, -1],
              "start": [0, 10, 14, 24, 62, 86, 106], "end": [10, 14, 24, 28, 82, 106, 112], "causes": [-1, 0, 1, 2, 10, 12, 5]},
             {"kinds": "FFBSBS", "stages": [1] * 6, "microbatches": [0, 1, 0, 0, 1, 1],
              "start": [14, 28, 38, 58, 62, 82], "end": [24, 38, 58, 62, 82, 86], "causes": [1, 3, 8, 9, 10, 11]}]
    plan = {"title": "blocking", "seconds": False, "makespan": 112, "chunk_of": [0, 0], "ranks": ranks}
    return {"title": "Messages that block", "plans": [plan]}


def scaled(data, factor):
    """Data of `planned`, all of its times times a factor."""
    data = copy.deepcopy(data)
    for plan in data["plans"]:
        plan["makespan"] *= factor
        for row in plan["ranks"]:
            for times in (row["start"], row["end"], row["memory"]["at"]):
                times[:] = [time * factor for time in times]
    for layer in data["cuts"]["layers"]:
        layer["seconds"] *= factor
    return data


def compared():
    plans = [simulate(16, 64, 2), simulate(16, 64)]
    return {"title": "Two plans compared", "plans": plans,
            "table": {"caption": "Plans", "columns": ["plan", "makespan"], "rows": [[p["title"], f"{p['makespan']:.4g} s"] for p in plans]}}


def swept():
    points = []
    for i in range(40):
        front = i % 4 == 0
        memory = (10 + i) * gib * (1 if front else 1.15)
        schedule = ("1f1b", "gpipe", "zb-h1")[i % 3]
        points.append({"name": f"{schedule}, 4 devices, {8 + i} microbatches", "schedule": schedule,
                       "time": 0.5 / (10 + i) + (0 if front else 0.004 + 0.001 * (i % 5)), "memory": memory, "front": front})
    points[0]["plan"] = simulate(4, 8, title="the plan of the first point")
    points[20]["plan"] = simulate(4, 12, title=hostile)
    return {"title": "A sweep", "scatter": {"points": points, "limit": 48 * gib}}


def assembled(data):
    """The page as the program writes it."""
    parts = {"title": html.escape(data["title"]), "style": (folder / "report.css").read_text(),
             "script": (folder / "report.js").read_text(), "data": json.dumps(data).replace("<", "\\u003c")}
    text = (folder / "report.html").read_text()
    made = ""
    for name in ("title", "style", "data", "script"):
        before, text = text.split("{{" + name + "}}")
        made += before + parts[name]
    return made + text
