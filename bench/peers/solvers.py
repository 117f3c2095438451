# SPDX-License-Identifier: BSL-1.0
"""stagecut itself, called through a shared library: times one call, including prefix sums."""

import ctypes
from array import array

from peers import partitioner

SOLVERS = "minimize_bottleneck", "minimize_range", "minimize_variance", "block_partition"


def register(library):
    loaded = ctypes.CDLL(library)
    for name in SOLVERS:
        function = getattr(loaded, name)
        function.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p

        def cut(weights, k, function=function):
            points = array("Q", bytes(8 * (k + 1)))
            if not function(weights.buffer_info()[0], len(weights), k, points.buffer_info()[0]):
                raise ValueError("no cut")
            return points.tolist()

        partitioner(name, given=lambda weights: array("d", weights))(cut)
