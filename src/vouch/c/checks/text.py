"""Writes an IR operand the way C would: `x + 2`, `s->field[i]`, `(y - 3) * scale`.

Only for messages: it looks through the loads, casts and instrumentation that unoptimised code is made of,
takes variable and field names from the debug information, and falls back to "the value" where it is lost.
"""

from __future__ import annotations

import re
import struct

from vouch.c.checks.context import Context, callee_name, source_name
from vouch.c.ir import (
    Alloca,
    Binary,
    Call,
    Cast,
    Compare,
    CType,
    ExpressionConstant,
    Extract,
    FloatConstant,
    GetElementPtr,
    GlobalConstant,
    IntConstant,
    Load,
    NullConstant,
    Operand,
    Register,
    Select,
    Unary,
    Variable,
)
from vouch.record import frozen_record

FALLBACK = "the value"
_DEPTH = 12
_LIMIT = 60  # characters; longer texts say more than a message should

_PRIMARY, _UNARY = 16, 15
_BINARY = {
    "mul": ("*", 13), "fmul": ("*", 13), "sdiv": ("/", 13), "udiv": ("/", 13), "fdiv": ("/", 13),
    "srem": ("%", 13), "urem": ("%", 13), "frem": ("%", 13),
    "add": ("+", 12), "fadd": ("+", 12), "sub": ("-", 12), "fsub": ("-", 12),
    "shl": ("<<", 11), "lshr": (">>", 11), "ashr": (">>", 11),
    "and": ("&", 8), "xor": ("^", 7), "or": ("|", 6),
}  # fmt: skip
_COMPARE = {
    "eq": ("==", 9), "ne": ("!=", 9), "oeq": ("==", 9), "une": ("!=", 9), "one": ("!=", 9),
    "slt": ("<", 10), "ult": ("<", 10), "olt": ("<", 10), "sle": ("<=", 10), "ule": ("<=", 10), "ole":
    ("<=", 10), "sgt": (">", 10), "ugt": (">", 10), "ogt": (">", 10), "sge": (">=", 10), "uge": (">=", 10),
    "oge": (">=", 10),
}  # fmt: skip
_OVERFLOW = re.compile(r"^llvm\.[su](add|sub|mul)\.with\.overflow\.")


@frozen_record
class Text:
    """`level` is C's binding strength of the outermost operator; `ctype` a key into `Program.ctypes`."""

    text: str
    level: int
    ctype: int | None = None

    def at(self, level: int) -> str:
        return self.text if self.level >= level else f"({self.text})"


def spell(context: Context, operand: Operand | None, signed: bool = True) -> str:
    """C text of a value, `FALLBACK` where it cannot be told. `signed` says how to read a constant."""
    found = _value(context, operand, signed, _DEPTH) if operand is not None else None
    return found.text if found is not None and len(found.text) <= _LIMIT else FALLBACK


def spell_place(context: Context, pointer: Operand) -> str:
    """C text of the object that a pointer points to: `*p`, `s->field`, `a[i]`; "" where it cannot be told."""
    found = _place(context, pointer, _DEPTH)
    return found.text if found is not None and len(found.text) <= _LIMIT else ""


def binary(context: Context, op: str, left: Operand, right: Operand, signed: bool = True) -> str:
    """C text of `left op right`, `op` as LLVM names it; `FALLBACK` where an operand is lost."""
    found = _binary(context, op, left, right, signed, _DEPTH)
    return found.text if found is not None and len(found.text) <= _LIMIT else FALLBACK


def _value(context: Context, operand: Operand, signed: bool, depth: int) -> Text | None:
    if depth == 0:
        return None
    match operand:
        case IntConstant(value=value, type=kind):
            if signed and value >> (kind.bits - 1) and kind.bits > 1:
                return Text(str(value - (1 << kind.bits)), _UNARY)
            return Text(str(value), _PRIMARY)
        case FloatConstant():
            return _float(operand)
        case NullConstant():
            return Text("NULL", _PRIMARY)
        case GlobalConstant() | ExpressionConstant(op="getelementptr"):
            return _address(context, operand, depth)
        case Register():
            return _register(context, operand, signed, depth)
        case _:
            return None


def _float(constant: FloatConstant) -> Text | None:
    code = {"half": "<e", "float": "<f", "double": "<d"}.get(constant.type.kind)
    if code is None:
        return None
    value = struct.unpack(code, constant.bits.to_bytes(struct.calcsize(code), "little"))[0]
    return Text(f"{value:g}", _PRIMARY if value >= 0 else _UNARY)


def _register(context: Context, operand: Register, signed: bool, depth: int) -> Text | None:
    match context.defs.get(operand.name):
        case Load(pointer=pointer):
            return _first(context, _place(context, pointer, depth - 1))
        case Alloca() | GetElementPtr():
            return _address(context, operand, depth)
        case Cast(value=value):
            return _value(context, value, signed, depth)
        case Binary(op=op, left=left, right=right):
            return _binary(context, op, left, right, signed, depth)
        case Compare(predicate=predicate, left=left, right=right) if predicate in _COMPARE:
            symbol, level = _COMPARE[predicate]
            return _joined(context, symbol, level, left, right, predicate[0] != "u", depth)
        case Select(condition=condition, then=then, otherwise=otherwise):
            parts = [_value(context, part, signed, depth - 1) for part in (condition, then, otherwise)]
            if any(part is None for part in parts):
                return None
            texts = [part.at(4) for part in parts if part is not None]
            return Text(f"{texts[0]} ? {texts[1]} : {texts[2]}", 3)
        case Unary(op="fneg", value=value):
            inner = _value(context, value, signed, depth - 1)
            return None if inner is None else Text(f"-{inner.at(_UNARY)}", _UNARY)
        case Extract(aggregate=Register(name=name), indices=(0,)):
            return _overflowing(context, name, signed, depth)
        case Call() as call:
            return _call(context, call, depth)
        case None:
            parameter = next((p for p in context.function.parameters if p.name == operand.name), None)
            if parameter is None or parameter.variable is None:
                return None
            return Text(parameter.variable.name, _PRIMARY, parameter.variable.type)
        case _:
            return None


def _first(context: Context, place: Text | None) -> Text | None:
    """A scalar read from an aggregate without an index is its first element."""
    ctype = _ctype(context, place.ctype) if place is not None else None
    if place is None or ctype is None or ctype.kind != "array":
        return place
    return Text(f"{place.at(_PRIMARY)}[0]", _PRIMARY, ctype.target)


def _overflowing(context: Context, name: str, signed: bool, depth: int) -> Text | None:
    call = context.defs.get(name)
    if not isinstance(call, Call) or not (match := _OVERFLOW.match(callee_name(call))):
        return None
    return _binary(context, match.group(1), call.arguments[0], call.arguments[1], signed, depth)


def _call(context: Context, call: Call, depth: int) -> Text | None:
    name = source_name(context.program, call)
    if not name or name.startswith("llvm."):
        return None
    if callee_name(call) == "__vouch_cuda_shared" and call.result is not None:
        return Text(f"&{call.result.rpartition('.')[2]}", _UNARY)  # the register is called after it
    arguments = [_value(context, argument, True, min(depth - 1, 2)) for argument in call.arguments]
    known = [argument.text for argument in arguments if argument is not None]
    inside = ", ".join(known) if len(known) == len(arguments) else "…"
    return Text(f"{name}({inside})", _PRIMARY, _result_type(context, call))


def _result_type(context: Context, call: Call) -> int | None:
    function = context.program.functions.get(callee_name(call))
    return function.result_type if function is not None else None


def _binary(
    context: Context, op: str, left: Operand, right: Operand, signed: bool, depth: int
) -> Text | None:
    if op == "sub" and isinstance(left, IntConstant) and left.value == 0:
        inner = _value(context, right, signed, depth - 1)
        return None if inner is None else Text(f"-{inner.at(_UNARY)}", _UNARY)
    if op == "xor" and isinstance(right, IntConstant) and right.value == (1 << right.type.bits) - 1:
        inner = _value(context, left, signed, depth - 1)
        return None if inner is None else Text(f"~{inner.at(_UNARY)}", _UNARY)
    if op not in _BINARY:
        return None
    symbol, level = _BINARY[op]
    if op in ("udiv", "urem", "lshr"):
        signed = False
    if op == "add" and isinstance(right, IntConstant) and signed and right.value >> (right.type.bits - 1):
        inner = _value(context, left, signed, depth - 1)
        return None if inner is None else Text(f"{inner.at(12)} - {(1 << right.type.bits) - right.value}", 12)
    return _joined(context, symbol, level, left, right, signed, depth)


def _joined(
    context: Context, symbol: str, level: int, left: Operand, right: Operand, signed: bool, depth: int
) -> Text | None:
    first = _value(context, left, signed, depth - 1)
    second = _value(context, right, signed, depth - 1)
    if first is None or second is None:
        return None
    return Text(f"{first.at(level)} {symbol} {second.at(level + 1)}", level)


def _address(context: Context, pointer: Operand, depth: int) -> Text | None:
    place = _place(context, pointer, depth)
    if place is None:
        return None
    ctype = _ctype(context, place.ctype)
    if ctype is not None and ctype.kind in ("array", "function"):
        return place
    if place.text.endswith("[0]"):
        return Text(place.text[:-3], _PRIMARY)
    return Text(f"&{place.at(_UNARY)}", _UNARY)


def _place(context: Context, pointer: Operand, depth: int) -> Text | None:
    """C text of the object behind a pointer, with its type where known."""
    if depth <= 0:
        return None
    match pointer:
        case GlobalConstant(name=name):
            return _global(context, name)
        case ExpressionConstant(op="getelementptr", operands=(base, *indices)):
            return _element(context, base, tuple(indices), depth)
        case ExpressionConstant(op="inttoptr", operands=(IntConstant(value=value),)):
            return Text(f"*{value:#x}", _UNARY)
        case Register():
            return _place_of_register(context, pointer, depth)
        case _:
            return _pointed(context, pointer, depth)


def _place_of_register(context: Context, pointer: Register, depth: int) -> Text | None:
    match context.defs.get(pointer.name):
        case Alloca(variable=variable):
            return None if variable is None else Text(variable.name, _PRIMARY, variable.type)
        case GetElementPtr(variable=Variable() as variable):
            return Text(variable.name, _PRIMARY, variable.type)
        case GetElementPtr(base=base, indices=indices, result=result):
            return _element(context, base, indices, depth, result or "")
        case Cast(op="bitcast" | "addrspacecast", value=value):
            return _place(context, value, depth)
        case _:
            return _pointed(context, pointer, depth)


def _global(context: Context, name: str) -> Text | None:
    if name in context.program.globals:
        variable = context.program.globals[name].variable
        if variable is not None:
            return Text(variable.name, _PRIMARY, variable.type)
        return None if name.startswith((".", "__")) or name.isdigit() else Text(name, _PRIMARY)
    function = context.program.functions.get(name)
    return Text(function.source_name, _PRIMARY) if function is not None else None


def _pointed(context: Context, pointer: Operand, depth: int) -> Text | None:
    value = _value(context, pointer, True, depth - 1)
    if value is None:
        return None
    ctype = _ctype(context, value.ctype)
    if value.text.startswith("&"):
        return Text(value.text[1:], _PRIMARY)
    return Text(f"*{value.at(_UNARY)}", _UNARY, ctype.target if ctype is not None else None)


def _element(
    context: Context, base: Operand, indices: tuple[Operand, ...], depth: int, result: str = ""
) -> Text | None:
    """`base[i]`, `base.field` or `base->field`, one step per index."""
    place: Text | None
    if indices and isinstance(indices[0], IntConstant) and indices[0].value == 0 and len(indices) > 1:
        place = _place(context, base, depth - 1)
    else:
        place = _indexed(context, _value(context, base, True, depth - 1), indices[0], depth, pointer=True)
    for index in indices[1:]:
        if place is None:
            return None
        ctype = _ctype(context, place.ctype)
        if ctype is not None and ctype.kind in ("struct", "union"):
            place = _field(context, place, ctype, index, result)
        else:
            place = _indexed(context, place, index, depth)
    return place


def _indexed(
    context: Context, base: Text | None, index: Operand, depth: int, pointer: bool = False
) -> Text | None:
    inner = _value(context, index, True, depth - 1)
    if base is None or inner is None:
        return None
    ctype = _ctype(context, base.ctype)
    text = base.text[1:] if base.text.startswith("&") and pointer else base.at(_PRIMARY)
    return Text(f"{text}[{inner.text}]", _PRIMARY, ctype.target if ctype is not None else None)


def _field(context: Context, place: Text, ctype: CType, index: Operand, result: str) -> Text | None:
    """clang names the result after the field, with digits behind to keep names apart."""
    members = [m for m in ctype.members if m.name and _is_named_after(result, m.name)]
    if members:
        member = max(members, key=lambda m: len(m.name))
    elif isinstance(index, IntConstant) and index.value < len(ctype.members):
        member = ctype.members[index.value]
    else:
        return None
    if place.text.startswith("*"):
        inner = place.text[1:]
        return Text(f"{inner}->{member.name}", _PRIMARY, member.type)
    return Text(f"{place.at(_PRIMARY)}.{member.name}", _PRIMARY, member.type)


def _is_named_after(result: str, member: str) -> bool:
    """`member`, or `member` with digits behind."""
    return result.startswith(member) and (len(result) == len(member) or result[len(member) :].isdecimal())


def _ctype(context: Context, key: int | None) -> CType | None:
    return context.program.ctypes.get(key) if key is not None else None
