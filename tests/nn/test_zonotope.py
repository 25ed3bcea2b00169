"""Zonotopes over shared symbols: everything they claim is checked on exactly computed or sampled points."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from zonotopes import zonotope_bounds

from vouch.nn.bounds.clear import RowTable, cleared, region_margins
from vouch.nn.bounds.forward import fresh
from vouch.nn.bounds.model import model_from, model_of
from vouch.nn.bounds.region import Unsafe
from vouch.nn.bounds.zonotope import propagate
from vouch.nn.lowering import lower
from vouch.nn.network import Network
from vouch.nn.product import beside
from vouch.nn.property import Case, Rows

Layers = list[tuple[np.ndarray, np.ndarray]]


def _layers(rng: np.random.Generator, widths: list[int]) -> Layers:
    return [
        (
            rng.normal(size=(m, n)).astype(np.float32).astype(float),
            rng.normal(size=m).astype(np.float32).astype(float),
        )
        for n, m in itertools.pairwise(widths)
    ]


def _exact(layers: Layers, x: np.ndarray) -> list[Fraction]:
    values = [Fraction(float(v)) for v in x]
    for index, (weights, bias) in enumerate(layers):
        values = [
            sum((Fraction(float(w)) * v for w, v in zip(row, values, strict=True)), Fraction(float(b)))
            for row, b in zip(weights, bias, strict=True)
        ]
        if index < len(layers) - 1:
            values = [max(v, Fraction(0)) for v in values]
    return values


def _product(first: Layers, second: Layers) -> Any:
    return beside(*(lower(Network.from_layers(net), relu_only=True) for net in (first, second)))


def test_bounds_hold_in_exact_arithmetic() -> None:
    rng = np.random.default_rng(5)
    for _ in range(15):
        layers = _layers(rng, [3, 5, 4, 2])
        centre = rng.normal(size=3)
        low, high = zonotope_bounds(model_of(Network.from_layers(layers), "real"), centre - 0.3, centre + 0.3)
        for x in rng.uniform(centre - 0.3, centre + 0.3, (20, 3)):
            for value, a, b in zip(_exact(layers, x), low, high, strict=True):
                assert Fraction(float(a)) <= value <= Fraction(float(b))


def test_a_point_has_bounds_a_few_roundings_wide() -> None:
    rng = np.random.default_rng(6)
    layers = _layers(rng, [4, 8, 8, 3])
    x = rng.normal(size=4)
    low, high = zonotope_bounds(model_of(Network.from_layers(layers), "real"), x, x)
    assert (high - low).max() < 1e-9
    pairs = zip(_exact(layers, x), low, high, strict=True)
    assert all(Fraction(float(a)) <= v <= Fraction(float(b)) for v, a, b in pairs)


def test_float32_bounds_hold_what_float32_computes() -> None:
    rng = np.random.default_rng(7)
    layers = _layers(rng, [4, 30, 30, 3])
    model = model_of(Network.from_layers(layers), "float32")
    low, high = zonotope_bounds(model, -np.ones(4), np.ones(4) * -0.98)
    x = rng.uniform(-1, -0.98, (500, 4)).astype(np.float32)
    for index, (weights, bias) in enumerate(layers):
        x = x @ weights.T.astype(np.float32) + bias.astype(np.float32)
        x = np.maximum(x, 0) if index < 2 else x
    assert (x >= low).all()
    assert (x <= high).all()


@pytest.mark.parametrize("change", [1e-4, 0.03])
def test_the_difference_of_close_networks_is_sound_and_far_tighter(change: float) -> None:
    """Small boxes of all kinds: where neurons of both are active, of one, of none, or of neither for sure."""
    rng = np.random.default_rng(8)
    first = _layers(rng, [3, 10, 10, 10, 2])
    second = [(w + change * rng.normal(size=w.shape), b + change) for w, b in first]
    both = _product(first, second)
    assert both.followed
    model = model_from(both.lowered, "real")
    centre = rng.normal(size=(40, 3))
    lower_ends, upper_ends = centre - 0.2, centre + 0.2
    low, high = propagate(model, lower_ends, upper_ends).output.interval()
    nets = [Network.from_layers(net) for net in (first, second)]
    for box in range(40):
        x = rng.uniform(lower_ends[box], upper_ends[box], (500, 3))
        r, t = (net.evaluate(x) for net in nets)
        seen = np.hstack([r, t, r - t])
        assert (seen >= low[box] - 1e-12).all()
        assert (seen <= high[box] + 1e-12).all()
    if change < 0.01:
        apart = (high[:, :2] - low[:, 2:4]) - (low[:, :2] - high[:, 2:4])
        assert (high - low)[:, 4:].mean() < 0.05 * apart.mean()


def test_known_signs_hold_where_they_are_true() -> None:
    rng = np.random.default_rng(9)
    layers = _layers(rng, [3, 4, 2])
    model = model_of(Network.from_layers(layers), "real")
    x = rng.uniform(-1, 1, (500, 3))
    hidden = x @ layers[0][0].T + layers[0][1]
    for neuron in range(4):
        state = fresh(model, 1)
        state.low[0, neuron] = 0.0
        low, high = propagate(model, -np.ones((1, 3)), np.ones((1, 3)), state).output.interval()
        y = model.run(x[hidden[:, neuron] >= 0])
        assert ((y >= low) & (y <= high)).all()


def test_boxes_are_clear_of_regions_only_where_no_point_is_inside() -> None:
    rng = np.random.default_rng(10)
    model = model_of(Network.from_layers(_layers(rng, [2, 6, 3])), "real")
    centre = rng.normal(size=(200, 2))
    low, high = centre - 0.05, centre + 0.05
    case = Case(np.full(2, -9.0), np.full(2, 9.0), ())
    parts = [
        Rows.of(rng.normal(size=(2, 2)) * 0.1, rng.normal(size=(2, 3)), rng.normal(size=2)) for _ in range(3)
    ]
    table = RowTable.of([Unsafe.of(model, case, rows) for rows in parts])
    found = propagate(model, low, high)
    margins, left = region_margins(table, found, low, high), cleared(table, found, low, high)
    assert (left.margin == margins.min(axis=1)).all()
    met = np.zeros((200, 3), dtype=bool)
    for box in range(200):
        x = rng.uniform(low[box], high[box], (200, 2))
        for number, rows in enumerate(parts):
            met[box, number] = (rows.excess(x, model.run(x)) <= 0).all(1).any()
    assert not (met & (margins > 0)).any()
    # Boxes are small, so most that no sample meets are shown to be clear.
    assert ((margins > 0) & ~met).sum() > 0.8 * (~met).sum()
    assert met.any()
