"""Members of structs that are handed to functions of the library, or whose address is kept in a variable: how
far what is around them reaches.

Memory from outside is taken to be as large as it need be. Where the program names a member of a struct there
(`strcpy(device->name, text)`), its type says more: a function that is given the member has the struct around
it and no more, whatever comes behind the struct. So has what steps on from the member's address in a local
variable that gets no other value (`uint8_t *data = device->data; data[i] = 0`). Structs that end in a
flexible array, or in one that stands for it (of no or one element), tell nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from vouch.c.flow.uses import operands
from vouch.c.ir import (
    Alloca,
    ArrayType,
    Call,
    Function,
    GetElementPtr,
    GlobalConstant,
    Instruction,
    IntConstant,
    Load,
    Operand,
    PointerType,
    Program,
    Register,
    Store,
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
    """Set `members` on calls of functions that the program does not define itself, and `within` on accesses
    through variables."""
    sizes = Sizes(program.layout)
    own = {name for name, f in program.functions.items() if f.defined and name not in program.models}
    for name in own:
        function = program.functions[name]
        steps = _Steps(function)
        for block in function.blocks.values() if steps.made else ():
            for instruction in block.instructions:
                if isinstance(instruction, Call) and _is_library(instruction, own):
                    instruction.members = tuple(_members(steps, sizes, instruction))
                elif isinstance(instruction, Load | Store):
                    instruction.within = _kept_member(steps, sizes, instruction.pointer)


class _Steps:
    """A function's steps from pointer to pointer, by the registers of their results. `kept`: by those of
    loads from variables, the step whose result is the only value that the variable gets."""

    def __init__(self, function: Function) -> None:
        instructions: list[Instruction] = [i for b in function.blocks.values() for i in b.instructions]
        self.made = {i.result: i for i in instructions if isinstance(i, GetElementPtr) and i.result}
        self.kept: dict[str, GetElementPtr] = {}
        if self.made:
            values = self._values(instructions)
            for i in instructions:
                if isinstance(i, Load) and isinstance(i.pointer, Register) and i.result is not None:
                    stored = values.get(i.pointer.name, [])
                    if len(stored) == 1 and stored[0] in self.made and not i.volatile:
                        self.kept[i.result] = self.made[stored[0]]

    def _values(self, instructions: list[Instruction]) -> dict[str, list[str]]:
        """Registers that are stored in local pointers whose address is used for nothing else."""
        found: dict[str, list[str]] = {
            i.result: []
            for i in instructions
            if isinstance(i, Alloca) and isinstance(i.allocated, PointerType) and i.result is not None
        }
        for i in instructions:
            if isinstance(i, Store) and isinstance(i.pointer, Register) and i.pointer.name in found:
                found[i.pointer.name].append(i.value.name if isinstance(i.value, Register) else "")
                used: tuple[Operand, ...] = (i.value,)
            elif isinstance(i, Load) or _is_marker(i):
                continue
            else:
                used = tuple(operands(i))
            for operand in used:
                if isinstance(operand, Register):
                    found.pop(operand.name, None)
        return found


def _is_marker(i: Instruction) -> bool:
    callee = i.callee if isinstance(i, Call) else None
    return isinstance(callee, GlobalConstant) and callee.name.startswith("llvm.lifetime.")


def _kept_member(steps: _Steps, sizes: Sizes, pointer: Operand) -> tuple[Operand, int, int] | None:
    """What is around the member that a variable leads to, where an access steps on from there."""
    if not isinstance(pointer, Register) or pointer.name not in steps.made:
        return None
    base: Operand = pointer
    while isinstance(base, Register) and base.name in steps.made:
        step = steps.made[base.name]
        if len(step.indices) != 1:
            return None
        base = step.base
    if not isinstance(base, Register) or base.name not in steps.kept:
        return None
    try:
        return _place(steps, sizes, pointer)
    except Unsupported:
        return None


def _is_library(call: Call, own: set[str]) -> bool:
    callee = call.callee
    if not isinstance(callee, GlobalConstant) or callee.name in own:
        return False
    return not callee.name.startswith("llvm.") or callee.name.startswith("llvm.mem")


def _members(
    steps: _Steps, sizes: Sizes, call: Call
) -> list[tuple[int, Operand, int, int]]:
    found = []
    for number, argument in enumerate(call.arguments):
        if isinstance(argument, Register) and (argument.name in steps.made or argument.name in steps.kept):
            try:
                place = _place(steps, sizes, argument)
                single = argument.name in steps.made and _is_element(steps.made[argument.name], sizes, call)
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


def _place(steps: _Steps, sizes: Sizes, pointer: Register) -> _Place | None:
    """Where a pointer to a member, or to an element of one that is an array, lies."""
    anchor: Operand = pointer
    step = steps.made.get(pointer.name)
    while step is not None and (isinstance(step.source, ArrayType) or len(step.indices) == 1):
        anchor = step.base  # the index need not be known
        if not isinstance(anchor, Register):
            return None
        step = steps.made.get(anchor.name)
    if step is None:
        assert isinstance(anchor, Register)
        step = steps.kept.get(anchor.name)
        if step is None:
            return None
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
        if not isinstance(step.base, Register) or step.base.name not in steps.made:
            return found
        step = steps.made[step.base.name]


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


