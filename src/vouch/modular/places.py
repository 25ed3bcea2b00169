"""Inputs of a function by access path: what a caller hands over, found again in the caller's own state.

A symbol of an execution stands for an argument, for a part of a global variable, or for a part of what a
pointer among these leads to, lazily made ones included. `Named` lists them with the text that C has for them
(`x`, `dev->calib.t1`, `c[1]`); `value_at` reads the same place where the function is called.

What is made lazily holds what memory holds when somebody first looks. That is what the function found at
its start unless something was written before: by code that does not say where (then the place has no name
here), or to an object that may overlap it (then it has one where none does; `doubt` is the condition that one
may).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from vouch.bmc import access
from vouch.bmc.access_paths import AccessPaths, bit_fields
from vouch.bmc.context import ExecutionContext
from vouch.bmc.environment.layers import Late
from vouch.bmc.equation import Equation
from vouch.bmc.execution import Execution
from vouch.bmc.initial import CommandLine, Unknown
from vouch.bmc.state import State
from vouch.bmc.value import Kind, MemObject, Pointer, Value, select, symbols
from vouch.c import ir
from vouch.errors import Unsupported
from vouch.record import frozen_record, record
from vouch.smt import term as T
from vouch.smt.term import Term

DEEPEST = 4  # pointers behind pointers


@frozen_record
class Argument:
    number: int


@frozen_record
class Part:
    """Of a global variable."""

    name: str
    offset: int
    type: ir.Type


@frozen_record
class Behind:
    """So many bytes behind a pointer that is itself somewhere."""

    pointer: Location
    offset: int
    type: ir.Type


Location: TypeAlias = "Argument | Part | Behind"


@dataclass(frozen=True, slots=True, eq=False)
class Object:
    """Memory of a function's input: behind a pointer, `start` bytes before it, or a global variable."""

    pointer: Location | None
    start: int = 0
    name: str = ""
    doubt: Term = T.FALSE


@dataclass(frozen=True, slots=True, eq=False)
class InputPlace:
    """A number that comes in. `exact`: its path is a C expression of just this number."""

    symbol: Term
    path: str
    location: Location
    signed: bool
    exact: bool
    doubt: Term = T.FALSE


@dataclass(frozen=True, slots=True, eq=False)
class PointerInput:
    """`function`: it leads to code."""

    value: Pointer
    path: str
    location: Location
    function: bool
    doubt: Term = T.FALSE


@record
class Named:
    """`numbers` by symbol; `arrays` by the symbol of an object's contents, with the size of a word."""

    numbers: dict[Term, InputPlace] = field(default_factory=dict)
    pointers: list[PointerInput] = field(default_factory=list)
    arrays: dict[Term, tuple[MemObject, int]] = field(default_factory=dict)
    objects: dict[MemObject, Object] = field(default_factory=dict)


def named(context: ExecutionContext, equation: Equation) -> Named:
    """The inputs of an execution as far as it has looked at them."""
    return _Naming(context, equation).run()


class _Naming:
    def __init__(self, context: ExecutionContext, equation: Equation) -> None:
        self.context = context
        self.equation = equation
        self.table = context.program.ctypes
        self.found = Named()
        function = context.program.functions[equation.entry]
        passed = [
            value.single[0]
            for parameter, value in zip(function.parameters, equation.arguments, strict=False)
            if parameter.byval is not None and isinstance(value, Pointer) and value.single is not None
        ]
        self.paths = AccessPaths(self.table, _starts(context, equation), passed)
        self.by_value = set(passed)

    def run(self) -> Named:
        function = self.context.program.functions[self.equation.entry]
        for number, (parameter, value) in enumerate(
            zip(function.parameters, self.equation.arguments, strict=False)
        ):
            variable = parameter.variable
            name = variable.name if variable is not None else ""
            key = variable.type if variable is not None else None
            self._value(value, Argument(number), name, key, 0, T.FALSE)
        for name, target in self.context.globals.items():
            if target.kind is Kind.GLOBAL and name in self.context.program.globals:
                place = Object(None, name=name)
                self.found.objects[target] = place
                if not target.constant and not target.varies:
                    self._contents(target, place, 0)
        return self.found

    def _value(
        self, value: Value, place: Location, path: str, key: int | None, depth: int, doubt: Term
    ) -> None:
        if isinstance(value, Pointer):
            own, start = value.targets[-1][1], value.targets[-1][2].value
            self.found.pointers.append(PointerInput(value, path, place, own.kind is Kind.FUNCTION, doubt))
            if own.kind is Kind.OUTSIDE and start is not None and own not in self.found.objects:
                self.found.objects[own] = made = Object(place, int(start), doubt=doubt)
                if depth < DEEPEST:
                    self._contents(own, made, depth + 1)
        elif isinstance(value, Term):
            symbol, kind = self._symbol(value), self.table.get(key) if key is not None else None
            if symbol is not None and symbol not in self.found.numbers:
                scalar = kind is not None and kind.kind in ("int", "char", "enum", "bool")
                width = symbol.width if symbol.sort.kind == "bv" else 8
                exact = scalar and kind is not None and 8 * kind.size == width and bool(path)
                signed = kind is None or kind.signed
                self.found.numbers[symbol] = InputPlace(symbol, path, place, signed, exact, doubt)

    def _symbol(self, value: Term) -> Term | None:
        if value.sort.kind == "fp":
            value = self.context.memory.float_bits(value)
        return value if value.op == "symbol" else None

    def _contents(self, target: MemObject, place: Object, depth: int) -> None:
        initial = target.initial
        if not isinstance(initial, Unknown) or isinstance(initial, CommandLine):
            return
        for offset, (size, value) in list(initial.cells.items()):
            type_, doubt = _cell_type(self.context, value), self._doubt(target, value)
            if type_ is None or doubt is None or (isinstance(value, Pointer) and isinstance(initial, Late)):
                continue
            at = offset - place.start
            where: Location = (
                Part(place.name, offset, type_) if place.pointer is None else Behind(place.pointer, at, type_)
            )
            path = self.paths.place(target, offset)
            key = self.context.ctypes.ctype_at(target.ctype, offset)
            if list(bit_fields(self.table, target.ctype, offset, size, path, False)):
                key = None
            self._value(value, where, path, key, depth, T.or_(place.doubt, doubt))
        for word, array in initial.arrays.items():
            if self._doubt(target, array) is T.FALSE and place.doubt is T.FALSE:
                self.found.arrays[array] = target, word

    def _doubt(self, target: MemObject, value: Value) -> Term | None:
        """The condition under which this is not what the function found at its start; None: nobody knows."""
        if target.kind is not Kind.OUTSIDE:
            return T.FALSE
        environment = self.context.environment
        terms = [g for g, _, _ in value.targets] if isinstance(value, Pointer) else [value]
        made = max((s.id for term in terms if isinstance(term, Term) for s in symbols(term)), default=None)
        if environment.written_from is not None and (made is None or made > environment.written_from):
            return None
        if environment.stored_from is not None and (made is None or made > environment.stored_from):
            # What came about later was not stored to.
            shared = (s for _, s in environment.overlaps.of(target) if made is None or s.id < made)
            return T.or_(T.FALSE, *shared)
        return T.FALSE


def _cell_type(context: ExecutionContext, value: Value) -> ir.Type | None:
    if isinstance(value, Pointer):
        return ir.PointerType()
    if not isinstance(value, Term):
        return None
    if value.sort is T.BOOL:
        return ir.IntType(1)
    return ir.IntType(value.width) if value.sort.kind == "bv" else context.float_type(value.sort)


def _starts(context: ExecutionContext, equation: Equation) -> dict[MemObject, int]:
    found = dict(context.environment.starts)
    for value in equation.arguments:
        if isinstance(value, Pointer):
            start = value.targets[-1][2].value
            if start is not None:
                found[value.targets[-1][1]] = int(start)
    return found


# ---------------------------------------------------------------- where the function is called


def value_at(ex: Execution, state: State, arguments: Sequence[Value], place: Location) -> Value | None:
    """What lies there in the caller's state. None where that cannot be said."""
    match place:
        case Argument(number):
            return arguments[number] if number < len(arguments) else None
        case Part(name, offset, type_):
            return read(ex, state, _variable(ex, name), T.bv(offset, ex.context.pointer_bits), type_)
        case Behind(pointer, offset, type_):
            held = value_at(ex, state, arguments, pointer)
            if not isinstance(held, Pointer):
                return None
            return read(ex, state, held, T.bv(offset, ex.context.pointer_bits), type_)


def object_at(ex: Execution, state: State, arguments: Sequence[Value], place: Object) -> Pointer | None:
    """A pointer to the beginning of the memory that an object of the callee stands for."""
    if place.pointer is None:
        return _variable(ex, place.name)
    held = value_at(ex, state, arguments, place.pointer)
    if not isinstance(held, Pointer):
        return None
    return held.shifted(T.bv(-place.start, ex.context.pointer_bits)) if place.start else held


def _variable(ex: Execution, name: str) -> Pointer:
    return Pointer.to(ex.context.named(name), ex.context.zero_offset)


def read(ex: Execution, state: State, pointer: Pointer, offset: Term, type_: ir.Type) -> Value | None:
    """What lies behind a pointer, anything where that is not valid; nothing is claimed or noted. None where
    it cannot be said."""
    size = ex.context.layouts.store_size(type_)
    choices: list[tuple[Term, Value]] = []
    covered = False
    try:
        for guard, target, base in pointer.targets:
            where = T.add(base, offset)
            ok = access.valid(ex, state, target, where, size)
            if ok is T.FALSE or target.kind not in access.MAIN or target.varies:
                continue
            value, _ = ex.memory.read_at(target, state.memory.get(target), where, type_)
            choices.append((T.and_(guard, ok), value))
            covered = covered or (guard is T.TRUE and ok is T.TRUE)
        if not covered:
            choices.append((T.TRUE, ex.context.fresh(type_, "invalid")))
        return select(choices)
    except Unsupported:
        return None
