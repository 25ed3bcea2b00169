"""Definite assignment: which bytes of which local variables are written on every path to a read.

A forward analysis over sets of bytes, one bit per byte of every local variable that is small enough, and of
the object that a function returns. Writes through pointers and in callees only add written bytes, so that
ignoring them is sound; where they may bring unwritten ones, the variables they can reach are left out.
"""

from __future__ import annotations

from collections.abc import Collection

from vouch.c.checks.context import Context
from vouch.c.checks.points_to import Place, PointsTo
from vouch.c.flow.graph import FlowGraph
from vouch.c.ir import (
    Alloca,
    AtomicUpdate,
    Call,
    CompareExchange,
    GlobalConstant,
    Instruction,
    IntConstant,
    Load,
    Parameter,
    Register,
    Return,
    Store,
    Type,
)

_LARGEST = (
    4096  # bytes; larger variables are arrays filled by loops, which this analysis cannot follow anyway
)


Reads = Load | AtomicUpdate | CompareExchange
_STARTS = ("llvm.va_start", "llvm.va_copy")
_BLOCKS = ("llvm.memcpy.", "llvm.memmove.", "llvm.memset.")


class DefiniteAssignment:
    """`covers(load)`: every byte that the load reads from its local variable is written on every path.

    Registers in `uncertain` may hold unwritten bytes, so that what they are stored to, and what anything is
    copied to, may be unwritten. With `trusting`, it counts as written. `left_out` names variables that are
    never covered.
    """

    def __init__(
        self,
        context: Context,
        places: PointsTo,
        uncertain: Collection[str] = frozenset(),
        *,
        trusting: bool = False,
        left_out: Collection[str] = frozenset(),
    ) -> None:
        self.context = context
        self.places = places
        self.uncertain = uncertain
        self.trusting = trusting
        self.left_out = left_out
        self.graph = FlowGraph(context.function)
        self._bits: dict[int, tuple[int, int]] = {}  # id of an alloca or parameter -> first bit, size
        self._collect()
        self._inputs = self._solve() if self._bits else {}
        self._covered: set[int] = set()
        self._known: dict[int, int] = {}  # number of a call or return -> what is written there
        if self._bits:
            self._judge()

    def covers(self, load: Reads) -> bool:
        return load.number in self._covered

    def missing(self, site: Instruction, place: Place, size: int, members: int) -> bool:
        """Whether some of `size` bytes at a place may be unwritten when a load, call or return is executed.
        `members` are the bytes of the object that count, as bits."""
        first, total = self._bits.get(id(place.base), (0, 0))
        if place.offset is None or total == 0:
            return True
        wanted = self._mask(place, size) & members << first
        return wanted & ~self._known.get(site.number, 0) != 0

    def _collect(self) -> None:
        at = 0
        returned = [p for p in self.context.function.parameters if p.sret]
        for base in (*self.context.defs.values(), *returned):
            if isinstance(base, Parameter) or (isinstance(base, Alloca) and base.result not in self.left_out):
                size = self.places.size_of(Place(base))
                if size is not None and 0 < size <= _LARGEST:
                    self._bits[id(base)] = (at, size)
                    at += size
        self._everything = (1 << at) - 1

    def _mask(self, place: Place, size: int) -> int:
        """Bytes of a place: all of the variable where the offset is not constant; 0 for what is not
        tracked."""
        first, total = self._bits.get(id(place.base), (0, 0))
        if place.offset is None:
            return ((1 << total) - 1) << first
        if place.offset < 0 or place.offset + size > total:
            return 0
        return ((1 << size) - 1) << (first + place.offset)

    def _after(self, known: int, instruction: Instruction) -> int:
        """What is written after an instruction."""
        match instruction:
            case Store(field=int()):
                return known  # its neighbours stay as they are
            case Store(value=value, pointer=pointer):
                certain = not isinstance(value, Register) or value.name not in self.uncertain
                size = self.places.store_size(value.type)  # type: ignore[attr-defined]
                return self._put(known, self.places.of(pointer), size, certain)
            case Call(sret=int(number), arguments=arguments):
                place = self.places.of(arguments[number])
                return self._put(known, place, self.places.size_of(place), False)
            case Call(callee=GlobalConstant(name=name), arguments=arguments) if name.startswith(_BLOCKS):
                length = arguments[2].value if isinstance(arguments[2], IntConstant) else None
                # A copy of unwritten bytes is unwritten too: only what a constant holds is certain.
                certain = "memset" in name or self._is_constant(self.places.of(arguments[1]))
                return self._put(known, self.places.of(arguments[0]), length, certain)
            case Call(callee=GlobalConstant(name=name), arguments=arguments) if name.startswith(_STARTS):
                place = self.places.of(arguments[0])
                return self._put(known, place, self.places.size_of(place), True)
            case _:
                return known

    def _put(self, known: int, place: Place, size: int | None, certain: bool) -> int:
        """Something is written to a place: where it is not known exactly, it may be anywhere or nowhere."""
        exact = self._mask(place, size) if place.offset is not None and size is not None else 0
        if certain or self.trusting:
            return known | exact
        return known & ~(exact or self._mask(Place(place.base, None), 0))

    def _is_constant(self, place: Place) -> bool:
        if not isinstance(place.base, GlobalConstant):
            return False
        known = self.context.program.globals.get(place.base.name)
        return known is not None and known.constant

    def _solve(self) -> dict[str, int]:
        # What a block makes of nothing and of everything says what it makes of anything.
        least = {label: self._through(label, 0) for label in self.graph.order}
        most = dict.fromkeys(self.graph.order, self._everything)
        if not self.trusting:
            most = {label: self._through(label, self._everything) for label in self.graph.order}
        inputs = dict.fromkeys(self.graph.order, self._everything)
        inputs[self.graph.order[0]] = 0
        changed = True
        while changed:
            changed = False
            for label in self.graph.order:
                known = inputs[label]
                for before in self.graph.predecessors[label]:
                    known &= least[before] | (inputs[before] & most[before])
                if known != inputs[label]:
                    inputs[label] = known
                    changed = True
        return inputs

    def _through(self, label: str, known: int) -> int:
        for instruction in self.context.function.blocks[label].instructions:
            known = self._after(known, instruction)
        return known

    def _judge(self) -> None:
        for label in self.graph.order:
            known = self._inputs[label]
            for instruction in self.context.function.blocks[label].instructions:
                if isinstance(instruction, (Call, Return, Load)):
                    self._known[instruction.number] = known
                if isinstance(instruction, Reads):
                    place = self.places.of(instruction.pointer)
                    wanted = self._mask(place, self.places.store_size(_type_read(instruction)))
                    if wanted and wanted & ~known == 0:
                        self._covered.add(instruction.number)
                else:
                    known = self._after(known, instruction)


def _type_read(instruction: Reads) -> Type:
    if isinstance(instruction, CompareExchange):
        return instruction.expected.type  # type: ignore[attr-defined,no-any-return]
    return instruction.type
