"""Operands and results of instructions as values."""

from __future__ import annotations

from vouch.bmc.execution import Execution
from vouch.bmc.frame import Frame
from vouch.bmc.value import Pointer, Value
from vouch.c import ir
from vouch.errors import Unsupported
from vouch.smt.term import Term


def operand_value(
    ex: Execution, registers: dict[str, Value], operand: ir.Operand, type_: ir.Type | None = None
) -> Value:
    if isinstance(operand, ir.Register):
        value = registers.get(operand.name)
        if value is None:
            value = ex.fixed.get(operand.name)
        if value is None:
            raise Unsupported(f"value %{operand.name} is not known here")
        return value
    if isinstance(operand, ir.UndefConstant):
        return ex.context.fresh(operand.type, "undef")
    if isinstance(operand, ir.Constant):
        return ex.context.constant(operand)
    raise Unsupported(f"operand {type(operand).__name__}")


def value_of(ex: Execution, frame: Frame, operand: ir.Operand) -> Value:
    return operand_value(ex, frame.registers, operand)


def term_of(ex: Execution, frame: Frame, operand: ir.Operand) -> Term:
    value = operand_value(ex, frame.registers, operand)
    if isinstance(value, Term):
        return value
    raise Unsupported("a pointer or aggregate where a number is expected")


def pointer_of(ex: Execution, frame: Frame, operand: ir.Operand) -> Pointer:
    value = operand_value(ex, frame.registers, operand)
    if isinstance(value, Pointer):
        return value
    raise Unsupported("a vector of pointers")


def finish(frame: Frame, call: ir.Call, value: Value | None) -> None:
    """The result of a call, if it has one."""
    if call.result is not None and value is not None:
        frame.registers[call.result] = value
