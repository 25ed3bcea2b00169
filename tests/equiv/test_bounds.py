"""Forms, differences and regions: everything they claim is checked on sampled or exactly computed points."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from vouch.equiv.difference import propagate_related
from vouch.equiv.forms import UNIT32, Cells, Known, propagate
from vouch.equiv.pair import Pair, dense
from vouch.equiv.region import Region, ball, box, polytope
from vouch.equiv.tighten import tightened
from vouch.errors import VouchError
from vouch.nn.search.task import Clock


def _layers(rng: np.random.Generator, widths: list[int]) -> list[tuple[np.ndarray, np.ndarray]]:
    return [
        (
            rng.normal(size=(m, n)).astype(np.float32).astype(float),
            rng.normal(size=m).astype(np.float32).astype(float),
        )
        for n, m in itertools.pairwise(widths)
    ]


def _exact(layers: Any, x: np.ndarray) -> list[Fraction]:
    values = [Fraction(float(v)) for v in x]
    for index, (weights, bias) in enumerate(layers):
        values = [
            sum((Fraction(float(w)) * v for w, v in zip(row, values, strict=True)), Fraction(float(b)))
            for row, b in zip(weights, bias, strict=True)
        ]
        if index < len(layers) - 1:
            values = [max(v, Fraction(0)) for v in values]
    return values


@pytest.mark.parametrize("norm", ["linf", "l1"])
def test_forms_hold_in_exact_arithmetic(norm: str) -> None:
    rng = np.random.default_rng(5)
    for _ in range(15):
        layers = _layers(rng, [3, 5, 4, 2])
        net = dense(layers)
        region = ball(rng.normal(size=3), 0.3, norm)
        cells = Cells.of(region.lower[None], region.upper[None], region)
        low, high = propagate(net, cells).form.bounds(cells)
        for x in region.sample(rng, 20):
            if region.contains(x):
                for value, a, b in zip(_exact(layers, x), low[0], high[0], strict=True):
                    assert Fraction(float(a)) <= value <= Fraction(float(b))


def test_a_point_has_bounds_a_few_roundings_wide() -> None:
    rng = np.random.default_rng(6)
    layers = _layers(rng, [4, 8, 8, 3])
    x = rng.normal(size=4)
    cells = Cells.of(x[None], x[None], box(x, x))
    low, high = propagate(dense(layers), cells).form.bounds(cells)
    assert (high - low).max() < 1e-11
    assert all(
        Fraction(float(a)) <= v <= Fraction(float(b))
        for v, a, b in zip(_exact(layers, x), low[0], high[0], strict=True)
    )


def test_float32_forms_hold_what_float32_computes() -> None:
    rng = np.random.default_rng(7)
    layers = _layers(rng, [4, 30, 30, 3])
    region = box(-np.ones(4), np.ones(4) * -0.98)
    cells = Cells.of(region.lower[None], region.upper[None], region)
    low, high = propagate(dense(layers), cells, unit=UNIT32).form.bounds(cells)
    x = region.sample(rng, 500).astype(np.float32)
    for index, (weights, bias) in enumerate(layers):
        x = x @ weights.T.astype(np.float32) + bias.astype(np.float32)
        x = np.maximum(x, 0) if index < 2 else x
    assert (x >= low).all()
    assert (x <= high).all()


def test_the_difference_of_close_networks_is_sound_and_far_tighter() -> None:
    rng = np.random.default_rng(8)
    first = _layers(rng, [3, 10, 10, 10, 2])
    second = [(w + 1e-4 * rng.normal(size=w.shape), b) for w, b in first]
    pair = Pair(dense(first), dense(second))
    assert pair.related
    region = box(-0.2 * np.ones(3), 0.2 * np.ones(3))
    cells = Cells.of(region.lower[None], region.upper[None], region)
    r, t, delta, _ = propagate_related(pair, cells)
    low, high = delta.bounds(cells)
    x = region.sample(rng, 2000)
    gap = pair.reference.evaluate(x) - pair.test.evaluate(x)
    assert (gap >= low).all()
    assert (gap <= high).all()
    apart = np.stack(r.bounds(cells)[1]) - np.stack(t.bounds(cells)[0])
    assert (high - low).max() < 0.05 * np.abs(apart).max()


def test_fixed_phases_hold_where_they_are_true() -> None:
    rng = np.random.default_rng(9)
    layers = _layers(rng, [3, 4, 2])
    net, region = dense(layers), box(-np.ones(3), np.ones(3))
    cells = Cells.of(region.lower[None], region.upper[None], region)
    for neuron in range(4):
        phase = np.zeros((1, 4), np.int8)
        phase[0, neuron] = 1
        low, high = propagate(net, cells, known=Known((phase,))).form.bounds(cells)
        x = region.sample(rng, 500)
        x = x[(x @ layers[0][0].T + layers[0][1])[:, neuron] >= 0]
        y = net.evaluate(x)
        assert ((y >= low) & (y <= high)).all()


def test_tightened_bounds_are_tighter_and_sound() -> None:
    rng = np.random.default_rng(10)
    pair = Pair(dense(_layers(rng, [3, 6, 6, 2])), dense(_layers(rng, [3, 6, 2])))
    region = ball(np.zeros(3), 1.0, "l1")
    cells = Cells.of(region.lower[None], region.upper[None], region)
    loose = propagate(pair.reference, cells).relaxed
    tight, _ = tightened(pair, region, Clock(20))
    x = region.sample(rng, 2000)
    for index in range(2):
        layer = pair.reference.layers[index]
        z = x @ layer.weights.T + layer.bias
        assert ((z >= tight[index][0]) & (z <= tight[index][1])).all()
        x = np.maximum(z, 0.0)
    assert (tight[1][1] - tight[1][0]).sum() < (loose[1].upper - loose[1].lower).sum()


@pytest.mark.parametrize(
    ("region", "edge"),
    [
        (box(np.zeros(2), np.ones(2) / 3), [1 / 3, 0.1]),
        (ball(np.array([0.1, 0.7]), 0.25, "l1"), [0.1 + 0.2, 0.7 + 0.05]),
        (polytope(np.zeros(2), np.ones(2), np.array([[1.0, 1.0]]), np.array([0.7])), [0.3, 0.4]),
    ],
)
def test_points_near_an_edge_are_moved_inside(region: Region, edge: list[float]) -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        x = np.array(edge) + rng.uniform(0, 1e-9, 2)
        found = list(region.nearby(x))
        assert found
        assert all(region.contains(point) and np.abs(point - x).max() < 1e-4 for point in found)


def test_membership_in_a_ball_is_exact() -> None:
    region = ball(np.zeros(2), 1.0, "l1")
    assert region.contains(np.array([0.5, 0.5]))
    assert not region.contains(np.array([0.5, np.nextafter(0.5, 1)]))


def test_a_bad_region_is_refused() -> None:
    for make in (
        lambda: box(np.ones(2), np.zeros(2)),
        lambda: box(np.zeros(2), np.full(2, np.inf)),
        lambda: ball(np.zeros(2), -1.0),
        lambda: ball(np.zeros(2), 1.0, "l2"),
        lambda: ball(np.zeros(2), 1.0, domain=(np.ones(2), np.ones(2) * 2)),
    ):
        with pytest.raises(VouchError):
            make()
