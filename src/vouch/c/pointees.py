"""What C says lies where a pointer leads: the type that debug information gives the place, as far as constant
steps and pointers in variables tell."""

from __future__ import annotations

from vouch.c.ir import (
    Alloca,
    Cast,
    CType,
    ExpressionConstant,
    Function,
    GetElementPtr,
    GlobalConstant,
    Instruction,
    Load,
    Operand,
    Program,
    Register,
    Type,
)
from vouch.c.layout import Sizes
from vouch.errors import Unsupported

_DEPTH = 12
Place = tuple[CType, int]  # a type, and bytes from its start


class Pointees:
    """The places behind the pointers of one function."""

    def __init__(self, program: Program, function: Function) -> None:
        self.program = program
        self.sizes = Sizes(program.layout)
        self.made: dict[str, Instruction] = {
            i.result: i for block in function.blocks.values() for i in block.instructions if i.result
        }

    def has_field(self, pointer: Operand) -> bool | None:
        """Whether a bit-field begins in the byte behind a pointer. None: nobody knows."""
        place = self._place(pointer, _DEPTH)
        return None if place is None else self._has_field(*place)

    def scalar(self, pointer: Operand) -> CType | None:
        """The type of the number or pointer behind a pointer, None where it is not known."""
        place = self._place(pointer, _DEPTH)
        return None if place is None else self._scalar(*place)

    def function(self, pointer: Operand) -> CType | None:
        """The type of the function behind a pointer, None where it is not known."""
        place = self._place(pointer, _DEPTH)
        return place[0] if place is not None and place[0].kind == "function" else None

    def holds_scalar(self, pointer: Operand, size: int) -> bool:
        """Whether so many bytes behind a pointer are a number or pointer, and no struct of that size."""
        place = self._place(pointer, _DEPTH)
        while place is not None:
            kind, offset = place
            if kind.kind not in ("struct", "array"):
                return offset == 0 and kind.kind not in ("union", "unknown", "void", "function")
            if kind.kind == "struct" and kind.size <= size:
                return False
            place = self._inner(kind, offset % kind.size if kind.size else offset)
        return False

    def _place(self, pointer: Operand, depth: int) -> Place | None:
        if depth == 0:
            return None
        match pointer:
            case GlobalConstant(name=name):
                held = self.program.globals.get(name)
                variable = held.variable if held is not None else None
                return self._typed(variable.type if variable is not None else None)
            case ExpressionConstant(op="getelementptr", operands=(base, *indices), source=source):
                return self._stepped(self._place(base, depth - 1), source, tuple(indices))
            case Register(name=name):
                return self._made(self.made.get(name), depth)
            case _:
                return None

    def _made(self, instruction: Instruction | None, depth: int) -> Place | None:
        match instruction:
            case Alloca(variable=variable) if variable is not None:
                return self._typed(variable.type)
            case GetElementPtr(base=base, source=source, indices=indices):
                return self._stepped(self._place(base, depth - 1), source, indices)
            case Cast(op="bitcast" | "addrspacecast", value=value):
                return self._place(value, depth - 1)
            case Load(pointer=pointer):
                outer = self._place(pointer, depth - 1)
                kind = self._scalar(*outer) if outer is not None else None
                return self._typed(kind.target) if kind is not None and kind.kind == "pointer" else None
            case _:
                return None

    def _typed(self, key: int | None) -> Place | None:
        kind = self.program.ctypes.get(key) if key is not None else None
        return None if kind is None or kind.kind == "unknown" else (kind, 0)

    def _stepped(
        self, place: Place | None, source: Type | None, indices: tuple[Operand, ...]
    ) -> Place | None:
        """Steps over whole elements change nothing about the type: only constant ones within it count."""
        if place is None or source is None:
            return None
        kind, offset = place
        try:
            for index, size in self.sizes.strides(source, indices):
                if index is None:
                    offset += size
                elif not self._repeats(kind, offset, size):
                    return None
        except (Unsupported, AssertionError):
            return None
        return kind, offset

    def _repeats(self, kind: CType, offset: int, size: int) -> bool:
        """Is a step of this size one from element to element, so that the type behind it stays the same?"""
        while True:
            if kind.size == size and offset % max(size, 1) == 0:
                return True
            found = self._inner(kind, offset)
            if found is None:
                return False
            kind, offset = found

    def _inner(self, kind: CType, offset: int) -> Place | None:
        """One step into an array or struct; None for a scalar, and where several members lie."""
        if kind.kind == "array" and kind.target is not None:
            element = self.program.ctypes.get(kind.target)
            if element is None or not element.size:
                return None
            return element, offset % element.size
        if kind.kind == "struct":
            for member in kind.members:
                inner = self.program.ctypes.get(member.type)
                start = member.offset // 8
                if not member.bitfield and inner is not None and start <= offset < start + inner.size:
                    return inner, offset - start
        return None

    def _scalar(self, kind: CType, offset: int) -> CType | None:
        while kind.kind in ("struct", "array"):
            found = self._inner(kind, offset % kind.size if kind.size else offset)
            if found is None:
                return None
            kind, offset = found
        return kind if offset == 0 and kind.kind != "union" else None

    def _has_field(self, kind: CType, offset: int) -> bool | None:
        offset = offset % kind.size if kind.size else offset
        while True:
            if kind.kind == "union":
                return None if self._mentions_field(kind) else False
            if any(m.bitfield and m.offset < 8 * offset + 64 and 8 * offset < m.offset + m.size
                   for m in kind.members):  # fmt: skip
                return True
            found = self._inner(kind, offset)
            if found is None:
                return None if kind.kind in ("struct", "array", "unknown", "void") else False
            kind, offset = found

    def _mentions_field(self, kind: CType, depth: int = 6) -> bool:
        inner = [self.program.ctypes.get(m.type) for m in kind.members]
        if any(m.bitfield for m in kind.members) or depth == 0:
            return True
        target = self.program.ctypes.get(kind.target) if kind.kind == "array" and kind.target else None
        return any(
            k is not None and k.kind in ("struct", "union", "array") and self._mentions_field(k, depth - 1)
            for k in (*inner, target)
        )
