"""Members of structs that are handed to functions of the library: how far what is around them reaches.

Memory from outside is taken to be as large as it need be. Where the program names a member of a struct there
(`strcpy(device->name, text)`), its type says more: a function that is given the member has the struct around
it and no more, whatever comes behind the struct. Structs that end in a flexible array, or in one that stands
for it (of no or one element), tell nothing. Neither does a pointer that was kept in a variable.
"""

from __future__ import annotations

from typing import NamedTuple

from vouch.c.ir import (
    ArrayType,
    Call,
    Function,
    GetElementPtr,
    GlobalConstant,
    Instruction,
    IntConstant,
    Operand,
    Program,
    Register,
    StructType,
    Type,
)
from vouch.c.layout import Sizes
from vouch.errors import Unsupported

_FLEXIBLE = 1  # an array of so many elements at the end of a struct stands for one of any length


class _Place(NamedTuple):
    """The pointer `anchor` lies `before` bytes behind the start of a struct of `size` bytes."""

    anchor: Operand
    before: int
    size: int


def mark(program: Program) -> None:
    """Set `members` on calls of functions that the program does not define itself."""
    sizes = Sizes(program.layout)
    own = {name for name, f in program.functions.items() if f.defined and name not in program.models}
    for name in own:
        function = program.functions[name]
        steps = _steps(function)
        for block in function.blocks.values() if steps else ():
            for instruction in block.instructions:
                if isinstance(instruction, Call) and _is_library(instruction, own):
                    instruction.members = tuple(_members(steps, sizes, instruction))


def _steps(function: Function) -> dict[str, GetElementPtr]:
    instructions: list[Instruction] = [i for block in function.blocks.values() for i in block.instructions]
    return {i.result: i for i in instructions if isinstance(i, GetElementPtr) and i.result is not None}


def _is_library(call: Call, own: set[str]) -> bool:
    callee = call.callee
    if not isinstance(callee, GlobalConstant) or callee.name in own:
        return False
    return not callee.name.startswith("llvm.") or callee.name.startswith("llvm.mem")


def _members(
    steps: dict[str, GetElementPtr], sizes: Sizes, call: Call
) -> list[tuple[int, Operand, int, int]]:
    found = []
    for number, argument in enumerate(call.arguments):
        if isinstance(argument, Register) and argument.name in steps:
            try:
                place = _place(steps, sizes, argument)
                single = _is_element(steps[argument.name], sizes, call)
            except Unsupported:
                continue
            if place is not None and not single:
                found.append((number, *place))
    return found


def _is_element(step: GetElementPtr, sizes: Sizes, call: Call) -> bool:
    """Whether a copy concerns one element of an array, as assignments of structs do: its index is checked."""
    callee = call.callee
    copies = isinstance(callee, GlobalConstant) and callee.name.startswith("llvm.mem")
    length = call.arguments[2] if copies else None
    if not isinstance(step.source, ArrayType) or not isinstance(length, IntConstant):
        return False
    return len(step.indices) == 2 and length.value <= sizes.size(step.source.element)


def _place(steps: dict[str, GetElementPtr], sizes: Sizes, pointer: Register) -> _Place | None:
    """Where a pointer to a member, or to an element of one that is an array, lies."""
    anchor: Operand = pointer
    step = steps[pointer.name]
    while isinstance(step.source, ArrayType) or len(step.indices) == 1:  # whose index need not be known
        anchor = step.base
        if not isinstance(anchor, Register) or anchor.name not in steps:
            return None
        step = steps[anchor.name]
    found: _Place | None = None
    before = 0
    while True:
        at = _constant(step, sizes)
        if at is None:
            return found
        before += at
        if isinstance(step.source, StructType):
            if _is_open(step.source):
                return None
            found = _Place(anchor, before, sizes.size(step.source))
        if not isinstance(step.base, Register) or step.base.name not in steps:
            return found
        step = steps[step.base.name]


def _constant(step: GetElementPtr, sizes: Sizes) -> int | None:
    """How far a step to a member or an element goes, where that is known."""
    indices = [i.value for i in step.indices if isinstance(i, IntConstant)]
    if len(indices) != 2 or len(step.indices) != 2 or indices[0] != 0:
        return None
    if isinstance(step.source, StructType) and step.source.fields is not None:
        return sizes.offset(step.source, indices[1])
    if isinstance(step.source, ArrayType):
        return indices[1] * sizes.size(step.source.element)
    return None


def _is_open(kind: Type) -> bool:
    """Whether data may follow what a struct names."""
    while isinstance(kind, StructType):
        if not kind.fields:
            return True
        kind = kind.fields[-1]
    return isinstance(kind, ArrayType) and kind.count <= _FLEXIBLE


