"""Activations: one function per element, and Softmax."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vouch.errors import VouchError
from vouch.nn.operators.base import Array, Operator, Shape, Value, finite

if TYPE_CHECKING:
    from vouch.nn.lowering import Builder


def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x)) without overflow, in the dtype of x."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small)).astype(x.dtype)


class _Elementwise(Operator):
    __slots__ = ()

    def shape(self, *inputs: Shape) -> Shape:
        return inputs[0]


@dataclass(frozen=True, slots=True)
class Relu(_Elementwise):
    """max(0, x)."""

    def evaluate(self, *inputs: Array) -> Array:
        return np.maximum(inputs[0], 0)

    def lower(self, builder: Builder, *inputs: Value) -> int:
        return builder.relu(inputs[0].node)


@dataclass(frozen=True, slots=True)
class LeakyRelu(_Elementwise):
    """x for x >= 0, slope * x below."""

    slope: float

    def __post_init__(self) -> None:
        finite(self.slope)

    def evaluate(self, *inputs: Array) -> Array:
        (x,) = inputs
        return np.where(x >= 0, x, x * x.dtype.type(self.slope))

    def lower(self, builder: Builder, *inputs: Value) -> int:
        return builder.leaky_relu(inputs[0].node, self.slope)


@dataclass(frozen=True, slots=True)
class Clip(_Elementwise):
    """min(max(x, low), high); either end may be infinite."""

    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        if not self.low <= self.high or self.low == math.inf or self.high == -math.inf:
            raise VouchError(f"an empty range [{self.low}, {self.high}]")

    def evaluate(self, *inputs: Array) -> Array:
        (x,) = inputs
        return np.clip(x, x.dtype.type(self.low), x.dtype.type(self.high))

    def lower(self, builder: Builder, *inputs: Value) -> int:
        return builder.clip(inputs[0].node, self.low, self.high)


@dataclass(frozen=True, slots=True)
class Sigmoid(_Elementwise):
    """1 / (1 + exp(-x))."""

    def evaluate(self, *inputs: Array) -> Array:
        return sigmoid(inputs[0])

    def lower(self, builder: Builder, *inputs: Value) -> int:
        return builder.sigmoid(inputs[0].node)


@dataclass(frozen=True, slots=True)
class Tanh(_Elementwise):
    """The hyperbolic tangent."""

    def evaluate(self, *inputs: Array) -> Array:
        return np.tanh(inputs[0])

    def lower(self, builder: Builder, *inputs: Value) -> int:
        return builder.tanh(inputs[0].node)


@dataclass(frozen=True, slots=True)
class Softmax(_Elementwise):
    """exp(x) over its sum along `axis` of the model, or along all axes from `axis` on when `flat`."""

    axis: int
    flat: bool = False

    def _axes(self, rank: int) -> tuple[int, ...]:
        axis = self.axis % rank
        return tuple(range(axis, rank)) if self.flat else (axis,)

    def shape(self, *inputs: Shape) -> Shape:
        if not -len(inputs[0]) <= self.axis < len(inputs[0]):
            raise VouchError(f"no axis {self.axis} in an input of shape {inputs[0]}")
        return inputs[0]

    def evaluate(self, *inputs: Array) -> Array:
        (x,) = inputs
        axes = tuple(a + 1 for a in self._axes(x.ndim - 1))
        powers = np.exp(x - x.max(axis=axes, keepdims=True))
        quotient: Array = powers / powers.sum(axis=axes, keepdims=True)
        return quotient

    def lower(self, builder: Builder, *inputs: Value) -> int:
        (x,) = inputs
        over = math.prod(x.shape[a] for a in self._axes(len(x.shape)))
        return builder.softmax(x.node, over_all=over == math.prod(x.shape))
