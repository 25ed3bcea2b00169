"""Abstract pointers: an object, and an interval of byte offsets into it with a step."""

from __future__ import annotations

from math import gcd
from typing import NamedTuple

INFINITE = 1 << 80  # beyond every offset


class PointerRange(NamedTuple):
    """`base` names an object (see objects.py); None: it may point anywhere. Offsets are lo, lo + step, … up
    to hi, and only mean something with a base. `nonnull` is a fact, not an assumption."""

    base: str | None
    lo: int
    hi: int
    nonnull: bool
    step: int = 0  # 0 for a single offset


OUTSIDE = (
    "?"  # base: one of the objects that memory from outside the program leads to; no two need be the same
)
ANYWHERE = PointerRange(None, 0, 0, False)
SOMEWHERE = PointerRange(None, 0, 0, True)
NULL = PointerRange("null", 0, 0, False)


class PointerPair(NamedTuple):
    """The result of an `*.with.overflow` intrinsic: the wrapped value and the flag."""

    value: object
    flag: object


def join(a: PointerRange, b: PointerRange) -> PointerRange:
    if a == b:
        return a
    if a.base is None or a.base != b.base:
        return PointerRange(None, 0, 0, a.nonnull and b.nonnull)
    step = gcd(a.step, b.step, a.lo - b.lo)
    return PointerRange(a.base, min(a.lo, b.lo), max(a.hi, b.hi), a.nonnull and b.nonnull, step)


def widen(old: PointerRange, new: PointerRange, size: int) -> PointerRange:
    """At least the join; an end that moved goes to that of the object of `size` bytes, or beyond all."""
    both = join(old, new)
    if both.base is None:
        return both
    step = max(both.step, 1)
    far = step * (INFINITE // step)
    lo, hi = both.lo, both.hi
    if lo < old.lo:
        lo = lo % step if lo >= 0 else lo - far
    if hi > old.hi:
        hi = hi + (size - hi) // step * step if hi <= size else lo + far
    return both._replace(lo=lo, hi=hi)


def moved(pointer: PointerRange, lo: int, hi: int, step: int) -> PointerRange:
    """The pointer plus lo, lo + step, … hi bytes."""
    if pointer.base is None or pointer.base == "null":
        return SOMEWHERE if pointer.nonnull else ANYWHERE
    return pointer._replace(lo=pointer.lo + lo, hi=pointer.hi + hi, step=gcd(pointer.step, step))


def limited(pointer: PointerRange, lo: int, hi: int) -> PointerRange | None:
    """The offsets of a pointer that are in lo … hi; None if there are none."""
    lo, hi = max(lo, pointer.lo), min(hi, pointer.hi)
    if pointer.step:
        lo = pointer.lo + -((pointer.lo - lo) // pointer.step) * pointer.step
        hi = pointer.lo + (hi - pointer.lo) // pointer.step * pointer.step
    return pointer._replace(lo=lo, hi=hi) if lo <= hi else None


def compare(predicate: str, a: PointerRange, b: PointerRange) -> bool | None:
    """Known for offsets into one object, and for null against something that is not."""
    if a.base is not None and a.base == b.base and a.base not in ("null", OUTSIDE):
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
