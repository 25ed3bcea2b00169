"""Where strings end, as values.

A string in memory that nobody knows byte by byte (it came from outside, or a copy of unknown length left it)
has an end all the same: the first zero at or after its start. `Ends` names that place by a symbol. What the
symbol means is told for each byte that is ever looked at, and for no other: a byte before the end is not
zero, the one at the end is. Bytes that nobody looks at are free, so this loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from vouch.record import frozen_record
from vouch.smt import term as T
from vouch.smt.term import Term

if TYPE_CHECKING:
    from vouch.bmc.memory import Memory
    from vouch.bmc.value import MemObject

FARTHEST = 47  # no object is larger than 2 to this many bytes
SHORT = 1 << 12  # lengths that a counterexample should keep to where it can
BEARABLE = 1 << 17  # lengths that a native run is given: see `model.LARGEST`


@frozen_record
class String:
    """The first zero at or after `start` is at `end`, which is `size` where there is none. All this only
    where `when` holds."""

    start: Term
    end: Term
    size: Term
    when: Term = T.TRUE


Bytes = Callable[[], Iterable[tuple[Term, Term]]]  # place and value of the bytes that were looked at so far


class Ends:
    """The strings in one object's unknown contents."""

    def __init__(self) -> None:
        self.strings: list[String] = []

    def of(self, memory: Memory, target: MemObject, start: Term, seen: Bytes) -> Term:
        """The end of the string that begins at `start`. In an object that is as large as need be it ends
        before the object does."""
        bits = memory.pointer_bits
        size = largest(target, bits)
        below = T.ult if target.size is None else T.ule
        inside = below(start, size)
        for known in self.strings:
            if known.start is start and known.when is inside:
                return known.end
        end = T.fresh(f"{target.name}.end", T.bitvec(bits))
        memory.constrain(T.or_(T.not_(inside), T.and_(T.ule(start, end), below(end, size))))
        if not isinstance(target.size, int):
            wishes = ((SHORT, memory.context.preferences), (BEARABLE, memory.context.bearable))
            for length, list_ in wishes:
                list_.append(T.ule(T.sub(end, start), T.bv(min(length, 1 << (bits - 3)), bits)))
        self.add(memory, String(start, end, size, inside), seen)
        return end

    def add(self, memory: Memory, new: String, seen: Bytes) -> None:
        for known in self.strings:
            both = T.and_(known.when, new.when)
            for a, b in ((known, new), (new, known)):
                # b's end is a zero, or there is none in the object: no string that begins before goes on
                # there.
                beyond = T.and_(T.ule(a.start, b.end), T.ult(b.end, a.end))
                memory.constrain(T.not_(T.and_(both, beyond)))
        for place, byte in seen():
            _tell(memory, new, place, byte)
        self.strings.append(new)

    def look(self, memory: Memory, place: Term, byte: Term) -> None:
        """A byte was read."""
        for string in self.strings:
            _tell(memory, string, place, byte)


def _tell(memory: Memory, string: String, place: Term, byte: Term) -> None:
    zero = T.eq(byte, T.bv(0, 8))
    before = T.and_(T.ule(string.start, place), T.ult(place, string.end))
    at = T.and_(T.eq(place, string.end), T.ult(string.end, string.size))
    memory.constrain(T.not_(T.and_(string.when, before, zero)))
    memory.constrain(T.not_(T.and_(string.when, at, T.not_(zero))))


def largest(target: MemObject, bits: int) -> Term:
    """The size of an object, or the largest that it may have."""
    if isinstance(target.size, Term):
        return target.size
    return T.bv(target.size if target.size is not None else 1 << min(FARTHEST, bits - 2), bits)
