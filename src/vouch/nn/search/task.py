"""One question under way: the clock, the seed, and the judge of counterexamples."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from vouch.nn.property import Array, Case, Property
from vouch.nn.result import ViolatingInput

if TYPE_CHECKING:
    from vouch.nn.network import Network

# A thorough search for a violation, made once when a proof turns out not to be quick.
Probe: TypeAlias = Callable[[], ViolatingInput | None]


class Clock:
    """The time that is left. It goes on while the clock is sent to another process."""

    def __init__(self, seconds: float | None = None) -> None:
        self.started = time.monotonic()
        self.limit = float("inf") if seconds is None else seconds

    @property
    def endless(self) -> bool:
        return self.limit == float("inf")

    @property
    def spent(self) -> float:
        return time.monotonic() - self.started

    @property
    def left(self) -> float:
        return max(0.0, self.limit - self.spent)

    @property
    def over(self) -> bool:
        return self.left <= 0

    @property
    def half_over(self) -> bool:
        return self.spent > 0.5 * self.limit

    def share(self, part: float) -> Clock:
        """A part of what is left; all of it when there is no end."""
        return self if self.endless else Clock(part * self.left)

    def within(self, seconds: float) -> Clock:
        return Clock(min(self.left, seconds))


@dataclass(slots=True)
class Judge:
    """Confirms counterexamples: exact membership in the input set, replay in onnxruntime, exact region.

    A point that float64 takes for a violation but the runtime does not is counted in `rejected`.
    """

    network: Network
    prop: Property
    exact_reals: bool
    rejected: int = 0
    _seen: set[bytes] = field(default_factory=set)

    def confirm(self, case: Case, points: Array, limit: int = 16) -> ViolatingInput | None:
        """The first of the points that is a violation, moved to the nearest one the runtime can be given."""
        for point in case.tied(points[:limit]):
            for candidate in self._candidates(case, point):
                key = candidate.tobytes()
                if key in self._seen:
                    continue
                self._seen.add(key)
                output = self._violates(case, candidate)
                if output is not None:
                    return self._inside(case, candidate, output)
                self.rejected += 1
        return None

    def _inside(self, case: Case, point: Array, output: Array) -> ViolatingInput:
        """The violation, one float32 away from the faces of the box where it is still one: the decimals of a
        property are rounded when they are read, so a point on a face might be outside of the box by a
        digit."""
        moved = _off_the_faces(case, point)
        if not np.array_equal(moved, point):
            other = self._violates(case, moved)
            if other is not None:
                point, output = moved, other
        inner = (point > case.lower) & (point < case.upper)
        return ViolatingInput(point, output, tuple(map(_decimal, point, inner)))

    def _candidates(self, case: Case, point: Array) -> list[Array]:
        rounded = point.astype(np.float32).astype(np.float64)
        inward = np.clip(rounded, case.lower, case.upper)
        return [inward] if case.contains(inward) else [np.clip(point, case.lower, case.upper)]

    def _violates(self, case: Case, point: Array) -> Array | None:
        from vouch.nn.replay import replay

        if not case.contains(point):
            return None
        output: Array = replay(self.network, point[None, :])[0]
        if not np.isfinite(output).all() or not case.violated(point, output):
            return None
        if self.exact_reals and not self._holds_in_reals(case, point):
            return None
        return output

    def _holds_in_reals(self, case: Case, point: Array) -> bool:
        """The violation is certain for the ideal network too, not only for its float32 run."""
        from vouch.nn.bounds.forward import analyse, fresh
        from vouch.nn.bounds.model import model_of

        model = model_of(self.network, "real", logits=self.prop.order_only)
        if model.lowered.softmax:
            return True  # order-only properties, and the order of the logits is what was compared
        found = analyse(model, point[None, :], point[None, :], fresh(model, 1), "interval", partial=True)
        if found.undefined is not None and bool(found.undefined.any()):
            return False
        low, high = found.output_low[0], found.output_high[0]
        for region in case.regions:
            worst = np.maximum(region.y_rows * low, region.y_rows * high).sum(1)
            size = np.abs(region.y_rows) @ np.maximum(np.abs(low), np.abs(high)) + np.abs(region.rhs)
            slack = 2.0**-44 * (size + np.abs(region.x_rows) @ np.abs(point) + 1e-300)
            if np.all(worst + slack + region.x_rows @ point - region.rhs <= 0):
                return True
        return False


def _off_the_faces(case: Case, point: Array) -> Array:
    """The point with components on a face of the box moved to the next float32 inside, where there is one."""
    first, last = _above(case.lower), -_above(-case.upper)
    moved = np.where((point <= case.lower) & (first < case.upper), first, point)
    return np.where((moved >= case.upper) & (last > case.lower), last, moved)


def _above(values: Array) -> Array:
    """The next float32 above each value."""
    near = values.astype(np.float32)
    return np.where(near > values, near, np.nextafter(near, np.float32(np.inf))).astype(np.float64)


def _decimal(value: float, exact: bool) -> str:
    """All digits of a float; on a face of the box, the shortest decimal that is read as it."""
    number = float(value)
    return format(Decimal(number), "f") if exact else repr(number)
