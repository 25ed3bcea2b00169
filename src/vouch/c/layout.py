"""Sizes, alignments and offsets of IR types, from the data layout string of the target."""

from __future__ import annotations

from collections.abc import Sequence

from vouch.c.ir import (
    ArrayType,
    FloatType,
    IntConstant,
    IntType,
    Layout,
    Operand,
    PointerType,
    StructType,
    Type,
    VectorType,
)
from vouch.errors import Unsupported

# LLVM's defaults where the string is silent, bits -> bytes.
_INT_ALIGN = {1: 1, 8: 1, 16: 2, 32: 4, 64: 4}
_FLOAT_ALIGN = {16: 2, 32: 4, 64: 8, 128: 16}
FLOAT_BITS = {
    "half": 16,
    "bfloat": 16,
    "float": 32,
    "double": 64,
    "x86_fp80": 80,
    "fp128": 128,
    "ppc_fp128": 128,
}


def parse_layout(text: str) -> Layout:
    """A `Layout` from a data layout string."""
    layout = Layout(False, 64, text, dict(_INT_ALIGN), dict(_FLOAT_ALIGN))
    for spec in text.split("-"):
        kind, fields = spec[:1], spec[1:].split(":")
        if spec == "E":
            layout.big_endian = True
        elif kind == "p" and fields[0] in ("", "0"):
            layout.pointer_bits = int(fields[1])
            layout.pointer_align = int(fields[2]) // 8 if len(fields) > 2 else int(fields[1]) // 8
        elif kind == "p" and fields[0].isdecimal():
            align = int(fields[2]) // 8 if len(fields) > 2 else int(fields[1]) // 8
            layout.pointer_spaces[int(fields[0])] = (int(fields[1]), align)
        elif kind == "i" and fields[0].isdecimal():
            layout.int_align[int(fields[0])] = int(fields[1]) // 8
        elif kind == "f" and fields[0].isdecimal():
            layout.float_align[int(fields[0])] = int(fields[1]) // 8
        elif kind == "v" and fields[0].isdecimal():
            layout.vector_align[int(fields[0])] = int(fields[1]) // 8
        elif kind == "a":
            layout.aggregate_align = max(1, int(fields[1]) // 8) if len(fields) > 1 else 1
    return layout


class Sizes:
    """Sizes under one layout, each worked out once. All numbers are bytes unless a name says bits."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        wide = (layout.float_align.get(80, 1), layout.int_align.get(128, 1))
        # Of all scalar types, what an allocation suits. A type of 128 bits counts where the target names one.
        self.largest_align = max(layout.int_align[64], layout.float_align[64], layout.pointer_align, *wide)
        # By identity, since hashing a struct type walks it; the type itself keeps the identity alive.
        self._known: dict[int, tuple[Type, int, int]] = {}
        self._offsets: dict[int, tuple[Type, tuple[int, ...]]] = {}

    def bits(self, kind: Type) -> int:
        """Width of a value of a scalar or vector type (80 for x86_fp80), 8 × size for an aggregate."""
        if isinstance(kind, IntType):
            return kind.bits
        if isinstance(kind, FloatType):
            return FLOAT_BITS[kind.kind]
        if isinstance(kind, PointerType):
            return self._pointer(kind)[0]
        if isinstance(kind, VectorType):
            return kind.count * self.bits(kind.element)
        return 8 * self.size(kind)

    def store_size(self, kind: Type) -> int:
        """Bytes that a load or store touches: 10 for x86_fp80, 5 for i40."""
        return (self.bits(kind) + 7) // 8

    def size(self, kind: Type) -> int:
        """Bytes from one array element to the next (LLVM's "alloc size")."""
        return self._measure(kind)[1]

    def align(self, kind: Type) -> int:
        """ABI alignment."""
        return self._measure(kind)[2]

    def offsets(self, kind: StructType) -> tuple[int, ...]:
        """Where each field begins."""
        known = self._offsets.get(id(kind))
        if known is None:
            self._measure(kind)
            known = self._offsets[id(kind)]
        return known[1]

    def offset(self, kind: StructType, index: int) -> int:
        return self.offsets(kind)[index]

    def strides(self, source: Type, indices: Sequence[Operand]) -> list[tuple[Operand | None, int]]:
        """What getelementptr adds to an address, in its order: a number of bytes (with None), or an index
        with the bytes that it is multiplied by. Numbers are signed. `Unsupported` where an index leads into
        a type without parts."""
        found: list[tuple[Operand | None, int]] = []
        kind = source
        for position, index in enumerate(indices):
            if position and isinstance(kind, StructType) and kind.fields is not None:
                assert isinstance(index, IntConstant)
                found.append((None, self.offset(kind, index.value)))
                kind = kind.fields[index.value]
                continue
            if position:
                if not isinstance(kind, (ArrayType, VectorType)):
                    raise Unsupported(f"index into {kind}")
                kind = kind.element
            if isinstance(index, IntConstant) and index.type.bits > 1:
                sign = index.value >> (index.type.bits - 1)
                found.append((None, (index.value - (sign << index.type.bits)) * self.size(kind)))
            else:
                found.append((index, self.size(kind)))
        return found

    def _measure(self, kind: Type) -> tuple[Type, int, int]:
        known = self._known.get(id(kind))
        if known is None:
            size, align = self._size_and_align(kind)
            known = self._known[id(kind)] = (kind, size, align)
        return known

    def _size_and_align(self, kind: Type) -> tuple[int, int]:
        match kind:
            case IntType(bits):
                align = self._int_align(bits)
                return _up((bits + 7) // 8, align), align
            case FloatType(name):
                bits = FLOAT_BITS[name]
                align = self.layout.float_align.get(bits, _power_of_two((bits + 7) // 8))
                return _up((bits + 7) // 8, align), align
            case PointerType():
                bits, align = self._pointer(kind)
                return _up((bits + 7) // 8, align), align
            case ArrayType(count, element):
                return count * self.size(element), self.align(element)
            case VectorType(count, element):
                size = (count * self.bits(element) + 7) // 8
                align = self.layout.vector_align.get(8 * size, _power_of_two(size))
                return _up(size, align), align
            case StructType(fields=fields) if fields is not None:
                return self._struct(kind, fields)
            case _:
                raise Unsupported(f"size of type {kind}")

    def _pointer(self, kind: PointerType) -> tuple[int, int]:
        main = (self.layout.pointer_bits, self.layout.pointer_align)
        return self.layout.pointer_spaces.get(kind.space, main) if kind.space else main

    def _int_align(self, bits: int) -> int:
        """The alignment given for this width, or for the next wider one, or for the widest."""
        table = self.layout.int_align
        if bits in table:
            return table[bits]
        wider = [width for width in table if width > bits]
        return table[min(wider)] if wider else table[max(table)]

    def _struct(self, kind: StructType, fields: tuple[Type, ...]) -> tuple[int, int]:
        at, widest, offsets = 0, 1, []
        for field in fields:
            align = 1 if kind.packed else self.align(field)
            at = _up(at, align)
            offsets.append(at)
            at += self.size(field)
            widest = max(widest, align)
        if not kind.packed:
            widest = max(widest, self.layout.aggregate_align)
        self._offsets[id(kind)] = (kind, tuple(offsets))
        return _up(at, widest), widest


def _up(size: int, align: int) -> int:
    return -(-size // align) * align


def _power_of_two(size: int) -> int:
    return 1 << max(0, size - 1).bit_length()
