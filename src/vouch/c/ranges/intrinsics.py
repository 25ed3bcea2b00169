"""Calls on abstract values: LLVM's intrinsics, assumptions, functions with and without a body."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from vouch.c import known
from vouch.c.ir import AsmOperand, Call, Function, IntConstant, IntType, Invoke, Operand, PointerType
from vouch.c.ranges import domain, formats, outcomes, pointers, refine, relations, spreading, written
from vouch.c.ranges.calls import Effects, is_free
from vouch.c.ranges.domain import Value
from vouch.c.ranges.outcomes import CallOutcome, CallSummary
from vouch.c.ranges.pointers import (
    ANYWHERE,
    INFINITE,
    OUTSIDE,
    OWN,
    UNBOUNDED,
    PointerPair,
    PointerRange,
    is_unnamed,
    unnamed,
)
from vouch.c.ranges.state import CLEAN, TIDY, WHOLE, State

if TYPE_CHECKING:
    from vouch.c.ranges.interpret import Interpreter

_OVERFLOW = re.compile(r"llvm\.([su])(add|sub|mul)\.with\.overflow\.i(\d+)")
_EXTREME = re.compile(r"llvm\.([su])(min|max)\.i\d+")
_COUNT = re.compile(r"llvm\.(ctlz|cttz|ctpop)\.i\d+")
_COPIES = ("llvm.memcpy.", "llvm.memmove.")


def call(at: Interpreter, instruction: Call) -> None:
    target = at.whole.graph.called(instruction)
    if isinstance(instruction, Invoke):  # outcomes say nothing of exceptions
        _call(at, instruction, target, None)
        return
    summaries = at.whole.summaries
    special = None if target is None or summaries is None else summaries.of_call(at, instruction, target)
    found = outcomes.of_call(at, instruction, target) if special is None else special.outcomes
    if not found:
        _call(at, instruction, target, special)
        return
    places = [at.pointer(argument) for argument in instruction.arguments]
    quiet = _unfreed(at, instruction, target, found)
    _call(at, instruction, target, special)
    if not at.dead:
        outcomes.arrive(at, instruction, found, places, quiet)


def _unfreed(
    at: Interpreter, instruction: Call, target: str | None, found: dict[str, CallOutcome]
) -> State | None:
    """The state behind a call that frees nothing, if some outcomes of it do not although others do."""
    effects = at.whole.graph.of_call(instruction)
    kept = [outcome for outcome in found.values() if not outcome.frees]
    if not effects.frees or not kept:
        return None
    before = at.mark()
    loses = effects.loses and any(outcome.loses for outcome in kept)
    _affect(at, instruction, target, replace(effects, frees=False, loses=loses))
    state = at.state
    at.reset(before)
    return state


def _affect(at: Interpreter, instruction: Call, target: str | None, effects: Effects) -> None:
    at.forget_effects(effects)
    at.forget_lent(instruction, target)
    written.during_call(at, instruction, target, effects)
    if spreading.of_call(at, instruction, target) != frozenset():
        at.drop(WHOLE)


def _call(at: Interpreter, instruction: Call, target: str | None, special: CallSummary | None) -> None:
    graph = at.whole.graph
    function = None
    if target is not None:
        function = at.whole.program.functions.get(target)
        if target in known.having(known.Trait.ASSUMES) and (function is None or not function.defined):
            if not refine.assume(at, instruction.arguments[0], True):
                at.dead = True
            at.define(instruction.result, at.unknown(instruction.type))
            return
        if target.startswith("llvm."):
            at.define(instruction.result, _intrinsic(at, instruction, target))
            return
        if at.recording:
            at.whole.note_call(target, _arguments(at, instruction, function), at.state)
        if (function is None or not function.defined) and (is_free(target) or known.allocates(target)):
            at.define(instruction.result, _heap(at, instruction, target))
            return
    printed = formats.printed(at, instruction, target)
    if printed is not None and target is not None:
        formats.written_by(at, instruction, target, printed)
        known_length = formats.length(instruction, printed)
        at.define(instruction.result, at.unknown(instruction.type) if known_length is None else known_length)
        return
    _affect(at, instruction, target, graph.of_call(instruction))
    if target is not None and is_free(target):  # one of the program's own
        at.free()
    result = at.unknown(instruction.type)
    key = None if target is None or function is None or function.defined else known.engine_key(target)
    text = target == "strlen" and target in at.whole.program.models
    if (key in _PLACES or text) and isinstance(instruction.type, IntType):
        at.define(instruction.result, _place(at, instruction, key))
        return
    if key == "known" and at.outline:
        at.define(instruction.result, domain.const(0, 1))
        return
    if target is not None and (special is not None or target in at.whole.general):
        summary = at.whole.general[target] if special is None else special
        if not summary.outcomes:
            at.dead = True
        elif function is not None and function.signature.result == instruction.type:
            result = _returned(at, instruction, function, summary.result)
            if type(result) is PointerRange and result.base not in (OUTSIDE, OWN):
                result = at.named(instruction, result, summary.lives, summary.filled)
    elif isinstance(instruction.type, PointerType) and (function is None or not function.defined):
        result = at.named(instruction, _from_outside(at, instruction, target), True, 0)
    at.define(instruction.result, result)


def _returned(at: Interpreter, instruction: Call, function: Function, returned: Any) -> Any:
    """What a function returns, in terms of its caller: offsets from arguments."""
    if type(returned) is tuple:
        return returned
    if type(returned) is not PointerRange or not isinstance(instruction.type, PointerType):
        return at.unknown(instruction.type)
    base = returned.base
    if base is None or base[0] in "%*!":
        return at.unknown(instruction.type)
    if base[0] != "^":
        return returned
    names = [parameter.name for parameter in function.parameters]
    if base[1:] not in names:  # what lies behind a parameter
        return at.unknown(instruction.type)
    number = names.index(base[1:])
    if number >= len(instruction.arguments) or function.parameters[number].byval is not None:
        return at.unknown(instruction.type)
    passed = at.pointer(instruction.arguments[number])
    found = pointers.moved(passed, returned.lo, returned.hi, returned.step)
    if returned.or_null:
        found = pointers.join(found, pointers.NULL)
    elif returned.nonnull and (returned.lo, returned.hi) == (0, 0):
        found = found._replace(nonnull=True, or_null=False)
    return found


def _from_outside(at: Interpreter, instruction: Call, target: str | None) -> PointerRange:
    """A pointer that code outside returns is valid and leads to something large enough, but may lead to
    memory of the program's own. Behind a pointer to a function may be one of the library that allocates."""
    if at.whole.strict or isinstance(instruction.callee, AsmOperand):
        return ANYWHERE
    if target is not None:
        unknown = target not in known.TABLE and known.engine_key(target) is None
        return PointerRange(unnamed(UNBOUNDED), 0, 0, False) if unknown else ANYWHERE
    found = PointerRange(unnamed(UNBOUNDED), 0, 0, False)
    for name in at.whole.graph.of_type(instruction.signature):
        made = _SIZES.get(known.engine_key(name) or "")
        if at.whole.program.functions[name].defined or made is None:
            return ANYWHERE
        least, fails = _allocation(at, instruction, made)
        found = pointers.join(found, PointerRange(unnamed(least), 0, 0, False, 0, fails))
    return found


# How the engine executes functions that yield a place in an object, and the least they yield.
_PLACES = {"length": 0, "span": 0, "find": -1, "find_last": -1}
_ADDRESSED = 47  # bits of addresses


def _place(at: Interpreter, instruction: Call, key: str | None) -> Value:
    assert isinstance(instruction.type, IntType)
    least = _PLACES.get(key or "", 0)
    bits = instruction.type.bits
    most = (1 << min(_ADDRESSED, bits - 1)) - 1
    if least == 0:
        longest = at.text_length(at.pointer(instruction.arguments[0]))
        most = most if longest is None else min(most, longest)
    if key == "length":
        most = min(most, at.integer(instruction.arguments[1])[3])
    return domain.signed(least, most, bits)


# How the engine executes functions that allocate, and the arguments whose product is the size.
_SIZES = {"malloc": (0,), "calloc": (0, 1), "realloc": (1,), "aligned": (1,)}


def _heap(at: Interpreter, instruction: Call, name: str) -> Any:
    """The library's functions that allocate and free."""
    arguments = instruction.arguments
    effects = at.whole.graph.of_call(instruction)
    at.forget_effects(effects)
    if is_free(name) and (not arguments or at.pointer(arguments[0]).base != "null"):
        at.free()
    key = known.engine_key(name) or ""
    sizes = _SIZES.get(key)
    if sizes is None or len(arguments) <= max(sizes) or not isinstance(instruction.type, PointerType):
        return at.unknown(instruction.type)
    least, may_fail = _allocation(at, instruction, sizes)
    made = at.allocated(instruction, least, may_fail)
    if key == "calloc":
        written.put(at, made._replace(or_null=False), least)
    if len(sizes) == 1 and made.base is not None and not is_unnamed(made.base):
        relations.size_of_block(at, made.base, arguments[sizes[0]])
    return made


def _allocation(at: Interpreter, instruction: Call, sizes: tuple[int, ...]) -> tuple[int, bool]:
    """The least size that is asked for, and whether the outcome may be null."""
    arguments = instruction.arguments
    least = most = 1
    for number in sizes:
        value = at.integer(arguments[number])
        least, most = least * value[2], most * value[3]
    kind = getattr(arguments[sizes[0]], "type", None)
    too_much = 1 << (kind.bits - 1) if isinstance(kind, IntType) else 0
    return least, at.whole.may_fail or most >= too_much or least == 0


def _arguments(at: Interpreter, instruction: Call, function: Function | None) -> list[Any]:
    """What is passed; nothing is known of an argument whose type is not the parameter's (calls without a
    prototype)."""
    wanted = function.signature.parameters if function is not None else ()
    return [
        at.argument(argument)
        if number < len(wanted) and getattr(argument, "type", None) == wanted[number]
        else None
        for number, argument in enumerate(instruction.arguments)
    ]


def _intrinsic(at: Interpreter, instruction: Call, name: str) -> Any:
    unknown = at.unknown(instruction.type)
    if match := _OVERFLOW.fullmatch(name):
        left, right = (at.integer(argument) for argument in instruction.arguments)
        return overflowing(match.group(1) == "s", match.group(2), left, right, int(match.group(3)))
    if name.startswith(_COPIES):
        _copy(at, instruction)
    elif name.startswith("llvm.memset."):
        _set(at, instruction)
    elif name.startswith("llvm.lifetime."):
        begun = at.pointer(instruction.arguments[-1]).base or ""
        at.forget_object(begun)
        written.begin(at, begun)
    elif name.startswith("llvm.va_"):
        at.forget(at.pointer(instruction.arguments[0]), INFINITE, through=instruction.arguments[0])
    elif name.startswith(("llvm.threadlocal.address", "llvm.expect.")):
        return at.value(instruction.arguments[0])
    elif (match := _EXTREME.fullmatch(name)) and isinstance(instruction.type, IntType):
        return _extreme(
            at, instruction, match.group(1) == "s", match.group(2) == "max", instruction.type.bits
        )
    elif _COUNT.fullmatch(name) and isinstance(instruction.type, IntType):
        bits = instruction.type.bits
        return domain.unsigned(0, bits, bits) if bits >= 3 else unknown
    else:
        at.forget_effects(at.whole.graph.of_intrinsic(name))
    return unknown


def overflowing(signed: bool, op: str, a: Value, b: Value, bits: int) -> PointerPair:
    """The wrapped result, and whether the exact one leaves the type."""
    lo, hi = exact_bounds(signed, op, a, b)
    smallest, largest = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    if smallest <= lo and hi <= largest:
        flag = domain.const(0, 1)
    elif hi < smallest or lo > largest:
        flag = domain.const(1, 1)
    else:
        flag = domain.top(1)
    return PointerPair(domain.BINARY[op](a, b, bits), flag)


def exact_bounds(signed: bool, op: str, a: Value, b: Value) -> tuple[int, int]:
    """The smallest and largest mathematical result of add, sub or mul."""
    at = 0 if signed else 2
    a0, a1, b0, b1 = a[at], a[at + 1], b[at], b[at + 1]
    if op == "add":
        return a0 + b0, a1 + b1
    if op == "sub":
        return a0 - b1, a1 - b0
    corners = (a0 * b0, a0 * b1, a1 * b0, a1 * b1)
    return min(corners), max(corners)


def _extreme(at: Interpreter, instruction: Call, signed: bool, largest: bool, bits: int) -> Value:
    a, b = (at.integer(argument) for argument in instruction.arguments)
    pick = max if largest else min
    if signed:
        return domain.signed(pick(a[0], b[0]), pick(a[1], b[1]), bits)
    return domain.unsigned(pick(a[2], b[2]), pick(a[3], b[3]), bits)


def _length(at: Interpreter, operand: Operand) -> int:
    return min(at.integer(operand)[3], INFINITE)


def _taint(at: Interpreter, target: PointerRange) -> None:
    """Bytes that may be pointers are written."""
    if not (target.base or "").startswith("%"):
        at.drop(CLEAN)
        at.drop(TIDY)


def _copy(at: Interpreter, instruction: Call) -> None:
    target, source = at.pointer(instruction.arguments[0]), at.pointer(instruction.arguments[1])
    length = instruction.arguments[2]
    if instruction.number in at.whole.copies.through and spreading.of_copy(at, instruction) != frozenset():
        at.whole.incomplete = at.whole.incomplete or at.recording
        at.drop(WHOLE)
    found = _source_cells(at, target, source, length) if isinstance(length, IntConstant) else {}
    _taint(at, target)
    at.forget(target, _length(at, length), through=instruction.arguments[0])
    bytes_ = (at.integer(length)[2], _length(at, length))
    written.copied(at, target, source, bytes_, instruction.arguments[0])
    if found:
        at.writable().update(found)


def _source_cells(
    at: Interpreter, target: PointerRange, source: PointerRange, length: IntConstant
) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """The cells that a copy of constant length fills with known contents."""
    found: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    if target.base is None or source.base is None or target.lo != target.hi or source.lo != source.hi:
        return found
    if not at.is_followed(target) or not at.is_followed(source):
        return found
    if target.base == source.base and 0 < abs(target.lo - source.lo) < length.value:
        return found  # what overlaps need not be copied as it was
    for key in at.keys.get(target.base, ()):
        offset = key[1] - target.lo
        if offset >= 0 and offset + key[2] <= length.value:
            held = at.state.get((source.base, source.lo + offset, key[2]))
            if held is not None:
                found[key] = (held[0], ())
            elif source.base[0] == "@":
                known = at.whole.content(source.base, source.lo + offset, source.lo + offset, key[2])
                if known is not None:
                    found[key] = (known, ())
    return found


def _set(at: Interpreter, instruction: Call) -> None:
    target, byte, length = at.pointer(instruction.arguments[0]), *instruction.arguments[1:3]
    _taint(at, target)
    at.forget(target, _length(at, length), through=instruction.arguments[0])
    written.put(at, target, at.integer(length)[2])
    if not isinstance(byte, IntConstant) or not isinstance(length, IntConstant):
        return
    if target.base is None or target.base == "null" or is_unnamed(target.base) or target.lo != target.hi:
        return
    if not at.is_followed(target):
        return
    for key in at.keys.get(target.base, ()):
        if target.lo <= key[1] and key[1] + key[2] <= target.lo + length.value and key not in at.pointer_keys:
            number = int.from_bytes(bytes([byte.value]) * key[2], "little")
            at.writable()[key] = (domain.const(number, 8 * key[2]), ())
