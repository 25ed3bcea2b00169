"""Proved ranges of all outputs over an input set, made narrower by splitting where they are widest.

In: a model and the cases of a region. Out: `OutputRanges`, what no input leaves and what some input reaches.
A ball or rows of the input set are left aside: the ranges are those of the boxes around them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vouch.errors import VouchError
from vouch.nn.bounds.backward import least_value, substitute
from vouch.nn.bounds.forward import Analysis, analyse, fresh
from vouch.nn.bounds.model import LARGEST32, BoundModel
from vouch.nn.bounds.outputs import fed_box
from vouch.nn.property import Array, Case
from vouch.nn.search.task import Clock

# Boxes that are looked at when there is no time limit.
_BOXES = 4096
# Boxes that are halved at once for each end of each output.
_EACH = 4
_TOGETHER = 256


@dataclass(frozen=True, slots=True)
class OutputRanges:
    """`low` and `high` hold for every input; `least` and `most` are values at inputs that were tried."""

    low: Array
    high: Array
    least: Array
    most: Array
    boxes: int
    seconds: float

    def to_json(self) -> dict[str, Any]:
        def pairs(low: Array, high: Array) -> list[list[float | None]]:
            ends = zip(low.tolist(), high.tolist(), strict=True)
            return [[v if np.isfinite(v) else None for v in pair] for pair in ends]

        return {
            "output_bounds": pairs(self.low, self.high),
            "reached": pairs(self.least, self.most),
            "boxes": self.boxes,
            "seconds": round(self.seconds, 4),
        }

    def plot(self, axes: Any = None) -> Any:
        """Bars for what is proved, darker ones for what is reached; returns matplotlib axes."""
        from vouch.nn.show import output_axes

        axes = output_axes(axes)
        place = np.arange(len(self.low))
        axes.bar(place, self.high - self.low, bottom=self.low, width=0.6, alpha=0.4, label="proved")
        axes.bar(place, self.most - self.least, bottom=self.least, width=0.3, alpha=0.9, label="reached")
        axes.legend()
        return axes

    def save_plot(self, path: Path) -> None:
        try:
            import matplotlib
        except ImportError:
            raise VouchError("plotting needs matplotlib (pip install 'vouch[plot]')") from None
        matplotlib.use("Agg")
        try:
            self.plot().figure.savefig(path, bbox_inches="tight")
        except (OSError, ValueError) as error:
            raise VouchError(f"{path}: {error}") from None


def proved_ranges(
    model: BoundModel,
    cases: Sequence[Case],
    clock: Clock,
    *,
    boxes: int | None = None,
    seed: int = 0,
    report: Callable[[float], None] | None = None,
    found: Callable[[OutputRanges], None] | None = None,
) -> OutputRanges:
    """Ranges over the union of the cases. They get narrower until `boxes` boxes were looked at or the time is
    up; without either, a few thousand boxes. `found` hears of those that are proved so far."""
    if not cases:
        raise VouchError("no input satisfies the constraints")
    most = boxes or (_BOXES if clock.endless else 1 << 30)
    work = _Work(model, cases, seed)
    while True:
        if found is not None:
            found(work.ranges(clock.spent))
        if work.looked >= most or clock.over or not work.halve():
            return work.ranges(clock.spent)
        if report is not None:
            report(min(0.999, work.looked / most if clock.endless else clock.spent / clock.limit))


class _Work:
    """The boxes now, and the range of every output in each of them."""

    def __init__(self, model: BoundModel, cases: Sequence[Case], seed: int) -> None:
        self.model, self.looked = model, 0
        ends = [fed_box(model, case) for case in cases]
        self.lower, self.upper = np.stack([a for a, _ in ends]), np.stack([b for _, b in ends])
        self.low, self.high, self.weight = self._ranges(self.lower, self.upper)
        rng = np.random.default_rng(seed)
        self.least = np.full(model.outputs, np.inf)
        self.most = -self.least
        for case in cases[:64]:
            shares = rng.random((64, len(case.lower)))
            shares[1::2] = np.round(shares[1::2])
            self._try(case.lower + shares * (case.upper - case.lower))

    def ranges(self, seconds: float) -> OutputRanges:
        return OutputRanges(
            self.low.min(0), self.high.max(0), self.least.copy(), self.most.copy(), self.looked, seconds
        )

    def _try(self, points: Array) -> None:
        values = self.model.arrays.numpy(self.model.run(self.model.arrays.array(points)))
        values = np.where(np.isfinite(values), values, np.nan)
        with np.errstate(all="ignore"):
            self.least = np.fmin(self.least, np.fmin.reduce(values, axis=0))
            self.most = np.fmax(self.most, np.fmax.reduce(values, axis=0))

    def _ranges(self, lower: Array, upper: Array) -> tuple[Array, Array, Array]:
        parts = [
            self._some(lower[start : start + _TOGETHER], upper[start : start + _TOGETHER])
            for start in range(0, len(lower), _TOGETHER)
        ]
        low, high, weight = (np.concatenate(part) for part in zip(*parts, strict=True))
        return low, high, weight

    def _some(self, lower: Array, upper: Array) -> tuple[Array, Array, Array]:
        """Lower and upper ends [boxes, outputs], and how strongly they depend on each input."""
        model, arrays = self.model, self.model.arrays
        count, outputs = len(lower), model.outputs
        self.looked += count
        box = arrays.array(lower), arrays.array(upper)
        known = analyse(model, *box, fresh(model, count), partial=True)
        units = np.vstack([np.eye(outputs), -np.eye(outputs)])
        rows = arrays.array(np.tile(units, (count, 1)))
        places = arrays.indices(np.repeat(np.arange(count), 2 * outputs))
        slope, shift = substitute(model, {model.output: rows}, places, known.noise, known.relaxed)
        found = arrays.numpy(least_value(arrays, slope, shift, places, *box)).reshape(count, 2, outputs)
        low = np.maximum(arrays.numpy(known.output_low), found[:, 0])
        high = np.minimum(arrays.numpy(known.output_high), -found[:, 1])
        lost = self._lost(known)[:, None]
        low, high = np.where(lost, -np.inf, low), np.where(lost, np.inf, high)
        weight = np.abs(arrays.numpy(slope)).reshape(count, 2 * outputs, -1).sum(1)
        return low, high, weight

    def _lost(self, known: Analysis) -> Array:
        """Boxes [boxes] of which nothing is proved: a function may leave its domain, or a float32 sum its
        range (bounds of real numbers say nothing about infinities)."""
        arrays = self.model.arrays
        lost = np.zeros(known.lower.shape[0], dtype=bool)
        if self.model.arithmetic == "float32":
            lost |= ~(arrays.numpy(known.height) < LARGEST32)
        return lost if known.undefined is None else lost | arrays.numpy(known.undefined).astype(bool)

    def halve(self) -> bool:
        """Halves the boxes that hold the ends where they are; False where no box has any width left."""
        chosen = set()
        for values in (self.low, -self.high):
            chosen.update(np.argsort(values, axis=0, kind="stable")[:_EACH].ravel().tolist())
        width = self.upper - self.lower
        wide = np.array(sorted(n for n in chosen if (width[n] > 1e-9).any()), dtype=np.int64)
        if len(wide) == 0:
            return False
        least = self.weight[wide].max(1, keepdims=True) * 0.01 + 1e-300
        axis = (np.maximum(self.weight[wide], least) * width[wide]).argmax(1)
        middle = (self.lower[wide, axis] + self.upper[wide, axis]) * 0.5
        lower, upper = np.repeat(self.lower[wide], 2, axis=0), np.repeat(self.upper[wide], 2, axis=0)
        row = np.arange(len(wide))
        upper[2 * row, axis] = middle
        lower[2 * row + 1, axis] = middle
        low, high, weight = self._ranges(lower, upper)
        # A half lies within the whole.
        low = np.maximum(low, np.repeat(self.low[wide], 2, axis=0))
        high = np.minimum(high, np.repeat(self.high[wide], 2, axis=0))
        self._try((lower + upper) * 0.5)
        rest = np.setdiff1d(np.arange(len(self.lower)), wide)
        self.lower, self.upper = (
            np.concatenate([self.lower[rest], lower]),
            np.concatenate([self.upper[rest], upper]),
        )
        self.low, self.high = np.concatenate([self.low[rest], low]), np.concatenate([self.high[rest], high])
        self.weight = np.concatenate([self.weight[rest], weight])
        return True
