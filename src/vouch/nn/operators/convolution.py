"""Conv and ConvTranspose over one, two or three spatial axes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vouch.errors import VouchError
from vouch.nn.arrays import Array, Shape
from vouch.nn.operators.base import Operator, Value

if TYPE_CHECKING:
    from vouch.nn.linear import Convolution, Transposed
    from vouch.nn.lowering import Builder


@dataclass(frozen=True, slots=True, eq=False)
class Conv(Operator):
    """`weights` [out, in / groups, *kernel], `bias` [out]; `pads` before and after each spatial axis."""

    weights: Array
    bias: Array
    strides: Shape
    pads: tuple[tuple[int, int], ...]
    dilations: Shape
    groups: int

    def linear(self, shape: Shape) -> Convolution:
        """The linear part, for inputs of a shape."""
        from vouch.nn.linear import Convolution

        return Convolution(self.weights, shape, self.strides, self.pads, self.dilations, self.groups)

    def shape(self, *inputs: Shape) -> Shape:
        (x,) = inputs
        kernel = self.weights.shape[2:]
        if len(x) != len(kernel) + 2:
            raise VouchError(f"a kernel with {len(kernel)} axes on an input of shape {x}")
        if x[1] != self.weights.shape[1] * self.groups or self.weights.shape[0] % self.groups:
            raise VouchError(
                f"weights of shape {self.weights.shape} in {self.groups} groups on {x[1]} channels"
            )
        shape = self.linear(x).output_shape
        if min(shape) < 1:
            raise VouchError(f"the kernel {kernel} does not fit in an input of shape {x}")
        return shape

    def evaluate(self, *inputs: Array) -> Array:
        (x,) = inputs
        linear = self.linear(x.shape[1:])
        values = linear.apply(x.reshape(len(x), -1)).reshape(len(x), *linear.output_shape)
        shifted: Array = values + self._spread_bias(len(linear.output_shape)).astype(x.dtype)
        return shifted

    def lower(self, builder: Builder, *inputs: Value) -> int:
        (x,) = inputs
        linear = self.linear(x.shape)
        bias = np.broadcast_to(self._spread_bias(len(x.shape)), linear.output_shape)
        return builder.affine((x.node,), (linear,), bias.reshape(math.prod(linear.output_shape)))

    def _spread_bias(self, rank: int) -> Array:
        return self.bias.reshape(-1, *(1,) * (rank - 2))


@dataclass(frozen=True, slots=True, eq=False)
class ConvTranspose(Operator):
    """The transpose of a convolution: `weights` [in, out / groups, *kernel], `bias` [out]; `pads` cut from
    the result, `extra` rows and columns appended to it."""

    weights: Array
    bias: Array
    strides: Shape
    pads: tuple[tuple[int, int], ...]
    dilations: Shape
    groups: int
    extra: Shape

    def linear(self, shape: Shape) -> Transposed:
        from vouch.nn.linear import Convolution, Transposed

        into = self.shape(shape)
        forward = Convolution(self.weights, into, self.strides, self.pads, self.dilations, self.groups)
        return Transposed(forward)

    def shape(self, *inputs: Shape) -> Shape:
        (x,) = inputs
        kernel = self.weights.shape[2:]
        if len(x) != len(kernel) + 2 or x[1] != self.weights.shape[0] or x[1] % self.groups:
            raise VouchError(f"weights of shape {self.weights.shape} on an input of shape {x}")
        channels = int(self.weights.shape[1]) * self.groups
        steps = zip(x[2:], kernel, self.strides, self.pads, self.dilations, self.extra, strict=True)
        spatial = tuple((n - 1) * s + d * (k - 1) + 1 - a - b + e for n, k, s, (a, b), d, e in steps)
        if min(spatial) < 1 or self.bias.shape != (channels,):
            raise VouchError(f"a result of shape {(channels, *spatial)} with a bias of {self.bias.shape}")
        return (x[0], channels, *spatial)

    def evaluate(self, *inputs: Array) -> Array:
        (x,) = inputs
        shape = self.shape(x.shape[1:])
        values = self.linear(x.shape[1:]).apply(x.reshape(len(x), -1)).reshape(len(x), *shape)
        shifted: Array = values + self.bias.reshape(-1, *(1,) * (len(shape) - 2)).astype(x.dtype)
        return shifted

    def lower(self, builder: Builder, *inputs: Value) -> int:
        (x,) = inputs
        shape = self.shape(x.shape)
        bias = np.broadcast_to(self.bias.reshape(-1, *(1,) * (len(shape) - 2)), shape)
        return builder.affine((x.node,), (self.linear(x.shape),), bias.reshape(math.prod(shape)))
