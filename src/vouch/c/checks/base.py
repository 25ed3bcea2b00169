"""`Check`: one critical place in the program and the property that must hold there.

A check is attached to one instruction (its *site*) and is violated in one of the ways of `Trigger`. The
finders in this package make checks, the range analysis and the engine decide them, the replay confirms them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from vouch.c.ir import Instruction, Location, Operand
from vouch.record import record


class Category(StrEnum):
    """Check categories, in the order of the manual. The value is what users write and read."""

    SIGNED_OVERFLOW = "signed-overflow"
    UNSIGNED_OVERFLOW = "unsigned-overflow"
    DIVISION_BY_ZERO = "division-by-zero"
    SHIFT = "shift"
    NARROWING = "narrowing"
    CAST = "cast"
    SIGN_CHANGE = "sign-change"
    BOUNDS = "bounds"
    POINTER = "pointer"
    UNINITIALISED = "uninitialised"
    ASSERTION = "assertion"
    UNREACHABLE = "unreachable"
    LEAK = "leak"
    FLOAT = "float"
    UNCHECKED_STATUS = "unchecked-status"


OFF_BY_DEFAULT = frozenset(
    {
        Category.UNSIGNED_OVERFLOW,
        Category.CAST,
        Category.SIGN_CHANGE,
        Category.LEAK,
        Category.FLOAT,
        Category.UNCHECKED_STATUS,
    }
)


class Trigger(StrEnum):
    """How an execution violates a check at its site."""

    REACHED = "reached"
    """The site (a call of a sanitizer handler, `__assert_fail`, `reach_error`, `abort`…) is executed."""
    FALSE_ARGUMENT = "false-argument"
    """The site is a call whose argument number `argument` is zero (`__VERIFIER_assert(c)` without a body)."""
    ACCESS = "access"
    """The site accesses memory (load, store, memcpy, a library model) through a null, freed or out-of-object
    pointer."""
    CALL = "call"
    """The site calls through a pointer (`value`) that is null or points to no function."""
    MEMBER = "member"
    """The site computes the address of a member of what a null pointer (`value`) points to."""
    UNINITIALISED = "uninitialised"
    """The site is a load (or a call of a library model that loads through its arguments) that reads bytes
    that nobody wrote."""
    NARROWING = "narrowing"
    """`value` (evaluated at the site, read as `signed_from` says) is no number of `bits` bits (read as
    `signed_to` says): the conversion changes it. The site is the trunc, or the store of a bit-field."""
    REACHED_ZERO = "reached-zero"
    """The site is executed while `value` is zero: a division, or the handler that serves division by zero."""
    REACHED_NONZERO = "reached-nonzero"
    """The site is executed while `value` is not zero: the same handler, reached for INT_MIN / -1."""
    OVERFLOW = "overflow"
    """The site is a `Binary` (add, sub, mul, sdiv, srem; without instrumentation) whose exact result,
    operands read as `signed_to` says, is no number of its type. For sdiv and srem, and where the site is a
    call of div or its kin: INT_MIN / -1."""
    SHIFT = "shift"
    """The site is a `Binary` shl, lshr or ashr (without instrumentation) whose right operand, read as
    unsigned, is not less than the width."""
    REQUIRED = "required"
    """The site calls a library model, and something that the model demands of its caller does not hold; the
    text of the demand (`__vouch_require`) is `value`."""
    FREE = "free"
    """The site frees a pointer that is not the start of a live heap object (null is fine)."""
    LEAK = "leak"
    """The site allocates a heap object that is still live, and that neither the result nor a global points
    to, when the program ends (an entry point returns, `exit` is called)."""
    NAN = "nan"
    """The site yields a NaN or an infinity from operands that are neither."""
    UNFINDABLE = "unfindable"
    """The places of this category could not be found in the function, whose first instruction is the site.
    Nobody can say whether they hold."""
    NEVER = "never"
    """The compiler proved it: listed for completeness, safe by preprocessing."""


@dataclass(slots=True, frozen=True, order=True)
class Site:
    """Where an instruction stands: function, block and its index there."""

    function: str
    block: str
    index: int


_NOWHERE = Site("", "", 0)


@record
class Check:
    """`id` is `function.category.n`, the same from run to run for unchanged code (n counts the checks of this
    category in this function in source order). `place` is where the site stands: the same in every
    copy of the program."""

    id: str
    category: Category
    location: Location
    function: str  # name in the Program
    message: str
    trigger: Trigger
    site: Instruction
    argument: int = 0
    value: Operand | None = None  # what the trigger looks at, evaluated at the site
    bits: int = 0
    signed_to: bool = False
    signed_from: bool = False
    either_sign: bool = False  # nothing tells whether that is so
    written: bool = False  # what is read at the site is written right behind it: it must not be constant
    operands: tuple[str, ...] = field(default=())  # C spelling of the operands, where known
    suppressed: str | None = None  # reason given in the source
    after: str | None = None
    """Id of the check that reports the same mistake first (the index before the access through it): what
    violates that one needs no second report here."""
    place: Site = _NOWHERE
