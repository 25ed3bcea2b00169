"""What is asked about a network: an input set and the outputs that must not occur.

A property is violated when some case has a point x of its input set with the network's output y in one of
the case's regions. Everything is linear, except that an input set may also be cut by a norm ball. Inputs
and outputs are flat, in row-major order; with several networks they stand one after the other. Constants
are float64: a reader computes with exact fractions and rounds every coefficient and bound of the constraint
that is left to nearest, once; that is the property that is decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from vouch.errors import VouchError

Array = npt.NDArray[np.float64]
Norm = Literal["linf", "l1", "l2"]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Constraints x_rows x + y_rows y <= rhs, row by row; `strict` rows mean <. Input sets have no y."""

    x_rows: Array
    y_rows: Array
    rhs: Array
    strict: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, x_rows: Any, y_rows: Any, rhs: Any, strict: Any = False) -> Rows:
        right = np.atleast_1d(np.asarray(rhs, dtype=np.float64))
        return cls(
            np.asarray(x_rows, dtype=np.float64).reshape(len(right), -1),
            np.asarray(y_rows, dtype=np.float64).reshape(len(right), -1),
            right,
            np.broadcast_to(np.asarray(strict, dtype=bool), right.shape).copy(),
        )

    @classmethod
    def none(cls, inputs: int, outputs: int) -> Rows:
        return cls(np.zeros((0, inputs)), np.zeros((0, outputs)), np.zeros(0), np.zeros(0, dtype=bool))

    @property
    def count(self) -> int:
        return len(self.rhs)

    @property
    def finite(self) -> bool:
        return all(np.isfinite(part).all() for part in (self.x_rows, self.y_rows, self.rhs))

    def excess(self, x: Array, y: Array) -> Array:
        """x_rows x + y_rows y - rhs for points [batch, ...]: [batch, rows], in float64."""
        return np.asarray(x @ self.x_rows.T + y @ self.y_rows.T - self.rhs)

    def holds(self, x: Array, y: Array) -> bool:
        """Whether one point satisfies every row, in exact arithmetic."""
        for a, c, right, strict in zip(self.x_rows, self.y_rows, self.rhs, self.strict, strict=True):
            value = _dot(a, x) + _dot(c, y) - Fraction(float(right))
            if value > 0 or (strict and value == 0):
                return False
        return True


def _dot(row: Array, point: Array) -> Fraction:
    terms = (Fraction(float(row[j])) * Fraction(float(point[j])) for j in np.flatnonzero(row))
    return sum(terms, Fraction(0))


@dataclass(frozen=True, slots=True, eq=False)
class Ball:
    """{x : norm((x - centre) / scale) <= radius}, an L1 or L2 ball with a scale for each input."""

    centre: Array
    radius: float
    scale: Array
    norm: Norm

    def holds(self, x: Array) -> bool:
        """Exact membership."""
        steps = [
            (Fraction(float(a)) - Fraction(float(c))) / Fraction(float(s))
            for a, c, s in zip(x, self.centre, self.scale, strict=True)
            if s > 0
        ]
        radius = Fraction(float(self.radius))
        if self.norm == "l1":
            return sum((abs(t) for t in steps), Fraction(0)) <= radius
        return sum((t * t for t in steps), Fraction(0)) <= radius * radius


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One input set, lower <= x <= upper and `inputs` rows and `ball`, with the regions to be avoided."""

    lower: Array
    upper: Array
    regions: tuple[Rows, ...]
    inputs: Rows | None = None
    ball: Ball | None = None

    def contains(self, x: Array) -> bool:
        """Exact membership in the input set."""
        if not (np.all(x >= self.lower) and np.all(x <= self.upper)):
            return False
        if self.inputs is not None and not self.inputs.holds(x, np.zeros(self.inputs.y_rows.shape[1])):
            return False
        return self.ball is None or self.ball.holds(x)

    def tied(self, points: Array) -> Array:
        """The points [batch, inputs] with inputs made equal that the input set wants equal, as properties
        about several networks do."""
        if self.inputs is None:
            return points
        moved = points.copy()
        for first, second in _ties(self.inputs):
            moved[:, second] = moved[:, first]
        return moved

    def violated(self, x: Array, y: Array) -> bool:
        """Whether x belongs to the input set and (x, y) to a region, in exact arithmetic."""
        return self.contains(x) and any(region.holds(x, y) for region in self.regions)


def _ties(rows: Rows) -> list[tuple[int, int]]:
    """Pairs of inputs (i, j), i < j, that two opposite rows force to be equal."""
    seen: set[tuple[int, int]] = set()
    found = []
    for row, rhs in zip(rows.x_rows, rows.rhs, strict=True):
        used = np.flatnonzero(row)
        if rhs == 0.0 and len(used) == 2 and row[used].sum() == 0.0:
            up, down = int(used[np.argmax(row[used])]), int(used[np.argmin(row[used])])
            if (down, up) in seen:
                found.append((min(up, down), max(up, down)))
            seen.add((up, down))
    return sorted(found)


@dataclass(frozen=True, slots=True, eq=False)
class Property:
    """A union of cases."""

    cases: tuple[Case, ...]
    inputs: int
    outputs: int
    name: str = "property"

    def violated(self, x: Array, y: Array) -> bool:
        return any(case.violated(x, y) for case in self.cases)

    @property
    def order_only(self) -> bool:
        """Regions only compare outputs with each other, so a softmax at the end changes nothing."""
        return all(_compares(region) for case in self.cases for region in case.regions)

    def named(self, name: str) -> Property:
        return replace(self, name=name)

    def check(self, inputs: int, outputs: int, network: str) -> None:
        """Raises where the property is about something else, or about something that is no number."""
        if (self.inputs, self.outputs) != (inputs, outputs):
            raise VouchError(
                f"{self.name} speaks of {self.inputs} inputs and {self.outputs} outputs, "
                f"{network} has {inputs} and {outputs}"
            )
        for case in self.cases:
            ends = np.isnan(case.lower).any() or np.isnan(case.upper).any()
            rows = (*case.regions, case.inputs) if case.inputs is not None else case.regions
            if ends or not all(each.finite for each in rows):
                raise VouchError(f"{self.name}: a constraint with a number that is NaN or infinite")


def _compares(region: Rows) -> bool:
    if region.rhs.any() or region.x_rows.any():
        return False
    sums, sizes = region.y_rows.sum(1), (region.y_rows != 0).sum(1)
    return bool(np.all((sums == 0) & (sizes <= 2)))


def output_union(lower: Array, upper: Array, polytopes: Sequence[tuple[Array, Array]]) -> Property:
    """Violated when the output of a point of the box lies in one of the polytopes {y : C y <= d}."""
    lower, upper = as_vector(lower), as_vector(upper)
    outputs = np.atleast_2d(polytopes[0][0]).shape[1]
    regions = tuple(Rows.of(np.zeros((len(np.atleast_1d(d)), len(lower))), c, d) for c, d in polytopes)
    return Property((Case(lower, upper, regions),), len(lower), outputs, "output set")


def robustness(
    centre: Array,
    radius: float,
    outputs: int,
    *,
    label: int,
    norm: Norm = "linf",
    scale: Array | float = 1.0,
    lower: Array | float = -np.inf,
    upper: Array | float = np.inf,
    bottom: bool = False,
) -> Property:
    """Same class: every point within `radius` of the centre has output `label` strictly largest, or with
    `bottom` strictly smallest (networks whose outputs are costs).

    `scale` stretches the distance per input (0 keeps an input fixed); `lower` and `upper` cut the set.
    """
    case = ball_case(centre, radius, norm=norm, scale=scale, lower=lower, upper=upper)
    if not 0 <= label < outputs:
        raise VouchError(f"label {label} is not one of {outputs} outputs")
    regions = []
    for other in range(outputs):
        if other != label:
            row = np.zeros(outputs)
            row[label], row[other] = (-1.0, 1.0) if bottom else (1.0, -1.0)
            regions.append(Rows.of(np.zeros((1, len(case.lower))), row, 0.0))
    whole = replace(case, regions=tuple(regions))
    return Property((whole,), len(case.lower), outputs, f"robustness {norm} {radius:g}")


def within(
    centre: Array,
    radius: float,
    target: Array,
    distance: float,
    *,
    norm: Norm = "linf",
    scale: Array | float = 1.0,
    lower: Array | float = -np.inf,
    upper: Array | float = np.inf,
) -> Property:
    """Within distance: every output stays within `distance` of `target` (largest difference)."""
    case = ball_case(centre, radius, norm=norm, scale=scale, lower=lower, upper=upper)
    target = as_vector(target)
    regions = []
    for j, value in enumerate(target):
        for sign in (1.0, -1.0):
            row = np.zeros(len(target))
            row[j] = -sign
            rhs = -sign * value - distance
            regions.append(Rows.of(np.zeros((1, len(case.lower))), row, rhs, strict=True))
    whole = replace(case, regions=tuple(regions))
    return Property((whole,), len(case.lower), len(target), f"within {distance:g}")


def ball_case(
    centre: Array,
    radius: float,
    *,
    norm: Norm = "linf",
    scale: Array | float = 1.0,
    lower: Array | float = -np.inf,
    upper: Array | float = np.inf,
) -> Case:
    """The input set of a robustness question; a case without regions."""
    point = as_vector(centre)
    if not radius >= 0:
        raise VouchError(f"a radius of {radius!r} makes no ball")
    if norm not in get_args(Norm):
        raise VouchError(f"no norm is called {norm!r}: {', '.join(get_args(Norm))}")
    scales, least, most = (_each(values, point) for values in (scale, lower, upper))
    if not np.all(scales >= 0):
        raise VouchError("the scale of an input is below 0, or no number")
    if not np.all(least <= most):
        raise VouchError("the smallest valid input is above the largest, or one of them is no number")
    low, high = point - radius * scales, point + radius * scales
    ball = None
    if norm != "linf":  # the box is only there to contain the ball
        ball = Ball(point, float(radius), scales, norm)
        reach = radius * scales * 2.0**-50
        low, high = np.nextafter(low - reach, -np.inf), np.nextafter(high + reach, np.inf)
        low, high = np.where(scales > 0, low, point), np.where(scales > 0, high, point)
    return Case(np.maximum(low, least), np.minimum(high, most), (), None, ball)


def _numbers(values: Any) -> Array:
    try:
        return np.asarray(values, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        raise VouchError(f"numbers expected, not {str(values)[:80]}") from None


def _each(values: Any, point: Array) -> Array:
    """One number for each input: as many as the point has, or one for all."""
    found = _numbers(values)
    if found.size not in (1, point.size):
        raise VouchError(
            f"{found.size} numbers where one, or one for each of {point.size} inputs, is expected"
        )
    return np.broadcast_to(found, point.shape).copy()


def as_vector(values: Any) -> Array:
    """The finite numbers of a point, flat."""
    vector = _numbers(values)
    if not np.isfinite(vector).all():
        raise VouchError("a point has a component that is not a finite number")
    return vector
