"""Formulas lifted to networks, against points of the input set evaluated one by one."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest
from tests.patience import slowed

from vouch.nn.bounds.forward import analyse, fresh
from vouch.nn.lowered import Affine
from vouch.numeric.decide import decide
from vouch.numeric.lift import by_network, lifted
from vouch.numeric.narrow import Contradiction, Narrowing, conjuncts
from vouch.numeric.tape import Tape, bits_of
from vouch.numeric.values import FORMATS, Floats, agreed, integers
from vouch.smt import term as T
from vouch.smt.sort import FLOAT32, FLOAT64, bitvec


def const(x, sort):
    return T.fp_const(bits_of(sort, x), sort)


class Network:
    """A random piecewise linear function as code would write it; `inputs` with their boxes."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.kind = self.random.choice(["float", "double", "fixed"])
        self.tag = f"net{seed}"
        self.inputs, self.limits = [], []
        self.low, self.high = [], []
        for number in range(self.random.randint(1, 3)):
            self._input(number)
        layer = list(self.inputs)
        for _ in range(self.random.randint(1, 2)):
            layer = [self.bend(self.sum(layer)) for _ in range(self.random.randint(1, 4))]
        self.output = self.sum(layer)

    @property
    def sort(self):
        return FLOAT64 if self.kind == "double" else FLOAT32

    def _input(self, number):
        r = self.random
        low = r.choice([-1.0, -2.5, 0.0])
        high = low + r.choice([0.5, 2.0, 3.0])
        if self.kind == "fixed":
            x = T.symbol(f"x{number}-{self.tag}", bitvec(32))
            low, high = int(low * 256), int(high * 256)
            self.limits += [T.sle(T.bv(low, 32), x), T.sle(x, T.bv(high, 32))]
        else:
            x = T.fp_from_bits(T.symbol(f"x{number}-{self.tag}", bitvec(self.sort.width)), self.sort)
            self.limits += [T.fp_le(const(low, self.sort), x), T.fp_le(x, const(high, self.sort))]
        self.inputs.append(x)
        self.low.append(low)
        self.high.append(high)

    def sum(self, layer):
        r = self.random
        if self.kind == "fixed":
            total = T.bv(0, 32)
            for x in layer:
                product = T.mul(x, T.bv(r.randint(-400, 400), 32))
                shifted, divided = T.ashr(product, T.bv(8, 32)), T.sdiv(product, T.bv(256, 32))
                total = T.add(total, shifted if r.random() < 0.7 else divided)
            return T.add(total, T.bv(r.randint(-200, 200), 32))
        total = const(r.uniform(-1, 1), self.sort)
        for x in layer:
            product = T.fp_mul(x, const(r.uniform(-1.5, 1.5), self.sort))
            quotient = T.fp_div(x, const(3.0, self.sort))
            total = T.fp_add(total, product) if r.random() < 0.7 else T.fp_sub(total, quotient)
        return total

    def bend(self, x):
        """A ReLU and its kin, in the spellings that C code has."""
        r = self.random
        if self.kind == "fixed":
            zero = T.bv(0, 32)
            return r.choice(
                [
                    lambda: T.ite(T.slt(zero, x), x, zero),
                    lambda: T.ite(T.slt(x, zero), zero, x),
                    lambda: T.ite(T.slt(x, zero), T.neg(x), x),
                    lambda: T.ite(T.slt(T.bv(300, 32), x), T.bv(300, 32), x),
                ]
            )()
        zero, top = const(0.0, self.sort), const(0.75, self.sort)
        return r.choice(
            [
                lambda: T.ite(T.fp_lt(zero, x), x, zero),
                lambda: T.ite(T.not_(T.fp_le(x, zero)), x, zero),
                lambda: T.ite(T.fp_lt(x, zero), zero, x),
                lambda: T.fp_max(x, zero),
                lambda: T.fp_min(x, top),
                lambda: T.fp_abs(x),
                lambda: T.ite(T.fp_lt(zero, x), x, T.fp_mul(x, const(0.125, self.sort))),
                lambda: T.ite(T.fp_lt(top, x), top, T.ite(T.fp_lt(x, zero), zero, x)),
                lambda: T.ite(T.fp_lt(zero, x), const(1.0, self.sort), zero),  # a jump
                lambda: T.fp_mul(x, x),
            ]
        )()

    def points(self, count: int):
        """Values of the output at random points, exactly: an interval of one number stays one."""
        rng = np.random.default_rng(self.random.getrandbits(32))
        given = {}
        for x, low, high in zip(self.inputs, self.low, self.high, strict=True):
            ends = rng.random(count) < 0.2
            if self.kind == "fixed":
                value = np.where(ends, rng.choice([low, high], count), rng.integers(low, high + 1, count))
                given[x] = agreed(integers(32, value, value), 32)
            else:
                value = np.where(ends, rng.choice([low, high], count), rng.uniform(low, high, count))
                value = value.astype(FORMATS[self.sort])
                given[x] = Floats(value, value, np.zeros(count, dtype=bool))
        tape = Tape([T.slt(self.output, T.bv(0, 32)) if self.kind == "fixed" else T.fp_is_nan(self.output)])
        values = tape.run(given, count)
        found = values[tape.place[self.output]] if self.output in tape.place else None
        return None if found is None else np.asarray(found.low)

    def above(self, limit):
        if self.kind == "fixed":
            return T.slt(T.bv(int(limit), 32), self.output)
        return T.fp_lt(const(limit, self.sort), self.output)


def attack(seed: int) -> tuple[int, int]:
    """(limits that were proved, limits that were asked)."""
    network = Network(seed)
    if network.output.value is not None:
        return 0, 0
    seen = network.points(4000)
    if seen is None:
        return 0, 0
    highest = float(seen.max())
    spread = float(seen.max() - seen.min()) + (4 if network.kind == "fixed" else 1e-3)
    proved = asked = 0
    for share in (-0.05, 0.0, 0.02, 0.2, 1.0):
        limit = highest + share * spread
        goal = [*network.limits, network.above(limit)]
        tape = Tape(conjuncts(goal))
        try:
            box = Narrowing(tape).run()
        except Contradiction:
            box = None
        beyond = (seen > int(limit)) if network.kind == "fixed" else (seen > FORMATS[network.sort](limit))
        asked += 1
        if box is not None:
            end = time.monotonic() + slowed(0.6)
            claim = by_network(tape, tape.run(box, 1), box, lambda assignment: False, end)
            assert not (claim and beyond.any()), (seed, network.kind, limit, highest)
        found = decide(goal, time.monotonic() + slowed(0.4))
        assert not (found.proved and beyond.any()), (seed, network.kind, limit, highest)
        proved += found.proved
    return proved, asked


def test_proofs_against_points():
    results = [attack(seed) for seed in range(2)]
    assert sum(p for p, _ in results) >= 0.25 * sum(a for _, a in results)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_proofs_against_points_long(block):
    for seed in range(1000 + 50 * block, 1050 + 50 * block):
        attack(seed)


@pytest.mark.parametrize("kind", ["relu", "absolute", "clamp"])
def test_spellings_become_rectifiers(kind):
    x = T.fp_from_bits(T.symbol(f"x-{kind}", bitvec(32)), FLOAT32)
    one, zero = const(1.0, FLOAT32), const(0.0, FLOAT32)
    y = {
        "relu": T.ite(T.fp_lt(zero, x), x, zero),
        "absolute": T.ite(T.fp_lt(x, zero), T.fp_neg(x), x),
        "clamp": T.ite(T.fp_lt(one, x), one, T.ite(T.fp_lt(x, zero), zero, x)),
    }[kind]
    goal = [T.fp_le(T.fp_neg(const(2.0, FLOAT32)), x), T.fp_le(x, const(2.0, FLOAT32))]
    tape = Tape(conjuncts([*goal, T.fp_lt(T.fp_add(y, x), const(0.5, FLOAT32))]))
    question = lifted(tape, tape.run(Narrowing(tape).run(), 1))
    assert question is not None
    assert list(question.lifting.inputs.values()) == [x]
    assert 1 <= question.model.neurons <= 2


def test_conditions_that_share_their_parts_are_followed_once():
    """A row of choices, as control flow makes them: written out it would be 2 ** 40 ways."""
    inputs = [T.fp_from_bits(T.symbol(f"x{n}-shared", bitvec(32)), FLOAT32) for n in range(80)]
    high = const(0.5, FLOAT32)
    guard = T.fp_lt(inputs[0], high)
    for yes, no in zip(inputs[1:40], inputs[40:79], strict=True):
        either = T.and_(guard, T.fp_lt(yes, high)), T.and_(T.not_(guard), T.fp_lt(high, no))
        guard = T.or_(*either)
    limits = [c for x in inputs for c in (T.fp_le(const(0.0, FLOAT32), x), T.fp_le(x, const(1.0, FLOAT32)))]
    tape = Tape(conjuncts([*limits, guard, T.fp_lt(T.fp_add(inputs[0], inputs[79]), high)]))
    values = tape.run(Narrowing(tape).run(), 1)
    assert lifted(tape, values) is not None
    assert lifted(tape, values, deadline=0.0) is None


class DeepSums:
    """Three layers of rectified float sums, bracketed in any way, some of their parts used twice."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.sort = self.random.choice([FLOAT32, FLOAT32, FLOAT64])
        zero = const(0.0, self.sort)
        self.inputs = [
            T.fp_from_bits(T.symbol(f"x{n}-sum{seed}", bitvec(self.sort.width)), self.sort) for n in range(3)
        ]
        layer, shared = list(self.inputs), self.inputs[0]
        for _ in range(3):
            sums = [self._sum([*layer, shared]) for _ in range(10)]
            layer = [T.ite(T.fp_lt(zero, s), s, zero) for s in sums]
            shared = sums[0]
        self.output = self._sum([*layer, *(T.fp_neg(x) for x in layer[:3])])

    def _sum(self, layer):
        r = self.random
        scale = 10.0 ** r.randint(-3, 3)
        terms = [T.fp_mul(x, const(r.uniform(-scale, scale), self.sort)) for x in layer]
        terms += [const(r.uniform(-scale, scale), self.sort), layer[0]]
        r.shuffle(terms)
        while len(terms) > 1:
            place = 0 if r.random() < 0.5 else r.randrange(len(terms) - 1)
            join = T.fp_add if r.random() < 0.7 else T.fp_sub
            terms[place : place + 2] = [join(terms[place], terms[place + 1])]
        return terms[0]

    def question(self):
        ends = const(-1.0, self.sort), const(1.0, self.sort)
        limits = [c for x in self.inputs for c in (T.fp_le(ends[0], x), T.fp_le(x, ends[1]))]
        wide = T.fp_to_fp(self.output, FLOAT64)
        tape = Tape(conjuncts([*limits, T.fp_lt(wide, const(0.25, FLOAT64))]))
        return lifted(tape, tape.run(Narrowing(tape).run(), 1))

    def computed(self, points):
        tape = Tape([T.fp_is_nan(self.output)])
        columns = [points[:, n].astype(FORMATS[self.sort]) for n in range(3)]
        given = {
            x: Floats(c, c, np.zeros(len(c), dtype=bool)) for x, c in zip(self.inputs, columns, strict=True)
        }
        return tape.run(given, len(points))[tape.place[self.output]].low.astype(np.float64)


@pytest.mark.parametrize("block", range(2))
def test_rounding_of_sums_shrinks_with_the_box_and_is_covered(block):
    """At single points nothing is left but rounding, which real arithmetic would miss."""
    beyond_reals = 0
    for seed in range(10 * block, 10 * block + 10):
        network = DeepSums(seed)
        question = network.question()
        assert question is not None
        assert any(node.losses for node in question.model.lowered.nodes if isinstance(node, Affine))
        dtype = FORMATS[network.sort]
        points = np.random.default_rng(seed).uniform(-1, 1, (40, 3)).astype(dtype).astype(np.float64)
        order = [list(question.lifting.inputs.values()).index(x) for x in network.inputs]
        fed = np.empty_like(points)
        fed[:, order] = points
        known = analyse(question.model, fed, fed, fresh(question.model, len(fed)))
        low, high = (np.asarray(end)[:, 0] + 0.25 for end in (known.output_low, known.output_high))
        value = network.computed(points)
        assert ((low <= value) & (value <= high)).all(), seed
        assert (high - low <= 2.0**-8 * np.maximum(1.0, np.abs(low).max())).all(), seed
        beyond_reals += int((question.model.run(fed)[:, 0] + 0.25 != value).sum())
    assert beyond_reals > 100
