"""Ascent on the free parameters of bounds under assumptions: lower slopes, multipliers, weights of rows.

Every choice of the parameters gives a sound bound when it is evaluated in float64 with all noise. So they may
be looked for in float32, which is twice as fast (`roughly`), by whoever evaluates the bound itself once more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.nn.bounds.ascent import is_relu, on_lines
from vouch.nn.bounds.backward import substitute
from vouch.nn.bounds.ball import SLACK, lowest
from vouch.nn.bounds.forward import Analysis, ForwardState
from vouch.nn.bounds.model import BoundModel
from vouch.nn.bounds.region import Unsafe
from vouch.nn.property import Ball

_BEFORE, _LATER = 0.9, 0.999
# The share of a bound's constant that float32 is taken to lose, so that parameters are not left too early;
# nothing rests on it.
_ROUGH_SLACK = 2.0**-18
# How much the looseness below counts beside that above when a neuron is chosen: where nothing is lost above,
# it still tells neurons apart that matter from those that do not.
_BELOW = 1e-3
# The size of outputs from which float32 is used, and the inverse of that up to which it is.
_SMALLEST = 1e-6
# Nodes that seem closed are left out of the ascent when they are at least this share.
_CLOSED = 0.25


@dataclass(slots=True)
class Assumptions:
    """A batch of search nodes: the state they know, the assumed signs (-1, 0, 1) of neurons [batch,
    neurons], which neurons are cut to the intervals of the state (1, else 0), and the parameters of their
    parent's bound."""

    state: ForwardState
    signs: Any
    cuts: Any
    slopes: Any
    multipliers: Any
    weights: Any

    def take(self, chosen: Any) -> Assumptions:
        return Assumptions(
            self.state.take(chosen),
            self.signs[chosen],
            self.cuts[chosen],
            self.slopes[chosen],
            self.multipliers[chosen],
            self.weights[chosen],
        )

    def moved(self, to: Callable[[Any], Any]) -> Assumptions:
        """The same in another array library, or in another type of numbers."""
        state = ForwardState(to(self.state.low), to(self.state.high))
        rest = (to(part) for part in (self.signs, self.cuts, self.slopes, self.multipliers, self.weights))
        return Assumptions(state, *rest)

    def __len__(self) -> int:
        return len(self.signs)


def joined(xp: Any, parts: Sequence[Assumptions]) -> Assumptions:
    """All nodes of some batches in one."""
    if len(parts) == 1:
        return parts[0]
    join = xp.concatenate
    return Assumptions(
        ForwardState(join([p.state.low for p in parts]), join([p.state.high for p in parts])),
        join([p.signs for p in parts]),
        join([p.cuts for p in parts]),
        join([p.slopes for p in parts]),
        join([p.multipliers for p in parts]),
        join([p.weights for p in parts]),
    )


def popped(xp: Any, stack: list[Assumptions], sizes: list[Any], wanted: int) -> tuple[Assumptions, Any]:
    """The newest nodes of a stack, at most so many, with their entries in `sizes`."""
    parts, found, count = [], [], 0
    while stack and count < wanted:
        top, size = stack.pop(), sizes.pop()
        if count + len(top) > wanted:
            rest = len(top) - (wanted - count)
            stack.append(top.take(slice(0, rest)))
            sizes.append(size[:rest])
            top, size = top.take(slice(rest, len(top))), size[rest:]
        parts.append(top)
        found.append(size)
        count += len(top)
    return joined(xp, parts), np.concatenate(found)


@dataclass(slots=True)
class SplitBounds:
    """The best bound of each node, where it is reached, and the loss that each unstable neuron causes."""

    value: Any
    corner: Any
    loss: Any
    unstable: Any


@dataclass(slots=True)
class Units:
    """What is bounded instead of a region: for each node one output of the model, `neurons`, times its sign
    in `signs`, over the box and the `ball`."""

    neurons: Any
    signs: Any
    ball: Ball | None = None
    count: int = 1

    def take(self, chosen: Any) -> Units:
        return Units(self.neurons[chosen], self.signs[chosen], self.ball)

    def moved(self, to: Callable[[Any], Any]) -> Units:
        return Units(self.neurons, to(self.signs), self.ball)

    def rows(self, model: BoundModel) -> Any:
        arrays, count = model.arrays, len(self.neurons)
        rows = arrays.zeros((count, model.outputs))
        rows[arrays.indices(np.arange(count)), self.neurons] = self.signs
        return rows


class Ascent:
    """Adam on slopes and multipliers, multiplicative ascent on weights; keeps the best of each node."""

    def __init__(
        self, model: BoundModel, analysis: Analysis, nodes: Assumptions, region: Unsafe | Units
    ) -> None:
        self.model, self.nodes, self.region = model, nodes, region
        self.noise, self.relaxed, self.size = analysis.noise, analysis.relaxed, analysis.size
        self.lower, self.upper = analysis.lower, analysis.upper
        self.arrays, self.xp = model.arrays, model.arrays.xp
        self.slopes, self.multipliers, self.weights = nodes.slopes, nodes.multipliers, nodes.weights
        self.parameters: tuple[Any, ...] = (self.slopes, self.multipliers, self.weights)
        self.best = self.arrays.full((len(nodes),), -np.inf)
        self.best_corner = self.lower
        self.moments: dict[str, tuple[Any, Any]] = {}
        self.loss = self.arrays.zeros((len(nodes), model.neurons))
        self.relus = [index for index in model.activations if is_relu(model, index)]
        self.cut = nodes.cuts > 0
        self.any_cut = bool(self.cut.any())
        self.weight = self.xp.where(self.cut, nodes.signs * 0.0 + 1.0, nodes.signs)
        self.sloped = isinstance(region, Unsafe) and bool(region.x_rows.any())

    def evaluate(self) -> None:
        """The bound for the present parameters, and what `improve` needs."""
        model, region = self.model, self.region
        by_node = {}
        for index in self.relus:
            part = model.slots[index]
            relaxation = self.relaxed[index]
            by_node[index] = self.xp.where(relaxation.unstable, self.slopes[:, part], relaxation.low_slope)
        added = -self.multipliers * self.weight
        extra = {i: added[:, model.slots[i]] for i in model.activations}
        y_row, x_row, rhs = self._asked()
        self.trace: dict[int, Any] = {}
        start = {model.output: y_row}
        coefficients, constant = substitute(
            model, start, None, self.noise, self.relaxed, by_node, self.trace, extra
        )
        if x_row is not None:
            coefficients = coefficients + x_row
        slack = self._slack(y_row, x_row, coefficients, constant, rhs, added)
        constant = constant - rhs - slack + self._from_cuts()
        value, self.corner = lowest(self.arrays, region.ball, coefficients, self.lower, self.upper)
        value = value + constant
        self.by_node = by_node
        self._remember(value)

    def _asked(self) -> tuple[Any, Any | None, Any]:
        """The rows over outputs and over inputs (None: all zero), and the limit."""
        region = self.region
        if isinstance(region, Units):
            return region.rows(self.model), None, 0.0
        x_row = self.weights @ region.x_rows if self.sloped else None
        return self.weights @ region.y_rows, x_row, self.weights @ region.rhs

    def _slack(
        self, y_row: Any, x_row: Any | None, coefficients: Any, constant: Any, rhs: Any, added: Any
    ) -> Any:
        """What is rounded outside of `substitute`: the sums of rows and of inputs, and the multipliers, which
        enter as coefficients of h and lose at most a share of |b| |h|."""
        arrays, region, mass = self.arrays, self.region, self.size + 1.0
        if arrays.rough:
            return _ROUGH_SLACK * abs(constant)
        reach = self.xp.maximum(abs(self.lower), abs(self.upper))
        total = arrays.dot(abs(coefficients), reach) + abs(rhs) + abs(constant)
        if isinstance(region, Units):
            total = total + arrays.dot(abs(y_row), mass)
        else:
            total = total + abs(region.y_rows).sum(0) @ mass.T
        if x_row is not None:
            total = total + arrays.dot(abs(x_row), reach)
        low, high = self.nodes.state.low, self.nodes.state.high
        known = abs(added) > 0  # an infinite end of another neuron does not matter
        largest = self.xp.where(known, self.xp.maximum(abs(low), abs(high)), 0.0)
        return SLACK * (total + arrays.dot(abs(added), largest))

    def _from_cuts(self) -> Any:
        """What the ends of cut intervals add to the bound."""
        if not self.any_cut:
            return 0.0
        low, high, b = self.nodes.state.low, self.nodes.state.high, self.multipliers
        return (self.xp.where(self.cut, self.xp.where(b > 0, low, high), 0.0) * b).sum(1)

    def _remember(self, value: Any) -> None:
        xp = self.xp
        better = value > self.best
        if bool(better.all()):
            self.best, self.best_corner = value, self.corner
            self.parameters = self.slopes, self.multipliers, self.weights
            return
        self.best = xp.where(better, value, self.best)
        self.best_corner = xp.where(better[:, None], self.corner, self.best_corner)
        kept = zip((self.slopes, self.multipliers, self.weights), self.parameters, strict=True)
        self.parameters = tuple(xp.where(better[:, None], new, old) for new, old in kept)

    def improve(self, step: int) -> None:
        model, xp = self.model, self.xp
        outputs, by_slope, before = on_lines(model, self.relaxed, self.by_node, self.corner, self.trace)
        shape = (len(self.nodes), model.neurons)
        slope_gradient, multiplier_gradient = self.arrays.zeros(shape), self.arrays.zeros(shape)
        for index, part in model.slots.items():
            if index in by_slope:
                slope_gradient[:, part] = by_slope[index]
            multiplier_gradient[:, part] = self._by_multiplier(part, before[index])
        fade = 0.98**step
        self.slopes = (self.slopes + self._adam("slopes", slope_gradient, 0.1 * fade, step)).clip(0, 1)
        change = self._adam("multipliers", multiplier_gradient, 0.05 * fade, step)
        if self.any_cut:
            change = xp.where(self.cut, change * self._coefficients(), change)
        moved = self.multipliers + change
        self.multipliers = xp.where(self.cut, moved, moved.clip(min=0)) if self.any_cut else moved.clip(min=0)
        region = self.region
        if isinstance(region, Unsafe) and region.count > 1:
            excess = self.corner @ region.x_rows.T + outputs @ region.y_rows.T - region.rhs
            scale = xp.amax(abs(excess), 1)[:, None] + 1e-30
            moved = self.weights * xp.exp(excess / scale * (0.5 * fade))
            self.weights = moved / moved.sum(1)[:, None]

    def keep(self, chosen: Any) -> None:
        """Goes on with some of the nodes."""
        self.nodes, self.region = self.nodes.take(chosen), self.region.take(chosen)
        count = len(self.best)

        def some(values: Any) -> Any:
            return values if values.shape[0] != count else values[chosen]  # or one row for all nodes

        self.noise = {index: some(noise) for index, noise in self.noise.items()}
        self.relaxed = {index: relaxation.take(chosen) for index, relaxation in self.relaxed.items()}
        self.by_node = {index: some(slopes) for index, slopes in self.by_node.items()}
        self.trace = {index: some(row) for index, row in self.trace.items()}
        self.size, self.lower, self.upper = some(self.size), some(self.lower), some(self.upper)
        self.slopes, self.multipliers, self.weights = map(some, (self.slopes, self.multipliers, self.weights))
        self.parameters = tuple(map(some, self.parameters))
        self.best, self.best_corner, self.corner = map(some, (self.best, self.best_corner, self.corner))
        self.moments = {name: (some(a), some(b)) for name, (a, b) in self.moments.items()}
        self.loss, self.cut, self.weight = map(some, (self.loss, self.cut, self.weight))

    def _by_multiplier(self, part: slice, value: Any) -> Any:
        """The derivative by the multipliers of neurons that have this value on the lines of the bound."""
        by_sign = -value * self.nodes.signs[:, part]
        if not self.any_cut:
            return by_sign
        b, state, xp = self.multipliers[:, part], self.nodes.state, self.xp
        low, high = state.low[:, part] - value, state.high[:, part] - value
        by_end = xp.where(b > 0, low, xp.where(b < 0, high, low.clip(min=0) + high.clip(max=0)))
        return xp.where(self.cut[:, part], by_end, by_sign)

    def _coefficients(self) -> Any:
        """How large the coefficients of the bound are behind each activation: multipliers of cuts are of that
        size where the ends of the interval say more than all that comes before. At least a share of the
        largest, for cuts that contradict each other while nothing depends on them."""
        found = self.arrays.zeros((len(self.nodes), self.model.neurons))
        for index, row in self.trace.items():
            found[:, self.model.slots[index]] = abs(row)
        return found + self.xp.amax(found, 1)[:, None] * 0.1

    def _adam(self, name: str, gradient: Any, rate: float, step: int) -> Any:
        first, second = self.moments.get(name, (gradient * 0.0, gradient * 0.0))
        first = _BEFORE * first + (1 - _BEFORE) * gradient
        second = _LATER * second + (1 - _LATER) * gradient * gradient
        self.moments[name] = first, second
        first = first / (1 - _BEFORE ** (step + 1))
        second = second / (1 - _LATER ** (step + 1))
        return rate * first / (self.xp.sqrt(second) + 1e-12)

    def store(self) -> None:
        """Leaves the best parameters in the nodes, and the loss per neuron of the last evaluation."""
        self.nodes.slopes, self.nodes.multipliers, self.nodes.weights = self.parameters
        for index, part in self.model.slots.items():
            row, relaxation = self.trace.get(index), self.relaxed[index]
            if row is not None and index in self.relus:
                self.loss[:, part] = self._between(row, relaxation, part) * relaxation.unstable
            elif row is not None:
                self.loss[:, part] = abs(row) * self._gap(relaxation, part) * relaxation.unstable

    def _between(self, row: Any, relaxation: Any, part: slice) -> Any:
        """What the lines of ReLUs lose: the chord at zero, the lower slope on the mean."""
        low, high = self.nodes.state.low[:, part], self.nodes.state.high[:, part]
        slope = self.slopes[:, part]
        below = (slope * low * low + (1 - slope) * high * high) / (2 * (high - low) + 1e-30)
        return row.clip(min=0) * below * _BELOW - row.clip(max=0) * relaxation.high_shift

    def _gap(self, relaxation: Any, part: slice) -> Any:
        """The distance of the two lines in the middle of the interval."""
        middle = (self.nodes.state.low[:, part] + self.nodes.state.high[:, part]) * 0.5
        shift = relaxation.high_shift - (0.0 if relaxation.low_shift is None else relaxation.low_shift)
        return ((relaxation.high_slope - relaxation.low_slope) * middle + shift).clip(min=0)

    def bounded(self) -> SplitBounds:
        unstable = self.loss < 0
        for index, part in self.model.slots.items():
            unstable[:, part] = self.relaxed[index].unstable
        return SplitBounds(self.best, self.best_corner, self.loss, unstable)


def climb(work: Ascent, steps: int, stop: Callable[[], bool]) -> None:
    """At most `steps` steps, as long as some node is open."""
    for step in range(steps):
        work.evaluate()
        if bool((work.best > 0).all()) or stop():
            break
        work.improve(step)
    else:
        work.evaluate()


def fits_float32(analysis: Analysis) -> bool:
    """Whether squares of derivatives of the outputs stay within float32."""
    size = float(analysis.size.max())
    return _SMALLEST < size < 1 / _SMALLEST


def climb_roughly(
    model: BoundModel,
    analysis: Analysis,
    nodes: Assumptions,
    region: Unsafe | Units,
    steps: int,
    stop: Callable[[], bool],
) -> Any:
    """The same in float32: improves the parameters of the nodes, and says what their bounds seem to be."""
    rough, arrays = model.roughly(), model.arrays
    cast = rough.arrays.cast
    work = Ascent(rough, analysis.moved(rough), nodes.moved(cast), region.moved(cast))
    best = tuple(arrays.copy(part) for part in (nodes.slopes, nodes.multipliers, nodes.weights))
    found, at = arrays.full((len(nodes),), -np.inf), arrays.indices(np.arange(len(nodes)))

    def keep(chosen: Any) -> None:
        for whole, part in zip((found, *best), (work.best, *work.parameters), strict=True):
            whole[at[chosen]] = arrays.double(part[chosen])

    for step in range(steps):
        work.evaluate()
        closed = work.best > 0
        count = int(closed.sum())
        if count == len(closed) or stop():
            break
        if count >= _CLOSED * len(closed):
            keep(closed)
            work.keep(~closed)
            at = at[~closed]
        work.improve(step)
    else:
        work.evaluate()
    keep(work.best == work.best)
    nodes.slopes, nodes.multipliers, nodes.weights = best
    return found
