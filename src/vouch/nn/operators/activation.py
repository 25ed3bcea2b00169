"""Activations: one function per element, and softmax."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vouch.errors import Unsupported, VouchError
from vouch.nn.arrays import UNIT32, Array, Shape, sigmoid
from vouch.nn.functions import ScalarFunction, exponential, logarithm, reciprocal
from vouch.nn.operators.base import Operator, Value, finite

if TYPE_CHECKING:
    from vouch.nn.lowering import Builder

# Terms of a softmax that exceed one of its values by more than this factor's logarithm leave nothing of it.
_CAP = 80.0
# The sum of a softmax over its own term is 1 or more; a runtime's may be a little less by rounding. Bounds of
# large sums do not know it.
_LEAST_TOTAL = 1.0 - 2.0**-6
# Differences that a softmax inside a network may need.
_MOST_PAIRS = 1 << 22


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

    def over(self, shape: Shape) -> int:
        """How many values make up one sum."""
        return math.prod(shape[a] for a in self._axes(len(shape)))

    def lower(self, builder: Builder, *inputs: Value) -> int:
        (x,) = inputs
        return builder.curve(self.totals(builder, x, _CAP), reciprocal(_LEAST_TOTAL))

    def totals(self, builder: Builder, x: Value, cap: float | None) -> int:
        """The sum over j of exp(x_j - x_i) for every i, whose reciprocal is the softmax: one non-linear step
        less than a quotient, and no number in it grows where the runtime's do not."""
        from scipy.sparse import csr_array

        from vouch.nn.linear import Sparse

        size, count = math.prod(x.shape), self.over(x.shape)
        groups = _groups(size, x.shape, self._axes(len(x.shape)))
        others = np.array([[j for j in range(count) if j != i] for i in range(count)]).reshape(count, -1)
        if count == 1:
            return builder.affine((x.node,), (Sparse(csr_array((size, size))),), np.ones(size))
        if size * (count - 1) > _MOST_PAIRS:
            raise Unsupported(f"a softmax over {count} values inside a network")
        later = groups[:, others].ravel()  # [groups, i, j]
        own = np.repeat(groups.ravel(), count - 1)
        pairs, every = len(own), np.arange(len(own))
        entries = np.concatenate([np.ones(pairs), -np.ones(pairs)])
        places = np.tile(every, 2), np.concatenate([later, own])
        differences = Sparse(csr_array((entries, places), shape=(pairs, size)))
        # A runtime subtracts the largest from both, which may lose more than their difference does.
        group_of = np.repeat(np.arange(len(groups)), count * (count - 1))
        spread = csr_array((np.ones(size), (np.repeat(np.arange(len(groups)), count), groups.ravel())))
        loss = Sparse(csr_array(spread[group_of] * (4 * UNIT32)))
        exponent = builder.affine((x.node,), (differences,), np.zeros(pairs), losses=(loss,))
        sums = Sparse(csr_array((np.ones(pairs), (own, every)), shape=(size, pairs)))
        return builder.affine((builder.curve(exponent, exponential(cap)),), (sums,), np.ones(size))


@dataclass(frozen=True, slots=True)
class LogSoftmax(Softmax):
    """The logarithm of the softmax."""

    def evaluate(self, *inputs: Array) -> Array:
        (x,) = inputs
        axes = tuple(a + 1 for a in self._axes(x.ndim - 1))
        moved = x - x.max(axis=axes, keepdims=True)
        result: Array = moved - np.log(np.exp(moved).sum(axis=axes, keepdims=True))
        return result

    def lower(self, builder: Builder, *inputs: Value) -> int:
        from vouch.nn.linear import Sparse

        (x,) = inputs
        size = math.prod(x.shape)
        logarithms = builder.curve(self.totals(builder, x, None), logarithm())
        return builder.affine((logarithms,), (Sparse.scale(np.full(size, -1.0)),), np.zeros(size))


def _groups(size: int, shape: Shape, axes: tuple[int, ...]) -> Array:
    """Flat indices [groups, members] of the values that are normalised together."""
    moved = np.moveaxis(np.arange(size).reshape(shape), axes, range(len(shape) - len(axes), len(shape)))
    return moved.reshape(-1, math.prod(shape[a] for a in axes))


@dataclass(frozen=True, slots=True, eq=False)
class TwoSlopes(Operator):
    """x above zero, slopes * x below; the slopes broadcast (PRelu)."""

    slopes: Array

    def shape(self, *inputs: Shape) -> Shape:
        if np.broadcast_shapes(inputs[0], self.slopes.shape) != inputs[0]:
            raise VouchError(f"slopes of shape {self.slopes.shape} on an input of shape {inputs[0]}")
        return inputs[0]

    def evaluate(self, *inputs: Array) -> Array:
        (x,) = inputs
        return np.where(x >= 0, x, x * self.slopes.astype(x.dtype))

    def lower(self, builder: Builder, *inputs: Value) -> int:
        (x,) = inputs
        return builder.two_slopes(x.node, np.broadcast_to(self.slopes, x.shape).ravel())


@dataclass(frozen=True, slots=True, eq=False)
class Curve(_Elementwise):
    """One of the functions of `nn.functions`."""

    function: ScalarFunction

    @property
    def kind(self) -> str:
        return self.function.name

    def evaluate(self, *inputs: Array) -> Array:
        with np.errstate(all="ignore"):
            value: Array = self.function.value(np, inputs[0])
        return value

    def lower(self, builder: Builder, *inputs: Value) -> int:
        return builder.curve(inputs[0].node, self.function)
