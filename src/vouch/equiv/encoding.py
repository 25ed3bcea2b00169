"""Two networks and a property as a mixed-integer linear program for HiGHS (Thesis 11.2, 11.3).

ReLUs are encoded with big-M constants from tight bounds; the order of outputs by rows of a permutation
matrix, only as many as the property looks at; chosen outputs get the bounds of their context group. The
program maximises the violation, or minimises the radius at which there is one.

A float solver's answer is a suggestion here. What it claims is replayed (a violation) or certified by
other means (its absence).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from vouch.equiv.forms import Array, Limits
from vouch.equiv.pair import Dense, Pair
from vouch.equiv.property import Avoid, Epsilon, Property, Top
from vouch.equiv.region import Region
from vouch.nn.highs import library, silent_model
from vouch.nn.search.task import Clock

# A unique maximum of the reference is larger than the others by at least this much.
UNIQUE = 1e-5


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The solver's word: best `value` with its `input` (None if there is none), and its `bound`."""

    value: float
    bound: float
    input: Array | None
    finished: bool


class Encoding:
    """Variables are numbered by HiGHS; a vector of neurons is an array of variable numbers."""

    def __init__(self, pair: Pair, region: Region, limits: tuple[Limits, Limits]) -> None:
        self._h = library()
        self.model = silent_model()
        self.lower: list[float] = []
        self.upper: list[float] = []
        self.region = region
        self.inputs = [self.variable(a, b) for a, b in zip(region.lower, region.upper, strict=True)]
        self.distances: list[int] = []
        self._restrict(region)
        self.r = self._network(pair.reference, limits[0])
        self.t = self._network(pair.test, limits[1])

    # --- building blocks

    def variable(self, lower: float, upper: float, *, whole: bool = False) -> int:
        self.lower.append(float(lower))
        self.upper.append(float(upper))
        number = len(self.lower) - 1
        self.model.addVar(float(lower), float(upper))
        if whole:
            self.model.changeColIntegrality(number, self._h.HighsVarType.kInteger)
        return number

    def row(self, terms: dict[int, float], lower: float, upper: float) -> None:
        used = {v: c for v, c in terms.items() if c != 0.0}
        index = np.array(list(used), dtype=np.int32)
        value = np.array(list(used.values()), dtype=np.float64)
        self.model.addRow(lower, upper, len(used), index, value)

    def at_most(self, terms: dict[int, float], limit: float) -> None:
        self.row(terms, -self._h.kHighsInf, limit)

    def choose(self, choices: list[int], picks: list[int], low: float, high: float) -> int:
        """A variable that equals the choice whose pick (a binary; they sum to 1) is 1. `low` and `high` are
        the bounds of its context group, tighter than those of all choices together."""
        chosen = self.variable(low, high)
        for choice, pick in zip(choices, picks, strict=True):
            above = max(high - self.lower[choice], 0.0)
            below = max(self.upper[choice] - low, 0.0)
            self.at_most({chosen: 1.0, choice: -1.0, pick: above}, above)
            self.at_most({choice: 1.0, chosen: -1.0, pick: below}, below)
        return chosen

    def binaries(self, count: int) -> list[int]:
        return [self.variable(0.0, 1.0, whole=True) for _ in range(count)]

    # --- inputs and networks

    def _restrict(self, region: Region) -> None:
        if region.radius is not None and region.centre is not None:
            self._distances(region.centre)
            self.at_most(dict.fromkeys(self.distances, 1.0), region.radius)
        if region.rows is not None and region.rhs is not None:
            for row, right in zip(region.rows, region.rhs, strict=True):
                self.at_most(dict(zip(self.inputs, row.tolist(), strict=True)), float(right))

    def _distances(self, centre: Array) -> None:
        for number, middle in zip(self.inputs, centre.tolist(), strict=True):
            reach = max(self.upper[number] - middle, middle - self.lower[number])
            far = self.variable(0.0, reach)
            self.at_most({number: 1.0, far: -1.0}, middle)
            self.at_most({number: -1.0, far: -1.0}, -middle)
            self.distances.append(far)

    def within(self, centre: Array, norm: str, largest: float) -> int:
        """A variable for the radius: no input is further from the centre."""
        radius = self.variable(0.0, largest)
        if norm == "l1":
            if not self.distances:
                self._distances(centre)
            self.at_most({**dict.fromkeys(self.distances, 1.0), radius: -1.0}, 0.0)
            return radius
        for number, middle in zip(self.inputs, centre.tolist(), strict=True):
            self.at_most({number: 1.0, radius: -1.0}, middle)
            self.at_most({number: -1.0, radius: -1.0}, -middle)
        return radius

    def _network(self, network: Dense, limits: Limits) -> list[int]:
        values: list[int | None] = list(self.inputs)
        for index, layer in enumerate(network.layers[:-1]):
            low, high = limits[index]
            sums = self._sums(layer.weights, layer.bias, values, low, high)
            values = [self._relu(s, a, b) for s, a, b in zip(sums, low.tolist(), high.tolist(), strict=True)]
        last = network.layers[-1]
        low, high = self._interval(last.weights, last.bias, values)
        return [s for s in self._sums(last.weights, last.bias, values, low, high) if s is not None]

    def _interval(self, weights: Array, bias: Array, values: list[int | None]) -> tuple[Array, Array]:
        low = np.array([self.lower[v] if v is not None else 0.0 for v in values])
        high = np.array([self.upper[v] if v is not None else 0.0 for v in values])
        up, down = np.maximum(weights, 0.0), np.minimum(weights, 0.0)
        return up @ low + down @ high + bias, up @ high + down @ low + bias

    def _sums(
        self, weights: Array, bias: Array, values: list[int | None], low: Array, high: Array
    ) -> list[int]:
        """One variable per linear combination (also of inactive neurons: their sign restricts the inputs
        no further, so these are skipped by `_relu`)."""
        sums = []
        for row, shift, a, b in zip(weights, bias.tolist(), low.tolist(), high.tolist(), strict=True):
            number = self.variable(a - 1e-7 * (1 + abs(a)), b + 1e-7 * (1 + abs(b)))
            terms = {v: float(w) for v, w in zip(values, row, strict=True) if v is not None}
            self.row({**terms, number: -1.0}, -shift, -shift)
            sums.append(number)
        return sums

    def _relu(self, before: int, low: float, high: float) -> int | None:
        """The variable after the ReLU; None stands for the constant 0."""
        if high <= 0:
            return None
        if low >= 0:
            return before
        after = self.variable(0.0, high)
        active = self.variable(0.0, 1.0, whole=True)
        self.at_most({before: 1.0, after: -1.0}, 0.0)
        self.at_most({after: 1.0, before: -1.0, active: -low}, -low)
        self.at_most({after: 1.0, active: -high}, 0.0)
        return after

    # --- properties

    def violation(self, prop: Property) -> int:
        """The variable that is positive (for ε: above ε) where the property is violated."""
        match prop:
            case Epsilon():
                return self._distance(prop)
            case Top():
                return self._ranking(prop.k)
            case Avoid():
                return self._depth(prop)

    def _depth(self, prop: Avoid) -> int:
        """How deep the outputs lie inside the polytope that is picked: at most any row's slack."""
        picks = self.binaries(len(prop.polytopes))
        self.row(dict.fromkeys(picks, 1.0), 1.0, 1.0)
        outputs = [*self.r, *self.t]
        low = np.array([self.lower[v] for v in outputs])
        high = np.array([self.upper[v] for v in outputs])
        rows = [np.hstack([p.reference, p.test]) for p in prop.polytopes]
        limits = [
            p.rhs - np.minimum(m * low, m * high).sum(axis=1)
            for p, m in zip(prop.polytopes, rows, strict=True)
        ]
        most = max(float(limit.max()) for limit in limits)
        least = min(
            float((p.rhs - np.maximum(m * low, m * high).sum(axis=1)).min())
            for p, m in zip(prop.polytopes, rows, strict=True)
        )
        depth = self.variable(least, most)
        for polytope, matrix, pick in zip(prop.polytopes, rows, picks, strict=True):
            for row, right in zip(matrix, polytope.rhs.tolist(), strict=True):
                terms = dict(zip(outputs, row.tolist(), strict=True))
                self.at_most({**terms, depth: 1.0, pick: most - least}, right + most - least)
        return depth

    def _distance(self, prop: Epsilon) -> int:
        sizes = [self._absolute(r, t) for r, t in zip(self.r, self.t, strict=True)]
        if prop.norm == "l1":
            total = self.variable(0.0, sum(self.upper[s] for s in sizes))
            self.row({**dict.fromkeys(sizes, 1.0), total: -1.0}, 0.0, 0.0)
            return total
        picks = self.binaries(len(sizes))
        self.row(dict.fromkeys(picks, 1.0), 1.0, 1.0)
        return self.choose(sizes, picks, 0.0, max(self.upper[s] for s in sizes))

    def _absolute(self, r: int, t: int) -> int:
        low, high = self.lower[r] - self.upper[t], self.upper[r] - self.lower[t]
        size = self.variable(0.0, max(high, -low, 0.0))
        self.at_most({r: 1.0, t: -1.0, size: -1.0}, 0.0)
        self.at_most({t: 1.0, r: -1.0, size: -1.0}, 0.0)
        if low >= 0:
            self.at_most({size: 1.0, r: -1.0, t: 1.0}, 0.0)
        elif high <= 0:
            self.at_most({size: 1.0, t: -1.0, r: 1.0}, 0.0)
        else:
            positive = self.variable(0.0, 1.0, whole=True)
            self.at_most({size: 1.0, r: -1.0, t: 1.0, positive: -2 * low}, -2 * low)
            self.at_most({size: 1.0, t: -1.0, r: 1.0, positive: -2 * high}, 0.0)
        return size

    def _ranking(self, k: int) -> int:
        """k-th largest output of the test network minus its output for the reference's unique maximum."""
        picks = self.binaries(len(self.r))
        self.row(dict.fromkeys(picks, 1.0), 1.0, 1.0)
        best = self.choose(self.r, picks, *self._group(self.r, 0))
        for output, pick in zip(self.r, picks, strict=True):
            # pick = 0: best ≥ output + UNIQUE.
            self.at_most({output: 1.0, best: -1.0, pick: -UNIQUE}, -UNIQUE)
        low, high = min(self.lower[t] for t in self.t), max(self.upper[t] for t in self.t)
        mine = self.choose(self.t, picks, low, high)
        ranked = self._largest(k)
        score = self.variable(low - high, high - low)
        self.row({ranked[-1]: 1.0, mine: -1.0, score: -1.0}, 0.0, 0.0)
        return score

    def _largest(self, k: int) -> list[int]:
        """The k largest outputs of the test network, by the first k rows of a permutation matrix."""
        rows = [self.binaries(len(self.t)) for _ in range(k)]
        for picks in rows:
            self.row(dict.fromkeys(picks, 1.0), 1.0, 1.0)
        ranked = [self.choose(self.t, picks, *self._group(self.t, i)) for i, picks in enumerate(rows)]
        for higher, next_one in itertools.pairwise(ranked):
            self.at_most({next_one: 1.0, higher: -1.0}, 0.0)
        for j, output in enumerate(self.t):
            column = {picks[j]: 1.0 for picks in rows}
            self.at_most(column, 1.0)
            slack = max(self.upper[output] - self.lower[ranked[-1]], 0.0)
            self.at_most({output: 1.0, ranked[-1]: -1.0, **dict.fromkeys(column, -slack)}, 0.0)
        return ranked

    def _group(self, outputs: list[int], rank: int) -> tuple[float, float]:
        """Bounds of the (rank+1)-th largest of some variables: that of their bounds, sorted."""
        low = sorted((self.lower[v] for v in outputs), reverse=True)
        high = sorted((self.upper[v] for v in outputs), reverse=True)
        return low[rank], high[rank]

    # --- solving

    def optimise(self, variable: int, clock: Clock, *, maximise: bool) -> Found:
        """Maximise or minimise one variable."""
        self.model.changeColCost(variable, 1.0)
        sense = self._h.ObjSense.kMaximize if maximise else self._h.ObjSense.kMinimize
        self.model.changeObjectiveSense(sense)
        if np.isfinite(clock.left):
            self.model.setOptionValue("time_limit", float(clock.left))
        self.model.run()
        info = self.model.getInfo()
        status = self.model.getModelStatus()
        finished = status in (self._h.HighsModelStatus.kOptimal, self._h.HighsModelStatus.kInfeasible)
        if info.primal_solution_status != self._h.SolutionStatus.kSolutionStatusFeasible:
            worst = -np.inf if maximise else np.inf
            return Found(worst, worst if finished else -worst, None, finished)
        values = np.array(self.model.getSolution().col_value)
        return Found(
            float(values[variable]), float(info.mip_dual_bound), values[self.inputs].copy(), finished
        )
