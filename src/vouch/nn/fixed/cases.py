"""A property as questions about integers.

The inputs that a property's set stands for are all numbers that conversion yields from reals of the set. For
a box they are a box of integers; other sets (balls, linear constraints) are a box and a test. Outputs are
compared exactly: every row a x + c y <= r becomes integers A n + C m <= R over the numbers themselves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from vouch.errors import Unsupported
from vouch.nn.fixed.format import Format, Ints, Overflow, Rounding, rounded_exact
from vouch.nn.fixed.members import Members
from vouch.nn.property import Case, Property, Rows

Ends: TypeAlias = tuple[Ints, Ints]

# Pieces into which wrapped inputs may cut a box.
_MOST_PIECES = 256
# Values of one input that a step may leave.
MOST_LEVELS = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class IntRows:
    """A conjunction A n + C m <= R over input numbers n and output numbers m. Python integers of any size."""

    inputs: tuple[tuple[tuple[int, int], ...], ...]
    """For each row the (place, factor) pairs that are not 0."""
    outputs: tuple[tuple[tuple[int, int], ...], ...]
    rhs: tuple[int, ...]

    @property
    def count(self) -> int:
        return len(self.rhs)

    def size(self, bits_in: int, bits_out: int) -> int:
        """A bound of everything that evaluating a row computes."""
        most = 0
        for a, c, r in zip(self.inputs, self.outputs, self.rhs, strict=True):
            total = sum(abs(f) << bits_in for _, f in a) + sum(abs(f) << bits_out for _, f in c) + abs(r)
            most = max(most, total)
        return most

    def least(self, n: Ends, m: Ends) -> list[Any]:
        """For each row a lower bound of A n + C m - R over boxes of numbers, [batch] each."""
        whole = self.size(33, 33) < 1 << 62
        found = []
        for a, c, r in zip(self.inputs, self.outputs, self.rhs, strict=True):
            total: Any = np.zeros(len(n[0]), dtype=np.int64 if whole else object)
            for ends, terms in ((n, a), (m, c)):
                for place, factor in terms:
                    end = ends[0 if factor > 0 else 1][:, place]
                    total = total + (end if whole else end.astype(object)) * factor
            found.append(total - r)
        return found

    def hold(self, n: Ints, m: Ints) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which rows of points (numbers [batch, ...]) satisfy all constraints."""
        whole = self.size(33, 33) < 1 << 62
        n, m = (n, m) if whole else (n.astype(object), m.astype(object))
        good = np.ones(len(n), dtype=bool)
        for a, c, r in zip(self.inputs, self.outputs, self.rhs, strict=True):
            total: Any = np.zeros(len(n), dtype=np.int64 if whole else object)
            for place, factor in a:
                total = total + n[:, place] * factor
            for place, factor in c:
                total = total + m[:, place] * factor
            good &= np.asarray(total <= r, dtype=bool)
        return good


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """The numbers that one input may be: a range, or `levels` in ascending order."""

    low: int
    high: int
    levels: Ints | None = None

    @property
    def count(self) -> int:
        return self.high - self.low + 1 if self.levels is None else len(self.levels)

    def numbers(self, places: Ints) -> Ints:
        return places + self.low if self.levels is None else self.levels[places]


@dataclass(frozen=True, slots=True, eq=False)
class IntCase:
    """Points are given by their `places` on the axes, 0 to count - 1; `numbers` makes inputs of them.

    `members` tells which points of the box belong to the input set; None: all. `origin` is the case over the
    reals that it was made from.
    """

    axes: tuple[Axis, ...]
    regions: tuple[IntRows, ...]
    origin: Case
    members: Members | None = None
    low: Ints = field(init=False)
    """The first number of each axis, and the last; `plain` where all axes are ranges."""
    high: Ints = field(init=False)
    plain: bool = field(init=False)

    def __post_init__(self) -> None:
        ends = np.array([(axis.low, axis.high) for axis in self.axes], dtype=np.int64).reshape(-1, 2)
        object.__setattr__(self, "low", ends[:, 0])
        object.__setattr__(self, "high", ends[:, 1])
        object.__setattr__(self, "plain", all(axis.levels is None for axis in self.axes))

    @property
    def counts(self) -> Ints:
        return np.array([axis.count for axis in self.axes], dtype=np.int64)

    @property
    def points(self) -> int:
        return math.prod(axis.count for axis in self.axes)

    @property
    def free(self) -> list[int]:
        return [i for i, axis in enumerate(self.axes) if axis.count > 1]

    def numbers(self, places: Ints) -> Ints:
        """Inputs [batch, inputs] at places [batch, inputs]."""
        if self.plain:
            return places + self.low
        return np.stack([axis.numbers(places[:, i]) for i, axis in enumerate(self.axes)], axis=1)

    def places(self, numbers: Ints) -> Ints:
        """The nearest places of numbers, within the box."""
        if self.plain:
            return np.clip(numbers, self.low, self.high) - self.low
        found = []
        for i, axis in enumerate(self.axes):
            column = numbers[:, i]
            if axis.levels is None:
                found.append(np.clip(column, axis.low, axis.high) - axis.low)
            else:
                at = np.clip(np.searchsorted(axis.levels, column), 1, max(1, axis.count - 1))
                before = axis.levels[at - 1]
                nearer = axis.levels[np.minimum(at, axis.count - 1)] - column < column - before
                found.append(np.where(nearer, np.minimum(at, axis.count - 1), at - 1))
        return np.stack(found, axis=1).astype(np.int64)

    def excess(self, n: Ints, m: Ints) -> Any:
        """How far points are from the nearest region: 0 or less inside."""
        found = [np.max([np.asarray(row) for row in region.least((n, n), (m, m))], axis=0)
                 for region in self.regions if region.count]  # fmt: skip
        return np.min(found, axis=0).astype(np.float64) if found else np.zeros(len(n))

    def reachable(self, n_low: Ints, n_high: Ints, m_low: Ints, m_high: Ints) -> Any:
        """Which boxes of inputs and outputs [batch, ...] may meet a region."""
        some = np.zeros(len(n_low), dtype=bool)
        for region in self.regions:
            rows = region.least((n_low, n_high), (m_low, m_high))
            some |= np.all([np.asarray(row <= 0, dtype=bool) for row in rows], axis=0)
        return some

    def violated(self, n: Ints, m: Ints) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which points (already inputs of the box) lie in a region. Whether they are members is not asked."""
        bad = np.zeros(len(n), dtype=bool)
        for region in self.regions:
            bad |= region.hold(n, m)
        return bad


def int_cases(prop: Property, given: Format, made: Format, step: Fraction | None = None) -> list[IntCase]:
    """The cases of a property for inputs of one format and outputs of another. With `step`, inputs are only
    what multiples of it become."""
    found = []
    for case in prop.cases:
        regions = tuple(int_rows(rows, given, made) for rows in case.regions)
        found += [IntCase(axes, regions, case, members) for axes, members in _boxes(case, given, step)]
    return found


def int_rows(rows: Rows, given: Format, made: Format) -> IntRows:
    inputs, outputs, right = [], [], []
    for a, c, r, strict in zip(rows.x_rows, rows.y_rows, rows.rhs, rows.strict, strict=True):
        terms_in = {int(i): Fraction(float(a[i])) / (1 << given.fraction) for i in np.flatnonzero(a)}
        terms_out = {int(i): Fraction(float(c[i])) / (1 << made.fraction) for i in np.flatnonzero(c)}
        every = [*terms_in.values(), *terms_out.values()]
        common = math.lcm(*(f.denominator for f in every))
        # Divided by what the factors share, the left side takes every integer, and the right side is rounded.
        factor = Fraction(common, math.gcd(*(int(f * common) for f in every)) or 1)
        limit = Fraction(float(r)) * factor
        bound = math.floor(limit)
        if strict and bound == limit:
            bound -= 1
        inputs.append(tuple((i, int(f * factor)) for i, f in terms_in.items()))
        outputs.append(tuple((i, int(f * factor)) for i, f in terms_out.items()))
        right.append(bound)
    return IntRows(tuple(inputs), tuple(outputs), tuple(right))


@dataclass(slots=True)
class _Bound:
    """low <= x <= high, either perhaps strict; exact."""

    low: Fraction
    high: Fraction
    low_open: bool = False
    high_open: bool = False

    def below(self, limit: Fraction, strict: bool) -> None:
        if limit < self.high or (limit == self.high and strict):
            self.high, self.high_open = limit, strict

    def above(self, limit: Fraction, strict: bool) -> None:
        if limit > self.low or (limit == self.low and strict):
            self.low, self.low_open = limit, strict

    @property
    def empty(self) -> bool:
        return self.low > self.high or (self.low == self.high and (self.low_open or self.high_open))


def _boxes(case: Case, form: Format, step: Fraction | None) -> list[tuple[tuple[Axis, ...], Members | None]]:
    bounds = [
        _Bound(Fraction(float(a)), Fraction(float(b))) for a, b in zip(case.lower, case.upper, strict=True)
    ]
    rest = _single_rows(case.inputs, bounds)
    if any(bound.empty for bound in bounds):
        return []
    members = Members.of(bounds, rest, case.ball, form) if rest is not None or case.ball is not None else None
    if step is not None:
        if members is not None:
            raise Unsupported("a step of inputs together with an input set that is not a box")
        choices = [[_levels(bound, form, step)] for bound in bounds]
        if any(axis.count == 0 for options in choices for axis in options):
            return []
    else:
        choices = [_ranges(bound, form) for bound in bounds]
    pieces = math.prod(len(options) for options in choices)
    if pieces > _MOST_PIECES:
        raise Unsupported(f"inputs wrap around and cut the box into {pieces} pieces")
    if members is not None and any(_leaves(bound, form) for bound in bounds):
        raise Unsupported(f"an input set that is not a box leaves the range of format {form}")
    return [(axes, members) for axes in product(*choices)]


def _single_rows(rows: Rows | None, bounds: Sequence[_Bound]) -> Rows | None:
    """Rows about one input become its bounds, exactly; the others are left."""
    if rows is None:
        return None
    kept = []
    for number, (a, r, strict) in enumerate(zip(rows.x_rows, rows.rhs, rows.strict, strict=True)):
        used = np.flatnonzero(a)
        if len(used) != 1:
            kept.append(number)
            continue
        factor = Fraction(float(a[used[0]]))
        limit = Fraction(float(r)) / factor
        bound = bounds[int(used[0])]
        (bound.below if factor > 0 else bound.above)(limit, bool(strict))
    if not kept:
        return None
    return Rows(rows.x_rows[kept], rows.y_rows[kept], rows.rhs[kept], rows.strict[kept])


def whole_ends(bound: Any, form: Format) -> tuple[int, int]:
    """The least and the largest integer that conversion makes of a bound's reals, before narrowing."""
    scale = 1 << form.fraction
    low, high = bound.low * scale, bound.high * scale
    least, most = rounded_exact(low, form.rounding), rounded_exact(high, form.rounding)
    if bound.low_open and form.rounding is Rounding.NEAREST and low < 0 and low.denominator == 2:
        least += 1  # just above a tie below zero, values are rounded up
    if bound.high_open:
        if form.rounding is Rounding.FLOOR:
            most = math.ceil(high) - 1
        elif high > 0 and high.denominator == 2:
            most -= 1
    return least, most


def _leaves(bound: _Bound, form: Format) -> bool:
    low, high = whole_ends(bound, form)
    return low < form.word.low or high > form.word.high


def _ranges(bound: _Bound, form: Format) -> list[Axis]:
    """The numbers that a bound's reals become: one range, or two where they wrap around."""
    low, high = whole_ends(bound, form)
    word = form.word
    if low >= word.low and high <= word.high:
        return [Axis(low, high)]
    if form.overflow is Overflow.SATURATE:
        return [Axis(word.one(low), word.one(high))]
    if high - low >= 1 << form.bits:
        return [Axis(word.low, word.high)]
    first, last = word.one(low), word.one(high)
    return [Axis(first, last)] if first <= last else [Axis(first, word.high), Axis(word.low, last)]


def _levels(bound: _Bound, form: Format, step: Fraction) -> Axis:
    first, last = math.ceil(bound.low / step), math.floor(bound.high / step)
    if bound.low_open and first * step == bound.low:
        first += 1
    if bound.high_open and last * step == bound.high:
        last -= 1
    if last - first >= MOST_LEVELS:
        raise Unsupported(f"a step of {float(step):g} leaves {last - first + 1} values of an input")
    if bound.low == bound.high and first > last:
        return Axis(*whole_ends(bound, form))  # a fixed input need not be a multiple
    numbers = sorted({form.convert_exact(k * step) for k in range(first, last + 1)})
    if numbers and numbers[-1] - numbers[0] == len(numbers) - 1:
        return Axis(numbers[0], numbers[-1])
    levels = np.array(numbers, dtype=np.int64)
    return Axis(numbers[0] if numbers else 0, numbers[-1] if numbers else -1, levels)
