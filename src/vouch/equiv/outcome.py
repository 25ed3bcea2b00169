"""What an engine hands back, and the budget it works under."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from vouch.verdict import Verdict

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Witness:
    """An input (exactly inside the region) and both outputs, on which the property is violated."""

    input: Array
    reference: Array
    test: Array
    replayed: bool


# Takes an input that looks like a violation; returns it confirmed, or None.
Confirm = Callable[[Array], Witness | None]
# A thorough search for a violation, made once when a proof turns out not to be quick.
Probe = Callable[[], Witness | None]


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """`bound` is a proved upper bound of the difference (for ε) or None. DIFFERENT has a `witness`,
    UNKNOWN a `reason`."""

    verdict: Verdict
    bound: float | None = None
    witness: Witness | None = None
    reason: str | None = None
    statistics: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Deadline:
    """A point in time after which work stops."""

    at: float

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        return cls(time.monotonic() + seconds if seconds is not None else float("inf"))

    @property
    def passed(self) -> bool:
        return time.monotonic() >= self.at

    @property
    def left(self) -> float:
        return max(0.0, self.at - time.monotonic())

    def share(self, part: float) -> Deadline:
        """A part of what is left; all of it when there is no end."""
        return self if self.at == float("inf") else Deadline(time.monotonic() + part * self.left)

    def within(self, seconds: float) -> Deadline:
        return Deadline(min(self.at, time.monotonic() + seconds))
