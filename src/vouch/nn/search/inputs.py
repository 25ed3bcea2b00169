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
from typing import Any, Literal

import numpy as np

from vouch.nn.bounds.clear import RowTable, cleared
from vouch.nn.bounds.forward import analyse, fresh
from vouch.nn.bounds.model import BoundModel
from vouch.nn.bounds.outputs import fed_box
from vouch.nn.bounds.region import Unsafe, exclude
from vouch.nn.bounds.room import boxes_at_once
from vouch.nn.bounds.zonotope import propagate
from vouch.nn.property import Array, Case
from vouch.nn.search.boxes import BREADTH, Boxes, Left, left_of, popped, suspects, weights
from vouch.nn.search.outcome import Outcome
from vouch.nn.search.task import Clock, Judge, Probe

# Boxes narrower than this, relative to the whole, are not split any more: what is open there is within
# round-off of a violation.
_NARROW = {"real": 2.0**-40, "float32": 2.0**-22}
# Boxes with less than this share of the volume, for each free input, wait until all others are done, so
# that a spot where the property is barely kept does not hold up the search for a violation elsewhere.
_SMALL = 2.0**-10
_CHUNKS = 2
# With more regions than this to exclude, a round has fewer boxes.
_FEW_REGIONS = 8
# After so many boxes without an end in sight, a thorough search for a violation is worth its time.
_PROBE_AFTER = {"crown": 500, "zonotope": 6000}
# Boxes times neurons in a round of zonotopes.
_TOGETHER = 14_000


@dataclass(slots=True)
class _Step:
    """What became of one chunk: children in place of its boxes, and points that look like violations."""

    children: Boxes | None
    suspects: Any
    handled: float
    remaining: float
    stuck: int
    bound: float
    margin: float


class InputSearch:
    """One case. `report` is called after every round with the share proved.

    `domain` is how boxes are bounded: "crown" (back-substitution, which shrinks them too) or "zonotope" (one
    pass forwards, for pairs of networks over plain boxes: many more boxes in the same time). `start` has
    the boxes that are left of the case where another search went before.
    """

    def __init__(
        self,
        model: BoundModel,
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
        self.stack: list[Boxes] = []
        self.small: list[Boxes] = []
        self.boxes = self.stuck = self.rounds = 0
        self.open_volume = 1.0
        self.margin = np.inf

    def run(self) -> Outcome:
        root = self.arrays.array(self.root_lower[None, :]), self.arrays.array(self.root_upper[None, :])
        self.stack = [Boxes(*root, fresh(self.model, 1))]
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
                chunks = self._pop(oldest=self.rounds % BREADTH == 0)
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
            Boxes(low, high, fresh(self.model, len(low)))
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

    def _push(self, boxes: Boxes) -> None:
        small = self._shares(boxes.low, boxes.high) < self.small_share
        if not bool(small.any()):
            self.stack.append(boxes)
            return
        self.small.append(boxes.take(small))
        if not bool(small.all()):
            self.stack.append(boxes.take(~small))

    def _pop(self, oldest: bool) -> list[Boxes]:
        """The next boxes in chunks for the pool."""
        whole = popped(self.xp, self.stack, self.batch * _CHUNKS, oldest=oldest)
        return whole.pieces(_CHUNKS if len(whole) >= self.fewest else 1)

    def _step(self, boxes: Boxes) -> _Step:
        xp = self.xp
        seen = self._seen(boxes)
        points = suspects(self.model, self.regions, seen.points)
        handled = self._volume(boxes.low, boxes.high)
        still, lower, upper = seen.still, seen.low, seen.high
        margin = float(seen.bound[~still].min()) if bool((~still).any()) else np.inf
        if not bool(still.any()):
            return _Step(None, points, handled, 0.0, 0, np.inf, margin)
        narrow = still & ~((upper - lower) >= _NARROW[self.model.arithmetic] * self.width).any(1)
        stuck = int(narrow.sum())
        if stuck:
            points = xp.concatenate([points, (lower[narrow] + upper[narrow]) * 0.5])
        bound = float(seen.bound[still].min())
        go_on = still & ~narrow
        rest, score = Boxes(lower[go_on], upper[go_on], boxes.state.take(go_on)), seen.score[go_on]
        remaining = self._volume(rest.low, rest.high)
        children = self._halves(rest, score) if len(rest) else None
        return _Step(children, points, handled, remaining, stuck, bound, margin)

    def _seen_by_crown(self, boxes: Boxes) -> Left:
        known = boxes.low, boxes.high, boxes.state
        analysis = analyse(self.model, *known, ball=self.ball, partial=True, stop=self._late)
        return left_of(analysis, self.regions)

    def _seen_by_zonotopes(self, boxes: Boxes) -> Left:
        found = propagate(self.model, boxes.low, boxes.high, boxes.state)
        left = cleared(self.table, found, boxes.low, boxes.high)
        still = ~(left.margin > 0)
        score = left.blame / np.maximum(boxes.high - boxes.low, 1e-300)
        middle = (boxes.low[still] + boxes.high[still]) * 0.5
        points = np.concatenate([left.corner[still], middle])
        return Left(still, boxes.low, boxes.high, score, left.margin, points)

    def _halves(self, boxes: Boxes, score: Any) -> Boxes:
        """Both halves of every box, cut where the bound depends most on the input."""
        widths = boxes.high - boxes.low
        if self._seen == self._seen_by_zonotopes:  # what is to blame includes what keeps the ReLUs open
            weighted = self.xp.maximum(score * self.width, 0.0) * widths / self.width
        else:
            weighted = weights(self.xp, score, widths, self.width)
        axis = weighted.argmax(1)
        count = len(boxes)
        row = self.arrays.indices(np.arange(count))
        middle = (boxes.low[row, axis] + boxes.high[row, axis]) * 0.5
        halves = boxes.take(self.arrays.indices(np.arange(2 * count) // 2))
        halves.high[2 * row, axis] = middle
        halves.low[2 * row + 1, axis] = middle
        return halves

    def _shares(self, lower: Any, upper: Any) -> Any:
        """The part of the whole volume that each box has."""
        return self.xp.where(self.free > 0, (upper - lower) / self.width, 1.0).prod(1)

    def _volume(self, lower: Any, upper: Any) -> float:
        return float(self._shares(lower, upper).sum())
