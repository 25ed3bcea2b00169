"""Finds properties that nothing can violate, whatever the network computes.

Either the input set is empty, or the constraints of every region contradict each other. Both are shown by
exact certificates; what is only nearly empty is left to the search.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from vouch.nn.lp import LinearProgram
from vouch.nn.property import Case, Property, Rows

# Outputs of a region are tried within this range; the certificate itself does not depend on it.
_RANGE = 1e6


def why_vacuous(prop: Property) -> str | None:
    """The reason, or None where the property says something."""
    if not prop.cases:
        return "the property has no case that could be violated"
    reasons = set()
    for case in prop.cases:  # the first that says something is enough
        reason = _why(case)
        if reason is None:
            return None
        reasons.add(reason)
    return min(reasons)


def _why(case: Case) -> str | None:
    if _no_inputs(case):
        return "the input set is empty"
    if not case.regions:
        return "no output is forbidden"
    if all(_contradicts(case, region) for region in case.regions):
        return "the constraints of the violation contradict each other"
    return None


def _no_inputs(case: Case) -> bool:
    if (case.lower > case.upper).any():
        return True
    if case.inputs is None:
        return False
    program = LinearProgram(case.lower, case.upper)
    program.add(case.inputs.x_rows, case.inputs.rhs)
    return program.infeasible() is True or _strictly_empty(case, case.inputs)


def _contradicts(case: Case, region: Rows) -> bool:
    """A non-negative combination of the rows without outputs, whose least value over the box is positive."""
    rows = [region] if case.inputs is None else [region, case.inputs]
    x_rows = np.vstack([part.x_rows for part in rows])
    y_rows = np.vstack([_wide(part.y_rows, region.y_rows.shape[1]) for part in rows])
    rhs = np.concatenate([part.rhs for part in rows])
    strict = np.concatenate([part.strict for part in rows])
    used = np.flatnonzero(y_rows.any(0))
    if len(rhs) == 0 or len(used) > 2000:
        return False
    box = np.concatenate([case.lower, np.full(len(used), -_RANGE)])
    top = np.concatenate([case.upper, np.full(len(used), _RANGE)])
    # The elastic program: its multipliers are the combination that is most contradictory.
    program = LinearProgram(np.append(box, -1.0), np.append(top, _RANGE))
    program.add(np.hstack([x_rows, y_rows[:, used], -np.ones((len(rhs), 1))]), rhs)
    optimum = program.minimise(np.append(np.zeros(len(box)), 1.0))
    if optimum.status != "optimal" or optimum.value < -1e-9:
        return False
    return _certified(case, x_rows, y_rows[:, used], rhs, strict, optimum.multipliers)


def _certified(case: Case, x_rows: Any, y_rows: Any, rhs: Any, strict: Any, multipliers: Any) -> bool:
    weights = [Fraction(float(m)).limit_denominator(10_000) for m in multipliers]
    chosen = [i for i, weight in enumerate(weights) if weight > 0]
    for column in y_rows.T:
        if sum((weights[i] * Fraction(float(column[i])) for i in chosen), Fraction(0)) != 0:
            return False
    least = -sum((weights[i] * Fraction(float(rhs[i])) for i in chosen), Fraction(0))
    for j, (low, high) in enumerate(zip(case.lower, case.upper, strict=True)):
        factor = sum((weights[i] * Fraction(float(x_rows[i, j])) for i in chosen), Fraction(0))
        least += factor * Fraction(float(low if factor > 0 else high))
    return least > 0 or (least == 0 and any(strict[i] for i in chosen))


def _strictly_empty(case: Case, rows: Rows) -> bool:
    """Emptiness that only strict rows bring about, such as x < 0 over the box 0..1."""
    for row, rhs in zip(rows.x_rows[rows.strict], rows.rhs[rows.strict], strict=True):
        used = np.flatnonzero(row)
        if len(used) == 1:
            factor, end = row[used[0]], (case.lower if row[used[0]] > 0 else case.upper)[used[0]]
            if Fraction(float(factor)) * Fraction(float(end)) >= Fraction(float(rhs)):
                return True
    return False


def _wide(rows: Any, columns: int) -> Any:
    return rows if rows.shape[1] == columns else np.zeros((len(rows), columns))
