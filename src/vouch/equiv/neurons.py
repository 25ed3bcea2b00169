"""Branch and bound over ReLU phases, for networks with many inputs.

A node fixes the phases of some neurons. Batched forms close what they can; the rest is asked of the cell's
certified linear program, whose optimum also names the neuron to split next and an input worth trying.

A property is a list of questions ("can output 3 differ by more than ε upwards?"). What a node has answered
holds in all nodes below it; the question that made it split is asked first there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, product

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
PROBE_AFTER = 2


# A question: sign by output for a distance, (class, rival, ...) for a ranking.
Question = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Node:
    """Phases fixed so far, (network, layer, neuron, ±1); questions answered; the one that is open."""

    fixed: tuple[tuple[int, int, int, int], ...] = ()
    answered: frozenset[Question] = frozenset()
    hot: Question | None = None

    def also(self, symbol: Symbol, phase: int) -> Node:
        return replace(self, fixed=(*self.fixed, (symbol.network, symbol.layer, symbol.neuron, phase)))


@dataclass(frozen=True, slots=True, eq=False)
class _Open:
    """An open question of a node: the objective behind it and where it is attained."""

    question: Question
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
        batch, open_nodes = open_nodes[-BATCH:], open_nodes[:-BATCH]
        for node in search.unproved(batch):
            if deadline.passed:
                return Outcome(Verdict.TIMEOUT, statistics=search.statistics)
            if search.witness is None and probe is not None and search.statistics["programs"] >= PROBE_AFTER:
                search.witness, probe = probe(), None
            if search.witness is None:
                open_nodes.extend(search.split(node))
            if search.witness is not None:
                return Outcome(Verdict.DIFFERENT, witness=search.witness, statistics=search.statistics)
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
        answered = set(node.answered)
        left = self._left(cell, answered, node.hot)
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
        node = Node(node.fixed, frozenset(answered), left.question)
        return [node.also(symbol, -1), node.also(symbol, 1)]

    def _left(self, cell: CellProgram, answered: set[Question], hot: Question | None) -> _Open | None:
        """The first question that stays open; those that do not are added to `answered`."""
        match self.prop:
            case Epsilon():
                return self._distance(cell, self.prop, answered, hot)
            case Top():
                return self._ranking(cell, self.prop.k, answered, hot)

    def _distance(
        self, cell: CellProgram, prop: Epsilon, answered: set[Question], hot: Question | None
    ) -> _Open | None:
        gaps = [r.minus(t) for r, t in zip(cell.reference, cell.test, strict=True)]
        for question in _first(hot, self._signs(cell, gaps, prop.norm)):
            if question in answered:
                continue
            objective = gaps[0].scaled(0.0)
            for sign, gap in zip(question, gaps, strict=True):
                if sign:
                    objective = objective.minus(gap.scaled(-float(sign)))
            bound, point = cell.decide(objective, prop.epsilon)
            if bound > prop.epsilon:
                return _Open(question, objective, point if point is not None else _middle(cell))
            self.closed = max(self.closed, bound)
            answered.add(question)
        return None

    def _signs(self, cell: CellProgram, gaps: list[Linear], norm: str) -> Iterator[Question]:
        """One output, up or down, for the Chebyshev norm; every open sign pattern for the Manhattan norm."""
        if norm == "linf":
            for k in range(len(gaps)):
                for sign in (1, -1):
                    yield tuple(sign if i == k else 0 for i in range(len(gaps)))
            return
        # A sign that is impossible drops out: its absolute value is the other sign's.
        open_signs = [[s for s in (1, -1) if cell.quick(gap.scaled(float(s))) > 0] or [1] for gap in gaps]
        yield from product(*open_signs)

    def _ranking(
        self, cell: CellProgram, k: int, answered: set[Question], hot: Question | None
    ) -> _Open | None:
        """For every class j the reference may choose: can k others be above it in the test network?"""
        outputs = len(cell.reference)
        order = _first((hot[0],) if hot else None, ((j,) for j in range(outputs)))
        for (j,) in order:
            if (j,) in answered:
                continue
            ahead = [cell.reference[j].minus(cell.reference[i]) for i in range(outputs) if i != j]
            if min(cell.quick(lead) for lead in ahead) >= 0:
                cell.at_most_zero(*(lead.scaled(-1.0) for lead in ahead))
                found = self._beaten(cell, j, k, answered, hot)
                cell.program.cut(cell.base)
                if found is not None:
                    return found
            answered.add((j,))
        return None

    def _beaten(
        self, cell: CellProgram, j: int, k: int, answered: set[Question], hot: Question | None
    ) -> _Open | None:
        """A group of k rivals that may all be above j; None if there is no such group."""
        leads = {i: cell.test[i].minus(cell.test[j]) for i in range(len(cell.test)) if i != j}
        ranked = sorted((i for i in leads if cell.quick(leads[i]) >= 0), key=lambda i: -cell.quick(leads[i]))
        groups = ((j, *group) for group in combinations(ranked, k))
        for question in _first(hot if hot and hot[0] == j else None, groups):
            members = question[1:]
            if question in answered or any((j, i) in answered for i in members):
                continue
            found = self._all_above(cell, leads, question)
            if found is not None:
                return found
            answered.add(question)
            if k > 1:
                # One rival that is out by itself answers every group it is in.
                for i in members:
                    if (j, i) not in answered and self._all_above(cell, leads, (j, i)) is None:
                        answered.add((j, i))
        return None

    def _all_above(self, cell: CellProgram, leads: dict[int, Linear], question: Question) -> _Open | None:
        members = question[1:]
        mark = cell.program.mark()
        total = leads[members[0]]
        for i in members[1:]:
            total = total.minus(leads[i].scaled(-1.0))
        if len(members) > 1:
            cell.at_most_zero(*(leads[i].scaled(-1.0) for i in members))
        bound, point = cell.decide(total, 0.0)
        cell.program.cut(mark)
        if bound < 0:
            return None
        return _Open(question, total, point if point is not None else _middle(cell))

    def _try(self, points: Array) -> None:
        """Evaluate suspicious inputs; keep the first that is confirmed as a violation."""
        points = points[self.region.inside(points)] if len(points) else points
        if self.witness is not None or not len(points):
            return
        r, t = self.pair.reference.evaluate(points), self.pair.test.evaluate(points)
        for index in np.flatnonzero(self.prop.violated(r, t))[:2]:
            self.witness = self.witness or self.confirm(points[index])


def _first(question: Question | None, others: Iterator[Question]) -> Iterator[Question]:
    """The question, if there is one, then all others."""
    if question is not None:
        yield question
    for other in others:
        if other != question:
            yield other


def _middle(cell: CellProgram) -> Array:
    return np.zeros(cell.columns)
