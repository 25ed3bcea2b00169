"""Bounds over a box that a norm ball cuts: against linear programs, and against sampling."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from vouch.nn.bounds.arrays import NUMPY
from vouch.nn.bounds.ball import least_over, lowest
from vouch.nn.bounds.forward import analyse, fresh
from vouch.nn.bounds.model import model_of
from vouch.nn.bounds.outputs import least_of_rows
from vouch.nn.network import Network
from vouch.nn.property import Ball, Case


def least_by_program(a, lower, upper, ball):
    """min a x over box and Manhattan ball, with distances as further variables."""
    n = len(a)
    free = ball.scale > 0
    rows = [np.append(np.zeros(n), free * 1.0)]
    rhs = [ball.radius]
    for i in np.flatnonzero(free):
        for sign in (1.0, -1.0):
            row = np.zeros(2 * n)
            row[i], row[n + i] = sign, -ball.scale[i]
            rows.append(row)
            rhs.append(sign * ball.centre[i])
    bounds = [*zip(lower, upper, strict=True), *[(0, None)] * n]
    found = linprog(np.append(a, np.zeros(n)), A_ub=np.array(rows), b_ub=np.array(rhs), bounds=bounds)
    return found.fun if found.status == 0 else None


def test_the_least_value_over_box_and_ball_is_that_of_a_linear_program():
    rng = np.random.default_rng(0)
    compared = 0
    for _ in range(60):
        n = int(rng.integers(1, 6))
        centre = rng.normal(size=n)
        scale = rng.choice([0.0, 0.5, 1.0, 2.0], n)
        lower = centre - rng.uniform(-0.3, 1, n)
        upper = np.maximum(lower, centre + rng.uniform(-0.3, 1, n))
        ball = Ball(centre, float(rng.uniform(0.1, 2)), scale, "l1")
        a = rng.normal(size=(1, n))
        truth = least_by_program(a[0], lower, upper, ball)
        if truth is None:
            continue
        value, point = lowest(NUMPY, ball, a, lower[None, :], upper[None, :])
        assert value[0] <= truth + 1e-9
        assert value[0] == pytest.approx(truth, abs=1e-7)
        assert (a @ point.T)[0, 0] == pytest.approx(truth, abs=1e-7)
        compared += 1
    assert compared > 30


def test_neurons_are_bounded_over_the_ball_and_not_only_over_its_box():
    rng = np.random.default_rng(1)
    n = 30
    sizes = [(20, n), (20, 20), (3, 20)]
    layers = [(rng.normal(size=s) / np.sqrt(s[1]), rng.normal(size=s[0]) * 0.1) for s in sizes]
    model = model_of(Network.from_layers(layers), "real")
    centre, radius = rng.normal(size=n), 1.0
    ball = Ball(centre, radius, np.ones(n), "l1")
    box = (centre - radius)[None, :], (centre + radius)[None, :]
    wide, narrow = analyse(model, *box, fresh(model, 1)), analyse(model, *box, fresh(model, 1), ball=ball)
    share = rng.dirichlet(np.full(n, 0.2), size=4000) * radius
    points = centre + share * rng.choice([-1.0, 1.0], share.shape)
    hidden = points @ layers[0][0].T + layers[0][1]
    assert (hidden >= narrow.state.low[0, :20]).all()
    assert (hidden <= narrow.state.high[0, :20]).all()
    second = np.maximum(hidden, 0) @ layers[1][0].T + layers[1][1]
    assert (second >= narrow.state.low[0, 20:]).all()
    assert (second <= narrow.state.high[0, 20:]).all()
    shrunk = (narrow.state.high - narrow.state.low) / (wide.state.high - wide.state.low)
    assert shrunk.mean() < 0.5
    least = least_of_rows(model, Case(box[0][0], box[1][0], (), None, ball), np.eye(3))
    assert (model.run(points) >= least).all()


@pytest.mark.parametrize("seed", range(20))
def test_the_least_value_over_a_box_and_a_euclidean_ball(seed):
    """Never above the truth, which bisection of the ball's multiplier gives, and near it."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 30))
    a, scale = rng.normal(size=count), np.where(rng.random(count) < 0.2, 0.0, rng.uniform(0.5, 2, count))
    low, high = -rng.random(count) * (rng.random(count) < 0.6), rng.random(count) * (rng.random(count) < 0.8)
    low, high = np.where(scale > 0, low, 0.0), np.where(scale > 0, high, 0.0)
    ball = Ball(np.zeros(count), float(rng.uniform(0.05, 2)), scale, "l2")
    found = least_over(NUMPY, ball, a[None], low[None], high[None])[0]
    inner, outer = 1e-12, 1e12
    for _ in range(200):
        t = np.sqrt(inner * outer)
        d = np.clip(-t * a * scale**2, low, high)
        far = np.linalg.norm(d[scale > 0] / scale[scale > 0]) > ball.radius
        inner, outer = (inner, t) if far else (t, outer)
    truth = float(a @ np.clip(-inner * a * scale**2, low, high))
    assert found <= truth + 1e-9
    assert found >= truth - 0.02 * (1 + abs(truth))
