"""What library models demand of their callers, and what they may ask about memory: `__vouch_require` and the
questions that the models of CUDA's libraries pose. `c/models/vouch.h` says what each means."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from vouch.bmc import access, claims, operands
from vouch.bmc.execution import Execution
from vouch.bmc.frame import Frame
from vouch.bmc.initial import Zero
from vouch.bmc.state import State
from vouch.bmc.value import Kind, MemObject, Pointer, Value, merge
from vouch.c import ir
from vouch.c.checks.base import Check, Trigger
from vouch.errors import Unsupported
from vouch.smt import term as T
from vouch.smt.term import Term

_Question: TypeAlias = "Callable[[MemObject, Term], Term]"


def require(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """Claim the demand at the call of the outermost model; execution goes on either way."""
    violated = claims.is_zero(ex, frame, call.arguments[0])
    site = access.site_of(frame, call)
    for check in ex.sites.get(site.number, ()):
        if check.trigger is Trigger.REQUIRED and _is_about(check, call.arguments[1]):
            ex.claim(check, state, violated)
    return state


def _is_about(check: Check, text: ir.Operand) -> bool:
    return (
        isinstance(text, ir.GlobalConstant)
        and isinstance(check.value, ir.GlobalConstant)
        and check.value.name == text.name
    )


def valid(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """__vouch_valid(p, n)"""
    size = T.resize_u(operands.term_of(ex, frame, call.arguments[1]), ex.context.pointer_bits)
    wanted: int | Term = int(size.value) if size.value is not None else size

    def of(target: MemObject, offset: Term) -> Term:
        return access.valid(ex, state, target, offset, wanted)

    return _answered(ex, frame, state, call, of)


def starts(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """__vouch_starts(p)"""

    def of(target: MemObject, offset: Term) -> Term:
        if target.kind not in (Kind.HEAP, Kind.OUTSIDE):
            return T.FALSE
        contents = state.memory.get(target)
        alive = contents.alive if contents is not None else T.TRUE
        return T.and_(alive, T.eq(offset, ex.context.zero_offset))

    return _answered(ex, frame, state, call, of)


def together(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """__vouch_together(p, q)"""
    others = operands.pointer_of(ex, frame, call.arguments[1]).targets

    def of(target: MemObject, offset: Term) -> Term:
        if access.valid(ex, state, target, offset, 0) is T.FALSE:
            return T.FALSE
        found = [guard for guard, other, _ in others if other is target and other.kind in access.MAIN]
        return T.and_(access.valid(ex, state, target, offset, 0), T.or_(T.FALSE, *found))

    return _answered(ex, frame, state, call, of)


def _answered(ex: Execution, frame: Frame, state: State, call: ir.Call, of: _Question) -> State:
    found: Term = T.FALSE
    for guard, target, offset in operands.pointer_of(ex, frame, call.arguments[0]).targets:
        found = T.or_(found, T.and_(guard, of(target, offset)))
    assert isinstance(call.type, ir.IntType)
    operands.finish(frame, call, found if call.type.bits == 1 else T.bool_to_bv(found, call.type.bits))
    return state


def beside(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """__vouch_beside(p, k): each object gets a companion of k times its size, all zero at first."""
    scale = operands.term_of(ex, frame, call.arguments[1]).value
    if scale is None:
        raise Unsupported("a model that leaves open what it asks")
    result: Value = ex.context.null
    for guard, target, offset in reversed(operands.pointer_of(ex, frame, call.arguments[0]).targets):
        if target.kind not in access.MAIN:
            continue
        inside = access.valid(ex, state, target, offset, 0)
        there = T.mul(offset, T.bv(int(scale), offset.width))
        result = merge(T.and_(guard, inside), Pointer.to(_companion(ex, target, int(scale)), there), result)
    operands.finish(frame, call, result)
    return state


def _companion(ex: Execution, target: MemObject, scale: int) -> MemObject:
    made = ex.companions.get(target)
    if made is None:
        if ex.scope is not None:  # what was kept there before, and by callees that are replaced?
            raise Unsupported("what models keep beside objects, in a part of the program")
        size = target.size
        if isinstance(size, int):
            size *= scale
        elif size is not None:
            size = T.mul(size, T.bv(scale, size.width))
        made = MemObject(Kind.HEAP, f"beside {target.name}", size, Zero(), align=16)
        made.heap_kind = "companion"
        ex.companions[target] = made
    return made
