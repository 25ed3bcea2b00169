"""Locals whose address is only lent: handed to functions that do not keep it.

Between such calls nothing but accesses through registers that may hold the address changes them, whatever is
written through other pointers, and during a call only the function that got the address does. `Lending`
finds them by following where addresses go: into slots of the function's own, through address arithmetic,
choices, calls and what those return.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

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
    GlobalConstant,
    Instruction,
    Load,
    Opaque,
    Phi,
    PointerType,
    Program,
    Register,
    Return,
    Select,
    Store,
)
from vouch.c.ranges.calls import RangeCalls, instructions
from vouch.record import record

_ACCESSES = ("llvm.memcpy.", "llvm.memmove.", "llvm.memset.", "llvm.lifetime.", "llvm.dbg.")


@record
class Trail:
    """Where an address goes in one function: the registers that may hold it (or a place in its object), the
    calls that get it (with the argument's number), whether it is kept or returned, and whether something is
    stored there that was handed over by value."""

    registers: set[str]
    calls: list[tuple[Call, int]] = field(default_factory=list)
    kept: bool = False
    returned: bool = False
    carries: bool = False


class Lending:
    """`keeps` tells of each function which of its parameters it may store somewhere, `returns` which it may
    return, or a place behind it."""

    def __init__(self, program: Program, graph: RangeCalls, escaping: dict[str, set[str]]) -> None:
        self.program = program
        self.graph = graph
        self.escaping = escaping
        self.trails: dict[tuple[str, str], Trail] = {}
        self._kept: dict[tuple[str, int], bool] = {}
        self._returned: dict[tuple[str, int], bool] = {}
        self._lent: dict[str, dict[str, Trail]] = {}
        self._texts: dict[str, _Text] = {}
        self._pairs: set[tuple[str, int, int]] | None = None
        self._spoiled: dict[tuple[str, int], bool] = {}
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
                        for held, now in ((self._kept, trail.kept), (self._returned, trail.returned)):
                            changed |= held.get((name, number), False) != now
                            held[name, number] = now
            changed = changed and self.graph.repeats(names)

    def keeps(self, name: str, number: int) -> bool:
        function = self.program.functions.get(name)
        if function is not None and function.defined:
            if number >= len(function.parameters):
                return True
            return self._kept.get((name, number), False)  # of functions that are still being looked at
        return not known.is_silent(name) or name in known.by_engine("copy", "fill")

    def returns(self, name: str, number: int) -> bool:
        return self._returned.get((name, number), False)

    def lent(self, function: Function) -> dict[str, Trail]:
        """The locals (`%x`) that are lent."""
        if function.name in self._lent:
            return self._lent[function.name]
        found = self._lent[function.name] = {}
        slots = {i.result for i in instructions(function) if isinstance(i, Alloca)}
        for name in self.escaping[function.name]:
            if name[0] == "%" and name[1:] in slots:
                trail = self._follow(function, name[1:])
                if not trail.kept and not trail.returned:
                    found[name] = trail
        return found

    # ------------------------------------------------------------ parameters

    def leading_to(self, function: Function, number: int) -> set[str]:
        """The registers that may lead to what is lent through a parameter: also those of other parameters
        that may get the same address."""
        found: set[str] = set()
        for other, parameter in enumerate(function.parameters):
            trail = self.trails.get((function.name, parameter.name))
            if trail is not None and (other == number or self.may_share(function.name, number, other)):
                found |= trail.registers
        return found

    def may_share(self, name: str, first: int, second: int) -> bool:
        """Whether two parameters may get the address of one object that is lent."""
        if self._pairs is None:
            self._pairs = self._shared()
        return (name, first, second) in self._pairs

    def _shared(self) -> set[tuple[str, int, int]]:
        found: set[tuple[str, int, int]] = set()
        work: list[tuple[Trail, Trail]] = [(trail, trail) for trail in self.trails.values()]
        for name in self.graph.order:
            work += [(trail, trail) for trail in self.lent(self.program.functions[name]).values()]
        while work:
            for pair in self._together(*work.pop()):
                if pair not in found:
                    found.add(pair)
                    name, *numbers = pair
                    function = self.program.functions.get(name)
                    if function is None or not function.defined or max(numbers) >= len(function.parameters):
                        continue
                    trails = [self.trails.get((name, function.parameters[n].name)) for n in numbers]
                    if trails[0] is not None and trails[1] is not None:
                        work.append((trails[0], trails[1]))
        return found

    def _together(self, one: Trail, other: Trail) -> Iterator[tuple[str, int, int]]:
        """The pairs of parameters to which one call hands addresses of both trails."""
        places: dict[int, list[int]] = {}
        for call, number in one.calls:
            places.setdefault(call.number, []).append(number)
        for call, number in other.calls:
            target = None if isinstance(call.callee, AsmOperand) else self.graph.target(call)
            for before in places.get(call.number, ()):
                if before != number and target is not None:
                    yield target, before, number
                    yield target, number, before

    def spoils(self, name: str, number: int) -> bool:
        """Whether a function may copy bytes, as they are, to where a parameter leads."""
        function = self.program.functions.get(name)
        if function is None or not function.defined:
            return name in known.by_engine("copy") or not known.is_silent(name)
        if number >= len(function.parameters):
            return True
        key = (name, number)
        if key not in self._spoiled:
            self._spoiled[key] = False  # of functions that are still being looked at
            self._spoiled[key] = self._does_spoil(name, function.parameters[number].name)
            if self._spoiled[key] and name in self.graph.recursive:
                self._spoiled = {k: v for k, v in self._spoiled.items() if v}
        return self._spoiled[key]

    def _does_spoil(self, name: str, parameter: str) -> bool:
        trail = self.trails.get((name, parameter))
        if trail is None or trail.carries or trail.kept:
            return True
        for call, position in trail.calls:
            target = None if isinstance(call.callee, AsmOperand) else self.graph.target(call)
            if target is None:
                return True
            if target.startswith(("llvm.memcpy.", "llvm.memmove.")):
                if position == 0:
                    return True
            elif not target.startswith("llvm."):
                outside = call.sret == position and target not in self.graph.effects
                if outside or self.spoils(target, position):
                    return True
        return False

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

    # ------------------------------------------------------------ trails

    def _follow(self, function: Function, origin: str) -> Trail:
        if function.name not in self._texts:
            self._texts[function.name] = _Text(function, self.escaping[function.name])
        text = self._texts[function.name]
        trail = Trail({origin}, kept=text.opaque)
        slots: set[str] = set()
        seen: set[str] = set()  # slots
        work = [origin]
        while work:
            name = work.pop()
            for instruction in text.users.get(name, ()):
                if name in slots:
                    made = self._of_slot(instruction, trail)
                else:
                    made = self._of_address(instruction, name, trail, slots, text)
                if made is not None and made not in trail.registers:
                    trail.registers.add(made)
                    work.append(made)
            work += [slot for slot in slots if slot not in seen]
            seen |= slots
        return trail

    def _of_slot(self, instruction: Instruction, trail: Trail) -> str | None:
        """What becomes of an address that a variable of the function's own holds."""
        match instruction:
            case Load(result=str(result)):
                return result
            case Call(callee=callee):
                name = callee.name if isinstance(callee, GlobalConstant) else ""
                trail.kept |= not name.startswith(("llvm.lifetime.", "llvm.dbg."))
            case Store() | DebugValue():
                pass
            case _:
                trail.kept = True
        return None

    def _of_address(
        self, instruction: Instruction, name: str, trail: Trail, slots: set[str], text: _Text
    ) -> str | None:
        """The register that an instruction makes of an address, if it does."""
        match instruction:
            case Store(value=value, pointer=pointer, carries=carries):
                trail.carries |= carries
                if isinstance(value, Register) and value.name == name:
                    if isinstance(pointer, Register) and pointer.name in text.own:
                        slots.add(pointer.name)
                    else:
                        trail.kept = True
            case GetElementPtr(result=str(result)) | Cast(op="bitcast", result=str(result)):
                return result
            case Phi(result=str(result)) | Select(result=str(result)):
                return result
            case Call():
                return self._call(instruction, name, trail)
            case Return():
                trail.returned = True
            case Compare() | DebugValue() | Load():
                pass
            case AtomicUpdate(value=value) | CompareExchange(replacement=value):
                trail.kept |= isinstance(value, Register) and value.name == name
            case _:
                trail.kept = True
        return None

    def _call(self, call: Call, name: str, trail: Trail) -> str | None:
        target = None if isinstance(call.callee, AsmOperand) else self.graph.target(call)
        accesses = target is not None and target.startswith(_ACCESSES)
        made = None
        for number, argument in enumerate(call.arguments):
            if not isinstance(argument, Register) or argument.name != name:
                continue
            trail.calls.append((call, number))
            passed_by_value = number < len(call.byval) and call.byval[number] is not None
            if accesses or passed_by_value:
                continue
            if target is None or self.keeps(target, number):
                trail.kept = True
            elif target not in self.graph.effects and isinstance(call.type, PointerType):
                trail.kept |= not known.allocates(target)
            elif self.returns(target, number):
                made = call.result
        if isinstance(call.callee, Register) and call.callee.name == name:
            trail.kept = True
        return made


class _Text:
    """What following addresses needs of a function: who uses each register, which variables are only ever
    accessed by name."""

    def __init__(self, function: Function, escaping: set[str]) -> None:
        self.users: dict[str, list[Instruction]] = {}
        self.opaque = False
        self.own: set[str] = set()
        for instruction in instructions(function):
            self.opaque |= isinstance(instruction, Opaque)
            if isinstance(instruction, Alloca) and f"%{instruction.result}" not in escaping:
                self.own.add(instruction.result or "")
            for name in {o.name: None for o in operands(instruction) if isinstance(o, Register)}:
                self.users.setdefault(name, []).append(instruction)
