"""Branch and bound over input boxes, for networks with few inputs.

Many boxes are bounded at once with joint forms. A box that is not proved is halved along the input that is
to blame for most of the looseness, directly or through the ReLUs that had to be relaxed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vouch.equiv import neurons
from vouch.equiv.forms import Array, Cells
from vouch.equiv.margins import Assessment, assess, joint
from vouch.equiv.outcome import Confirm, Finding, Probe, Witness
from vouch.equiv.pair import Pair
from vouch.equiv.property import Epsilon, Property
from vouch.equiv.region import Region
from vouch.equiv.team import ALONE_ONLY, Team
from vouch.nn.search.task import Clock
from vouch.verdict import Verdict

# A box is given up when it is this much smaller than the region in every direction that matters.
SMALLEST = 2.0**-40
# After so many boxes without an end in sight, a thorough search for a violation is worth its time.
PROBE_AFTER = 6000
# From then on, boxes with so few relaxed neurons are settled by splitting those, within so many programs.
FEW_NEURONS = 8
PROGRAMS = 40


@dataclass(slots=True)
class _Queue:
    """Boxes still open. Deepest first, or loosest first when the bound itself is wanted."""

    lower: Array
    upper: Array
    bound: Array
    loosest_first: bool = False
    closed: float = -np.inf
    boxes: int = 0

    def take(self, count: int) -> tuple[Array, Array]:
        if self.loosest_first and len(self.bound) > count:
            order = np.argpartition(self.bound, len(self.bound) - count)
            self.lower, self.upper, self.bound = self.lower[order], self.upper[order], self.bound[order]
        lower, upper = self.lower[-count:], self.upper[-count:]
        self.lower, self.upper = self.lower[:-count], self.upper[:-count]
        self.bound = self.bound[:-count]
        self.boxes += len(lower)
        return lower, upper

    def put(self, lower: Array, upper: Array, bound: Array) -> None:
        self.lower = np.concatenate([self.lower, lower])
        self.upper = np.concatenate([self.upper, upper])
        self.bound = np.concatenate([self.bound, bound])

    def loosest(self) -> float:
        return float(max(self.closed, self.bound.max(initial=-np.inf)))


def _start(region: Region, loosest_first: bool = False) -> _Queue:
    return _Queue(region.lower[None, :], region.upper[None, :], np.array([np.inf]), loosest_first)


@dataclass(slots=True)
class BoxSearch:
    """Decides one property. `probe` is a thorough search for a violation, made once if it takes long."""

    pair: Pair
    region: Region
    prop: Property
    confirm: Confirm
    unit: float
    probe: Probe | None
    queue: _Queue
    stuck: bool = False
    witness: Witness | None = None

    @property
    def is_open(self) -> bool:
        return len(self.queue.lower) > 0

    def run(self, until: Clock) -> None:
        width = _batch(self.pair)
        while self.is_open and self.witness is None and not until.over:
            self._step(width, until)

    def _step(self, width: int, until: Clock) -> None:
        queue = self.queue
        lower, upper = queue.take(width)
        report = _bounded(self.pair, self.region, self.prop, lower, upper, self.unit)
        self.witness = _refute(self.pair, self.region, self.prop, report, lower, upper, self.confirm)
        if queue.boxes >= PROBE_AFTER:
            if self.witness is None and self.probe is not None:
                self.witness, self.probe = self.probe(), None
            if self.witness is None:
                report = self._finished(report, lower, upper, until)
        queue.closed = max(queue.closed, float(report.bound[report.proved].max(initial=-np.inf)))
        self.stuck |= _split(queue, report, lower, upper, self.region)

    def _finished(self, report: Assessment, lower: Array, upper: Array, until: Clock) -> Assessment:
        """Settle the simple ones of the open boxes exactly; halving them would take long near the limit."""
        proved, bound = report.proved.copy(), report.bound.copy()
        for index in np.flatnonzero(~proved & (report.relaxed <= FEW_NEURONS)):
            if until.over:
                break
            part = replace(self.region, lower=lower[index], upper=upper[index])
            outcome = neurons.prove(
                self.pair, part, self.prop, self.confirm, until, unit=self.unit, limit=PROGRAMS
            )
            self.witness = self.witness or outcome.witness
            if outcome.verdict is Verdict.EQUIVALENT:
                proved[index] = True
                bound[index] = outcome.bound if outcome.bound is not None else bound[index]
        return replace(report, proved=proved, bound=bound)

    def divided(self, parts: int) -> list[BoxSearch]:
        """Every part gets boxes of all depths; the first one probes."""
        queue = self.queue
        return [
            replace(
                self,
                probe=self.probe if k == 0 else None,
                queue=replace(
                    queue,
                    lower=queue.lower[k::parts],
                    upper=queue.upper[k::parts],
                    bound=queue.bound[k::parts],
                ),
            )
            for k in range(min(parts, len(queue.lower)))
        ]

    def left(self) -> tuple[_Queue, bool, bool]:
        return self.queue, self.stuck, self.probe is not None

    def merge(self, lefts: list[tuple[_Queue, bool, bool]]) -> None:
        before = self.queue
        self.queue = replace(before, lower=before.lower[:0], upper=before.upper[:0], bound=before.bound[:0])
        for queue, stuck, _ in lefts:
            self.queue.put(queue.lower, queue.upper, queue.bound)
            self.queue.closed = max(self.queue.closed, queue.closed)
            self.queue.boxes += queue.boxes - before.boxes
            self.stuck |= stuck
        if not any(to_probe for _, _, to_probe in lefts):
            self.probe = None


def prove(
    pair: Pair,
    region: Region,
    prop: Property,
    confirm: Confirm,
    clock: Clock,
    *,
    unit: float = 0.0,
    probe: Probe | None = None,
    team: Team = ALONE_ONLY,
) -> Finding:
    """Decide the property by splitting inputs."""
    search = BoxSearch(pair, region, prop, confirm, unit, probe, _start(region))
    team.finish(search, clock)
    statistics = {"boxes": float(search.queue.boxes)}
    if search.witness is not None:
        return Finding(Verdict.DIFFERENT, witness=search.witness, statistics=statistics)
    if search.is_open:
        return Finding(Verdict.TIMEOUT, statistics=statistics)
    if search.stuck:
        return Finding(
            Verdict.UNKNOWN, reason="some boxes cannot be split further in float64", statistics=statistics
        )
    bound = search.queue.closed if isinstance(prop, Epsilon) else None
    return Finding(Verdict.EQUIVALENT, bound=bound, statistics=statistics)


def smallest_bound(
    pair: Pair, region: Region, norm: str, clock: Clock, *, unit: float = 0.0, target: float = 0.0
) -> tuple[float, int]:
    """The smallest difference that can be proved before the clock (or `target`), and the number of boxes
    it took: always the loosest box is refined."""
    prop = Epsilon(target, "l1" if norm == "l1" else "linf")
    queue = _start(region, loosest_first=True)
    width = _batch(pair)
    while len(queue.lower) and not clock.over:
        lower, upper = queue.take(width)
        report = _bounded(pair, region, prop, lower, upper, unit)
        queue.closed = max(queue.closed, float(report.bound[report.proved].max(initial=-np.inf)))
        _split(queue, report, lower, upper, region)
    return queue.loosest(), queue.boxes


def _batch(pair: Pair) -> int:
    """Boxes per batch: enough to keep numpy busy, few enough to stay in the cache and to be alike (every
    neuron that is open in one box costs all of them a symbol)."""
    neurons = sum(pair.reference.widths) + sum(pair.test.widths)
    return int(np.clip(12_000 // max(neurons, 1), 16, 256))


def _bounded(
    pair: Pair, region: Region, prop: Property, lower: Array, upper: Array, unit: float
) -> Assessment:
    cells = Cells.of(lower, upper, region)
    return assess(prop, joint(pair, cells, unit=unit, keep_blame=True, related=pair.related))


def _refute(
    pair: Pair,
    region: Region,
    prop: Property,
    report: Assessment,
    lower: Array,
    upper: Array,
    confirm: Confirm,
) -> Witness | None:
    """Try the most suspicious input and the middle of every open box."""
    is_open = ~report.proved
    if not is_open.any():
        return None
    points = np.concatenate([report.worst[is_open], (lower[is_open] + upper[is_open]) / 2])
    points = points[region.inside(points)]
    if not len(points):
        return None
    r, t = pair.reference.evaluate(points), pair.test.evaluate(points)
    score = prop.excess(r, t)
    for index in np.argsort(-score)[:2]:
        if prop.violated(r[index : index + 1], t[index : index + 1])[0]:
            witness = confirm(points[index])
            if witness is not None:
                return witness
    return None


def _split(queue: _Queue, report: Assessment, lower: Array, upper: Array, region: Region) -> bool:
    """Halve every open box; True if one is too small for that."""
    keep = ~report.proved
    if not keep.any():
        return False
    assert report.blame is not None
    lower, upper, bound = lower[keep], upper[keep], report.bound[keep]
    scale = np.maximum(region.upper - region.lower, 1e-300)
    small = (upper - lower) <= scale * SMALLEST
    blame = np.where(small, -1.0, report.blame[keep])
    axis = blame.argmax(axis=1)
    row = np.arange(len(lower))
    can = blame[row, axis] >= 0
    lower, upper, bound, axis = lower[can], upper[can], bound[can], axis[can]
    row = np.arange(len(lower))
    middle = lower[row, axis] + (upper[row, axis] - lower[row, axis]) / 2
    left, right = upper.copy(), lower.copy()
    left[row, axis] = middle
    right[row, axis] = middle
    queue.put(np.concatenate([lower, right]), np.concatenate([left, upper]), np.concatenate([bound, bound]))
    return bool((~can).any())
