"""From checks to claims: the condition under which an execution of a site violates its checks.

Triggers that concern memory (ACCESS, UNINITIALISED, FREE, LEAK) and float results (NAN) are evaluated where
the access or the operation is; all others here, before the instruction runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vouch.bmc import access, operands
from vouch.bmc.state import State
from vouch.bmc.value import Pointer
from vouch.c import ir
from vouch.c.checks.base import Check, Trigger
from vouch.errors import Unsupported
from vouch.smt import term as T
from vouch.smt.term import Term

if TYPE_CHECKING:
    from vouch.bmc.execute import Executor, Frame

ELSEWHERE = frozenset(
    {Trigger.ACCESS, Trigger.UNINITIALISED, Trigger.FREE, Trigger.LEAK, Trigger.NAN, Trigger.NEVER}
)


def at_site(
    ex: Executor, frame: Frame, state: State, instruction: ir.Instruction, condition: Term = T.TRUE
) -> None:
    """Claim every check of the site. `condition` is the one under which a handler would be called."""
    for check in ex.sites.get(id(instruction), ()):
        if check.trigger not in ELSEWHERE:
            violated = _violation(ex, frame, check, instruction)
            ex.claim(check, state, T.and_(condition, violated))


def _violation(ex: Executor, frame: Frame, check: Check, site: ir.Instruction) -> Term:
    match check.trigger:
        case Trigger.REACHED:
            return T.TRUE
        case Trigger.FALSE_ARGUMENT:
            assert isinstance(site, ir.Call)
            return is_zero(ex, frame, site.arguments[check.argument])
        case Trigger.REACHED_ZERO:
            assert check.value is not None
            return is_zero(ex, frame, check.value)
        case Trigger.REACHED_NONZERO:
            assert check.value is not None
            return T.not_(is_zero(ex, frame, check.value))
        case Trigger.CALL:
            assert check.value is not None
            return access.bad_callee(operands.pointer_of(ex, frame, check.value))
        case Trigger.NARROWING:
            assert check.value is not None
            value = operands.term_of(ex, frame, check.value)
            return narrows(value, check.bits, check.signed_from, check.signed_to)
        case Trigger.OVERFLOW:
            assert isinstance(site, ir.Binary)
            return _overflow(ex, frame, site, check.signed_to)
        case Trigger.SHIFT:
            assert isinstance(site, ir.Binary)
            amount = operands.term_of(ex, frame, site.right)
            return T.uge(amount, T.bv(amount.width, amount.width))
        case _:
            raise Unsupported(f"check of kind {check.trigger}")


def is_zero(ex: Executor, frame: Frame, operand: ir.Operand) -> Term:
    value = operands.operand_value(ex, frame.registers, operand)
    if isinstance(value, Pointer):
        return access.compare_pointers(ex, "eq", value, ex.world.null)
    assert isinstance(value, Term)
    if value.sort is T.BOOL:
        return T.not_(value)
    if ex.world.float_type(value.sort) is not None:
        return T.fp_is_zero(value)
    return T.eq(value, T.bv(0, value.width))


def narrows(value: Term, bits: int, signed_from: bool, signed_to: bool) -> Term:
    """The number changes when it is cut to `bits`: compared in one more bit, where all numbers meet."""
    if bits >= value.width and signed_from == signed_to:
        return T.FALSE
    width = max(value.width, bits) + 1
    before = T.sext(value, width) if signed_from else T.zext(value, width)
    low = T.extract(value, bits - 1, 0) if bits < value.width else before
    if bits >= value.width:
        low = T.extract(before, bits - 1, 0)
    after = T.sext(low, width) if signed_to else T.zext(low, width)
    return T.ne(before, after)


def _overflow(ex: Executor, frame: Frame, site: ir.Binary, signed: bool) -> Term:
    left, right = operands.term_of(ex, frame, site.left), operands.term_of(ex, frame, site.right)
    width = left.width
    match site.op:
        case "add":
            return T.sadd_overflow(left, right) if signed else T.uadd_overflow(left, right)
        case "sub":
            return T.ssub_overflow(left, right) if signed else T.usub_overflow(left, right)
        case "mul":
            return T.smul_overflow(left, right) if signed else T.umul_overflow(left, right)
        case "sdiv" | "srem":
            least = T.eq(left, T.bv(1 << (width - 1), width))
            return T.and_(least, T.eq(right, T.bv(-1, width)))
        case _:
            raise Unsupported(f"overflow of {site.op}")
