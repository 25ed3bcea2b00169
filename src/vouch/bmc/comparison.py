"""How two stretches of memory compare, unit by unit as far as is reasonable."""

from __future__ import annotations

from vouch.bmc import access, memory_ops
from vouch.bmc.execution import Execution
from vouch.bmc.scans import FEW, LONG, WHOLE, Scan, never
from vouch.bmc.state import State
from vouch.bmc.value import MemObject, Pointer
from vouch.c import ir
from vouch.record import record
from vouch.smt import term as T
from vouch.smt.term import Term


@record
class MemoryComparison:
    ex: Execution
    state: State
    limit: Term
    size: int
    terminated: bool
    fold: bool

    def _usable(self, target: MemObject, offset: Term, size: int | Term) -> Term:
        """Of texts nobody said how long they are."""
        usable = access.valid if self.terminated else access.valid_block
        return usable(self.ex, self.state, target, offset, size)

    def run(self, left: Pointer, right: Pointer) -> tuple[Term, Term, Term]:
        """The order, the condition of a bad access, and that of a read of something never written."""
        bits, type_ = self.ex.context.pointer_bits, ir.IntType(8 * self.size)
        steps: list[tuple[Term, Term]] = []  # stops here, with this order
        bad: Term = T.FALSE
        unset: Term = T.FALSE
        going: Term = T.TRUE
        rest = T.bv(0, 32)
        for index in range(WHOLE):
            place = index * self.size
            wanted = T.and_(going, T.ult(T.bv(index, bits), self.limit))
            if wanted is T.FALSE:
                break
            if len(steps) >= FEW + 1 and not (self._small(left) or self._small(right)):
                rest = self._longer()
                bad = T.or_(bad, self._beyond(wanted, left, right))
                break
            valid = T.and_(*(self._valid(p, place) for p in (left, right)))
            bad = T.or_(bad, T.and_(wanted, T.not_(valid)))
            (a, x), (b, y) = (
                memory_ops.read_one(self.ex, self.state, p, place, type_) for p in (left, right)
            )
            assert isinstance(a, Term)
            assert isinstance(b, Term)
            unset = T.or_(unset, T.and_(wanted, T.or_(x, y)))
            a, b = self._folded(a), self._folded(b)
            end = T.eq(a, T.bv(0, a.width)) if self.terminated else T.FALSE
            stop = T.or_(T.ne(a, b), end, T.not_(valid), T.not_(T.ult(T.bv(index, bits), self.limit)))
            steps.append((stop, T.ite(T.ult(T.bv(index, bits), self.limit), self._order(a, b), T.bv(0, 32))))
            going = T.and_(going, T.not_(stop))
        else:
            rest = self._longer()
            bad = T.or_(bad, self._beyond(going, left, right))
        for stop, order in reversed(steps):
            rest = T.ite(stop, order, rest)
        return rest, bad, unset

    def _small(self, pointer: Pointer) -> bool:
        return all(isinstance(o.size, int) and o.size <= WHOLE for _, o, _ in pointer.targets)

    def _valid(self, pointer: Pointer, place: int) -> Term:
        memory = self.ex.memory
        return T.and_(
            *(
                T.or_(T.not_(g), self._usable(o, memory.words.plus(off, place), self.size))
                for g, o, off in pointer.targets
            ),
            T.TRUE,
        )

    def _longer(self) -> Term:
        """Equal for more units than are looked at."""
        order = T.fresh("compare.order", T.bitvec(32))
        self.ex.context.changed[order] = LONG
        if self.size == 1:
            self.ex.context.constrain(T.and_(T.sle(T.bv(-255, 32), order), T.sle(order, T.bv(255, 32))))
        return order

    def _beyond(self, going: Term, left: Pointer, right: Pointer) -> Term:
        """May the rest leave an object? Not before the end of one of two strings, nor before the limit."""
        last = self.limit
        if self.terminated:
            for pointer in (left, right):
                end = self._end(pointer)
                last = T.ite(T.ult(end, last), end, last)
        inside = [self._reaches(pointer, last) for pointer in (left, right)]
        if T.and_(*inside) is T.TRUE:
            return T.FALSE
        equal = T.fresh("compare.equal", T.BOOL)
        self.ex.context.changed[equal] = LONG
        return T.and_(going, equal, T.not_(T.and_(*inside)))

    def _end(self, pointer: Pointer) -> Term:
        scan = Scan(self.ex, self.state, self.size, never, True, self.limit)
        end = scan.number(0)
        for guard, target, offset in pointer.targets:
            end = T.ite(guard, scan.through(target, offset).at, end)
        return end

    def _reaches(self, pointer: Pointer, last: Term) -> Term:
        """May everything before the `last` unit be accessed, and that one too if it is before the limit?"""
        bits = self.ex.context.pointer_bits
        units = T.ite(T.ult(last, self.limit), T.add(last, T.bv(1, bits)), last)
        size = T.mul(units, T.bv(self.size, bits))
        cases = [
            T.or_(T.not_(guard), self._usable(target, offset, size))
            for guard, target, offset in pointer.targets
        ]
        return T.or_(T.eq(size, T.bv(0, bits)), T.and_(*cases, T.TRUE))

    def _folded(self, unit: Term) -> Term:
        if not self.fold:
            return unit
        capital = T.and_(T.ule(T.bv(ord("A"), 8), unit), T.ule(unit, T.bv(ord("Z"), 8)))
        return T.ite(capital, T.add(unit, T.bv(32, 8)), unit)

    def _order(self, a: Term, b: Term) -> Term:
        if self.size == 1:
            return T.sub(T.zext(a, 32), T.zext(b, 32))
        less = T.ult(a, b) if self.size < 4 else T.slt(a, b)
        return T.ite(T.eq(a, b), T.bv(0, 32), T.ite(less, T.bv(-1, 32), T.bv(1, 32)))
