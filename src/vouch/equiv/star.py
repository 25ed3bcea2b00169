"""A star set with noise symbols as a cell that answers questions.

The linear program holds only the input displacements; noise symbols are replaced by their extreme values
when an expression is bounded or constrained (Kleine Büning 2022, 12.3.3), which keeps the program small.
"""

from __future__ import annotations

import numpy as np

from vouch.equiv.forms import UNIT64, Array, Cells, Form
from vouch.equiv.relaxation import Expression, upper
from vouch.nn.lp import LinearProgram


class StarProgram:
    """Outputs of both networks over a polytope of displacements. Expressions have one coefficient per
    column of the program, then one per noise symbol of the reference, then of the test network."""

    def __init__(self, program: LinearProgram, cells: Cells, reference: Form, test: Form) -> None:
        self.program, self.cells = program, cells
        self.inputs = cells.anchor.shape[1]
        self.columns = program.columns
        self.solved = 0
        first = reference.noise.shape[1]
        self.width = self.columns + first + test.noise.shape[1]
        self.reference = self._expressions(reference, self.columns)
        self.test = self._expressions(test, self.columns + first)

    def _expressions(self, form: Form, start: int) -> list[Expression]:
        found = []
        for k in range(form.centre.shape[1]):
            row = np.zeros(self.width)
            row[: self.inputs] = form.inputs[0, :, k]
            row[start : start + form.noise.shape[1]] = form.noise[0, :, k]
            found.append(Expression(row, float(form.centre[0, k]), float(form.error[0, k])))
        return found

    def _spread(self, expression: Expression) -> float:
        """What noise, errors and the rounding of coefficients may add."""
        noise = float(np.abs(expression.row[self.columns :]).sum())
        size = float(np.abs(expression.row[: self.inputs]) @ self.cells.reach()[0]) + abs(expression.constant)
        return (noise + expression.error) * (1 + 2.0**-40) + 32 * UNIT64 * (size + noise)

    def quick(self, objective: Expression) -> float:
        _, up = self.cells.support(objective.row[None, : self.inputs, None])
        slack = (self.inputs + 8) * UNIT64 * abs(float(up[0, 0]))
        return upper(up[0, 0] + objective.constant + self._spread(objective) + slack)

    def decide(self, objective: Expression, enough: float) -> tuple[float, Array | None]:
        quick = self.quick(objective)
        if quick < enough:
            return quick, None
        answer = self.program.maximise(objective.row[: self.columns])
        self.solved += 1
        if answer.status == "infeasible" and self.program.certify_infeasible():
            return -np.inf, None
        bound = answer.bound + objective.constant + self._spread(objective)
        return min(quick, upper(bound)), answer.point

    def at_most_zero(self, *expressions: Expression) -> None:
        if expressions:
            rows = np.stack([e.row[: self.columns] for e in expressions])
            limits = np.array([self._spread(e) - e.constant for e in expressions])
            self.program.add(rows, np.nextafter(limits, np.inf))

    def mark(self) -> int:
        return self.program.mark()

    def cut(self, mark: int) -> None:
        self.program.cut(mark)
