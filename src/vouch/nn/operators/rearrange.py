"""Operators that only move elements: Reshape, Transpose, Slice, Gather, Expand, Tile, Pad.

What they do to an array of flat indices is all there is to know about them, so one lowering serves them all.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vouch.errors import VouchError
from vouch.nn.arrays import LARGEST, Array, Shape
from vouch.nn.operators.base import Operator, Value

if TYPE_CHECKING:
    from vouch.nn.lowering import Builder


class Rearrangement(Operator):
    """An operator whose every result is one of its inputs, or `fill`."""

    __slots__ = ()

    @property
    def fill(self) -> float:
        return 0.0

    @abstractmethod
    def move(self, x: Array, fill: float) -> Array:
        """The rearranged array [batch, *shape], of any dtype."""

    def shape(self, *inputs: Shape) -> Shape:
        (x,) = inputs
        try:
            return tuple(self.move(np.broadcast_to(np.int8(0), (1, *x)), 0).shape[1:])
        except (ValueError, IndexError) as error:
            raise VouchError(f"an input of shape {x} does not fit: {error}") from None

    def evaluate(self, *inputs: Array) -> Array:
        return self.move(inputs[0], self.fill)

    def lower(self, builder: Builder, *inputs: Value) -> int:
        (x,) = inputs
        size = math.prod(x.shape)
        indices = self.move(np.arange(size).reshape(1, *x.shape), -1).ravel()
        return builder.select(x.node, indices, np.where(indices < 0, self.fill, 0.0))


@dataclass(frozen=True, slots=True)
class Reshape(Rearrangement):
    """Also Flatten, Squeeze, Unsqueeze: loaders work out the resulting shape."""

    target: Shape

    def shape(self, *inputs: Shape) -> Shape:
        if math.prod(inputs[0]) != math.prod(self.target):
            raise VouchError(f"an input of shape {inputs[0]} does not fit in {self.target}")
        return self.target

    def move(self, x: Array, fill: float) -> Array:
        return x.reshape(len(x), *self.target)


@dataclass(frozen=True, slots=True)
class Transpose(Rearrangement):
    permutation: Shape

    def move(self, x: Array, fill: float) -> Array:
        return x.transpose(0, *(p + 1 for p in self.permutation))


@dataclass(frozen=True, slots=True)
class Slice(Rearrangement):
    """`ranges` holds (start, stop, step) for each axis, as Python's slice reads them; None: the end."""

    ranges: tuple[tuple[int | None, int | None, int | None], ...]

    def move(self, x: Array, fill: float) -> Array:
        if len(self.ranges) != x.ndim - 1:
            raise ValueError(f"{len(self.ranges)} ranges")
        return x[(slice(None), *(slice(*r) for r in self.ranges))]


@dataclass(frozen=True, slots=True, eq=False)
class Gather(Rearrangement):
    """Elements along `axis` at `indices`, an integer array of any shape."""

    indices: Array
    axis: int

    def move(self, x: Array, fill: float) -> Array:
        return np.take(x, self.indices, axis=self.axis + 1)


@dataclass(frozen=True, slots=True)
class Expand(Rearrangement):
    """Broadcast to a shape."""

    target: Shape

    def move(self, x: Array, fill: float) -> Array:
        lead = (1,) * (len(self.target) + 1 - x.ndim)
        return np.broadcast_to(x.reshape(len(x), *lead, *x.shape[1:]), (len(x), *self.target))


@dataclass(frozen=True, slots=True)
class Tile(Rearrangement):
    """Repeated along each axis."""

    repeats: Shape

    def shape(self, *inputs: Shape) -> Shape:
        (x,) = inputs
        if len(self.repeats) != len(x) or min(self.repeats, default=1) < 1:
            raise VouchError(f"{len(self.repeats)} repeats of an input of shape {x}")
        if math.prod(x) * math.prod(self.repeats) > LARGEST:
            raise VouchError(f"an input of shape {x} repeated {self.repeats}")
        return tuple(n * r for n, r in zip(x, self.repeats, strict=True))

    def move(self, x: Array, fill: float) -> Array:
        return np.tile(x, (1, *self.repeats))


@dataclass(frozen=True, slots=True)
class Pad(Rearrangement):
    """`pads` (before, after) for each axis, negative ones cut; `mode` constant, reflect or edge."""

    pads: tuple[tuple[int, int], ...]
    mode: str = "constant"
    value: float = 0.0

    @property
    def fill(self) -> float:
        return self.value

    def shape(self, *inputs: Shape) -> Shape:
        (x,) = inputs
        wider = tuple(n + a + b for n, (a, b) in zip(x, self.pads, strict=False))
        if len(self.pads) == len(x) and (min(wider, default=1) < 1 or math.prod(wider) > LARGEST):
            raise VouchError(f"an input of shape {x} padded to {wider}")
        return Rearrangement.shape(self, x)

    def move(self, x: Array, fill: float) -> Array:
        if len(self.pads) != x.ndim - 1:
            raise ValueError(f"pads for {len(self.pads)} axes")
        cut = (slice(max(0, -a), n - max(0, -b)) for n, (a, b) in zip(x.shape[1:], self.pads, strict=True))
        x = x[(slice(None), *cut)]
        widths = ((0, 0), *((max(0, a), max(0, b)) for a, b in self.pads))
        if self.mode == "constant":
            return np.pad(x, widths, constant_values=fill)
        return np.pad(x, widths, mode="reflect" if self.mode == "reflect" else "edge")
