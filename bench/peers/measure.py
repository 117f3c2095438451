# SPDX-License-Identifier: BSL-1.0
"""One call of a planner, in its own process: the comparison continues whatever it does."""

import os
import pickle
import select
import signal
import statistics
import sys
import time


def timed(partitioner, weights, k, seconds):
    """The cut points, and the median of the calls that fit into the time limit: at least one, at most 999."""
    given = partitioner.given(weights)
    times = []
    while not times or (sum(times) < seconds and len(times) < 999):
        begin = time.perf_counter()
        points = partitioner.cut(given, k)
        times.append(time.perf_counter() - begin)
    return [int(point) for point in points], statistics.median(times)


def isolated(work, *, limit):
    """The result of `work()`, or the name of its exception, with its text after a colon; TIMEOUT after `limit` seconds, CRASH if
    the process ended. Its output goes to the standard error."""
    reader, writer = os.pipe()
    sys.stderr.flush(), sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            os.dup2(2, 1)
            try:
                answer = work()
            except Exception as problem:
                answer = f"{type(problem).__name__}: {problem}"
            sys.stdout.flush()
            with os.fdopen(writer, "wb") as out:
                pickle.dump(answer, out)
        finally:
            os._exit(0)
    os.close(writer)
    try:
        with os.fdopen(reader, "rb") as answers:
            if not select.select([answers], [], [], limit)[0]:
                return "TIMEOUT"
            content = answers.read()
            return pickle.loads(content) if content else "CRASH"
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
