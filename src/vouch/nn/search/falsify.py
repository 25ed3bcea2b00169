"""Looks for violations by evaluation: the middle, corners, samples, then descent from the best of them
and from points to which hidden neurons lead.

Works on the float64 network in batches; whoever calls confirms what is found. Deterministic for a seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from vouch.nn.bounds.model import BoundModel
from vouch.nn.lowered import Activation, Affine, Multiply, NodeKind
from vouch.nn.property import Array, Case, Rows
from vouch.nn.result import ViolatingInput
from vouch.nn.search.task import Clock, Judge

# Points that descend in one batch, towards one region or several.
_TOGETHER = 512
# Steps that push hidden neurons, and how much of its direction such a step keeps.
_PUSHES, _MOMENTUM = 12, 0.75


@dataclass(frozen=True, slots=True)
class Effort:
    """How many points are sampled, how many descend, and how far; how many more start where hidden neurons
    are pushed."""

    samples: int = 16384
    starts: int = 128
    steps: int = 40
    pushed: int = 0


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
    elsewhere = pushed(model, case, rng, effort.pushed, clock)
    regions = [region for region in case.regions if region.count]
    starts = [_starts(region, points, values, effort.starts, elsewhere) for region in regions]
    together = max(1, _TOGETHER // max(map(len, starts), default=1))
    for first in range(0, len(regions), together):
        some = slice(first, first + together)
        found = _descend(model, case, regions[some], starts[some], judge, clock, effort.steps)
        if found is not None or clock.over:
            return found
    return None


def _starts(region: Rows, points: Array, values: Array, count: int, elsewhere: Array) -> Array:
    """Where descents towards a region begin: at the best samples, at as many others for variety, and
    `elsewhere`."""
    excess = region.excess(points, values).max(1, initial=-np.inf)
    best = np.argsort(excess, kind="stable")[: count // 2]
    return np.concatenate([points[best], points[: count // 2], elsewhere])


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


def pushed(model: BoundModel, case: Case, rng: np.random.Generator, count: int, clock: Clock) -> Array:
    """Points at which hidden neurons are about as small or as large as they get, one neuron for each point,
    of all layers in turn. Where outputs are nearly the same nearly everywhere, they tell a descent nothing;
    neurons that are off at most points, or on, lead it to the others."""
    layers = [node.input for node in map(model.node, model.activations) if isinstance(node, Activation)]
    width = case.upper - case.lower
    points = projected(case, case.lower + rng.random((count if layers else 0, len(width))) * width)
    for number, layer in enumerate(layers[:count]):
        some, momentum = points[number :: len(layers)], 0.0
        rows = np.zeros((len(some), model.node(layer).size))
        chosen = rng.integers(0, rows.shape[1], len(some))
        rows[np.arange(len(some)), chosen] = rng.choice([-1.0, 1.0], len(some))
        for step in range(_PUSHES):
            if clock.over:
                return points
            values = model.lowered.values(model.arrays.array(some))
            slope = gradient(model, values, rows, layer) * width
            momentum = _MOMENTUM * momentum + slope / (np.abs(slope).mean(1, keepdims=True) + 1e-300)
            some = projected(case, some - np.sign(momentum) * width * (0.5 * 0.85**step))
        points[number :: len(layers)] = some
    return points


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
    model: BoundModel,
    case: Case,
    regions: Sequence[Rows],
    starts: Sequence[Array],
    judge: Judge,
    clock: Clock,
    steps: int,
) -> ViolatingInput | None:
    """Projected descents on the largest excess of each region's rows from its starts, with shrinking signed
    steps; those towards all regions stand in one batch."""
    width = case.upper - case.lower
    points, edges = np.concatenate(starts), np.cumsum([0, *map(len, starts)])
    parts = [slice(*ends) for ends in pairwise(edges)]
    for step in range(steps):
        values = model.lowered.values(model.arrays.array(points))
        outputs = model.arrays.numpy(values[-1])
        worst = []
        for region, part in zip(regions, parts, strict=True):
            excess = region.excess(points[part], outputs[part])
            found = judge.confirm(case, points[part][(excess <= 0).all(1)])
            if found is not None or clock.over:
                return found
            worst.append(excess.argmax(1))
        rows = zip(regions, worst, strict=True)
        y_rows, x_rows = zip(*((region.y_rows[w], region.x_rows[w]) for region, w in rows), strict=True)
        scaled = (gradient(model, values, np.concatenate(y_rows)) + np.concatenate(x_rows)) * width
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
