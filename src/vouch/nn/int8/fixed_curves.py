"""Exponential, reciprocal, sigmoid and tanh of TensorFlow Lite in fixed point, bit for bit.

Numbers have 31 fractional bits less their integer bits; a product is rounded, a shift to the left saturates.
"""

from __future__ import annotations

from typing import Any

import numpy as np

LARGEST = (1 << 31) - 1
# exp(-2^k) for k from -2 to 4, with 31 fractional bits.
_POWERS = (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)
_EIGHTH = 1895147668  # exp(-1/8)
_THIRD = 715827883


def product(a: Any, b: Any) -> Any:
    """The high part of a double product, rounded."""
    whole = np.asarray(a, dtype=np.int64) * np.asarray(b, dtype=np.int64)
    moved = whole + np.where(whole >= 0, 1 << 30, 1 - (1 << 30))
    return np.where(moved >= 0, moved >> 31, -((-moved) >> 31))


def right(x: Any, shift: Any) -> Any:
    """x / 2^shift, ties away from zero."""
    mask = (np.int64(1) << shift) - 1
    return (x >> shift) + ((x & mask) > (mask >> 1) + (x < 0))


def left(x: Any, shift: int) -> Any:
    return np.clip(x << shift, -LARGEST - 1, LARGEST)


def exponential(a: Any, integer: int = 5) -> Any:
    """exp(a) with 31 fractional bits, for a <= 0 with so many integer bits."""
    fraction = 31 - integer
    quarter = 1 << (fraction - 2)
    part = (a & (quarter - 1)) - quarter
    x = left(part, integer) + (1 << 28)
    square = product(x, x)
    fourth = right(product(square, square), 2)
    rest = right(product(fourth + product(square, x), _THIRD) + square, 1)
    result = _EIGHTH + product(_EIGHTH, x + rest)
    remainder = part - a
    for number, power in enumerate(_POWERS[: integer + 2]):
        taken = (remainder & (1 << (fraction - 2 + number))) != 0
        result = np.where(taken, product(result, power), result)
    return np.where(a == 0, LARGEST, result)


def halved(half: Any) -> Any:
    """1 / (2 half) with 29 fractional bits by Newton's method, for half of at least 1/2 with 31."""
    x = 1515870810 + product(half, -1010580540)
    for _ in range(3):
        x = x + left(product(x, (1 << 29) - product(half, x)), 2)
    return x


def _half_sum(a: Any) -> Any:
    """(a + 1) / 2."""
    total = a + LARGEST
    return np.where(total >= 0, total + 1, total - 1) // 2


def logistic(a: Any) -> Any:
    """The sigmoid with 31 fractional bits of numbers with 4 integer bits."""
    positive = left(halved(_half_sum(exponential(-np.abs(a), 4))), 1)
    return np.where(a == 0, 1 << 30, np.where(a > 0, positive, LARGEST - positive))


def tangent(a: Any) -> Any:
    """The hyperbolic tangent with 31 fractional bits of numbers with 4 integer bits."""
    size = left(halved(_half_sum(exponential(-np.abs(a), 5))) - (1 << 29), 2)
    return np.where(a < 0, -size, np.where(a == 0, 0, size))
