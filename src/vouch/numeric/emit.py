"""Terms as C: one function that says whether a conjunction holds for given values of its inputs.

What is written is straight-line code without memory but constant tables, so that it can be run as it is. It
computes what `smt/operators.py` says, bit for bit: IEEE arithmetic of the machine in binary32 and binary64
without contraction, integers modulo their width. A NaN is one value, whatever its bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from vouch.record import frozen_record, record
from vouch.smt.node import Term
from vouch.smt.sort import BOOL, FLOAT32, FLOAT64, Sort

LARGEST = 20_000  # terms

HEADER = r"""
typedef unsigned u32; typedef unsigned long long u64; typedef long long s64; typedef unsigned __int128 u128;
#define INLINE static inline __attribute__((always_inline))
INLINE float f32_of(u32 b) { union { u32 b; float f; } u = {b}; return u.f; }
INLINE double f64_of(u64 b) { union { u64 b; double f; } u = {b}; return u.f; }
INLINE u32 f32_bits(float f) { union { float f; u32 b; } u = {f}; return u.b; }
INLINE u64 f64_bits(double f) { union { double f; u64 b; } u = {f}; return u.b; }
INLINE s64 sx(u64 x, int w) { return (s64)(x << (64 - w)) >> (64 - w); }
INLINE u64 udiv(u64 x, u64 y, u64 m) { return y ? x / y : m; }
INLINE u64 urem(u64 x, u64 y) { return y ? x % y : x; }
INLINE u64 size_of(s64 x) { return x < 0 ? 0 - (u64)x : (u64)x; }
INLINE u64 sdiv(s64 x, s64 y) {
    if (!y) return x < 0 ? 1 : ~0ull;
    u64 q = size_of(x) / size_of(y);
    return (x < 0) == (y < 0) ? q : 0 - q;
}
INLINE u64 srem(s64 x, s64 y) {
    if (!y) return (u64)x;
    u64 r = size_of(x) % size_of(y);
    return x < 0 ? 0 - r : r;
}
/* Towards zero; 0 where that does not fit. Both limits are powers of two or zero: exact as floats. */
INLINE u64 to_s(double x, int w) {
    double t = __builtin_elementwise_trunc(x), top = (double)(1ull << (w - 1));
    return t >= -top && t < top ? (u64)(s64)t : 0;
}
INLINE u64 to_u(double x, int w) {
    double t = __builtin_elementwise_trunc(x), top = (double)(1ull << (w - 1)) * 2;
    return t >= 0 && t < top ? (u64)t : 0;
}
"""


class NotEmitted(Exception):
    """A term of the cone has no C form here."""


@frozen_record
class MathCall:
    """A function of the math library."""

    name: str
    arguments: tuple[Term, ...]


def c_type(sort: Sort) -> str:
    if sort is BOOL:
        return "_Bool"
    if sort is FLOAT32:
        return "float"
    if sort is FLOAT64:
        return "double"
    if sort.kind == "bv" and sort.width <= 64:
        return "u32" if sort.width <= 32 else "u64"
    raise NotEmitted(repr(sort))


def _mask(width: int) -> str:
    return f"0x{(1 << width) - 1:x}ull"


@record
class Emitter:
    """`inputs` are terms whose values the caller gives, by the name of a C variable; `calls` are the terms
    that a function of the math library gives; `early` leaves as soon as a conjunct does not hold."""

    inputs: Mapping[Term, str]
    calls: Mapping[Term, MathCall]
    early: bool

    def body(self, roots: Sequence[Term]) -> str:
        """Statements that leave in `holds` whether all roots are true."""
        names: dict[Term, str] = dict(self.inputs)
        lines: list[str] = []
        for root in roots:
            for term in cone([root], self.calls, names):
                names[term] = f"t{len(names)}"
                if term.sort.kind == "array":
                    continue
                lines.append(f"{c_type(term.sort)} {names[term]} = {self._value(term, names)};")
            if self.early:
                lines.append(f"if (!{names[root]}) return 0;")
        holds = "1" if self.early else " & ".join(names[root] for root in roots) or "1"
        return "\n".join([*lines, f"return {holds};"])

    def declarations(self) -> str:
        found = {}
        for term, call in self.calls.items():
            parameters = ", ".join(c_type(arg.sort) for arg in call.arguments)
            found[call.name] = f"{c_type(term.sort)} {call.name}({parameters});"
        return "\n".join(found.values())

    def _value(self, term: Term, names: Mapping[Term, str]) -> str:
        if term.value is not None:
            return _constant(term)
        call = self.calls.get(term)
        if call is not None:
            return f"{call.name}({', '.join(names[arg] for arg in call.arguments)})"
        if term.op == "select":
            return _read(term, names)
        make = _OPERATIONS.get(term.op)
        if make is None:
            raise NotEmitted(term.op)
        text = make(term, *(names[arg] for arg in term.args))
        if term.sort.kind == "bv" and term.op in _WRAPPED and term.width not in (32, 64):
            return f"({text}) & {_mask(term.width)}"
        return text


def cone(roots: Sequence[Term], calls: Mapping[Term, MathCall], done: Mapping[Term, object]) -> list[Term]:
    """What the roots are computed from, arguments first, without what is done."""
    seen: set[Term] = set()
    stack = list(roots)
    while stack:
        term = stack.pop()
        if term in seen or term in done:
            continue
        seen.add(term)
        call = calls.get(term)
        stack.extend(call.arguments if call is not None else term.args)
        if len(seen) > LARGEST:
            raise NotEmitted("too many terms")
    return sorted(seen, key=lambda term: term.id)


def _constant(term: Term) -> str:
    assert term.value is not None
    value = int(term.value)
    if term.sort is FLOAT32:
        return f"f32_of(0x{value:x}u)"
    if term.sort is FLOAT64:
        return f"f64_of(0x{value:x}ull)"
    if term.width > 64:
        raise NotEmitted("a number of more than 64 bits")
    return f"0x{value:x}ull"


def _read(term: Term, names: Mapping[Term, str]) -> str:
    """An array as the writes it was made by, newest first; a table where all of it is constant."""
    array, index = term.args
    at, parts = names[index], []
    table = _table(array)
    if table is not None:
        values, rest = table
        numbers = ", ".join(map(str, values))
        return f"({{ static const u64 T[] = {{{numbers}}}; {at} < {len(values)} ? T[{at}] : {rest}; }})"
    while array.op == "store":
        parts.append(f"{at} == {names[array.args[1]]} ? {names[array.args[2]]} : ")
        array = array.args[0]
    if array.op != "const_array":
        raise NotEmitted("an unknown array")
    return "".join(parts) + names[array.args[0]]


def _table(array: Term) -> tuple[list[str], str] | None:
    """Constants from place 0 on, and what is everywhere else."""
    entries: dict[int, int] = {}
    while array.op == "store":
        place, value = array.args[1].value, array.args[2].value
        if place is None or value is None or value is True or value is False or place >= 1 << 16:
            return None
        entries.setdefault(int(place), int(value))
        array = array.args[0]
    if array.op != "const_array" or array.args[0].value is None or array.args[0].sort.kind != "bv":
        return None
    rest = int(array.args[0].value)
    size = max(entries, default=0) + 1
    return [f"0x{entries.get(place, rest):x}ull" for place in range(size)], f"0x{rest:x}ull"


def _s(term: Term, name: str) -> str:
    """The signed reading."""
    return f"sx({name}, {term.width})"


def _binary(operator: str) -> Callable[..., str]:
    return lambda t, x, y: f"{x} {operator} {y}"


def _wide(operator: str) -> Callable[..., str]:
    """In 64 bits: arithmetic of 32 would do, but for what is cut to fewer."""
    return lambda t, x, y: f"({c_type(t.sort)})({x} {operator} {y})"


def _equal(t: Term, x: str, y: str) -> str:
    if t.args[0].sort.kind == "array":
        raise NotEmitted("arrays compared")
    if t.args[0].sort.kind != "fp":
        return f"{x} == {y}"
    bits = "f32_bits" if t.args[0].sort is FLOAT32 else "f64_bits"
    return f"{bits}({x}) == {bits}({y}) | ({x} != {x} & {y} != {y})"


def _shift(operator: str) -> Callable[..., str]:
    return lambda t, x, y: f"{y} < {t.width} ? {x} {operator} {y} : 0"


def _ashr(t: Term, x: str, y: str) -> str:
    return f"(u64)({_s(t, x)} >> ({y} < {t.width} ? {y} : {t.width - 1}))"


def _overflow(builtin: str) -> Callable[..., str]:
    def make(t: Term, x: str, y: str) -> str:
        a, w = t.args[0], t.args[0].width
        if w == 64:
            return f"({{ s64 z; __builtin_{builtin}_overflow((s64){x}, (s64){y}, &z); }})"
        left, right = _s(a, x), _s(a, y)
        return f"({{ s64 z; __builtin_{builtin}_overflow({left}, {right}, &z) | z != sx((u64)z, {w}); }})"

    return make


def _umul_overflow(t: Term, x: str, y: str) -> str:
    return f"(u128){x} * {y} > {_mask(t.args[0].width)}"


def _concat(t: Term, x: str, y: str) -> str:
    return f"({c_type(t.sort)}){x} << {t.args[1].width} | {y}"


def _extract(t: Term, x: str) -> str:
    return f"({x} >> {t.index[1]}) & {_mask(t.width)}"


_ROUNDINGS = {"RNE": "rint", "RTP": "ceil", "RTN": "floor", "RTZ": "trunc", "RNA": "round"}


def _negative(t: Term, x: str) -> str:
    single = t.args[0].sort is FLOAT32
    return f"{x} == {x} & {'f32_bits' if single else 'f64_bits'}({x}) >> {31 if single else 63}"


def _subnormal(t: Term, x: str) -> str:
    tiny = "0x1p-126f" if t.args[0].sort is FLOAT32 else "0x1p-1022"
    return f"{x} != 0 & __builtin_elementwise_abs({x}) < {tiny}"


_INFINITE = "__builtin_inf()"
_OPERATIONS: dict[str, Callable[..., str]] = {
    "not": lambda t, x: f"!{x}",
    "and": lambda t, *xs: " & ".join(xs),
    "or": lambda t, *xs: " | ".join(xs),
    "eq": _equal,
    "ite": lambda t, c, x, y: f"{c} ? {x} : {y}",
    "add": _wide("+"),
    "sub": _wide("-"),
    "mul": _wide("*"),
    "neg": lambda t, x: f"({c_type(t.sort)})(0 - {x})",
    "bnot": lambda t, x: f"~{x}",
    "udiv": lambda t, x, y: f"udiv({x}, {y}, {_mask(t.width)})",
    "urem": lambda t, x, y: f"urem({x}, {y})",
    "sdiv": lambda t, x, y: f"sdiv({_s(t, x)}, {_s(t, y)})",
    "srem": lambda t, x, y: f"srem({_s(t, x)}, {_s(t, y)})",
    "shl": _shift("<<"),
    "lshr": _shift(">>"),
    "ashr": _ashr,
    "band": _binary("&"),
    "bor": _binary("|"),
    "bxor": _binary("^"),
    "ult": _binary("<"),
    "slt": lambda t, x, y: f"{_s(t.args[0], x)} < {_s(t.args[1], y)}",
    "concat": _concat,
    "extract": _extract,
    "zext": lambda t, x: x,
    "sext": lambda t, x: f"(u64){_s(t.args[0], x)}",
    "sadd_overflow": _overflow("add"),
    "ssub_overflow": _overflow("sub"),
    "smul_overflow": _overflow("mul"),
    "umul_overflow": _umul_overflow,
    "fp_add": _binary("+"),
    "fp_sub": _binary("-"),
    "fp_mul": _binary("*"),
    "fp_div": _binary("/"),
    "fp_sqrt": lambda t, x: f"__builtin_elementwise_sqrt({x})",
    "fp_neg": lambda t, x: f"-{x}",
    "fp_abs": lambda t, x: f"__builtin_elementwise_abs({x})",
    "fp_round": lambda t, x: f"__builtin_elementwise_{_ROUNDINGS[str(t.index[0]).upper()]}({x})",
    "fp_eq": _binary("=="),
    "fp_lt": _binary("<"),
    "fp_le": _binary("<="),
    "fp_is_nan": lambda t, x: f"{x} != {x}",
    "fp_is_inf": lambda t, x: f"__builtin_elementwise_abs({x}) == {_INFINITE}",
    "fp_is_zero": lambda t, x: f"{x} == 0",
    "fp_is_negative": _negative,
    "fp_is_subnormal": _subnormal,
    "fp_from_bits": lambda t, x: f"{'f32_of' if t.sort is FLOAT32 else 'f64_of'}({x})",
    "fp_from_sbv": lambda t, x: f"({c_type(t.sort)}){_s(t.args[0], x)}",
    "fp_from_ubv": lambda t, x: f"({c_type(t.sort)}){x}",
    "fp_to_fp": lambda t, x: f"({c_type(t.sort)}){x}",
    "fp_to_sbv": lambda t, x: f"to_s({x}, {t.width})",
    "fp_to_ubv": lambda t, x: f"to_u({x}, {t.width})",
}
# Results that may have bits above the width.
_WRAPPED = {"add", "sub", "mul", "neg", "bnot", "udiv", "sdiv", "srem", "shl", "ashr", "sext"}
_WRAPPED |= {"fp_to_sbv", "fp_to_ubv"}
