"""Cells: the parts of the input box in which assumed ReLU signs hold, as linear programs over the inputs.

Where every ReLU before a neuron has a fixed sign, the neuron is linear in the inputs up to noise, so its
sign is a half-space. Everything here is an over-approximation by the noise alone; a cell is only called
empty with an exact certificate.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vouch.nn.bounds.backward import substitute
from vouch.nn.bounds.ball import SLACK
from vouch.nn.bounds.forward import Analysis, ForwardState, analyse
from vouch.nn.bounds.model import BoundModel
from vouch.nn.bounds.region import Unsafe
from vouch.nn.lp import LinearProgram, Optimum
from vouch.nn.property import Array, Ball, Rows


class Cell:
    """A cell of an analysis whose half-spaces are the rows of `program`, over the inputs and, in a Manhattan
    ball, their distances from its centre. numpy models only."""

    def __init__(self, model: BoundModel, analysis: Analysis, program: LinearProgram) -> None:
        self.model, self.analysis, self.program = model, analysis, program

    @classmethod
    def of(
        cls,
        model: BoundModel,
        lower: Array,
        upper: Array,
        state: ForwardState,
        signs: Array,
        ball: Ball | None = None,
        cuts: Array | None = None,
    ) -> Cell:
        """The cell of a state in which the neurons with a sign in `signs` are split, and those in `cuts`
        confined to the intervals of the state; cut by a `ball`."""
        analysis = analyse(model, lower[None, :], upper[None, :], state, "interval")
        cell = cls(model, analysis, input_program(lower, upper, ball))
        # -s h >= a x + c and s h >= 0 give a x <= -c.
        cell._add([cell.form(int(neuron), -float(signs[neuron])) for neuron in np.flatnonzero(signs)])
        for neuron in np.flatnonzero(np.zeros(0) if cuts is None else cuts):
            for factor, end in ((-1.0, state.low[0, neuron]), (1.0, -state.high[0, neuron])):
                a, c = cell.form(int(neuron), factor)
                cell._add([(a, c + end - SLACK * (abs(c) + abs(end)))])
        return cell

    def _add(self, rows: list[tuple[Array, float]]) -> None:
        """a x + c <= 0 for each of the rows."""
        if rows:
            self.program.add(np.array([self._wide(a) for a, _ in rows]), np.array([-c for _, c in rows]))

    def _wide(self, row: Array) -> Array:
        """A row over the inputs as one over all columns."""
        return np.pad(row, (0, self.program.columns - len(row)))

    @property
    def relaxed(self) -> bool:
        """Whether some ReLU was unstable when the cell was made."""
        return any(bool(relaxation.unstable.any()) for relaxation in self.analysis.relaxed.values())

    def form(self, neuron: int, factor: float) -> tuple[Array, float]:
        """(a, c) with factor * h(x) >= a x + c in the whole cell."""
        index, place = self._where(neuron)
        row = np.zeros((1, self.model.node(index).size))
        row[0, place] = factor
        return self._substituted({self.model.node(index).input: row})

    def excess(self, region: Unsafe, number: int) -> tuple[Array, float]:
        """(a, c): the excess of one row of the region is at least a x + c in the whole cell."""
        a, c = self._substituted({self.model.output: region.y_rows[number : number + 1].copy()})
        rhs, x_row = float(region.rhs[number]), region.x_rows[number]
        reach = np.maximum(np.abs(self.analysis.lower[0]), np.abs(self.analysis.upper[0]))
        size = abs(rhs) + abs(c) + float((np.abs(a) + np.abs(x_row)) @ reach)
        return a + x_row, c - rhs - SLACK * size

    def _where(self, neuron: int) -> tuple[int, int]:
        for index, part in self.model.slots.items():
            if part.start <= neuron < part.stop:
                return index, neuron - part.start
        raise IndexError(neuron)

    def _substituted(self, rows: dict[int, Any]) -> tuple[Array, float]:
        known = self.analysis
        a, c = substitute(self.model, rows, None, known.noise, known.relaxed)
        return a[0], float(c[0])

    def least(self, neuron: int, factor: float) -> Optimum:
        """The least factor * h over the cell; `bound` is certified and includes the constant."""
        a, c = self.form(neuron, factor)
        found = self.program.minimise(self._wide(a))
        shift = c - SLACK * (abs(c) + abs(found.bound))
        return Optimum(found.status, found.value + c, found.bound + shift, found.point, found.multipliers)

    def empty(self, optimum: Optimum) -> bool:
        return optimum.status == "infeasible" and self.program.certify_infeasible()

    def meets(self, region: Unsafe) -> Array | bool | None:
        """False: certainly no point of the cell is in the region. A point that may be, or None: not known.

        Only exact where no ReLU of the cell is unstable.
        """
        mark = self.program.mark()
        rows = [self.excess(region, number) for number in range(region.count)]
        self._add(rows)
        try:
            found = self.program.minimise(self._wide(rows[0][0] if rows else np.zeros(self.model.inputs)))
            if found.status == "infeasible" and self.program.certify_infeasible():
                return False
            if rows and found.bound + rows[0][1] > SLACK * abs(rows[0][1]):
                return False
            return None if found.point is None else found.point[: self.model.inputs]
        finally:
            self.program.cut(mark)


def input_program(lower: Array, upper: Array, ball: Ball | None, rows: Rows | None = None) -> LinearProgram:
    """{x in the box : x in the Manhattan ball, and the rows hold}; with a ball, the distances from its centre
    are further columns."""
    size = len(lower)
    if ball is None:
        program = LinearProgram(lower, upper)
    else:
        most = np.where(ball.scale > 0, ball.radius, 0.0)
        program = LinearProgram(np.append(lower, np.zeros(size)), np.append(upper, most))
        eye, stretch = np.eye(size), np.diag(-ball.scale)
        free = ball.scale > 0
        program.add(np.hstack([eye, stretch])[free], ball.centre[free])
        program.add(np.hstack([-eye, stretch])[free], -ball.centre[free])
        program.add(np.append(np.zeros(size), free * 1.0), np.array([ball.radius]))
    if rows is not None and rows.count:
        program.add(np.pad(rows.x_rows, ((0, 0), (0, program.columns - size))), rows.rhs)
    return program
