"""Where the parts of a constant lie, and which type an operand has."""

from __future__ import annotations

from typing import Final

from vouch.bmc.layouts import Layouts
from vouch.c import ir
from vouch.errors import Unsupported
from vouch.record import frozen_record

_BYTE: Final = ir.IntType(8)


def type_of(operand: ir.Operand) -> ir.Type:
    type_ = getattr(operand, "type", None)
    if not isinstance(type_, ir.Type):
        raise Unsupported(f"operand {type(operand).__name__}")
    return type_


def constant_at(layouts: Layouts, constant: ir.Constant, offset: int, size: int) -> ir.Constant | None:
    """The scalar constant that lies exactly at [offset, offset + size), if there is one."""
    found = constant_covering(layouts, constant, offset)
    if found is None:
        return None
    leaf, start = found
    return (
        leaf if start == offset and layouts.store_size(type_of(leaf)) == size else None
    )


def constant_covering(layouts: Layouts, constant: ir.Constant, offset: int) -> tuple[ir.Constant, int] | None:
    """The scalar constant whose bytes include `offset`, and where it starts."""
    start = 0
    while True:
        type_ = type_of(constant)
        if isinstance(constant, ir.StringConstant):
            index = offset - start
            if not 0 <= index < len(constant.data):
                return None
            return ir.IntConstant(_BYTE, constant.data[index]), offset
        if not isinstance(type_, (ir.StructType, ir.ArrayType, ir.VectorType)):
            size = layouts.store_size(type_)
            return (constant, start) if start <= offset < start + size else None
        found = layouts.element_at(type_, offset - start)
        if found is None:
            return None
        index, element, at = found
        start += at
        if isinstance(constant, ir.ZeroConstant):
            constant = ir.ZeroConstant(element)
        elif isinstance(constant, ir.UndefConstant):
            constant = ir.UndefConstant(element)
        elif isinstance(constant, ir.AggregateConstant):
            constant = constant.elements[index]
        else:
            raise Unsupported(f"constant {type(constant).__name__} in an initialiser")


@frozen_record
class ConstantRow:
    """An innermost array of scalars within a constant: its first byte, and the one behind its last."""

    start: int
    end: int
    step: int
    element: ir.Type
    elements: tuple[ir.Constant, ...]


def row_at(layouts: Layouts, constant: ir.Constant, offset: int) -> ConstantRow | None:
    """The array whose bytes include `offset`, so that its other elements need not be searched for."""
    start = 0
    while isinstance(constant, ir.AggregateConstant):
        type_ = constant.type
        found = None
        if isinstance(type_, (ir.StructType, ir.ArrayType, ir.VectorType)):
            found = layouts.element_at(type_, offset - start)
        if found is None:
            return None
        index, element, at = found
        if isinstance(type_, ir.ArrayType) and isinstance(element, (ir.IntType, ir.FloatType)):
            step = layouts.size(element)
            return ConstantRow(start, start + step * len(constant.elements), step, element, constant.elements)
        start, constant = start + at, constant.elements[index]
    return None
