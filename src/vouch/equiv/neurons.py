"""Branch and bound over ReLU phases, for networks with many inputs.

A node fixes the phases of some neurons. Batched forms close what they can; the rest is asked of the cell's
certified linear program, whose optimum also names the neuron to split next and an input worth trying.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from vouch.equiv.forms import Array, Cells, Phases
from vouch.equiv.margins import assess, joint
from vouch.equiv.outcome import Confirm, Deadline, Outcome, Probe, Witness
from vouch.equiv.pair import Dense, Pair
from vouch.equiv.property import Epsilon, Property, Top
from vouch.equiv.region import Region
from vouch.equiv.relaxation import CellProgram, Linear, Symbol
from vouch.verdict import Verdict

BATCH = 16
# After so many programs without an end in sight, a thorough search for a violation is worth its time.
PROBE_AFTER = 8


@dataclass(frozen=True, slots=True)
class Node:
    """Phases fixed so far: (network, layer, neuron) → +1 or −1."""

    fixed: tuple[tuple[int, int, int, int], ...] = ()

    def also(self, symbol: Symbol, phase: int) -> Node:
        return Node((*self.fixed, (symbol.network, symbol.layer, symbol.neuron, phase)))


@dataclass(frozen=True, slots=True, eq=False)
class _Open:
    """What is left of a node: its worst bound, the objective behind it and where it is attained."""

    bound: float
    objective: Linear
    point: Array


def phases_of(network: Dense, which: int, nodes: list[Node]) -> Phases:
    """Phase arrays [B, m] per hidden layer for a batch of nodes."""
    arrays = tuple(np.zeros((len(nodes), layer.size), dtype=np.int8) for layer in network.layers[:-1])
    for row, node in enumerate(nodes):
        for owner, layer, neuron, phase in node.fixed:
            if owner == which:
                arrays[layer][row, neuron] = phase
    return arrays


def prove(
    pair: Pair,
    region: Region,
    prop: Property,
    confirm: Confirm,
    deadline: Deadline,
    *,
    unit: float = 0.0,
    probe: Probe | None = None,
) -> Outcome:
    """Decide the property by splitting neurons. Complete up to round-off."""
    search = _Search(pair, region, prop, confirm, unit)
    open_nodes = [Node()]
    while open_nodes:
        if deadline.passed:
            return Outcome(Verdict.TIMEOUT, statistics=search.statistics)
        batch, open_nodes = open_nodes[-BATCH:], open_nodes[:-BATCH]
        for node in search.unproved(batch):
            if deadline.passed:
                return Outcome(Verdict.TIMEOUT, statistics=search.statistics)
            children = search.split(node)
            if search.witness is None and probe is not None and search.statistics["programs"] >= PROBE_AFTER:
                search.witness, probe = probe(), None
            if search.witness is not None:
                return Outcome(Verdict.DIFFERENT, witness=search.witness, statistics=search.statistics)
            open_nodes.extend(children)
    if search.stuck:
        return Outcome(Verdict.UNKNOWN, reason=search.stuck, statistics=search.statistics)
    bound = search.closed if isinstance(prop, Epsilon) else None
    return Outcome(Verdict.EQUIVALENT, bound=bound, statistics=search.statistics)


class _Search:
    def __init__(self, pair: Pair, region: Region, prop: Property, confirm: Confirm, unit: float) -> None:
        self.pair, self.region, self.prop, self.confirm, self.unit = pair, region, prop, confirm, unit
        self.closed = -np.inf
        self.stuck: str | None = None
        self.witness: Witness | None = None
        self.statistics: dict[str, float] = {"nodes": 0, "programs": 0}

    def unproved(self, nodes: list[Node]) -> list[Node]:
        """Nodes that the forms alone do not settle."""
        count = len(nodes)
        self.statistics["nodes"] += count
        cells = Cells.of(
            np.repeat(self.region.lower[None, :], count, axis=0),
            np.repeat(self.region.upper[None, :], count, axis=0),
            self.region,
        )
        phases = (phases_of(self.pair.reference, 0, nodes), phases_of(self.pair.test, 1, nodes))
        forms = joint(self.pair, cells, unit=self.unit, phases=phases, related=self.pair.related)
        report = assess(self.prop, forms)
        self.closed = max(self.closed, float(report.bound[report.proved].max(initial=-np.inf)))
        self._try(report.worst[~report.proved])
        return [node for node, proved in zip(nodes, report.proved, strict=True) if not proved]

    def split(self, node: Node) -> list[Node]:
        """Close the node by linear programming, or split it in two."""
        cell = CellProgram(
            self.pair,
            self.region,
            self.region.lower,
            self.region.upper,
            (phases_of(self.pair.reference, 0, [node]), phases_of(self.pair.test, 1, [node])),
            self.unit,
        )
        self.statistics["programs"] += 1
        left = self._left(cell)
        if left is None:
            return []
        self._try(cell.input_of(left.point)[None, :])
        if self.witness is not None:
            return []
        candidates = cell.gaps(left.point, left.objective)
        if not candidates:
            self.stuck = "a linear piece is within round-off of the limit"
            return []
        _, symbol = max(candidates, key=lambda pair: pair[0])
        return [node.also(symbol, -1), node.also(symbol, 1)]

    def _left(self, cell: CellProgram) -> _Open | None:
        match self.prop:
            case Epsilon(norm="linf"):
                return self._distance(cell)
            case Epsilon():
                return self._manhattan(cell)
            case Top():
                return self._ranking(cell, self.prop.k)

    def _distance(self, cell: CellProgram) -> _Open | None:
        worst: _Open | None = None
        limit = self.prop.epsilon  # type: ignore[union-attr]
        for r, t in zip(cell.reference, cell.test, strict=True):
            for objective in (r.minus(t), t.minus(r)):
                bound, point = cell.decide(objective, limit)
                if bound > limit and (worst is None or bound > worst.bound):
                    worst = _Open(bound, objective, point if point is not None else _middle(cell))
                elif bound <= limit:
                    self.closed = max(self.closed, bound)
        return worst

    def _manhattan(self, cell: CellProgram) -> _Open | None:
        """All sign patterns that the single outputs leave open; each is one program."""
        limit = self.prop.epsilon  # type: ignore[union-attr]
        gaps = [r.minus(t) for r, t in zip(cell.reference, cell.test, strict=True)]
        worst: _Open | None = None
        signs = [[s for s in (1.0, -1.0) if cell.decide(gap.scaled(s), 0.0)[0] > 0] or [1.0] for gap in gaps]
        totals = [gaps[0].scaled(0.0)]
        for gap, allowed in zip(gaps, signs, strict=True):
            totals = [total.minus(gap.scaled(-s)) for total in totals for s in allowed]
        for objective in totals:
            bound, point = cell.decide(objective, limit)
            if bound > limit and (worst is None or bound > worst.bound):
                worst = _Open(bound, objective, point if point is not None else _middle(cell))
            elif bound <= limit:
                self.closed = max(self.closed, bound)
        return worst

    def _ranking(self, cell: CellProgram, k: int) -> _Open | None:
        """For every class j the reference may choose: can k others be above it in the test network?"""
        outputs = len(cell.reference)
        worst: _Open | None = None
        if k >= outputs:
            return None
        for j in range(outputs):
            ahead = [cell.reference[j].minus(cell.reference[i]) for i in range(outputs) if i != j]
            if min(cell.quick(lead) for lead in ahead) < 0:
                continue
            cell.at_most_zero(*(lead.scaled(-1.0) for lead in ahead))
            found = self._beaten(cell, j, k)
            cell.program.cut(cell.base)
            if found is not None and (worst is None or found.bound > worst.bound):
                worst = found
        return worst

    def _beaten(self, cell: CellProgram, j: int, k: int) -> _Open | None:
        rivals = []
        for i in range(len(cell.test)):
            if i != j:
                objective = cell.test[i].minus(cell.test[j])
                bound, point = cell.decide(objective, 0.0)
                if bound >= 0:
                    rivals.append(_Open(bound, objective, point if point is not None else _middle(cell)))
        if len(rivals) < k:
            return None
        rivals.sort(key=lambda rival: -rival.bound)
        if k == 1 or comb(len(rivals), k) > 40:
            return rivals[k - 1]
        worst: _Open | None = None
        mark = cell.program.mark()
        for group in combinations(rivals, k):
            cell.at_most_zero(*(rival.objective.scaled(-1.0) for rival in group))
            total = group[0].objective
            for rival in group[1:]:
                total = total.minus(rival.objective.scaled(-1.0))
            bound, point = cell.decide(total, 0.0)
            cell.program.cut(mark)
            if bound >= 0 and (worst is None or bound > worst.bound):
                worst = _Open(bound, total, point if point is not None else _middle(cell))
        return worst

    def _try(self, points: Array) -> None:
        """Evaluate suspicious inputs; keep the first that is confirmed as a violation."""
        points = points[self.region.inside(points)] if len(points) else points
        if self.witness is not None or not len(points):
            return
        r, t = self.pair.reference.evaluate(points), self.pair.test.evaluate(points)
        for index in np.flatnonzero(self.prop.violated(r, t))[:2]:
            self.witness = self.witness or self.confirm(points[index])


def _middle(cell: CellProgram) -> Array:
    return np.zeros(cell.columns)
