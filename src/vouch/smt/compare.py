"""Equality of all sorts, bit-vector order and overflow predicates, with their local rewriting.

Normal forms: only `ult` and `slt` exist (the others are swapped or negated); a constant of an
equality stands right; overflow against a constant becomes a comparison.
"""

from __future__ import annotations

from collections.abc import Callable

from vouch.smt.bitvector import bnot, constant_branches, extract
from vouch.smt.boolean import and_, iff, ite, not_, or_
from vouch.smt.intervals import bounds, signed_range, unsigned
from vouch.smt.node import FALSE, TRUE, Term, boolean, bv, make, switches
from vouch.smt.operators import signed
from vouch.smt.sort import BOOL

_CHAIN = 32  # How far an equality with a constant is pushed down a chain of conditionals.


def _expect_same(a: Term, b: Term) -> None:
    if a.sort is not b.sort:
        raise TypeError(f"operands of sorts {a.sort!r} and {b.sort!r}")


def eq(a: Term, b: Term) -> Term:
    """Equality. Floats: the same value, zeros of different sign differ, NaN equals NaN."""
    if a is b:
        return TRUE
    if a.sort is not b.sort:
        _expect_same(a, b)
    if a.sort is BOOL:
        return iff(a, b)
    if a.value is not None:
        if b.value is not None:
            return boolean(a.value == b.value)
        a, b = b, a
    if not switches.simplify:
        return _equal(a, b)
    if b.value is not None:
        return _eq_constant(a, b)
    if a.sort.kind == "bv":
        return _eq_terms(a, b)
    return _equal(a, b)


def ne(a: Term, b: Term) -> Term:
    return not_(eq(a, b))


def _equal(a: Term, b: Term) -> Term:
    if b.value is None and a.id > b.id:
        a, b = b, a
    return make("eq", (a, b), BOOL)


def _eq_constant(a: Term, c: Term) -> Term:
    """a = c. Conditionals on the way down are collected, so that long chains need no recursion."""
    collected: list[tuple[bool, Term]] = []
    for _ in range(_CHAIN):
        if a.op != "ite":
            break
        condition, x, y = a.args
        if x.value is not None:
            a = y
        elif y.value is not None:
            condition, x, a = not_(condition), y, x
        else:
            break
        collected.append((x.value == c.value, condition))
        if a.value is not None:
            break
    result = boolean(a.value == c.value) if a.value is not None else _eq_leaf(a, c)
    for hit, condition in reversed(collected):
        result = or_(condition, result) if hit else and_(not_(condition), result)
    return result


def _eq_leaf(a: Term, c: Term) -> Term:
    if a.sort.kind != "bv":
        return _equal(a, c)
    value = c.value
    assert value is not None
    low, high = bounds(a)
    if not (low <= value <= high or low <= value - (1 << a.width) <= high):
        return FALSE
    match a.op:
        case "add" if a.args[1].value is not None:
            return eq(a.args[0], bv(value - a.args[1].value, a.width))
        case "sub":
            x, y = a.args
            return (
                eq(x, y)
                if value == 0
                else eq(y, bv(x.value - value, a.width))
                if x.value is not None
                else _equal(a, c)
            )
        case "bxor" if a.args[1].value is not None:
            return eq(a.args[0], bv(value ^ a.args[1].value, a.width))
        case "bnot":
            return eq(a.args[0], bv(~value, a.width))
        case "neg":
            return eq(a.args[0], bv(-value, a.width))
        case "zext" | "sext":  # The interval has shown that the constant is an extension.
            return eq(a.args[0], bv(value, a.args[0].width))
        case "mul" if a.args[1].value is not None and a.args[1].value % 2:
            return eq(a.args[0], bv(value * pow(a.args[1].value, -1, 1 << a.width), a.width))
        case "mul" if a.args[1].value is not None and unsigned(a.args[0])[1] * a.args[1].value < (
            1 << a.width
        ):
            quotient, rest = divmod(value, a.args[1].value)
            return FALSE if rest else eq(a.args[0], bv(quotient, a.width))
        case "shl" | "lshr" if a.args[1].value is not None:
            return _eq_shifted(a, value, a.args[1].value)
        case "band" if a.args[1].value is not None and value & ~a.args[1].value:
            return FALSE
        case "bor" if a.args[1].value is not None and ~value & a.args[1].value:
            return FALSE
        case "concat":
            x, y = a.args
            return and_(eq(x, bv(value >> y.width, x.width)), eq(y, bv(value, y.width)))
    return _equal(a, c)


def _eq_shifted(a: Term, value: int, by: int) -> Term:
    """A constant shift equals a constant: the bits that are kept do, and those shifted in are zero."""
    inner, width = a.args[0], a.width
    if a.op == "shl":
        if value & ((1 << by) - 1):
            return FALSE
        return eq(extract(inner, width - 1 - by, 0), bv(value >> by, width - by))
    if value >> (width - by):
        return FALSE
    return eq(extract(inner, width - 1, by), bv(value, width - by))


def _eq_terms(a: Term, b: Term) -> Term:
    if a.op == b.op and a.op in ("zext", "sext") and a.args[0].sort is b.args[0].sort:
        return eq(a.args[0], b.args[0])
    if a.op == "add" or b.op == "add":
        (x, c), (y, d) = _split(a), _split(b)
        if x is y:
            return boolean(c == d)
        if c and c == d:
            return eq(x, y)
        for p, q in ((a, b), (b, a)):
            if p.op == "add" and q in p.args:
                return eq(p.args[1] if p.args[0] is q else p.args[0], bv(0, a.width))
    if a.op in ("bnot", "neg") and a.op == b.op:
        return eq(a.args[0], b.args[0])
    return FALSE if _apart(a, b) else _equal(a, b)


def _split(a: Term) -> tuple[Term, int]:
    """`a` as term plus constant."""
    if a.op == "add" and a.args[1].value is not None:
        return a.args[0], a.args[1].value
    return a, 0


def _apart(a: Term, b: Term) -> bool:
    (p, q), (r, s) = bounds(a), bounds(b)
    size = 1 << a.width
    return all(q + k < r or s < p + k for k in (-size, 0, size))


def ult(a: Term, b: Term) -> Term:
    _expect_same(a, b)
    if a is b:
        return FALSE
    if a.value is not None and b.value is not None:
        return boolean(a.value < b.value)
    if not switches.simplify:
        return make("ult", (a, b), BOOL)
    (low_a, high_a), (low_b, high_b) = unsigned(a), unsigned(b)
    if high_a < low_b:
        return TRUE
    if low_a >= high_b:
        return FALSE
    if b.value is not None:
        if b.value == low_a + 1 and a.value is None:
            return eq(a, bv(low_a, a.width))
        if b.value == high_a:
            return not_(eq(a, b))
    elif a.value is not None:
        if a.value + 1 == high_b:
            return eq(b, bv(high_b, b.width))
        if a.value == low_b:
            return not_(eq(b, a))
    return _ordered("ult", ult, a, b)


def slt(a: Term, b: Term) -> Term:
    _expect_same(a, b)
    if a is b:
        return FALSE
    if a.value is not None and b.value is not None:
        return boolean(signed(a.value, a.width) < signed(b.value, b.width))
    if not switches.simplify:
        return make("slt", (a, b), BOOL)
    (low_a, high_a), (low_b, high_b) = signed_range(a), signed_range(b)
    if high_a < low_b:
        return TRUE
    if low_a >= high_b:
        return FALSE
    if b.value is not None:
        if low_b == low_a + 1:
            return eq(a, bv(low_a, a.width))
        if low_b == high_a:
            return not_(eq(a, b))
    elif a.value is not None:
        if low_a + 1 == high_b:
            return eq(b, bv(high_b, b.width))
        if low_a == low_b:
            return not_(eq(b, a))
    if low_a >= 0 and low_b >= 0 and a.width > 1 and (a.op == "zext" or b.op == "zext"):
        return ult(a, b)
    return _ordered("slt", slt, a, b)


def _ordered(op: str, compare: Callable[[Term, Term], Term], a: Term, b: Term) -> Term:
    """A comparison that the ranges leave open: conditionals between constants, extensions."""
    for x, y in ((a, b), (b, a)):
        if y.value is not None:
            if constant_branches(x):
                left, right = (compare(z, y) if x is a else compare(y, z) for z in x.args[1:])
                return ite(x.args[0], left, right)
            if x.op == "zext" if op == "ult" else x.op == "sext":
                inner = x.args[0]
                narrow = _narrowed(y, inner.width, op == "slt")
                if narrow is not None:
                    return compare(inner, narrow) if x is a else compare(narrow, inner)
            solved = _solved(x, y, op == "slt", x is a)
            if solved is not None:
                return solved
    extension = "zext" if op == "ult" else "sext"
    if a.op == b.op == extension and a.args[0].sort is b.args[0].sort:
        return compare(a.args[0], b.args[0])
    return make(op, (a, b), BOOL)


def _solved(x: Term, c: Term, as_signed: bool, less: bool) -> Term | None:
    """x < c (or c < x), where x is a term times or plus a constant that cannot wrap around: a comparison
    of that term alone."""
    if x.op not in ("add", "mul") or x.args[1].value is None:
        return None
    assert c.value is not None
    inner, size = x.args[0], 1 << x.width
    bottom, top = (-(size >> 1), (size >> 1) - 1) if as_signed else (0, size - 1)
    low, high = signed_range(inner) if as_signed else unsigned(inner)
    limit = signed(c.value, c.width) if as_signed else c.value
    for k in (x.args[1].value, x.args[1].value - size):
        factor, offset = (k, 0) if x.op == "mul" else (1, k)
        if factor <= 0 or low * factor + offset < bottom or high * factor + offset > top:
            continue
        # inner · factor + offset < limit, or limit < inner · factor + offset
        border = -((offset - limit) // factor) if less else (limit - offset) // factor
        if not bottom <= border <= top:
            return boolean((border > top) == less)
        other = bv(border, x.width)
        compare = slt if as_signed else ult
        return compare(inner, other) if less else compare(other, inner)
    return None


def _narrowed(c: Term, width: int, as_signed: bool) -> Term | None:
    """The constant in `width` bits if it keeps its value there."""
    assert c.value is not None
    value = signed(c.value, c.width) if as_signed else c.value
    narrow = bv(value, width)
    assert narrow.value is not None
    back = signed(narrow.value, width) if as_signed else narrow.value
    return narrow if back == value else None


def ule(a: Term, b: Term) -> Term:
    return not_(ult(b, a))


def ugt(a: Term, b: Term) -> Term:
    return ult(b, a)


def uge(a: Term, b: Term) -> Term:
    return not_(ult(a, b))


def sle(a: Term, b: Term) -> Term:
    return not_(slt(b, a))


def sgt(a: Term, b: Term) -> Term:
    return slt(b, a)


def sge(a: Term, b: Term) -> Term:
    return not_(slt(a, b))


def bv_to_bool(a: Term) -> Term:
    """Whether a bit-vector of one bit is 1."""
    return eq(a, bv(1, 1))


def uadd_overflow(a: Term, b: Term) -> Term:
    if a.value is not None:
        a, b = b, a
    return ult(bnot(b), a)


def usub_overflow(a: Term, b: Term) -> Term:
    return ult(a, b)


def _outside(low: int, high: int, width: int) -> Term | None:
    """Whether exact signed results in [low, high] overflow, when the range alone tells."""
    half = 1 << (width - 1)
    if -half <= low and high < half:
        return FALSE
    return TRUE if high < -half or low >= half else None


def sadd_overflow(a: Term, b: Term) -> Term:
    _expect_same(a, b)
    width = a.width
    if a.value is not None:
        a, b = b, a
    if switches.simplify or a.value is not None:
        (p, q), (r, s) = signed_range(a), signed_range(b)
        known = _outside(p + r, q + s, width)
        if known is not None:
            return known
        if b.value is not None:
            half = 1 << (width - 1)
            return sgt(a, bv(half - 1 - r, width)) if r > 0 else slt(a, bv(-half - r, width))
    return make("sadd_overflow", (a, b) if a.id < b.id else (b, a), BOOL)


def ssub_overflow(a: Term, b: Term) -> Term:
    _expect_same(a, b)
    width = a.width
    if switches.simplify or (a.value is not None and b.value is not None):
        (p, q), (r, s) = signed_range(a), signed_range(b)
        known = _outside(p - s, q - r, width)
        if known is not None:
            return known
        half = 1 << (width - 1)
        if b.value is not None:
            return slt(a, bv(r - half, width)) if r > 0 else sgt(a, bv(half - 1 + r, width))
        if a.value is not None:  # p - b < -half or p - b >= half
            return sgt(b, bv(p + half, width)) if p < 0 else slt(b, bv(p - half + 1, width))
    return make("ssub_overflow", (a, b), BOOL)


def smul_overflow(a: Term, b: Term) -> Term:
    _expect_same(a, b)
    width = a.width
    if a.value is not None:
        a, b = b, a
    if switches.simplify or a.value is not None:
        (p, q), (r, s) = signed_range(a), signed_range(b)
        corners = (p * r, p * s, q * r, q * s)
        known = _outside(min(corners), max(corners), width)
        if known is not None:
            return known
        if b.value is not None:
            return _outside_multiples(a, r)
    return make("smul_overflow", (a, b) if a.id < b.id else (b, a), BOOL)


def _outside_multiples(a: Term, factor: int) -> Term:
    """Whether a · factor overflows: `a` is outside the largest interval that the factor keeps inside."""
    half = 1 << (a.width - 1)
    ends = (-half, half - 1) if factor > 0 else (half - 1, -half)
    low, high = -(-ends[0] // factor), ends[1] // factor
    below = slt(a, bv(low, a.width)) if low > -half else FALSE
    above = sgt(a, bv(high, a.width)) if high < half else FALSE
    return or_(below, above)


def umul_overflow(a: Term, b: Term) -> Term:
    _expect_same(a, b)
    if a.value is not None:
        a, b = b, a
    if switches.simplify or a.value is not None:
        (p, q), (r, s) = unsigned(a), unsigned(b)
        top = (1 << a.width) - 1
        if q * s <= top:
            return FALSE
        if p * r > top:
            return TRUE
        if b.value:
            return ugt(a, bv(top // b.value, a.width))
    return make("umul_overflow", (a, b) if a.id < b.id else (b, a), BOOL)
