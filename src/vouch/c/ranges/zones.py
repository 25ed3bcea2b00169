"""Zones: what is known of differences of integers, x - y <= c, beside their intervals.

A zone is a dictionary from pairs (x, y) to c; a pair that is missing says nothing. It is sparse: only pairs
that some comparison or assignment has related are there, and what follows from several is looked for when it
is asked for. Functions return new dictionaries; nobody changes one. Numbers are those of mathematics: whoever
adds a relation has proved that nothing wraps around.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

Variable = Hashable
Zone = dict[tuple[Variable, Variable], int]
Implied = Callable[[Variable, Variable], int | None]
"""The bound on x - y that intervals give, None where there is none."""

EMPTY: Zone = {}
_MOST = 32  # pairs; what is related later is left out
_FARTHEST = 1 << 40
_LONGEST = 4  # steps from one variable to another


def add(zone: Zone, x: Variable, y: Variable, most: int) -> Zone:
    """x - y <= most holds as well."""
    if x == y or abs(most) > _FARTHEST or zone.get((x, y), most + 1) <= most:
        return zone
    if (x, y) not in zone and len(zone) >= _MOST:
        return zone
    return {**zone, (x, y): most}


def bound(zone: Zone, x: Variable, y: Variable) -> int | None:
    """The least c with x - y <= c that follows in a few steps."""
    if x == y:
        return 0
    best: dict[Variable, int] = {x: 0}
    front = {x}
    for _ in range(_LONGEST):
        after: set[Variable] = set()
        for (a, b), most in zone.items():
            if a in front:
                sum_ = best[a] + most
                if b not in best or sum_ < best[b]:
                    best[b] = sum_
                    after.add(b)
        front = after
        if not front:
            break
    return best.get(y)


def forget(zone: Zone, gone: Callable[[Variable], bool]) -> Zone:
    """Without some variables; what they related to each other stays related."""
    lost = {v for pair in zone for v in pair if gone(v)}
    if not lost:
        return zone
    zone = dict(zone)
    for x in lost:
        into = [(a, zone[a, b]) for a, b in zone if b == x]
        out = [(b, zone[a, b]) for a, b in zone if a == x]
        for a, _ in into:
            del zone[a, x]
        for b, _ in out:
            del zone[x, b]
        for a, first in into:
            for b, second in out:
                if a != b and abs(first + second) <= _FARTHEST:
                    zone[a, b] = min(first + second, zone.get((a, b), first + second))
    return zone


def shift(zone: Zone, x: Variable, step: int) -> Zone:
    """x grows by a number."""
    return {
        (a, b): most + step if a == x else most - step if b == x else most for (a, b), most in zone.items()
    }


def join(a: Zone, b: Zone, in_a: Implied, in_b: Implied) -> Zone:
    """What holds in both; intervals of the one may imply what the other relates."""
    if a is b or a == b:
        return a
    result: Zone = {}
    for pair in a if not b else {**a, **b}:
        first = a[pair] if pair in a else _least(a, pair, in_a)
        second = b[pair] if pair in b else _least(b, pair, in_b)
        if first is not None and second is not None:
            result[pair] = first if first >= second else _rounded(second)
    if len(result) > _MOST:
        result = {pair: most for pair, most in result.items() if pair in a}
    return a if result == a else result


def widen(old: Zone, new: Zone, in_new: Implied) -> Zone:
    """What holds in both of what the old one says; a bound that moves is given up."""
    result: Zone = {}
    for pair, most in old.items():
        other = new[pair] if pair in new else _least(new, pair, in_new)
        if other is not None and other <= most:
            result[pair] = most
    return old if len(result) == len(old) else result


def _least(zone: Zone, pair: tuple[Variable, Variable], implied: Implied) -> int | None:
    found = [c for c in (implied(*pair), bound(zone, *pair)) if c is not None]
    return min(found, default=None)


def _rounded(most: int) -> int:
    """A bound that grows goes on in few steps, so that it comes to rest."""
    return most if most <= 1 else 1 << (most - 1).bit_length()
