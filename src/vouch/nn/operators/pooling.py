"""MaxPool, AveragePool, and the sums, means and extremes of whole axes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vouch.errors import VouchError
from vouch.nn.arrays import UNIT, Array, Shape
from vouch.nn.operators.base import Operator, Value

if TYPE_CHECKING:
    from vouch.nn.lowering import Builder


def windows(x: Array, kernel: Shape, strides: Shape, dilations: Shape) -> Array:
    """Views [batch, *lead, *places, elements of the kernel] of the last len(kernel) axes of x."""
    axes = tuple(range(x.ndim - len(kernel), x.ndim))
    spans = tuple(d * (k - 1) + 1 for k, d in zip(kernel, dilations, strict=True))
    views = np.lib.stride_tricks.sliding_window_view(x, spans, axis=axes)
    lead = (slice(None),) * (x.ndim - len(kernel))
    views = views[
        (*lead, *(slice(None, None, s) for s in strides), *(slice(None, None, d) for d in dilations))
    ]
    return views.reshape(*views.shape[: x.ndim], -1)


@dataclass(frozen=True, slots=True)
class MaxPool(Operator):
    """`pads` before and after each spatial axis never win; with `ceil` the last window may hang over."""

    kernel: Shape
    strides: Shape
    pads: tuple[tuple[int, int], ...]
    dilations: Shape
    ceil: bool = False

    def _pads(self, spatial: Shape) -> tuple[tuple[int, int], ...]:
        if not self.ceil:
            return self.pads
        return overhanging(spatial, self.kernel, self.strides, self.pads, self.dilations)

    def shape(self, *inputs: Shape) -> Shape:
        (x,) = inputs
        pads = self._pads(x[2:])
        places = pooled(x, self.kernel, self.strides, pads, self.dilations)
        _refuse_empty(x[2:], self.kernel, self.strides, pads, self.dilations)
        return (*x[:2], *places)

    def _windows(self, x: Array, fill: float) -> Array:
        padded = np.pad(x, ((0, 0),) * 3 + self._pads(x.shape[3:]), constant_values=fill)
        return windows(padded, self.kernel, self.strides, self.dilations)

    def evaluate(self, *inputs: Array) -> Array:
        largest: Array = self._windows(inputs[0], -math.inf).max(axis=-1)
        return largest

    def lower(self, builder: Builder, *inputs: Value) -> int:
        (x,) = inputs
        indices = self._windows(np.arange(math.prod(x.shape)).reshape(1, *x.shape), -1)
        indices = indices.reshape(-1, indices.shape[-1])
        # A window's padding repeats its largest index, which is never padding itself.
        return builder.maximum(x.node, np.where(indices < 0, indices.max(axis=1, keepdims=True), indices))


@dataclass(frozen=True, slots=True)
class AveragePool(Operator):
    """The mean of each window; `count_pads` says whether padding counts as zeros or not at all."""

    kernel: Shape
    strides: Shape
    pads: tuple[tuple[int, int], ...]
    dilations: Shape
    count_pads: bool = False

    def shape(self, *inputs: Shape) -> Shape:
        (x,) = inputs
        places = pooled(x, self.kernel, self.strides, self.pads, self.dilations)
        _refuse_empty(x[2:], self.kernel, self.strides, self.pads, self.dilations)
        return (*x[:2], *places)

    def _sums(self, x: Array) -> Array:
        padded = np.pad(x, ((0, 0),) * 3 + self.pads)
        sums: Array = windows(padded, self.kernel, self.strides, self.dilations).sum(axis=-1)
        return sums

    def _counts(self, shape: Shape) -> Array:
        if self.count_pads:
            return np.full(self.shape(shape), float(math.prod(self.kernel)))
        counts: Array = self._sums(np.ones((1, *shape)))[0]
        return counts

    def evaluate(self, *inputs: Array) -> Array:
        (x,) = inputs
        means: Array = self._sums(x) / self._counts(x.shape[1:]).astype(x.dtype)
        return means

    def lower(self, builder: Builder, *inputs: Value) -> int:
        from vouch.nn.linear import Convolution, Sparse

        (x,) = inputs
        ones = np.ones((x.shape[1], 1, *self.kernel))
        sums = Convolution(ones, x.shape, self.strides, self.pads, self.dilations, x.shape[1])
        counts = self._counts(x.shape).ravel()
        total = builder.affine((x.node,), (sums,), np.zeros(sums.rows))
        return builder.affine((total,), (Sparse.scale(1.0 / counts),), np.zeros(sums.rows), weight_error=UNIT)


@dataclass(frozen=True, slots=True)
class Reduce(Operator):
    """Sum, or with `mean` the mean, over `axes` (ReduceSum, ReduceMean, GlobalAveragePool)."""

    axes: Shape
    keep: bool
    mean: bool

    def shape(self, *inputs: Shape) -> Shape:
        (x,) = inputs
        if any(not 0 <= a < len(x) for a in self.axes):
            raise VouchError(f"no axes {self.axes} in an input of shape {x}")
        kept = (1 if a in self.axes else n for a, n in enumerate(x) if self.keep or a not in self.axes)
        return tuple(kept)

    def evaluate(self, *inputs: Array) -> Array:
        (x,) = inputs
        total = x.sum if not self.mean else x.mean
        values: Array = total(axis=tuple(a + 1 for a in self.axes), keepdims=self.keep)
        return values

    def lower(self, builder: Builder, *inputs: Value) -> int:
        from scipy.sparse import csr_array

        from vouch.nn.linear import Sparse

        (x,) = inputs
        kept = Reduce(self.axes, True, self.mean).shape(x.shape)
        rows, columns = math.prod(kept), math.prod(x.shape)
        target = np.broadcast_to(np.arange(rows).reshape(kept), x.shape).ravel()
        matrix = csr_array((np.ones(columns), (target, np.arange(columns))), shape=(rows, columns))
        total = builder.affine((x.node,), (Sparse(matrix),), np.zeros(rows))
        if not self.mean:
            return total
        # The sum is a step of its own: it may overflow where the mean does not.
        share = Sparse.scale(np.full(rows, rows / columns))
        return builder.affine((total,), (share,), np.zeros(rows), weight_error=UNIT)


@dataclass(frozen=True, slots=True)
class ReduceMax(Operator):
    """The largest, or with sign -1 the smallest, over `axes`."""

    axes: Shape
    keep: bool
    sign: int = 1

    def shape(self, *inputs: Shape) -> Shape:
        return Reduce(self.axes, self.keep, False).shape(*inputs)

    def evaluate(self, *inputs: Array) -> Array:
        (x,) = inputs
        chosen = x.max if self.sign > 0 else x.min
        values: Array = chosen(axis=tuple(a + 1 for a in self.axes), keepdims=self.keep)
        return values

    def lower(self, builder: Builder, *inputs: Value) -> int:
        from vouch.nn.linear import Sparse

        (x,) = inputs
        rest = [a for a in range(len(x.shape)) if a not in self.axes]
        places = np.arange(math.prod(x.shape)).reshape(x.shape).transpose(*rest, *self.axes)
        indices = places.reshape(math.prod(x.shape[a] for a in rest), -1)
        if self.sign > 0:
            return builder.maximum(x.node, indices)
        turned = Sparse.scale(np.full(math.prod(x.shape), -1.0))
        negated = builder.affine((x.node,), (turned,), np.zeros(turned.rows))
        back = Sparse.scale(np.full(len(indices), -1.0))
        return builder.affine((builder.maximum(negated, indices),), (back,), np.zeros(back.rows))


def pooled(
    shape: Shape, kernel: Shape, strides: Shape, pads: tuple[tuple[int, int], ...], dilations: Shape
) -> Shape:
    """The spatial part of a pooling result's shape."""
    if len(shape) != len(kernel) + 2:
        raise VouchError(f"a window with {len(kernel)} axes on an input of shape {shape}")
    places = []
    for n, k, s, (a, b), d in zip(shape[2:], kernel, strides, pads, dilations, strict=True):
        span = d * (k - 1) + 1
        if n + a + b < span:
            raise VouchError(f"the window {kernel} does not fit in an input of shape {shape}")
        if max(a, b) >= span:
            raise VouchError(f"padding {(a, b)} is not smaller than the window {kernel}")
        places.append((n + a + b - span) // s + 1)
    return tuple(places)


def _refuse_empty(
    spatial: Shape, kernel: Shape, strides: Shape, pads: tuple[tuple[int, int], ...], dilations: Shape
) -> None:
    """A window over padding alone has no largest element and no mean. Dilations make it possible."""
    for n, k, s, (a, b), d in zip(spatial, kernel, strides, pads, dilations, strict=True):
        starts = range(-a, n + b - d * (k - 1), s) if d > 1 else ()
        if any(not any(0 <= start + i * d < n for i in range(k)) for start in starts):
            raise VouchError(f"a window {kernel} over padding alone is not supported")


def same_padding(
    size: int, kernel: int, stride: int, dilation: int, *, lower: bool = False
) -> tuple[int, int]:
    """Padding that leaves ceil(size / stride) places; an odd one goes to the end unless `lower`."""
    span = dilation * (kernel - 1) + 1
    whole = max(0, (-(-size // stride) - 1) * stride + span - size)
    less, more = whole // 2, whole - whole // 2
    return (more, less) if lower else (less, more)


def overhanging(
    spatial: Shape, kernel: Shape, strides: Shape, pads: tuple[tuple[int, int], ...], dilations: Shape
) -> tuple[tuple[int, int], ...]:
    """Pads that make floor rounding give what ceil gives; a window never starts behind the input."""
    wider = []
    for n, k, s, (a, b), d in zip(spatial, kernel, strides, pads, dilations, strict=True):
        span = d * (k - 1) + 1
        places = -(-(n + a + b - span) // s) + 1
        if (places - 1) * s >= n + a:
            places -= 1
        wider.append((a, max(b, (places - 1) * s + span - n - a)))
    return tuple(wider)
