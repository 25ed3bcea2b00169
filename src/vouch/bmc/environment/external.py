"""Calls of functions without a body or model, and through pointers that lead to none.

Such a function returns an arbitrary value and may or may not write what its pointer arguments reach, what
code outside was given before, and every global that other files can see; it may call what the program handed
out. `--extern pure` keeps memory as it is, `noop` returns zero as well, `error` makes the call an unsupported
construct.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from weakref import WeakKeyDictionary

from vouch.bmc import promises
from vouch.bmc.contents import Contents
from vouch.bmc.environment.layers import WHOLE, OutsideData, Span
from vouch.bmc.environment.reach import Reach, Root
from vouch.bmc.execution import Execution
from vouch.bmc.frame import Frame
from vouch.bmc.initial import Initial
from vouch.bmc.state import State
from vouch.bmc.value import Kind, MemObject, Pointer, Value, merge_pointers
from vouch.c import ir, known
from vouch.c.escape import sheltered
from vouch.errors import Unsupported
from vouch.smt import term as T

_OWN_FILE_ONLY = ("internal", "private")


def run(
    ex: Execution,
    state: State,
    call: ir.Call,
    name: str,
    function: ir.Function | None,
    values: Sequence[Value],
    roots: Iterable[Root],
) -> Value | None:
    """Let unknown code run with these values, which lead to what the roots lead to. Its result, None where
    there is none."""
    ex.equation.externals[name] = None
    if ex.extern == "error":
        raise Unsupported(f"call of external function {name}")
    reached = hand_out(ex, state, roots)
    event = ex.incoming(state, "return", name, call.type, None, call.location)
    if ex.extern == "havoc":
        event.writes = _write(ex, state, reached, name)
        _call_back(ex, state, reached, name)
    if call.sret is not None:
        event.writes += _returned(ex, state, values[call.sret], name)
    if isinstance(call.type, ir.VoidType):
        return None
    if ex.extern == "noop":
        event.value = ex.context.zero(call.type)
    else:
        passed = [value for value in values if isinstance(value, Pointer)]
        event.value = result(ex, call.type, name, function, passed, state)
        # What a function outside hands in is its own: others there may write it later.
        environment = ex.context.environment
        environment.known.add(environment.reach(state.memory, [Root(event.value)]))
    return event.value


def arguments(
    ex: Execution, frame: Frame, call: ir.Call, function: ir.Function | None, values: Iterable[Value]
) -> list[Root]:
    """What is passed, with the types of the prototype: nothing is written through a pointer to const, and
    from the address of a member nothing around it is reached."""
    ctypes = ex.context.ctypes
    operands = [a for a in call.arguments if not isinstance(a, ir.MetadataOperand)]
    types = _types(call, function, len(operands))
    roots = []
    for number, (value, operand) in enumerate(zip(values, operands, strict=True)):
        if number == call.sret:
            continue  # the place of the result: nobody keeps it
        pointee = ctypes.pointee(types[number] if number < len(types) else None)
        member = _member(ex, frame, operand) if isinstance(value, Pointer) else None
        value, size = member if member is not None else (value, None)
        roots.append(Root(value, pointee, not ctypes.is_const(pointee), size))
    return roots


def _types(call: ir.Call, function: ir.Function | None, count: int) -> tuple[int | None, ...]:
    """The C types of the arguments, where each is passed as one and the prototype tells."""
    hidden = (None,) if call.sret is not None else ()
    types = (*hidden, *(function.parameter_types if function is not None else ()))
    fits = len(types) == count or (call.signature.variadic and len(types) < count)
    return types if fits else ()


def _member(ex: Execution, frame: Frame, operand: ir.Operand) -> tuple[Value, int | None] | None:
    """The member of a struct whose address, or a place in it, an operand is, and its size."""
    made = ex.reachability.definitions(frame.function)
    while isinstance(operand, ir.Register):
        step = made.get(operand.name)
        if isinstance(step, ir.Cast) and step.op == "bitcast":
            operand = step.value
        elif not isinstance(step, ir.GetElementPtr):
            return None
        elif (field := _field(step)) is not None:
            value, size = frame.registers.get(operand.name), ex.context.layouts.size(field)
            return (value, size) if value is not None and size else None
        else:
            operand = step.base
    return None


def _field(step: ir.GetElementPtr) -> ir.Type | None:
    """The type of the member that an address computation ends with."""
    held: ir.Type = step.source
    found: ir.Type | None = None
    for index in step.indices[1:]:
        if isinstance(held, ir.StructType) and held.fields is not None and isinstance(index, ir.IntConstant):
            held = found = held.fields[index.value]
        elif isinstance(held, ir.ArrayType):
            held = held.element
        else:
            return None
    return found if held is found else None


def _returned(ex: Execution, state: State, place: Value, name: str) -> list[tuple[MemObject, Initial]]:
    """A struct that is returned in memory is there afterwards, all of it."""
    found: list[tuple[MemObject, Initial]] = []
    for _, target, _ in place.targets if isinstance(place, Pointer) else ():
        fresh = OutsideData(ex.context.environment, name, WHOLE)
        old = state.memory.get(target)
        new = Contents(state.token, fresh)
        new.alive = old.alive if old is not None else new.alive
        state.memory[target] = new
        found.append((target, fresh))
    return found


def result(
    ex: Execution,
    type_: ir.Type,
    name: str,
    function: ir.Function | None,
    passed: Iterable[Pointer] = (),
    state: State | None = None,
) -> Value:
    """What a function without a body returns: anything; a pointer may be one that it was given."""
    ctype = function.result_type if function is not None else None
    memory = state.memory if state is not None else None

    def value(part: ir.Type, at: int) -> Value:
        if isinstance(part, ir.PointerType):
            environment = ex.context.environment
            held = ctype if part is type_ else environment.ctypes.ctype_at(ctype, at)
            pointee = environment.ctypes.pointee(held)
            made = environment.pointer(pointee, f"{name}()", passed=passed, memory=memory)
            return _or_failed(ex, name, made)
        if isinstance(part, (ir.StructType, ir.ArrayType)):
            return tuple(value(inner, at + offset) for inner, offset in ex.context.layouts.elements(part))
        return ex.context.fresh(part, f"{name}()")

    made = value(type_, 0)
    promises.of_value(ex, ex.context.promises.results.get(name), made, ctype)
    return made


def _or_failed(ex: Execution, name: str, found: Pointer) -> Pointer:
    """A pointer, or what a function of the library returns in its place where it fails."""
    if name in known.having(known.Trait.NULL):
        none = ex.context.null
    elif name in known.having(known.Trait.MINUS):
        none = Pointer.to(ex.context.wild_object, T.bv(-1, ex.context.pointer_bits))
    else:
        return found
    return merge_pointers(T.fresh(f"{name}().fails", T.BOOL), none, found)


def hand_out(ex: Execution, state: State, roots: Iterable[Root]) -> Reach:
    """Code outside gets to know what the roots lead to. All that it can reach now, in the current state."""
    environment = ex.context.environment
    if ex.scope is not None:  # others may have been called before, with whatever there is
        named = [ex.context.named(name) for name in environment.relevant]
        own = (o for o in state.memory if o.kind in (Kind.STACK, Kind.HEAP) and not o.dead)
        held = (*environment.objects, *(o for o in own if ex.escapes(o)), *named)
        roots = [*roots, *(Root(Pointer.to(o, ex.context.zero_offset)) for o in held)]
        environment.known.functions.update(dict.fromkeys(ex.scope.policy.taken))
    reached = environment.reach(state.memory, [*roots, *environment.deposited(state.memory)])
    count = -1
    while len(environment.known.functions) > count:  # a function that it may call leads to more
        count = len(environment.known.functions)
        environment.known.add(reached)
        for name in environment.known.functions:
            function = ex.context.program.functions.get(name)
            if function is not None and function.defined:
                ex.equation.callbacks[name] = None
        reached = environment.reach(state.memory, _visible(ex), environment.known)
    tables = environment.reach(state.memory, _tables(ex))
    reached.add(Reach(tables.seen, tables.writable))
    environment.known.add(reached)
    return reached


def _visible(ex: Execution) -> list[Root]:
    """Variables that other files can see, and those that functions which they can call have to do with."""
    environment = ex.context.environment
    relevant = set(environment.relevant)
    names = [
        name
        for name, variable in ex.context.program.globals.items()
        if variable.linkage not in _OWN_FILE_ONLY
        and not variable.constant
        and (name in relevant or not isinstance(variable.initializer, (ir.ZeroConstant, ir.IntConstant)))
    ]
    # Earlier calls may have told the addresses of others, where there were some.
    shared = environment.exposed()
    own = (*_OWN_FILE_ONLY,) if not ex.context.arbitrary else ()
    held = ex.context.program.globals
    hidden = _sheltered(ex.context.program)
    names += [name for name in shared if held[name].linkage not in own and name not in hidden]
    names += [name for name in ex.reachability.written_by(ex.equation.callbacks) if name in relevant]
    return _roots(ex, names)


_SHELTERED: WeakKeyDictionary[ir.Program, set[str]] = WeakKeyDictionary()  # worked out once for each program


def _sheltered(program: ir.Program) -> set[str]:
    if program not in _SHELTERED:
        _SHELTERED[program] = sheltered(program)
    return _SHELTERED[program]


def _tables(ex: Execution) -> list[Root]:
    """Constants that other files can see. Functions in them are found by name, if at all."""
    return _roots(
        ex,
        (
            name
            for name, held in ex.context.program.globals.items()
            if held.constant
            and held.linkage not in _OWN_FILE_ONLY
            and isinstance(held.initializer, (ir.AggregateConstant, ir.GlobalConstant, ir.ExpressionConstant))
        ),
    )


def _roots(ex: Execution, names: Iterable[str]) -> list[Root]:
    context = ex.context
    held = context.program.globals
    return [
        Root(Pointer.to(context.named(name), context.zero_offset), writable=not held[name].constant)
        for name in names
    ]


def _write(
    ex: Execution, state: State, reached: Reach, name: str, reason: str = ""
) -> list[tuple[MemObject, Initial]]:
    return list(ex.context.environment.write(state, reached.writable, name, reason).items())


def _call_back(ex: Execution, state: State, reached: Reach, name: str) -> None:
    """Code outside may call any public function of a library, which may change what nobody else reaches. What
    it can make of it is not worked out."""
    environment = ex.context.environment
    relevant = set(environment.relevant)
    names = [n for n in ex.reachability.written_by(ex.public) if n in relevant]
    parts = environment.reach(state.memory, _roots(ex, names)).writable
    if ex.public:
        parts |= _behind_variables(ex, state, relevant.difference(names))
    # For a function alone code outside has seen all that there is; what the library does to it is still more.
    alone = ex.scope is not None
    own = {target: span for target, span in parts.items() if alone or target not in reached.writable}
    nulled = ex.reachability.nulled_by(ex.public)
    for target, data in environment.write(state, own, name).items():
        data.inexact = f"if {name} calls a function of the library that changes {target.name}"
        data.nullable = (target.name if target.kind is Kind.GLOBAL else "") in nulled
    if ex.reachability.may_free(ex.public):
        held = environment.reach(state.memory, _roots(ex, sorted(relevant)))
        given = reached.seen if ex.reachability.may_free(_taking_pointers(ex)) else ()
        blocks = [target for target in (*held.seen, *given) if target.kind is Kind.HEAP]
        environment.perhaps_freed(state, blocks, f"if {name} calls a function of the library that frees it")


def _behind_variables(ex: Execution, state: State, names: Iterable[str]) -> dict[MemObject, Span]:
    """What variables lead to that stay as they are: functions that have them too may write there."""
    held = ex.context.program.globals
    holders = [ex.context.named(n) for n in sorted(names) if held[n].linkage in _OWN_FILE_ONLY]
    environment = ex.context.environment
    stored = (v for h in holders for _, v in environment.walker.stored(h, state.memory.get(h)))
    return environment.reach(state.memory, [Root(value) for value in stored]).writable


def _taking_pointers(ex: Execution) -> list[str]:
    """Public functions to which code outside may give back what it was given."""
    functions = [f for f in map(ex.context.program.functions.get, ex.public) if f is not None]
    return [f.name for f in functions if any(isinstance(p, ir.PointerType) for p in f.signature.parameters)]


def assembly(ex: Execution, state: State, values: Iterable[Value], everything: bool, reason: str) -> None:
    """Inline assembly may write what it is given, and with `everything` all that can be reached."""
    environment = ex.context.environment
    roots = [Root(value) for value in values]
    reached = hand_out(ex, state, roots) if everything else environment.reach(state.memory, roots)
    _write(ex, state, reached, "assembly", reason)
