"""Branch and bound over ReLU signs, for networks with many inputs.

Each region is refuted by itself. A node assumes signs of some ReLU inputs; bounds under these assumptions
come from `bounds.splits`. The ReLU to split next is chosen among the few whose relaxation costs the bound
most, by trying both signs of each. Nodes are handled in batches, in chunks of fixed size for a pool of
threads, so the order does not depend on timing.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

from vouch.nn.bounds.ascent import is_relu
from vouch.nn.bounds.forward import State, analyse, fresh
from vouch.nn.bounds.model import Model
from vouch.nn.bounds.outputs import fed_box
from vouch.nn.bounds.region import Unsafe
from vouch.nn.bounds.room import boxes_at_once
from vouch.nn.bounds.splits import Assumptions, Bounded, bound, root
from vouch.nn.property import Case, Rows
from vouch.nn.result import Counterexample
from vouch.nn.search.cells import Cell
from vouch.nn.search.outcome import Outcome
from vouch.nn.search.task import Clock, Judge, Probe

_TRIED = 4
_CHUNKS = 2
_ROOT_STEPS, _STEPS = 60, 12
# After so many nodes without an end in sight, a thorough search for a violation is worth its time.
_PROBE_AFTER = 24


class NeuronSearch:
    """One case. Nodes with no ReLU left to split are decided by a linear program when `finish` is set."""

    def __init__(
        self,
        model: Model,
        case: Case,
        judge: Judge,
        clock: Clock,
        *,
        jobs: int = 1,
        batch: int = 128,
        finish: bool = True,
        probe: Probe | None = None,
        report: Callable[[float], None] | None = None,
    ) -> None:
        self.model, self.case, self.judge, self.clock = model, case, judge, clock
        self.jobs, self.batch, self.probe, self.report = jobs, boxes_at_once(model, batch), probe, report
        euclidean = case.ball is not None and case.ball.norm != "l1"
        self.finish = finish and model.arrays.device is None and not euclidean
        self.arrays, self.xp = model.arrays, model.arrays.xp
        lower, upper = fed_box(model, case)
        self.lower, self.upper = self.arrays.array(lower[None, :]), self.arrays.array(upper[None, :])
        self.boxes = self.stuck = 0
        self.share = 0.0
        self.splittable = self._splittable()

    def _splittable(self) -> Any:
        flags = np.zeros(self.model.neurons)
        for index, part in self.model.slots.items():
            flags[part] = is_relu(self.model, index)
        return self.arrays.array(flags)

    def run(self) -> Outcome:
        with ThreadPoolExecutor(self.jobs) as self.pool:
            return self._run()

    def _run(self) -> Outcome:
        state = fresh(self.model, 1)
        nothing = Rows.none(self.model.inputs, self.model.outputs)
        ball = Unsafe.of(self.model, self.case, nothing).ball
        # At most half of the time for the root: bounds of a large network are worth less than an answer.
        analyse(self.model, self.lower, self.upper, state, ball=ball, stop=lambda: self.clock.half_over)
        worst = np.inf
        total = len(self.case.regions)
        for number, rows in enumerate(self.case.regions):
            region = Unsafe.of(self.model, self.case, rows)
            self.share = number / total
            left = self._refute(region, state, 1.0 / total)
            if isinstance(left, Outcome):
                return left
            worst = min(worst, left)
            if self.clock.over:
                return Outcome(None, self.share, self.boxes, max(self.stuck, 1), float(worst))
        done = self.stuck == 0
        return Outcome(None, 1.0 if done else self.share, self.boxes, self.stuck, None if done else worst)

    def _refute(self, region: Unsafe, state: State, part: float) -> Outcome | float:
        """Shows that the region is never met; otherwise a violation, or the bound where time ran out."""
        nodes = root(self.model, state.take(slice(0, 1)), region)
        nodes.state = State(self.arrays.copy(state.low), self.arrays.copy(state.high))
        stack = [nodes]
        weights = [np.array([part])]
        steps = _ROOT_STEPS
        worst = np.inf
        while stack:
            nodes, sizes = self._pop(stack, weights)
            nodes, bounded, empty = self._bound(nodes, region, steps)
            steps = _STEPS
            self.boxes += len(nodes)
            found = self.judge.confirm(self.case, self._suspects(region, bounded.corner))
            if found is not None:
                return Outcome(found, self.share, self.boxes, self.stuck, None)
            left = ~((bounded.value > 0) | empty)
            closed = self.arrays.numpy(~left)
            self.share += float(sizes[closed].sum())
            if self.report is not None:
                self.report(self.share)
            if not bool(left.any()):
                continue
            worst = float(bounded.value[left].min())
            if self.probe is not None and self.boxes >= _PROBE_AFTER:
                found, self.probe = self.probe(), None
                if found is not None:
                    return Outcome(found, self.share, self.boxes, self.stuck, None)
            if self.clock.over:
                return worst
            violation = self._branch(nodes, bounded, left, sizes, region, stack, weights)
            if violation is not None:
                return Outcome(violation, self.share, self.boxes, self.stuck, None)
        return np.inf

    def _bound(self, nodes: Assumptions, region: Unsafe, steps: int) -> tuple[Assumptions, Bounded, Any]:
        """Bounds of the nodes, which nodes are empty, and the nodes with improved parameters."""
        count = len(nodes)
        pieces = _CHUNKS if count >= 16 else 1
        edges = [count * i // pieces for i in range(pieces + 1)]
        chunks = [nodes.take(slice(a, b)) for a, b in pairwise(edges)] if pieces > 1 else [nodes]

        def one(chunk: Assumptions) -> tuple[Bounded, Any]:
            box = self.lower, self.upper
            bounded, analysis = bound(self.model, *box, chunk, region, steps, lambda: self.clock.over)
            return bounded, analysis.empty

        found = list(self.pool.map(one, chunks)) if pieces > 1 else [one(nodes)]
        join = self.xp.concatenate
        bounded = Bounded(
            join([b.value for b, _ in found]),
            join([b.corner for b, _ in found]),
            join([b.loss for b, _ in found]),
            join([b.unstable for b, _ in found]),
        )
        return _joined(self.xp, chunks), bounded, join([empty for _, empty in found])

    def _pop(self, stack: list[Assumptions], weights: list[Any]) -> tuple[Assumptions, Any]:
        parts, sizes, count = [], [], 0
        while stack and count < self.batch:
            top, size = stack.pop(), weights.pop()
            if count + len(top) > self.batch:
                fits = self.batch - count
                stack.append(top.take(slice(0, len(top) - fits)))
                weights.append(size[: len(top) - fits])
                top, size = top.take(slice(len(top) - fits, len(top))), size[len(top) - fits :]
            parts.append(top)
            sizes.append(size)
            count += len(top)
        return _joined(self.xp, parts), np.concatenate(sizes)

    def _suspects(self, region: Unsafe, points: Any) -> Any:
        values = self.model.run(points)
        excess = points @ region.x_rows.T + values @ region.y_rows.T - region.rhs
        return self.arrays.numpy(points[(excess <= 0).all(1)])

    def _branch(
        self,
        nodes: Assumptions,
        bounded: Bounded,
        left: Any,
        sizes: Any,
        region: Unsafe,
        stack: list[Assumptions],
        weights: list[Any],
    ) -> Counterexample | None:
        """Replaces the open nodes by their children. Nodes with nothing to split are decided one by one."""
        score = self.xp.where(bounded.unstable & (self.splittable > 0), bounded.loss + 1e-30, 0.0)
        leaf = left & ~(score > 0).any(1)
        for number in np.flatnonzero(self.arrays.numpy(leaf)):
            found = self._leaf(nodes.take(slice(int(number), int(number) + 1)), region)
            if isinstance(found, Counterexample):
                return found
            self.share += float(sizes[number]) if found else 0.0
            self.stuck += 0 if found else 1
        go_on = left & ~leaf
        if not bool(go_on.any()):
            return None
        kept, sizes = nodes.take(go_on), sizes[self.arrays.numpy(go_on)]
        neuron = self._choice(kept, score[go_on], bounded.value[go_on], region)
        children = self._children(kept, neuron)
        stack.append(children)
        weights.append(np.tile(sizes / 2, 2))
        return None

    def _leaf(self, node: Assumptions, region: Unsafe) -> Counterexample | bool:
        """Whether a node without unstable ReLUs is free of the region, by an exact certificate."""
        if not self.finish:
            return False
        cell = Cell.of(self.model, self.lower[0], self.upper[0], node.state, node.signs[0], region.ball)
        point = cell.meets(region)
        if isinstance(point, np.ndarray):
            return self.judge.confirm(self.case, point[None, :]) or False
        return point is False

    def _choice(self, nodes: Assumptions, score: Any, before: Any, region: Unsafe) -> Any:
        """Of the neurons with the highest scores, the one whose worse half improves the bound most."""
        count = len(nodes)
        best_gain = self.arrays.full((count,), -np.inf)
        chosen = score.argmax(1)
        rows = self.arrays.indices(np.arange(count))
        ceiling = 1e-3 + abs(before)
        for _ in range(_TRIED):
            neuron = score.argmax(1)
            children = self._children(nodes, neuron)
            _, tried, empty = self._bound(children, region, 0)
            value = self.xp.where(empty, np.inf, tried.value)
            # Beyond "proved" nothing counts, or one easy half would outshine everything.
            value = self.xp.minimum(value, self.xp.concatenate([ceiling, ceiling]))
            low = self.xp.minimum(value[:count], value[count:])
            high = self.xp.maximum(value[:count], value[count:])
            gain = self.xp.where(score[rows, neuron] > 0, low + 0.1 * high, -np.inf)
            chosen = self.xp.where(gain > best_gain, neuron, chosen)
            best_gain = self.xp.maximum(best_gain, gain)
            score = self.arrays.copy(score)
            score[rows, neuron] = 0.0
        return chosen

    def _children(self, nodes: Assumptions, neuron: Any) -> Assumptions:
        """Both signs for one neuron of each node."""
        count = len(nodes)
        rows = self.arrays.indices(np.arange(count))
        both = nodes.take(self.arrays.indices(np.tile(np.arange(count), 2)))
        both.signs[rows, neuron] = 1.0
        both.state.low[rows, neuron] = both.state.low[rows, neuron].clip(min=0)
        both.signs[rows + count, neuron] = -1.0
        both.state.high[rows + count, neuron] = both.state.high[rows + count, neuron].clip(max=0)
        return both


def _joined(xp: Any, parts: list[Assumptions]) -> Assumptions:
    if len(parts) == 1:
        return parts[0]
    join = xp.concatenate
    return Assumptions(
        State(join([p.state.low for p in parts]), join([p.state.high for p in parts])),
        join([p.signs for p in parts]),
        join([p.slopes for p in parts]),
        join([p.multipliers for p in parts]),
        join([p.weights for p in parts]),
    )
