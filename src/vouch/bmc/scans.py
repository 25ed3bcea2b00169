"""What library models ask of memory without a loop: how long a string is, where a character is, how two
stretches compare, whether a stretch may be accessed.

A scan looks at one unit (a character) after the other and stops at the first that is wanted. Where the object
is small, or its contents are known, every unit is looked at. Behind that the place is a symbol: exact for the
end of a string whose contents came from outside (`strings.py`), otherwise arbitrary within what is known of
it, and a violation that hangs on it is undecided unless a native run shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from vouch.bmc import access
from vouch.bmc.changed import Changed
from vouch.bmc.contents import Contents
from vouch.bmc.execution import Execution
from vouch.bmc.initial import Initial, Merged, Unknown
from vouch.bmc.state import State
from vouch.bmc.strings import largest
from vouch.bmc.value import Kind, MemObject, Value
from vouch.c import ir
from vouch.errors import Unsupported
from vouch.record import record
from vouch.smt import term as T
from vouch.smt.term import Term

WHOLE = 1024  # bytes of an object that is looked at from its first to its last unit
FEW = 64  # units looked at where an object is larger, or of unknown size
STORES = 64  # places written to that are looked for zeros
LONG = "a search through more text than is followed"

Test: TypeAlias = Callable[[Term], Term]


@record
class ScanEnd:
    """Where a scan stopped, in units; whether at what was wanted and not only at the end of the string; and
    whether it came past a unit that was never written."""

    at: Term
    hit: Term
    undefined: Term


@record
class Scan:
    """A question: units of `size` bytes, until one `hits`, or is zero (`terminated`)."""

    ex: Execution
    state: State
    size: int
    hits: Test
    terminated: bool
    limit: Term

    @property
    def bits(self) -> int:
        return self.ex.context.pointer_bits

    def number(self, value: int) -> Term:
        return T.bv(value, self.bits)

    def zero(self, unit: Term) -> Term:
        return T.eq(unit, T.bv(0, unit.width))

    def stops(self, unit: Term) -> Term:
        return T.or_(self.hits(unit), self.zero(unit)) if self.terminated else self.hits(unit)

    # ------------------------------------------------------------ one object

    def through(self, target: MemObject, offset: Term) -> ScanEnd:
        if target.kind is Kind.DEVICE or (target.kind is Kind.WILD and self.ex.context.devices):
            raise Unsupported("text in device memory")
        if target.kind not in access.MAIN or target.dead:
            return ScanEnd(self.number(0), T.FALSE, T.FALSE)
        contents = self.state.memory.get(target)
        if offset.value is None:
            return self._from_anywhere(target, contents, offset)
        units: list[tuple[Term, Term, Term]] = []  # stops here, is a hit, was never written
        tail = self._walk(target, contents, self.ex.memory.signed(offset), units)
        at, hit, undefined = tail.at, tail.hit, tail.undefined
        for index in range(len(units) - 1, -1, -1):
            stop, hits, unset = units[index]
            here = self.number(index)
            if unset is not T.FALSE:
                unset = T.and_(unset, T.ult(here, self.limit))
            undefined = T.or_(unset, T.and_(T.not_(stop), undefined))
            hit = T.ite(stop, hits, hit)
            at = T.ite(stop, here, at)
        return ScanEnd(at, hit, undefined)

    def _walk(
        self, target: MemObject, contents: Contents | None, start: int, units: list[tuple[Term, Term, Term]]
    ) -> ScanEnd:
        """Look at units one by one; what is behind the last of them."""
        memory, type_ = self.ex.memory, ir.IntType(8 * self.size)
        most, guessed = _patience(target, self.size), 0
        written = _written(contents)
        while True:
            index = len(units)
            place = start + index * self.size
            here = self.number(index)
            outside = isinstance(target.size, int) and not 0 <= place <= target.size - self.size
            if outside or (self.limit.value is not None and index >= int(self.limit.value)):
                return ScanEnd(here, T.FALSE, T.FALSE)
            if place >= written and self._ends_in(target, contents, most):
                return self._to_the_end(target, contents, self.number(start), index)
            if guessed >= most:
                return self._anywhere_behind(target, contents, self.number(start), index)
            if target.kind is Kind.OUTSIDE:
                self.ex.touch(target, self.state, self.number(place), self.size)
            unit, undefined = memory.read(target, contents, place, type_)
            assert isinstance(unit, Term)
            stop = self.stops(unit)
            if isinstance(target.size, Term):
                inside = access.valid(self.ex, self.state, target, self.number(place), self.size)
                stop = T.or_(stop, T.not_(inside))
            units.append((stop, self.hits(unit), undefined))
            if stop is T.TRUE:
                return ScanEnd(here, units[-1][1], T.FALSE)
            guessed += stop is not T.FALSE

    def _ends_in(self, target: MemObject, contents: Contents | None, most: int) -> bool:
        """May the end of the string be a symbol of its own?"""
        if not self.terminated or self.size != 1 or self.hits is not never or most > FEW:
            return False
        return _pure(target, contents)

    def _to_the_end(self, target: MemObject, contents: Contents | None, start: Term, index: int) -> ScanEnd:
        initial = _initial(target, contents)
        first = T.add(start, self.number(index))
        end = end_of(self.ex, target, initial, first)
        return ScanEnd(T.sub(end, start), T.FALSE, _unwritten(initial, first, end))

    def _anywhere_behind(
        self, target: MemObject, contents: Contents | None, start: Term, index: int
    ) -> ScanEnd:
        """The scan goes on for more units than are looked at."""
        context = self.ex.context
        at = T.fresh("scan.at", T.bitvec(self.bits))
        context.changed[at] = LONG
        room = T.udiv(T.sub(largest(target, self.bits), start), self.number(self.size))
        context.constrain(
            T.and_(T.ule(self.number(index), at), T.or_(T.ule(at, room), T.ule(room, self.number(index))))
        )
        undefined: Term = T.FALSE
        if self.terminated:
            self._not_beyond_zeros(target, contents, start, index, at)
        if _initial(target, contents).lacks or (contents and contents.flags is not None):
            undefined = T.fresh("scan.undefined", T.BOOL)
            context.unsupported[undefined] = LONG
            stop = T.add(start, T.mul(at, self.number(self.size)))
            undefined = T.and_(undefined, T.not_(self._all_written(contents, start, stop)))
        hit: Term = T.FALSE
        if self.hits is not never:
            hit = T.fresh("scan.hit", T.BOOL)
            context.changed[hit] = LONG
        return ScanEnd(at, hit, undefined)

    def _all_written(self, contents: Contents | None, start: Term, stop: Term) -> Term:
        """Was everything before `stop` written at once, whichever way the contents came about?"""
        if contents is None or contents.array is None or not _clear(contents.flags):
            return T.FALSE
        leaves = self.ex.memory.leaves(contents.array)
        last = T.sub(stop, self.number(1))
        covered = [leaf.covered(start, last) if isinstance(leaf, Changed) else T.FALSE for leaf in leaves]
        return T.or_(T.eq(start, stop), T.and_(T.TRUE, *covered)) if covered else T.FALSE

    def _not_beyond_zeros(
        self, target: MemObject, contents: Contents | None, start: Term, index: int, at: Term
    ) -> None:
        """A string does not go on behind a zero that was written at a place that is not constant."""
        memory, first = self.ex.memory, T.add(start, self.number(index * self.size))
        if self.size != 1:
            return
        array = contents.array if contents is not None and contents.word == 1 else None
        ends = (
            [s.end for leaf in memory.leaves(array) for s in leaf.ends.strings] if array is not None else []
        )
        for place in (*_stores(array), *ends):
            unit, _ = memory.read_at(target, contents, place, ir.IntType(8))
            assert isinstance(unit, Term)
            passed = T.and_(T.ule(first, place), T.ult(place, T.add(start, at)))
            self.ex.context.constrain(T.not_(T.and_(passed, self.zero(unit))))
        if _pure(target, contents):
            end = end_of(self.ex, target, _initial(target, contents), first)
            self.ex.context.constrain(T.ule(at, T.sub(end, start)))

    def _from_anywhere(self, target: MemObject, contents: Contents | None, offset: Term) -> ScanEnd:
        """The start is not constant."""
        if not isinstance(target.size, int) or target.size > WHOLE:
            if self._ends_in(target, contents, FEW) and not _written(contents):
                return self._to_the_end(target, contents, offset, 0)
            return self._anywhere_behind(target, contents, offset, 0)
        memory, type_ = self.ex.memory, ir.IntType(8 * self.size)
        stride, rest = self.ex.context.shapes.stride(offset)
        first = rest % self.size if stride % self.size == 0 else 0
        if stride % self.size:
            return self._anywhere_behind(target, contents, offset, 0)
        at, hit, undefined = self.number(target.size), T.FALSE, T.FALSE
        choices: list[tuple[int, Value]] = [(target.size, (at, hit, undefined))]
        last = first + (target.size - first) // self.size * self.size - self.size
        for place in range(last, -1, -self.size):
            if target.kind is Kind.OUTSIDE:
                self.ex.touch(target, self.state, self.number(place), self.size)
            unit, unset = memory.read(target, contents, place, type_)
            assert isinstance(unit, Term)
            stop = self.stops(unit)
            at = T.ite(stop, self.number(place), at)
            hit = T.ite(stop, self.hits(unit), hit)
            undefined = T.or_(unset, T.and_(T.not_(stop), undefined))
            choices.append((place, (at, hit, undefined)))
        found = memory._mux(offset, choices[::-1])
        assert isinstance(found, tuple)
        where, hits, unset = (part for part in found if isinstance(part, Term))
        return ScanEnd(T.udiv(T.sub(where, offset), self.number(self.size)), hits, unset)


def never(unit: Term) -> Term:
    return T.FALSE


def _initial(target: MemObject, contents: Contents | None) -> Initial:
    return target.initial if contents is None or contents.initial is None else contents.initial


def _pure(target: MemObject, contents: Contents | None) -> bool:
    """Are the contents, but for cells at constant places, those that nobody knows?"""
    if contents is not None and contents.array is not None:
        return False
    return _unknown(_initial(target, contents))


def _unknown(initial: Initial) -> bool:
    if isinstance(initial, Merged):
        return _unknown(initial.yes) and _unknown(initial.no)
    return isinstance(initial, Unknown)


def _written(contents: Contents | None) -> int:
    """Where the last cell ends that was written."""
    cells = contents.cells.items() if contents is not None else ()
    return max((offset + cell[0] for offset, cell in cells), default=0)


def _patience(target: MemObject, size: int) -> int:
    """How many units that may or may not stop a scan are looked at. The ends of wide strings are no symbols,
    so more of those are."""
    known = isinstance(target.size, int) and target.size <= WHOLE
    return WHOLE if known else FEW if size == 1 else 4 * FEW


def _stores(array: Term | None) -> Iterator[Term]:
    """Places that were written to, the latest first."""
    work, count = [array] if array is not None else [], 0
    seen: set[Term] = set()
    while work and count < STORES:
        term = work.pop()
        if term in seen:
            continue
        seen.add(term)
        if term.op == "store":
            count += 1
            yield term.args[1]
            work.append(term.args[0])
        elif term.op == "ite":
            work.extend(term.args[1:])


def _clear(flags: Term | None) -> bool:
    """Was nothing put on top of the flags that marks a byte as unwritten?"""
    work, seen = [flags] if flags is not None else [], set()
    while work:
        term = work.pop()
        if term in seen:
            continue
        seen.add(term)
        if term.op == "store":
            if term.args[2].value != 0:
                return False
            work.append(term.args[0])
        elif term.op == "ite":
            work.extend(term.args[1:])
    return True


def _unwritten(initial: Initial, first: Term, last: Term) -> Term:
    if isinstance(initial, Merged):
        yes, no = (_unwritten(part, first, last) for part in (initial.yes, initial.no))
        return T.ite(initial.condition, yes, no)
    if isinstance(initial, Changed):
        return T.and_(initial.undefined, T.not_(initial.covered(first, last)))
    return initial.undefined


def end_of(ex: Execution, target: MemObject, initial: Initial, start: Term) -> Term:
    """The end of a string in contents that nobody knows."""
    if isinstance(initial, Merged):
        yes, no = (end_of(ex, target, part, start) for part in (initial.yes, initial.no))
        return T.ite(initial.condition, yes, no)
    assert isinstance(initial, Unknown)
    return initial.end(ex.memory, target, start)
