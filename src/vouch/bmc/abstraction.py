"""Calls that are not followed: what the callee may do instead of what it does.

A policy tells for each function whether a call of it runs in place or is replaced by its effect: whatever it
may write becomes arbitrary, and so does its result. Unlike code outside, a callee of the program keeps no
contract: it may write through pointers to `const` and around the member that it was given, store pointers
that lead nowhere, return what it was given some bytes further on, and free.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from vouch.bmc import calls, operands
from vouch.bmc.callees import CallModel
from vouch.bmc.environment.layers import WHOLE, Span
from vouch.bmc.environment.reach import Reach, Root
from vouch.bmc.execution import Execution
from vouch.bmc.frame import Frame
from vouch.bmc.state import State
from vouch.bmc.value import Kind, MemObject, Pointer, Value
from vouch.c import ir
from vouch.record import frozen_record
from vouch.smt import term as T
from vouch.smt.term import Term


@frozen_record
class Effect:
    """What a function with all that it calls may do at most. `globals` are written by name; `wild`: it writes
    through pointers; `leaves`: code outside may run; `frees`: memory may be released. `result` bounds an
    integer result: least and largest, as signed and as unsigned numbers. `externals` are the functions
    without a body that it may call."""

    globals: frozenset[str] = frozenset()
    wild: bool = False
    leaves: bool = False
    frees: bool = False
    result: tuple[int, ...] | None = None
    externals: tuple[str, ...] = ()

    @property
    def writes(self) -> bool:
        return bool(self.globals) or self.wild or self.leaves


class Policy(Protocol):
    """How calls are executed, as a `CalleePolicy`. `unknown` stands for a call through a pointer that may
    hold any function; `taken` are functions that code outside may have."""

    def __call__(self, function: ir.Function, depth: int, /) -> CallModel | None: ...
    @property
    def unknown(self) -> Havoc: ...
    @property
    def taken(self) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True, eq=False)
class Room:
    """At least so many bytes before and behind a pointer belong to one live object."""

    before: int
    behind: int


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """How a function is executed for the checks of the `targets`, whoever calls it.

    `inner`: the program itself calls it, so that nothing is known of an argument but what `arguments` say: an
    integer's bounds, the `Room` around a pointer, "outside" for one that code outside passed on, None for
    anything. `typed` and `trusted` are those of the environment. `globals` are the variables that the
    functions which are followed can name; others are to them like memory from anywhere."""

    policy: Policy
    inner: bool
    typed: bool
    trusted: bool
    arguments: tuple[tuple[int, ...] | Room | str | None, ...] = ()
    targets: frozenset[str] = frozenset()
    globals: tuple[str, ...] = ()


OUTSIDE = "outside"


@frozen_record
class Havoc:
    """A call model: whatever the effect allows."""

    effect: Effect

    def __call__(
        self, ex: Execution, frame: Frame, state: State, call: ir.Call, function: ir.Function | None, /
    ) -> State | None:
        name = function.name if function is not None else "(function pointer)"
        values = calls.arguments(ex, frame, state, call)
        value = _run(ex, state, call, name, function, values, self.effect)
        if value is not None:
            operands.finish(frame, call, value)
        return None if "noreturn" in call.attributes else state


def _run(
    ex: Execution,
    state: State,
    call: ir.Call,
    name: str,
    function: ir.Function | None,
    values: Sequence[Value],
    effect: Effect,
) -> Value | None:
    """Let a callee do whatever its effect allows. Its result, None where there is none."""
    environment = ex.context.environment
    ex.equation.externals.update(dict.fromkeys(effect.externals))
    reached = environment.reach(state.memory, [Root(value) for value in values])
    if effect.wild or effect.leaves or effect.frees:
        roots = [*_pointers(ex, environment.objects), *_pointers(ex, _escaping(ex, state))]
        roots += [*_named(ex, environment.exposed()), *_named(ex, environment.relevant), *map(Root, values)]
        reached = environment.reach(state.memory, roots, environment.known)
    environment.known.add(Reach(reached.seen, dict(reached.seen), reached.functions))
    if effect.leaves:
        environment.known.functions.update(dict.fromkeys(ex.scope.policy.taken if ex.scope else ()))
    if effect.writes:
        _write(ex, state, reached, effect, name)
    if effect.frees:
        environment.perhaps_freed(state, reached.seen)
    if isinstance(call.type, ir.VoidType):
        return None
    return _result(ex, state, call.type, name, function, values, effect)


def _escaping(ex: Execution, state: State) -> Iterator[MemObject]:
    """Own objects whose address is used for more than accesses anywhere in their function: wherever it went,
    a callee may find it."""
    own = (o for o in state.memory if o.kind in (Kind.STACK, Kind.HEAP) and not o.dead)
    return (target for target in own if ex.escapes(target))


def _write(ex: Execution, state: State, reached: Reach, effect: Effect, name: str) -> None:
    relevant = set(ex.context.environment.relevant)
    parts: dict[MemObject, Span] = {}
    if effect.wild or effect.leaves:
        # A variable whose address nobody has is read like others, but written by name only.
        private = {ex.context.named(name) for name in ex.context.environment.private if name in relevant}
        parts.update((o, WHOLE) for o in reached.seen if not o.constant and o not in private)
    parts.update((ex.context.named(held), WHOLE) for held in _written(ex, effect))
    ex.context.environment.write(state, parts, name, own=True)


def _written(ex: Execution, effect: Effect) -> list[str]:
    """The globals that are written by name, of those that this execution can look at."""
    held = ex.context.program.globals
    relevant = set(ex.context.environment.relevant)
    return [n for n in effect.globals if n in relevant and n in held and not held[n].constant]


def _named(ex: Execution, names: Iterable[str]) -> list[Root]:
    return _pointers(ex, (ex.context.named(name) for name in names))


def _pointers(ex: Execution, targets: Iterable[MemObject]) -> list[Root]:
    return [Root(Pointer.to(target, ex.context.zero_offset)) for target in targets]


def _result(
    ex: Execution,
    state: State,
    type_: ir.Type,
    name: str,
    function: ir.Function | None,
    values: Sequence[Value],
    effect: Effect,
) -> Value:
    environment = ex.context.environment
    ctype = function.result_type if function is not None else None
    passed = [value for value in values if isinstance(value, Pointer)]

    def value(part: ir.Type, at: int) -> Value:
        if isinstance(part, ir.PointerType):
            held = ctype if part is type_ else environment.ctypes.ctype_at(ctype, at)
            pointee = environment.ctypes.pointee(held)
            return environment.pointer(
                pointee, f"{name}()", passed=passed, memory=state.memory, strict=True
            )
        if isinstance(part, (ir.StructType, ir.ArrayType)):
            return tuple(value(inner, at + offset) for inner, offset in ex.context.layouts.elements(part))
        return ex.context.fresh(part, f"{name}()")

    made = value(type_, 0)
    if effect.result is not None and isinstance(made, Term) and made.sort.kind == "bv":
        ex.context.constrain(within(made, effect.result))
    return made


def within(value: Term, bounds: Sequence[int]) -> Term:
    """A number lies between its bounds, as a signed and as an unsigned one."""
    low, high, least, most = (T.bv(bound, value.width) for bound in bounds[:4])
    return T.and_(T.sle(low, value), T.sle(value, high), T.ule(least, value), T.ule(value, most))
