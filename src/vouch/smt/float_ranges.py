"""Ranges of float terms: which numbers, and whether NaN. Pure functions; intervals.py does the walking.

Rounding is monotone, so the ends of a result are the results at the ends. Both zeros count as one number.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from vouch.smt import softfloat as sf
from vouch.smt.node import Term
from vouch.smt.sort import Sort


class FloatRange(NamedTuple):
    """Numbers from `low` to `high`, as ordered keys (`key`), none if low > high; `nan`: or NaN."""

    low: int
    high: int
    nan: bool

    @property
    def empty(self) -> bool:
        return self.low > self.high


def key(sort: Sort, bits: int) -> int:
    """An integer that is ordered as the numbers are."""
    magnitude = bits & ((1 << (sort.width - 1)) - 1)
    return -magnitude if bits >> (sort.width - 1) else magnitude


def bits_of(sort: Sort, number: int) -> int:
    return number if number >= 0 else -number | 1 << (sort.width - 1)


@cache
def everything(sort: Sort) -> FloatRange:
    return FloatRange(-sf.infinity(sort), sf.infinity(sort), True)


def constant(sort: Sort, bits: int) -> FloatRange:
    if sf.is_nan(sort, bits):
        return FloatRange(1, 0, True)
    number = key(sort, bits)
    return FloatRange(number, number, False)


def _infinite(sort: Sort, x: FloatRange) -> bool:
    return max(-x.low, x.high) >= sf.infinity(sort)


def _has_zero(x: FloatRange) -> bool:
    return x.low <= 0 <= x.high


def _hull(sort: Sort, corners: list[int], nan: bool) -> FloatRange:
    """From the least to the greatest of the results at the corners; everything if one is NaN."""
    if any(sf.is_nan(sort, bits) for bits in corners):
        return everything(sort)
    keys = [key(sort, bits) for bits in corners]
    return FloatRange(min(keys), max(keys), nan)


def _ends(sort: Sort, x: FloatRange) -> list[int]:
    return [bits_of(sort, x.low), bits_of(sort, x.high)]


def _add(sort: Sort, x: FloatRange, y: FloatRange) -> FloatRange:
    if everything(sort) in (x, y):
        return everything(sort)
    nan = x.nan or y.nan or (_infinite(sort, x) and _infinite(sort, y))
    (a, b), (c, d) = _ends(sort, x), _ends(sort, y)
    return _hull(sort, [sf.add(sort, a, c), sf.add(sort, b, d)], nan)


def _sub(sort: Sort, x: FloatRange, y: FloatRange) -> FloatRange:
    return _add(sort, x, _neg(sort, y))


def _neg(_: Sort, x: FloatRange) -> FloatRange:
    return FloatRange(-x.high, -x.low, x.nan)


def _abs(_: Sort, x: FloatRange) -> FloatRange:
    low = 0 if _has_zero(x) else min(abs(x.low), abs(x.high))
    return FloatRange(low, max(abs(x.low), abs(x.high)), x.nan)


def _mul(sort: Sort, x: FloatRange, y: FloatRange) -> FloatRange:
    if everything(sort) in (x, y):
        return everything(sort)
    if (_infinite(sort, x) and _has_zero(y)) or (_infinite(sort, y) and _has_zero(x)):
        return everything(sort)
    corners = [sf.mul(sort, a, b) for a in _ends(sort, x) for b in _ends(sort, y)]
    return _hull(sort, corners, x.nan or y.nan)


def _div(sort: Sort, x: FloatRange, y: FloatRange) -> FloatRange:
    if _has_zero(y) or (_infinite(sort, x) and _infinite(sort, y)):
        return everything(sort)
    corners = [sf.div(sort, a, b) for a in _ends(sort, x) for b in _ends(sort, y)]
    return _hull(sort, corners, x.nan or y.nan)


def _fma(sort: Sort, x: FloatRange, y: FloatRange, z: FloatRange) -> FloatRange:
    if any(_infinite(sort, r) for r in (x, y, z)):
        return everything(sort)
    corners = [sf.fma(sort, a, b, c) for a in _ends(sort, x) for b in _ends(sort, y) for c in _ends(sort, z)]
    return _hull(sort, corners, x.nan or y.nan or z.nan)


def _sqrt(sort: Sort, x: FloatRange) -> FloatRange:
    if x.high < 0:
        return FloatRange(1, 0, True)
    low, high = (sf.sqrt(sort, max(end, 0)) for end in (x.low, x.high))
    return FloatRange(low, high, x.nan or x.low < 0)


def _rem(sort: Sort, x: FloatRange, y: FloatRange) -> FloatRange:
    """No farther from zero than x."""
    limit = max(abs(x.low), abs(x.high))
    return FloatRange(-limit, limit, x.nan or y.nan or _infinite(sort, x) or _has_zero(y))


def combine(term: Term, ranges: list[FloatRange]) -> FloatRange:
    """The range of a float operator on float arguments with those ranges."""
    sort = term.sort
    if any(r.empty for r in ranges):
        # An argument that is always NaN makes the result NaN; for `ite` it adds nothing but NaN.
        if term.op != "ite":
            return FloatRange(1, 0, True)
        numbers = [r for r in ranges if not r.empty] or ranges
        return FloatRange(min(r.low for r in numbers), max(r.high for r in numbers), True)
    match term.op:
        case "ite":
            x, y = ranges
            return FloatRange(min(x.low, y.low), max(x.high, y.high), x.nan or y.nan)
        case "fp_to_fp":
            source = term.args[0].sort
            low, high = (sf.convert(source, sort, end) for end in _ends(source, ranges[0]))
            return FloatRange(key(sort, low), key(sort, high), ranges[0].nan)
        case "fp_round":
            mode = str(term.index[0]).lower()
            low, high = (sf.round_to_integral(sort, end, mode) for end in _ends(sort, ranges[0]))  # type: ignore[arg-type]
            return FloatRange(key(sort, low), key(sort, high), ranges[0].nan)
    rule = RULES.get(term.op)
    return everything(sort) if rule is None else rule(sort, *ranges)


RULES: dict[str, Callable[..., FloatRange]] = {
    "fp_add": _add, "fp_sub": _sub, "fp_mul": _mul, "fp_div": _div, "fp_fma": _fma, "fp_sqrt": _sqrt,
    "fp_rem": _rem, "fp_neg": _neg, "fp_abs": _abs,
}  # fmt: skip


def from_integers(sort: Sort, low: int, high: int) -> FloatRange:
    """The floats nearest to integers in [low, high]."""
    return FloatRange(key(sort, sf.from_integer(sort, low)), key(sort, sf.from_integer(sort, high)), False)


def to_integers(sort: Sort, x: FloatRange, low: int, high: int) -> tuple[int, int] | None:
    """The integers that numbers of the range become when cut, where they are in [low, high]; 0 otherwise
    (and for NaN). None when nothing is known."""
    if x.empty or _infinite(sort, x):
        return None
    reach = 1 << (1 << sort.exponent)
    ends = [sf.to_integer(sort, end, -reach, reach) for end in _ends(sort, x)]
    least, most = max(ends[0], low), min(ends[1], high)
    return (min(least, 0), max(most, 0)) if least <= most else (0, 0)
