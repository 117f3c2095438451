# SPDX-License-Identifier: BSL-1.0
"""Times of intervals of layers, from prefix sums."""

from itertools import accumulate


class Sums:
    def __init__(self, instance):
        zeros = [0] * len(instance["forward"])
        backward = instance.get("backward", zeros)
        self.count = len(zeros)
        self.time = [0, *accumulate(f + b for f, b in zip(instance["forward"], backward))]
        self.resident = [0, *accumulate(instance.get("resident", zeros))]
        self.activations = [0, *accumulate(instance.get("activations", zeros))]

    def of(self, which, first, last):
        return which[last] - which[first]
