"""What each instruction does to a state. One function per instruction; `execute` picks it.

An instruction returns the state to go on with, or None when the block ends here (a terminator sent the state
along its edges, or no execution goes on).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vouch.bmc import access, arithmetic, calls, claims, promises, shadow, variadic
from vouch.bmc.abstraction import OUTSIDE, Room, Scope, within
from vouch.bmc.execution import Execution
from vouch.bmc.frame import Frame
from vouch.bmc.initial import CommandLine, Unknown
from vouch.bmc.offsets import element_offset
from vouch.bmc.operands import pointer_of, term_of, value_of
from vouch.bmc.state import State
from vouch.bmc.value import Kind, MemObject, Pointer, Value, merge
from vouch.c import ir
from vouch.c.flow.handlers import is_handler_call
from vouch.c.promises import c_parameter
from vouch.errors import Unsupported
from vouch.smt import term as T
from vouch.smt.term import Term


def execute(
    ex: Execution, frame: Frame, state: State, instruction: ir.Instruction, label: str, index: int
) -> State | None:
    is_site = instruction.number in ex.sites
    if is_site:
        ex.visit(instruction, state)
        claims.at_site(ex, frame, state, instruction)
    kind = type(instruction)
    handler = _VALUES.get(kind)
    if handler is not None:
        value = handler(ex, frame, state, instruction)
        if instruction.result is not None:
            frame.registers[instruction.result] = value
        if is_site:
            claims.of_result(ex, frame, state, instruction)
        if frame.marked:
            shadow.follow(ex, frame, instruction)
        return state
    control = _CONTROL.get(kind)
    if control is None:
        raise Unsupported(_name(instruction))
    result: State | None = control(ex, frame, state, instruction, label, index)
    return result


def _name(instruction: ir.Instruction) -> str:
    text = getattr(instruction, "text", None)
    return f"instruction not supported: {text.strip() if text else type(instruction).__name__}"


# ---------------------------------------------------------------- entry


def entry_arguments(ex: Execution, function: ir.Function, state: State) -> list[Value]:
    """Arbitrary arguments; pointers come from outside."""
    if function.name == "main" and len(function.parameters) > 1:
        return _command_line(ex, function, state)
    values: list[Value] = [ex.context.null] * len(function.parameters)
    for number, parameter in enumerate(function.parameters):
        if not isinstance(parameter.type, ir.PointerType):
            values[number] = _entry_number(ex, function, number)
    for number, parameter in enumerate(function.parameters):  # whose lengths may be among the numbers
        if isinstance(parameter.type, ir.PointerType):
            values[number] = _entry_pointer(ex, function, values, number, state)
    return values


def _entry_number(ex: Execution, function: ir.Function, number: int) -> Value:
    value = ex.context.fresh(function.parameters[number].type, c_parameter(function, number)[0])
    if ex.scope is not None and number < len(ex.scope.arguments):
        bounds = ex.scope.arguments[number]
        if isinstance(bounds, tuple) and isinstance(value, Term) and value.sort.kind == "bv":
            ex.context.constrain(within(value, bounds))
    return value


def _entry_pointer(
    ex: Execution, function: ir.Function, values: list[Value], number: int, state: State
) -> Value:
    parameter = function.parameters[number]
    name, ctype = c_parameter(function, number)
    if parameter.byval is not None or parameter.sret:
        size = ex.context.layouts.size(parameter.byval) if parameter.byval is not None else None
        made = ex.new_object(state, Kind.OUTSIDE, name, size, Unknown(undefined=parameter.sret))
        made.ctype = ctype
        ex.context.environment.adopt(made)  # the caller's own, for this call alone
        return Pointer.to(made, ex.context.zero_offset)
    restrict = ctype is not None and "restrict" in ex.context.program.ctypes[ctype].qualifiers
    pointee = ex.context.ctypes.pointee(ctype)
    if ex.scope is not None and ex.scope.inner:
        return _passed_pointer(ex, ex.scope, number, pointee, name)
    room = promises.room(ex, function, values, number, state)
    return ex.context.environment.pointer(pointee, name, restrict=restrict, size=room)


def _passed_pointer(ex: Execution, scope: Scope, number: int, pointee: int | None, name: str) -> Pointer:
    """An argument of a function that the program itself calls."""
    known = scope.arguments[number] if number < len(scope.arguments) else None
    environment = ex.context.environment
    if known == OUTSIDE:
        return environment.pointer(pointee, name)
    if isinstance(known, Room):
        return environment.pointer(pointee, name, strict=False, room=(known.before, known.behind))
    return environment.pointer(pointee, name, strict=True)


def _command_line(ex: Execution, function: ir.Function, state: State) -> list[Value]:
    """argc is at least one, and not more than can be addressed; argv holds as many strings and a null; so
    does the environment, if asked for."""
    context = ex.context
    first = function.parameters[0]
    count = context.fresh(first.type, first.variable.name if first.variable is not None else "argc")
    if not isinstance(count, Term) or not all(
        isinstance(p.type, ir.PointerType) for p in function.parameters[1:]
    ):
        raise Unsupported("parameters of main")
    most = (1 << min(context.pointer_bits - 4, count.width - 1)) - 1
    context.constrain(T.sle(T.bv(1, count.width), count))
    context.constrain(T.sle(count, T.bv(most, count.width)))
    context.preferences.append(T.sle(count, T.bv(100, count.width)))  # a run has to make them all
    values: list[Value] = [count]
    for parameter in function.parameters[1:]:
        name = parameter.variable.name if parameter.variable is not None else parameter.name
        entries = T.resize_u(count, context.pointer_bits)
        if len(values) > 1:
            entries = T.zext(T.fresh(f"{name}.count", T.bitvec(8)), context.pointer_bits)
        width = T.bv(context.pointer_bits // 8, context.pointer_bits)
        size = T.mul(T.add(entries, T.bv(1, context.pointer_bits)), width)
        vector = MemObject(Kind.OUTSIDE, name, size, CommandLine(entries), align=16)
        context.environment.objects.append(vector)
        values.append(Pointer.to(vector, context.zero_offset))
    return values


# ---------------------------------------------------------------- memory


def _alloca(ex: Execution, frame: Frame, state: State, i: ir.Alloca) -> Value:
    element = ex.context.layouts.size(i.allocated)
    count = term_of(ex, frame, i.count)
    size: int | Term
    if count.value is not None:
        size = element * int(count.value)
    else:
        bits = ex.context.pointer_bits
        size = T.mul(T.resize_u(count, bits), T.bv(element, bits))
    name = i.variable.name if i.variable is not None else (i.result or "local")
    made = ex.new_object(state, Kind.STACK, name, size, Unknown(undefined=True), max(i.align, 1))
    made.ctype = i.variable.type if i.variable is not None else None
    frame.objects.append(made)
    ex.allocated(state, made, f"{frame.function.name}.{i.result}")
    pointer = Pointer.to(made, ex.context.zero_offset)
    if i.result in frame.flow.fixed:
        frame.fixed[i.result] = pointer
    return pointer


def _load(ex: Execution, frame: Frame, state: State, i: ir.Load) -> Value:
    pointer = pointer_of(ex, frame, i.pointer)
    value = access.load(ex, frame, state, i, pointer, i.type, volatile=i.volatile)
    if i.atomic and not i.volatile:
        _alone(ex, pointer)
    if i.carries and i.result is not None:
        shadow.put(frame, i.result, shadow.loaded(ex, state, pointer, i.type))
    return value


def _store(ex: Execution, frame: Frame, state: State, i: ir.Store) -> None:
    value = value_of(ex, frame, i.value)
    pointer, type_ = pointer_of(ex, frame, i.pointer), ex.context.type_of(i.value)
    before = shadow.loaded(ex, state, pointer, type_) if i.field is not None else None
    access.store(ex, frame, state, i, pointer, type_, value)
    unwritten = shadow.of(ex, frame, i.value)
    if before is not None:
        unwritten = shadow.of_field(ex, before, i.field or 0)
    if unwritten is not None:
        shadow.stored(ex, state, pointer, type_, value, unwritten)


def _getelementptr(ex: Execution, frame: Frame, state: State, i: ir.GetElementPtr) -> Value:
    base = value_of(ex, frame, i.base)
    values = [value_of(ex, frame, index) for index in i.indices]
    if isinstance(base, tuple) or any(isinstance(v, tuple) for v in values):
        raise Unsupported("a vector of addresses")
    assert isinstance(base, Pointer)
    offset = element_offset(ex.context.layouts, i.source, i.indices, values)
    return base if offset.value == 0 else base.shifted(offset)


# ---------------------------------------------------------------- aggregates


def _extract(ex: Execution, frame: Frame, state: State, i: ir.Extract) -> Value:
    value = value_of(ex, frame, i.aggregate)
    for index in i.indices:
        assert isinstance(value, tuple)
        value = value[index]
    return value


def _insert(ex: Execution, frame: Frame, state: State, i: ir.Insert) -> Value:
    return _inserted(value_of(ex, frame, i.aggregate), value_of(ex, frame, i.value), i.indices)


def _inserted(aggregate: Value, value: Value, indices: tuple[int, ...]) -> Value:
    if not indices:
        return value
    assert isinstance(aggregate, tuple)
    first, rest = indices[0], indices[1:]
    return (*aggregate[:first], _inserted(aggregate[first], value, rest), *aggregate[first + 1 :])


def _extract_element(ex: Execution, frame: Frame, state: State, i: ir.ExtractElement) -> Value:
    vector = value_of(ex, frame, i.vector)
    index = term_of(ex, frame, i.index)
    assert isinstance(vector, tuple)
    result = vector[-1]
    for position in range(len(vector) - 2, -1, -1):
        result = merge(T.eq(index, T.bv(position, index.width)), vector[position], result)
    return result


def _insert_element(ex: Execution, frame: Frame, state: State, i: ir.InsertElement) -> Value:
    vector, value = value_of(ex, frame, i.vector), value_of(ex, frame, i.value)
    index = term_of(ex, frame, i.index)
    assert isinstance(vector, tuple)
    return tuple(
        merge(T.eq(index, T.bv(position, index.width)), value, old) for position, old in enumerate(vector)
    )


def _shuffle(ex: Execution, frame: Frame, state: State, i: ir.Shuffle) -> Value:
    left, right = value_of(ex, frame, i.left), value_of(ex, frame, i.right)
    assert isinstance(left, tuple)
    assert isinstance(right, tuple)
    both = left + right
    return tuple(both[k] if k is not None else both[0] for k in i.mask)


# ---------------------------------------------------------------- atomics and the rest


def _atomic_update(ex: Execution, frame: Frame, state: State, i: ir.AtomicUpdate) -> Value:
    """One thread: read, compute, write."""
    pointer = pointer_of(ex, frame, i.pointer)
    value = value_of(ex, frame, i.value)
    type_ = ex.context.type_of(i.value)
    old = access.load(ex, frame, state, i, pointer, type_, volatile=i.volatile)
    _alone(ex, pointer)
    new: Value = value
    if i.op != "xchg":
        if not (isinstance(old, Term) and isinstance(value, Term)):
            raise Unsupported(f"atomic {i.op} of a pointer")
        new = _atomic_value(i.op, old, value)
        if i.op in arithmetic.FLOAT:
            claims.not_finite(ex, state, i, [old, value], new)
    access.store(ex, frame, state, i, pointer, type_, new)
    return old


def _alone(ex: Execution, pointer: Pointer) -> None:
    """Others may look at what is accessed atomically, and change it: verdicts say that nobody is taken to."""
    if any(target.kind is not Kind.STACK for _, target, _ in pointer.targets):
        ex.context.note("no other thread or interrupt handler changes what is accessed atomically")


def _atomic_value(op: str, old: Term, value: Term) -> Term:
    simple = {**arithmetic.INTEGER, **arithmetic.FLOAT}
    if op in simple:
        return simple[op](old, value)
    match op:
        case "nand":
            return T.bnot(T.band(old, value))
        case "max":
            return T.ite(T.sgt(old, value), old, value)
        case "min":
            return T.ite(T.slt(old, value), old, value)
        case "umax":
            return T.ite(T.ugt(old, value), old, value)
        case "umin":
            return T.ite(T.ult(old, value), old, value)
        case _:
            raise Unsupported(f"atomic {op}")


def _compare_exchange(ex: Execution, frame: Frame, state: State, i: ir.CompareExchange) -> Value:
    pointer = pointer_of(ex, frame, i.pointer)
    type_ = ex.context.type_of(i.expected)
    expected, replacement = value_of(ex, frame, i.expected), value_of(ex, frame, i.replacement)
    old = access.load(ex, frame, state, i, pointer, type_, volatile=i.volatile)
    _alone(ex, pointer)
    if isinstance(old, Pointer) and isinstance(expected, Pointer):
        same = access.compare_pointers(ex, "eq", old, expected)
    else:
        assert isinstance(old, Term)
        assert isinstance(expected, Term)
        same = T.eq(old, expected)
    if i.weak:
        done = T.fresh("exchanged", T.BOOL)
        ex.context.inexact[done] = "if a weak exchange fails for no reason"
        same = T.and_(same, done)
    access.store(ex, frame, state, i, pointer, type_, merge(same, replacement, old))
    return (old, same)


def _nothing(ex: Execution, frame: Frame, state: State, i: ir.Instruction) -> None:
    return None


def _debug_value(ex: Execution, frame: Frame, state: State, i: ir.DebugValue) -> None:
    try:
        value = value_of(ex, frame, i.value)
    except Unsupported:
        return
    ex.step(frame, state, "assign", i.location, i.variable.name, value, ctype=i.variable.type)


def _va_arg(ex: Execution, frame: Frame, state: State, i: ir.VaArg) -> Value:
    return variadic.va_arg(ex, frame, state, i, pointer_of(ex, frame, i.list))


# ---------------------------------------------------------------- control


def _call(ex: Execution, frame: Frame, state: State, i: ir.Call, label: str, index: int) -> State | None:
    after = calls.execute(ex, frame, state, i, label, index)
    if after is not None and i.number in ex.sites:
        claims.of_result(ex, frame, after, i)
    if after is not None and isinstance(i, ir.Invoke):
        ex.go(frame, after, label, i.normal)
        return None
    return after


def _return(ex: Execution, frame: Frame, state: State, i: ir.Return, label: str, index: int) -> State | None:
    if i.value is not None:
        frame.registers[""] = value_of(ex, frame, i.value)
        shadow.put(frame, "", shadow.of(ex, frame, i.value))
    return state


def _branch(ex: Execution, frame: Frame, state: State, i: ir.Branch, label: str, index: int) -> State | None:
    _look(ex, frame, label)
    if i.condition is None or i.then == i.otherwise:
        ex.go(frame, state, label, i.then, last=True)
        return None
    assert i.otherwise is not None
    condition = term_of(ex, frame, i.condition)
    handlers = frame.flow.handlers
    if i.otherwise in handlers and handlers[i.otherwise] == i.then:
        _handler_claims(ex, frame, state, i.otherwise, T.not_(condition))
        ex.go(frame, state, label, i.then, last=True)
        return None
    ex.pass_by(state, frame.function, i.then)
    ex.pass_by(state, frame.function, i.otherwise)
    decided = condition.value is not None and not _stuck(ex, frame, label)
    ex.note_exit(frame, label, (i.then, i.otherwise), decided)
    if condition.value is None:
        ex.step(frame, state, "branch", None if i.nosanitize else i.location, "", condition)
        other = state.fork(state.guard.and_(T.not_(condition)))
        state.guard = state.guard.and_(condition)
        ex.go(frame, state, label, i.then)
        ex.go(frame, other, label, i.otherwise, last=True)
    else:
        ex.go(frame, state, label, i.then if condition is T.TRUE else i.otherwise, last=True)
    return None


def _stuck(ex: Execution, frame: Frame, label: str) -> bool:
    """A decided exit test that looks at what it has seen before says nothing about progress."""
    parts = frame.flow.joined.get(label)
    return not any(ex.moved.get((id(frame), part), False) for part in parts or (label,))


def _look(ex: Execution, frame: Frame, label: str) -> None:
    """Remember whether what decides this block's branch differs from what it was in all iterations before."""
    watched = frame.flow.tests.get(label)
    if watched is None or not frame.flow.enclosing.get(label):
        return
    ex.look(id(frame), label, [value_of(ex, frame, operand) for operand in watched])


def _handler_claims(ex: Execution, frame: Frame, state: State, handler: str, violated: Term) -> None:
    for instruction in frame.function.blocks[handler].instructions:
        if is_handler_call(instruction):
            claims.at_site(ex, frame, state, instruction, violated)
        elif instruction.result is not None and isinstance(instruction, ir.Cast):
            frame.registers[instruction.result] = arithmetic.cast(ex, frame, state, instruction)


def _switch(ex: Execution, frame: Frame, state: State, i: ir.Switch, label: str, index: int) -> State | None:
    value = term_of(ex, frame, i.value)
    if value.sort is T.BOOL:
        value = T.bool_to_bv(value, 1)
    targets: dict[str, list[Term]] = {}
    for constant, target in i.cases:
        targets.setdefault(target, []).append(T.eq(value, T.bv(constant.value, value.width)))
    conditions = {target: T.or_(*terms) for target, terms in targets.items()}
    default = T.not_(T.or_(*conditions.values())) if conditions else T.TRUE
    conditions[i.default] = T.or_(conditions[i.default], default) if i.default in conditions else default
    ex.note_exit(frame, label, conditions, value.value is not None)
    live = [(target, c) for target, c in conditions.items() if c is not T.FALSE]
    if value.value is None and len(live) > 1:
        ex.step(frame, state, "branch", i.location, "switch", value)
    rest = state
    for position, (target, condition) in enumerate(live):
        if position == len(live) - 1:
            ex.go(frame, rest, label, target)
            break
        taken = rest.fork(rest.guard.and_(condition))
        rest.guard = rest.guard.and_(T.not_(condition))
        ex.go(frame, taken, label, target)
    return None


def _unreachable(
    ex: Execution, frame: Frame, state: State, i: ir.Unreachable, label: str, index: int
) -> State | None:
    return None


# Instructions that compute a value from values and do nothing else: where one cannot be executed, an
# arbitrary value stands for all that it may yield.
PURE = (
    ir.GetElementPtr,
    ir.Binary,
    ir.Unary,
    ir.Compare,
    ir.Cast,
    ir.Select,
    ir.Extract,
    ir.Insert,
    ir.ExtractElement,
    ir.InsertElement,
    ir.Shuffle,
)
_VALUES: dict[type, Callable[..., Any]] = {
    ir.Alloca: _alloca,
    ir.Load: _load,
    ir.Store: _store,
    ir.GetElementPtr: _getelementptr,
    ir.Binary: arithmetic.binary,
    ir.Unary: arithmetic.unary,
    ir.Compare: arithmetic.compare_values,
    ir.Cast: arithmetic.cast,
    ir.Select: arithmetic.select_value,
    ir.Extract: _extract,
    ir.Insert: _insert,
    ir.ExtractElement: _extract_element,
    ir.InsertElement: _insert_element,
    ir.Shuffle: _shuffle,
    ir.VaArg: _va_arg,
    ir.AtomicUpdate: _atomic_update,
    ir.CompareExchange: _compare_exchange,
    ir.Fence: _nothing,
    ir.DebugValue: _debug_value,
}
_CONTROL: dict[type, Callable[..., Any]] = {
    ir.Call: _call,
    ir.Invoke: _call,
    ir.Return: _return,
    ir.Branch: _branch,
    ir.Switch: _switch,
    ir.Unreachable: _unreachable,
}
