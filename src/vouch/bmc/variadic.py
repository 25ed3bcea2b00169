"""Variable arguments: lists of them are laid out in memory as the target's code reads them."""

from __future__ import annotations

from collections.abc import Iterator

from vouch.bmc import access, memory_ops, shadow
from vouch.bmc.execution import Execution
from vouch.bmc.frame import Frame
from vouch.bmc.initial import Unknown
from vouch.bmc.memory import Memory
from vouch.bmc.state import State
from vouch.bmc.value import Kind, MemObject, Pointer, Value
from vouch.c import ir
from vouch.smt import term as T

_REASON = "variable arguments of an entry point are not followed"


def va_start(ex: Execution, frame: Frame, state: State, call: ir.Call, target: Pointer) -> None:
    """Lay the extra arguments out in memory, as the target's `va_arg` code reads them."""
    context = ex.context
    if frame.call is None:
        _start_unknown(ex, state, target)
        return
    slot = 8 if context.pointer_bits == 64 else context.pointer_bits // 8
    places: list[shadow.Piece] = []
    at = 0
    for type_, parts in _extra_arguments(ex, frame, state):
        align = max(slot, context.layouts.align(type_)) if _aligns(context.program.triple) else slot
        at = -(-at // align) * align
        places += [(at + offset, kind, part, bad) for offset, kind, part, bad in parts]
        at += -(-context.layouts.store_size(type_) // slot) * slot
    area = ex.new_object(state, Kind.STACK, "arguments", max(at, 1), Unknown(undefined=True))
    frame.objects.append(area)
    # The native run's own argument lists tell nothing about what was written.
    limit = T.fresh("variadic.undefined", T.BOOL)
    context.unsupported[limit] = "a struct of which a part was never written, as a variable argument"
    for place, type_, value, bad in places:
        bad = T.and_(bad, limit)
        contents = ex.memory.write(area, state.memory.get(area), place, type_, value, bad, state.token)
        state.memory[area] = contents
    _set_list(ex, state, target, Pointer.to(area, context.zero_offset))


def _start_unknown(ex: Execution, state: State, target: Pointer) -> None:
    """The extra arguments of a function whose caller is not followed: from outside, whatever it asks for;
    where the program itself calls it, perhaps fewer, of other types, or pointers that lead nowhere."""
    environment = ex.context.environment
    if ex.scope is not None and ex.scope.inner:
        _set_list(ex, state, target, environment.pointer(None, "arguments", strict=True, reason=_REASON))
        return
    ex.context.note("the variable arguments of an entry point are those that it reads")
    area = ex.new_object(state, Kind.HEAP, "arguments", None, _Arguments())
    area.heap_kind = "input"
    _set_list(ex, state, target, Pointer.to(area, ex.context.zero_offset))


class _Arguments(Unknown):
    """What code outside passes: any numbers, and pointers as all that come from there. No native run can be
    given them."""

    def __init__(self) -> None:
        super().__init__(reason=_REASON)

    def arbitrary(self, memory: Memory, target: MemObject, offset: int, type_: ir.Type) -> Value:
        if not isinstance(type_, ir.PointerType):
            return super().arbitrary(memory, target, offset, type_)
        return memory.context.environment.pointer(None, f"arguments+{offset}", reason=self.reason)


def _set_list(ex: Execution, state: State, target: Pointer, start: Pointer) -> None:
    """Let a `va_list` begin at the first of the extra arguments."""
    context = ex.context
    if context.program.triple.startswith("x86_64") and "windows" not in context.program.triple:
        # System V: registers are spent (48 and 176), so everything is read from the overflow area.
        fields: list[tuple[int, ir.Type, Value]] = [
            (0, ir.IntType(32), T.bv(48, 32)),
            (4, ir.IntType(32), T.bv(176, 32)),
            (8, ir.PointerType(), start),
            (16, ir.PointerType(), context.null),
        ]
    elif _has_register_area(context.program.triple):
        # AAPCS64: the offsets into the register areas are not negative, so both are spent.
        fields = [
            (0, ir.PointerType(), start),
            (8, ir.PointerType(), context.null),
            (16, ir.PointerType(), context.null),
            (24, ir.IntType(32), T.bv(0, 32)),
            (28, ir.IntType(32), T.bv(0, 32)),
        ]
    else:
        fields = [(0, ir.PointerType(), start)]
    for offset, type_, value in fields:
        _poke(ex, state, target.shifted(T.bv(offset, context.pointer_bits)), type_, value)


def _extra_arguments(
    ex: Execution, frame: Frame, state: State
) -> Iterator[tuple[ir.Type, list[shadow.Piece]]]:
    """The arguments behind the named ones, in pieces; structs passed by value as their contents."""
    assert frame.call is not None
    first = len(frame.function.parameters)
    for number, (type_, value, unwritten) in enumerate(frame.varargs, first):
        by_value = frame.call.byval[number] if number < len(frame.call.byval) else None
        if by_value is not None and isinstance(value, Pointer):
            yield by_value, memory_ops.read(ex, state, value, ex.context.layouts.size(by_value))
        elif unwritten is not None:
            yield type_, list(shadow.pieces(ex, type_, value, unwritten))
        else:
            yield type_, [(0, type_, value, T.FALSE)]


def _has_register_area(triple: str) -> bool:
    """Is the target's va_list the struct of AArch64? Elsewhere on that machine it is a plain pointer."""
    plain = ("apple", "darwin", "macos", "ios", "windows")
    return triple.startswith(("aarch64", "arm64")) and not any(system in triple for system in plain)


def _aligns(triple: str) -> bool:
    """Do wide arguments begin at a multiple of their alignment?"""
    return not triple.startswith(("i386", "i486", "i586", "i686", "avr", "msp430"))


def _poke(ex: Execution, state: State, pointer: Pointer, type_: ir.Type, value: Value) -> None:
    for guard, target, offset in pointer.targets:
        contents = state.memory.get(target)
        state.memory[target] = ex.memory.write_at(
            target, contents, offset, type_, value, guard, T.FALSE, state.token
        )
        ex.context.environment.disturb(state, target, offset, type_, value)


def va_arg(ex: Execution, frame: Frame, state: State, i: ir.VaArg, list_: Pointer) -> Value:
    """The va_arg instruction (targets whose va_list is a plain pointer)."""
    context = ex.context
    current = access.load(ex, frame, state, i, list_, ir.PointerType())
    assert isinstance(current, Pointer)
    slot = context.pointer_bits // 8
    value = access.load(ex, frame, state, i, current, i.type)
    size = -(-context.layouts.store_size(i.type) // slot) * slot
    _poke(ex, state, list_, ir.PointerType(), current.shifted(T.bv(size, context.pointer_bits)))
    return value
