"""What a memory object holds before anything is written to it.

Reads of untouched bytes come here. An answer never depends on the path that asks, so two branches that read
the same byte get the same value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from vouch.bmc.constants import ConstantRow, constant_at, constant_covering, row_at
from vouch.bmc.strings import Ends, String
from vouch.bmc.value import Value, merge, symbols
from vouch.c import ir
from vouch.errors import Unsupported
from vouch.smt import term as T
from vouch.smt.term import Term

if TYPE_CHECKING:
    from vouch.bmc.memory import Memory
    from vouch.bmc.value import MemObject


class Initial:
    """`undefined`: the condition under which some byte is not initialised. `word`: the word size of arrays
    already made of it, 0 for none. `differs`: each look at `undefined` gives another symbol."""

    undefined: Term = T.FALSE
    word = 0
    differs = False

    @property
    def lacks(self) -> bool:
        """Whether some byte may not be initialised."""
        return self.undefined is not T.FALSE

    def read(self, memory: Memory, target: MemObject, offset: int, type_: ir.Type) -> tuple[Value, Term]:
        """A scalar, and the condition under which some of its bytes are not initialised."""
        raise NotImplementedError

    def unwritten(self, memory: Memory, offset: int, size: int) -> Term:
        """The condition under which one of these bytes was never written."""
        return self.undefined

    def array(self, memory: Memory, target: MemObject, word: int) -> Term:
        """All contents as an SMT array of `word`-byte elements, indexed by element number."""
        raise NotImplementedError

    def flags(self, memory: Memory, target: MemObject, word: int) -> Term | None:
        """Which bytes are uninitialised, as an array beside it with one bit per byte; None for none."""
        if not self.lacks:
            return None
        sort = memory.words.flag_sort(word)
        marked, clear = (T.const_array(sort, T.bv(bits, word)) for bits in (-1, 0))
        return T.ite(self.undefined, marked, clear)

    def anywhere_in(self, memory: Memory, value: Value, offset: Term) -> Value:
        """What a pointer from outside that was read at a variable place may be beside that."""
        return value

    def values(self) -> Iterator[tuple[int, Value]]:
        """What was read or is known of it so far, with offsets: all pointers that it may hold are there, or
        in its parts."""
        return iter(())

    def parts(self) -> tuple[Initial, ...]:
        """Others that it is made of."""
        return ()


class Zero(Initial):
    def read(self, memory: Memory, target: MemObject, offset: int, type_: ir.Type) -> tuple[Value, Term]:
        return memory.zero(type_), T.FALSE

    def array(self, memory: Memory, target: MemObject, word: int) -> Term:
        return T.const_array(memory.words.sort(word), T.bv(0, 8 * word))


class Unknown(Initial):
    """Arbitrary contents, each byte fixed by the first who reads it.

    Reads are answered from named cells; overlapping reads of other sizes are cut from or put together of
    them. Once an array exists, it is the truth and every cell is tied to it.
    """

    def __init__(self, undefined: bool = False, reason: str = "") -> None:
        self.reason = reason  # why nobody knows, where that is a limit of vouch
        self.undefined = T.TRUE if undefined else T.FALSE
        self.cells: dict[int, tuple[int, Value]] = {}
        self.arrays: dict[int, Term] = {}
        self.largest = 1
        self.ends = Ends()
        self.places: dict[Term, None] = {}  # not constant, read out of the array
        self.pointers: dict[Term, Value] = {}  # read at such places, where there is no array

    def read(self, memory: Memory, target: MemObject, offset: int, type_: ir.Type) -> tuple[Value, Term]:
        bad = self.unwritten(memory, offset, memory.layout.store_size(type_))
        return self.value(memory, target, offset, type_), bad

    def value(self, memory: Memory, target: MemObject, offset: int, type_: ir.Type) -> Value:
        size = memory.layout.store_size(type_)
        known = self.cells.get(offset)
        if known is not None and known[0] == size:
            value = known[1]
            if memory.has_type(value, type_):
                return value
            return memory.from_bits(memory.to_bits(value), type_)
        if not self._overlaps(offset, size):
            value = self._new(memory, target, offset, type_)
            self.cells[offset] = (size, value)
            self.largest = max(self.largest, size)
            self._looked(memory, offset, size, value)
            return value
        return memory.from_bits(
            memory.words.join([self._byte(memory, target, offset + i) for i in range(size)]), type_
        )

    def values(self) -> Iterator[tuple[int, Value]]:
        return ((offset, value) for offset, (_, value) in self.cells.items())

    def _overlaps(self, offset: int, size: int) -> bool:
        for start in range(offset - self.largest + 1, offset + size):
            cell = self.cells.get(start)
            if cell is not None and start + cell[0] > offset:
                return True
        return False

    def _byte(self, memory: Memory, target: MemObject, offset: int) -> Term:
        for start in range(offset, offset - self.largest, -1):
            cell = self.cells.get(start)
            if cell is not None and start + cell[0] > offset:
                return memory.words.byte_of(memory.to_bits(cell[1]), offset - start, cell[0])
        value = self._new(memory, target, offset, ir.IntType(8))
        self.cells[offset] = (1, value)
        assert isinstance(value, Term)
        self._looked(memory, offset, 1, value)
        return value

    def _looked(self, memory: Memory, offset: int, size: int, value: Value) -> None:
        if self.ends.strings:
            for place, byte in _bytes_of(memory, offset, size, value):
                self.ends.look(memory, place, byte)

    def look(self, memory: Memory, offset: Term, size: int) -> None:
        """Bytes were read out of the array, at any place."""
        for i in range(size):
            place = memory.words.plus(offset, i)
            if place not in self.places:
                self.places[place] = None
                if self.ends.strings:
                    self.ends.look(memory, place, self._at(memory, place))

    def _at(self, memory: Memory, place: Term) -> Term:
        word, array = next(iter(self.arrays.items()))
        return memory.words.read(array, place, 1, word)

    def _seen(self, memory: Memory) -> Iterator[tuple[Term, Term]]:
        for offset, (size, value) in self.cells.items():
            yield from _bytes_of(memory, offset, size, value)
        if self.arrays:
            yield from ((place, self._at(memory, place)) for place in self.places)

    def end(self, memory: Memory, target: MemObject, start: Term) -> Term:
        """Where the string that begins at `start` ends."""
        return self.ends.of(memory, target, start, lambda: self._seen(memory))

    def holds_string(self, memory: Memory, string: String) -> None:
        """This string lies here."""
        self.ends.add(memory, string, lambda: self._seen(memory))

    def _new(self, memory: Memory, target: MemObject, offset: int, type_: ir.Type) -> Value:
        for word, array in self.arrays.items():
            size = memory.layout.store_size(type_)
            bits = memory.words.read(array, T.bv(offset, memory.pointer_bits), size, word)
            if isinstance(type_, ir.PointerType) and self.undefined is T.FALSE:
                # A pointer that is first read after the array was made is one from outside all the same.
                value = memory.arbitrary(target, offset, type_, False)
                memory.constrain(T.eq(bits, memory.to_bits(value)))
                return value
            return memory.from_bits(bits, type_)
        value = self.arbitrary(memory, target, offset, type_)
        if self.reason:
            for symbol in symbols(value):
                memory.context.unsupported[symbol] = self.reason
        return value

    def arbitrary(self, memory: Memory, target: MemObject, offset: int, type_: ir.Type) -> Value:
        return memory.arbitrary(target, offset, type_, self.undefined is T.TRUE)

    def array(self, memory: Memory, target: MemObject, word: int) -> Term:
        array = self.arrays.get(word)
        if array is None:
            first = not self.arrays
            array = T.fresh(f"{target.name}.contents", memory.words.sort(word))
            for offset, (size, value) in self.cells.items():
                bits = memory.words.read(array, T.bv(offset, memory.pointer_bits), size, word)
                memory.constrain(T.eq(bits, memory.to_bits(value)))
            if not first:
                raise Unsupported("memory read in words of different sizes at variable places")
            self.arrays[word] = array
            self.word = word
            if self.reason:
                memory.context.unsupported[array] = self.reason
            memory.made(array, self)
        return array


class Suspect(Unknown):
    """Arbitrary contents of which nobody knows whether they were written. Pointers among them are made by the
    environment."""

    def __init__(self) -> None:
        super().__init__(undefined=True)

    def arbitrary(self, memory: Memory, target: MemObject, offset: int, type_: ir.Type) -> Value:
        return memory.arbitrary(target, offset, type_, False)


def _bytes_of(memory: Memory, offset: int, size: int, value: Value) -> Iterator[tuple[Term, Term]]:
    """Numbers only: pointers and fractions are no text."""
    if isinstance(value, Term) and value.sort.kind == "bv":
        bits = memory.to_bits(value)
        for i in range(size):
            yield T.bv(offset + i, memory.pointer_bits), memory.words.byte_of(bits, i, size)


class Given(Initial):
    """The initial value of a global, element by element from its constant."""

    def __init__(self, constant: ir.Constant) -> None:
        self.constant = constant
        self.known: dict[tuple[int, ir.Type], Value] = {}  # what was read before
        self._row: ConstantRow | None = None  # where that was

    def read(self, memory: Memory, target: MemObject, offset: int, type_: ir.Type) -> tuple[Value, Term]:
        return self.value(memory, offset, type_), T.FALSE

    def value(self, memory: Memory, offset: int, type_: ir.Type) -> Value:
        key = (offset, type_)
        value = self.known.get(key)
        if value is None:
            value = self.known[key] = self._value(memory, offset, type_)
        return value

    def _value(self, memory: Memory, offset: int, type_: ir.Type) -> Value:
        row = self._row
        if row is None or not row.start <= offset < row.end:
            row = self._row = row_at(memory.layout, self.constant, offset)
        if row is not None and row.element == type_ and not (offset - row.start) % row.step:
            element = row.elements[(offset - row.start) // row.step]
            value = memory.constant_value(element)
            if type(element) is ir.FloatConstant or memory.has_type(value, type_):
                return value
        size = memory.layout.store_size(type_)
        found = constant_at(memory.layout, self.constant, offset, size)
        if found is not None:
            value = memory.constant_value(found)
            if not memory.has_type(value, type_):
                value = memory.from_bits(memory.to_bits(value), type_)
            return value
        parts = [self._byte(memory, offset + i) for i in range(size)]
        return memory.from_bits(memory.words.join(parts), type_)

    def _byte(self, memory: Memory, offset: int) -> Term:
        found = constant_covering(memory.layout, self.constant, offset)
        if found is None:
            return T.bv(0, 8)  # padding and what lies behind the end
        constant, start = found
        bits = memory.to_bits(memory.constant_value(constant))
        return memory.words.byte_of(bits, offset - start, bits.width // 8)

    def array(self, memory: Memory, target: MemObject, word: int) -> Term:
        assert isinstance(target.size, int)
        array = T.const_array(memory.words.sort(word), T.bv(0, 8 * word))
        for index in range((target.size + word - 1) // word):
            bits = memory.words.join([self._byte(memory, index * word + i) for i in range(word)])
            if bits.value != 0:
                array = T.store(array, T.bv(index, memory.pointer_bits), bits)
        return array


class Merged(Initial):
    """One of two, depending on the path that led here. Paths meet again and again, and both sides of one
    meeting come from those before it: what was read is kept, or each read would follow every path."""

    def __init__(self, condition: Term, yes: Initial, no: Initial) -> None:
        self.condition, self.yes, self.no = condition, yes, no
        self._known: dict[tuple[int, ir.Type], tuple[Value, Term]] = {}
        self._arrays: dict[int, Term] = {}
        self._flags: dict[int, Term | None] = {}
        self._unwritten: dict[tuple[int, int], Term] = {}
        self._lacks = yes.lacks or no.lacks
        self.word = yes.word or no.word
        self.differs = yes.differs or no.differs
        self._undefined: Term | None = None

    @property
    def undefined(self) -> Term:  # type: ignore[override]
        if self._undefined is not None:
            return self._undefined
        found = T.ite(self.condition, self.yes.undefined, self.no.undefined)
        if not self.differs:
            self._undefined = found
        return found

    @property
    def lacks(self) -> bool:
        return self._lacks

    def unwritten(self, memory: Memory, offset: int, size: int) -> Term:
        known = self._unwritten.get((offset, size))
        if known is None:
            yes, no = (part.unwritten(memory, offset, size) for part in (self.yes, self.no))
            known = self._unwritten[offset, size] = T.ite(self.condition, yes, no)
        return known

    def read(self, memory: Memory, target: MemObject, offset: int, type_: ir.Type) -> tuple[Value, Term]:
        known = self._known.get((offset, type_))
        if known is None:
            yes, bad = self.yes.read(memory, target, offset, type_)
            no, worse = self.no.read(memory, target, offset, type_)
            known = merge(self.condition, yes, no), T.ite(self.condition, bad, worse)
            self._known[offset, type_] = known
        return known

    def array(self, memory: Memory, target: MemObject, word: int) -> Term:
        if word not in self._arrays:
            yes, no = self.yes.array(memory, target, word), self.no.array(memory, target, word)
            self._arrays[word] = T.ite(self.condition, yes, no)
        return self._arrays[word]

    def flags(self, memory: Memory, target: MemObject, word: int) -> Term | None:
        if word not in self._flags:
            self._flags[word] = self._flags_of(memory, target, word)
        return self._flags[word]

    def _flags_of(self, memory: Memory, target: MemObject, word: int) -> Term | None:
        yes, no = self.yes.flags(memory, target, word), self.no.flags(memory, target, word)
        if yes is None and no is None:
            return None
        clear = T.const_array(memory.words.flag_sort(word), T.bv(0, word))
        return T.ite(self.condition, clear if yes is None else yes, clear if no is None else no)

    def parts(self) -> tuple[Initial, ...]:
        return self.yes, self.no


class CommandLine(Unknown):
    """The vector that `main` gets: `count` strings from outside, then null."""

    def __init__(self, count: Term) -> None:
        super().__init__()
        self.count = count
        self.reads: list[tuple[Term, Value]] = []  # pointers read at places that are no constants

    def _new(self, memory: Memory, target: MemObject, offset: int, type_: ir.Type) -> Value:
        size = memory.pointer_bits // 8
        if not isinstance(type_, ir.PointerType) or offset % size:
            return super()._new(memory, target, offset, type_)
        index = T.bv(offset // size, memory.pointer_bits)
        return self._entry(memory, target, T.ult(index, self.count), f"{target.name}[{offset // size}]")

    def anywhere(self, memory: Memory, target: MemObject, offset: Term) -> Value:
        """The entry at a variable offset."""
        limit = T.mul(self.count, T.bv(memory.pointer_bits // 8, memory.pointer_bits))
        value = self._entry(memory, target, T.ult(offset, limit), f"{target.name}[*]")
        self.reads.append((offset, value))
        return value

    def values(self) -> Iterator[tuple[int, Value]]:
        yield from super().values()
        yield from ((0, value) for _, value in self.reads)

    def _entry(self, memory: Memory, target: MemObject, inside: Term, name: str) -> Value:
        text = memory.context.environment.pointer(memory.context.character(), name, alone=True)
        return merge(inside, text, memory.context.null)
