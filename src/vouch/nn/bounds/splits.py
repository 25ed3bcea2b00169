"""Bounds under assumptions about neurons: the heart of branch and bound over ReLUs (as in beta-CROWN).

A node of the search fixes the sign of some ReLU inputs. Under s h >= 0, any lower bound of g - b s h with
b >= 0 is one of g. So each assumption brings a free multiplier b, improved by ascent together with the lower
slopes and the weights of the region's rows. Where a neuron is cut to l <= h <= u instead, any b is allowed:
the bound is one of g - b (h - l) for b > 0, and of g - b (h - u) for b < 0. Every choice of the parameters is
sound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.nn.bounds.ascent import is_relu, on_lines
from vouch.nn.bounds.backward import substitute
from vouch.nn.bounds.ball import SLACK, lowest
from vouch.nn.bounds.forward import Analysis, Domain, ForwardState, analyse
from vouch.nn.bounds.model import BoundModel
from vouch.nn.bounds.region import Unsafe
from vouch.nn.property import Ball

_BEFORE, _LATER = 0.9, 0.999


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
        """The same in another array library."""
        state = ForwardState(to(self.state.low), to(self.state.high))
        rest = (to(part) for part in (self.signs, self.cuts, self.slopes, self.multipliers, self.weights))
        return Assumptions(state, *rest)

    def __len__(self) -> int:
        return len(self.signs)


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

    def rows(self, model: BoundModel) -> Any:
        arrays, count = model.arrays, len(self.neurons)
        rows = arrays.zeros((count, model.outputs))
        rows[arrays.indices(np.arange(count)), self.neurons] = self.signs
        return rows


def root(model: BoundModel, state: ForwardState, region: Unsafe | Units, batch: int = 1) -> Assumptions:
    """No assumptions yet; the slopes are those of least area."""
    arrays = model.arrays
    shape = (batch, model.neurons)
    slopes = ((state.high > -state.low) * 1.0) + arrays.zeros(shape)
    even = arrays.full((batch, region.count), 1.0 / max(region.count, 1))
    return Assumptions(state, arrays.zeros(shape), arrays.zeros(shape), slopes, arrays.zeros(shape), even)


def bound(
    model: BoundModel,
    lower: Any,
    upper: Any,
    nodes: Assumptions,
    region: Unsafe | Units,
    steps: int,
    stop: Callable[[], bool] = lambda: False,
    domain: Domain = "interval",
) -> tuple[SplitBounds, Analysis]:
    """Improves the parameters of the nodes in place, for at most `steps` steps or until `stop` says so, and
    bounds the region's excess (or the outputs asked for) from below: positive means that the node contains
    no violation."""
    # One box for all nodes: what comes before the first activation is computed once.
    if domain == "crown":
        spread = model.arrays.zeros((len(nodes), model.inputs))
        lower, upper = lower + spread, upper + spread
    analysis = analyse(model, lower, upper, nodes.state, domain, region.ball)
    work = _Ascent(model, analysis, nodes, region)
    for step in range(steps):
        work.evaluate()
        if bool((work.best > 0).all()) or stop():
            break
        work.improve(step)
    else:
        work.evaluate()
    work.store()
    return work.bounded(), analysis


class _Ascent:
    """Adam on slopes and multipliers, multiplicative ascent on weights; keeps the best of each node."""

    def __init__(
        self, model: BoundModel, analysis: Analysis, nodes: Assumptions, region: Unsafe | Units
    ) -> None:
        self.model, self.analysis, self.nodes, self.region = model, analysis, nodes, region
        self.arrays, self.xp = model.arrays, model.arrays.xp
        self.slopes, self.multipliers, self.weights = nodes.slopes, nodes.multipliers, nodes.weights
        self.parameters: tuple[Any, Any, Any] = (self.slopes, self.multipliers, self.weights)
        self.best = self.arrays.full((len(nodes),), -np.inf)
        self.best_corner = analysis.lower
        self.moments: dict[str, tuple[Any, Any]] = {}
        self.loss = self.arrays.zeros((len(nodes), model.neurons))
        self.relus = [index for index in model.activations if is_relu(model, index)]
        self.cut = nodes.cuts > 0
        self.any_cut = bool(self.cut.any())
        self.weight = self.xp.where(self.cut, 1.0, nodes.signs)

    def evaluate(self) -> None:
        """The bound for the present parameters, and what `improve` needs."""
        model, region, analysis = self.model, self.region, self.analysis
        by_node = {}
        for index in self.relus:
            part = model.slots[index]
            relaxation = analysis.relaxed[index]
            by_node[index] = self.xp.where(relaxation.unstable, self.slopes[:, part], relaxation.low_slope)
        added = -self.multipliers * self.weight
        extra = {i: added[:, model.slots[i]] for i in model.activations}
        y_row, x_row, rhs, size = self._asked()
        self.trace: dict[int, Any] = {}
        coefficients, constant, _ = substitute(
            model,
            {model.output: y_row},
            None,
            analysis.noise,
            analysis.relaxed,
            analysis.lower,
            analysis.upper,
            by_node,
            self.trace,
            extra,
        )
        reach = self.xp.maximum(abs(analysis.lower), abs(analysis.upper))
        if x_row is not None:
            coefficients = coefficients + x_row
            size = size + self.arrays.dot(abs(x_row), reach)
        size = size + self.arrays.dot(abs(coefficients), reach) + abs(rhs) + abs(constant)
        constant = constant - rhs - SLACK * size - self._multiplier_noise(extra) + self._from_cuts()
        value, self.corner = lowest(self.arrays, region.ball, coefficients, analysis.lower, analysis.upper)
        value = value + constant
        self.by_node = by_node
        self._remember(value)

    def _asked(self) -> tuple[Any, Any | None, Any, Any]:
        """The rows over outputs and over inputs, the limit, and the size of what the rows add up."""
        region, mass = self.region, self.analysis.size + 1.0
        if isinstance(region, Units):
            rows = region.rows(self.model)
            return rows, None, 0.0, self.arrays.dot(abs(rows), mass)
        y_row, x_row = self.weights @ region.y_rows, self.weights @ region.x_rows
        return y_row, x_row, self.weights @ region.rhs, abs(region.y_rows).sum(0) @ mass.T

    def _from_cuts(self) -> Any:
        """What the ends of cut intervals add to the bound."""
        if not self.any_cut:
            return 0.0
        low, high, b = self.nodes.state.low, self.nodes.state.high, self.multipliers
        return (self.xp.where(self.cut, self.xp.where(b > 0, low, high), 0.0) * b).sum(1)

    def _multiplier_noise(self, extra: dict[int, Any]) -> Any:
        """The multipliers enter as coefficients of h; their own rounding, at most, of size |b| |h|."""
        total = 0.0
        for index, row in extra.items():
            part = self.model.slots[index]
            low, high = self.nodes.state.low[:, part], self.nodes.state.high[:, part]
            total = total + self.arrays.dot(abs(row), self.xp.maximum(abs(low), abs(high)))
        return SLACK * total

    def _remember(self, value: Any) -> None:
        xp = self.xp
        better = value > self.best
        self.best = xp.where(better, value, self.best)
        self.best_corner = xp.where(better[:, None], self.corner, self.best_corner)
        kept = zip((self.slopes, self.multipliers, self.weights), self.parameters, strict=True)
        slopes, multipliers, weights = (xp.where(better[:, None], new, old) for new, old in kept)
        self.parameters = slopes, multipliers, weights

    def improve(self, step: int) -> None:
        model, xp = self.model, self.xp
        outputs, by_slope, before = on_lines(
            model, self.analysis.relaxed, self.by_node, self.corner, self.trace
        )
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
            scale = xp.amax(abs(excess), 1)[:, None] + 1e-300
            moved = self.weights * xp.exp(excess / scale * (0.5 * fade))
            self.weights = moved / moved.sum(1)[:, None]

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
            row, relaxation = self.trace.get(index), self.analysis.relaxed[index]
            if row is not None and index in self.relus:
                upper = -row.clip(max=0) * relaxation.high_shift
                self.loss[:, part] = upper * relaxation.unstable
            elif row is not None:
                self.loss[:, part] = abs(row) * self._gap(relaxation, part) * relaxation.unstable

    def _gap(self, relaxation: Any, part: slice) -> Any:
        """The distance of the two lines in the middle of the interval."""
        middle = (self.nodes.state.low[:, part] + self.nodes.state.high[:, part]) * 0.5
        shift = relaxation.high_shift - (0.0 if relaxation.low_shift is None else relaxation.low_shift)
        return ((relaxation.high_slope - relaxation.low_slope) * middle + shift).clip(min=0)

    def bounded(self) -> SplitBounds:
        unstable = self.loss < 0
        for index, part in self.model.slots.items():
            unstable[:, part] = self.analysis.relaxed[index].unstable
        return SplitBounds(self.best, self.best_corner, self.loss, unstable)
