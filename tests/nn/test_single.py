"""Bounds in float32 and the search on a device, here the CPU, against runs and the search in float64."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from vouch.nn.bounds.model import model_of
from vouch.nn.bounds.region import Unsafe
from vouch.nn.bounds.single import SingleBounds, fits
from vouch.nn.network import Network
from vouch.nn.property import Case, Rows, output_union
from vouch.nn.replay import replay
from vouch.nn.search import verify
from vouch.nn.search.device import DeviceSearch
from vouch.nn.search.task import Clock, Judge
from vouch.settings import resolve
from vouch.verdict import Verdict


@pytest.fixture(autouse=True)
def torch():
    """Loaded here only: in a process that holds it every fork costs more."""
    return pytest.importorskip("torch")


def random_chain(rng, spread=1.0):
    sizes = [int(rng.integers(1, 4)), *rng.integers(2, 9, rng.integers(1, 4)).tolist(), 2]
    return Network.from_layers(
        [
            (spread * rng.normal(size=(out, into)), spread * rng.normal(size=out))
            for into, out in pairwise(sizes)
        ]
    )


@pytest.mark.parametrize("arithmetic", ["float32", "real"])
@pytest.mark.parametrize("seed", range(30))
def test_bounds_contain_what_is_seen(seed, arithmetic, torch):
    rng = np.random.default_rng(seed)
    network = random_chain(rng, [1.0, 1e-6, 1e4][seed % 3])
    low = rng.uniform(-2, 1, network.inputs)
    high = low + rng.uniform(0, 1.5, network.inputs) * (rng.random(network.inputs) < 0.8)
    rows = Rows.of(rng.normal(size=(3, network.inputs)), rng.normal(size=(3, 2)), rng.normal(size=3))
    case = Case(low, high, (rows,))
    model = model_of(network, arithmetic)
    assert fits(model, case)
    bounds = SingleBounds(model, case, [Unsafe.of(model, case, rows)], "cpu")
    part = rng.random((2, 40, network.inputs))
    lower, upper = (low + part.min(0) * (high - low)), (low + part.max(0) * (high - low))
    lower, upper = lower.astype(np.float32), upper.astype(np.float32)
    upper = np.maximum(lower, upper)
    forms = bounds.rows(torch.from_numpy(lower), torch.from_numpy(upper))
    floor = (forms.centre - forms.radius).numpy().astype(np.float64)
    roof = (forms.centre + forms.radius).numpy().astype(np.float64)
    assert (floor <= roof).all()
    for share in (0.0, 1.0, *rng.random(20)):
        place = share if share in (0.0, 1.0) else rng.random(lower.shape)
        x = lower + place * (upper - lower)
        x = x.astype(np.float32).clip(lower, upper).astype(np.float64)
        y = replay(network, x) if arithmetic == "float32" else network.evaluate(x)
        excess = rows.excess(x, y)
        assert (excess >= floor[:, :3] - 1e-300).all()
        # The roof bounds the rows with the slack that `Unsafe` takes off.
        slack = 1e-4 * (1 + np.abs(excess))
        assert (excess <= roof[:, :3] + slack).all()


@pytest.mark.parametrize("seed", range(12))
def test_search_agrees(seed):
    rng = np.random.default_rng(100 + seed)
    network = random_chain(rng)
    low, high = np.full(network.inputs, -1.0), np.full(network.inputs, 1.0)
    values = network.evaluate(rng.uniform(-1, 1, (4000, network.inputs)))[:, 0]
    gap = 0.05 * (values.max() - values.min() + 1e-3)
    for limit, verdict in ((values.max() + gap, Verdict.SAFE), (values.max() - gap, Verdict.UNSAFE)):
        prop = output_union(low, high, [(np.array([[-1.0, 0.0]]), np.array([-limit]))])
        model = model_of(network, "float32")
        judge = Judge(network, prop, False)
        swept = DeviceSearch(model, prop.cases[0], judge, Clock(20), "cpu", batch=64).run()
        assert (swept.counterexample is not None) == (verdict is Verdict.UNSAFE)
        if verdict is Verdict.SAFE:
            assert not len(swept.lower)
        assert verify(network, prop, resolve("nn", {"timeout": 20, "jobs": 1})).verdict is verdict


def test_what_is_too_narrow_is_handed_on():
    """|x - 0.3| comes too close to its limit at one point: float32 cannot decide it, and says where."""
    layers = [(np.array([[1.0], [-1.0]]), np.array([-0.3, 0.3])), (np.array([[1.0, 1.0]]), np.zeros(1))]
    network = Network.from_layers(layers)
    prop = output_union(np.array([-1.0]), np.array([1.0]), [(np.array([[1.0]]), np.array([-1e-13]))])
    model, case = model_of(network, "real"), prop.cases[0]
    swept = DeviceSearch(model, case, Judge(network, prop, True), Clock(20), "cpu", batch=64).run()
    assert swept.counterexample is None
    assert 0 < len(swept.lower) < 10
    assert ((swept.lower <= 0.3) & (swept.upper >= 0.3)).any()
