"""Rewriting and ranges tried out completely: small widths, all constants, all values, pairs of operators."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import pytest

from vouch.smt import term as T
from vouch.smt.intervals import bounds
from vouch.smt.narrow import narrow
from vouch.smt.walk import evaluate

BINARY = [
    T.add, T.sub, T.mul, T.udiv, T.urem, T.sdiv, T.srem, T.shl, T.lshr, T.ashr, T.band, T.bor, T.bxor,
    T.ult, T.ule, T.slt, T.sle, T.eq, T.sadd_overflow, T.uadd_overflow, T.ssub_overflow, T.usub_overflow,
    T.smul_overflow, T.umul_overflow,
]  # fmt: skip
UNARY: list[Callable[[T.Term], T.Term]] = [
    lambda a: a,
    T.bnot,
    T.neg,
    lambda a: T.extract(T.zext(a, a.width + 2), a.width, 1),
    lambda a: T.extract(T.sext(a, a.width + 2), a.width, 1),
    lambda a: T.extract(T.concat(a, a), a.width, 1),
    lambda a: T.extract(T.shl(T.zext(a, 2 * a.width), T.bv(1, 2 * a.width)), a.width, 1),
    lambda a: T.ite(T.ult(a, T.bv(2, a.width)), T.bv(1, a.width), a),
    lambda a: T.ite(T.slt(a, T.bv(0, a.width)), T.bv(1, a.width), T.bv(3, a.width)),
]
STEP = 5  # of the constants that three nested operators are tried with; 1 tries all
TRUTH = (False, True)


def _expect_same(make: Callable[[], T.Term], symbols: list[T.Term], domains: list[Sequence[Any]]) -> None:
    """What `make` builds with rewriting has the value that the plain graph has, everywhere; so has what a
    solver is given for it, and the ranges contain it."""
    T.active().switch(simplify=False)
    plain = make()
    T.active().switch(simplify=True)
    rewritten = make()
    narrowed = narrow([plain, rewritten], {})
    for values in product(*domains):
        assignment = dict(zip(symbols, values, strict=True))
        expected = evaluate(plain, assignment)
        assert evaluate(rewritten, assignment) == expected, (plain, rewritten, values)
        for term, narrower in zip((plain, rewritten), narrowed, strict=True):
            assert evaluate(narrower, assignment) == expected, (term, narrower, values)
            if term.sort.kind == "bv":
                low, high = bounds(term)
                assert low <= expected <= high or low <= expected - (1 << term.width) <= high, term


@pytest.mark.parametrize("op", BINARY, ids=lambda op: op.__name__)
def test_operators_against_constants(op: Callable[[T.Term, T.Term], T.Term]) -> None:
    width = 4
    x = T.symbol("x", T.bitvec(width))
    for value in range(1 << width):
        constant = T.bv(value, width)
        _expect_same(lambda c=constant: op(x, c), [x], [range(1 << width)])
        _expect_same(lambda c=constant: op(c, x), [x], [range(1 << width)])


@pytest.mark.parametrize("outer", BINARY, ids=lambda op: op.__name__)
def test_pairs_of_operators_against_constants(outer: Callable[[T.Term, T.Term], T.Term]) -> None:
    width = 2
    x = T.symbol("x", T.bitvec(width))
    everything = range(1 << width)
    for inner, a, b in product(BINARY[:13], everything, everything):
        p, q = T.bv(a, width), T.bv(b, width)
        _expect_same(lambda f=inner, p=p, q=q: outer(f(x, p), q), [x], [everything])
        _expect_same(lambda f=inner, p=p, q=q: outer(q, f(p, x)), [x], [everything])


@pytest.mark.parametrize("op", BINARY, ids=lambda op: op.__name__)
def test_shaped_operands(op: Callable[[T.Term, T.Term], T.Term]) -> None:
    x, y = T.symbol("x", T.bitvec(2)), T.symbol("y", T.bitvec(2))
    shapes = [*UNARY, lambda a: T.zext(a, 4), lambda a: T.sext(a, 4), lambda a: T.sext(T.zext(a, 3), 4)]
    for f, g in product(shapes, shapes):
        if f(x).width == g(y).width:
            _expect_same(lambda f=f, g=g: op(f(x), g(y)), [x, y], [range(4), range(4)])
            _expect_same(lambda f=f, g=g: op(f(x), g(x)), [x], [range(4)])
    for f, value in product(shapes, range(16)):
        constant = T.bv(value, f(x).width)
        _expect_same(lambda f=f, c=constant: op(f(x), c), [x], [range(4)])
        _expect_same(lambda f=f, c=constant: op(c, f(x)), [x], [range(4)])


@pytest.mark.parametrize(
    "outer", [T.udiv, T.urem, T.sdiv, T.srem, T.eq, T.ult, T.slt], ids=lambda op: op.__name__
)
def test_extended_operands_that_cannot_wrap(outer: Callable[[T.Term, T.Term], T.Term]) -> None:
    x = T.symbol("x", T.bitvec(2))
    inners = (T.mul, T.add, T.shl, T.lshr, T.ashr)
    for inner, extend, a, b in product(inners, (T.zext, T.sext), range(16), range(0, 16, STEP)):
        p, q = T.bv(a, 4), T.bv((a + b) % 16, 4)
        _expect_same(lambda f=inner, e=extend, p=p, q=q: outer(f(e(x, 4), p), q), [x], [range(4)])


def test_boolean_structure() -> None:
    """Random connectives over four symbols, compared on the whole truth table."""
    chance = random.Random(20)
    for _ in range(400):
        symbols = [T.symbol(name, T.BOOL) for name in "pqrs"]
        recipe = [(chance.randrange(7), *(chance.randrange(99) for _ in "abc")) for _ in range(12)]
        _expect_same(lambda s=symbols, r=recipe: _connect(s, r), symbols, [TRUTH] * 4)


def _connect(symbols: list[T.Term], recipe: list[tuple[int, ...]]) -> T.Term:
    made = list(symbols)
    for kind, *picks in recipe:
        a, b, c = (made[-1 - pick % min(len(made), 6)] for pick in picks)
        match kind:
            case 0:
                made.append(T.not_(a))
            case 1:
                made.append(T.and_(a, b))
            case 2:
                made.append(T.or_(a, b))
            case 3:
                made.append(T.eq(a, b))
            case 4:
                made.append(T.ite(a, b, c))
            case 5:
                made.append(T.and_(a, b, c))
            case _:
                made.append(T.or_(a, b, c))
    return T.or_(T.and_(*made[-3:]), T.xor(made[-4], made[-5]))


def test_conditionals() -> None:
    """Random conditionals over few outcomes, the shape that merged states have."""
    chance = random.Random(21)
    for _ in range(400):
        symbols = [T.symbol(name, T.BOOL) for name in "pqr"]
        x = T.symbol("x", T.bitvec(2))
        recipe = [tuple(chance.randrange(99) for _ in range(4)) for _ in range(6)]
        _expect_same(
            lambda s=symbols, x=x, r=recipe: _merge(s, x, r), [*symbols, x], [TRUTH, TRUTH, TRUTH, range(4)]
        )


def _merge(symbols: list[T.Term], x: T.Term, recipe: list[tuple[int, ...]]) -> T.Term:
    states = [x, T.bv(0, 2), T.bv(1, 2), T.bv(2, 2)]
    guards = [*symbols, T.ult(x, T.bv(2, 2))]
    for g, a, b, negate in recipe:
        guard = guards[-1 - g % len(guards)]
        merged = T.ite(
            T.not_(guard) if negate % 2 else guard, states[-1 - a % len(states)], states[-1 - b % len(states)]
        )
        states.append(merged)
        guards.append(T.eq(merged, states[negate % 4]))
    return T.concat(states[-1], T.bool_to_bv(T.and_(guards[-1], guards[-2]), 2))
