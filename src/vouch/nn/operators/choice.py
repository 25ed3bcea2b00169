"""Choices: comparisons, which yield 0 or 1, and Where."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vouch.nn.arrays import Array, Shape
from vouch.nn.functions import step
from vouch.nn.operators.arithmetic import aligned, broadcast, spread
from vouch.nn.operators.base import Operator, Value

if TYPE_CHECKING:
    from vouch.nn.lowering import Builder


@dataclass(frozen=True, slots=True)
class Positive(Operator):
    """1 where x > 0 (with `zero`, x >= 0), else 0."""

    zero: bool = False

    def shape(self, *inputs: Shape) -> Shape:
        return inputs[0]

    def evaluate(self, *inputs: Array) -> Array:
        (x,) = inputs
        return ((x >= 0) if self.zero else (x > 0)).astype(x.dtype)

    def lower(self, builder: Builder, *inputs: Value) -> int:
        return builder.curve(inputs[0].node, step())


@dataclass(frozen=True, slots=True, eq=False)
class Choose(Operator):
    """The first value where the constant `mask` is set, the second elsewhere; all broadcast."""

    mask: Array

    def shape(self, *inputs: Shape) -> Shape:
        return broadcast(self.mask.shape, *inputs)

    def evaluate(self, *inputs: Array) -> Array:
        rank = max(self.mask.ndim, *(x.ndim - 1 for x in inputs))
        first, second = (aligned(x, rank) for x in inputs)
        return np.where(self.mask[None] if self.mask.ndim == rank else self.mask, first, second)

    def lower(self, builder: Builder, *inputs: Value) -> int:
        from vouch.nn.linear import Sparse

        result = self.shape(*(x.shape for x in inputs))
        mask = np.broadcast_to(self.mask, result).ravel()
        maps = [
            Sparse.select(np.where(own, spread(x.shape, result), -1), math.prod(x.shape))
            for x, own in zip(inputs, (mask, ~mask), strict=True)
        ]
        return builder.affine(tuple(x.node for x in inputs), tuple(maps), np.zeros(len(mask)))
