# SPDX-License-Identifier: BSL-1.0
"""The chains that partitioners are compared on."""

import random

from peers import instances

SIZES = (100, 1_000, 10_000)


@instances("uniform")
def uniform():
    """Uniform in [0, 1)."""
    for n in SIZES:
        draw = random.Random(n)
        yield "", [draw.random() for _ in range(n)]


@instances("exponential")
def exponential():
    """With mean 1: few heavy items."""
    for n in SIZES:
        draw = random.Random(n)
        yield "", [draw.expovariate(1) for _ in range(n)]


@instances("transformer")
def transformer():
    """Equal layers between an embedding and a head: the parameters of BERT-large, and deeper variants."""
    for n in SIZES:
        yield "", [52_559_872.0] + [12_596_224.0] * (n - 2) + [52_559_872.0]


@instances("heavy ends")
def heavy_ends():
    """Equal items, except the first and the last, which are thirty times as heavy."""
    for n in SIZES:
        yield "", [30.0] + [1.0] * (n - 2) + [30.0]


@instances("small")
def small():
    """Chains that can be cut by hand."""
    yield "7 equal", [1.0] * 7, [4]
    yield "8 of 0.1 ms", [1e-4] * 8, [4]
    yield "8 of 30 TFLOP", [3e13] * 8, [4]
    yield "heavy first", [10.0, 1.0, 1.0, 1.0], [2]
    yield "heavy last", [1.0, 2.0, 1.0, 1.0, 2.0, 1.0, 9.0], [5]
    yield "free layers", [0.0] * 6 + [1.0] * 2, [5]
    yield "mixed", [16.0, 19.0, 3.0, 24.0, 16.0, 25.0, 24.0], [4]
