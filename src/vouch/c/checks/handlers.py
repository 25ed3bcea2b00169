"""Decodes what clang's undefined-behaviour instrumentation says about a place.

Each handler call carries a static record: file, line, column, then type descriptors and small numbers. The
layout per handler is the sanitizer runtime's (compiler-rt, ubsan_handlers.h).
"""

from __future__ import annotations

import re

from vouch.c.ir import (
    AggregateConstant,
    Call,
    Constant,
    GlobalConstant,
    IntConstant,
    Location,
    Program,
    StringConstant,
    ZeroConstant,
)
from vouch.record import frozen_record, record


@frozen_record
class TypeName:
    """A type descriptor: C spelling; `kind` "int" (a _BitInt too), "float" or "other"; width and signedness
    of an int."""

    name: str
    kind: str
    bits: int
    signed: bool


UNKNOWN_TYPE = TypeName("its type", "other", 0, False)


@record
class Handler:
    """A handler call: `kind` is "add_overflow", "out_of_bounds", …; `numbers` what follows the types."""

    call: Call
    kind: str
    location: Location
    types: tuple[TypeName, ...]
    numbers: tuple[int, ...]

    def type(self, index: int) -> TypeName:
        return self.types[index] if index < len(self.types) else UNKNOWN_TYPE


_KIND = re.compile(r"^__ubsan_handle_(.*?)(?:_v\d+)?(?:_minimal)?(?:_abort|_preserve)*$")


def decode(program: Program, call: Call) -> Handler:
    """Never fails: what cannot be read is left out, and the debug location stands in for the record's."""
    assert isinstance(call.callee, GlobalConstant)
    match = _KIND.match(call.callee.name)
    kind = match.group(1) if match else call.callee.name
    record = _initializer(program, call.arguments[0]) if call.arguments else None
    place = call.location or Location("", 0, 0, "")
    types: list[TypeName] = []
    numbers: list[int] = []
    if isinstance(record, AggregateConstant):
        for element in record.elements:
            match element:
                case AggregateConstant():
                    place = _place(program, element, place)
                case GlobalConstant():
                    types.append(_type(program, element))
                case IntConstant():
                    numbers.append(element.value)
                case _:
                    numbers.append(0)
    return Handler(call, kind, place, tuple(types), tuple(numbers))


def _initializer(program: Program, operand: object) -> Constant | None:
    if isinstance(operand, GlobalConstant) and operand.name in program.globals:
        return program.globals[operand.name].initializer
    return None


def _place(program: Program, record: AggregateConstant, debug: Location) -> Location:
    numbers = [e.value for e in record.elements if isinstance(e, IntConstant)]
    if len(numbers) < 2 or not numbers[0]:
        return debug
    file = debug.file
    if not file:
        name = _initializer(program, record.elements[0])
        file = name.data.rstrip(b"\0").decode(errors="replace") if isinstance(name, StringConstant) else ""
    return Location(file, numbers[0], numbers[1], debug.scope)


_SPELLING = re.compile(r"'([^']*)'")
_BUILT_IN = re.compile(r"\b__(size_t|ptrdiff_t)\b")  # clang's own names of what sizeof and pointers yield
_BIT_INT = re.compile(r"\b_(?:Bit|Ext)Int\((\d+)\)")


def _type(program: Program, operand: GlobalConstant) -> TypeName:
    record = _initializer(program, operand)
    if not isinstance(record, AggregateConstant) or len(record.elements) < 3:
        return UNKNOWN_TYPE
    kind, info, text = record.elements[:3]
    data = text.data if isinstance(text, StringConstant) else b""
    spelled = data.split(b"\0")[0].decode(errors="replace")
    match = _SPELLING.search(spelled)
    name = _BUILT_IN.sub(r"\1", match.group(1) if match else spelled)
    number = info.value if isinstance(info, IntConstant) else 0
    match kind:
        case ZeroConstant() | IntConstant(value=0 | 2):
            # The record holds the width rounded up to a power of two; of a _BitInt the name says more.
            exact = _BIT_INT.search(spelled)
            bits = int(exact.group(1)) if exact else 1 << (number >> 1)
            return TypeName(name, "int", bits, bool(number & 1))
        case IntConstant(value=1):
            return TypeName(name, "float", number, True)
        case _:
            return TypeName(name, "other", 0, False)
