"""Zonotopes: affine forms over shared symbols in [-1, 1], forwards through the whole graph.

Each value is centre + generators * symbols + rest, where `rest` is a plain interval radius that collects
round-off. The inputs have a symbol each; a relaxed activation becomes slope * h + shift with one new symbol.
Nodes that read the same inputs share their symbols, so what two networks have in common cancels in the
difference of their values. Batched over boxes; each activation adds as many symbols as the box with the most
relaxed neurons needs.

Where the difference of two networks is followed node by node (`nn.product`), a difference of ReLUs is written
in the narrowest of three ways, see `_relu_gap`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.errors import Unsupported
from vouch.nn.bounds.forward import ForwardState, fresh
from vouch.nn.bounds.model import BoundModel
from vouch.nn.bounds.relax import relax
from vouch.nn.bounds.relaxation import Relaxation, Relaxed
from vouch.nn.lowered import Activation, ActivationGap, Affine, AffineGap, Multiply, NodeKind
from vouch.nn.property import Array

_SAFETY = 2.0**-40
_TINY = 2.0**-1000


@dataclass(slots=True)
class Zonotope:
    """centre and rest [batch, size], generators [batch, symbols, size]. `symbols` [symbols] are increasing:
    inputs first, then numbers of neurons, counted box by box among those that are relaxed. `within`, where
    known, is an interval found in another way."""

    centre: Any
    generators: Any
    rest: Any
    symbols: Any
    within: tuple[Any, Any] | None = None
    _sizes: Any = None

    @property
    def sizes(self) -> Any:
        """|generators|, worked out once."""
        if self._sizes is None:
            self._sizes = abs(self.generators)
        return self._sizes

    @property
    def spread(self) -> Any:
        return self.sizes.sum(1) + self.rest

    def interval(self) -> tuple[Any, Any]:
        radius = self.spread
        radius = radius + _SAFETY * (radius + abs(self.centre))
        low, high = self.centre - radius, self.centre + radius
        if self.within is None:
            return low, high
        return np.fmax(low, self.within[0]), np.fmin(high, self.within[1])

    def over(self, symbols: Any) -> Any:
        """The generators with zeros for those of the symbols that the value does not depend on."""
        if len(symbols) == len(self.symbols):
            return self.generators
        batch, _, size = self.generators.shape
        wide = np.zeros((batch, len(symbols), size))
        wide[:, np.searchsorted(symbols, self.symbols)] = self.generators
        return wide


@dataclass(slots=True)
class Propagated:
    """The zonotope of every node. `blame` [batch, symbols, inputs] says which share of a symbol's relaxation
    each input is responsible for (rows sum to about 1)."""

    model: BoundModel
    shapes: dict[int, Zonotope]
    state: ForwardState
    blame: Any
    relaxed: Any

    @property
    def output(self) -> Zonotope:
        return self.shapes[self.model.output]

    def blamed(self, rows: Any, shape: Zonotope) -> Any:
        """How much of the spread of generators `rows` [batch, symbols] each input is responsible for."""
        return np.matmul(abs(rows)[:, None, :], self.blame[:, shape.symbols])[:, 0]

    def felt(self, low: Array, high: Array) -> Array:
        """Of a single box: how strongly the outputs feel the relaxation of each neuron (0: not at all)."""
        output, inputs = self.output, self.blame.shape[2]
        found = np.zeros(self.model.neurons)
        by_symbol = output.sizes[0].max(1)
        for index in self.model.activations:
            part = self.model.slots[index]
            relaxed = part.start + np.flatnonzero((low[part] < 0) & (high[part] > 0))
            places = np.searchsorted(output.symbols, inputs + part.start + np.arange(len(relaxed)))
            known = places < len(by_symbol)
            found[relaxed[known]] = by_symbol[places[known]]
        return found


def propagate(model: BoundModel, lower: Any, upper: Any, state: ForwardState | None = None) -> Propagated:
    """Zonotopes for boxes [batch, inputs]; intervals of activation inputs are met with `state`, which is
    tightened. numpy models only."""
    batch, inputs = lower.shape
    state = fresh(model, batch) if state is None else state
    blame = np.zeros((batch, inputs + model.neurons, inputs))
    blame[:, :inputs] = np.eye(inputs)
    generators = np.zeros((batch, inputs, inputs))
    every = np.arange(inputs)
    generators[:, every, every] = (upper - lower) * 0.5
    reach = np.maximum(abs(lower), abs(upper))
    start = Zonotope((lower + upper) * 0.5, generators, reach * 2.0**-51, every)
    work = Propagated(model, {0: start}, state, blame, np.zeros(batch, dtype=np.intp))
    heights: dict[int, Any] = {}
    noise: dict[int, Any] = {}
    for index, node in enumerate(model.lowered.nodes):
        if isinstance(node, Affine):
            work.shapes[index] = _affine(work, index, node, noise, heights)
        elif isinstance(node, Activation):
            low, high = work.shapes[node.input].interval()
            part = model.slots[index]
            low, high = np.maximum(low, state.low[:, part]), np.minimum(high, state.high[:, part])
            state.low[:, part], state.high[:, part] = low, high
            work.shapes[index] = _activated(work, index, node, low, high)
        elif isinstance(node, Multiply):
            work.shapes[index] = _multiplied(work, index, node)
    return work


def _affine(
    work: Propagated, index: int, node: Affine, noise: dict[int, Any], heights: dict[int, Any]
) -> Zonotope:
    model = work.model
    read = [work.shapes[source] for source in node.inputs]
    symbols = _all_symbols(read)
    centre, rest, total = model.biases[index], 0.0, 0.0
    for linear, shape in zip(node.maps, read, strict=True):
        generators = shape.over(symbols)
        batch, own, size = generators.shape
        centre = centre + linear.apply(shape.centre)
        rest = rest + linear.absolute().apply(shape.rest)
        total = total + linear.apply(generators.reshape(batch * own, size)).reshape(batch, own, linear.rows)
    noise[index], _ = model.noise(index, [abs(s.centre) + s.spread for s in read], heights)
    if isinstance(node, AffineGap):
        noise[index] = noise[index] + noise[node.first] + noise[node.second]
    within = None
    if all(shape.within is not None for shape in read):
        within = _interval(model, index, node, read, noise[index])
    return Zonotope(centre, total, rest + noise[index], symbols, within)


def _interval(
    model: BoundModel, index: int, node: Affine, read: list[Zonotope], noise: Any
) -> tuple[Any, Any]:
    """Plain intervals, which are narrower behind functions whose values are far from any line."""
    middle, radius = model.biases[index], noise
    for linear, shape in zip(node.maps, read, strict=True):
        low, high = shape.interval()
        middle = middle + linear.apply((low + high) * 0.5)
        radius = radius + linear.absolute().apply((high - low) * 0.5)
    return middle - radius, middle + radius


def _multiplied(work: Propagated, index: int, node: Multiply) -> Zonotope:
    """The plane through the middle, and one new symbol for how far the product is from it."""
    left, right = work.shapes[node.left], work.shapes[node.right]
    (x_low, x_high), (y_low, y_high) = left.interval(), right.interval()
    part = work.model.slots[index]
    low = np.maximum(work.state.low[:, part], np.concatenate([x_low, y_low], 1))
    high = np.minimum(work.state.high[:, part], np.concatenate([x_high, y_high], 1))
    work.state.low[:, part], work.state.high[:, part] = low, high
    found = _insisted(relax(work.model, index, low, high))
    planes, symbols = found.lines, _all_symbols([left, right])
    own = left.over(symbols) * planes.slope_left[:, None, :]
    own = own + right.over(symbols) * planes.slope_right[:, None, :]
    centre = left.centre * planes.slope_left + right.centre * planes.slope_right
    centre = centre + (planes.low_shift + planes.high_shift) * 0.5
    size = np.maximum(abs(x_low), abs(x_high)) * np.maximum(abs(y_low), abs(y_high))
    rest = left.rest * abs(planes.slope_left) + right.rest * abs(planes.slope_right)
    after = Zonotope(centre, own, rest + _SAFETY * (size + abs(centre)), symbols, (found.low, found.high))
    return _with_symbols(work, index, after, after, (planes.high_shift - planes.low_shift) * 0.5)


def _insisted(found: Relaxed) -> Relaxed:
    if found.undefined is not None and bool(found.undefined.any()):
        raise Unsupported("a function may be asked for a value outside of its domain")
    return found


def _all_symbols(shapes: list[Zonotope]) -> Any:
    first = shapes[0].symbols
    for shape in shapes[1:]:
        if not np.array_equal(first, shape.symbols):
            first = np.union1d(first, shape.symbols)
    return first


def _activated(work: Propagated, index: int, node: Activation, low: Any, high: Any) -> Zonotope:
    model = work.model
    if isinstance(node, ActivationGap) and model.node(node.first).kind is NodeKind.RELU:
        return _relu_gap(work, index, node, low, high)
    shape = work.shapes[node.input]
    found = _insisted(relax(model, index, low, high, work.state))
    slope, middle, spread = _band(found.lines, low, high)
    size = np.maximum(abs(low), abs(high)) * (1 + abs(slope))
    centre, rest = shape.centre * slope + middle, shape.rest * abs(slope) + _SAFETY * size
    within = None if found.undefined is None else (found.low, found.high)
    after = Zonotope(centre, shape.generators * slope[:, None, :], rest, shape.symbols, within)
    return _with_symbols(work, index, shape, after, spread)


def _band(relaxation: Relaxation, low: Any, high: Any) -> tuple[Any, Any, Any]:
    """(slope, middle, spread): the function is slope * h + middle within +-spread."""
    if relaxation.low_shift is None:
        slope = relaxation.high_slope
        bottom, top = 0.0 * slope, relaxation.high_shift
    else:
        slope = np.minimum(relaxation.low_slope, relaxation.high_slope)
        # Lines of other slopes, moved to `slope`: their values at the ends bound the band.
        bottom = _end(np.minimum, relaxation.low_slope, relaxation.low_shift, slope, low, high)
        top = _end(np.maximum, relaxation.high_slope, relaxation.high_shift, slope, low, high)
    middle, spread = (bottom + top) * 0.5, (top - bottom) * 0.5
    return slope, middle, spread + _SAFETY * (abs(bottom) + abs(top))


def _end(pick: Any, own: Any, shift: Any, slope: Any, low: Any, high: Any) -> Any:
    return pick((own - slope) * low, (own - slope) * high) + shift


def _with_symbols(work: Propagated, index: int, before: Zonotope, shape: Zonotope, spread: Any) -> Zonotope:
    """The shape with a symbol of its own for each neuron whose `spread` is not 0; to blame for it is what the
    value `before` the activation depends on."""
    boxes, neurons = np.where(spread > 0)
    if len(boxes) == 0:
        return shape
    order = (spread > 0).cumsum(1)[boxes, neurons] - 1
    count = int(order.max()) + 1
    fresh_ones = np.zeros((len(spread), count, spread.shape[1]))
    fresh_ones[boxes, order, neurons] = spread[boxes, neurons]
    own = len(work.blame[0, 0]) + work.model.slots[index].start + np.arange(count)
    parts = np.matmul(before.sizes.transpose(0, 2, 1), work.blame[:, before.symbols])
    parts = parts / np.maximum(parts.sum(2, keepdims=True), _TINY)
    work.blame[boxes, own[order]] = parts[boxes, neurons]
    work.relaxed += (spread > 0).sum(1)
    generators = np.concatenate([shape.generators, fresh_ones], 1)
    symbols = np.concatenate([shape.symbols, own])
    return Zonotope(shape.centre, generators, shape.rest, symbols, shape.within)


def _relu_gap(work: Propagated, index: int, node: ActivationGap, low: Any, high: Any) -> Zonotope:
    """relu(r) - relu(t) for d = r - t in [low, high]. Both active: d. Both inactive: 0. Otherwise the
    narrowest of

    - half of d plus a new symbol (the difference lies between 0 and d),
    - the two relaxed values subtracted,
    - d corrected by the relaxation of the one neuron that is not active.
    """
    model, shapes, state = work.model, work.shapes, work.state
    delta = shapes[node.input]
    after = shapes[node.first], shapes[node.second]
    before = [shapes[model.node(which).input] for which in (node.first, node.second)]
    ends = [
        (state.low[:, part], state.high[:, part])
        for part in (model.slots[node.first], model.slots[node.second])
    ]
    low, high = np.maximum(low, ends[0][0] - ends[1][1] - _TINY), np.minimum(high, ends[0][1] - ends[1][0])
    on, off = [end[0] >= 0 for end in ends], [end[1] <= 0 for end in ends]
    both_on, both_off = on[0] & on[1], off[0] & off[1] & ~(on[0] & on[1])
    settled = both_on | both_off
    width = np.where(settled, 0.0, np.maximum(np.maximum(high, -low), 0.0) * (0.5 + _SAFETY) + _TINY)
    symbols = _all_symbols([delta, *after])
    own, (first, second) = delta.over(symbols), [shape.over(symbols) for shape in after]
    slope = np.where(both_on, 1.0, np.where(both_off, 0.0, 0.5))
    halved = delta.centre * slope, own * slope[:, None, :], delta.rest * slope
    apart = after[0].centre - after[1].centre, first - second, after[0].rest + after[1].rest
    by_first, by_second = (~on[0] & on[1]) * 1.0, on[0] * 1.0
    fixed = (
        delta.centre
        + by_first * (after[0].centre - before[0].centre)
        - by_second * (after[1].centre - before[1].centre),
        own
        + by_first[:, None, :] * (first - before[0].over(symbols))
        - by_second[:, None, :] * (second - before[1].over(symbols)),
        delta.rest
        + by_first * (after[0].rest + before[0].rest)
        + by_second * (after[1].rest + before[1].rest),
    )
    spreads = [
        np.where(settled, -1.0, abs(halved[1]).sum(1) + halved[2] + width),
        abs(apart[1]).sum(1) + apart[2],
        np.where(on[0] | on[1], abs(fixed[1]).sum(1) + fixed[2], np.inf),
    ]
    choice = np.argmin(np.stack(spreads), axis=0)
    centre, generators, rest = (
        np.where(_like(choice == 0, a), a, np.where(_like(choice == 1, b), b, c))
        for a, b, c in zip(halved, apart, fixed, strict=True)
    )
    size = sum(abs(shape.centre) + shape.spread for shape in before)
    rest = rest + np.where(settled, 0.0, _SAFETY * size)
    found = Zonotope(centre, generators, rest, symbols)
    # It is the neuron's own range that has to shrink for the symbol to go.
    return _with_symbols(work, index, before[0], found, np.where(choice == 0, width, 0.0))


def _like(mask: Any, values: Any) -> Any:
    return mask if values.ndim == 2 else mask[:, None, :]
