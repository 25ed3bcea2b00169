"""Properties of many cases, such as the hundred thousand of a learned index: decided in common batches.

Boxes of different cases stand side by side in one batch, each with the rows of its own regions. A region is
shut out of a box when one of its rows has a positive lower bound; boxes that are left are halved a few times.
What is then still open, and cases with more than boxes and rows, are for the engines that take one case at a
time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.nn.arrays import UNIT32, Array
from vouch.nn.bounds.backward import substitute
from vouch.nn.bounds.ball import SLACK
from vouch.nn.bounds.forward import analyse, fresh
from vouch.nn.bounds.model import LARGEST32, BoundModel
from vouch.nn.bounds.outputs import fed_box
from vouch.nn.property import Case
from vouch.nn.result import ViolatingInput
from vouch.nn.search.task import Clock, Judge

# From this many cases on they are put together.
MANY = 8
_TOGETHER = 1024
_ROUNDS = 12
# Boxes that are halved at once; with more, the cases are better looked at one by one.
_MOST = 100_000


@dataclass(slots=True)
class _Rows:
    """The rows of all regions of all cases, one below the other; `start` says where those of a case begin,
    and `region` numbers the regions within the case."""

    x: Array
    y: Array
    rhs: Array
    start: Array
    region: Array
    regions: Array


@dataclass(slots=True)
class _Boxes:
    lower: Array
    upper: Array
    case: Array

    def take(self, chosen: Any) -> _Boxes:
        return _Boxes(self.lower[chosen], self.upper[chosen], self.case[chosen])


class ManyCases:
    """`open` holds the numbers of the cases that are not proved; they shrink as `run` goes on."""

    def __init__(
        self,
        model: BoundModel,
        cases: Sequence[Case],
        judge: Judge,
        clock: Clock,
        report: Callable[[float], None],
    ) -> None:
        self.model, self.cases, self.judge, self.clock, self.report = model, cases, judge, clock, report
        plain = [case.ball is None and case.inputs is None and bool(case.regions) for case in cases]
        self.plain = np.flatnonzero(plain)
        self.open = set(range(len(cases)))
        self.boxes = 0

    def run(self) -> ViolatingInput | None:
        """Proves what it can; a confirmed violation where one turns up."""
        if len(self.plain) == 0:
            return None
        chosen = [self.cases[int(number)] for number in self.plain]
        rows, ends = _rows(chosen), [fed_box(self.model, case) for case in chosen]
        lower, upper = np.stack([low for low, _ in ends]), np.stack([high for _, high in ends])
        boxes = _Boxes(lower, upper, np.arange(len(ends)))
        for _ in range(_ROUNDS):
            found, boxes = self._round(boxes, rows)
            if found is not None or len(boxes.case) == 0 or self.clock.over:
                break
            if len(boxes.case) > _MOST:
                break
            boxes = _halved(boxes)
        left = set(self.plain[boxes.case].tolist())
        self.open -= set(self.plain.tolist()) - left
        return found

    def _round(self, boxes: _Boxes, rows: _Rows) -> tuple[ViolatingInput | None, _Boxes]:
        """What is left of the boxes."""
        kept = []
        for start in range(0, len(boxes.case), _TOGETHER):
            part = boxes.take(slice(start, start + _TOGETHER))
            if self.clock.over:
                kept.append(part)
                continue
            self.boxes += len(part.case)
            still = part.take(~self._clear(part, rows))
            found = self._tried(still, rows)
            if found is not None:
                return found, boxes
            kept.append(still)
            self.report(min(1.0, (start + len(part.case)) / len(boxes.case)))
        whole = _Boxes(*(np.concatenate([getattr(k, n) for k in kept]) for n in ("lower", "upper", "case")))
        return None, whole

    def _clear(self, boxes: _Boxes, rows: _Rows) -> Array:
        """Which boxes are free of all regions of their cases."""
        model, arrays = self.model, self.model.arrays
        lower, upper = arrays.array(boxes.lower), arrays.array(boxes.upper)
        known = analyse(model, lower, upper, fresh(model, len(boxes.case)), partial=True)
        which, box = _of(boxes.case, rows)
        place = arrays.indices(box)
        start = {model.output: arrays.array(rows.y[which])}
        a, c = substitute(model, start, place, known.noise, known.relaxed)
        slope, shift = arrays.numpy(a), arrays.numpy(c)
        reach = np.maximum(np.abs(boxes.lower), np.abs(boxes.upper))[box]
        x_row, rhs = rows.x[which], rows.rhs[which]
        # The network is fed x rounded to float32; the rows speak of x itself.
        unit = 2 * UNIT32 if model.arithmetic == "float32" else 2.0**-50
        size = (np.abs(rows.y[which]) * (arrays.numpy(known.size)[box] + 1.0)).sum(1) + np.abs(rhs)
        size += ((np.abs(slope) + np.abs(x_row)) * reach).sum(1) + np.abs(shift)
        whole = slope + x_row
        least = np.minimum(whole * boxes.lower[box], whole * boxes.upper[box]).sum(1)
        bound = least + shift - rhs - 2 * SLACK * size - unit * (np.abs(x_row) * reach).sum(1)
        shut = _any_of_region(bound > 0, which, box, rows, len(boxes.case))
        sure = ~arrays.numpy(known.undefined) if known.undefined is not None else np.ones(len(shut), bool)
        if model.arithmetic == "float32":
            sure &= arrays.numpy(known.height) < LARGEST32
        clear: Array = (shut >= rows.regions[boxes.case]) & sure
        return clear

    def _tried(self, boxes: _Boxes, rows: _Rows) -> ViolatingInput | None:
        """The middles of the boxes that are left, as counterexamples."""
        points = (boxes.lower + boxes.upper) * 0.5
        if len(points) == 0:
            return None
        values = self.model.arrays.numpy(self.model.run(self.model.arrays.array(points)))
        which, box = _of(boxes.case, rows)
        excess = (rows.x[which] * points[box]).sum(1) + (rows.y[which] * values[box]).sum(1) - rows.rhs[which]
        bad = _all_of_region(excess <= 0, which, box, rows, len(points))
        for number in np.flatnonzero(bad)[:64]:
            case = self.cases[int(self.plain[boxes.case[number]])]
            found = self.judge.confirm(case, points[number : number + 1])
            if found is not None:
                return found
        return None


def _rows(cases: Sequence[Case]) -> _Rows:
    parts = [rows for case in cases for rows in case.regions]
    counts = np.array([sum(max(1, rows.count) for rows in case.regions) for case in cases])
    region = [np.full(max(1, rows.count), n) for case in cases for n, rows in enumerate(case.regions)]
    return _Rows(
        np.concatenate([_some(rows.x_rows) for rows in parts]),
        np.concatenate([_some(rows.y_rows) for rows in parts]),
        np.concatenate([rows.rhs if rows.count else np.zeros(1) for rows in parts]),
        np.concatenate([[0], np.cumsum(counts)]),
        np.concatenate(region),
        np.array([len(case.regions) for case in cases]),
    )


def _some(rows: Array) -> Array:
    """A region without rows is everything: 0 <= 0."""
    return rows if len(rows) else np.zeros((1, rows.shape[1]))


def _of(case: Array, rows: _Rows) -> tuple[Array, Array]:
    """For each box, the numbers of its case's rows, and beside each the number of the box."""
    counts = rows.start[case + 1] - rows.start[case]
    box = np.repeat(np.arange(len(case)), counts)
    first = np.cumsum(counts) - counts
    return np.arange(len(box)) - np.repeat(first, counts) + np.repeat(rows.start[case], counts), box


def _keys(which: Array, box: Array, rows: _Rows) -> tuple[Array, int]:
    most = int(rows.regions.max()) + 1
    return box * most + rows.region[which], most


def _any_of_region(flags: Array, which: Array, box: Array, rows: _Rows, count: int) -> Array:
    """How many regions of each box have a row with its flag set."""
    keys, most = _keys(which, box, rows)
    met = np.zeros(count * most, dtype=bool)
    met[keys[flags]] = True
    total: Array = met.reshape(count, most).sum(1)
    return total


def _all_of_region(flags: Array, which: Array, box: Array, rows: _Rows, count: int) -> Array:
    """Which boxes have a region with every flag set."""
    keys, most = _keys(which, box, rows)
    there, broken = np.zeros(count * most, dtype=bool), np.zeros(count * most, dtype=bool)
    there[keys] = True
    broken[keys[~flags]] = True
    return np.asarray((there & ~broken).reshape(count, most).any(1))


def _halved(boxes: _Boxes) -> _Boxes:
    """Both halves of every box along its widest input; what has no width stays as it is."""
    axis, row = (boxes.upper - boxes.lower).argmax(1), np.arange(len(boxes.case))
    middle = (boxes.lower[row, axis] + boxes.upper[row, axis]) * 0.5
    first, second = boxes.take(row), boxes.take(row)
    first.upper[row, axis] = middle
    second.lower[row, axis] = middle
    return _Boxes(
        np.concatenate([first.lower, second.lower]),
        np.concatenate([first.upper, second.upper]),
        np.concatenate([first.case, second.case]),
    )
