"""The value domain: a signed interval, an unsigned interval and known bits of one fixed-width integer.

A value is a plain tuple `(slo, shi, ulo, uhi, zeros, ones)`; `zeros` and `ones` are the bits known to be 0
and 1. It stands for the numbers that satisfy all three parts. `None` is the empty set. Functions take the
width where they need it. Results of operations that C leaves undefined (division by zero, wide shifts) are
arbitrary, since execution goes on with an arbitrary value there; overflow wraps.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cache, lru_cache

Value = tuple[int, int, int, int, int, int]


@cache
def top(bits: int) -> Value:
    half = 1 << (bits - 1)
    return (-half, half - 1, 0, 2 * half - 1, 0, 0)


@lru_cache(maxsize=65536)
def const(number: int, bits: int) -> Value:
    mask = (1 << bits) - 1
    number &= mask
    signed = number - (1 << bits) if number >> (bits - 1) else number
    return (signed, signed, number, number, mask ^ number, number)


def is_const(value: Value) -> bool:
    return value[2] == value[3]


def make(slo: int, shi: int, ulo: int, uhi: int, zeros: int, ones: int, bits: int) -> Value | None:
    """The value with each part tightened by the others; None if they contradict each other."""
    whole = 1 << bits
    mask, half = whole - 1, whole >> 1
    if ones > ulo:
        ulo = ones
    if mask ^ zeros < uhi:
        uhi = mask ^ zeros
    for _ in range(2):
        if uhi < half:
            slo, shi = max(slo, ulo), min(shi, uhi)
        elif ulo >= half:
            slo, shi = max(slo, ulo - whole), min(shi, uhi - whole)
        if slo >= 0:
            ulo, uhi = max(ulo, slo), min(uhi, shi)
        elif shi < 0:
            ulo, uhi = max(ulo, slo + whole), min(uhi, shi + whole)
        if slo > shi or ulo > uhi:
            return None
    low = (1 << (ulo ^ uhi).bit_length()) - 1
    high = mask ^ low
    ones |= ulo & high
    zeros |= ~ulo & high
    if ones & zeros:
        return None
    return (slo, shi, ulo, uhi, zeros, ones)


def unsigned(lo: int, hi: int, bits: int) -> Value:
    """The numbers lo … hi of an unsigned type; `lo` and `hi` in range."""
    value = make(*top(bits)[:2], lo, hi, 0, 0, bits)
    assert value is not None
    return value


def signed(lo: int, hi: int, bits: int) -> Value:
    """The numbers lo … hi of a signed type; `lo` and `hi` in range."""
    value = make(lo, hi, *top(bits)[2:4], 0, 0, bits)
    assert value is not None
    return value


def join(a: Value, b: Value) -> Value:
    if a == b:
        return a
    return (
        min(a[0], b[0]),
        max(a[1], b[1]),
        min(a[2], b[2]),
        max(a[3], b[3]),
        a[4] & b[4],
        a[5] & b[5],
    )


def meet(a: Value, b: Value, bits: int) -> Value | None:
    if a == b:
        return a
    return make(
        max(a[0], b[0]),
        min(a[1], b[1]),
        max(a[2], b[2]),
        min(a[3], b[3]),
        a[4] | b[4],
        a[5] | b[5],
        bits,
    )


def widen(old: Value, new: Value, thresholds: Sequence[int], bits: int) -> Value:
    """At least the join; bounds that moved go to the next threshold (sorted), bits that moved are dropped."""
    slo, shi, ulo, uhi, zeros, ones = join(old, new)
    smin, smax, umin, umax, _, _ = top(bits)
    if slo < old[0]:
        slo = max(_below(thresholds, slo), smin)
    if shi > old[1]:
        shi = min(_above(thresholds, shi), smax)
    if ulo < old[2]:
        ulo = max(_below(thresholds, ulo), umin)
    if uhi > old[3]:
        uhi = min(_above(thresholds, uhi), umax)
    if (zeros, ones) != old[4:]:
        zeros = ones = 0
    return (slo, shi, ulo, uhi, zeros, ones)


def _below(thresholds: Sequence[int], number: int) -> int:
    at = bisect_right(thresholds, number)
    return thresholds[at - 1] if at else -(1 << 200)


def _above(thresholds: Sequence[int], number: int) -> int:
    at = bisect_left(thresholds, number)
    return thresholds[at] if at < len(thresholds) else 1 << 200


def contains(value: Value, number: int, bits: int) -> bool:
    """Whether a concrete number (any representative modulo 2^bits) is among those of the value."""
    number &= (1 << bits) - 1
    as_signed = number - (1 << bits) if number >> (bits - 1) else number
    slo, shi, ulo, uhi, zeros, ones = value
    return slo <= as_signed <= shi and ulo <= number <= uhi and not number & zeros and ones & ~number == 0


# ---------------------------------------------------------------- arithmetic


def _wrapped(slo: int, shi: int, ulo: int, uhi: int, zeros: int, ones: int, bits: int) -> Value:
    """From exact bounds: an interval that leaves the type on one side only is shifted back, one that crosses
    its border is everything."""
    whole = 1 << bits
    half, mask = whole >> 1, whole - 1
    if slo < -half or shi >= half:
        if shi - slo < whole and (slo + half) >> bits == (shi + half) >> bits:
            back = ((slo + half) >> bits) << bits
            slo, shi = slo - back, shi - back
        else:
            slo, shi = -half, half - 1
    if ulo < 0 or uhi > mask:
        if uhi - ulo < whole and ulo >> bits == uhi >> bits:
            back = (ulo >> bits) << bits
            ulo, uhi = ulo - back, uhi - back
        else:
            ulo, uhi = 0, mask
    value = make(slo, shi, ulo, uhi, zeros, ones, bits)
    return top(bits) if value is None else value


def _sum_bits(a: Value, b: Value, carry: int, bits: int) -> tuple[int, int]:
    """Known bits of a + b + carry, from the carries that are certain."""
    mask = (1 << bits) - 1
    largest = ((mask ^ a[4]) + (mask ^ b[4]) + carry) & mask
    smallest = (a[5] + b[5] + carry) & mask
    no_carry = ~(largest ^ a[4] ^ b[4]) & mask
    has_carry = smallest ^ a[5] ^ b[5]
    known = (a[4] | a[5]) & (b[4] | b[5]) & (no_carry | has_carry)
    return ~largest & known, smallest & known


def add(a: Value, b: Value, bits: int) -> Value:
    zeros, ones = _sum_bits(a, b, 0, bits) if (a[4] | a[5]) and (b[4] | b[5]) else (0, 0)
    return _wrapped(a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], zeros, ones, bits)


def sub(a: Value, b: Value, bits: int) -> Value:
    zeros = ones = 0
    if (a[4] | a[5]) and (b[4] | b[5]):
        complement = (0, 0, 0, 0, b[5], b[4])  # of -b - 1, whose bits are those of b inverted
        zeros, ones = _sum_bits(a, complement, 1, bits)
    return _wrapped(a[0] - b[1], a[1] - b[0], a[2] - b[3], a[3] - b[2], zeros, ones, bits)


def mul(a: Value, b: Value, bits: int) -> Value:
    corners = (a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1])
    twos = min(_trailing(a[4]) + _trailing(b[4]), bits)
    zeros = (1 << twos) - 1
    return _wrapped(min(corners), max(corners), a[2] * b[2], a[3] * b[3], zeros, 0, bits)


def _trailing(mask: int) -> int:
    """Number of ones at the low end."""
    return (~mask & (mask + 1)).bit_length() - 1


def udiv(a: Value, b: Value, bits: int) -> Value:
    if b[2] == 0:
        return top(bits)
    return unsigned(a[2] // b[3], a[3] // b[2], bits)


def urem(a: Value, b: Value, bits: int) -> Value:
    if b[2] == 0:
        return top(bits)
    if a[3] < b[2]:
        return a
    if is_const(a) and is_const(b):
        return const(a[2] % b[2], bits)
    hi = min(a[3], b[3] - 1)
    if is_const(b) and b[2] & (b[2] - 1) == 0:
        return and_(a, const(b[2] - 1, bits), bits)
    return unsigned(0, hi, bits)


def _quotient(a: int, b: int) -> int:
    return -(-a // b) if (a < 0) != (b < 0) and a % b else a // b


def sdiv(a: Value, b: Value, bits: int) -> Value:
    smallest = -(1 << (bits - 1))
    if contains(b, 0, bits) and b[0] <= 0 <= b[1]:
        return top(bits)
    if a[0] == smallest and b[0] <= -1 <= b[1]:
        return top(bits)
    ends = [b[0], b[1], *(near for near in (-1, 1) if b[0] < near < b[1])]
    corners = [_quotient(x, y) for x in (a[0], a[1]) for y in ends if y != 0]
    return signed(min(corners), max(corners), bits)


def srem(a: Value, b: Value, bits: int) -> Value:
    if b[0] <= 0 <= b[1] and contains(b, 0, bits):
        return top(bits)
    if a[0] == -(1 << (bits - 1)) and b[0] <= -1 <= b[1]:
        return top(bits)
    if is_const(a) and is_const(b):
        return const(a[0] - _quotient(a[0], b[0]) * b[0], bits)
    largest = max(abs(b[0]), abs(b[1])) - 1
    if a[0] >= 0 and b[0] > 0 and a[1] < b[0]:
        return a
    lo = 0 if a[0] >= 0 else max(a[0], -largest)
    hi = 0 if a[1] <= 0 else min(a[1], largest)
    return signed(lo, hi, bits)


# ---------------------------------------------------------------- bits


def and_(a: Value, b: Value, bits: int) -> Value:
    value = make(*top(bits)[:2], 0, min(a[3], b[3]), a[4] | b[4], a[5] & b[5], bits)
    assert value is not None
    return value


def or_(a: Value, b: Value, bits: int) -> Value:
    hi = (1 << max(a[3], b[3]).bit_length()) - 1
    value = make(*top(bits)[:2], max(a[2], b[2]), hi, a[4] & b[4], a[5] | b[5], bits)
    assert value is not None
    return value


def xor(a: Value, b: Value, bits: int) -> Value:
    mask = (1 << bits) - 1
    if b[2] == mask:
        return (~a[1], ~a[0], mask - a[3], mask - a[2], a[5], a[4])
    hi = (1 << max(a[3], b[3]).bit_length()) - 1
    zeros = (a[4] & b[4]) | (a[5] & b[5])
    ones = (a[4] & b[5]) | (a[5] & b[4])
    value = make(*top(bits)[:2], 0, hi, zeros, ones, bits)
    assert value is not None
    return value


def shl(a: Value, b: Value, bits: int) -> Value:
    if b[3] >= bits:
        return top(bits)
    zeros = (1 << min(b[2] + _trailing(a[4]), bits)) - 1
    ones = 0
    if is_const(b):
        mask = (1 << bits) - 1
        zeros = ((a[4] << b[2]) | ((1 << b[2]) - 1)) & mask
        ones = (a[5] << b[2]) & mask
    corners = [x << y for x in (a[0], a[1]) for y in (b[2], b[3])]
    return _wrapped(min(corners), max(corners), a[2] << b[2], a[3] << b[3], zeros, ones, bits)


def lshr(a: Value, b: Value, bits: int) -> Value:
    if b[3] >= bits:
        return top(bits)
    zeros = ones = 0
    if is_const(b):
        mask = (1 << bits) - 1
        zeros = (a[4] >> b[2]) | (mask ^ (mask >> b[2]))
        ones = a[5] >> b[2]
    value = make(*top(bits)[:2], a[2] >> b[3], a[3] >> b[2], zeros, ones, bits)
    assert value is not None
    return value


def ashr(a: Value, b: Value, bits: int) -> Value:
    if b[3] >= bits:
        return top(bits)
    corners = [x >> y for x in (a[0], a[1]) for y in (b[2], b[3])]
    return signed(min(corners), max(corners), bits)


# ---------------------------------------------------------------- width


def trunc(a: Value, bits: int) -> Value:
    """To a narrower width."""
    mask = (1 << bits) - 1
    return _wrapped(a[0], a[1], a[2], a[3], a[4] & mask, a[5] & mask, bits)


def zext(a: Value, old: int, bits: int) -> Value:
    high = ((1 << bits) - 1) ^ ((1 << old) - 1)
    return (a[2], a[3], a[2], a[3], a[4] | high, a[5])


def sext(a: Value, old: int, bits: int) -> Value:
    high = ((1 << bits) - 1) ^ ((1 << old) - 1)
    sign = 1 << (old - 1)
    zeros = a[4] | high if a[4] & sign else a[4]
    ones = a[5] | high if a[5] & sign else a[5]
    value = make(a[0], a[1], *top(bits)[2:4], zeros, ones, bits)
    assert value is not None
    return value


BINARY = {
    "add": add, "sub": sub, "mul": mul, "udiv": udiv, "sdiv": sdiv, "urem": urem, "srem": srem,
    "shl": shl, "lshr": lshr, "ashr": ashr, "and": and_, "or": or_, "xor": xor,
}  # fmt: skip

# ---------------------------------------------------------------- comparison

SWAPPED = {
    "eq": "eq", "ne": "ne", "ult": "ugt", "ugt": "ult", "ule": "uge", "uge": "ule",
    "slt": "sgt", "sgt": "slt", "sle": "sge", "sge": "sle",
}  # fmt: skip
NEGATED = {
    "eq": "ne", "ne": "eq", "ult": "uge", "uge": "ult", "ugt": "ule", "ule": "ugt",
    "slt": "sge", "sge": "slt", "sgt": "sle", "sle": "sgt",
}  # fmt: skip


def compare(predicate: str, a: Value, b: Value) -> bool | None:
    """Whether `a predicate b` holds for all pairs (True), for none (False), or depends (None)."""
    match predicate:
        case "eq":
            if a[2] == a[3] == b[2] == b[3]:
                return True
            return False if _disjoint(a, b) else None
        case "ult":
            return True if a[3] < b[2] else False if a[2] >= b[3] else None
        case "ule":
            return True if a[3] <= b[2] else False if a[2] > b[3] else None
        case "slt":
            return True if a[1] < b[0] else False if a[0] >= b[1] else None
        case "sle":
            return True if a[1] <= b[0] else False if a[0] > b[1] else None
        case "ne":
            known = compare("eq", a, b)
            return None if known is None else not known
        case _:
            return compare(SWAPPED[predicate], b, a)


def _disjoint(a: Value, b: Value) -> bool:
    if a[3] < b[2] or b[3] < a[2] or a[1] < b[0] or b[1] < a[0]:
        return True
    return bool(a[4] & b[5] or a[5] & b[4])


def refine(predicate: str, a: Value, b: Value, bits: int) -> tuple[Value, Value] | None:
    """What `a` and `b` can be where `a predicate b` holds; None if it cannot."""
    slo, shi, ulo, uhi, zeros, ones = a
    match predicate:
        case "eq":
            both = meet(a, b, bits)
            return None if both is None else (both, both)
        case "ne":
            return _apart(a, b, bits)
        case "ult":
            first = make(slo, shi, ulo, min(uhi, b[3] - 1), zeros, ones, bits)
            second = make(b[0], b[1], max(b[2], ulo + 1), b[3], b[4], b[5], bits)
        case "ule":
            first = make(slo, shi, ulo, min(uhi, b[3]), zeros, ones, bits)
            second = make(b[0], b[1], max(b[2], ulo), b[3], b[4], b[5], bits)
        case "slt":
            first = make(slo, min(shi, b[1] - 1), ulo, uhi, zeros, ones, bits)
            second = make(max(b[0], slo + 1), b[1], b[2], b[3], b[4], b[5], bits)
        case "sle":
            first = make(slo, min(shi, b[1]), ulo, uhi, zeros, ones, bits)
            second = make(max(b[0], slo), b[1], b[2], b[3], b[4], b[5], bits)
        case _:
            swapped = refine(SWAPPED[predicate], b, a, bits)
            return None if swapped is None else (swapped[1], swapped[0])
    return None if first is None or second is None else (first, second)


def _apart(a: Value, b: Value, bits: int) -> tuple[Value, Value] | None:
    first = _without(a, b[2], bits) if is_const(b) else a
    second = _without(b, a[2], bits) if is_const(a) else b
    return None if first is None or second is None else (first, second)


def _without(a: Value, number: int, bits: int) -> Value | None:
    """`a` less one number, where that number is at an end of an interval."""
    slo, shi, ulo, uhi, zeros, ones = a
    as_signed = number - (1 << bits) if number >> (bits - 1) else number
    slo += slo == as_signed
    shi -= shi == as_signed
    ulo += ulo == number
    uhi -= uhi == number
    if slo > shi or ulo > uhi:
        return None
    return make(slo, shi, ulo, uhi, zeros, ones, bits)
