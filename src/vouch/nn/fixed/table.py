"""Look-up tables for functions that are Lipschitz continuous piece by piece, with a proved error.

The sample count follows the theorem of the QNN paper (section 3.3): on a piece of length D with Lipschitz
constant c, N >= 1 + D c / eps samples at equal distances keep the error of rounding the argument to a sample
below eps. The distance of samples is a power of two, so that a shift finds the sample; N is at least the
theorem's. A sample's value is the function's, rounded to the format. What comes out is not taken on trust:
`Table.error` bounds the difference to the function at every number of the format, by interval arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from vouch.errors import VouchError
from vouch.nn.fixed.format import Format, Ints, Rounding, rounded_exact

# Samples of one table; more fit on no device that needs a table.
MOST_SAMPLES = 1 << 16
Ball: TypeAlias = Any  # flint.arb
_PRECISION = 128


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """The numbers from `first` on: y = entries[min((n - first + offset) >> shift, last)]."""

    first: int
    shift: int
    offset: int
    entries: Ints

    def look(self, numbers: Ints) -> Ints:
        places = (numbers - self.first + self.offset) >> self.shift
        return np.asarray(self.entries[np.clip(places, 0, len(self.entries) - 1)])


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Numbers from `firsts[i]` on have the value `entries[i]`, until the next one begins; ascending."""

    firsts: Ints
    entries: Ints

    @property
    def first(self) -> int:
        return int(self.firsts[0])

    def look(self, numbers: Ints) -> Ints:
        places = np.searchsorted(self.firsts, numbers, side="right") - 1
        return np.asarray(self.entries[np.maximum(places, 0)])


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """`segments` in ascending order; the first one also serves everything below it.

    `least` <= y - f(n) <= `most` for all numbers n of the format, y and n taken as reals. `kind` names the
    function where the engines know it by name; `increasing` says that a larger n never gives a smaller y.
    """

    kind: str
    segments: tuple[Segment | Steps, ...]
    least: float
    most: float
    increasing: bool

    @property
    def error(self) -> float:
        return max(-self.least, self.most)

    @property
    def samples(self) -> int:
        return sum(len(segment.entries) for segment in self.segments)

    def look(self, numbers: Ints) -> Ints:
        result = self.segments[0].look(numbers)
        for segment in self.segments[1:]:
            result = np.where(numbers >= segment.first, segment.look(numbers), result)
        return result


@dataclass(frozen=True, slots=True)
class TablePiece:
    """A function on [low, high), exact ends; None is infinite. `function` maps flint balls to flint balls and
    has the Lipschitz constant `constant` there. An infinite piece is one sample, at its finite end."""

    low: Fraction | None
    high: Fraction | None
    constant: Fraction
    function: Callable[[Ball], Ball] = field(compare=False)


@dataclass(frozen=True, slots=True)
class Exact:
    """A sample for every number of the format."""

    def __str__(self) -> str:
        return "exact"


@dataclass(frozen=True, slots=True)
class Lut:
    """Samples far enough apart for this error of rounding the argument."""

    epsilon: Fraction

    def __str__(self) -> str:
        return f"lut:{float(self.epsilon):g}"


@dataclass(frozen=True, slots=True, eq=False)
class GivenTable:
    """Tables of one's own: for `sigmoid` and `tanh` a function that makes the table for a format."""

    tables: Mapping[str, Callable[[Format], Table]]

    def __str__(self) -> str:
        return "given"


Activation: TypeAlias = Exact | Lut
# Where an exact table would be too large, and nothing was asked for.
FALLBACK = Lut(Fraction(1, 1000))


def activation_of(text: str | None) -> Activation | None:
    """`exact`, `lut:EPS`; None: exact where that has at most `MOST_SAMPLES`, else `FALLBACK`."""
    if text is None:
        return None
    if text == "exact":
        return Exact()
    if text.startswith("lut:"):
        try:
            epsilon = Fraction(text[4:])
        except (ValueError, ZeroDivisionError):
            epsilon = Fraction(0)
        if 0 < epsilon <= 1:
            return Lut(epsilon)
    raise VouchError(
        f"option --activation: {text!r} is neither exact nor lut:EPS with EPS above 0 and up to 1"
    )


def _sigmoid(x: Ball) -> Ball:
    return 1 / (1 + (-x).exp())


def _tanh(x: Ball) -> Ball:
    return x.tanh()


_STEEPEST = {"sigmoid": Fraction(1, 4), "tanh": Fraction(1)}
_FUNCTIONS: dict[str, Callable[[Ball], Ball]] = {"sigmoid": _sigmoid, "tanh": _tanh}


@lru_cache(maxsize=64)
def curve(kind: str, form: Format, wanted: Activation | None) -> Table:
    """The table of `sigmoid` or `tanh`: samples where the function moves, one on either side."""
    if wanted is None:
        try:
            return curve(kind, form, Exact())
        except VouchError:
            return curve(kind, form, FALLBACK)
    tail = Fraction(1, 1 << (form.fraction + 1)) if isinstance(wanted, Exact) else _coarse(wanted, form)
    reach = _reach(kind, tail, form)
    f = _FUNCTIONS[kind]
    pieces = (
        TablePiece(None, -reach, Fraction(0), f),
        TablePiece(-reach, reach, _STEEPEST[kind], f),
        TablePiece(reach, None, Fraction(0), f),
    )
    return tabulated(pieces, form, wanted, kind=kind, increasing=True)


def _coarse(wanted: Lut, form: Format) -> Fraction:
    return max(wanted.epsilon / 4, Fraction(1, 1 << (form.fraction + 1)))


def _reach(kind: str, tail: Fraction, form: Format) -> Fraction:
    """From here on the function is within `tail` of its limit: a number of the format, rounded outwards."""
    # 1 - sigmoid(u) < exp(-u) and 1 - tanh(u) < 2 exp(-2 u)
    size = -math.log(tail) if kind == "sigmoid" else (math.log(2) - math.log(tail)) / 2
    step = Fraction(1, 1 << min(form.fraction, 4))
    return math.ceil((size + 1e-9) / float(step)) * step


def tabulated(
    pieces: Sequence[TablePiece],
    form: Format,
    wanted: Activation,
    *,
    kind: str = "given",
    increasing: bool = False,
) -> Table:
    """The table of a function given by pieces that follow each other from minus to plus infinity."""
    _check(pieces)
    scale = 1 << form.fraction
    segments: list[Segment] = []
    errors: list[tuple[float, float]] = []
    with _precise():
        for piece in pieces:
            low = form.word.low if piece.low is None else math.ceil(piece.low * scale)
            high = form.word.high if piece.high is None else math.ceil(piece.high * scale) - 1
            low, high = max(low, form.word.low), min(high, form.word.high)
            if low > high:
                continue
            segment = _segment(piece, low, high, form, wanted)
            errors.append(_proved(piece, segment, high, form, increasing))
            segments.append(segment)
    sound = increasing and _is_increasing(segments)
    least, most = min(low for low, _ in errors), max(high for _, high in errors)
    return Table(kind, tuple(segments), least, most, sound)


def stepped(firsts: Sequence[int], values: Sequence[float], form: Format, kind: str) -> Table:
    """A table that somebody else made: `values[i]`, converted to the format, from the number `firsts[i]` on.
    Its error against the function `kind`, which increases, is proved like that of our own tables."""
    from flint import arb, ctx, fmpq

    order = np.array(firsts, dtype=np.int64)
    if len(order) != len(values) or not len(order) or (np.diff(order) <= 0).any():
        raise VouchError("a table needs a value for each step, and steps in ascending order")
    steps, worst, scale = Steps(order, form.convert(values)), _Worst(), 1 << form.fraction
    ends = [*(int(first) - 1 for first in order[1:]), form.word.high]
    with _precise():
        ctx.prec = _PRECISION
        for number, (last, entry) in enumerate(zip(ends, steps.entries.tolist(), strict=True)):
            first = form.word.low if number == 0 else int(order[number])
            for end in (first, last):
                worst.add(arb(fmpq(entry, scale)) - _FUNCTIONS[kind](arb(fmpq(end, scale))))
        ends_of_error = worst.ends()
    return Table(kind, (steps,), *ends_of_error, _is_increasing((steps,)))


def _check(pieces: Sequence[TablePiece]) -> None:
    ends = [piece.high for piece in pieces[:-1]] == [piece.low for piece in pieces[1:]]
    if (
        not pieces
        or pieces[0].low is not None
        or pieces[-1].high is not None
        or not ends
        or None in [piece.high for piece in pieces[:-1]]
    ):
        raise VouchError("the pieces of a function have to follow each other from minus to plus infinity")


def _segment(piece: TablePiece, low: int, high: int, form: Format, wanted: Activation) -> Segment:
    if piece.low is None or piece.high is None:
        at = high if piece.low is None else low
        return Segment(low, 62, 0, _samples(piece, np.array([at], dtype=np.int64), form))
    shift = _spacing(piece, form, wanted)
    nearest = form.rounding is Rounding.NEAREST and shift > 0
    count = ((high - low) >> shift) + (2 if nearest or (high - low) % (1 << shift) else 1)
    if count > MOST_SAMPLES:
        raise VouchError(
            f"a table of {count} samples for format {form} and {wanted} (at most {MOST_SAMPLES}): "
            "give --activation lut:EPS with a larger EPS"
        )
    numbers = np.minimum(low + (np.arange(count, dtype=np.int64) << shift), form.word.high)
    return Segment(low, shift, 1 << (shift - 1) if nearest else 0, _samples(piece, numbers, form))


def _spacing(piece: TablePiece, form: Format, wanted: Activation) -> int:
    """The exponent of the distance of samples: the largest that the theorem allows."""
    if isinstance(wanted, Exact):
        return 0
    assert piece.low is not None
    assert piece.high is not None
    if piece.constant == 0:
        widest = piece.high - piece.low
    else:
        widest = min(wanted.epsilon / piece.constant, piece.high - piece.low)
    ratio = widest * (1 << form.fraction)
    return max(0, (ratio.numerator // ratio.denominator).bit_length() - 1)


def _samples(piece: TablePiece, numbers: Ints, form: Format) -> Ints:
    """The function at numbers, rounded to the format exactly by its rule."""
    return np.array([_sample(piece.function, int(n), form) for n in numbers], dtype=np.int64)


def _sample(function: Callable[[Ball], Ball], number: int, form: Format) -> int:
    from flint import arb, ctx, fmpq

    at = fmpq(number, 1 << form.fraction)
    for precision in (64, _PRECISION, 512, 4096):
        ctx.prec = precision
        value = function(arb(at)) * (1 << form.fraction)
        found = _whole(value, form.rounding)
        if found is not None:
            return form.word.one(found)
    # The function seems to hit the border between two numbers, as sigmoid does at 0: the ball surrounds an
    # exact value, and the value itself is on the border.
    return form.word.one(rounded_exact(_simplest(value), form.rounding))


def _whole(value: Ball, rounding: Rounding) -> int | None:
    """The whole number that every value of a ball is rounded to; None where that is not one."""
    from flint import arb

    if rounding is Rounding.FLOOR:
        found = value.floor().unique_fmpz()
        return None if found is None else int(found)
    if not (value > 0 or value < 0):
        return 0 if abs(value) < 0.5 else None
    size = (abs(value) + arb(0.5)).floor().unique_fmpz()
    if size is None:
        return None
    return int(size) if value > 0 else -int(size)


def _simplest(value: Ball) -> Fraction:
    """The number with the least denominator among powers of two in a ball."""
    middle, radius = (Fraction(int(end.p), int(end.q)) for end in (value.mid().fmpq(), value.rad().fmpq()))
    for exponent in range(64):
        whole = math.ceil((middle - radius) * (1 << exponent))
        if whole <= (middle + radius) * (1 << exponent):
            return Fraction(whole, 1 << exponent)
    raise VouchError("a function given for a table cannot be computed precisely enough")


def _proved(
    piece: TablePiece, segment: Segment, high: int, form: Format, increasing: bool
) -> tuple[float, float]:
    """Bounds of entry - f over all numbers that a segment serves, by interval arithmetic.

    An increasing function takes its extremes at the ends; any other is within its Lipschitz constant times
    the distance of its value in the middle.
    """
    from flint import arb, ctx, fmpq

    ctx.prec = _PRECISION
    scale, worst = 1 << form.fraction, _Worst()
    f, constant = piece.function, arb(fmpq(piece.constant.numerator, piece.constant.denominator))
    for place, entry in enumerate(segment.entries.tolist()):
        start = max(segment.first, segment.first + (place << segment.shift) - segment.offset)
        stop = min(high, segment.first + ((place + 1) << segment.shift) - segment.offset - 1)
        if place == len(segment.entries) - 1:
            stop = high
        if start > stop:
            continue
        value = arb(fmpq(entry, scale))
        if start == stop or increasing:
            for end in {start, stop}:
                worst.add(value - f(arb(fmpq(end, scale))))
        else:
            middle, reach = arb(fmpq(start + stop, 2 * scale)), arb(fmpq(stop - start, 2 * scale))
            off = value - f(middle)
            worst.add(off - constant * reach)
            worst.add(off + constant * reach)
    return worst.ends()


class _Worst:
    """The hull of balls."""

    def __init__(self) -> None:
        from flint import arb

        self.low = self.high = arb(0)

    def add(self, off: Ball) -> None:
        if not off > self.low:
            self.low = off.lower()
        if not off < self.high:
            self.high = off.upper()

    def ends(self) -> tuple[float, float]:
        return -_above(-self.low), _above(self.high)


def _above(value: Ball) -> float:
    """A float64 that is not below."""
    middle = value.mid().fmpq()
    nearest = int(middle.p) / int(middle.q)
    return math.nextafter(nearest * (1 + 2.0**-50), math.inf) if nearest else 0.0


def _is_increasing(segments: Sequence[Segment | Steps]) -> bool:
    return bool((np.diff(np.concatenate([segment.entries for segment in segments])) >= 0).all())


class _precise:
    """Leaves flint's precision as it was."""

    def __enter__(self) -> None:
        from flint import ctx

        self.before = ctx.prec

    def __exit__(self, *_: object) -> None:
        from flint import ctx

        ctx.prec = self.before
