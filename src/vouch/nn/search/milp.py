"""Mixed-integer programming: the whole network as linear constraints, ReLU phases as binary choices.

Variables are the inputs, the input and the output of every ReLU, and the elastic `s` that all rows of the
region may exceed by; the least s is the margin. HiGHS solves the integer program (big-M with tightened
bounds) to find violations. Its word that there is none is not taken for a proof: a tree of linear
relaxations is searched, each node closed only by a certified dual bound or an exact certificate.
Affine nodes hold up to their noise, so the proof is for the network as it is run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.errors import Unsupported
from vouch.nn.bounds.ascent import is_relu
from vouch.nn.bounds.forward import Analysis, analyse, fresh
from vouch.nn.bounds.model import BoundModel
from vouch.nn.bounds.outputs import fed_box
from vouch.nn.bounds.region import Unsafe
from vouch.nn.highs import add_rows, library, silent_model
from vouch.nn.lowered import Activation, Affine
from vouch.nn.lp import LinearProgram
from vouch.nn.property import Array, Case
from vouch.nn.search.outcome import Outcome
from vouch.nn.search.task import Clock, Judge

# Dense entries above which the encoding is not worth its memory.
_MOST_ENTRIES = 20_000_000
# The share of the time, and the most seconds, of the first look at the tree.
_FIRST, _FIRST_SECONDS = 0.4, 60.0


class MilpSearch:
    """One case."""

    def __init__(self, model: BoundModel, case: Case, judge: Judge, clock: Clock, *, jobs: int = 1) -> None:
        if model.products or not all(is_relu(model, index) for index in model.activations):
            raise Unsupported("MILP encoding of a network with other non-linear functions than ReLU")
        if case.ball is not None and case.ball.norm != "l1":
            raise Unsupported("MILP encoding of a Euclidean ball")
        self.model, self.case, self.judge, self.clock, self.jobs = model, case, judge, clock, jobs
        self.nodes = self.stuck = 0

    def run(self) -> Outcome:
        lower, upper = fed_box(self.model, self.case)
        state = fresh(self.model, 1)
        analysis = analyse(self.model, lower[None, :], upper[None, :], state)
        bound = np.inf
        for number, rows in enumerate(self.case.regions):
            share = number / len(self.case.regions)
            encoding = MilpEncoding(self.model, analysis, Unsafe.of(self.model, self.case, rows))
            found = self._decide(encoding)
            if isinstance(found, float):
                bound = min(bound, found)
            elif found is not None:
                return Outcome(found, share, self.nodes, self.stuck, None)
            if self.clock.over:
                return Outcome(None, share, self.nodes, max(1, self.stuck), bound)
        return Outcome(None, 1.0 if self.stuck == 0 else 0.0, self.nodes, self.stuck, None)

    def _decide(self, encoding: MilpEncoding) -> Any:
        """The tree has a share of the time first: where it closes or meets a violation soon, that is quicker
        than the integer program. What it left open is taken up again after that."""
        stack: list[tuple[tuple[int, float], ...]] = [()]
        found = self._prove(encoding, stack, self.clock.share(_FIRST).within(_FIRST_SECONDS))
        if stack and isinstance(found, float):
            violation = self._violation(encoding)
            found = violation if violation is not None else self._prove(encoding, stack, self.clock)
        return found

    def _violation(self, encoding: MilpEncoding) -> Any:
        """What the integer program finds, if onnxruntime confirms it."""
        point = encoding.integer_solution(self.clock.share(0.5).within(3600.0), self.jobs)
        return None if point is None else self.judge.confirm(self.case, point[None, :])

    def _prove(self, encoding: MilpEncoding, stack: list[tuple[tuple[int, float], ...]], clock: Clock) -> Any:
        """Searches the tree of relaxations depth first, from the nodes on the stack. None when it is closed;
        a violation; or, when time runs out, the lowest bound met, with what is left on the stack."""
        lowest = np.inf
        while stack:
            if clock.over:
                return float(lowest)
            phases = stack.pop()
            self.nodes += 1
            value, point, branch = encoding.relaxation(phases)
            if value > 0:
                continue
            lowest = min(lowest, value)
            if point is not None:
                found = self.judge.confirm(self.case, point[None, :])
                if found is not None:
                    return found
            if branch is None:
                self.stuck += 1
                continue
            stack.extend(((*phases, (branch, -1.0)), (*phases, (branch, 1.0))))
        return None


def nearest_violation(
    model: BoundModel, case: Case, centre: Array, norm: str, margin: float, clock: Clock
) -> Array | None:
    """Inputs of the case as near to the centre as HiGHS finds any that lie in a region by `margin` or more:
    a suggestion, not a proof. The regions are tried one by one, sharing the time."""
    lower, upper = fed_box(model, case)
    analysis = analyse(model, lower[None, :], upper[None, :], fresh(model, 1))
    found: list[Array] = []
    for number, rows in enumerate(case.regions):
        if clock.over:
            break
        encoding = MilpEncoding(model, analysis, Unsafe.of(model, case, rows))
        own = clock.share(1.0 / (len(case.regions) - number))
        point = encoding.nearest(centre, norm, margin, own)
        if point is not None:
            found.append(point)
    size = (lambda x: np.abs(x - centre).sum()) if norm == "l1" else (lambda x: np.abs(x - centre).max())
    return min(found, key=size) if found else None


@dataclass(slots=True)
class _Columns:
    """Where the parts of the variable vector lie: each node's value, from `values` on the distances of the
    inputs from the centre of a ball, and `count`, where the excess stands."""

    start: dict[int, int]
    values: int
    count: int


class MilpEncoding:
    """The linear constraints of one case and one region."""

    def __init__(self, model: BoundModel, analysis: Analysis, region: Unsafe) -> None:
        self.model, self.analysis, self.region = model, analysis, region
        self.low, self.high = analysis.state.low[0], analysis.state.high[0]
        self.columns = self._columns()
        size = self.columns.count + 1
        lower, upper = np.full(size, -np.inf), np.full(size, np.inf)
        self.rows: list[Array] = []
        self.rhs: list[float] = []
        self._boxes(lower, upper)
        self._ball(lower, upper)
        self.ends: list[tuple[int, int, int]] = []
        for index, node in enumerate(model.lowered.nodes):
            if isinstance(node, Affine):
                self._affine(index, node)
            elif isinstance(node, Activation):
                self._relu(index, node)
        reach = self._region(lower, upper)
        lower[-1], upper[-1] = -reach, reach
        self.lower, self.upper = lower, upper
        self.program = LinearProgram(lower, upper)
        self.program.add(_sparse(self.rows), np.array(self.rhs))
        self.mark = self.program.mark()

    def _columns(self) -> _Columns:
        start, count, entries = {}, 0, 0
        for index, node in enumerate(self.model.lowered.nodes):
            start[index] = count
            count += node.size
            if isinstance(node, Affine):
                entries += sum(m.rows * m.columns for m in node.maps)
        if entries > _MOST_ENTRIES:
            raise Unsupported("a network too large for a MILP encoding")
        values = count
        if self.region.ball is not None:
            count += self.model.inputs
        return _Columns(start, values, count)

    def _boxes(self, lower: Array, upper: Array) -> None:
        """Bounds of every variable, from the analysis; intervals pass through the affine nodes."""
        known = self.analysis
        lows, highs = {0: known.lower[0]}, {0: known.upper[0]}
        for index, node in enumerate(self.model.lowered.nodes):
            if isinstance(node, Affine):
                middle, radius = node.bias, known.noise[index][0]
                for linear, source in zip(node.maps, node.inputs, strict=True):
                    half = (highs[source] - lows[source]) * 0.5
                    middle = middle + linear.apply((lows[source] + half)[None, :])[0]
                    radius = radius + linear.absolute().apply(half[None, :])[0]
                radius = radius * (1 + 1e-9) + 1e-9 * np.abs(middle)
                lows[index], highs[index] = middle - radius, middle + radius
            elif isinstance(node, Activation):
                part = self.model.slots[index]
                source = node.input
                lows[source] = np.maximum(lows[source], self.low[part])
                highs[source] = np.minimum(highs[source], self.high[part])
                lows[index], highs[index] = np.maximum(self.low[part], 0), np.maximum(self.high[part], 0)
        for index, node in enumerate(self.model.lowered.nodes):
            place = slice(self.columns.start[index], self.columns.start[index] + node.size)
            lower[place], upper[place] = lows[index], highs[index]

    def _ball(self, lower: Array, upper: Array) -> None:
        """The Manhattan ball: |x - centre| <= scale d for each input, all d together within the radius."""
        ball = self.region.ball
        if ball is None:
            return
        self.rows.append(np.zeros((1, self.columns.count + 1)))
        self.rows[-1][0, self.columns.values : self.columns.count] = ball.scale > 0
        self.rhs.append(float(ball.radius))
        for i, (centre, scale) in enumerate(zip(ball.centre, ball.scale, strict=True)):
            d = self.columns.values + i
            lower[d], upper[d] = 0.0, ball.radius
            if scale > 0:
                self._row({i: 1.0, d: -float(scale)}, float(centre))
                self._row({i: -1.0, d: -float(scale)}, -float(centre))

    def _affine(self, index: int, node: Affine) -> None:
        """|value - (M z + b)| <= noise."""
        size = self.columns.count + 1
        block = np.zeros((node.size, size))
        at = self.columns.start[index]
        block[:, at : at + node.size] = np.eye(node.size)
        for linear, source in zip(node.maps, node.inputs, strict=True):
            begin = self.columns.start[source]
            block[:, begin : begin + linear.columns] -= linear.dense()
        noise = self.analysis.noise[index][0]
        self.rows.extend((block, -block))
        self.rhs.extend((node.bias + noise).tolist())
        self.rhs.extend((noise - node.bias).tolist())

    def _relu(self, index: int, node: Activation) -> None:
        """Stable ReLUs are linear; unstable ones get the triangle."""
        part = self.model.slots[index]
        relaxation = self.analysis.relaxed[index]
        before, after = self.columns.start[node.input], self.columns.start[index]
        for place in range(node.size):
            low, high = self.low[part.start + place], self.high[part.start + place]
            h, z = before + place, after + place
            if high <= 0:
                continue  # the box of z is 0..0
            self._row({h: 1.0, z: -1.0}, 0.0)
            if low >= 0:
                self._row({h: -1.0, z: 1.0}, 0.0)
                continue
            slope = float(relaxation.high_slope[0, place])
            self._row({z: 1.0, h: -slope}, float(relaxation.high_shift[0, place]))
            self.ends.append((part.start + place, h, z))

    def _region(self, lower: Array, upper: Array) -> float:
        """Rows of the region, each allowed to exceed its limit by s; the largest excess possible."""
        region, reach = self.region, 1.0
        y = self.columns.start[self.model.output]
        for number in range(region.count):
            row = np.zeros((1, self.columns.count + 1))
            row[0, : self.model.inputs] += region.x_rows[number]
            row[0, y : y + self.model.outputs] += region.y_rows[number]
            ends = np.maximum(np.abs(lower[:-1]), np.abs(upper[:-1]))
            reach = max(reach, float(np.abs(row[0, :-1]) @ ends + abs(region.rhs[number])) * 2 + 1)
            row[0, -1] = -1.0
            self.rows.append(row)
            self.rhs.append(float(region.rhs[number]))
        return reach

    def _row(self, entries: dict[int, float], rhs: float) -> None:
        row = np.zeros((1, self.columns.count + 1))
        for column, value in entries.items():
            row[0, column] = value
        self.rows.append(row)
        self.rhs.append(rhs)

    def relaxation(self, phases: tuple[tuple[int, float], ...]) -> tuple[float, Array | None, int | None]:
        """(bound, input, neuron): a certified lower bound of the margin under the phases, the inputs where
        the relaxation is least, and the ReLU that is relaxed most there."""
        lower, upper = self.lower.copy(), self.upper.copy()
        where = {neuron: (h, z) for neuron, h, z in self.ends}
        self.program.cut(self.mark)
        for neuron, sign in phases:
            h, z = where[neuron]
            if sign > 0:
                lower[h] = 0.0
                row = np.zeros((1, len(lower)))
                row[0, z], row[0, h] = 1.0, -1.0
                self.program.add(row, np.zeros(1))
            else:
                upper[h] = upper[z] = 0.0
        self.program.set_box(lower, upper)
        cost = np.zeros(len(lower))
        cost[-1] = 1.0
        found = self.program.minimise(cost)
        if found.status == "infeasible":
            empty = self.program.certify_infeasible()
            return (np.inf if empty else found.bound), None, self._next(phases, None)
        return found.bound, self._input(found.point), self._next(phases, found.point)

    def _input(self, point: Array | None) -> Array | None:
        return None if point is None else point[: self.model.inputs]

    def _next(self, phases: tuple[tuple[int, float], ...], point: Array | None) -> int | None:
        fixed = {neuron for neuron, _ in phases}
        free = [(neuron, h, z) for neuron, h, z in self.ends if neuron not in fixed]
        if not free:
            return None
        if point is None:
            return free[0][0]
        gaps = [point[z] - max(point[h], 0.0) for _, h, z in free]
        return free[int(np.argmax(gaps))][0]

    def integer_solution(self, clock: Clock, jobs: int) -> Array | None:
        """Inputs of a solution of the integer program with s <= 0, in the float solver's opinion."""
        solver = self._integer(clock, jobs, 0.0)
        return self._solved(solver)

    def nearest(self, centre: Array, norm: str, margin: float, clock: Clock) -> Array | None:
        """Inputs as near to the centre as the solver finds any with s <= -margin."""
        solver = self._integer(clock, 1, -margin)
        inputs, first = self.model.inputs, solver.getNumCol()
        far = float(np.maximum(self.upper[:inputs] - centre, centre - self.lower[:inputs]).max())
        count = inputs if norm == "l1" else 1
        solver.addVars(count, np.zeros(count), np.full(count, far))
        rows = np.zeros((2 * inputs, first + count))
        for i in range(inputs):
            rows[2 * i, i], rows[2 * i + 1, i] = 1.0, -1.0
            rows[2 * i : 2 * i + 2, first + (i if norm == "l1" else 0)] = -1.0
        add_rows(solver, rows, np.stack([centre, -centre], axis=1).ravel())
        solver.changeColsCost(count, np.arange(first, first + count, dtype=np.int32), np.ones(count))
        return self._solved(solver)

    def _integer(self, clock: Clock, jobs: int, most: float) -> Any:
        """The integer program with s <= most."""
        highs, solver = library(), silent_model(jobs)
        if not clock.endless:
            solver.setOptionValue("time_limit", max(clock.left, 0.01))
        size, count = len(self.lower), len(self.ends)
        lower = np.concatenate([self.lower, np.zeros(count)])
        upper = np.concatenate([self.upper, np.ones(count)])
        upper[size - 1] = most
        solver.addVars(size + count, lower, upper)
        add_rows(solver, _wider(_sparse(self.rows), count), np.array(self.rhs))
        if count:
            rhs = np.array([[0.0, -self.low[n]] for n, _, _ in self.ends]).ravel()
            add_rows(solver, self._phases(size, count), rhs)
        for number in range(count):
            solver.changeColIntegrality(size + number, highs.HighsVarType.kInteger)
        return solver

    def _solved(self, solver: Any) -> Array | None:
        solver.run()
        feasible = library().SolutionStatus.kSolutionStatusFeasible
        if solver.getInfo().primal_solution_status != feasible:
            return None
        return np.array(solver.getSolution().col_value)[: self.model.inputs]

    def _phases(self, size: int, count: int) -> Any:
        """z <= u d and z <= h - l (1 - d) for each unstable ReLU with its binary d."""
        from scipy.sparse import coo_matrix

        row, column, value = [], [], []
        for number, (neuron, h, z) in enumerate(self.ends):
            low, high, d = self.low[neuron], self.high[neuron], size + number
            for at, entries in (
                (2 * number, ((z, 1.0), (d, -high))),
                (2 * number + 1, ((z, 1.0), (h, -1.0), (d, -low))),
            ):
                for where, factor in entries:
                    row.append(at)
                    column.append(where)
                    value.append(factor)
        places = np.array(row), np.array(column)
        return coo_matrix((np.array(value), places), shape=(2 * count, size + count)).tocsr()


def _sparse(blocks: list[Array]) -> Any:
    from scipy.sparse import csr_matrix, vstack

    return vstack([csr_matrix(block) for block in blocks], format="csr")


def _wider(matrix: Any, count: int) -> Any:
    from scipy.sparse import csr_matrix, hstack

    return hstack([matrix, csr_matrix((matrix.shape[0], count))], format="csr")
