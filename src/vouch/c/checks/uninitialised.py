"""uninitialised: a value is read that nobody wrote.

Finds reads of local variables (scalars, fields, array elements) and of heap memory that some path leaves
unwritten, library functions such as `strlen` that read such memory, and functions that end without the value
that a caller uses.

Why it matters: the value is whatever the stack or the heap held before. Tests pass, until the next compiler.

Fails:

    int level(int mode) { int v; if (mode == 1) v = 10; return v; }         /* mode = 2 */

Passes:

    int level(int mode) { int v = 0; if (mode == 1) v = 10; return v; }

Copying a struct is no read, be it assigned, passed or returned by value: padding and members may be
unwritten. They stay so in the copy, and the read that comes later is flagged, wherever the struct has gone by
then. A write to a bit-field leaves its neighbours in the same unit as they were; reading one that was never
written next to one that was is `unknown`, and so is reading an unwritten member of a variable argument.

Not flagged: globals and statics, which start as zero, and memory from outside the program. A variable that is
written where it is declared gets no check; one that is only written later gets one per read, most of them
decided at once.
"""

from __future__ import annotations

from collections.abc import Iterator

from vouch.c import known
from vouch.c.checks.base import Category, Trigger
from vouch.c.checks.context import Context, Found, callee_name, is_device_register, source_name
from vouch.c.checks.copies import partly_written, unwritten_behind_pointers
from vouch.c.checks.definite_assignment import DefiniteAssignment, Reads
from vouch.c.checks.points_to import PointsTo
from vouch.c.checks.text import spell_place
from vouch.c.escape import escaping
from vouch.c.flow.uses import operands
from vouch.c.ir import (
    Alloca,
    AtomicUpdate,
    Call,
    CompareExchange,
    GlobalConstant,
    Instruction,
    Load,
    Operand,
    Parameter,
    Program,
    Register,
    Return,
)
from vouch.c.struct_registers import received

CATEGORY = Category.UNINITIALISED

# What CUDA's header defines for kernels and what reads the place it is given, templates among it.
_OF_HEADERS = {"__ldg", "atomicAdd", "atomicSub", "atomicMax", "atomicMin", "atomicAnd", "atomicOr"}
_OF_HEADERS |= {"atomicXor", "atomicInc", "atomicDec", "atomicCAS"}


def find(context: Context) -> Iterator[Found]:
    places = PointsTo(context)
    partly, behind_pointers = _may_be_unwritten(context)
    assigned = _assigned(context, places)
    declared = _written_where_declared(context, places)
    for load in _reads(context):
        if context.place(load) is None:
            continue
        base = places.of(load.pointer).base
        if base is None:
            if behind_pointers and not is_device_register(context, load.pointer):
                yield _found(context, load, Trigger.UNINITIALISED)
        elif _is_result(context, base, load):
            if not assigned.covers(load) and _result_is_used(context):
                yield _no_result(context, load)
        elif not isinstance(base, GlobalConstant) and _may_lack_value(context, base, partly):
            if not assigned.covers(load):
                yield _found(context, load, Trigger.UNINITIALISED)
            elif id(base) not in declared and base.variable is not None and not base.variable.argument:
                yield _found(context, load, Trigger.NEVER)
    if behind_pointers:
        yield from _calls(context)


def _reads(context: Context) -> Iterator[Reads]:
    """The program's own reads; an atomic operation reads what it changes."""
    for load in context.loads:
        if not (load.nosanitize or load.carries or load.field == 0):
            yield load
    for block in context.function.blocks.values():
        for i in block.instructions:
            match i:
                case AtomicUpdate(op="xchg") if not context.uses(i.result):
                    pass  # the old value is not looked at
                case AtomicUpdate() | CompareExchange():
                    yield i


def _assigned(context: Context, places: PointsTo) -> DefiniteAssignment:
    partly = partly_written(context.program)
    if not partly.some:
        return DefiniteAssignment(context, places, trusting=True)
    reached = escaping(context.function) if partly.out or partly.through else ()
    left_out = {name[1:] for name in reached if name.startswith("%")}
    return DefiniteAssignment(context, places, received(context.program, context.function), left_out=left_out)


def _may_lack_value(context: Context, base: Alloca | Parameter, partly: bool) -> bool:
    """Whether a local object may be read before it is written, wherever that is. Arguments and what the
    compiler made for its own ends always have a value, unless they hold a struct that was copied there."""
    if isinstance(base, Parameter):
        return base.sret or partly
    variable = base.variable
    if variable is None:
        # One of the compiler's own, which it always writes first, or a variable whose declaration is never
        # come by, such as one before the first case of a switch: clang does not describe it.
        return True
    if variable.argument:
        return partly and context.program.ctypes[variable.type].kind in ("struct", "union")
    return not variable.name.startswith("__vla_expr")


def _is_result(context: Context, base: object, load: Reads) -> bool:
    """Where clang collects what several `return`s yield: read once, at the end, to be returned."""
    if not isinstance(base, Alloca) or base.variable is not None or not context.has_names:
        return False
    reads = [user for user in context.uses(base.result) if isinstance(user, Load)]
    after = context.uses(load.result)
    at_end = len(after) == 1 and isinstance(after[0], Return) and after[0].location == load.location
    return at_end and reads == [load]


def _result_is_used(context: Context) -> bool:
    """Whether some caller does something with what the function returns."""
    shared = context.shared
    if shared.used_results is None:
        shared.used_results = _used_results(context.program)
    return context.function.name in shared.used_results


def _used_results(program: Program) -> frozenset[str]:
    """The functions whose results somebody uses, in direct calls."""
    found: set[str] = set()
    for function in program.functions.values():
        instructions = [i for block in function.blocks.values() for i in block.instructions]
        results = {i.result: callee_name(i) for i in instructions if isinstance(i, Call)}
        results.pop(None, None)
        for instruction in instructions if results else ():
            for used in operands(instruction):
                if isinstance(used, Register) and used.name in results:
                    found.add(results.pop(used.name))
    return frozenset(found)


def _no_result(context: Context, load: Reads) -> Found:
    location, name = context.place(load), context.function.source_name
    assert location is not None
    message = f"{name} ends without a value for its callers"
    return Found(CATEGORY, location, message, Trigger.UNINITIALISED, load, operands=(name,))


def _found(context: Context, load: Reads, trigger: Trigger) -> Found:
    location = context.place(load)
    assert location is not None
    text = spell_place(context, load.pointer) or "the value"
    return Found(CATEGORY, location, f"{text} is read before it is written", trigger, load, operands=(text,))


def _calls(context: Context) -> Iterator[Found]:
    for call in context.calls:
        name = source_name(context.program, call).partition("<")[0].removesuffix("_v2")
        if (
            (name in _OF_HEADERS or source_name(context.program, call) in known.having(known.Trait.READS))
            and callee_name(call) in context.program.models
            and (place := context.place(call))
        ):
            message = f"{name} reads memory that is not written"
            yield Found(CATEGORY, place, message, Trigger.UNINITIALISED, call)


def _written_where_declared(context: Context, places: PointsTo) -> set[int]:
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
        variable = base.variable if isinstance(base, (Alloca, Parameter)) else None
        declared = variable.location if variable is not None else None
        if declared is not None and declared.line == site.location.line:
            found.add(id(base))
    return found


def _may_be_unwritten(context: Context) -> tuple[bool, bool]:
    """Whether structs that are copied, and whether what pointers lead to, may be unwritten in part."""
    shared = context.shared
    partly = partly_written(context.program)
    if shared.may_be_unwritten is None:
        shared.may_be_unwritten = partly.some or unwritten_behind_pointers(context.program)
    return partly.some, shared.may_be_unwritten
