"""Byte offsets of elements: the arithmetic of getelementptr."""

from __future__ import annotations

from vouch.bmc.layouts import Layouts
from vouch.bmc.value import Value
from vouch.c import ir
from vouch.errors import Unsupported
from vouch.smt import term as T
from vouch.smt.term import Term


def element_offset(
    layouts: Layouts, source: ir.Type, indices: tuple[ir.Operand, ...], values: list[Value]
) -> Term:
    """Byte offset of a getelementptr."""
    bits = layouts.layout.pointer_bits
    total = T.bv(0, bits)
    fixed = 0
    for (operand, size), value in zip(layouts.strides(source, indices), values, strict=True):
        if operand is None:
            fixed += size
        elif isinstance(value, Term):
            total, fixed = _indexed(bits, total, fixed, value, size)
        else:
            raise Unsupported("a vector of addresses")
    return T.add(total, T.bv(fixed, bits)) if fixed else total


def _indexed(bits: int, total: Term, fixed: int, index: Term, size: int) -> tuple[Term, int]:
    if index.sort is T.BOOL:
        index = T.bool_to_bv(index, 8)
    if index.value is not None:
        assert isinstance(index.value, int)
        number = index.value - (1 << index.width) if index.value >> (index.width - 1) else index.value
        return total, fixed + number * size
    wide = _resized_signed(index, bits)
    part = T.mul(wide, T.bv(size, bits))
    if size & (size - 1) and index.width >= bits - 8:
        part = _without_wrap(bits, wide, part, size)
    return T.add(total, part), fixed


def _without_wrap(bits: int, index: Term, product: Term, size: int) -> Term:
    """An index so large that its product wraps must not land inside the object by accident: it points
    to a place far outside instead. Scales that are powers of two keep their stride when they wrap."""
    limit = (1 << (bits - 2)) // size
    near = T.and_(T.sle(T.bv(-limit, bits), index), T.sle(index, T.bv(limit, bits)))
    return T.ite(near, product, T.bv(limit * size, bits))


def _resized_signed(term: Term, width: int) -> Term:
    if term.width < width:
        return T.sext(term, width)
    return T.extract(term, width - 1, 0) if term.width > width else term
