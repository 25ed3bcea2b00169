"""Loads and stores through pointers, with the checks that belong to them, and comparisons of pointers."""

from __future__ import annotations

from collections.abc import Iterable

from vouch.bmc import operands, promises
from vouch.bmc.execution import Execution
from vouch.bmc.frame import Frame
from vouch.bmc.state import State
from vouch.bmc.value import Kind, MemObject, Pointer, Value, merge_pointers, select, symbols
from vouch.c import ir
from vouch.c.checks.base import Check, Trigger
from vouch.c.ranges.access import OUTSIDE
from vouch.smt import term as T
from vouch.smt import walk
from vouch.smt.term import Term
from vouch.smt.walk import substitute

MAIN = (Kind.STACK, Kind.GLOBAL, Kind.HEAP, Kind.OUTSIDE)
# What proofs rest on that are about objects of unknown size.
_LARGE_ENOUGH = {
    Kind.OUTSIDE: OUTSIDE,
    Kind.GLOBAL: "arrays of other files that are declared without a length are taken to be long enough",
}
_DEVICES = (Kind.DEVICE, Kind.WILD)  # a WILD address that may be read is a declared device's


def valid(ex: Execution, state: State, target: MemObject, offset: Term, size: int | Term) -> Term:
    """May `size` bytes at `offset` of the object be accessed on this path?"""
    if target.kind is Kind.DEVICE:
        return T.TRUE
    if target.kind not in MAIN or target.dead:
        if target.kind is Kind.WILD:
            return _declared(ex, offset)
        return T.FALSE
    contents = state.memory.get(target)
    alive = T.TRUE if contents is None else contents.alive
    if target.size is None:
        if target.kind is not Kind.GLOBAL:
            return alive
        return T.and_(alive, T.sle(T.bv(0, ex.context.pointer_bits), offset))  # where it begins is known
    if offset.value is not None and isinstance(size, int) and isinstance(target.size, int):
        return alive if 0 <= int(offset.value) <= target.size - size else T.FALSE
    bits = ex.context.pointer_bits
    length = T.bv(target.size, bits) if isinstance(target.size, int) else target.size
    wanted = T.bv(size, bits) if isinstance(size, int) else size
    inside = T.and_(T.ule(wanted, length), T.ule(offset, T.sub(length, wanted)))
    return T.and_(alive, inside)


def writable(ex: Execution, state: State, target: MemObject, offset: Term, size: int | Term) -> Term:
    """As `valid_block`, and not a constant such as a string literal."""
    return T.FALSE if target.constant else valid_block(ex, state, target, offset, size)


def valid_block(ex: Execution, state: State, target: MemObject, offset: Term, size: int | Term) -> Term:
    """As `valid`; of a struct from outside of which library code was given a member, no more than that
    struct. A text in it ends somewhere all the same."""
    found = valid(ex, state, target, offset, size)
    if not ex.lent or target not in ex.lent:
        return found
    first, end = ex.lent[target]
    wanted = T.bv(size, ex.context.pointer_bits) if isinstance(size, int) else size
    length, at = T.sub(end, first), T.sub(offset, first)
    return T.and_(found, T.ule(wanted, length), T.ule(at, T.sub(length, wanted)))


Accessed = list[tuple[Term, MemObject, Term, Term]]  # guard, object, place, whether it is valid


def _within(
    ex: Execution,
    frame: Frame,
    state: State,
    member: tuple[ir.Operand, int, int],
    good: Accessed,
    size: int,
) -> Accessed:
    """What steps on from a member of a struct from outside has that struct and no more."""
    anchor, before, whole = member
    starts = {target: offset for _, target, offset in operands.pointer_of(ex, frame, anchor).targets}
    bits, found = ex.context.pointer_bits, []
    for guard, target, offset, ok in good:
        if target in starts and target.kind is Kind.OUTSIDE and target.size is None:
            first = T.sub(starts[target], T.bv(before, bits))
            at = T.sub(offset, first)
            ex.touch(target, state, first, whole)  # a run has all of it
            ok = T.and_(ok, T.ule(at, T.bv(whole - size, bits))) if size <= whole else T.FALSE
        found.append((guard, target, offset, ok))
    return found


def _declared(ex: Execution, address: Term) -> Term:
    """Is a computed address inside a range declared as device memory?"""
    bits = ex.context.pointer_bits
    ranges = [
        T.and_(T.ule(T.bv(low, bits), address), T.ule(address, T.bv(high, bits)))
        for low, high in ex.context.devices
    ]
    return T.or_(*ranges) if ranges else T.FALSE


def site_of(frame: Frame, instruction: ir.Instruction) -> ir.Instruction:
    """Where the checks of an instruction are; inside a library model at the call that entered it."""
    if not frame.model:
        return instruction
    current = frame
    while current.caller is not None and current.caller.model:
        current = current.caller
    return current.call if current.call is not None else instruction


def checks_for(ex: Execution, frame: Frame, instruction: ir.Instruction, trigger: Trigger) -> list[Check]:
    """The checks of a site; inside a library model those of the call that entered it."""
    site = site_of(frame, instruction)
    return [check for check in ex.sites.get(site.number, ()) if check.trigger is trigger]


def claim_access(
    ex: Execution,
    frame: Frame,
    state: State,
    instruction: ir.Instruction,
    bad: Term,
    *pointers: Pointer,
    constant: Term = T.FALSE,
) -> None:
    """Claim that what is accessed through these pointers is there. What is as large as it need be is so by
    assumption. What is read to be written must not be `constant`."""
    for check in checks_for(ex, frame, instruction, Trigger.ACCESS):
        ex.claim(check, state, T.or_(bad, constant) if check.written else bad)
        for kind in dict.fromkeys(o.kind for p in pointers for _, o, _ in p.targets if o.size is None):
            if kind in _LARGE_ENOUGH:
                ex.equation.rests.setdefault(check.id, {})[_LARGE_ENOUGH[kind]] = None


def is_bad(ex: Execution, state: State, targets: Iterable[tuple[Term, MemObject, Term]]) -> Term:
    """Where an access is invalid that goes to these objects under these conditions, the last of them saying
    whether it is valid there.

    A pointer from outside does not lead to a variable of the program that is smaller than what is accessed,
    since what it leads to is large enough: such executions do not exist, unless the program has asked."""
    found: list[Term] = []
    named = ex.context.environment.named
    for guard, target, ok in targets:
        bad = T.and_(guard, T.not_(ok))
        if named and bad is not T.FALSE and target.kind is Kind.GLOBAL and guard is not T.TRUE:
            chosen = [symbol for symbol in walk.symbols(guard) if symbol in named]
            if chosen and not (ex.scope is not None and ex.scope.inner):
                chance = T.or_(*chosen) if len(chosen) > 1 else chosen[0]
                ex.context.constrain(T.not_(T.and_(state.guard.term, bad, chance)))
                bad = T.and_(bad, T.not_(chance))
        found.append(bad)
    return T.or_(*found) if len(found) > 1 else found[0] if found else T.FALSE


def rests_on(ex: Execution, frame: Frame, instruction: ir.Instruction, assumption: str) -> None:
    """A proof that the accesses of an instruction are valid takes something for granted."""
    for check in checks_for(ex, frame, instruction, Trigger.ACCESS):
        ex.equation.rests.setdefault(check.id, {})[assumption] = None


def load(
    ex: Execution,
    frame: Frame,
    state: State,
    instruction: ir.Instruction,
    pointer: Pointer,
    type_: ir.Type,
    *,
    volatile: bool = False,
) -> Value:
    size = ex.context.layouts.store_size(type_)
    good = [(g, o, off, valid(ex, state, o, off, size)) for g, o, off in pointer.targets]
    if isinstance(instruction, ir.Load) and instruction.within is not None:
        good = _within(ex, frame, state, instruction.within, good, size)
    bad = is_bad(ex, state, [(g, o, ok) for g, o, _, ok in good])
    constant = T.or_(T.FALSE, *(g for g, o, _, _ in good if o.constant), T.FALSE)
    claim_access(ex, frame, state, instruction, bad, pointer, constant=constant)
    readable = [(g, o, off, ok) for g, o, off, ok in good if ok is not T.FALSE]
    devices = [T.and_(g, ok) for g, o, _, ok in readable if o.kind in _DEVICES]
    choices: list[tuple[Term, Value]] = []
    undefined: Term = T.FALSE
    for guard, target, offset, ok in readable:
        if target.kind in _DEVICES:
            continue
        value, unset = ex.memory.read_at(target, state.memory.get(target), offset, type_)
        if target.kind is Kind.OUTSIDE:
            ex.touch(target, state, offset, size)
        if unset is not T.FALSE:
            undefined = T.or_(undefined, T.and_(guard, ok, unset))
        choices.append((T.and_(guard, ok), value))
    checks = checks_for(ex, frame, instruction, Trigger.UNINITIALISED)
    if checks and undefined is not T.FALSE:
        bits = instruction.field if isinstance(instruction, ir.Load) else None
        undefined = wanted(ex, undefined, bits)
    for check in checks:
        ex.claim(check, state, undefined)
    if volatile or len(devices) == len(readable) > 0:
        return _volatile(ex, frame, state, instruction, pointer, type_, choices)
    if devices:
        choices.append((T.or_(*devices), _volatile(ex, frame, state, instruction, pointer, type_, [])))
    wrong = _violation((g, ok) for g, _, _, ok in good)
    if wrong is not T.FALSE:
        choices.append((T.TRUE, _invalid(ex, frame, state, instruction, type_, wrong)))
    return select(choices)


def _invalid(
    ex: Execution, frame: Frame, state: State, instruction: ir.Instruction, type_: ir.Type, when: Term
) -> Value:
    """What an invalid load yields: anything. The replay makes it yield the same. Inside a library model it is
    zero, which ends strings: a model that runs on through memory that is not there says nothing new."""
    value = ex.context.zero(type_) if frame.model else ex.context.fresh(type_, "invalid")
    event = ex.incoming(state, "undefined", frame.function.name, type_, value, instruction.location)
    event.guard = T.and_(event.guard, when)
    return value


def _violation(targets: Iterable[tuple[Term, Term]]) -> Term:
    terms = [T.and_(guard, T.not_(ok)) for guard, ok in targets]
    return T.or_(*terms) if len(terms) > 1 else terms[0]


def _volatile(
    ex: Execution,
    frame: Frame,
    state: State,
    instruction: ir.Instruction,
    pointer: Pointer,
    type_: ir.Type,
    stored: list[tuple[Term, Value]],
) -> Value:
    """Every read yields a new value. Pointers read this way come from outside, or are what was stored."""
    single = pointer.single
    name = single[0].name if single is not None else "register"
    if isinstance(type_, ir.PointerType):
        ctype = None
        if single is not None and single[1].value is not None:
            ctype = ex.context.ctypes.ctype_at(single[0].ctype, ex.memory.signed(single[1]))
        held = select(stored) if stored else None
        held = held if isinstance(held, Pointer) else None
        value: Value = _volatile_pointer(ex, state, ex.context.ctypes.pointee(ctype), f"{name}.read", held)
        if held is not None and single is not None:
            _no_longer_null(ex, state, single, held, value)
    else:
        value = ex.context.fresh(type_, f"{name}.read")
        if single is not None and single[1].value == 0:
            promises.of_value(ex, ex.context.promises.variables.get(name), value, single[0].ctype)
    ex.incoming(state, "volatile", frame.function.name, type_, value, instruction.location)
    ex.step(frame, state, "input", instruction.location, f"read of {name}", value)
    return value


def _volatile_pointer(
    ex: Execution, state: State, pointee: int | None, name: str, stored: Pointer | None
) -> Pointer:
    environment = ex.context.environment
    passed = () if stored is None else (stored,)
    found = environment.pointer(pointee, name, passed=passed, memory=state.memory)
    # Functions of the program itself, too, get into variables that somebody else may change.
    environment.code.in_variables.update(target for _, target, _ in found.targets)
    if stored is None or all(target.kind is Kind.OUTSIDE for _, target, _ in stored.targets):
        return found
    return merge_pointers(T.fresh(f"{name}.is.stored", T.BOOL), stored, found)


def _no_longer_null(
    ex: Execution, state: State, place: tuple[MemObject, Term], stored: Pointer, read: Value
) -> None:
    """Whoever put another pointer in the place of null did not put null back: code outside hands out valid
    pointers. A loop that waits for a pointer leaves it there."""
    assert isinstance(read, Pointer)
    if is_null(stored) is T.FALSE or place[0].kind not in MAIN:
        return
    target, offset = place
    left = merge_pointers(is_null(stored), read, stored)
    contents = state.memory.get(target)
    state.memory[target] = ex.memory.write_at(
        target, contents, offset, ir.PointerType(), left, T.TRUE, T.FALSE, state.token
    )


def store(
    ex: Execution,
    frame: Frame,
    state: State,
    instruction: ir.Instruction,
    pointer: Pointer,
    type_: ir.Type,
    value: Value,
    undefined: Term = T.FALSE,
) -> None:
    size = ex.context.layouts.store_size(type_)
    if not ex.propagation and isinstance(value, Term) and value.value is not None:
        value = _named(ex, value)
    good = [(g, o, off, writable(ex, state, o, off, size)) for g, o, off in pointer.targets]
    if isinstance(instruction, ir.Store) and instruction.within is not None:
        good = _within(ex, frame, state, instruction.within, good, size)
    bad = is_bad(ex, state, [(g, o, ok) for g, o, _, ok in good])
    claim_access(ex, frame, state, instruction, bad, pointer)
    if any(target.kind is Kind.WILD for _, target, _, _ in good):
        ex.context.environment.disturb_all(state, type_, value)
    for guard, target, offset, ok in good:
        if ok is T.FALSE or target.kind not in MAIN:
            continue
        condition = T.and_(guard, ok)
        if target.kind is Kind.OUTSIDE:
            ex.touch(target, state, offset, size)
        contents = state.memory.get(target)
        state.memory[target] = ex.memory.write_at(
            target, contents, offset, type_, value, condition, undefined, state.token
        )
        carries = isinstance(instruction, ir.Store) and instruction.carries
        ex.context.environment.disturb(state, target, offset, type_, value, copied=carries)
    note_assignment(ex, frame, state, instruction, pointer, value)


def _named(ex: Execution, value: Term) -> Term:
    """A symbol that equals the value, so that nothing is computed before the solver is asked (ablation)."""
    symbol = T.fresh("value", value.sort)
    ex.context.constrain(T.eq(symbol, value))
    return symbol


def note_assignment(
    ex: Execution, frame: Frame, state: State, instruction: ir.Instruction, pointer: Pointer, value: Value
) -> None:
    if instruction.location is None or instruction.nosanitize:
        return
    single = pointer.single
    if single is not None and single[1].value is not None:
        target, place = single[0], ex.memory.signed(single[1])
        ctype = ex.context.ctypes.ctype_at(target.ctype, place)
        ex.step(frame, state, "assign", instruction.location, target.name, value, target, place, ctype)
    else:
        what = f"{single[0].name}[…]" if single is not None else ""
        ex.step(frame, state, "assign", instruction.location, what, value, pointer=pointer)


# ---------------------------------------------------------------- comparison


def compare_pointers(ex: Execution, predicate: str, left: Pointer, right: Pointer) -> Term:
    """Within one object pointers compare by offset; different objects differ and are ordered by address."""
    cases: list[Term] = []
    for g1, a, x in left.targets:
        for g2, b, y in right.targets:
            both = T.and_(g1, g2)
            if both is not T.FALSE:
                if a is b and a.kind is Kind.GLOBAL and g1 is not g2:
                    ex.context.environment.asked_for(g1, g2)
                cases.append(T.and_(both, _compare(ex, predicate, a, x, b, y)))
    return T.or_(*cases) if len(cases) > 1 else (cases[0] if cases else T.FALSE)


def _compare(ex: Execution, predicate: str, a: MemObject, x: Term, b: MemObject, y: Term) -> Term:
    numbers = (Kind.NULL, Kind.WILD, Kind.DEVICE)
    if a.kind is b.kind is Kind.FUNCTION and not (a.name and b.name):
        # A callback from outside may be any function.
        return T.fresh("same.callback", T.BOOL)
    if a is b or (a.kind in numbers and b.kind in numbers):
        return _offsets(predicate, x, y, absolute=a.kind in numbers)
    if predicate in ("eq", "ne"):
        if Kind.WILD in (a.kind, b.kind) and Kind.NULL not in (a.kind, b.kind):
            same = T.eq(ex.context._address_of(a, x), ex.context._address_of(b, y))
            return same if predicate == "eq" else T.not_(same)
        same = ex.context.environment.same_place(a, x, b, y)
        return same if predicate == "eq" else T.not_(same)
    p, q = ex.context._address_of(a, x), ex.context._address_of(b, y)
    return _offsets(predicate, p, q, absolute=True)


def _offsets(predicate: str, x: Term, y: Term, *, absolute: bool) -> Term:
    match predicate:
        case "eq":
            return T.eq(x, y)
        case "ne":
            return T.ne(x, y)
    # Offsets may be negative (before the object); addresses are not.
    less, less_equal = (T.ult, T.ule) if absolute else (T.slt, T.sle)
    match predicate[1:]:
        case "lt":
            return less(x, y)
        case "le":
            return less_equal(x, y)
        case "gt":
            return less(y, x)
        case _:
            return less_equal(y, x)


def pointer_difference(ex: Execution, p: Pointer, q: Pointer) -> Term | None:
    """p - q in bytes where both surely point into one object."""
    a, b = p.single, q.single
    if a is None or b is None or a[0] is not b[0]:
        return None
    return T.sub(a[1], b[1])


def is_null(pointer: Pointer) -> Term:
    terms = [g for g, target, _ in pointer.targets if target.kind is Kind.NULL]
    return T.or_(*terms) if len(terms) > 1 else (terms[0] if terms else T.FALSE)


def bad_callee(pointer: Pointer) -> Term:
    """A call through this pointer hits no function."""
    terms = [g for g, target, _ in pointer.targets if target.kind not in (Kind.FUNCTION, Kind.OUTSIDE)]
    return T.or_(*terms) if len(terms) > 1 else (terms[0] if terms else T.FALSE)


_NEIGHBOURS = "whether a bit-field was written that shares its unit with one that was"


def wanted(ex: Execution, undefined: Term, bits: int | None) -> Term:
    """The condition under which some of the wanted bits (None: any) of what was read are unwritten. A native
    run does not tell bits apart, so that those beside written ones are undecided."""
    fields = ex.context.fields
    while fields:
        known: dict[Term, Term] = {}
        for symbol in symbols(undefined):
            if symbol in fields:
                before, written = fields[symbol]
                known[symbol] = T.FALSE
                if bits is None or bits & ~written:
                    limit = T.fresh("field.unwritten", T.BOOL)
                    ex.context.unsupported[limit] = _NEIGHBOURS
                    known[symbol] = T.and_(before, limit)
        if not known:
            break
        undefined = substitute(undefined, known)
    return undefined
