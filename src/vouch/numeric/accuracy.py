"""Which functions of the math library are enclosed, and what a C library is assumed to lose.

Loads nothing: every check of C code asks here, few need the enclosures themselves (`mathlib`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vouch.errors import VouchError
from vouch.numeric.emit import MathCall
from vouch.record import frozen_record
from vouch.smt.node import Term

if TYPE_CHECKING:
    from vouch.numeric.values import Floats

# Functions of one number that rise or fall throughout, and the others.
_CURVED = "exp exp2 expm1 log log2 log10 log1p asin acos atan sinh tanh asinh acosh atanh cbrt erf erfc"
_OTHERS = "cosh sin cos tan pow atan2 hypot"
ENCLOSED = frozenset(f"{_CURVED} {_OTHERS}".split())

# Units in the last place, above what each project states of its functions; the others are within 2.
_LOST = {
    "glibc": {"sinh": 3, "cosh": 3, "tanh": 3, "log10": 3, "cbrt": 4, "erfc": 6},
    "musl": {"sinh": 3, "cosh": 3, "tanh": 3, "log10": 3, "erfc": 6},
}
_USUAL = 2
# Functions that return numbers where C demands NaN: musl's acosh of numbers below 1.
_LOOSE = {("musl", "acosh")}


@dataclass(frozen=True, slots=True)
class Accuracy:
    """`library` is glibc, musl, or a number of ulps for every function."""

    library: str = "glibc"

    def __post_init__(self) -> None:
        if self.library not in _LOST and not (self.library.isdecimal() and len(self.library) < 7):
            raise VouchError(f"option --libm: {self.library} is none of glibc, musl, or a number of ulps")

    def ulps(self, base: str) -> int:
        if self.library.isdecimal():
            return int(self.library)
        return _LOST[self.library].get(base, _USUAL)

    def __str__(self) -> str:
        return f"{self.library} ulp" if self.library.isdecimal() else self.library

    def assumption(self, calls: Mapping[Term, MathCall]) -> str:
        names = sorted({call.name for call in calls.values()})
        stated = ", ".join(f"{name} within {self.ulps(base_of(name))} ulp" for name in names)
        return f"math library as accurate as {self}: {stated}"


GLIBC = Accuracy()


@frozen_record
class Library:
    """The results of a question that the math library gives, and how accurate it is."""

    calls: Mapping[Term, MathCall] = field(default_factory=dict)
    accuracy: Accuracy = GLIBC

    def enclosure(self, call: MathCall) -> Callable[..., Floats]:
        from vouch.numeric.mathlib import enclosure

        base = base_of(call.name)
        return enclosure(base, self.accuracy.ulps(base), loose=(self.accuracy.library, base) in _LOOSE)


def base_of(name: str) -> str:
    """The name without its suffix for float."""
    return name if name in ENCLOSED or not name.endswith("f") else name[:-1]


def covers(name: str) -> bool:
    """Is there an enclosure for that function?"""
    return base_of(name) in ENCLOSED
