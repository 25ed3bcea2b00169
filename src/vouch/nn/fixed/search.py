"""`bounds`: branch and bound over boxes of integers, their last parts finished by running every point.

Boxes are handled in batches with the bounds of `nn/bounds`, on a model of the integers. A box that is not
clear of the unsafe regions is cut down to what may still violate, rounded to the numbers inside, and halved
between two numbers. A box with few points left is run point by point, so the search always ends.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vouch.nn.bounds.forward import analyse, fresh
from vouch.nn.bounds.model import BoundModel
from vouch.nn.bounds.region import Unsafe
from vouch.nn.fixed.cases import IntCase
from vouch.nn.fixed.climb import climbed
from vouch.nn.fixed.evaluate import evaluate
from vouch.nn.fixed.format import Format, Ints
from vouch.nn.fixed.funnel import Funnel, fits
from vouch.nn.fixed.model import Rules, model_of
from vouch.nn.fixed.order import before_table
from vouch.nn.fixed.settle import Settled
from vouch.nn.lowered import NodeKind
from vouch.nn.property import Array, Ball, Case, Rows
from vouch.nn.result import Result, ViolatingInput
from vouch.nn.search.boxes import BREADTH, Boxes, left_of, popped, suspects, weights
from vouch.nn.search.driver import FEW_INPUTS
from vouch.nn.search.falsify import Effort, falsify
from vouch.nn.search.neurons import NeuronSearch
from vouch.nn.search.task import Clock
from vouch.verdict import Verdict

if TYPE_CHECKING:
    from vouch.nn.fixed.decide import FixedQuestion

BATCH = 512
# Products that running all points of a box may take before another split is cheaper.
_LEAF = 1 << 19
# Products of all leaves together up to which numpy does without a compiler.
_LITTLE = 1 << 22
_SUSPECTS = 32
# The share of the time for splitting neurons where there are many inputs.
_NEURONS = 0.8
# The same for splitting sums of the first layer, where they are few.
_SUMS = 0.6


def bounds(question: FixedQuestion, clock: Clock | None = None) -> Result:
    """All cases by branch and bound."""
    model = model_of(question.network)
    limit = clock or question.clock
    with _one_thread():
        for number, case in enumerate(question.cases):
            if not case.points:
                continue
            search = _Search(question, model, number, case, limit)
            found = search.falsified()
            if found is None and not search.by_sums():
                found = search.found
                if found is None and not search.by_neurons():
                    found = search.found if search.found is not None else search.run()
            if found is not None:
                return question.violation("bounds", found)
            if search.left:
                return question.made(
                    Verdict.TIMEOUT,
                    "bounds",
                    reason="the time is up",
                    progress=(number + search.proved) / len(question.cases),
                )
    if question.statistics.get("open"):
        reason = "a violation was found whose input may lie outside of the input set"
        return question.made(Verdict.UNKNOWN, "bounds", reason=reason)
    return question.made(Verdict.SAFE, "bounds", progress=1.0)


def _one_thread() -> Any:
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1, user_api="blas")


def real_case(case: IntCase, form: Format) -> Case:
    """The numbers of a case as reals: a box, and its other constraints, widened by what conversion moves."""
    ends = np.array([[axis.low, axis.high] for axis in case.axes], dtype=np.int64)
    lower, upper = form.reals(ends[:, 0]), form.reals(ends[:, 1])
    origin, ball, rows = case.origin, None, None
    if case.members is not None:
        if origin.inputs is not None:
            slack = np.abs(origin.inputs.x_rows).sum(1) * form.unit * (1 + 1e-9)
            wide = origin.inputs
            rows = Rows(wide.x_rows, wide.y_rows, wide.rhs + slack, wide.strict)
        if origin.ball is not None:
            ball = _wider(origin.ball, form.unit)
    return Case(lower, upper, origin.regions, rows, ball)


def _wider(ball: Ball, unit: float) -> Ball:
    steps = np.divide(unit, ball.scale, out=np.zeros_like(ball.scale), where=ball.scale > 0)
    more = steps.sum() if ball.norm == "l1" else math.sqrt(float((steps**2).sum()))
    return Ball(ball.centre, (ball.radius + more) * (1 + 1e-9), ball.scale, ball.norm)


class _Judge:
    """Confirms points of the falsifier: the nearest number, evaluated exactly."""

    def __init__(self, search: _Search) -> None:
        self.search = search
        self.rejected = 0

    def confirm(self, case: Case, points: Array, limit: int = 16) -> ViolatingInput | None:
        found = self.search.violating(points[:limit])
        if found is None:
            return None
        form = self.search.question.network.input_format
        self.search.found = found
        return ViolatingInput(form.reals(found), np.zeros(0))


class _Search:
    def __init__(
        self, question: FixedQuestion, model: BoundModel, number: int, case: IntCase, clock: Clock
    ) -> None:
        self.question, self.number, self.case, self.clock = question, number, case, clock
        assert isinstance(model.integers, Rules)
        self.model = replace(model, integers=model.integers.within())
        self.form = question.network.input_format
        self.real = real_case(case, self.form)
        self.regions = [Unsafe.of(model, self.real, rows) for rows in self.real.regions]
        self.ball = self.regions[0].ball if self.regions else None
        self.counts = case.counts
        self.total = float(_product(self.counts[None, :])[0])
        self.stack: list[Boxes] = []
        self.found: Ints | None = None
        self.leaf_work = 0.0
        self.rounds = 0
        self.done = 0.0
        self.leaf_points = max(1, _LEAF // max(1, question.network.work))

    @property
    def left(self) -> bool:
        return bool(self.stack)

    @property
    def proved(self) -> float:
        return min(1.0 - 1e-12, self.done / self.total) if self.left else 1.0

    def falsified(self) -> Ints | None:
        """A quick look for violations before anything is proved."""
        few = len(self.counts) <= 12
        effort = Effort() if few else Effort(samples=128, starts=16, steps=30)
        falsify(self.model, self.real, _Judge(self), self.clock, self.question.settings.seed, effort)  # type: ignore[arg-type]
        if self.found is None:
            self.found = self._sampled()
        if self.found is None and self.case.members is None:
            network, seed = self.question.network, self.question.settings.seed
            self.found = self._first(climbed(network, self.case, self.clock, seed))
        return self.found

    def by_sums(self) -> bool:
        """Where few sums read many inputs: splits the values of the sums. True when no violation is left; one
        that was seen is in `found`."""
        network = self.question.network
        if not fits(network, self.case):
            return False
        search = Funnel(network, self.case, self.clock.share(_SUMS))
        proved = search.run()
        self.question.count("boxes", search.boxes)
        self.found = search.found
        return proved

    def by_neurons(self) -> bool:
        """Where halving boxes of many inputs leads nowhere: splits signs of ReLUs, cuts intervals of tables.
        True when no violation is left; one that was seen is in `found`."""
        free = int(np.count_nonzero(self.counts > 1))
        if free <= FEW_INPUTS or self.ball is not None or not _splits_help(self.model):
            return False
        jobs, clock = self.question.jobs, self.clock.share(_NEURONS)
        judge: Any = _Judge(self)
        report = self.question.report
        model, case = self._arguments()
        settled = Settled(self.question.network, self.case, model)
        search = NeuronSearch(
            model, case, judge, clock, jobs=jobs, cutting=False, settled=settled, report=report
        )
        outcome = search.run()
        self.question.count("nodes", outcome.boxes)
        return outcome.counterexample is None and outcome.proved >= 1.0 and not outcome.stuck

    def _arguments(self) -> tuple[BoundModel, Case]:
        """Model and case without a table at the end, where the question is about the order of outputs."""
        shorter = before_table(self.question.network, self.real.regions)
        if shorter is None:
            return self.model, self.real
        network, regions = shorter
        return model_of(network), replace(self.real, regions=regions)

    def _sampled(self) -> Ints | None:
        """Random numbers of the box and its corners, which coarse formats care more about than slopes."""
        rng = np.random.default_rng(self.question.settings.seed)
        count = max(8, min(256, (1 << 21) // max(1, self.question.network.work)))
        places = rng.integers(0, self.counts, size=(count, len(self.counts)))
        corners = np.where(rng.random(places.shape) < 0.5, 0, self.counts - 1)
        return self._first(self.case.numbers(np.concatenate([places, corners])))

    def violating(self, points: Array) -> Ints | None:
        """A violation among the numbers nearest to real points."""
        numbers = np.rint(np.ldexp(points, self.form.fraction)).astype(np.int64)
        return self._first(self.case.numbers(self.case.places(numbers)))

    def _first(self, numbers: Ints) -> Ints | None:
        return self.question.first_violation(numbers) if len(numbers) else None

    def run(self) -> Ints | None:
        low = np.zeros((1, len(self.counts)), dtype=np.int64)
        self.stack = [Boxes(low, (self.counts - 1)[None, :], fresh(self.model, 1))]
        with ThreadPoolExecutor(self.question.jobs) as pool:
            while self.stack and not self.clock.over:
                self.rounds += 1
                boxes = popped(np, self.stack, BATCH, oldest=self.rounds % BREADTH == 0)
                self.question.count("boxes", len(boxes))
                pieces = 2 if len(boxes) >= 64 and self.question.jobs > 1 else 1
                parts = boxes.pieces(pieces)
                steps = list(pool.map(self._step, parts)) if pieces > 1 else [self._step(parts[0])]
                left = 0.0
                for rest, score, points in steps:
                    found = self.violating(points[:_SUSPECTS])
                    if found is None and rest is not None:
                        found, more = self._divide(rest, score)
                        left += more
                    if found is not None:
                        return found
                self.done += float(_points(boxes).sum()) - left
                self.question.report(self.proved)
        return None

    def _step(self, boxes: Boxes) -> tuple[Boxes | None, Array, Array]:
        """What is left of some boxes, how much each input matters there, and points to try."""
        lower, upper = (self.form.reals(self.case.numbers(end)) for end in (boxes.low, boxes.high))
        analysis = analyse(self.model, lower, upper, boxes.state, ball=self.ball)
        left = left_of(analysis, self.regions)
        still, points = left.still, suspects(self.model, self.regions, left.points)
        if not still.any():
            return None, left.score, points
        first, last = self._inside(left.low[still], left.high[still], boxes.low[still], boxes.high[still])
        kept = (first <= last).all(axis=1)
        rest = Boxes(first[kept], last[kept], boxes.state.take(still).take(kept))
        return (rest if len(rest) else None), left.score[still][kept], points

    def _inside(self, low: Array, high: Array, first: Ints, last: Ints) -> tuple[Ints, Ints]:
        """The places whose numbers lie in real boxes, within places first..last."""
        scale = 2.0**self.form.fraction
        least, most = np.ceil(low * scale), np.floor(high * scale)
        if self.case.plain:
            start, end = (real.astype(np.int64) - self.case.low for real in (least, most))
            return _within(start, end, first, last)
        starts, ends = [], []
        for i, axis in enumerate(self.case.axes):
            if axis.levels is None:
                starts.append(least[:, i] - axis.low)
                ends.append(most[:, i] - axis.low)
            else:
                starts.append(np.searchsorted(axis.levels, least[:, i], side="left"))
                ends.append(np.searchsorted(axis.levels, most[:, i], side="right") - 1)
        start, end = (np.stack(parts, axis=1).astype(np.int64) for parts in (starts, ends))
        return _within(start, end, first, last)

    def _divide(self, boxes: Boxes, score: Array) -> tuple[Ints | None, float]:
        """Run small boxes, halve the others. The number of points that are open is returned."""
        small = _points(boxes) <= self.leaf_points
        if small.any():
            found = self._run_all(boxes.take(small))
            if found is not None:
                return found, 0.0
        if small.all():
            return None, 0.0
        rest, score = boxes.take(~small), score[~small]
        self.stack.append(self._halves(rest, score))
        return None, float(_points(rest).sum())

    def _run_all(self, boxes: Boxes) -> Ints | None:
        self.question.count("points", float(_points(boxes).sum()))
        self.leaf_work += float(_points(boxes).sum()) * self.question.network.work
        if self.case.members is None and self.leaf_work > _LITTLE and self.question.native.searchable:
            return self._native(boxes)
        for low, high in zip(boxes.low, boxes.high, strict=True):
            grid = np.stack(np.meshgrid(*map(np.arange, low, high + 1), indexing="ij"), axis=-1)
            numbers = self.case.numbers(grid.reshape(-1, len(low)))
            outputs = evaluate(self.question.network, numbers)
            bad = self.case.violated(numbers, outputs)
            if self.case.members is not None and bad.any():
                bad[bad] = self.case.members.possible(numbers[bad])
            for index in np.flatnonzero(bad):
                inside = True if self.case.members is None else self.case.members.contains(numbers[index])
                if inside:
                    return np.asarray(numbers[index])
                if inside is None:
                    self.question.count("open", 1)
        return None

    def _native(self, boxes: Boxes) -> Ints | None:
        _, found = self.question.native.search(self.number, self.case, boxes.low, boxes.high)
        return None if found is None else np.asarray(found)

    def _halves(self, boxes: Boxes, score: Array) -> Boxes:
        """Both halves of every box, cut where the bound depends most on the input."""
        lower, upper = (self.form.reals(self.case.numbers(end)) for end in (boxes.low, boxes.high))
        widths, whole = upper - lower, np.maximum(self.real.upper - self.real.lower, 1e-300)
        weighted = weights(np, score, widths, whole)
        axis = np.where(boxes.high > boxes.low, weighted, -1.0).argmax(1)
        count = len(boxes)
        row = np.arange(count)
        middle = (boxes.low[row, axis] + boxes.high[row, axis]) // 2
        halves = boxes.take(np.arange(2 * count) // 2)
        halves.high[2 * row, axis] = middle
        halves.low[2 * row + 1, axis] = middle + 1
        return halves


def _points(boxes: Boxes) -> Array:
    """How many there are in each; float64, which is enough to compare."""
    return _product(boxes.high - boxes.low + 1)


def _splits_help(model: BoundModel) -> bool:
    """Whether all that is not linear can be split or cut."""
    kinds = {model.node(index).kind for index in model.activations}
    return not model.products and kinds <= {NodeKind.RELU, NodeKind.SIGMOID, NodeKind.TANH}


def _product(counts: Ints) -> Array:
    """The product of each row, at most some number that is too many to run."""
    with np.errstate(over="ignore"):
        return np.asarray(np.minimum(counts.astype(np.float64).prod(axis=1), 1e300))


def _within(start: Ints, end: Ints, first: Ints, last: Ints) -> tuple[Ints, Ints]:
    return np.maximum(start, first), np.minimum(end, last)
