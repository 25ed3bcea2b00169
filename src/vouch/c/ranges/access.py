"""Whether what an instruction accesses is there and holds something, in a state of the analysis."""

from __future__ import annotations

from vouch.c.ir import (
    Alloca,
    AtomicUpdate,
    Call,
    CompareExchange,
    Instruction,
    Load,
    Operand,
    PointerType,
    Store,
)
from vouch.c.ranges import relations, written
from vouch.c.ranges.calls import root
from vouch.c.ranges.interpret import Interpreter
from vouch.c.ranges.pointers import INFINITE, PointerRange, is_unnamed, size_of_unnamed
from vouch.errors import Unsupported

OUTSIDE_WRITTEN = "memory from outside the program is taken to be written"
OUTSIDE = "pointers from outside the program are taken to be valid"
APART = "places that code outside hands over for a copy are taken to be valid and not to overlap"
ASSUMED = frozenset({OUTSIDE, OUTSIDE_WRITTEN, APART})  # reasons that say what a proof rests on


def is_constant(at: Interpreter, operand: Operand) -> bool:
    """Does the pointer lead to what nobody may write, such as a string literal?"""
    base = at.pointer(operand).base
    extent = at.extents.get(base or "") or at.whole.extent(base)
    return extent is not None and extent.constant


def valid_access(at: Interpreter, site: Instruction) -> str | None:
    """Why an instruction accesses nothing but objects that are there."""
    reasons = set()
    for position, (pointer, size) in enumerate(accesses(at, site)):
        if not isinstance(site, Load) and position == 0 and is_constant(at, pointer):
            return None
        if isinstance(site, Call) and not is_within_struct(at, site, position, size):
            return None
        member = site.within if isinstance(site, Load | Store) else None
        if member is not None and not _lies_within(at, pointer, member, size):
            return None
        reason = inside(at, pointer, size)
        if reason is None:
            return None
        reasons.add(reason)
    if isinstance(site, Call) and (at.whole.graph.target(site) or "").startswith("llvm.memcpy."):
        to, origin, length = site.arguments[:3]
        reason = apart(at, to, origin, length)
        if reason is None or reason:
            return reason
    return None if not reasons else OUTSIDE if OUTSIDE in reasons else ""


def is_within_struct(at: Interpreter, call: Call, number: int, size: int | None) -> bool:
    """Whether so many bytes of a member that a call is given lie in the struct around it, as far as nothing
    else says how much memory there is."""
    for position, anchor, before, whole in call.members:
        if position == number:
            return _lies_within(at, call.arguments[number], (anchor, before, whole), size)
    return True


def _lies_within(
    at: Interpreter, operand: Operand, member: tuple[Operand, int, int], size: int | None
) -> bool:
    anchor, before, whole = member
    pointer, start = at.pointer(operand), at.pointer(anchor)
    extent = at.extents.get(pointer.base or "") or at.whole.extent(pointer.base)
    if pointer.base is None or extent is None or not extent.outside:
        return True
    if size is None or pointer.base != start.base or start.lo != start.hi:
        return False
    return start.lo - before <= pointer.lo and pointer.hi + size <= start.lo - before + whole


def apart(
    at: Interpreter, to: Operand, origin: Operand, length: Operand, *, same: bool = True
) -> str | None:
    """Why two stretches that are inside their objects share no byte, or are the `same`."""
    first, second, size = at.pointer(to), at.pointer(origin), at.integer(length)[3]
    if first.base is None or second.base is None:
        return None
    if first.base != second.base:
        return in_different(at, first.base, second.base)
    same = same and first[1:3] == second[1:3] and first.lo == first.hi
    beside = first.hi + size <= second.lo or second.hi + size <= first.lo
    return "" if (same or beside) and not is_unnamed(first.base) else None


def in_different(at: Interpreter, first: str, second: str) -> str | None:
    """Why what two names stand for shares no byte. Objects of this activation share none with what was there
    before it; of what parameters lead to, the caller decides."""
    if is_unnamed(first) or is_unnamed(second):
        known = second if is_unnamed(first) else first
        large = size_of_unnamed(first if is_unnamed(first) else second) > INFINITE
        return "" if large and known[0] in "%*" else None  # a smaller one may be any of these
    if "!" in (first[0], second[0]):
        return None  # a function may return any of them
    if "%" in (first[0], second[0]) or "*" in (first[0], second[0]) or first[0] == second[0] == "@":
        return ""
    return at.parameters_apart


def accesses(at: Interpreter, site: Instruction) -> list[tuple[Operand, int | None]]:
    """Pointers that an instruction accesses, with sizes in bytes (None: not known)."""
    try:
        match site:
            case Load(pointer=pointer, type=kind):
                return [(pointer, at.sizes.store_size(kind))]
            case Store(pointer=pointer, value=value):
                return [(pointer, at.sizes.store_size(value.type))]  # type: ignore[attr-defined]
            case (
                AtomicUpdate(pointer=pointer, value=value) | CompareExchange(pointer=pointer, expected=value)
            ):
                return [(pointer, at.sizes.store_size(value.type))]  # type: ignore[attr-defined]
            case Call(arguments=arguments) if (at.whole.graph.target(site) or "").startswith("llvm.mem"):
                length = at.integer(arguments[2])[3]
                pointers = [a for a in arguments[:2] if isinstance(getattr(a, "type", None), PointerType)]
                return [(pointer, length) for pointer in pointers]
            case _:
                return []
    except Unsupported:
        return []


def is_written(at: Interpreter, pointer: PointerRange, size: int | None = None) -> str | None:
    """Why what a pointer leads to (`size` bytes, or all of it) holds something: globals, and what only
    pointers from outside lead to, do at any time."""
    if pointer.base is None or pointer.or_null:
        return None
    if pointer.base[0] == "@":
        return ""
    if is_trusted(at, pointer):
        return OUTSIDE_WRITTEN
    extent = at.extents.get(pointer.base)
    if extent is not None and (
        written.covers_all(at, pointer, extent.hi) if size is None else written.covers(at, pointer, size)
    ):
        return OUTSIDE_WRITTEN if extent.outside else ""
    held = extent is not None and extent.inner is not None and pointer.lo == pointer.hi == 0
    return "" if held and size is not None and size <= at.sizes.store_size(PointerType()) else None


def is_trusted(at: Interpreter, pointer: PointerRange) -> bool:
    """Whether a pointer leads to memory from outside that nobody has freed."""
    base = pointer.base
    if base is None or base[0] not in "^?" or pointer.or_null or not at.is_outside(base):
        return False
    return at.is_live(base, at.extents[base])


def inside(at: Interpreter, operand: Operand, size: int | None) -> str | None:
    """Why so many bytes behind a pointer are there, None where they may not be."""
    pointer = at.pointer(operand)
    if pointer.base is None or pointer.or_null or size is None:
        return None
    if pointer.base in at.frame.inner and not isinstance(root(at.frame.defs, operand), Alloca):
        return None  # the variable's block may have ended
    extent = at.extents.get(pointer.base) or at.whole.extent(pointer.base)
    if extent is None or pointer.lo < extent.lo:
        return None
    if pointer.hi + size > extent.hi and not relations.is_within_block(at, operand, size):
        return None
    if not at.is_live(pointer.base, extent):
        return None
    return OUTSIDE if extent.outside else ""
