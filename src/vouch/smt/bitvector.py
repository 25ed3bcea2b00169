"""Constructors of bit-vector terms, with their local rewriting.

Normal forms: the constant of a commutative operator stands right, other operands in order of id;
`x - c` is `x + (-c)`; constants move outwards in sums; shifts keep their operator.
"""

from __future__ import annotations

from vouch.smt.boolean import ite
from vouch.smt.intervals import unsigned
from vouch.smt.node import Term, bv, constant, make, switches
from vouch.smt.operators import fold
from vouch.smt.sort import BOOL, bitvec


def _mismatch(a: Term, b: Term) -> TypeError:
    return TypeError(f"operands of sorts {a.sort!r} and {b.sort!r}")


def constant_branches(a: Term) -> bool:
    """Whether `a` is a conditional between two constants: operators with a constant move into those."""
    return a.op == "ite" and a.args[1].value is not None and a.args[2].value is not None


def _ones(width: int) -> int:
    return (1 << width) - 1


def _ordered(op: str, a: Term, b: Term) -> Term:
    return make(op, (a, b) if a.id < b.id else (b, a), a.sort)


def _both(op: str, a: Term, b: Term) -> Term:
    return constant(fold(op, (a, b), a.sort), a.sort)


def add(a: Term, b: Term) -> Term:
    if a.sort is not b.sort:
        raise _mismatch(a, b)
    if a.value is not None:
        a, b = b, a
    if b.value is not None:
        if a.value is not None:
            return constant((a.value + b.value) & _ones(a.width), a.sort)
        return _add_constant(a, b) if switches.simplify else make("add", (a, b), a.sort)
    if switches.simplify:
        if a.op == "add" and a.args[1].value is not None:
            return add(add(a.args[0], b), a.args[1])
        if b.op == "add" and b.args[1].value is not None:
            return add(add(a, b.args[0]), b.args[1])
        if b.op == "neg":
            return sub(a, b.args[0])
        if a.op == "neg":
            return sub(b, a.args[0])
        if a.op == "sub" and a.args[1] is b:
            return a.args[0]
        if b.op == "sub" and b.args[1] is a:
            return b.args[0]
        if _same_factor(a, b):
            return mul(add(a.args[0], b.args[0]), a.args[1])
    return _ordered("add", a, b)


def _same_factor(a: Term, b: Term) -> bool:
    """Whether both are multiples by the same constant: one multiplication then does for two."""
    return a.op == b.op == "mul" and a.args[1] is b.args[1] and a.args[1].value is not None


def _sign_extended(a: Term, c: Term) -> Term | None:
    """((x & 0xff) ^ 0x80) - 0x80 is x cut to eight bits and sign-extended, as portable C writes it."""
    inner, sign = a.args
    if sign.value is None or sign.value & (sign.value - 1) or (sign.value + (c.value or 0)) & _ones(a.width):
        return None
    if inner.op != "band" or inner.args[1].value != 2 * sign.value - 1:
        return None
    return sext(extract(inner.args[0], sign.value.bit_length() - 1, 0), a.width)


def _add_constant(a: Term, c: Term) -> Term:
    if c.value == 0:
        return a
    if a.op == "add" and a.args[1].value is not None:
        return add(a.args[0], add(a.args[1], c))
    if a.op == "sub" and a.args[0].value is not None:
        return sub(add(a.args[0], c), a.args[1])
    if a.op == "bxor" and (narrow := _sign_extended(a, c)) is not None:
        return narrow
    if constant_branches(a):
        return ite(a.args[0], add(a.args[1], c), add(a.args[2], c))
    return make("add", (a, c), a.sort)


def sub(a: Term, b: Term) -> Term:
    if a.sort is not b.sort:
        raise _mismatch(a, b)
    if b.value is not None:
        return add(a, constant(-b.value & _ones(b.width), b.sort))
    if not switches.simplify:
        return make("sub", (a, b), a.sort)
    if a is b:
        return bv(0, a.width)
    if a.value is not None:
        return _sub_from_constant(a, b)
    if a.op == "add":
        x, y = a.args
        if y.value is not None:
            return add(sub(x, b), y)
        if x is b:
            return y
        if y is b:
            return x
    if b.op == "add" and b.args[1].value is not None:
        return sub(sub(a, b.args[0]), b.args[1])
    if b.op == "neg":
        return add(a, b.args[0])
    if a.op == "sub" and a.args[0] is b:
        return neg(a.args[1])
    if _same_factor(a, b):
        return mul(sub(a.args[0], b.args[0]), a.args[1])
    return make("sub", (a, b), a.sort)


def _sub_from_constant(c: Term, b: Term) -> Term:
    if c.value == 0:
        return neg(b)
    if b.op == "add" and b.args[1].value is not None:
        return sub(sub(c, b.args[1]), b.args[0])
    if b.op == "sub" and b.args[0].value is not None:
        return add(b.args[1], sub(c, b.args[0]))
    if b.op == "neg":
        return add(b.args[0], c)
    if constant_branches(b):
        return ite(b.args[0], sub(c, b.args[1]), sub(c, b.args[2]))
    return make("sub", (c, b), c.sort)


def neg(a: Term) -> Term:
    if a.value is not None:
        return bv(-a.value, a.width)
    if switches.simplify:
        if a.op == "neg":
            return a.args[0]
        if a.op == "sub":
            return sub(a.args[1], a.args[0])
        if constant_branches(a):
            return ite(a.args[0], neg(a.args[1]), neg(a.args[2]))
    return make("neg", (a,), a.sort)


def mul(a: Term, b: Term) -> Term:
    if a.sort is not b.sort:
        raise _mismatch(a, b)
    if a.value is not None:
        a, b = b, a
    if b.value is None:
        return _ordered("mul", a, b)
    if a.value is not None:
        return _both("mul", a, b)
    if switches.simplify:
        if b.value == 0:
            return b
        if b.value == 1:
            return a
        if b.value == _ones(b.width):
            return neg(a)
        if a.op == "mul" and a.args[1].value is not None:
            return mul(a.args[0], mul(a.args[1], b))
        if constant_branches(a):
            return ite(a.args[0], mul(a.args[1], b), mul(a.args[2], b))
    return make("mul", (a, b), a.sort)


def power_of_two(value: int) -> int | None:
    """The exponent of a power of two."""
    return value.bit_length() - 1 if value and value & (value - 1) == 0 else None


def _shift(op: str, a: Term, b: Term) -> Term:
    if a.sort is not b.sort:
        raise _mismatch(a, b)
    if a.value is not None and b.value is not None:
        return _both(op, a, b)
    if switches.simplify:
        if b.value == 0 or a.value == 0:
            return a
        if op == "ashr" and unsigned(a)[1] >> (a.width - 1) == 0:  # never negative
            op = "lshr"
        if b.value is not None and a.op == op and a.args[1].value is not None:
            total = min(a.args[1].value + b.value, _ones(a.width))
            return _shift_far(op, a.args[0], total)
        if b.value is not None:
            return _shift_far(op, a, b.value)
        if a.value is not None and constant_branches(b):
            return ite(b.args[0], _both(op, a, b.args[1]), _both(op, a, b.args[2]))
    return make(op, (a, b), a.sort)


def _shift_far(op: str, a: Term, by: int) -> Term:
    if by >= a.width:
        if op != "ashr":
            return bv(0, a.width)
        by = a.width - 1
    amount = bv(by, a.width)
    if constant_branches(a):
        return ite(a.args[0], _both(op, a.args[1], amount), _both(op, a.args[2], amount))
    return make(op, (a, amount), a.sort) if by else a


def shl(a: Term, b: Term) -> Term:
    return _shift("shl", a, b)


def lshr(a: Term, b: Term) -> Term:
    return _shift("lshr", a, b)


def ashr(a: Term, b: Term) -> Term:
    return _shift("ashr", a, b)


def _bitwise(op: str, a: Term, b: Term) -> Term | None:
    """What `band`, `bor` and `bxor` share; None when their own rules should go on (constant right)."""
    if a.sort is not b.sort:
        raise _mismatch(a, b)
    if b.value is None:
        return None if a.value is not None else _ordered(op, a, b)
    if a.value is not None:
        return _both(op, a, b)
    if not switches.simplify:
        return make(op, (a, b), a.sort)
    if a.op == op and a.args[1].value is not None:
        return _BITWISE[op](a.args[0], _both(op, a.args[1], b))
    if constant_branches(a):
        return ite(a.args[0], _both(op, a.args[1], b), _both(op, a.args[2], b))
    return None


def band(a: Term, b: Term) -> Term:
    if switches.simplify and (a is b or (a.op == "bnot" and a.args[0] is b)):
        return a if a is b else bv(0, a.width)
    if a.value is not None and b.value is None:
        a, b = b, a
    done = _bitwise("band", a, b)
    if done is not None:
        return done
    if b.value == 0:
        return b
    if b.value == _ones(b.width):
        return a
    assert b.value is not None
    if a.op == "zext":
        inner = a.args[0]
        return zext(band(inner, bv(b.value, inner.width)), a.width)
    if power_of_two(b.value + 1) is not None and unsigned(a)[1] <= b.value:
        return a
    return make("band", (a, b), a.sort)


def bor(a: Term, b: Term) -> Term:
    if switches.simplify and (a is b or (a.op == "bnot" and a.args[0] is b)):
        return a if a is b else bv(-1, a.width)
    if a.value is not None and b.value is None:
        a, b = b, a
    done = _bitwise("bor", a, b)
    if done is not None:
        return done
    if b.value == 0:
        return a
    if b.value == _ones(b.width):
        return b
    return make("bor", (a, b), a.sort)


def bxor(a: Term, b: Term) -> Term:
    if switches.simplify and a is b:
        return bv(0, a.width)
    if a.value is not None and b.value is None:
        a, b = b, a
    done = _bitwise("bxor", a, b)
    if done is not None:
        return done
    if b.value == 0:
        return a
    if b.value == _ones(b.width):
        return bnot(a)
    return make("bxor", (a, b), a.sort)


_BITWISE = {"band": band, "bor": bor, "bxor": bxor}


def bnot(a: Term) -> Term:
    if a.value is not None:
        return bv(~a.value, a.width)
    if switches.simplify:
        if a.op == "bnot":
            return a.args[0]
        if constant_branches(a):
            return ite(a.args[0], bnot(a.args[1]), bnot(a.args[2]))
    return make("bnot", (a,), a.sort)


def concat(high: Term, low: Term) -> Term:
    """The bits of `high` above those of `low`."""
    width = high.width + low.width
    if high.value is not None and low.value is not None:
        return bv((high.value << low.width) | low.value, width)
    if switches.simplify:
        if high.value == 0:
            return zext(low, width)
        if _neighbours(high, low):
            return extract(high.args[0], int(high.index[0]), int(low.index[1]))
        if low.op == "concat" and _neighbours(high, low.args[0]):
            return concat(concat(high, low.args[0]), low.args[1])
        if high.op == "concat" and _neighbours(high.args[1], low):
            return concat(high.args[0], concat(high.args[1], low))
    return make("concat", (high, low), bitvec(width))


def _neighbours(high: Term, low: Term) -> bool:
    """Whether the two are constants or adjacent parts of one term: then their concatenation is simpler."""
    if high.value is not None:
        return low.value is not None
    return (
        high.op == low.op == "extract"
        and high.args[0] is low.args[0]
        and high.index[1] == int(low.index[0]) + 1
    )


def extract(a: Term, high: int, low: int) -> Term:
    """Bits `high` down to `low` of `a`, both included."""
    width = high - low + 1
    if not 0 <= low <= high < a.width:
        raise ValueError(f"bits {high} to {low} of {a.width}")
    if switches.simplify and a.op in _TRANSPARENT:
        a, low = _descend(a, high, low)
        high = low + width - 1
    if width == a.width:
        return a
    if a.value is not None:
        return bv(a.value >> low, width)
    if switches.simplify:
        simpler = _extract(a, high, low)
        if simpler is not None:
            return simpler
    return make("extract", (a,), bitvec(width), (high, low))


_TRANSPARENT = frozenset({"extract", "concat", "zext", "sext", "shl", "lshr"})


def _descend(a: Term, high: int, low: int) -> tuple[Term, int]:
    """The innermost term that has the bits high…low of `a`, and where they start in it."""
    width = high - low + 1
    while a.op in _TRANSPARENT and width < a.width:
        high = low + width - 1
        inner = a.args[0]
        if a.op == "extract":
            low += int(a.index[1])
        elif a.op == "concat":
            split = a.args[1].width
            if low >= split:
                low -= split
            elif high < split:
                inner = a.args[1]
            else:
                break
        elif a.op in ("zext", "sext"):
            if a.op == "zext" and low >= inner.width:
                return bv(0, width), 0
            if high >= inner.width:
                break
        else:
            by = a.args[1].value
            if by is None:
                break
            start = low - by if a.op == "shl" else low + by
            if start + width <= 0 or start >= a.width:
                return bv(0, width), 0
            if start < 0 or start + width > a.width:
                break
            low = start
        a = inner
    return a, low


def _extract(a: Term, high: int, low: int) -> Term | None:
    width = high - low + 1
    match a.op:
        case "concat":
            split = a.args[1].width
            return concat(extract(a.args[0], high - split, 0), extract(a.args[1], split - 1, low))
        case "zext" | "sext" if low < a.args[0].width:
            inner = extract(a.args[0], a.args[0].width - 1, low)
            return zext(inner, width) if a.op == "zext" else sext(inner, width)
        case "ite" if constant_branches(a):
            return ite(a.args[0], extract(a.args[1], high, low), extract(a.args[2], high, low))
        case "band" | "bor" | "bxor" if _cuts_to_constant(a, high, low):
            return _BITWISE[a.op](extract(a.args[0], high, low), extract(a.args[1], high, low))
        case "add" | "sub" | "mul" if low == 0 and _narrow_enough(a, width):
            x, y = extract(a.args[0], high, 0), extract(a.args[1], high, 0)
            return {"add": add, "sub": sub, "mul": mul}[a.op](x, y)
    return None


def _cuts_to_constant(a: Term, high: int, low: int) -> bool:
    """Whether those bits of one operand are a constant."""
    return any(_descend(x, high, low)[0].value is not None for x in a.args)


def _narrow_enough(a: Term, width: int) -> bool:
    """Whether both operands lose nothing but extension bits when cut to `width`."""
    return all(x.value is not None or (x.op in ("zext", "sext") and x.args[0].width <= width) for x in a.args)


def zext(a: Term, width: int) -> Term:
    """`a` with zeros above, to `width` bits in all."""
    if width == a.width:
        return a
    if width < a.width:
        raise ValueError(f"cannot extend {a.width} bits to {width}")
    if a.value is not None:
        return bv(a.value, width)
    if switches.simplify:
        if a.op == "zext":
            return zext(a.args[0], width)
        if constant_branches(a):
            return ite(a.args[0], zext(a.args[1], width), zext(a.args[2], width))
    return make("zext", (a,), bitvec(width), (width - a.width,))


def sext(a: Term, width: int) -> Term:
    """`a` with copies of its sign bit above, to `width` bits in all."""
    if width == a.width:
        return a
    if width < a.width:
        raise ValueError(f"cannot extend {a.width} bits to {width}")
    if a.value is not None:
        return bv(a.value - (1 << a.width) if a.value >> (a.width - 1) else a.value, width)
    if switches.simplify:
        if a.op == "sext":
            return sext(a.args[0], width)
        if unsigned(a)[1] >> (a.width - 1) == 0:  # never negative
            return zext(a, width)
        if constant_branches(a):
            return ite(a.args[0], sext(a.args[1], width), sext(a.args[2], width))
    return make("sext", (a,), bitvec(width), (width - a.width,))


def resize_u(a: Term, width: int) -> Term:
    """`a` cut or zero-extended to `width` bits."""
    return zext(a, width) if width >= a.width else extract(a, width - 1, 0)


def resize_s(a: Term, width: int) -> Term:
    """`a` cut or sign-extended to `width` bits."""
    return sext(a, width) if width >= a.width else extract(a, width - 1, 0)


def bool_to_bv(b: Term, width: int = 1) -> Term:
    """1 where `b` holds, else 0."""
    if b.sort is not BOOL:
        raise TypeError(f"expected a boolean, got {b.sort!r}")
    return ite(b, bv(1, width), bv(0, width))
