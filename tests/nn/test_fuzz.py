"""Fuzzers: random graphs of all operators against onnxruntime, and values that are known to be reached.

A graph that vouch reads must mean what the runtime computes, must be lowered to the same function, and every
bound must contain what the runtime shows. And for an input that was tried out, no engine may prove that its
output is never reached. `make test` runs a sample; the long run is marked slow.
"""

from __future__ import annotations

import collections

import numpy as np
import pytest
from random_graphs import random_graph
from random_networks import PIECEWISE, random_model

from vouch.errors import Unsupported, VouchError
from vouch.nn.bounds.model import model_of
from vouch.nn.bounds.outputs import may_overflow, output_bounds
from vouch.nn.loaders.onnx import from_bytes
from vouch.nn.lowering import lower
from vouch.nn.property import Case, output_union
from vouch.nn.replay import replay
from vouch.nn.search import driver as driving
from vouch.nn.search import verify
from vouch.settings import resolve
from vouch.verdict import Verdict

SPREADS = (1.0, 1.0, 1.0, 1e-12, 1e12, 1e-25, 1e25)
ENGINES = ("auto", "neurons", "bounds", "milp", "star")


REFUSED = ("not supported", "does not fit", "is not smaller than the window", "onnxruntime does not take")


def read(data, name):
    """The network, or None where vouch or the runtime refuses it by name."""
    try:
        network = from_bytes(data, name)
        replay(network, np.zeros((1, network.inputs)))
    except VouchError as error:
        if any(text in str(error) for text in REFUSED):
            return None
        raise
    return network


def compare(seed):
    """One graph against the runtime; its operators, or none where it was refused."""
    rng = np.random.default_rng(seed)
    spread = SPREADS[seed % len(SPREADS)]
    network = read(random_graph(seed, steps=int(rng.integers(1, 9)), spread=spread), f"graph {seed}")
    if network is None:
        return []
    x = rng.uniform(-2, 2, size=(3, network.inputs)).astype(np.float32).astype(np.float64)
    truth, seen = network.evaluate(x), replay(network, x)
    if spread == 1.0:
        size = 1 + np.abs(truth).max()
        np.testing.assert_allclose(seen, truth, atol=1e-4 * size, err_msg=f"seed {seed}")
        for fold in (True, False):
            np.testing.assert_allclose(lower(network, fold=fold).evaluate(x), truth, atol=1e-10 * size)
    model = model_of(network, "float32")
    low, high = x.min(axis=0), x.max(axis=0)
    if not may_overflow(model, Case(low, high, ())):
        for domain in ("interval", "crown"):
            try:
                bounds = output_bounds(model, low, high, domain)
            except Unsupported:  # an argument may leave its function's domain, as far as this bound knows
                continue
            assert np.isfinite(seen).all(), f"seed {seed}"
            assert (seen >= bounds[0]).all(), f"seed {seed} {domain}"
            assert (seen <= bounds[1]).all(), f"seed {seed} {domain}"
    return [node.op.kind for node in network.nodes]


def compared(seeds):
    kinds = collections.Counter(kind for seed in seeds for kind in compare(seed))
    assert len(kinds) >= 35, kinds
    return kinds


@pytest.mark.parametrize("block", range(4))
def test_random_graphs(block):
    compared(range(75 * block, 75 * block + 75))


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_many_random_graphs():
    compared(range(10_000, 40_000))


def reached(network, low, high, rng, arithmetic):
    """An input of the box and its output; where the output is uncertain, how much."""
    x = (low + rng.random(len(low)) * (high - low)).astype(np.float32).astype(np.float64).clip(low, high)
    if arithmetic == "float32":
        return replay(network, x[None, :])[0], 0.0
    value = network.evaluate(x[None, :])[0]
    return value, 1e-9 * (1 + np.abs(value).max())


def ask(seed, monkeypatch):
    """Every engine, in both arithmetics: never `safe`. How often somebody was asked."""
    rng = np.random.default_rng(seed)
    spread = SPREADS[seed % len(SPREADS)] if seed % 2 else 1.0
    if seed % 3:
        inputs, steps = int(rng.integers(2, 5)), int(rng.integers(1, 8))
        data = random_model(seed, inputs=inputs, outputs=2, steps=steps, kinds=PIECEWISE)
    else:
        data = random_graph(seed, steps=int(rng.integers(1, 6)), spread=spread)
    network = read(data, f"network {seed}")
    if network is None:
        return 0
    low = np.round(rng.uniform(-2, 0.5, network.inputs) * 8) / 8
    high = low + np.round(rng.uniform(0, 2, network.inputs) * 8) / 8 * (rng.random(network.inputs) < 0.5)
    asked = 0
    for arithmetic in ("float32", "real"):
        value, room = reached(network, low, high, rng, arithmetic)
        if not np.isfinite(value).all():
            continue
        rows = np.vstack([np.eye(len(value)), -np.eye(len(value))])
        limits = np.concatenate([value + room, room - value])
        prop = output_union(low, high, [(rows, limits)])
        for engine in ENGINES:
            monkeypatch.setattr(driving, "FEW_INPUTS", -1 if engine == "neurons" else 12)
            options = {"engine": "auto" if engine == "neurons" else engine, "arithmetic": arithmetic}
            try:
                result = verify(network, prop, resolve("nn", {**options, "timeout": 0.5, "jobs": 1}))
            except Unsupported:
                continue
            assert result.verdict is not Verdict.SAFE, f"seed {seed} {engine} {arithmetic}"
            asked += 1
    monkeypatch.undo()
    return asked


def test_what_is_reached_is_not_proved_away(monkeypatch):
    assert sum(ask(seed, monkeypatch) for seed in range(3)) >= 10


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("block", range(10))
def test_what_is_reached_is_never_proved_away(block, monkeypatch):
    for seed in range(5000 + 100 * block, 5100 + 100 * block):
        ask(seed, monkeypatch)


def at_the_edge(seed):
    """A limit that onnxruntime is seen to reach: nobody may prove that it is never reached. Whether `auto`
    was asked."""
    rng = np.random.default_rng(seed)
    network = read(random_graph(seed, steps=int(rng.integers(1, 7))), f"graph {seed}")
    if network is None:
        return 0
    low = np.round(rng.uniform(-2, 1, network.inputs) * 8) / 8
    high = low + np.round(rng.uniform(0, 1, network.inputs) * 8) / 8 * (rng.random(network.inputs) < 0.4)
    points = low + rng.random((200, network.inputs)) * (high - low)
    points = points.astype(np.float32).astype(np.float64).clip(low, high)
    row = rng.normal(size=network.outputs)
    values = network.evaluate(points) @ row
    if not np.isfinite(values).all():
        return 0
    seen = float((replay(network, points[values.argsort()[-4:]]) @ row).max())
    for arithmetic, room in (("float32", 0.0), ("real", 1e-4 * (1 + abs(seen)))):
        prop = output_union(low, high, [(-row[None, :], np.array([room - seen]))])
        result = verify(network, prop, resolve("nn", {"arithmetic": arithmetic, "timeout": 2, "jobs": 1}))
        assert result.verdict is not Verdict.SAFE, f"seed {seed} {arithmetic}"
    return 1


def test_what_is_seen_is_not_proved_away():
    assert sum(at_the_edge(seed) for seed in range(12)) >= 6


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_what_is_seen_is_never_proved_away():
    assert sum(at_the_edge(seed) for seed in range(20_000, 24_000)) >= 3_000
