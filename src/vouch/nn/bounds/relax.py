"""Linear bounds of activation functions on an interval: below and above, for whole arrays.

For every element, `low_slope * h + low_shift <= f(h) <= high_slope * h + high_shift` for all h in [l, u].
Shifts are widened so that this holds for the computed slopes, whatever they were rounded to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, assert_never

from vouch.nn.bounds.arrays import Arrays
from vouch.nn.bounds.model import Model
from vouch.nn.lowered import Activation, ActivationGap, Kind

if TYPE_CHECKING:
    from vouch.nn.bounds.forward import State

_WIDEN = 2.0**-50
# Covers the error of `_where_slope` and of the library's tanh.
_CURVE = 2.0**-33


@dataclass(slots=True)
class Relaxation:
    """`low_shift` is None where it is zero throughout (ReLU). `unstable` marks what is not linear."""

    low_slope: Any
    low_shift: Any | None
    high_slope: Any
    high_shift: Any
    unstable: Any

    def take(self, chosen: Any) -> Relaxation:
        return Relaxation(
            self.low_slope[chosen],
            None if self.low_shift is None else self.low_shift[chosen],
            self.high_slope[chosen],
            self.high_shift[chosen],
            self.unstable[chosen],
        )


def relax(
    model: Model, index: int, low: Any, high: Any, state: State | None = None
) -> tuple[Relaxation, Any, Any]:
    """The relaxation of activation node `index` on [low, high], and an interval of its value. A difference of
    two activations needs the `state` with the intervals of both."""
    node = model.node(index)
    assert isinstance(node, Activation)
    arrays = model.arrays
    match node.kind:
        case Kind.RELU:
            return relu(arrays, low, high), low.clip(min=0), high.clip(min=0)
        case Kind.SIGMOID | Kind.TANH:
            return curve(arrays, node.kind, low, high, model.curve_error())
        case Kind.GAP:
            assert isinstance(node, ActivationGap)
            assert state is not None
            least, most = steepness(model, node, state)
            error = 0.0 if model.node(node.first).kind is Kind.RELU else 2 * model.curve_error()
            return gap(arrays, least, most, low, high, error)
        case Kind.LEAKY_RELU | Kind.CLIP:
            raise AssertionError("written out with ReLU before")
        case _:
            assert_never(node.kind)


def relu(arrays: Arrays, low: Any, high: Any) -> Relaxation:
    """The triangle: the chord above; below, the identity or zero, whichever leaves less area."""
    xp = arrays.xp
    unstable = (low < 0) & (high > 0)
    on = (low >= 0) * 1.0
    slope = xp.where(unstable, high / xp.where(unstable, high - low, 1.0), on)
    shift = xp.where(unstable, xp.maximum(-low * slope, high - high * slope) * (1 + _WIDEN), 0.0)
    below = xp.where(unstable, (high > -low) * 1.0, on)
    return Relaxation(below, None, slope, shift, unstable)


def curve(arrays: Arrays, kind: Kind, low: Any, high: Any, error: float) -> tuple[Relaxation, Any, Any]:
    """Tangent and chord of an S-shaped function.

    Each bound first takes a slope k. f(h) - k h has its extremes at the ends or where f'(h) = k, that is at
    +-h(k), in closed form; so each shift is as tight as its slope allows, up to the slack.
    """
    xp = arrays.xp
    f = _sigmoid(arrays) if kind is Kind.SIGMOID else xp.tanh
    f_low, f_high = f(low), f(high)
    width = high - low
    chord = xp.where(width > 1e-6, (f_high - f_low) / xp.where(width > 1e-6, width, 1.0), 0.0)
    d_low, d_high = _derivative(kind, f_low), _derivative(kind, f_high)
    ends = xp.minimum(d_low, d_high)
    # A concave piece (low >= 0) has its chord below, a convex one (high <= 0) above; the other side takes a
    # tangent, and a piece with the turning point inside the smaller end slope on both sides.
    middle = _derivative(kind, f((low + high) * 0.5))
    below = xp.where(low >= 0, chord, xp.where(high <= 0, middle, ends))
    above = xp.where(high <= 0, chord, xp.where(low >= 0, middle, ends))
    slack = error + _CURVE + _WIDEN * (xp.abs(low) + xp.abs(high))
    low_shift = _extreme(arrays, kind, f, below, low, high, -1.0) - slack
    high_shift = _extreme(arrays, kind, f, above, low, high, 1.0) + slack
    unstable = width > 0
    bottom = 0.0 if kind is Kind.SIGMOID else -1.0
    value_low = (f_low - error).clip(min=bottom - error)
    value_high = (f_high + error).clip(max=1.0 + error)
    return Relaxation(below, low_shift, above, high_shift, unstable), value_low, value_high


def _extreme(arrays: Arrays, kind: Kind, f: Any, slope: Any, low: Any, high: Any, sign: float) -> Any:
    """max (sign 1) or min (sign -1) of f(h) - slope * h over [low, high]."""
    xp = arrays.xp
    pick = xp.maximum if sign > 0 else xp.minimum
    best = pick(f(low) - slope * low, f(high) - slope * high)
    at = _where_slope(arrays, kind, slope)
    for point in (at, -at):
        inside = xp.maximum(low, xp.minimum(high, point))
        best = pick(best, f(inside) - slope * inside)
    return best


def _where_slope(arrays: Arrays, kind: Kind, slope: Any) -> Any:
    """The h >= 0 with f'(h) = slope. Near the optimum f(h) - slope h is flat, so its error hardly matters:
    the value at a point that is off by e is off by less than e squared."""
    xp = arrays.xp
    steepest = 0.25 if kind is Kind.SIGMOID else 1.0
    share = xp.sqrt((1 - slope / steepest).clip(min=0.0, max=1.0))
    share = share.clip(max=1 - 1e-12)
    at = xp.arctanh(share)
    return at * 2 if kind is Kind.SIGMOID else at


def _derivative(kind: Kind, value: Any) -> Any:
    return value * (1 - value) if kind is Kind.SIGMOID else 1 - value * value


def _sigmoid(arrays: Arrays) -> Any:
    xp = arrays.xp

    def sigmoid(x: Any) -> Any:
        return xp.tanh(x * 0.5) * 0.5 + 0.5

    return sigmoid


def steepness(model: Model, node: ActivationGap, state: State) -> tuple[Any, Any]:
    """The least and the largest slope (f(r) - f(t)) / (r - t) for r and t within their intervals, by the mean
    value theorem; rounded outwards."""
    arrays, xp = model.arrays, model.arrays.xp
    ends = [
        (state.low[:, part], state.high[:, part])
        for part in (model.slots[node.first], model.slots[node.second])
    ]
    low, high = xp.minimum(ends[0][0], ends[1][0]), xp.maximum(ends[0][1], ends[1][1])
    kind = model.node(node.first).kind
    if kind is Kind.RELU:
        return (low >= 0) * 1.0, (high > 0) * 1.0
    flattest = xp.minimum(_bell(arrays, kind, low), _bell(arrays, kind, high))
    steepest = _bell(arrays, kind, xp.maximum(low, xp.minimum(high, arrays.zeros(low.shape))))
    return flattest * (1 - 2.0**-40), steepest * (1 + 2.0**-40)


def _bell(arrays: Arrays, kind: Kind, h: Any) -> Any:
    """The derivative of sigmoid or tanh at h, without cancellation."""
    scale, height = (1.0, 1.0) if kind is Kind.SIGMOID else (2.0, 4.0)
    power = arrays.xp.exp(-abs(h) * scale)
    return power / ((1 + power) * (1 + power)) * height


def gap(
    arrays: Arrays, least: Any, most: Any, low: Any, high: Any, error: float
) -> tuple[Relaxation, Any, Any]:
    """Bounds of s d for all d in [low, high] and all slopes s in [least, most], and of the errors on top.

    The largest s d is most * d where d > 0 and least * d where d < 0, which is convex: its chord is above it.
    The smallest is its mirror image. `unstable` is False throughout: no slope may be chosen freely.
    """
    xp = arrays.xp
    crossing = (low < 0) & (high > 0)
    width = xp.where(crossing, high - low, 1.0)
    up = xp.where(crossing, (most * high - least * low) / width, xp.where(low >= 0, most, least))
    down = xp.where(crossing, (least * high - most * low) / width, xp.where(low >= 0, least, most))
    above = xp.maximum((least - up) * low, (most - up) * high)
    below = xp.minimum((most - down) * low, (least - down) * high)
    slack = error + _WIDEN * (abs(low) + abs(high))
    high_shift = xp.where(crossing, above, 0.0) + slack
    low_shift = xp.where(crossing, below, 0.0) - slack
    value_low = xp.where(low < 0, most * low, least * low) - slack
    value_high = xp.where(high > 0, most * high, least * high) + slack
    return Relaxation(down, low_shift, up, high_shift, crossing & ~crossing), value_low, value_high
