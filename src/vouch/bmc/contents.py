"""What was written to one object on the current path: cells at constant offsets, and, once something was
written or read at an offset that is not constant and not one of few, an SMT array below them.

Contents are never changed in place after they were shared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vouch.bmc.value import MemObject, Value
from vouch.smt import term as T
from vouch.smt.term import Term

if TYPE_CHECKING:
    from vouch.bmc.initial import Initial

Cell = tuple[int, Value, Term]  # size in bytes, value, condition under which it was never initialised


class Contents:
    """`cells` lie above `array`. `flags` is an array beside it, one bit per byte: not initialised. `initial`
    takes the place of the object's own initial contents after everything in it became unknown. Whoever holds
    `token` may write in place."""

    __slots__ = ("alive", "array", "cells", "flags", "initial", "largest", "token", "word")

    def __init__(self, token: object = None, initial: Initial | None = None) -> None:
        self.token = token
        self.initial = initial
        self.cells: dict[int, Cell] = {}
        self.array: Term | None = None
        self.flags: Term | None = None
        self.word = 1
        self.largest = 1
        self.alive: Term = T.TRUE

    def owned(self, token: object) -> Contents:
        """These contents if the holder of `token` may change them, a copy otherwise."""
        return self if token is not None and self.token is token else self.copy(token)

    def copy(self, token: object = None) -> Contents:
        new = Contents.__new__(Contents)
        new.token = token
        new.initial = self.initial
        new.cells = self.cells.copy()
        new.array = self.array
        new.flags = self.flags
        new.word = self.word
        new.largest = self.largest
        new.alive = self.alive
        return new


def partly_written(target: MemObject, contents: Contents | None) -> bool:
    """May a byte of the object be uninitialised?"""
    if contents is None:
        return target.initial.lacks
    if contents.flags is not None or any(bad is not T.FALSE for _, _, bad in contents.cells.values()):
        return True
    initial = contents.initial if contents.initial is not None else target.initial
    if contents.array is not None or not initial.lacks:
        return False
    return sum(size for size, _, _ in contents.cells.values()) != target.size
