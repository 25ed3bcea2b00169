"""Float folding against the machine's own arithmetic (numpy, math) and, for all formats, by exhaustion."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vouch.smt import softfloat as sf
from vouch.smt.sort import FLOAT16, FLOAT32, FLOAT64, Sort, floating

SORTS = {FLOAT16: (np.float16, np.uint16), FLOAT32: (np.float32, np.uint32), FLOAT64: (np.float64, np.uint64)}


def _bits(sort: Sort) -> st.SearchStrategy[int]:
    """Any bit pattern, with the corners drawn often: zeros, subnormals, one, largest, infinities, NaN."""
    one = sf.from_integer(sort, 1)
    corners = [0, 1, 2, one - 1, one, one + 1, sf.largest(sort), sf.infinity(sort), sf.nan(sort)]
    corners.append(1 << (sort.significand - 1))
    signed = [c | s << (sort.width - 1) for c in corners for s in (0, 1)]
    near_one = st.integers(one - (8 << (sort.significand - 1)), one + (8 << (sort.significand - 1)))
    return st.one_of(st.integers(0, (1 << sort.width) - 1), st.sampled_from(signed), near_one).map(
        lambda b: sf.canonical(sort, b & ((1 << sort.width) - 1))
    )


def _native(sort: Sort, bits: int) -> np.floating:
    kind, raw = SORTS[sort]
    return raw(bits).view(kind)


def _same(sort: Sort, ours: int, native: np.floating) -> bool:
    _, raw = SORTS[sort]
    return ours == sf.canonical(sort, int(native.view(raw)))


@pytest.mark.parametrize("sort", [FLOAT32, FLOAT64], ids=str)
@given(data=st.data())
def test_arithmetic_is_the_machine_s(sort: Sort, data: st.DataObject) -> None:
    x, y = data.draw(_bits(sort)), data.draw(_bits(sort))
    a, b = _native(sort, x), _native(sort, y)
    with np.errstate(all="ignore"):
        assert _same(sort, sf.add(sort, x, y), a + b)
        assert _same(sort, sf.sub(sort, x, y), a - b)
        assert _same(sort, sf.mul(sort, x, y), a * b)
        assert _same(sort, sf.div(sort, x, y), a / b)
        assert _same(sort, sf.sqrt(sort, x), np.sqrt(a))
        assert _same(sort, sf.round_to_integral(sort, x, "rne"), np.rint(a))
        assert _same(sort, sf.round_to_integral(sort, x, "rtp"), np.ceil(a))
        assert _same(sort, sf.round_to_integral(sort, x, "rtn"), np.floor(a))
        assert _same(sort, sf.round_to_integral(sort, x, "rtz"), np.trunc(a))
        for target, (kind, _) in SORTS.items():
            assert _same(target, sf.convert(sort, target, x), a.astype(kind))
    assert sf.equal(sort, x, y) == (a == b)
    assert sf.less(sort, x, y) == (a < b)
    assert sf.less_equal(sort, x, y) == (a <= b)


@given(_bits(FLOAT64), _bits(FLOAT64))
def test_remainder_is_the_library_s(x: int, y: int) -> None:
    a, b = float(_native(FLOAT64, x)), float(_native(FLOAT64, y))
    try:
        expected = np.float64(math.remainder(a, b))
    except ValueError:
        expected = np.float64(math.nan)
    assert _same(FLOAT64, sf.rem(FLOAT64, x, y), expected)


@given(st.integers(-(1 << 70), 1 << 70))
def test_integers_become_the_nearest_double(n: int) -> None:
    assert _same(FLOAT64, sf.from_integer(FLOAT64, n), np.float64(float(n)))


@given(_bits(FLOAT64))
def test_doubles_become_integers_by_cutting(x: int) -> None:
    value = float(_native(FLOAT64, x))
    expected = int(value) if math.isfinite(value) and -(2**31) <= int(value) < 2**31 else 0
    assert sf.to_integer(FLOAT64, x, -(2**31), 2**31 - 1) == expected


def _fraction(sort: Sort, bits: int) -> Fraction:
    sign, magnitude, scale = sf.unpack(sort, bits)
    return Fraction(magnitude) * Fraction(2) ** scale * (-1 if sign else 1)


def test_fused_multiply_add_rounds_once_in_a_tiny_format() -> None:
    """Against the definition: of all finite floats the nearest to the exact result, ties to even."""
    sort = floating(3, 3)
    values = {b: _fraction(sort, b) for b in range(1 << sort.width) if b & 0b11100 != 0b11100}
    limit = max(values.values())
    for x in list(values)[::5]:
        for y in list(values)[1::6]:
            for z in list(values)[::2]:
                exact = values[x] * values[y] + values[z]
                got = sf.fma(sort, x, y, z)
                if exact == 0:
                    assert sf.is_zero(sort, got)
                elif abs(exact) <= limit:
                    nearest = min(values, key=lambda bits: (abs(values[bits] - exact), bits & 1))
                    assert values[got] == values[nearest]
                    assert sf.sign_of(sort, got) == (exact < 0)


def test_directed_rounding_brackets_the_quotient() -> None:
    sort = floating(3, 4)
    finite = [b for b in range(1 << sort.width) if not sf.is_nan(sort, b) and not sf.is_inf(sort, b)]
    for x in finite:
        for y in finite:
            if sf.is_zero(sort, y):
                continue
            exact = _fraction(sort, x) / _fraction(sort, y)
            down, up = sf.div(sort, x, y, "rtn"), sf.div(sort, x, y, "rtp")
            assert sf.is_inf(sort, down) or _fraction(sort, down) <= exact
            assert sf.is_inf(sort, up) or _fraction(sort, up) >= exact
            cut = sf.div(sort, x, y, "rtz")
            assert abs(_fraction(sort, cut)) <= abs(exact)
