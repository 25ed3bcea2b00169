"""Operands: registers and constants."""

from __future__ import annotations

from vouch.c.ir.types import ArrayType, FloatType, IntType, Type
from vouch.record import frozen_record


class Operand:
    __slots__ = ()


@frozen_record
class Register(Operand):
    """A local value: the result of an instruction or a parameter."""

    name: str
    type: Type


class Constant(Operand):
    __slots__ = ()


@frozen_record
class IntConstant(Constant):
    type: IntType
    value: int  # as an unsigned number of type.bits bits


@frozen_record
class FloatConstant(Constant):
    type: FloatType
    bits: int  # IEEE representation in the width of the type


@frozen_record
class NullConstant(Constant):
    type: Type  # a pointer type


@frozen_record
class UndefConstant(Constant):
    """undef or poison of any type."""

    type: Type


@frozen_record
class ZeroConstant(Constant):
    """zeroinitializer of any type."""

    type: Type


@frozen_record
class AggregateConstant(Constant):
    """Array, struct or vector, element by element."""

    type: Type
    elements: tuple[Constant, ...]


@frozen_record
class StringConstant(Constant):
    """c"…": an array of i8."""

    type: ArrayType
    data: bytes


@frozen_record
class GlobalConstant(Constant):
    """The address of a global variable, function or alias."""

    type: Type
    name: str


@frozen_record
class ExpressionConstant(Constant):
    """A constant expression: `op` is an opcode ("getelementptr", "ptrtoint", "add", "icmp", …).

    `source` is the element type of a getelementptr; `extra` its flags or a predicate. The address of a label
    is op "blockaddress" with the function as operand and the label in `extra`.
    """

    type: Type
    op: str
    operands: tuple[Constant, ...]
    source: Type | None = None
    extra: str = ""


@frozen_record
class OpaqueConstant(Constant):
    """Anything else (ptrauth, dso_local_equivalent, …)."""

    type: Type
    text: str


@frozen_record
class AsmOperand(Operand):
    """Inline assembly as a callee."""

    text: str
    constraints: str


@frozen_record
class MetadataOperand(Operand):
    text: str
