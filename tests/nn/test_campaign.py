"""Soundness: random networks over all operators, properties placed just beside the true extreme values.

The truth comes from `exact_paths` for piecewise linear networks and from dense sampling for the others. No
engine may call a violated property safe or a kept one unsafe, every violation has to replay, and engines
have to agree. `make test` runs a sample; the slow campaign runs 2,000 networks.
"""

from __future__ import annotations

import numpy as np
import pytest
from exact_paths import exact_maximum
from random_networks import ALL, PIECEWISE, random_model
from zonotopes import zonotope_bounds

from vouch.nn.bounds.ascent import all_relus, splits_help
from vouch.nn.bounds.model import model_of
from vouch.nn.bounds.outputs import output_bounds
from vouch.nn.loaders.onnx import from_bytes
from vouch.nn.property import output_union
from vouch.nn.replay import replay
from vouch.nn.search import driver as driving
from vouch.nn.search import verify
from vouch.settings import resolve
from vouch.verdict import Verdict

# Seconds for a question.
LONG = 30.0


def drawn(seed):
    """A network with 2 to 4 inputs, a box, and a direction of its outputs."""
    rng = np.random.default_rng(seed)
    kinds = PIECEWISE if seed % 3 else ALL
    model = random_model(
        seed, inputs=int(rng.integers(2, 5)), outputs=2, steps=int(rng.integers(2, 9)), kinds=kinds
    )
    network = from_bytes(model, f"random {seed}")
    low = np.round(rng.uniform(-2, 0.5, network.inputs) * 8) / 8
    high = low + np.round(rng.uniform(0, 2, network.inputs) * 8) / 8
    row = rng.integers(-2, 3, network.outputs).astype(float)
    return network, low, high, row if row.any() else np.array([1.0, 0.0]), rng


def sampled_maximum(network, low, high, row, rng):
    """The largest value among many points and small steps around the best of them."""
    points = np.vstack([low + rng.random((4000, len(low))) * (high - low), _corners(low, high)])
    for scale in (0.3, 0.1, 0.03, 0.01, 0.003, 0.001):
        best = points[(network.evaluate(points) @ row).argsort()[-20:]]
        around = best[:, None, :] + rng.normal(size=(20, 60, len(low))) * scale * (high - low)
        points = np.vstack([best, np.clip(around.reshape(-1, len(low)), low, high)])
    points = points.astype(np.float32).astype(np.float64)
    inside = points[((points >= low) & (points <= high)).all(1)]
    values = replay(network, inside[(network.evaluate(inside) @ row).argsort()[-8:]]) @ row
    return float(values.max())


def _corners(low, high):
    bits = np.array(np.meshgrid(*[[0.0, 1.0]] * len(low))).reshape(len(low), -1).T
    return low + bits * (high - low)


def asked(network, low, high, row, limit, engine, arithmetic):
    """The verdict on "row * output < limit"."""
    prop = output_union(low, high, [(-row[None, :], np.array([-limit]))])
    limit_s = min(2.0, LONG) if engine == "star" else LONG
    settings = resolve("nn", {"engine": engine, "arithmetic": arithmetic, "timeout": limit_s, "jobs": 1})
    result = verify(network, prop, settings)
    if result.verdict is Verdict.UNSAFE:
        found = result.counterexample
        assert prop.violated(found.input, replay(network, found.input[None, :])[0])
    return result


def engines(network, seed):
    """Path enumeration is the slowest by far, so it takes part in a quarter of the networks."""
    model = model_of(network, "real")
    if not all_relus(model):
        return ("auto", "neurons") if splits_help(model) else ("auto",)
    return ("auto", "neurons", "milp", "star") if seed % 4 == 1 else ("auto", "neurons", "milp")


def ask(network, low, high, row, limit, engine, arithmetic, monkeypatch):
    if engine == "neurons":
        monkeypatch.setattr(driving, "FEW_INPUTS", -1)
        engine = "auto"
    else:
        monkeypatch.undo()
    return asked(network, low, high, row, limit, engine, arithmetic)


def check_bounds(network, low, high, rng):
    """Every domain contains what sampling finds, in both arithmetics."""
    points = np.vstack([low + rng.random((300, len(low))) * (high - low), _corners(low, high)])
    for arithmetic in ("real", "float32"):
        model = model_of(network, arithmetic)
        values = network.evaluate(points) if arithmetic == "real" else replay(network, points)
        slack = 1e-12 * (1 + np.abs(values).max()) if arithmetic == "real" else 0.0
        if arithmetic == "float32":
            low32, high32 = (v.astype(np.float32).astype(np.float64) for v in (low, high))
            assert (low32 == low).all()
            assert (high32 == high).all()
        for bounds in (
            output_bounds(model, low, high, "interval"),
            output_bounds(model, low, high, "crown"),
            zonotope_bounds(model, low, high),
        ):
            assert (values >= bounds[0] - slack).all()
            assert (values <= bounds[1] + slack).all()


def check(seed, monkeypatch):
    """One network; returns how many questions were decided and how many asked (path enumeration, which
    runs under a short limit, not counted)."""
    network, low, high, row, rng = drawn(seed)
    check_bounds(network, low, high, rng)
    reached = sampled_maximum(network, low, high, row, rng)
    exact = exact_maximum(network, low, high, row) if seed % 3 else None
    scale = 1e-3 * (1.0 + abs(reached))
    if exact is not None:
        assert reached <= exact + 1e-5 * (1 + abs(exact))
    above = (exact if exact is not None else reached) + scale
    decided = total = 0
    for engine in engines(network, seed):
        for limit, arithmetic in ((reached - scale, "float32"), (above, "float32"), (above, "real")):
            result = ask(network, low, high, row, limit, engine, arithmetic, monkeypatch)
            if engine != "star":
                total += 1
                decided += result.verdict in (Verdict.SAFE, Verdict.UNSAFE)
            where = f"seed {seed} {engine} {arithmetic} {limit}"
            if limit < reached:
                assert result.verdict is not Verdict.SAFE, where
            elif exact is not None:
                assert result.verdict is not Verdict.UNSAFE, where
    monkeypatch.undo()
    return decided, total


@pytest.mark.parametrize("block", range(2))
def test_sample(block, monkeypatch):
    counts = [check(seed, monkeypatch) for seed in range(8 * block, 8 * block + 8)]
    decided, total = np.sum(counts, axis=0)
    assert decided >= 0.9 * total  # time limits bite on a busy machine; no wrong answer is allowed above


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("block", range(40))
def test_campaign(block, monkeypatch):
    counts = [check(seed, monkeypatch) for seed in range(1000 + 50 * block, 1000 + 50 * block + 50)]
    decided, total = np.sum(counts, axis=0)
    assert decided >= 0.97 * total
