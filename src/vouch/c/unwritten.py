"""Variables of one file that nobody writes: they are constant, whatever their declaration says.

A variable that other files cannot see, whose address serves for nothing but reading it, holds its initial
value for ever, also in a library where all others may hold anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vouch.c.escape import GLOBAL
from vouch.c.flow.uses import names_in, operands
from vouch.c.ir import (
    Call,
    Constant,
    Function,
    GetElementPtr,
    Global,
    GlobalConstant,
    Instruction,
    Load,
    Opaque,
    Operand,
    Program,
    Register,
)

_COPIES = ("llvm.memcpy.", "llvm.memmove.")


def mark(program: Program) -> None:
    kept = {name for name, variable in program.globals.items() if _is_own(program, variable)}
    for held in [*(g.initializer for g in program.globals.values()), *program.aliases.values()]:
        kept.difference_update(names_in(held))
    for function in program.functions.values():
        if kept:
            kept.difference_update(_written(function, kept))
    for name in kept:
        program.globals[name].constant = True


def _is_own(program: Program, variable: Global) -> bool:
    """Can nobody but the code of its file get at it? What lies in a section of its own may be set from
    anywhere, by a programmer of the chip, say."""
    own = variable.linkage == "internal" and not variable.section and variable.name not in program.used
    return own and not variable.constant and variable.initializer is not None


def _written(function: Function, kept: set[str]) -> Iterator[str]:
    """Of these variables those whose address is used for more than reading them."""
    instructions = [i for block in function.blocks.values() for i in block.instructions]
    addresses: dict[str, set[str]] = {}  # registers, and the variables into which they point
    count = -1
    while len(addresses) > count:
        count = len(addresses)
        for step in instructions:
            if not isinstance(step, GetElementPtr) or step.result is None:
                continue
            if into := kept.intersection(_named(step.base, addresses)):
                addresses[step.result] = into
    for instruction in instructions:
        if isinstance(instruction, Opaque):  # nobody knows what it does with what it names
            yield from (name[1:] for name in GLOBAL.findall(instruction.text))
            yield from (name for into in addresses.values() for name in into)
        for operand in _more_than_read(instruction):
            yield from _named(operand, addresses)


def _more_than_read(instruction: Instruction) -> Iterable[Operand]:
    """The operands of an instruction but the address that it reads from, or counts on from."""
    match instruction:
        case Load(volatile=False):
            return ()
        case GetElementPtr():
            return instruction.indices
        case Call(callee=GlobalConstant(name=name)) if name.startswith(_COPIES):
            return (instruction.arguments[0], *instruction.arguments[2:])
        case _:
            return operands(instruction)


def _named(operand: Operand, addresses: dict[str, set[str]]) -> Iterable[str]:
    if isinstance(operand, Register):
        return addresses.get(operand.name, ())
    return names_in(operand) if isinstance(operand, Constant) else ()
