"""Which checks an execution that was cut might still have reached.

A proof that ignores some executions holds for every check those executions cannot reach. This looks at
control flow only: from the cut on in its function, and behind the call in every caller up to the entry
point. A function that is named anywhere in it, such as one that a thread is to run, counts as called.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from vouch.bmc.frame import Frame
from vouch.c import ir, known
from vouch.c.escape import escaping
from vouch.c.flow.graph import may_follow
from vouch.c.flow.order import Flow, analyse
from vouch.c.flow.uses import names_in, operands
from vouch.c.mentions import mentioned
from vouch.c.ranges.calls import RangeCalls, is_free, is_silent

_NO_NAMES = (ir.Register, ir.IntConstant, ir.NullConstant)


class Sites:
    """Instructions by their numbers: some of one function or several, and all of others (`whole`, one bit for
    each). The sets of large programs have much in common; so written they are small."""

    __slots__ = ("_owner", "some", "whole")

    def __init__(self, some: frozenset[int], whole: int, owner: Callable[[int], int]) -> None:
        """`owner` tells which function an instruction is of, -1 for none."""
        self.some = some
        self.whole = whole
        self._owner = owner

    def __contains__(self, number: object) -> bool:
        if number in self.some:
            return True
        function = self._owner(number) if isinstance(number, int) else -1
        return function >= 0 and bool(self.whole >> function & 1)


class Reachability:
    """Flows and call graph of a program, each part worked out once."""

    def __init__(self, program: ir.Program) -> None:
        self.program = program
        self.flows: dict[str, Flow] = {}
        self._escaping: dict[str, set[str]] = {}
        self._written: dict[str, frozenset[str]] = {}
        self._written_by: dict[int, list[str]] = {}  # by the functions that are meant
        self._frees: dict[int, bool] = {}
        self._nulled: dict[int, frozenset[str]] = {}
        self._definitions: dict[str, dict[str, ir.Instruction]] = {}
        self._reach: dict[tuple[str, str], frozenset[str]] = {}
        self._names = list(program.functions)
        self._index = {name: number for number, name in enumerate(self._names)}
        self._calls: dict[int, int] = {}  # function: those that it calls or names, a bit for each
        self._closure: dict[int, int] = {}
        self._mentions: dict[str, frozenset[str]] = {}
        self._globals: dict[int, frozenset[str]] = {}  # by the functions that are meant
        self._taken: list[str] | None = None
        self._graph: RangeCalls | None = None
        self._after: dict[tuple[object, ...], Sites] = {}

    def prepare(self) -> None:
        """Work out now what processes that are forked from this one would each work out for themselves."""
        for function in range(len(self._names)):
            self._called_by(function)
        self._owner(0)

    @cached_property
    def _ranges(self) -> tuple[list[int], list[int], list[int]]:
        """Functions in the order of their instructions: first and last number, which function."""
        found: list[tuple[int, int, int]] = []
        for name, function in self.program.functions.items():
            numbers = [i.number for block in function.blocks.values() for i in block.instructions]
            numbers = [number for number in numbers if number >= 0]
            if numbers:
                found.append((min(numbers), max(numbers), self._index[name]))
        found.sort()
        first, last, function_ = zip(*found, strict=True) if found else ((), (), ())
        return list(first), list(last), list(function_)

    def _owner(self, number: int) -> int:
        first, last, functions = self._ranges
        at = bisect_right(first, number) - 1
        return functions[at] if at >= 0 and number <= last[at] else -1

    def flow(self, function: ir.Function) -> Flow:
        known = self.flows.get(function.name)
        if known is None:
            known = self.flows[function.name] = analyse(function)
        return known

    def escaping(self, function: ir.Function) -> set[str]:
        """Locals (`%x`) and globals (`@g`) whose address is used for more than accesses."""
        known = self._escaping.get(function.name)
        if known is None:
            known = self._escaping[function.name] = escaping(function)
        return known

    def definitions(self, function: ir.Function) -> dict[str, ir.Instruction]:
        """The instructions of a function by the registers they define."""
        known = self._definitions.get(function.name)
        if known is None:
            instructions = (i for block in function.blocks.values() for i in block.instructions)
            known = {i.result: i for i in instructions if i.result is not None}
            self._definitions[function.name] = known
        return known

    def from_function(self, name: str) -> Sites:
        """Sites in a function and everything it may call."""
        return Sites(frozenset(), self._callees(name), self._owner)

    def from_functions(self, names: Iterable[str]) -> Sites:
        whole = 0
        for name in names:
            whole |= self._callees(name)
        return Sites(frozenset(), whole, self._owner)

    def size(self, name: str) -> int:
        """How many instructions a function has with everything it may call."""
        first, last, functions = self._ranges
        whole = self._callees(name)
        return sum(b - a + 1 for a, b, f in zip(first, last, functions, strict=True) if whole >> f & 1)

    def globals_of(self, name: str) -> frozenset[str]:
        """Global variables that a function and what it may call mention."""
        functions = self._callees(name)
        known = self._globals.get(functions)
        if known is None:
            found: set[str] = set()
            for callee in self._named(functions):
                found |= self._mentioned(callee)
            known = self._globals[functions] = frozenset(found)
        return known

    def with_initial(self, names: Iterable[str]) -> set[str]:
        """Global variables, and those that their initial values lead to."""
        found: set[str] = set()
        work = list(names)
        while work:
            name = work.pop()
            if name not in found and name in self.program.globals:
                found.add(name)
                work += names_in(self.program.globals[name].initializer)
        return found

    def _mentioned(self, name: str) -> frozenset[str]:
        known = self._mentions.get(name)
        if known is None:
            held = self.program.globals
            known = frozenset(n for n in mentioned(self.program.functions[name]) if n in held)
            self._mentions[name] = known
        return known

    def written_by(self, names: Iterable[str]) -> list[str]:
        """Variables that these functions, and what they may call, have to do with other than to read them."""
        functions = 0
        for name in names:
            functions |= self._callees(name)
        known = self._written_by.get(functions)
        if known is None:
            found: dict[str, None] = {}
            for callee in self._named(functions):
                found.update(dict.fromkeys(self._written_in(callee)))
            known = self._written_by[functions] = list(found)
        return known

    def may_free(self, names: Iterable[str]) -> bool:
        """Whether these functions, or what they may call, free memory."""
        functions = 0
        for name in names:
            functions |= self._callees(name)
        known = self._frees.get(functions)
        if known is None:
            known = self._frees[functions] = any(map(self._frees_itself, self._named(functions)))
        return known

    def _frees_itself(self, name: str) -> bool:
        function = self.program.functions.get(name)
        blocks = function.blocks.values() if function is not None else ()
        calls = (i for block in blocks for i in block.instructions if isinstance(i, ir.Call))
        return any(isinstance(i.callee, ir.GlobalConstant) and is_free(i.callee.name) for i in calls)

    def nulled_by(self, names: Iterable[str]) -> frozenset[str]:
        """Variables in which these functions, and what they may call, put null pointers; "" where they do so
        through pointers."""
        functions = 0
        for name in names:
            functions |= self._callees(name)
        known = self._nulled.get(functions)
        if known is None:
            found = (place for callee in self._named(functions) for place in self._nulled_in(callee))
            known = self._nulled[functions] = frozenset(found)
        return known

    def _nulled_in(self, name: str) -> Iterator[str]:
        function = self.program.functions.get(name)
        made = self.definitions(function) if function is not None else {}
        for block in function.blocks.values() if function is not None else ():
            for instruction in block.instructions:
                match instruction:
                    case ir.Store(value=ir.NullConstant() | ir.ZeroConstant(), pointer=place):
                        yield from self._variables(made, place)
                    case ir.Call(callee=ir.GlobalConstant(name=called), arguments=(place, *_)):
                        if called.startswith("llvm.mem") or known.engine_key(called) in ("copy", "fill"):
                            yield from self._variables(made, place)

    def _variables(self, made: dict[str, ir.Instruction], place: ir.Operand) -> Iterator[str]:
        """The variable that an address lies in; "" for what a pointer leads to; none for locals."""
        while isinstance(place, ir.Register):
            match made.get(place.name):
                case ir.GetElementPtr(base=base):
                    place = base
                case ir.Alloca():
                    return
                case _:
                    yield ""
                    return
        if isinstance(place, ir.Constant):
            yield from names_in(place)

    def _written_in(self, name: str) -> frozenset[str]:
        known = self._written.get(name)
        if known is None:
            function = self.program.functions.get(name)
            blocks = function.blocks.values() if function is not None else ()
            constants = (
                operand
                for block in blocks
                for instruction in block.instructions
                if not isinstance(instruction, ir.Load)
                for operand in operands(instruction)
                if isinstance(operand, ir.Constant)
            )
            mention = (n for constant in constants for n in names_in(constant))
            held = self.program.globals
            known = frozenset(n for n in mention if n in held and not held[n].constant)
            self._written[name] = known
        return known

    def after(self, frame: Frame, label: str, index: int) -> Sites:
        """Sites reachable from instruction `index` of a block (-1: its start) and from there on in the
        callers; out of a library model also the call that entered it."""
        calls = tuple(f.call.number if f.call is not None else -1 for f in frame.chain())
        key = (frame.function.name, label, index, calls)
        known = self._after.get(key)
        if known is not None:
            return known
        found: set[int] = set()
        names: set[str] = set()
        place: tuple[str, int] | None = (label, index)
        for current in frame.chain():
            if place is None:
                break
            self._collect(current.function, place, found, names)
            place = _place_of(current.caller, current.call)
            if current.model and current.call is not None:
                found.add(current.call.number)  # accesses in a model are checked at the call that entered it
        whole = 0
        for name in names:
            whole |= self._callees(name)
        result = self._after[key] = Sites(frozenset(found), whole, self._owner)
        return result

    def place(self, frame: Frame, call: ir.Call) -> tuple[str, int]:
        """The block and the number of a call that runs in a frame."""
        found = _place_of(frame, call)
        assert found is not None
        return found[0], found[1] - 1

    def is_pure(self, name: str) -> bool:
        """Does a function with all that it calls write nothing but its own variables?"""
        if self._graph is None:
            self._graph = RangeCalls(self.program)
        effects = self._graph.effects.get(name)
        writes = effects is None or effects.globals or effects.wild or effects.leaves or effects.frees
        return not writes

    def _collect(
        self, function: ir.Function, place: tuple[str, int], found: set[int], names: set[str]
    ) -> None:
        label, index = place
        blocks = self._reachable(function, label)
        for reached in blocks:
            for instruction in function.blocks[reached].instructions:
                found.add(instruction.number)
                names.update(self._called(instruction))
        if label not in blocks:
            for instruction in function.blocks[label].instructions[max(index, 0) :]:
                found.add(instruction.number)
                names.update(self._called(instruction))

    def _reachable(self, function: ir.Function, label: str) -> frozenset[str]:
        """Blocks reachable from the end of `label` (itself only where it lies on a cycle)."""
        known = self._reach.get((function.name, label))
        if known is None:
            seen: set[str] = set()
            work = list(may_follow(function, function.blocks[label].terminator))
            while work:
                block = work.pop()
                if block not in seen:
                    seen.add(block)
                    work.extend(may_follow(function, function.blocks[block].terminator))
            known = self._reach[(function.name, label)] = frozenset(seen)
        return known

    def _called(self, instruction: ir.Instruction) -> list[str]:
        """Functions that the instruction calls or names, directly or in a table."""
        found = (o for o in operands(instruction) if type(o) not in _NO_NAMES)
        constants = [o for o in found if isinstance(o, ir.Constant)]
        if not constants and not isinstance(instruction, ir.Call):
            return []
        mentions = list(dict.fromkeys(name for constant in constants for name in names_in(constant)))
        for name in mentions:
            if name in self.program.aliases:
                mentions += [n for n in names_in(self.program.aliases[name]) if n not in mentions]
            held = self.program.globals.get(name)
            if held is not None and held.initializer is not None:
                mentions += [n for n in names_in(held.initializer) if n not in mentions]
        names = [name for name in mentions if name in self.program.functions]
        if not isinstance(instruction, ir.Call) or not self._may_call_back(instruction):
            return names
        if self._taken is None:
            self._taken = [f.name for f in self.program.functions.values() if f.address_taken]
        return [*self._taken, *names]

    def _may_call_back(self, call: ir.Call) -> bool:
        """A call through a pointer, or of a function without a body that is given one."""
        if not isinstance(call.callee, ir.GlobalConstant):
            return True
        name = call.callee.name
        function = self.program.functions.get(name)
        if (function is not None and function.defined) or name.startswith(known.OWN) or is_free(name):
            return False
        if name in known.by_engine("copy", "fill"):
            return False
        if is_silent(self.program, name):
            return False
        return any(isinstance(getattr(a, "type", None), ir.PointerType) for a in call.arguments)

    def _callees(self, name: str) -> int:
        """The function itself and everything it may call, directly or not: a bit for each."""
        start = self._index.get(name)
        if start is None:
            return 0
        known = self._closure.get(start)
        if known is None:
            seen, work = 0, 1 << start
            while work:
                current = (work & -work).bit_length() - 1
                closed = self._closure.get(current)
                seen |= (1 << current) if closed is None else closed
                work |= self._called_by(current) if closed is None else 0
                work &= ~seen
            known = self._closure[start] = seen
        return known

    def _called_by(self, function: int) -> int:
        known = self._calls.get(function)
        if known is None:
            known = 0
            for block in self.program.functions[self._names[function]].blocks.values():
                for instruction in block.instructions:
                    for name in self._called(instruction):
                        known |= 1 << self._index[name]
            self._calls[function] = known
        return known

    def _named(self, functions: int) -> Iterator[str]:
        while functions:
            lowest = functions & -functions
            yield self._names[lowest.bit_length() - 1]
            functions ^= lowest


def _place_of(caller: Frame | None, call: ir.Call | None) -> tuple[str, int] | None:
    if caller is None or call is None:
        return None
    for label, block in caller.function.blocks.items():
        for index, instruction in enumerate(block.instructions):
            if instruction is call:
                return label, index + 1
    return None
