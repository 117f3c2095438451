# SPDX-License-Identifier: BSL-1.0
"""Timelines of an iteration, predicted and measured: lists of Pass, and what can be said and drawn of them."""

import collections
import html
import typing

from planner import refusals, stagecut

KINDS = {"F": "forward", "B": "backward", "I": "input gradient", "W": "weight gradient"}
COLOURS = {"F": "#6fa8ee", "B": "#f4a24c", "I": "#4dbcb6", "W": "#78c066"}  # those of `stagecut simulate --format svg`
CAUSES = {
    "before_first_pass": "before its first pass",
    "waiting_for_forward": "waiting for a forward input",
    "waiting_for_gradient": "waiting for a gradient",
    "transfer_and_overhead": "transfer and overhead",
    "after_last_pass": "after its last pass",
}


class Pass(typing.NamedTuple):
    """One pass of a microbatch through a stage; start and end are seconds from the beginning of the step."""

    rank: int
    stage: int
    microbatch: int
    kind: str
    start: float
    end: float


def predicted(plan, **words):
    """The passes of a plan that `stagecut.simulate` with these words foretells, by start."""
    with refusals():
        passes = stagecut.simulate(plan, **words)["passes"]
    columns = [passes["kind"] if name == "kind" else passes[name].tolist() for name in Pass._fields]
    return sorted((Pass(*each) for each in zip(*columns)), key=lambda one: one.start)


def begin(timeline):
    return min(one.start for one in timeline)


def iteration(timeline):
    """Seconds from the first start to the last end, over all ranks."""
    return max(one.end for one in timeline) - begin(timeline)


def work(timeline, stages):
    """(stage, microbatch, kind) -> the seconds of every pass of a prediction, with the plan's stages.

    Two passes that overlap stand there with the time of both: they share it as what they take alone.
    """
    together = collections.defaultdict(list)
    for one in timeline:
        together[one.rank, one.start, one.end].append(one)
    seconds = {}
    for (_, start, end), passes in together.items():
        parts = [stages[one.stage]["forward" if one.kind == "F" else "backward"] for one in passes]
        for one, part in zip(passes, parts):
            share = part / sum(parts) if len(parts) > 1 and sum(parts) > 0 else 1
            seconds[one.stage, one.microbatch, one.kind] = (end - start) * share
    return seconds


def mean_seconds(seconds):
    """stage -> kind -> the mean of what `work` returns."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for (stage, _, kind), taken in seconds.items():
        found[stage][kind].append(taken)
    return {stage: {kind: sum(taken) / len(taken) for kind, taken in of.items()} for stage, of in found.items()}


def idle(timeline, ranks):
    """Of each rank its busy seconds, and its idle ones by cause: {"busy": .., "idle": {cause: ..}}.

    A pass waits until the one that feeds it has ended, on the stage before or behind; what is left of the gap before it is
    the transfer, and what the runtime does between two passes. Passes that overlap count once.
    """
    ends = {(one.stage, one.microbatch, "F" if one.kind == "F" else "B"): one.end for one in timeline if one.kind != "W"}
    first, last = begin(timeline), max(one.end for one in timeline)
    report = []
    for rank in range(ranks):
        idle_of = dict.fromkeys(CAUSES, 0.0)
        busy, now = 0.0, first
        mine = sorted((one for one in timeline if one.rank == rank), key=lambda one: one.start)
        for one in mine:
            gap = max(0.0, one.start - now)
            if one is mine[0]:
                idle_of["before_first_pass"] += gap
            else:
                feeds = (one.stage - 1, one.microbatch, "F") if one.kind == "F" else (one.stage + 1, one.microbatch, "B")
                fed = ends.get(feeds)
                waited = 0.0 if fed is None or one.kind == "W" else min(max(fed - now, 0.0), gap)
                idle_of["waiting_for_forward" if one.kind == "F" else "waiting_for_gradient"] += waited
                idle_of["transfer_and_overhead"] += gap - waited
            busy += max(0.0, one.end - max(one.start, now))
            now = max(now, one.end)
        idle_of["after_last_pass"] = last - now
        report.append({"busy": busy, "idle": idle_of})
    return report


def chrome(timelines):
    """The trace of named timelines for Perfetto or chrome://tracing: ranks are processes, timelines their threads."""
    events = []
    for rank in sorted({one.rank for timeline in timelines.values() for one in timeline}):
        events.append({"name": "process_name", "ph": "M", "pid": rank, "args": {"name": f"rank {rank}"}})
        events.append({"name": "process_sort_index", "ph": "M", "pid": rank, "args": {"sort_index": rank}})
        events += [{"name": "thread_name", "ph": "M", "pid": rank, "tid": thread, "args": {"name": name}}
                   for thread, name in enumerate(timelines)]
    for thread, timeline in enumerate(timelines.values()):
        zero = begin(timeline)
        events += [{"name": f"{one.kind}{one.microbatch}", "cat": KINDS[one.kind], "ph": "X", "pid": one.rank, "tid": thread,
                    "ts": round((one.start - zero) * 1e6, 3), "dur": round((one.end - one.start) * 1e6, 3),
                    "args": {"stage": one.stage, "microbatch": one.microbatch}} for one in timeline]
    return {"displayTimeUnit": "ms", "traceEvents": events}


def shade(colour, part):
    """The colour, mixed with white: none of it for 0, all for 1."""
    return "#" + "".join(f"{round(int(colour[i:i + 2], 16) * (1 - part) + 255 * part):02x}" for i in (1, 3, 5))


class Picture:
    """What the parts of a picture share."""

    left, width, row, gap, top = 150, 1600, 20, 12, 76

    def __init__(self, timelines, title):
        self.timelines, self.title = timelines, title
        every = [one for timeline in timelines.values() for one in timeline]
        self.ranks = 1 + max(one.rank for one in every)
        self.longest = max(iteration(timeline) for timeline in timelines.values())
        stages = [sorted({one.stage for one in every if one.rank == rank}) for rank in range(self.ranks)]
        self.chunk = {stage: place for mine in stages for place, stage in enumerate(mine)}
        self.bottom = self.top + self.ranks * (len(timelines) * self.row + self.gap)

    def x(self, seconds):
        return f"{self.left + seconds / self.longest * self.width:.2f}"

    def y(self, rank, place):
        return self.top + rank * (len(self.timelines) * self.row + self.gap) + place * self.row

    def legend(self):
        kinds = [kind for kind in KINDS if any(one.kind == kind for timeline in self.timelines.values() for one in timeline)]
        for place, kind in enumerate(kinds):
            x = self.left + 130 * place
            yield (f'<path fill="{COLOURS[kind]}" d="M{x} 12h14v10h-14z"/>'
                   f'<text x="{x + 19}" y="21" font-size="11">{KINDS[kind]}</text>')
        if max(self.chunk.values()) > 0:
            yield f'<text x="{self.left + 130 * len(kinds)}" y="21" font-size="11">(the first stage of a rank darkest)</text>'
        yield f'<text x="{self.left}" y="46" font-size="16" font-weight="bold">{html.escape(self.title)}</text>'
        figures = ", ".join(f"{name} {iteration(timeline) * 1e3:.4g} ms" for name, timeline in self.timelines.items())
        yield f'<text x="{self.left}" y="64" font-size="12" fill="#656d76">{figures}</text>'

    def passes(self):
        for place, (name, timeline) in enumerate(self.timelines.items()):
            for rank in range(self.ranks):
                y = self.y(rank, place)
                yield (f'<text x="{self.left - 8}" y="{y + 14}" font-size="11" text-anchor="end">rank {rank} {name}</text>'
                       f'<path fill="#eef0f3" d="M{self.left} {y + 1}h{self.width}v{self.row - 2}h-{self.width}z"/>')
            zero = begin(timeline)
            for one in timeline:
                start, end = one.start - zero, one.end - zero
                colour = shade(COLOURS[one.kind], 0.65 * self.chunk[one.stage] / max(1, *self.chunk.values()))
                yield (f'<rect x="{self.x(start)}" y="{self.y(one.rank, place) + 1}" '
                       f'width="{(end - start) / self.longest * self.width:.2f}" height="{self.row - 2}" fill="{colour}" '
                       f'stroke="#fff" stroke-width="0.6"><title>{name}: {KINDS[one.kind]} {one.microbatch}, '
                       f'stage {one.stage}: {start * 1e3:.4g} to {end * 1e3:.4g} ms</title></rect>')

    def axis(self):
        step = 10.0 ** len(str(int(self.longest * 1e9))) / 1e9 / 10  # a power of ten, at most ten steps long
        step = next(step / part for part in (5, 2, 1) if self.longest / (step / part) <= 15)
        for place in range(int(self.longest / step) + 1):
            x = self.x(place * step)
            yield (f'<path stroke="#c8ced5" stroke-width="0.7" d="M{x} {self.top}V{self.bottom}"/>'
                   f'<text x="{x}" y="{self.bottom + 12}" font-size="10" text-anchor="middle" '
                   f'fill="#656d76">{place * step * 1e3:g}</text>')
        yield f'<text x="{self.left + self.width + 24}" y="{self.bottom + 12}" font-size="10" fill="#656d76">ms</text>'


def svg(timelines, title=""):
    """A picture of named timelines: of every rank a row for each, all to one scale."""
    picture = Picture(timelines, title)
    width, height = picture.left + picture.width + 60, picture.bottom + 30
    return "\n".join(['<svg xmlns="http://www.w3.org/2000/svg" '
                      f'width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
                      'font-family="Helvetica, Arial, \'DejaVu Sans\', sans-serif" fill="#1f2328">',
                      f'<title>{html.escape(title)}</title>\n<path fill="#fff" d="M0 0h{width}v{height}H0z"/>',
                      *picture.legend(), *picture.axis(), *picture.passes(), "</svg>", ""])
