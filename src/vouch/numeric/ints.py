"""Interval arithmetic of bit-vectors, by both readings."""

from __future__ import annotations

import numpy as np

from vouch.numeric.values import FAR, Bools, Ints, Numbers, Truth, agreed, integers, meet


def _small(*ends: Numbers) -> Bools:
    result = np.abs(ends[0]) < FAR
    for end in ends[1:]:
        result = result & (np.abs(end) < FAR)
    return result


def _both(width: int, by_signed: tuple[Numbers, Numbers], by_unsigned: tuple[Numbers, Numbers]) -> Ints:
    return agreed(meet(integers(width, *by_signed), integers(width, *by_unsigned)), width)


def _far(known: Bools, low: Numbers, high: Numbers) -> tuple[Numbers, Numbers]:
    """The interval, or nothing known."""
    return np.where(known, low, -FAR), np.where(known, high, FAR)


def add(a: Ints, b: Ints, width: int) -> Ints:
    return _both(
        width,
        _far(_small(a.low, a.high, b.low, b.high), a.low + b.low, a.high + b.high),
        _far(_small(a.most, b.most), a.least + b.least, a.most + b.most),
    )


def subtract(a: Ints, b: Ints, width: int) -> Ints:
    return _both(
        width,
        _far(_small(a.low, a.high, b.low, b.high), a.low - b.high, a.high - b.low),
        _far(_small(a.most, b.most), a.least - b.most, a.most - b.least),
    )


def negate(a: Ints, width: int) -> Ints:
    zero = np.zeros_like(a.low)
    return subtract(Ints(zero, zero, zero, zero), a, width)


def _products(a: tuple[Numbers, Numbers], b: tuple[Numbers, Numbers]) -> tuple[Numbers, Numbers]:
    size = [np.abs(end).astype(np.float64) for end in (*a, *b)]
    known = np.maximum(size[0], size[1]) * np.maximum(size[2], size[3]) < float(FAR)
    ends = [np.where(known, x, 0) * np.where(known, y, 0) for x in a for y in b]
    return _far(known, np.minimum.reduce(ends), np.maximum.reduce(ends))


def multiply(a: Ints, b: Ints, width: int) -> Ints:
    return _both(
        width,
        _products((a.low, a.high), (b.low, b.high)),
        _products((a.least, a.most), (b.least, b.most)),
    )


def square(a: Ints, width: int) -> Ints:
    found = multiply(a, a, width)
    low, high = _products((a.low, a.high), (a.low, a.high))
    inside = (a.low <= 0) & (a.high >= 0)
    least = np.where(inside, 0, np.minimum(a.low * a.low, a.high * a.high))
    known = (low > -FAR) & (high < FAR)
    return agreed(meet(found, integers(width, *_far(known, least, high))), width)


def _cut(x: Numbers, y: Numbers) -> Numbers:
    """x / y towards zero, as C divides."""
    quotient = np.abs(x) // np.abs(y)
    return np.where((x < 0) == (y < 0), quotient, -quotient)


def divide(a: Ints, b: Ints, width: int, signed: bool) -> Ints:
    """Only by intervals without zero."""
    low, high, under, over = (a.low, a.high, b.low, b.high) if signed else (a.least, a.most, b.least, b.most)
    known = _small(low, high, under, over) & ((under > 0) | (over < 0))
    under, over = np.where(known, under, 1), np.where(known, over, 1)
    low, high = np.where(known, low, 0), np.where(known, high, 0)
    ends = [_cut(x, y) for x in (low, high) for y in (under, over)]
    return integers(width, *_far(known, np.minimum.reduce(ends), np.maximum.reduce(ends)))


def remainder(a: Ints, b: Ints, width: int, signed: bool) -> Ints:
    """Of the sign of a, smaller than b."""
    low, high, under, over = (a.low, a.high, b.low, b.high) if signed else (a.least, a.most, b.least, b.most)
    known = _small(low, high, under, over) & ((under > 0) | (over < 0))
    size = np.maximum(np.abs(under), np.abs(over)) - 1
    same = known & (np.minimum(np.abs(under), np.abs(over)) > np.maximum(np.abs(low), np.abs(high)))
    least = np.where(low < 0, np.maximum(-size, low), 0)
    most = np.where(high > 0, np.minimum(size, high), 0)
    return integers(width, *_far(known, np.where(same, low, least), np.where(same, high, most)))


def shift(a: Ints, by: int, width: int, kind: str) -> Ints:
    """By a constant."""
    if kind == "shl":
        if by >= width:
            return _constant(a, 0, width)
        if by >= 62:
            return _unknown(a, width)
        power = np.full_like(a.low, 1 << by)
        return multiply(a, Ints(power, power, power, power), width)
    if kind == "ashr":
        amount = min(by, width - 1, 62)
        return integers(width, *_far(_small(a.low, a.high), a.low >> amount, a.high >> amount))
    if by >= width:
        return _constant(a, 0, width)
    known = _small(a.most)
    amount = min(by, 62)
    most = np.where(known, a.most >> amount, ((1 << width) - 1) >> by if width - by < 62 else FAR)
    return integers(width, np.where(known, a.least >> amount, 0), most)


def _constant(like: Ints, value: int, width: int) -> Ints:
    return integers(width, np.full_like(like.low, value), np.full_like(like.low, value))


def _unknown(like: Ints, width: int) -> Ints:
    return integers(width, np.full_like(like.low, -FAR), np.full_like(like.low, FAR))


def masked(a: Ints, b: Ints, width: int) -> Ints:
    """Bitwise and: not above either, read as unsigned. A mask of low bits is a remainder."""
    most = np.minimum(a.most, b.most)
    mask = (b.least == b.most) & (b.most < FAR) & ((b.most & (b.most + 1)) == 0)
    fits = mask & (a.most <= b.most)
    return integers(width, np.where(fits, a.least, 0), most)


def either(a: Ints, b: Ints, width: int) -> Ints:
    """Bitwise or and exclusive or of unsigned numbers stay below the next power of two."""
    top = np.maximum(a.most, b.most)
    known = top < FAR
    smeared = np.where(known, top, 0)
    for by in (1, 2, 4, 8, 16, 32):
        smeared = smeared | (smeared >> by)
    return integers(width, np.zeros_like(top), np.where(known, smeared, FAR))


def extended(a: Ints, width: int, signed: bool) -> Ints:
    return integers(width, a.low, a.high) if signed else integers(width, a.least, a.most)


def extracted(a: Ints, source: int, high: int, low: int) -> Ints:
    """Bits high..low. The lowest bits of a number that fits them are the number."""
    width = high - low + 1
    moved = shift(a, low, source, "lshr") if low else a
    if high == source - 1 and low:
        return agreed(meet(integers(width, moved.least, moved.most), shifted_sign(a, low, width)), width)
    by_sign = integers(width, moved.low, moved.high)
    return agreed(meet(by_sign, integers(width, moved.least, moved.most)), width)


def shifted_sign(a: Ints, low: int, width: int) -> Ints:
    amount = min(low, 62)
    return integers(width, *_far(_small(a.low, a.high), a.low >> amount, a.high >> amount))


def joined(a: Ints, b: Ints, width: int, lower: int) -> Ints:
    """a above b, which has `lower` bits."""
    if width > 61:
        zero = (a.most == 0) & (b.most < FAR)
        return integers(width, np.where(zero, b.least, -FAR), np.where(zero, b.most, FAR))
    low, high = (a.least << lower) + b.least, (a.most << lower) + b.most
    by_sign = (a.low << lower) + b.least, (a.high << lower) + b.most
    return agreed(meet(integers(width, low, high), integers(width, *by_sign)), width)


def compare(a: Ints, b: Ints, signed: bool) -> Truth:
    """a < b."""
    low, high, under, over = (a.low, a.high, b.low, b.high) if signed else (a.least, a.most, b.least, b.most)
    sure = (high < FAR) & (under > -FAR) & (high < under)
    never = (over < FAR) & (low > -FAR) & (low >= over)
    return Truth(~never, ~sure)


def equal(a: Ints, b: Ints) -> Truth:
    apart = (a.high < b.low) | (b.high < a.low) | (a.most < b.least) | (b.most < a.least)
    one = (a.low == a.high) & (b.low == b.high) & (a.low == b.low) & (np.abs(a.low) < FAR)
    return Truth(~apart, ~one)


def overflows(width: int, by: tuple[Numbers, Numbers], signed: bool = True) -> Truth:
    """Whether an exact value in an interval leaves the type."""
    low, high = by
    top = 1 << (width - 1)
    least, most = (-top, top - 1) if signed else (0, 2 * top - 1)
    if width >= 63:
        known = (low > -FAR) & (high < FAR)
        return Truth(~known, np.ones(len(low), dtype=bool))
    inside = (low >= least) & (high <= most)
    outside = ((low > most) & (low < FAR)) | ((high < least) & (high > -FAR))
    return Truth(~inside, ~outside)


def exact(op: str, a: Ints, b: Ints) -> tuple[Numbers, Numbers]:
    """The exact signed result of an operation, before it is cut to its width."""
    known = _small(a.low, a.high, b.low, b.high)
    match op:
        case "add":
            return _far(known, a.low + b.low, a.high + b.high)
        case "sub":
            return _far(known, a.low - b.high, a.high - b.low)
        case _:
            return _products((a.low, a.high), (b.low, b.high))


def exact_unsigned(a: Ints, b: Ints) -> tuple[Numbers, Numbers]:
    return _products((a.least, a.most), (b.least, b.most))
