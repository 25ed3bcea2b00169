"""The softmax of TensorFlow Lite on int8 numbers, bit for bit: fixed-point exponentials and one reciprocal.

Numbers have 31 fractional bits less their integer bits; a product is rounded, a shift to the left saturates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.errors import Unsupported
from vouch.nn.fixed.format import Ints
from vouch.nn.operators.base import Array

_LARGEST = (1 << 31) - 1
# exp(-2^k) for k from -2 to 4, with 31 fractional bits.
_POWERS = (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)
_EIGHTH = 1895147668  # exp(-1/8)
_THIRD = 715827883


def _product(a: Any, b: Any) -> Any:
    """The high part of a double product, rounded."""
    whole = np.asarray(a, dtype=np.int64) * np.asarray(b, dtype=np.int64)
    moved = whole + np.where(whole >= 0, 1 << 30, 1 - (1 << 30))
    return np.where(moved >= 0, moved >> 31, -((-moved) >> 31))


def _right(x: Any, shift: Any) -> Any:
    """x / 2^shift, ties away from zero."""
    mask = (np.int64(1) << shift) - 1
    return (x >> shift) + ((x & mask) > (mask >> 1) + (x < 0))


def _left(x: Any, shift: int) -> Any:
    return np.clip(x << shift, -_LARGEST - 1, _LARGEST)


def exponential(a: Any) -> Any:
    """exp(a) with 31 fractional bits, for a <= 0 with 26."""
    quarter = 1 << 24
    part = (a & (quarter - 1)) - quarter
    x = _left(part, 5) + (1 << 28)
    square = _product(x, x)
    fourth = _right(_product(square, square), 2)
    rest = _right(_product(fourth + _product(square, x), _THIRD) + square, 1)
    result = _EIGHTH + _product(_EIGHTH, x + rest)
    remainder = part - a
    for number, power in enumerate(_POWERS):
        taken = (remainder & (1 << (24 + number))) != 0
        result = np.where(taken, _product(result, power), result)
    return np.where(a == 0, _LARGEST, result)


def reciprocal(total: Any) -> tuple[Any, Any]:
    """(r, bits): 1 / total is r / 2^31 / 2^bits, for totals of at least 1 with 19 fractional bits."""
    length = np.floor(np.log2(total.astype(np.float64))).astype(np.int64) + 1
    zeros = 32 - length
    half = (((total << zeros) - (1 << 31)) + _LARGEST + 1) >> 1
    x = 1515870810 + _product(half, -1010580540)
    for _ in range(3):
        x = x + _left(_product(x, (1 << 29) - _product(half, x)), 2)
    return _left(x, 1), 12 - zeros


@dataclass(frozen=True, slots=True, eq=False)
class Softmax:
    """Of int8 numbers with a scale; the result has scale 1/256 and zero point -128."""

    multiplier: int
    shift: int
    least: int

    @classmethod
    def of(cls, scale: float, beta: float) -> Softmax:
        real = min(beta * scale * (1 << 26), float(_LARGEST))
        share, shift = math.frexp(real)
        fixed = math.floor(share * (1 << 31) + 0.5)
        if fixed == 1 << 31:
            fixed, shift = fixed // 2, shift + 1
        if shift < 0:
            raise Unsupported("a softmax of numbers with so small a scale")
        return cls(fixed, shift, -math.floor(31.0 * (1 << 26) / (1 << shift)))

    def powers(self, differences: Ints) -> Ints:
        """The exponentials of differences to the largest argument; 0 where they are too small to count."""
        clipped = np.maximum(differences, self.least)
        found = exponential(_product(clipped << self.shift, self.multiplier))
        return np.where(differences >= self.least, found, 0)

    def numbers(self, m: Ints) -> Ints:
        """The results for rows of arguments."""
        powers = self.powers(m - m.max(axis=1, keepdims=True))
        total = np.where(powers > 0, _right(powers, 12), 0).sum(axis=1, keepdims=True)
        scale, bits = reciprocal(total)
        found = _right(_product(scale, powers), bits + 23) - 128
        return np.where(powers > 0, np.clip(found, -128, 127), -128)

    def reals(self, m: Ints) -> Array:
        return (self.numbers(m) + 128) / 256.0

    def margin(self, outputs: int) -> int:
        """A difference of arguments from which on the largest one has a strictly larger result.

        With r >= 2^30 and the sum below 2^(bits + 1), results before rounding differ by at least
        (e0 - ed) / 2 / 2^(bits + 23); more than 2 survives the rounding of both and the limit of 127.
        """
        bits = max(0, math.ceil(math.log2(outputs + 1)))
        powers = self.powers(-np.arange(256))
        enough = (powers[0] - powers).astype(np.float64) / 2 / 2.0 ** (bits + 23) > 2.05
        return int(np.argmax(enough)) if bool(enough.any()) else 256
