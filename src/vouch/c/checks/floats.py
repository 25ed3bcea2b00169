"""float (off by default): floating-point arithmetic yields a NaN or an infinity from ordinary numbers.

Finds `+`, `-`, `*`, `/`, conversions to a floating type that cannot hold the number, atomic sums and
differences, and the functions of `math.h` whose operands are finite and whose result is not: overflow,
division by zero, `0.0 / 0.0`, `sqrt(-1)`. On vectors, each element counts.

Why it matters: a NaN compares false with everything, so that range checks written the usual way let it pass
and a controller's state never recovers.

Fails:

    float ratio(float a, float b) { return a / b; }                     /* b = 0 */

Passes:

    float ratio(float a, float b) { return b >= 1.0f && a <= 1.0f && a >= 0.0f ? a / b : 0.0f; }

Not flagged: operations that already have a NaN or an infinity as an operand (the first place is reported),
underflow, rounding, constant expressions, which the compiler computes. Conversions from float to an integer
type are `narrowing`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from vouch.c import known
from vouch.c.checks.base import Category, Trigger
from vouch.c.checks.context import Context, Found, callee_name
from vouch.c.checks.text import binary, spell
from vouch.c.ir import AtomicUpdate, Cast, FloatType, IntType, Operand, StructType, Type, VectorType

CATEGORY = Category.FLOAT

_INTRINSIC = re.compile(
    r"^llvm\.(sqrt|pow|powi|exp|exp2|exp10|log|log2|log10|fma|fmuladd|ldexp|sinh|cosh|acos|asin)\."
)
_ATOMIC = {"fadd": "+", "fsub": "-"}
# The largest numbers of the formats, as powers of two that are too large for them.
_LIMITS = {"half": 16, "bfloat": 128, "float": 128, "double": 1024, "x86_fp80": 16384, "fp128": 16384}


def find(context: Context) -> Iterator[Found]:
    for site in context.binaries:
        if _is_float(site.type) and not site.nosanitize and (place := context.place(site)):
            text = binary(context, site.op, site.left, site.right)
            operands = (spell(context, site.left), spell(context, site.right))
            message = f"{text} yields NaN or infinity"
            yield Found(CATEGORY, place, message, Trigger.NAN, site, operands=operands)
    for cast in context.casts:
        if _may_overflow(cast) and not cast.nosanitize and (place := context.place(cast)):
            message = f"conversion of {spell(context, cast.value)} to {_name(cast.type)} yields infinity"
            yield Found(CATEGORY, place, message, Trigger.NAN, cast)
    for call in context.calls:
        name = callee_name(call)
        match = _INTRINSIC.match(name)
        if (match or name in known.numeric()) and _is_float(call.type) and (place := context.place(call)):
            name = match.group(1) if match else name
            text = f"{name}({', '.join(spell(context, a) for a in call.arguments)})"
            message = f"{'the complex quotient' if name.startswith('__div') else text} yields NaN or infinity"
            yield Found(CATEGORY, place, message, Trigger.NAN, call)
    yield from _atomic(context)


def _atomic(context: Context) -> Iterator[Found]:
    for block in context.function.blocks.values():
        for update in block.instructions:
            if isinstance(update, AtomicUpdate) and update.op in _ATOMIC and (place := context.place(update)):
                message = f"atomic {_ATOMIC[update.op]} {spell(context, update.value)} yields NaN or infinity"
                yield Found(CATEGORY, place, message, Trigger.NAN, update)


def _element(kind: Type | None) -> Type | None:
    """Of a vector, or of a complex number in two parts."""
    if isinstance(kind, StructType) and kind.fields and len(set(kind.fields)) == 1:
        return kind.fields[0]
    return kind.element if isinstance(kind, VectorType) else kind


def _is_float(kind: Type) -> bool:
    return isinstance(_element(kind), FloatType)


def _may_overflow(cast: Cast) -> bool:
    """A float made narrower, or an integer that is too large for the float's exponent."""
    if cast.op == "fptrunc":
        return True
    source, target = _element(_type(cast.value)), _element(cast.type)
    if cast.op not in ("sitofp", "uitofp") or not isinstance(source, IntType):
        return False
    bits = source.bits if cast.op == "uitofp" else source.bits - 1
    return isinstance(target, FloatType) and bits >= _LIMITS.get(target.kind, 0)


def _type(operand: Operand) -> Type | None:
    kind = getattr(operand, "type", None)
    return kind if isinstance(kind, Type) else None


def _name(kind: Type) -> str:
    element = _element(kind)
    return element.kind if isinstance(element, FloatType) else "its type"
