"""signed-overflow: the exact result of signed arithmetic does not fit its type.

Finds `+`, `-`, `*`, unary `-`, `++`, `--`, their compound assignments and `INT_MIN / -1` (or `% -1`) whose
mathematical result is outside the range of the promoted type.

Why it matters: the behaviour is undefined. Compilers assume that it cannot happen and remove the very tests
that were meant to catch it; on the machine a sum of two positive readings comes out negative.

Fails:

    int scale(int raw) { return raw * 1000; }          /* raw = 3000000 */

Passes:

    int scale(short raw) { return raw * 1000; }        /* at most 32767000 */

Not flagged: unsigned arithmetic, which wraps by definition (see `unsigned-overflow`), sums, differences and
products of vectors and atomic operations, which wrap too, and arithmetic in a wider type whose result is then
converted back (see `narrowing`).
"""

from __future__ import annotations

from collections.abc import Iterator

from vouch.c.checks.base import Category, Trigger
from vouch.c.checks.context import Context, Found, source_name
from vouch.c.checks.handlers import Handler
from vouch.c.checks.operands import handler_operand, quotient
from vouch.c.checks.text import binary, spell
from vouch.c.ir import Binary, Call, IntConstant, Location, Operand

CATEGORY = Category.SIGNED_OVERFLOW

_OPERATION = {"add_overflow": "add", "sub_overflow": "sub", "mul_overflow": "mul"}


def find(context: Context) -> Iterator[Found]:
    yield from overflows(context, CATEGORY, signed=True)
    for handler in context.handlers_of("divrem_overflow"):
        divisor = handler_operand(context, handler, 2)
        if handler.type(0).kind == "int" and handler.type(0).signed and _may_be_minus_one(divisor):
            yield _quotient(context, handler)
    guarded: set[Location | None] = {
        h.call.location or h.location for h in context.handlers_of("divrem_overflow")
    }
    for site in context.binaries:
        if _is_plain_signed(context, site) or _is_plain_quotient(context, site, guarded):
            yield _uninstrumented(context, site)
    for call in context.calls:
        found = _called(context, call)
        if found is not None:
            yield found


def _called(context: Context, call: Call) -> Found | None:
    """div(a, b) and its kin."""
    places, place = quotient(context, call), context.place(call)
    if places is None or place is None or not _may_be_minus_one(call.arguments[places[1]]):
        return None
    operands = tuple(spell(context, call.arguments[number], True) for number in places)
    text = f"{source_name(context.program, call)}({', '.join(operands)})"
    message = f"{text} overflows its type"
    return Found(CATEGORY, place, message, Trigger.OVERFLOW, call, signed_to=True, operands=operands)


def overflows(context: Context, category: Category, signed: bool) -> Iterator[Found]:
    """The arithmetic handlers of one signedness."""
    for handler in context.handlers_of(*_OPERATION, "negate_overflow"):
        kind = handler.type(0)
        if kind.signed is not signed:
            continue
        left = handler_operand(context, handler, 1)
        right = handler_operand(context, handler, 2)
        if handler.kind == "negate_overflow":
            operands: tuple[str, ...] = (spell(context, left, signed),)
            text = f"-{operands[0]}" if operands[0].isidentifier() else f"-({operands[0]})"
        else:
            operands = (spell(context, left, signed), spell(context, right, signed))
            text = binary(context, _OPERATION[handler.kind], left, right, signed) if left and right else ""
        yield Found(
            category,
            handler.location,
            f"{_or_result(text)} overflows {kind.name}",
            Trigger.REACHED,
            handler.call,
            operands=operands,
        )


def _or_result(text: str) -> str:
    return "the result" if not text or text == "the value" else text


def _quotient(context: Context, handler: Handler) -> Found:
    left, right = handler_operand(context, handler, 1), handler_operand(context, handler, 2)
    division = context.following(handler.call, ("sdiv", "srem"))
    operation = division.op if division is not None else "sdiv"
    text = binary(context, operation, left, right) if left and right else ""
    return Found(
        CATEGORY,
        handler.location,
        f"{_or_result(text)} overflows {handler.type(0).name}",
        Trigger.REACHED_NONZERO,
        handler.call,
        value=right,
        operands=(spell(context, left), spell(context, right)),
    )


def _is_plain_signed(context: Context, site: Binary) -> bool:
    if site.nosanitize or context.place(site) is None:
        return False
    return "nsw" in site.flags and site.op in ("add", "sub", "mul")


def _is_plain_quotient(context: Context, site: Binary, guarded: set[Location | None]) -> bool:
    if (
        site.op not in ("sdiv", "srem")
        or site.nosanitize
        or context.place(site) is None
        or "exact" in site.flags
    ):
        return False
    return site.location not in guarded and _may_be_minus_one(site.right)


def _uninstrumented(context: Context, site: Binary) -> Found:
    """Arithmetic that clang did not instrument because promotion makes it safe, or IR of another compiler."""
    place = context.place(site)
    assert place is not None
    operands = (spell(context, site.left), spell(context, site.right))
    text = _or_result(binary(context, site.op, site.left, site.right))
    bits = getattr(site.type, "bits", 0)
    return Found(
        CATEGORY,
        place,
        f"{text} overflows {f'a signed {bits}-bit integer' if bits else 'its type'}",
        Trigger.OVERFLOW,
        site,
        signed_to=True,
        operands=operands,
    )


def _may_be_minus_one(divisor: Operand | None) -> bool:
    return not isinstance(divisor, IntConstant) or divisor.value == (1 << divisor.type.bits) - 1
