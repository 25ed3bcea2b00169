"""BatchNormalization at inference: one factor and one shift per channel."""

from __future__ import annotations

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
        shift = self.shift - self.mean * factors
        # Sum, root and quotient round once each; product and difference of the shift add two more.
        weight_error = 4 * UNIT * float(np.abs(factors).max())
        bias_error = 8 * UNIT * float((np.abs(self.shift) + np.abs(self.mean * factors)).max())
        by_channel = [
            np.broadcast_to(c.reshape(-1, *(1,) * (len(x.shape) - 2)), x.shape).ravel()
            for c in (factors, shift)
        ]
        return builder.affine(
            (x.node,),
            (Sparse.scale(by_channel[0]),),
            by_channel[1],
            weight_error=weight_error,
            bias_error=bias_error,
        )
