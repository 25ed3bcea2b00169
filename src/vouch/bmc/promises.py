"""Promises about values from outside (`vouch.c.promises`) as terms."""

from __future__ import annotations

import struct
from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor

from vouch.bmc.execution import Execution
from vouch.bmc.state import State
from vouch.bmc.value import Value
from vouch.c import ir
from vouch.c.promises import VALUE, Clause, Length, Promise, Sum, element_size, lengths
from vouch.errors import VouchError
from vouch.smt import softfloat
from vouch.smt import term as T
from vouch.smt.term import Term

Named = Callable[[str], tuple[Term, bool] | None]
"""A number by its name, and whether it is signed; None where nothing has that name."""

_MIRRORED = {"<=": ">=", ">=": "<=", "<": ">", ">": "<", "==": "==", "!=": "!="}


def at_entry(ex: Execution, function: ir.Function, arguments: list[Value], state: State) -> None:
    """Calls from outside keep to what is promised of them; calls from inside need not."""
    promises = ex.context.promises
    if ex.scope is not None and ex.scope.inner:
        return
    for name, promise in promises.variables.items():
        value = _global(ex, state, name)
        if value is not None and value[0].value is None:  # a value that the sources give is what it is
            _assumed(ex, state, promise, _always(value))

    def named(name: str) -> tuple[Term, bool] | None:
        return _parameter(ex, function, arguments, name) or _global(ex, state, name)

    for promise in promises.functions.get(function.name, ()):
        _assumed(ex, state, promise, named)


def room(
    ex: Execution, function: ir.Function, arguments: list[Value], number: int, state: State
) -> int | Term | None:
    """The bytes that a parameter leads to where that is promised: never more than half of all that can be
    addressed."""
    found = lengths(ex.context.promises, function).get(number)
    if found is None or (ex.scope is not None and ex.scope.inner):
        return None
    length, promise = found
    ex.context.note(promise.text)
    unit = length.unit or element_size(ex.context.program, function, number)
    if length.count.name is None:
        return max(0, int(length.count.number)) * unit
    return _room(ex, state, length, unit, _parameter(ex, function, arguments, length.count.name))


def _room(
    ex: Execution, state: State, length: Length, unit: int, number: tuple[Term, bool] | None
) -> Term:
    assert length.count.name is not None
    number = number or _global(ex, state, length.count.name)
    bits = ex.context.pointer_bits
    if number is None:
        raise VouchError(f"'{length.name}[{length.count.name}]': the length is not a number")
    width = max(number[0].width, bits) + 2
    count = T.add(_wide(number, width), T.bv(int(length.count.number), width))
    most = T.bv(((1 << (bits - 1)) - 1) // unit, width)
    fits = T.and_(T.sle(T.bv(0, width), count), T.sle(count, most))
    state.guard = state.guard.and_(fits)
    ex.equation.assume(fits)
    ex.context.preferences.append(T.sle(count, T.bv(100, width)))  # a run has to make them all
    return T.mul(T.resize_u(count, bits), T.bv(unit, bits))


def of_value(ex: Execution, promise: Promise | None, value: Value, ctype: int | None) -> None:
    """A value that comes from outside now lies within the promise."""
    if promise is None or not isinstance(value, Term):
        return
    ex.context.constrain(condition(promise, _always((value, _signed(ex, ctype)))))
    ex.context.note(promise.text)


def _always(value: tuple[Term, bool]) -> Named:
    return lambda _: value


def _assumed(ex: Execution, state: State, promise: Promise, named: Named) -> None:
    holds = condition(promise, named)
    state.guard = state.guard.and_(holds)
    ex.equation.assume(holds)
    ex.context.note(promise.text)


def _parameter(
    ex: Execution, function: ir.Function, arguments: list[Value], name: str
) -> tuple[Term, bool] | None:
    for number, (parameter, value) in enumerate(zip(function.parameters, arguments, strict=False)):
        own = parameter.variable.name if parameter.variable is not None else parameter.name
        if own == name and isinstance(value, Term):
            types = function.parameter_types
            ctype = parameter.variable.type if parameter.variable is not None else None
            if ctype is None and number < len(types):
                ctype = types[number]
            return value, _signed(ex, ctype)
    return None


def _global(ex: Execution, state: State, name: str) -> tuple[Term, bool] | None:
    variable = ex.context.program.globals.get(name)
    if variable is None or not isinstance(variable.type, (ir.IntType, ir.FloatType)):
        return None
    target = ex.context.named(name)
    value, _ = ex.memory.read(target, state.memory.get(target), 0, variable.type)
    return (value, _signed(ex, target.ctype)) if isinstance(value, Term) else None


def _signed(ex: Execution, ctype: int | None) -> bool:
    found = ex.context.program.ctypes.get(ctype) if ctype is not None else None
    return found is None or found.signed


def condition(promise: Promise, named: Named) -> Term:
    return T.and_(*(_clause(promise, clause, named) for clause in promise.clauses))


def _clause(promise: Promise, clause: Clause, named: Named) -> Term:
    left, right = (_named(promise, side, named) for side in (clause.left, clause.right))
    if left is None and right is None:
        raise VouchError(f"'vouch: {promise.text}' names no variable")
    if left is None:
        assert right is not None
        return _compared(right, _MIRRORED[clause.relation], clause.left.number - clause.right.number)
    if right is None:
        return _compared(left, clause.relation, clause.right.number - clause.left.number)
    shift = clause.right.number - clause.left.number
    if "fp" in (left[0].sort.kind, right[0].sort.kind) or shift.denominator != 1:
        raise VouchError(f"'vouch: {promise.text}': two variables are compared as integers only")
    width = max(left[0].width, right[0].width, int(shift).bit_length()) + 2
    a, b = _wide(left, width), T.add(_wide(right, width), T.bv(int(shift), width))
    return _relation(clause.relation, a, b, T.sle)


def _named(promise: Promise, side: Sum, named: Named) -> tuple[Term, bool] | None:
    if side.name is None:
        return None
    found = named(side.name)
    if found is None:
        what = "a number" if side.name == VALUE else f"{side.name} is not a parameter or a global variable"
        raise VouchError(f"'vouch: {promise.text}': {what}")
    return found


def _wide(value: tuple[Term, bool], width: int) -> Term:
    term, signed = value
    return T.sext(term, width) if signed else T.zext(term, width)


def _compared(value: tuple[Term, bool], relation: str, number: Fraction) -> Term:
    """A variable against a number, as in mathematics."""
    term, _ = value
    if term.sort.kind == "fp":
        (bits,) = struct.unpack("<Q", struct.pack("<d", float(number)))
        constant = T.fp_const(softfloat.convert(T.FLOAT64, term.sort, bits), term.sort)
        return T.and_(T.not_(T.fp_is_nan(term)), _relation(relation, term, constant, T.fp_le, T.fp_eq))
    if number.denominator != 1:
        if relation in ("==", "!="):
            return T.boolean(relation == "!=")
        number = Fraction(floor(number) if relation in ("<=", ">") else ceil(number))
    width = max(term.width, int(number).bit_length()) + 2
    return _relation(relation, _wide(value, width), T.bv(int(number), width), T.sle)


def _relation(
    relation: str,
    a: Term,
    b: Term,
    at_most: Callable[[Term, Term], Term],
    equal: Callable[[Term, Term], Term] = T.eq,
) -> Term:
    match relation:
        case "<=":
            return at_most(a, b)
        case ">=":
            return at_most(b, a)
        case "<":
            return T.not_(at_most(b, a))
        case ">":
            return T.not_(at_most(a, b))
        case "==":
            return equal(a, b)
        case _:
            return T.not_(equal(a, b))
