"""What an object holds after writes that nobody followed one by one.

A layer lies over the contents from before. `Written` is what a call of unknown code leaves behind: each byte
within its reach was written anew, or not. `Disturbed` is what writes through other pointers leave behind
where these may lead into the object.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import NamedTuple

from vouch.bmc.contents import Contents, partly_written
from vouch.bmc.initial import Initial, Unknown
from vouch.bmc.memory import BYTE, Memory
from vouch.bmc.value import Kind, MemObject, Pointer, Value, merge, symbols
from vouch.c import ir
from vouch.smt import term as T
from vouch.smt.term import Term

FLAG_LIMIT = 512  # bytes whose marks are followed one by one
ARRAY_LIMIT = 1024  # bytes of a part that are put into an array one by one

Span = tuple[int, int | None]  # bytes lo … hi - 1; None: to the end of the object, whatever that is
WHOLE: Span = (0, None)


class OutsideData(Unknown):
    """Bytes that code outside wrote. Where it may have left the old ones, `written` holds the condition by
    offset and size; pointers are made by whoever `owner` is."""

    def __init__(self, owner: PointerMaker, name: str, span: Span, reason: str = "") -> None:
        super().__init__(reason=reason)
        self.owner = owner
        self.name = name
        self.span = span
        self.written: dict[tuple[int, int], Term] = {}
        self.inexact = ""  # the condition under which it is what it is, where that is not worked out
        self.nullable = False  # pointers in it may be null then

    def was_written(self, offset: int, size: int) -> Term:
        known = self.written.get((offset, size))
        if known is None:
            known = self.written[offset, size] = T.fresh(f"{self.name}.writes", T.BOOL)
        return known

    def _new(self, memory: Memory, target: MemObject, offset: int, type_: ir.Type) -> Value:
        if isinstance(type_, ir.PointerType) and not self.reason:
            pointer = self._pointer(memory, target, offset)
            for word, array in self.arrays.items():  # one that was made before it: that holds it as well
                size = memory.pointer_bits // 8
                bits = memory.words.read(array, T.bv(offset, memory.pointer_bits), size, word)
                memory.constrain(T.eq(bits, memory.to_bits(pointer)))
            return pointer
        value = super()._new(memory, target, offset, type_)
        if self.inexact:
            memory.context.inexact.update(dict.fromkeys(symbols(value), self.inexact))
        return value

    def _pointer(self, memory: Memory, target: MemObject, offset: int) -> Value:
        pointer = self.owner.stored_pointer(target, offset)
        if not self.nullable:
            return pointer
        null = T.fresh(f"{target.name}.null", T.BOOL)
        memory.context.inexact[null] = self.inexact
        return merge(null, memory.context.null, pointer)

    def array(self, memory: Memory, target: MemObject, word: int) -> Term:
        array = super().array(memory, target, word)
        if self.inexact:
            memory.context.inexact[array] = self.inexact
        return array


class Late(Unknown):
    """An object from outside that came about after the program stored pointers of its own (null, the address
    of a variable) in others that it may overlap: `hits` under their symbols. Whatever else was written there
    needs no mention: contents are arbitrary, and pointers from outside lead to all that is known there.
    `undefined`: nobody knows whether they were written."""

    def __init__(self, hits: Mapping[Term, frozenset[Hit]], undefined: bool) -> None:
        super().__init__(undefined)
        self.hits = hits

    def arbitrary(self, memory: Memory, target: MemObject, offset: int, type_: ir.Type) -> Value:
        return memory.arbitrary(target, offset, type_, False)

    def _new(self, memory: Memory, target: MemObject, offset: int, type_: ir.Type) -> Value:
        value = super()._new(memory, target, offset, type_)
        return self._with_stored(memory, value, offset) if isinstance(type_, ir.PointerType) else value

    def anywhere_in(self, memory: Memory, value: Value, offset: Term) -> Value:
        return self._with_stored(memory, value, offset)

    def _with_stored(self, memory: Memory, value: Value, offset: int | Term) -> Value:
        """A pointer that is read at a place, or what the program may have stored there."""
        pointer = ir.PointerType()
        size = memory.layout.store_size(pointer)
        at = 0 if isinstance(offset, Term) else offset
        for symbol, hits in self.hits.items():
            for hit in hits:
                known = hit._replace(spared=None) if isinstance(offset, Term) else hit
                if _effect(known, None, at, size, pointer) is not LayerEffect.NONE:
                    stored = hit.value if hit.value is not None else memory.fresh(pointer, "pointer")
                    spared = _is_spared(hit, offset, size) if isinstance(offset, Term) else T.FALSE
                    there = T.and_(symbol, T.fresh("disturbed", T.BOOL), T.not_(spared))
                    value = merge(there, stored, value)
        return value


class PointerMaker:
    """Makes the pointers that code outside may have stored at a place."""

    def stored_pointer(self, target: MemObject, offset: int) -> Value:
        raise NotImplementedError

    def another_pointer(self, target: MemObject, offset: int) -> Value:
        """The same, of few in all at one place."""
        raise NotImplementedError


class Layer(Initial):
    """`fresh` over `old`, which nobody changes any more."""

    def __init__(self, target: MemObject, old: Contents, fresh: Unknown) -> None:
        self.old = old
        self.fresh = fresh
        self.partly = partly_written(target, old)
        self._known: dict[tuple[int, ir.Type], tuple[Value, Term]] = {}
        self._arrays: dict[int, tuple[Term, Term | None]] = {}
        self._below = old.initial if old.initial is not None else target.initial
        self._word = old.word if old.array is not None else self._below.word

    @property
    def undefined(self) -> Term:  # type: ignore[override]
        return T.TRUE if self.partly else T.FALSE

    @property
    def word(self) -> int:  # type: ignore[override]
        return self.fresh.word or self._word

    def covers(self, memory: Memory, target: MemObject, offset: int, size: int) -> bool | None:
        """Does the layer lie over all of these bytes, over none (False), or over some of them (None)?"""
        raise NotImplementedError

    def combined(self, memory: Memory, target: MemObject, offset: int, type_: ir.Type) -> tuple[Value, Term]:
        """A scalar that lies wholly under the layer."""
        raise NotImplementedError

    def read(self, memory: Memory, target: MemObject, offset: int, type_: ir.Type) -> tuple[Value, Term]:
        known = self._known.get((offset, type_))
        if known is None:
            known = self._known[offset, type_] = self._read(memory, target, offset, type_)
        return known

    def _read(self, memory: Memory, target: MemObject, offset: int, type_: ir.Type) -> tuple[Value, Term]:
        size = memory.layout.store_size(type_)
        covered = self.covers(memory, target, offset, size)
        if covered is False:
            return memory.read(target, self.old, offset, type_)
        if covered:
            return self.combined(memory, target, offset, type_)
        parts: list[Term] = []
        undefined: Term = T.FALSE
        for at in range(offset, offset + size):
            value, bad = self.read(memory, target, at, BYTE)
            assert isinstance(value, Term)
            parts.append(value)
            undefined = T.or_(undefined, bad)
        return memory.from_bits(memory.words.join(parts), type_), undefined

    def array(self, memory: Memory, target: MemObject, word: int) -> Term:
        return self._both(memory, target, word)[0]

    def flags(self, memory: Memory, target: MemObject, word: int) -> Term | None:
        return self._both(memory, target, word)[1]

    def _both(self, memory: Memory, target: MemObject, word: int) -> tuple[Term, Term | None]:
        """Array and flags, worked out once: layers lie over layers."""
        known = self._arrays.get(word)
        if known is None:
            below = memory.flat(target, self.old, word)
            assert below.array is not None
            flags = self.laid_flags(memory, target, below.flags, word) if below.flags is not None else None
            known = self._arrays[word] = self.laid_array(memory, target, below.array, word), flags
        return known

    def laid_array(self, memory: Memory, target: MemObject, below: Term, word: int) -> Term:
        raise NotImplementedError

    def laid_flags(self, memory: Memory, target: MemObject, below: Term, word: int) -> Term:
        """The flags, where some are set below."""
        raise NotImplementedError

    def values(self) -> Iterator[tuple[int, Value]]:
        if self.old.array is not None:
            yield 0, self.old.array
        for offset, (_, value, _) in self.old.cells.items():
            yield offset, value

    def parts(self) -> tuple[Initial, ...]:
        return self.fresh, self._below


class Written(Layer):
    """After a call of unknown code: each scalar within `span` was written, or is as it was before."""

    def __init__(self, target: MemObject, old: Contents, fresh: OutsideData) -> None:
        super().__init__(target, old, fresh)
        self.data = fresh
        self.lo, self.hi = fresh.span
        if isinstance(target.size, int) and self.hi is not None and self.hi >= target.size:
            self.hi = None

    def covers(self, memory: Memory, target: MemObject, offset: int, size: int) -> bool | None:
        if offset + size <= self.lo or (self.hi is not None and offset >= self.hi):
            return False
        return True if self.lo <= offset and (self.hi is None or offset + size <= self.hi) else None

    def combined(self, memory: Memory, target: MemObject, offset: int, type_: ir.Type) -> tuple[Value, Term]:
        new = self.fresh.value(memory, target, offset, type_)
        pointer = isinstance(type_, ir.PointerType)
        if not self.partly and not pointer:
            return new, T.FALSE  # a new value may equal the old one
        old, bad = memory.read(target, self.old, offset, type_)
        if bad is T.FALSE and (not pointer or valid_outside(old)):
            return new, T.FALSE
        written = self.data.was_written(offset, memory.layout.store_size(type_))
        return merge(written, new, old), T.and_(bad, T.not_(written))

    def laid_array(self, memory: Memory, target: MemObject, below: Term, word: int) -> Term:
        fresh = self.fresh.array(memory, target, word)
        if self.lo == 0 and self.hi is None:
            return fresh
        if self.hi is None or self.hi - self.lo > ARRAY_LIMIT or self.lo % word or self.hi % word:
            return fresh  # more than was written is unknown then
        for index in range(self.lo // word, self.hi // word):
            place = T.bv(index, memory.pointer_bits)
            below = T.store(below, place, T.select(fresh, place))
        return below

    def laid_flags(self, memory: Memory, target: MemObject, below: Term, word: int) -> Term:
        if not isinstance(target.size, int) or target.size > FLAG_LIMIT:
            return T.fresh("partly.undefined", below.sort)
        first, last = self.lo // word, -(-min(self.hi or target.size, target.size) // word)
        result = below
        for index in range(first, last):
            place = T.bv(index, memory.pointer_bits)
            kept = T.bor(T.fresh("unwritten", T.bitvec(word)), T.bv(self._untouched(index, word), word))
            result = T.store(result, place, T.band(T.select(below, place), kept))
        return result

    def _untouched(self, index: int, word: int) -> int:
        """Bits of the bytes of a word that lie outside the span."""
        end = (index + 1) * word if self.hi is None else self.hi
        return sum(1 << number for number in range(word) if not self.lo <= index * word + number < end)


def valid_outside(value: Value) -> bool:
    """A pointer from outside to memory that nobody frees: one that is made anew covers it."""
    return isinstance(value, Pointer) and all(
        target.kind is Kind.OUTSIDE or (target.kind is Kind.FUNCTION and not target.name)
        for _, target, _ in value.targets
    )


class Hit(NamedTuple):
    """A write to another object that may lie at the same place.

    `type` is the scalar's, None for bytes of any kind; `value` what was written, None where that is not known
    or does not matter. `outside`: code outside wrote, so that pointers among it are valid. `spared` are bytes
    that it cannot have been, because equal pointers are followed as such. `kinds` are the scalars that bytes
    may have been. `typed`: it was written as what it is, as the language demands of pointers from outside."""

    type: ir.Type | None
    value: Value | None
    outside: bool
    spared: tuple[int, int] | None
    kinds: frozenset[ir.Type | None] = frozenset({None})
    typed: bool = True

    @property
    def over(self) -> bool:
        """Were bytes written where pointers may lie? Nobody does so through a pointer to anything."""
        return self.type is None and ir.PointerType() in self.kinds


UNTYPED = Hit(None, None, False, None, typed=False)
UNTYPED_POINTERS = UNTYPED._replace(kinds=frozenset({None, ir.PointerType()}))  # that need not be valid


class LayerEffect(Enum):
    """What a write elsewhere may do to a scalar here."""

    NONE = "none"
    VALUE = "value"  # put the value there that was written
    ANYTHING = "anything"


MOST_VALUES = 4  # different values that are told apart


class Disturbed(Layer):
    """After writes to other objects: under its symbol each of them may overlap this one, and then a scalar
    that was written there may have changed one here. Whether it did nobody knows, so unwritten bytes stay
    so."""

    def __init__(
        self, target: MemObject, old: Contents, fresh: OutsideData, hits: Mapping[Term, frozenset[Hit]]
    ) -> None:
        super().__init__(target, old, fresh)
        self.data = fresh
        self.hits = hits

    @property
    def unread(self) -> bool:
        return not self._known and not self.fresh.arrays

    def effects(
        self, memory: Memory, target: MemObject, offset: int, type_: ir.Type
    ) -> list[tuple[Term, Hit, LayerEffect]]:
        here = memory.context.ctypes.only_scalar_at(target.ctype, offset)
        here = here if here == type_ or type_ == BYTE else None
        size = memory.layout.store_size(type_)
        found: list[tuple[Term, Hit, LayerEffect]] = []
        for symbol, hits in self.hits.items():
            for hit in hits:
                effect = _effect(hit, here, offset, size, type_)
                if effect is not LayerEffect.NONE:
                    found.append((symbol, hit, effect))
        return found

    def covers(self, memory: Memory, target: MemObject, offset: int, size: int) -> bool | None:
        return True

    def _read(self, memory: Memory, target: MemObject, offset: int, type_: ir.Type) -> tuple[Value, Term]:
        """A struct in a register is read member by member: what may have changed one need not change all."""
        size = memory.layout.store_size(type_)
        pieces = list(_members(memory, target, offset, size)) if isinstance(type_, ir.IntType) else []
        if len(pieces) < 2 or any(isinstance(piece, ir.PointerType) for _, piece in pieces):
            return super()._read(memory, target, offset, type_)
        read = [self.read(memory, target, at, piece) for at, piece in pieces]
        bits = memory.words.join([memory.to_bits(value) for value, _ in read])
        return memory.from_bits(bits, type_), T.or_(T.FALSE, *(bad for _, bad in read))

    def combined(self, memory: Memory, target: MemObject, offset: int, type_: ir.Type) -> tuple[Value, Term]:
        value, bad = memory.read(target, self.old, offset, type_)
        effects = self.effects(memory, target, offset, type_)
        anything = dict.fromkeys(symbol for symbol, _, effect in effects if effect is LayerEffect.ANYTHING)
        for symbol, hit, effect in effects:
            if effect is LayerEffect.VALUE and symbol not in anything:
                assert hit.value is not None
                value = merge(T.and_(symbol, T.fresh("disturbed", T.BOOL)), hit.value, value)
        if anything:
            own = isinstance(type_, ir.PointerType) and any(
                effect is LayerEffect.ANYTHING and not hit.outside for _, hit, effect in effects
            )  # what the program itself wrote need not be valid
            if own and all(hit.typed for _, hit, _ in effects):
                new = memory.fresh(type_, "pointer")
            elif isinstance(type_, ir.PointerType):
                new = self.data.owner.another_pointer(target, offset)
            else:
                new = self.fresh.value(memory, target, offset, type_)
            where = T.or_(T.FALSE, *anything)
            if isinstance(new, Pointer):  # numbers that are arbitrary include the old ones
                where = T.and_(where, T.fresh("disturbed", T.BOOL))
            value = merge(where, new, value)
        return value, bad

    def laid_array(self, memory: Memory, target: MemObject, below: Term, word: int) -> Term:
        return T.ite(T.or_(T.FALSE, *self.hits), self.fresh.array(memory, target, word), below)

    def laid_flags(self, memory: Memory, target: MemObject, below: Term, word: int) -> Term:
        return below


def add_hit(known: Mapping[Term, frozenset[Hit]], symbol: Term, hit: Hit) -> Mapping[Term, frozenset[Hit]]:
    """One write more; the same where nothing is new. Of many values only that there are many is kept."""
    hits = known.get(symbol, frozenset())
    if hit in hits:
        return known
    alike = {h for h in hits if h.type == hit.type and h.outside == hit.outside and h.value is not None}
    if hit.value is not None and (len(alike) >= MOST_VALUES or hit._replace(value=None) in hits):
        wider = hit._replace(value=None)
        return known if wider in hits else {**known, symbol: (hits - alike) | {wider}}
    return {**known, symbol: hits | {hit}}


def _is_spared(hit: Hit, offset: Term, size: int) -> Term:
    """Does what is read at a variable place lie within what a write cannot have been?"""
    if hit.spared is None or hit.spared[1] - size < hit.spared[0]:
        return T.FALSE
    first, last = (T.bv(place, offset.width) for place in (hit.spared[0], hit.spared[1] - size))
    return T.and_(T.ule(first, offset), T.ule(offset, last))


def _effect(hit: Hit, here: ir.Type | None, offset: int, size: int, type_: ir.Type) -> LayerEffect:
    """`here` is the declared type of what is read as `type_`, None where it has none. A pointer changes only
    where a pointer is written, or bytes `over` pointers: others make it invalid, which pointers from outside
    are not."""
    if not hit.typed:
        return LayerEffect.ANYTHING
    if hit.spared is not None and hit.spared[0] <= offset and offset + size <= hit.spared[1]:
        return LayerEffect.NONE
    exact = LayerEffect.VALUE if hit.value is not None and hit.type == type_ else LayerEffect.ANYTHING
    if isinstance(type_, ir.PointerType):
        return exact if hit.outside or hit.over or isinstance(hit.type, ir.PointerType) else LayerEffect.NONE
    kinds = hit.kinds if hit.type is None else {hit.type}
    if here is None or None in kinds or here in kinds or _is_character(here):
        return exact
    return exact if any(_is_character(kind) for kind in kinds if kind is not None) else LayerEffect.NONE


def _members(memory: Memory, target: MemObject, offset: int, size: int) -> Iterator[tuple[int, ir.Type]]:
    """The scalars in a stretch of an object, bytes where there are none; nothing where it is one scalar, or
    where nobody knows."""
    table, end = memory.context.ctypes, offset + size
    first = table.only_scalar_at(target.ctype, offset)
    if first is None or memory.layout.store_size(first) >= size:
        return
    while offset < end:
        piece = table.only_scalar_at(target.ctype, offset)
        if piece is None or offset + memory.layout.store_size(piece) > end:
            piece = BYTE
        yield offset, piece
        offset += memory.layout.store_size(piece)


def _is_character(type_: ir.Type) -> bool:
    return isinstance(type_, ir.IntType) and type_.bits == 8
