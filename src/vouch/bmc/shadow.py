"""The shadow of a register: unwritten bytes of structs on their way through registers.

Where a struct is handed on by value, the register that holds it (or a part) has marks beside it: for each of
its bytes the condition under which nobody wrote it. They stand in the frame under a name of their own, have
the shape of the value (a tuple for each struct, array or vector, and in place of a scalar a tuple of its
bytes in the order of memory), and become marks in memory again when the register is stored. A register
without marks holds written bytes only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from vouch.bmc import access, memory_ops
from vouch.bmc.execution import Execution
from vouch.bmc.frame import Frame, Shadow, name_of
from vouch.bmc.state import Edge, State, join_values
from vouch.bmc.value import Pointer, Value
from vouch.c import ir
from vouch.c.struct_registers import passed_on
from vouch.smt import term as T
from vouch.smt.term import Term

Piece = tuple[int, ir.Type, Value, Term]  # offset, type, value, condition under which it is unwritten
_BYTE = ir.IntType(8)
_AGGREGATES = (ir.StructType, ir.ArrayType, ir.VectorType)


def of(ex: Execution, frame: Frame, operand: ir.Operand) -> Shadow | None:
    if not frame.marked or not isinstance(operand, ir.Register):
        return None
    name = name_of(operand.name)
    found = frame.registers.get(name)
    if found is None:
        found = frame.fixed.get(name)
    return found if isinstance(found, tuple) else None


def put(frame: Frame, register: str, marks: Shadow | None) -> None:
    if marks is not None:
        frame.registers[name_of(register)] = marks
        frame.marked = True


def loaded(ex: Execution, state: State, pointer: Pointer, type_: ir.Type) -> Shadow | None:
    """The marks of what a load through a pointer yields, None where all of it is written."""
    marks = _read(ex, state, pointer, 0, type_)
    return None if _clear(marks) else marks


def _read(ex: Execution, state: State, pointer: Pointer, at: int, type_: ir.Type) -> Shadow:
    if isinstance(type_, _AGGREGATES):
        parts = ex.context.layouts.elements(type_)
        return tuple(_read(ex, state, pointer, at + offset, element) for element, offset in parts)
    size = ex.context.layouts.store_size(type_)
    if _undefined(ex, state, pointer, at, type_) is T.FALSE:
        return (T.FALSE,) * size
    return tuple(_undefined(ex, state, pointer, at + i, _BYTE) for i in range(size))


def _undefined(ex: Execution, state: State, pointer: Pointer, at: int, type_: ir.Type) -> Term:
    found: Term = T.FALSE
    for guard, target, offset in pointer.targets:
        where = ex.memory.words.plus(offset, at)
        ok = access.valid(ex, state, target, where, ex.context.layouts.store_size(type_))
        if ok is not T.FALSE and target.kind in access.MAIN:
            _, bad = ex.memory.read_at(target, state.memory.get(target), where, type_)
            found = T.or_(found, T.and_(guard, ok, bad))
    return found


def _clear(marks: Shadow) -> bool:
    return all(_clear(part) if isinstance(part, tuple) else part is T.FALSE for part in marks)


def _cleared(marks: Shadow) -> Shadow:
    """Shadow of this shape for what is written."""
    return tuple(_cleared(part) if isinstance(part, tuple) else T.FALSE for part in marks)


def follow(ex: Execution, frame: Frame, i: ir.Instruction) -> None:
    """Give the result of an instruction the marks of the operands that it is made of."""
    if i.result is None:
        return
    sources = passed_on(i)
    given = [of(ex, frame, source) for source in sources]
    if not any(marks is not None for marks in given):
        return
    match i:
        case ir.Extract(indices=indices):
            marks = given[0]
            for index in indices:
                assert marks is not None
                part = marks[index]
                assert isinstance(part, tuple)
                marks = part
        case ir.Insert(indices=indices):
            whole, part = (
                marks if marks is not None else _written(ex, ex.context.type_of(source))
                for marks, source in zip(given, sources, strict=True)
            )
            marks = _inserted(whole, part, indices)
        case _:
            marks = _moved(ex, i, given[0])
    if marks is not None and not _clear(marks):
        put(frame, i.result, marks)


def _written(ex: Execution, type_: ir.Type) -> Shadow:
    if isinstance(type_, _AGGREGATES):
        return tuple(_written(ex, element) for element, _ in ex.context.layouts.elements(type_))
    return (T.FALSE,) * ex.context.layouts.store_size(type_)


def _inserted(whole: Shadow, part: Shadow, indices: Sequence[int]) -> Shadow:
    if not indices:
        return part
    first, inner = indices[0], whole[indices[0]]
    assert isinstance(inner, tuple)
    return (*whole[:first], _inserted(inner, part, indices[1:]), *whole[first + 1 :])


def _moved(ex: Execution, i: ir.Instruction, marks: Shadow | None) -> Shadow | None:
    """A number shifted by whole bytes, made wider or narrower."""
    if marks is None:
        return None
    low_first = marks[::-1] if ex.memory.big_endian else marks
    if isinstance(i, ir.Binary):
        assert isinstance(i.right, ir.IntConstant)
        count = min(i.right.value // 8, len(marks))
        gap = (T.FALSE,) * count
        low_first = gap + low_first[: len(marks) - count] if i.op == "shl" else low_first[count:] + gap
    size = ex.context.layouts.store_size(i.type)
    low_first = (*low_first[:size], *(T.FALSE,) * (size - len(low_first)))
    return low_first[::-1] if ex.memory.big_endian else low_first


def pieces(ex: Execution, type_: ir.Type, value: Value, marks: Shadow, at: int = 0) -> Iterator[Piece]:
    """A marked value cut into parts that are each written or not as a whole."""
    if isinstance(value, tuple):
        parts = ex.context.layouts.elements(type_)
        for element, inner, part in zip(parts, value, marks, strict=True):
            assert isinstance(part, tuple)
            yield from pieces(ex, element[0], inner, part, at + element[1])
        return
    bytes_ = [mark for mark in marks if isinstance(mark, Term)]
    if _alike(bytes_):
        yield at, type_, value, bytes_[0]
        return
    bits, size, start = ex.memory.to_bits(value), len(bytes_), 0
    while start < size:
        width = 8
        while start % width or start + width > size or not _alike(bytes_[start : start + width]):
            width //= 2
        cut = ex.memory.words.join([ex.memory.words.byte_of(bits, start + i, size) for i in range(width)])
        yield at + start, ir.IntType(8 * width), cut, bytes_[start]
        start += width


def _alike(marks: Sequence[Term]) -> bool:
    return all(mark is marks[0] for mark in marks)


def of_field(ex: Execution, before: Shadow, bits: int) -> Shadow:
    """Shadow of a unit in which a bit-field was written: symbols that `access.wanted`
    replaces by what they mean."""
    made: dict[Term, Term] = {T.FALSE: T.FALSE}
    for mark in before:
        assert isinstance(mark, Term)
        if mark not in made:
            made[mark] = T.fresh("field.undefined", T.BOOL)
            earlier, written = ex.context.fields.get(mark, (mark, 0))
            ex.context.fields[made[mark]] = (earlier, written | bits)
    return tuple(made[mark] for mark in before if isinstance(mark, Term))


def stored(
    ex: Execution, state: State, pointer: Pointer, type_: ir.Type, value: Value, marks: Shadow
) -> None:
    """Mark what a store has just written."""
    for at, part, inner, undefined in pieces(ex, type_, value, marks):
        memory_ops.write(ex, state, pointer, at, part, inner, T.TRUE, undefined)


def joined(edges: Sequence[Edge], names: Iterable[str], conditions: Sequence[Term]) -> dict[str, Value]:
    """The marks of registers where paths meet: those of the path that was taken."""
    found: dict[str, Value] = {}
    for register in names:
        name = name_of(register)
        held = [edge.registers.get(name) for edge in edges]
        known = next((marks for marks in held if isinstance(marks, tuple)), None)
        if known is not None:
            clear = _cleared(known)
            values = [marks if marks is not None else clear for marks in held]
            found[name] = values[0] if len(values) == 1 else join_values(conditions, values)
    return found
