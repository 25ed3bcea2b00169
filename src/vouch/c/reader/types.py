"""Types from text, each made once."""

from __future__ import annotations

import re
from collections.abc import Mapping

from vouch.c.ir import (
    ArrayType,
    FloatType,
    FunctionType,
    IntType,
    OtherType,
    PointerType,
    StructType,
    Type,
    VectorType,
    VoidType,
)
from vouch.c.reader.scan import Unreadable, closing, split, type_end, unquoted

VOID = VoidType()
I1 = IntType(1)
POINTER = PointerType(0)

_INT = re.compile(r"i(\d+)$")
_COUNTED = re.compile(r"(\d+) x ")
_SPACE = re.compile(r"ptr addrspace\((\d+)\)$")
_FLOATS = ("half", "bfloat", "float", "double", "x86_fp80", "fp128", "ppc_fp128")


class Types:
    """`types(text)` is the type that `text` spells. `named` maps `%name` to the right-hand side of its
    definition; structs cannot hold themselves, so resolving them on first use ends."""

    def __init__(self, named: Mapping[str, str]) -> None:
        self._named = named
        self._memo: dict[str, Type] = {"void": VOID, "ptr": POINTER, "i1": I1}
        for kind in _FLOATS:
            self._memo[kind] = FloatType(kind)  # type: ignore[arg-type]
        self._signatures: dict[tuple[int, tuple[int, ...], bool], FunctionType] = {}

    def __call__(self, text: str) -> Type:
        known = self._memo.get(text)
        if known is None:
            known = self._memo[text] = self._parse(text)
        return known

    def leading(self, text: str, start: int = 0) -> tuple[Type, int]:
        """The type that begins at `start`, and where it ends."""
        end = type_end(text, start)
        return self(text[start:end]), end

    def signature(self, result: Type, parameters: tuple[Type, ...], variadic: bool) -> FunctionType:
        key = (id(result), tuple(map(id, parameters)), variadic)
        known = self._signatures.get(key)
        if known is None:
            known = self._signatures[key] = FunctionType(result, parameters, variadic)
        return known

    def _parse(self, text: str) -> Type:
        if match := _INT.match(text):
            return IntType(int(match[1]))
        first = text[0]
        if first == "%":
            return self._struct(text)
        if first == "[":
            return ArrayType(*self._counted(text))
        if first == "{":
            return StructType("", self._fields(text[1:-1]))
        if text.startswith("<{"):
            return StructType("", self._fields(text[2:-2]), packed=True)
        if first == "<" and not text.startswith("<vscale"):
            return VectorType(*self._counted(text))
        if match := _SPACE.match(text):
            return PointerType(int(match[1]))
        return OtherType(text)

    def _counted(self, text: str) -> tuple[int, Type]:
        match = _COUNTED.match(text, 1)
        if match is None:
            raise Unreadable(f"no element count in {text!r}")
        return int(match[1]), self(text[match.end() : -1])

    def _fields(self, text: str) -> tuple[Type, ...]:
        return tuple(self(part) for part in split(text.strip()))

    def _struct(self, text: str) -> Type:
        body = self._named.get(text)
        name = unquoted(text[1:])
        if body is None or body == "opaque":
            return StructType(name, None)
        if body.startswith("<{"):
            return StructType(name, self._fields(body[2:-2]), packed=True)
        if body.startswith("{"):
            return StructType(name, self._fields(body[1:-1]))
        return self(body)


def function_suffix(text: str, start: int) -> tuple[str, int]:
    """`(i32, ...)` that may follow the result type at `start`: its text (or "") and where it ends."""
    if text.startswith("(", start):
        end = closing(text, start) + 1
        return text[start:end], end
    return "", start
