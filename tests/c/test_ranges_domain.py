"""The value domain against brute force: every operation on every kind of small set."""

from __future__ import annotations

import itertools
import random

import pytest

from vouch.c.ranges import domain as d

BITS = 3
ALL = range(1 << BITS)


def signed_of(number: int, bits: int = BITS) -> int:
    return number - (1 << bits) if number >> (bits - 1) else number


def members(value: d.Value) -> list[int]:
    return [n for n in ALL if d.contains(value, n, BITS)]


def abstract(numbers: list[int]) -> d.Value:
    """The best value for a set, by joining constants."""
    value = d.const(numbers[0], BITS)
    for number in numbers[1:]:
        value = d.join(value, d.const(number, BITS))
    return value


def values() -> list[d.Value]:
    """All intervals of both readings, all patterns of known bits, and joins of random sets."""
    found = {d.unsigned(lo, hi, BITS) for lo in ALL for hi in ALL if lo <= hi}
    found |= {d.signed(lo, hi, BITS) for lo in range(-4, 4) for hi in range(lo, 4)}
    for zeros, ones in itertools.product(ALL, ALL):
        if not zeros & ones:
            made = d.make(*d.top(BITS)[:4], zeros, ones, BITS)
            assert made is not None
            found.add(made)
    pick = random.Random(1)
    found |= {abstract(pick.sample(ALL, pick.randint(1, 5))) for _ in range(60)}
    return sorted(found)


VALUES = values()


def exact(op: str, a: int, b: int) -> list[int]:
    """What the operation can yield: everything where C defines nothing."""
    x, y = signed_of(a), signed_of(b)
    mask = (1 << BITS) - 1
    match op:
        case "add" | "sub" | "mul":
            return [{"add": a + b, "sub": a - b, "mul": a * b}[op] & mask]
        case "and" | "or" | "xor":
            return [{"and": a & b, "or": a | b, "xor": a ^ b}[op]]
        case "udiv" | "urem":
            return list(ALL) if b == 0 else [a // b if op == "udiv" else a % b]
        case "sdiv" | "srem":
            if b == 0 or (x == -4 and y == -1):
                return list(ALL)
            quotient = int(x / y)
            return [(quotient if op == "sdiv" else x - quotient * y) & mask]
        case _:
            if b >= BITS:
                return list(ALL)
            return [{"shl": a << b, "lshr": a >> b, "ashr": x >> b}[op] & mask]


@pytest.mark.parametrize("op", sorted(d.BINARY))
def test_operation_covers_every_result(op: str) -> None:
    pick = random.Random(op)
    pairs = list(itertools.product(VALUES, VALUES))
    for a, b in pick.sample(pairs, 2500):
        result = d.BINARY[op](a, b, BITS)
        for x, y in itertools.product(members(a), members(b)):
            for number in exact(op, x, y):
                assert d.contains(result, number, BITS), (op, a, b, x, y, number, result)


@pytest.mark.parametrize("op", sorted(set(d.BINARY) - {"udiv", "urem", "sdiv", "srem"}))
def test_operation_on_constants_is_exact(op: str) -> None:
    for x, y in itertools.product(ALL, ALL):
        wanted = exact(op, x, y)
        if len(wanted) == 1:
            assert d.BINARY[op](d.const(x, BITS), d.const(y, BITS), BITS) == d.const(wanted[0], BITS)


def test_division_of_constants_is_exact() -> None:
    for op, x, y in itertools.product(["udiv", "urem", "sdiv", "srem"], ALL, ALL):
        wanted = exact(op, x, y)
        if len(wanted) == 1:
            assert members(d.BINARY[op](d.const(x, BITS), d.const(y, BITS), BITS)) == wanted


@pytest.mark.parametrize("predicate", sorted(d.NEGATED))
def test_comparison_and_refinement(predicate: str) -> None:
    def holds(x: int, y: int) -> bool:
        if predicate[0] == "s":
            x, y = signed_of(x), signed_of(y)
        kind = predicate if predicate in ("eq", "ne") else predicate[1:]
        return {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[kind]

    pick = random.Random(predicate)
    for a, b in pick.sample(list(itertools.product(VALUES, VALUES)), 2500):
        pairs = list(itertools.product(members(a), members(b)))
        known = d.compare(predicate, a, b)
        if known is not None:
            assert all(holds(x, y) is known for x, y in pairs), (a, b)
        refined = d.refine(predicate, a, b, BITS)
        for x, y in pairs:
            if holds(x, y):
                assert refined is not None, (a, b, x, y)
                assert d.contains(refined[0], x, BITS), (a, b, x, y)
                assert d.contains(refined[1], y, BITS), (a, b, x, y)


def test_join_meet_and_widening() -> None:
    pick = random.Random(5)
    for a, b in pick.sample(list(itertools.product(VALUES, VALUES)), 4000):
        both = set(members(a)) & set(members(b))
        assert set(members(a)) | set(members(b)) <= set(members(d.join(a, b)))
        met = d.meet(a, b, BITS)
        assert both <= (set(members(met)) if met is not None else set())
        widened = d.widen(a, b, [-1, 0, 1, 2], BITS)
        assert set(members(a)) | set(members(b)) <= set(members(widened))


def test_width_changes() -> None:
    for a in VALUES:
        for number in members(a):
            assert d.contains(d.zext(a, BITS, 5), number, 5)
            assert d.contains(d.sext(a, BITS, 5), signed_of(number), 5)
            assert d.contains(d.trunc(a, 2), number, 2)


def test_widening_ends() -> None:
    value, steps = d.const(0, 32), 0
    while True:
        wider = d.widen(value, d.add(value, d.const(1, 32), 32), [0, 10, 100], 32)
        if wider == value:
            break
        value, steps = wider, steps + 1
        assert steps < 20
    assert value[0] <= 0


def test_precision_that_drivers_rely_on() -> None:
    byte = d.zext(d.top(8), 8, 32)
    assert d.add(byte, byte, 32)[:2] == (0, 510)
    assert d.and_(d.top(32), d.const(0xFF, 32), 32)[2:4] == (0, 255)
    assert d.urem(d.top(32), d.const(8, 32), 32)[2:4] == (0, 7)
    assert d.lshr(d.top(32), d.const(24, 32), 32)[2:4] == (0, 255)
    shifted = d.shl(byte, d.const(8, 32), 32)
    assert d.or_(shifted, byte, 32)[2:4] == (0, 65535)
