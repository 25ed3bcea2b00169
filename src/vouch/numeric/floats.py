"""Interval arithmetic of IEEE floats, rounding to nearest as the code does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from vouch.numeric.values import FAR, Bools, Floats, Ints, Numbers, Truth, integers

Rounding = dict[str, Callable[[Numbers], Numbers]]


def _zero(value: Floats) -> Bools:
    return np.asarray((value.low <= 0) & (value.high >= 0))


def _infinite(value: Floats) -> Bools:
    return np.asarray(value.some & (np.isinf(value.low) | np.isinf(value.high)))


def _made(ends: list[Numbers], empty: Bools, nan: Bools) -> Floats:
    """The interval that holds all of `ends`. An end that is NaN (infinity minus infinity, zero times
    infinity) leaves the interval open on both sides."""
    stacked = np.stack(ends)
    lost = np.isnan(stacked).any(0) & ~empty
    low, high = np.fmin.reduce(stacked), np.fmax.reduce(stacked)
    low = np.where(lost, -np.inf, low).astype(stacked.dtype)
    high = np.where(lost, np.inf, high).astype(stacked.dtype)
    return Floats(_void(low, empty, np.inf), _void(high, empty, -np.inf), nan)


def _void(end: Numbers, empty: Bools, value: float) -> Numbers:
    return np.where(empty, end.dtype.type(value), end)


def _empty(*values: Floats) -> Bools:
    none = ~values[0].some
    for value in values[1:]:
        none = none | ~value.some
    return none


def add(a: Floats, b: Floats) -> Floats:
    low, high = a.low + b.low, a.high + b.high
    wide = high - low
    # Finite and the right way round: nothing special about it. Where one of the two is empty and the other
    # one wide, that is more than there is.
    if 0 <= wide.item(0) < np.inf and (wide.size == 1 or bool(((wide >= 0) & (wide < np.inf)).all())):
        return Floats(low, high, a.nan | b.nan)
    cancel = (np.isposinf(a.high) & np.isneginf(b.low)) | (np.isneginf(a.low) & np.isposinf(b.high))
    nan = a.nan | b.nan | cancel
    # Infinities that cancel are NaN; what is left of the sum is bounded by the other ends.
    low = np.where(np.isnan(low), -np.inf, low).astype(low.dtype)
    high = np.where(np.isnan(high), np.inf, high).astype(high.dtype)
    empty = _empty(a, b)
    return Floats(_void(low, empty, np.inf), _void(high, empty, -np.inf), nan)


def negated(a: Floats) -> Floats:
    return Floats(-a.high, -a.low, a.nan)


def subtract(a: Floats, b: Floats) -> Floats:
    return add(a, negated(b))


def multiply(a: Floats, b: Floats) -> Floats:
    nan = a.nan | b.nan | (_zero(a) & _infinite(b)) | (_zero(b) & _infinite(a))
    ends = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high]
    return _made(ends, _empty(a, b), nan)


def scaled(a: Floats, factor: Numbers) -> Floats:
    """By a number that is neither zero nor infinite."""
    ends = a.low * factor, a.high * factor
    return Floats(*(ends if factor > 0 else ends[::-1]), a.nan)


def square(a: Floats) -> Floats:
    """a times a."""
    low, high = a.low * a.low, a.high * a.high
    least = np.where(_zero(a), low.dtype.type(0), np.minimum(low, high))
    empty = _empty(a)
    return Floats(_void(least, empty, np.inf), _void(np.maximum(low, high), empty, -np.inf), a.nan)


def divide(a: Floats, b: Floats) -> Floats:
    zero = _zero(b)
    nan = a.nan | b.nan | (_zero(a) & zero) | (_infinite(a) & _infinite(b))
    ends = [a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high]
    found = _made(ends, _empty(a, b), nan)
    low = np.where(zero & found.some, -np.inf, found.low).astype(found.low.dtype)
    high = np.where(zero & found.some, np.inf, found.high).astype(found.high.dtype)
    return Floats(low, high, nan)


def root(a: Floats) -> Floats:
    nan = a.nan | (a.low < 0)
    empty = _empty(a) | (a.high < 0)
    low, high = np.sqrt(np.maximum(a.low, 0)), np.sqrt(np.maximum(a.high, 0))
    return Floats(_void(low, empty, np.inf), _void(high, empty, -np.inf), nan)


def absolute(a: Floats) -> Floats:
    low, high = np.abs(a.low), np.abs(a.high)
    least = np.where(_zero(a), low.dtype.type(0), np.minimum(low, high))
    empty = _empty(a)
    return Floats(_void(least, empty, np.inf), _void(np.maximum(low, high), empty, -np.inf), a.nan)


def _nearest_away(x: Numbers) -> Numbers:
    cut = np.trunc(x)
    return np.where(np.abs(x - cut) >= 0.5, cut + np.copysign(np.ones_like(x), x), cut).astype(x.dtype)


INTEGRAL: Rounding = {
    "RNE": np.rint,
    "RNA": _nearest_away,
    "RTP": np.ceil,
    "RTN": np.floor,
    "RTZ": np.trunc,
}


def integral(a: Floats, mode: str) -> Floats:
    return Floats(INTEGRAL[mode](a.low), INTEGRAL[mode](a.high), a.nan)


def converted(a: Floats, dtype: type[np.floating[Any]]) -> Floats:
    return Floats(a.low.astype(dtype), a.high.astype(dtype), a.nan)


def from_integer(low: Numbers, high: Numbers, dtype: type[np.floating[Any]]) -> Floats:
    least = np.where(low <= -FAR, -np.inf, low.astype(dtype)).astype(dtype)
    most = np.where(high >= FAR, np.inf, high.astype(dtype)).astype(dtype)
    return Floats(least, most, np.zeros(len(low), dtype=bool))


def to_integer(a: Floats, width: int, signed: bool) -> Ints:
    """Cut towards zero. What does not fit may be anything."""
    limit = 2.0 ** (width - 1) if signed else 2.0**width
    low, high = np.trunc(a.low.astype(np.float64)), np.trunc(a.high.astype(np.float64))
    fits = a.some & ~a.nan & (low >= (-limit if signed else 0.0)) & (high < min(limit, 2.0**62))
    fits &= low > -(2.0**62)
    cut_low = np.where(fits, low, 0.0).astype(np.int64)
    cut_high = np.where(fits, high, 0.0).astype(np.int64)
    return integers(width, np.where(fits, cut_low, -FAR), np.where(fits, cut_high, FAR))


def less(a: Floats, b: Floats, strict: bool) -> Truth:
    some = a.some & b.some
    if strict:
        return Truth(some & (a.low < b.high), a.nan | b.nan | (some & ~(a.high < b.low)))
    return Truth(some & (a.low <= b.high), a.nan | b.nan | (some & ~(a.high <= b.low)))


def equal(a: Floats, b: Floats) -> Truth:
    """As numbers: zeros are equal, NaN is equal to nothing."""
    some = a.some & b.some
    meet = some & (a.low <= b.high) & (b.low <= a.high)
    same = (a.low == a.high) & (b.low == b.high) & (a.low == b.low)
    return Truth(meet, a.nan | b.nan | (some & ~same))


def identical(a: Floats, b: Floats) -> Truth:
    """As values: one NaN, two zeros."""
    number = equal(a, b)
    certain = (a.low == a.high) & (b.low == b.high) & (a.low == b.low) & (a.low != 0) & ~a.nan & ~b.nan
    nothing = ~a.some & ~b.some
    return Truth(number.true | (a.nan & b.nan), ~certain & ~nothing)


def is_nan(a: Floats) -> Truth:
    return Truth(a.nan, a.some)


def is_infinite(a: Floats) -> Truth:
    inside = a.some & ~(np.isinf(a.low) & (a.low == a.high))
    return Truth(_infinite(a), a.nan | inside)


def is_zero(a: Floats) -> Truth:
    return Truth(_zero(a), a.nan | (a.some & ~((a.low == 0) & (a.high == 0))))


def is_negative(a: Floats) -> Truth:
    """The sign bit, which a zero may have."""
    return Truth(a.some & (a.low <= 0), a.nan | (a.some & (a.high >= 0)))


def is_subnormal(a: Floats) -> Truth:
    tiny = np.finfo(a.low.dtype).tiny
    return Truth(a.some & (a.low < tiny) & (a.high > -tiny), np.ones(len(a.low), dtype=bool))
