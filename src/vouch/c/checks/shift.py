"""shift: the shift amount is negative or not less than the width, or a signed left shift loses bits.

Finds `<<`, `>>` and their compound assignments whose amount is outside `0 … width - 1` of the promoted left
operand, left shifts of a negative number, and left shifts that move set bits into or past the sign bit;
and `__builtin_clz`/`__builtin_ctz` of zero, whose answer is equally undefined.

Why it matters: the behaviour is undefined, and processors disagree: x86 takes the amount modulo 32,
ARM yields 0.

Fails:

    unsigned bit(unsigned n) { return 1u << n; }            /* n = 32 */

Passes:

    unsigned bit(unsigned n) { return 1u << (n & 31u); }

Not flagged: right shifts of negative numbers (defined by every compiler in use), and set bits that leave an
unsigned number.
"""

from __future__ import annotations

from collections.abc import Iterator

from vouch.c.checks.base import Category, Trigger
from vouch.c.checks.context import Context, Found
from vouch.c.checks.handlers import Handler
from vouch.c.checks.operands import handler_operand
from vouch.c.checks.text import binary, spell
from vouch.c.ir import Binary, IntType, Location, VectorType

CATEGORY = Category.SHIFT
_BUILTINS = {0: "__builtin_ctz", 1: "__builtin_clz"}


def find(context: Context) -> Iterator[Found]:
    guarded: set[Location | None] = set()
    for handler in context.handlers_of("shift_out_of_bounds"):
        guarded.add(handler.call.location or handler.location)
        yield _handled(context, handler)
    for handler in context.handlers_of("invalid_builtin"):
        name = _BUILTINS.get(handler.numbers[0] if handler.numbers else -1)
        if name is not None:
            message = f"{name} of zero is undefined"
            yield Found(CATEGORY, handler.location, message, Trigger.REACHED, handler.call)
    for site in context.binaries:
        place = context.place(site)
        if _is_plain(site) and place is not None and site.location not in guarded:
            kind = site.type.element if isinstance(site.type, VectorType) else site.type
            assert isinstance(kind, IntType)
            amount = spell(context, site.right, signed=False)
            yield Found(
                CATEGORY,
                place,
                f"shift amount {amount} is out of range for a {kind.bits}-bit integer",
                Trigger.SHIFT,
                site,
                operands=(spell(context, site.left), amount),
            )


def _handled(context: Context, handler: Handler) -> Found:
    left, right = handler_operand(context, handler, 1), handler_operand(context, handler, 2)
    shift = context.following(handler.call, ("shl", "lshr", "ashr"))
    operation = shift.op if shift is not None else "shl"
    kind = handler.type(0)
    text = binary(context, operation, left, right, kind.signed) if left and right else ""
    text = "the shift" if not text or text == "the value" else text
    if operation == "shl" and kind.signed:
        message = f"{text} shifts out of {kind.name}"
    else:
        message = f"shift amount is out of range in {text} of type {kind.name}"
    operands = (spell(context, left, kind.signed), spell(context, right, handler.type(1).signed))
    return Found(CATEGORY, handler.location, message, Trigger.REACHED, handler.call, operands=operands)


def _is_plain(site: Binary) -> bool:
    """A shift of the program, not one that packs or unpacks a bit-field."""
    return site.op in ("shl", "lshr", "ashr") and not site.nosanitize and not site.of_field
