"""Locals whose address is only lent: handed to functions that neither keep nor return it.

Between such calls nothing but accesses by name changes them, whatever is written through other pointers, and
during a call only the function that got the address does. `Lending` finds them by following where addresses
go: into slots of the function's own, through address arithmetic, choices and calls.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from vouch.c import known
from vouch.c.flow.uses import operands
from vouch.c.ir import (
    Alloca,
    AsmOperand,
    AtomicUpdate,
    Call,
    Cast,
    Compare,
    CompareExchange,
    DebugValue,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Opaque,
    Operand,
    Phi,
    PointerType,
    Program,
    Register,
    Return,
    Select,
    Store,
)
from vouch.c.ranges.calls import CallGraph, instructions

_ACCESSES = ("llvm.memcpy.", "llvm.memmove.", "llvm.memset.", "llvm.lifetime.", "llvm.dbg.")


@dataclass(slots=True)
class Trail:
    """Where an address goes in one function: the registers that may hold it (or a place in its object), the
    calls that get it (with the argument's number), and whether it is kept or returned."""

    registers: set[str]
    calls: list[tuple[Call, int]] = field(default_factory=list)
    kept: bool = False
    returned: bool = False


class Lending:
    """`keeps` tells of each function which of its parameters it may keep or return."""

    def __init__(self, program: Program, graph: CallGraph, escaping: dict[str, set[str]]) -> None:
        self.program = program
        self.graph = graph
        self.escaping = escaping
        self.trails: dict[tuple[str, str], Trail] = {}
        self._kept: dict[tuple[str, int], bool] = {}
        self._lent: dict[str, dict[str, Trail]] = {}
        for component in graph.components:
            self._settle(component)

    def _settle(self, names: list[str]) -> None:
        """Callees first; those that call each other until nothing changes."""
        changed = True
        while changed:
            changed = False
            for name in names:
                function = self.program.functions[name]
                for number, parameter in enumerate(function.parameters):
                    if isinstance(parameter.type, PointerType):
                        trail = self._follow(function, parameter.name)
                        self.trails[name, parameter.name] = trail
                        kept = trail.kept or trail.returned
                        changed |= self._kept.get((name, number), False) != kept
                        self._kept[name, number] = kept

    def keeps(self, name: str, number: int) -> bool:
        function = self.program.functions.get(name)
        if function is not None and function.defined:
            if number >= len(function.parameters):
                return True
            return self._kept.get((name, number), False)  # of functions that are still being looked at
        return not known.is_silent(name) or name in known.by_engine("copy", "fill")

    def lent(self, function: Function) -> dict[str, Trail]:
        """The locals (`%x`) that are lent and do not go through slots or choices on the way."""
        if function.name in self._lent:
            return self._lent[function.name]
        found = self._lent[function.name] = {}
        slots = {i.result for i in instructions(function) if isinstance(i, Alloca)}
        for name in self.escaping[function.name]:
            if name[0] == "%" and name[1:] in slots:
                trail = self._follow(function, name[1:], plainly=True)
                if not trail.kept and not trail.returned:
                    found[name] = trail
        return found

    def asked(self) -> set[str]:
        """Functions that get the address of something lent, and those that they hand it on to."""
        work = [
            (self.graph.target(call), number)
            for name in self.graph.order
            for trail in self.lent(self.program.functions[name]).values()
            for call, number in trail.calls
        ]
        seen: set[tuple[str | None, int]] = set()
        while work:
            name, number = entry = work.pop()
            function = self.program.functions.get(name or "")
            if entry in seen or function is None or not function.defined:
                continue
            seen.add(entry)
            if number < len(function.parameters):
                handed = self.trails.get((function.name, function.parameters[number].name))
                work += [(self.graph.target(c), n) for c, n in handed.calls] if handed is not None else []
        return {name for name, _ in seen if name is not None}

    def _follow(self, function: Function, origin: str, *, plainly: bool = False) -> Trail:
        trail = Trail({origin})
        slots: set[str] = set()
        own = {i.result for i in instructions(function) if isinstance(i, Alloca)}
        size = -1
        while size != len(trail.registers) + len(slots) and not trail.kept:
            size = len(trail.registers) + len(slots)
            trail.calls.clear()
            for instruction in instructions(function):
                self._step(function, instruction, trail, slots, own if not plainly else set(), plainly)
        return trail

    def _step(
        self,
        function: Function,
        instruction: Instruction,
        trail: Trail,
        slots: set[str],
        own: Iterable[str | None],
        plainly: bool,
    ) -> None:
        held = trail.registers
        match instruction:
            case Load(pointer=Register(name=name), result=str(result)):
                if name in slots:
                    held.add(result)
            case Store(value=value, pointer=pointer):
                if not _is_among(value, held):
                    return
                if (
                    isinstance(pointer, Register)
                    and pointer.name in own
                    and f"%{pointer.name}" not in self.escaping[function.name]
                ):
                    slots.add(pointer.name)
                else:
                    trail.kept = True
            case (
                GetElementPtr(base=base, result=str(result))
                | Cast(op="bitcast", value=base, result=str(result))
            ):
                if _is_among(base, held):
                    held.add(result)
            case Phi() | Select():
                if any(_is_among(operand, held) for operand in operands(instruction)):
                    trail.kept |= plainly
                    held.add(instruction.result or "")
            case Call():
                self._call(instruction, trail, slots)
            case Return(value=value):
                trail.returned |= value is not None and _is_among(value, held)
            case Compare() | DebugValue() | Load():
                pass
            case Opaque():
                trail.kept = True
            case AtomicUpdate(value=value) | CompareExchange(replacement=value):
                trail.kept |= _is_among(value, held)
            case _:
                trail.kept |= any(_is_among(operand, held) for operand in operands(instruction))

    def _call(self, call: Call, trail: Trail, slots: set[str]) -> None:
        target = None if isinstance(call.callee, AsmOperand) else self.graph.target(call)
        copies = target is not None and target.startswith(_ACCESSES)
        for number, argument in enumerate(call.arguments):
            if isinstance(argument, Register) and argument.name in slots:
                trail.kept |= not (copies and target is not None and target.startswith(("llvm.l", "llvm.d")))
            if not _is_among(argument, trail.registers):
                continue
            trail.calls.append((call, number))
            passed_by_value = number < len(call.byval) and call.byval[number] is not None
            if copies or passed_by_value:
                continue
            if target is None or self.keeps(target, number):
                trail.kept = True


def _is_among(operand: Operand, names: set[str]) -> bool:
    return isinstance(operand, Register) and operand.name in names
