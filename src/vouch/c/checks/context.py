"""One function as the finders see it: its instructions sorted by kind, and lookups they share.

Comes in: a `Function` of a `Program`. Goes out: the sanitizer handlers with their static data decoded, the
memory accesses, calls, arithmetic and casts in program order. Nothing here decides anything.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import field
from itertools import islice

from vouch.c.checks.base import Category, Site, Trigger
from vouch.c.checks.handlers import Handler, decode
from vouch.c.flow.handlers import HANDLER
from vouch.c.ir import (
    Binary,
    Call,
    Cast,
    Constant,
    ExpressionConstant,
    Function,
    GetElementPtr,
    GlobalConstant,
    Instruction,
    Invoke,
    Load,
    Location,
    Operand,
    Program,
    Register,
    Store,
)
from vouch.c.pointees import Pointees
from vouch.c.sources import Sources
from vouch.record import record


@record
class Found:
    """A check before it has an id. `shares` names an earlier site that reports the same mistake first."""

    category: Category
    location: Location
    message: str
    trigger: Trigger
    site: Instruction
    argument: int = 0
    value: Operand | None = None
    bits: int = 0
    signed_to: bool = False
    signed_from: bool = False
    either_sign: bool = False
    written: bool = False
    operands: tuple[str, ...] = ()
    shares: Instruction | None = None


@record
class ProgramFacts:
    """What finders work out once per program."""

    unsigned_names: dict[str, bool] = field(default_factory=dict)  # C type name -> unsigned
    may_be_unwritten: bool | None = None  # whether some object behind a pointer may hold unwritten bytes
    used_results: frozenset[str] | None = None  # functions whose results some caller uses
    demands: dict[str, tuple[GlobalConstant, ...]] = field(default_factory=dict)  # by library model
    statuses: object | None = None  # what `unchecked_status` works out


@record
class Context:
    """The parts of one function that finders look at. `blocks` has the block of each instruction by
    its number."""

    program: Program
    function: Function
    sources: Sources
    shared: ProgramFacts
    defs: dict[str, Instruction] = field(default_factory=dict)
    blocks: dict[int, str] = field(default_factory=dict)
    handlers: list[Handler] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    loads: list[Load] = field(default_factory=list)
    stores: list[Store] = field(default_factory=list)
    binaries: list[Binary] = field(default_factory=list)
    casts: list[Cast] = field(default_factory=list)
    users: dict[str, list[Instruction]] = field(default_factory=dict)
    _pointees: Pointees | None = None

    @property
    def pointees(self) -> Pointees:
        """The C types behind the function's pointers."""
        if self._pointees is None:
            self._pointees = Pointees(self.program, self.function)
        return self._pointees

    def definition(self, operand: Operand | None) -> Instruction | None:
        return self.defs.get(operand.name) if isinstance(operand, Register) else None

    def uses(self, result: str | None) -> list[Instruction]:
        """The instructions that use a cast's, alloca's or load's result (only what finders ask about)."""
        return self.users.get(result or "", [])

    @property
    def has_names(self) -> bool:
        """Whether debug information tells the program's variables from the compiler's temporaries; places in
        IR that has none are lines of the IR itself."""
        where = self.function.location
        return where is not None and not where.file.endswith((".ll", ".bc"))

    def place(self, instruction: Instruction) -> Location | None:
        """Where an instruction stands in the source; None for what the compiler made for its own ends. In a
        function without debug information, every instruction counts, at an unknown place."""
        if instruction.location is not None or self.function.location is not None:
            return instruction.location
        return Location("", 0, 0, self.function.source_name)

    def following(self, site: Instruction, ops: Collection[str]) -> Binary | None:
        """The next operation of one of these kinds that the program, not the instrumentation, does."""
        start = bisect_right(self.binaries, site.number, key=lambda b: b.number)
        for binary in islice(self.binaries, start, None):
            if binary.op in ops and not binary.nosanitize:
                return binary
        return None

    def block_of(self, instruction: Instruction) -> Sequence[Instruction]:
        return self.function.blocks[self.blocks[instruction.number]].instructions

    def site(self, instruction: Instruction) -> Site:
        label = self.blocks[instruction.number]
        first = self.function.blocks[label].instructions[0]
        return Site(self.function.name, label, instruction.number - first.number)

    def handlers_of(self, *kinds: str) -> Iterator[Handler]:
        return (handler for handler in self.handlers if handler.kind in kinds)


def callee_name(call: Call) -> str:
    """Linker name of a direct callee, "" for calls through pointers and inline assembly."""
    return call.callee.name if isinstance(call.callee, GlobalConstant) else ""


def source_name(program: Program, call: Call) -> str:
    """C name of a direct callee, "" otherwise."""
    name = callee_name(call)
    function = program.functions.get(name)
    return function.source_name if function is not None else name


def build(program: Program, function: Function, sources: Sources, shared: ProgramFacts) -> Context:
    """One pass over the function."""
    context = Context(program, function, sources, shared)
    for label, block in function.blocks.items():
        for instruction in block.instructions:
            context.blocks[instruction.number] = label
            if instruction.result is not None:
                context.defs[instruction.result] = instruction
            _sort_in(context, instruction)
    return context


def _sort_in(context: Context, instruction: Instruction) -> None:
    match instruction:
        case Load():
            context.loads.append(instruction)
            _use(context, instruction.pointer, instruction)
        case Store():
            context.stores.append(instruction)
            _use(context, instruction.pointer, instruction)
            _use(context, instruction.value, instruction)
        case Binary():
            context.binaries.append(instruction)
            _use(context, instruction.left, instruction)
            _use(context, instruction.right, instruction)
        case Cast():
            context.casts.append(instruction)
            _use(context, instruction.value, instruction)
        case Call() | Invoke():
            name = callee_name(instruction)
            if name.startswith(HANDLER):
                context.handlers.append(decode(context.program, instruction))
            else:
                context.calls.append(instruction)
            for argument in instruction.arguments:
                _use(context, argument, instruction)
        case GetElementPtr():
            _use(context, instruction.base, instruction)
            for index in instruction.indices:
                _use(context, index, instruction)
        case _:
            value = getattr(instruction, "value", None)
            if isinstance(value, Register):
                _use(context, value, instruction)


def _use(context: Context, operand: Operand, user: Instruction) -> None:
    if isinstance(operand, Register):
        context.users.setdefault(operand.name, []).append(user)


def is_device_register(context: Context, pointer: Operand) -> bool:
    """A constant address used as a pointer: memory-mapped hardware, valid by assumption."""
    while True:
        match pointer:
            case ExpressionConstant(op="inttoptr"):
                return True
            case ExpressionConstant(op="getelementptr"):
                pointer = pointer.operands[0]
            case Register():
                match context.defs.get(pointer.name):
                    case Cast(op="inttoptr", value=value):
                        return isinstance(value, Constant)
                    case GetElementPtr(base=base):
                        pointer = base
                    case _:
                        return False
            case _:
                return False
