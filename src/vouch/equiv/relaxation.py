"""One cell as a certified linear program: both networks' forms, with the triangle relaxation of every ReLU.

Columns are the input displacements and the noise symbols of the reference and of the test network. In a
Manhattan ball, the first columns are the displacements upwards and the last ones those downwards: what
counts is their difference, and the sum of all is bounded. Rows are

- the two lower sides of the triangle of every unstable ReLU (the upper side is its symbol's bound),
- the half-space of every neuron whose phase was fixed by a split,
- the ball, and the linear constraints of the region.

Every row is relaxed by the error of the form it comes from, so that no real point is lost to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vouch.equiv.forms import UNIT64, Array, Cells, Form, Known, Phases, Trace, propagate
from vouch.equiv.pair import Pair
from vouch.equiv.region import Region
from vouch.nn.lp import LinearProgram


@dataclass(frozen=True, slots=True)
class Symbol:
    """The noise symbol of a relaxed ReLU: which network (0 reference, 1 test), layer, neuron and column, and
    the relaxation relu(z) = slope·z + offset ± offset."""

    network: int
    layer: int
    neuron: int
    column: int
    slope: float
    offset: float


@dataclass(frozen=True, slots=True, eq=False)
class Expression:
    """A linear expression over the program's columns: constant + row·columns ± error."""

    row: Array
    constant: float
    error: float

    def minus(self, other: Expression) -> Expression:
        rounding = 4 * UNIT64 * (abs(self.constant) + abs(other.constant))
        return Expression(
            self.row - other.row, self.constant - other.constant, self.error + other.error + rounding
        )

    def scaled(self, factor: float) -> Expression:
        rounding = 4 * UNIT64 * abs(self.constant * factor)
        return Expression(self.row * factor, self.constant * factor, self.error * abs(factor) + rounding)


def upper(value: float) -> float:
    """An upper bound as computed; what overflow made NaN bounds nothing."""
    return float("inf") if np.isnan(value) else float(value)


class CellProgram:
    """The linear program of one cell, with the outputs of both networks as linear expressions."""

    def __init__(
        self,
        pair: Pair,
        region: Region,
        lower: Array,
        upper: Array,
        known: tuple[Known, Known],
        unit: float = 0.0,
    ) -> None:
        self.cells = Cells.of(lower[None, :], upper[None, :], region)
        traces = [
            propagate(net, self.cells, unit=unit, known=own, keep_before=True)
            for net, own in zip((pair.reference, pair.test), known, strict=True)
        ]
        self.inputs = region.size
        self.starts = [self.inputs, self.inputs + traces[0].form.noise.shape[1]]
        noise_end = self.starts[1] + traces[1].form.noise.shape[1]
        ball = self.inputs if self.cells.budget is not None else 0
        self.columns = noise_end + ball
        low, high = -np.ones(self.columns), np.ones(self.columns)
        least, most = self.cells.low[0], self.cells.high[0]
        low[: self.inputs], high[: self.inputs] = least, most
        self.downwards = noise_end
        if ball:
            low[: self.inputs], high[: self.inputs] = np.maximum(least, 0.0), np.maximum(most, 0.0)
            low[noise_end:], high[noise_end:] = np.maximum(-most, 0.0), np.maximum(-least, 0.0)
        self.program = LinearProgram(low, high)
        self._reach = np.maximum(np.abs(low), np.abs(high))
        self.symbols: list[Symbol] = []
        self.before: dict[tuple[int, int, int], Expression] = {}
        self._add_ball()
        self._add_region(region)
        for which, trace in enumerate(traces):
            self._add_network(which, trace, known[which].phases)
        self.reference = self._expressions(traces[0].form, 0)
        self.test = self._expressions(traces[1].form, 1)

    def _expressions(self, form: Form, which: int) -> list[Expression]:
        return [self._expression(form, which, k) for k in range(form.centre.shape[1])]

    def _expression(self, form: Form, which: int, neuron: int) -> Expression:
        row = np.zeros(self.columns)
        row[: self.inputs] = form.inputs[0, :, neuron]
        start = self.starts[which]
        noise = form.noise[0, :, neuron]
        row[start : start + len(noise)] = noise
        constant = float(form.centre[0, neuron])
        return Expression(self._mirrored(row), constant, float(form.error[0, neuron]))

    def _slack(self, expression: Expression) -> float:
        """Room that rounding the row's coefficients may need."""
        return 16 * UNIT64 * (float(np.abs(expression.row) @ self._reach) + abs(expression.constant))

    def at_most_zero(self, *expressions: Expression) -> None:
        """Constrain every expression to be ≤ 0 (as far as its error allows)."""
        if not expressions:
            return
        rows = np.stack([e.row for e in expressions])
        rhs = np.array([e.error + self._slack(e) - e.constant for e in expressions])
        self.program.add(rows, np.nextafter(rhs, np.inf))

    def _mirrored(self, rows: Array) -> Array:
        """Rows over displacements and noise, with what they are for displacements downwards."""
        if self.cells.budget is not None:
            rows[..., self.downwards :] = -rows[..., : self.inputs]
        return rows

    def _add_ball(self) -> None:
        if self.cells.budget is not None:
            row = np.zeros(self.columns)
            row[: self.inputs] = row[self.downwards :] = 1.0
            self.program.add(row, np.array([self.cells.budget]))

    def _add_region(self, region: Region) -> None:
        if region.rows is None or region.rhs is None:
            return
        rows = np.zeros((len(region.rhs), self.columns))
        rows[:, : self.inputs] = region.rows
        moved = region.rows @ self.cells.anchor[0]
        size = np.abs(region.rows) @ np.abs(self.cells.anchor[0]) + np.abs(region.rhs)
        slack = 4 * (self.inputs + 4) * UNIT64 * size
        self.program.add(self._mirrored(rows), region.rhs - moved + slack)

    def _add_network(self, which: int, trace: Trace, phases: Phases | None) -> None:
        rows: list[Expression] = []
        column = self.starts[which]
        for layer, (form, relaxed) in enumerate(zip(trace.before, trace.relaxed, strict=True)):
            fixed = phases[layer][0] if phases is not None else np.zeros(0)
            for neuron in np.flatnonzero(fixed):
                before = self._expression(form, which, int(neuron))
                rows.append(before.scaled(-1.0 if fixed[neuron] > 0 else 1.0))
            for neuron in relaxed.columns:
                before = self._expression(form, which, int(neuron))
                slope, offset = float(relaxed.slope[0, neuron]), float(relaxed.offset[0, neuron])
                symbol = Symbol(which, layer, int(neuron), column, slope, offset)
                after = self._after(before, symbol)
                rows += [after.scaled(-1.0), before.minus(after)]
                self.before[which, layer, int(neuron)] = before
                self.symbols.append(symbol)
                column += 1
        self.at_most_zero(*rows)

    def mark(self) -> int:
        return self.program.mark()

    def cut(self, mark: int) -> None:
        self.program.cut(mark)

    def input_of(self, point: Array) -> Array:
        """The network input of a point of the program."""
        moved = point[: self.inputs]
        if self.cells.budget is not None:
            moved = moved - point[self.downwards :]
        return np.asarray(self.cells.anchor[0] + moved)

    def gaps(self, point: Array, objective: Expression) -> list[tuple[float, Symbol]]:
        """How far each ReLU's relaxed output is from the true one at a point, weighted by how strongly the
        objective leans on it. Where all are exact, a little is left for those that could be otherwise."""
        found = []
        for symbol in self.symbols:
            before = self.before[symbol.network, symbol.layer, symbol.neuron]
            z = float(before.row @ point) + before.constant
            relaxed = symbol.slope * z + symbol.offset * (1.0 + float(point[symbol.column]))
            gap = abs(relaxed - max(z, 0.0)) / symbol.offset if symbol.offset else 0.0
            found.append((abs(float(objective.row[symbol.column])) * (gap + 1e-3), symbol))
        return found

    def fixing(self, symbol: Symbol, phase: int) -> list[Expression]:
        """What to add (as at most 0) so that this ReLU is in that phase, exactly."""
        before = self.before[symbol.network, symbol.layer, symbol.neuron]
        after = self._after(before, symbol)
        return [before.scaled(-1.0), after.minus(before)] if phase > 0 else [before, after]

    def _after(self, before: Expression, symbol: Symbol) -> Expression:
        after = before.scaled(symbol.slope)
        after.row[symbol.column] += symbol.offset
        return Expression(after.row, after.constant + symbol.offset, after.error)

    def estimate(self, objective: Expression) -> float:
        """The largest value of the objective as the solver sees it (−inf: nothing is left), for guidance."""
        answer = self.program.maximise(objective.row)
        if answer.status != "optimal":
            return -np.inf if answer.status == "infeasible" else np.inf
        return float(answer.value) + objective.constant

    def quick(self, objective: Expression) -> float:
        """A sound upper bound of the objective from the ranges of displacements and noise alone."""
        _, up = self.cells.support(objective.row[None, : self.inputs, None])
        noise = np.abs(objective.row[self.inputs : self.downwards]).sum()
        slack = (1 + self.columns / 16) * self._slack(objective)
        return upper(up[0, 0] + noise + objective.constant + objective.error + slack)

    def decide(self, objective: Expression, enough: float) -> tuple[float, Array | None]:
        """Certified upper bound of the objective over the cell (−inf if the cell is certainly empty), and
        the point where the solver saw its maximum. A bound below `enough` may come without solving."""
        quick = self.quick(objective)
        if quick < enough:
            return quick, None
        answer = self.program.maximise(objective.row)
        if answer.status == "infeasible" and self.program.certify_infeasible():
            return -np.inf, None
        slack = objective.error + self._slack(objective)
        return min(quick, upper(answer.bound + objective.constant + slack)), answer.point
