"""memcpy, memset and their kin: whole stretches of memory, cell by cell where sizes are constant."""

from __future__ import annotations

from collections.abc import Iterator

from vouch.bmc import access
from vouch.bmc.apart import overlap
from vouch.bmc.changed import Changed, Filled
from vouch.bmc.contents import Contents, partly_written
from vouch.bmc.execution import Execution
from vouch.bmc.frame import Frame
from vouch.bmc.initial import Unknown, Zero
from vouch.bmc.shapes import bounds
from vouch.bmc.state import State
from vouch.bmc.strings import String, largest
from vouch.bmc.value import Kind, MemObject, Pointer, Value, select, symbols
from vouch.c import ir
from vouch.c.ranges.access import APART
from vouch.smt import term as T
from vouch.smt.term import Term

COPY_LIMIT = 1 << 14  # bytes copied or set one by one
VARIABLE_LIMIT = 512  # bytes when their number is not constant
Piece = tuple[int, ir.Type, Value, Term]


def _claims(
    ex: Execution,
    frame: Frame,
    state: State,
    site: ir.Instruction,
    pointers: list[Pointer],
    size: Term,
    bad: Term = T.FALSE,
) -> None:
    """All bytes must be accessible, unless there are none; the first pointer is written through. `bad` is
    what must not be besides."""
    for number, pointer in enumerate(pointers):
        usable = access.valid_block if number else access.writable
        found = [(g, o, usable(ex, state, o, off, size)) for g, o, off in pointer.targets]
        bad = T.or_(bad, access.is_bad(ex, state, found))
    some = T.ne(size, T.bv(0, size.width))
    access.claim_access(ex, frame, state, site, T.and_(some, bad), *pointers)
    if any(target.kind is Kind.WILD for _, target, _ in pointers[0].targets):
        ex.context.environment.disturb_all(state, None, None)  # an address as a number may be anything's


def copy(
    ex: Execution,
    frame: Frame,
    state: State,
    site: ir.Instruction,
    destination: Pointer,
    source: Pointer,
    size: Term,
    *,
    apart: bool = False,
) -> None:
    """Copy `size` bytes, which may overlap: everything is read before anything is written. Two stretches that
    must lie `apart` and do not are a violation, and what they leave behind is not told."""
    size = T.resize_u(size, ex.context.pointer_bits)
    mixed, assumed = overlap(ex, destination, source, size) if apart else (T.FALSE, False)
    _claims(ex, frame, state, site, [destination, source], size, mixed)
    if assumed:
        access.rests_on(ex, frame, site, APART)
    copy_unchecked(ex, state, destination, source, size)
    if mixed is not T.FALSE:
        left = ex.new_object(state, Kind.HEAP, "overlap", None, Unknown())
        left.heap_kind = "input"
        length = T.ite(mixed, size, T.bv(0, size.width))
        copy_unchecked(ex, state, destination, Pointer.to(left, ex.context.zero_offset), length)
        assert isinstance(left.initial, Unknown)
        for _, value in left.initial.cells.values():
            why = "what a copy between overlapping places leaves behind is not defined"
            ex.context.inexact.update(dict.fromkeys(symbols(value), why))


def lie_apart(
    ex: Execution,
    frame: Frame,
    state: State,
    site: ir.Instruction,
    destination: Pointer,
    source: Pointer,
    size: Term,
) -> None:
    """Claim that two stretches share no byte, nor are the same. What is read and written is the copy's."""
    mixed, assumed = overlap(
        ex, destination, source, T.resize_u(size, ex.context.pointer_bits), same=False
    )
    access.claim_access(ex, frame, state, site, mixed, destination, source)
    if assumed:
        access.rests_on(ex, frame, site, APART)


_NOTED = 256  # bytes of a block that a trace shows


def note(
    ex: Execution, frame: Frame, state: State, site: ir.Instruction, target: Pointer, size: Term
) -> None:
    """Let the trace show what was written to a small block, as scalars of what lies there."""
    if site.location is None or frame.model or size.value is None or int(size.value) > _NOTED:
        return
    single = target.single
    if single is None or single[0].kind not in access.MAIN or single[1].value is None:
        return
    start, at = ex.memory.signed(single[1]), 0
    while at < int(size.value):
        type_ = ex.context.ctypes.scalar_at(single[0].ctype, start + at)
        if type_ is None:
            return
        value, _ = read_one(ex, state, target, at, type_)
        ex.step(frame, state, "assign", site.location, single[0].name, value, offset=at, pointer=target)
        at += ex.context.layouts.store_size(type_)


def copy_unchecked(ex: Execution, state: State, destination: Pointer, source: Pointer, size: Term) -> None:
    """The copy alone; bytes that cannot be accessed are left out."""
    if size.value is not None and int(size.value) <= COPY_LIMIT:
        pieces = read(ex, state, source, int(size.value), destination)
        for at, type_, value, undefined in pieces:
            write(ex, state, destination, at, type_, value, T.TRUE, undefined)
        if any(isinstance(value, Term) and value.value == 0 for _, _, value, _ in pieces):
            _zeroed(ex, state, destination)
        return
    most = _most(ex, [destination, source], size)
    if most is None:
        _forget(ex, state, destination, "a copy of unknown length", source, size)
        return
    byte = ir.IntType(8)
    found = [(at, *read_one(ex, state, source, at, byte)) for at in range(most)]
    for at, value, undefined in found:
        inside = T.ult(T.bv(at, ex.context.pointer_bits), size)
        write(ex, state, destination, at, byte, value, inside, undefined)


def _most(ex: Execution, pointers: list[Pointer], size: Term) -> int | None:
    """The most bytes that a valid access of this size can touch, if that is a small number."""
    most = min(bounds(size)[1], most_bytes(ex, pointers, size.width))
    return most if most <= VARIABLE_LIMIT else None


def most_bytes(ex: Execution, pointers: list[Pointer], bits: int) -> int:
    """The most bytes that lie behind all of these pointers."""
    most = (1 << bits) - 1
    for pointer in pointers:
        sizes = [o.size for _, o, _ in pointer.targets if o.kind in access.MAIN]
        if sizes and all(isinstance(s, int) for s in sizes):
            most = min(most, max(s for s in sizes if isinstance(s, int)))
    return most


def _forget(
    ex: Execution,
    state: State,
    pointer: Pointer,
    why: str,
    source: Pointer | None = None,
    size: Term | None = None,
) -> None:
    ex.context.note(why)
    origins = source.targets if source is not None else ()
    unset = any(o.kind in access.MAIN and partly_written(o, state.memory.get(o)) for _, o, _ in origins)
    strings = list(_strings(state, source)) if source is not None else []
    for guard, target, offset in pointer.targets:
        if target.kind in access.MAIN and not target.constant:
            partly = unset or partly_written(target, state.memory.get(target))
            left = Changed(ex.context, partly, why, why)
            havoc(ex, state, target, left)
            ex.context.environment.disturb(state, target, None, None, None)
            if size is None:
                continue
            stop = T.add(offset, size)
            written = _written(ex, state, source, size) if unset and source is not None else T.TRUE
            left.filled.append((offset, stop, T.and_(guard, written, T.ule(offset, stop))))
            for length, when in strings:
                whole = T.and_(guard, when, T.ult(length, size))
                end, limit = T.add(offset, length), largest(target, ex.context.pointer_bits)
                left.holds_string(ex.memory, String(offset, end, limit, whole))


def _written(ex: Execution, state: State, source: Pointer, size: Term) -> Term:
    """Were all bytes that a copy takes written?"""
    found: Term = T.TRUE
    for guard, target, offset in source.targets:
        contents = state.memory.get(target)
        if target.kind not in access.MAIN or not partly_written(target, contents):
            continue
        initial = contents.initial if contents is not None else None
        if contents is None or contents.cells or contents.array or not isinstance(initial, Changed):
            return T.FALSE
        last = T.sub(T.add(offset, size), T.bv(1, ex.context.pointer_bits))
        found = T.and_(found, T.or_(T.not_(guard), initial.covered(offset, last)))
    return found


def _strings(state: State, source: Pointer) -> Iterator[tuple[Term, Term]]:
    """Lengths of strings that begin where a copy begins, each with the condition that it is one: copied as a
    whole it is a string in its new place."""
    for guard, target, offset in source.targets:
        contents = state.memory.get(target)
        initial = target.initial if contents is None or contents.initial is None else contents.initial
        if not isinstance(initial, Unknown) or (contents is not None and (contents.cells or contents.array)):
            continue
        for string in initial.ends.strings:
            if string.start is offset:
                whole = T.and_(guard, string.when, T.ult(string.end, string.size))
                yield T.sub(string.end, string.start), whole


def havoc(ex: Execution, state: State, target: MemObject, contents: Unknown) -> None:
    """Everything in the object becomes unknown."""
    old = state.memory.get(target)
    new = Contents(state.token, contents)
    if old is not None:
        new.alive = old.alive
    state.memory[target] = new


def fill(
    ex: Execution,
    frame: Frame,
    state: State,
    site: ir.Instruction,
    destination: Pointer,
    byte: Term,
    size: Term,
) -> None:
    size = T.resize_u(size, ex.context.pointer_bits)
    _claims(ex, frame, state, site, [destination], size)
    if byte.value == 0:
        _zeroed(ex, state, destination)
    single = destination.single
    if single is not None and byte.value == 0 and size.value is not None:
        target, offset = single
        if offset.value == 0 and target.size == size.value and target.kind in access.MAIN and not target.dead:
            old = state.memory.get(target)
            new = Contents(state.token, Zero())
            new.alive = old.alive if old is not None else T.TRUE
            state.memory[target] = new
            ex.context.environment.disturb(state, target, None, None, None)
            return
    if size.value is not None and int(size.value) <= COPY_LIMIT:
        _fill_constant(ex, state, destination, byte, int(size.value))
        return
    most = _most(ex, [destination], size)
    if most is None:
        if single is not None and _fill_at_once(ex, state, *single, byte, size):
            return
        _forget(ex, state, destination, "a memset of unknown length", size=size)
        return
    for at in range(most):
        inside = T.ult(T.bv(at, ex.context.pointer_bits), size)
        write(ex, state, destination, at, ir.IntType(8), byte, inside, T.FALSE)


def _zeroed(ex: Execution, state: State, destination: Pointer) -> None:
    for _, target, _ in destination.targets:
        if target.kind in access.MAIN and not target.constant:
            ex.context.environment.zeroed(state, target)


def _fill_at_once(
    ex: Execution, state: State, target: MemObject, offset: Term, byte: Term, size: Term
) -> bool:
    """Fill many bytes at a place that is known; False where that cannot be said of them all at once."""
    if offset.value is None or size.value is None:
        return False
    start = ex.memory.signed(offset)
    stop = start + int(size.value)
    if target.kind not in access.MAIN or target.constant or start < 0:
        return False
    old = state.memory.get(target)
    plain = old is None or old.array is None
    cells = dict(old.cells) if old is not None and plain else {}
    if any(
        at < stop and start < at + held[0] and not start <= at <= at + held[0] <= stop
        for at, held in cells.items()
    ):
        return False  # a cell lies across the border
    beneath = target.initial if old is None or old.initial is None else old.initial
    why = "a memset of many bytes, beside other bytes of unknown contents"
    left = Filled(
        ex.context, partly_written(target, old), why, (start, stop, byte), beneath if plain else None
    )
    pointer_bits = ex.context.pointer_bits
    left.filled.append((offset, T.bv(stop, pointer_bits), T.TRUE))
    havoc(ex, state, target, left)
    contents = state.memory[target]
    contents.cells.update((at, held) for at, held in cells.items() if not start <= at < stop)
    contents.largest = old.largest if old is not None else 1
    ex.context.environment.disturb(state, target, None, None, None)
    return True


def _fill_constant(ex: Execution, state: State, destination: Pointer, byte: Term, size: int) -> None:
    words = {1: byte}
    for width in (2, 4, 8):
        words[width] = T.concat(words[width // 2], words[width // 2])
    at = 0
    while at < size:
        width = 8
        while at % width or at + width > size:
            width //= 2
        write(ex, state, destination, at, ir.IntType(8 * width), words[width], T.TRUE, T.FALSE)
        at += width


def write(
    ex: Execution,
    state: State,
    destination: Pointer,
    at: int,
    type_: ir.Type,
    value: Value,
    condition: Term,
    undefined: Term,
) -> None:
    """Write a value `at` bytes behind a pointer, where `condition` holds and the place may be written."""
    size = ex.context.layouts.store_size(type_)
    for guard, target, offset in destination.targets:
        if target.kind not in access.MAIN:
            continue
        where = ex.memory.words.plus(offset, at)
        ok = T.and_(guard, condition, access.writable(ex, state, target, where, size))
        if ok is T.FALSE:
            continue
        if target.kind is Kind.OUTSIDE:
            ex.touch(target, state, where, size)
        contents = state.memory.get(target)
        state.memory[target] = ex.memory.write_at(
            target, contents, where, type_, value, ok, undefined, state.token
        )
        ex.context.environment.disturb(state, target, where, type_, value, copied=True)


def read(
    ex: Execution, state: State, source: Pointer, size: int, destination: Pointer | None = None
) -> list[Piece]:
    """What lies in `size` bytes behind a pointer, in pieces, which fit where they go to if they can."""
    single = source.single
    if single is not None and single[1].value is not None and single[0].kind in access.MAIN:
        target, offset = single
        wanted = destination.single if destination is not None else None
        return list(_pieces(ex, state, target, ex.memory.signed(offset), size, wanted))
    result: list[Piece] = []
    for at, type_ in _shape(ex, source, size):
        value, undefined = read_one(ex, state, source, at, type_)
        result.append((at, type_, value, undefined))
    return result


def read_one(ex: Execution, state: State, source: Pointer, at: int, type_: ir.Type) -> tuple[Value, Term]:
    size = ex.context.layouts.store_size(type_)
    choices: list[tuple[Term, Value]] = []
    undefined: Term = T.FALSE
    for guard, target, offset in source.targets:
        where = ex.memory.words.plus(offset, at)
        ok = access.valid(ex, state, target, where, size)
        if ok is T.FALSE or target.kind not in access.MAIN:
            continue
        if target.kind is Kind.OUTSIDE:
            ex.touch(target, state, where, size)
        value, bad = ex.memory.read_at(target, state.memory.get(target), where, type_)
        undefined = T.or_(undefined, T.and_(guard, bad))
        choices.append((guard, value))
    if not choices:
        return ex.context.fresh(type_, "invalid"), T.FALSE
    return select(choices), undefined


def _pieces(
    ex: Execution,
    state: State,
    target: MemObject,
    offset: int,
    size: int,
    destination: tuple[MemObject, Term] | None,
) -> Iterator[Piece]:
    """What lies in a stretch of an object, in the cells it was written in."""
    contents = state.memory.get(target)
    if target.kind is Kind.OUTSIDE:
        ex.touch(target, state, T.bv(offset, ex.context.pointer_bits), size)
    at = offset
    end = offset + size
    while at < end:
        cell = contents.cells.get(at) if contents is not None else None
        if cell is not None and at + cell[0] <= end:
            yield at - offset, ex.memory.type_of(cell[1], cell[0]), cell[1], cell[2]
            at += cell[0]
            continue
        type_ = _wanted(ex, contents, at, end - at, destination, at - offset)
        if type_ is None:
            type_ = _natural(ex, target, contents, at, end - at)
        value, undefined = ex.memory.read(target, contents, at, type_)
        yield at - offset, type_, value, undefined
        at += ex.context.layouts.store_size(type_)


def _wanted(
    ex: Execution,
    contents: Contents | None,
    at: int,
    room: int,
    destination: tuple[MemObject, Term] | None,
    behind: int,
) -> ir.Type | None:
    """A number's type for bytes that were not written yet, where they go to a number."""
    if destination is None or destination[1].value is None:
        return None
    type_ = ex.context.ctypes.scalar_at(destination[0].ctype, ex.memory.signed(destination[1]) + behind)
    if type_ is None or isinstance(type_, ir.PointerType):
        return None
    size = ex.context.layouts.store_size(type_)
    fits = size <= room and (contents is None or not ex.memory._overlaps(contents, at, size))
    return type_ if fits else None


def _natural(ex: Execution, target: MemObject, contents: Contents | None, at: int, room: int) -> ir.Type:
    """A type for bytes that were not written yet: what C says lies there, else a whole number."""
    ctype = ex.context.ctypes.scalar_at(target.ctype, at)
    if ctype is not None and ex.context.layouts.store_size(ctype) <= room:
        size = ex.context.layouts.store_size(ctype)
        if contents is None or not ex.memory._overlaps(contents, at, size):
            return ctype
    width = 8
    while width > 1 and (at % width or width > room or _busy(ex, contents, at, width)):
        width //= 2
    return ir.IntType(8 * width)


def _busy(ex: Execution, contents: Contents | None, at: int, width: int) -> bool:
    return contents is not None and bool(contents.cells) and ex.memory._overlaps(contents, at, width)


def _shape(ex: Execution, source: Pointer, size: int) -> Iterator[tuple[int, ir.Type]]:
    """Types to read a stretch at a variable place in, from the C type of what lies there."""
    element = None
    for _, target, _ in source.targets:
        element = ex.context.ctypes.element_of_size(target.ctype, size)
        if element is not None:
            break
    at = 0
    while at < size:
        type_ = ex.context.ctypes.scalar_at(element, at) if element is not None else None
        if type_ is None or at + ex.context.layouts.store_size(type_) > size:
            type_ = ir.IntType(8)
        yield at, type_
        at += ex.context.layouts.store_size(type_)
