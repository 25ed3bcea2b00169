"""Products with constant matrices: Gemm (fully connected layers) and MatMul."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vouch.errors import VouchError
from vouch.nn.arrays import Array, Shape
from vouch.nn.operators.base import Operator, Value

if TYPE_CHECKING:
    from vouch.nn.linear import LinearMap
    from vouch.nn.lowering import Builder


@dataclass(frozen=True, slots=True, eq=False)
class Gemm(Operator):
    """y = x W^T + b for every row of x; `weights` is [out, in], `bias` broadcasts to [..., out]."""

    weights: Array
    bias: Array

    @classmethod
    def of(cls, weights: Array, bias: Array) -> Gemm:
        """Checked: a matrix and a fitting bias, all finite."""
        matrix, shift = np.array(weights, dtype=np.float64), np.array(bias, dtype=np.float64)
        if matrix.ndim != 2 or shift.shape not in ((matrix.shape[0],), (1, matrix.shape[0]), (1,), ()):
            raise VouchError(f"weights of shape {matrix.shape} and bias of shape {shift.shape} do not fit")
        if not (np.isfinite(matrix).all() and np.isfinite(shift).all()):
            raise VouchError("weights contain NaN or infinity")
        return cls(matrix, shift)

    def shape(self, *inputs: Shape) -> Shape:
        (x,) = inputs
        if not x or x[-1] != self.weights.shape[1]:
            raise VouchError(f"input of shape {x} times weights for {self.weights.shape[1]} inputs")
        return (*x[:-1], int(self.weights.shape[0]))

    def evaluate(self, *inputs: Array) -> Array:
        (x,) = inputs
        y: Array = x @ self.weights.T.astype(x.dtype) + self.bias.astype(x.dtype)
        return y

    def lower(self, builder: Builder, *inputs: Value) -> int:
        (x,) = inputs
        bias = np.broadcast_to(self.bias, self.shape(x.shape)).ravel()
        return builder.affine((x.node,), (_repeated(self.weights, math.prod(x.shape[:-1])),), bias)


@dataclass(frozen=True, slots=True, eq=False)
class MatMul(Operator):
    """x C, or C x when `left`; `constant` may carry leading axes, as in numpy.matmul."""

    constant: Array
    left: bool = False

    def shape(self, *inputs: Shape) -> Shape:
        (x,) = inputs
        operands = (self.constant.shape, x) if self.left else (x, self.constant.shape)
        try:
            return tuple(np.matmul(*(np.broadcast_to(np.zeros(()), s) for s in operands)).shape)
        except ValueError:
            raise VouchError(f"shapes {operands[0]} and {operands[1]} do not multiply") from None

    def evaluate(self, *inputs: Array) -> Array:
        (x,) = inputs
        constant = self.constant.astype(x.dtype)
        batch, inner = len(x), x.shape[1:]
        rank = max(len(inner), constant.ndim, 2)
        if len(inner) == 1:
            x = x[:, :, None] if self.left else x[:, None, :]
        # Leading axes are filled with 1, so that the batch axis never meets an axis of the constant.
        x = x.reshape(batch, *(1,) * (rank + 1 - x.ndim), *x.shape[1:])
        product = constant @ x if self.left else x @ constant
        return product.reshape(batch, *self.shape(inner))

    def lower(self, builder: Builder, *inputs: Value) -> int:
        (x,) = inputs
        return builder.affine((x.node,), (self._map(x.shape),), np.zeros(math.prod(self.shape(x.shape))))

    def _map(self, shape: Shape) -> LinearMap:
        from vouch.nn.linear import probe

        if not self.left and self.constant.ndim == 2:
            return _repeated(self.constant.T, math.prod(shape[:-1]))
        return probe(self.evaluate, shape)


def _repeated(weights: Array, times: int) -> LinearMap:
    """The map that applies `weights` [out, in] to each of `times` rows."""
    from vouch.nn.linear import Dense, Sparse

    if times == 1:
        return Dense(np.ascontiguousarray(weights))
    from scipy.sparse import csr_array, identity, kron

    return Sparse(csr_array(kron(identity(times), csr_array(weights), format="csr")))
