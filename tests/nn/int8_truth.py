"""Properties of int8 networks whose truth is known, because the runtime runs every input number."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

import vouch
from vouch.nn.int8.network import Quantised
from vouch.nn.property import Case, Property, Rows
from vouch.verdict import Verdict


def question(
    rng: np.random.Generator, network: Quantised, scale: float, zero: int, ends: tuple[int, int]
) -> Any:
    """A property near the edge of what holds, and whether the runtime violates it at any input number."""
    most = {1: 256, 2: 24, 3: 8}[network.inputs] if network.inputs <= 3 else 4
    first = rng.integers(ends[0], ends[1] + 1, network.inputs)
    last = np.minimum(first + rng.integers(0, most, network.inputs), ends[1])
    lower, upper = (first - zero) * scale, (last - zero) * scale
    numbers = np.array(list(product(*(range(a, b + 1) for a, b in zip(first, last, strict=True)))))
    outputs = network.runtime.run((numbers - zero) * scale)
    count = outputs.shape[1]
    regions, violated = [], np.zeros(len(outputs), dtype=bool)
    for _ in range(int(rng.integers(1, 3))):
        rows = int(rng.integers(1, 3))
        c = np.zeros((rows, count))
        for row in c:
            used = rng.choice(count, size=min(count, int(rng.integers(1, 3))), replace=False)
            row[used] = rng.choice([-1.0, 1.0, 0.5, -2.0], size=len(used))
        values = outputs @ c.T
        edge = values.min(axis=0)
        r = edge + rng.choice([-0.25, -1e-7, 0.0, 1e-7, 0.2], size=rows) * (np.ptp(values, axis=0) + 1e-3)
        strict = rng.random(rows) < 0.5
        regions.append(Rows(np.zeros((rows, network.inputs)), c, r, strict))
        violated |= np.where(strict, values < r, values <= r).all(axis=1)
    case = Case(lower, upper, tuple(regions))
    return Property((case,), network.inputs, count, "random"), bool(violated.any())


def check_engines(network: Quantised, prop: Property, violated: bool) -> None:
    """Every engine says what the runtime does, and shows it."""
    for engine in ("enumerate", "bounds", "auto"):
        result = vouch.nn.verify(network, prop, engine=engine, timeout=60)
        expected = Verdict.UNSAFE if violated else Verdict.SAFE
        assert result.verdict is expected, (network.name, engine, result.reason)
        if result.counterexample is not None:
            assert result.replayed
            point = result.counterexample.input
            output = network.runtime.run(point[None, :])[0]
            assert np.array_equal(output, result.counterexample.output)
            assert prop.violated(point, output)
