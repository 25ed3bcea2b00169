"""A new input near a given one that raises the coverage, found by search, or the proof that there is none.

The new input forms pairs with all inputs of the data set. The search tries samples and inputs that just
change the sign of one neuron, then changes the best of them; the proof halves the input set and bounds, for
each part, the neurons that its inputs can cover at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from vouch.nn.arrays import Array
from vouch.nn.cover.intervals import Interval, Intervals
from vouch.nn.cover.methods import Bools, Method, Metrics
from vouch.nn.cover.potentials import Potentials
from vouch.nn.property import Case
from vouch.nn.search.falsify import gradient, projected, samples
from vouch.nn.search.task import Clock

_BATCH = 64  # parts of the input set that are bounded together
_NUMBERS = 1 << 22  # numbers held at a time where new inputs meet the data set


class Raised(StrEnum):
    RAISED = "raised"
    IMPOSSIBLE = "impossible"
    UNKNOWN = "unknown"
    TIMEOUT = "timeout"


@dataclass(frozen=True, slots=True, eq=False)
class Raising:
    """The answer; `share` is what `input` reaches, or the best that was found, `bound` a proved limit of the
    share over all inputs of the set, `parts` how many parts of it were looked at."""

    answer: Raised
    input: Array | None
    share: float
    bound: float
    parts: int


@dataclass(frozen=True, slots=True, eq=False)
class Goal:
    """Coverage of at least `count` neurons by one method, where `covered` (by layer) are covered already.
    `values` are the potentials of the data set."""

    network: Potentials
    method: Method
    metrics: Metrics
    values: list[Array]
    covered: list[Bools]
    count: int

    @property
    def signed(self) -> bool:
        return self.method in ("ss", "ds")

    @property
    def single(self) -> bool:
        return self.method in ("ss", "sv")

    def reached(self, rows: Array) -> Array:
        """How many neurons are covered when each of the rows by itself is added: [batch]."""
        widest = max(layer.shape[1] for layer in self.values) * len(self.values[0])
        size = max(1, _NUMBERS // widest)
        parts = [self._reached(rows[at : at + size]) for at in range(0, len(rows), size)]
        return np.concatenate(parts)

    def _reached(self, rows: Array) -> Array:
        new = self.network.of(rows)
        covered = [np.repeat(layer[None, :], len(rows), 0) for layer in self.covered]
        for before, place in self.network.adjacent:
            self._step(before, place, new, covered)
        return np.asarray(np.sum([layer.sum(1) for layer in covered], axis=0))

    def _step(self, before: int, place: int, new: list[Array], covered: list[Bools]) -> None:
        own, other = new[before] >= 0, self.values[before] >= 0
        changes = own[:, None, :] ^ other[None, :, :]
        row, old = np.nonzero(changes.sum(2) == (1 if self.single else 0))
        if not self.single:
            apart = self.metrics.distant(new[before][row], self.values[before][old])
            row, old = row[apart], old[apart]
        first, second = new[place][row], self.values[place][old]
        change = (first >= 0) ^ (second >= 0)
        hit = change if self.signed else self.metrics.value_change(first, second, change)
        np.logical_or.at(covered[place], row, hit)
        if self.single:
            condition = changes[row, old].argmax(1)
            np.logical_or.at(covered[before], (row, condition), hit.any(1))

    def limit(self, layers: list[Interval]) -> Array:
        """At most how many neurons any input can cover whose potentials lie in these intervals: [batch]."""
        possible = [np.repeat(layer[None, :], len(layers[0][0]), 0) for layer in self.covered]
        conditions = np.zeros(len(layers[0][0]))
        for before, place in self.network.adjacent:
            may, must = self._changes(before, layers)
            decisions, forced = self._decisions(place, layers), must.sum(2)
            if self.single:
                alone = np.where((forced == 1)[:, :, None], must, may & (forced == 0)[:, :, None])
                open_ = np.asarray(alone.any(2))
                # A pair of inputs has one condition in a layer, whatever may change there.
                useful = np.asarray(decisions.any(2))
                fresh = alone & ~self.covered[before] & useful[:, :, None]
                conditions += np.minimum(fresh.any(1).sum(1), fresh.any(2).sum(1))
            else:
                open_ = (forced == 0) & self._apart(before, layers)
            possible[place] |= (decisions & open_[:, :, None]).any(1)
        return np.asarray(np.sum([layer.sum(1) for layer in possible], axis=0) + conditions)

    def _changes(self, place: int, layers: list[Interval]) -> tuple[Bools, Bools]:
        """Where the sign of a neuron may, and must, differ from that of an input of the data set."""
        low, high = layers[place]
        positive = self.values[place] >= 0
        up, down = (high >= 0)[:, None, :], (low < 0)[:, None, :]
        return np.where(positive, down, up), np.where(positive, ~up, ~down)

    def _decisions(self, place: int, layers: list[Interval]) -> Bools:
        may, must = self._changes(place, layers)
        if self.signed:
            return may
        if self.metrics.ratio <= 1:
            return ~must
        low, high = layers[place]
        size = np.abs(self.values[place])
        furthest = np.maximum(np.abs(low), np.abs(high))[:, None, :]
        nearest = np.where((low <= 0) & (high >= 0), 0.0, np.minimum(np.abs(low), np.abs(high)))[:, None, :]
        wide = (furthest >= self.metrics.ratio * size) | (size >= self.metrics.ratio * nearest)
        return np.asarray(~must & wide)

    def _apart(self, place: int, layers: list[Interval]) -> Bools:
        low, high = layers[place]
        known = self.values[place]
        gap = np.maximum(np.abs(low[:, None, :] - known), np.abs(high[:, None, :] - known))
        if self.metrics.norm == "each":
            return np.asarray((gap > self.metrics.distance).all(2))
        return np.asarray(np.sqrt((gap * gap).sum(2)) * (1 + 2.0**-40) > self.metrics.distance)


def raise_coverage(goal: Goal, case: Case, clock: Clock, seed: int = 0) -> Raising:
    """Decide whether an input of the set reaches the goal."""
    total = goal.network.neurons
    intervals = Intervals(goal.network)
    best, share = _search(goal, intervals, case, clock, seed)
    if best is not None and share >= goal.count:
        return Raising(Raised.RAISED, best, share / total, 1.0, 0)
    proof = _Proof(goal, intervals, case)
    while proof.open and not clock.over:
        found = proof.step()
        if found is not None:
            share = float(goal.reached(found[None, :])[0])
            return Raising(Raised.RAISED, found, share / total, 1.0, proof.parts)
    if not proof.open:
        return Raising(Raised.IMPOSSIBLE, None, share / total, (goal.count - 1) / total, proof.parts)
    return Raising(Raised.TIMEOUT, None, share / total, proof.limit / total, proof.parts)


class _Proof:
    """Parts of the input set that may still hold an input that reaches the goal, most promising first."""

    def __init__(self, goal: Goal, intervals: Intervals, case: Case) -> None:
        self.goal, self.intervals, self.case = goal, intervals, case
        self.width = np.where(case.upper > case.lower, case.upper - case.lower, 1.0)
        self.open: list[tuple[float, Array, Array]] = [(goal.network.neurons, case.lower, case.upper)]
        self.parts = 0

    @property
    def limit(self) -> float:
        return max(limit for limit, _, _ in self.open)

    def step(self) -> Array | None:
        """Bound some parts; halve those that are left. An input that reaches the goal ends the search."""
        count = max(1, min(_BATCH, _NUMBERS // (self.goal.network.neurons * len(self.goal.values[0]))))
        taken, self.open = self.open[-count:], self.open[:-count]
        lower, upper = np.array([low for _, low, _ in taken]), np.array([high for _, _, high in taken])
        self.parts += len(taken)
        limits = self.goal.limit(self.intervals.of(lower, upper))
        left = np.flatnonzero(limits >= self.goal.count)
        middles = projected(self.case, (lower[left] + upper[left]) * 0.5)
        if len(left):
            reached = self.goal.reached(middles)
            for place in np.flatnonzero(reached >= self.goal.count):
                if self.case.contains(middles[place]):
                    return np.asarray(middles[place])
        for place in left:
            self._halve(float(limits[place]), lower[place], upper[place])
        self.open.sort(key=lambda part: part[0])
        return None

    def _halve(self, limit: float, lower: Array, upper: Array) -> None:
        axis = int(((upper - lower) / self.width).argmax())
        middle = (lower[axis] + upper[axis]) * 0.5
        if not lower[axis] < middle < upper[axis]:
            middle = lower[axis]  # neighbouring numbers: each end by itself
        first, second = upper.copy(), lower.copy()
        first[axis] = middle
        second[axis] = middle if middle > lower[axis] else upper[axis]
        for low, high in ((lower, first), (second, upper)):
            if _meets(self.case, low, high):
                self.open.append((limit, low, high))


def _meets(case: Case, lower: Array, upper: Array) -> bool:
    """Not certainly outside of the ball."""
    ball = case.ball
    if ball is None:
        return True
    near = np.clip(ball.centre, lower, upper)
    free = ball.scale > 0
    steps = np.abs(near - ball.centre)[free] / ball.scale[free]
    distance = steps.sum() if ball.norm == "l1" else np.sqrt((steps**2).sum())
    return bool(distance <= ball.radius * (1 + 1e-9) + 1e-12)


def _search(
    goal: Goal, intervals: Intervals, case: Case, clock: Clock, seed: int
) -> tuple[Array | None, float]:
    """The best input that was tried, and how many neurons it covers."""
    rng = np.random.default_rng(seed)
    points = np.vstack([samples(case, rng, 1024), _flips(goal, intervals, case, rng)])
    best, count = None, 0.0
    for round_ in range(24):
        reached = goal.reached(points)
        order = np.argsort(-reached, kind="stable")[:32]
        for place in order:
            if reached[place] > count and case.contains(points[place]):
                best, count = points[place], float(reached[place])
        if count >= goal.count or clock.over:
            break
        parents = np.repeat(points[order], 24, 0)
        size = (case.upper - case.lower) * 0.5 * 0.75**round_
        moved = parents + rng.standard_normal(parents.shape) * size * (rng.random(parents.shape) < 0.3)
        points = projected(case, np.vstack([points[order], moved]))
    return best, count


def _flips(goal: Goal, intervals: Intervals, case: Case, rng: np.random.Generator, most: int = 128) -> Any:
    """Inputs on the way from the middle of the set to where one neuron's potential is largest or smallest."""
    middle = projected(case, (case.lower + case.upper)[None, :] * 0.5)
    if intervals.model is None:
        return middle
    values = intervals.model.lowered.values(middle)
    targets = [(layer.node, k) for layer in goal.network.layers for k in range(layer.size)]
    chosen = rng.permutation(len(targets))[:most]
    steps = np.geomspace(2.0**-12, 1.0, 24)[:, None]
    found = [middle]
    for node, neuron in (targets[i] for i in chosen):
        row = np.zeros((1, goal.network.lowered.nodes[node].size))
        row[0, neuron] = -1.0 if values[node][0, neuron] >= 0 else 1.0
        slope = gradient(intervals.model, values, row, node)
        end = np.where(slope > 0, case.upper, np.where(slope < 0, case.lower, middle))
        found.append(projected(case, middle + (end - middle) * steps))
    return np.vstack(found)
