"""Whether structs are copied of which some members may never have been written.

Copying one is fine, in an assignment, as an argument or as a result; reading the member later is not. In a
program without such copies every struct that arrives somewhere is whole, and needs no check there.
"""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

from vouch.c import known
from vouch.c.checks.context import Context, ProgramFacts, build, callee_name
from vouch.c.checks.definite_assignment import DefiniteAssignment
from vouch.c.checks.points_to import Place, PointsTo
from vouch.c.escape import escaping
from vouch.c.ir import (
    Alloca,
    ArrayType,
    Call,
    Function,
    GlobalConstant,
    Instruction,
    IntConstant,
    Load,
    Operand,
    Parameter,
    Partly,
    Program,
    Register,
    Return,
    Store,
    StructType,
    Type,
)
from vouch.c.layout import Sizes
from vouch.c.struct_registers import received
from vouch.errors import Unsupported

Copy = tuple[Instruction, Operand, int | None, bool]  # site, source, bytes, whether it leaves local variables
_COPIES = ("llvm.memcpy.", "llvm.memmove.")
_KNOWN: WeakKeyDictionary[Program, Partly] = WeakKeyDictionary()  # worked out once for each program


def partly_written(program: Program) -> Partly:
    """Which structs may be copied that are written in part only."""
    known = _KNOWN.get(program)
    if known is None:
        known = _KNOWN[program] = _worked_out(program)
    return known


def unwritten_behind_pointers(program: Program) -> bool:
    """Whether a pointer can lead to memory that never was written: a heap block, or a local variable whose
    address is passed on."""
    return any(known.allocates(name) for name in program.functions) or _passes_locals(program)


def _passes_locals(program: Program) -> bool:
    for function in program.functions.values():
        if function.defined and function.name not in program.models:
            leaving = escaping(function)
            for block in function.blocks.values():
                for instruction in block.instructions:
                    if isinstance(instruction, Alloca) and f"%{instruction.result}" in leaving:
                        variable = instruction.variable
                        if variable is None or not variable.argument:
                            return True
    return False


def _worked_out(program: Program) -> Partly:
    copying = [
        _Copies(program, function)
        for function in program.functions.values()
        if function.defined and function.name not in program.models and _copies_something(function)
    ]
    behind = unwritten_behind_pointers(program)
    # If some struct is ever incomplete when it is copied, there is a first time, and until then all copies
    # were complete: trusting them loses nothing.
    if not any(copies.incomplete(behind) for copies in copying):
        return Partly(False)
    through = {copies.context.function.name: [c.number for c in copies.through()] for copies in copying}
    spreading = frozenset(copies.context.function.name for copies in copying if copies.goes_out())
    numbers = frozenset(number for held in through.values() for number in held)
    return Partly(
        True, bool(spreading), numbers, spreading, frozenset(name for name, held in through.items() if held)
    )


def _copies_something(function: Function) -> bool:
    if any(parameter.sret for parameter in function.parameters):
        return True
    for block in function.blocks.values():
        for instruction in block.instructions:
            if isinstance(instruction, Load) and instruction.carries:
                return True
            if isinstance(instruction, Call) and (
                callee_name(instruction).startswith(_COPIES) or any(instruction.byval)
            ):
                return True
    return False


class _Copies:
    """The copies of one function."""

    def __init__(self, program: Program, function: Function) -> None:
        self.context: Context = build(program, function, program.sources, ProgramFacts())
        self.places = PointsTo(self.context)
        self.sizes = Sizes(program.layout)
        self.received = received(program, function)

    def incomplete(self, behind: bool) -> bool:
        """Does any copy lack something, if none before did?"""
        assigned = DefiniteAssignment(self.context, self.places, trusting=True)
        for site, source, size, _ in self._copies():
            if self.places.of(source).base is None:
                if behind:
                    return True
            elif self._open(assigned, site, source, size):
                return True
        return False

    def goes_out(self) -> bool:
        """Does any that may lack something leave the local variables? Sources behind pointers aside."""
        if any(self._stores_out(store) for store in self.context.stores):
            return True
        assigned = DefiniteAssignment(self.context, self.places, self.received)
        return any(
            leaves and self.places.of(source).base is not None and self._open(assigned, site, source, size)
            for site, source, size, leaves in self._copies()
        )

    def through(self) -> Iterator[Instruction]:
        """Copies from behind a pointer to behind another one."""
        for site, source, _, leaves in self._copies():
            if leaves and self.places.of(source).base is None:
                yield site

    def _stores_out(self, store: Store) -> bool:
        if not isinstance(store.value, Register) or store.value.name not in self.received:
            return False
        return not isinstance(self.places.of(store.pointer).base, Alloca)

    def _copies(self) -> Iterator[Copy]:
        for load in self.context.loads:
            if load.carries:
                yield load, load.pointer, self.places.store_size(load.type), False
        for call in self.context.calls:
            if callee_name(call).startswith(_COPIES):
                to, source, length = call.arguments[:3]
                size = length.value if isinstance(length, IntConstant) else None
                yield call, source, size, not isinstance(self.places.of(to).base, (Alloca, Parameter))
            for argument, kind in zip(call.arguments, call.byval, strict=False):
                if kind is not None:
                    yield call, argument, self.sizes.size(kind), False
        yield from self._returned()

    def _returned(self) -> Iterator[Copy]:
        for parameter in self.context.function.parameters:
            if parameter.sret:
                pointer = Register(parameter.name, parameter.type)
                for block in self.context.function.blocks.values():
                    if isinstance(block.terminator, Return):
                        yield block.terminator, pointer, self.places.size_of(Place(parameter)), False

    def _open(
        self, assigned: DefiniteAssignment, site: Instruction, source: Operand, size: int | None
    ) -> bool:
        place = self.places.of(source)
        match place.base:
            case None | GlobalConstant():
                return False
            case Parameter(sret=False):  # the struct that the caller passed
                return not assigned.trusting
            case base:
                members = self._members(base)
                return size is None or members is None or assigned.missing(site, place, size, members)

    def _members(self, base: Alloca | Parameter) -> int | None:
        """The bytes of an object that are not padding, as bits."""
        try:
            if isinstance(base, Alloca) and isinstance(base.count, IntConstant):
                variable = base.variable
                if variable is not None and (found := self._of_ctype(variable.type)) is not None:
                    return found
                return self._of_type(base.allocated)
            return self._of_ctype(self.context.function.result_type)
        except Unsupported:
            return None

    def _of_type(self, kind: Type) -> int:
        match kind:
            case StructType(fields=fields) if fields is not None:
                found = 0
                for index, part in enumerate(fields):
                    found |= self._of_type(part) << self.sizes.offset(kind, index)
                return found
            case ArrayType(count=count, element=element):
                return _repeated(self._of_type(element), self.sizes.size(element), count)
            case _:
                return (1 << self.sizes.store_size(kind)) - 1

    def _of_ctype(self, key: int | None) -> int | None:
        kind = self.context.program.ctypes.get(key) if key is not None else None
        if kind is None or kind.kind == "unknown":
            return None
        if kind.kind == "array":
            inner = self._of_ctype(kind.target)
            size = self.context.program.ctypes[kind.target].size if kind.target is not None else 0
            return None if inner is None else _repeated(inner, size, kind.count or 0)
        if kind.kind not in ("struct", "union"):
            return (1 << kind.size) - 1
        found = 0
        for member in kind.members:
            if member.bitfield:
                first, last = member.offset // 8, (member.offset + member.size + 7) // 8
                found |= ((1 << last) - 1) & ~((1 << first) - 1)
                continue
            inner = self._of_ctype(member.type)
            if inner is None:
                return None
            found |= inner << member.offset // 8
        return found


def _repeated(pattern: int, size: int, count: int) -> int:
    found = 0
    for index in range(count):
        found |= pattern << index * size
    return found
