"""Constructors of floating-point terms. Rounding is to nearest, ties to even, unless a name says so.

min, max, fmod and the conversions to integers are total and deterministic here, spelled out by
operators that all solvers read alike (SMT-LIB leaves corners of them open).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from vouch.smt import softfloat as sf
from vouch.smt.boolean import and_, ite, not_
from vouch.smt.float_ranges import FloatRange
from vouch.smt.intervals import float_range
from vouch.smt.node import FALSE, TRUE, Term, boolean, bv, constant, make, switches
from vouch.smt.operators import fold
from vouch.smt.sort import BOOL, Sort, bitvec


def fp_const(bits: int, sort: Sort) -> Term:
    """The float with those IEEE bits; every NaN is the one NaN."""
    return constant(sf.canonical(sort, bits & ((1 << sort.width) - 1)), sort)


def _apply(op: str, args: tuple[Term, ...], sort: Sort, index: tuple[int | str, ...] = ()) -> Term:
    """The node, or the constant when all arguments are constants."""
    for arg in args:
        if arg.value is None:
            return make(op, args, sort, index)
    value = fold(op, args, sort, index)
    return boolean(value) if sort is BOOL else constant(value, sort)


def _expect(a: Term, *others: Term) -> None:
    if a.sort.kind != "fp" or any(b.sort is not a.sort for b in others):
        raise TypeError(f"float operands of sorts {[x.sort for x in (a, *others)]}")


def _expect_two(a: Term, b: Term) -> None:
    """The same for the operators that are made most often."""
    if a.sort is not b.sort or a.sort.kind != "fp":
        _expect(a, b)


def _is(a: Term, number: int) -> bool:
    """Whether `a` is the constant with that small integer as its value."""
    return a.value is not None and a.value == _small_integer(a.sort, number)


@cache
def _small_integer(sort: Sort, number: int) -> int:
    return sf.from_integer(sort, number)


def fp_add(a: Term, b: Term) -> Term:
    _expect_two(a, b)
    if switches.simplify:
        if a.id > b.id:
            a, b = b, a
        if a.value is not None or b.value is not None:
            for x, y in ((a, b), (b, a)):
                if y.value is not None and y.value == sf.zero(y.sort, 1):  # x + -0 = x, also for x = 0
                    return x
    return _apply("fp_add", (a, b), a.sort)


def fp_sub(a: Term, b: Term) -> Term:
    _expect(a, b)
    if switches.simplify and b.value == 0:
        return a
    return _apply("fp_sub", (a, b), a.sort)


def fp_mul(a: Term, b: Term) -> Term:
    _expect_two(a, b)
    if switches.simplify:
        if a.id > b.id:
            a, b = b, a
        x, factor = (b, a.value) if a.value is not None else (a, b.value)
        if factor is not None:
            if factor == _small_integer(x.sort, 1):
                return x
            if factor == _small_integer(x.sort, -1):
                return fp_neg(x)
    return _apply("fp_mul", (a, b), a.sort)


def fp_div(a: Term, b: Term) -> Term:
    _expect(a, b)
    if switches.simplify:
        if _is(b, 1):
            return a
        if _is(b, -1):
            return fp_neg(a)
    return _apply("fp_div", (a, b), a.sort)


def fp_rem(a: Term, b: Term) -> Term:
    """IEEE remainder (C's `remainder`): a - b·n with n nearest to a/b."""
    _expect(a, b)
    return _apply("fp_rem", (a, b), a.sort)


def fp_fmod(a: Term, b: Term) -> Term:
    """C's `fmod` (LLVM's `frem`): a - b·n with n = a/b cut towards zero; the sign is that of a."""
    _expect(a, b)
    divisor = fp_abs(b)
    nearest = fp_rem(fp_abs(a), divisor)
    magnitude = fp_abs(ite(fp_lt(nearest, fp_const(0, a.sort)), fp_add(nearest, divisor), nearest))
    return ite(fp_is_negative(a), fp_neg(magnitude), magnitude)


def fp_fma(a: Term, b: Term, c: Term) -> Term:
    """a · b + c, rounded once."""
    _expect(a, b, c)
    return _apply("fp_fma", (a, b, c), a.sort)


def fp_sqrt(a: Term) -> Term:
    _expect(a)
    return _apply("fp_sqrt", (a,), a.sort)


def fp_neg(a: Term) -> Term:
    _expect(a)
    if switches.simplify and a.op == "fp_neg":
        return a.args[0]
    return _apply("fp_neg", (a,), a.sort)


def fp_abs(a: Term) -> Term:
    _expect(a)
    if switches.simplify:
        if a.op == "fp_neg":
            return fp_abs(a.args[0])
        if a.op == "fp_abs":
            return a
    return _apply("fp_abs", (a,), a.sort)


def fp_min(a: Term, b: Term) -> Term:
    """C's `fmin`: the smaller, the other one beside NaN; `a` when they are equal."""
    return ite(fp_is_nan(a), b, ite(fp_lt(b, a), b, a))


def fp_max(a: Term, b: Term) -> Term:
    """C's `fmax`: the greater, the other one beside NaN; `a` when they are equal."""
    return ite(fp_is_nan(a), b, ite(fp_lt(a, b), b, a))


def fp_round(a: Term, mode: str) -> Term:
    """`a` rounded to an integral float: mode is rne, rna, rtp (ceil), rtn (floor) or rtz (trunc)."""
    _expect(a)
    if mode not in ("rne", "rna", "rtp", "rtn", "rtz"):
        raise ValueError(f"no such rounding mode: {mode}")
    if switches.simplify and a.op == "fp_round":
        return a
    return _apply("fp_round", (a,), a.sort, (mode.upper(),))


def _compared(a: Term, b: Term) -> tuple[Term, Term]:
    """The operands of a comparison, both without a widening that does not change their values."""
    _expect(a, b)
    if not switches.simplify:
        return a, b
    narrow = next((x.args[0].sort for x in (a, b) if x.op == "fp_to_fp" and _widens(x)), None)
    if narrow is None:
        return a, b
    cut = [_narrowed(x, narrow) for x in (a, b)]
    return (a, b) if cut[0] is None or cut[1] is None else (cut[0], cut[1])


def _widens(a: Term) -> bool:
    source = a.args[0].sort
    return source.exponent <= a.sort.exponent and source.significand <= a.sort.significand


def _narrowed(a: Term, sort: Sort) -> Term | None:
    if a.op == "fp_to_fp" and a.args[0].sort is sort:
        return a.args[0]
    if a.value is None:
        return None
    bits = sf.convert(a.sort, sort, a.value)
    return constant(bits, sort) if sf.convert(sort, a.sort, bits) == a.value else None


def fp_eq(a: Term, b: Term) -> Term:
    """IEEE equality: false for NaN, true for zeros of either sign."""
    a, b = _compared(a, b)
    if switches.simplify:
        if a is b:
            return not_(fp_is_nan(a))
        x, y = float_range(a), float_range(b)
        if x.high < y.low or y.high < x.low:
            return FALSE
        if a.id > b.id:
            a, b = b, a
    return _apply("fp_eq", (a, b), BOOL)


def fp_lt(a: Term, b: Term) -> Term:
    a, b = _compared(a, b)
    if a is b:
        return FALSE
    if switches.simplify:
        x, y = float_range(a), float_range(b)
        if x.low >= y.high or x.empty or y.empty:
            return FALSE
        if x.high < y.low:
            return _numbers(a, b)
    return _apply("fp_lt", (a, b), BOOL)


def fp_le(a: Term, b: Term) -> Term:
    a, b = _compared(a, b)
    if a is b:
        return not_(fp_is_nan(a))
    if switches.simplify:
        x, y = float_range(a), float_range(b)
        if x.low > y.high or x.empty or y.empty:
            return FALSE
        if x.high <= y.low:
            return _numbers(a, b)
    return _apply("fp_le", (a, b), BOOL)


def _numbers(a: Term, b: Term) -> Term:
    """Neither is NaN: what is left of a comparison that the ranges decide."""
    return and_(not_(fp_is_nan(a)), not_(fp_is_nan(b)))


def _test(op: str, a: Term, possible: Callable[[FloatRange], bool]) -> Term:
    """A predicate that is false unless the range makes it possible."""
    _expect(a)
    if switches.simplify:
        if not possible(float_range(a)):
            return FALSE
        if a.op == "ite" and (a.args[1].value is not None or a.args[2].value is not None):
            return ite(a.args[0], _apply(op, (a.args[1],), BOOL), _apply(op, (a.args[2],), BOOL))
    return _apply(op, (a,), BOOL)


def fp_is_nan(a: Term) -> Term:
    if switches.simplify:
        if a.op in ("fp_neg", "fp_abs", "fp_round", "fp_to_fp"):
            return fp_is_nan(a.args[0])
        if a.sort.kind == "fp" and float_range(a).empty:
            return TRUE
    return _test("fp_is_nan", a, lambda r: r.nan)


def fp_is_inf(a: Term) -> Term:
    if switches.simplify and a.op in ("fp_neg", "fp_abs", "fp_round"):
        return fp_is_inf(a.args[0])
    top = sf.infinity(a.sort)
    return _test("fp_is_inf", a, lambda r: r.high >= top or r.low <= -top)


def fp_is_zero(a: Term) -> Term:
    if switches.simplify and a.op in ("fp_neg", "fp_abs"):
        return fp_is_zero(a.args[0])
    return _test("fp_is_zero", a, lambda r: r.low <= 0 <= r.high)


def fp_is_negative(a: Term) -> Term:
    """Whether the sign bit is set and `a` is a number."""
    return _test("fp_is_negative", a, lambda r: r.low <= 0 and not r.empty)


def fp_is_subnormal(a: Term) -> Term:
    least = 1 << (a.sort.significand - 1)  # the least normal number
    return _test("fp_is_subnormal", a, lambda r: r.low < least and r.high > -least and not r.empty)


def fp_from_bits(a: Term, sort: Sort) -> Term:
    """The float whose IEEE bits are `a`."""
    if a.width != sort.width or a.sort.kind != "bv":
        raise TypeError(f"a float of {sort.width} bits from {a.sort!r}")
    if type(a.value) is int:
        return fp_const(a.value, sort)
    return _apply("fp_from_bits", (a,), sort, (sort.exponent, sort.significand))


def fp_from_sbv(a: Term, sort: Sort) -> Term:
    """The float nearest to `a` read as a signed integer."""
    return _apply("fp_from_sbv", (a,), sort, (sort.exponent, sort.significand))


def fp_from_ubv(a: Term, sort: Sort) -> Term:
    """The float nearest to `a` read as an unsigned integer."""
    return _apply("fp_from_ubv", (a,), sort, (sort.exponent, sort.significand))


def fp_to_fp(a: Term, sort: Sort) -> Term:
    """`a` in another format, rounded to nearest."""
    _expect(a)
    if a.sort is sort:
        return a
    if switches.simplify and a.op == "fp_to_fp" and _widens(a):
        return fp_to_fp(a.args[0], sort)
    return _apply("fp_to_fp", (a,), sort, (sort.exponent, sort.significand))


def fp_in_range(a: Term, low: int, high: int) -> Term:
    """Whether `a` cut towards zero is an integer in [low, high]; false for NaN and infinities."""
    _expect(a)
    return and_(_above(a, low - 1), _below(a, high + 1)) if low <= 0 <= high else FALSE


def _above(a: Term, limit: int) -> Term:
    """a > limit, for a negative integer; exact though the limit may not be representable."""
    nearest = sf.from_integer(a.sort, limit, "rtp")
    if sf.is_inf(a.sort, sf.from_integer(a.sort, limit, "rtn")):
        nearest = sf.largest(a.sort, 1)
    exact = _integer(a.sort, nearest) == limit
    return (fp_lt if exact else fp_le)(constant(nearest, a.sort), a)


def _below(a: Term, limit: int) -> Term:
    """a < limit, for a positive integer."""
    nearest = sf.from_integer(a.sort, limit, "rtn")
    if sf.is_inf(a.sort, sf.from_integer(a.sort, limit, "rtp")):
        nearest = sf.largest(a.sort)
    exact = _integer(a.sort, nearest) == limit
    return (fp_lt if exact else fp_le)(a, constant(nearest, a.sort))


def _integer(sort: Sort, bits: int) -> int:
    return sf.to_integer(sort, bits, -(1 << (1 << sort.exponent)), 1 << (1 << sort.exponent))


def fp_to_sbv(a: Term, width: int) -> Term:
    """`a` cut towards zero as a signed integer; 0 when it does not fit or is NaN."""
    fits = fp_in_range(a, -(1 << (width - 1)), (1 << (width - 1)) - 1)
    return ite(fits, _apply("fp_to_sbv", (a,), bitvec(width), (width,)), bv(0, width))


def fp_to_ubv(a: Term, width: int) -> Term:
    """`a` cut towards zero as an unsigned integer; 0 when it does not fit or is NaN."""
    fits = fp_in_range(a, 0, (1 << width) - 1)
    return ite(fits, _apply("fp_to_ubv", (a,), bitvec(width), (width,)), bv(0, width))
