"""Branch and bound over neurons, for networks with many inputs.

Each region is refuted by itself. A node assumes signs of some ReLU inputs; bounds under these assumptions
come from `bounds.splits`. The ReLU to split next is chosen among the few whose relaxation costs the bound
most, by trying both signs of each. A neuron with a curved function is cut in the middle of its interval
instead, and so may be one of a layer in which few are alive. Nodes are handled in batches, in chunks of fixed
size for a pool of threads, so the order does not depend on timing.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

from vouch.nn.bounds.ascent import all_relus, is_relu
from vouch.nn.bounds.climb import Assumptions, SplitBounds, joined, popped
from vouch.nn.bounds.forward import Domain, ForwardState, analyse, fresh
from vouch.nn.bounds.glance import Glance
from vouch.nn.bounds.model import BoundModel
from vouch.nn.bounds.outputs import fed_box
from vouch.nn.bounds.region import Unsafe
from vouch.nn.bounds.room import boxes_at_once
from vouch.nn.bounds.splits import bound, root
from vouch.nn.bounds.trim import trimmed
from vouch.nn.lowered import NodeKind
from vouch.nn.property import Ball, Case, Rows
from vouch.nn.result import ViolatingInput
from vouch.nn.search.cells import Cell
from vouch.nn.search.halving import children_of, reach, worth_cutting
from vouch.nn.search.outcome import Outcome
from vouch.nn.search.refine import Refinement
from vouch.nn.search.task import Clock, Judge, Probe
from vouch.nn.search.waist import leading, reaching, waist

_TRIED = 4
# Neurons tried as cuts in the middle.
_CUTS = 2
_CHUNKS = 2
# Children of nodes with curved neurons up to which all of them are cut once more.
_FEW_CHILDREN = 16
# The share of what a bound lacks that relaxations lose where no cut helps.
_LITTLE = 0.1
_ROOT_STEPS, _STEPS = 60, 12
# Multiplications spent on refining hidden neurons: at first, by which factor more each time, at most for each
# second of the limit (or altogether), and the share of the time that it may take.
_REFINED, _REFINED_MORE, _REFINED_A_SECOND, _REFINED_AT_MOST, _REFINING = 1e10, 3.0, 1e10, 4e12, 0.6
# A device multiplies so much faster: what it spends at first, and in all.
_DEVICE_FIRST, _DEVICE_SPEED = 5.0, 30.0
# Batches up to this many nodes, of networks with at most so many coefficients, are quicker on the CPU than
# the many small kernels that a device would be given.
_FEW_NODES, FEW_COEFFICIENTS = 48, 4e6
# The share of the time left for showing that no value of a waist leads into a region.
_WAIST = 0.5
# How much narrower than at the root an interval may become by cuts: what is left is decided otherwise.
_HALVED = 256.0
# After so many nodes without an end in sight, a thorough search for a violation is worth its time.
_PROBE_AFTER = 24


class NeuronSearch:
    """One case. Nodes with no ReLU left to split are decided by a linear program when `finish` is set.
    Without `cutting`, ReLUs are split by their signs alone, which comes to an end also where rounding keeps
    bounds from closing. `settled` says which parts are free of violations for reasons that bounds do not see;
    it is for models in numpy."""

    def __init__(
        self,
        model: BoundModel,
        case: Case,
        judge: Judge,
        clock: Clock,
        *,
        jobs: int = 1,
        batch: int | None = None,
        finish: bool = True,
        cutting: bool = True,
        settled: Callable[[ForwardState], Any] | None = None,
        probe: Probe | None = None,
        report: Callable[[float], None] | None = None,
    ) -> None:
        self.cutting, self.settled = cutting, settled
        self.model, self.case, self.judge, self.clock = model, case, judge, clock
        wanted = batch or (128 if model.arrays.device is None else 2048)
        self.jobs, self.batch, self.probe, self.report = jobs, boxes_at_once(model, wanted), probe, report
        euclidean = case.ball is not None and case.ball.norm != "l1"
        relus = all_relus(model)
        self.finish = finish and model.arrays.device is None and not euclidean
        # Where functions are curved, every layer is bounded anew in each node: there are no signs to inherit.
        self.domain: Domain = "interval" if relus else "crown"
        self.arrays, self.xp = model.arrays, model.arrays.xp
        lower, upper = fed_box(model, case)
        self.lower, self.upper = self.arrays.array(lower[None, :]), self.arrays.array(upper[None, :])
        self.host = model.on_cpu() if self._suits_host(model) else None
        self.boxes = self.stuck = 0
        self.share = 0.0
        self._look_at(model)

    @staticmethod
    def _suits_host(model: BoundModel) -> bool:
        plain = model.arrays.device is not None and model.integers is None
        return plain and model.coefficients <= FEW_COEFFICIENTS

    def _look_at(self, model: BoundModel) -> None:
        """What is known about the neurons: which are ReLUs, which are curved (and so can only be cut), and
        how strongly each acts on what follows."""
        self.model = model
        relus, curved = np.zeros(model.neurons), np.zeros(model.neurons)
        for index, part in model.slots.items():
            relus[part] = is_relu(model, index)
            curved[part] = model.node(index).kind in (NodeKind.SIGMOID, NodeKind.TANH, NodeKind.CURVE)
        self.relus, self.curved = self.arrays.array(relus) > 0, self.arrays.array(curved) > 0
        self.plain = model.integers is None and not model.products and bool(relus.all())
        self.splittable, self.reach = self.relus | self.curved, reach(model, self.arrays)

    def run(self) -> Outcome:
        with ThreadPoolExecutor(self.jobs) as self.pool:
            return self._run()

    def _run(self) -> Outcome:
        state = fresh(self.model, 1)
        nothing = Rows.none(self.model.inputs, self.model.outputs)
        ball = Unsafe.of(self.model, self.case, nothing).ball
        # At most half of the time for the root: bounds of a large network are worth less than an answer.
        analyse(self.model, self.lower, self.upper, state, ball=ball, stop=lambda: self.clock.half_over)
        regions = [Unsafe.of(self.model, self.case, rows) for rows in self.case.regions]
        worst, total = np.inf, max(1, len(regions))
        regions, at_once = self._easy(regions, state, ball)
        if isinstance(at_once, Outcome):
            return at_once
        easy = total - len(regions)
        small, kept = trimmed(self.model, state)
        self.host = None if self.host is None else small.on_cpu()
        state = state.columns(self.arrays.indices(kept))
        self._look_at(small)
        found = self._at_waist(regions, state)
        if found is not None:
            return found
        for number, region in enumerate(regions):
            self.share = (easy + number) / total
            left = self._refute(region, state, 1.0 / total)
            if isinstance(left, Outcome):
                return left
            worst = min(worst, left)
            if self.clock.over:
                return Outcome(None, self.share, self.boxes, max(self.stuck, 1), float(worst))
        done = self.stuck == 0
        return Outcome(None, 1.0 if done else self.share, self.boxes, self.stuck, None if done else worst)

    def _at_waist(self, regions: list[Unsafe], state: ForwardState) -> Outcome | None:
        """Decides all regions together, where few values of a layer decide them and none of those that lead
        into one is reached; None where that is not shown."""
        model = self.model
        plain = self.arrays.device is None and self.plain and self.settled is None and self.case.ball is None
        index = waist(model) if plain and regions else None
        if index is None or any(region.x_rows.any() for region in regions):
            return None
        boxes, looked = leading(model, index, state, regions, lambda: self.clock.over)
        self.boxes += looked
        if not boxes:
            return Outcome(None, 1.0, self.boxes, 0, None)
        reached = reaching(model, index, state, boxes)
        if reached is None:
            return None
        before = self.share, self.clock
        self.clock = self.clock.share(_WAIST)
        first = model.until(model.node(index).input)
        self._look_at(first)
        left = self._refute(reached, state.columns(slice(0, first.neurons)), 1.0 - self.share, exact=False)
        self.share, self.clock = before
        self._look_at(model)
        if isinstance(left, Outcome):
            return left
        return Outcome(None, 1.0, self.boxes, 0, None) if left == np.inf else None

    def _easy(
        self, regions: list[Unsafe], state: ForwardState, ball: Ball | None
    ) -> tuple[list[Unsafe], Outcome | None]:
        """Regions that are refuted without assumptions are left out. As long as there are others and it
        helps, the bounds of hidden neurons are refined; `state` is tightened."""
        left, found, bound_before = self._at_root(regions, state)
        here = self.arrays.device is None
        work, spent = _REFINED * (1.0 if here else _DEVICE_FIRST), 0.0
        most = _REFINED_AT_MOST if self.clock.endless else self.clock.limit * _REFINED_A_SECOND
        most *= 1.0 if here else _DEVICE_SPEED
        while left and found is None and spent < most and self._worth_refining(state):
            work = min(work, most - spent)
            refinement = Refinement(
                self.model,
                self.lower,
                self.upper,
                state,
                ball=ball,
                jobs=self.jobs,
                stop=lambda: self.clock.spent > _REFINING * self.clock.limit,
            )
            refinement.run(work)
            self.boxes += refinement.nodes
            spent, work = spent + work, work * _REFINED_MORE
            left, found, bound_now = self._at_root(left, state)
            self.share = 1.0 - len(left) / len(regions)
            if bound_now < bound_before + 0.05 * abs(bound_before):
                break
            bound_before = bound_now
        return left, found

    def _worth_refining(self, state: ForwardState) -> bool:
        """Whether some neuron whose bounds rest on others is open."""
        open_ = (state.low < 0) & (state.high > 0) & self.relus
        first = min((part.stop for part in self.model.slots.values()), default=0)
        return bool(open_[:, first:].any())

    def _at_root(
        self, regions: list[Unsafe], state: ForwardState
    ) -> tuple[list[Unsafe], Outcome | None, float]:
        """The regions that are not refuted without assumptions, a violation met, and the lowest bound."""
        left: list[Unsafe] = []
        worst = np.inf
        for region in regions:
            nodes = self._root(region, state)
            _, bounded, empty = self._bound(nodes, region, _ROOT_STEPS)
            self.boxes += 1
            found = self.judge.confirm(self.case, self._suspects(region, bounded.corner))
            if found is not None:
                return left, Outcome(found, self.share, self.boxes, self.stuck, None), worst
            if not bool((bounded.value > 0) | empty):
                left.append(region)
                worst = min(worst, float(bounded.value[0]))
        return left, None, worst

    def _root(self, region: Unsafe, state: ForwardState) -> Assumptions:
        nodes = root(self.model, state.take(slice(0, 1)), region)
        nodes.state = ForwardState(self.arrays.copy(state.low), self.arrays.copy(state.high))
        return nodes

    def _refute(
        self, region: Unsafe, state: ForwardState, part: float, *, exact: bool = True
    ) -> Outcome | float:
        """Shows that the region is never met; otherwise a violation, or the bound where time ran out. A
        region that is not `exact` is given up, with its bound, when a part of it seems to be met."""
        stack = [self._root(region, state)]
        self.narrowest = (state.high - state.low) / _HALVED
        weights = [np.array([part])]
        steps = _ROOT_STEPS
        worst = np.inf
        while stack:
            nodes, sizes = popped(self.xp, stack, weights, self.batch)
            nodes, bounded, empty = self._bound(nodes, region, steps)
            steps = _STEPS
            self.boxes += len(nodes)
            found = self.judge.confirm(self.case, self._suspects(region, bounded.corner))
            if found is not None:
                return Outcome(found, self.share, self.boxes, self.stuck, None)
            left = ~((bounded.value > 0) | empty)
            if self.settled is not None and bool(left.any()):
                left[left] = ~self.settled(nodes.state.take(left))
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
            if not exact and self.stuck:
                self.stuck = 0
                return worst
        return np.inf

    def _bound(self, nodes: Assumptions, region: Unsafe, steps: int) -> tuple[Assumptions, SplitBounds, Any]:
        """Bounds of the nodes, which nodes are empty, and the nodes with improved parameters."""
        count = len(nodes)
        if self.host is not None and count <= _FEW_NODES:
            return self._bound_here(self.host, nodes, region, steps)
        pieces = _CHUNKS if count >= 16 and self.arrays.device is None else 1
        edges = [count * i // pieces for i in range(pieces + 1)]
        chunks = [nodes.take(slice(a, b)) for a, b in pairwise(edges)] if pieces > 1 else [nodes]

        def one(chunk: Assumptions) -> tuple[SplitBounds, Any]:
            box, stop = (self.lower, self.upper), lambda: self.clock.over
            bounded, analysis = bound(self.model, *box, chunk, region, steps, stop, self.domain)
            return bounded, analysis.empty

        found = list(self.pool.map(one, chunks)) if pieces > 1 else [one(nodes)]
        join = self.xp.concatenate
        bounded = SplitBounds(
            join([b.value for b, _ in found]),
            join([b.corner for b, _ in found]),
            join([b.loss for b, _ in found]),
            join([b.unstable for b, _ in found]),
        )
        return joined(self.xp, chunks), bounded, join([empty for _, empty in found])

    def _bound_here(
        self, host: BoundModel, nodes: Assumptions, region: Unsafe, steps: int
    ) -> tuple[Assumptions, SplitBounds, Any]:
        """The same for few nodes that lie on a device, computed on the CPU."""
        down, up = self.arrays.numpy, self.arrays.array
        chunk = nodes.moved(down)
        rows = Unsafe(down(region.x_rows), down(region.y_rows), down(region.rhs), region.ball)
        box, stop = (down(self.lower), down(self.upper)), lambda: self.clock.over
        found, analysis = bound(host, *box, chunk, rows, steps, stop, self.domain)
        bounded = SplitBounds(up(found.value), up(found.corner), up(found.loss), up(found.unstable) > 0)
        return chunk.moved(up), bounded, up(analysis.empty) > 0

    def _suspects(self, region: Unsafe, points: Any) -> Any:
        values = self.model.run(points)
        excess = points @ region.x_rows.T + values @ region.y_rows.T - region.rhs
        return self.arrays.numpy(points[(excess <= 0).all(1)])

    def _branch(
        self,
        nodes: Assumptions,
        bounded: SplitBounds,
        left: Any,
        sizes: Any,
        region: Unsafe,
        stack: list[Assumptions],
        weights: list[Any],
    ) -> ViolatingInput | None:
        """Replaces the open nodes by their children. Nodes with nothing to split are decided one by one."""
        score = self.xp.where(bounded.unstable & self.splittable, bounded.loss + 1e-30, 0.0)
        leaf = left & ~(score > 0).any(1)
        go_on = left & ~leaf
        for number in np.flatnonzero(self.arrays.numpy(leaf | (left & self._beyond_cuts(bounded)))):
            found = self._leaf(nodes.take(slice(int(number), int(number) + 1)), region)
            if isinstance(found, ViolatingInput):
                return found
            self.share += float(sizes[number]) if found else 0.0
            if found:
                go_on[number] = False
            elif leaf[number]:
                self.stuck += 1
        if not bool(go_on.any()):
            return None
        kept, sizes = nodes.take(go_on), sizes[self.arrays.numpy(go_on)]
        score = score[go_on]
        neuron, cut = self._choice(kept, score, bounded.value[go_on], region)
        children, sizes = children_of(self.arrays, kept, neuron, cut), np.tile(sizes / 2, 2)
        if bool(self.curved.any()):
            children, sizes = self._more_cuts(children, sizes, score, neuron)
        stack.append(children)
        weights.append(sizes)
        return None

    def _more_cuts(
        self, children: Assumptions, sizes: Any, score: Any, neuron: Any
    ) -> tuple[Assumptions, Any]:
        """The children of few nodes are cut at once along the neurons that lose most after the first one: a
        batch of few costs nearly as much as one of many."""
        score = self.arrays.copy(score)
        while len(children) <= _FEW_CHILDREN:
            score[self.arrays.indices(np.arange(len(score))), neuron] = 0.0
            neuron = score.argmax(1)
            if not bool((score > 0).any(1).all()):
                break
            score = self.xp.concatenate([score, score])
            neuron = self.xp.concatenate([neuron, neuron])
            children = children_of(self.arrays, children, neuron, self.curved[neuron])
            sizes = np.tile(sizes / 2, 2)
        return children, sizes

    def _beyond_cuts(self, bounded: SplitBounds) -> Any:
        """Nodes with curved neurons whose relaxations lose little of what the bound lacks: no cut helps.
        Mostly the cuts contradict each other, which a linear program sees at once."""
        if not self.finish or not bool(self.curved.any()):
            return bounded.value != bounded.value
        return bounded.loss.sum(1) < -_LITTLE * bounded.value

    def _leaf(self, node: Assumptions, region: Unsafe) -> ViolatingInput | bool:
        """Whether a node without unstable ReLUs is free of the region, by an exact certificate."""
        if not self.finish:
            return False
        box = self.lower[0], self.upper[0]
        cell = Cell.of(self.model, *box, node.state, node.signs[0], region.ball, node.cuts[0])
        point = cell.meets(region)
        if isinstance(point, np.ndarray):
            return self.judge.confirm(self.case, point[None, :]) or False
        return point is False

    def _choice(self, nodes: Assumptions, score: Any, before: Any, region: Unsafe) -> tuple[Any, Any]:
        """Of the neurons with the highest scores, the one whose worse half improves the bound most, and
        whether it is to be cut in the middle rather than at zero."""
        xp, count = self.xp, len(nodes)
        if bool(self.curved.any()):  # a cut pays only once its multiplier has grown: no trial shows it
            neuron = score.argmax(1)
            return neuron, self.curved[neuron]
        best_gain = self.arrays.full((count,), -np.inf)
        chosen = score.argmax(1)
        chosen_cut = self.arrays.zeros((count,)) > 0
        rows = self.arrays.indices(np.arange(count))
        ceiling = 1e-3 + abs(before)
        if self.cutting:
            narrow = worth_cutting(self.model, self.arrays, nodes, self.reach, self.narrowest)
        else:
            narrow = self.arrays.zeros(nodes.signs.shape)
        left = {False: self.arrays.copy(score), True: narrow}
        tried = [False] * _TRIED + [True] * (_CUTS if bool((narrow > 0).any()) else 0)
        pieces, candidates = self._glances(nodes, region), []
        for cutting in tried:
            scores = left[cutting]
            neuron = scores.argmax(1)
            candidates.append((neuron, scores[rows, neuron] > 0, cutting))
            scores[rows, neuron] = 0.0
        for neuron, possible, cutting in candidates:
            value = self._halves(pieces, nodes, neuron, cutting, region)
            # Beyond "proved" nothing counts, or one easy half would outshine everything.
            value = xp.minimum(value, xp.concatenate([ceiling, ceiling]))
            low, high = xp.minimum(value[:count], value[count:]), xp.maximum(value[:count], value[count:])
            gain = xp.where(possible, low + 0.1 * high, -np.inf)
            better = gain > best_gain
            chosen = xp.where(better, neuron, chosen)
            chosen_cut = xp.where(better, self.curved[neuron] | cutting, chosen_cut)
            best_gain = xp.maximum(best_gain, gain)
        return chosen, chosen_cut

    def _glances(self, nodes: Assumptions, region: Unsafe) -> list[tuple[slice, Glance]]:
        """What trials need, in parts for the threads; nothing where trials are bounds of the children."""
        if not self.plain:
            return []
        count, pieces = len(nodes), _CHUNKS if len(nodes) >= 16 and self.arrays.device is None else 1
        parts = [slice(count * i // pieces, count * (i + 1) // pieces) for i in range(pieces)]
        box = self.lower, self.upper
        return [(part, Glance(self.model, *box, nodes.take(part), region)) for part in parts]

    def _halves(
        self,
        glances: list[tuple[slice, Glance]],
        nodes: Assumptions,
        neuron: Any,
        cutting: bool,
        region: Unsafe,
    ) -> Any:
        """About the bounds of both halves of every node, first all upper ones."""
        rows, state, xp = self.arrays.indices(np.arange(len(nodes))), nodes.state, self.xp
        if not glances:
            children = children_of(self.arrays, nodes, neuron, self.curved[neuron] | cutting)
            _, found, empty = self._bound(children, region, 0)
            return xp.where(empty, np.inf, found.value)
        low, high = state.low[rows, neuron], state.high[rows, neuron]
        middle = (low + high) * 0.5 if cutting else low * 0.0

        def one(piece: tuple[slice, Glance]) -> tuple[Any, Any]:
            part, glance = piece
            return glance.halves(neuron[part], middle[part])

        halves = list(self.pool.map(one, glances)) if len(glances) > 1 else [one(glances[0])]
        both = [*(upper for upper, _ in halves), *(lower for _, lower in halves)]
        return self.arrays.double(xp.concatenate(both))
