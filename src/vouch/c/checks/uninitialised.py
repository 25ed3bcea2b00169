"""uninitialised: a value is read that nobody wrote.

Finds reads of local variables (scalars, fields, array elements) and of heap memory that some path leaves
unwritten, and library functions such as `strlen` that read such memory.

Why it matters: the value is whatever the stack or the heap held before. Tests pass, until the next compiler.

Fails:

    int level(int mode) { int v; if (mode == 1) v = 10; return v; }         /* mode = 2 */

Passes:

    int level(int mode) { int v = 0; if (mode == 1) v = 10; return v; }

Not flagged: copies of whole structs (padding and unused fields may be unwritten), writes to a bit-field,
whose neighbours may be unwritten, globals and statics, which start as zero, and memory from outside the
program. A variable that is written where it is declared gets no check; one that is only written later gets
one per read, most of them decided at once.
"""

from __future__ import annotations

from collections.abc import Iterator

from vouch.c.checks.assigned import Assigned
from vouch.c.checks.base import Category, Trigger
from vouch.c.checks.context import Context, Found, callee_name, is_device_register, source_name
from vouch.c.checks.leak import ALLOCATORS
from vouch.c.checks.places import Places
from vouch.c.checks.text import spell_place
from vouch.c.escape import escaping
from vouch.c.ir import (
    Alloca,
    Binary,
    Instruction,
    Load,
    Operand,
    Program,
)

CATEGORY = Category.UNINITIALISED

# Library functions that read all of what their arguments point to.
_READERS = frozenset(
    {
        "strlen", "strnlen", "strcpy", "strncpy", "strcat", "strncat", "strcmp", "strncmp", "strcasecmp",
        "strchr", "strrchr", "strstr", "strspn", "strcspn", "strpbrk", "strdup", "strndup", "memcmp",
        "memchr", "atoi", "atol", "atoll", "atof", "strtol", "strtoul", "strtoll", "strtoull", "strtod",
        "puts",
    }
)  # fmt: skip


def find(context: Context) -> Iterator[Found]:
    places = Places(context)
    assigned = Assigned(context, places)
    declared = _written_where_declared(context, places)
    behind_pointers = _objects_may_be_unwritten(context)
    for load in context.loads:
        if load.nosanitize or context.place(load) is None or _prepares_bit_field(context, load):
            continue
        place = places.of(load.pointer)
        if isinstance(place.base, Alloca):
            variable = place.base.variable
            if variable is None and context.has_names:
                continue  # a temporary of the compiler
            if variable is not None and (variable.argument or variable.name.startswith("__vla_expr")):
                continue
            if assigned.covers(load):
                if id(place.base) not in declared:
                    yield _found(context, load, Trigger.NEVER)
            else:
                yield _found(context, load, Trigger.UNINITIALISED)
        elif place.base is None and behind_pointers and not is_device_register(context, load.pointer):
            yield _found(context, load, Trigger.UNINITIALISED)
    if behind_pointers:
        yield from _calls(context)


def _found(context: Context, load: Load, trigger: Trigger) -> Found:
    location = context.place(load)
    assert location is not None
    text = spell_place(context, load.pointer) or "the value"
    return Found(CATEGORY, location, f"{text} is read before it is written", trigger, load, operands=(text,))


def _calls(context: Context) -> Iterator[Found]:
    for call in context.calls:
        name = source_name(context.program, call)
        if (
            name in _READERS
            and callee_name(call) in context.program.models
            and (place := context.place(call))
        ):
            message = f"{name} reads memory that is not written"
            yield Found(CATEGORY, place, message, Trigger.UNINITIALISED, call)


def _prepares_bit_field(context: Context, load: Load) -> bool:
    """The read half of a write to a bit-field: masked, then joined with the new bits."""
    for user in context.uses(load.result):
        if isinstance(user, Binary) and user.op == "and" and (user.result or "").startswith("bf.clear"):
            joins = context.uses(user.result)
            if any(isinstance(join, Binary) and join.op == "or" for join in joins):
                return True
    return False


def _written_where_declared(context: Context, places: Places) -> set[int]:
    """Variables with an initialiser: something writes them on the line of their declaration."""
    found = set()
    writes: list[tuple[Instruction, Operand]] = [(store, store.pointer) for store in context.stores]
    writes += [
        (call, argument)
        for call in context.calls
        if not callee_name(call).startswith("llvm.lifetime.")
        for argument in call.arguments[:1]
    ]
    for site, pointer in writes:
        if site.location is None:
            continue
        base = places.of(pointer).base
        variable = base.variable if isinstance(base, Alloca) else None
        declared = variable.location if variable is not None else None
        if declared is not None and declared.line == site.location.line:
            found.add(id(base))
    return found


def _objects_may_be_unwritten(context: Context) -> bool:
    """Whether a pointer in this program can lead to unwritten memory: a heap block, or a local variable whose
    address is passed on."""
    shared = context.shared
    if shared.may_be_unwritten is None:
        shared.may_be_unwritten = _allocates(context.program) or _passes_locals(context.program)
    return shared.may_be_unwritten


def _allocates(program: Program) -> bool:
    return any(name in program.functions for name in ALLOCATORS)


def _passes_locals(program: Program) -> bool:
    for function in program.functions.values():
        if function.defined and function.name not in program.models:
            leaving = escaping(function)
            for block in function.blocks.values():
                for instruction in block.instructions:
                    if isinstance(instruction, Alloca) and f"%{instruction.result}" in leaving:
                        variable = instruction.variable
                        if variable is None or not variable.argument:
                            return True
    return False
