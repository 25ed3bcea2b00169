"""Functions of the math library, enclosed: the real function, and what a C library is assumed to lose.

The real function is evaluated by ball arithmetic, which proves its own error. A library is assumed to be
within so many units in the last place of it (`Accuracy`), to keep the function's range, and to give the
values that C demands at zero, one and infinity.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from vouch.numeric.values import Bools, Floats, Numbers
from vouch.record import frozen_record

_PRECISION = 128  # bits of a ball
_FAR = 1e5  # beyond it a period is not looked for
_PI = math.pi


def enclosure(base: str, ulps: int, *, loose: bool) -> Callable[..., Floats]:
    """What encloses a function's results in a library that loses so much; a loose one returns numbers where C
    demands NaN."""
    if loose:
        return lambda a: _loose(CURVES[base], ulps, a)
    function = CURVES.get(base) or _SPECIAL[base]
    return lambda *values: function(ulps, *values)


# ---------------------------------------------------------------- numbers


@lru_cache(maxsize=200_000)
def _point(base: str, x: float) -> tuple[float, float]:
    """Doubles around the real function at a finite x of its domain; infinite for a pole or overflow."""
    from flint import arb, ctx

    before, ctx.prec = ctx.prec, _PRECISION
    try:
        made = _REAL.get(base)
        return _around(getattr(arb(x), base)() if made is None else made(arb(x)))
    finally:
        ctx.prec = before


def _around(ball: Any) -> tuple[float, float]:
    if not ball.is_finite():
        return -math.inf, math.inf
    low, high = (float(end) for end in (ball.lower(), ball.upper()))
    return math.nextafter(low, -math.inf), math.nextafter(high, math.inf)


# The others are methods of balls, of the same name.
_REAL: dict[str, Callable[[Any], Any]] = {
    "exp2": lambda x: (x * x.const_log2()).exp(),
    "log2": lambda x: x.log() / x.const_log2(),
    "log10": lambda x: x.log() / x.const_log10(),
    "cbrt": lambda x: x.root(3) if x > 0 else -((-x).root(3)) if x < 0 else x,
}


def _ends(base: str, xs: Numbers, limits: tuple[float, float]) -> tuple[Numbers, Numbers]:
    """Doubles below and above the function at each x; `limits` at the infinities."""
    low, high = np.empty(len(xs)), np.empty(len(xs))
    for n, x in enumerate(xs.tolist()):
        if math.isinf(x) or math.isnan(x):
            low[n] = high[n] = limits[0] if x < 0 else limits[1]
        else:
            low[n], high[n] = _point(base, x)
    return low, high


def _spread(low: Numbers, high: Numbers, ulps: int, dtype: Any) -> tuple[Numbers, Numbers]:
    """All floats within so many ulps of a number between two doubles. Away from zero the next binade, with
    larger ulps, may begin."""
    top = np.finfo(dtype).max
    with np.errstate(all="ignore"):
        down = low - (np.where(low < 0, 2, 1) * ulps + 0.5) * _ulp(low, dtype)
        up = high + (np.where(high > 0, 2, 1) * ulps + 0.5) * _ulp(high, dtype)
        first = np.nextafter(down.astype(dtype), dtype(-np.inf))
        last = np.nextafter(up.astype(dtype), dtype(np.inf))
    # What overflows may be the largest float as well.
    return np.minimum(first, dtype(top)), np.maximum(last, dtype(-top))


def _ulp(x: Numbers, dtype: Any) -> Numbers:
    half = np.finfo(dtype).max / 2
    found = np.spacing(np.minimum(np.abs(x), half).astype(dtype)).astype(np.float64)
    return np.asarray(np.where(np.abs(x) > half, 2 * found, found))


# ---------------------------------------------------------------- curves of one number


@frozen_record
class LibraryCurve:
    """A monotone function: `rising`, or falling. NaN outside `domain`. `limits` are the values at the ends of
    the line, `anchors` are points (x, y) that C demands: results keep the side of y that x has of its x."""

    base: str
    span: tuple[float, float]
    limits: tuple[float, float]
    anchors: tuple[tuple[float, float], ...] = ()
    domain: tuple[float, float] = (-math.inf, math.inf)
    rising: bool = True

    def __call__(self, ulps: int, a: Floats) -> Floats:
        dtype = a.low.dtype.type
        outside = (a.low < self.domain[0]) | (a.high > self.domain[1])
        low_x = np.maximum(a.low, dtype(self.domain[0]))
        high_x = np.minimum(a.high, dtype(self.domain[1]))
        none = ~(low_x <= high_x)
        low_x, high_x = (np.where(none, dtype(1), x) for x in (low_x, high_x))  # 1 is in every domain
        first, last = (low_x, high_x) if self.rising else (high_x, low_x)
        low = _ends(self.base, first, self.limits)[0]
        high = _ends(self.base, last, self.limits)[1]
        under, over = _spread(low, high, ulps, dtype)
        under, over = self._anchored(under, over, first, last, dtype)
        under = np.maximum(under, _not_above(self.span[0], dtype))
        over = np.minimum(over, _not_below(self.span[1], dtype))
        nan = a.nan | (a.some & outside)
        return Floats(np.where(none, dtype(np.inf), under), np.where(none, dtype(-np.inf), over), nan)

    def _anchored(
        self, under: Numbers, over: Numbers, first: Numbers, last: Numbers, dtype: Any
    ) -> tuple[Numbers, Numbers]:
        for x, y in self.anchors:
            beyond = first >= x if self.rising else first <= x
            before = last <= x if self.rising else last >= x
            under = np.where(beyond, np.maximum(under, dtype(y)), under)
            over = np.where(before, np.minimum(over, dtype(y)), over)
        return under, over


def _loose(curve: LibraryCurve, ulps: int, a: Floats) -> Floats:
    """Anything outside the domain."""
    found = curve(ulps, a)
    outside = (a.low < curve.domain[0]) | (a.high > curve.domain[1])
    dtype = found.low.dtype.type
    low, high = np.where(outside, dtype(-np.inf), found.low), np.where(outside, dtype(np.inf), found.high)
    return Floats(low, high, found.nan | outside)


def _not_above(value: float, dtype: Any) -> Any:
    found = dtype(value)
    return found if float(found) <= value else np.nextafter(found, dtype(-np.inf))


def _not_below(value: float, dtype: Any) -> Any:
    found = dtype(value)
    return found if float(found) >= value else np.nextafter(found, dtype(np.inf))


_INF = math.inf
_HALF = 1.5707963705062866  # half pi as a float, rounded up: what libraries return of it
_ZERO = ((0.0, 0.0),)
CURVES: dict[str, LibraryCurve] = {
    curve.base: curve
    for curve in (
        LibraryCurve("exp", (0.0, _INF), (0.0, _INF), ((0.0, 1.0),)),
        LibraryCurve("exp2", (0.0, _INF), (0.0, _INF), ((0.0, 1.0),)),
        LibraryCurve("expm1", (-1.0, _INF), (-1.0, _INF), _ZERO),
        LibraryCurve("log", (-_INF, _INF), (-_INF, _INF), ((1.0, 0.0), (0.0, -_INF)), (0.0, _INF)),
        LibraryCurve("log2", (-_INF, _INF), (-_INF, _INF), ((1.0, 0.0), (0.0, -_INF)), (0.0, _INF)),
        LibraryCurve("log10", (-_INF, _INF), (-_INF, _INF), ((1.0, 0.0), (0.0, -_INF)), (0.0, _INF)),
        LibraryCurve("log1p", (-_INF, _INF), (-_INF, _INF), ((0.0, 0.0), (-1.0, -_INF)), (-1.0, _INF)),
        LibraryCurve("asin", (-_HALF, _HALF), (0.0, 0.0), _ZERO, (-1.0, 1.0)),
        LibraryCurve("acos", (0.0, 2 * _HALF), (0.0, 0.0), ((1.0, 0.0),), (-1.0, 1.0), rising=False),
        LibraryCurve("atan", (-_HALF, _HALF), (-_PI / 2, _PI / 2), _ZERO),
        LibraryCurve("sinh", (-_INF, _INF), (-_INF, _INF), _ZERO),
        LibraryCurve("tanh", (-1.0, 1.0), (-1.0, 1.0), _ZERO),
        LibraryCurve("asinh", (-_INF, _INF), (-_INF, _INF), _ZERO),
        LibraryCurve("acosh", (0.0, _INF), (0.0, _INF), ((1.0, 0.0),), (1.0, _INF)),
        LibraryCurve("atanh", (-_INF, _INF), (-_INF, _INF), _ZERO, (-1.0, 1.0)),
        LibraryCurve("cbrt", (-_INF, _INF), (-_INF, _INF), _ZERO),
        LibraryCurve("erf", (-1.0, 1.0), (-1.0, 1.0), _ZERO),
        LibraryCurve("erfc", (0.0, 2.0), (2.0, 0.0), (), rising=False),
    )
}


# ---------------------------------------------------------------- the others


def _cosh(ulps: int, a: Floats) -> Floats:
    from vouch.numeric.floats import absolute

    return LibraryCurve("cosh", (1.0, _INF), (_INF, _INF), ((0.0, 1.0),))(ulps, absolute(a))


def _passes(low: Numbers, high: Numbers, at: float, period: float) -> Bools:
    """May the interval hold a point at + k * period?"""
    first, last = (low - at) / period - 1e-9, (high - at) / period + 1e-9
    return np.asarray(np.floor(last) > np.floor(first))


def _wave(base: str, top: float, ulps: int, a: Floats) -> Floats:
    """Sine and cosine; `top` is where there is a 1."""
    dtype = a.low.dtype.type
    low, high = a.low.astype(np.float64), a.high.astype(np.float64)
    far = ~((low > -_FAR) & (high < _FAR))
    low, high = np.where(far, 0.0, low), np.where(far, 0.0, high)
    ends = [_ends(base, x, (-1.0, 1.0)) for x in (low, high)]
    under, over = _spread(np.minimum(ends[0][0], ends[1][0]), np.maximum(ends[0][1], ends[1][1]), ulps, dtype)
    under = np.where(far | _passes(low, high, top + _PI, 2 * _PI), dtype(-1), np.maximum(under, dtype(-1)))
    over = np.where(far | _passes(low, high, top, 2 * _PI), dtype(1), np.minimum(over, dtype(1)))
    return _periodic(a, under, over, dtype)


def _periodic(a: Floats, under: Numbers, over: Numbers, dtype: Any) -> Floats:
    """NaN at infinities, and nothing else there."""
    infinite = a.some & (np.isinf(a.low) | np.isinf(a.high))
    none = ~a.some | (np.isinf(a.low) & (a.low == a.high))
    return Floats(
        np.where(none, dtype(np.inf), under), np.where(none, dtype(-np.inf), over), a.nan | infinite
    )


def _sin(ulps: int, a: Floats) -> Floats:
    return _at_zero(a, _wave("sin", _PI / 2, ulps, a), 0.0)


def _cos(ulps: int, a: Floats) -> Floats:
    return _at_zero(a, _wave("cos", 0.0, ulps, a), 1.0)


def _at_zero(a: Floats, found: Floats, value: float) -> Floats:
    """What C demands there."""
    zero, exact = (a.low == 0) & (a.high == 0), found.low.dtype.type(value)
    return Floats(np.where(zero, exact, found.low), np.where(zero, exact, found.high), found.nan)


def _tan(ulps: int, a: Floats) -> Floats:
    dtype = a.low.dtype.type
    low, high = a.low.astype(np.float64), a.high.astype(np.float64)
    far = ~((low > -_FAR) & (high < _FAR))
    low, high = np.where(far, 0.0, low), np.where(far, 0.0, high)
    far = far | _passes(low, high, _PI / 2, _PI)
    under, over = _spread(_ends("tan", low, (0, 0))[0], _ends("tan", high, (0, 0))[1], ulps, dtype)
    under, over = np.where(far, dtype(-np.inf), under), np.where(far, dtype(np.inf), over)
    return _at_zero(a, _periodic(a, under, over, dtype), 0.0)


def _of_two(
    real: Callable[[Any, Any], Any], usable: Bools, xs: list[Numbers], ys: list[Numbers]
) -> tuple[Numbers, Numbers]:
    """The least and the largest value at the corners of each box that is usable."""
    from flint import arb, ctx

    low, high = np.full(len(usable), -np.inf), np.full(len(usable), np.inf)
    before, ctx.prec = ctx.prec, _PRECISION
    try:
        for n in np.flatnonzero(usable):
            ends = [_around(real(arb(float(x[n])), arb(float(y[n])))) for x in xs for y in ys]
            low[n], high[n] = min(e[0] for e in ends), max(e[1] for e in ends)
    finally:
        ctx.prec = before
    return low, high


def _finite(*values: Floats) -> Bools:
    found = np.ones(len(values[0].low), dtype=bool)
    for value in values:
        found &= np.isfinite(value.low) & np.isfinite(value.high) & value.some
    return found


def _pow(ulps: int, x: Floats, y: Floats) -> Floats:
    """Of positive numbers: monotone in each of them. Of others, and of what is not finite, anything."""
    dtype = x.low.dtype.type
    usable = _finite(x, y) & (x.low > 0)
    low, high = _of_two(lambda a, b: a**b, usable, [x.low, x.high], [y.low, y.high])
    under, over = _spread(low, high, ulps, dtype)
    positive = x.some & y.some & (x.low > 0)
    under = np.where(positive, np.maximum(under, dtype(0)), dtype(-np.inf))
    one = ((y.low == 0) & (y.high == 0)) | ((x.low == 1) & (x.high == 1))
    one &= x.some & y.some & ~x.nan & ~y.nan
    over = np.where(one, dtype(1), np.where(usable, over, dtype(np.inf)))
    under = np.where(one, dtype(1), under)
    return Floats(under, over, ~one & (x.nan | y.nan | ~positive))


def _atan2(ulps: int, y: Floats, x: Floats) -> Floats:
    """Monotone along the edges of a box that does not touch the cut."""
    dtype = x.low.dtype.type
    usable = _finite(x, y) & ((x.low > 0) | (y.low > 0) | (y.high < 0))
    low, high = _of_two(lambda a, b: _angle(a, b), usable, [y.low, y.high], [x.low, x.high])
    under, over = _spread(low, high, ulps, dtype)
    limit = dtype(2 * _HALF)
    return Floats(
        np.where(usable, np.maximum(under, -limit), -limit),
        np.where(usable, np.minimum(over, limit), limit),
        x.nan | y.nan,
    )


def _angle(y: Any, x: Any) -> Any:
    return type(y).atan2(y, x)


def _hypot(ulps: int, x: Floats, y: Floats) -> Floats:
    from vouch.numeric.floats import absolute

    dtype, a, b = x.low.dtype.type, absolute(x), absolute(y)
    usable = _finite(a, b)
    low, _ = _of_two(lambda p, q: (p * p + q * q).sqrt(), usable, [a.low], [b.low])
    _, high = _of_two(lambda p, q: (p * p + q * q).sqrt(), usable, [a.high], [b.high])
    under, over = _spread(low, high, ulps, dtype)
    under = np.where(usable, np.maximum(under, dtype(0)), dtype(0))
    return Floats(under, np.where(usable, over, dtype(np.inf)), x.nan | y.nan)


_SPECIAL: dict[str, Callable[..., Floats]] = {
    "cosh": _cosh,
    "sin": _sin,
    "cos": _cos,
    "tan": _tan,
    "pow": _pow,
    "atan2": _atan2,
    "hypot": _hypot,
}
