"""What an object holds after writes that are not followed one by one, in place of what it held at first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from vouch.bmc.initial import Initial, Unknown
from vouch.bmc.value import Pointer, Value, symbols
from vouch.c import ir
from vouch.errors import Unsupported
from vouch.smt import term as T
from vouch.smt.term import Term

if TYPE_CHECKING:
    from vouch.bmc.context import ExecutionContext
    from vouch.bmc.memory import Memory
    from vouch.bmc.value import MemObject


class Changed(Unknown):
    """What writes that are not followed one by one may have left behind: each byte arbitrary, with `partly`
    each for itself perhaps never written. Pointers among them cannot be told, `why` says so."""

    def __init__(self, context: ExecutionContext, partly: bool, why: str, reason: str = "") -> None:
        super().__init__()
        self.context = context
        self.limit = reason  # on whether a byte was written; the values are confirmed by the replay
        self.partly = self.differs = partly
        self.why = why
        self.filled: list[tuple[Term, Term, Term]] = []  # written from here, up to there, where this holds
        self._flags: dict[int, Term] = {}

    @property
    def undefined(self) -> Term:
        # A new symbol for each read: that one byte was written says nothing about the next.
        return self._noted(T.fresh("partly.undefined", T.BOOL)) if self.partly else T.FALSE

    @undefined.setter
    def undefined(self, value: Term) -> None:
        pass

    @property
    def lacks(self) -> bool:
        return self.partly

    def unwritten(self, memory: Memory, offset: int, size: int) -> Term:
        unwritten = self.undefined
        first, last = (T.bv(place, memory.pointer_bits) for place in (offset, offset + size - 1))
        return T.and_(unwritten, T.not_(self.covered(first, last))) if self.partly else unwritten

    def covered(self, first: Term, last: Term) -> Term:
        """Were all bytes between these written at once?"""
        return T.or_(
            T.FALSE, *(T.and_(when, T.ule(a, first), T.ult(last, b)) for a, b, when in self.filled), T.FALSE
        )

    def look(self, memory: Memory, offset: Term, size: int) -> None:
        flags = self._flags.get(1)
        if flags is not None and self.filled:
            for i in range(size):
                place = memory.words.plus(offset, i)
                if place not in self.places:
                    clear = T.eq(T.select(flags, place), T.bv(0, 1))
                    memory.constrain(T.or_(T.not_(self.covered(place, place)), clear))
        super().look(memory, offset, size)

    def _noted(self, symbol: Term) -> Term:
        if self.limit:
            self.context.unsupported[symbol] = self.limit
        return symbol

    def _new(self, memory: Memory, target: MemObject, offset: int, type_: ir.Type) -> Value:
        if isinstance(type_, ir.PointerType):
            raise Unsupported(self.why)
        value = super()._new(memory, target, offset, type_)
        self.context.changed.update(dict.fromkeys(symbols(value), self.why))
        return value

    def array(self, memory: Memory, target: MemObject, word: int) -> Term:
        array = super().array(memory, target, word)
        self.context.changed[array] = self.why
        return array

    def flags(self, memory: Memory, target: MemObject, word: int) -> Term | None:
        if self.partly and word not in self._flags:
            self._flags[word] = self._noted(T.fresh("partly.undefined", memory.words.flag_sort(word)))
        return self._flags.get(word)


class Filled(Changed):
    """After one byte was written to all places from `start` up to `stop`: these are known, those at other
    places that are constants are as they were `beneath`, where nothing but that lies there. Arrays say of
    the places that were filled what they hold, and nothing of the others."""

    def __init__(
        self,
        context: ExecutionContext,
        partly: bool,
        why: str,
        stretch: tuple[int, int, Term],
        beneath: Initial | None,
    ) -> None:
        super().__init__(context, partly, why, why)
        self.start, self.stop, self.byte = stretch
        self.beneath = beneath

    def read(self, memory: Memory, target: MemObject, offset: int, type_: ir.Type) -> tuple[Value, Term]:
        size = memory.layout.store_size(type_)
        bad = self.unwritten(memory, offset, size)
        if self.start <= offset and offset + size <= self.stop and self.byte.value == 0:
            return memory.zero(type_), bad
        if not self._overlaps(offset, size) and (offset + size <= self.start or self.stop <= offset):
            if self.beneath is not None:
                return self.beneath.read(memory, target, offset, type_)
            return super().read(memory, target, offset, type_)
        bytes_ = [self._byte(memory, target, offset + i) for i in range(size)]
        return memory.from_bits(memory.words.join(bytes_), type_), bad

    def _byte(self, memory: Memory, target: MemObject, offset: int) -> Term:
        if self.start <= offset < self.stop:
            return self.byte
        if self.beneath is None:
            return super()._byte(memory, target, offset)
        value = self.beneath.read(memory, target, offset, ir.IntType(8))[0]
        assert isinstance(value, Term)
        return value

    def unwritten(self, memory: Memory, offset: int, size: int) -> Term:
        if self.beneath is None:
            return super().unwritten(memory, offset, size)
        outside = [at for at in range(offset, offset + size) if not self.start <= at < self.stop]
        return T.or_(T.FALSE, *(self.beneath.unwritten(memory, at, 1) for at in outside), T.FALSE)

    def look(self, memory: Memory, offset: Term, size: int) -> None:
        for i in range(size):
            place = memory.words.plus(offset, i)
            if place not in self.places:
                first, last = (T.bv(at, memory.pointer_bits) for at in (self.start, self.stop - 1))
                inside = T.and_(T.ule(first, place), T.ule(place, last))
                memory.constrain(T.or_(T.not_(inside), T.eq(self._at(memory, place), self.byte)))
        super().look(memory, offset, size)

    def parts(self) -> tuple[Initial, ...]:
        return () if self.beneath is None else (self.beneath,)


class ChangedByLoop(Changed):
    """The same, after turns of a loop that nobody follows. Pointers are whatever the program may have stored,
    to the objects that it `leads` to among others; what they are as bytes is not said."""

    def __init__(self, context: ExecutionContext, partly: bool, leads: Sequence[MemObject], why: str) -> None:
        super().__init__(context, partly, why)
        self.leads = leads

    def _new(self, memory: Memory, target: MemObject, offset: int, type_: ir.Type) -> Value:
        if not isinstance(type_, ir.PointerType):
            return super()._new(memory, target, offset, type_)
        return self.context.environment.loop_pointer(target, offset)

    def values(self) -> Iterator[tuple[int, Value]]:
        yield from super().values()
        yield from ((0, Pointer.to(held, self.context.zero_offset)) for held in self.leads)
