"""Functions that the engine executes itself: allocation, assumptions, nondeterminism, the end of the program.

Everything else of the C library is a model written in C (`c/models/`) or an external function.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TypeAlias

from vouch.bmc import access, asked, claims, demands, intrinsics, memory_ops, operands
from vouch.bmc.contents import Contents
from vouch.bmc.environment import external
from vouch.bmc.environment.reach import Root
from vouch.bmc.execution import Execution
from vouch.bmc.frame import Frame
from vouch.bmc.initial import Initial, Unknown, Zero
from vouch.bmc.state import State
from vouch.bmc.value import Kind, MemObject, Pointer, Value, merge, symbols
from vouch.c import ir, known
from vouch.c.checks.base import Trigger
from vouch.errors import Unsupported
from vouch.numeric.accuracy import covers
from vouch.numeric.emit import MathCall
from vouch.smt import term as T
from vouch.smt.term import Term

Known: TypeAlias = "Callable[[Execution, Frame, State, ir.Call, str], State | None]"

def overrides(name: str) -> bool:
    """Conventions of other tools' test suites: their meaning goes before a body from the program."""
    return name in known.having(known.Trait.ASSUMES)


def find(name: str) -> Known | None:
    key = known.engine_key(name)
    return _BY_KEY.get(key) if key is not None else None


def _unsupported(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    raise Unsupported(f"{name} is not supported")


# ---------------------------------------------------------------- assumptions and input


def _assume(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    condition = T.not_(claims.is_zero(ex, frame, call.arguments[0]))
    if frame.model and any(symbol in ex.context.inexact for symbol in symbols(condition)):
        _result_is(ex, state, condition)
        return state
    state.guard = state.guard.and_(condition)
    ex.equation.assume(condition)
    return None if state.guard.dead else state


def _result_is(ex: Execution, state: State, condition: Term) -> None:
    """What a model says of a result that it does not compute can be met whatever the rest is. It is a fact
    about the result and not a condition of the path: what fails later does not hang on it."""
    alone = all(symbol in ex.context.inexact for symbol in symbols(condition))
    ex.context.constrain(condition if alone else T.or_(T.not_(state.guard.term), condition))


def _nondet(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    if isinstance(call.type, ir.VoidType):
        return state
    function = ex.context.program.functions.get(name)
    value = external.result(ex, call.type, name, function)
    if name.endswith("_bool") and isinstance(value, Term) and value.sort is not T.BOOL:
        value = T.zext(T.extract(value, 0, 0), value.width)
    if name.startswith("__vouch_any_"):
        value = _same(ex, frame, call, value)
        models = itertools.takewhile(lambda f: f.model, frame.chain())
        model = [name, *(f.function.source_name for f in models)][-1]
        ex.context.inexact.update(dict.fromkeys(symbols(value), f"the result of {model} is not computed"))
        _remember(ex, frame, value)
    ex.incoming(state, "return", name, call.type, value, call.location)
    ex.step(frame, state, "input", call.location, f"{name}()", value)
    operands.finish(frame, call, value)
    return state


def _same(ex: Execution, frame: Frame, call: ir.Call, result: Value) -> Value:
    """The result of an earlier call of the same function of the same numbers, or this one."""
    numbers = _numbers(frame, result)
    if numbers is None:
        return result
    return ex.context.results.setdefault((frame.function.source_name, call.number, numbers), result)


def _remember(ex: Execution, frame: Frame, result: Value) -> None:
    """A model that leaves the result of a function of numbers open: what it is a function of."""
    numbers = _numbers(frame, result)
    if numbers is not None and isinstance(result, Term):
        ex.context.calls[result] = MathCall(frame.function.source_name, numbers)


def _numbers(frame: Frame, result: Value) -> tuple[Term, ...] | None:
    """The arguments of a function of the math library that is followed."""
    function = frame.function
    if not isinstance(result, Term) or result.sort not in (T.FLOAT32, T.FLOAT64):
        return None
    given = [frame.fixed.get(parameter.name) for parameter in function.parameters]
    numbers = tuple(value for value in given if isinstance(value, Term) and value.sort is result.sort)
    return numbers if len(numbers) == len(given) and covers(function.source_name) else None


def _known(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """__vouch_known(s): every character up to the end of the string is a constant on this path."""
    single = operands.pointer_of(ex, frame, call.arguments[0]).single
    known = single is not None and single[1].value is not None and _constant_string(ex, state, *single)
    value = T.boolean(known)
    ex.incoming(state, "return", name, call.type, value, call.location)
    operands.finish(frame, call, value)
    return state


def _constant_string(ex: Execution, state: State, target: MemObject, offset: Term) -> bool:
    contents = state.memory.get(target)
    if target.kind not in access.MAIN or not isinstance(target.size, int) or target.dead:
        return False
    if contents is not None and contents.array is not None:
        return False
    for at in range(max(ex.memory.signed(offset), 0), target.size):
        byte, _ = ex.memory.read(target, contents, at, ir.IntType(8))
        if not isinstance(byte, Term) or byte.value is None:
            return False
        if byte.value == 0:
            return True
    return False


def _havoc(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """__vouch_havoc(p, n): n arbitrary bytes."""
    pointer = operands.pointer_of(ex, frame, call.arguments[0])
    size = operands.term_of(ex, frame, call.arguments[1])
    # The replay knows it as the pointer that was passed.
    source = ex.new_object(state, Kind.HEAP, "argument:0", None, Unknown())
    source.heap_kind = "input"
    event = ex.incoming(state, "return", name, ir.VoidType(), None, call.location)
    event.writes.append((source, source.initial))
    memory_ops.copy(ex, frame, state, call, pointer, Pointer.to(source, ex.context.zero_offset), size)
    return state


def _sets_errno(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """__vouch_sets_errno(): a library function may have changed errno, if the program looks at it at all."""
    event = ex.incoming(state, "return", name, ir.VoidType(), None, call.location)
    if known.ERRNO in ex.context.program.globals:
        target, fresh = ex.context.named(known.ERRNO), Unknown()
        memory_ops.havoc(ex, state, target, fresh)
        event.writes.append((target, fresh))
    return state


def _object_size(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    size = intrinsics.object_size(ex, state, operands.pointer_of(ex, frame, call.arguments[0]))
    assert isinstance(call.type, ir.IntType)
    operands.finish(frame, call, T.resize_u(size, call.type.bits))
    return state


def _end(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """exit, abort, a failed assertion: nothing after this."""
    ex.program_ends(state)
    return None


def _exit(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    last = ex.at_exit(state, frame, call)
    return _end(ex, frame, last, call, name) if last is not None else None


def _at_exit(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """The function registered here runs when the program ends, in whatever state that is."""
    external.hand_out(ex, state, [Root(operands.operand_value(ex, frame.registers, call.arguments[0]))])
    return _go_on(ex, frame, state, call, name)


def _rounding(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """fesetround(mode): only rounding to the nearest number, which is 0 for every library, is followed."""
    if operands.term_of(ex, frame, call.arguments[0]).value != 0:
        raise Unsupported("another rounding mode is not supported")
    return _go_on(ex, frame, state, call, name)


def _go_on(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """The checks of the call were claimed; execution goes on."""
    if call.result is not None:
        operands.finish(frame, call, ex.context.zero(call.type))
    return state


def _assert_condition(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """__VERIFIER_assert(c), and assert(c) without its header: executions in which it fails end there."""
    holds = T.not_(claims.is_zero(ex, frame, call.arguments[0]))
    state.guard = state.guard.and_(holds)
    return None if state.guard.dead else state


# ---------------------------------------------------------------- allocation


def _allocated(
    ex: Execution,
    frame: Frame,
    state: State,
    call: ir.Call,
    size: Term,
    initial: Initial,
    name: str,
    align: int = 0,
) -> Value:
    """A new object, or null: where it would be larger than the half of memory that a difference of pointers
    covers or has no bytes, and with --malloc-may-fail anywhere. `align`: 0 for what suits every type."""
    size = T.resize_u(size, ex.context.pointer_bits)
    exact: int | Term = int(size.value) if size.value is not None else size
    shown = "cudaMalloc" if known.family(name) == "cuda" else name
    label = f"{shown}@{call.location.line}" if call.location is not None else shown
    made = ex.new_object(state, Kind.HEAP, label, exact, initial, align or ex.context.layouts.largest_align)
    made.heap_kind = known.family(name)
    site = access.site_of(frame, call)
    ex.heap.append((made, site))
    ex.claims_at(site, state, Trigger.LEAK, T.FALSE)  # lost or not when the program ends
    pointer: Value = Pointer.to(made, ex.context.zero_offset)
    too_large = T.slt(size, T.bv(0, size.width))
    if known.engine_key(name) == "new":
        if too_large is not T.FALSE:
            label, index = ex.reachability.place(frame, call)
            gone = T.and_(state.guard.term, too_large)
            ex.cut(frame, label, gone, "unsupported", "new of more than there can be throws", index)
            state.guard = state.guard.and_(T.not_(too_large))
        ex.allocated(state, made, "")
        return pointer
    # Of nothing some libraries give out a pointer that leads nowhere and others null.
    maybe = T.TRUE if ex.malloc_may_fail else T.eq(size, T.bv(0, size.width))
    chance = T.FALSE if maybe is T.FALSE else T.and_(maybe, T.fresh(f"{label}.fails", T.BOOL))
    ex.incoming(state, "return", name, ir.IntType(1), chance, call.location)
    fails = T.or_(too_large, chance)
    ex.allocated(state, made, "", unless=fails)
    if fails is not T.FALSE:
        _dies(state, made, fails)
        pointer = merge(fails, ex.context.null, pointer)
    return pointer


def _malloc(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    size = operands.term_of(ex, frame, call.arguments[0])
    operands.finish(frame, call, _allocated(ex, frame, state, call, size, Unknown(undefined=True), name))
    return state


def _aligned(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    wanted, size = (operands.term_of(ex, frame, a) for a in call.arguments)
    align = int(wanted.value) if wanted.value is not None and wanted.value else 1
    least = ex.context.layouts.largest_align
    made = _allocated(ex, frame, state, call, size, Unknown(undefined=True), name, max(align & -align, least))
    operands.finish(frame, call, made)
    return state


def _calloc(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    count, size = (operands.term_of(ex, frame, a) for a in call.arguments)
    made = _allocated(ex, frame, state, call, T.mul(count, size), Zero(), name)
    assert isinstance(made, Pointer)
    too_large = _product_overflows(count, size)
    if too_large is not T.FALSE:
        for target in [t for _, t, _ in made.targets if t.kind is Kind.HEAP]:
            _dies(state, target, too_large)
        made = merge(too_large, ex.context.null, made)
    operands.finish(frame, call, made)
    return state


def _product_overflows(count: Term, size: Term) -> Term:
    """Compared with the largest count where one factor is constant: no product of twice the width then."""
    known, other = (count, size) if count.value is not None else (size, count)
    if known.value is None:
        return T.umul_overflow(count, size)
    most = ((1 << other.width) - 1) // max(int(known.value), 1)
    return T.ult(T.bv(most, other.width), other)


def _alloca(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    size = T.resize_u(operands.term_of(ex, frame, call.arguments[0]), ex.context.pointer_bits)
    exact: int | Term = int(size.value) if size.value is not None else size
    made = ex.new_object(state, Kind.STACK, "alloca", exact, Unknown(undefined=True))
    frame.objects.append(made)
    operands.finish(frame, call, Pointer.to(made, ex.context.zero_offset))
    return state


def _free(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    pointer = operands.pointer_of(ex, frame, call.arguments[0])
    release(ex, frame, state, call, pointer, known.family(name))
    return state


def release(
    ex: Execution,
    frame: Frame,
    state: State,
    call: ir.Call,
    pointer: Pointer,
    family: str = "malloc",
    kept: Term = T.FALSE,
) -> None:
    """End the life of what the pointer points to, but where `kept` holds. It must come from this family of
    functions."""
    bad: Term = T.FALSE
    for guard, target, offset in pointer.targets:
        bad = T.or_(bad, T.and_(guard, T.not_(_may_free(ex, state, target, offset, family))))
    for check in access.checks_for(ex, frame, call, Trigger.FREE):
        ex.claim(check, state, bad)
    environment = ex.context.environment
    if not environment.typed and any(t.kind in (Kind.OUTSIDE, Kind.WILD) for _, t, _ in pointer.targets):
        environment.perhaps_freed(state)
    for guard, target, _ in pointer.targets:
        if target.kind not in (Kind.HEAP, Kind.OUTSIDE):
            continue
        _dies(state, target, T.and_(guard, T.not_(kept)))


def _dies(state: State, target: MemObject, condition: Term) -> None:
    """The object does not exist any more, or never did, where the condition holds."""
    old = state.memory.get(target)
    new = Contents(state.token) if old is None else old.copy(state.token)
    new.alive = T.and_(new.alive, T.not_(condition))
    state.memory[target] = new


def _may_free(ex: Execution, state: State, target: MemObject, offset: Term, family: str) -> Term:
    if target.kind is Kind.NULL:
        return T.eq(offset, ex.context.zero_offset)
    if target.kind not in (Kind.HEAP, Kind.OUTSIDE):
        return T.FALSE
    if target.kind is Kind.HEAP and target.heap_kind != family:
        return T.FALSE
    contents = state.memory.get(target)
    alive = contents.alive if contents is not None else T.TRUE
    return T.and_(alive, T.eq(offset, ex.context.zero_offset))


def _realloc(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """A new object with what fits of the old one, which is freed unless there is no new one."""
    old = operands.pointer_of(ex, frame, call.arguments[0])
    size = T.resize_u(operands.term_of(ex, frame, call.arguments[1]), ex.context.pointer_bits)
    new = _allocated(ex, frame, state, call, size, Unknown(undefined=True), name)
    assert isinstance(new, Pointer)
    for guard, target, offset in old.targets:
        if target.kind not in (Kind.HEAP, Kind.OUTSIDE) or target.size is None:
            continue
        whole = T.bv(target.size, size.width) if isinstance(target.size, int) else target.size
        length = T.ite(guard, T.ite(T.ult(whole, size), whole, size), T.bv(0, size.width))
        memory_ops.copy_unchecked(ex, state, new, Pointer.to(target, offset), length)
    failed = T.or_(T.FALSE, *(guard for guard, target, _ in new.targets if target.kind is Kind.NULL))
    # One of no bytes is freed even where the result is null.
    release(ex, frame, state, call, old, kept=T.and_(failed, T.ne(size, T.bv(0, size.width))))
    operands.finish(frame, call, new)
    return state


# ---------------------------------------------------------------- memory functions as calls


def _memcpy(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    target, source = (operands.pointer_of(ex, frame, a) for a in call.arguments[:2])
    size = operands.term_of(ex, frame, call.arguments[2])
    memory_ops.copy(ex, frame, state, call, target, source, size, apart=name != "memmove")
    memory_ops.note(ex, frame, state, call, target, size)
    operands.finish(frame, call, target)
    return state


def _memset(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    target = operands.pointer_of(ex, frame, call.arguments[0])
    byte = T.extract(operands.term_of(ex, frame, call.arguments[1]), 7, 0)
    size = operands.term_of(ex, frame, call.arguments[2])
    memory_ops.fill(ex, frame, state, call, target, byte, size)
    memory_ops.note(ex, frame, state, call, target, size)
    operands.finish(frame, call, target)
    return state


# How functions are executed, by the keys of `c/known.py`. A key that is missing here is a function outside.
_BY_KEY: dict[str, Known] = {
    "assume": _assume,
    "assert": _assert_condition,
    "skip": _go_on,
    "nondet": _nondet,
    "unsupported": _unsupported,
    "throw": _unsupported,
    "abort": _end,
    "leave": _end,
    "exit": _exit,
    "register": _at_exit,
    "malloc": _malloc,
    "new": _malloc,
    "aligned": _aligned,
    "calloc": _calloc,
    "realloc": _realloc,
    "free": _free,
    "alloca": _alloca,
    "copy": _memcpy,
    "fill": _memset,
    "round": _rounding,
    "guard": lambda ex, f, s, c, n: _guard(ex, f, s, c),
    "input": _havoc,
    "known": _known,
    "errno": _sets_errno,
    "object_size": _object_size,
    "length": asked.length,
    "find": asked.find,
    "find_last": asked.find_last,
    "span": asked.span,
    "compare": asked.compare,
    "access": asked.accessible,
    "distinct": asked.distinct,
    "text": asked.text,
    "bytes": asked.anything,
    "constant": asked.constant,
    "note": asked.note,
    "repeats": asked.repeated,
    "unsupported_arguments": asked.unsupported,
    "require": demands.require,
    "valid": demands.valid,
    "starts": demands.starts,
    "beside": demands.beside,
    "together": demands.together,
}


def _guard(ex: Execution, frame: Frame, state: State, call: ir.Call) -> State | None:
    """The first execution of a static local's initialiser: the guard byte says whether it ran."""
    pointer = operands.pointer_of(ex, frame, call.arguments[0])
    byte = access.load(ex, frame, state, call, pointer, ir.IntType(8))
    access.store(ex, frame, state, call, pointer, ir.IntType(8), T.bv(1, 8))
    assert isinstance(byte, Term)
    operands.finish(frame, call, T.zext(T.bool_to_bv(T.eq(byte, T.bv(0, 8)), 1), 32))
    return state
