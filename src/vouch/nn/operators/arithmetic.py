"""Sums, and element-wise arithmetic with constants, which broadcast as in numpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vouch.errors import VouchError
from vouch.nn.arrays import UNIT, Array, Shape
from vouch.nn.operators.base import Operator, Value, finite

if TYPE_CHECKING:
    from vouch.nn.lowering import Builder


def broadcast(*shapes: Shape) -> Shape:
    """The common shape; a VouchError where there is none."""
    try:
        return tuple(np.broadcast_shapes(*shapes))
    except ValueError:
        raise VouchError(f"shapes {' and '.join(map(str, shapes))} do not fit together") from None


def aligned(x: Array, rank: int) -> Array:
    """x [batch, *shape] with axes of length 1 put after the batch axis, so that shape has `rank` axes."""
    return x.reshape(len(x), *(1,) * (rank + 1 - x.ndim), *x.shape[1:])


def spread(shape: Shape, result: Shape) -> Array:
    """For each element of `result`, the flat index of the element of `shape` that broadcasting puts there."""
    return np.broadcast_to(np.arange(int(np.prod(shape))).reshape(shape), result).ravel()


@dataclass(frozen=True, slots=True, eq=False)
class Add(Operator):
    """Sum of values with signs: residual connections, Sub of two values."""

    signs: tuple[int, ...] = (1, 1)

    def shape(self, *inputs: Shape) -> Shape:
        return broadcast(*inputs)

    def evaluate(self, *inputs: Array) -> Array:
        rank = max(x.ndim for x in inputs) - 1
        total: Array = aligned(inputs[0], rank) * inputs[0].dtype.type(self.signs[0])
        for sign, x in zip(self.signs[1:], inputs[1:], strict=True):
            total = total + aligned(x, rank) if sign > 0 else total - aligned(x, rank)
        return total

    def lower(self, builder: Builder, *inputs: Value) -> int:
        from vouch.nn.linear import Sparse

        result = self.shape(*(x.shape for x in inputs))
        maps = []
        for sign, x in zip(self.signs, inputs, strict=True):
            chosen = Sparse.select(spread(x.shape, result), int(np.prod(x.shape)))
            maps.append(chosen if sign > 0 else Sparse(-chosen.matrix))
        return builder.affine(tuple(x.node for x in inputs), tuple(maps), np.zeros(int(np.prod(result))))


@dataclass(frozen=True, slots=True, eq=False)
class Shift(Operator):
    """x + c, or c - x when `negated`."""

    constant: Array
    negated: bool = False

    def __post_init__(self) -> None:
        finite(self.constant)

    def shape(self, *inputs: Shape) -> Shape:
        return broadcast(inputs[0], self.constant.shape)

    def evaluate(self, *inputs: Array) -> Array:
        (x,) = inputs
        constant = self.constant.astype(x.dtype)
        x = aligned(x, max(x.ndim - 1, constant.ndim))
        return constant - x if self.negated else x + constant

    def lower(self, builder: Builder, *inputs: Value) -> int:
        result = self.shape(inputs[0].shape)
        shift = np.broadcast_to(self.constant, result).ravel()
        return _scaled(builder, inputs[0], result, -1.0 if self.negated else 1.0, shift)


@dataclass(frozen=True, slots=True, eq=False)
class Scale(Operator):
    """x * c, or x / c when `divide`."""

    constant: Array
    divide: bool = False

    def __post_init__(self) -> None:
        finite(self.constant)
        if self.divide and not np.all(self.constant):
            raise VouchError("division by a constant that contains zero")

    def shape(self, *inputs: Shape) -> Shape:
        return broadcast(inputs[0], self.constant.shape)

    def evaluate(self, *inputs: Array) -> Array:
        (x,) = inputs
        constant = self.constant.astype(x.dtype)
        x = aligned(x, max(x.ndim - 1, constant.ndim))
        y: Array = x / constant if self.divide else x * constant
        return y

    def lower(self, builder: Builder, *inputs: Value) -> int:
        result = self.shape(inputs[0].shape)
        factors = 1.0 / self.constant if self.divide else self.constant
        error = UNIT * float(np.abs(factors).max()) if self.divide else 0.0
        return _scaled(builder, inputs[0], result, factors, np.zeros(int(np.prod(result))), error)


def _scaled(
    builder: Builder, x: Value, result: Shape, factors: Array | float, shift: Array, error: float = 0.0
) -> int:
    from vouch.nn.linear import Sparse

    linear = Sparse.select(spread(x.shape, result), int(np.prod(x.shape)))
    if not np.all(np.equal(factors, 1.0)):
        spreaded = np.broadcast_to(factors, result).ravel()
        linear = Sparse(linear.matrix.multiply(spreaded[:, None]).tocsr())
    return builder.affine((x.node,), (linear,), shift, weight_error=error)
