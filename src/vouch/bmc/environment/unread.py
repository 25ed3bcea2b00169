"""Where pointers may lead that nobody has read yet.

An object from outside holds pointers before the program looks at them, and code outside that is given the
object follows them: to whatever it knows that the types allow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from vouch.bmc.contents import Contents
from vouch.bmc.ctypes import TypeTable
from vouch.bmc.environment.layers import WHOLE, Span
from vouch.bmc.environment.reach import Reach, inside, parts_of, union
from vouch.bmc.initial import Unknown
from vouch.bmc.value import Kind, MemObject

_MANY = 32  # places in one object: from there on, all of it


class Unread:
    def __init__(self, ctypes: TypeTable) -> None:
        self._ctypes = ctypes
        self._places: dict[int, tuple[tuple[int | None, int | None], ...]] = {}
        self._closures: dict[int | None, dict[int | None, bool]] = {}

    def led_to(
        self,
        memory: Mapping[MemObject, Contents],
        held: Mapping[MemObject, Span],
        shared: Iterable[MemObject],
    ) -> Reach:
        """What of the `shared` objects the unread pointers in the `held` parts may lead to."""
        types: dict[int | None, bool] = {}
        for target, span in held.items():
            for pointee in self._pointees(target, memory.get(target), span):
                for key, writable in self._closure(pointee).items():
                    types[key] = types.get(key, False) or writable
        more = Reach()
        for target in shared if types else ():
            for key, writable in types.items():
                part = self._part(target, key)
                if part is not None:
                    more.seen[target] = union(more.seen.get(target), part)
                    if writable:
                        more.writable[target] = union(more.writable.get(target), part)
        return more

    def _pointees(self, target: MemObject, contents: Contents | None, span: Span) -> Iterator[int | None]:
        """What the pointers in a part of an object point to that nobody has read or overwritten."""
        held = contents if contents is not None else Contents()
        own, initial = held.cells, held.initial if held.initial is not None else target.initial
        data = [p for p in parts_of(initial) if isinstance(p, Unknown) and not p.lacks]
        if target.dead or not data:
            return
        if target.ctype is None or self._ctypes.known(target.ctype) is None:
            # Those from outside share their place with everything as it is.
            if target.kind is not Kind.OUTSIDE and self._ctypes.may_hold_pointers(target.ctype):
                yield None
            return
        for offset, pointee in self._held_in(target.ctype):
            if offset is None or (
                inside(span, offset) and offset not in own and any(offset not in p.cells for p in data)
            ):
                yield pointee

    def _held_in(self, key: int) -> tuple[tuple[int | None, int | None], ...]:
        """Offsets of pointers in a C type, None in arrays, and what they point to."""
        if key not in self._places:
            self._places[key] = tuple(dict.fromkeys(self._walk(key)))
        return self._places[key]

    def _walk(self, key: int) -> Iterator[tuple[int | None, int | None]]:
        work: list[tuple[int, int | None]] = [(key, 0)]
        while work:
            current, at = work.pop()
            ctype = self._ctypes.table.get(current)
            if ctype is None:
                continue
            if ctype.kind == "pointer":
                if not self._ctypes.is_function(ctype.target):
                    yield at, ctype.target
            elif ctype.kind == "array" and ctype.target is not None:
                work.append((ctype.target, None))
            work.extend(
                (member.type, None if at is None else at + member.offset // 8)
                for member in ctype.members
                if not member.bitfield
            )

    def _closure(self, pointee: int | None) -> dict[int | None, bool]:
        """The types that a pointer leads to, at once or through others, and whether they are written then."""
        if pointee not in self._closures:
            found: dict[int | None, bool] = {}
            work = [pointee]
            while work:
                key = work.pop()
                writable = not self._ctypes.is_const(key)
                if self._ctypes.is_bytes(key):
                    key = None
                if found.get(key) or (key in found and not writable):
                    continue
                found[key] = writable
                if key is not None:
                    work.extend(inner for _, inner in self._held_in(key))
            self._closures[pointee] = found
        return self._closures[pointee]

    def _part(self, target: MemObject, key: int | None) -> Span | None:
        """The bytes of an object that a pointer to `key` may lead to."""
        if key is None or self._ctypes.known(target.ctype) is None or self._ctypes.is_bytes(target.ctype):
            return WHOLE
        around = target.kind not in (Kind.GLOBAL, Kind.STACK) and self._ctypes.may_hold(key, target.ctype)
        if around or self._ctypes.same_element(target.ctype, key):
            return WHOLE
        if not self._ctypes.may_hold(target.ctype, key):
            return None
        size, places = self._ctypes.table[key].size, self._ctypes.places(target.ctype, key)
        is_array = self._ctypes.table[target.ctype].kind == "array" if target.ctype is not None else True
        if not size or not places or len(places) >= _MANY or is_array:
            return WHOLE
        return min(places), None
