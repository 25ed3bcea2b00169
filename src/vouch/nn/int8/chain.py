"""Functions of one number, step by step as a runtime computes them: float32 between two integers.

Every step is increasing, so a chain that ends in an integer is given by the thresholds at which it steps up.
The constants of a step are arrays with one entry for each element, or one for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, assert_never

import numpy as np

from vouch.errors import Unsupported
from vouch.nn.arrays import Array
from vouch.nn.fixed.format import Ints, Word

# Values up to which a chain is looked at one by one.
_ALL = 1 << 16
_UNIT = 2.0**-24


class LinkKind(Enum):
    """What a step does with a number x and its constants."""

    MINUS = auto()  # x - a, integers
    FLOAT = auto()  # the nearest float32
    TIMES = auto()  # x * a in float32
    OVER = auto()  # x / a in float32
    PLUS = auto()  # x + a in float32
    FUSED = auto()  # x * a + b, rounded once to float32
    PRODUCT = auto()  # a * b + x, rounded once
    CLIP = auto()  # at least a, at most b
    QUANTISE = auto()  # the nearest integer, ties to even, plus a, at least b and at most c
    QUANTISE_AWAY = auto()  # the same, ties away from zero
    FIXED = auto()  # x times a / 2^31, then times 2^b: two roundings, as TensorFlow Lite does it
    LIMIT = auto()  # plus a, at least b and at most c, integers


@dataclass(frozen=True, slots=True, eq=False)
class ChainStep:
    kind: LinkKind
    parts: tuple[Any, ...] = ()

    def apply(self, x: Any, parts: Sequence[Any]) -> Any:
        match self.kind:
            case LinkKind.MINUS:
                return x - parts[0]
            case LinkKind.FLOAT:
                return x.astype(np.float32)
            case LinkKind.TIMES:
                return x * parts[0]
            case LinkKind.OVER:
                return x / parts[0]
            case LinkKind.PLUS:
                return x + parts[0]
            case LinkKind.FUSED:
                return fused(x, *parts)
            case LinkKind.PRODUCT:
                return fused(parts[0], parts[1], x)
            case LinkKind.CLIP:
                return np.clip(x, parts[0], parts[1])
            case LinkKind.QUANTISE:
                return _limited(np.rint(x), *parts)
            case LinkKind.QUANTISE_AWAY:
                away = np.trunc(x)
                # Adding a half first would round twice.
                return _limited(away + np.sign(x) * (np.abs(x - away) >= 0.5), *parts)
            case LinkKind.FIXED:
                return multiplied(x, *parts)
            case LinkKind.LIMIT:
                return np.clip(x + parts[0], parts[1], parts[2])
            case _:
                assert_never(self.kind)


def fused(x: Any, factor: Any, addend: Any) -> Any:
    """x * factor + addend in float32 with one rounding. The product is exact in float64; the sum is rounded
    to odd there, so that rounding it to float32 is as if done at once."""
    product, other = np.asarray(x, dtype=np.float64) * factor, np.asarray(addend, dtype=np.float64)
    total = product + other
    back = total - product
    lost = (product - (total - back)) + (other - back)
    even = (np.asarray(total).view(np.int64) & 1) == 0
    odd = np.where((lost != 0) & even, np.nextafter(total, np.copysign(np.inf, lost)), total)
    return odd.astype(np.float32)


def _limited(whole: Any, zero: Any, low: Any, high: Any) -> Ints:
    """Whole float32 numbers of any size as integers low..high, moved by zero."""
    return np.asarray(np.clip(whole.astype(np.float64) + zero, low, high)).astype(np.int64)


def multiplied(x: Ints, multiplier: Any, shift: Any) -> Ints:
    """x times multiplier / 2^31 times 2^shift: a rounded high product (ties up, as the addition of a nudge
    and a truncating division do it), then a rounded right shift with ties away from zero."""
    left, right = np.maximum(shift, 0), np.maximum(-np.asarray(shift), 0)
    product = (x << left) * multiplier
    nudge = np.where(product >= 0, 1 << 30, 1 - (1 << 30))
    total = product + nudge
    high = np.where(total >= 0, total >> 31, -((-total) >> 31))
    mask = (np.int64(1) << right) - 1
    rest, limit = high & mask, (mask >> 1) + (high < 0)
    return np.asarray((high >> right) + (rest > limit))


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """Steps one after the other, for `size` elements."""

    size: int
    steps: tuple[ChainStep, ...] = ()

    def then(self, kind: LinkKind, *parts: Any) -> Chain:
        """One more step; each part is a number or has one entry for each element."""
        if kind in (LinkKind.TIMES, LinkKind.OVER) and not (np.asarray(parts[0]) > 0).all():
            raise Unsupported("a factor that is not positive between integers")
        return Chain(self.size, (*self.steps, ChainStep(kind, tuple(self._spread(part) for part in parts))))

    def _spread(self, part: Any) -> Any:
        flat = np.asarray(part)
        return np.broadcast_to(flat, (self.size,)) if flat.ndim <= 1 else flat.reshape(self.size)

    def rearranged(self, places: Ints) -> Chain:
        """The chain of elements `places`."""
        moved = (ChainStep(step.kind, tuple(part[places] for part in step.parts)) for step in self.steps)
        return Chain(len(places), tuple(moved))

    def uniform(self) -> bool:
        """Whether all elements have the same constants."""
        return all(bool((part == part[:1]).all()) for step in self.steps for part in step.parts)

    def __call__(self, x: Any) -> Any:
        """Values for rows x [batch, size]."""
        for step in self.steps:
            x = step.apply(x, step.parts)
        return x

    def groups(self) -> tuple[Ints, list[int]]:
        """The group of each element, all of a group having the same constants, and one element of each."""
        parts = [np.asarray(part, dtype=np.float64) for step in self.steps for part in step.parts]
        if not parts:
            return np.zeros(self.size, dtype=np.int64), [0]
        rows = np.stack(parts, axis=1)
        _, first, group = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        return np.asarray(group).reshape(-1).astype(np.int64), [int(i) for i in first]

    def at(self, elements: Sequence[int], x: Any) -> Any:
        """Values of some elements for x [elements, any]."""
        for step in self.steps:
            x = step.apply(x, [part[list(elements)][:, None] for part in step.parts])
        return x

    def thresholds(self, low: Ints, high: Ints, least: int, most: int) -> tuple[Ints, Ints]:
        """(group, thresholds) for numbers low..high of each element: the least number at which the chain is
        at least least + 1, …, most. What is always so has the least 32-bit integer, what is never so the
        number after the largest."""
        group, chosen = self.groups()
        count = len(chosen)
        first = np.full(count, np.iinfo(np.int64).max)
        last = np.full(count, np.iinfo(np.int64).min)
        np.minimum.at(first, group, low)
        np.maximum.at(last, group, high)
        levels = np.arange(least + 1, most + 1)[None, :]
        start = np.repeat(first[:, None], levels.shape[1], axis=1)
        end = np.repeat(last[:, None] + 1, levels.shape[1], axis=1)
        while bool((start < end).any()):
            middle = (start + end) >> 1
            reached = (self.at(chosen, np.minimum(middle, last[:, None])) >= levels) & (start < end)
            end = np.where(reached, middle, end)
            start = np.where(reached | (start >= end), start, middle + 1)
        start = np.where(start > last[:, None], Word(32).high + 1, start)
        return group, np.where(start <= first[:, None], Word(32).low, start)

    def lines(self, low: Ints, high: Ints) -> tuple[Array, Array, Array]:
        """(slope, shift, error) of each element: the chain is within error of slope x + shift for integers
        x of low..high."""
        group, chosen = self.groups()
        found = [self._line(i, int(low[group == n].min()), int(high[group == n].max()))
                 for n, i in enumerate(chosen)]  # fmt: skip
        slope, shift, error = (np.array(part, dtype=np.float64)[group] for part in zip(*found, strict=True))
        return slope, shift, error

    def _line(self, element: int, low: int, high: int) -> tuple[float, float, float]:
        if high - low > _ALL:
            return self._long_line(element, max(abs(low), abs(high)))
        x = np.arange(low, high + 1)
        y = self.at([element], x[None, :])[0].astype(np.float64)
        slope = float(y[-1] - y[0]) / max(1, high - low)
        off = y - slope * x
        middle, error = float(off.max() + off.min()) / 2, float(off.max() - off.min()) / 2
        size = float(np.abs(y).max()) + abs(slope) * float(np.abs(x).max()) + abs(middle)
        return slope, middle, error + 2.0**-48 * size

    def _long_line(self, element: int, largest: int) -> tuple[float, float, float]:
        """The same by the bounds of float32 rounding; `size` bounds what is computed."""
        slope, shift, error, size = 1.0, 0.0, 0.0, float(largest)
        for step in self.steps:
            a = float(step.parts[0][element]) if step.parts else 0.0
            match step.kind:
                case LinkKind.MINUS:
                    shift, size = shift - a, size + abs(a)
                    continue
                case LinkKind.PLUS:
                    shift, size = shift + a, size + abs(a)
                case LinkKind.TIMES:
                    slope, shift, error, size = slope * a, shift * a, error * a, size * a
                case LinkKind.OVER:
                    slope, shift, error, size = slope / a, shift / a, error / a, size / a
                case LinkKind.FLOAT:
                    pass
                case _:
                    raise Unsupported("an output that is clipped in float32")
            error += 1.01 * _UNIT * (size + error) + 2.0**-140
        return slope, shift, error + 2.0**-48 * size
