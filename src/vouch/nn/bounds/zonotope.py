"""Zonotopes: affine forms over noise symbols in [-1, 1], with the ReLU relaxation of least area.

Each value is centre + generators * symbols + rest, where `rest` is a plain interval radius that collects
round-off. An unstable ReLU becomes slope * h + shift with one new symbol (DeepZ). Batched over boxes; each
layer adds as many symbols as the box with the most unstable neurons needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.nn.bounds.forward import State
from vouch.nn.bounds.model import Model
from vouch.nn.bounds.relax import relax
from vouch.nn.lowered import Activation, Affine
from vouch.nn.property import Array

_SAFETY = 2.0**-40


@dataclass(slots=True)
class Zonotope:
    """centre and rest [batch, size], generators [batch, symbols, size]."""

    centre: Any
    generators: Any
    rest: Any

    def interval(self) -> tuple[Any, Any]:
        size = abs(self.generators).sum(1)
        radius = size + self.rest
        radius = radius + _SAFETY * (size + abs(self.centre))
        return self.centre - radius, self.centre + radius


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
    return shapes


def _affine(
    model: Model, index: int, node: Affine, shapes: dict[int, Zonotope], heights: dict[int, Any]
) -> Zonotope:
    arrays = model.arrays
    centre, rest, sizes, parts = model.biases[index], 0.0, [], []
    symbols = max(shapes[source].generators.shape[1] for source in node.inputs)
    for linear, source in zip(node.maps, node.inputs, strict=True):
        shape = shapes[source]
        batch, own, size = shape.generators.shape
        centre = centre + linear.apply(shape.centre)
        rest = rest + linear.absolute().apply(shape.rest)
        low, high = shape.interval()
        sizes.append(model.arrays.xp.maximum(abs(low), abs(high)))
        moved = linear.apply(shape.generators.reshape(batch * own, size)).reshape(batch, own, linear.rows)
        parts.append(_padded(arrays, moved, symbols))
    noise, mass = model.noise(index, sizes, heights)
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return Zonotope(centre, total, rest + noise + _SAFETY * mass)


def _activated(model: Model, index: int, shape: Zonotope, low: Any, high: Any) -> Zonotope:
    """slope * h + shift, within +-spread: the band of one slope that contains the function."""
    arrays, xp = model.arrays, model.arrays.xp
    relaxation, _, _ = relax(model, index, low, high)
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
    fresh = arrays.zeros((len(spread), 0, spread.shape[1]))
    boxes, neurons = xp.where(spread > 0)
    if len(boxes):
        order = (spread > 0).cumsum(1)[boxes, neurons] - 1
        fresh = arrays.zeros((len(spread), int(order.max()) + 1, spread.shape[1]))
        fresh[boxes, order, neurons] = spread[boxes, neurons]
    generators = xp.concatenate([shape.generators * slope[:, None, :], fresh], 1)
    size = xp.maximum(abs(low), abs(high))
    return Zonotope(shape.centre * slope + middle, generators, shape.rest * slope + _SAFETY * size)


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
