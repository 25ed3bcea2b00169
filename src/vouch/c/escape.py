"""Whose address goes where: locals and globals that something other than an access by name can reach.

Objects are named as in the IR: `%x` a local variable, `@g` a global.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from vouch.c.ir import (
    AggregateConstant,
    Alloca,
    Call,
    Cast,
    Compare,
    ExpressionConstant,
    Function,
    GetElementPtr,
    GlobalConstant,
    Instruction,
    Load,
    Opaque,
    Operand,
    Register,
    Store,
)

_COPIES = ("llvm.memcpy.", "llvm.memmove.", "llvm.memset.")
_MARKERS = ("llvm.lifetime.", "llvm.dbg.")
_GLOBAL = re.compile(r"@[-\w$.]+")


def escaping(function: Function) -> set[str]:
    """Names (`%x`, `@g`) of locals and globals whose address is used other than to access them."""
    owners = _owners(function)
    found: set[str] = set()
    for block in function.blocks.values():
        for instruction in block.instructions:
            match instruction:
                case Load() | Compare() | GetElementPtr() | Cast(op="bitcast"):
                    pass
                case Store(value=value):
                    found |= owner(owners, value)
                case Opaque(text=text):
                    found |= {name for owned in owners.values() for name in owned}
                    found |= set(_GLOBAL.findall(text))
                case Call(callee=GlobalConstant(name=name)) if name.startswith((*_COPIES, *_MARKERS)):
                    pass
                case Call(arguments=arguments, byval=byval):
                    for number, argument in enumerate(arguments):
                        if number >= len(byval) or byval[number] is None:
                            found |= owner(owners, argument)
                case _:
                    for operand in operands_of(instruction):
                        found |= owner(owners, operand)
    return found


def _owners(function: Function) -> dict[str, set[str]]:
    """Registers that hold an address inside a local or global, to a fixed point (blocks are in no order)."""
    owners: dict[str, set[str]] = {}
    steps: list[tuple[str, Operand]] = []
    for block in function.blocks.values():
        for instruction in block.instructions:
            match instruction:
                case Alloca(result=result) if result is not None:
                    owners[result] = {f"%{result}"}
                case GetElementPtr(base=base, result=result) | Cast(op="bitcast", value=base, result=result):
                    if result is not None:
                        steps.append((result, base))
    changed = True
    while changed:
        changed = False
        for result, base in steps:
            owned = owner(owners, base)
            if owned and result not in owners:
                owners[result] = owned
                changed = True
    return owners


def owner(owners: dict[str, set[str]], operand: Operand) -> set[str]:
    """The objects whose address an operand is or contains."""
    match operand:
        case Register(name=name):
            return owners.get(name, set())
        case GlobalConstant(name=name):
            return {f"@{name}"}
        case ExpressionConstant(operands=operands):
            return set().union(*(owner(owners, part) for part in operands))
        case AggregateConstant(elements=elements):
            return set().union(*(owner(owners, part) for part in elements))
        case _:
            return set()


def operands_of(instruction: Instruction) -> Iterable[Operand]:
    """All operands, found by looking at every field."""
    for name in instruction.__dataclass_fields__:
        held = getattr(instruction, name)
        if isinstance(held, Operand):
            yield held
        elif isinstance(held, tuple):
            for item in held:
                if isinstance(item, Operand):
                    yield item
                elif isinstance(item, tuple):
                    yield from (part for part in item if isinstance(part, Operand))
