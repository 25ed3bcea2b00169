"""Which numbers belong to an input set that is not a box.

A number belongs to the set when some real of the set becomes that number. The reals that become a number are
a cell: an interval for each input, open at some ends. For a ball, the nearest point of the cell decides, and
exactly so. For linear constraints, a cell that one row excludes is out; a cell in which a point was found is
in; what is neither is open, and nobody may call it a violation or leave it out of a proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from vouch.nn.fixed.format import Format, Ints, Rounding
from vouch.nn.property import Ball, Rows


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """The set: bounds of each input (with `low`, `high`, `low_open`, `high_open`), rows, and a ball."""

    bounds: tuple[Any, ...]
    rows: Rows | None
    ball: Ball | None
    form: Format

    @classmethod
    def of(cls, bounds: Sequence[Any], rows: Rows | None, ball: Ball | None, form: Format) -> Members:
        return cls(tuple(bounds), rows, ball, form)

    def possible(self, numbers: Ints) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """False only for points that are certainly outside; float64 with slack, for whole batches."""
        unit = self.form.unit
        x = self.form.reals(numbers)
        floor = self.form.rounding is Rounding.FLOOR
        low = x - (0.0 if floor else unit / 2)
        low, high = low, low + unit
        kept = np.ones(len(x), dtype=bool)
        if self.ball is not None:
            ball = self.ball
            nearest = np.clip(ball.centre, low, high)
            with np.errstate(divide="ignore", invalid="ignore"):
                steps = np.where(ball.scale > 0, np.abs(nearest - ball.centre) / ball.scale, 0.0)
            far = steps.sum(1) if ball.norm == "l1" else np.sqrt((steps**2).sum(1))
            kept &= far <= ball.radius * (1 + 1e-9) + 1e-12
        if self.rows is not None:
            a, r = self.rows.x_rows, self.rows.rhs
            least = np.minimum(low[:, None, :] * a, high[:, None, :] * a)
            size = np.maximum(np.abs(low[:, None, :] * a), np.abs(high[:, None, :] * a)).sum(2) + np.abs(r)
            kept &= (least.sum(2) <= r + 1e-9 * size).all(1)
        return kept

    def contains(self, number: Ints) -> bool | None:
        """Exactly, for one point; None where it is not known."""
        cells = [self._cell(int(n), bound) for n, bound in zip(number, self.bounds, strict=True)]
        if any(cell is None for cell in cells):
            return False
        cut = [cell for cell in cells if cell is not None]
        if self.ball is not None and self.rows is None:
            return _meets_ball(cut, self.ball)
        return self._search(cut)

    def _cell(self, n: int, bound: Any) -> tuple[Fraction, bool, Fraction, bool] | None:
        """(low, open, high, open) of the reals of the bound that become n; None: there are none."""
        unit = Fraction(1, 1 << self.form.fraction)
        if self.form.rounding is Rounding.FLOOR:
            low, low_open, high, high_open = n * unit, False, (n + 1) * unit, True
        else:
            low, low_open = (n - Fraction(1, 2)) * unit, n <= 0
            high, high_open = (n + Fraction(1, 2)) * unit, n >= 0
        if bound.low > low or (bound.low == low and bound.low_open):
            low, low_open = bound.low, bound.low_open
        if bound.high < high or (bound.high == high and bound.high_open):
            high, high_open = bound.high, bound.high_open
        if low > high or (low == high and (low_open or high_open)):
            return None
        return low, low_open, high, high_open

    def _search(self, cells: Sequence[tuple[Fraction, bool, Fraction, bool]]) -> bool | None:
        """A real point of the cells that satisfies every row and the ball, tried at a few places."""
        rows = self.rows
        assert rows is not None
        for a, r, strict in zip(rows.x_rows, rows.rhs, rows.strict, strict=True):
            used = [int(i) for i in np.flatnonzero(a)]
            ends = (cells[i][0] if a[i] > 0 else cells[i][2] for i in used)
            least = sum((Fraction(float(a[i])) * end for i, end in zip(used, ends, strict=True)), Fraction(0))
            right = Fraction(float(r))
            reached = all(not cells[i][1 if a[i] > 0 else 3] for i in used)
            if least > right or (least == right and (strict or not reached)):
                return False
        for point in _tries(cells, rows):
            inside = all(
                (low < v or (low == v and not low_open)) and (v < high or (v == high and not high_open))
                for v, (low, low_open, high, high_open) in zip(point, cells, strict=True)
            )
            if inside and self._holds(point):
                return True
        return None

    def _holds(self, point: Sequence[Fraction]) -> bool:
        rows = self.rows
        assert rows is not None
        for a, r, strict in zip(rows.x_rows, rows.rhs, rows.strict, strict=True):
            value = sum((Fraction(float(a[i])) * point[int(i)] for i in np.flatnonzero(a)), Fraction(0))
            if value > Fraction(float(r)) or (strict and value == Fraction(float(r))):
                return False
        return self.ball is None or _distance_within([(v, v) for v in point], self.ball) is True


def _tries(cells: Sequence[tuple[Fraction, bool, Fraction, bool]], rows: Rows) -> list[list[Fraction]]:
    """The middle, the lower corner, and a point that a linear program takes for a member."""
    middle = [(low + high) / 2 for low, _, high, _ in cells]
    corner = [high if low_open else low for low, low_open, high, _ in cells]
    found = [middle, corner]
    from scipy.optimize import linprog

    answer = linprog(
        np.append(np.zeros(len(cells)), -1.0),
        A_ub=np.hstack([rows.x_rows, np.ones((rows.count, 1))]),
        b_ub=rows.rhs,
        bounds=[*((float(low), float(high)) for low, _, high, _ in cells), (0, 1)],
        method="highs",
    )
    if answer.x is not None:
        found.append([Fraction(float(v)) for v in answer.x[:-1]])
    return found


def _meets_ball(cells: Sequence[tuple[Fraction, bool, Fraction, bool]], ball: Ball) -> bool:
    """Whether some point of the cells is within the ball; an open end is only approached."""
    near, reached = [], True
    for (low, low_open, high, high_open), c in zip(cells, ball.centre, strict=True):
        centre = Fraction(float(c))
        if centre < low:
            near.append((low, centre))
            reached &= not low_open
        elif centre > high or (centre == high and high_open and low != high):
            near.append((high, centre))
            reached &= not high_open or centre == high
        else:
            near.append((centre, centre))
    within = _distance(near, ball)
    limit = Fraction(float(ball.radius)) if ball.norm == "l1" else Fraction(float(ball.radius)) ** 2
    if within is None:
        return False
    # At distance 0 an open end is approached as closely as one likes, so any positive radius reaches it.
    return within < limit or (within == limit and reached and not _touches(cells, ball))


def _touches(cells: Sequence[tuple[Fraction, bool, Fraction, bool]], ball: Ball) -> bool:
    """Whether the centre lies on an open end of a cell."""
    return any(
        (Fraction(float(c)) == low and low_open) or (Fraction(float(c)) == high and high_open)
        for (low, low_open, high, high_open), c in zip(cells, ball.centre, strict=True)
    )


def _distance(pairs: Sequence[tuple[Fraction, Fraction]], ball: Ball) -> Fraction | None:
    """The distance, squared for the Euclidean norm; None where an input that must not move does."""
    total = Fraction(0)
    for (value, centre), scale in zip(pairs, ball.scale, strict=True):
        if scale == 0:
            if value != centre:
                return None
            continue
        part = abs(value - centre) / Fraction(float(scale))
        total += part if ball.norm == "l1" else part * part
    return total


def _distance_within(pairs: Sequence[tuple[Fraction, Fraction]], ball: Ball) -> bool:
    moved = [(value, Fraction(float(c))) for (value, _), c in zip(pairs, ball.centre, strict=True)]
    found = _distance(moved, ball)
    limit = Fraction(float(ball.radius)) if ball.norm == "l1" else Fraction(float(ball.radius)) ** 2
    return found is not None and found <= limit
