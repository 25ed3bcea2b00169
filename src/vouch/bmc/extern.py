"""Functions without a body or model, and pointers that lead to none.

Such a function returns an arbitrary value and may write what its pointer arguments reach and every global
that other files can see. `--extern pure` keeps memory as it is, `noop` returns zero as well, `error`
makes the call an unsupported construct.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from vouch.bmc import access, blocks, calls
from vouch.bmc.initial import Initial, Unknown
from vouch.bmc.state import State
from vouch.bmc.value import Kind, MemObject, Pointer, Value
from vouch.c import ir
from vouch.errors import Unsupported

if TYPE_CHECKING:
    from vouch.bmc.execute import Executor, Frame


def run(
    ex: Executor, frame: Frame, state: State, call: ir.Call, name: str, function: ir.Function | None
) -> State | None:
    ex.equation.externals[name] = None
    if ex.extern == "error":
        raise Unsupported(f"call of external function {name}")
    values = calls.arguments(ex, frame, state, call)
    note_callbacks(ex, state, values)
    event = ex.incoming(state, "return", name, call.type, None, call.location)
    if ex.extern == "havoc":
        event.writes = forget(ex, state, values, everything=True, kept=_constant(ex, function, values))
    if not isinstance(call.type, ir.VoidType):
        value = ex.world.zero(call.type) if ex.extern == "noop" else result(ex, call, name, function)
        event.value = value
        calls.finish(frame, call, value)
        ex.step(frame, state, "input", call.location, f"{name}()", value)
    return None if "noreturn" in call.attributes else state


def _constant(ex: Executor, function: ir.Function | None, values: list[Value]) -> dict[MemObject, None]:
    """Objects that are passed through pointers to const only: the function does not write them itself."""
    kept: dict[MemObject, None] = {}
    written: dict[MemObject, None] = {}
    types = function.parameter_types if function is not None else ()
    for number, value in enumerate(values):
        key = types[number] if number < len(types) else None
        pointee = ex.world.ctypes.pointee(key)
        constant = pointee is not None and ex.world.program.ctypes[pointee].name.startswith("const ")
        pointed(value, kept if constant else written)
    return {target: None for target in kept if target not in written}


def result(ex: Executor, call: ir.Call, name: str, function: ir.Function | None) -> Value:
    if isinstance(call.type, ir.PointerType):
        ctype = function.result_type if function is not None else None
        return ex.world.outside_pointer(ex.world.ctypes.pointee(ctype), f"{name}()")
    return ex.world.fresh(call.type, f"{name}()")


def forget(
    ex: Executor,
    state: State,
    values: Iterable[Value],
    *,
    everything: bool,
    reason: str = "",
    kept: Mapping[MemObject, None] | None = None,
) -> list[tuple[MemObject, Initial]]:
    """What the arguments reach (and, with `everything`, what other files reach) becomes unknown, but for the
    objects in `kept`."""
    kept = kept or {}
    roots: dict[MemObject, None] = {}
    for value in values:
        pointed(value, roots)
    if everything:
        roots.update(ex.escaped)
        for name, variable in ex.world.program.globals.items():
            if not variable.constant and variable.linkage not in ("internal", "private"):
                roots[ex.world.named(name)] = None
        for name in ex.written_by_callbacks():
            roots[ex.world.named(name)] = None
    reached = closure(ex, state, roots)
    ex.escaped.update((target, None) for target in reached if target not in kept)
    written: list[tuple[MemObject, Initial]] = []
    for target in reached:
        if (
            (target in kept and target not in ex.escaped)
            or target.constant
            or target.dead
            or target.kind not in access.MAIN
        ):
            continue
        fresh = Unknown(reason=reason)
        blocks.havoc(ex, state, target, fresh)
        written.append((target, fresh))
    return written


def note_callbacks(ex: Executor, state: State, values: Iterable[Value]) -> None:
    """Functions whose address gets out through these values: code outside may call them from now on."""
    roots: dict[MemObject, None] = {}
    found: list[Value] = []
    for value in values:
        pointed(value, roots)
        found.append(value)
    for target in closure(ex, state, roots):
        contents = state.memory.get(target)
        if contents is not None:
            found.extend(value for _, value, _ in contents.cells.values())
        if target.kind is Kind.GLOBAL:
            found.extend(_initial_pointers(ex, target))
    for value in found:
        for _, target, _ in value.targets if isinstance(value, Pointer) else ():
            function = ex.world.program.functions.get(target.name)
            if target.kind is Kind.FUNCTION and function is not None and function.defined:
                ex.equation.callbacks[target.name] = None


def pointed(value: Value | None, into: dict[MemObject, None]) -> None:
    if isinstance(value, Pointer):
        for _, target, _ in value.targets:
            if target.kind in access.MAIN:
                into[target] = None
    elif isinstance(value, tuple):
        for part in value:
            pointed(part, into)


def closure(ex: Executor, state: State, roots: dict[MemObject, None]) -> dict[MemObject, None]:
    """Objects reachable from the roots through stored pointers."""
    seen: dict[MemObject, None] = {}
    work = list(roots)
    while work:
        target = work.pop()
        if target in seen:
            continue
        seen[target] = None
        contents = state.memory.get(target)
        found: dict[MemObject, None] = {}
        if contents is not None:
            for _, value, _ in contents.cells.values():
                pointed(value, found)
        initial = target.initial if contents is None or contents.initial is None else contents.initial
        if isinstance(initial, Unknown):
            for _, value in initial.cells.values():
                pointed(value, found)
        elif target.kind is Kind.GLOBAL:
            for pointer in _initial_pointers(ex, target):
                pointed(pointer, found)
        work.extend(found)
    return seen


def _initial_pointers(ex: Executor, target: MemObject) -> Iterable[Value]:
    """Pointers in the initial value of a global."""
    variable = ex.world.program.globals.get(target.name)
    work: list[ir.Constant] = [variable.initializer] if variable and variable.initializer else []
    while work:
        constant = work.pop()
        if isinstance(constant, ir.AggregateConstant):
            work.extend(constant.elements)
        elif isinstance(constant, ir.GlobalConstant) or (
            isinstance(constant, ir.ExpressionConstant) and isinstance(constant.type, ir.PointerType)
        ):
            yield ex.world.constant(constant)
