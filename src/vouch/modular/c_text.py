"""Numbers and terms as C writes them.

A term of n bits becomes an expression of the unsigned type that holds n bits, its upper bits zero;
comparisons as signed numbers cast. The text means what the term means, on every machine with these types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from vouch.smt.node import Term
from vouch.smt.walk import order

LONGEST = 2000  # characters of an expression that anybody reads
_WIDTHS = (8, 16, 32, 64)


def number(value: int, width: int, signed: bool) -> str:
    """A constant of an integer type as wide as this."""
    if not signed:
        return f"{value}u" if width == 32 else f"{value}ull" if width > 32 else str(value)
    suffix = "ll" if width > 32 else ""
    if value == -(1 << (width - 1)) and width >= 32:
        return f"(-{-value - 1}{suffix} - 1)"
    return f"{value}{suffix}"


def expression(root: Term, names: Mapping[Term, str]) -> str | None:
    """A Boolean term over the symbols in `names`; None where C has no words for it, or too many."""
    texts: dict[Term, str] = {}
    for term in order((root,)):
        text = names.get(term) if term.op == "symbol" else _text(term, [texts[arg] for arg in term.args])
        if text is None or len(text) > LONGEST:
            return None
        texts[term] = text
    return _bare(texts[root])


def _bare(text: str) -> str:
    """Without the parentheses around all of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for position, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and position < len(text) - 1:
            return text
    return text[1:-1]


def _holder(width: int) -> int | None:
    return next((known for known in _WIDTHS if width <= known), None)


def _text(term: Term, args: list[str]) -> str | None:
    if term.value is not None:
        if term.sort.kind == "bool":
            return "1" if term.value else "0"
        if term.sort.kind != "bv":
            return None
        return number(int(term.value), _holder(term.width) or 64, False) if term.width <= 64 else None
    if term.sort.kind not in ("bool", "bv") or any(a.sort.kind not in ("bool", "bv") for a in term.args):
        return None
    if any(_holder(t.width) is None for t in (term, *term.args) if t.sort.kind == "bv"):
        return None
    make = _OPERATORS.get(term.op)
    return None if make is None else make(term, args)


def _cut(text: str, width: int) -> str:
    """The lower bits only."""
    holder = _holder(width)
    if holder == width:
        return f"(uint{width}_t)({_bare(text)})"
    return f"({text} & {number((1 << width) - 1, holder or 64, False)})"


def _signed(text: str, width: int) -> str:
    holder = _holder(width) or 64
    if holder == width:
        return f"(int{width}_t)({_bare(text)})"
    shift = holder - width
    return f"((int{holder}_t)(uint{holder}_t)({_bare(text)} << {shift}) >> {shift})"


def _arithmetic(symbol: str) -> Callable[[Term, list[str]], str]:
    def make(term: Term, args: list[str]) -> str:
        wide = "(uint64_t)" if term.width > 32 else "(uint32_t)"
        return _cut(f"({wide}{args[0]} {symbol} {wide}{args[1]})", term.width)

    return make


def _compared(symbol: str) -> Callable[[Term, list[str]], str]:
    return lambda term, args: f"({args[0]} {symbol} {args[1]})"


def _joined(symbol: str) -> Callable[[Term, list[str]], str]:
    return lambda term, args: "(" + f" {symbol} ".join(args) + ")"


def _less(term: Term, args: list[str]) -> str:
    return f"({_signed(args[0], term.args[0].width)} < {_signed(args[1], term.args[1].width)})"


def _overflow(symbol: str) -> Callable[[Term, list[str]], str | None]:
    def make(term: Term, args: list[str]) -> str | None:
        width = term.args[0].width
        if width not in (8, 16, 32):
            return None
        a, b = (f"(int64_t){_signed(arg, width)}" for arg in args)
        low, high = number(-(1 << (width - 1)), 64, True), number((1 << (width - 1)) - 1, 64, True)
        return f"({a} {symbol} {b} < {low} || {a} {symbol} {b} > {high})"

    return make


def _extract(term: Term, args: list[str]) -> str:
    high, low = int(term.index[0]), int(term.index[1])
    return _cut(f"({args[0]} >> {low})" if low else args[0], high - low + 1)


def _wide(term: Term, args: list[str]) -> str:
    return f"(uint{_holder(term.width)}_t){args[0]}"


def _sext(term: Term, args: list[str]) -> str:
    return _cut(f"(int{_holder(term.width)}_t){_signed(args[0], term.args[0].width)}", term.width)


def _ite(term: Term, args: list[str]) -> str:
    return f"({args[0]} ? {args[1]} : {args[2]})"


def _concat(term: Term, args: list[str]) -> str:
    holder = _holder(term.width)
    return f"((uint{holder}_t){args[0]} << {term.args[1].width} | (uint{holder}_t){args[1]})"


_OPERATORS: dict[str, Callable[[Term, list[str]], str | None]] = {
    "not": lambda term, args: f"!{args[0]}" if args[0].startswith("(") else f"!({args[0]})",
    "and": _joined("&&"),
    "or": _joined("||"),
    "eq": _compared("=="),
    "ult": _compared("<"),
    "slt": _less,
    "ite": _ite,
    "add": _arithmetic("+"),
    "sub": _arithmetic("-"),
    "mul": _arithmetic("*"),
    "band": _compared("&"),
    "bor": _compared("|"),
    "bxor": _compared("^"),
    "bnot": lambda term, args: _cut(f"~{args[0]}", term.width),
    "neg": lambda term, args: _cut(f"(0u - (uint64_t){args[0]})", term.width),
    "extract": _extract,
    "zext": _wide,
    "sext": _sext,
    "concat": _concat,
    "sadd_overflow": _overflow("+"),
    "ssub_overflow": _overflow("-"),
    "smul_overflow": _overflow("*"),
}


def unsigned(path: str, width: int, signed: bool) -> str:
    """An input as `expression` wants it: a C expression of a number, as an unsigned one."""
    return f"(uint{width}_t){path}" if signed else path
