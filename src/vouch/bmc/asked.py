"""The functions in which library models ask the engine about memory (`models/vouch.h`).

Each claims the checks of the call that entered the model, and none has a loop that could be cut.
"""

from __future__ import annotations

import re

from vouch.bmc import access, memory_ops, operands
from vouch.bmc.comparison import MemoryComparison
from vouch.bmc.execution import Execution
from vouch.bmc.frame import Frame
from vouch.bmc.initial import Unknown
from vouch.bmc.scans import LONG, WHOLE, Scan, end_of, never
from vouch.bmc.shapes import bounds
from vouch.bmc.state import State
from vouch.bmc.strings import largest
from vouch.bmc.value import Kind, MemObject, Pointer, symbols
from vouch.c import ir, known
from vouch.c.checks.base import Trigger
from vouch.errors import Unsupported
from vouch.smt import term as T
from vouch.smt.term import Term


def _scan(
    ex: Execution, frame: Frame, state: State, call: ir.Call, pointer: Pointer, scan: Scan
) -> tuple[Term, Term]:
    """Where the scan stops and whether for a hit; the checks of the call are claimed."""
    at, hit = scan.number(0), T.FALSE
    bad: Term = T.FALSE
    unset: Term = T.FALSE
    for guard, target, offset in reversed(pointer.targets):
        found = scan.through(target, offset)
        where = T.add(offset, T.mul(found.at, scan.number(scan.size)))
        wanted = T.ult(found.at, scan.limit)
        valid = access.valid(ex, state, target, where, scan.size)
        bad = T.or_(bad, T.and_(guard, wanted, T.not_(valid)))
        unset = T.or_(unset, T.and_(guard, found.undefined))
        at, hit = T.ite(guard, found.at, at), T.ite(guard, T.and_(found.hit, valid), hit)
    access.claim_access(ex, frame, state, call, bad, pointer)
    _claim_unwritten(ex, frame, state, call, T.and_(unset, T.ne(scan.limit, scan.number(0))))
    within = T.ult(at, scan.limit)
    return T.ite(within, at, scan.limit), T.and_(within, hit)


def _claim_unwritten(ex: Execution, frame: Frame, state: State, call: ir.Call, unset: Term) -> None:
    for check in access.checks_for(ex, frame, call, Trigger.UNINITIALISED):
        ex.claim(check, state, unset)


def _number(ex: Execution, frame: Frame, call: ir.Call, index: int) -> Term:
    return T.resize_u(operands.term_of(ex, frame, call.arguments[index]), ex.context.pointer_bits)


def _constant(ex: Execution, frame: Frame, call: ir.Call, index: int) -> int:
    value = operands.term_of(ex, frame, call.arguments[index]).value
    if value is None:
        raise Unsupported("a model that leaves open what it asks")
    return int(value)


def _finish(ex: Execution, frame: Frame, call: ir.Call, value: Term) -> None:
    assert isinstance(call.type, ir.IntType)
    operands.finish(frame, call, T.resize_u(value, call.type.bits))


def length(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """__vouch_length(s, limit, size): units before the first zero, at most `limit` of them are looked at."""
    pointer = operands.pointer_of(ex, frame, call.arguments[0])
    size = _constant(ex, frame, call, 2)
    scan = Scan(ex, state, size, never, True, _number(ex, frame, call, 1))
    _finish(ex, frame, call, _scan(ex, frame, state, call, pointer, scan)[0])
    return state


def find(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """__vouch_find(p, c, limit, size, terminated): the place of the first unit that is c, all ones for
    none."""
    pointer = operands.pointer_of(ex, frame, call.arguments[0])
    size, terminated = _constant(ex, frame, call, 3), bool(_constant(ex, frame, call, 4))
    wanted = T.resize_u(operands.term_of(ex, frame, call.arguments[1]), 8 * size)
    scan = Scan(ex, state, size, lambda unit: T.eq(unit, wanted), terminated, _number(ex, frame, call, 2))
    at, hit = _scan(ex, frame, state, call, pointer, scan)
    _finish(ex, frame, call, T.ite(hit, at, scan.number(-1)))
    return state


def find_last(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """__vouch_find_last(p, c, n, size): the place of the last of n units that is c, all ones for none. That
    all of them may be read is for the model to see to."""
    pointer = operands.pointer_of(ex, frame, call.arguments[0])
    count, size = _number(ex, frame, call, 2), _constant(ex, frame, call, 3)
    wanted = T.resize_u(operands.term_of(ex, frame, call.arguments[1]), 8 * size)
    bits = ex.context.pointer_bits
    none = found = T.bv(-1, bits)
    most = min(bounds(count)[1], memory_ops.most_bytes(ex, [pointer], bits) // size)
    if most > WHOLE:
        found = T.fresh("scan.last", T.bitvec(bits))
        ex.context.changed[found] = LONG
        ex.context.constrain(T.or_(T.eq(found, none), T.ult(found, count)))
        most = 0
    for index in range(most):
        unit, _ = memory_ops.read_one(ex, state, pointer, index * size, ir.IntType(8 * size))
        assert isinstance(unit, Term)
        here = T.bv(index, bits)
        found = T.ite(T.and_(T.ult(here, count), T.eq(unit, wanted)), here, found)
    _finish(ex, frame, call, found)
    return state


def span(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """__vouch_span(s, set, in): characters of the string s before the first that is not in the set; or, where
    `in` is zero, that is in it."""
    pointer, chosen = (operands.pointer_of(ex, frame, a) for a in call.arguments[:2])
    members = _members(ex, frame, state, call, chosen)
    inside = _constant(ex, frame, call, 2)

    def hits(unit: Term) -> Term:
        member = _among(unit, members)
        return T.not_(member) if inside else member

    scan = Scan(ex, state, 1, hits, True, T.bv(-1, ex.context.pointer_bits))
    _finish(ex, frame, call, _scan(ex, frame, state, call, pointer, scan)[0])
    return state


def _among(unit: Term, members: list[tuple[Term, Term]]) -> Term:
    """Is a character one of these? Known ones that follow each other are asked for at once."""
    known = sorted({int(v.value) for used, v in members if used is T.TRUE and v.value is not None})
    cases = [T.and_(used, T.eq(unit, v)) for used, v in members if used is not T.TRUE or v.value is None]
    while known:
        first = last = known.pop(0)
        while known and known[0] == last + 1:
            last = known.pop(0)
        low, high = T.ule(T.bv(first, unit.width), unit), T.ule(unit, T.bv(last, unit.width))
        cases.append(T.and_(low, high))
    return T.or_(T.FALSE, *cases, T.FALSE)


def _members(
    ex: Execution, frame: Frame, state: State, call: ir.Call, chosen: Pointer
) -> list[tuple[Term, Term]]:
    """The characters of a set, each with the condition that the string is that long."""
    bits = ex.context.pointer_bits
    everything = T.bv(-1, bits)
    size, _ = _scan(ex, frame, state, call, chosen, Scan(ex, state, 1, never, True, everything))
    found: list[tuple[Term, Term]] = []
    for index in range(256):
        used = T.ult(T.bv(index, bits), size)
        if used is T.FALSE:
            return found
        value, _ = memory_ops.read_one(ex, state, chosen, index, ir.IntType(8))
        assert isinstance(value, Term)
        found.append((used, value))
    raise Unsupported("a set of more characters than are followed")


def accessible(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """__vouch_access(p, n, write): n bytes at p must be accessible."""
    pointer = operands.pointer_of(ex, frame, call.arguments[0])
    usable = access.writable if _constant(ex, frame, call, 2) else access.valid_block
    size = _number(ex, frame, call, 1)
    bad = access.is_bad(ex, state, [(g, o, usable(ex, state, o, off, size)) for g, o, off in pointer.targets])
    access.claim_access(ex, frame, state, call, T.and_(T.ne(size, T.bv(0, size.width)), bad), pointer)
    return state


def distinct(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """__vouch_apart(to, from, n): two stretches share no byte, and are not the same either."""
    to, origin = (operands.pointer_of(ex, frame, a) for a in call.arguments[:2])
    memory_ops.lie_apart(ex, frame, state, call, to, origin, _number(ex, frame, call, 2))
    return state


def compare(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """__vouch_compare(a, b, limit, size, terminated, fold): the difference of the first units that differ, as
    unsigned numbers (wide characters: -1 or 1); 0 for none before `limit`, and with `terminated` before the
    end of both. `fold`: capital letters count as small ones."""
    left, right = (operands.pointer_of(ex, frame, a) for a in call.arguments[:2])
    limit = _number(ex, frame, call, 2)
    size, terminated, fold = (_constant(ex, frame, call, i) for i in (3, 4, 5))
    comparison = MemoryComparison(ex, state, limit, size, bool(terminated), bool(fold))
    result, bad, unset = comparison.run(left, right)
    access.claim_access(ex, frame, state, call, bad, left, right)
    _claim_unwritten(ex, frame, state, call, unset)
    assert isinstance(call.type, ir.IntType)
    operands.finish(
        frame,
        call,
        T.sext(result, call.type.bits) if call.type.bits > 32 else T.resize_u(result, call.type.bits),
    )
    return state


# ---------------------------------------------------------------- text that is not worked out


def text(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """__vouch_text(p, n): n characters that the model does not work out, none of them zero."""
    source = _anything(ex, state, call, name)
    size = _number(ex, frame, call, 1)
    end = end_of(ex, source, source.initial, ex.context.zero_offset)
    possible = T.and_(state.guard.term, T.ule(size, largest(source, ex.context.pointer_bits)))
    ex.context.constrain(T.or_(T.not_(possible), T.ule(size, end)))
    return _put(ex, frame, state, call, source, size)


def anything(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """__vouch_bytes(p, n): n bytes that the model does not work out."""
    source = _anything(ex, state, call, name)
    return _put(ex, frame, state, call, source, _number(ex, frame, call, 1))


def _anything(ex: Execution, state: State, call: ir.Call, name: str) -> MemObject:
    # The replay knows it as the pointer that was passed.
    source = ex.new_object(state, Kind.HEAP, "argument:0", None, Unknown())
    source.heap_kind = "input"
    event = ex.incoming(state, "return", name, ir.VoidType(), None, call.location)
    event.writes.append((source, source.initial))
    return source


def _put(
    ex: Execution, frame: Frame, state: State, call: ir.Call, source: MemObject, size: Term
) -> State | None:
    pointer = operands.pointer_of(ex, frame, call.arguments[0])
    memory_ops.copy(ex, frame, state, call, pointer, Pointer.to(source, ex.context.zero_offset), size)
    assert isinstance(source.initial, Unknown)
    for _, value in source.initial.cells.values():
        ex.context.inexact.update(dict.fromkeys(symbols(value), "memory that a model does not work out"))
    return state


def constant(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """__vouch_constant(n): whether n is known."""
    value = T.boolean(operands.term_of(ex, frame, call.arguments[0]).value is not None)
    ex.incoming(state, "return", name, call.type, value, call.location)
    operands.finish(frame, call, value)
    return state


def note(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """__vouch_note(text, n): the trace shows that what the text names is n, at the call in the program."""
    text, value = call.arguments[0], operands.term_of(ex, frame, call.arguments[1])
    held = ex.context.program.globals.get(text.name) if isinstance(text, ir.GlobalConstant) else None
    site: ir.Call | None = None
    while frame.model and frame.caller is not None:
        site, frame = frame.call, frame.caller
    if site is not None and held is not None and isinstance(held.initializer, ir.StringConstant):
        shown = held.initializer.data.rstrip(b"\0").decode()
        ex.step(frame, state, "assign", site.location, shown, value)
    return state


def repeated(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """__vouch_repeats(f): the function may be called any number of times more. One that writes nothing but
    its own variables does then what it did before; behind any other nothing is proved but up to a bound."""
    called = [target for _, target, _ in operands.pointer_of(ex, frame, call.arguments[0]).targets]
    if not all(t.kind is Kind.FUNCTION and t.name and ex.reachability.is_pure(t.name) for t in called):
        label, index = ex.reachability.place(frame, call)
        more = T.fresh("more.calls", T.BOOL)
        reason = f"{model_of(frame)} calls a function that changes something more often than is followed"
        ex.cut(frame, label, T.and_(state.guard.term, more), "loop", reason, index)
    return state


def model_of(frame: Frame) -> str:
    """The library function that the program called."""
    while frame.caller is not None and frame.caller.model:
        frame = frame.caller
    if "__vouch_launcher" in frame.function.name:
        return "a kernel launch"
    return frame.function.source_name


def _spelt(operand: ir.Operand) -> str:
    """A global variable as the program spells it, where that is plain to see."""
    name = operand.name if isinstance(operand, ir.GlobalConstant) else "one"
    plain = re.match(r"_ZL?(\d+)(\w+)", name)
    return plain[2][: int(plain[1])] if plain else name


def unsupported(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    """__vouch_unsupported(): what the model's function does here is not modelled. With a variable: it is one
    of a CUDA device, named in code of the host."""
    for operand in call.arguments:
        here, variable = frame, operand
        if frame.model and frame.caller is not None:  # a function of both sides asked the model
            here = frame.caller
            single = operands.pointer_of(ex, frame, operand).single
            variable = operand if single is None else ir.GlobalConstant(ir.PointerType(), single[0].name)
        raise Unsupported(f"{here.function.source_name} names {_spelt(variable)}, a variable of the device")
    raise Unsupported(f"{model_of(frame)} with arguments that its model does not cover")


# ---------------------------------------------------------------- functions without a model


def demand(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> None:
    """Claim what the prototype of a known function outside demands of its pointers."""
    for operand, (letter, counted) in zip(call.arguments, known.contract(name), strict=False):
        value = operands.operand_value(ex, frame.registers, operand) if letter != "-" else None
        if isinstance(value, Pointer):
            size = None
            if counted is not None and counted < len(call.arguments):
                size = operands.operand_value(ex, frame.registers, call.arguments[counted])
            _demanded(ex, frame, state, call, value, letter, size if isinstance(size, Term) else None)


def _demanded(
    ex: Execution,
    frame: Frame,
    state: State,
    call: ir.Call,
    pointer: Pointer,
    letter: str,
    size: Term | None,
) -> None:
    """`size`: the number of bytes that are accessed, one where nobody says."""
    bits = ex.context.pointer_bits
    some = T.TRUE
    if letter.isupper():
        some = access.compare_pointers(ex, "ne", pointer, ex.context.null)
    if letter in "sStT":
        limit = T.ite(some, T.bv(-1, bits), T.bv(0, bits))
        _scan(ex, frame, state, call, pointer, Scan(ex, state, 1, never, True, limit))
        if letter in "sS":
            return
    usable = access.writable if letter in "wWtT" else access.valid_block
    count: Term | int = 1
    if size is not None:
        count = T.resize_u(size, bits)
        some = T.and_(some, T.ne(count, T.bv(0, bits)))
    bad = [T.and_(guard, T.not_(usable(ex, state, o, off, count))) for guard, o, off in pointer.targets]
    access.claim_access(ex, frame, state, call, T.and_(some, T.or_(T.FALSE, *bad, T.FALSE)), pointer)
