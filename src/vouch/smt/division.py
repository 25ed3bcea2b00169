"""Constructors of division and remainder, with their local rewriting by ranges.

SMT-LIB's results over zero: x udiv 0 is all ones, x sdiv 0 is 1 or -1, both remainders are x. Signed
operators on values that are never negative become the unsigned ones, which are simpler.
"""

from __future__ import annotations

from vouch.smt.bitvector import band, constant_branches, lshr, mul, neg, power_of_two
from vouch.smt.boolean import ite
from vouch.smt.intervals import signed_range, unsigned
from vouch.smt.node import Term, bv, constant, make, switches
from vouch.smt.operators import fold


def _divide(op: str, a: Term, b: Term) -> Term:
    if a.value is not None and b.value is not None:
        return constant(fold(op, (a, b), a.sort), a.sort)
    if switches.simplify and b.value is not None and constant_branches(a):
        return ite(a.args[0], _divide(op, a.args[1], b), _divide(op, a.args[2], b))
    return make(op, (a, b), a.sort)


def _open(a: Term, b: Term) -> bool:
    """Whether there is something to rewrite: a constant divisor under a dividend that is none."""
    if a.sort is not b.sort:
        raise TypeError(f"operands of sorts {a.sort!r} and {b.sort!r}")
    return switches.simplify and b.value is not None and a.value is None


def _multiple(a: Term, divisor: int, as_signed: bool) -> Term | None:
    """a / divisor, where a is a multiple of it that does not wrap around."""
    if a.op != "mul" or a.args[1].value is None:
        return None
    factor = a.args[1].value
    low, high = signed_range(a.args[0]) if as_signed else unsigned(a.args[0])
    half = 1 << (a.width - 1)
    bottom, top = (-half, half - 1) if as_signed else (0, 2 * half - 1)
    if factor % divisor or (as_signed and factor >= half) or low * factor < bottom or high * factor > top:
        return None
    return mul(a.args[0], bv(factor // divisor, a.width))


def udiv(a: Term, b: Term) -> Term:
    if _open(a, b):
        divisor = b.value
        assert divisor is not None
        if divisor == 0:
            return bv(-1, a.width)
        if unsigned(a)[1] < divisor:
            return bv(0, a.width)
        quotient = _multiple(a, divisor, as_signed=False)
        if quotient is not None:
            return quotient
        power = power_of_two(divisor)
        if power is not None:
            return lshr(a, bv(power, a.width))
    return _divide("udiv", a, b)


def urem(a: Term, b: Term) -> Term:
    if _open(a, b):
        divisor = b.value
        assert divisor is not None
        if divisor == 0 or unsigned(a)[1] < divisor:
            return a
        if _multiple(a, divisor, as_signed=False) is not None:
            return bv(0, a.width)
        if power_of_two(divisor) is not None:
            return band(a, bv(divisor - 1, a.width))
    return _divide("urem", a, b)


def _never_negative(a: Term, b: Term) -> bool:
    return switches.simplify and signed_range(a)[0] >= 0 and signed_range(b)[0] >= 0


def sdiv(a: Term, b: Term) -> Term:
    if _open(a, b):
        divisor = b.value
        assert divisor is not None
        if divisor == (1 << b.width) - 1:
            return neg(a)
        if 0 < divisor < 1 << (b.width - 1):
            quotient = _multiple(a, divisor, as_signed=True)
            if quotient is not None:
                return quotient
    if _never_negative(a, b):  # x sdiv 0 is -1 then: all ones, as x udiv 0
        return udiv(a, b)
    return _divide("sdiv", a, b)


def srem(a: Term, b: Term) -> Term:
    if _open(a, b):
        divisor = b.value
        assert divisor is not None
        if divisor in (1, (1 << b.width) - 1):
            return bv(0, a.width)
        if divisor == 0:
            return a
        if divisor < 1 << (b.width - 1):
            low, high = signed_range(a)
            if -divisor < low and high < divisor:
                return a
            if _multiple(a, divisor, as_signed=True) is not None:
                return bv(0, a.width)
    if _never_negative(a, b):
        return urem(a, b)
    return _divide("srem", a, b)
