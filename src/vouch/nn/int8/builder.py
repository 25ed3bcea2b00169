"""Grows an integer network tensor by tensor; used by the readers of all formats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.errors import Unsupported, VouchError
from vouch.nn.arrays import Shape
from vouch.nn.fixed.format import Format, Ints, Overflow, Rounding, Word
from vouch.nn.fixed.network import (
    Clamp,
    Extreme,
    FixedSelect,
    IntegerNetwork,
    IntegerNode,
    Pair,
    Quotient,
    Requantise,
    Source,
    Sums,
    Times,
)
from vouch.nn.int8.chain import Chain

ACCUMULATOR = Word(32, Overflow.WRAP)
WHOLE = Format(32, 0)
# Products of one layer, written out.
_LARGEST = 1 << 27


@dataclass(frozen=True, slots=True, eq=False)
class Tensor:
    """The value of node `index` with a shape, and the numbers low..high that each element may be."""

    index: int
    shape: Shape
    low: Ints
    high: Ints

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def places(self) -> Ints:
        """The number of each element, in the tensor's shape."""
        return np.arange(self.size).reshape(self.shape)


class IntBuilder:
    def __init__(self, name: str) -> None:
        self.name = name
        self.nodes: list[IntegerNode] = []

    def _add(self, node: IntegerNode, shape: Shape, low: Ints, high: Ints) -> Tensor:
        self.nodes.append(node)
        assert node.size == math.prod(shape)
        return Tensor(len(self.nodes) - 1, shape, low, high)

    def source(self, shape: Shape, low: int, high: int) -> Tensor:
        if self.nodes:
            raise Unsupported("an input that is quantised in two ways")
        size = math.prod(shape)
        return self._add(Source(size), shape, np.full(size, low), np.full(size, high))

    def sums(self, tensor: Tensor, columns: Ints, weights: Ints, bias: Ints, shape: Shape) -> Tensor:
        """bias[j] + sum over k of weights[j, k] x[columns[j, k]] in 32 bits; no term where a column is -1."""
        if columns.size > _LARGEST:
            raise VouchError(f"{self.name}: a layer of {columns.size} products is too large")
        weights = np.where(columns < 0, 0, weights).astype(np.int64)
        columns = np.maximum(columns, 0)
        ends = tensor.low[columns] * weights, tensor.high[columns] * weights
        low = np.minimum(*ends).sum(axis=1) + bias
        high = np.maximum(*ends).sum(axis=1) + bias
        wraps = (low < ACCUMULATOR.low) | (high > ACCUMULATOR.high)
        low, high = np.where(wraps, ACCUMULATOR.low, low), np.where(wraps, ACCUMULATOR.high, high)
        bias = ACCUMULATOR.narrow(bias.astype(np.int64))
        node = Sums((tensor.index,), columns, weights, bias, 0, Rounding.FLOOR, ACCUMULATOR)
        return self._add(node, shape, low, high)

    def requantised(self, tensor: Tensor, chain: Chain, least: int, most: int) -> Tensor:
        """The integers least..most that an increasing chain makes of a tensor."""
        group, thresholds = chain.thresholds(tensor.low, tensor.high, least, most)
        node = Requantise(tensor.index, group, thresholds, least)
        low, high = (chain(end[None, :])[0] for end in (tensor.low, tensor.high))
        return self._add(node, tensor.shape, low, high)

    def paired(self, left: Tensor, right: Tensor, table: Ints, first: tuple[int, int]) -> Tensor:
        """A table of two tensors of one shape."""
        node = Pair(left.index, right.index, left.size, table, first)
        low, high = (
            table[getattr(left, end) - first[0], getattr(right, end) - first[1]] for end in ("low", "high")
        )
        return self._add(node, left.shape, low, high)

    def tabled(self, tensor: Tensor, tables: Ints, first: int, group: Ints) -> Tensor:
        """tables[group[j], x[j] - first] of a tensor of 8-bit numbers, each table increasing or each
        decreasing."""
        falls = bool((tables[:, 0] > tables[:, -1]).any())
        if falls:
            # The argument with the other sign, and the tables from their ends.
            tensor, first = self.centred(tensor, 0, -1), -(first + tables.shape[1] - 1)
            tables = tables[:, ::-1]
        if (np.diff(tables, axis=1) < 0).any():
            raise Unsupported("a function that neither increases nor decreases")
        levels = np.arange(int(tables.min()) + 1, int(tables.max()) + 1)
        steps = [np.searchsorted(table, levels) for table in tables]
        thresholds = np.array(steps, dtype=np.int64).reshape(len(tables), -1) + first
        # What no argument reaches lies above all of them, what every one has below.
        thresholds = np.where(thresholds == first, Word(32).low, thresholds)
        thresholds = np.where(thresholds == first + tables.shape[1], Word(32).high + 1, thresholds)
        node = Requantise(tensor.index, group, thresholds, int(tables.min()))
        low, high = (tables[group, end - first] for end in (tensor.low, tensor.high))
        return self._add(node, tensor.shape, low, high)

    def both_ways(self, tensor: Tensor, tables: Ints, first: int, group: Ints) -> Tensor:
        """`tabled`, where some of the tables increase and others decrease."""
        falls = tables[:, 0] > tables[:, -1]
        if falls.all() or not falls.any():
            return self.tabled(tensor, tables, first, group)
        parts, places = [], []
        for kind in (False, True):
            chosen, rows = np.flatnonzero(falls[group] == kind), np.flatnonzero(falls == kind)
            part = self.selected(tensor, chosen)
            parts.append(self.tabled(part, tables[rows], first, np.searchsorted(rows, group[chosen])))
            places.append(chosen)
        order = np.argsort(np.concatenate(places), kind="stable")
        return self.selected(self.joined(parts, 0), order.reshape(tensor.shape))

    def centred(self, tensor: Tensor, zero: int, sign: int = 1) -> Tensor:
        """sign * (x - zero)."""
        columns = np.arange(tensor.size)[:, None]
        start = np.full(tensor.size, -sign * zero, dtype=np.int64)
        return self.sums(tensor, columns, np.full_like(columns, sign), start, tensor.shape)

    def product(self, left: Tensor, right: Tensor) -> Tensor:
        """Products of two tensors of one shape, of numbers of at most 16 bits."""
        corners = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
        low, high = np.minimum.reduce(corners), np.maximum.reduce(corners)
        return self._add(Times(left.index, right.index, left.size), left.shape, low, high)

    def spread(self, tensor: Tensor, shape: Shape) -> Tensor:
        """A tensor repeated along the axes that a shape has more of."""
        if tensor.shape == shape:
            return tensor
        return self.selected(tensor, np.broadcast_to(tensor.places, shape))

    def selected(self, tensor: Tensor, places: Ints, fill: int = 0) -> Tensor:
        """The elements `places`, in the shape of `places`; `fill` where a place is -1."""
        flat = places.ravel()
        if len(flat) == tensor.size and bool((flat == np.arange(tensor.size)).all()):
            return Tensor(tensor.index, places.shape, tensor.low, tensor.high)
        low, high = (np.where(flat < 0, fill, end[np.maximum(flat, 0)]) for end in (tensor.low, tensor.high))
        node = FixedSelect((tensor.index,), flat, np.full(len(flat), fill, dtype=np.int64))
        return self._add(node, places.shape, low, high)

    def joined(self, parts: Sequence[Tensor], axis: int) -> Tensor:
        starts = np.cumsum([0, *(part.size for part in parts)])
        places = [part.places + start for part, start in zip(parts, starts, strict=False)]
        order = np.concatenate(places, axis=axis)
        low, high = (np.concatenate([getattr(part, end) for part in parts]) for end in ("low", "high"))
        flat = order.ravel()
        node = FixedSelect(tuple(part.index for part in parts), flat, np.zeros(len(flat), dtype=np.int64))
        return self._add(node, order.shape, low[flat], high[flat])

    def largest(self, tensor: Tensor, windows: Ints, shape: Shape) -> Tensor:
        """The largest of x[windows[j]]; -1 is no element, and every window has one."""
        first = _some(windows)[:, None]
        columns = np.where(windows < 0, first, windows)
        low, high = (end[columns].max(axis=1) for end in (tensor.low, tensor.high))
        return self._add(Extreme((tensor.index,), columns), shape, low, high)

    def mean(self, tensor: Tensor, windows: Ints, shape: Shape, *, limits: tuple[int, int]) -> Tensor:
        """Sums of windows over their number of elements, ties away from zero, within limits."""
        _some(windows)
        counts = (windows >= 0).sum(axis=1).astype(np.int64)
        zero = np.zeros(len(windows), dtype=np.int64)
        sums = self.sums(tensor, windows, np.ones_like(windows), zero, shape)
        low, high = sums.low // counts - 1, sums.high // counts + 1
        node = Quotient(sums.index, counts, 0, Rounding.NEAREST, ACCUMULATOR)
        return self.clamped(self._add(node, shape, low, high), *limits)

    def clamped(self, tensor: Tensor, low: int, high: int) -> Tensor:
        if bool((tensor.low >= low).all() and (tensor.high <= high).all()):
            return tensor
        ends = (np.clip(end, low, high) for end in (tensor.low, tensor.high))
        return self._add(Clamp(tensor.index, tensor.size, low, high), tensor.shape, *ends)

    def build(self, output: Tensor) -> IntegerNetwork:
        """The network that ends in `output`."""
        if output.index != len(self.nodes) - 1:
            same = np.arange(output.size)
            node = FixedSelect((output.index,), same, np.zeros_like(same))
            self._add(node, output.shape, output.low, output.high)
        nodes = tuple(self.nodes)
        return IntegerNetwork(self.name, nodes, (WHOLE,) * len(nodes))


def _some(windows: Ints) -> Ints:
    """An element of each window."""
    found = windows.max(axis=1)
    if (found < 0).any():
        raise VouchError("a window that lies in the padding")
    return np.asarray(found)


def windows(
    places: Ints,
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    pads: Sequence[tuple[int, int]],
) -> Ints:
    """Windows [out…, channels, kernel…] of places [channels, spatial…]; -1 where a window reaches into the
    padding."""
    padded = np.pad(places, [(0, 0), *pads], constant_values=-1)
    indices = []
    for axis, (k, s, d) in enumerate(zip(kernel, strides, dilations, strict=True)):
        count = (padded.shape[axis + 1] - (d * (k - 1) + 1)) // s + 1
        if count < 1:
            raise VouchError("a window larger than its input")
        indices.append(np.arange(count)[:, None] * s + np.arange(k)[None, :] * d)
    rank = len(indices)
    shaped = []
    for axis, index in enumerate(indices):
        form = [1] * (2 * rank)
        form[axis], form[rank + axis] = index.shape
        shaped.append(index.reshape(form))
    chosen: Any = (slice(None), *shaped)
    found = padded[chosen]  # [channels, out…, kernel…]
    return np.moveaxis(found, 0, rank)
