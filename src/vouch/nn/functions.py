"""Functions of one number that networks apply element by element: all that bounds have to know about them.

A function is a list of pieces, each convex, concave or straight, each with its own value and slope. Pieces
are closed, so where a function jumps both sides count at the jump. `at` says where a piece has a given slope;
it is only a hint for tangents, and a wrong answer costs tightness, never soundness. Everything is written for
numpy and torch alike: the first argument is the module.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

Curve: TypeAlias = Callable[[Any, Any], Any]

# Arguments nearer to a pole than this count as the pole: a runtime may flush them to zero.
NEAR_ZERO = 2.0**-120
# Values above this leave float64's range somewhere in the products that follow.
LARGEST = 1e200
# An exponent beyond this is not followed; e to its power is still far from overflow.
_FAR = 400.0


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """The function between `start` and `end`; `bend` is 1 (convex), -1 (concave) or 0 (straight)."""

    start: float
    end: float
    bend: int
    value: Curve
    slope: Curve
    at: Curve | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ScalarFunction:
    """`bend` is that of the whole where all pieces together are convex or concave, else 0.

    In float32 a runtime's answer differs from the real one by at most absolute + relative |f(h)| + by_input
    |h| (whichever way it computes it: in one kernel or operator by operator). The function is defined for
    `least` <= h <= `most` and, with `pole`, not within NEAR_ZERO of zero. `options` are what tells functions
    of one name apart.
    """

    name: str
    pieces: tuple[Piece, ...]
    bend: int = 0
    absolute: float = 2.0**-100
    relative: float = 0.0
    by_input: float = 0.0
    least: float = -math.inf
    most: float = math.inf
    pole: bool = False
    options: tuple[tuple[str, float], ...] = ()

    def option(self, name: str) -> float:
        return dict(self.options)[name]

    def value(self, xp: Any, h: Any) -> Any:
        """f(h), in the dtype of h; at a jump, the piece in the middle counts."""
        result = self.pieces[0].value(xp, h)
        for piece in self.pieces[1:]:
            result = xp.where(h >= piece.start, piece.value(xp, h), result)
        if self.name in ("Sign", "Step"):  # zero belongs to neither side
            result = xp.where(h == 0, h * 0, result)
        return result

    def slope(self, xp: Any, h: Any) -> Any:
        result = self.pieces[0].slope(xp, h)
        for piece in self.pieces[1:]:
            result = xp.where(h >= piece.start, piece.slope(xp, h), result)
        return result

    def undefined(self, xp: Any, low: Any, high: Any) -> Any:
        """Where [low, high] is not within the domain."""
        outside = (low < self.least) | (high > self.most)
        if self.pole:
            outside = outside | ((low < NEAR_ZERO) & (high > -NEAR_ZERO))
        return outside


def _constant(number: float) -> Curve:
    return lambda xp, h: h * 0 + number


def _line(factor: float) -> Curve:
    return lambda xp, h: h * factor


def exponential(cap: float | None = None) -> ScalarFunction:
    """exp(h). With `cap`, exp(min(h, cap)): for sums in which what is beyond it cannot be told apart."""
    top = math.inf if cap is None else cap
    pieces = [Piece(-math.inf, top, 1, _exp(top), _exp(top), lambda xp, k: xp.log(k.clip(min=1e-300)))]
    if cap is not None:
        pieces.append(Piece(cap, math.inf, 0, _constant(math.exp(cap)), _constant(0.0)))
    return ScalarFunction(
        "Exp",
        tuple(pieces),
        bend=1 if cap is None else 0,
        relative=2.0**-20,
        most=_FAR if cap is None else math.inf,
        options=() if cap is None else (("cap", cap),),
    )


def _exp(top: float) -> Curve:
    return lambda xp, h: xp.exp(h.clip(max=min(top, 700.0)))


def logarithm() -> ScalarFunction:
    pieces = Piece(
        NEAR_ZERO,
        math.inf,
        -1,
        lambda xp, h: xp.log(h),
        lambda xp, h: 1.0 / h,
        lambda xp, k: 1.0 / k.clip(min=1e-200),
    )
    return ScalarFunction(
        "Log", (pieces,), bend=-1, absolute=2.0**-21, relative=2.0**-20, least=NEAR_ZERO, pole=False
    )


def power(exponent: float) -> ScalarFunction:
    """h ** exponent: also square roots, reciprocals and squares."""
    p = exponent
    whole = float(p).is_integer()
    even = whole and p % 2 == 0

    def value(xp: Any, h: Any) -> Any:
        if p == 0.5:
            return xp.sqrt(h)
        if p == -0.5:
            return 1.0 / xp.sqrt(h)
        if p == -1:
            return 1.0 / h
        if p == 2:
            return h * h
        return h ** (int(p) if whole else p)

    def slope(xp: Any, h: Any) -> Any:
        if p == 2:
            return 2.0 * h
        return p * h ** (int(p - 1) if whole else p - 1)

    def where(side: float) -> Curve:
        def at(xp: Any, k: Any) -> Any:
            size = (xp.abs(k) / abs(p)).clip(min=1e-150, max=1e150) ** (1.0 / (p - 1.0))
            return (xp.sign(k) * size if even and p > 0 else side * size).clip(min=-1e100, max=1e100)

        return at

    if p > 0:
        if even:
            pieces: tuple[Piece, ...] = (Piece(-math.inf, math.inf, 1, value, slope, where(1.0)),)
        elif whole:
            pieces = (
                Piece(-math.inf, 0.0, -1, value, slope, where(-1.0)),
                Piece(0.0, math.inf, 1, value, slope, where(1.0)),
            )
        else:
            pieces = (Piece(0.0, math.inf, 1 if p > 1 else -1, value, slope, where(1.0)),)
    else:
        pieces = (Piece(NEAR_ZERO, math.inf, 1, value, slope, where(1.0)),)
        if whole:
            below = Piece(-math.inf, -NEAR_ZERO, 1 if even else -1, value, slope, where(-1.0))
            pieces = (below, *pieces)
    return ScalarFunction(
        "Pow",
        pieces,
        bend=pieces[0].bend if len(pieces) == 1 else 0,
        relative=2.0**-19,
        least=-math.inf if whole else (0.0 if p > 0 else NEAR_ZERO),
        pole=p < 0,
        options=(("exponent", p),),
    )


def reciprocal(least: float) -> ScalarFunction:
    """1 / max(h, least) for least > 0: for arguments that are never smaller, whatever their bounds say."""
    pieces = (
        Piece(-math.inf, least, 0, _constant(1.0 / least), _constant(0.0)),
        Piece(
            least,
            math.inf,
            1,
            lambda xp, h: 1.0 / h.clip(min=least),
            lambda xp, h: -1.0 / h.clip(min=least, max=1e100) ** 2,
            lambda xp, k: xp.sqrt(1.0 / (-k).clip(min=1e-200, max=1e200)).clip(min=least),
        ),
    )
    return ScalarFunction("Reciprocal", pieces, relative=2.0**-19, options=(("least", least),))


def error_function() -> ScalarFunction:
    height = 2.0 / math.sqrt(math.pi)

    def slope(xp: Any, h: Any) -> Any:
        return height * xp.exp(-h * h)

    def at(side: float) -> Curve:
        return lambda xp, k: side * xp.sqrt((-xp.log((k / height).clip(min=1e-300, max=1.0))).clip(min=0.0))

    pieces = (
        Piece(-math.inf, 0.0, 1, erf, slope, at(-1.0)),
        Piece(0.0, math.inf, -1, erf, slope, at(1.0)),
    )
    return ScalarFunction("Erf", pieces, absolute=2.0**-18)


def erf(xp: Any, h: Any) -> Any:
    if xp is np:
        from scipy.special import erf as of_scipy

        return of_scipy(h)
    return xp.special.erf(h)


def softplus() -> ScalarFunction:
    """log(1 + exp(h))."""

    def value(xp: Any, h: Any) -> Any:
        return h.clip(min=0) + xp.log1p(xp.exp(-xp.abs(h)))

    def at(xp: Any, k: Any) -> Any:
        share = k.clip(min=1e-15, max=1 - 1e-15)
        return xp.log(share / (1 - share))

    piece = Piece(-math.inf, math.inf, 1, value, sigmoid, at)
    return ScalarFunction("Softplus", (piece,), bend=1, absolute=2.0**-18, relative=2.0**-20)


def sigmoid(xp: Any, h: Any) -> Any:
    """1 / (1 + exp(-h)) without overflow."""
    small = xp.exp(-xp.abs(h))
    return xp.where(h >= 0, 1 / (1 + small), small / (1 + small))


def elu(alpha: float, gamma: float = 1.0, rate: float = 1.0) -> ScalarFunction:
    """gamma h above zero, gamma alpha (exp(rate h) - 1) below: Elu, Selu, Celu."""
    height = gamma * alpha
    below = Piece(
        -math.inf,
        0.0,
        1 if height > 0 else (-1 if height < 0 else 0),
        lambda xp, h: height * xp.expm1((h * rate).clip(max=0)),
        lambda xp, h: height * rate * xp.exp((h * rate).clip(max=0)),
        lambda xp, k: xp.log((k / (height * rate if height else 1.0)).clip(min=1e-300, max=1.0)) / rate,
    )
    pieces = (below, Piece(0.0, math.inf, 0, _line(gamma), _constant(gamma)))
    convex = height >= 0 and height * rate <= gamma
    return ScalarFunction(
        "Elu",
        pieces,
        bend=1 if convex else 0,
        absolute=2.0**-18 * (1.0 + abs(height)),
        relative=2.0**-20,
        options=(("alpha", alpha), ("gamma", gamma), ("rate", rate)),
    )


def hard_swish() -> ScalarFunction:
    """h min(max(h / 6 + 1/2, 0), 1)."""
    zero = Piece(-math.inf, -3.0, 0, _constant(0.0), _constant(0.0))
    middle = Piece(
        -3.0,
        3.0,
        1,
        lambda xp, h: h * (h / 6.0 + 0.5),
        lambda xp, h: h / 3.0 + 0.5,
        lambda xp, k: (k - 0.5) * 3.0,
    )
    above = Piece(3.0, math.inf, 0, _line(1.0), _constant(1.0))
    return ScalarFunction("HardSwish", (zero, middle, above), by_input=2.0**-20)


def softsign() -> ScalarFunction:
    """h / (1 + |h|)."""

    def value(xp: Any, h: Any) -> Any:
        return h / (1 + xp.abs(h))

    def slope(xp: Any, h: Any) -> Any:
        return 1 / ((1 + xp.abs(h)) * (1 + xp.abs(h)))

    def at(side: float) -> Curve:
        return lambda xp, k: side * (1 / xp.sqrt(k.clip(min=1e-30, max=1.0)) - 1)

    pieces = Piece(-math.inf, 0.0, 1, value, slope, at(-1.0)), Piece(0.0, math.inf, -1, value, slope, at(1.0))
    return ScalarFunction("Softsign", pieces, relative=2.0**-20)


def sign() -> ScalarFunction:
    """-1, 0 or 1."""
    zero = _constant(0.0)
    levels = ((-math.inf, 0.0, -1.0), (0.0, 0.0, 0.0), (0.0, math.inf, 1.0))
    return ScalarFunction(
        "Sign", tuple(Piece(a, b, 0, _constant(v), zero) for a, b, v in levels), absolute=0.0
    )


def step() -> ScalarFunction:
    """1 above zero, 0 below; either at zero, as comparisons differ there."""
    zero = _constant(0.0)
    levels = ((-math.inf, 0.0, 0.0), (0.0, math.inf, 1.0))
    return ScalarFunction(
        "Step", tuple(Piece(a, b, 0, _constant(v), zero) for a, b, v in levels), absolute=0.0
    )


def silu() -> ScalarFunction:
    """h / (1 + exp(-h))."""

    def slope(xp: Any, h: Any) -> Any:
        s = sigmoid(xp, h)
        return s * (1 + h * (1 - s))

    pieces = _bump(lambda xp, h: h * sigmoid(xp, h), slope, 2.3993572805154677, 40.0)
    return ScalarFunction("Silu", pieces, by_input=2.0**-18)


def gelu(*, tanh: bool = False) -> ScalarFunction:
    """h times the normal distribution's share below h, or with `tanh` the usual approximation of it."""
    if tanh:
        pieces = _bump(_tanh_gelu, _tanh_gelu_slope, 1.4185040087908284, 9.0)
    else:
        pieces = _bump(_gelu, _gelu_slope, math.sqrt(2.0), 12.0)
    return ScalarFunction("Gelu", pieces, by_input=2.0**-18, options=(("tanh", float(tanh)),))


def _normal(xp: Any, h: Any) -> Any:
    """The normal distribution's share below h."""
    return (1 + erf(xp, h * math.sqrt(0.5))) * 0.5


def _gelu(xp: Any, h: Any) -> Any:
    return h * _normal(xp, h)


def _gelu_slope(xp: Any, h: Any) -> Any:
    return _normal(xp, h) + h * xp.exp(h * h * -0.5) * (1.0 / math.sqrt(2.0 * math.pi))


_CUBIC, _RATE = 0.044715, math.sqrt(2.0 / math.pi)


def _tanh_gelu(xp: Any, h: Any) -> Any:
    return h * 0.5 * (1 + xp.tanh(_RATE * (h + _CUBIC * h * h * h)))


def _tanh_gelu_slope(xp: Any, h: Any) -> Any:
    t = xp.tanh(_RATE * (h + _CUBIC * h * h * h))
    return 0.5 * (1 + t) + 0.5 * h * (1 - t * t) * _RATE * (1 + 3 * _CUBIC * h * h)


def _bump(value: Curve, slope: Curve, turn: float, far: float) -> tuple[Piece, ...]:
    """A function that is convex between -turn and turn and concave outside; tables up to `far` say where its
    slopes are."""
    return (
        Piece(-math.inf, -turn, -1, value, slope, _table(slope, -far, -turn)),
        Piece(-turn, turn, 1, value, slope, _table(slope, -turn, turn)),
        Piece(turn, math.inf, -1, value, slope, _table(slope, turn, far)),
    )


def _table(slope: Curve, start: float, end: float) -> Curve:
    """The inverse of a monotone slope, by interpolation."""
    points = np.linspace(start, end, 4097)
    slopes = slope(np, points)
    if slopes[0] > slopes[-1]:
        points, slopes = points[::-1], slopes[::-1]
    slopes = np.maximum.accumulate(slopes)

    def at(xp: Any, k: Any) -> Any:
        if xp is np:
            return np.interp(k, slopes, points)
        grid, places = (xp.as_tensor(v.copy(), dtype=k.dtype, device=k.device) for v in (slopes, points))
        right = xp.searchsorted(grid, k.contiguous()).clip(1, len(grid) - 1)
        width = (grid[right] - grid[right - 1]).clip(min=1e-300)
        share = ((k - grid[right - 1]) / width).clip(0, 1)
        return places[right - 1] + share * (places[right] - places[right - 1])

    return at
