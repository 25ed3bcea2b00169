"""Types of LLVM's values."""

from __future__ import annotations

from typing import Literal

from vouch.record import frozen_record


class Type:
    """Base of all types; instances are shared by the reader (compare with `==` all the same)."""

    __slots__ = ()


@frozen_record
class VoidType(Type):
    pass


@frozen_record
class IntType(Type):
    bits: int


FloatKind = Literal["half", "bfloat", "float", "double", "x86_fp80", "fp128", "ppc_fp128"]


@frozen_record
class FloatType(Type):
    kind: FloatKind


@frozen_record
class PointerType(Type):
    space: int = 0


@frozen_record
class ArrayType(Type):
    count: int
    element: Type


@frozen_record
class VectorType(Type):
    count: int
    element: Type


@frozen_record
class StructType(Type):
    """`name` is "" for a literal struct. An opaque struct has `fields` None."""

    name: str
    fields: tuple[Type, ...] | None
    packed: bool = False


@frozen_record
class FunctionType(Type):
    result: Type
    parameters: tuple[Type, ...]
    variadic: bool = False


@frozen_record
class OtherType(Type):
    """label, metadata, token, target types: never a value of C."""

    text: str
