"""BatchNormalization at inference, and the normalisations by computed statistics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vouch.errors import VouchError
from vouch.nn.arrays import UNIT, UNIT32, Array, Shape
from vouch.nn.functions import power
from vouch.nn.operators.arithmetic import spread
from vouch.nn.operators.base import Operator, Value

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


@dataclass(frozen=True, slots=True, eq=False)
class Standardise(Operator):
    """(x - mean) / sqrt(variance + epsilon), both taken over `axes` (LayerNormalization,
    InstanceNormalization); scale and shift are steps of their own."""

    axes: Shape
    epsilon: float

    def __post_init__(self) -> None:
        if not self.epsilon > 0:
            raise VouchError(f"an epsilon of {self.epsilon}")

    def shape(self, *inputs: Shape) -> Shape:
        if any(not 0 <= a < len(inputs[0]) for a in self.axes):
            raise VouchError(f"no axes {self.axes} in an input of shape {inputs[0]}")
        return inputs[0]

    def evaluate(self, *inputs: Array) -> Array:
        (x,) = inputs
        axes = tuple(a + 1 for a in self.axes)
        centred = x - x.mean(axis=axes, keepdims=True)
        variance = (centred * centred).mean(axis=axes, keepdims=True)
        y: Array = centred / np.sqrt(variance + x.dtype.type(self.epsilon))
        return y

    def lower(self, builder: Builder, *inputs: Value) -> int:
        from scipy.sparse import csr_array, identity

        from vouch.nn.linear import Sparse

        (x,) = inputs
        size, count = math.prod(x.shape), math.prod(x.shape[a] for a in self.axes)
        kept = tuple(1 if a in self.axes else n for a, n in enumerate(x.shape))
        groups = size // count
        group_of = spread(kept, x.shape)
        sums = csr_array((np.ones(size), (group_of, np.arange(size))), shape=(groups, size))
        centring = csr_array(identity(size) - (sums / count)[group_of])
        centred = builder.affine((x.node,), (Sparse(centring),), np.zeros(size), weight_error=4 * UNIT)
        squares = builder.curve(centred, power(2))
        mean = Sparse(csr_array(sums / count))
        shift = np.full(groups, self.epsilon)
        if builder.as_run:
            # A runtime may subtract the squared mean from the mean of the squares, which cancels.
            lost = Sparse(csr_array(sums * ((4 * count + 16) * UNIT32 / count)))
            raw = builder.curve(x.node, power(2))
            nothing = Sparse(csr_array((groups, size)))
            variance = builder.affine(
                (squares, raw), (mean, nothing), shift, weight_error=2 * UNIT, losses=(nothing, lost)
            )
        else:
            variance = builder.affine((squares,), (mean,), shift, weight_error=2 * UNIT)
        factors = builder.curve(variance, power(-0.5))
        return builder.multiply(centred, builder.select(factors, group_of, np.zeros(size)))
