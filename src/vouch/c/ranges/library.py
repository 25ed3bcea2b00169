"""Calls of library functions: whether the model accesses nothing but what its arguments give it.

The model is analysed once more for every different way of calling it, which is cheap: models are short and
look at memory through a few functions of the engine (`models/vouch.h`), whose reach is known here.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from vouch.c import known
from vouch.c.ir import AsmOperand, Call, Instruction, IntConstant, Load, Operand, PointerType
from vouch.c.ranges import access, formats
from vouch.c.ranges.calls import is_silent
from vouch.c.ranges.interpret import Interpreter
from vouch.c.ranges.pointers import INFINITE
from vouch.c.ranges.solve import FixedPoint
from vouch.c.ranges.state import FACTS
from vouch.c.ranges.whole_program import Extent

_DEPTH = 4  # calls of models within models
_LARGEST_LENGTH = 1 << 20
_OF_NO_CONCERN = ("llvm.lifetime.", "llvm.dbg.", "llvm.assume")

Outcome = tuple[str | None, str | None]  # why accesses are valid, why what is read was written
_BAD: Outcome = (None, None)
_GOOD: Outcome = ("", "")


def outcome(at: Interpreter, call: Call, depth: int = _DEPTH) -> Outcome:
    """Why no access that a call of a library function makes is invalid, and why it reads nothing that is not
    written ("" for no more than the analysis; None: either may be)."""
    target = None if isinstance(call.callee, AsmOperand) else at.whole.graph.target(call)
    function = at.whole.program.functions.get(target or "")
    if target is None or depth == 0:
        return _BAD
    if function is None or not function.defined:
        limited = not all(
            access.is_within_struct(at, call, number, _asked(at, call, target)) for number, *_ in call.members
        )
        return _BAD if limited else _primitive(at, call, target)
    printed = formats.printed(at, call, target)
    if printed is not None:
        return _printed(at, call, printed)
    if target not in at.whole.program.models or function.signature.variadic:
        return _BAD
    facts = tuple(fact for fact in FACTS if fact in at.state)
    given = tuple(_given(at, call, number) for number in range(len(call.arguments)))
    key = (target, given, facts, _apart(at, call))
    if key not in at.whole.library:
        at.whole.library[key] = _BAD  # of one that calls itself
        at.whole.library[key] = _followed(at, key, depth - 1)
    return at.whole.library[key]


def _printed(at: Interpreter, call: Call, found: formats.Printed) -> Outcome:
    """What one of the printf family accesses: its texts, where it writes, and its stream."""
    place, reasons = found.place, _GOOD
    most = formats.stretch(at, call, found)[1]
    for number, *_ in call.members:
        if not access.is_within_struct(at, call, number, most if number == place.to else None):
            return _BAD
    if place.stream is not None:
        reasons = access.inside(at, call.arguments[place.stream], 1), ""
    if place.to is not None and most > 0:
        to = call.arguments[place.to]
        reasons = None if access.is_constant(at, to) else access.inside(at, to, most), ""
    for number, limit in found.texts:
        text = call.arguments[number]
        reads = _scan(at, text, limit, 1), _read(at, text)
        reasons = _both(reasons, reads)
        if place.to is not None and most > 0:
            reasons = _both(reasons, (_distinct(at, call.arguments[place.to], text), ""))
    return reasons


def _distinct(at: Interpreter, first: Operand, second: Operand) -> str | None:
    """Why two pointers lead into different objects."""
    bases = at.pointer(first).base, at.pointer(second).base
    if bases[0] is None or bases[1] is None or bases[0] == bases[1]:
        return None
    return access.in_different(at, bases[0], bases[1])


def _asked(at: Interpreter, call: Call, name: str) -> int | None:
    """How many bytes one of the engine's functions may access behind a pointer, where that is known."""
    if known.engine_key(name) == "copy":
        return at.integer(call.arguments[2])[3]
    if name in known.having(known.Trait.FILLS):
        return at.integer(call.arguments[known.TABLE[name].argument])[3]
    return None


def _given(at: Interpreter, call: Call, number: int) -> Any:
    """What a model may assume of an argument. Of a member in memory from outside it has the struct around."""
    given = at.argument(call.arguments[number])
    for position, anchor, before, size in call.members:
        if position == number and type(given) is Extent and given.outside:
            pointer, start = at.pointer(call.arguments[number]), at.pointer(anchor)
            if pointer.base != start.base or start.lo != start.hi:
                return None
            first = start.lo - before
            lo, hi = max(given.lo, first - pointer.lo), min(given.hi, first + size - pointer.hi)
            return given._replace(lo=lo, hi=hi) if lo <= 0 < hi else None
    return given


def _apart(at: Interpreter, call: Call) -> str | None:
    """Why no two of the pointers that a call passes lead into one object."""
    found: str | None = ""
    passed = [a for a in call.arguments if isinstance(getattr(a, "type", None), PointerType)]
    for first, second in combinations([at.pointer(argument) for argument in passed], 2):
        if first.base is None or second.base is None or first.base == second.base:
            return None
        found = _worse(found, access.in_different(at, first.base, second.base))
    return found


def _followed(at: Interpreter, key: tuple[Any, ...], depth: int) -> Outcome:
    target, given, facts, distinct = key
    solver = FixedPoint(at.whole, at.whole.program.functions[target], list(given), facts, True)
    solver.at.parameters_apart = distinct
    found = _GOOD
    for label in solver.frame.graph.order:
        if label not in solver.inputs or label in solver.frame.handlers:
            continue
        solver.at.enter(label, solver.inputs[label])
        for instruction in solver.frame.function.blocks[label].instructions:
            found = _both(found, _of(solver.at, instruction, depth))
            if found == _BAD:
                return found
            solver.at.step(instruction)
            if solver.at.dead:
                break
    return found


def _both(a: Outcome, b: Outcome) -> Outcome:
    return _worse(a[0], b[0]), _worse(a[1], b[1])


def _worse(a: str | None, b: str | None) -> str | None:
    return None if a is None or b is None else access.APART if access.APART in (a, b) else a or b


def _of(at: Interpreter, instruction: Instruction, depth: int) -> Outcome:
    if isinstance(instruction, Call):
        if instruction.number and (at.whole.graph.target(instruction) or "").startswith("llvm.mem"):
            return access.valid_access(at, instruction), _read(at, instruction.arguments[1])
        return outcome(at, instruction, depth)
    if isinstance(instruction, Load):
        pointer = at.pointer(instruction.pointer)
        own = pointer.base is not None and pointer.base[0] == "%"
        return access.valid_access(at, instruction), "" if own else _read(at, instruction.pointer)
    if access.accesses(at, instruction):
        return access.valid_access(at, instruction), ""
    return _GOOD


def _primitive(at: Interpreter, call: Call, name: str) -> Outcome:
    """What the functions of the engine access."""
    arguments, key = call.arguments, known.engine_key(name)
    if name.startswith(_OF_NO_CONCERN) or key == "nondet":
        return _GOOD
    if key == "distinct":
        return access.apart(at, *arguments[:3], same=False), ""
    if name in known.having(known.Trait.HARMLESS) and not known.frees(name):
        return _GOOD
    if _writes(name, key, arguments) and access.is_constant(at, arguments[0]):
        return _BAD
    if key == "copy":
        first, second = (_stretch(at, argument, arguments[2]) for argument in arguments[:2])
        distinct = access.apart(at, *arguments[:3]) if name != "memmove" else ""
        return _worse(distinct, _worse(first, second)), _read(at, arguments[1])
    if name in known.having(known.Trait.FILLS):
        return _stretch(at, arguments[0], arguments[known.TABLE[name].argument]), ""
    if key == "access":
        return _stretch(at, arguments[0], arguments[1]), ""
    if key == "length":
        return _scan(at, arguments[0], arguments[1], arguments[2]), _read(at, arguments[0])
    if key == "find":
        unlimited = isinstance(arguments[4], IntConstant) and not arguments[4].value
        scanned = _scan(at, arguments[0], arguments[2], arguments[3], stops=not unlimited)
        return scanned, _read(at, arguments[0])
    if key == "span":
        both = [(_scan(at, text, None, 1), _read(at, text)) for text in arguments[:2]]
        return _both(*both)
    if key == "compare":
        return _compared(at, call)
    return _GOOD if not arguments and is_silent(at.whole.program, name) else _BAD


def _writes(name: str, key: str | None, arguments: Sequence[Operand]) -> bool:
    """Whether a function of the engine writes behind its first argument."""
    if key == "access":
        return not (isinstance(arguments[2], IntConstant) and arguments[2].value == 0)
    return key == "copy" or name in known.having(known.Trait.FILLS)


def _compared(at: Interpreter, call: Call) -> Outcome:
    """Two stretches are looked at up to where they differ: no further than the shorter text goes."""
    first, second, limit, size, string = call.arguments[:5]
    read = _worse(_read(at, first), _read(at, second))
    stops = isinstance(string, IntConstant) and bool(string.value)
    reasons = [_scan(at, text, limit, size, stops=stops) for text in (first, second)]
    if _worse(*reasons) is not None:
        return _worse(*reasons), read
    lengths = [at.text_length(at.pointer(text)) for text in (first, second)]
    for reason, length, other in ((reasons[0], lengths[0], second), (reasons[1], lengths[1], first)):
        if stops and reason is not None and length is not None:
            inside = access.inside(at, other, length + 1)
            return _worse(reason, inside), read
    return None, read


def _stretch(at: Interpreter, operand: Operand, length: Operand) -> str | None:
    return access.inside(at, operand, at.integer(length)[3])


def _scan(
    at: Interpreter,
    operand: Operand,
    limit: Operand | int | None,
    size: Operand | int,
    *,
    stops: bool = True,
) -> str | None:
    """A look at units one after the other, up to a zero (if it `stops` there) or a limit."""
    pointer = at.pointer(operand)
    unit = size if isinstance(size, int) else at.integer(size)[3]
    extent = at.extents.get(pointer.base or "") or at.whole.extent(pointer.base)
    if extent is not None and extent.outside and extent.hi > INFINITE:
        return access.inside(at, operand, unit)  # a text from outside ends somewhere
    if stops and unit == 1 and access.inside(at, operand, 1) is not None and at.is_text(pointer):
        return ""
    if isinstance(limit, int):
        most = limit
    else:
        most = at.integer(limit)[3] if limit is not None else _LARGEST_LENGTH
    return access.inside(at, operand, most * unit) if most < _LARGEST_LENGTH else None


def _read(at: Interpreter, operand: Operand) -> str | None:
    pointer = at.pointer(operand)
    return access.is_written(at, pointer)
