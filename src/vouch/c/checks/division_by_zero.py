"""division-by-zero: the divisor of an integer `/` or `%`, or of `div` and its kin, is zero.

Why it matters: the behaviour is undefined. Many processors trap; Cortex-M returns zero in silence.

Fails:

    int mean(int sum, int n) { return sum / n; }                /* n = 0 */

Passes:

    int mean(int sum, int n) { return n > 0 ? sum / n : 0; }

Not flagged: floating-point division, which yields an infinity or a NaN by IEEE 754 (see `float`), and
`INT_MIN / -1` (see `signed-overflow`).
"""

from __future__ import annotations

from collections.abc import Iterator

from vouch.c.checks.base import Category, Trigger
from vouch.c.checks.context import Context, Found
from vouch.c.checks.operands import handler_operand, quotient
from vouch.c.checks.text import spell
from vouch.c.ir import Binary, Location

CATEGORY = Category.DIVISION_BY_ZERO


def find(context: Context) -> Iterator[Found]:
    guarded: set[Location | None] = set()
    for handler in context.handlers_of("divrem_overflow"):
        if handler.type(0).kind == "float":
            continue
        divisor = handler_operand(context, handler, 2)
        guarded.add(handler.call.location or handler.location)
        text = spell(context, divisor, handler.type(0).signed)
        yield Found(
            CATEGORY,
            handler.location,
            _message(text),
            Trigger.REACHED_ZERO if divisor is not None else Trigger.REACHED,
            handler.call,
            value=divisor,
            operands=(text,),
        )
    for site in context.binaries:
        place = context.place(site)
        if _is_plain(site) and place is not None and site.location not in guarded:
            text = spell(context, site.right, site.op in ("sdiv", "srem"))
            yield Found(
                CATEGORY,
                place,
                _message(text),
                Trigger.REACHED_ZERO,
                site,
                value=site.right,
                operands=(text,),
            )
    for call in context.calls:
        arguments = quotient(context, call)
        place = context.place(call)
        if arguments is not None and place is not None:
            text = spell(context, call.arguments[arguments[1]], True)
            yield Found(
                CATEGORY,
                place,
                _message(text),
                Trigger.FALSE_ARGUMENT,
                call,
                argument=arguments[1],
                operands=(text,),
            )


def _message(divisor: str) -> str:
    if divisor.lstrip("-").isdigit() and divisor != "0":
        return f"division by {divisor}"
    return f"division by zero: {divisor} may be 0"


def _is_plain(site: Binary) -> bool:
    """A division of the program; clang divides differences of pointers by the element's size, exactly."""
    return site.op in ("sdiv", "udiv", "srem", "urem") and "exact" not in site.flags and not site.nosanitize
