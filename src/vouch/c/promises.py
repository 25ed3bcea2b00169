"""What people say about values from outside: `--range`, and comments at functions.

    // vouch: range speed 0..250
    // vouch: requires low <= high && high < 1000
    int ramp(int speed, int low, int high);

    // vouch: requires data[length] && length <= 64
    int checksum(const uint8_t *data, size_t length);

A comment stands on the line of a function's definition or alone before it, and is about calls from outside:
the function as an entry point. `--range` takes `FUNCTION.PARAMETER=A..B`, `GLOBAL=A..B` (at the start of an
entry point, and each read where the variable is volatile), `FUNCTION()=A..B` (the result of a function
without a body) and `FUNCTION.PARAMETER[LENGTH]`. A length says how many elements there are from a pointer on
(bytes of `void`), and that there need not be more. `int a[static 4]` says the same in C. Numbers are those of
mathematics: nothing wraps in a comparison.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from vouch.c.comments import COMMENT, code_line, files_of
from vouch.c.ir import FloatType, Function, IntType, PointerType, Program
from vouch.c.sources import Sources
from vouch.errors import VouchError
from vouch.record import frozen_record

if TYPE_CHECKING:
    from fractions import Fraction

_NUMBER = r"[-+]?(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)"
_NAME = r"[A-Za-z_]\w*"
# Texts: most programs have none of these comments, and a pattern takes long to compile.
_RANGE = rf"range\s+({_NAME})\s+({_NUMBER})\s*\.\.\s*({_NUMBER})\s*$"
_REQUIRES = r"requires\s+(.+?)\s*;?\s*$"
_OPERAND = rf"\s*({_NUMBER}|{_NAME})\s*(?:([-+])\s*({_NUMBER}))?\s*"
_CLAUSE = rf"{_OPERAND}(<=|>=|==|!=|<|>){_OPERAND}$"
_LENGTH = rf"\s*({_NAME})\s*\[{_OPERAND}\]\s*$"
_ARRAY = rf"({_NAME})\.({_NAME}\s*\[.*\])$"
_OPTION = rf"(?:({_NAME})\.)?({_NAME})(\(\))?\s*=\s*({_NUMBER})\s*\.\.\s*({_NUMBER})$"
_ABOVE = 3  # lines between the start of a definition and the name of its function


@frozen_record
class Sum:
    """A variable, or none, and a number."""

    name: str | None
    number: Fraction


@frozen_record
class Clause:
    left: Sum
    relation: str
    right: Sum


@frozen_record
class Length:
    """How many elements there are behind a pointer; `unit` is the size of one, None for that of its type."""

    name: str
    count: Sum
    unit: int | None = None


@frozen_record
class Promise:
    """Clauses that hold together, lengths of what pointers lead to, and how a verdict names all that."""

    clauses: tuple[Clause, ...]
    text: str
    lengths: tuple[Length, ...] = ()


@frozen_record
class Promises:
    """By function about its parameters and globals, by global variable, and by function about its result."""

    functions: Mapping[str, Sequence[Promise]] = field(default_factory=dict)
    variables: Mapping[str, Promise] = field(default_factory=dict)
    results: Mapping[str, Promise] = field(default_factory=dict)


VALUE = "value"  # the name that a promise about a single value has for it


def promises(program: Program, sources: Sources, ranges: Iterable[str]) -> tuple[Promises, list[str]]:
    """All of them, and warnings about comments that belong nowhere."""
    functions: dict[str, list[Promise]] = {}
    warnings = []
    for function in program.functions.values():
        if function.defined and (arrays := _static_arrays(program, function)):
            functions[function.name] = arrays
    for file, line, said in _comments(program, sources):
        name = _function_at(program, file, line)
        meant = understood(said)
        if name is None:
            warnings.append(f"{file}:{line}: 'vouch: {said}' belongs to no function")
        elif meant is not None and (stranger := _stranger(program, name, meant)) is not None:
            warnings.append(f"{file}:{line}: 'vouch: {said}': {stranger}")
        elif meant is not None:
            functions.setdefault(name, []).append(meant)
    variables, results = {}, {}
    for text in ranges:
        if array := re.match(_ARRAY, text.strip()):
            meant = understood(f"requires {array[2]}")
            stranger = "not understood"
            if meant is not None:
                stranger = _stranger(program, _known(program, array[1], text), meant)
            if meant is None or stranger is not None:
                raise VouchError(f"option --range: {text!r}: {stranger}")
            functions.setdefault(array[1], []).append(replace(meant, text=f"range {text}"))
            continue
        owner, name, call, low, high = _option(text)
        if owner is not None:
            promise = _between(name, low, high, f"range {text}")
            stranger = _stranger(program, _known(program, owner, text), promise)
            if stranger is not None:
                raise VouchError(f"option --range: {text!r}: {stranger}")
            functions.setdefault(owner, []).append(promise)
        elif call:
            results[name] = _between(VALUE, low, high, f"range {text}")
        elif name in program.globals:
            variables[name] = _between(VALUE, low, high, f"range {text}")
        else:
            raise VouchError(f"option --range: {text!r}: there is no global variable {name}")
    return Promises(functions, variables, results), warnings


def understood(said: str) -> Promise | None:
    """The promise in a comment, None where it is none or cannot be read."""
    if match := re.match(_RANGE, said):
        low, high = _number(match[2]), _number(match[3])
        return _between(match[1], low, high, said) if low <= high else None
    if match := re.match(_REQUIRES, said):
        clauses, lengths = [], []
        for part in match[1].split("&&"):
            if clause := re.match(_CLAUSE, part):
                clauses.append(_clause(clause))
            elif length := re.match(_LENGTH, part):
                lengths.append(Length(length[1], _sum(length[2], length[3], length[4])))
            else:
                return None
        return Promise(tuple(clauses), said, tuple(lengths))
    return None


def _static_arrays(program: Program, function: Function) -> list[Promise]:
    """The lengths that C declares (`int a[static 4]`). C++ says as much of references and of `this`."""
    found = []
    for number, parameter in enumerate(function.parameters):
        name, ctype = c_parameter(function, number)
        kind = program.ctypes.get(ctype) if ctype is not None else None
        plain = kind is not None and kind.kind == "pointer" and kind.name.endswith("*")
        if parameter.bytes and plain and not function.name.startswith("_Z"):
            text = f"{name} leads to the {parameter.bytes} bytes that [static] declares"
            found.append(Promise((), text, (Length(name, _sum(str(parameter.bytes), None, None), 1),)))
    return found


def c_parameter(function: Function, number: int) -> tuple[str, int | None]:
    """The name that a parameter has in C, and the key of its type."""
    parameter = function.parameters[number]
    if parameter.variable is not None:
        return parameter.variable.name, parameter.variable.type
    types = function.parameter_types
    return parameter.name, types[number] if number < len(types) else None


def element_size(program: Program, function: Function, number: int) -> int:
    """The bytes of what a pointer parameter points to, 1 where C does not say."""
    ctype = program.ctypes.get(c_parameter(function, number)[1] or 0)
    target = program.ctypes.get(ctype.target) if ctype is not None and ctype.target is not None else None
    return max(1, target.size) if target is not None else 1


def lengths(promised: Promises, function: Function) -> dict[int, tuple[Length, Promise]]:
    """The lengths of what the parameters of a function lead to, by their numbers."""
    names = [c_parameter(function, number)[0] for number in range(len(function.parameters))]
    return {
        names.index(length.name): (length, promise)
        for promise in promised.functions.get(function.name, ())
        for length in promise.lengths
    }


def _clause(match: re.Match[str]) -> Clause:
    left, sign, more, relation, right, other, rest = match.groups()
    return Clause(_sum(left, sign, more), relation, _sum(right, other, rest))


def _sum(word: str, sign: str | None, more: str | None) -> Sum:
    from fractions import Fraction

    extra = Fraction(0) if more is None else _number(more) * (-1 if sign == "-" else 1)
    if re.match(rf"{_NUMBER}$", word):
        return Sum(None, _number(word) + extra)
    return Sum(word, extra)


def _number(text: str) -> Fraction:
    from fractions import Fraction

    return Fraction(int(text, 16)) if "x" in text.lower() else Fraction(text)


def _between(name: str, low: Fraction, high: Fraction, text: str) -> Promise:
    from fractions import Fraction

    value, none = Sum(name, Fraction(0)), None
    return Promise((Clause(Sum(none, low), "<=", value), Clause(value, "<=", Sum(none, high))), text)


def _option(text: str) -> tuple[str | None, str, str | None, Fraction, Fraction]:
    match = re.match(_OPTION, text.strip())
    if match is None:
        forms = "NAME=A..B, FUNCTION.NAME=A..B, FUNCTION()=A..B or FUNCTION.NAME[LENGTH]"
        raise VouchError(f"option --range: {text!r} is not {forms}")
    owner, name, call, low, high = match.groups()
    if _number(low) > _number(high):
        raise VouchError(f"option --range: {text!r} holds for no number")
    return owner, name, call, _number(low), _number(high)


def _known(program: Program, name: str, text: str) -> str:
    function = program.functions.get(name)
    if function is None or not function.defined:
        raise VouchError(f"option --range: {text!r}: there is no function {name} with a body")
    return name


def _stranger(program: Program, function: str, promise: Promise) -> str | None:
    """What a promise names that is no number from outside, in words."""
    numbers = (IntType, FloatType)
    known = {name: v.type for name, v in program.globals.items() if isinstance(v.type, numbers)}
    for number, parameter in enumerate(program.functions[function].parameters):
        if isinstance(parameter.type, numbers):
            known[c_parameter(program.functions[function], number)[0]] = parameter.type
    pointers = {
        c_parameter(program.functions[function], number)[0]
        for number, parameter in enumerate(program.functions[function].parameters)
        if isinstance(parameter.type, PointerType) and parameter.byval is None and not parameter.sret
    }
    for length in promise.lengths:
        if length.name not in pointers or function == "main":
            return f"{length.name} is not a parameter that is a pointer"
        count = length.count
        fraction = count.name is not None and isinstance(known.get(count.name), FloatType)
        if fraction or count.number.denominator != 1 or (count.name is None and count.number < 0):
            return f"the length of {length.name} is not a whole number"
    sums = [each for clause in promise.clauses for each in (clause.left, clause.right)]
    sums += [length.count for length in promise.lengths]
    if not all(clause.left.name or clause.right.name for clause in promise.clauses):
        return "a clause names no variable"
    wrong = [each.name for each in sums if each.name is not None and each.name not in known]
    return f"{wrong[0]} is not a parameter or a global variable that is a number" if wrong else None


def _comments(program: Program, sources: Sources) -> Iterable[tuple[str, int, str]]:
    for file in files_of(program):
        lines = sources.lines(file)
        for number, line in enumerate(lines, 1):
            for comment in COMMENT.finditer(line) if "vouch:" in line else ():
                if comment[1].startswith(("range ", "requires ")):
                    yield file, code_line(lines, number, comment), comment[1]


def _function_at(program: Program, file: str, line: int) -> str | None:
    """The function whose definition begins in a line: its name may stand a little further down."""
    below = [
        (function.location.line, name)
        for name, function in program.functions.items()
        if function.defined and function.location is not None and function.location.file == file
        if line <= function.location.line <= line + _ABOVE
    ]
    return min(below)[1] if below else None
