"""Abstract pointers: an object, and an interval of byte offsets into it with a step."""

from __future__ import annotations

from collections.abc import Callable
from math import gcd
from typing import NamedTuple

INFINITE = 1 << 80  # beyond every offset
_FARTHEST = 16 * INFINITE  # bounds of offsets are no larger


class PointerRange(NamedTuple):
    """`base` names an object (see objects.py); None: it may point anywhere. Offsets are lo, lo + step, … up
    to hi, and only mean something with a base. `nonnull` is a fact, not an assumption. `or_null`: it is the
    null pointer, or else what the rest says."""

    base: str | None
    lo: int
    hi: int
    nonnull: bool
    step: int = 0  # 0 for a single offset
    or_null: bool = False


OUTSIDE = (
    "?"  # base: one of the objects that memory from outside the program leads to; no two need be the same
)
OWN = "?@"  # base: one of those that the program's own variables led to when the function was called
UNBOUNDED = 64 * INFINITE  # size of what is large enough


def unnamed(size: int) -> str:
    """The base of pointers to objects of at least this size, of whatever contents; no two need be the
    same."""
    return f"{OUTSIDE}{size}"


def is_unnamed(base: str | None) -> bool:
    return base is not None and base[0] == OUTSIDE


def size_of_unnamed(base: str) -> int:
    return UNBOUNDED if base in (OUTSIDE, OWN) else int(base[1:])


ANYWHERE = PointerRange(None, 0, 0, False)
SOMEWHERE = PointerRange(None, 0, 0, True)
NULL = PointerRange("null", 0, 0, False)


class PointerPair(NamedTuple):
    """The result of an `*.with.overflow` intrinsic: the wrapped value and the flag."""

    value: object
    flag: object


General = Callable[[str], str | None]
"""An unnamed object that a named one is an example of, None where nothing is known of it."""


def join(a: PointerRange, b: PointerRange, general: General | None = None) -> PointerRange:
    """What leads to two objects leads to one without a name, if `general` knows enough of both."""
    if a == b:
        return a
    if a.base == "null" or b.base == "null":
        other = b if a.base == "null" else a
        return other._replace(nonnull=False, or_null=other.base is not None)
    if a.base is not None and b.base is not None and a.base != b.base:
        bases = [_general(base, general) for base in (a.base, b.base)]
        if bases[0] is not None and bases[1] is not None:
            base = bases[0]
            if {base, bases[1]} == {OUTSIDE, OWN}:
                base = OWN
            elif bases[1] != base:
                base = unnamed(min(size_of_unnamed(base), size_of_unnamed(bases[1])))
            a, b = a._replace(base=base), b._replace(base=base)
    if a.base is None or a.base != b.base:
        return PointerRange(None, 0, 0, a.nonnull and b.nonnull)
    step = gcd(a.step, b.step, a.lo - b.lo)
    both = a.nonnull and b.nonnull
    return PointerRange(a.base, min(a.lo, b.lo), max(a.hi, b.hi), both, step, a.or_null or b.or_null)


def _general(base: str, general: General | None) -> str | None:
    return base if is_unnamed(base) else general(base) if general is not None else None


def widen(old: PointerRange, new: PointerRange, size: int, general: General | None = None) -> PointerRange:
    """At least the join; an end that moved goes to that of the object of `size` bytes, or beyond all."""
    both = join(old, new, general)
    if both.base in (None, "null") or old.base == "null":
        return both
    step = max(both.step, 1)
    lo, hi = both.lo, both.hi
    if lo < old.lo:
        lo = lo % step if lo >= 0 else _FARTHEST // step * -step + lo % step
    if hi > old.hi:
        ends = (size - step, size) if size < INFINITE else ()
        end = next((e for e in ends if hi <= e), _FARTHEST)
        hi += (end - hi) // step * step
    return both._replace(lo=lo, hi=hi)


def moved(pointer: PointerRange, lo: int, hi: int, step: int) -> PointerRange:
    """The pointer plus lo, lo + step, … hi bytes."""
    if pointer.base is None or pointer.base == "null":
        return SOMEWHERE if pointer.nonnull else ANYWHERE
    if pointer.or_null and (lo, hi) != (0, 0):
        return ANYWHERE  # null and some bytes is not null, and no place either
    step = gcd(pointer.step, step)
    lo, hi = pointer.lo + lo, pointer.hi + hi
    if hi > _FARTHEST:
        hi -= -(-(hi - _FARTHEST) // (step or 1)) * step
    if lo < -_FARTHEST:
        lo += -(-(-_FARTHEST - lo) // (step or 1)) * step
    return pointer._replace(lo=lo, hi=hi, step=step)


def limited(pointer: PointerRange, lo: int, hi: int) -> PointerRange | None:
    """The offsets of a pointer that are in lo … hi; None if there are none."""
    lo, hi = max(lo, pointer.lo), min(hi, pointer.hi)
    if pointer.step:
        lo = pointer.lo + -((pointer.lo - lo) // pointer.step) * pointer.step
        hi = pointer.lo + (hi - pointer.lo) // pointer.step * pointer.step
    return pointer._replace(lo=lo, hi=hi) if lo <= hi else None


def compare(predicate: str, a: PointerRange, b: PointerRange) -> bool | None:
    """Known for offsets into one object, and for null against something that is not."""
    if a.or_null or b.or_null:
        return None
    if a.base is not None and a.base == b.base and a.base != "null" and not is_unnamed(a.base):
        if predicate in ("eq", "ne"):
            if a.lo == a.hi == b.lo == b.hi:
                return predicate == "eq"
            if a.hi < b.lo or b.hi < a.lo:
                return predicate == "ne"
            return None
        kind = predicate[1:]
        if kind in ("gt", "ge"):
            a, b, kind = b, a, {"gt": "lt", "ge": "le"}[kind]
        if a.lo < 0 or b.lo < 0:
            return None  # before the object's start the address may wrap
        if kind == "lt":
            return True if a.hi < b.lo else False if a.lo >= b.hi else None
        return True if a.hi <= b.lo else False if a.lo > b.hi else None
    if predicate in ("eq", "ne"):
        if a.base == "null" and b.base == "null":
            return predicate == "eq"
        if (a.base == "null" and b.nonnull) or (b.base == "null" and a.nonnull):
            return predicate == "ne"
    return None
