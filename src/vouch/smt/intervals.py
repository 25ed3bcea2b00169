"""Cheap value ranges of bit-vector and float terms, cached in the terms: they fold comparisons.

`bounds(t)` is (low, high) such that the value of `t`, modulo 2^width, lies in that interval of
integers. It may begin below zero, so one interval serves signed and unsigned readings alike:
-2^(w-1) <= low <= high < 2^w and high - low < 2^w.
"""

from __future__ import annotations

from collections.abc import Callable

from vouch.smt import float_ranges, softfloat
from vouch.smt.float_ranges import FloatRange
from vouch.smt.node import Term
from vouch.smt.sort import Sort

Interval = tuple[int, int]


def bounds(term: Term) -> Interval:
    """The interval of a bit-vector term; amortised O(1), each term is visited once."""
    if term.interval is None:
        _compute(term)
    result: Interval = term.interval
    return result


def float_range(term: Term) -> FloatRange:
    """The range of a float term, at the same price."""
    if term.interval is None:
        _compute(term)
    result: FloatRange = term.interval
    return result


def _compute(term: Term) -> None:
    pending = [term]
    while pending:
        top = pending[-1]
        if top.interval is not None:
            pending.pop()
            continue
        if top.op in _SPREADING and _spreads(top):
            top.interval = float_ranges.everything(top.sort)
            continue
        rule = _RULES.get(top.op)
        ready = True
        if rule is not None or top.sort.kind == "fp":
            for arg in top.args[1:] if top.op == "ite" else top.args:
                if arg.interval is None and arg.sort.kind in ("bv", "fp"):
                    pending.append(arg)
                    ready = False
        if ready:
            if top.sort.kind == "fp":
                found, whole = _float(top), float_ranges.everything(top.sort)
                top.interval = whole if found == whole else found  # there is one of it
            else:
                top.interval = top.sort.full if rule is None else _normal(rule(top), top.sort)


# What they make of anything and a number is anything.
_SPREADING = ("fp_add", "fp_mul", "fp_sub")


def _spreads(term: Term) -> bool:
    """Is one argument anything, and the other not always NaN? Long sums of what comes from outside are."""
    whole = float_ranges.everything(term.sort)
    for one, other in (term.args, term.args[::-1]):
        if one.interval is whole:
            if other.value is not None:
                return not softfloat.is_nan(other.sort, int(other.value))
            known = other.interval
            return known is not None and bool(known.low <= known.high)
    return False


def _float(term: Term) -> FloatRange:
    sort = term.sort
    if term.value is not None:
        return float_ranges.constant(sort, term.value)
    match term.op:
        case "fp_from_sbv":
            return float_ranges.from_integers(sort, *signed_range(term.args[0]))
        case "fp_from_ubv":
            return float_ranges.from_integers(sort, *unsigned(term.args[0]))
        case "symbol" | "select" | "fp_from_bits":
            return float_ranges.everything(sort)
    args = term.args[1:] if term.op == "ite" else term.args
    return float_ranges.combine(term, [arg.interval for arg in args])


def unsigned(term: Term) -> Interval:
    """The unsigned range."""
    low, high = bounds(term)
    return (low, high) if low >= 0 else term.sort.full


def signed_range(term: Term) -> Interval:
    """The signed range."""
    low, high = bounds(term)
    half = 1 << (term.width - 1)
    if high < half:
        return (low, high)
    if low >= half:
        return (low - 2 * half, high - 2 * half)
    return (-half, half - 1)


def _normal(interval: Interval | None, sort: Sort) -> Interval:
    """The same residues with low in [-2^(w-1), 2^w) and high below 2^w, or everything."""
    if interval is None:
        return sort.full
    low, high = interval
    top = sort.full[1]
    if low >= 0 and high <= top:
        return interval
    size = top + 1
    if high - low >= size:
        return sort.full
    base = (low // size) * size
    low, high = low - base, high - base
    if high < size:
        return (low, high)
    low, high = low - size, high - size
    return (low, high) if low >= -(size >> 1) else sort.full


def _add(t: Term) -> Interval:
    (a, b), (c, d) = bounds(t.args[0]), bounds(t.args[1])
    return (a + c, b + d)


def _sub(t: Term) -> Interval:
    (a, b), (c, d) = bounds(t.args[0]), bounds(t.args[1])
    return (a - d, b - c)


def _neg(t: Term) -> Interval:
    a, b = bounds(t.args[0])
    return (-b, -a)


def _bnot(t: Term) -> Interval:
    a, b = bounds(t.args[0])
    return (-b - 1, -a - 1)


def _mul(t: Term) -> Interval:
    (a, b), (c, d) = _near_zero(t.args[0]), _near_zero(t.args[1])
    corners = (a * c, a * d, b * c, b * d)
    return (min(corners), max(corners))


def _near_zero(term: Term) -> Interval:
    """The interval with values of the upper half read as negative: products of those stay small."""
    low, high = bounds(term)
    half = 1 << (term.width - 1)
    return (low - 2 * half, high - 2 * half) if low >= half else (low, high)


def _udiv(t: Term) -> Interval | None:
    (a, b), (c, d) = unsigned(t.args[0]), unsigned(t.args[1])
    return (a // d, b // c) if c > 0 else None


def _urem(t: Term) -> Interval:
    (_, b), (c, d) = unsigned(t.args[0]), unsigned(t.args[1])
    return (0, min(b, d - 1)) if c > 0 else (0, b)


def _sdiv(t: Term) -> Interval:
    (a, b), (c, d) = signed_range(t.args[0]), signed_range(t.args[1])
    if c <= 0:  # never farther from zero than the dividend, and ±1 over zero
        limit = max(abs(a), abs(b), 1)
        return (-limit, limit)
    corners = [_truncate(x, y) for x in (a, b) for y in (c, d)]
    return (min(corners), max(corners))


def _truncate(x: int, y: int) -> int:
    return x // y if x >= 0 else -(-x // y)


def _srem(t: Term) -> Interval:
    (a, b), (c, d) = signed_range(t.args[0]), signed_range(t.args[1])
    limit = max(abs(c), abs(d)) - 1
    if c <= 0 <= d:  # x srem 0 = x
        limit = max(abs(a), abs(b))
    return (max(min(a, 0), -limit), min(max(b, 0), limit))


def _shl(t: Term) -> Interval | None:
    by = t.args[1].value
    if by is None or by >= t.width:
        return None
    a, b = bounds(t.args[0])
    return (a << by, b << by)


def _lshr(t: Term) -> Interval:
    (a, b), (c, d) = unsigned(t.args[0]), unsigned(t.args[1])
    width = t.width
    return (a >> min(d, width), b >> min(c, width))


def _ashr(t: Term) -> Interval:
    (a, b), (c, d) = signed_range(t.args[0]), unsigned(t.args[1])
    c, d = min(c, t.width), min(d, t.width)
    return (min(a >> c, a >> d), max(b >> c, b >> d))


def _band(t: Term) -> Interval:
    return (0, min(unsigned(t.args[0])[1], unsigned(t.args[1])[1]))


def _bor(t: Term) -> Interval:
    (a, b), (c, d) = unsigned(t.args[0]), unsigned(t.args[1])
    return (max(a, c), (1 << max(b.bit_length(), d.bit_length())) - 1)


def _bxor(t: Term) -> Interval:
    b, d = unsigned(t.args[0])[1], unsigned(t.args[1])[1]
    return (0, (1 << max(b.bit_length(), d.bit_length())) - 1)


def _concat(t: Term) -> Interval:
    (a, b), (c, d) = unsigned(t.args[0]), unsigned(t.args[1])
    shift = t.args[1].width
    return ((a << shift) + c, (b << shift) + d)


def _extract(t: Term) -> Interval | None:
    high, low = int(t.index[0]), int(t.index[1])
    if low == 0:
        # Modulo 2^(high+1) the interval stays valid; _normal widens it where it wraps around.
        return bounds(t.args[0])
    if high == t.args[0].width - 1:
        a, b = unsigned(t.args[0])
        return (a >> low, b >> low)
    return None


def _ite(t: Term) -> Interval:
    (a, b), (c, d) = bounds(t.args[1]), bounds(t.args[2])
    low, high = min(a, c), max(b, d)
    half = 1 << (t.width - 1)
    if high - low < half:
        return (low, high)
    # Far apart unsigned, they may be near each other when read signed: -1 and 1.
    (a, b), (c, d) = signed_range(t.args[1]), signed_range(t.args[2])
    other = (min(a, c), max(b, d))
    return other if other[1] - other[0] < high - low else (low, high)


def _fp_to_sbv(t: Term) -> Interval | None:
    half = 1 << (t.width - 1)
    return float_ranges.to_integers(t.args[0].sort, t.args[0].interval, -half, half - 1)


def _fp_to_ubv(t: Term) -> Interval | None:
    return float_ranges.to_integers(t.args[0].sort, t.args[0].interval, *t.sort.full)


_RULES: dict[str, Callable[[Term], Interval | None]] = {
    "add": _add, "sub": _sub, "neg": _neg, "bnot": _bnot, "mul": _mul, "udiv": _udiv, "urem": _urem,
    "sdiv": _sdiv, "srem": _srem, "shl": _shl, "lshr": _lshr, "ashr": _ashr, "band": _band, "bor": _bor,
    "bxor": _bxor, "concat": _concat, "extract": _extract, "ite": _ite,
    "fp_to_sbv": _fp_to_sbv, "fp_to_ubv": _fp_to_ubv,
    "zext": lambda t: unsigned(t.args[0]), "sext": lambda t: signed_range(t.args[0]),
}  # fmt: skip
