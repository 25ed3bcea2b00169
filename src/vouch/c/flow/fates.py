"""What becomes of a value: whether anything hangs on it, on some way through the program.

Nothing does where it is dropped, where all that is computed from it is dropped, and where it lies in a
variable that is written anew, or goes out of use, before it is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from enum import IntEnum

from vouch.c.flow.graph import may_follow
from vouch.c.flow.uses import operands
from vouch.c.ir import (
    Alloca,
    Binary,
    Call,
    Cast,
    Compare,
    DebugValue,
    Function,
    GlobalConstant,
    Instruction,
    Load,
    Operand,
    Phi,
    Program,
    Register,
    Return,
    Select,
    Store,
    Unary,
)
from vouch.record import frozen_record, record

_COMPUTES = (Binary, Cast, Compare, Phi, Select, Unary)


class Fate(IntEnum):
    """In the order of what outweighs what."""

    DROPPED = 0
    RETURNED = 1
    USED = 2


@frozen_record
class Spot:
    """Behind instruction number `index` of a block."""

    block: str
    index: int


@record
class _Body:
    """The instructions of a function by the registers that they use and by where they stand."""

    users: dict[str, list[Instruction]] = field(default_factory=dict)
    at: dict[int, Spot] = field(default_factory=dict)
    locals: set[str] = field(default_factory=set)  # variables that are only read and written as a whole


class Fates:
    """Of the values of one program; what was asked once is remembered."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._bodies: dict[str, _Body] = {}
        self._parameters: dict[tuple[str, int], Fate] = {}

    def of(self, function: Function, register: str) -> Fate:
        """What becomes of what a register of the function holds."""
        body = self._body(function)
        found, seen, work = Fate.DROPPED, {register}, [register]
        while work:
            name = work.pop()
            for user in body.users.get(name, ()):
                fate, more = self._step(function, body, name, user)
                found = max(found, fate)
                work += [one for one in more if one not in seen]
                seen.update(more)
            if found is Fate.USED:
                break
        return found

    def _step(self, function: Function, body: _Body, name: str, user: Instruction) -> tuple[Fate, list[str]]:
        """What one use of a value makes of it, and the registers that hold what was made from it."""
        if isinstance(user, DebugValue) or user.nosanitize:
            return Fate.DROPPED, []
        if isinstance(user, _COMPUTES):
            return Fate.DROPPED, [user.result] if user.result is not None else []
        if isinstance(user, Return):
            return Fate.RETURNED, []
        if isinstance(user, Store) and (variable := _name(user.pointer)) in body.locals:
            return Fate.DROPPED, list(self._reads(function, body, user, variable))
        if isinstance(user, Call) and (callee := self._own(user)) is not None:
            return self._handed_on(callee, user, name)
        return Fate.USED, []

    def _own(self, call: Call) -> Function | None:
        """The function of the program itself that is called."""
        name = call.callee.name if isinstance(call.callee, GlobalConstant) else ""
        function = self.program.functions.get(name)
        own = function is not None and function.defined and name not in self.program.models
        return function if own else None

    def _handed_on(self, callee: Function, call: Call, name: str) -> tuple[Fate, list[str]]:
        found = Fate.DROPPED
        for number, argument in enumerate(call.arguments):
            if isinstance(argument, Register) and argument.name == name:
                fate = Fate.USED if number >= len(callee.parameters) else self._parameter(callee, number)
                found = max(found, fate)
        if found is Fate.RETURNED:
            return Fate.DROPPED, [call.result] if call.result is not None else []
        return found, []

    def _parameter(self, function: Function, number: int) -> Fate:
        key = function.name, number
        if key not in self._parameters:
            self._parameters[key] = Fate.DROPPED  # a call of itself adds nothing
            self._parameters[key] = self.of(function, function.parameters[number].name)
        return self._parameters[key]

    def _reads(self, function: Function, body: _Body, store: Store, variable: str) -> Iterator[str]:
        """Registers that hold what was stored, read before the variable is written anew."""
        for instruction in self._behind(function, body.at[store.number], variable):
            if isinstance(instruction, Load) and _name(instruction.pointer) == variable:
                assert instruction.result is not None
                yield instruction.result

    def place(self, function: Function, instruction: Instruction) -> Spot:
        return self._body(function).at[instruction.number]

    def behind(self, function: Function, place: Spot) -> Iterator[Instruction]:
        """All instructions that may be executed behind a place of the function."""
        return self._behind(function, place, None)

    def _behind(self, function: Function, place: Spot, until_written: str | None) -> Iterator[Instruction]:
        work, seen = [(place.block, place.index + 1)], set()
        while work:
            label, first = work.pop()
            block = function.blocks[label]
            for instruction in block.instructions[first:]:
                yield instruction
                if isinstance(instruction, Store) and _name(instruction.pointer) == until_written:
                    break
            else:
                after = [one for one in may_follow(function, block.terminator) if one not in seen]
                seen.update(after)
                work += [(one, 0) for one in after]

    def _body(self, function: Function) -> _Body:
        body = self._bodies.get(function.name)
        if body is None:
            body = self._bodies[function.name] = _sorted(function)
        return body


def _name(pointer: Operand) -> str:
    return pointer.name if isinstance(pointer, Register) else ""


def _sorted(function: Function) -> _Body:
    body = _Body()
    for label, block in function.blocks.items():
        for index, instruction in enumerate(block.instructions):
            body.at[instruction.number] = Spot(label, index)
            if isinstance(instruction, Alloca) and instruction.result is not None:
                body.locals.add(instruction.result)
            for used in operands(instruction):
                if isinstance(used, Register):
                    body.users.setdefault(used.name, []).append(instruction)
    body.locals = {name for name in body.locals if all(_whole(use, name) for use in body.users.get(name, ()))}
    return body


def _whole(use: Instruction, variable: str) -> bool:
    """Whether a use of a variable's address reads or writes the variable, or says nothing of it."""
    if isinstance(use, Load):
        return True
    if isinstance(use, Store):
        return _name(use.value) != variable
    lifetime = isinstance(use, Call) and isinstance(use.callee, GlobalConstant)
    return isinstance(use, DebugValue) or (lifetime and use.callee.name.startswith("llvm.lifetime."))  # type: ignore[attr-defined]
