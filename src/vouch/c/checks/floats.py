"""float (off by default): floating-point arithmetic yields a NaN or an infinity from ordinary numbers.

Finds `+`, `-`, `*`, `/`, conversions to a narrower floating type and the functions of `math.h` whose operands
are finite and whose result is not: overflow, division by zero, `0.0 / 0.0`, `sqrt(-1)`.

Why it matters: a NaN compares false with everything, so that range checks written the usual way let it pass
and a controller's state never recovers.

Fails:

    float ratio(float a, float b) { return a / b; }                     /* b = 0 */

Passes:

    float ratio(float a, float b) { return b >= 1.0f && a <= 1.0f && a >= 0.0f ? a / b : 0.0f; }

Not flagged: operations that already have a NaN or an infinity as an operand (the first place is reported),
underflow, rounding. Conversions from float to an integer type are `narrowing`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from vouch.c.checks.base import Category, Trigger
from vouch.c.checks.context import Context, Found, callee_name
from vouch.c.checks.text import binary, spell
from vouch.c.ir import FloatType

CATEGORY = Category.FLOAT

_FUNCTIONS = re.compile(
    r"^(?:llvm\.(sqrt|pow|powi|exp|exp2|log|log2|log10|fma|fmuladd)\.|"
    r"((?:sqrt|pow|exp|exp2|expm1|log|log2|log10|log1p|sinh|cosh|tgamma|hypot|fmod|acos|asin|atanh|acosh)f?)$)"
)


def find(context: Context) -> Iterator[Found]:
    for site in context.binaries:
        if isinstance(site.type, FloatType) and not site.nosanitize and (place := context.place(site)):
            text = binary(context, site.op, site.left, site.right)
            operands = (spell(context, site.left), spell(context, site.right))
            message = f"{text} yields NaN or infinity"
            yield Found(CATEGORY, place, message, Trigger.NAN, site, operands=operands)
    for cast in context.casts:
        if cast.op == "fptrunc" and not cast.nosanitize and (place := context.place(cast)):
            message = f"conversion of {spell(context, cast.value)} to {_name(cast.type)} yields infinity"
            yield Found(CATEGORY, place, message, Trigger.NAN, cast)
    for call in context.calls:
        match = _FUNCTIONS.match(callee_name(call))
        if match and isinstance(call.type, FloatType) and (place := context.place(call)):
            name = match.group(1) or match.group(2)
            message = f"{name}({', '.join(spell(context, a) for a in call.arguments)}) yields NaN or infinity"
            yield Found(CATEGORY, place, message, Trigger.NAN, call)


def _name(kind: object) -> str:
    return kind.kind if isinstance(kind, FloatType) else "its type"
