"""Branch and bound over the input box, for networks with few inputs.

Boxes are handled in batches. A batch is analysed, cleared of the unsafe regions where bounds allow, shrunk
to what may still violate, and halved along the input that matters most. Batches go to a pool of threads in
rounds of fixed size, and results are merged in order, so the course of the search depends on neither timing
nor the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.nn.bounds.forward import State, analyse, fresh
from vouch.nn.bounds.model import Model
from vouch.nn.bounds.region import Region, exclude
from vouch.nn.property import Case
from vouch.nn.result import Counterexample
from vouch.nn.search.task import Clock, Judge

# Boxes narrower than this, relative to the whole, are not split any more.
_NARROW = 2.0**-40
_CHUNKS = 2


@dataclass(slots=True)
class Outcome:
    """`counterexample`, or how far the proof came: `proved` is 1.0 and `stuck` 0 when it is complete."""

    counterexample: Counterexample | None
    proved: float
    boxes: int
    stuck: int
    bound: float | None


@dataclass(slots=True)
class _Boxes:
    lower: Any
    upper: Any
    state: State

    def __len__(self) -> int:
        return len(self.lower)

    def take(self, chosen: Any) -> _Boxes:
        return _Boxes(self.lower[chosen], self.upper[chosen], self.state.take(chosen))


@dataclass(slots=True)
class _Step:
    """What became of one chunk: children in place of its boxes, and points that look like violations."""

    children: _Boxes | None
    suspects: Any
    handled: float
    remaining: float
    stuck: int
    bound: float


class InputSearch:
    """One case. `report` is called after every round with the share proved."""

    def __init__(
        self,
        model: Model,
        case: Case,
        judge: Judge,
        clock: Clock,
        *,
        jobs: int = 1,
        batch: int = 512,
        report: Callable[[float], None] | None = None,
    ) -> None:
        self.model, self.case, self.judge, self.clock = model, case, judge, clock
        self.jobs, self.batch, self.report = jobs, batch, report
        self.arrays, self.xp = model.arrays, model.arrays.xp
        self.regions = [Region.of(model, case, rows) for rows in case.regions]
        self.root_lower, self.root_upper = fed_box(model, case)
        width = np.where(self.root_upper > self.root_lower, self.root_upper - self.root_lower, 1.0)
        self.width = self.arrays.array(width)
        self.stack: list[_Boxes] = []
        self.boxes = self.stuck = 0
        self.open_volume = 1.0

    def run(self) -> Outcome:
        root = self.arrays.array(self.root_lower[None, :]), self.arrays.array(self.root_upper[None, :])
        self.stack = [_Boxes(*root, fresh(self.model, 1))]
        worst = None
        with ThreadPoolExecutor(self.jobs) as pool:
            while self.stack and not self.clock.over:
                chunks = self._pop()
                steps = list(pool.map(self._step, chunks)) if len(chunks) > 1 else [self._step(chunks[0])]
                for chunk, step in zip(chunks, steps, strict=True):
                    self.boxes += len(chunk)
                    self.stuck += step.stuck
                    self.open_volume += step.remaining - step.handled
                    if step.children is not None:
                        self.stack.append(step.children)
                worst = min(step.bound for step in steps)
                for step in steps:
                    found = self.judge.confirm(self.case, self.arrays.numpy(step.suspects))
                    if found is not None:
                        return Outcome(found, self.proved, self.boxes, self.stuck, None)
                if self.report is not None:
                    self.report(self.proved)
        return Outcome(None, self.proved, self.boxes, self.stuck, worst if self.stack or self.stuck else None)

    @property
    def proved(self) -> float:
        if not self.stack and not self.stuck:
            return 1.0
        return min(max(1.0 - self.open_volume, 0.0), 1.0 - 1e-12)

    def _pop(self) -> list[_Boxes]:
        """The next boxes, newest first, in chunks for the pool."""
        parts, count, wanted = [], 0, self.batch * _CHUNKS
        while self.stack and count < wanted:
            top = self.stack.pop()
            if count + len(top) > wanted:
                fits = wanted - count
                self.stack.append(top.take(slice(0, len(top) - fits)))
                top = top.take(slice(len(top) - fits, len(top)))
            parts.append(top)
            count += len(top)
        whole = _joined(self.xp, parts)
        pieces = _CHUNKS if count >= 64 else 1
        edges = [count * i // pieces for i in range(pieces + 1)]
        return [whole.take(slice(a, b)) for a, b in zip(edges, edges[1:], strict=False)]

    def _step(self, boxes: _Boxes) -> _Step:
        xp, arrays = self.xp, self.arrays
        analysis = analyse(self.model, boxes.lower, boxes.upper, boxes.state)
        suspects = self._suspects((boxes.lower + boxes.upper) * 0.5)
        shape = boxes.lower.shape
        lower, upper = arrays.full(shape, np.inf), arrays.full(shape, -np.inf)
        score, still = arrays.zeros(shape), arrays.zeros((shape[0],)) > 0
        bound = np.inf
        for region in self.regions:
            left = exclude(analysis, region)
            if len(left.index) == 0:
                continue
            at = left.index
            still[at] = True
            lower[at] = xp.minimum(lower[at], left.lower)
            upper[at] = xp.maximum(upper[at], left.upper)
            score[at] = score[at] + left.score
            bound = min(bound, float(left.bound.min()))
        handled = self._volume(boxes.lower, boxes.upper)
        if not bool(still.any()):
            return _Step(None, suspects, handled, 0.0, 0, bound)
        rest = _Boxes(lower[still], upper[still], boxes.state.take(still))
        narrow = (((rest.upper - rest.lower) / self.width) < _NARROW).all(1)
        stuck = int(narrow.sum())
        if stuck:
            suspects = xp.concatenate([suspects, ((rest.lower + rest.upper) * 0.5)[narrow]])
            keep = ~narrow
            rest, score = rest.take(keep), score[still][keep]
        else:
            score = score[still]
        remaining = self._volume(rest.lower, rest.upper)
        children = self._halves(rest, score) if len(rest) else None
        return _Step(children, suspects, handled, remaining, stuck, bound)

    def _halves(self, boxes: _Boxes, score: Any) -> _Boxes:
        """Both halves of every box, cut where the bound depends most on the input."""
        weighted = (score + 1e-9) * (boxes.upper - boxes.lower)
        axis = weighted.argmax(1)
        row = self.arrays.indices(np.arange(len(boxes)))
        middle = (boxes.lower[row, axis] + boxes.upper[row, axis]) * 0.5
        left_upper, right_lower = self.arrays.copy(boxes.upper), self.arrays.copy(boxes.lower)
        left_upper[row, axis] = middle
        right_lower[row, axis] = middle
        join = self.xp.concatenate
        state = State(
            join([boxes.state.low, boxes.state.low]),
            join([boxes.state.high, boxes.state.high]),
        )
        return _Boxes(join([boxes.lower, right_lower]), join([left_upper, boxes.upper]), state)

    def _suspects(self, points: Any) -> Any:
        """Those of the points that violate in float64."""
        values = self.model.run(points)
        bad = points[:, 0] != points[:, 0]
        for region in self.regions:
            excess = points @ region.x_rows.T + values @ region.y_rows.T - region.rhs
            bad |= (excess <= 0).all(1)
        return points[bad]

    def _volume(self, lower: Any, upper: Any) -> float:
        sides = (upper - lower) / self.width
        free = self.arrays.array((self.root_upper > self.root_lower) * 1.0)
        return float(self.xp.where(free > 0, sides, 1.0).prod(1).sum())


def fed_box(model: Model, case: Case) -> tuple[Any, Any]:
    """The box of what the network is fed: in float32, every real input is rounded first."""
    if model.arithmetic == "real":
        return case.lower, case.upper
    return (
        np.minimum(case.lower, case.lower.astype(np.float32).astype(np.float64)),
        np.maximum(case.upper, case.upper.astype(np.float32).astype(np.float64)),
    )


def _joined(xp: Any, parts: list[_Boxes]) -> _Boxes:
    if len(parts) == 1:
        part = parts[0]
        return part
    return _Boxes(
        xp.concatenate([part.lower for part in parts]),
        xp.concatenate([part.upper for part in parts]),
        State(
            xp.concatenate([part.state.low for part in parts]),
            xp.concatenate([part.state.high for part in parts]),
        ),
    )
