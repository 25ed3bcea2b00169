"""pointer: memory is accessed through a null, freed or out-of-object pointer.

Finds every read and write through a pointer (`*p`, `p->x`, `p[i]`), writes to constants such as string
literals, copies (`memcpy`, struct assignment), library functions that work on memory (`strcpy`, `strlen`, …),
calls through function pointers, addresses of members (`&p->x`, an array `p->data`) of what a null pointer
points to, and `free` of something that is not the start of a live heap object (twice freed, inside an object,
on the stack) or that came another way: `free` of what `new` made, `delete` of an array.
`memcpy` and its kin between places of one object that overlap are violations too, and so is text that is
written over itself (`snprintf(s, n, "%s,", s)`, `strcpy(s, s)`). Those that code outside
hands over are taken to lie apart, which the verdict names. So is a function of the library that is given a
member of a struct (`strcpy(d->name, s)`) and goes beyond the struct.

Why it matters: the access reads or corrupts something else, or stops the processor.

Fails:

    int first(void) { int *p = malloc(sizeof *p); *p = 1; return *p; }      /* malloc may return NULL */

Passes:

    int first(void) { int *p = malloc(sizeof *p); if (!p) return 0; *p = 1; int v = *p; free(p); return v; }

Not flagged: variables accessed by name, elements of an array variable whose index has a `bounds` check of its
own, device registers (a constant address), and pointers from outside the program, which are taken to be valid
unless `--strict-pointers` says otherwise. Comparing or computing an invalid pointer is not flagged, using
it is. Alignment is not looked at: a buffer of bytes that is read as a wider type passes if it is large
enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from vouch.c import known
from vouch.c.checks.base import Category, Trigger
from vouch.c.checks.context import (
    Context,
    Found,
    callee_name,
    is_device_register,
    source_name,
)
from vouch.c.checks.points_to import Place, PointsTo
from vouch.c.checks.text import spell, spell_place
from vouch.c.ir import (
    AtomicUpdate,
    Call,
    CompareExchange,
    FunctionType,
    GetElementPtr,
    GlobalConstant,
    Instruction,
    IntConstant,
    Load,
    Location,
    Operand,
    PointerType,
    Register,
    Store,
    StringConstant,
    StructType,
    Type,
    ZeroConstant,
)

CATEGORY = Category.POINTER

_COPIES = ("llvm.memcpy.", "llvm.memmove.", "llvm.memset.", "llvm.memcpy.inline.")

def find(context: Context) -> Iterator[Found]:
    places = PointsTo(context)
    yield from _accesses(context, places)
    yield from _members(context, places)
    for call in context.calls:
        name = callee_name(call)
        if not name or context.program.may_be_missing(name):
            found = _indirect(context, call)
            if found is not None:
                yield found
        elif name.startswith(_COPIES):
            yield from _copy(context, places, call)
        elif known.frees(name):
            yield _free(context, call)
        elif _accesses_arguments(context, call, name):
            yield from _library(context, call)


def _accesses_arguments(context: Context, call: Call, name: str) -> bool:
    """Whether a function of the library goes to where its arguments point."""
    if name in context.program.models:
        return not _is_harmless(context, call, name)
    function = context.program.functions.get(name)
    outside = function is not None and not function.defined
    demands = any(letter != "-" for letter, _ in known.contract(name))
    return outside and (demands or name in known.by_engine("copy", "fill"))


def _is_harmless(context: Context, call: Call, name: str) -> bool:
    """Whether a model gets nothing to access but, at most, string literals to print."""
    if name not in known.having(known.Trait.PRINTS):
        return known.is_own(name) or name in known.having(known.Trait.HARMLESS)
    # The format is the last argument that is named; the streams before it are valid.
    format_at = max(len(call.signature.parameters) - 1, 0)
    if name != "puts" and not _suits(context, call.arguments[format_at], call.arguments[format_at + 1 :]):
        return False
    return all(
        _literal(context, a) is not None
        for a in call.arguments[format_at:]
        if isinstance(_type(a), PointerType)
    )


def _literal(context: Context, operand: Operand) -> bytes | None:
    """The text of a string literal."""
    held = context.program.globals.get(operand.name) if isinstance(operand, GlobalConstant) else None
    if held is None or not held.constant:
        return None
    match held.initializer:
        case StringConstant(data=data) if 0 in data:
            return data[: data.index(0)]
        case ZeroConstant():
            return b""
    return None


_CONVERSION = re.compile(rb"%[-+ #0']*(\*|\d*)(?:\.(\*|\d*))?(?:hh|h|ll|l|q|L|j|z|t)?(.?)", re.DOTALL)


def _suits(context: Context, text: Operand, arguments: Sequence[Operand]) -> bool:
    """Whether a format asks for no more arguments than there are, and for strings where pointers are."""
    form = _literal(context, text)
    if form is None:
        return False
    wanted: list[bytes] = []
    for width, precision, conversion in _CONVERSION.findall(form):
        wanted += [b"*"] * ((width == b"*") + (precision == b"*"))
        wanted += [conversion] if conversion not in (b"%", b"m") else []
    if len(wanted) > len(arguments) or not all(wanted):
        return False
    given = (isinstance(_type(argument), PointerType) for argument in arguments)
    return not any(
        what in b"nS$" or (what == b"s") > pointer for what, pointer in zip(wanted, given, strict=False)
    )


def _accesses(context: Context, places: PointsTo) -> Iterator[Found]:
    # clang computes the address of a place once and uses it for the read and the write of `p->n += 1`: one
    # access of the program, one check.
    seen: set[tuple[str, int]] = set()
    accesses: list[tuple[Instruction, Operand, Type]] = []
    accesses += [(load, load.pointer, load.type) for load in context.loads if not load.nosanitize]
    accesses += [(s, s.pointer, _type(s.value)) for s in context.stores if not s.nosanitize]
    for block in context.function.blocks.values():
        for atomic in block.instructions:
            if isinstance(atomic, AtomicUpdate):
                accesses.append((atomic, atomic.pointer, atomic.type))
            elif isinstance(atomic, CompareExchange):
                accesses.append((atomic, atomic.pointer, _type(atomic.expected)))
    accesses.sort(key=lambda access: access[0].number)
    written = {
        _access_key(pointer, location): site
        for site, pointer, _ in accesses
        if not isinstance(site, Load) and (location := context.place(site)) is not None
    }
    for site, pointer, kind in accesses:
        location = context.place(site)
        if location is None:
            continue
        place = places.of(pointer)
        valid = places.is_valid(place, places.store_size(kind)) and not _is_constant(context, place, site)
        if valid or is_device_register(context, pointer):
            continue
        key = _access_key(pointer, location)
        if key in seen:
            continue
        writer = written.get(key) if isinstance(site, Load) else None
        if writer is None or _is_update(context, site, writer):
            seen.add(key)
        text = spell_place(context, pointer) or "memory"
        message = f"{text} is accessed through a null, freed or out-of-bounds pointer"
        yield Found(
            CATEGORY,
            location,
            message,
            Trigger.ACCESS,
            site,
            operands=(text,),
            shares=place.guard,
            written=writer is not None and _is_update(context, site, writer),
        )


def _is_update(context: Context, read: Instruction, write: Instruction) -> bool:
    """Whether what is read is written in any case: in optimised code one address serves for more."""
    blocks = context.blocks
    return bool(context.handlers) or blocks[read.number] == blocks[write.number]


def _access_key(pointer: Operand, location: Location) -> tuple[str, int]:
    return pointer.name if isinstance(pointer, Register) else repr(pointer), location.line


def _members(context: Context, places: PointsTo) -> Iterator[Found]:
    """Addresses of members (C11 6.5.3.2p4) that are taken and not accessed here: the access would tell."""
    seen: set[tuple[str, Location]] = set()
    for step in context.defs.values():
        if not isinstance(step, GetElementPtr) or not isinstance(step.base, Register):
            continue
        if not isinstance(step.source, StructType) or len(step.indices) < 2:
            continue
        outer, location = context.defs.get(step.base.name), context.place(step)
        if isinstance(outer, GetElementPtr) or location is None or places.of(step.base).base is not None:
            continue
        if _is_accessed(context, step) or is_device_register(context, step.base):
            continue
        text = spell(context, step.base)
        if (text, location) in seen:
            continue
        seen.add((text, location))
        message = f"the address of a member of {text}, which may be null"
        yield Found(CATEGORY, location, message, Trigger.MEMBER, step, value=step.base, operands=(text,))


def _is_accessed(context: Context, step: GetElementPtr) -> bool:
    work = [step.result]
    while work:
        name = work.pop()
        for user in context.uses(name):
            match user:
                case Load():
                    return True
                case Store(pointer=Register(name=place)) if place == name:
                    return True
                case GetElementPtr(base=Register(name=base)) if base == name:
                    work.append(user.result)
                case Call() if callee_name(user).startswith(_COPIES):
                    return True
                case _:
                    pass
    return False


def _is_constant(context: Context, place: Place, site: Instruction) -> bool:
    """Whether something is written that nobody may write, such as a string literal."""
    if isinstance(site, Load) or not isinstance(place.base, GlobalConstant):
        return False
    held = context.program.globals.get(place.base.name)
    return held is not None and held.constant


def _type(operand: Operand) -> Type:
    kind = getattr(operand, "type", None)
    assert isinstance(kind, Type)
    return kind


def _copy(context: Context, places: PointsTo, call: Call) -> Iterator[Found]:
    place = context.place(call)
    if place is None:
        return
    length = call.arguments[2]
    pointers = [a for a in call.arguments[:2] if isinstance(_type(a), PointerType)]
    if isinstance(length, IntConstant):
        found = [places.of(pointer) for pointer in pointers]
        if all(places.is_valid(place, length.value) for place in found) and _apart(call, found, length.value):
            return
        if length.value == 0:
            return
    name = callee_name(call).split(".")[1]
    texts = [spell_place(context, pointer) for pointer in pointers]
    message = f"{_copying(name, *texts)} accesses memory through a null, freed or out-of-bounds pointer"
    yield Found(CATEGORY, place, message, Trigger.ACCESS, call, operands=tuple(texts))


def _copying(name: str, to: str, origin: str = "") -> str:
    """What a copy is called: assignments of structs, arguments and results are copies as well."""
    if name == "memset":
        return f"memset of {to}" if to else "memset"
    return "the copy" + (f" of {origin}" if origin else "") + (f" to {to}" if to else "")


def _apart(call: Call, found: list[Place], size: int) -> bool:
    """Whether a copy between valid places needs no look at whether they overlap."""
    if not callee_name(call).startswith("llvm.memcpy.") or found[0].base != found[1].base:
        return True
    to, origin = (place.offset for place in found)
    return to is not None and origin is not None and (to == origin or abs(to - origin) >= size)


def _indirect(context: Context, call: Call) -> Found | None:
    place = context.place(call)
    if not isinstance(call.callee, (Register, GlobalConstant)) or place is None:
        return None
    text = spell(context, call.callee)
    message = f"call through {text}, which may be null or no function"
    return Found(CATEGORY, place, message, Trigger.CALL, call, value=call.callee, operands=(text,))


def _free(context: Context, call: Call) -> Found:
    text = spell(context, call.arguments[0])
    location = context.place(call) or context.function.location
    assert location is not None
    name = source_name(context.program, call)
    message = f"{name}({text}) of something that is not a live heap object"
    return Found(CATEGORY, location, message, Trigger.FREE, call, value=call.arguments[0], operands=(text,))


def _library(context: Context, call: Call) -> Iterator[Found]:
    place = context.place(call)
    if place is None or not isinstance(call.callee, GlobalConstant):
        return
    signature: FunctionType = call.signature
    if any(isinstance(kind, PointerType) for kind in signature.parameters):
        name = source_name(context.program, call)
        arguments = tuple(spell(context, argument) for argument in call.arguments)
        message = f"{name} accesses memory outside the objects it is given"
        yield Found(CATEGORY, place, message, Trigger.ACCESS, call, operands=arguments)
