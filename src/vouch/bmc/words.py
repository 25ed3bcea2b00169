"""SMT arrays as memory: words of one, two, four or eight bytes, read and written at byte offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vouch.bmc.shapes import Shapes
from vouch.smt import term as T
from vouch.smt.term import Term

if TYPE_CHECKING:
    from vouch.bmc.contents import Contents


class Words:
    """Bytes in the order of the target. An array's index is the number of a word."""

    def __init__(self, pointer_bits: int, big_endian: bool, shapes: Shapes) -> None:
        self.pointer_bits = pointer_bits
        self.big_endian = big_endian
        self.shapes = shapes

    def sort(self, word: int) -> T.Sort:
        return T.array(T.bitvec(self.pointer_bits), T.bitvec(8 * word))

    def flag_sort(self, word: int) -> T.Sort:
        return T.array(T.bitvec(self.pointer_bits), T.bitvec(word))

    def read(self, array: Term, offset: Term, size: int, word: int) -> Term:
        """`size` bytes at a byte offset of an array of words."""
        index, rest = self._index(offset, word)
        if rest is None:
            count = (size + word - 1) // word
            parts = [T.select(array, self.plus(index, i)) for i in range(count)]
            bits = self.join(parts)
            return bits if size % word == 0 else self._low_part(bits, size)
        if word == 1:
            raise AssertionError("bytes are always aligned")
        count = (size + word - 2) // word + 1
        bits = self.join([T.select(array, self.plus(index, i)) for i in range(count)])
        shift = T.mul(resized(rest, bits.width), T.bv(8, bits.width))
        if self.big_endian:
            moved = T.shl(bits, shift)
            return T.extract(moved, bits.width - 1, bits.width - 8 * size)
        return T.extract(T.lshr(bits, shift), 8 * size - 1, 0)

    def _low_part(self, bits: Term, size: int) -> Term:
        if self.big_endian:
            return T.extract(bits, bits.width - 1, bits.width - 8 * size)
        return T.extract(bits, 8 * size - 1, 0)

    def _index(self, offset: Term, word: int) -> tuple[Term, Term | None]:
        """Word number and, unless the offset is known to be aligned, the byte within the word."""
        if word == 1:
            return offset, None
        shift = T.bv(word.bit_length() - 1, self.pointer_bits)
        if offset.value is not None:
            rest = offset.value % word
            index = T.bv(offset.value // word, self.pointer_bits)
            return index, (T.bv(rest, self.pointer_bits) if rest else None)
        stride, rest = self.shapes.stride(offset)
        aligned = stride % word == 0 and rest % word == 0
        return T.lshr(offset, shift), None if aligned else T.band(offset, T.bv(word - 1, self.pointer_bits))

    def flagged(self, contents: Contents, offset: Term, size: int) -> Term:
        """Is one of these bytes marked as uninitialised?"""
        assert contents.flags is not None
        word = contents.word
        index, rest = self._index(offset, word)
        if rest is None and size % word == 0:
            zero = T.bv(0, word)
            parts = [T.ne(T.select(contents.flags, self.plus(index, i)), zero) for i in range(size // word)]
            return T.or_(*parts) if len(parts) > 1 else parts[0]
        return T.or_(*[self._flag(contents, self.plus(offset, i)) for i in range(size)])

    def _flag(self, contents: Contents, offset: Term) -> Term:
        assert contents.flags is not None
        index, rest = self._index(offset, contents.word)
        bits = T.select(contents.flags, index)
        if contents.word == 1:
            return T.eq(bits, T.bv(1, 1))
        place = T.bv(0, contents.word) if rest is None else resized(rest, contents.word)
        return T.eq(T.extract(T.lshr(bits, place), 0, 0), T.bv(1, 1))

    def put(
        self, new: Contents, offset: Term, bits: Term, size: int, condition: Term, undefined: Term
    ) -> None:
        assert new.array is not None
        index, rest = self._index(offset, new.word)
        word = new.word
        if new.flags is None and undefined is not T.FALSE:
            new.flags = T.const_array(self.flag_sort(word), T.bv(0, word))
        if rest is not None or size % word:
            for i in range(size):
                part = self.byte_of(bits, i, size)
                self._put_byte(new, self.plus(offset, i), part, condition, undefined)
            return
        before, flags = new.array, new.flags
        for i in range(size // word):
            part = self._word_of(bits, i, size // word, word)
            at = self.plus(index, i)
            new.array = T.store(new.array, at, part)
            if new.flags is not None:
                flag = T.ite(undefined, T.bv(-1, word), T.bv(0, word))
                new.flags = T.store(new.flags, at, flag)
        if condition is not T.TRUE:
            new.array = T.ite(condition, new.array, before)
            if new.flags is not None and flags is not None:
                new.flags = T.ite(condition, new.flags, flags)

    def _word_of(self, bits: Term, i: int, count: int, word: int) -> Term:
        position = count - 1 - i if self.big_endian else i
        return T.extract(bits, 8 * word * (position + 1) - 1, 8 * word * position)

    def _put_byte(self, new: Contents, offset: Term, part: Term, condition: Term, undefined: Term) -> None:
        assert new.array is not None
        index, rest = self._index(offset, new.word)
        word = new.word
        old = T.select(new.array, index)
        width = 8 * word
        place = T.bv(0, width) if rest is None else resized(rest, width)
        if self.big_endian:
            place = T.sub(T.bv(word - 1, width), place)
        shift = T.mul(place, T.bv(8, width))
        mask = T.shl(T.bv(0xFF, width), shift)
        fresh = T.bor(T.band(old, T.bnot(mask)), T.shl(T.zext(part, width), shift)) if word > 1 else part
        stored = T.store(new.array, index, fresh)
        new.array = stored if condition is T.TRUE else T.ite(condition, stored, new.array)
        if new.flags is not None:
            flag = T.select(new.flags, index)
            at = T.bv(0, word) if rest is None else resized(rest, word)
            bit = T.shl(T.bv(1, word), at)
            marked = T.ite(undefined, T.bor(flag, bit), T.band(flag, T.bnot(bit)))
            stored = T.store(new.flags, index, marked)
            new.flags = stored if condition is T.TRUE else T.ite(condition, stored, new.flags)

    def byte_of(self, bits: Term, index: int, size: int) -> Term:
        position = size - 1 - index if self.big_endian else index
        return T.extract(bits, 8 * position + 7, 8 * position)

    def join(self, parts: list[Term]) -> Term:
        result = parts[0]
        for part in parts[1:]:
            result = T.concat(result, part) if self.big_endian else T.concat(part, result)
        return result

    def plus(self, term: Term, number: int) -> Term:
        return term if number == 0 else T.add(term, T.bv(number, term.width))


def resized(term: Term, width: int) -> Term:
    if term.width < width:
        return T.zext(term, width)
    return T.extract(term, width - 1, 0) if term.width > width else term
