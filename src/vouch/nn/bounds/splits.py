"""Bounds under assumptions about neurons: the heart of branch and bound over ReLUs (as in beta-CROWN).

A node of the search fixes the sign of some ReLU inputs. Under s h >= 0, any lower bound of g - b s h with
b >= 0 is one of g. So each assumption brings a free multiplier b, improved by ascent together with the lower
slopes and the weights of the region's rows. Every choice of the parameters is sound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.nn.bounds.ascent import on_lines
from vouch.nn.bounds.backward import substitute
from vouch.nn.bounds.ball import SLACK, lowest
from vouch.nn.bounds.forward import Analysis, State, analyse
from vouch.nn.bounds.model import Model
from vouch.nn.bounds.region import Unsafe

_BEFORE, _LATER = 0.9, 0.999


@dataclass(slots=True)
class Assumptions:
    """A batch of search nodes: the state they know, the assumed signs (-1, 0, 1) of neurons [batch,
    neurons], and the parameters of their parent's bound."""

    state: State
    signs: Any
    slopes: Any
    multipliers: Any
    weights: Any

    def take(self, chosen: Any) -> Assumptions:
        return Assumptions(
            self.state.take(chosen),
            self.signs[chosen],
            self.slopes[chosen],
            self.multipliers[chosen],
            self.weights[chosen],
        )

    def __len__(self) -> int:
        return len(self.signs)


@dataclass(slots=True)
class Bounded:
    """The best bound of each node, where it is reached, and the loss that each unstable neuron causes."""

    value: Any
    corner: Any
    loss: Any
    unstable: Any


def root(model: Model, state: State, region: Unsafe, batch: int = 1) -> Assumptions:
    """No assumptions yet; the slopes are those of least area."""
    arrays = model.arrays
    shape = (batch, model.neurons)
    slopes = ((state.high > -state.low) * 1.0) + arrays.zeros(shape)
    even = arrays.full((batch, region.count), 1.0 / max(region.count, 1))
    return Assumptions(state, arrays.zeros(shape), slopes, arrays.zeros(shape), even)


def bound(
    model: Model,
    lower: Any,
    upper: Any,
    nodes: Assumptions,
    region: Unsafe,
    steps: int,
    stop: Callable[[], bool] = lambda: False,
) -> tuple[Bounded, Analysis]:
    """Improves the parameters of the nodes in place, for at most `steps` steps or until `stop` says so, and
    bounds the region's excess from below: positive means that the node contains no violation."""
    count = len(nodes)
    spread = model.arrays.zeros((count, model.inputs))
    analysis = analyse(model, lower + spread, upper + spread, nodes.state, "interval")
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

    def __init__(self, model: Model, analysis: Analysis, nodes: Assumptions, region: Unsafe) -> None:
        self.model, self.analysis, self.nodes, self.region = model, analysis, nodes, region
        self.arrays, self.xp = model.arrays, model.arrays.xp
        self.slopes, self.multipliers, self.weights = nodes.slopes, nodes.multipliers, nodes.weights
        self.parameters: tuple[Any, Any, Any] = (self.slopes, self.multipliers, self.weights)
        self.best = self.arrays.full((len(nodes),), -np.inf)
        self.best_corner = analysis.lower
        self.moments: dict[str, tuple[Any, Any]] = {}
        self.loss = self.arrays.zeros((len(nodes), model.neurons))

    def evaluate(self) -> None:
        """The bound for the present parameters, and what `improve` needs."""
        model, region, analysis = self.model, self.region, self.analysis
        by_node = {}
        for index in model.activations:
            part = model.slots[index]
            relaxation = analysis.relaxed[index]
            by_node[index] = self.xp.where(relaxation.unstable, self.slopes[:, part], relaxation.low_slope)
        extra = {i: -(self.multipliers * self.nodes.signs)[:, model.slots[i]] for i in model.activations}
        y_row, x_row = self.weights @ region.y_rows, self.weights @ region.x_rows
        rhs = self.weights @ region.rhs
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
        coefficients = coefficients + x_row
        reach = self.xp.maximum(abs(analysis.lower), abs(analysis.upper))
        size = abs(region.y_rows).sum(0) @ (analysis.size + 1.0).T + self.arrays.dot(abs(coefficients), reach)
        size = size + self.arrays.dot(abs(x_row), reach) + abs(rhs) + abs(constant)
        constant = constant - rhs - SLACK * size - self._multiplier_noise(extra)
        value, self.corner = lowest(self.arrays, region.ball, coefficients, analysis.lower, analysis.upper)
        value = value + constant
        self.by_node = by_node
        self._remember(value)

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
            multiplier_gradient[:, part] = -before[index] * self.nodes.signs[:, part]
        fade = 0.98**step
        self.slopes = (self.slopes + self._adam("slopes", slope_gradient, 0.1 * fade, step)).clip(0, 1)
        moved = self.multipliers + self._adam("multipliers", multiplier_gradient, 0.05 * fade, step)
        self.multipliers = moved.clip(min=0)
        if self.region.count > 1:
            region = self.region
            excess = self.corner @ region.x_rows.T + outputs @ region.y_rows.T - region.rhs
            scale = xp.amax(abs(excess), 1)[:, None] + 1e-300
            moved = self.weights * xp.exp(excess / scale * (0.5 * fade))
            self.weights = moved / moved.sum(1)[:, None]

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
            if row is not None:
                upper = -row.clip(max=0) * relaxation.high_shift
                self.loss[:, part] = upper * relaxation.unstable

    def bounded(self) -> Bounded:
        unstable = self.loss < 0
        for index, part in self.model.slots.items():
            unstable[:, part] = self.analysis.relaxed[index].unstable
        return Bounded(self.best, self.best_corner, self.loss, unstable)
