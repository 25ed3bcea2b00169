"""Operators that put several values together: Concat, Max and Min. Constants may take part."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from vouch.errors import VouchError
from vouch.nn.arrays import Array, Shape
from vouch.nn.operators.arithmetic import aligned, broadcast, spread
from vouch.nn.operators.base import Operator, Value

if TYPE_CHECKING:
    from vouch.nn.lowering import Builder


Parts: TypeAlias = tuple[Array | None, ...]


def _shapes(parts: Parts, inputs: Sequence[Shape]) -> list[Shape]:
    """The shape of every part; inputs fill the places of None."""
    given = iter(inputs)
    return [next(given) if part is None else tuple(part.shape) for part in parts]


@dataclass(frozen=True, slots=True, eq=False)
class Concat(Operator):
    """Along `axis`; `parts` has None where an input stands, and the array where a constant does."""

    axis: int
    parts: Parts

    def shape(self, *inputs: Shape) -> Shape:
        shapes = _shapes(self.parts, inputs)
        try:
            parts = [np.broadcast_to(np.int8(0), s) for s in shapes]
            return tuple(np.concatenate(parts, axis=self.axis).shape)
        except ValueError:
            raise VouchError(
                f"shapes {', '.join(map(str, shapes))} do not join along axis {self.axis}"
            ) from None

    def evaluate(self, *inputs: Array) -> Array:
        given, batch = iter(inputs), len(inputs[0])
        parts = [
            next(given)
            if part is None
            else np.broadcast_to(part.astype(inputs[0].dtype), (batch, *part.shape))
            for part in self.parts
        ]
        return np.concatenate(parts, axis=self.axis + 1 if self.axis >= 0 else self.axis)

    def lower(self, builder: Builder, *inputs: Value) -> int:
        from vouch.nn.linear import Sparse

        shapes = _shapes(self.parts, [x.shape for x in inputs])
        # Number all elements of all parts, and see where the numbers go.
        starts = np.cumsum([0, *(math.prod(s) for s in shapes)])
        numbered = [n + np.arange(math.prod(s)).reshape(s) for n, s in zip(starts, shapes, strict=False)]
        where = np.concatenate(numbered, axis=self.axis).ravel()
        bias, maps, given = np.zeros(len(where)), [], iter(inputs)
        for part, start, stop in zip(self.parts, starts, starts[1:], strict=False):
            inside = (where >= start) & (where < stop)
            if part is None:
                x = next(given)
                chosen = np.where(inside, where - start, -1)
                maps.append((x.node, Sparse.select(chosen, math.prod(x.shape))))
            else:
                bias[inside] = part.ravel()[where[inside] - start]
        return builder.affine(tuple(n for n, _ in maps), tuple(m for _, m in maps), bias)


@dataclass(frozen=True, slots=True, eq=False)
class Max(Operator):
    """The largest, or with sign -1 the smallest, of its inputs and constants, element by element."""

    parts: Parts
    sign: int = 1

    def shape(self, *inputs: Shape) -> Shape:
        return broadcast(*_shapes(self.parts, inputs))

    def evaluate(self, *inputs: Array) -> Array:
        rank = len(self.shape(*(x.shape[1:] for x in inputs)))
        given = iter(inputs)
        parts = (next(given) if part is None else part[None].astype(inputs[0].dtype) for part in self.parts)
        choose = np.maximum if self.sign > 0 else np.minimum
        values = [aligned(part, rank) for part in parts]
        result = values[0]
        for value in values[1:]:
            result = choose(result, value)
        return result

    def lower(self, builder: Builder, *inputs: Value) -> int:
        from vouch.nn.linear import Sparse

        result = self.shape(*(x.shape for x in inputs))
        size, count = math.prod(result), len(self.parts)
        maps, given, bias = [], iter(inputs), np.zeros((count, size))
        for number, part in enumerate(self.parts):
            if part is None:
                x = next(given)
                chosen = np.full((count, size), -1)
                chosen[number] = spread(x.shape, result)
                linear = Sparse.select(chosen, math.prod(x.shape))
                maps.append((x.node, linear if self.sign > 0 else Sparse(-linear.matrix)))
            else:
                bias[number] = self.sign * np.broadcast_to(part, result).ravel()
        joined = builder.affine(tuple(n for n, _ in maps), tuple(m for _, m in maps), bias.ravel())
        largest = builder.maximum(joined, np.arange(count * size).reshape(count, size).T)
        if self.sign > 0:
            return largest
        return builder.affine((largest,), (Sparse.scale(np.full(size, -1.0)),), np.zeros(size))
