"""An integer network as the bounds see it: real arithmetic with noise, a grid, and words that can overflow.

Every sum of products is M z + b plus what rounding the products did, which lies in a known interval: for
floor it is centred by moving the bias. Tables are sigmoid and tanh with their proved error, and constants
where the table is constant. A sum that may leave its word may be anything in it; the difference to the sum
that the bounds compute with is added to the noise (`confined`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, assert_never

import numpy as np

from vouch.errors import Unsupported
from vouch.nn.arrays import UNIT, Array
from vouch.nn.bounds.model import BoundModel, model_from
from vouch.nn.bounds.relaxation import Relaxation
from vouch.nn.fixed.format import Format, Ints, Overflow, Rounding, Word
from vouch.nn.fixed.network import (
    Clamp,
    Extreme,
    FixedSelect,
    IntegerNetwork,
    IntegerNode,
    Leaky,
    Lookup,
    Pair,
    Quotient,
    Requantise,
    Rescale,
    Source,
    Sums,
    Times,
)
from vouch.nn.fixed.table import Table
from vouch.nn.linear import Dense, LinearMap, Sparse
from vouch.nn.lowered import Lowered
from vouch.nn.lowering import Builder

# Noise is a sum of many small terms; this covers the rounding of the sum.
_WIDEN = 1 + 2.0**-40


@dataclass(frozen=True, slots=True)
class _Word:
    """Where an affine node's values have to stay, as reals. `sums` is there for saturating ones, where every
    product and partial sum has to stay as well."""

    low: float
    high: float
    unit: float
    sums: Sums | None


@dataclass(slots=True, eq=False)
class Rules:
    """`IntegerRules` of one network, by index of the lowered nodes. `arguments` has the node of the network
    that each table reads.

    `open` marks the elements of each node that may leave their word somewhere in the box that was analysed
    first. No others can in a part of it, so they need not be looked at again.
    """

    words: dict[int, _Word] = field(default_factory=dict)
    tables: dict[int, tuple[Table, Format]] = field(default_factory=dict)
    open: dict[int, Any] = field(default_factory=dict)
    arguments: dict[int, int] = field(default_factory=dict)

    def within(self) -> Rules:
        """The same, for the parts of a box that is analysed next."""
        return Rules(self.words, self.tables, arguments=self.arguments)

    def curve_error(self, index: int) -> float:
        table = self.tables[index][0]
        return (table.most - table.least) / 2 * _WIDEN

    def leaves(self, index: int, low: Any, high: Any, sources: list[tuple[Any, Any]]) -> Any | None:
        word, still = self.words.get(index), self.open.get(index)
        if word is None or (still is not None and not still.any()):
            return None
        out = (low < word.low) | (high > word.high)
        if word.sums is not None:
            out = out | _saturates(word, word.sums, sources)
        if still is not None:
            out = out & still
        return out if bool(out.any()) else None

    def confined(self, index: int, low: Any, high: Any, leaves: Any | None) -> tuple[Any, Any, Any | None]:
        word = self.words.get(index)
        if word is None:
            return low, high, None
        extra = None
        if index not in self.open:
            self.open[index] = np.zeros(low.shape[1], dtype=bool) if leaves is None else leaves.any(axis=0)
        if leaves is not None:
            extra = np.where(leaves, np.maximum(word.high - low, high - word.low) * _WIDEN, 0.0)
            low, high = np.where(leaves, word.low, low), np.where(leaves, word.high, high)
        # Values are multiples of the unit, a power of two.
        return np.ceil(low / word.unit) * word.unit, np.floor(high / word.unit) * word.unit, extra

    def looked_up(
        self, index: int, relaxation: Relaxation, low: Any, high: Any
    ) -> tuple[Relaxation, Any, Any] | None:
        if index not in self.tables:
            return None
        table, form = self.tables[index]
        # A box that splits have emptied may have low above high; it is left aside anyway.
        ends = (np.clip(end, form.reals(form.word.low), form.reals(form.word.high)) for end in (low, high))
        least, most = (np.ldexp(end, form.fraction) for end in ends)
        first, last = np.ceil(least).astype(np.int64), np.floor(most).astype(np.int64)
        value_low, value_high = (form.reals(table.look(number)) for number in (first, last))
        middle, off = (low + high) * 0.5, (table.most + table.least) / 2
        assert relaxation.low_shift is not None
        high_shift, low_shift = relaxation.high_shift + off, relaxation.low_shift + off
        above, below = relaxation.high_slope * middle + high_shift, relaxation.low_slope * middle + low_shift
        flat = value_high - value_low <= above - below
        better = Relaxation(
            np.where(flat, 0.0, relaxation.low_slope),
            np.where(flat, value_low, low_shift),
            np.where(flat, 0.0, relaxation.high_slope),
            np.where(flat, value_high, high_shift),
            value_high > value_low,
        )
        return better, value_low, value_high


def _saturates(word: _Word, node: Sums, sources: list[tuple[Any, Any]]) -> Any:
    """Which sums have a product or a partial sum that may leave the word."""
    low, high = (np.concatenate([ends[side] for ends in sources], axis=1) for side in (0, 1))
    scale = 2.0**-node.shift
    size = np.maximum(np.abs(low), np.abs(high))
    mass = np.zeros((len(low), node.size))
    for place in range(node.columns.shape[1]):
        mass += size[:, node.columns[:, place]] * (np.abs(node.weights[:, place]) * scale) + word.unit
    if bool((mass <= word.high).all()):
        return mass > word.high
    least, most = np.zeros_like(mass), np.zeros_like(mass)
    out = mass < 0
    for place in range(node.columns.shape[1]):
        weights, columns = node.weights[:, place] * scale, node.columns[:, place]
        ends = low[:, columns] * weights, high[:, columns] * weights
        slack = word.unit + 2.0**-48 * (np.abs(ends[0]) + np.abs(ends[1]))
        down, up = np.minimum(*ends) - slack, np.maximum(*ends) + slack
        out |= (weights != 0) & ((down < word.low) | (up > word.high))
        least, most = least + np.where(weights != 0, down, 0.0), most + np.where(weights != 0, up, 0.0)
        out |= (least < word.low) | (most > word.high)
    return out


def model_of(network: IntegerNetwork) -> BoundModel:
    """The model of an integer network; raises Unsupported for tables without a known function."""
    return _Lowering(network).model()


class _Lowering:
    def __init__(self, network: IntegerNetwork) -> None:
        self.network = network
        self.builder = Builder(network.inputs, relu_only=True, as_run=False)
        self.at: list[int] = []
        self.noise: dict[int, Array] = {}
        self.rules = Rules()

    def model(self) -> BoundModel:
        for node, form in zip(self.network.nodes, self.network.formats, strict=True):
            self.at.append(self._node(node, form))
        if self.at[-1] != len(self.builder.nodes) - 1:
            size = self.network.outputs
            self.builder.affine((self.at[-1],), (Sparse.scale(np.ones(size)),), np.zeros(size))
        model = model_from(Lowered(tuple(self.builder.nodes)), "real")
        return replace(model, bias_noise=self.noise, integers=self.rules)

    def _node(self, node: IntegerNode, form: Format) -> int:
        builder = self.builder
        match node:
            case Source():
                return 0
            case Sums():
                return self._sums(node, form)
            case Rescale():
                identity = Sparse.scale(np.ones(node.size))
                loss = _loss(node.rounding, np.full(node.size, float(node.shift > 0)))
                return self._rounded(
                    (self.at[node.input],), (identity,), np.zeros(node.size), loss, form, None
                )
            case Quotient():
                factors = 2.0**node.shift / node.divisors
                loss = _loss(node.rounding, np.ones(node.size))
                scale = (Sparse.scale(factors),)
                error = UNIT * float(np.abs(factors).max())
                inputs = (self.at[node.input],)
                return self._rounded(inputs, scale, np.zeros(node.size), loss, form, None, error)
            case Clamp():
                return self._clamp(node, form)
            case Leaky():
                slope = node.slope * 2.0**-node.shift
                bent = builder.leaky_relu(self.at[node.input], slope)
                identity = Sparse.scale(np.ones(node.size))
                loss = _loss(node.rounding, np.ones(node.size))
                return self._rounded((bent,), (identity,), np.zeros(node.size), loss, form, None)
            case Extreme():
                return self._extreme(node)
            case Lookup():
                return self._lookup(node, form)
            case Requantise():
                return self._steps(node)
            case Pair():
                return self._pair(node)
            case Times():
                return builder.multiply(self.at[node.left], self.at[node.right])
            case FixedSelect():
                return builder.affine(
                    self._inputs(node.inputs), self._selected(node), form.reals(node.constants)
                )
            case _:
                assert_never(node)

    def _inputs(self, inputs: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self.at[index] for index in inputs)

    def _rounded(
        self,
        inputs: tuple[int, ...],
        maps: tuple[LinearMap, ...],
        bias: Array,
        loss: tuple[Array, Array],
        form: Format,
        sums: Sums | None,
        error: float = 0.0,
    ) -> int:
        """An affine node whose value is rounded: `loss` is the interval of what rounding adds, in units."""
        least, most = (end * form.unit for end in loss)
        index = self.builder.affine(inputs, maps, bias + (least + most) / 2, weight_error=error)
        self.noise[index] = (most - least) / 2 * _WIDEN + np.abs(bias) * 2.0**-52
        low, high = (float(form.reals(end)) for end in (form.word.low, form.word.high))
        self.rules.words[index] = _Word(low, high, form.unit, sums)
        return index

    def _sums(self, node: Sums, form: Format) -> int:
        bits = np.where(node.weights == 0, node.shift, _trailing(node.weights))
        # A product with a multiple of 2^t loses at most 1 - 2^-(shift - t) of a unit.
        open_bits = np.maximum(node.shift - bits, 0)
        share = np.where(open_bits > 0, 1 - 2.0**-open_bits, 0.0)
        if node.rounding is Rounding.NEAREST:
            share = (open_bits > 0) * 1.0
        loss = _loss(node.rounding, share.sum(axis=1))
        saturating = node if node.word.overflow is Overflow.SATURATE else None
        maps = self._maps(node)
        return self._rounded(self._inputs(node.inputs), maps, form.reals(node.bias), loss, form, saturating)

    def _maps(self, node: Sums) -> tuple[LinearMap, ...]:
        """One map for each input, of the weights as reals."""
        from scipy.sparse import csr_array

        values = node.weights * 2.0**-node.shift
        maps: list[LinearMap] = []
        for source, start in zip(node.inputs, self._starts(node.inputs), strict=True):
            size = self.network.nodes[source].size
            inside = (node.columns >= start) & (node.columns < start + size) & (node.weights != 0)
            rows, places = np.nonzero(inside)
            columns = node.columns[rows, places] - start
            matrix = csr_array((values[rows, places], (rows, columns)), shape=(node.size, size))
            dense = matrix.nnz * 2 > node.size * size
            maps.append(Dense(matrix.toarray()) if dense else Sparse(matrix))
        return tuple(maps)

    def _starts(self, inputs: tuple[int, ...]) -> list[int]:
        ends = np.cumsum([0, *(self.network.nodes[index].size for index in inputs)])
        return [int(end) for end in ends[:-1]]

    def _selected(self, node: FixedSelect) -> tuple[LinearMap, ...]:
        maps: list[LinearMap] = []
        for source, start in zip(node.inputs, self._starts(node.inputs), strict=True):
            size = self.network.nodes[source].size
            inside = (node.columns >= start) & (node.columns < start + size)
            maps.append(Sparse.select(np.where(inside, node.columns - start, -1), size))
        return tuple(maps)

    def _clamp(self, node: Clamp, form: Format) -> int:
        low = -np.inf if node.low is None else float(form.reals(node.low))
        high = np.inf if node.high is None else float(form.reals(node.high))
        return self.builder.clip(self.at[node.input], low, high)

    def _extreme(self, node: Extreme) -> int:
        sizes = [self.network.nodes[index].size for index in node.inputs]
        total = sum(sizes)
        maps: list[LinearMap] = []
        for size, start in zip(sizes, self._starts(node.inputs), strict=True):
            places = np.arange(total) - start
            chosen = Sparse.select(np.where((places >= 0) & (places < size), places, -1), size)
            maps.append(chosen if node.sign > 0 else Sparse(-chosen.matrix))
        joined = self.builder.affine(self._inputs(node.inputs), tuple(maps), np.zeros(total))
        largest = self.builder.maximum(joined, node.columns)
        if node.sign > 0:
            return largest
        return self.builder.affine((largest,), (Sparse.scale(-np.ones(node.size)),), np.zeros(node.size))

    def _steps(self, node: Requantise) -> int:
        """clip(r, least, most) of an integer r that is a line of x up to noise. Where x is clipped, any such
        r will do, so the noise has to be at least what rounding the line to an integer takes."""
        lines = [_line(steps, node.low) for steps in node.thresholds]
        slope, shift, noise, least, most = (np.array(part)[node.group] for part in zip(*lines, strict=True))
        index = self.builder.affine((self.at[node.input],), (Sparse.scale(slope),), shift)
        return self._clipped(index, noise, least, most)

    def _pair(self, node: Pair) -> int:
        """The same for a line of two values."""
        slopes, shift, noise, least, most = _plane(node)
        maps = tuple(Sparse.scale(np.full(node.size, slope)) for slope in slopes)
        every = np.ones(node.size)
        inputs: tuple[int, ...] = self.at[node.left], self.at[node.right]
        if inputs[0] == inputs[1]:
            inputs, maps = inputs[:1], (Sparse.scale(every * sum(slopes)),)
        index = self.builder.affine(inputs, maps, every * shift)
        return self._clipped(index, every * noise, every * least, every * most)

    def _clipped(self, index: int, noise: Array, least: Array, most: Array) -> int:
        size = len(noise)
        identity, minus = Sparse.scale(np.ones(size)), (Sparse.scale(-np.ones(size)),)
        self.noise[index] = np.maximum(noise, 0.5) * _WIDEN
        self.rules.words[index] = _Word(-(2.0**52), 2.0**52, 1.0, None)
        above = self.builder.relu(self.builder.affine((index,), (identity,), -least))
        below = self.builder.relu(self.builder.affine((above,), minus, most - least))
        return self.builder.affine((below,), minus, most)

    def _lookup(self, node: Lookup, form: Format) -> int:
        add = {"sigmoid": self.builder.sigmoid, "tanh": self.builder.tanh}.get(node.table.kind)
        if add is None or not node.table.increasing:
            raise Unsupported("bounds of a table whose function is not known")
        index = add(self.at[node.input])
        self.rules.tables[index] = node.table, form
        self.rules.arguments[index] = node.input
        return index


def _line(thresholds: Ints, low: int) -> tuple[float, float, float, float, float]:
    """(slope, shift, noise, least, most): a step function is clip(slope x + shift + d, least, most) for some
    |d| <= noise, at every x of 32 bits."""
    below = int(np.count_nonzero(thresholds <= Word(32).low))
    reached = thresholds[(thresholds > Word(32).low) & (thresholds <= Word(32).high)].astype(np.float64)
    least = low + below
    most = least + len(reached)
    if not len(reached):
        return 0.0, float(least), 0.0, float(least), float(most)
    width = reached[-1] - reached[0]
    slope = (len(reached) - 1) / width if width > 0 else 0.0
    starts, ends = reached, reached - 1
    up = least + np.arange(len(reached))
    # The value just before a step is `up`, at the step it is one more.
    off = np.concatenate([up - slope * ends, up + 1 - slope * starts])
    shift, noise = float(off.max() + off.min()) / 2, float(off.max() - off.min()) / 2
    slack = 2.0**-48 * (slope * float(np.abs(reached).max()) + abs(shift) + 1)
    return slope, shift, noise + slack, float(least), float(most)


def _plane(node: Pair) -> tuple[tuple[float, float], float, float, float, float]:
    """(slopes, shift, noise, least, most) as of `_line`, for all entries of the table."""
    values = node.entries.ravel().astype(np.float64)
    least, most = float(values.min()), float(values.max())
    axes = zip(node.entries.shape, node.first, strict=True)
    grid = np.meshgrid(*(np.arange(count) + float(first) for count, first in axes), indexing="ij")
    x, y = (part.ravel() for part in grid)
    inner = (values > least) & (values < most)
    if not inner.any():
        return (0.0, 0.0), (least + most) / 2, (most - least) / 2, least, most
    given = np.stack([x[inner], y[inner], np.ones(int(inner.sum()))], axis=1)
    fitted = np.linalg.lstsq(given, values[inner], rcond=None)[0]
    slopes, shift = (max(0.0, float(fitted[0])), max(0.0, float(fitted[1]))), float(fitted[2])
    off = values - (slopes[0] * x + slopes[1] * y + shift)
    off = np.where(values <= least, np.minimum(off, 0), np.where(values >= most, np.maximum(off, 0), off))
    noise = float(np.abs(off).max()) + 2.0**-40 * float(np.abs(values).max() + np.abs(shift) + 1)
    return slopes, shift, noise, least, most


def _trailing(weights: Ints) -> Ints:
    """How often 2 divides each weight."""
    lowest = weights & -weights
    return np.asarray(np.log2(np.maximum(lowest, 1))).astype(np.int64)


def _loss(rounding: Rounding, share: Array) -> tuple[Array, Array]:
    """The interval of rounding errors, in units, of so many roundings."""
    if rounding is Rounding.FLOOR:
        return -share, np.zeros_like(share)
    return -share / 2, share / 2
