"""Tightens the bounds of hidden neurons by branch and bound, before the property itself is looked at.

Layer by layer, each neuron whose sign is open gets a small search tree of its own: its lower and its upper
bound are two questions about the part of the network before it, and the weakest leaf of a question is split
again and again. All questions of a layer stand in common batches. What the leaves of a question have in
common holds without any assumption, so whatever a search does afterwards starts from tighter bounds; deep
networks, whose relaxations amplify every looseness of the first layers, gain most. Of most layers only signs
are asked; in one with few neurons alive, on whose values everything behind it hangs, also how large they get.

Work is counted in multiplications, not in seconds, so that the result does not depend on timing.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vouch.nn.bounds.ascent import is_relu
from vouch.nn.bounds.climb import Assumptions, SplitBounds, Units
from vouch.nn.bounds.forward import ForwardState
from vouch.nn.bounds.model import BoundModel
from vouch.nn.bounds.room import boxes_at_once, budget
from vouch.nn.bounds.splits import bound
from vouch.nn.bounds.trim import trimmed
from vouch.nn.lowered import Affine
from vouch.nn.property import Array, Ball
from vouch.nn.search.falsify import gradient

Indices: TypeAlias = NDArray[np.int64]

_FIRST_STEPS, _STEPS = 16, 4
# A step of a node costs as much as so many multiplications at least, a round so many more.
_LEAST_COST, _ROUND_COST, _DEVICE_ROUND_COST = 1e5, 3e7, 1e9
# Nodes that one thread takes at a time, so that their arrays stay in its cache; and on a device.
_CHUNK, _ON_DEVICE = 64, 4096
# Leaves that are split in one round, at least: so many of each question when few questions are left. A device
# takes more, because a round of few leaves takes it as long.
_ROUND, _ROUND_ON_DEVICE = 128, 2048
# The side of a neuron's interval whose share of the relaxation's looseness is below this is left as it is.
_SHARE = 0.25
# Neurons alive in a layer whose values are worth as much as their signs; how near their ends have to come to
# values that are reached, as a share of the interval, and how far they go towards these at a time.
_NARROW, _NEAR, _STEP = 6, 0.05, 0.5
# The work on such a layer is this many times that on another one.
_WEIGHT = 6.0
# Inputs that descend towards the ends of a neuron's values, and their steps.
_STARTS, _DESCENT = 32, 24
# A layer is left when this many rounds made its open neurons less than this much tighter.
_PATIENCE, _PROGRESS = 8, 0.01


class Refinement:
    """Tightens `state`, the bounds of one box without assumptions, in place."""

    def __init__(
        self,
        model: BoundModel,
        lower: Any,
        upper: Any,
        state: ForwardState,
        *,
        ball: Ball | None = None,
        jobs: int = 1,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self.model, self.lower, self.upper, self.state = model, lower, upper, state
        self.ball, self.jobs, self.stop = ball, jobs, stop
        self.arrays = model.arrays
        self.nodes = 0

    def run(self, work: float) -> None:
        """Spends at most about `work` multiplications, in equal parts on the layers that are left; a narrow
        one counts as several."""
        layers = [index for index in self.model.activations if self._refinable(index)]
        weights = [_WEIGHT if self._narrow(index) else 1.0 for index in layers]
        with ThreadPoolExecutor(self.jobs) as pool:
            for number, index in enumerate(layers):
                if self.stop():
                    break
                work -= self._layer(index, work * weights[number] / sum(weights[number:]), pool)

    def _narrow(self, index: int) -> bool:
        """Whether few neurons of a layer are alive."""
        alive = self.arrays.numpy(self.state.high[0, self.model.slots[index]]) > 0
        return bool(np.count_nonzero(alive) <= _NARROW) and self.ball is None

    def _refinable(self, index: int) -> bool:
        model = self.model
        return is_relu(model, index) and isinstance(model.node(model.node(index).input), Affine)

    def _layer(self, index: int, work: float, pool: ThreadPoolExecutor) -> float:
        """The work that was spent on the inputs of one activation."""
        part, source = self.model.slots[index], self.model.node(index).input
        if part.start == 0 and self.ball is None and len(self._sources(index)) == 0:
            return 0.0  # linear in the inputs: nothing to gain
        before, kept = trimmed(self.model.until(source), self._prefix(source))
        if before.neurons == 0:
            return 0.0  # all that comes before is linear in the box
        spent = 0.0
        low, high = (self.arrays.numpy(ends[0, part]) for ends in (self.state.low, self.state.high))
        narrow = self._narrow(index)
        neurons = np.flatnonzero((high > 0) & ((low < 0) | narrow))
        # The nearer an end is to zero, the more its neuron gains.
        neurons = neurons[np.argsort(np.minimum(-low, high)[neurons], kind="stable")]
        together = max(1, boxes_at_once(before, 4096) // 2)
        groups = -(-len(neurons) // together)
        for number in range(groups):
            some = neurons[number * together : (number + 1) * together]
            targets = self._targets(before, some, low[some], high[some]) if narrow else None
            question = _Questions(self, before, kept, part, some, pool, targets)
            spent += question.run((work - spent) / (groups - number))
            if self.stop():
                break
        return spent

    def _targets(self, before: BoundModel, neurons: Indices, low: Array, high: Array) -> Array:
        """For the questions about some neurons, where a bound is good enough for now: a part of the way to
        values that are reached, which limit every bound, and a sign that seems to hold in any case."""
        ends, reached = np.concatenate([low, -high]), self._reached(before, neurons)
        gap = reached - ends
        part = ends + _STEP * gap
        part = np.where((reached >= 0) & (part < 0), np.minimum(reached, 0.0), part)
        return np.where(gap > _NEAR * np.tile(high - low.clip(min=0), 2), part, ends)

    def _reached(self, before: BoundModel, neurons: Indices) -> Array:
        """The least values that a few descents reach, for all questions. Bounds beyond zero matter to no ReLU
        that is off."""
        rng, box = np.random.default_rng(0), (self.arrays.numpy(self.lower), self.arrays.numpy(self.upper))
        model = before.on_cpu()
        found = np.zeros(2 * len(neurons))
        for question in range(len(found)):
            row = np.zeros(model.outputs)
            row[neurons[question % len(neurons)]] = 1.0 if question < len(neurons) else -1.0
            points = box[0] + np.round(rng.random((_STARTS, model.inputs))) * (box[1] - box[0])
            for step in range(_DESCENT):
                values = model.lowered.values(points)
                slope = gradient(model, values, np.tile(row, (_STARTS, 1)))
                points = points - np.sign(slope) * (box[1] - box[0]) * (0.5 * 0.85**step)
                points = np.clip(points, *box)
            found[question] = float((model.run(points) @ row).min())
        found[len(neurons) :] = np.minimum(found[len(neurons) :], 0.0)
        return found

    def _prefix(self, source: int) -> ForwardState:
        neurons = self.model.until(source).neurons
        return ForwardState(self.state.low[:, :neurons], self.state.high[:, :neurons])

    def _sources(self, index: int) -> list[int]:
        """Activations that come before one."""
        return [other for other in self.model.activations if other < self.model.node(index).input]


@dataclass(slots=True)
class _Leaves:
    """Parts of the box that are still to be bounded: the question of each, its bound, the neuron to be split
    next (-1: none is open), and its assumptions with the parameters of its bound, in single precision."""

    owner: Indices
    value: Array
    split: Indices
    signs: Any
    slopes: Any
    multipliers: Any

    def take(self, chosen: Indices, index: Callable[[Indices], Any]) -> _Leaves:
        there = index(chosen)
        return _Leaves(
            self.owner[chosen],
            self.value[chosen],
            self.split[chosen],
            self.signs[there],
            self.slopes[there],
            self.multipliers[there],
        )


class _Questions:
    """The lower bounds of some neurons h and of their negatives, -h: question q and q + count."""

    def __init__(
        self,
        whole: Refinement,
        model: BoundModel,
        kept: Indices,
        part: slice,
        neurons: Indices,
        pool: ThreadPoolExecutor,
        targets: Array | None = None,
    ) -> None:
        """`targets`, one for each question, are where a bound is good enough; without them signs are."""
        self.whole, self.model, self.part, self.neurons, self.pool = whole, model, part, neurons, pool
        self.arrays, self.xp = model.arrays, model.arrays.xp
        self.count, here = len(neurons), self.arrays.device is None
        self.chunk, self.round = (_CHUNK, _ROUND) if here else (_ON_DEVICE, _ROUND_ON_DEVICE)
        self.round_cost = _ROUND_COST if here else _DEVICE_ROUND_COST
        both = (whole.state.low[0], whole.state.high[0])
        left = self.arrays.indices(kept)
        self.known = ForwardState(both[0][left][None, :], both[1][left][None, :])
        low, high = (self.arrays.numpy(ends[part])[neurons] for ends in both)
        self.low = self.found = np.concatenate([low, -high])
        self.values = targets is not None
        self.targets = np.zeros(2 * self.count) if targets is None else targets
        self.splittable = self._splittable()
        self.spent = 0.0
        # Forwards and backwards through every map, for each node and step; and what is not multiplication.
        self.cost = _LEAST_COST + 2.0 * sum(
            linear.rows * min(linear.columns, linear.terms)
            for node in model.lowered.nodes
            if isinstance(node, Affine)
            for linear in node.maps
        )

    def _splittable(self) -> Any:
        flags = np.zeros(self.model.neurons)
        for index, part in self.model.slots.items():
            flags[part] = is_relu(self.model, index)
        return self.arrays.array(flags) > 0

    def run(self, work: float) -> float:
        """The work spent; what was found is in the state."""
        if work <= 0:
            return 0.0
        leaves = self._first()
        self._write(leaves)
        most = max(256, budget() // (16 * max(1, self.model.neurons)))
        history = [self._looseness()]
        while self.spent < work and len(leaves.owner) < most and not self.whole.stop():
            chosen = self._chosen(leaves)
            if not len(chosen):
                break
            leaves = self._split(leaves, chosen)
            self._write(leaves)
            history.append(self._looseness())
            # Large trees advance slowly, and whole levels at a time.
            rounds = max(_PATIENCE, len(history) // 2) if self.values else _PATIENCE
            before = history[-1 - rounds] if len(history) > rounds else np.inf
            if history[-1] > (1 - _PROGRESS) * before:
                break
        return self.spent

    def _looseness(self) -> float:
        """How far relaxations by the bounds of the trees are from the ReLU, all neurons together."""
        low, high = self.found[: self.count], -self.found[self.count :]
        if self.values:
            return float((self.targets - self.found)[self._wanted()].sum())
        return float((-low * high / np.maximum(high - low, 1e-300)).sum())

    def _wanted(self) -> NDArray[np.bool_]:
        """Which questions are worth more work: of neurons without a sign, and not the far side alone."""
        near = -self.low[: self.count], -self.low[self.count :]
        open_ = (near[0] > 0) & (near[1] > 0)
        total = np.maximum(near[0] + near[1], 1e-300)
        share = np.concatenate([near[1] / total, near[0] / total])
        signs = np.tile(open_, 2) & (share >= _SHARE)
        if not self.values:
            return signs
        # How large a value gets matters in any case, how small only where it is never cut off at zero.
        sizes = np.concatenate([near[0] <= 0, near[1] > 0])
        wanted: NDArray[np.bool_] = (self.low < self.targets) & (signs | sizes)
        return wanted

    def _first(self) -> _Leaves:
        every = np.arange(2 * self.count)
        nothing = self.arrays.zeros((len(every), self.model.neurons))
        slopes = ((self.known.high > -self.known.low) * 1.0) + nothing
        return self._bounded(every, nothing, slopes, nothing + 0.0, _FIRST_STEPS, None)

    def _chosen(self, leaves: _Leaves) -> Indices:
        """The weakest leaves of every question that is worth it."""
        wanted = np.flatnonzero(self._wanted()[leaves.owner] & (leaves.split >= 0))
        order = wanted[np.lexsort((leaves.value[wanted], leaves.owner[wanted]))]
        owners = leaves.owner[order]
        begins = np.flatnonzero(np.r_[True, owners[1:] != owners[:-1]]) if len(owners) else owners
        rank = np.arange(len(order)) - np.repeat(begins, np.diff(np.r_[begins, len(order)]))
        return order[rank < max(1, self.round // max(1, len(begins)))]

    def _split(self, leaves: _Leaves, chosen: Indices) -> _Leaves:
        parents = leaves.take(chosen, self.arrays.indices)
        rest = leaves.take(np.setdiff1d(np.arange(len(leaves.owner)), chosen), self.arrays.indices)
        twice = self.arrays.indices(np.tile(np.arange(len(chosen)), 2))
        rows, count = np.arange(len(chosen)), len(chosen)
        signs, split = parents.signs[twice], self.arrays.indices(parents.split)
        signs[self.arrays.indices(rows), split] = 1.0
        signs[self.arrays.indices(rows + count), split] = -1.0
        children = self._bounded(
            np.tile(parents.owner, 2),
            signs,
            parents.slopes[twice],
            parents.multipliers[twice],
            _STEPS,
            np.tile(parents.value, 2),
        )
        join = self.xp.concatenate
        return _Leaves(
            np.concatenate([rest.owner, children.owner]),
            np.concatenate([rest.value, children.value]),
            np.concatenate([rest.split, children.split]),
            join([rest.signs, children.signs]),
            join([rest.slopes, children.slopes]),
            join([rest.multipliers, children.multipliers]),
        )

    def _bounded(
        self, owner: Indices, signs: Any, slopes: Any, multipliers: Any, steps: int, parents: Array | None
    ) -> _Leaves:
        """Bounds of leaves, at least those of their parents; leaves that are empty or beyond their target are
        left out: they leave no doubt about the sign of their neuron, or are not its weakest part."""

        def one(start: int) -> tuple[SplitBounds, Any, Assumptions]:
            some = slice(start, start + self.chunk)
            nodes = self._nodes(signs[some], slopes[some], multipliers[some])
            goal = self._goal(owner[some])
            box = self.whole.lower, self.whole.upper
            found, analysis = bound(self.model, *box, nodes, goal, steps, self.whole.stop)
            return found, analysis.empty, nodes

        starts = range(0, len(owner), self.chunk)
        found = list(self.pool.map(one, starts)) if len(starts) > 1 else [one(0)]
        self.spent += self.cost * len(owner) * (steps + 2) + self.round_cost
        self.whole.nodes += len(owner)
        numpy, join = self.arrays.numpy, self.xp.concatenate
        value = np.concatenate([numpy(b.value) for b, _, _ in found])
        value = np.where(np.isnan(value), -np.inf, value)  # infinities that met: nothing is known
        if parents is not None:
            value = np.maximum(value, parents)
        score = join([self.xp.where(b.unstable & self.splittable, b.loss + 1e-30, 0.0) for b, _, _ in found])
        split = np.where(numpy((score > 0).any(1)), numpy(score.argmax(1)), -1)
        empty = np.concatenate([numpy(e) for _, e, _ in found])
        made = _Leaves(
            owner,
            value,
            split,
            join([self.arrays.single(n.signs) for _, _, n in found]),
            join([self.arrays.single(n.slopes) for _, _, n in found]),
            join([self.arrays.single(n.multipliers) for _, _, n in found]),
        )
        return made.take(np.flatnonzero(~empty & (value < self.targets[owner])), self.arrays.indices)

    def _goal(self, owner: Indices) -> Units:
        neurons = self.arrays.indices(self.neurons[owner % self.count])
        signs = self.arrays.array(np.where(owner < self.count, 1.0, -1.0))
        return Units(neurons, signs, self.whole.ball)

    def _nodes(self, signs: Any, slopes: Any, multipliers: Any) -> Assumptions:
        xp, double = self.xp, self.arrays.double
        signs = double(signs)
        low = xp.where(signs > 0, self.known.low.clip(min=0), self.known.low)
        high = xp.where(signs < 0, self.known.high.clip(max=0), self.known.high)
        even = self.arrays.full((len(signs), 1), 1.0)
        none = self.arrays.zeros(signs.shape)
        return Assumptions(ForwardState(low, high), signs, none, double(slopes), double(multipliers), even)

    def _write(self, leaves: _Leaves) -> None:
        """What holds in all leaves of a question holds without assumptions."""
        self.found = self.targets.copy()
        np.minimum.at(self.found, leaves.owner, leaves.value)
        self.low = np.maximum(self.low, self.found)
        # Without a leaf nothing is left below the target.
        state, at = self.whole.state, self.arrays.indices(self.part.start + self.neurons)
        low, high = self.arrays.array(self.low[: self.count]), self.arrays.array(-self.low[self.count :])
        state.low[0, at] = self.xp.maximum(state.low[0, at], low)
        state.high[0, at] = self.xp.minimum(state.high[0, at], high)
