"""Differences of two networks, followed node by node: their bounds against values, element by element."""

from __future__ import annotations

import numpy as np
import pytest

from vouch.nn.bounds.forward import ForwardState
from vouch.nn.bounds.model import model_from
from vouch.nn.bounds.outputs import least_of_rows
from vouch.nn.bounds.relax import relax
from vouch.nn.lowered import ActivationGap, AffineGap
from vouch.nn.lowering import lower
from vouch.nn.network import GraphBuilder, Network
from vouch.nn.operators import Add, Gemm, LeakyRelu, Operator, Relu, Sigmoid, Tanh
from vouch.nn.product import ProductNetwork, beside
from vouch.nn.property import Ball, Case
from vouch.nn.replay import replay

ACTIVATIONS = [Relu(), LeakyRelu(0.25), Tanh(), Sigmoid()]


def network(rng: np.random.Generator, activation: Operator, change: float = 0.0) -> Network:
    """4 inputs, two blocks of which the second is skipped, 3 outputs. `change` disturbs the weights."""
    builder, own = GraphBuilder("block", "x", (1, 4)), np.random.default_rng(11)

    def gemm(m: int, n: int) -> Gemm:
        weights, bias = own.normal(size=(m, n)), own.normal(size=m)
        weights, bias = weights + change * rng.normal(size=(m, n)), bias + change * rng.normal(size=m)
        # What float32 holds exactly is exported and run in float32.
        return Gemm.of(weights.astype(np.float32), bias.astype(np.float32))

    value = builder.add("a", activation, builder.add("g", gemm(5, 4), "x"))
    inner = builder.add("b", activation, builder.add("h", gemm(5, 5), value))
    value = builder.add("s", Add(), value, inner)
    return builder.build(builder.add("y", gemm(3, 5), value))


def product(
    seed: int, activation: Operator, change: float, fold: bool = True
) -> tuple[Network, Network, ProductNetwork]:
    rng = np.random.default_rng(seed)
    first, second = network(rng, activation), network(rng, activation, change)
    return first, second, beside(*(lower(net, fold=fold, relu_only=True) for net in (first, second)))


@pytest.mark.parametrize("activation", ACTIVATIONS, ids=lambda a: a.kind)
@pytest.mark.parametrize("ball", [False, True])
def test_bounds_of_differences_hold_and_are_tight(activation: Operator, ball: bool) -> None:
    for seed, change in enumerate((0.0, 0.001, 0.02)):
        first, second, both = product(seed, activation, change)
        assert both.followed
        rng = np.random.default_rng(seed)
        centre = rng.uniform(-1, 1, 4)
        case = Case(
            centre - 0.2, centre + 0.2, (), None, Ball(centre, 0.2, np.ones(4), "l1") if ball else None
        )
        rows = np.hstack([np.zeros((6, 6)), np.vstack([np.eye(3), -np.eye(3)])])
        least = least_of_rows(model_from(both.lowered, "real"), case, rows)
        steps = rng.uniform(-1, 1, (5000, 4))
        steps /= np.abs(steps).sum(1, keepdims=True) if ball else 1.0
        points = centre + 0.2 * steps
        gap = first.evaluate(points) - second.evaluate(points)
        seen = np.hstack([gap, -gap])
        assert (seen >= least - 1e-12).all()
        # What is not followed node by node is bounded by the two widths, however close the networks are.
        apart = np.hstack([rows[:, 6:], -rows[:, 6:], np.zeros((6, 3))])
        plain = least_of_rows(model_from(both.lowered, "real"), case, apart)
        if change <= 0.001:
            assert (least > 0.2 * plain).all() or not plain.any()
            assert (-least).max() < 0.1


@pytest.mark.parametrize("activation", ACTIVATIONS, ids=lambda a: a.kind)
def test_rounding_of_both_is_in_the_bounds_of_the_difference(activation: Operator) -> None:
    """The same network twice: its float32 run differs from its exact values, and the bounds cover that."""
    first, second, both = product(0, activation, 0.0, fold=False)
    rows = np.hstack([np.zeros((6, 6)), np.vstack([np.eye(3), -np.eye(3)])])
    points = np.random.default_rng(0).uniform(-1, 1, (50, 4)).astype(np.float32).astype(np.float64)
    gap = replay(first, points) - second.evaluate(points)
    assert np.abs(gap).max() > 1e-9
    for point, seen in zip(points, np.hstack([gap, -gap]), strict=True):
        case = Case(point, point, ())
        assert (seen >= least_of_rows(model_from(both.lowered, "float32"), case, rows)).all()
        real = least_of_rows(model_from(both.lowered, "real"), case, rows)
        assert (np.abs(real) < 1e-10).all()


@pytest.mark.parametrize("activation", [Relu(), Tanh(), Sigmoid()], ids=lambda a: a.kind)
def test_lines_enclose_differences_of_activations(activation: Operator) -> None:
    rng = np.random.default_rng(0)
    _, _, both = product(0, activation, 0.02)
    model = model_from(both.lowered, "real")
    index = next(i for i in model.activations if isinstance(model.node(i), ActivationGap))
    node = model.node(index)
    for _ in range(300):
        r = rng.normal(size=5) * rng.choice([0.1, 1.0, 8.0]) + rng.normal(size=(40, 5)) * rng.choice(
            [0, 0.01, 1]
        )
        t = r + rng.normal(size=(40, 5)) * rng.choice([0.001, 0.1, 3.0])
        state = ForwardState(np.zeros((1, model.neurons)), np.zeros((1, model.neurons)))
        for part, values in ((model.slots[node.first], r), (model.slots[node.second], t)):
            state.low[0, part], state.high[0, part] = values.min(0), values.max(0)
        gap = r - t
        whole = relax(model, index, gap.min(0)[None, :], gap.max(0)[None, :], state)
        found, low, high = whole.lines, whole.low, whole.high
        value = activation.evaluate(r) - activation.evaluate(t)
        assert (value >= found.low_slope * gap + found.low_shift - 1e-14).all()
        assert (value <= found.high_slope * gap + found.high_shift + 1e-14).all()
        assert (value >= low - 1e-14).all()
        assert (value <= high + 1e-14).all()
        assert not found.unstable.any()


def test_what_is_not_alike_is_subtracted_at_the_end() -> None:
    rng = np.random.default_rng(0)
    first, other = network(rng, Relu()), network(rng, Tanh())
    for one, two in ((first, other), (first, network(rng, Relu(), 1.0))):
        both = beside(lower(one, relu_only=True), lower(two, relu_only=True))
        assert not both.followed
        assert not any(isinstance(node, AffineGap | ActivationGap) for node in both.lowered.nodes)
        x = rng.normal(size=(9, 4))
        r, t = one.evaluate(x), two.evaluate(x)
        assert np.allclose(both.lowered.evaluate(x), np.hstack([r, t, r - t]))
