"""Branch and bound over ReLU phases, for networks with many inputs.

A node fixes the phases of some neurons. Batched forms close what they can; the rest is asked of the cell's
certified linear program, whose optimum also names the neuron to split next and an input worth trying.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace

import numpy as np

from vouch.equiv.forms import Array, Cells, Known, Limits, Phases
from vouch.equiv.margins import assess, joint
from vouch.equiv.outcome import Confirm, Finding, Probe, Witness
from vouch.equiv.pair import Chain, Pair
from vouch.equiv.property import Epsilon, Property
from vouch.equiv.questions import Asker, OpenQuestion, Question
from vouch.equiv.region import Region
from vouch.equiv.relaxation import CellProgram, Symbol
from vouch.equiv.team import ALONE_ONLY, Team
from vouch.equiv.tighten import tightened
from vouch.nn.search.task import Clock
from vouch.verdict import Verdict

BATCH = 16
# After so many programs without an end in sight, a thorough search for a violation is worth its time.
PROBE_AFTER = 2
# Neurons that are tried out before one is split; fewer in programs with more columns than suit so many.
TRIED, TRIED_COLUMNS = 16, 2400


@dataclass(frozen=True, slots=True)
class Branch:
    """Phases fixed so far, (network, layer, neuron, ±1); questions answered; the one that is open."""

    fixed: tuple[tuple[int, int, int, int], ...] = ()
    answered: frozenset[Question] = frozenset()
    hot: Question | None = None

    def also(self, symbol: Symbol, phase: int) -> Branch:
        return replace(self, fixed=(*self.fixed, (symbol.network, symbol.layer, symbol.neuron, phase)))


def phases_of(network: Chain, which: int, nodes: list[Branch]) -> Phases:
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
    clock: Clock,
    *,
    unit: float = 0.0,
    probe: Probe | None = None,
    limit: int | None = None,
    team: Team = ALONE_ONLY,
) -> Finding:
    """Decide the property by splitting neurons, with at most `limit` linear programs. Complete up to
    round-off if there is no limit."""
    search = Search(pair, region, prop, confirm, unit, probe, limit)
    search.prepare(clock)
    team.finish(search, clock)
    if search.witness is not None:
        return Finding(Verdict.DIFFERENT, witness=search.witness, statistics=search.statistics)
    if search.exhausted:
        return Finding(Verdict.UNKNOWN, reason=f"{limit} programs were not enough")
    if search.is_open:
        return Finding(Verdict.TIMEOUT, statistics=search.statistics)
    if search.stuck:
        return Finding(Verdict.UNKNOWN, reason=search.stuck, statistics=search.statistics)
    bound = search.asker.closed if isinstance(prop, Epsilon) else None
    return Finding(Verdict.EQUIVALENT, bound=bound, statistics=search.statistics)


@dataclass(frozen=True, slots=True)
class Left:
    """What one part of a search has come to."""

    nodes: list[Branch]
    closed: float
    stuck: str | None
    statistics: dict[str, float]


class Search:
    """Bounds nodes and keeps what was found: `witness`, `stuck`, and proved distances in `asker`."""

    def __init__(
        self,
        pair: Pair,
        region: Region,
        prop: Property,
        confirm: Confirm,
        unit: float,
        probe: Probe | None = None,
        limit: int | None = None,
    ) -> None:
        self.pair, self.region, self.prop, self.confirm, self.unit = pair, region, prop, confirm, unit
        self.probe, self.limit = probe, limit
        self.asker = Asker(prop)
        self.limits: tuple[Limits | None, Limits | None] = (None, None)
        self.nodes = [Branch()]
        self.stuck: str | None = None
        self.witness: Witness | None = None
        self.statistics: dict[str, float] = {"nodes": 0, "programs": 0}

    @property
    def is_open(self) -> bool:
        return bool(self.nodes)

    @property
    def exhausted(self) -> bool:
        return self.limit is not None and self.is_open and self.statistics["programs"] >= self.limit

    def prepare(self, clock: Clock) -> None:
        """Close what is quickly closed. If it is going to take longer: look for a violation, then tighten
        all bounds once."""
        self.run(clock, programs=PROBE_AFTER)
        if not self.is_open or self.witness is not None or clock.over or self.exhausted:
            return
        self.witness = self.probe() if self.probe is not None else None
        if self.witness is None:
            self.limits = tightened(self.pair, self.region, clock.share(0.3), unit=self.unit)

    def run(self, until: Clock, programs: int | None = None) -> None:
        """Work on the open nodes, with at most so many programs in all. At least one node is split, however
        short the time: several short runs come to an end like one long one."""
        start = self.statistics["programs"]
        limit = min(np.inf if limit is None else limit for limit in (programs, self.limit))

        def over() -> bool:
            count = self.statistics["programs"]
            return self.witness is not None or count >= limit or (count > start and until.over)

        while self.is_open and not over():
            batch, self.nodes = self.nodes[-BATCH:], self.nodes[:-BATCH]
            for node in self.unproved(batch):
                self.nodes.extend([node] if over() else self.split(node, until))

    def divided(self, parts: int) -> list[Search]:
        """Every part gets nodes of all depths."""
        return [self._part(self.nodes[k::parts]) for k in range(min(parts, len(self.nodes)))]

    def _part(self, nodes: list[Branch]) -> Search:
        part = Search(self.pair, self.region, self.prop, self.confirm, self.unit)
        part.limits, part.nodes = self.limits, nodes
        return part

    def left(self) -> Left:
        return Left(self.nodes, self.asker.closed, self.stuck, self.statistics)

    def merge(self, lefts: list[Left]) -> None:
        self.nodes = []
        for left in lefts:
            self.nodes += left.nodes
            self.asker.closed = max(self.asker.closed, left.closed)
            self.stuck = self.stuck or left.stuck
            for name, value in left.statistics.items():
                self.statistics[name] += value

    def unproved(self, nodes: list[Branch]) -> list[Branch]:
        """Nodes that the forms alone do not settle."""
        count = len(nodes)
        self.statistics["nodes"] += count
        cells = Cells.of(
            np.repeat(self.region.lower[None, :], count, axis=0),
            np.repeat(self.region.upper[None, :], count, axis=0),
            self.region,
        )
        forms = joint(self.pair, cells, unit=self.unit, known=self.known(nodes), related=self.pair.related)
        report = assess(self.prop, forms)
        proved = float(report.bound[report.proved].max(initial=-np.inf))
        self.asker.closed = max(self.asker.closed, proved)
        self._try(report.worst[~report.proved])
        return [node for node, proved in zip(nodes, report.proved, strict=True) if not proved]

    def known(self, nodes: list[Branch]) -> tuple[Known, Known]:
        first = Known(phases_of(self.pair.reference, 0, nodes), self.limits[0])
        return first, Known(phases_of(self.pair.test, 1, nodes), self.limits[1])

    def split(self, node: Branch, until: Clock) -> list[Branch]:
        """Close the node by linear programming, or split it in two."""
        answered = set(node.answered)
        cell, left = self.settle(node, self.region.lower, self.region.upper, answered)
        if left is None or self.witness is not None:
            return []
        candidates = cell.gaps(
            left.point if left.point is not None else np.zeros(cell.columns), left.objective
        )
        if not candidates:
            inner = self.asker.inner_point(cell, left)
            self._try(cell.input_of(inner)[None, :] if inner is not None else np.zeros((0, cell.inputs)))
        if self.witness is not None:
            return []
        if not candidates:
            self.stuck = "a linear piece is within round-off of the limit"
            return []
        symbol = self._promising(cell, left, candidates, until)
        node = Branch(node.fixed, frozenset(answered), left.question)
        return [node.also(symbol, -1), node.also(symbol, 1)]

    def _promising(
        self, cell: CellProgram, left: OpenQuestion, candidates: list[tuple[float, Symbol]], until: Clock
    ) -> Symbol:
        """Of the likeliest neurons, the one whose phases lower the bound most, by trying them out."""
        tried = int(np.clip(TRIED_COLUMNS // cell.columns, 2, TRIED))
        likely = [symbol for _, symbol in heapq.nlargest(tried, candidates, key=lambda pair: pair[0])]
        if until.over:
            return likely[0]
        mark = cell.mark()
        cell.at_most_zero(*self.asker.conditions(cell, left.question))
        base = cell.estimate(left.objective)
        # What goes below the limit is closed: further down is no better.
        limit = self.prop.epsilon if isinstance(self.prop, Epsilon) else 0.0
        most = max(base - limit, 1e-9)

        def gain(symbol: Symbol) -> float:
            if until.over:
                return 0.0
            drops = []
            for phase in (-1, 1):
                inner = cell.mark()
                cell.at_most_zero(*cell.fixing(symbol, phase))
                drops.append(min(base - cell.estimate(left.objective), most))
                cell.cut(inner)
            return min(drops) + 0.5 * max(drops)

        best = max(likely, key=gain)
        cell.cut(mark)
        return best

    def settle(
        self, node: Branch, lower: Array, upper: Array, answered: set[Question]
    ) -> tuple[CellProgram, OpenQuestion | None]:
        """Ask the node's linear program; the question that stays open, if any. Its input is tried out."""
        cell = CellProgram(self.pair, self.region, lower, upper, self.known([node]), self.unit)
        self.statistics["programs"] += 1
        left = self.asker.ask(cell, answered, node.hot)
        if left is not None and left.point is not None:
            self._try(cell.input_of(left.point)[None, :])
        return cell, left

    def _try(self, points: Array) -> None:
        """Evaluate suspicious inputs; keep the first that is confirmed as a violation."""
        points = points[self.region.inside(points)] if len(points) else points
        if self.witness is not None or not len(points):
            return
        r, t = self.pair.reference.evaluate(points), self.pair.test.evaluate(points)
        for index in np.flatnonzero(self.prop.violated(r, t))[:2]:
            self.witness = self.witness or self.confirm(points[index])
