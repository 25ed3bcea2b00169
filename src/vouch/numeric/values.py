"""What a term may be over a batch of boxes, one entry of the arrays for each box.

- `Truth`: whether a boolean may be true, and may be false.
- `Floats`: an interval of IEEE floats in the dtype of the term's sort, and whether it may be NaN. An empty
  interval (low > high) has no number at all. Zeros have both signs.
- `Ints`: a bit-vector by its signed and its unsigned reading, each an interval of int64. A bound at `FAR` or
  beyond says nothing on that side.

Rounding to nearest is monotone: the ends of an interval, computed in the format itself, bound every result.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from vouch.record import record
from vouch.smt.sort import FLOAT16, FLOAT32, FLOAT64, Sort

Bools = npt.NDArray[np.bool_]
Numbers = npt.NDArray[Any]
FAR = 1 << 62
FORMATS: dict[Sort, type[np.floating[Any]]] = {FLOAT16: np.float16, FLOAT32: np.float32, FLOAT64: np.float64}


@record
class Truth:
    true: Bools
    false: Bools

    def __invert__(self) -> Truth:
        return Truth(self.false, self.true)


@record
class Floats:
    low: Numbers
    high: Numbers
    nan: Bools

    @property
    def some(self) -> Bools:
        """Whether there is a number at all."""
        return np.asarray(self.low <= self.high)


@record
class Ints:
    low: Numbers
    high: Numbers
    least: Numbers  # unsigned
    most: Numbers


Abstract = Truth | Floats | Ints


def anything(sort: Sort, batch: int) -> Abstract | None:
    """Every value of a sort; None for sorts that are not followed."""
    if sort.kind == "bool":
        return Truth(np.ones(batch, dtype=bool), np.ones(batch, dtype=bool))
    if sort.kind == "bv":
        return integers(sort.width, np.full(batch, -FAR), np.full(batch, FAR))
    dtype = FORMATS.get(sort)
    if dtype is None:
        return None
    ends = np.full(batch, -np.inf, dtype=dtype), np.full(batch, np.inf, dtype=dtype)
    return Floats(*ends, np.ones(batch, dtype=bool))


def integers(width: int, low: Numbers, high: Numbers) -> Ints:
    """A bit-vector whose exact value lies in low..high before it is cut to its width: kept where it fits
    either reading, everything where it does not."""
    top, whole = min(1 << (width - 1), FAR), min(1 << width, FAR)
    far = (low <= -FAR) | (high >= FAR)
    fits = ~far & (low >= -top) & (high < top)
    if width < 63 and not fits.all():  # a single number wraps to a single number
        single = (low == high) & ~far
        low, high = (np.where(single, ((end + top) & (whole - 1)) - top, end) for end in (low, high))
        fits |= single
    positive = ~far & (low >= 0) & (high < whole)
    negative = fits & (high < 0)
    signed_high = np.where(fits, high, top - 1 if width < 63 else FAR)
    signed_low = np.where(fits, low, -top)
    # A value that fits as unsigned only has a negative signed reading when it lies in the upper half.
    upper = positive & ~fits & (low >= top)
    if width < 63:
        signed_low = np.where(upper, low - whole, signed_low)
        signed_high = np.where(upper, high - whole, signed_high)
        least = np.where(negative, low + whole, np.where(positive, low, 0))
        most = np.where(negative, high + whole, np.where(positive, high, whole - 1))
    else:
        least, most = np.where(positive, low, 0), np.where(positive, high, FAR)
    return Ints(signed_low, signed_high, least, most)


def meet(first: Ints, second: Ints) -> Ints:
    return Ints(
        np.maximum(first.low, second.low),
        np.minimum(first.high, second.high),
        np.maximum(first.least, second.least),
        np.minimum(first.most, second.most),
    )


def agreed(value: Ints, width: int) -> Ints:
    """Each reading tightened by the other."""
    if width >= 63:
        positive = value.low >= 0
        least = np.where(positive, np.maximum(value.least, value.low), value.least)
        most = np.where(positive, np.minimum(value.most, value.high), value.most)
        small = value.most < FAR
        low = np.where(small, np.maximum(value.low, value.least), value.low)
        return Ints(low, np.where(small, np.minimum(value.high, value.most), value.high), least, most)
    by_signed = integers(width, value.low, value.high)
    by_unsigned = integers(width, value.least, value.most)
    return meet(value, meet(by_signed, by_unsigned))


def hull(first: Abstract, second: Abstract) -> Abstract:
    if isinstance(first, Truth) and isinstance(second, Truth):
        return Truth(first.true | second.true, first.false | second.false)
    if isinstance(first, Floats) and isinstance(second, Floats):
        low, high = np.fmin(first.low, second.low), np.fmax(first.high, second.high)
        # An empty interval adds nothing.
        low = np.where(first.some, np.where(second.some, low, first.low), second.low)
        high = np.where(first.some, np.where(second.some, high, first.high), second.high)
        return Floats(low, high, first.nan | second.nan)
    assert isinstance(first, Ints)
    assert isinstance(second, Ints)
    return Ints(
        np.minimum(first.low, second.low),
        np.maximum(first.high, second.high),
        np.minimum(first.least, second.least),
        np.maximum(first.most, second.most),
    )


def chosen(condition: Truth, first: Abstract, second: Abstract) -> Abstract:
    """`first` where the condition is certainly true, `second` where it is false, else both."""
    both = hull(first, second)
    only, other = ~condition.false, ~condition.true
    if isinstance(both, Truth):
        assert isinstance(first, Truth)
        assert isinstance(second, Truth)
        return Truth(
            _pick(only, other, first.true, second.true, both.true),
            _pick(only, other, first.false, second.false, both.false),
        )
    if isinstance(both, Floats):
        assert isinstance(first, Floats)
        assert isinstance(second, Floats)
        return Floats(
            _pick(only, other, first.low, second.low, both.low),
            _pick(only, other, first.high, second.high, both.high),
            _pick(only, other, first.nan, second.nan, both.nan),
        )
    assert isinstance(first, Ints)
    assert isinstance(second, Ints)
    return Ints(
        _pick(only, other, first.low, second.low, both.low),
        _pick(only, other, first.high, second.high, both.high),
        _pick(only, other, first.least, second.least, both.least),
        _pick(only, other, first.most, second.most, both.most),
    )


def _pick(only: Bools, other: Bools, first: Numbers, second: Numbers, both: Numbers) -> Numbers:
    return np.where(only, first, np.where(other, second, both))
