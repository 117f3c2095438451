# SPDX-License-Identifier: BSL-1.0
from peers import instances, partitioner


@partitioner("as many layers")
def as_many_layers(weights, k):
    return [s * len(weights) // k for s in range(k + 1)]


@instances("my models")
def my_models():
    yield "36 layers", [2.5] + [1.0] * 36 + [4.0]
    yield "a heavy middle", [1.0] * 20 + [9.0] + [1.0] * 20, [2, 3]
