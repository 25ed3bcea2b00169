"""Whether bytes that may be unwritten are copied to memory from outside, or to globals, which are taken to be
written at any time.

What a function does so with is said by the numbers of its parameters: it spreads something unwritten only if
one of those leads to something unwritten; None: in any case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vouch.c.ir import Call
from vouch.c.ranges import written
from vouch.c.ranges.pointers import INFINITE, PointerRange, is_unnamed

if TYPE_CHECKING:
    from vouch.c.ranges.memory import RangeMemory
    from vouch.c.ranges.solve import FixedPoint

Sources = frozenset[int] | None
_NOTHING: frozenset[int] = frozenset()


def spreads(solver: FixedPoint) -> Sources:
    """What a function spreads, by its fixed point."""
    whole, name = solver.whole, solver.frame.function.name
    if name in whole.copies.spreading:
        return None
    found = _NOTHING
    for label in solver.frame.graph.order:
        if label not in solver.inputs or label in solver.frame.handlers:
            continue
        solver.at.enter(label, solver.inputs[label])
        for instruction in solver.frame.function.blocks[label].instructions:
            if isinstance(instruction, Call):
                sources = _of(solver.at, instruction)
                if sources is None:
                    return None
                found |= sources
            solver.at.step(instruction)
            if solver.at.dead:
                break
    return found


def _of(at: RangeMemory, call: Call) -> Sources:
    if call.number in at.whole.copies.through:
        return of_copy(at, call)
    return of_call(at, call, at.whole.graph.called(call))


def of_copy(at: RangeMemory, call: Call) -> Sources:
    """A copy from behind one pointer to behind another."""
    target, source, length = call.arguments[:3]
    base = at.pointer(target).base
    if base is not None and base[0] in "%*":
        return _NOTHING  # objects whose written bytes are followed
    return _behind(at, at.pointer(source), min(at.integer(length)[3], INFINITE))


def of_call(at: RangeMemory, call: Call, target: str | None) -> Sources:
    whole = at.whole
    if not whole.spreads:
        return _NOTHING
    if target is None:
        return None if not whole.spreads.keys().isdisjoint(whole.graph.of_type(call.signature)) else _NOTHING
    if target not in whole.spreads:
        return _NOTHING
    wanted = whole.spreads[target]
    found = _NOTHING
    for number in wanted or ():
        if number >= len(call.arguments):
            return None
        behind = _behind(at, at.pointer(call.arguments[number]), None)
        if behind is None:
            return None
        found |= behind
    return None if wanted is None else found


def _behind(at: RangeMemory, pointer: PointerRange, size: int | None) -> Sources:
    """What has to be written so that what a pointer leads to is."""
    base = pointer.base
    if base is None or base == "null":
        return None if base is None else _NOTHING
    if base[0] == "@" or at.is_outside(base):
        return _NOTHING
    pointer = pointer._replace(or_null=False)
    if not is_unnamed(base):
        if size is not None and written.covers(at, pointer, size):
            return _NOTHING
        filled, extent = written.of_pointer(at, pointer), at.extents.get(base)
        if extent is not None and written.has_known_size(base):
            filled = written.within(filled, extent.hi - pointer.hi)
        if filled == written.ALL:
            return _NOTHING
    names = [parameter.name for parameter in at.frame.function.parameters]
    if base[0] == "^" and base[1:] in names and pointer.lo >= 0:
        number = names.index(base[1:])
        return frozenset({number}) if at.frame.function.parameters[number].byval is None else None
    return None
