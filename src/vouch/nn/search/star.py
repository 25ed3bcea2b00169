"""Path enumeration with star sets: follows every feasible combination of ReLU signs, layer by layer.

A cell is the input box cut by the half-spaces of the signs chosen so far. The first unstable ReLU is linear
in the inputs there; linear programs tell which signs it can take. A cell that bounds already clear of every
region is dropped early; a cell with all signs fixed is decided by one linear program for each region.
Complete for ReLU networks, up to violations within round-off.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.errors import Unsupported
from vouch.nn.bounds.ascent import is_relu
from vouch.nn.bounds.forward import State, analyse, fresh
from vouch.nn.bounds.model import Model
from vouch.nn.bounds.outputs import fed_box
from vouch.nn.bounds.region import Unsafe, exclude
from vouch.nn.property import Array, Case
from vouch.nn.search.cells import Cell
from vouch.nn.search.outcome import Outcome
from vouch.nn.search.task import Clock, Judge


@dataclass(slots=True)
class _Path:
    low: Array
    high: Array
    signs: Array
    share: float


class StarSearch:
    """One case. With `prune` False, cells are followed to the end whatever the bounds say: plain enumeration,
    the slow opponent of everything else."""

    def __init__(self, model: Model, case: Case, judge: Judge, clock: Clock, *, prune: bool = True) -> None:
        if model.products or not all(is_relu(model, index) for index in model.activations):
            raise Unsupported("path enumeration of a network with other non-linear functions than ReLU")
        if case.ball is not None and case.ball.norm != "l1":
            raise Unsupported("path enumeration over a Euclidean ball")
        self.model, self.case, self.judge, self.clock, self.prune = model, case, judge, clock, prune
        self.lower, self.upper = fed_box(model, case)
        self.regions = [Unsafe.of(model, case, rows) for rows in case.regions]
        self.paths = self.stuck = 0
        self.share = 0.0

    def run(self) -> Outcome:
        start = fresh(self.model, 1)
        stack = [_Path(start.low[0], start.high[0], np.zeros(self.model.neurons), 1.0)]
        while stack:
            if self.clock.over:
                return Outcome(None, min(self.share, 1 - 1e-12), self.paths, self.stuck, None)
            path = stack.pop()
            found = self._follow(path, stack)
            if found is not None:
                return Outcome(found, self.share, self.paths, self.stuck, None)
        proved = 1.0 if self.stuck == 0 else min(self.share, 1 - 1e-12)
        return Outcome(None, proved, self.paths, self.stuck, None)

    def _follow(self, path: _Path, stack: list[_Path]) -> Any:
        """Decides the path, or splits it at its first unstable ReLU; returns a confirmed violation."""
        state = State(path.low[None, :].copy(), path.high[None, :].copy())
        ball = self.regions[0].ball if self.regions else None
        analysis = analyse(self.model, self.lower[None, :], self.upper[None, :], state, ball=ball)
        path.low, path.high = state.low[0], state.high[0]
        if bool(analysis.empty[0]):
            return self._closed(path)
        if self.prune and all(len(exclude(analysis, region).index) == 0 for region in self.regions):
            return self._closed(path)
        copied = State(state.low.copy(), state.high.copy())
        cell = Cell(self.model, self.lower, self.upper, copied, path.signs, ball)
        for neuron in self._first(path):
            below, above = cell.least(neuron, 1.0), cell.least(neuron, -1.0)
            if cell.empty(below):
                return self._closed(path)
            path.low[neuron] = max(path.low[neuron], below.bound)
            path.high[neuron] = min(path.high[neuron], -above.bound)
            if path.low[neuron] < 0 < path.high[neuron]:
                return self._split(path, neuron, stack)
        if np.any((path.low < 0) & (path.high > 0)) or cell.relaxed:
            # These signs are known now; what comes after them was relaxed too widely, so look again.
            stack.append(path)
            return None
        return self._leaf(path, cell)

    def _first(self, path: _Path) -> list[int]:
        """The unstable neurons of the first layer that has any; all before them are fixed."""
        unstable = (path.low < 0) & (path.high > 0)
        for part in self.model.slots.values():
            if unstable[part].any():
                return [part.start + int(place) for place in np.flatnonzero(unstable[part])]
        return []

    def _split(self, path: _Path, neuron: int, stack: list[_Path]) -> None:
        for sign in (-1.0, 1.0):
            child = _Path(path.low.copy(), path.high.copy(), path.signs.copy(), path.share / 2)
            child.signs[neuron] = sign
            if sign > 0:
                child.low[neuron] = 0.0
            else:
                child.high[neuron] = 0.0
            stack.append(child)

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
        return self._closed(path)

    def _closed(self, path: _Path) -> None:
        self.paths += 1
        self.share += path.share
