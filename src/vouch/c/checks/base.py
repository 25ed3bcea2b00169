"""`Check`: one critical place in the program and the property that must hold there.

A check is attached to one instruction (its *site*) and is violated in one of the ways of `Trigger`. The
finders in this package make checks, the range analysis and the engine decide them, the replay confirms them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from vouch.c.ir import Instruction, Location


class Category(StrEnum):
    """Check categories, in the order of the manual. The value is what users write and read."""

    SIGNED_OVERFLOW = "signed-overflow"
    UNSIGNED_OVERFLOW = "unsigned-overflow"
    DIVISION_BY_ZERO = "division-by-zero"
    SHIFT = "shift"
    NARROWING = "narrowing"
    SIGN_CHANGE = "sign-change"
    BOUNDS = "bounds"
    POINTER = "pointer"
    UNINITIALISED = "uninitialised"
    ASSERTION = "assertion"
    UNREACHABLE = "unreachable"
    LEAK = "leak"
    FLOAT = "float"


OFF_BY_DEFAULT = frozenset({Category.UNSIGNED_OVERFLOW, Category.SIGN_CHANGE, Category.LEAK, Category.FLOAT})


class Trigger(StrEnum):
    """How an execution violates a check at its site."""

    REACHED = "reached"
    """The site (a call of a sanitizer handler, `__assert_fail`, `reach_error`, `abort`…) is executed."""
    FALSE_ARGUMENT = "false-argument"
    """The site is a call whose argument number `argument` is zero (`__VERIFIER_assert(c)` without a body)."""
    ACCESS = "access"
    """The site reads or writes memory (load, store, memcpy, …) through a null, freed, or out-of-object pointer."""
    UNINITIALISED = "uninitialised"
    """The site is a load that reads bytes that nobody wrote."""
    NARROWING = "narrowing"
    """The site is a trunc whose result, extended back as `signed_to` says, differs from its operand."""
    FREE = "free"
    """The site frees a pointer that is not the start of a live heap object (null is fine)."""
    LEAK = "leak"
    """The site ends the program or loses the last pointer while a heap object is live."""
    NAN = "nan"
    """The site yields a NaN or an infinity from operands that are neither."""
    NEVER = "never"
    """The compiler proved it: listed for completeness, safe by preprocessing."""


@dataclass(slots=True)
class Check:
    """`id` is `function.category.n`, the same from run to run for unchanged code (n counts the checks of this
    category in this function in source order)."""

    id: str
    category: Category
    location: Location
    function: str  # name in the Program
    message: str
    trigger: Trigger
    site: Instruction
    argument: int = 0
    signed_to: bool = False
    signed_from: bool = False
    operands: tuple[str, ...] = field(default=())  # C spelling of the operands, where known
    suppressed: str | None = None  # reason given in the source
