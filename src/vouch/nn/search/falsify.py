"""Looks for violations by evaluation: the middle, corners, samples, then descent from the best of them.

Works on the float64 network in batches; whoever calls confirms what is found. Deterministic for a seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.nn.bounds.model import BoundModel
from vouch.nn.lowered import Activation, Affine, Multiply, NodeKind
from vouch.nn.property import Array, Case, Rows
from vouch.nn.result import ViolatingInput
from vouch.nn.search.task import Clock, Judge


@dataclass(frozen=True, slots=True)
class Effort:
    """How many points are sampled, how many descend, and how far."""

    samples: int = 16384
    starts: int = 128
    steps: int = 40


def falsify(
    model: BoundModel, case: Case, judge: Judge, clock: Clock, seed: int, effort: Effort | None = None
) -> ViolatingInput | None:
    """A confirmed violation of the case, or None."""
    effort = effort or Effort()
    rng = np.random.default_rng(seed)
    points = samples(case, rng, effort.samples)
    values = _run(model, points)
    for region in case.regions:
        excess = region.excess(points, values).max(1, initial=-np.inf)
        found = judge.confirm(case, points[np.flatnonzero(excess <= 0)])
        if found is not None:
            return found
    for region in case.regions:
        excess = region.excess(points, values).max(1, initial=-np.inf)
        # Half of the starts are the best samples, the other half the first ones, for variety.
        best = np.argsort(excess, kind="stable")[: effort.starts // 2]
        starts = np.concatenate([points[best], points[: effort.starts // 2]])
        found = _descend(model, case, region, starts, judge, clock, effort.steps)
        if found is not None or clock.over:
            return found
    return None


def samples(case: Case, rng: np.random.Generator, count: int) -> Array:
    """The middle, corners (all, where there are few) and uniform points."""
    width = case.upper - case.lower
    inputs = len(width)
    if inputs <= 8:
        bits = np.array([[(n >> j) & 1 for j in range(inputs)] for n in range(1 << inputs)], dtype=float)
    else:
        bits = rng.integers(0, 2, (min(256, count), inputs)).astype(float)
    inner = rng.random((count, inputs))
    # Violations love the surface: in every other point, some inputs go to an end of their range.
    ends = rng.random((count, inputs)) < 0.4
    ends[::2] = False
    inner = np.where(ends, np.round(inner), inner)
    points = case.lower + np.vstack([np.full((1, inputs), 0.5), bits, inner]) * width
    return projected(case, points)


def projected(case: Case, points: Array) -> Array:
    """Points moved into the box, and towards the centre of the ball."""
    points = case.tied(np.clip(points, case.lower, case.upper))
    if case.ball is None:
        return points
    ball = case.ball
    inverse = np.divide(1.0, ball.scale, out=np.zeros_like(ball.scale), where=ball.scale > 0)
    steps = np.abs(points - ball.centre) * inverse
    distance = steps.sum(1) if ball.norm == "l1" else np.sqrt((steps**2).sum(1))
    shrink = np.minimum(1.0, ball.radius * (1 - 1e-7) / np.maximum(distance, 1e-300))
    inside: Array = np.clip(ball.centre + (points - ball.centre) * shrink[:, None], case.lower, case.upper)
    return inside


def _run(model: BoundModel, points: Array) -> Array:
    values: Array = model.arrays.numpy(model.run(model.arrays.array(points)))
    return values


def _descend(
    model: BoundModel, case: Case, region: Rows, points: Array, judge: Judge, clock: Clock, steps: int
) -> ViolatingInput | None:
    """Projected descent on the largest excess of the region's rows, with shrinking signed steps."""
    width = case.upper - case.lower
    if region.count == 0:
        return None
    for step in range(steps):
        values = model.lowered.values(model.arrays.array(points))
        outputs = model.arrays.numpy(values[-1])
        excess = region.excess(points, outputs)
        found = judge.confirm(case, points[np.flatnonzero((excess <= 0).all(1))])
        if found is not None or clock.over:
            return found
        worst = excess.argmax(1)
        slope = gradient(model, values, region.y_rows[worst]) + region.x_rows[worst]
        scaled = slope * width
        largest = np.abs(scaled).max(1, keepdims=True)
        # Mostly the sign, which crosses plateaus; partly the gradient, which settles.
        direction = 0.5 * np.sign(scaled) + 0.5 * scaled / np.maximum(largest, 1e-300)
        points = projected(case, points - direction * width * (0.25 * 0.88**step))
    return None


def gradient(model: BoundModel, values: list[Any], rows: Array, node: int | None = None) -> Array:
    """The derivative of rows * value of a node (the output) by the inputs at evaluated points, one row
    each."""
    arrays = model.arrays
    last = model.output if node is None else node
    pending: dict[int, Any] = {last: arrays.array(rows)}
    for index in range(last, 0, -1):
        row = pending.pop(index, None)
        if row is None:
            continue
        step = model.node(index)
        if isinstance(step, Affine):
            for linear, source in zip(step.maps, step.inputs, strict=True):
                part = linear.transpose(row)
                pending[source] = pending[source] + part if source in pending else part
        elif isinstance(step, Multiply):
            for source, other in ((step.left, step.right), (step.right, step.left)):
                through = row * values[other]
                pending[source] = pending[source] + through if source in pending else through
        else:
            assert isinstance(step, Activation)
            through = row * _slope(arrays, step, values[step.input], values[index])
            source = step.input
            pending[source] = pending[source] + through if source in pending else through
    found = pending.get(0)
    result: Array = arrays.numpy(found if found is not None else arrays.zeros((len(rows), model.inputs)))
    return result


def _slope(arrays: Any, node: Activation, argument: Any, value: Any) -> Any:
    if node.function is not None:
        with np.errstate(all="ignore"):
            slope = node.function.slope(arrays.xp, argument)
        return arrays.xp.where(abs(slope) < 1e30, slope, 0.0)
    if node.kind is NodeKind.SIGMOID:
        return value * (1 - value)
    if node.kind is NodeKind.TANH:
        return 1 - value * value
    return (value > 0) * 1.0
