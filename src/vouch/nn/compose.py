"""Products and sums of linear maps, where the result stays cheap, with bounds on what is rounded away."""

from __future__ import annotations

import numpy as np

from vouch.nn.arrays import UNIT, Array
from vouch.nn.linear import DENSE_LIMIT, Convolution, Dense, LinearMap, Sparse

# Maps with fewer entries than this are always worth multiplying out.
SMALL = 1 << 16


def is_identity(linear: LinearMap) -> bool:
    return isinstance(linear, Sparse) and linear.is_identity


def is_exact(outer: LinearMap, inner: LinearMap) -> bool:
    """Whether the entries of outer * inner need no arithmetic: one of them only moves elements."""
    if isinstance(outer, Sparse) and outer.selects:
        return True
    return isinstance(inner, Sparse) and inner.selects and _injective(inner)


def _injective(linear: Sparse) -> bool:
    used = np.bincount(linear.matrix.indices, minlength=1)
    return bool(used.max(initial=0) <= 1)


def rounding(outer: LinearMap, inner: LinearMap) -> float:
    """A bound on the error of every entry of the computed outer * inner."""
    if is_exact(outer, inner):
        return 0.0
    terms = outer.terms
    return UNIT * (terms + 2) * terms * outer.largest * inner.largest


def product(outer: LinearMap, inner: LinearMap) -> LinearMap | None:
    """outer * inner in a form no dearer than the two (or small anyway), or None."""
    if is_identity(outer):
        return inner
    if is_identity(inner):
        return outer
    if isinstance(outer, Sparse) and isinstance(inner, Sparse):
        return Sparse((outer.matrix @ inner.matrix).tocsr())
    entries = outer.rows * inner.columns
    if entries <= SMALL or entries <= min(DENSE_LIMIT, outer.stored + inner.stored):
        return Dense(_dense_product(outer, inner))
    if isinstance(outer, Sparse) and isinstance(inner, Convolution):
        return _scaled_after(outer, inner)
    if isinstance(outer, Convolution) and isinstance(inner, Sparse):
        return _scaled_before(outer, inner)
    return None


def _dense_product(outer: LinearMap, inner: LinearMap) -> Array:
    if outer.stored <= inner.stored or isinstance(outer, Dense):
        rows: Array = inner.transpose(outer.dense())
        return np.ascontiguousarray(rows)
    columns: Array = outer.apply(np.ascontiguousarray(inner.dense().T))
    return np.ascontiguousarray(columns.T)


def _channel_factors(linear: Sparse, channels: int) -> Array | None:
    """The factor of each channel, where the map scales every channel by one; else None."""
    matrix = linear.matrix
    if not linear.rows == linear.columns == matrix.nnz or linear.terms != 1:
        return None
    if not np.array_equal(matrix.indices, np.arange(linear.rows)):
        return None
    factors = matrix.data.reshape(channels, -1)
    return factors[:, 0] if np.all(factors == factors[:, :1]) else None


def _scaled_after(outer: Sparse, inner: Convolution) -> LinearMap | None:
    if inner.input_shape[0] != 1:
        return None
    factors = _channel_factors(outer, inner.output_shape[1])
    if factors is None:
        return None
    return inner.with_weights(inner.weights * factors.reshape(-1, *(1,) * (inner.weights.ndim - 1)))


def _scaled_before(outer: Convolution, inner: Sparse) -> LinearMap | None:
    if outer.input_shape[0] != 1:
        return None
    factors = _channel_factors(inner, outer.input_shape[1])
    if factors is None:
        return None
    out, into, *kernel = outer.weights.shape
    grouped = outer.weights.reshape(outer.groups, out // outer.groups, into, *kernel)
    by_group = factors.reshape(outer.groups, 1, into, *(1,) * len(kernel))
    return outer.with_weights((grouped * by_group).reshape(outer.weights.shape))


def total(first: LinearMap, second: LinearMap) -> LinearMap | None:
    """first + second, or None where that would be dear."""
    if isinstance(first, Sparse) and isinstance(second, Sparse):
        return Sparse((first.matrix + second.matrix).tocsr())
    if first.rows * first.columns <= min(DENSE_LIMIT, max(SMALL, first.stored + second.stored)):
        return Dense(first.dense() + second.dense())
    return None
