"""Bounds of terms against exact evaluation: random terms, random boxes, random points in them."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest
from tests.patience import slowed

from vouch.numeric import grouped
from vouch.numeric.decide import decide, symbols_of
from vouch.numeric.narrow import Narrowing
from vouch.numeric.tape import Tape, bits_of, float_of
from vouch.numeric.values import FORMATS, Floats, Ints, Truth, agreed, integers
from vouch.smt import chain
from vouch.smt import term as T
from vouch.smt.operators import signed
from vouch.smt.solver import Answer
from vouch.smt.sort import FLOAT16, FLOAT32, FLOAT64, bitvec
from vouch.smt.walk import evaluate

_SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, 1e-3, 100.0, 6e-8, 6e4, -7.25]


class Maker:
    """Random terms over a few variables, each with a box."""

    def __init__(self, seed: int, sort=None) -> None:
        self.random = random.Random(seed)
        self.sort = sort or self.random.choice([FLOAT16, FLOAT32, FLOAT64])
        self.width = self.random.choice([8, 16, 32, 64])
        tag = f"{seed}-{self.sort.width}-{self.width}"
        bits = [T.symbol(f"f{i}-{tag}", bitvec(self.sort.width)) for i in range(3)]
        self.floats = [T.fp_from_bits(each, self.sort) for each in bits]
        self.ints = [T.symbol(f"i{i}-{tag}", bitvec(self.width)) for i in range(3)]
        self.bools = [T.symbol(f"b{i}-{tag}", T.BOOL) for i in range(2)]

    def number(self):
        value = self.random.choice([*_SPECIAL, self.random.gauss(0, 10), self.random.uniform(-1, 1)])
        return T.fp_const(bits_of(self.sort, value), self.sort)

    def float(self, depth):
        r = self.random
        if depth == 0 or r.random() < 0.1:
            return r.choice([*self.floats, self.number()])
        a, b = self.float(depth - 1), self.float(depth - 1)
        return r.choice(
            [
                lambda: T.fp_add(a, b),
                lambda: T.fp_sub(a, b),
                lambda: T.fp_mul(a, b),
                lambda: T.fp_mul(a, a),
                lambda: T.fp_div(a, b),
                lambda: T.fp_sqrt(a),
                lambda: T.fp_abs(a),
                lambda: T.fp_neg(a),
                lambda: T.fp_min(a, b),
                lambda: T.fp_max(a, b),
                lambda: T.fp_fma(a, b, self.float(depth - 1)),
                lambda: T.fp_round(a, r.choice(["rne", "rna", "rtp", "rtn", "rtz"])),
                lambda: T.ite(self.bool(depth - 1), a, b),
                lambda: T.ite(T.fp_lt(self.number(), a), a, b),
                lambda: T.fp_from_sbv(self.int(depth - 1), self.sort),
                lambda: T.fp_from_ubv(self.int(depth - 1), self.sort),
                lambda: T.fp_to_fp(T.fp_to_fp(a, r.choice([FLOAT16, FLOAT32, FLOAT64])), self.sort),
            ]
        )()

    def int(self, depth, width=None):
        r, w = self.random, width or self.width
        if depth == 0 or r.random() < 0.1:
            if r.random() < 0.4:
                return T.bv(r.choice([0, 1, 2, 3, 7, 8, -1, -5, 100, 1 << (w - 1), r.getrandbits(w)]), w)
            return r.choice([T.resize_s, T.resize_u])(r.choice(self.ints), w)
        a, b = self.int(depth - 1, w), self.int(depth - 1, w)
        amount = T.bv(r.randrange(w), w)
        half = max(w // 2, 1)
        return r.choice(
            [
                lambda: T.add(a, b),
                lambda: T.sub(a, b),
                lambda: T.mul(a, b),
                lambda: T.mul(a, a),
                lambda: T.neg(a),
                lambda: T.bnot(a),
                lambda: T.sdiv(a, b),
                lambda: T.udiv(a, b),
                lambda: T.srem(a, b),
                lambda: T.urem(a, b),
                lambda: T.shl(a, amount),
                lambda: T.lshr(a, amount),
                lambda: T.ashr(a, amount),
                lambda: T.shl(a, b),
                lambda: T.band(a, b),
                lambda: T.bor(a, b),
                lambda: T.bxor(a, b),
                lambda: T.ite(self.bool(depth - 1), a, b),
                lambda: T.ite(T.slt(a, b), b, a),
                lambda: T.sext(T.extract(a, half - 1, 0), w),
                lambda: T.zext(T.extract(a, w - 1, half), w) if w > 1 else a,
                lambda: T.concat(T.extract(a, half - 1, 0), T.extract(b, w - half - 1, 0)) if w > 1 else a,
            ]
        )()

    def bool(self, depth):
        r = self.random
        if depth == 0:
            return r.choice(self.bools)
        a, b = self.float(depth - 1), self.float(depth - 1)
        i, j = self.int(depth - 1), self.int(depth - 1)
        return r.choice(
            [
                lambda: T.fp_lt(a, b),
                lambda: T.fp_le(a, b),
                lambda: T.fp_eq(a, b),
                lambda: T.eq(a, b),
                lambda: T.fp_is_nan(a),
                lambda: T.fp_is_inf(a),
                lambda: T.fp_is_zero(a),
                lambda: T.fp_is_negative(a),
                lambda: T.fp_is_subnormal(a),
                lambda: T.slt(i, j),
                lambda: T.ult(i, j),
                lambda: T.eq(i, j),
                lambda: T.sadd_overflow(i, j),
                lambda: T.ssub_overflow(i, j),
                lambda: T.smul_overflow(i, j),
                lambda: T.umul_overflow(i, j),
                lambda: T.and_(self.bool(depth - 1), self.bool(depth - 1)),
                lambda: T.or_(self.bool(depth - 1), self.bool(depth - 1)),
                lambda: T.not_(self.bool(depth - 1)),
                lambda: T.eq(self.bool(depth - 1), self.bool(depth - 1)),
                lambda: T.ite(self.bool(depth - 1), self.bool(depth - 1), self.bool(depth - 1)),
            ]
        )()

    def box(self):
        """A box for each variable, and a function that draws a point of it."""
        r, given, draws = self.random, {}, {}
        for variable in self.floats:
            ends = sorted(r.choice([*_SPECIAL, r.gauss(0, 10), np.inf, -np.inf]) for _ in range(2))
            dtype = FORMATS[self.sort]
            low, high = dtype(ends[0]), dtype(ends[1])
            given[variable] = Floats(np.array([low]), np.array([high]), np.array([False]))
            draws[variable] = lambda low=low, high=high: self._between(low, high)
        for variable in self.ints:
            top = 1 << (self.width - 1)
            ends = sorted(r.choice([-top, top - 1, 0, -1, 5, r.randrange(-top, top)]) for _ in range(2))
            if self.width == 64 and max(abs(e) for e in ends) >= 1 << 61:
                continue
            value = integers(self.width, np.array([ends[0]]), np.array([ends[1]]))
            given[variable] = agreed(value, self.width)
            draws[variable] = lambda ends=ends: r.choice([*ends, r.randint(*ends)]) & ((1 << self.width) - 1)
        for variable in self.bools:
            draws[variable] = lambda: r.random() < 0.5
        return given, draws

    def _between(self, low, high):
        r, dtype = self.random, FORMATS[self.sort]
        tries = [low, high, 0.0, -0.0, r.uniform(max(float(low), -1e4), min(float(high), 1e4)), r.gauss(0, 1)]
        value = dtype(r.choice(tries))
        return bits_of(self.sort, value if low <= value <= high else low)


def contains(value, exact, term) -> bool:
    if isinstance(value, Truth):
        return bool((value.true if exact else value.false)[0])
    if isinstance(value, Ints):
        s = signed(exact, term.width)
        far = 1 << 62
        above = value.low[0] <= -far or value.low[0] <= s
        below = value.high[0] >= far or s <= value.high[0]
        most = value.most[0] >= far or exact <= value.most[0]
        return above and below and value.least[0] <= exact and most
    number = float_of(term.sort, exact)
    return bool(value.nan[0]) if np.isnan(number) else bool(value.low[0] <= number <= value.high[0])


def attack(seed: int, points: int) -> None:
    maker = Maker(seed)
    roots = [maker.bool(4) for _ in range(3)]
    tape = Tape(roots)
    given, draws = maker.box()
    values = tape.run({v: a for v, a in given.items() if v in tape.place}, 1)
    for _ in range(points):
        assignment = {v: draw() for v, draw in draws.items()}
        memo: dict = {}
        for term in tape.terms:
            known = {**assignment}
            known |= {v.args[0]: b for v, b in assignment.items() if v.op == "fp_from_bits"}
            exact = evaluate(term, known, lambda s: 0, memo)
            found = values[tape.place[term]]
            assert contains(found, exact, term), (seed, term, exact, found)


@pytest.mark.parametrize("block", range(8))
def test_bounds_hold(block):
    for seed in range(40 * block, 40 * block + 40):
        attack(seed, 6)


def test_bounds_hold_in_groups(monkeypatch):
    monkeypatch.setattr(grouped, "_LEAST", 1)
    monkeypatch.setattr(grouped, "_WORTH", 1)
    for seed in range(1000, 1060):
        attack(seed, 4)


def layer(inputs, count, r, sort):
    """Sums of products with constants, rectified."""
    found = []
    for _ in range(count):
        total = T.fp_const(bits_of(sort, r.gauss(0, 1)), sort)
        for x in inputs:
            total = T.fp_add(total, T.fp_mul(x, T.fp_const(bits_of(sort, r.gauss(0, 1)), sort)))
        found.append(T.fp_max(total, T.fp_const(0, sort)))
    return found


def same(a, b):
    fields = type(a).__slots__
    return type(a) is type(b) and all(np.array_equal(getattr(a, f), getattr(b, f)) for f in fields)


def test_groups_are_what_single_steps_are(monkeypatch):
    r = random.Random(5)
    xs = [T.symbol(f"grouped{n}", FLOAT32) for n in range(4)]
    last = layer(layer(layer(xs, 10, r, FLOAT32), 10, r, FLOAT32), 1, r, FLOAT32)[0]
    root = T.fp_lt(last, T.fp_const(bits_of(FLOAT32, 1.0), FLOAT32))
    ends = np.sort(np.random.default_rng(1).normal(size=(4, 2, 6)).astype("f4"), axis=1)
    box = {x: Floats(low, high, np.zeros(6, dtype=bool)) for x, (low, high) in zip(xs, ends, strict=True)}
    box[xs[0]] = Floats(box[xs[0]].low, np.full(6, np.inf, "f4"), np.array([True] * 3 + [False] * 3))
    together = Tape([root])
    found = together.run(box, 6)
    assert isinstance(found, grouped.GroupedValues)
    monkeypatch.setattr(grouped, "_WORTH", 1 << 30)
    alone = Tape([root])
    values = alone.run(box, 6)
    assert isinstance(values, list)
    assert all(same(found[n], values[n]) for n in range(len(alone.terms)))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(50))
def test_bounds_hold_long(block):
    for seed in range(10_000 + 200 * block, 10_200 + 200 * block):
        attack(seed, 12)


def versus_solver(seed: int) -> bool:
    """Whether both had an answer; they must agree."""
    maker = Maker(seed, FLOAT16)
    goal = maker.bool(3)
    limits = []
    for variable in maker.floats:
        bound = T.fp_const(bits_of(FLOAT16, 4.0), FLOAT16)
        limits.append(T.fp_le(T.fp_abs(variable), bound))
    for variable in maker.ints:
        limits += [T.slt(T.bv(-20, maker.width), variable), T.slt(variable, T.bv(20, maker.width))]
    asked = [*limits, goal]
    found = decide(asked, time.monotonic() + slowed(0.5))
    if found.model is not None:
        assert all(evaluate(t, found.model.values, lambda s: 0, {}) for t in asked)
    if not found.proved:
        return False
    solver = chain.make("bitwuzla")
    for term in asked:
        solver.add(term)
    answer = solver.check(timeout=5)
    solver.close()
    assert answer is not Answer.SAT, (seed, goal)
    return answer is Answer.UNSAT


def test_proofs_agree_with_a_solver():
    assert sum(versus_solver(seed) for seed in range(30)) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_proofs_agree_with_a_solver_long(block):
    for seed in range(1000 + 100 * block, 1100 + 100 * block):
        versus_solver(seed)


def test_a_model_in_pieces():
    """A float put together from bytes of memory is set byte by byte."""
    parts = [T.symbol(f"byte{i}", bitvec(8)) for i in range(4)]
    bits = T.concat(T.concat(parts[3], parts[2]), T.concat(parts[1], parts[0]))
    one = bits_of(FLOAT32, 1.5)
    model = symbols_of({T.fp_from_bits(bits, FLOAT32): one})
    assert model is not None
    assert [model.values[p] for p in parts] == list(one.to_bytes(4, "little"))


@pytest.mark.parametrize("bits", [3, 8])
def test_sign_extension_by_arithmetic(bits):
    """((x & 0xff) ^ 0x80) - 0x80, for every x of a few bits more."""
    width = bits + 2
    x = T.symbol(f"x-sign-{bits}", bitvec(width))
    sign = T.bv(1 << (bits - 1), width)
    y = T.sub(T.bxor(T.band(x, T.bv((1 << bits) - 1, width)), sign), sign)
    assert y.op == "sext"
    for value in range(1 << width):
        exact = ((value & ((1 << bits) - 1)) ^ (1 << (bits - 1))) - (1 << (bits - 1))
        assert evaluate(y, {x: value}) == exact & ((1 << width) - 1)


def test_what_cannot_be_halved_stays_open():
    """z is x + 1, with nothing known of either: not excluded, whatever else is tried after halving."""
    x, z = (T.fp_from_bits(T.symbol(f"{name}-open", bitvec(32)), FLOAT32) for name in "xz")
    one = T.fp_const(bits_of(FLOAT32, 1.0), FLOAT32)
    asked = [T.eq(T.fp_add(x, one), z), T.fp_lt(one, T.fp_mul(z, z))]
    assert not decide(asked, time.monotonic() + 1.0).proved


def unlimited(seed: int) -> None:
    """Variables without limits: a proof still has to agree with a solver."""
    maker = Maker(seed, FLOAT16)
    asked = [maker.bool(3), maker.bool(2)]
    if not decide(asked, time.monotonic() + 0.3).proved:
        return
    solver = chain.make("bitwuzla")
    for term in asked:
        solver.add(term)
    answer = solver.check(timeout=5)
    solver.close()
    assert answer is not Answer.SAT, seed


def test_proofs_without_limits():
    for seed in range(60):
        unlimited(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_proofs_without_limits_long(block):
    for seed in range(1000 + 200 * block, 1200 + 200 * block):
        unlimited(seed)


def test_many_limits_are_narrowed_once():
    """More terms in short conjuncts than a question is looked at as a whole with."""
    symbols = [T.symbol(f"many{n}", FLOAT32) for n in range(1500)]
    one = T.fp_const(bits_of(FLOAT32, 1.0), FLOAT32)
    limits = [c for x in symbols for c in (T.fp_le(T.fp_neg(x), one), T.fp_le(x, one))]
    total = symbols[0]
    for x in symbols[1:]:
        total = T.fp_add(total, x)
    for roots in (limits, [*limits, T.fp_le(one, total)]):
        box = Narrowing(Tape(roots)).run()
        assert all((box[x].low[0], box[x].high[0]) == (-1.0, 1.0) for x in symbols)


WIDE = T.symbol("wide-a", bitvec(64)), T.symbol("wide-b", bitvec(64))


def far_apart() -> list[list[T.Term]]:
    """Questions about numbers beyond those that ranges of wide types follow; all of them can be met."""
    a, b = WIDE
    far, lowest = 1 << 62, T.bv(1 << 63, 64)
    small = [T.slt(T.bv(-20, 64), b), T.slt(b, T.bv(20, 64))]
    return [
        [T.slt(a, b), T.slt(T.bv(far - 1, 64), a)],
        [T.ult(a, b), T.ult(T.bv(far - 1, 64), a)],
        [T.slt(a, b), T.slt(b, T.bv(1 - far, 64))],
        [*small, T.slt(T.add(b, lowest), T.ashr(a, T.bv(4, 64)))],
    ]


@pytest.mark.parametrize("number", range(4))
def test_wide_numbers_have_ends_that_are_not_known(number):
    asked = far_apart()[number]
    solver = chain.make("bitwuzla")
    for term in asked:
        solver.add(term)
    assert solver.check(timeout=5) is Answer.SAT
    solver.close()
    assert not decide(asked, time.monotonic() + 0.2).proved
