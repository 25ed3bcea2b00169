"""BatchNormalization at inference: one factor and one shift per channel."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vouch.errors import VouchError
from vouch.nn.operators.base import UNIT, Array, Operator, Shape, Value

if TYPE_CHECKING:
    from vouch.nn.lowering import Builder


@dataclass(frozen=True, slots=True, eq=False)
class BatchNormalization(Operator):
    """scale * (x - mean) / sqrt(variance + epsilon) + shift along axis 1."""

    scale: Array
    shift: Array
    mean: Array
    variance: Array
    epsilon: float

    def __post_init__(self) -> None:
        if not np.all(self.variance + self.epsilon > 0):
            raise VouchError("variance plus epsilon is not positive")

    def shape(self, *inputs: Shape) -> Shape:
        (x,) = inputs
        if len(x) < 2 or any(c.shape != (x[1],) for c in (self.scale, self.shift, self.mean, self.variance)):
            raise VouchError(f"parameters for {len(self.scale)} channels on an input of shape {x}")
        return x

    def evaluate(self, *inputs: Array) -> Array:
        (x,) = inputs
        scale, shift, mean, variance = (
            c.astype(x.dtype).reshape(-1, *(1,) * (x.ndim - 3))
            for c in (self.scale, self.shift, self.mean, self.variance)
        )
        y: Array = (x - mean) / np.sqrt(variance + x.dtype.type(self.epsilon)) * scale + shift
        return y

    def lower(self, builder: Builder, *inputs: Value) -> int:
        from vouch.nn.linear import Sparse

        (x,) = inputs
        factors = self.scale / np.sqrt(self.variance + self.epsilon)
        # Two steps, so that an analysis of round-off sees how large mean and shift are before they cancel.
        ones = Sparse.scale(np.ones(math.prod(x.shape)))
        centred = builder.affine((x.node,), (ones,), _by_channel(-self.mean, x.shape))
        return builder.affine(
            (centred,),
            (Sparse.scale(_by_channel(factors, x.shape)),),
            _by_channel(self.shift, x.shape),
            weight_error=4 * UNIT * float(np.abs(factors).max()),  # sum, root and quotient round once each
        )


def _by_channel(values: Array, shape: Shape) -> Array:
    return np.broadcast_to(values.reshape(-1, *(1,) * (len(shape) - 2)), shape).ravel()
