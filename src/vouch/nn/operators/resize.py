"""Linear maps along single axes: Resize and Upsample, nearest or linear."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from vouch.errors import VouchError
from vouch.nn.arrays import UNIT32, Array, Shape
from vouch.nn.operators.base import Operator, Value

if TYPE_CHECKING:
    from vouch.nn.linear import Sparse
    from vouch.nn.lowering import Builder


@dataclass(frozen=True, slots=True, eq=False)
class Resize(Operator):
    """`maps` holds for each axis a matrix [new, old], or None where nothing changes. `interpolates` says that
    the weights are not all 0 and 1, so that a runtime computes them in float32."""

    maps: tuple[Array | None, ...]
    interpolates: bool = False

    def shape(self, *inputs: Shape) -> Shape:
        (x,) = inputs
        if len(x) != len(self.maps) or not all(
            m is None or m.shape[1] == n for m, n in zip(self.maps, x, strict=True)
        ):
            raise VouchError(f"an input of shape {x}")
        return tuple(n if m is None else int(m.shape[0]) for m, n in zip(self.maps, x, strict=True))

    def evaluate(self, *inputs: Array) -> Array:
        (x,) = inputs
        for axis, matrix in enumerate(self.maps, 1):
            if matrix is not None:
                moved = np.tensordot(x, matrix.astype(x.dtype), axes=(axis, 1))
                x = np.moveaxis(moved, -1, axis)
        return x

    def lower(self, builder: Builder, *inputs: Value) -> int:
        (x,) = inputs
        linear = self._linear(x.shape, lambda m: m)
        losses = [self._linear(x.shape, _around)] if self.interpolates else []
        for loss in losses:  # coordinates, and so weights, are off by a few roundings of the largest one
            loss.matrix.data *= 16 * UNIT32 * len(self.maps) * (max(x.shape) + 2)
        size = math.prod(self.shape(x.shape))
        return builder.affine((x.node,), (linear,), np.zeros(size), losses=losses)

    def _linear(self, shape: Shape, each: Any) -> Sparse:
        from scipy.sparse import csr_array, identity, kron

        from vouch.nn.linear import Sparse

        parts = [
            csr_array(identity(n)) if m is None else csr_array(each(m))
            for m, n in zip(self.maps, shape, strict=True)
        ]
        return Sparse(csr_array(reduce(lambda a, b: kron(a, b, format="csr"), parts)))


def _around(matrix: Array) -> Array:
    """Ones wherever a weight that is slightly off could put something."""
    used = np.pad((matrix != 0) * 1.0, ((0, 0), (1, 1)))
    near: Array = np.maximum(np.maximum(used[:, :-2], used[:, 1:-1]), used[:, 2:])
    return near
