"""Path enumeration with star sets: follows every feasible combination of ReLU signs, layer by layer.

A cell is the input box cut by the half-spaces of the signs chosen so far. The first unstable ReLU is linear
in the inputs there; linear programs tell which signs it can take. A cell with all signs fixed is decided by
one linear program for each region. Complete for ReLU networks, up to violations within round-off.

From any cell on, the rest of the network can be over-approximated and all regions excluded there, which ends
the path early. When to try is the strategy's choice (Kleine Büning 2022, 12):

- `exact`: never, only whole paths are checked;
- `first`: after every split, by linear programs that hold the triangle relaxation of every ReLU;
- `approx`: after every split, by bounds over the box around the cell;
- `max`: not before the greatest depth at which any earlier path was closed;
- `less`: not before the depth of the previous path minus one;
- `oracle`: only where a run with `approx` has shown that it succeeds (a lower bound for all strategies).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from vouch.errors import Unsupported
from vouch.nn.bounds.ascent import is_relu
from vouch.nn.bounds.clear import RowTable, region_margins
from vouch.nn.bounds.forward import Analysis, ForwardState, analyse, fresh
from vouch.nn.bounds.model import BoundModel
from vouch.nn.bounds.outputs import fed_box
from vouch.nn.bounds.region import Unsafe
from vouch.nn.bounds.zonotope import Propagated, propagate
from vouch.nn.property import Array, Case
from vouch.nn.search.cells import Cell, input_program
from vouch.nn.search.milp import MilpEncoding
from vouch.nn.search.outcome import Outcome
from vouch.nn.search.task import Clock, Judge

# Up to this many inputs the box around a cell is recomputed by linear programs after each split.
_TIGHT_BOX = 10

Splits = tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Path:
    """The box around the cell, what is known of its neurons, and half-spaces a x + c <= 0 of its signs."""

    lower: Array
    upper: Array
    low: Array
    high: Array
    share: float
    rows: tuple[tuple[Array, float], ...] = ()
    splits: Splits = ()


@dataclass(slots=True)
class PathSchedule:
    """Remembers at which depth paths were closed, and says when to try an over-approximation."""

    strategy: str
    deepest: int = 0
    previous: int = 0
    known: frozenset[Splits] = frozenset()
    closed: list[Splits] = field(default_factory=list)

    def due(self, splits: Splits) -> bool:
        match self.strategy:
            case "exact":
                return False
            case "max":
                return len(splits) >= self.deepest
            case "less":
                return len(splits) >= self.previous - 1
            case "oracle":
                return splits in self.known
            case _:
                return True

    def close(self, splits: Splits) -> None:
        self.deepest = max(self.deepest, len(splits))
        self.previous = len(splits)
        self.closed.append(splits)


class StarSearch:
    """One case."""

    def __init__(
        self, model: BoundModel, case: Case, judge: Judge, clock: Clock, *, strategy: str = "approx"
    ) -> None:
        if model.products or not all(is_relu(model, index) for index in model.activations):
            raise Unsupported("path enumeration of a network with other non-linear functions than ReLU")
        if case.ball is not None and case.ball.norm != "l1":
            raise Unsupported("path enumeration over a Euclidean ball")
        if model.arrays.device is not None:
            raise Unsupported("path enumeration on another device")
        self.model, self.case, self.judge, self.clock = model, case, judge, clock
        self.schedule = PathSchedule(strategy)
        self.regions = [Unsafe.of(model, case, rows) for rows in case.regions]
        self.table = RowTable.of(self.regions)
        self.ball = self.regions[0].ball
        self.lower, self.upper = fed_box(model, case)
        self.program = input_program(self.lower, self.upper, self.ball)
        self.base = self.program.mark()
        self.loaded: tuple[tuple[Array, float], ...] = ()
        self.paths = self.stuck = 0
        self.share = 0.0

    def run(self) -> Outcome:
        if self.schedule.strategy == "oracle":
            scout = StarSearch(self.model, self.case, self.judge, self.clock)
            outcome = scout.run()
            if outcome.proved < 1.0:
                return outcome
            self.schedule.known = frozenset(scout.schedule.closed)
        start = fresh(self.model, 1)
        stack = [_Path(self.lower, self.upper, start.low[0], start.high[0], 1.0)]
        while stack:
            if self.clock.over:
                return Outcome(None, min(self.share, 1 - 1e-12), self.paths, self.stuck, None)
            found = self._follow(stack.pop(), stack)
            if found is not None:
                return Outcome(found, self.share, self.paths, self.stuck, None)
        proved = 1.0 if self.stuck == 0 else min(self.share, 1 - 1e-12)
        return Outcome(None, proved, self.paths, self.stuck, None)

    def _follow(self, path: _Path, stack: list[_Path]) -> Any:
        """Decides the path, or splits it at its first unstable ReLU; returns a confirmed violation."""
        while True:
            state = ForwardState(path.low[None, :].copy(), path.high[None, :].copy())
            seen, analysis = self._seen(path, state)
            if bool(analysis.empty[0]):
                return self._closed(path)
            low, high = state.low[0], state.high[0]
            self._load(path)
            cell = Cell(self.model, analysis, self.program)
            if self.schedule.due(path.splits) and self._excluded(path, cell, seen):
                self.schedule.close(path.splits)
                return self._closed(path)
            split = self._settled(cell, low, high, seen.felt(low, high))
            if split is None:
                return self._closed(path)
            path = replace(path, low=low, high=high)
            if split >= 0:
                stack.extend(self._children(path, cell, split))
                return None
            if not cell.relaxed:
                return self._leaf(path, cell)
            # These signs are known now; what comes after them was relaxed too widely, so look again.

    def _seen(self, path: _Path, state: ForwardState) -> tuple[Propagated, Analysis]:
        """Both kinds of bounds over the box around the cell. Zonotopes know no ball, but are quicker."""
        box = path.lower[None, :], path.upper[None, :]
        if self.ball is not None:
            analyse(self.model, *box, state, ball=self.ball)
        seen = propagate(self.model, *box, state)
        return seen, analyse(self.model, *box, state, "interval")

    def _settled(self, cell: Cell, low: Array, high: Array, felt: Array) -> int | None:
        """Bounds of the unstable neurons of the first layer that has any, up to one that takes both signs,
        which is returned; -1 if there is none, None if the cell is empty. What is `felt` most comes first."""
        for neuron in self._first(low, high, felt):
            for factor in (1.0, -1.0):
                least = cell.least(neuron, factor)
                if cell.empty(least):
                    return None
                if factor > 0:
                    low[neuron] = max(low[neuron], least.bound)
                else:
                    high[neuron] = min(high[neuron], -least.bound)
                if not low[neuron] < 0 < high[neuron]:
                    break
            else:
                return neuron
        return -1

    def _first(self, low: Array, high: Array, felt: Array) -> list[int]:
        """The unstable neurons of the first layer that has any; all before them are fixed."""
        for part in self.model.slots.values():
            unstable = np.flatnonzero((low[part] < 0) & (high[part] > 0)) + part.start
            if len(unstable):
                return [int(n) for n in unstable[np.argsort(-felt[unstable], kind="stable")]]
        return []

    def _load(self, path: _Path) -> None:
        """Bring the linear program to the path's cell, keeping the rows that the last one has in common."""
        same = 0
        for mine, theirs in zip(self.loaded, path.rows, strict=False):
            if mine is not theirs:
                break
            same += 1
        self.program.cut(self.base + same)
        inputs = self.model.inputs
        for a, c in path.rows[same:]:
            self.program.add(np.pad(a, (0, self.program.columns - inputs)), np.array([-c]))
        self.loaded = path.rows
        lower, upper = self.program.lower.copy(), self.program.upper.copy()
        lower[:inputs], upper[:inputs] = path.lower, path.upper
        self.program.set_box(lower, upper)

    def _children(self, path: _Path, cell: Cell, neuron: int) -> list[_Path]:
        children = []
        for sign in (-1.0, 1.0):
            low, high = path.low.copy(), path.high.copy()
            if sign > 0:
                low[neuron] = 0.0
            else:
                high[neuron] = 0.0
            row = cell.form(neuron, -sign)
            splits = (*path.splits, (neuron, sign))
            child = replace(
                path, low=low, high=high, share=path.share / 2, rows=(*path.rows, row), splits=splits
            )
            tightened = self._tightened(child)
            if tightened is None:
                self._closed(child)
            else:
                children.append(tightened)
        return children

    def _tightened(self, path: _Path) -> _Path | None:
        """The path with a smaller box around its cell; None if the cell is certainly empty."""
        a, c = path.rows[-1]
        lower, upper = path.lower.copy(), path.upper.copy()
        # What one input may use is what the others, at their best, leave over.
        ends = np.minimum(a * lower, a * upper)
        room = -c - (ends.sum() - ends) + 1e-9 * (np.abs(ends).sum() + abs(c))
        with np.errstate(divide="ignore", invalid="ignore"):
            cut = room / a
        upper = np.where(a > 0, np.minimum(upper, np.where(a > 0, cut, np.inf)), upper)
        lower = np.where(a < 0, np.maximum(lower, np.where(a < 0, cut, -np.inf)), lower)
        if (lower > upper).any():
            self._load(path)
            if self.program.certify_infeasible():
                return None
            return path
        path = replace(path, lower=lower, upper=upper)
        return self._boxed(path, a) if self.model.inputs <= _TIGHT_BOX else path

    def _boxed(self, path: _Path, a: Array) -> _Path | None:
        """The box by linear programs, in the directions in which the newest half-space can have cut much."""
        self._load(path)
        lower, upper = path.lower.copy(), path.upper.copy()
        lean = np.abs(a) * (upper - lower)
        for axis in np.flatnonzero(lean > 0.1 * lean.sum()):
            unit = np.zeros(self.program.columns)
            unit[axis] = 1.0
            answer = self.program.minimise(unit)
            if answer.status == "infeasible" and self.program.certify_infeasible():
                return None
            lower[axis] = max(lower[axis], answer.bound)
            upper[axis] = min(upper[axis], self.program.maximise(unit).bound)
        return replace(path, lower=lower, upper=np.maximum(lower, upper))

    def _excluded(self, path: _Path, cell: Cell, seen: Propagated) -> bool:
        """Whether no region is met in the cell, by an over-approximation: over the box around it, then by a
        linear program over the cell (with the triangles of all ReLUs, if the strategy is `first`)."""
        margins = region_margins(self.table, seen, path.lower[None, :], path.upper[None, :])[0]
        left = [region for region, margin in zip(self.regions, margins, strict=True) if not margin > 0]
        if self.schedule.strategy == "first":
            return all(self._by_program(path, cell.analysis, region) for region in left)
        return all(cell.meets(region) is False for region in left)

    def _by_program(self, path: _Path, analysis: Analysis, region: Unsafe) -> bool:
        """The same with the triangle of every ReLU and the half-spaces of the path in one linear program."""
        encoding = MilpEncoding(self.model, analysis, region)
        wide = encoding.program.columns
        for a, c in path.rows:
            encoding.program.add(np.pad(a, (0, wide - len(a))), np.array([-c]))
        cost = np.zeros(wide)
        cost[-1] = 1.0
        found = encoding.program.minimise(cost)
        empty = found.status == "infeasible" and encoding.program.certify_infeasible()
        return empty or found.bound > 0

    def _leaf(self, path: _Path, cell: Cell) -> Any:
        for region in self.regions:
            point = cell.meets(region)
            if point is False:
                continue
            if isinstance(point, np.ndarray):
                found = self.judge.confirm(self.case, point[None, :])
                if found is not None:
                    return found
            self.stuck += 1
        self.schedule.close(path.splits)
        return self._closed(path)

    def _closed(self, path: _Path) -> None:
        self.paths += 1
        self.share += path.share
