"""Batched bounds, boxes a second: numpy and torch on the CPU against torch on a GPU, in one run.

A random network of ACAS Xu's size (5-50x6-5) and one of 5-512x6-5; boxes are small, as in a search. Then the
search that stays on the device; nodes of the search over neurons, 2,000 at a time on the GPU, for a network
of MNIST 256x6's shape and a residual one of CIFAR's; and whole questions of the families that are named.
Arguments: boxes in a batch (default 4096), and families of ../shared/data as NAME:EVERY or NAME:EVERY:MATCH,
where MATCH is a part of the network's name.
"""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any

import numpy as np

from bench.nn_instances import data_folder, instances, run
from vouch.errors import VouchError
from vouch.nn.bounds.arrays import Arrays, arrays_for
from vouch.nn.bounds.forward import ForwardState, analyse, fresh
from vouch.nn.bounds.model import model_of
from vouch.nn.bounds.outputs import fed_box
from vouch.nn.bounds.region import Unsafe, exclude
from vouch.nn.bounds.splits import bound, root
from vouch.nn.network import GraphBuilder, Network
from vouch.nn.operators import Add, Conv, Gemm, Relu, Reshape
from vouch.nn.property import output_union, robustness
from vouch.nn.search.device import DeviceSearch
from vouch.nn.search.task import Clock, Judge


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


def _sweep(network: Network, device: str, batch: int, seconds: float = 3.0) -> float:
    """Boxes a second of the bounds in float32, pruning and halving included."""
    import torch

    row = np.array([[1.0, -1.0, 0.0, 0.0, 0.0]])
    prop = output_union(np.full(5, -1.0), np.full(5, 1.0), [(row, np.array([-1e9]))])
    model, judge = model_of(network, "float32"), Judge(network, prop, False)
    search = DeviceSearch(model, prop.cases[0], judge, Clock(seconds), device, batch=batch)
    rng = np.random.default_rng(1)
    centre = torch.as_tensor(rng.uniform(-0.5, 0.5, (batch, 5)), dtype=torch.float32, device=device)
    count, start = 0, 0.0
    with torch.no_grad():
        for number in range(1 << 20):
            search._step(centre - 0.01, centre + 0.01)
            if device == "cuda":
                torch.cuda.synchronize()
            if number == 1:  # the first rounds choose kernels and take memory
                start = time.monotonic()
            elif number > 1:
                count += batch
                if time.monotonic() - start > seconds:
                    break
    return count / (time.monotonic() - start)


def _sweeps(network: Network) -> None:
    import torch

    for device, batch in (("cpu", 4096), ("cuda", 1 << 18)):
        if device == "cuda" and not torch.cuda.is_available():
            print("search on the device: torch finds no CUDA device")
            continue
        rate = _sweep(network, device, batch)
        print(f"search on the device, {device:4}  batch {batch:6d}  {rate:12,.0f} boxes/s", flush=True)


def _perceptron() -> Network:
    rng = np.random.default_rng(0)
    sizes = [784, *[256] * 6, 10]
    shapes = pairwise(sizes)
    return Network.from_layers(
        [(rng.normal(size=(b, a)) * np.sqrt(2 / a), rng.normal(size=b) * 0.1) for a, b in shapes]
    )


def _residual(channels: int = 16, blocks: int = 2) -> Network:
    """A residual network over 3x32x32: 16 channels at half the size, two blocks, 10 classes."""
    rng = np.random.default_rng(0)
    builder = GraphBuilder("residual", "x", (1, 3, 32, 32))

    def conv(name: str, value: str, into: int, stride: int) -> str:
        weights = rng.normal(size=(channels, into, 3, 3)) * np.sqrt(2 / (9 * into))
        op = Conv(weights, np.zeros(channels), (stride,) * 2, ((1, 1),) * 2, (1, 1), 1)
        return builder.add(name, op, value)

    value = builder.add("r0", Relu(), conv("c0", "x", 3, 2))
    for block in range(blocks):
        inner = builder.add(f"r{block}a", Relu(), conv(f"c{block}a", value, channels, 1))
        summed = builder.add(f"s{block}", Add(), conv(f"c{block}b", inner, channels, 1), value)
        value = builder.add(f"r{block}b", Relu(), summed)
    count = channels * 16 * 16
    flat = builder.add("flat", Reshape((1, count)), value)
    weights = rng.normal(size=(10, count)) * np.sqrt(1 / count)
    return builder.build(builder.add("y", Gemm.of(weights, np.zeros(10)), flat))


def _nodes(network: Network, arrays: Arrays, batch: int, seconds: float = 5.0) -> tuple[float, float]:
    """Nodes a second of the search over neurons, twelve steps of ascent each, and the worst bound."""
    rng = np.random.default_rng(1)
    point = rng.random(network.inputs)
    label = int(network.evaluate(point[None, :])[0].argmax())
    prop = robustness(point, 1e-3, 10, label=label, lower=0.0, upper=1.0)
    model, case = model_of(network, "float32", arrays), prop.cases[0]
    lower, upper = (arrays.array(end[None, :]) for end in fed_box(model, case))
    state = fresh(model, 1)
    analyse(model, lower, upper, state, "interval")
    region = Unsafe.of(model, case, case.regions[0])
    unstable = np.flatnonzero(arrays.numpy((state.low < 0) & (state.high > 0))[0])
    signs = np.zeros((batch, model.neurons))
    for row in signs:
        row[rng.choice(unstable, min(8, len(unstable)), replace=False)] = rng.choice([-1.0, 1.0])

    def once() -> float:
        spread = arrays.zeros((batch, model.neurons))
        nodes = root(model, ForwardState(state.low + spread, state.high + spread), region, batch)
        nodes.signs = arrays.array(signs)
        nodes.state.low = arrays.xp.where(nodes.signs > 0, nodes.state.low.clip(min=0), nodes.state.low)
        nodes.state.high = arrays.xp.where(nodes.signs < 0, nodes.state.high.clip(max=0), nodes.state.high)
        found, _ = bound(model, lower, upper, nodes, region, 12)
        return float(found.value.min())

    worst = once()
    _wait(arrays)
    count, start = 0, time.monotonic()
    while count == 0 or time.monotonic() - start < seconds:
        once()
        _wait(arrays)
        count += batch
    return count / (time.monotonic() - start), worst


def _neurons(batch: int = 2000) -> None:
    for name, network in (("784-256x6-10", _perceptron()), ("residual 3x32x32", _residual())):
        base = None
        for library, arrays in _backends():
            size = batch if arrays.device == "cuda" else 64 if network.inputs < 1000 else 8
            rate, worst = _nodes(network, arrays, size)
            base = base or rate
            print(
                f"{name:17} batch {size:5d}  {library:10}  {rate:10,.1f} nodes/s  {rate / base:7.2f}x"
                f"  worst bound {worst:.4f}",
                flush=True,
            )


def _questions(name: str, every: int, match: str = "", limit: float = 60.0) -> None:
    """Whole questions of a family, on the CPU and on the GPU in turn."""
    folder = data_folder() / name
    total = {"cpu": 0.0, "cuda": 0.0}
    for network, prop, _ in [i for i in instances(folder) if match in i[0]][::every]:
        line = []
        for device in total:
            found = run(folder, network, prop, limit, device=device)
            total[device] += found.seconds
            line.append(f"{device} {found.verdict:8} {found.seconds:7.2f} s {found.nodes:10,d} nodes")
        print(f"{found.network} {found.prop}: " + "   ".join(line), flush=True)
    print("   ".join(f"{device}: {seconds:.1f} s in all" for device, seconds in total.items()))


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
    _sweeps(_network(50, np.random.default_rng(0)))
    _neurons()
    for family in arguments[1:]:
        name, every, match = (*family.split(":"), "", "")[:3]
        _questions(name, int(every or 1), match)
    return 0


if __name__ == "__main__":
    import sys

    sys.exit(main(sys.argv[1:]))
