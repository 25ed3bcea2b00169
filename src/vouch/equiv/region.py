"""The inputs that are compared: a box, cut down by a Manhattan ball or by linear constraints.

A region is {x : lower ≤ x ≤ upper, ‖x − centre‖₁ ≤ radius, rows·x ≤ rhs}; the ball and the rows are
optional, and a row that is `strict` means <. A Chebyshev ball is a box. Proofs cover the closed region;
`contains`, which has the last word on counterexamples, is exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vouch.errors import VouchError
from vouch.nn.lp import LinearProgram, rational
from vouch.nn.property import Ball, Case, Rows
from vouch.nn.search.cells import input_program

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    lower: Array
    upper: Array
    centre: Array | None = None
    radius: float | None = None
    rows: Array | None = None
    rhs: Array | None = None
    strict: npt.NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        if self.lower.shape != self.upper.shape or self.lower.ndim != 1:
            raise VouchError("lower and upper bounds of the region differ in length")
        if not (np.isfinite(self.lower).all() and np.isfinite(self.upper).all()):
            raise VouchError("the region is not bounded")
        if (self.lower > self.upper).any():
            index = int(np.flatnonzero(self.lower > self.upper)[0])
            raise VouchError(f"the region is empty: input {index} has no values")

    @property
    def size(self) -> int:
        return len(self.lower)

    @property
    def anchor(self) -> Array:
        """The point that affine forms are written around: the ball's centre, or the middle of the box."""
        if self.centre is not None:
            return self.centre
        return self.lower + (self.upper - self.lower) / 2

    @property
    def case(self) -> Case:
        """The region as the input set of a network property that forbids nothing."""
        rows = ball = None
        if self.rows is not None and self.rhs is not None:
            strict = False if self.strict is None else self.strict
            rows = Rows.of(self.rows, np.zeros((len(self.rhs), 0)), self.rhs, strict)
        if self.radius is not None and self.centre is not None:
            ball = Ball(self.centre, self.radius, np.ones(self.size), "l1")
        return Case(self.lower, self.upper, (), rows, ball)

    @property
    def program(self) -> LinearProgram:
        """The closed region as a linear program over its inputs (in a ball, their distances follow)."""
        case = self.case
        return input_program(case.lower, case.upper, case.ball, case.inputs)

    def contains(self, x: Array) -> bool:
        """Exact membership (the numbers are taken as they are, nothing is rounded)."""
        return self.case.contains(x)

    @property
    def is_empty(self) -> bool:
        """Whether certainly no point satisfies the linear constraints."""
        if self.rows is None or self.rhs is None:
            return False
        program = self.program
        if program.infeasible() is True:
            return True
        strict = np.zeros(len(self.rhs), dtype=bool) if self.strict is None else self.strict
        for index in np.flatnonzero(strict):
            # A strict row whose smallest value is its limit leaves nothing.
            row = np.pad(self.rows[index], (0, program.columns - self.size))
            least = program.exact_bound(row, program.minimise(row).multipliers)
            if least >= rational(float(self.rhs[index])):
                return True
        return False

    def inside(self, x: Array) -> npt.NDArray[np.bool_]:
        """Membership of rows of x up to round-off, for searching; `contains` has the last word."""
        room = 1e-7 * (self.upper - self.lower + 1e-6)
        good = ((x >= self.lower - room) & (x <= self.upper + room)).all(axis=1)
        if self.radius is not None and self.centre is not None:
            good &= np.abs(x - self.centre).sum(axis=1) <= self.radius * (1 + 1e-7)
        if self.rows is not None and self.rhs is not None:
            size = np.abs(self.rows) @ np.maximum(np.abs(self.lower), np.abs(self.upper)) + np.abs(self.rhs)
            good &= (x @ self.rows.T <= self.rhs + 1e-7 * size).all(axis=1)
        return np.asarray(good)

    def interior(self) -> Array:
        """A point well inside: the one that keeps the largest distance from every linear constraint."""
        if self.rows is None or self.rhs is None:
            return self.anchor
        program = self.program
        wide = np.linalg.norm(self.rows, axis=1)[:, None]
        reach = float((self.upper - self.lower).max()) + 1e-9
        lower, upper = np.append(program.lower, 0.0), np.append(program.upper, reach)
        deep = LinearProgram(lower, upper)
        deep.add(np.hstack([np.pad(self.rows, ((0, 0), (0, program.columns - self.size))), wide]), self.rhs)
        cost = np.zeros(len(lower))
        cost[-1] = 1.0
        point = deep.maximise(cost).point
        return self.anchor if point is None else np.asarray(point[: self.size])

    def nearby(self, x: Array) -> Iterator[Array]:
        """Points of the region next to x: first as float32 (what a runtime is given), then as they are,
        drawn a little towards the interior where x itself is on the edge or just outside."""
        goal = None
        for share in (0.0, 1e-9, 1e-7, 1e-5):
            if share and goal is None:
                goal = self.interior()
            point = self.project((x + share * (goal - x) if goal is not None else x)[None, :])[0]
            near = self.cast(point)
            if near is not None:
                yield near
            if self.contains(point):
                yield point
                return

    def project(self, x: Array) -> Array:
        """Rows of x moved into the box and, if there is one, the ball (towards its centre)."""
        x = np.clip(x, self.lower, self.upper)
        if self.radius is not None and self.centre is not None:
            move = x - self.centre
            far = np.abs(move).sum(axis=1, keepdims=True)
            x = self.centre + move * np.minimum(1.0, self.radius * (1 - 1e-12) / np.maximum(far, 1e-300))
            x = np.clip(x, self.lower, self.upper)
        return x

    def cast(self, x: Array) -> Array | None:
        """The float32 point nearest to x that lies exactly in the region, as float64; None if rounding
        towards the anchor does not find one."""
        near = x.astype(np.float32)
        for towards in (None, self.anchor, self.lower, self.upper):
            if towards is not None:
                wrong = self._wrong(near.astype(np.float64))
                near = np.where(wrong, np.nextafter(near, towards.astype(np.float32)), near)
            point = near.astype(np.float64)
            if self.contains(point):
                return np.asarray(point)
        return None

    def _wrong(self, x: Array) -> npt.NDArray[np.bool_]:
        outside = (x < self.lower) | (x > self.upper)
        return outside if outside.any() else np.ones(len(x), dtype=bool)

    def sample(self, rng: np.random.Generator, count: int) -> Array:
        """Random points: uniform in the box, spread over few coordinates in a ball; half of them extreme."""
        low, high = self.lower, self.upper
        x = rng.uniform(low, high, size=(count, self.size))
        corners = rng.random((count // 2, self.size)) < 0.5
        x[: count // 2] = np.where(corners, low, high)
        if self.radius is not None and self.centre is not None:
            share = rng.dirichlet(np.full(self.size, 0.1), size=count) * self.radius
            signs = np.where(rng.random((count, self.size)) < 0.5, -1.0, 1.0)
            x = np.clip(self.centre + signs * share, low, high)
        return self.project(x)


def box(lower: Array, upper: Array) -> Region:
    return Region(np.array(lower, dtype=np.float64), np.array(upper, dtype=np.float64))


def ball(
    centre: Array, radius: float, norm: str = "linf", domain: tuple[Array, Array] | None = None
) -> Region:
    """All inputs within `radius` of `centre`, inside `domain` if one is given."""
    centre = np.array(centre, dtype=np.float64)
    if not radius >= 0 or not np.isfinite(radius):
        raise VouchError(f"radius {radius} is not a length")
    lower = np.nextafter(centre - radius, -np.inf)
    upper = np.nextafter(centre + radius, np.inf)
    if norm == "linf":
        # The box of exactly these numbers: widening it would change the question.
        lower, upper = centre - radius, centre + radius
    elif norm != "l1":
        raise VouchError(f"norm {norm!r} is not one of linf, l1")
    if domain is not None:
        if (centre < domain[0]).any() or (centre > domain[1]).any():
            raise VouchError("the centre lies outside the domain")
        lower, upper = np.maximum(lower, domain[0]), np.minimum(upper, domain[1])
    if norm == "linf":
        return Region(lower, upper)
    return Region(lower, upper, centre, float(radius))


def polytope(lower: Array, upper: Array, rows: Array, rhs: Array) -> Region:
    """{x in the box : rows·x ≤ rhs}."""
    return Region(
        np.array(lower, dtype=np.float64),
        np.array(upper, dtype=np.float64),
        rows=np.atleast_2d(np.array(rows, dtype=np.float64)),
        rhs=np.atleast_1d(np.array(rhs, dtype=np.float64)),
    )
