"""Recognises the instrumentation's question whether a value survives a conversion to a narrower type.

clang converts the value (and packs it, for a bit-field), extends the result back and compares it with the
original: equal by value, which two intervals alone cannot tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vouch.c.ir import Binary, Cast, Instruction, IntConstant, IntType, Operand, Register

if TYPE_CHECKING:
    from vouch.c.ranges.interpret import Interpreter


def survives(at: Interpreter, converted: Operand, original: Operand) -> bool:
    """Whether `converted`, the original cut to some bits and extended back, is known to equal it."""
    back = _definition(at, converted)
    if not isinstance(back, Cast) or back.op not in ("sext", "zext") or not isinstance(original, Register):
        return False
    bits = _kept_bits(at, back.value, original, back.op == "sext")
    if not bits:
        return False
    value = at.integer(original)
    if back.op == "zext":
        return value[3] < 1 << bits
    return -(1 << (bits - 1)) <= value[0] and value[1] < 1 << (bits - 1)


def _definition(at: Interpreter, operand: Operand) -> Instruction | None:
    return at.frame.defs.get(operand.name) if isinstance(operand, Register) else None


def _kept_bits(at: Interpreter, operand: Operand, original: Register, signed: bool) -> int | None:
    """How many low bits of the original an operand has, all above them being zeros or copies of the sign."""
    limit = _width(operand)
    for _ in range(5):
        if operand == original:
            return limit
        match _definition(at, operand):
            case Cast(op="trunc", value=inner, type=IntType(bits=bits)):
                limit, operand = min(limit, bits), inner
            case Binary(op="and", left=left, right=IntConstant(value=mask)) if mask & (mask + 1) == 0:
                # A mask leaves a number without a sign, unless shifts put a sign back below it.
                if signed and limit > mask.bit_length():
                    return None
                limit, operand = min(limit, mask.bit_length()), left
            case Binary(op="ashr", left=up, right=IntConstant(value=places)) if signed:
                shifted = _definition(at, up)
                if not isinstance(shifted, Binary) or shifted.op != "shl":
                    return None
                if not isinstance(shifted.right, IntConstant) or shifted.right.value != places:
                    return None
                limit, operand = min(limit, _width(operand) - places), shifted.left
            case _:
                return None
    return None


def _width(operand: Operand) -> int:
    kind = getattr(operand, "type", None)
    return kind.bits if isinstance(kind, IntType) else 0
