"""assertion: a condition that the program itself asserts is false.

Finds `assert(c)` of every C library, `static`-style wrappers built on it, and the conventions of other
verifiers: `__VERIFIER_assert`, `__VERIFIER_error`, `reach_error`, `__CPROVER_assert`, `__ESBMC_assert`,
`assert` without its header; and `__builtin_trap`, `__builtin_assume` of something false. Also what the
interface of a library demands of its caller, where its model says so: calls of CUDA's runtime, cuBLAS and
cuDNN, and data races between the threads of a kernel.

Why it matters: assertions say what the code is for. A proved assertion is a fact about every execution.

Fails:

    void set(int level) { assert(level >= 0 && level <= 100); }          /* called with anything */

Passes:

    void set(int level) { if (level < 0 || level > 100) return; assert(level <= 100); }

Not flagged: `abort()`, `exit()` and `_Exit()`. They end the program, and `if (!c) abort();` is how test
suites write an assumption.
"""

from __future__ import annotations

from collections.abc import Iterator

from vouch.c import known
from vouch.c.checks.base import Category, Trigger
from vouch.c.checks.context import Context, Found, source_name
from vouch.c.checks.text import FALLBACK, spell
from vouch.c.ir import Call, ExpressionConstant, Function, GlobalConstant, Location, Operand, StringConstant

CATEGORY = Category.ASSERTION

# What `assert` expands to, by C library, with the argument that holds the condition's text.
FAILURES = {name: known.TABLE[name].argument for name in known.having(known.Trait.FAILS)}
ERRORS = known.having(known.Trait.ERROR) | {"llvm.trap", "llvm.debugtrap"}
CLAIMS = known.having(known.Trait.CLAIMS)


def is_reporter(function: Function) -> bool:
    """A function that stands for an assertion: what fails inside it is reported where it is called."""
    name = function.source_name
    return (name in CLAIMS or name in ERRORS or name in FAILURES) and not function.address_taken


def find(context: Context) -> Iterator[Found]:
    if is_reporter(context.function):
        return
    for handler in context.handlers_of("invalid_builtin"):
        if handler.numbers[:1] == (2,):
            message = "the assumed condition is false"
            yield Found(CATEGORY, handler.location, message, Trigger.REACHED, handler.call)
    for call in context.calls:
        name = source_name(context.program, call)
        if call.arguments and (name in CLAIMS or _is_plain_assert(context, name)):
            yield _claim(context, call, name)
        elif name in ERRORS or name in FAILURES:
            yield _failure(context, call, name)
        yield from _demands(context, call)


def _is_plain_assert(context: Context, name: str) -> bool:
    """`assert` without its header, which is no function of the program's own."""
    function = context.program.functions.get(name)
    return name == "assert" and not (function is not None and function.defined)


def _where(context: Context, call: Call) -> Location:
    found = context.place(call) or context.function.location
    assert found is not None
    return found


def _claim(context: Context, call: Call, name: str) -> Found:
    text = spell(context, call.arguments[0])
    said = string_argument(context, call, 1)
    stated = said or ("" if text == FALLBACK else text)
    message = f"assertion fails: {stated}" if stated else "assertion fails"
    return Found(
        CATEGORY,
        _where(context, call),
        message,
        Trigger.FALSE_ARGUMENT,
        call,
        argument=0,
        value=call.arguments[0],
        operands=(text,),
    )


def _demands(context: Context, call: Call) -> Iterator[Found]:
    """What a library model, and those that it calls, demand of their caller."""
    place = context.place(call)
    if place is None or not isinstance(call.callee, GlobalConstant):
        return
    for text in demands(context, call.callee.name):
        message = _literal(context, text)
        yield Found(CATEGORY, place, message, Trigger.REQUIRED, call, value=text)


def demands(context: Context, name: str) -> tuple[GlobalConstant, ...]:
    program, known = context.program, context.shared.demands
    if name not in program.models:
        return ()
    if name not in known:
        texts: dict[str, GlobalConstant] = {}
        seen, work = {name}, [name]
        while work:
            function = program.functions[work.pop()]
            inner = (i for block in function.blocks.values() for i in block.instructions)
            for call in inner:
                if not isinstance(call, Call) or not isinstance(call.callee, GlobalConstant):
                    continue
                callee = call.callee.name
                if callee == "__vouch_require" and isinstance(call.arguments[1], GlobalConstant):
                    texts.setdefault(call.arguments[1].name, call.arguments[1])
                elif callee in program.models and callee not in seen:
                    seen.add(callee)
                    work.append(callee)
        known[name] = tuple(texts.values())
    return known[name]


def _failure(context: Context, call: Call, name: str) -> Found:
    said = string_argument(context, call, FAILURES[name]) if name in FAILURES else ""
    if name in FAILURES:
        message = f"assertion fails: {said}" if said else "assertion fails"
    elif name.startswith("llvm."):
        message = "the trap is reached"
    else:
        message = f"{name}() is reached"
    return Found(CATEGORY, _where(context, call), message, Trigger.REACHED, call)


def string_argument(context: Context, call: Call, index: int) -> str:
    """The text of a string literal passed as an argument, "" where it is none."""
    if index >= len(call.arguments):
        return ""
    return _literal(context, call.arguments[index])


def _literal(context: Context, operand: Operand) -> str:
    if isinstance(operand, ExpressionConstant) and operand.operands:
        operand = operand.operands[0]
    if not isinstance(operand, GlobalConstant) or operand.name not in context.program.globals:
        return ""
    text = context.program.globals[operand.name].initializer
    return text.data.split(b"\0")[0].decode(errors="replace") if isinstance(text, StringConstant) else ""
