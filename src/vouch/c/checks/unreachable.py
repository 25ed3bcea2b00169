"""unreachable: a place that the code declares unreachable is reached.

Finds `__builtin_unreachable()` (and macros made of it), the end of a C++ function with a result that has no
`return`, and `unreachable` in IR of other compilers.

Why it matters: the compiler believes the declaration and generates no code behind it; execution runs on into
whatever comes next in memory.

Fails:

    int gain(int mode) { switch (mode) { case 0: return 1; case 1: return 8; } __builtin_unreachable(); }

Passes:

    int gain(int mode) { switch (mode & 1) { case 0: return 1; case 1: return 8; } __builtin_unreachable(); }

Not flagged: code behind calls that do not return (`exit`, `abort`), and falling off the end of a C function,
which is defined as long as the caller ignores the result (a caller that uses it reads what nobody wrote).
"""

from __future__ import annotations

from collections.abc import Iterator

from vouch.c.checks.base import Category, Trigger
from vouch.c.checks.context import Context, Found, callee_name
from vouch.c.checks.handlers import Handler
from vouch.c.flow.graph import FlowGraph
from vouch.c.ir import Branch, Call, Return, Unreachable

CATEGORY = Category.UNREACHABLE


def find(context: Context) -> Iterator[Found]:
    # Behind the last call of a function that does not return clang declares its end unreachable: dead code.
    live = set(FlowGraph(context.function).order)
    for handler in context.handlers_of("builtin_unreachable"):
        if context.blocks[handler.call.number] in live and not _behind_call(context, handler):
            message = "code declared unreachable is reached"
            yield Found(CATEGORY, handler.location, message, Trigger.REACHED, handler.call)
    for handler in context.handlers_of("missing_return"):
        message = f"{context.function.source_name} ends without a return"
        yield Found(CATEGORY, handler.location, message, Trigger.REACHED, handler.call)
    guarded = {
        label
        for block in context.function.blocks.values()
        if isinstance(last := block.terminator, Branch) and last.nosanitize
        for label in (last.then, last.otherwise)
    }
    for label, block in context.function.blocks.items():
        last = block.terminator
        if label not in live or not isinstance(last, Unreachable) or last.nosanitize or label in guarded:
            continue
        if len(block.instructions) == 1 or not isinstance(block.instructions[-2], Call):
            message = "code declared unreachable is reached"
            if (place := context.place(last)) is not None:
                yield Found(CATEGORY, place, message, Trigger.REACHED, last)


def _behind_call(context: Context, handler: Handler) -> bool:
    """clang puts the same handler behind every call of a function that does not return, at the call's
    place."""
    label = context.blocks[handler.call.number]
    for block in context.function.blocks.values():
        last = block.terminator
        if isinstance(last, Branch) and label in (last.then, last.otherwise) and len(block.instructions) > 1:
            before = block.instructions[-2]
            return (
                isinstance(before, Call)
                and before.location == last.location
                and not _returns(context, before)
            )
    return False


def _returns(context: Context, call: Call) -> bool:
    """Whether a function in the program can return; one outside it that clang believes does not is
    trusted."""
    function = context.program.functions.get(callee_name(call))
    if function is None:
        return False
    return any(isinstance(block.terminator, Return) for block in function.blocks.values())
