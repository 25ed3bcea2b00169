"""Shows that boxes contain no point of an unsafe region, or shrinks them to the part that may.

A region is a conjunction of rows X x + Y y <= rhs. Each row has a linear lower bound a x + c of its excess
over a box. The box is clear when some non-negative combination of the rows is positive throughout. First
the rows are bounded one by one; then weights of the rows and lower slopes of the ReLUs are improved
together by a few steps of ascent, each of which costs one row per box. Any weights and slopes are sound, so
how they were found does not matter. Every linear bound also cuts off what it shows to be clear.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.nn.arrays import UNIT32
from vouch.nn.bounds.ascent import on_lines, relu_slopes
from vouch.nn.bounds.backward import substitute
from vouch.nn.bounds.ball import SLACK, least_over, lowest
from vouch.nn.bounds.forward import Analysis
from vouch.nn.bounds.model import BoundModel
from vouch.nn.bounds.room import rows_at_once
from vouch.nn.property import Ball, Case, Rows

# Rows times boxes that one substitution takes at once.
_TOGETHER = 2048


@dataclass(slots=True)
class Unsafe:
    """Rows of one unsafe region and of its input set, as arrays of the model's library."""

    x_rows: Any
    y_rows: Any
    rhs: Any
    ball: Ball | None

    @classmethod
    def of(cls, model: BoundModel, case: Case, rows: Rows) -> Unsafe:
        parts = [rows] if case.inputs is None else [rows, case.inputs]
        x_rows = np.vstack([part.x_rows for part in parts])
        y_rows = np.vstack([_wide(part.y_rows, rows.y_rows.shape[1]) for part in parts])
        rhs = np.concatenate([part.rhs for part in parts])
        reach = np.maximum(np.abs(case.lower), np.abs(case.upper))
        ball = case.ball
        # The network is fed x rounded to float32; the rows speak of x itself.
        unit = 2 * UNIT32 if model.arithmetic == "float32" else 2.0**-50
        rhs = rhs + unit * (np.abs(x_rows) @ reach) + SLACK * np.abs(rhs)
        if ball is not None:
            step = np.divide(reach, ball.scale, out=np.zeros_like(reach), where=ball.scale > 0)
            ball = Ball(ball.centre, ball.radius * (1 + unit) + unit * step.sum(), ball.scale, ball.norm)
        arrays = model.arrays
        return cls(arrays.array(x_rows), arrays.array(y_rows), arrays.array(rhs), ball)

    @property
    def count(self) -> int:
        return len(self.rhs)

    def take(self, chosen: Any) -> Unsafe:
        """The region for some of the nodes: it is the same for all."""
        return self

    def moved(self, to: Callable[[Any], Any]) -> Unsafe:
        """The same in another array library, or in another type of numbers."""
        return Unsafe(to(self.x_rows), to(self.y_rows), to(self.rhs), self.ball)


def _wide(rows: Any, columns: int) -> Any:
    return rows if rows.shape[1] == columns else np.zeros((len(rows), columns))


@dataclass(slots=True)
class Open:
    """Boxes in which the region may be met: their `index` in the batch, what is left of them, the bound
    reached, the `corner` where it is reached, and how strongly each input matters."""

    index: Any
    lower: Any
    upper: Any
    bound: Any
    corner: Any
    score: Any


def exclude(analysis: Analysis, region: Unsafe, steps: int = 4) -> Open:
    """The boxes of the analysis that could not be cleared of the region."""
    work = _Work(analysis, region)
    work.single_rows()
    if region.count > 1 and bool(work.open.any()):
        work.combine()
    work.keep()
    for step in range(steps):
        if len(work.index) == 0:
            break
        work.ascend(0.5 / (1 + step) ** 0.5)
        work.keep()
    return Open(work.index, work.lower, work.upper, work.bound, work.corner, work.score)


class _Work:
    """Boxes still open, with their weights and slopes."""

    def __init__(self, analysis: Analysis, region: Unsafe) -> None:
        self.model, self.region, self.analysis = analysis.model, region, analysis
        self.arrays, self.xp = self.model.arrays, self.model.arrays.xp
        batch = len(analysis.lower)
        self.index = self.arrays.indices(np.arange(batch))
        self.lower, self.upper = self.arrays.copy(analysis.lower), self.arrays.copy(analysis.upper)
        self.open = ~analysis.empty & _meets(self.arrays, region.ball, self.lower, self.upper)
        if analysis.undefined is not None:
            self.open = self.open | analysis.undefined
        self.bound = self.arrays.full((batch,), -np.inf)
        self.corner = self.lower
        self.score = self.arrays.zeros((batch, self.model.inputs))
        self.weights = self.arrays.full((batch, region.count), 1.0 / max(region.count, 1))
        self.slopes = relu_slopes(self.model, analysis.relaxed)

    def single_rows(self) -> None:
        """Bounds of every row by itself, until all boxes are closed."""
        region, found = self.region, []
        group = max(1, min(_TOGETHER, rows_at_once(self.model)) // max(1, len(self.index)))
        for start in range(0, region.count, group):
            for coefficients, constant in self.several(range(start, min(start + group, region.count))):
                found.append((coefficients, constant))
                self.score += abs(coefficients)
                self.cut(coefficients, constant)
            if not bool(self.open.any()):
                break
        self.rows = found
        for coefficients, constant in found:
            self.cut(coefficients, constant)

    def several(self, chosen: range) -> list[tuple[Any, Any]]:
        """Linear lower bounds of the excess of some rows, all by one substitution."""
        region, analysis, arrays = self.region, self.analysis, self.arrays
        batch, count = len(self.index), len(chosen)
        rows = region.y_rows[chosen.start : chosen.stop][:, None, :] + arrays.zeros((1, batch, 1))
        start = {self.model.output: rows.reshape(count * batch, -1)}
        boxes = arrays.indices(np.tile(np.arange(batch), count))
        coefficients, constant = substitute(self.model, start, boxes, analysis.noise, analysis.relaxed)
        parts = [slice(n * batch, (n + 1) * batch) for n in range(count)]
        return [
            self.excess(coefficients[part], constant[part], region.x_rows[row], region.rhs[row])
            for row, part in zip(chosen, parts, strict=True)
        ]

    def row(self, weights: Any, trace: dict[int, Any] | None) -> tuple[Any, Any]:
        """A linear lower bound of the weighted sum of excesses."""
        analysis, region = self.analysis, self.region
        start = {self.model.output: weights @ region.y_rows}
        slopes = None if trace is None else self.slopes
        coefficients, constant = substitute(
            self.model, start, None, analysis.noise, analysis.relaxed, slopes, trace
        )
        return self.excess(coefficients, constant, weights @ region.x_rows, weights @ region.rhs)

    def excess(self, coefficients: Any, constant: Any, x_row: Any, rhs: Any) -> tuple[Any, Any]:
        """From a bound of the outputs' part to one of the whole excess."""
        # A weighted row was rounded, and so was the sum of x parts.
        size = abs(self.region.y_rows).sum(0) @ (self.analysis.size + 1.0).T
        reach = self.xp.maximum(abs(self.lower), abs(self.upper))
        size = size + self.arrays.dot(abs(coefficients) + abs(x_row), reach) + abs(rhs) + abs(constant)
        return coefficients + x_row, constant - rhs - SLACK * size

    def cut(self, coefficients: Any, constant: Any) -> None:
        """a x + c <= 0 holds wherever the region is met: closes boxes and shrinks the others."""
        xp = self.xp
        least = xp.minimum(coefficients * self.lower, coefficients * self.upper)
        over_box = total = least.sum(1) + constant
        if self.region.ball is not None:
            found = least_over(self.arrays, self.region.ball, coefficients, self.lower, self.upper)
            total = xp.maximum(total, found + constant)
        sure = self.analysis.undefined
        if sure is not None:  # nothing is known about these boxes: they stay as they are
            sure = ~sure
            total = xp.where(sure, total, -np.inf)
            coefficients = xp.where(sure[:, None], coefficients, 0.0)
        self.bound = xp.maximum(self.bound, total)
        self.open &= ~(total > 0)
        reach = xp.maximum(abs(self.lower), abs(self.upper))
        slack = SLACK * (self.arrays.dot(abs(coefficients), reach) + abs(constant))
        usable = abs(coefficients) > 1e-30
        # Only the box says how small the other terms can be; the ball's minimum is a sum already.
        limit = (least - over_box[:, None]) / xp.where(usable, coefficients, 1.0)
        margin = slack[:, None] / xp.where(usable, abs(coefficients), 1.0)
        self.upper = xp.where(usable & (coefficients > 0), xp.minimum(self.upper, limit + margin), self.upper)
        self.lower = xp.where(usable & (coefficients < 0), xp.maximum(self.lower, limit - margin), self.lower)
        self.open &= ~(self.lower > self.upper).any(1)

    def combine(self, steps: int = 8) -> None:
        """Improve the weights on the linear bounds of the rows alone (multiplicative ascent)."""
        xp, arrays = self.xp, self.arrays
        a = xp.stack([coefficients for coefficients, _ in self.rows], 1)
        c = xp.stack([constant for _, constant in self.rows], 1)
        best, best_value = self.weights, arrays.full((len(c),), -np.inf)
        weights, scale = self.weights, None
        for step in range(steps):
            coefficients = xp.einsum("bm,bmd->bd", weights, a)
            point = xp.where(coefficients > 0, self.lower, self.upper)
            values = xp.einsum("bmd,bd->bm", a, point) + c
            total = arrays.dot(weights, values)
            better = total > best_value
            best = xp.where(better[:, None], weights, best)
            best_value = xp.where(better, total, best_value)
            if scale is None:
                scale = 1.0 / (xp.amax(abs(values), 1) + 1e-300)[:, None]
            weights = _towards(xp, weights, values * scale * (4.0 / (1 + step) ** 0.5))
        self.weights = best
        coefficients = xp.einsum("bm,bmd->bd", best, a)
        slack = SLACK * (xp.einsum("bm,bmd->b", best, abs(a)) + arrays.dot(best, abs(c)))
        reach = 1.0 + xp.amax(xp.maximum(abs(self.lower), abs(self.upper)), 1)
        self.cut(coefficients, arrays.dot(best, c) - slack * reach)

    def ascend(self, step: float) -> None:
        """One joint step: bound the weighted row with the present slopes, then follow the gradient.

        With x at the minimising corner, the value of each activation on the lines that the bound used is
        the derivative of the bound by the slope, over the row's coefficient; and the value of each row there
        is the derivative by its weight.
        """
        xp = self.xp
        trace: dict[int, Any] = {}
        coefficients, constant = self.row(self.weights, trace)
        ball = self.region.ball
        _, corner = lowest(self.arrays, ball, coefficients, self.lower, self.upper)
        self.corner = corner
        self.cut(coefficients, constant)
        values, gradients, _ = on_lines(self.model, self.analysis.relaxed, self.slopes, corner, trace)
        for index, gradient in gradients.items():
            largest = xp.amax(abs(gradient), 1)[:, None] + 1e-300
            moved = (self.slopes[index] + gradient * (step / largest)).clip(min=0, max=1)
            self.slopes[index] = xp.where(self.analysis.relaxed[index].unstable, moved, self.slopes[index])
        if self.region.count > 1:
            region = self.region
            excess = corner @ region.x_rows.T + values @ region.y_rows.T - region.rhs
            scale = xp.amax(abs(excess), 1)[:, None] + 1e-300
            self.weights = _towards(xp, self.weights, excess * (2 * step / scale))

    def keep(self) -> None:
        """Forget the boxes that are closed."""
        left = self.open
        if bool(left.all()):
            return
        self.index, self.lower, self.upper = self.index[left], self.lower[left], self.upper[left]
        self.bound, self.score, self.weights = self.bound[left], self.score[left], self.weights[left]
        self.corner = self.corner[left]
        self.slopes = {index: slopes[left] for index, slopes in self.slopes.items()}
        self.analysis = self.analysis.take(left)
        self.rows = []
        self.open = left[left]


def _towards(xp: Any, weights: Any, gradient: Any) -> Any:
    moved = weights * xp.exp(gradient.clip(min=-30.0, max=30.0))
    return moved / moved.sum(1)[:, None]


def _meets(arrays: Any, ball: Ball | None, lower: Any, upper: Any) -> Any:
    """Which boxes are not certainly outside of the ball."""
    if ball is None:
        return lower[:, 0] == lower[:, 0]
    centre, xp = arrays.array(ball.centre), arrays.xp
    nearest = xp.maximum(lower, xp.minimum(upper, centre))
    inverse = arrays.array(np.divide(1.0, ball.scale, out=np.zeros_like(ball.scale), where=ball.scale > 0))
    steps = abs(nearest - centre) * inverse
    distance = steps.sum(1) if ball.norm == "l1" else xp.sqrt((steps * steps).sum(1))
    return distance <= ball.radius * (1 + 1e-9) + 1e-12
