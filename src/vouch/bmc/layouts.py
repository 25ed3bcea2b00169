"""Sizes of IR types with the parts of aggregates listed, as the executor walks them."""

from __future__ import annotations

from bisect import bisect_right

from vouch.c import ir
from vouch.c.layout import Sizes
from vouch.errors import Unsupported


class Layouts(Sizes):
    def __init__(self, layout: ir.Layout) -> None:
        super().__init__(layout)
        self._elements: dict[int, tuple[ir.Type, list[tuple[ir.Type, int]]]] = {}

    def elements(self, kind: ir.Type) -> list[tuple[ir.Type, int]]:
        """The parts of a struct, array or vector with their offsets."""
        known = self._elements.get(id(kind))
        if known is None:
            known = self._elements[id(kind)] = (kind, self._list(kind))
        return known[1]

    def _list(self, kind: ir.Type) -> list[tuple[ir.Type, int]]:
        match kind:
            case ir.StructType(fields=fields) if fields is not None:
                return list(zip(fields, self.offsets(kind), strict=True))
            case ir.ArrayType(count, element):
                size = self.size(element)
                return [(element, i * size) for i in range(count)]
            case ir.VectorType(count, element):
                if self.bits(element) % 8:
                    raise Unsupported("a vector of odd-sized elements in memory")
                size = self.store_size(element)
                return [(element, i * size) for i in range(count)]
            case _:
                raise Unsupported(f"parts of type {kind}")

    def element_at(self, kind: ir.Type, offset: int) -> tuple[int, ir.Type, int] | None:
        """Index, type and start of the part that holds a byte; None outside and in padding."""
        match kind:
            case ir.ArrayType(count, element):
                size = self.size(element)
                index = offset // size if size else 0
                return (index, element, index * size) if 0 <= index < count else None
            case ir.StructType(fields=fields) if fields is not None:
                starts = self.offsets(kind)
                index = bisect_right(starts, offset) - 1
                while index > 0 and self.size(fields[index]) == 0:
                    index -= 1
                if index < 0 or offset >= starts[index] + self.size(fields[index]):
                    return None
                return index, fields[index], starts[index]
            case _:
                for index, (element, start) in enumerate(self.elements(kind)):
                    if start <= offset < start + self.size(element):
                        return index, element, start
                return None
