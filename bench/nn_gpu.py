"""Batched bounds, boxes a second: numpy and torch on the CPU against torch on a GPU, in one run.

A random network of ACAS Xu's size (5-50x6-5) and one of 5-512x6-5; boxes are small, as in a search.
Arguments: boxes in a batch (default 4096).
"""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any

import numpy as np

from vouch.errors import VouchError
from vouch.nn.bounds.arrays import Arrays, arrays_for
from vouch.nn.bounds.forward import analyse, fresh
from vouch.nn.bounds.model import model_of
from vouch.nn.bounds.region import Unsafe, exclude
from vouch.nn.network import Network
from vouch.nn.property import output_union


def _network(width: int, rng: np.random.Generator) -> Network:
    sizes = [5, *[width] * 6, 5]
    layers = []
    for into, out in pairwise(sizes):
        layers.append((rng.normal(size=(out, into)) * np.sqrt(2 / into), rng.normal(size=out) * 0.1))
    return Network.from_layers(layers)


def _backends() -> list[tuple[str, Arrays]]:
    found = [("numpy cpu", arrays_for("cpu"))]
    for name, device in (("torch cpu", "cpu"), ("torch cuda", "cuda")):
        try:
            found.append((name, arrays_for(device, torch=True)))
        except VouchError as error:
            print(f"{name}: {error}")
    return found


def _wait(arrays: Arrays) -> None:
    if arrays.device == "cuda":
        arrays.xp.cuda.synchronize()


def _measure(network: Network, arrays: Arrays, batch: int, seconds: float = 3.0) -> tuple[float, Any]:
    """Boxes a second, and the bounds of the first batch."""
    model = model_of(network, "float32", arrays)
    rng = np.random.default_rng(1)
    centre = rng.uniform(-0.5, 0.5, (batch, 5))
    lower, upper = arrays.array(centre - 0.01), arrays.array(centre + 0.01)
    row = np.array([[1.0, -1.0, 0.0, 0.0, 0.0]])
    prop = output_union(np.full(5, -1.0), np.full(5, 1.0), [(row, np.array([-1e9]))])
    region = Unsafe.of(model, prop.cases[0], prop.cases[0].regions[0])

    def once() -> Any:
        analysis = analyse(model, lower, upper, fresh(model, batch))
        exclude(analysis, region)
        return analysis

    first = arrays.numpy(once().output_low)
    _wait(arrays)
    count, start = 0, time.monotonic()
    while time.monotonic() - start < seconds:
        once()
        _wait(arrays)
        count += batch
    return count / (time.monotonic() - start), first


def main(arguments: list[str]) -> int:
    batch = int(arguments[0]) if arguments else 4096
    for width in (50, 512):
        size = batch if width == 50 else max(batch // 16, 64)
        network = _network(width, np.random.default_rng(0))
        base, reference = None, None
        for name, arrays in _backends():
            rate, bounds = _measure(network, arrays, size)
            base = base or rate
            reference = bounds if reference is None else reference
            gap = float(np.abs(bounds - reference).max() / (1 + np.abs(reference).max()))
            print(
                f"5-{width}x6-5  batch {size:6d}  {name:10}  {rate:12,.0f} boxes/s  {rate / base:7.2f}x"
                f"  largest relative difference of bounds {gap:.1e}",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    import sys

    sys.exit(main(sys.argv[1:]))
