"""Exhaustion against exact evaluation: random terms over few inputs, every one of which is evaluated."""

from __future__ import annotations

import time

from tests.numeric.test_tape import Maker

from vouch.folder import Folder
from vouch.numeric import exhaust
from vouch.numeric.emit import NotEmitted
from vouch.numeric.narrow import Contradiction
from vouch.numeric.tape import bits_of
from vouch.smt import term as T
from vouch.smt.sort import FLOAT32, FLOAT64, bitvec
from vouch.smt.walk import evaluate


def later() -> float:
    return time.monotonic() + 300


def ranges(seed):
    """A random condition, each of whose inputs has a few values."""
    maker = Maker(seed, FLOAT32 if seed % 2 else FLOAT64)
    r = maker.random
    goal = [maker.bool(4), maker.bool(3)]
    known = []
    for each in maker.floats:
        low = maker.number()
        high = T.fp_const(int(low.value) + r.randrange(3), maker.sort)
        low, high = (high, low) if T.fp_lt(high, low) is T.TRUE else (low, high)
        known += [T.fp_le(low, each), T.fp_le(each, high)]
    for each in maker.ints:
        low = r.choice([0, -2, 100 % (1 << (maker.width - 2))])
        known += [
            T.not_(T.slt(each, T.bv(low, maker.width))),
            T.not_(T.slt(T.bv(low + r.randrange(3), maker.width), each)),
        ]
    return goal, known


def posed(seed, most):
    goal, known = ranges(seed)
    try:
        asked = exhaust.pose(goal, known, {})
    except Contradiction:
        return None
    return asked if asked is not None and 0 < asked.points <= most else None


def holds(asked, number) -> bool:
    given = asked.assignment(number)
    given |= {t.args[0]: v for t, v in given.items() if t.op == "fp_from_bits"}
    memo: dict = {}
    return all(evaluate(root, given, lambda s: 0, memo) is True for root in asked.roots)


def renamed(text, number):
    """A program whose functions have names of their own, without its header."""
    text = text.removeprefix(exhaust.HEADER)
    for name in ("holds", "search", "run"):
        text = text.replace(f"{name}(", f"{name}_{number}(")
    return text


def programs(seeds, most):
    """Many questions in one shared object: (question, run)."""
    found, texts = [], []
    for seed in seeds:
        asked = posed(seed, most)
        try:
            text = None if asked is None else exhaust.program(asked)
        except NotEmitted:
            continue
        if asked is not None:
            texts.append(renamed(text, len(found)))
            found.append(asked)
    with Folder("vouch-test-") as folder:
        library = exhaust.load(
            exhaust.compiled("\n".join([exhaust.HEADER, *texts]), 5000, folder, later())
        )
    for number, asked in enumerate(found):
        yield asked, exhaust.function(library, f"run_{number}")


def test_every_input_is_computed_as_terms_are():
    cases = hits = 0
    for asked, run in programs(range(300), 200):
        cases += 1
        for number in range(asked.points):
            expected = holds(asked, number)
            hits += expected
            assert (run(number, number + 1) == number) is expected, (asked.roots, asked.assignment(number))
    assert cases > 40
    assert hits > 50


def test_bits_that_are_looked_at_twice():
    """A float whose bits are used as well is counted by its bits, NaNs and all."""
    bits = T.symbol("exhaust-twice", bitvec(32))
    number = T.fp_from_bits(bits, FLOAT32)
    masked = T.fp_from_bits(T.band(bits, T.bv(0x7FFFFFFF, 32)), FLOAT32)
    known = [T.ult(T.bv(0x7F000000, 32), bits)]
    wrong = T.not_(T.eq(T.fp_abs(number), masked))
    asked = exhaust.pose([wrong], known, {})
    assert asked is not None
    assert asked.points == (1 << 32) - 0x7F000001
    small = exhaust.pose([wrong, T.ult(bits, T.bv(0x7F900000, 32))], known, {})
    assert small is not None
    assert exhaust.decide(small, later()).proved


def test_all_floats_are_counted():
    number = T.fp_from_bits(T.symbol("exhaust-all", bitvec(32)), FLOAT32)
    asked = exhaust.pose([T.fp_is_nan(T.fp_mul(number, number))], [], {})
    assert asked is not None
    assert asked.points == (1 << 32) - 2 * ((1 << 23) - 1) + 1
    seen = {asked.assignment(n)[number] for n in (0, 1, asked.points - 1, asked.points - 2, 0x7F800000)}
    assert 0xFF800000 in seen
    assert 0x7FC00000 in seen
    assert 0x7F800000 in seen
    large = T.not_(T.fp_lt(number, T.fp_const(bits_of(FLOAT32, 3e38), FLOAT32)))
    asked = exhaust.pose([T.fp_is_nan(T.fp_mul(number, number))], [large], {})
    assert asked is not None
    assert asked.points < 1 << 21
    assert exhaust.decide(asked, later()).found == {number: 0x7FC00000}


def test_a_model_is_found_and_a_proof_is_whole():
    x = T.symbol("exhaust-x", bitvec(16))
    y = T.symbol("exhaust-y", bitvec(8))
    product = T.mul(T.zext(x, 32), T.zext(y, 32))
    hit = exhaust.pose([T.eq(product, T.bv(65521 * 251, 32))], [], {})
    assert hit is not None
    assert exhaust.decide(hit, later()).found == {x: 65521, y: 251}
    never = exhaust.pose([T.eq(product, T.bv(65537 * 2, 32))], [], {})
    assert never is not None
    outcome = exhaust.decide(never, later())
    assert outcome.proved
    assert outcome.run == 1 << 24


def test_time_that_is_up_proves_nothing():
    number = T.fp_from_bits(T.symbol("exhaust-late", bitvec(32)), FLOAT32)
    one = T.fp_const(bits_of(FLOAT32, 1.0), FLOAT32)
    asked = exhaust.pose([T.fp_lt(T.fp_add(number, one), number)], [], {})
    assert asked is not None
    running = exhaust._Running(asked, lambda begin, end: end, time.monotonic() - 1)
    assert not running.finish().proved
