"""Zonotopes: affine forms over noise symbols in [-1, 1], with the ReLU relaxation of least area.

Each value is centre + generators * symbols + rest, where `rest` is a plain interval radius that collects
round-off. An unstable ReLU becomes slope * h + shift with one new symbol (DeepZ). Batched over boxes; each
layer adds as many symbols as the box with the most unstable neurons needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.errors import Unsupported
from vouch.nn.bounds.forward import State
from vouch.nn.bounds.model import Model
from vouch.nn.bounds.relax import Relaxed, relax
from vouch.nn.linear import is_torch
from vouch.nn.lowered import Activation, Affine, Multiply
from vouch.nn.property import Array

_SAFETY = 2.0**-40


@dataclass(slots=True)
class Zonotope:
    """centre and rest [batch, size], generators [batch, symbols, size]; `within`, where known, is an interval
    found in another way."""

    centre: Any
    generators: Any
    rest: Any
    within: tuple[Any, Any] | None = None

    def interval(self) -> tuple[Any, Any]:
        size = abs(self.generators).sum(1)
        radius = size + self.rest
        radius = radius + _SAFETY * (size + abs(self.centre))
        low, high = self.centre - radius, self.centre + radius
        if self.within is None:
            return low, high
        least, most = self.within
        return _pick(least > low, least, low), _pick(most < high, most, high)


def _pick(condition: Any, first: Any, second: Any) -> Any:
    if is_torch(first):
        import torch

        return torch.where(condition, first, second)
    return np.where(condition, first, second)


def propagate(model: Model, lower: Any, upper: Any, state: State | None = None) -> dict[int, Zonotope]:
    """The zonotope of every node for boxes [batch, inputs]; `state`, if given, is met and tightened."""
    arrays, xp = model.arrays, model.arrays.xp
    batch, inputs = lower.shape
    half = (upper - lower) * 0.5
    generators = arrays.zeros((batch, inputs, inputs))
    every = arrays.indices(np.arange(inputs))
    generators[:, every, every] = half
    reach = xp.maximum(abs(lower), abs(upper))
    shapes = {0: Zonotope((lower + upper) * 0.5, generators, reach * 2.0**-51)}
    heights: dict[int, Any] = {}
    for index, node in enumerate(model.lowered.nodes):
        if isinstance(node, Affine):
            shapes[index] = _affine(model, index, node, shapes, heights)
        elif isinstance(node, Activation):
            low, high = shapes[node.input].interval()
            if state is not None:
                part = model.slots[index]
                low = xp.maximum(low, state.low[:, part])
                high = xp.minimum(high, state.high[:, part])
                state.low[:, part], state.high[:, part] = low, high
            shapes[index] = _activated(model, index, shapes[node.input], low, high)
        elif isinstance(node, Multiply):
            shapes[index] = _multiplied(model, index, shapes[node.left], shapes[node.right])
    return shapes


def _multiplied(model: Model, index: int, left: Zonotope, right: Zonotope) -> Zonotope:
    """The plane through the middle, and one new symbol for how far the product is from it."""
    arrays, xp = model.arrays, model.arrays.xp
    (x_low, x_high), (y_low, y_high) = left.interval(), right.interval()
    found = relax(model, index, xp.concatenate([x_low, y_low], 1), xp.concatenate([x_high, y_high], 1))
    _insist(found)
    planes = found.lines
    symbols = max(left.generators.shape[1], right.generators.shape[1])
    own = _padded(arrays, left.generators, symbols) * planes.slope_left[:, None, :]
    own = own + _padded(arrays, right.generators, symbols) * planes.slope_right[:, None, :]
    centre = left.centre * planes.slope_left + right.centre * planes.slope_right
    centre = centre + (planes.low_shift + planes.high_shift) * 0.5
    size = xp.maximum(abs(x_low), abs(x_high)) * xp.maximum(abs(y_low), abs(y_high))
    rest = left.rest * abs(planes.slope_left) + right.rest * abs(planes.slope_right)
    spread = (planes.high_shift - planes.low_shift) * 0.5
    generators = xp.concatenate([own, _fresh(arrays, spread)], 1)
    within = found.low, found.high
    return Zonotope(centre, generators, rest + _SAFETY * (size + abs(centre)), within)


def _insist(found: Relaxed) -> None:
    if found.undefined is not None and bool(found.undefined.any()):
        raise Unsupported("a function may be asked for a value outside of its domain")


def _affine(
    model: Model, index: int, node: Affine, shapes: dict[int, Zonotope], heights: dict[int, Any]
) -> Zonotope:
    arrays = model.arrays
    centre, rest, sizes, parts = model.biases[index], 0.0, [], []
    ends: list[tuple[Any, Any, Any]] = []
    inner = True
    symbols = max(shapes[source].generators.shape[1] for source in node.inputs)
    for linear, source in zip(node.maps, node.inputs, strict=True):
        shape = shapes[source]
        batch, own, size = shape.generators.shape
        centre = centre + linear.apply(shape.centre)
        rest = rest + linear.absolute().apply(shape.rest)
        low, high = shape.interval()
        inner = inner and shape.within is not None
        ends.append((linear, low, high))
        sizes.append(model.arrays.xp.maximum(abs(low), abs(high)))
        moved = linear.apply(shape.generators.reshape(batch * own, size)).reshape(batch, own, linear.rows)
        parts.append(_padded(arrays, moved, symbols))
    noise, mass = model.noise(index, sizes, heights)
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    within = None
    if inner:
        middle = sum((m.apply((a + b) * 0.5) for m, a, b in ends), start=model.biases[index])
        radius = sum((m.absolute().apply((b - a) * 0.5) for m, a, b in ends), start=noise)
        within = middle - radius, middle + radius
    return Zonotope(centre, total, rest + noise + _SAFETY * mass, within)


def _activated(model: Model, index: int, shape: Zonotope, low: Any, high: Any) -> Zonotope:
    """slope * h + shift, within +-spread: the band of one slope that contains the function."""
    arrays, xp = model.arrays, model.arrays.xp
    found = relax(model, index, low, high)
    _insist(found)
    relaxation = found.lines
    if relaxation.low_shift is None:
        slope = relaxation.high_slope
        bottom, top = 0.0 * slope, relaxation.high_shift
    else:
        slope = xp.minimum(relaxation.low_slope, relaxation.high_slope)
        # Lines of other slopes, moved to `slope`: their values at the ends bound the band.
        bottom = _end(xp.minimum, relaxation.low_slope, relaxation.low_shift, slope, low, high)
        top = _end(xp.maximum, relaxation.high_slope, relaxation.high_shift, slope, low, high)
    middle, spread = (bottom + top) * 0.5, (top - bottom) * 0.5
    spread = spread + _SAFETY * (abs(bottom) + abs(top))
    generators = xp.concatenate([shape.generators * slope[:, None, :], _fresh(arrays, spread)], 1)
    size = xp.maximum(abs(low), abs(high)) * (1 + abs(slope))
    within = None if found.undefined is None else (found.low, found.high)
    rest = shape.rest * abs(slope) + _SAFETY * size
    return Zonotope(shape.centre * slope + middle, generators, rest, within)


def _fresh(arrays: Any, spread: Any) -> Any:
    """New symbols, one for each place of a box that has a spread."""
    fresh = arrays.zeros((len(spread), 0, spread.shape[1]))
    boxes, neurons = arrays.xp.where(spread > 0)
    if len(boxes):
        order = (spread > 0).cumsum(1)[boxes, neurons] - 1
        fresh = arrays.zeros((len(spread), int(order.max()) + 1, spread.shape[1]))
        fresh[boxes, order, neurons] = spread[boxes, neurons]
    return fresh


def _end(pick: Any, own: Any, shift: Any, slope: Any, low: Any, high: Any) -> Any:
    return pick((own - slope) * low, (own - slope) * high) + shift


def _padded(arrays: Any, generators: Any, symbols: int) -> Any:
    batch, own, size = generators.shape
    if own == symbols:
        return generators
    return arrays.xp.concatenate([generators, arrays.zeros((batch, symbols - own, size))], 1)


def zonotope_bounds(model: Model, lower: Array, upper: Array) -> tuple[Array, Array]:
    """Bounds of every output for one box."""
    arrays = model.arrays
    shapes = propagate(model, arrays.array(lower[None, :]), arrays.array(upper[None, :]))
    low, high = shapes[model.output].interval()
    return arrays.numpy(low)[0], arrays.numpy(high)[0]
