"""What can be reached from values: objects, the parts of them, and functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field

from vouch.bmc.contents import Contents
from vouch.bmc.ctypes import TypeTable
from vouch.bmc.environment.layers import WHOLE, Span
from vouch.bmc.initial import Initial, Unknown
from vouch.bmc.value import Kind, MemObject, Pointer, Value
from vouch.record import frozen_record, record
from vouch.smt.term import Term

MAIN = (Kind.STACK, Kind.GLOBAL, Kind.HEAP, Kind.OUTSIDE)


@frozen_record
class Root:
    """A value to start from. `pointee` is the C type that it is taken to point to; what it points to is
    written through it only where it is `writable`. `size`: it leads to a member of so many bytes."""

    value: Value
    pointee: int | None = None
    writable: bool = True
    size: int | None = None


@record
class Reach:
    """Parts of objects: all that can be reached, and what can be written; functions that it leads to."""

    seen: dict[MemObject, Span] = field(default_factory=dict)
    writable: dict[MemObject, Span] = field(default_factory=dict)
    functions: dict[str, None] = field(default_factory=dict)

    def add(self, other: Reach) -> None:
        for mine, theirs in ((self.seen, other.seen), (self.writable, other.writable)):
            for target, span in theirs.items():
                mine[target] = union(mine.get(target), span)
        self.functions.update(other.functions)

    def holds(self, other: Reach) -> bool:
        """Is all of the other in it already?"""
        pairs = ((self.seen, other.seen), (self.writable, other.writable))
        return all(
            union(mine.get(target), span) == mine.get(target)
            for mine, theirs in pairs
            for target, span in theirs.items()
        )


def union(a: Span | None, b: Span) -> Span:
    """The smallest span around both."""
    if a is None or a == b:
        return b
    end = None if a[1] is None or b[1] is None else max(a[1], b[1])
    return min(a[0], b[0]), end


def inside(span: Span, offset: int) -> bool:
    return span[0] <= offset and (span[1] is None or offset < span[1])


def _is_memory(target: MemObject, result: Reach) -> bool:
    """Is there something to read or write? A function is noted as such."""
    if target.kind is Kind.FUNCTION and target.name:
        result.functions[target.name] = None
    return target.kind in MAIN and not target.dead


def parts_of(initial: Initial) -> Iterator[Initial]:
    """It and all that it is made of: layers lie over layers, and branches share what lies below."""
    work, seen = [initial], {initial}
    while work:
        current = work.pop()
        yield current
        fresh = [part for part in current.parts() if part not in seen]
        work += fresh
        seen.update(fresh)


def _held(initial: Initial) -> Iterator[tuple[int | None, Value]]:
    """Values in what an object held at first, with their offsets where these are known."""
    for current in parts_of(initial):
        yield from current.values()
        if isinstance(current, Unknown):
            yield from ((None, value) for value in current.pointers.values())


class Walker:
    """`globals_` gives the pointers in a global's initial value, `addressed` the objects by the symbols of
    their addresses, as far as they have any."""

    def __init__(
        self,
        ctypes: TypeTable,
        globals_: Callable[[MemObject], Iterable[Value]],
        addressed: Mapping[Term, MemObject],
        whole: bool = False,
    ) -> None:
        """`whole`: from the address of a member all of the object around it is reached."""
        self.whole = whole
        self.ctypes = ctypes
        self.globals = globals_
        self.addressed = addressed
        self._found: dict[Term, frozenset[MemObject]] = {}
        self._count = 0

    def reach(
        self, memory: Mapping[MemObject, Contents], roots: Iterable[Root], known: Reach | None = None
    ) -> Reach:
        """Everything that the roots, and what is `known` already, lead to in this state: through stored
        pointers and through addresses as numbers."""
        result = Reach()
        work: list[tuple[MemObject, Span, bool]] = []
        if known is not None:
            work.extend((target, span, False) for target, span in known.seen.items() if not target.dead)
            work.extend((target, span, True) for target, span in known.writable.items() if not target.dead)
        for root in roots:
            work.extend(self._places(root, result))
        while work:
            target, span, writable = work.pop()
            if writable:
                result.writable[target] = union(result.writable.get(target), span)
            before = result.seen.get(target)
            after = union(before, span)
            if before == after:
                continue
            result.seen[target] = after
            for offset, value in self.stored(target, memory.get(target)):
                if offset is not None and not inside(after, offset):
                    continue
                if isinstance(value, Term) and not self.addressed:
                    continue
                pointee = None
                if offset is not None and isinstance(value, Pointer):
                    pointee = self.ctypes.pointee(self.ctypes.ctype_at(target.ctype, offset))
                # Of other files' code too, nothing is written through what is stored as a pointer to const.
                writable = self.whole or not self.ctypes.is_const(pointee)
                work.extend(self._places(Root(value, pointee, writable), result))
        return result

    def _places(self, root: Root, result: Reach) -> Iterator[tuple[MemObject, Span, bool]]:
        parts: list[Value] = [root.value]
        while parts:
            value = parts.pop()
            if isinstance(value, tuple):
                parts.extend(value)
            elif isinstance(value, Pointer):
                for _, target, offset in value.targets:
                    if _is_memory(target, result):
                        yield target, self._span(target, offset, root), root.writable
            elif self.addressed:
                for target in self._in_number(value):
                    if _is_memory(target, result):
                        yield target, WHOLE, root.writable

    def leads_to(self, value: Value, target: MemObject) -> bool:
        """Is the address of an object in a value, as a pointer or as a number?"""
        if isinstance(value, tuple):
            return any(self.leads_to(part, target) for part in value)
        if isinstance(value, Pointer):
            return any(held is target for _, held, _ in value.targets)
        return bool(self.addressed) and target in self._in_number(value)

    def _span(self, target: MemObject, offset: Term, root: Root) -> Span:
        place = int(offset.value) if offset.value is not None else None
        if self.whole or place is None or place >> (offset.width - 1):
            return WHOLE
        if root.size is not None:
            return place, place + root.size
        return self.ctypes.part(target.ctype, place, root.pointee)

    def stored(self, target: MemObject, contents: Contents | None) -> Iterator[tuple[int | None, Value]]:
        """Values in an object with their offsets, None where a value may stand for many places."""
        initial = target.initial
        if contents is not None:
            for offset, (_, value, _) in contents.cells.items():
                yield offset, value
            if contents.array is not None:
                yield None, contents.array
            initial = contents.initial if contents.initial is not None else initial
        for at, value in _held(initial):
            yield (None if isinstance(value, Term) else at), value
        if target.kind is Kind.GLOBAL:
            for value in self.globals(target):
                yield None, value

    def _in_number(self, term: Term) -> frozenset[MemObject]:
        """Objects whose addresses a term is computed from."""
        if self._count != len(self.addressed):  # what was found before may lack the new ones
            self._count = len(self.addressed)
            self._found.clear()
        work = [term]
        while work:
            current = work[-1]
            if current in self._found:
                work.pop()
                continue
            left = [a for a in current.args if a not in self._found]
            if left:
                work.extend(left)
                continue
            work.pop()
            own = self.addressed.get(current)
            found = frozenset() if own is None else frozenset({own})
            self._found[current] = found.union(*(self._found[a] for a in current.args))
        return self._found[term]
