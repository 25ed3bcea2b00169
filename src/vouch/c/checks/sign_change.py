"""sign-change (off by default): an implicit conversion between signed and unsigned changes the value.

Finds implicit conversions to a type of the same or a larger width in which a negative number becomes a large
positive one, or a large positive one becomes negative.

Why it matters: `i < sizeof buffer` is false for `i = -1`, because the comparison is done in an unsigned type.

Fails:

    unsigned wait(int ticks) { return ticks; }                  /* ticks = -1 */

Passes:

    unsigned wait(int ticks) { return ticks < 0 ? 0u : (unsigned)ticks; }

Not flagged: explicit casts, which say that it is meant, and conversions to a narrower type, which are
`narrowing`.
"""

from __future__ import annotations

from collections.abc import Iterator

from vouch.c.checks.base import Category, Trigger
from vouch.c.checks.context import Context, Found
from vouch.c.checks.operands import handler_operand
from vouch.c.checks.text import spell

CATEGORY = Category.SIGN_CHANGE
SIGN_CHANGE_KIND = 3  # compiler-rt's ICCK_IntegerSignChange


def find(context: Context) -> Iterator[Found]:
    for handler in context.handlers_of("implicit_conversion"):
        if handler.numbers[:1] != (SIGN_CHANGE_KIND,):
            continue
        source, target = handler.type(0), handler.type(1)
        text = spell(context, handler_operand(context, handler, 1), source.signed)
        message = f"conversion of {text} from {source.name} to {target.name} changes the sign"
        yield Found(CATEGORY, handler.location, message, Trigger.REACHED, handler.call, operands=(text,))
