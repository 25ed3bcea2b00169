"""Writes that nobody follows: through pointers that may overlap others, and by code outside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from vouch.bmc.contents import Contents, partly_written
from vouch.bmc.environment.layers import (
    UNTYPED,
    UNTYPED_POINTERS,
    WHOLE,
    Disturbed,
    Hit,
    OutsideData,
    PointerMaker,
    Span,
    Written,
    add_hit,
    valid_outside,
)
from vouch.bmc.environment.overlap import is_pristine
from vouch.bmc.environment.pointers import MEMORY, OWN, OutsidePointers
from vouch.bmc.environment.reach import Reach, Root
from vouch.bmc.value import Kind, MemObject, Pointer, Value
from vouch.c import ir
from vouch.smt import term as T
from vouch.smt.term import Term

if TYPE_CHECKING:
    from vouch.bmc.state import State


class Environment(OutsidePointers):
    """What the program shares with code outside, and what both write there."""

    def disturb(
        self,
        state: State,
        target: MemObject,
        offset: Term | None,
        type_: ir.Type | None,
        value: Value | None,
        copied: bool = False,
    ) -> None:
        """Something was written to `target`: what may overlap it may have changed. `copied`: as bytes, in
        pieces of a `type_` that need not be what lies there."""
        if self.stored_from is None and target.kind is not Kind.STACK:
            self.stored_from = T.fresh("stored", T.BOOL).id
        if target in self.restricted:
            return
        if not self.typed and target.kind is not Kind.STACK:
            self._leak(state, value)
        if isinstance(value, tuple) and type_ is not None:
            for part, (element, at) in zip(value, self.context.layouts.elements(type_), strict=True):
                where = None if offset is None else self.context.memory.words.plus(offset, at)
                self.disturb(state, target, where, element, part, copied)
            return
        hit = self._written(target, offset, type_, value, copied)
        pointers = hit.over or (isinstance(type_, ir.PointerType) and not _leads_outside(value))
        if pointers:
            self._own_pointers.setdefault(target, {})[offset, hit] = None
        untyped = UNTYPED_POINTERS if pointers else UNTYPED
        for other, symbol in self.overlaps.of(target):
            spared = self._spared(self.overlaps.element(target, other), offset, type_)
            self._hit(state, other, {symbol: hit._replace(spared=spared) if self.typed else untyped})

    def _written(
        self,
        target: MemObject,
        offset: Term | None,
        type_: ir.Type | None,
        value: Value | None,
        copied: bool,
    ) -> Hit:
        """What a write of the program does elsewhere: to scalars of its type, or as bytes."""
        known = offset is not None and offset.value is not None
        where = self.context.memory.signed(offset) if known and offset is not None else None
        if isinstance(type_, ir.PointerType):
            return Hit(type_, value, False, None)
        # An object of which nobody knows what it is made of may hold a union.
        unclear = copied or (target.kind in (Kind.GLOBAL, Kind.OUTSIDE) and target.ctype is None)
        kept = self.ctypes.written_as(target.ctype, where, type_, unclear) if type_ is not None else None
        if kept is not None:
            return Hit(kept, value, False, None)
        return Hit(None, None, False, None, self.ctypes.kinds(target.ctype))

    def _leak(self, state: State, value: Value | None) -> None:
        """Something is stored where others may read it: a pointer, or bytes that may hold any of those that
        the program has (None)."""
        if isinstance(value, Pointer):
            self.leaked.update((held, None) for _, held, _ in value.targets if held.kind in MEMORY)
        elif value is None:
            own = (o for o in state.memory if o.kind in (Kind.STACK, Kind.HEAP) and not o.dead)
            self.leaked.update((held, None) for held in own if self.escapes(held))

    def disturb_all(self, state: State, type_: ir.Type | None, value: Value | None) -> None:
        """Something was written to an address that is no known object's: it may be that of any which code
        outside knows."""
        symbol = T.fresh("wild.write", T.BOOL)
        self.written_from = self.written_from or symbol.id
        for target in self._shared():
            hit = Hit(type_, value, False, None) if self.typed else UNTYPED_POINTERS
            self._hit(state, target, {symbol: hit})

    def _hit(self, state: State, target: MemObject, hits: Mapping[Term, Hit]) -> None:
        if target in self.restricted:
            return
        old = state.memory.get(target)
        if target.dead or (old is None and target.kind in (Kind.STACK, Kind.HEAP)):
            return
        if old is None and is_pristine(target) and all(map(_is_covered, hits.values())):
            return
        top = old.initial if old is not None and not old.cells and old.array is None else None
        known: Mapping[Term, frozenset[Hit]] = {}
        below = old if old is not None else Contents()
        if isinstance(top, Disturbed) and top.unread:
            known, below = top.hits, top.old
        now = known
        for symbol, hit in hits.items():
            now = add_hit(now, symbol, hit)
        if now is known:
            return
        fresh = OutsideData(self, target.name, WHOLE)
        new = Contents(state.token, Disturbed(target, below, fresh, now))
        new.alive = below.alive if old is None else old.alive
        state.memory[target] = new

    def write(
        self,
        state: State,
        parts: Mapping[MemObject, Span],
        name: str,
        reason: str = "",
        *,
        own: bool = False,
    ) -> dict[MemObject, OutsideData]:
        """Code outside may have written these parts of objects, and with them what overlaps them. `own`: it
        is code of the program, so that pointers among it need not be valid."""
        if self.written_from is None:
            self.written_from = T.fresh("written", T.BOOL).id
        maker: PointerMaker = self.own_data if own else self
        hit = Hit(None, None, True, None)
        if not self.typed:
            hit = UNTYPED_POINTERS if own else UNTYPED
        written = {}
        for target, span in parts.items():
            old = state.memory.get(target)
            # What nobody has looked at is arbitrary anyway; but from outside its pointers are valid.
            same = old is None and is_pristine(target) and (not own or target in self.suspects)
            if target.constant or target.dead or same:
                continue
            fresh = written[target] = OutsideData(maker, name, span, reason)
            below = old if old is not None else Contents()
            plain = span == WHOLE and not partly_written(target, old) and self.ctypes.is_number(target.ctype)
            new = Contents(state.token, fresh if plain else Written(target, below, fresh))
            new.alive = below.alive
            state.memory[target] = new
        for other, symbols in self._led_to(state, parts).items():
            if parts.get(other) != WHOLE and not other.constant:
                self._hit(state, other, dict.fromkeys(symbols, hit))
        return written

    def deposited(self, memory: Mapping[MemObject, Contents]) -> Iterator[Root]:
        """What the program has stored in objects from outside leads there: those who own them may look."""
        for target in self._own_pointers:
            if target.kind is Kind.OUTSIDE and not target.dead:
                for _, value in self.walker.stored(target, memory.get(target)):
                    if not isinstance(value, Pointer) or any(o.kind in OWN for _, o, _ in value.targets):
                        yield Root(value)

    def perhaps_freed(self, state: State, targets: Iterable[MemObject] = (), inexact: str = "") -> None:
        """What may have been freed by somebody who does not say what: what all share, and the targets. With
        the condition `inexact`, the targets alone."""
        for target in dict.fromkeys(targets if inexact else (*self._shared(), *targets)):
            if target.kind in (Kind.HEAP, Kind.OUTSIDE) and not target.dead:
                old = state.memory.get(target)
                new = Contents(state.token) if old is None else old.copy(state.token)
                kept = T.fresh(f"{target.name}.kept", T.BOOL)
                new.alive = T.and_(new.alive, kept)
                state.memory[target] = new
                if inexact:
                    self.context.inexact[kept] = inexact

    def _led_to(self, state: State, parts: Mapping[MemObject, Span]) -> dict[MemObject, dict[Term, None]]:
        """What code outside can write where the parts overlap other objects: these, and what they lead to."""
        found = self.overlaps.all_of(target for target in parts if target not in self.restricted)
        work = list(found)
        while work:
            target = work.pop()
            if target in parts or (target not in state.memory and is_pristine(target)):
                continue
            root = Root(Pointer.to(target, self.context.zero_offset))
            for other in self.walker.reach(state.memory, [root]).writable:
                known = found.setdefault(other, {})
                if not known.keys() >= found[target].keys():
                    known.update(found[target])
                    work.append(other)
        return found

    def reach(
        self, memory: Mapping[MemObject, Contents], roots: Iterable[Root], known: Reach | None = None
    ) -> Reach:
        """All that the roots, and what is `known`, lead to, also through pointers that nobody has read."""
        found = self.walker.reach(memory, roots, known)
        shared = [target for target in self._shared() if target not in self.restricted]
        while True:
            held = {target: span for target, span in found.seen.items() if not self._leads_nowhere(target)}
            more = self._unread.led_to(memory, held, shared)
            if found.holds(more):
                return found
            found.add(more)
            found = self.walker.reach(memory, (), found)

    def _leads_nowhere(self, target: MemObject) -> bool:
        """Variables of the compiler and of the C library lead to no object of the program's."""
        held = self.context.program.globals.get(target.name) if target.kind is Kind.GLOBAL else None
        return held is not None and (held.linkage == "private" or held.name in _STREAMS)


def _is_covered(hit: Hit) -> bool:
    """May what was written be there all the same in an object that nobody has looked at? Its pointers lead to
    what code outside knows."""
    number = not hit.over and not isinstance(hit.type, ir.PointerType)
    return number or hit.outside or _leads_outside(hit.value)


def _leads_outside(value: Value | None) -> bool:
    return value is not None and valid_outside(value)


_STREAMS = ("stdin", "stdout", "stderr", "__stdinp", "__stdoutp", "__stderrp")
