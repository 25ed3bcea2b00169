"""The softmax of TensorFlow Lite on int8 numbers, bit for bit: exponentials and one reciprocal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.errors import Unsupported
from vouch.nn.arrays import Array
from vouch.nn.fixed.format import Ints
from vouch.nn.int8.fixed_curves import LARGEST, exponential, halved, left, product, right


def reciprocal(total: Any) -> tuple[Any, Any]:
    """(r, bits): 1 / total is r / 2^31 / 2^bits, for totals of at least 1 with 19 fractional bits."""
    length = np.floor(np.log2(total.astype(np.float64))).astype(np.int64) + 1
    zeros = 32 - length
    half = (((total << zeros) - (1 << 31)) + LARGEST + 1) >> 1
    return left(halved(half), 1), 12 - zeros


@dataclass(frozen=True, slots=True, eq=False)
class IntegerSoftmax:
    """Of int8 numbers with a scale; the result has scale 1/256 and zero point -128."""

    multiplier: int
    shift: int
    least: int

    @classmethod
    def of(cls, scale: float, beta: float) -> IntegerSoftmax:
        real = min(beta * scale * (1 << 26), float(LARGEST))
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
        found = exponential(product(clipped << self.shift, self.multiplier))
        return np.where(differences >= self.least, found, 0)

    def numbers(self, m: Ints) -> Ints:
        """The results for rows of arguments."""
        powers = self.powers(m - m.max(axis=1, keepdims=True))
        total = np.where(powers > 0, right(powers, 12), 0).sum(axis=1, keepdims=True)
        scale, bits = reciprocal(total)
        found = right(product(scale, powers), bits + 23) - 128
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
