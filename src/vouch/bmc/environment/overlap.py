"""Which objects may overlap, and under which symbol.

Objects that came about in one way (the pointer that is read again after each call, say) are one group: a
symbol stands for two groups, not for two objects. It says that some of one may overlap some of the other,
which includes all that single symbols could say, since a write elsewhere *may* change what it overlaps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vouch.bmc.ctypes import TypeTable
from vouch.bmc.initial import Unknown
from vouch.bmc.value import Kind, MemObject
from vouch.smt import term as T
from vouch.smt.term import Term

Group = tuple[Kind, str, int | None]
Pair = frozenset[Group]
EVERYWHERE: frozenset[Pair] = frozenset({frozenset()})  # all pairs that there are


def group_of(target: MemObject) -> Group:
    return target.kind, target.name, target.ctype


class Overlaps:
    """`symbols` are those of pairs of groups, with what they mean; `pairs` says of which."""

    def __init__(self, ctypes: TypeTable, pointer_bits: int, typed: bool = True) -> None:
        """Without `typed` everything may overlap everything."""
        self._typed = typed
        self.symbols: dict[Term, str] = {}
        self.pairs: dict[Term, Pair] = {}
        self._ctypes = ctypes
        self._bits = pointer_bits
        self._members: dict[Group, dict[MemObject, None]] = {}
        self._between: dict[Group, dict[Group, Term]] = {}
        self._elements: dict[tuple[MemObject, MemObject], int] = {}
        self._distances: dict[tuple[MemObject, MemObject], Term] = {}

    def add(self, own: MemObject, others: Iterable[MemObject]) -> None:
        """A new object that may overlap all others that the language allows it to."""
        group = group_of(own)
        for target in others:
            if target.size != 0:
                self._members.setdefault(group_of(target), {})[target] = None
        fresh = group not in self._members
        self._members.setdefault(group, {})[own] = None
        for other in self._members:
            known = self._between.get(group, {})
            if (
                other not in known
                and (other != group or not fresh)
                and (not self._typed or self._may_share(group, other))
            ):
                symbol = T.fresh(f"{own.name}.overlaps.{other[1]}", T.BOOL)
                self.symbols[symbol] = f"{own.name} overlaps {other[1]}"
                self.pairs[symbol] = frozenset((group, other))
                self._between.setdefault(group, {})[other] = symbol
                self._between.setdefault(other, {})[group] = symbol

    def _may_share(self, one: Group, other: Group) -> bool:
        """A variable is what it was declared: it may hold what a pointer leads to, but lies in nothing."""
        for whole, part in ((one, other), (other, one)):
            if whole[0] in (Kind.GLOBAL, Kind.STACK) and part[0] is Kind.OUTSIDE:
                return self._ctypes.may_hold(whole[2], part[2])
        return self._ctypes.may_share(one[2], other[2])

    def forget(self, gone: Iterable[MemObject]) -> None:
        for held in gone:
            self._members.get(group_of(held), {}).pop(held, None)

    def follow(self, a: MemObject, b: MemObject, element: int) -> None:
        """Equal pointers to these two are followed exactly: they overlap only behind or before an element."""
        self._elements[a, b] = self._elements[b, a] = element

    def element(self, a: MemObject, b: MemObject) -> int | None:
        return self._elements.get((a, b))

    def any(self, target: MemObject) -> bool:
        """May something overlap an object?"""
        return bool(self._between) and bool(self._between.get(group_of(target)))

    def of(self, target: MemObject) -> Iterator[tuple[MemObject, Term]]:
        """What may overlap an object, as far as anybody looked at it, with the symbol."""
        for group, symbol in self._between.get(group_of(target), {}).items():
            for other in self._members[group]:
                if other is not target:
                    yield other, symbol

    def all_of(self, targets: Iterable[MemObject]) -> dict[MemObject, dict[Term, None]]:
        """What may overlap one of the objects."""
        found: dict[MemObject, dict[Term, None]] = {}
        by_group: dict[Group, list[MemObject]] = {}
        for target in targets:
            by_group.setdefault(group_of(target), []).append(target)
        for group, own in by_group.items():
            for other, symbol in self._between.get(group, {}).items():
                for member in self._members[other]:
                    if own != [member]:  # nothing overlaps itself
                        found.setdefault(member, {})[symbol] = None
        return found

    def between(self, a: MemObject, b: MemObject) -> tuple[Term, Term] | None:
        """The symbol of two objects, and the distance of the second's origin from the first's."""
        symbol = self._between.get(group_of(a), {}).get(group_of(b)) if a is not b else None
        if symbol is None:
            return None
        if (a, b) not in self._distances:
            distance = T.fresh(f"{b.name}.from.{a.name}", T.bitvec(self._bits))
            self._distances[a, b], self._distances[b, a] = distance, T.neg(distance)
        return symbol, self._distances[a, b]


def is_pristine(target: MemObject) -> bool:
    """Nobody has looked at the object, so that it holds anything, whatever is done to it."""
    initial = target.initial
    return (
        target.kind is Kind.OUTSIDE
        and type(initial) is Unknown
        and not initial.lacks
        and not initial.cells
        and not initial.pointers
        and not initial.arrays
        and not initial.ends.strings
    )
