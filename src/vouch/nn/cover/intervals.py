"""Intervals of all potentials over boxes, sound for the reals and for float64 evaluation alike."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, assert_never

import numpy as np

from vouch.errors import Unsupported
from vouch.nn.arrays import Array
from vouch.nn.bounds.forward import analyse, fresh
from vouch.nn.bounds.model import BoundModel, model_from
from vouch.nn.cover.potentials import Potentials
from vouch.nn.linear import DENSE_LIMIT, LinearMap
from vouch.nn.lowered import Activation, Affine, Input, LoweredNode, Maximum, Multiply, NodeKind, value

Interval = tuple[Array, Array]
_UNIT = 2.0**-52


class Intervals:
    """Interval arithmetic, met with back-substitution where the network consists of what that knows.

    A sum whose terms all have one sign keeps that sign in every arithmetic; the rounding that bounds allow
    for would lose it, and with it every proof that a sign cannot change.
    """

    def __init__(self, network: Potentials) -> None:
        self.network = network
        self.model: BoundModel | None = None
        with suppress(Unsupported):
            self.model = model_from(network.lowered, "real")

    def of(self, lower: Array, upper: Array) -> list[Interval]:
        """The interval of every layer's potentials for boxes [batch, inputs]."""
        found = self._forward(lower, upper)
        layers = [found[layer.node] for layer in self.network.layers]
        if self.model is None:
            return layers
        slots = {self.model.node(i).input: part for i, part in self.model.slots.items()}
        analysis = analyse(self.model, lower, upper, fresh(self.model, len(lower)))
        for place, layer in enumerate(self.network.layers):
            if layer.node in slots:
                part = slots[layer.node]
                low, high = analysis.state.low[:, part], analysis.state.high[:, part]
            else:
                low, high = analysis.output_low, analysis.output_high
            layers[place] = np.maximum(layers[place][0], low), np.minimum(layers[place][1], high)
        return layers

    def _forward(self, lower: Array, upper: Array) -> list[Interval]:
        found: list[Interval] = []
        for node in self.network.lowered.nodes:
            found.append(_interval(node, found, lower, upper))
        return found


def _interval(node: LoweredNode, known: list[Interval], lower: Array, upper: Array) -> Interval:
    match node:
        case Input():
            return lower, upper
        case Affine():
            return _affine(node, [known[i] for i in node.inputs])
        case Activation():
            return _activated(node, *known[node.input])
        case Maximum():
            low, high = known[node.input]
            return low[:, node.windows].max(2), high[:, node.windows].max(2)
        case Multiply():
            raise Unsupported("intervals of a product of computed values")
        case _:
            assert_never(node)


def _activated(node: Activation, low: Array, high: Array) -> Interval:
    """Every activation here grows with its argument; a smooth one is widened by its own error."""
    if node.kind in (NodeKind.GAP, NodeKind.CURVE) or node.slope < 0:
        raise Unsupported(f"intervals of {node.kind}")
    low, high = (value(_alone(node), [end], end) for end in (low, high))
    if node.kind in (NodeKind.SIGMOID, NodeKind.TANH):
        least = 0.0 if node.kind is NodeKind.SIGMOID else -1.0
        low, high = np.maximum(low - 8 * _UNIT, least), np.minimum(high + 8 * _UNIT, 1.0)
    return low, high


def _alone(node: Activation) -> Activation:
    """The same function of the first value there is."""
    return Activation(0, node.size, node.kind, node.slope, node.low, node.high)


def _affine(node: Affine, inputs: list[Interval]) -> Interval:
    middle, radius, mass = node.bias, np.zeros(node.size), np.abs(node.bias)
    total = np.zeros(1)
    for linear, (low, high) in zip(node.maps, inputs, strict=True):
        size = np.maximum(np.abs(low), np.abs(high))
        middle = middle + linear.apply((low + high) * 0.5)
        radius = radius + linear.absolute().apply((high - low) * 0.5)
        mass = mass + linear.absolute().apply(size)
        total = total + size.sum(1)
    terms = sum(linear.terms for linear in node.maps)
    slack = mass * (4 * (terms + 8) * _UNIT) + 2.0**-1000
    slack = slack + (2 * node.weight_error * total + 2 * node.bias_error)[:, None]
    low, high = middle - radius - slack, middle + radius + slack
    if node.weight_error or node.bias_error:
        return low, high
    falls, rises = _signs(node, inputs)
    return np.where(falls, low, np.maximum(low, 0.0)), np.where(rises, high, np.minimum(high, 0.0))


def _signs(node: Affine, inputs: list[Interval]) -> tuple[Any, Any]:
    """Whether some term of a sum may be below, or above, zero."""
    falls, rises = node.bias < 0, node.bias > 0
    for linear, (low, high) in zip(node.maps, inputs, strict=True):
        if linear.rows * linear.columns > DENSE_LIMIT:
            return True, True
        up, down = _parts(linear)
        below, above = (low < 0).astype(np.float32), (high > 0).astype(np.float32)
        falls = falls | (below @ up + above @ down > 0)
        rises = rises | (above @ up + below @ down > 0)
    return falls, rises


def _parts(linear: LinearMap) -> tuple[Any, Any]:
    """Where the matrix has positive and negative entries, transposed."""
    matrix = linear.dense().T
    return (matrix > 0).astype(np.float32), (matrix < 0).astype(np.float32)
