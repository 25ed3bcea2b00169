"""Abstract pointers: an object, and an interval of byte offsets into it."""

from __future__ import annotations

from typing import NamedTuple

INFINITE = 1 << 80  # beyond every offset


class Pointer(NamedTuple):
    """`base` names an object (see objects.py); None: it may point anywhere. Offsets only mean something with
    a base. `nonnull` is a fact, not an assumption."""

    base: str | None
    lo: int
    hi: int
    nonnull: bool


ANYWHERE = Pointer(None, 0, 0, False)
SOMEWHERE = Pointer(None, 0, 0, True)
NULL = Pointer("null", 0, 0, False)


class Pair(NamedTuple):
    """The result of an `*.with.overflow` intrinsic: the wrapped value and the flag."""

    value: object
    flag: object


def join(a: Pointer, b: Pointer) -> Pointer:
    if a == b:
        return a
    if a.base is None or a.base != b.base:
        return Pointer(None, 0, 0, a.nonnull and b.nonnull)
    return Pointer(a.base, min(a.lo, b.lo), max(a.hi, b.hi), a.nonnull and b.nonnull)


def widen(old: Pointer, new: Pointer) -> Pointer:
    both = join(old, new)
    if both.base is None:
        return both
    lo = both.lo if both.lo >= old.lo else -INFINITE
    hi = both.hi if both.hi <= old.hi else INFINITE
    return Pointer(both.base, lo, hi, both.nonnull)


def moved(pointer: Pointer, lo: int, hi: int) -> Pointer:
    """The pointer plus an interval of bytes."""
    if pointer.base is None or pointer.base == "null":
        return SOMEWHERE if pointer.nonnull else ANYWHERE
    return Pointer(
        pointer.base, max(pointer.lo + lo, -INFINITE), min(pointer.hi + hi, INFINITE), pointer.nonnull
    )
