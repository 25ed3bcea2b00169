"""Lines below and above any function of `nn.functions` on an interval, for whole arrays.

Each bound first takes a slope k, the best of a few candidates. Its offset is the extreme of f(h) - k h, piece
by piece: at the ends where the piece bends away, else on a tangent, which lies on the right side of the whole
piece wherever it touches. So neither the slope nor the place of the tangent has to be right. What float64
loses is covered by a slack relative to every number that takes part.
"""

from __future__ import annotations

from typing import Any

from vouch.nn.bounds.arrays import Arrays
from vouch.nn.bounds.relaxation import Relaxation
from vouch.nn.functions import LARGEST, Piece, ScalarFunction

# Relative error of the library's functions and of the few operations on them, with room to spare.
_SLACK = 2.0**-42


def relaxed(
    arrays: Arrays, function: ScalarFunction, low: Any, high: Any, *, float32: bool
) -> tuple[Relaxation, Any, Any, Any]:
    """The lines, an interval of the value, and where the interval leaves the domain (the lines mean nothing
    there)."""
    xp = arrays.xp
    undefined = function.undefined(xp, low, high) | ~(abs(low) + abs(high) < LARGEST)
    low, high = xp.where(undefined, 1.0 + 0.0 * low.clip(0, 1), low), xp.where(undefined, 1.0, high)
    high = xp.maximum(low, high)
    zero = low * 0.0
    least, most = _extreme(xp, function, zero, low, high, -1), _extreme(xp, function, zero, low, high, 1)
    reach = xp.maximum(abs(low), abs(high))
    size = xp.maximum(abs(least), abs(most))
    undefined = undefined | ~(size < LARGEST)
    # A product with the argument, such as h times a share, is only as exact as the argument is small.
    error = function.absolute + (_SLACK * 2.0**-7 * reach if function.by_input else 0.0)
    if float32:
        error = error + function.relative * size + function.by_input * reach
    below = _best(xp, function, _below(xp, function, low, high), low, high, -1)
    above = _best(xp, function, _above(xp, function, low, high), low, high, 1)
    lines = Relaxation(
        below[0],
        below[1] - error - _SLACK * (size + abs(below[0]) * reach),
        above[0],
        above[1] + error + _SLACK * (size + abs(above[0]) * reach),
        high > low,
    )
    slack = error + _SLACK * size
    return lines, least - slack, most + slack, undefined


def _below(xp: Any, function: ScalarFunction, low: Any, high: Any) -> list[Any]:
    """Slopes to try for the line below."""
    if function.bend > 0:
        return [_finite(xp, function.slope(xp, (low + high) * 0.5))]
    return [_chord(xp, function, low, high)] if function.bend < 0 else _tried(xp, function, low, high)


def _above(xp: Any, function: ScalarFunction, low: Any, high: Any) -> list[Any]:
    if function.bend < 0:
        return [_finite(xp, function.slope(xp, (low + high) * 0.5))]
    return [_chord(xp, function, low, high)] if function.bend > 0 else _tried(xp, function, low, high)


def _tried(xp: Any, function: ScalarFunction, low: Any, high: Any) -> list[Any]:
    slopes = [function.slope(xp, h) for h in (low, high, (low + high) * 0.5)]
    return [low * 0.0, _chord(xp, function, low, high), *(_finite(xp, k) for k in slopes)]


def _finite(xp: Any, slope: Any) -> Any:
    return xp.where(abs(slope) < LARGEST, slope, 0.0)


def _chord(xp: Any, function: ScalarFunction, low: Any, high: Any) -> Any:
    width = high - low
    wide = width > 1e-7 * (abs(low) + abs(high)) + 1e-30
    rise = function.value(xp, high) - function.value(xp, low)
    slope = function.slope(xp, (low + high) * 0.5)
    return _finite(xp, xp.where(wide, rise / xp.where(wide, width, 1.0), slope))


def _best(
    xp: Any, function: ScalarFunction, slopes: list[Any], low: Any, high: Any, sign: int
) -> tuple[Any, Any]:
    """Of the slopes, the one whose line is nearest to the function at the middle, and its offset."""
    middle = (low + high) * 0.5
    slope = slopes[0]
    shift = _extreme(xp, function, slope, low, high, sign)
    for other in slopes[1:]:
        moved = _extreme(xp, function, other, low, high, sign)
        gain = (shift + slope * middle) - (moved + other * middle)
        better = gain > 0 if sign > 0 else gain < 0
        slope, shift = xp.where(better, other, slope), xp.where(better, moved, shift)
    return slope, shift


def _extreme(xp: Any, function: ScalarFunction, slope: Any, low: Any, high: Any, sign: int) -> Any:
    """At least max (sign 1), at most min (sign -1) of f(h) - slope h over [low, high]."""
    pick = xp.maximum if sign > 0 else xp.minimum
    nothing = float("-inf") if sign > 0 else float("inf")
    best = low * 0.0 + nothing
    for piece in function.pieces:
        start = low.clip(min=piece.start, max=piece.end)
        end = high.clip(min=piece.start, max=piece.end)
        met = (low <= piece.end) & (high >= piece.start)
        best = xp.where(met, pick(best, _on_piece(xp, piece, slope, start, end, sign)), best)
    return best


def _on_piece(xp: Any, piece: Piece, slope: Any, start: Any, end: Any, sign: int) -> Any:
    pick = xp.maximum if sign > 0 else xp.minimum
    ends = pick(piece.value(xp, start) - slope * start, piece.value(xp, end) - slope * end)
    if piece.bend * sign >= 0 or piece.at is None:
        return ends
    touch = xp.minimum(end, xp.maximum(piece.at(xp, slope), start + (end - start) * 2.0**-20))
    own = piece.slope(xp, touch)
    known = abs(own) < LARGEST
    tilt = xp.where(known, own - slope, 0.0)
    tangent = piece.value(xp, touch) - slope * touch
    line = tangent + pick(tilt * (start - touch), tilt * (end - touch))
    # Without a tangent only a single point is certain.
    return xp.where(known, line, xp.where(end > start, ends * 0.0 + sign * LARGEST, ends))
