"""Definite assignment: which bytes of which local variables are written on every path to a read.

A forward analysis over sets of bytes, one bit per byte of every local variable that is small enough. Writes
through pointers and in callees only ever add written bytes, so that ignoring them is sound.
"""

from __future__ import annotations

from vouch.c.cfg import Graph
from vouch.c.checks.context import Context, callee_name
from vouch.c.checks.places import Place, Places
from vouch.c.ir import Alloca, Call, GlobalConstant, Instruction, IntConstant, Load, Store

_LARGEST = (
    4096  # bytes; larger variables are arrays filled by loops, which this analysis cannot follow anyway
)


class Assigned:
    """`covers(load)`: every byte that the load reads from its local variable is written on every path."""

    def __init__(self, context: Context, places: Places) -> None:
        self.context = context
        self.places = places
        self.graph = Graph(context.function)
        self._bits: dict[int, tuple[int, int]] = {}  # id of an alloca -> first bit, size
        self._collect()
        self._inputs = self._solve() if self._bits else {}
        self._covered: set[int] = set()
        if self._bits:
            self._judge()

    def covers(self, load: Load) -> bool:
        return id(load) in self._covered

    def _collect(self) -> None:
        at = 0
        for definition in self.context.defs.values():
            if isinstance(definition, Alloca):
                size = self.places.size_of(Place(definition))
                if size is not None and 0 < size <= _LARGEST:
                    self._bits[id(definition)] = (at, size)
                    at += size
        self._everything = (1 << at) - 1

    def _mask(self, place: Place, size: int) -> int:
        """Bytes of a place: all of the variable where the offset is not constant; 0 for what is not
        tracked."""
        if not isinstance(place.base, Alloca):
            return 0
        first, total = self._bits.get(id(place.base), (0, 0))
        if place.offset is None:
            return ((1 << total) - 1) << first
        if place.offset < 0 or place.offset + size > total:
            return 0
        return ((1 << size) - 1) << (first + place.offset)

    def _written(self, instruction: Instruction) -> int:
        match instruction:
            case Store(value=value, pointer=pointer):
                place = self.places.of(pointer)
                kind = getattr(value, "type", None)
                return (
                    0
                    if place.offset is None or kind is None
                    else self._mask(place, self.places.store_size(kind))
                )
            case Call():
                return self._copied(instruction)
            case _:
                return 0

    def _copied(self, call: Call) -> int:
        if not callee_name(call).startswith(("llvm.memcpy.", "llvm.memmove.", "llvm.memset.")):
            return 0
        place, length = self.places.of(call.arguments[0]), call.arguments[2]
        if place.offset is None or not isinstance(length, IntConstant):
            return 0
        # A copy of unwritten bytes is unwritten too: only what a constant holds is certain.
        if "memset" not in callee_name(call) and not self._is_constant(self.places.of(call.arguments[1])):
            return 0
        return self._mask(place, length.value)

    def _is_constant(self, place: Place) -> bool:
        if not isinstance(place.base, GlobalConstant):
            return False
        known = self.context.program.globals.get(place.base.name)
        return known is not None and known.constant

    def _solve(self) -> dict[str, int]:
        blocks = self.context.function.blocks
        written = dict.fromkeys(self.graph.order, 0)
        for label in self.graph.order:
            for instruction in blocks[label].instructions:
                written[label] |= self._written(instruction)
        inputs = dict.fromkeys(self.graph.order, self._everything)
        inputs[self.graph.order[0]] = 0
        changed = True
        while changed:
            changed = False
            for label in self.graph.order:
                known = inputs[label]
                for before in self.graph.predecessors[label]:
                    known &= inputs[before] | written[before]
                if known != inputs[label]:
                    inputs[label] = known
                    changed = True
        return inputs

    def _judge(self) -> None:
        for label in self.graph.order:
            known = self._inputs[label]
            for instruction in self.context.function.blocks[label].instructions:
                if isinstance(instruction, Load):
                    place = self.places.of(instruction.pointer)
                    wanted = self._mask(place, self.places.store_size(instruction.type))
                    if wanted and wanted & ~known == 0:
                        self._covered.add(id(instruction))
                else:
                    known |= self._written(instruction)
