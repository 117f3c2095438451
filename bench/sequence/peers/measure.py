# SPDX-License-Identifier: BSL-1.0
"""One call of a partitioner, in a process of its own: whatever it does, the comparison goes on."""

import os
import pickle
import select
import signal
import statistics
import sys
import time


def timed(partitioner, weights, k, seconds):
    """The cut points, and the median of the calls that fit into so many seconds: at least one, at most 999."""
    given = partitioner.given(weights)
    times = []
    while not times or (sum(times) < seconds and len(times) < 999):
        begin = time.perf_counter()
        points = partitioner.cut(given, k)
        times.append(time.perf_counter() - begin)
    return [int(point) for point in points], statistics.median(times)


def isolated(partitioner, weights, k, *, limit, seconds):
    """(cut points, seconds), or the name of what it raised; TIMEOUT after `limit` seconds, CRASH if the process ended."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            try:
                answer = timed(partitioner, weights, k, seconds)
            except Exception as problem:
                print(f"{type(problem).__name__}: {problem}", file=sys.stderr, flush=True)
                answer = type(problem).__name__
            with os.fdopen(writer, "wb") as out:
                pickle.dump(answer, out)
        finally:
            os._exit(0)
    os.close(writer)
    try:
        with os.fdopen(reader, "rb") as answers:
            if not select.select([answers], [], [], limit + seconds)[0]:
                return "TIMEOUT"
            content = answers.read()
            return pickle.loads(content) if content else "CRASH"
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
