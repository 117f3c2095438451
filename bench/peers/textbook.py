# SPDX-License-Identifier: BSL-1.0
"""The textbook method: the dynamic program over the ends of the last stage but one."""

from itertools import accumulate

from peers import partitioner


@partitioner("dynamic program", work=lambda n, k: n * n * k)
def dynamic_program(weights, k):
    prefix = [0, *accumulate(weights)]
    layers = [[(sum_, 0) for sum_ in prefix]]  # of the first j items in s + 1 stages: the heaviest, and the begin of the last
    for s in range(1, k):
        before = layers[-1]
        layers.append([min(((max(before[i][0], prefix[j] - prefix[i]), i) for i in range(s, j)), default=(0, 0))
                       for j in range(len(prefix))])
    cuts = [len(weights)]
    for layer in reversed(layers):
        cuts.append(layer[cuts[-1]][1])
    return cuts[::-1]
