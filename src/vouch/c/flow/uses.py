"""What instructions and constants use: operands, and the globals and functions that they name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vouch.c.ir import (
    AggregateConstant,
    Constant,
    ExpressionConstant,
    FloatConstant,
    GlobalConstant,
    Instruction,
    IntConstant,
    OpaqueConstant,
    Operand,
)

_NO_OPERANDS = frozenset(Instruction.__dataclass_fields__) | {
    "align",
    "flags",
    "attributes",
    "signature",
    "op",
}
_FIELDS: dict[type[Instruction], tuple[str, ...]] = {}  # that may hold operands, by kind of instruction
_NUMBERS = (IntConstant, FloatConstant)
_MENTIONED = re.compile(r'@("[^"]*"|[-\w.$]+)')


def _fields(kind: type[Instruction]) -> tuple[str, ...]:
    known = _FIELDS.get(kind)
    if known is None:
        names = kind.__dataclass_fields__
        known = _FIELDS[kind] = tuple(name for name in names if name not in _NO_OPERANDS)
    return known


def operands(instruction: Instruction) -> Iterator[Operand]:
    """All operands, whatever the instruction: found by looking through its fields."""
    for name in _fields(type(instruction)):
        value = getattr(instruction, name)
        if isinstance(value, Operand):
            yield value
        elif isinstance(value, tuple):
            for part in value:
                if isinstance(part, Operand):
                    yield part
                elif isinstance(part, tuple):
                    yield from (inner for inner in part if isinstance(inner, Operand))


def names_in(constant: Constant | None) -> Iterator[str]:
    """Globals and functions that a constant mentions."""
    work = [constant]
    while work:
        item = work.pop()
        if isinstance(item, GlobalConstant):
            yield item.name
        elif isinstance(item, AggregateConstant):
            work.extend([part for part in item.elements if type(part) not in _NUMBERS])  # tables are long
        elif isinstance(item, ExpressionConstant):
            work.extend(item.operands)
        elif isinstance(item, OpaqueConstant):
            yield from (name.strip('"') for name in _MENTIONED.findall(item.text))
