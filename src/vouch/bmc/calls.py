"""Calls: to functions with a body, intrinsics, library functions vouch knows itself, and the unknown rest."""

from __future__ import annotations

from vouch.bmc import asked, intrinsics, library, memory_ops, operands, printing, shadow
from vouch.bmc.environment import external
from vouch.bmc.execution import Execution
from vouch.bmc.frame import Frame, name_of
from vouch.bmc.initial import Unknown
from vouch.bmc.state import Edge, State, join_states, join_values
from vouch.bmc.value import Kind, MemObject, Pointer, Value
from vouch.c import ir, known
from vouch.c.checks.base import Trigger
from vouch.c.flow.handlers import HANDLER
from vouch.errors import Unsupported
from vouch.smt import term as T
from vouch.smt.term import Term


def execute(ex: Execution, frame: Frame, state: State, call: ir.Call, label: str, index: int) -> State | None:
    """The state after the call, None when no execution comes back."""
    if isinstance(call.callee, ir.AsmOperand):
        return _assembly(ex, frame, state, call, call.callee)
    if isinstance(call.callee, ir.GlobalConstant):
        return _direct(ex, frame, state, call, _resolved(ex, call.callee.name), label, index)
    return _indirect(ex, frame, state, call, label, index)


def _resolved(ex: Execution, name: str) -> str:
    """Through aliases to the function itself."""
    for _ in range(8):
        alias = ex.context.program.aliases.get(name)
        if not isinstance(alias, ir.GlobalConstant):
            break
        name = alias.name
    return name


def _direct(
    ex: Execution, frame: Frame, state: State, call: ir.Call, name: str, label: str, index: int
) -> State | None:
    program = ex.context.program
    back = bool(ex.lent) and name in program.functions and name not in program.models
    back = back and program.functions[name].defined  # the program's own code is not held to it
    if not call.members and not back:
        return _followed(ex, frame, state, call, name, label, index)
    known, ex.lent = ex.lent, {} if back else _lent(ex, frame, call)
    try:
        return _followed(ex, frame, state, call, name, label, index)
    finally:
        ex.lent = known


def _lent(ex: Execution, frame: Frame, call: ir.Call) -> dict[MemObject, tuple[Term, Term]]:
    """Structs from outside of which the program hands out a member. Of several in one object, all that lies
    between."""
    found: dict[MemObject, tuple[Term, Term]] = {}
    bits = ex.context.pointer_bits
    for _, anchor, before, size in call.members:
        for _, target, offset in operands.pointer_of(ex, frame, anchor).targets:
            if target.kind is Kind.OUTSIDE and target.size is None:
                first = T.sub(offset, T.bv(before, bits))
                end = T.add(first, T.bv(size, bits))
                if target in found:
                    other, last = found[target]
                    first = T.ite(T.slt(first, other), first, other)
                    end = T.ite(T.slt(last, end), end, last)
                found[target] = first, end
    return found


def _followed(
    ex: Execution, frame: Frame, state: State, call: ir.Call, name: str, label: str, index: int
) -> State | None:
    if name.startswith("llvm."):
        return intrinsics.run(ex, frame, state, call, name)
    if name.startswith(HANDLER):
        return state  # its checks were claimed before the call
    function = ex.context.program.functions.get(name)
    if function is not None and function.defined and not library.overrides(name):
        own = name in ex.context.program.models  # vouch's models of the library are always executed
        model = None if own or frame.model else ex.callees(function, ex.depth)
        if model is not None:
            if ex.scope is None:  # whose own checks are the only question
                ex.not_executed(state, function)
            return model(ex, frame, state, call, function)
        if own and printing.stand_in(ex, frame, state, call):
            return state
        return _inline(ex, frame, state, call, function, label, index)
    known = library.find(name)
    if known is not None:
        return known(ex, frame, state, call, name)
    asked.demand(ex, frame, state, call, name)
    return _external(ex, frame, state, call, name, function)


def _external(
    ex: Execution, frame: Frame, state: State, call: ir.Call, name: str, function: ir.Function | None
) -> State | None:
    values = arguments(ex, frame, state, call)
    roots = external.arguments(ex, frame, call, function, values)
    value = external.run(ex, state, call, name, function, values, roots)
    if value is not None:
        operands.finish(frame, call, value)
        ex.step(frame, state, "input", call.location, f"{name}()", value)
    return None if "noreturn" in call.attributes else state


def arguments(ex: Execution, frame: Frame, state: State, call: ir.Call) -> list[Value]:
    values: list[Value] = []
    for number, operand in enumerate(call.arguments):
        if isinstance(operand, ir.MetadataOperand):
            continue
        value = operands.operand_value(ex, frame.registers, operand)
        by_value = call.byval[number] if number < len(call.byval) else None
        if by_value is not None:
            assert isinstance(value, Pointer)
            value = _copied(ex, frame, state, call, value, by_value)
        values.append(value)
    return values


def _copied(
    ex: Execution, frame: Frame, state: State, call: ir.Call, source: Pointer, type_: ir.Type
) -> Pointer:
    """A struct passed by value: the callee gets a copy of its own."""
    size = ex.context.layouts.size(type_)
    made = ex.new_object(state, Kind.STACK, "argument", size, Unknown(undefined=True))
    single = source.single
    made.ctype = single[0].ctype if single is not None else None
    frame.objects.append(made)
    target = Pointer.to(made, ex.context.zero_offset)
    memory_ops.copy(ex, frame, state, call, target, source, T.bv(size, ex.context.pointer_bits))
    return target


def _inline(
    ex: Execution,
    frame: Frame,
    state: State,
    call: ir.Call,
    function: ir.Function,
    label: str,
    index: int,
) -> State | None:
    if ex.active.get(function.name, 0) > ex.limits.recursion:
        reason = f"recursion of {function.source_name} deeper than {ex.limits.recursion}"
        ex.cut(frame, label, state.guard.term, "recursion", reason, index)
        return None
    if ex.depth > ex.limits.depth:
        ex.cut(frame, label, state.guard.term, "recursion", "calls nested too deeply", index)
        return None
    values = arguments(ex, frame, state, call)
    if len(values) < len(function.parameters):
        raise Unsupported(f"call of {function.source_name} with too few arguments")
    for position, parameter in enumerate(function.parameters):
        _expect(ex, function, values[position], parameter.type)
    if not frame.model:
        note_call(ex, frame, state, call, function, values)
    if function.name in ex.context.program.models and not frame.model:
        # What the model accesses is claimed there; a call that makes it access nothing is evaluated as well.
        for trigger in (Trigger.ACCESS, Trigger.UNINITIALISED, Trigger.REQUIRED):
            ex.claims_at(call, state, trigger, T.FALSE)
    passed = [a for a in call.arguments if not isinstance(a, ir.MetadataOperand)]
    ended = ex.call(function, values, state, frame, call, [shadow.of(ex, frame, a) for a in passed])
    if ended is None:
        return None
    after, value = ended
    ex.step(frame, after, "return", call.location, _shown(function), value, ctype=function.result_type)
    if call.result is not None and isinstance(ex.returned, tuple):
        shadow.put(frame, call.result, ex.returned)
    if value is not None and not isinstance(call.type, ir.VoidType):
        _expect(ex, function, value, call.type)
        operands.finish(frame, call, value)
    elif not isinstance(call.type, ir.VoidType):
        operands.finish(frame, call, ex.context.fresh(call.type, "result"))
    return after


def _shown(function: ir.Function) -> str:
    """What a trace calls it."""
    return f"__vouch_{function.source_name}" if known.is_own(function.name) else function.source_name


def note_call(
    ex: Execution, frame: Frame, state: State, call: ir.Call, function: ir.Function, values: list[Value]
) -> None:
    """The call, and what the parameters of a function of the program hold in it."""
    ex.step(frame, state, "call", call.location, _shown(function))
    if function.name in ex.context.program.models:
        return
    for parameter, value in zip(function.parameters, values, strict=False):
        variable = parameter.variable
        if variable is not None and parameter.byval is None and not parameter.sret:
            ex.step(frame, state, "parameter", call.location, variable.name, value, ctype=variable.type)


def _expect(ex: Execution, function: ir.Function, value: Value, type_: ir.Type) -> None:
    """A call through a prototype of another type has no meaning that could be followed."""
    if not ex.memory.has_type(value, type_):
        raise Unsupported(f"call of {function.source_name} as a function of another type")


def _indirect(
    ex: Execution, frame: Frame, state: State, call: ir.Call, label: str, index: int
) -> State | None:
    """One path per function the pointer may hold; anything else is an unknown function. In a module of its
    own, what functions of the program do is in the effect of the unknown one."""
    pointer = operands.pointer_of(ex, frame, call.callee)
    cases: list[tuple[Term, MemObject | None]] = []
    unknown: Term = T.FALSE
    for guard, target, _ in pointer.targets:
        if target.kind is Kind.FUNCTION and target.name:
            cases.append((guard, target))
            continue
        if target.kind in (Kind.FUNCTION, Kind.OUTSIDE) and ex.scope is None:
            for chosen, name in ex.context.environment.code.functions(target, call.signature):
                cases.append((T.and_(guard, chosen), ex.context.named(name)))
                guard = T.and_(guard, T.not_(chosen))
        unknown = T.or_(unknown, guard)
    if unknown is not T.FALSE or not cases:
        cases.append((unknown, None))
    results: list[Edge] = []
    rest: State | None = state
    for position, (guard, callee) in enumerate(cases):
        assert rest is not None
        if position == len(cases) - 1:
            taken, rest = rest, None
        else:
            taken = rest.fork(rest.guard.and_(guard))
            rest.guard = rest.guard.and_(T.not_(guard))
        if taken.guard.dead:
            continue
        for name in _results(call):
            frame.registers.pop(name, None)
        try:
            after = _one_target(ex, frame, taken, call, callee, label, index)
        except Unsupported as reason:  # costs this target alone
            ex.cut(frame, label, taken.guard.term, "unsupported", str(reason), index)
            continue
        if after is not None:
            held = {name: frame.registers[name] for name in _results(call) if name in frame.registers}
            results.append(Edge(after, held, label))
    if not results:
        return None
    joined, conditions = join_states(ex.memory, [edge.state for edge in results])
    if call.result is not None:
        values = [edge.registers[call.result] for edge in results if call.result in edge.registers]
        frame.registers[call.result] = values[0] if len(values) == 1 else join_values(conditions, values)
        frame.registers.update(shadow.joined(results, (call.result,), conditions))
    return joined


def _results(call: ir.Call) -> tuple[str, ...]:
    return () if call.result is None else (call.result, name_of(call.result))


def _one_target(
    ex: Execution,
    frame: Frame,
    state: State,
    call: ir.Call,
    target: MemObject | None,
    label: str,
    index: int,
) -> State | None:
    if target is None and ex.scope is not None:
        return ex.scope.policy.unknown(ex, frame, state, call, None)
    if target is None:
        return _external(ex, frame, state, call, "(unknown function pointer)", None)
    return _direct(ex, frame, state, call, target.name, label, index)


def _assembly(
    ex: Execution, frame: Frame, state: State, call: ir.Call, callee: ir.AsmOperand
) -> State | None:
    """Inline assembly: results and what it may write are arbitrary; what depends on them is undecided."""
    reason = f"inline assembly {callee.text!r}"
    values = arguments(ex, frame, state, call)
    external.assembly(ex, state, values, "memory" in callee.constraints, reason)
    if not isinstance(call.type, ir.VoidType):
        operands.finish(frame, call, ex.unsupported(call.type, reason))
    return state
