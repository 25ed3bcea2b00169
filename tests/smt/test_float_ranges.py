"""Float ranges contain what they should, tried out on a tiny format; and what they decide in C code."""

from __future__ import annotations

import random

import pytest

from vouch.smt import softfloat as sf
from vouch.smt import term as T
from vouch.smt.float_ranges import RULES, FloatRange, bits_of, from_integers, key, to_integers
from vouch.smt.intervals import bounds, float_range
from vouch.smt.operators import OPERATORS
from vouch.smt.walk import evaluate

TINY = T.floating(3, 3)
TOP = sf.infinity(TINY)


def _members(r: FloatRange, chance: random.Random) -> list[int]:
    """Bit patterns in the range: its ends, zeros, infinities and NaN where it has them, and some others."""
    keys = {r.low, r.high, *(chance.randint(r.low, r.high) for _ in range(4))}
    keys.update(k for k in (0, TOP, -TOP) if r.low <= k <= r.high)
    bits = [bits_of(TINY, k) for k in keys]
    if 0 in keys:
        bits.append(sf.zero(TINY, 1))
    return [*bits, sf.nan(TINY)] if r.nan else bits


def _random_range(chance: random.Random) -> FloatRange:
    low, high = sorted(chance.choice((-TOP, TOP, 0, chance.randint(-TOP, TOP))) for _ in "ab")
    return FloatRange(low, high, chance.random() < 0.2)


def _contains(r: FloatRange, bits: int) -> bool:
    return r.nan if sf.is_nan(TINY, bits) else r.low <= key(TINY, bits) <= r.high


@pytest.mark.parametrize("op", sorted(RULES))
def test_results_are_in_the_range(op: str) -> None:
    chance = random.Random(op)
    arity = OPERATORS[op].arity or 2
    node = T.Term(op, tuple(T.fresh("s", TINY) for _ in range(arity)), TINY)
    for _ in range(150 if arity < 3 else 40):
        ranges = [_random_range(chance) for _ in range(arity)]
        result = RULES[op](TINY, *ranges)
        choices = [_members(r, chance) for r in ranges]
        for _ in range(60):
            values = [chance.choice(members) for members in choices]
            assert _contains(result, OPERATORS[op].fold(node, *values)), (ranges, values)


def test_ranges_of_whole_terms() -> None:
    """Through conversions, conditionals and rounding, against evaluation."""
    chance = random.Random(5)
    x = T.symbol("x", T.bitvec(4))
    for _ in range(120):
        floats = [T.fp_from_sbv(x, TINY), T.fp_from_ubv(x, TINY), T.fp_const(chance.getrandbits(6), TINY)]
        for _ in range(6):
            a, b = chance.choice(floats), chance.choice(floats)
            make = chance.choice((T.fp_add, T.fp_mul, T.fp_div, T.fp_sub, T.fp_min, T.fp_max, T.fp_rem))
            wide = T.fp_to_fp(T.fp_to_fp(T.fp_abs(a), T.FLOAT16), TINY)
            rounded = T.fp_round(a, chance.choice(("rne", "rna", "rtp", "rtn", "rtz")))
            whole = T.fp_from_sbv(T.fp_to_sbv(a, 4), TINY)
            floats += [make(a, b), wide, rounded, whole, T.ite(T.fp_lt(a, b), a, b)]
        integers = [T.fp_to_sbv(floats[-1], 4), T.fp_to_ubv(floats[-2], 4)]
        for value in range(16):
            memo: dict[T.Term, object] = {}
            for term in floats:
                assert _contains(float_range(term), evaluate(term, {x: value}, memo=memo)), term
            for term in integers:
                low, high = bounds(term)
                got = evaluate(term, {x: value}, memo=memo)
                assert low <= got <= high or low <= got - 16 <= high


def test_conversions_of_ranges() -> None:
    assert from_integers(T.FLOAT32, -3, 2**24 + 1).high == key(T.FLOAT32, 0x4B800000)  # 2^24, to even
    half = FloatRange(key(T.FLOAT32, 0xC0200000), key(T.FLOAT32, 0x42F70000), False)  # -2.5 to 123.5
    assert to_integers(T.FLOAT32, half, -128, 127) == (-2, 123)
    assert to_integers(T.FLOAT32, half, 0, 100) == (0, 100)
    assert to_integers(T.FLOAT32, half._replace(low=half.high), -128, 127) == (0, 123)  # 0 stands for no fit


def test_a_scaled_sensor_value_is_known_to_fit() -> None:
    """(int16_t)(adc * 0.0625f - 40.0f) for a 16-bit adc: in range, never NaN, never infinite."""
    adc = T.zext(T.symbol("adc", T.bitvec(16)), 32)
    scale, offset = T.fp_const(0x3D800000, T.FLOAT32), T.fp_const(0x42200000, T.FLOAT32)
    celsius = T.fp_sub(T.fp_mul(T.fp_from_sbv(adc, T.FLOAT32), scale), offset)
    assert T.fp_is_nan(celsius) is T.FALSE
    assert T.fp_is_inf(celsius) is T.FALSE
    assert T.fp_in_range(celsius, -(2**15), 2**15 - 1) is T.TRUE
    assert T.fp_in_range(celsius, -(2**7), 2**7 - 1) not in (T.TRUE, T.FALSE)
    assert T.fp_lt(celsius, T.fp_const(0x45800000, T.FLOAT32)) is T.TRUE  # 4096
    assert T.sadd_overflow(T.sext(T.fp_to_sbv(celsius, 16), 32), adc) is T.FALSE


def test_what_may_be_nan_is_not_decided_by_its_numbers() -> None:
    root = T.fp_sqrt(T.fp_from_sbv(T.symbol("x", T.bitvec(8)), T.FLOAT32))  # at least zero, or NaN
    minus_one = T.fp_const(0xBF800000, T.FLOAT32)
    assert T.fp_lt(minus_one, root) is T.not_(T.fp_is_nan(root))
    assert T.fp_le(minus_one, root) is T.not_(T.fp_is_nan(root))
    assert T.fp_lt(root, minus_one) is T.FALSE
    assert T.fp_eq(root, minus_one) is T.FALSE
