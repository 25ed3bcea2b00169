"""Reading and writing memory objects: contents in, values or new contents out (`vouch.bmc.contents`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from vouch.bmc.contents import Cell, Contents
from vouch.bmc.layouts import Layouts
from vouch.bmc.scalars import Scalars
from vouch.bmc.shapes import bounds
from vouch.bmc.value import Kind, MemObject, Value, merge
from vouch.bmc.words import Words
from vouch.c import ir
from vouch.errors import Unsupported
from vouch.smt import term as T
from vouch.smt.term import Term

if TYPE_CHECKING:
    from vouch.bmc.context import ExecutionContext
    from vouch.bmc.initial import Initial, Unknown

READ_LIMIT: Final = 1024  # offsets tried one by one before an SMT array is used
OUTSIDE_LIMIT: Final = 64  # the same of numbers from outside: each would need a symbol of its own
WRITE_LIMIT: Final = 128
SAME_PLACES: Final = 4  # where a pointer from outside was read that the next one is compared with
BYTE: Final = ir.IntType(8)


class Memory(Scalars):
    """The operations; it holds no contents itself. One per run."""

    def __init__(self, context: ExecutionContext) -> None:
        self.layout: Layouts = context.layouts
        self.big_endian: bool = context.program.layout.big_endian
        bits = context.program.layout.pointer_bits
        super().__init__(context, Words(bits, self.big_endian, context.shapes))
        self._leaves: dict[Term, tuple[Unknown, ...]] = {}  # by array

    # ------------------------------------------------------------ single cells

    def read(
        self, target: MemObject, contents: Contents | None, offset: int, type_: ir.Type
    ) -> tuple[Value, Term]:
        """The value of `type_` at a constant offset, and the condition under which part of it is
        uninitialised."""
        if isinstance(type_, (ir.StructType, ir.ArrayType, ir.VectorType)):
            return self._read_aggregate(target, contents, offset, type_)
        size = self.layout.store_size(type_)
        if contents is not None:
            cell = contents.cells.get(offset)
            if cell is not None and cell[0] == size:
                value = cell[1]
                if not self.has_type(value, type_):
                    value = self.from_bits(self.to_bits(value), type_)
                return value, cell[2]
            if contents.array is not None or (contents.cells and self._overlaps(contents, offset, size)):
                return self._read_bytes(target, contents, offset, size, type_)
        return self._initial(target, contents).read(self, target, offset, type_)

    def _initial(self, target: MemObject, contents: Contents | None) -> Initial:
        if contents is None or contents.initial is None:
            return target.initial
        return contents.initial

    def _read_aggregate(
        self, target: MemObject, contents: Contents | None, offset: int, type_: ir.Type
    ) -> tuple[Value, Term]:
        values: list[Value] = []
        undefined = T.FALSE
        for element, at in self.layout.elements(type_):
            value, bad = self.read(target, contents, offset + at, element)
            values.append(value)
            undefined = T.or_(undefined, bad)
        return tuple(values), undefined

    def _overlaps(self, contents: Contents, offset: int, size: int) -> bool:
        cells = contents.cells
        for start in range(offset - contents.largest + 1, offset + size):
            cell = cells.get(start)
            if cell is not None and start + cell[0] > offset:
                return True
        return False

    def _read_bytes(
        self, target: MemObject, contents: Contents, offset: int, size: int, type_: ir.Type
    ) -> tuple[Value, Term]:
        parts: list[Term] = []
        undefined = T.FALSE
        if contents.array is not None and not self._overlaps(contents, offset, size):
            where = T.bv(offset, self.pointer_bits)
            bits = self.words.read(contents.array, where, size, contents.word)
            self.look(contents.array, where, size)
            if contents.flags is not None:
                undefined = self.words.flagged(contents, where, size)
            return self.from_bits(bits, type_), undefined
        for i in range(size):
            bits, bad = self._byte(target, contents, offset + i)
            parts.append(bits)
            undefined = T.or_(undefined, bad)
        return self.from_bits(self.words.join(parts), type_), undefined

    def _byte(self, target: MemObject, contents: Contents, offset: int) -> tuple[Term, Term]:
        for start in range(offset, offset - contents.largest, -1):
            cell = contents.cells.get(start)
            if cell is not None and start + cell[0] > offset:
                return self.words.byte_of(self.to_bits(cell[1]), offset - start, cell[0]), cell[2]
        if contents.array is not None:
            where = T.bv(offset, self.pointer_bits)
            bad = T.FALSE if contents.flags is None else self.words.flagged(contents, where, 1)
            self.look(contents.array, where, 1)
            return self.words.read(contents.array, where, 1, contents.word), bad
        value, bad = self._initial(target, contents).read(self, target, offset, BYTE)
        assert isinstance(value, Term)
        return value, bad

    def write(
        self,
        target: MemObject,
        contents: Contents | None,
        offset: int,
        type_: ir.Type,
        value: Value,
        undefined: Term = T.FALSE,
        token: object = None,
    ) -> Contents:
        new = Contents(token) if contents is None else contents.owned(token)
        self._put(target, new, offset, type_, value, undefined)
        return new

    def _put(
        self, target: MemObject, new: Contents, offset: int, type_: ir.Type, value: Value, undefined: Term
    ) -> None:
        if isinstance(value, tuple):
            for part, (element, at) in zip(value, self.layout.elements(type_), strict=True):
                self._put(target, new, offset + at, element, part, undefined)
            return
        size = self.layout.store_size(type_)
        cells = new.cells
        known = cells.get(offset)
        if (known is None or known[0] != size) and self._overlaps(new, offset, size):
            self._split(new, offset, size)
        cells[offset] = (size, value, undefined)
        if size > new.largest:
            new.largest = size

    def _split(self, new: Contents, offset: int, size: int) -> None:
        """Cut cells that overlap [offset, offset + size) into bytes and drop those inside."""
        for start in range(offset - new.largest + 1, offset + size):
            cell = new.cells.get(start)
            if cell is None or start + cell[0] <= offset:
                continue
            del new.cells[start]
            inside = offset <= start and start + cell[0] <= offset + size
            if inside:
                continue
            bits = self.to_bits(cell[1])
            for i in range(cell[0]):
                if not offset <= start + i < offset + size:
                    new.cells[start + i] = (1, self.words.byte_of(bits, i, cell[0]), cell[2])

    # ------------------------------------------------------------ offsets that are terms

    def read_at(
        self, target: MemObject, contents: Contents | None, offset: Term, type_: ir.Type
    ) -> tuple[Value, Term]:
        """As `read`, at any offset. Outside the object the result is one of the values inside."""
        if offset.value is not None:
            return self.read(target, contents, self.signed(offset), type_)
        if isinstance(type_, (ir.StructType, ir.ArrayType, ir.VectorType)):
            values, undefined = [], T.FALSE
            for element, at in self.layout.elements(type_):
                value, bad = self.read_at(target, contents, self.words.plus(offset, at), element)
                values.append(value)
                undefined = T.or_(undefined, bad)
            return tuple(values), undefined
        size = self.layout.store_size(type_)
        unknown = target.kind is Kind.OUTSIDE and not isinstance(type_, ir.PointerType)
        limit = OUTSIDE_LIMIT if unknown else READ_LIMIT
        places = self._places(target, offset, size, limit) if self._cellular(contents) else None
        if places is None:
            return self._read_array(target, contents, offset, size, type_)
        if not places:
            return self.fresh(type_, "nowhere"), T.FALSE
        read = [(place, *self.read(target, contents, place, type_)) for place in places]
        if len(read) == 1:
            return read[0][1], read[0][2]
        value = self._mux(offset, [(place, v) for place, v, _ in read])
        undefined = T.FALSE
        if any(bad is not T.FALSE for _, _, bad in read):
            chosen = self._mux(offset, [(place, bad) for place, _, bad in read])
            assert isinstance(chosen, Term)
            undefined = chosen
        return value, undefined

    def _cellular(self, contents: Contents | None) -> bool:
        return contents is None or contents.array is None

    def _mux(self, offset: Term, choices: list[tuple[int, Value]]) -> Value:
        """A balanced tree of comparisons: the choice whose place equals the offset."""
        level = choices
        while len(level) > 1:
            above: list[tuple[int, Value]] = []
            for i in range(0, len(level) - 1, 2):
                (a, x), (b, y) = level[i], level[i + 1]
                condition = T.ult(offset, T.bv(b, self.pointer_bits))
                above.append((a, merge(condition, x, y)))
            if len(level) % 2:
                above.append(level[-1])
            level = above
        return level[0][1]

    def write_at(
        self,
        target: MemObject,
        contents: Contents | None,
        offset: Term,
        type_: ir.Type,
        value: Value,
        condition: Term = T.TRUE,
        undefined: Term = T.FALSE,
        token: object = None,
    ) -> Contents:
        """Write where `condition` holds. A place outside the object is not written."""
        if offset.value is not None:
            place = self.signed(offset)
            if condition is not T.TRUE:
                old, bad = self.read(target, contents, place, type_)
                value, undefined = merge(condition, value, old), T.ite(condition, undefined, bad)
            return self.write(target, contents, place, type_, value, undefined, token)
        if isinstance(value, tuple):
            new = contents
            for part, (element, at) in zip(value, self.layout.elements(type_), strict=True):
                where = self.words.plus(offset, at)
                new = self.write_at(target, new, where, element, part, condition, undefined, token)
            return new if new is not None else Contents()
        size = self.layout.store_size(type_)
        places = self._places(target, offset, size, WRITE_LIMIT) if self._cellular(contents) else None
        if places is None or (len(places) > 1 and places[1] - places[0] < size):
            return self._write_array(target, contents, offset, size, value, condition, undefined)
        new = Contents(token) if contents is None else contents.owned(token)
        for place in places:
            here = T.and_(condition, T.eq(offset, T.bv(place, self.pointer_bits)))
            old, bad = self.read(target, new, place, type_)
            self._put(target, new, place, type_, merge(here, value, old), T.ite(here, undefined, bad))
        return new

    def _places(self, target: MemObject, offset: Term, size: int, limit: int) -> list[int] | None:
        """The offsets inside the object that the term can have, or None when they are too many."""
        stride, rest = self.context.shapes.stride(offset)
        low, high = bounds(offset)
        last = min(target.size - size, high) if isinstance(target.size, int) else high
        first = rest if low <= rest else low + (rest - low) % stride
        if last < first:
            return []
        if (last - first) // stride + 1 > limit:
            return None
        return list(range(first, last + 1, stride))

    # ------------------------------------------------------------ SMT arrays

    def _read_array(
        self, target: MemObject, contents: Contents | None, offset: Term, size: int, type_: ir.Type
    ) -> tuple[Value, Term]:
        if isinstance(type_, ir.PointerType):
            value = self._pointer_from_outside(target, contents, offset)
            if value is not None:
                return value, self._initial(target, contents).undefined
        flat = self._flat(target, contents, offset, size)
        assert flat.array is not None
        bits = self.words.read(flat.array, offset, size, flat.word)
        undefined = T.FALSE if flat.flags is None else self.words.flagged(flat, offset, size)
        self.look(flat.array, offset, size)
        return self.from_bits(bits, type_), undefined

    def look(self, array: Term, offset: Term, size: int) -> None:
        """Tell the unknown contents below an array that these of its bytes count: strings may lie there."""
        for initial in self.leaves(array):
            initial.look(self, offset, size)

    def leaves(self, array: Term) -> tuple[Unknown, ...]:
        """The unknown contents that an array was made of."""
        work = [array]
        while work:
            term = work[-1]
            below = term.args[:1] if term.op == "store" else term.args[1:] if term.op == "ite" else ()
            missing = [part for part in below if part not in self._leaves]
            if missing and term not in self._leaves:
                work += missing
                continue
            if term not in self._leaves:
                found = dict.fromkeys(leaf for part in below for leaf in self._leaves[part])
                self._leaves[term] = tuple(found)
            work.pop()
        return self._leaves[array]

    def made(self, array: Term, initial: Unknown) -> None:
        """An array stands for unknown contents."""
        self._leaves[array] = (initial,)

    def _pointer_from_outside(
        self, target: MemObject, contents: Contents | None, offset: Term
    ) -> Value | None:
        """A pointer read at an arbitrary place of a large object that came from outside itself; None where
        the stored addresses say what it is."""
        anywhere = getattr(self._initial(target, contents), "anywhere", None)
        if anywhere is not None and (contents is None or not contents.cells):
            value: Value = anywhere(self, target, offset)
            return value
        if isinstance(target.size, int) or target.kind is not Kind.OUTSIDE or contents is not None:
            return None
        self.context.note("a pointer read at a variable place of an object from outside")
        read: dict[Term, Value] = getattr(target.initial, "pointers", {})
        if offset not in read:
            found = self.context.environment.pointer_anywhere(target)
            found = target.initial.anywhere_in(self, found, offset)
            # Nobody wrote there since: at the same place there is the same pointer.
            for place, known in list(read.items())[:SAME_PLACES]:
                found = merge(T.eq(offset, place), known, found)
            read[offset] = found
        return read[offset]

    def _flat(self, target: MemObject, contents: Contents | None, offset: Term, size: int) -> Contents:
        """Contents with everything in the array and no cells above it."""
        new = Contents() if contents is None else contents.copy()
        if new.array is None:
            new.word = self._word(target, new, offset, size)
            self._seed(target, new, new.word)
        for at, (length, value, undefined) in sorted(new.cells.items()):
            bits = self.to_bits(value)
            where = T.bv(at, self.pointer_bits)
            self.words.put(new, where, bits, length, T.TRUE, undefined)
        new.cells = {}
        new.largest = 1
        return new

    def _seed(self, target: MemObject, new: Contents, word: int) -> None:
        """Put the initial contents into an array."""
        initial = self._initial(target, new)
        new.word = word
        new.array = initial.array(self, target, word)
        new.flags = initial.flags(self, target, word)

    def _word(self, target: MemObject, contents: Contents, offset: Term, size: int) -> int:
        """Words as large as the accesses are regular; bytes otherwise."""
        stride, rest = self.context.shapes.stride(offset)
        word = 1
        while word < 8 and size % (2 * word) == 0 and stride % (2 * word) == 0 and rest % (2 * word) == 0:
            word *= 2
        return self._initial(target, contents).word or word

    def _write_array(
        self,
        target: MemObject,
        contents: Contents | None,
        offset: Term,
        size: int,
        value: Value,
        condition: Term,
        undefined: Term,
    ) -> Contents:
        new = self._flat(target, contents, offset, size)
        self.words.put(new, offset, self.to_bits(value), size, condition, undefined)
        return new

    # ------------------------------------------------------------ joins

    def merge(
        self, target: MemObject, condition: Term, a: Contents | None, b: Contents | None
    ) -> Contents | None:
        """Contents `a` where the condition holds, `b` elsewhere."""
        if a is b:
            return a
        a = a if a is not None else Contents()
        b = b if b is not None else Contents()
        if a.array is not None or b.array is not None:
            return self._merge_flat(target, condition, a, b)
        new = Contents()
        new.initial = self._merge_initial(target, condition, a, b)
        new.alive = T.ite(condition, a.alive, b.alive)
        new.largest = max(a.largest, b.largest)
        messy: list[tuple[int, int]] = []
        for offset in a.cells.keys() | b.cells.keys():
            left, right = a.cells.get(offset), b.cells.get(offset)
            if left is right and left is not None:
                new.cells[offset] = left
                continue
            if left is not None and right is not None and left[0] == right[0]:
                new.cells[offset] = self._merge_cells(condition, left, right)
                continue
            known = left or right
            assert known is not None
            size = known[0]
            other = b if left is not None else a
            if (left is not None and right is not None) or self._overlaps(other, offset, size):
                messy.append((offset, size))
                if left is not None and right is not None:
                    messy.append((offset, right[0]))
                continue
            missing = self._like(target, other, offset, known)
            pair = (known, missing) if left is not None else (missing, known)
            new.cells[offset] = self._merge_cells(condition, *pair)
        for offset, size in messy:
            for place in range(offset, offset + size):
                if place not in new.cells or new.cells[place][0] != 1:
                    (x, bad_x), (y, bad_y) = self._byte(target, a, place), self._byte(target, b, place)
                    new.cells[place] = (1, T.ite(condition, x, y), T.ite(condition, bad_x, bad_y))
        return new

    def _merge_initial(self, target: MemObject, condition: Term, a: Contents, b: Contents) -> Initial | None:
        if a.initial is b.initial:
            return a.initial
        from vouch.bmc.initial import Merged

        return Merged(condition, self._initial(target, a), self._initial(target, b))

    def _merge_cells(self, condition: Term, left: Cell, right: Cell) -> Cell:
        x, y = left[1], right[1]
        if type(x) is not type(y) or (isinstance(x, Term) and isinstance(y, Term) and x.sort is not y.sort):
            x, y = self.to_bits(x), self.to_bits(y)
        return left[0], merge(condition, x, y), T.ite(condition, left[2], right[2])

    def _like(self, target: MemObject, contents: Contents, offset: int, cell: Cell) -> Cell:
        """What `contents` hold where `cell` lies, in a type like its value's."""
        value, undefined = self.read(target, contents, offset, self.type_of(cell[1], cell[0]))
        return cell[0], value, undefined

    def _merge_flat(self, target: MemObject, condition: Term, a: Contents, b: Contents) -> Contents:
        word = a.word if a.array is not None else b.word
        if a.array is not None and b.array is not None and a.word != b.word:
            raise Unsupported("memory accessed in words of different sizes on two paths")
        flat_a, flat_b = (self.flat(target, side, word) for side in (a, b))
        new = Contents()
        new.word = word
        assert flat_a.array is not None
        assert flat_b.array is not None
        new.array = T.ite(condition, flat_a.array, flat_b.array)
        if flat_a.flags is not None or flat_b.flags is not None:
            clear = T.const_array(self.words.flag_sort(word), T.bv(0, word))
            left, right = flat_a.flags, flat_b.flags
            new.flags = T.ite(
                condition, left if left is not None else clear, right if right is not None else clear
            )
        new.alive = T.ite(condition, a.alive, b.alive)
        return new

    def flat(self, target: MemObject, contents: Contents, word: int) -> Contents:
        """Contents as an array of words of this size, with no cells above it."""
        if contents.array is None:
            contents = contents.copy()
            self._seed(target, contents, word)
        elif contents.word != word:
            raise Unsupported("memory accessed in words of different sizes")
        return self._flat(target, contents, T.bv(0, self.pointer_bits), word)

    def signed(self, term: Term) -> int:
        value = term.value
        assert isinstance(value, int)
        return value - (1 << term.width) if value >> (term.width - 1) else value

    # ------------------------------------------------------------ services for `initial`

    def zero(self, type_: ir.Type) -> Value:
        return self.context.zero(type_)

    def constrain(self, term: Term) -> None:
        self.context.constrain(term)

    def fresh(self, type_: ir.Type, name: str) -> Value:
        return self.context.fresh(type_, name)

    def arbitrary(self, target: MemObject, offset: int, type_: ir.Type, undefined: bool) -> Value:
        """A new unknown value for a place of an object; a pointer inside comes from outside itself."""
        return self.context.arbitrary_cell(target, offset, type_, undefined)

    def constant_value(self, constant: ir.Constant) -> Value:
        return self.context.constant(constant)
