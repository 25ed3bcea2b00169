"""Linear bounds of activation functions on an interval: below and above, for whole arrays.

For every element, `low_slope * h + low_shift <= f(h) <= high_slope * h + high_shift` for all h in [l, u].
Shifts are widened so that this holds for the computed slopes, whatever they were rounded to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

from vouch.nn.arrays import UNIT32
from vouch.nn.bounds.arrays import Arrays
from vouch.nn.bounds.curves import relaxed
from vouch.nn.bounds.model import BoundModel
from vouch.nn.bounds.relaxation import Planes, Relaxation, Relaxed
from vouch.nn.functions import LARGEST
from vouch.nn.lowered import Activation, ActivationGap, Multiply, NodeKind

if TYPE_CHECKING:
    from vouch.nn.bounds.forward import ForwardState

_WIDEN = 2.0**-50
# Covers the error of `_where_slope` and of the library's tanh.
_CURVE = 2.0**-33


def relax(model: BoundModel, index: int, low: Any, high: Any, state: ForwardState | None = None) -> Relaxed:
    """The relaxation of node `index` on [low, high], the intervals of its slots. A difference of two
    activations needs the `state` with the intervals of both."""
    node = model.node(index)
    arrays = model.arrays
    if isinstance(node, Multiply):
        half = node.size
        return product(model, low[:, :half], high[:, :half], low[:, half:], high[:, half:])
    assert isinstance(node, Activation)
    match node.kind:
        case NodeKind.RELU:
            return Relaxed(relu(arrays, low, high), low.clip(min=0), high.clip(min=0))
        case NodeKind.SIGMOID | NodeKind.TANH:
            return Relaxed(*curve(arrays, node.kind, low, high, model.curve_error(index)))
        case NodeKind.CURVE:
            assert node.function is not None
            return Relaxed(*relaxed(arrays, node.function, low, high, float32=model.arithmetic == "float32"))
        case NodeKind.GAP:
            assert isinstance(node, ActivationGap)
            assert state is not None
            least, most = steepness(model, node, state)
            error = 0.0 if model.node(node.first).kind is NodeKind.RELU else 2 * model.curve_error(index)
            return Relaxed(*gap(arrays, least, most, low, high, error))
        case NodeKind.LEAKY_RELU | NodeKind.CLIP:
            raise AssertionError("written out with ReLU before")
        case _:
            assert_never(node.kind)


def product(model: BoundModel, x_low: Any, x_high: Any, y_low: Any, y_high: Any) -> Relaxed:
    """With the middles a and b, x y = b x + a y - a b + (x - a)(y - b), and the last term is at most the
    product of the radii: the mean of the two planes of McCormick on either side."""
    xp = model.arrays.xp
    a, b = (x_low + x_high) * 0.5, (y_low + y_high) * 0.5
    rest = (x_high - x_low).clip(min=0) * (y_high - y_low).clip(min=0) * 0.25
    size = xp.maximum(abs(x_low), abs(x_high)) * xp.maximum(abs(y_low), abs(y_high))
    error = size * 2.0**-46 + 2.0**-1000
    if model.arithmetic == "float32":
        error = error + size * (2 * UNIT32) + 2.0**-125
    spread = rest + error
    planes = Planes(b, a, -a * b - spread, spread - a * b)
    ends = [x_low * y_low, x_low * y_high, x_high * y_low, x_high * y_high]
    low, high = ends[0], ends[0]
    for end in ends[1:]:
        low, high = xp.minimum(low, end), xp.maximum(high, end)
    return Relaxed(planes, low - error, high + error, ~(size < LARGEST))


def relu(arrays: Arrays, low: Any, high: Any) -> Relaxation:
    """The triangle: the chord above; below, the identity or zero, whichever leaves less area."""
    xp = arrays.xp
    unstable = (low < 0) & (high > 0)
    on = arrays.cast(low >= 0)
    slope = xp.where(unstable, high / xp.where(unstable, high - low, 1.0), on)
    shift = xp.where(unstable, xp.maximum(-low * slope, high - high * slope) * (1 + _WIDEN), 0.0)
    below = xp.where(unstable, arrays.cast(high > -low), on)
    return Relaxation(below, None, slope, shift, unstable)


def curve(arrays: Arrays, kind: NodeKind, low: Any, high: Any, error: float) -> tuple[Relaxation, Any, Any]:
    """Tangent and chord of an S-shaped function.

    Each bound first takes a slope k. f(h) - k h has its extremes at the ends or where f'(h) = k, that is at
    +-h(k), in closed form; so each shift is as tight as its slope allows, up to the slack.
    """
    xp = arrays.xp
    f = _sigmoid(arrays) if kind is NodeKind.SIGMOID else xp.tanh
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
    bottom = 0.0 if kind is NodeKind.SIGMOID else -1.0
    value_low = (f_low - error).clip(min=bottom - error)
    value_high = (f_high + error).clip(max=1.0 + error)
    return Relaxation(below, low_shift, above, high_shift, unstable), value_low, value_high


def _extreme(arrays: Arrays, kind: NodeKind, f: Any, slope: Any, low: Any, high: Any, sign: float) -> Any:
    """max (sign 1) or min (sign -1) of f(h) - slope * h over [low, high]."""
    xp = arrays.xp
    pick = xp.maximum if sign > 0 else xp.minimum
    best = pick(f(low) - slope * low, f(high) - slope * high)
    at = _where_slope(arrays, kind, slope)
    for point in (at, -at):
        inside = xp.maximum(low, xp.minimum(high, point))
        best = pick(best, f(inside) - slope * inside)
    return best


def _where_slope(arrays: Arrays, kind: NodeKind, slope: Any) -> Any:
    """The h >= 0 with f'(h) = slope. Near the optimum f(h) - slope h is flat, so its error hardly matters:
    the value at a point that is off by e is off by less than e squared."""
    xp = arrays.xp
    steepest = 0.25 if kind is NodeKind.SIGMOID else 1.0
    share = xp.sqrt((1 - slope / steepest).clip(min=0.0, max=1.0))
    share = share.clip(max=1 - 1e-12)
    at = xp.arctanh(share)
    return at * 2 if kind is NodeKind.SIGMOID else at


def _derivative(kind: NodeKind, value: Any) -> Any:
    return value * (1 - value) if kind is NodeKind.SIGMOID else 1 - value * value


def _sigmoid(arrays: Arrays) -> Any:
    xp = arrays.xp

    def sigmoid(x: Any) -> Any:
        return xp.tanh(x * 0.5) * 0.5 + 0.5

    return sigmoid


def steepness(model: BoundModel, node: ActivationGap, state: ForwardState) -> tuple[Any, Any]:
    """The least and the largest slope (f(r) - f(t)) / (r - t) for r and t within their intervals, by the mean
    value theorem; rounded outwards."""
    arrays, xp = model.arrays, model.arrays.xp
    ends = [
        (state.low[:, part], state.high[:, part])
        for part in (model.slots[node.first], model.slots[node.second])
    ]
    low, high = xp.minimum(ends[0][0], ends[1][0]), xp.maximum(ends[0][1], ends[1][1])
    kind = model.node(node.first).kind
    if kind is NodeKind.RELU:
        return (low >= 0) * 1.0, (high > 0) * 1.0
    flattest = xp.minimum(_bell(arrays, kind, low), _bell(arrays, kind, high))
    steepest = _bell(arrays, kind, xp.maximum(low, xp.minimum(high, arrays.zeros(low.shape))))
    return flattest * (1 - 2.0**-40), steepest * (1 + 2.0**-40)


def _bell(arrays: Arrays, kind: NodeKind, h: Any) -> Any:
    """The derivative of sigmoid or tanh at h, without cancellation."""
    scale, height = (1.0, 1.0) if kind is NodeKind.SIGMOID else (2.0, 4.0)
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
