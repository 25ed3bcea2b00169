"""Engine `joint`: both networks as one graph that reads the input once, handed to the searches of `vouch nn`.

The graph's outputs are the reference's, then the test network's (and for the Manhattan norm the absolute
differences). A violation is a union of polytopes of these outputs. Bounds of a row such as r − t are
substituted backwards through both networks down to the input they share, where common terms cancel.

Arithmetic. The graph keeps every operator of both networks as it is and adds none between them, so the bounds
on rounding that `nn.bounds.model` puts on each operator of the graph are those of the two networks run by
themselves, each with roundings of its own, on the same input (in float32: rounded once, as both are given the
same number). What is asked about the outputs is not computed by any network: rows over outputs are taken as
exact, and the absolute differences are only ever bounded, with more room than the reals need.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import assert_never

import numpy as np

from vouch.equiv.falsify import falsify
from vouch.equiv.graphs import GraphPair
from vouch.equiv.outcome import Array, Confirm, Deadline, Outcome, Witness
from vouch.equiv.property import Avoid, Bools, Epsilon, Property, Top
from vouch.equiv.region import Region
from vouch.errors import Unsupported
from vouch.nn.bounds.model import Model, model_of
from vouch.nn.bounds.outputs import least_of_rows
from vouch.nn.join import copied
from vouch.nn.network import GraphBuilder, Network
from vouch.nn.operators import Add, Concat, Relu
from vouch.nn.property import Ball, Case, Rows
from vouch.nn.property import Property as Question
from vouch.nn.result import Counterexample
from vouch.nn.search.driver import search
from vouch.nn.search.task import Judge
from vouch.nn.specialise import logits
from vouch.settings import Settings
from vouch.verdict import Verdict

# More ways to violate a ranking than this would never be refuted one by one.
MOST_REGIONS = 2000
_VERDICTS = {Verdict.SAFE: Verdict.EQUIVALENT, Verdict.UNSAFE: Verdict.DIFFERENT}


def prove(
    pair: GraphPair,
    region: Region,
    prop: Property,
    confirm: Confirm,
    deadline: Deadline,
    *,
    rounded: bool = False,
    jobs: int | None = None,
    seed: int = 0,
) -> Outcome:
    """Bounds over the whole region, then a thorough look for a violation, then branch and bound.

    `rounded` asks about the networks in float32 instead of the reals.
    """
    distances = isinstance(prop, Epsilon) and prop.norm == "l1"
    network = side_by_side(pair.reference.source, pair.test.source, distances=distances)
    model = model_of(network, "float32" if rounded else "real")
    root = _violations(model, _input_set(region), prop, pair.reference.outputs)
    if not root.case.regions:
        return Outcome(Verdict.EQUIVALENT, bound=root.bound)
    witness = falsify(pair, region, prop, confirm, deadline.share(0.2).within(10.0), seed=seed)
    if witness is not None:
        return Outcome(Verdict.DIFFERENT, witness=witness)
    question = Question((root.case,), network.inputs, network.outputs)
    judge = _PairJudge(network, question, confirm)
    limit = None if deadline.at == float("inf") else deadline.left
    result = search(model, question, Settings({"engine": "auto", "timeout": limit, "jobs": jobs}), judge)
    verdict = _VERDICTS.get(result.verdict, result.verdict)
    bound = prop.epsilon if isinstance(prop, Epsilon) and verdict is Verdict.EQUIVALENT else None
    return Outcome(verdict, bound, judge.witness, result.reason, result.statistics)


def side_by_side(reference: Network, test: Network, *, distances: bool = False) -> Network:
    """One network that gives its input to both and puts out r, t and, with `distances`, |r − t|."""
    builder = GraphBuilder(f"{reference.name} and {test.name}", "x", reference.input_shape)
    parts = [copied(builder, number, logits(net), "x") for number, net in enumerate((reference, test))]
    if distances:
        gap = builder.add("gap", Add((1, -1)), *parts)
        above = builder.add("above", Relu(), gap)
        parts.append(builder.add("distance", Add((1, 1, -1)), above, above, gap))
    return builder.build(builder.add("y", Concat(0, (None,) * len(parts)), *parts))


def _input_set(region: Region) -> Case:
    """The region as the input set of a case that forbids nothing yet."""
    rows = ball = None
    if region.rows is not None and region.rhs is not None:
        rows = Rows.of(region.rows, np.zeros((len(region.rhs), 0)), region.rhs)
    if region.radius is not None and region.centre is not None:
        ball = Ball(region.centre, region.radius, np.ones(region.size), "l1")
    return Case(region.lower, region.upper, (), rows, ball)


@dataclass(frozen=True, slots=True, eq=False)
class _Root:
    """The regions that bounds over the whole input set leave open and, for ε, the bound they proved."""

    case: Case
    bound: float | None = None


def _violations(model: Model, case: Case, prop: Property, outputs: int) -> _Root:
    match prop:
        case Epsilon():
            regions = _distances(prop, outputs, model)
        case Top():
            regions = _rankings(prop, outputs, model, case)
        case Avoid():
            regions = [
                _rows(model, np.hstack([part.reference, part.test]), part.rhs, part.strict)
                for part in prop.polytopes
            ]
        case _ as never:
            assert_never(never)
    if not regions:
        return _Root(case)
    least = least_of_rows(model, case, np.vstack([region.y_rows for region in regions]))
    ends = np.cumsum([region.count for region in regions])[:-1]
    left = [
        region
        for region, low in zip(regions, np.split(least, ends), strict=True)
        if not (low > region.rhs).any()
    ]
    if isinstance(prop, Epsilon):
        # Every region is one row, −(the difference) < −ε.
        bound = max(0.0, float(-least.min()))
        left = [] if bound <= prop.epsilon else left
        return _Root(_with(case, left), bound if not left else None)
    return _Root(_with(case, left))


def _with(case: Case, regions: list[Rows]) -> Case:
    return Case(case.lower, case.upper, tuple(regions), case.inputs, case.ball)


def _rows(model: Model, rows: Array, rhs: Array, strict: Bools | bool) -> Rows:
    wide = np.pad(rows, ((0, 0), (0, model.outputs - rows.shape[1])))
    return Rows.of(np.zeros((len(rows), model.inputs)), wide, rhs, strict)


def _distances(prop: Epsilon, outputs: int, model: Model) -> list[Rows]:
    limit = np.array([-prop.epsilon])
    if prop.norm == "l1":
        return [_rows(model, np.repeat([[0.0, 0.0, -1.0]], outputs, axis=1), limit, True)]
    eye = np.eye(outputs)
    gaps = np.hstack([eye, -eye])
    return [_rows(model, sign * gap[None, :], limit, True) for gap in gaps for sign in (-1.0, 1.0)]


def _rankings(prop: Top, outputs: int, model: Model, case: Case) -> list[Rows]:
    """One region for each class i that the reference may choose and each group of k rivals that may pass it
    in the test network. Rows that hold everywhere anyway are left out."""
    eye = np.eye(outputs)
    margins = (eye[:, None, :] - eye[None, :, :]).reshape(-1, outputs)
    nothing = np.zeros_like(margins)
    both = np.vstack([np.hstack([margins, nothing]), np.hstack([nothing, margins])])
    lead = least_of_rows(model, case, both).reshape(2, outputs, outputs)  # lead[net, i, j] ≤ y_i − y_j
    regions: list[Rows] = []
    for i in range(outputs):
        others = [j for j in range(outputs) if j != i]
        if any(lead[0, j, i] > 0 for j in others):
            continue  # the reference never chooses i
        chosen = [_order(outputs, 0, j, i) for j in others if lead[0, i, j] <= 0]
        early = [prop.k > 1 or j < i for j in others if lead[0, i, j] <= 0]
        rivals = [j for j in others if lead[1, i, j] <= 0]
        for group in combinations(rivals, prop.k):
            if len(regions) == MOST_REGIONS:
                raise Unsupported(f"more than {MOST_REGIONS} ways to violate top-{prop.k} here")
            rows = np.array([*(_order(outputs, 1, i, j) for j in group), *chosen])
            strict = np.array([*(prop.k > 1 or j > i for j in group), *early])
            regions.append(_rows(model, rows, np.zeros(len(rows)), strict))
    return regions


def _order(outputs: int, net: int, low: int, high: int) -> Array:
    """The row y_low − y_high of one of the networks."""
    row = np.zeros(2 * outputs)
    row[net * outputs + low], row[net * outputs + high] = 1.0, -1.0
    return row


class _PairJudge(Judge):
    """Lets the rules of equivalence confirm counterexamples, with both networks run by themselves."""

    def __init__(self, network: Network, question: Question, confirm: Confirm) -> None:
        super().__init__(network, question, exact_reals=True)
        self.witness: Witness | None = None
        self._by_pair = confirm

    def confirm(self, case: Case, points: Array, limit: int = 16) -> Counterexample | None:
        for point in points[:limit]:
            key = point.tobytes()
            if key in self._seen:
                continue
            self._seen.add(key)
            found = self._by_pair(point)
            if found is not None:
                self.witness = found
                return Counterexample(found.input, np.concatenate([found.reference, found.test]))
        return None
