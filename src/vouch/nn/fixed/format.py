"""Fixed-point formats: what numbers there are, how reals become numbers, what happens when one does not fit.

A number of format <K,L> is an integer n of K+L bits, two's complement, and means n / 2^L. Arrays of numbers
are int64; formats have at most 32 bits, so that every product of two numbers is exact in int64.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any, TypeAlias, assert_never

import numpy as np

from vouch.errors import VouchError

Ints: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]
WIDEST = 32
_NAME = re.compile(r"(\d{1,3})\.(\d{1,3})\Z")


class Rounding(StrEnum):
    """How a value between two numbers becomes one of them; NEAREST takes ties away from zero."""

    FLOOR = "floor"
    NEAREST = "nearest"


class Overflow(StrEnum):
    """What becomes of an integer that the word does not hold."""

    WRAP = "wrap"
    SATURATE = "saturate"


@dataclass(frozen=True, slots=True)
class Word:
    """Integers of `bits` bits, two's complement, and what happens to those outside."""

    bits: int
    overflow: Overflow = Overflow.WRAP

    @property
    def low(self) -> int:
        return -(1 << (self.bits - 1))

    @property
    def high(self) -> int:
        return (1 << (self.bits - 1)) - 1

    def narrow(self, values: Ints) -> Ints:
        """The integers of the word that values become."""
        match self.overflow:
            case Overflow.WRAP:
                half = 1 << (self.bits - 1)
                return np.asarray(((values + half) & ((1 << self.bits) - 1)) - half)
            case Overflow.SATURATE:
                return np.asarray(np.clip(values, self.low, self.high))
            case _:
                assert_never(self.overflow)

    def one(self, value: int) -> int:
        """`narrow` for a single integer of any size."""
        if self.overflow is Overflow.SATURATE:
            return min(max(value, self.low), self.high)
        return (value - self.low) % (1 << self.bits) + self.low


@dataclass(frozen=True, slots=True)
class Format:
    """<integer, fraction>: integer bits with the sign, and fractional bits."""

    integer: int
    fraction: int
    rounding: Rounding = Rounding.FLOOR
    overflow: Overflow = Overflow.WRAP

    def __post_init__(self) -> None:
        if self.integer < 1:
            raise VouchError(f"format {self}: the sign needs an integer bit")
        if self.bits > WIDEST:
            raise VouchError(f"format {self}: {self.bits} bits, at most {WIDEST} are supported")

    def __str__(self) -> str:
        return f"{self.integer}.{self.fraction}"

    @property
    def bits(self) -> int:
        return self.integer + self.fraction

    @property
    def word(self) -> Word:
        return Word(self.bits, self.overflow)

    @property
    def unit(self) -> float:
        """The distance of two neighbouring numbers."""
        return 2.0**-self.fraction

    def convert(self, reals: Any) -> Ints:
        """The numbers that float64 values become, exactly."""
        scaled = np.ldexp(np.asarray(reals, dtype=np.float64), self.fraction)
        if not np.isfinite(scaled).all():
            raise VouchError(f"format {self}: a value is too large to be converted")
        whole = rounded(scaled, self.rounding)
        if self.overflow is Overflow.SATURATE:
            return np.asarray(np.clip(whole, self.word.low, self.word.high), dtype=np.int64)
        # Exact also for values far beyond int64.
        return self.word.narrow(np.fmod(whole, 2.0**self.bits).astype(np.int64))

    def convert_exact(self, value: Fraction) -> int:
        """The number that an exact value becomes."""
        return self.word.one(rounded_exact(value * (1 << self.fraction), self.rounding))

    def reals(self, numbers: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
        """What numbers mean; exact."""
        return np.ldexp(np.asarray(numbers, dtype=np.float64), -self.fraction)


def rounded(values: Any, rounding: Rounding) -> Any:
    """float64 values as whole ones, exactly by the rule."""
    if rounding is Rounding.FLOOR:
        return np.floor(values)
    size = np.abs(values)
    below = np.floor(size)
    return np.copysign(below + (size - below >= 0.5), values)


def rounded_exact(value: Fraction, rounding: Rounding) -> int:
    if rounding is Rounding.FLOOR:
        return value.numerator // value.denominator
    size = abs(value) + Fraction(1, 2)
    whole = size.numerator // size.denominator
    return whole if value >= 0 else -whole


def shifted(values: Ints, shift: int, rounding: Rounding) -> Ints:
    """values / 2^shift as whole numbers; a negative shift multiplies."""
    if shift <= 0:
        return np.asarray(values << -shift)
    if rounding is Rounding.FLOOR:
        return np.asarray(values >> shift)
    half = 1 << (shift - 1)
    return np.where(values >= 0, (values + half) >> shift, -((half - values) >> shift))


def divided(values: Ints, divisor: Ints | int, rounding: Rounding) -> Ints:
    """values / divisor as whole numbers by the rule."""
    if rounding is Rounding.FLOOR:
        return np.asarray(np.floor_divide(values, divisor))
    size, by = np.abs(values), np.abs(divisor)
    whole = (size + by // 2) // by
    return np.asarray(np.where((values >= 0) == (np.asarray(divisor) >= 0), whole, -whole))


def formats_of(text: str, rounding: str = "floor", overflow: str = "wrap") -> tuple[Format, ...]:
    """`8.8`, or `8.8,4.12,…` with one for each layer."""
    found = []
    for part in text.split(","):
        match = _NAME.match(part.strip())
        if match is None:
            raise VouchError(
                f"format {part.strip()!r}: K.L expected, integer bits with the sign and fractional bits"
            )
        found.append(Format(int(match[1]), int(match[2]), Rounding(rounding), Overflow(overflow)))
    return tuple(found)
