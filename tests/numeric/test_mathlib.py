"""Enclosures of the math library against the library of this machine, densely sampled."""

from __future__ import annotations

import random

import numpy as np
import pytest
from bench import libm

from vouch.errors import VouchError
from vouch.numeric import mathlib, real
from vouch.numeric.accuracy import ENCLOSED, Accuracy, Library
from vouch.numeric.emit import MathCall
from vouch.numeric.values import Floats

ONE = [*mathlib.CURVES, "cosh", "sin", "cos", "tan"]
TWO = ["pow", "atan2", "hypot"]
DTYPES = {"f": (np.float32, np.uint32), "": (np.float64, np.uint64)}
_ENDS = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, np.inf, -np.inf, 1e-30, -1e-30, 88.7, -87.3, 103.9, 3.14159, 1.5708]


def samples(r, dtype, count):
    numbers = [r.choice(_ENDS) for _ in range(count // 4)]
    numbers += [r.gauss(0, 1) for _ in range(count // 4)]
    numbers += [r.uniform(-100, 100) for _ in range(count // 4)]
    numbers += [r.choice([-1, 1]) * 10 ** r.uniform(-40, 38) for _ in range(count // 4)]
    with np.errstate(all="ignore"):
        return np.array(numbers, dtype=dtype)


def results(name, dtype, bits, *arguments):
    rows = zip(*[a.view(bits) for a in arguments], strict=True)
    found = [real.call(name, tuple(int(b) for b in row)) for row in rows]
    return np.array(found, dtype=bits).view(dtype)


def enclosed(name, *values, accuracy="glibc"):
    library = Library({}, Accuracy(accuracy))
    with np.errstate(all="ignore"):
        return library.enclosure(MathCall(name, ()))(*values)


def inside(found, number):
    return np.where(np.isnan(number), found.nan, (found.low <= number) & (number <= found.high))


def box(first, second):
    none = np.zeros(len(first), dtype=bool)
    return Floats(np.minimum(first, second), np.maximum(first, second), none)


@pytest.mark.parametrize("suffix", ["f", ""])
@pytest.mark.parametrize("base", ONE)
def test_results_lie_inside(base, suffix):
    dtype, bits = DTYPES[suffix]
    r = random.Random(f"{base}{suffix}")
    name = base + suffix
    if real.shape(name) is None:
        pytest.skip("not in this library")
    points = samples(r, dtype, 400)
    exact = results(name, dtype, bits, points)
    at = enclosed(name, box(points, points))
    good = inside(at, exact)
    assert good.all(), (points[~good], exact[~good], at.low[~good], at.high[~good])
    # At points the enclosure is a few ulps wide.
    with np.errstate(all="ignore"):
        ulps = (at.high - at.low) / np.spacing(np.abs(exact))
    usual = np.isfinite(exact) & np.isfinite(ulps) & (np.abs(points) < 1e4) & (np.abs(exact) > 1e-30)
    assert (ulps[usual] <= 40).all()
    # Boxes hold what their points give.
    other = samples(r, dtype, 400)
    whole = enclosed(name, box(points, other))
    for number in (exact, results(name, dtype, bits, other)):
        assert inside(whole, number).all()
    with np.errstate(all="ignore"):
        finite = np.isfinite(points) & np.isfinite(other)
        between = np.where(finite, points / 2 + other / 2, points).astype(dtype)
    assert inside(whole, results(name, dtype, bits, between)).all()


@pytest.mark.parametrize("suffix", ["f", ""])
@pytest.mark.parametrize("base", TWO)
def test_results_of_two_lie_inside(base, suffix):
    dtype, bits = DTYPES[suffix]
    r = random.Random(f"{base}{suffix}")
    name = base + suffix
    x, y, u, v = (samples(r, dtype, 400) for _ in range(4))
    whole = enclosed(name, box(x, u), box(y, v))
    for a in (x, u):
        for b in (y, v):
            number = results(name, dtype, bits, a, b)
            good = inside(whole, number)
            assert good.all(), (a[~good], b[~good], number[~good])
    at = enclosed(name, box(x, x), box(y, y))
    assert inside(at, results(name, dtype, bits, x, y)).all()


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["f", ""])
@pytest.mark.parametrize("base", [*ONE, *TWO])
def test_results_of_musl_lie_inside(base, suffix):
    """Of a program that the compiler of the wheel linked with its musl."""
    dtype, _ = DTYPES[suffix]
    r = random.Random(f"{base}{suffix}")
    given = [samples(r, dtype, 4000) for _ in range(2 if base in TWO else 1)]
    number = libm.results("musl", base + suffix, *given)
    found = enclosed(base + suffix, *(box(x, x) for x in given), accuracy="musl")
    good = inside(found, number)
    assert good.all(), ([x[~good] for x in given], number[~good], found.low[~good], found.high[~good])


def test_what_is_called_enclosed_is_enclosed():
    assert sorted(ENCLOSED) == sorted([*ONE, *TWO])
    for base in ENCLOSED:
        name = base + "f"
        found = enclosed(name, *[box(np.array([0.5]), np.array([0.5]))] * (2 if base in TWO else 1))
        assert isinstance(found, Floats)


def test_an_accuracy_is_a_library_or_a_number():
    assert Accuracy("7").ulps("sin") == 7
    assert Accuracy("musl").ulps("tanh") == 3
    for wrong in ("newlib", "-1", "", "1.5"):
        with pytest.raises(VouchError):
            Accuracy(wrong)
