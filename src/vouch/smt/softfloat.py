"""IEEE 754 arithmetic on bit patterns, exact for every format, by integers alone.

A float of sort `s` is the integer of its bits. There is one NaN, the canonical quiet one, as in
SMT-LIB. Every operation computes the exact result as sign · magnitude · 2^scale and rounds once.
"""

from __future__ import annotations

from math import isqrt
from typing import Literal, NamedTuple

from vouch.smt.sort import Sort

Mode = Literal["rne", "rna", "rtp", "rtn", "rtz"]


class Finite(NamedTuple):
    """A finite value: (-1)^sign · magnitude · 2^scale. Zero keeps its sign."""

    sign: int
    magnitude: int
    scale: int


def bias(s: Sort) -> int:
    return (1 << (s.exponent - 1)) - 1


def nan(s: Sort) -> int:
    """The canonical quiet NaN."""
    return (((1 << s.exponent) - 1) << (s.significand - 1)) | (1 << (s.significand - 2))


def infinity(s: Sort, sign: int = 0) -> int:
    return (sign << (s.width - 1)) | (((1 << s.exponent) - 1) << (s.significand - 1))


def zero(s: Sort, sign: int = 0) -> int:
    return sign << (s.width - 1)


def largest(s: Sort, sign: int = 0) -> int:
    return infinity(s, sign) - 1


def is_nan(s: Sort, x: int) -> bool:
    return x & ((1 << (s.width - 1)) - 1) > ((1 << s.exponent) - 1) << (s.significand - 1)


def is_inf(s: Sort, x: int) -> bool:
    return magnitude_bits(s, x) == infinity(s)


def _finite(s: Sort, x: int, y: int) -> bool:
    half, top = (1 << (s.width - 1)) - 1, ((1 << s.exponent) - 1) << (s.significand - 1)
    return x & half < top and y & half < top


def is_zero(s: Sort, x: int) -> bool:
    return magnitude_bits(s, x) == 0


def is_subnormal(s: Sort, x: int) -> bool:
    return 0 < magnitude_bits(s, x) < (1 << (s.significand - 1))


def sign_of(s: Sort, x: int) -> int:
    return x >> (s.width - 1)


def is_negative(s: Sort, x: int) -> bool:
    return sign_of(s, x) == 1 and not is_nan(s, x)


def magnitude_bits(s: Sort, x: int) -> int:
    return x & ((1 << (s.width - 1)) - 1)


def canonical(s: Sort, x: int) -> int:
    return nan(s) if is_nan(s, x) else x


def unpack(s: Sort, x: int) -> Finite:
    """The exact value of a finite float."""
    fraction = x & ((1 << (s.significand - 1)) - 1)
    exponent = (x >> (s.significand - 1)) & ((1 << s.exponent) - 1)
    lowest = 1 - bias(s) - (s.significand - 1)
    if exponent == 0:
        return Finite(sign_of(s, x), fraction, lowest)
    return Finite(sign_of(s, x), fraction | (1 << (s.significand - 1)), lowest + exponent - 1)


def _up(mode: Mode, sign: int, odd: int, half: int, rest: int) -> bool:
    """Whether to step away from zero, given the first lost bit and whether any later one is set."""
    match mode:
        case "rne":
            return bool(half and (rest or odd))
        case "rna":
            return bool(half)
        case "rtz":
            return False
        case "rtp":
            return bool((half or rest) and not sign)
        case "rtn":
            return bool((half or rest) and sign)


def _shift_round(magnitude: int, shift: int, sticky: bool, sign: int, mode: Mode) -> int:
    """magnitude / 2^shift rounded to an integer; `sticky` adds something below the last bit."""
    if shift <= 0:
        if sticky:  # keep the lost part visible below the unit
            return _shift_round((magnitude << (2 - shift)) | 1, 2, False, sign, mode)
        return magnitude << -shift
    kept = magnitude >> shift
    half = (magnitude >> (shift - 1)) & 1
    rest = int(sticky or magnitude & ((1 << (shift - 1)) - 1) != 0)
    return kept + _up(mode, sign, kept & 1, half, rest)


def pack(s: Sort, value: Finite, mode: Mode = "rne", sticky: bool = False) -> int:
    """The float nearest to `value` (plus a positive rest below its last bit if `sticky`)."""
    sign, magnitude, scale = value
    if magnitude == 0 and not sticky:
        return zero(s, sign)
    precision = s.significand
    lowest = 1 - bias(s) - (precision - 1)
    target = max(magnitude.bit_length() + scale - precision, lowest)
    rounded = _shift_round(magnitude, target - scale, sticky, sign, mode)
    if rounded.bit_length() > precision:
        rounded >>= 1
        target += 1
    if rounded.bit_length() < precision:
        exponent = 0  # subnormal: target is the lowest scale
    else:
        exponent = target - lowest + 1
    if exponent >= (1 << s.exponent) - 1:
        outward = mode in ("rne", "rna") or (mode == "rtp" and not sign) or (mode == "rtn" and sign)
        return infinity(s, sign) if outward else largest(s, sign)
    fraction = rounded & ((1 << (precision - 1)) - 1)
    return (sign << (s.width - 1)) | (exponent << (precision - 1)) | fraction


def _signed(value: Finite, scale: int) -> int:
    """The value as a signed count of 2^scale, for scale no greater than its own."""
    magnitude = value.magnitude << (value.scale - scale)
    return -magnitude if value.sign else magnitude


def _exact_sum(s: Sort, x: Finite, y: Finite, mode: Mode) -> int:
    scale = min(x.scale, y.scale)
    total = _signed(x, scale) + _signed(y, scale)
    if total == 0:
        if x.sign == y.sign:
            return zero(s, x.sign)
        return zero(s, int(mode == "rtn"))
    return pack(s, Finite(int(total < 0), abs(total), scale), mode)


def add(s: Sort, x: int, y: int, mode: Mode = "rne") -> int:
    if _finite(s, x, y):
        return _exact_sum(s, unpack(s, x), unpack(s, y), mode)
    if is_nan(s, x) or is_nan(s, y):
        return nan(s)
    if is_inf(s, x):
        return nan(s) if is_inf(s, y) and x != y else x
    return y


def neg(s: Sort, x: int) -> int:
    return nan(s) if is_nan(s, x) else x ^ (1 << (s.width - 1))


def absolute(s: Sort, x: int) -> int:
    return nan(s) if is_nan(s, x) else magnitude_bits(s, x)


def sub(s: Sort, x: int, y: int, mode: Mode = "rne") -> int:
    return add(s, x, neg(s, y), mode)


def mul(s: Sort, x: int, y: int, mode: Mode = "rne") -> int:
    sign = sign_of(s, x) ^ sign_of(s, y)
    if _finite(s, x, y):
        a, b = unpack(s, x), unpack(s, y)
        return pack(s, Finite(sign, a.magnitude * b.magnitude, a.scale + b.scale), mode)
    if is_nan(s, x) or is_nan(s, y) or is_zero(s, x) or is_zero(s, y):
        return nan(s)
    return infinity(s, sign)


def div(s: Sort, x: int, y: int, mode: Mode = "rne") -> int:
    if is_nan(s, x) or is_nan(s, y):
        return nan(s)
    sign = sign_of(s, x) ^ sign_of(s, y)
    if is_inf(s, x):
        return nan(s) if is_inf(s, y) else infinity(s, sign)
    if is_inf(s, y):
        return zero(s, sign)
    if is_zero(s, y):
        return nan(s) if is_zero(s, x) else infinity(s, sign)
    a, b = unpack(s, x), unpack(s, y)
    # Enough quotient bits that the remainder only decides ties.
    extra = max(0, s.significand + 3 + b.magnitude.bit_length() - a.magnitude.bit_length())
    quotient, remainder = divmod(a.magnitude << extra, b.magnitude)
    return pack(s, Finite(sign, quotient, a.scale - b.scale - extra), mode, remainder != 0)


def fma(s: Sort, x: int, y: int, z: int, mode: Mode = "rne") -> int:
    if is_nan(s, x) or is_nan(s, y) or is_nan(s, z):
        return nan(s)
    sign = sign_of(s, x) ^ sign_of(s, y)
    if is_inf(s, x) or is_inf(s, y):
        if is_zero(s, x) or is_zero(s, y) or (is_inf(s, z) and sign_of(s, z) != sign):
            return nan(s)
        return infinity(s, sign)
    if is_inf(s, z):
        return z
    a, b = unpack(s, x), unpack(s, y)
    product = Finite(sign, a.magnitude * b.magnitude, a.scale + b.scale)
    return _exact_sum(s, product, unpack(s, z), mode)


def sqrt(s: Sort, x: int, mode: Mode = "rne") -> int:
    if is_nan(s, x) or is_zero(s, x):
        return canonical(s, x)
    if sign_of(s, x):
        return nan(s)
    if is_inf(s, x):
        return x
    _, magnitude, scale = unpack(s, x)
    shift = 2 * s.significand + 4
    if (scale - shift) % 2:
        shift += 1
    square = magnitude << shift
    root = isqrt(square)
    return pack(s, Finite(0, root, (scale - shift) // 2), mode, root * root != square)


def rem(s: Sort, x: int, y: int) -> int:
    """IEEE remainder: x - y·n, n the integer nearest to x/y, ties to even."""
    if is_nan(s, x) or is_nan(s, y) or is_inf(s, x) or is_zero(s, y):
        return nan(s)
    if is_inf(s, y) or is_zero(s, x):
        return x
    a, b = unpack(s, x), unpack(s, y)
    scale = min(a.scale, b.scale)
    p, q = a.magnitude << (a.scale - scale), b.magnitude << (b.scale - scale)
    n, r = divmod(p, q)
    if 2 * r > q or (2 * r == q and n & 1):
        r -= q
    if r == 0:
        return zero(s, sign_of(s, x))
    return pack(s, Finite(int((r < 0) != bool(a.sign)), abs(r), scale))


def equal(s: Sort, x: int, y: int) -> bool:
    """IEEE equality: NaN equals nothing, zeros are equal."""
    if is_nan(s, x) or is_nan(s, y):
        return False
    return x == y or (is_zero(s, x) and is_zero(s, y))


def _key(s: Sort, x: int) -> int:
    return -magnitude_bits(s, x) if sign_of(s, x) else magnitude_bits(s, x)


def less(s: Sort, x: int, y: int) -> bool:
    return not (is_nan(s, x) or is_nan(s, y)) and _key(s, x) < _key(s, y)


def less_equal(s: Sort, x: int, y: int) -> bool:
    return not (is_nan(s, x) or is_nan(s, y)) and _key(s, x) <= _key(s, y)


def round_to_integral(s: Sort, x: int, mode: Mode) -> int:
    if is_nan(s, x) or is_inf(s, x) or is_zero(s, x):
        return canonical(s, x)
    sign, magnitude, scale = unpack(s, x)
    if scale >= 0:
        return x
    return pack(s, Finite(sign, _shift_round(magnitude, -scale, False, sign, mode), 0))


def convert(source: Sort, target: Sort, x: int, mode: Mode = "rne") -> int:
    """The float of format `target` nearest to `x` of format `source`."""
    if is_nan(source, x):
        return nan(target)
    if is_inf(source, x):
        return infinity(target, sign_of(source, x))
    return pack(target, unpack(source, x), mode)


def from_integer(s: Sort, value: int, mode: Mode = "rne") -> int:
    return pack(s, Finite(int(value < 0), abs(value), 0), mode)


def to_integer(s: Sort, x: int, low: int, high: int) -> int:
    """`x` rounded towards zero, or 0 when that is outside [low, high] or `x` is not a number."""
    if is_nan(s, x) or is_inf(s, x):
        return 0
    sign, magnitude, scale = unpack(s, x)
    whole = _shift_round(magnitude, -scale, False, sign, "rtz")
    whole = -whole if sign else whole
    return whole if low <= whole <= high else 0
