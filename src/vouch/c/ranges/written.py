"""Which bytes of objects hold something: must-information beside the contents of cells.

The state's `(WRITTEN, object)` maps to a mask, bit n for byte n (a negative mask holds all bytes from some
place on). A write adds bytes, and only four things take some away: a block of the program begins anew
(`llvm.lifetime`), memory is freed, bytes are copied that may be unwritten themselves, and a call may do one
of these. Objects are those that pointers name (`%x`, `^p`, `*n`, `!n`); globals and memory from outside hold
something at any time, which `access.is_written` knows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from vouch.c.ir import Call, Operand, PointerType, Register
from vouch.c.ranges import outcomes
from vouch.c.ranges.pointers import INFINITE, PointerRange, is_unnamed
from vouch.c.ranges.state import PENDING, WRITTEN

if TYPE_CHECKING:
    from vouch.c.ranges.calls import Effects
    from vouch.c.ranges.existence import RangeObjects
    from vouch.c.ranges.memory import RangeMemory

ALL = -1
_LARGEST = 4096  # bytes of an object that are looked at


def put(at: RangeMemory, pointer: PointerRange, size: int) -> None:
    """At least `size` bytes that hold something are written through a pointer."""
    base = pointer.base
    if not _is_named(base) or pointer.lo != pointer.hi or pointer.or_null or pointer.lo < 0:
        return
    size = min(size, _LARGEST - pointer.lo)
    if size <= 0:
        return
    held = at.state.get((WRITTEN, base), (0,))[0]
    after = held | ((1 << size) - 1) << pointer.lo
    if after != held:
        at.writable()[WRITTEN, base] = (after,)


def spoil(at: RangeMemory, pointer: PointerRange, size: int, through: Operand | None = None) -> None:
    """At most `size` bytes that may hold nothing are written through a pointer."""
    base = pointer.base
    if base == "null":
        return
    outcomes.forget(at)
    exact = base is not None and not is_unnamed(base) and not pointer.or_null
    for key in [k for k in at.state if k[0] == WRITTEN]:
        if exact and key[1] == base:
            at.writable()[key] = (_less(at.state[key][0], pointer, size),)
        elif exact and base is not None:
            if at.may_be_one(base, key[1]):
                del at.writable()[key]
        elif at.is_reachable(key[1]) or (
            key[1] in at.lent and (not isinstance(through, Register) or through.name in at.lent[key[1]])
        ):
            del at.writable()[key]


def _less(mask: int, pointer: PointerRange, size: int) -> int:
    """A mask without the bytes that an access may reach."""
    lo, hi = max(pointer.lo, 0), pointer.hi + size
    if hi > 1 << 16:
        return mask & (1 << min(lo, _LARGEST)) - 1
    return mask & ~(((1 << max(hi - lo, 0)) - 1) << lo)


def copied(
    at: RangeMemory, target: PointerRange, source: PointerRange, size: tuple[int, int], through: Operand
) -> None:
    """Between so many and so many bytes are copied: what was not written stays so."""
    least, most = size
    if not at.whole.copies.some and at.frame.function.name not in at.whole.program.models:
        put(at, target, least)
        return
    mask = 0
    if source.base is not None and source.lo == source.hi and target.lo == target.hi and least > 0:
        mask = of_pointer(at, source) & ((1 << min(least, _LARGEST)) - 1)
    spoil(at, target, most, through)
    if mask and _is_named(target.base) and not target.or_null and 0 <= target.lo <= _LARGEST:
        held = at.state.get((WRITTEN, target.base), (0,))[0]
        at.writable()[WRITTEN, target.base] = (held | mask << target.lo,)


def of_pointer(at: RangeObjects, pointer: PointerRange) -> int:
    """The bytes known to be written, counted from where a pointer leads."""
    base = pointer.base
    if base is None or pointer.or_null:
        return 0
    if base[0] == "@":
        return ALL if not at.whole.copies.some or at.whole.objects.is_constant(base) else 0
    held: int = at.state.get((WRITTEN, base), (0,))[0]
    if not held or (held == ALL and pointer.lo >= 0):
        return held
    if not -_LARGEST <= pointer.lo <= pointer.hi <= _LARGEST:
        return 0
    found = ALL
    for offset in {pointer.lo, pointer.hi}:
        found &= held >> offset if offset >= 0 else held << -offset
    return found if pointer.lo == pointer.hi else 0


def covers(at: RangeMemory, pointer: PointerRange, size: int) -> bool:
    """Whether `size` bytes behind a pointer hold something."""
    if not _is_named(pointer.base) or pointer.or_null or pointer.lo < 0:
        return False
    held = at.state.get((WRITTEN, pointer.base), (0,))[0]
    length = pointer.hi + size - pointer.lo
    if held == ALL:
        return True
    if max(length, pointer.lo) > _LARGEST:
        return False
    wanted = ((1 << length) - 1) << pointer.lo
    return bool(held & wanted == wanted)


def has_known_size(base: str) -> bool:
    """Whether the size known of an object is all of it: of others, it is the least they have."""
    return base[0] in "%@"


def within(mask: int, size: int) -> int:
    """The mask of an object that has so many bytes and no more: one and the same for all whose bytes are all
    written."""
    if size <= 0 or mask == ALL:
        return ALL
    if size > _LARGEST:
        return mask
    whole = (1 << size) - 1
    return ALL if mask & whole == whole else mask & whole


def covers_all(at: RangeMemory, pointer: PointerRange, size: int) -> bool:
    """Whether everything behind a pointer holds something, in an object of which `size` bytes are known."""
    base = pointer.base
    if not _is_named(base) or pointer.or_null or pointer.lo < 0:
        return False
    assert base is not None
    if at.state.get((WRITTEN, base), (0,))[0] == ALL:
        return True
    return has_known_size(base) and covers(at, pointer, size - pointer.hi)


def begin(at: RangeMemory, base: str) -> None:
    """A block's variable begins or ends."""
    if PENDING in at.state:
        outcomes.forget_object(at, base)
    if (WRITTEN, base) in at.state:
        del at.writable()[WRITTEN, base]


def freed(at: RangeMemory, may_be: Callable[[str], bool]) -> None:
    for key in [k for k in at.state if k[0] == WRITTEN and may_be(k[1])]:
        del at.writable()[key]


def during_call(at: RangeMemory, call: Call, target: str | None, effects: Effects) -> None:
    """A call may copy bytes that hold nothing."""
    if target is not None and target in at.whole.program.models:
        if effects.texts:
            for argument in call.arguments:
                if isinstance(getattr(argument, "type", None), PointerType):
                    spoil(at, at.pointer(argument), INFINITE, argument)
    elif effects.texts or (effects.copies and at.whole.copies.some):
        _spoil_reachable(at, call, target)
    elif call.sret is not None and (target is None or target not in at.whole.graph.effects):
        spoil(at, at.pointer(call.arguments[call.sret]), INFINITE, call.arguments[call.sret])


def _spoil_reachable(at: RangeMemory, call: Call, target: str | None) -> None:
    lent: set[str] = set()
    for number, argument in enumerate(call.arguments):
        if target is None or at.whole.lending.spoils(target, number):
            lent.update(at.lent_by(argument))
    for key in [k for k in at.state if k[0] == WRITTEN]:
        if at.is_reachable(key[1]) or key[1] in lent:
            del at.writable()[key]


def _is_named(base: str | None) -> bool:
    return base is not None and base != "null" and base[0] in "%^*!" and not is_unnamed(base)
