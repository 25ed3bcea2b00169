"""What is known of a node that is not linear: lines or planes below and above it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


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

    def cast(self, to: Callable[[Any], Any]) -> Relaxation:
        """The same with all numbers turned into others."""
        shift = None if self.low_shift is None else to(self.low_shift)
        return Relaxation(to(self.low_slope), shift, to(self.high_slope), to(self.high_shift), self.unstable)


@dataclass(slots=True)
class Planes:
    """A product x y lies between slope_left x + slope_right y + low_shift and the same with high_shift."""

    slope_left: Any
    slope_right: Any
    low_shift: Any
    high_shift: Any

    def take(self, chosen: Any) -> Planes:
        return Planes(
            self.slope_left[chosen],
            self.slope_right[chosen],
            self.low_shift[chosen],
            self.high_shift[chosen],
        )

    def cast(self, to: Callable[[Any], Any]) -> Planes:
        return Planes(to(self.slope_left), to(self.slope_right), to(self.low_shift), to(self.high_shift))


@dataclass(slots=True)
class Relaxed:
    """How one node is relaxed, an interval of its value, and where nothing is known because an argument may
    be outside of the function's domain (None: nowhere)."""

    lines: Any
    low: Any
    high: Any
    undefined: Any | None = None
