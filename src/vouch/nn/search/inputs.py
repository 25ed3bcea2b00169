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
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from vouch.nn.bounds.clear import RowTable, cleared
from vouch.nn.bounds.forward import State, analyse, fresh
from vouch.nn.bounds.model import Model
from vouch.nn.bounds.outputs import fed_box
from vouch.nn.bounds.region import Unsafe, exclude
from vouch.nn.bounds.room import boxes_at_once
from vouch.nn.bounds.zonotope import propagate
from vouch.nn.property import Array, Case
from vouch.nn.search.outcome import Outcome
from vouch.nn.search.task import Clock, Judge, Probe

# Boxes narrower than this, relative to the whole, are not split any more: what is open there is within
# round-off of a violation.
_NARROW = {"real": 2.0**-40, "float32": 2.0**-22}
# Boxes with less than this share of the volume, for each free input, wait until all others are done, so
# that a spot where the property is barely kept does not hold up the search for a violation elsewhere.
_SMALL = 2.0**-10
_CHUNKS = 2
# Every so many rounds the boxes that have waited longest come first: depth saves memory, but may stay for
# long where the property is barely kept while a violation lies elsewhere.
_BREADTH = 4
_LEAST = 0.01
# With more regions than this to exclude, a round has fewer boxes.
_FEW_REGIONS = 8
# After so many boxes without an end in sight, a thorough search for a violation is worth its time.
_PROBE_AFTER = {"crown": 500, "zonotope": 6000}
# Boxes times neurons in a round of zonotopes.
_TOGETHER = 14_000


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
    margin: float


@dataclass(slots=True)
class _Seen:
    """Boxes after a look at them: which may `still` meet a region, what is left of those, how much each input
    matters, the least bound of any region, and points to try."""

    still: Any
    lower: Any
    upper: Any
    score: Any
    bound: Any
    points: Any


class InputSearch:
    """One case. `report` is called after every round with the share proved.

    `domain` is how boxes are bounded: "crown" (back-substitution, which shrinks them too) or "zonotope" (one
    pass forwards, for pairs of networks over plain boxes: many more boxes in the same time). `start` has
    the boxes that are left of the case where another search went before.
    """

    def __init__(
        self,
        model: Model,
        case: Case,
        judge: Judge,
        clock: Clock,
        *,
        jobs: int = 1,
        batch: int = 512,
        domain: Literal["crown", "zonotope"] = "crown",
        probe: Probe | None = None,
        report: Callable[[float], None] | None = None,
        start: tuple[Array, Array] | None = None,
    ) -> None:
        self.start = start
        self.model, self.case, self.judge, self.clock = model, case, judge, clock
        self.jobs, self.batch, self.probe, self.report = jobs, batch, probe, report
        self.arrays, self.xp = model.arrays, model.arrays.xp
        self.regions = [Unsafe.of(model, case, rows) for rows in case.regions]
        self.ball = self.regions[0].ball if self.regions else None
        self.root_lower, self.root_upper = fed_box(model, case)
        plain = domain == "zonotope" and case.ball is None and case.inputs is None
        plain = plain and model.arrays.device is None
        self._seen = self._seen_by_zonotopes if plain and self.regions else self._seen_by_crown
        self.fewest = 32 if plain else 64
        self.probe_after = _PROBE_AFTER["zonotope" if plain else "crown"]
        width = np.where(self.root_upper > self.root_lower, self.root_upper - self.root_lower, 1.0)
        self.width = self.arrays.array(width)
        free = self.root_upper > self.root_lower
        self.free = self.arrays.array(free * 1.0)
        self.small_share = _SMALL ** int(free.sum())
        self.stack: list[_Boxes] = []
        self.small: list[_Boxes] = []
        self.boxes = self.stuck = self.rounds = 0
        self.open_volume = 1.0
        self.margin = np.inf

    def run(self) -> Outcome:
        root = self.arrays.array(self.root_lower[None, :]), self.arrays.array(self.root_upper[None, :])
        self.stack = [_Boxes(*root, fresh(self.model, 1))]
        if self.start is not None:
            self._begin(*self.start)
        zonotopes = self._seen == self._seen_by_zonotopes
        if len(self.regions) > 1 and not zonotopes:
            # What is clear of a region as a whole is clear of it in every part.
            known = *root, fresh(self.model, 1)
            analysis = analyse(self.model, *known, ball=self.ball, partial=True, stop=self._late)
            self.regions = [
                region for region in self.regions if self.clock.over or len(exclude(analysis, region).index)
            ]
        # A round has to end in good time: the clock is looked at in between.
        self.batch = max(32, self.batch * _FEW_REGIONS // max(_FEW_REGIONS, len(self.regions)))
        if zonotopes:
            self.table = RowTable.of(self.regions)
            # Few enough to stay in the cache, and to be alike: every box pays for the symbols of the worst.
            self.batch = _CHUNKS * int(np.clip(_TOGETHER // max(self.model.neurons, 1), 16, 256))
        self.batch = boxes_at_once(self.model, self.batch)
        worst = None
        with ThreadPoolExecutor(self.jobs) as pool:
            while (self.stack or self.small) and not self.clock.over:
                if not self.stack:
                    self.stack, self.small = self.small, []
                self.rounds += 1
                chunks = self._pop(oldest=self.rounds % _BREADTH == 0)
                steps = list(pool.map(self._step, chunks)) if len(chunks) > 1 else [self._step(chunks[0])]
                for chunk, step in zip(chunks, steps, strict=True):
                    self.boxes += len(chunk)
                    self.stuck += step.stuck
                    self.margin = min(self.margin, step.margin)
                    self.open_volume += step.remaining - step.handled
                    if step.children is not None:
                        self._push(step.children)
                worst = min(step.bound for step in steps)
                for step in steps:
                    found = self.judge.confirm(self.case, self.arrays.numpy(step.suspects))
                    if found is not None:
                        return Outcome(found, self.proved, self.boxes, self.stuck, None)
                if self.probe is not None and self.boxes >= self.probe_after:
                    found, self.probe = self.probe(), None
                    if found is not None:
                        return Outcome(found, self.proved, self.boxes, self.stuck, None)
                if self.report is not None:
                    self.report(self.proved)
        if self.unfinished:
            return Outcome(None, self.proved, self.boxes, self.stuck, worst)
        return Outcome(None, 1.0, self.boxes, 0, self.margin if self.margin > 0 else None)

    def _begin(self, lower: Array, upper: Array) -> None:
        """Starts with parts of the box; all the rest is proved."""
        boxes = self.arrays.array(lower), self.arrays.array(upper)
        parts = range(0, len(lower), self.batch)
        self.stack = [
            _Boxes(low, high, fresh(self.model, len(low)))
            for low, high in (tuple(end[n : n + self.batch] for end in boxes) for n in parts)
        ]
        self.open_volume = self._volume(*boxes)

    @property
    def unfinished(self) -> bool:
        return bool(self.stack or self.small or self.stuck)

    @property
    def proved(self) -> float:
        if not self.unfinished:
            return 1.0
        return min(max(1.0 - self.open_volume, 0.0), 1.0 - 1e-12)

    def _late(self) -> bool:
        return self.clock.over

    def _push(self, boxes: _Boxes) -> None:
        small = self._shares(boxes.lower, boxes.upper) < self.small_share
        if not bool(small.any()):
            self.stack.append(boxes)
            return
        self.small.append(boxes.take(small))
        if not bool(small.all()):
            self.stack.append(boxes.take(~small))

    def _pop(self, oldest: bool) -> list[_Boxes]:
        """The next boxes in chunks for the pool: the newest ones, or those that have waited longest."""
        parts, count, wanted = [], 0, self.batch * _CHUNKS
        while self.stack and count < wanted:
            top = self.stack.pop(0 if oldest else -1)
            if count + len(top) > wanted:
                fits = wanted - count
                self.stack.insert(0 if oldest else len(self.stack), top.take(slice(0, len(top) - fits)))
                top = top.take(slice(len(top) - fits, len(top)))
            parts.append(top)
            count += len(top)
        whole = _joined(self.xp, parts)
        pieces = _CHUNKS if count >= self.fewest else 1
        edges = [count * i // pieces for i in range(pieces + 1)]
        return [whole.take(slice(a, b)) for a, b in pairwise(edges)]

    def _step(self, boxes: _Boxes) -> _Step:
        xp = self.xp
        seen = self._seen(boxes)
        suspects = self._suspects(seen.points)
        handled = self._volume(boxes.lower, boxes.upper)
        still, lower, upper = seen.still, seen.lower, seen.upper
        margin = float(seen.bound[~still].min()) if bool((~still).any()) else np.inf
        if not bool(still.any()):
            return _Step(None, suspects, handled, 0.0, 0, np.inf, margin)
        narrow = still & ~((upper - lower) >= _NARROW[self.model.arithmetic] * self.width).any(1)
        stuck = int(narrow.sum())
        if stuck:
            suspects = xp.concatenate([suspects, (lower[narrow] + upper[narrow]) * 0.5])
        bound = float(seen.bound[still].min())
        go_on = still & ~narrow
        rest, score = _Boxes(lower[go_on], upper[go_on], boxes.state.take(go_on)), seen.score[go_on]
        remaining = self._volume(rest.lower, rest.upper)
        children = self._halves(rest, score) if len(rest) else None
        return _Step(children, suspects, handled, remaining, stuck, bound, margin)

    def _seen_by_crown(self, boxes: _Boxes) -> _Seen:
        xp, arrays = self.xp, self.arrays
        known = boxes.lower, boxes.upper, boxes.state
        analysis = analyse(self.model, *known, ball=self.ball, partial=True, stop=self._late)
        points = [(boxes.lower + boxes.upper) * 0.5]
        shape = boxes.lower.shape
        lower, upper = arrays.full(shape, np.inf), arrays.full(shape, -np.inf)
        score, still = arrays.zeros(shape), arrays.zeros((shape[0],)) > 0
        # How far a region that was left is left behind is not worth finding out.
        bound = arrays.zeros((shape[0],))
        for region in self.regions:
            left = exclude(analysis, region)
            if len(left.index) == 0:
                continue
            at = left.index
            still[at] = True
            lower[at] = xp.minimum(lower[at], left.lower)
            upper[at] = xp.maximum(upper[at], left.upper)
            score[at] = score[at] + left.score
            bound[at] = xp.minimum(bound[at], left.bound)
            points.append(left.corner)
        return _Seen(still, lower, upper, score, bound, xp.concatenate(points))

    def _seen_by_zonotopes(self, boxes: _Boxes) -> _Seen:
        found = propagate(self.model, boxes.lower, boxes.upper, boxes.state)
        left = cleared(self.table, found, boxes.lower, boxes.upper)
        still = ~(left.margin > 0)
        score = left.blame / np.maximum(boxes.upper - boxes.lower, 1e-300)
        middle = (boxes.lower[still] + boxes.upper[still]) * 0.5
        points = np.concatenate([left.corner[still], middle])
        return _Seen(still, boxes.lower, boxes.upper, score, left.margin, points)

    def _halves(self, boxes: _Boxes, score: Any) -> _Boxes:
        """Both halves of every box, cut where the bound depends most on the input."""
        # The bound may hardly depend on an input whose width is what keeps the ReLUs open, so no input
        # counts for less than a share of the strongest.
        least = (self.xp.amax(score * self.width, 1) * _LEAST + 1e-300)[:, None]
        if self._seen == self._seen_by_zonotopes:  # what is to blame includes that already
            least = 0.0
        weighted = self.xp.maximum(score * self.width, least) * (boxes.upper - boxes.lower) / self.width
        axis = weighted.argmax(1)
        count = len(boxes)
        row = self.arrays.indices(np.arange(count))
        middle = (boxes.lower[row, axis] + boxes.upper[row, axis]) * 0.5
        halves = boxes.take(self.arrays.indices(np.arange(2 * count) // 2))
        halves.upper[2 * row, axis] = middle
        halves.lower[2 * row + 1, axis] = middle
        return halves

    def _suspects(self, points: Any) -> Any:
        """Those of the points that violate in float64."""
        values = self.model.run(points)
        bad = points[:, 0] != points[:, 0]
        for region in self.regions:
            excess = points @ region.x_rows.T + values @ region.y_rows.T - region.rhs
            bad |= (excess <= 0).all(1)
        return points[bad]

    def _shares(self, lower: Any, upper: Any) -> Any:
        """The part of the whole volume that each box has."""
        return self.xp.where(self.free > 0, (upper - lower) / self.width, 1.0).prod(1)

    def _volume(self, lower: Any, upper: Any) -> float:
        return float(self._shares(lower, upper).sum())


def _joined(xp: Any, parts: list[_Boxes]) -> _Boxes:
    if len(parts) == 1:
        return parts[0]
    return _Boxes(
        xp.concatenate([part.lower for part in parts]),
        xp.concatenate([part.upper for part in parts]),
        State(
            xp.concatenate([part.state.low for part in parts]),
            xp.concatenate([part.state.high for part in parts]),
        ),
    )
