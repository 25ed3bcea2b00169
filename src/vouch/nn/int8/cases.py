"""A property of an int8 network as questions about its integers.

The inputs that a box stands for are all numbers that conversion makes of its reals. Outputs are compared
exactly as what they mean; the bounds get the same rows over the numbers themselves, widened by what float32
loses between a number and its meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from vouch.errors import Unsupported
from vouch.nn.arrays import Array
from vouch.nn.fixed.cases import Axis, IntCase
from vouch.nn.fixed.format import Ints
from vouch.nn.int8.network import Outputs, Quantised
from vouch.nn.property import Case, Property, Rows

_WIDEN = 1 + 2.0**-40


@dataclass(frozen=True, slots=True, eq=False)
class MeantCase(IntCase):
    """`rows` are the regions over the reals; `made` says what output numbers mean. `given` is the case over
    the reals, `origin` the one over numbers."""

    rows: tuple[Rows, ...] = ()
    made: Outputs | None = None
    given: Case | None = None

    def excess(self, n: Ints, m: Ints) -> Any:
        assert self.made is not None
        y, x = self.made.reals(m), np.zeros((len(n), len(self.axes)))
        found = [rows.excess(x, y).max(axis=1) for rows in self.rows if rows.count]
        return np.min(found, axis=0) if found else np.zeros(len(n))

    def reachable(self, n_low: Ints, n_high: Ints, m_low: Ints, m_high: Ints) -> Any:
        return np.ones(len(n_low), dtype=bool)

    def violated(self, n: Ints, m: Ints) -> np.ndarray[Any, np.dtype[np.bool_]]:
        assert self.made is not None
        y = self.made.reals(m)
        bad = np.zeros(len(n), dtype=bool)
        for rows in self.rows:
            good = np.ones(len(n), dtype=bool)
            for c, r, strict in zip(rows.y_rows, rows.rhs, rows.strict, strict=True):
                good &= _holds(c, float(r), bool(strict), y)
            bad |= good
        return bad


def _holds(c: Array, r: float, strict: bool, y: Array) -> Any:
    """Which y [batch, outputs] satisfy c y <= r (or < r), exactly."""
    used = np.flatnonzero(c)
    if r == 0 and len(used) == 2 and sorted(c[used]) == [-1.0, 1.0]:
        up, down = y[:, used[c[used] > 0][0]], y[:, used[c[used] < 0][0]]
        return up < down if strict else up <= down
    total = y[:, used] @ c[used] - r
    slack = 2.0**-44 * (np.abs(y[:, used]) @ np.abs(c[used]) + abs(r))
    holds = total < -slack
    for row in np.flatnonzero(np.abs(total) <= slack):
        terms = (Fraction(float(c[i])) * Fraction(float(y[row, i])) for i in used)
        exact = sum(terms, Fraction(0)) - Fraction(r)
        holds[row] = exact < 0 or (exact == 0 and not strict)
    return holds


def int8_cases(prop: Property, network: Quantised) -> list[IntCase]:
    found: list[IntCase] = []
    for case in prop.cases:
        if case.ball is not None or case.inputs is not None:
            raise Unsupported("an int8 network and an input set that is not a box")
        if any(rows.x_rows.any() for rows in case.regions):
            raise Unsupported("an int8 network and a property that compares outputs with inputs")
        if (case.lower > case.upper).any():
            continue
        first, last = network.given.box(case.lower, case.upper)
        if (first > last).any():
            continue
        if network.made.softmax is None:
            regions = tuple(_over_numbers(rows, network.made) for rows in case.regions)
        else:
            regions = _over_arguments(case.regions, network.made)
        ends = first.astype(np.float64), last.astype(np.float64)
        axes = tuple(Axis(int(a), int(b)) for a, b in zip(first, last, strict=True))
        found.append(MeantCase(axes, (), Case(*ends, regions), None, case.regions, network.made, case))
    return found


def _over_arguments(regions: tuple[Rows, ...], made: Outputs) -> tuple[Rows, ...]:
    """For the question whether one output is strictly the largest behind a softmax: the arguments may be a
    margin apart and still have the same result. Where another argument is larger than that of the class, so
    is its result or it is the same, and the region of that other class has the point."""
    assert made.softmax is not None
    count = len(made.low)
    margin, classes, others = made.softmax.margin(count), set(), set()
    for rows in regions:
        used = [int(i) for i in np.flatnonzero(rows.y_rows[0])] if rows.count == 1 else []
        if len(used) != 2 or rows.rhs[0] != 0 or sorted(rows.y_rows[0][used]) != [-1.0, 1.0]:
            raise Unsupported(
                "a softmax at the end, and a property other than that one output is the largest"
            )
        classes.add(int(np.argmax(rows.y_rows[0])))
        others.add(int(np.argmin(rows.y_rows[0])))
    if len(classes) != 1 or others | classes != set(range(count)):
        raise Unsupported("a softmax at the end, and a property other than that one output is the largest")
    apart = np.array([float(margin)])
    return tuple(Rows(r.x_rows, r.y_rows, apart, np.zeros(1, dtype=bool)) for r in regions)


def _over_numbers(rows: Rows, made: Outputs) -> Rows:
    """Rows over numbers that hold wherever the rows over their meanings do."""
    slope, shift, error = made.lines()
    c = rows.y_rows
    scaled = c * slope
    size = np.maximum(np.abs(made.low), np.abs(made.high)).astype(np.float64)
    more = np.abs(c) @ error + 2.0**-48 * (np.abs(scaled) @ size + np.abs(c) @ np.abs(shift))
    rhs = rows.rhs - c @ shift + more * _WIDEN + 2.0**-48 * np.abs(rows.rhs)
    return Rows(rows.x_rows, scaled, rhs, np.zeros(len(rhs), dtype=bool))
