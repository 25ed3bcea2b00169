"""narrowing: a conversion to a narrower integer type, or from a floating type, changes the value.

Finds implicit conversions (assignments, arguments, results, `+=` on small types, bit-fields), and conversions
of floating-point numbers, implicit or by a cast, whose integral part does not fit.

Why it matters: high bits vanish without a trace; 256 becomes 0. For a signed target the result is
implementation-defined, for a float it is undefined.

Fails:

    uint8_t low(int reading) { return reading; }               /* reading = 256 */

Passes:

    uint8_t low(int reading) { return reading & 0xFF; }

Not flagged: casts between integers that stand in the source (see `cast`; one that a macro hides counts here),
conversions of constants (clang warns), to `_Bool` (by definition 0 or 1), between types of the same width
(see `sign-change`), the fraction that a conversion from float drops, atomic `+=` and the like, which wrap,
and truncations that the compiler makes for its own ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from vouch.c import bitfields
from vouch.c.checks.base import Category, Trigger
from vouch.c.checks.context import Context, Found, callee_name
from vouch.c.checks.handlers import Handler
from vouch.c.checks.operands import handler_operand, is_unsigned, used_as_unsigned
from vouch.c.checks.sign_change import SIGN_CHANGE_KIND
from vouch.c.checks.text import spell
from vouch.c.ir import (
    AtomicUpdate,
    Binary,
    Branch,
    Call,
    Cast,
    Compare,
    Extract,
    GetElementPtr,
    Instruction,
    IntConstant,
    IntType,
    Load,
    Location,
    Operand,
    Register,
    Store,
    Type,
    VectorType,
)
from vouch.c.pointees import Pointees
from vouch.c.struct_registers import received

CATEGORY = Category.NARROWING


def find(context: Context) -> Iterator[Found]:
    for handler in context.handlers_of("implicit_conversion"):
        if handler.numbers[:1] != (SIGN_CHANGE_KIND,):
            yield _implicit(context, handler)
    for handler in context.handlers_of("float_cast_overflow"):
        yield _from_float(context, handler)
    yield from conversions(context, spelled_out=False)
    guarded = {h.call.location or h.location for h in context.handlers_of("float_cast_overflow")}
    for cast in context.casts:
        if cast.op in ("fptosi", "fptoui") and not cast.nosanitize and cast.location not in guarded:
            place = context.place(cast)
            if place is not None:
                yield _plain_from_float(context, cast, place)


def conversions(context: Context, *, spelled_out: bool) -> Iterator[Found]:
    """Conversions between integers without instrumentation: those whose cast can be read in the source, or
    the others (of a macro, of IR without its source)."""
    carried = received(context.program, context.function)
    places = context.pointees
    for cast in context.casts:
        place = cast.location
        if place is None or not _is_conversion(context, places, carried, cast):
            continue
        spelled = cast_type_at(context.sources.line(place.file, place.line), place.column)
        if bool(spelled) is spelled_out:
            yield _explicit(context, cast, place, spelled)


def _implicit(context: Context, handler: Handler) -> Found:
    source, target = handler.type(0), handler.type(1)
    bits = handler.numbers[1] if len(handler.numbers) > 1 else 0
    value = handler_operand(context, handler, 1)
    if bits and (stored := _bit_field_source(context, handler)) is not None:
        return _bit_field(context, handler, stored, bits)
    if bits and _is_folded(handler):
        return _folded_field(context, handler, bits)
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
    label = context.blocks[handler.call.number]
    for block in context.function.blocks.values():
        if isinstance(block.terminator, Branch) and block.terminator.otherwise == label:
            return block.terminator
    return None


def _bit_field_source(context: Context, handler: Handler) -> Operand | None:
    """The stored value, where clang forgot to keep it: without an implicit conversion before the store it
    compares the field's new value with itself."""
    label = context.blocks[handler.call.number]
    for block in context.function.blocks.values():
        branch = block.terminator
        if not isinstance(branch, Branch) or branch.otherwise != label:
            continue
        condition = context.definition(branch.condition)
        if not isinstance(condition, Compare) or condition.left != condition.right:
            return None
        stores = [i for i in block.instructions if isinstance(i, Store) and i.field is not None]
        return bitfields.source(context.function, stores[-1]) if stores else None
    return None


def _is_folded(handler: Handler) -> bool:
    """A constant for a signed bit-field, of which clang keeps no more than what fits."""
    before, after = (*handler.call.arguments[1:3], None, None)[:2]
    return isinstance(before, IntConstant) and before == after and handler.type(1).signed


_NUMBER = re.compile(r"=\s*(-?\s*(?:0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*))\s*[;,)]")


def _folded_field(context: Context, handler: Handler, bits: int) -> Found:
    """The constant as the source spells it, if it does so in figures; else nobody knows which it was."""
    target, where, site = handler.type(1), handler.location, _branch_to(context, handler)
    spelled = _NUMBER.match(context.sources.line(where.file, where.line), where.column - 1)
    if spelled is None or site is None:
        message = f"the constant for {bits}-bit field of {target.name} is not known: the compiler cut it"
        return Found(CATEGORY, where, message, Trigger.UNFINDABLE, site or handler.call)
    text = "".join(spelled.group(1).split())
    digits = text.lstrip("-")
    octal = digits.startswith("0") and digits.isdecimal() and len(digits) > 1
    number = int(digits, 8 if octal else 0) * (-1 if text.startswith("-") else 1)
    value = IntConstant(IntType(64), number % (1 << 64))
    message = f"conversion of {text} to {bits}-bit field of {target.name} changes the value"
    return Found(
        CATEGORY,
        where,
        message,
        Trigger.NARROWING,
        site,
        value=value,
        bits=bits,
        signed_to=True,
        signed_from=True,
        operands=(text,),
    )


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


def _is_conversion(context: Context, places: Pointees, carried: frozenset[str], cast: Cast) -> bool:
    """A conversion of C that has no instrumentation. Other truncations are the compiler's: to a truth value,
    into a bit-field's unit, of a struct on its way through registers, of a value as it lies in memory, of
    an amount or an index that the machine wants narrower, of what a builtin counts, of a result that
    `__builtin_add_overflow` and its like compare with the whole one."""
    if cast.op != "trunc" or cast.nosanitize or cast.of_field or _width(cast.type) in (0, 1):
        return False
    if isinstance(cast.value, Register) and cast.value.name in carried and not _is_spelled(context, cast):
        return False
    if any(_is_back(context, cast, user) for user in context.uses(cast.result)):
        return False
    match context.definition(cast.value):
        case Load(location=location, pointer=pointer) if location == cast.location and _is_odd(cast):
            kind = places.scalar(pointer)
            return kind is not None and kind.name in _BUILTIN
        case Call(location=location) as call if location == cast.location:
            return not callee_name(call).startswith(_COUNTS)
        case Extract(aggregate=whole) if _is_overflowing(context.definition(whole)):
            return not (_is_compared_with_whole(context, cast) or _fits_user(context, cast))
        case _:
            return not _fits_user(context, cast)


def _is_spelled(context: Context, cast: Cast) -> bool:
    """Whether the program says that it converts to a number here: no way of a struct through registers."""
    place = cast.location
    line = context.sources.line(place.file, place.line) if place is not None else ""
    return place is not None and _known_unsigned(context, cast_type_at(line, place.column)) is not None


def _is_compared_with_whole(context: Context, cast: Cast) -> bool:
    """The builtin extends what it keeps and asks whether it is still the whole result; a sum with
    instrumentation that the program itself converts has no such question."""
    backs = {u.result for u in context.uses(cast.result) if isinstance(u, Cast) and u.op in ("sext", "zext")}
    compares = (u for u in context.block_of(cast) if isinstance(u, Compare))
    sides = [{getattr(side, "name", None) for side in (u.left, u.right)} for u in compares]
    return any(pair & backs and getattr(cast.value, "name", "") in pair for pair in sides)


def _is_overflowing(made: Instruction | None) -> bool:
    return isinstance(made, Call) and ".with.overflow." in callee_name(made)


_COUNTS = ("llvm.ctpop.", "llvm.ctlz.", "llvm.cttz.")


def _is_odd(cast: Cast) -> bool:
    """A _BitInt lies in memory in an integer of the machine's."""
    return _width(cast.type) not in (8, 16, 32, 64, 128)


def _is_back(context: Context, cast: Cast, user: Instruction) -> bool:
    """A conversion with instrumentation is extended back right behind it, and compared."""
    if not isinstance(user, Cast) or not user.nosanitize or user.op not in ("sext", "zext"):
        return False
    users = [u for u in context.block_of(cast) if isinstance(u, Compare) and u.nosanitize]
    sides = {getattr(side, "name", None) for u in users for side in (u.left, u.right)}
    return user.result in sides and getattr(cast.value, "name", None) in sides


def _fits_user(context: Context, cast: Cast) -> bool:
    """Made for the instruction that uses it, a shift, a step to an element or an atomic operation, at whose
    place it stands. In a macro everything stands at one place: there, what the program wrote cannot be told
    from it, and counts."""
    users = context.uses(cast.result)
    if any(isinstance(user, AtomicUpdate) for user in users):
        return all(user.location == cast.location for user in users)
    line = context.sources.line(cast.location.file, cast.location.line) if cast.location is not None else ""
    column = cast.location.column - 1 if cast.location is not None else 0
    for user in users:
        if user.location != cast.location:
            return False
        is_amount = isinstance(user, Binary) and user.op in ("shl", "lshr", "ashr")
        if is_amount and not line.startswith(("<<", ">>"), column):
            return False
        if not is_amount and not isinstance(user, GetElementPtr):
            return False
    return bool(users)


def _width(kind: Type) -> int:
    element = kind.element if isinstance(kind, VectorType) else kind
    return element.bits if isinstance(element, IntType) else 0


def _plain_from_float(context: Context, cast: Cast, place: Location) -> Found:
    """Vectors, and IR of other compilers, have no instrumentation."""
    text = spell(context, cast.value)
    bits, signed = _width(cast.type), cast.op == "fptosi"
    name = f"{'a signed' if signed else 'an unsigned'} {bits}-bit integer"
    return Found(
        CATEGORY,
        place,
        f"conversion of {text} to {name} changes the value",
        Trigger.NARROWING,
        cast,
        value=cast.value,
        bits=bits,
        signed_to=signed,
        operands=(text,),
    )


def _explicit(context: Context, cast: Cast, location: Location, spelled: str) -> Found:
    bits = _width(cast.type)
    unsigned = _known_unsigned(context, spelled)
    if unsigned is None:
        unsigned = used_as_unsigned(context, cast.result)
    known = is_unsigned(context, cast.value)
    if known is None:
        known = _cast_before(context, cast)
    signed_from = known is not True
    signed_to = signed_from if unsigned is None else not unsigned
    text = spell(context, cast.value, signed_from)
    name = spelled or f"{'a signed' if signed_to else 'an unsigned'} {bits}-bit integer"
    return Found(
        Category.CAST if spelled else CATEGORY,
        location,
        f"conversion of {text} to {name} changes the value",
        Trigger.NARROWING,
        cast,
        value=cast.value,
        bits=bits,
        signed_to=signed_to,
        signed_from=signed_from,
        either_sign=known is None,
        operands=(text,),
    )


def _cast_before(context: Context, cast: Cast) -> bool | None:
    """Whether what is converted was cast to an unsigned type just before."""
    inner = context.definition(cast.value)
    if not isinstance(inner, Cast) or inner.op != "trunc" or inner.location is None:
        return None
    line = context.sources.line(inner.location.file, inner.location.line)
    return _known_unsigned(context, cast_type_at(line, inner.location.column))


_CAST = re.compile(r"\(\s*((?:const\s+|volatile\s+)*[A-Za-z_]\w*(?:\s+[A-Za-z_]\w*)*)\s*\)")
_STATIC_CAST = re.compile(r"static_cast\s*<\s*([A-Za-z_][\w:]*(?:\s+[A-Za-z_]\w*)*)\s*>\s*$")


def cast_type_at(line: str, column: int) -> str:
    """The type in the cast that begins at a column (from 1) of a source line, or, as C++ has it, whose
    operand is there; "" where there is none."""
    match = _CAST.match(line, column - 1) or _STATIC_CAST.search(_before_operand(line[: column - 1]))
    return " ".join(match.group(1).split()) if match else ""


def _before_operand(text: str) -> str:
    """What stands before the parenthesis that is open at the end of a text."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[at], 0)
        if depth < 0:
            return text[:at]
    return ""


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
