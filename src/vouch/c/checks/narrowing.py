"""narrowing: a conversion to a narrower integer type, or from a floating type, changes the value.

Finds implicit conversions (assignments, arguments, results, `+=` on small types, bit-fields), explicit casts
such as `(uint8_t)x`, and conversions of floating-point numbers whose integral part does not fit.

Why it matters: high bits vanish without a trace; 256 becomes 0. For a signed target the result is
implementation-defined, for a float it is undefined.

Fails:

    uint8_t low(int reading) { return (uint8_t)reading; }               /* reading = 256 */

Passes:

    uint8_t low(int reading) { return (uint8_t)(reading & 0xFF); }

Not flagged: conversions of constants (clang warns), to `_Bool` (by definition 0 or 1), between types of the
same width (see `sign-change`), the fraction that a conversion from float drops, and truncations that the
compiler makes for its own ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from vouch.c.checks.base import Category, Trigger
from vouch.c.checks.context import Context, Found
from vouch.c.checks.handlers import Handler
from vouch.c.checks.operands import handler_operand, is_unsigned, used_as_unsigned
from vouch.c.checks.sign_change import SIGN_CHANGE_KIND
from vouch.c.checks.text import spell
from vouch.c.ir import Binary, Branch, Cast, Compare, IntType, Location, Operand

CATEGORY = Category.NARROWING


def find(context: Context) -> Iterator[Found]:
    for handler in context.handlers_of("implicit_conversion"):
        if handler.numbers[:1] != (SIGN_CHANGE_KIND,):
            yield _implicit(context, handler)
    for handler in context.handlers_of("float_cast_overflow"):
        yield _from_float(context, handler)
    for cast in context.casts:
        if _is_conversion(context, cast) and cast.location is not None:
            yield _explicit(context, cast, cast.location)


def _implicit(context: Context, handler: Handler) -> Found:
    source, target = handler.type(0), handler.type(1)
    bits = handler.numbers[1] if len(handler.numbers) > 1 else 0
    value = handler_operand(context, handler, 1)
    if bits and (stored := _bit_field_source(context, handler)) is not None:
        return _bit_field(context, handler, stored, bits)
    text = spell(context, value, source.signed)
    to = f"{bits}-bit field of {target.name}" if bits else target.name
    message = f"conversion of {text} from {source.name} to {to} changes the value"
    looks_same = value is not None and not bits and not source.signed and target.signed
    branch = _branch_to(context, handler) if looks_same else None
    if branch is None:
        return Found(CATEGORY, handler.location, message, Trigger.REACHED, handler.call, operands=(text,))
    # clang compares after extending back by the sign: 4294967295 as -1 would pass for unchanged.
    return Found(
        CATEGORY,
        handler.location,
        message,
        Trigger.NARROWING,
        branch,
        value=value,
        bits=target.bits,
        signed_to=True,
        signed_from=False,
        operands=(text,),
    )


def _branch_to(context: Context, handler: Handler) -> Branch | None:
    """The test that leads to a handler."""
    label = context.blocks[id(handler.call)]
    for block in context.function.blocks.values():
        if isinstance(block.terminator, Branch) and block.terminator.otherwise == label:
            return block.terminator
    return None


def _bit_field_source(context: Context, handler: Handler) -> Operand | None:
    """The stored value, where clang forgot to keep it: without an implicit conversion before the store it
    compares the field's new value with itself."""
    label = context.blocks[id(handler.call)]
    for block in context.function.blocks.values():
        branch = block.terminator
        if not isinstance(branch, Branch) or branch.otherwise != label:
            continue
        condition = context.definition(branch.condition)
        if not isinstance(condition, Compare) or condition.left != condition.right:
            return None
        for instruction in reversed(block.instructions):
            if isinstance(instruction, Binary) and (instruction.result or "").startswith("bf.value"):
                value = instruction.left
                definition = context.definition(value)
                return (
                    definition.value if isinstance(definition, Cast) and definition.op == "trunc" else value
                )
    return None


def _bit_field(context: Context, handler: Handler, value: Operand, bits: int) -> Found:
    target = handler.type(1)
    text = spell(context, value, target.signed)
    site = _branch_to(context, handler)
    assert site is not None
    return Found(
        CATEGORY,
        handler.location,
        f"conversion of {text} to {bits}-bit field of {target.name} changes the value",
        Trigger.NARROWING,
        site,
        value=value,
        bits=bits,
        signed_to=target.signed,
        signed_from=handler.type(0).signed,
        operands=(text,),
    )


def _from_float(context: Context, handler: Handler) -> Found:
    # Older records have no place in front; both carry the two types.
    source, target = handler.type(0), handler.type(1)
    text = spell(context, handler_operand(context, handler, 1))
    message = f"conversion of {text} from {source.name} to {target.name} changes the value"
    return Found(CATEGORY, handler.location, message, Trigger.REACHED, handler.call, operands=(text,))


def _is_conversion(context: Context, cast: Cast) -> bool:
    """clang names the results of C conversions `conv`; bit-fields, booleans, shift amounts and calling
    conventions have other names. A conversion with instrumentation is extended back right behind it."""
    if cast.op != "trunc" or cast.nosanitize or not isinstance(cast.type, IntType) or cast.type.bits == 1:
        return False
    if not re.fullmatch(r"conv\d*", cast.result or ""):
        return False
    return not any(
        isinstance(user, Cast) and user.nosanitize and _is_back(user) for user in context.uses(cast.result)
    )


def _is_back(user: Cast) -> bool:
    return user.op in ("sext", "zext") and (user.result or "").startswith("anyext")


def _explicit(context: Context, cast: Cast, location: Location) -> Found:
    assert isinstance(cast.type, IntType)
    spelled = cast_type_at(context.sources.line(location.file, location.line), location.column)
    unsigned = _known_unsigned(context, spelled)
    if unsigned is None:
        unsigned = used_as_unsigned(context, cast.result)
    signed_from = is_unsigned(context, cast.value) is not True
    signed_to = signed_from if unsigned is None else not unsigned
    text = spell(context, cast.value, signed_from)
    name = spelled or f"{'a signed' if signed_to else 'an unsigned'} {cast.type.bits}-bit integer"
    return Found(
        CATEGORY,
        location,
        f"conversion of {text} to {name} changes the value",
        Trigger.NARROWING,
        cast,
        value=cast.value,
        bits=cast.type.bits,
        signed_to=signed_to,
        signed_from=signed_from,
        operands=(text,),
    )


_CAST = re.compile(r"\(\s*((?:const\s+|volatile\s+)*[A-Za-z_]\w*(?:\s+[A-Za-z_]\w*)*)\s*\)")
_STATIC_CAST = re.compile(r"static_cast\s*<\s*([A-Za-z_][\w:]*(?:\s+[A-Za-z_]\w*)*)\s*>")


def cast_type_at(line: str, column: int) -> str:
    """The type in the cast that begins at a column (from 1) of a source line, "" where there is none."""
    match = _CAST.match(line, column - 1) or _STATIC_CAST.match(line, column - 1)
    return " ".join(match.group(1).split()) if match else ""


_BUILTIN = {
    "char": None, "signed char": False, "unsigned char": True, "short": False, "unsigned short": True,
    "short int": False, "unsigned short int": True, "int": False, "unsigned": True, "unsigned int": True,
    "signed": False, "signed int": False, "long": False, "unsigned long": True, "long int": False,
    "unsigned long int": True, "long long": False, "unsigned long long": True,
    "int8_t": False, "int16_t": False, "int32_t": False, "int64_t": False,
    "uint8_t": True, "uint16_t": True, "uint32_t": True, "uint64_t": True,
}  # fmt: skip


def _known_unsigned(context: Context, spelled: str) -> bool | None:
    if not spelled:
        return None
    known = _BUILTIN.get(spelled)
    if known is not None:
        return known
    return _typedefs(context).get(spelled)


def _typedefs(context: Context) -> dict[str, bool]:
    """Signedness by type name, from the debug information; made once per program."""
    if not context.shared.unsigned_names:
        types = context.program.ctypes.values()
        context.shared.unsigned_names.update(
            (t.name, not t.signed) for t in types if t.kind in ("int", "char", "enum")
        )
    return context.shared.unsigned_names
