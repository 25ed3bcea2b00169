"""Both networks as one graph that reads the input once, handed to the searches of `vouch nn`.

The graph (`nn.product`) puts out r of the reference, t of the test network, the differences g = r − t, which
networks of one structure follow node by node, and for the Manhattan norm |g|. A violation is a union of
polytopes of r and t. Every row about t is stated once more about r − g; bounds of both are substituted
backwards down to the shared input, where common terms cancel, and any combination may refute the violation.

Arithmetic. The graph keeps every node of both networks as it is, so the bounds on rounding that
`nn.bounds.model` puts on each of them are those of the two networks run by themselves, each with roundings of
its own, on the same input (in float32: rounded once, as both are given the same number). What is asked about
the outputs is not computed by any network: rows over outputs are taken as exact, and differences are only
ever bounded, with the rounding of both sides added.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import assert_never

import numpy as np

from vouch.equiv.outcome import Array, Confirm, PairFinding, Witness
from vouch.equiv.pair import NetworkPair
from vouch.equiv.property import Avoid, Bools, Epsilon, Property, Top
from vouch.equiv.region import Region
from vouch.errors import Unsupported
from vouch.nn.bounds.ascent import all_relus
from vouch.nn.bounds.model import BoundModel, model_from
from vouch.nn.bounds.outputs import least_of_rows, may_overflow
from vouch.nn.network import Network
from vouch.nn.product import ProductNetwork, beside
from vouch.nn.property import Case, Rows
from vouch.nn.property import Property as Question
from vouch.nn.result import ViolatingInput
from vouch.nn.search.driver import search
from vouch.nn.search.task import Clock, Judge
from vouch.settings import Settings
from vouch.verdict import Verdict

# More ways to violate a ranking than this would never be refuted one by one.
MOST_REGIONS = 5000
_VERDICTS = {Verdict.SAFE: Verdict.EQUIVALENT, Verdict.UNSAFE: Verdict.DIFFERENT}


def prove(
    pair: NetworkPair,
    region: Region,
    prop: Property,
    confirm: Confirm,
    clock: Clock,
    *,
    engine: str = "auto",
    strategy: str = "less",
    rounded: bool = False,
    jobs: int | None = None,
    probe: Callable[[], Witness | None] | None = None,
) -> PairFinding:
    """Bounds over the whole region, then the search `engine` of `vouch nn` (`auto`, `star` with a `strategy`,
    or `milp`).

    `rounded` asks about the networks in float32 instead of the reals; `probe` is a thorough search for a
    violation, made once if the proof is not quick.
    """
    model, root = violations(pair, region, prop, rounded=rounded, follow=engine == "auto")
    if not root.case.regions:
        return PairFinding(Verdict.EQUIVALENT, bound=root.bound)
    question = Question((root.case,), model.inputs, model.outputs)
    judge = _PairJudge(pair.reference.source, question, confirm)
    limit = None if clock.endless else clock.left
    result = search(
        model,
        question,
        Settings({"engine": engine, "timeout": limit, "jobs": jobs}),
        judge,
        # A pass forwards for each box is quickest where everything is piecewise linear.
        domain="zonotope" if all_relus(model) else "crown",
        probe=None if probe is None else lambda: judge.accepted(probe()),
        strategy=strategy,
    )
    verdict = _VERDICTS.get(result.verdict, result.verdict)
    bound = None
    if isinstance(prop, Epsilon) and verdict is Verdict.EQUIVALENT:
        bound = prop.epsilon
        if result.bound is not None:
            bound = min(bound, max(root.closed, float(np.nextafter(prop.epsilon - result.bound, np.inf))))
    return PairFinding(verdict, bound, judge.witness, result.reason, result.statistics)


def violations(
    pair: NetworkPair, region: Region, prop: Property, *, rounded: bool = False, follow: bool = True
) -> tuple[BoundModel, OpenRegions]:
    """The product of the two networks, and how the property is violated there. Raises Unsupported where
    float32 sums might overflow: bounds say nothing about infinities."""
    graphs = [net.lowered(fold=not rounded) for net in pair.both]
    product = beside(*graphs, distances=isinstance(prop, Epsilon) and prop.norm == "l1", follow=follow)
    model = model_from(product.lowered, "float32" if rounded else "real")
    if may_overflow(model, region.case):
        raise Unsupported("float32 sums may overflow in this region")
    return model, _violations(model, product, region.case, prop)


@dataclass(frozen=True, slots=True, eq=False)
class OpenRegions:
    """The regions that bounds over the whole input set leave open and, for ε, the `bound` they proved, or at
    least that of the regions which they `closed`."""

    case: Case
    bound: float | None = None
    closed: float = 0.0


def _violations(model: BoundModel, product: ProductNetwork, case: Case, prop: Property) -> OpenRegions:
    outputs = product.outputs
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
        return OpenRegions(case)
    if product.followed:
        regions = [_restated(region, outputs) for region in regions]
    least = least_of_rows(model, case, np.vstack([region.y_rows for region in regions]))
    ends = np.cumsum([region.count for region in regions])[:-1]
    lows = np.split(least, ends)
    left = [region for region, low in zip(regions, lows, strict=True) if not (low > region.rhs).any()]
    if isinstance(prop, Epsilon):
        # Every row of a region says −(one difference) < −ε: the best of their bounds counts.
        bound = max(0.0, *(float(-low.max()) for low in lows))
        left = [] if bound <= prop.epsilon else left
        proved = [-float(low.max()) for low in lows]
        closed = max((end for end in proved if end <= prop.epsilon), default=0.0)
        return OpenRegions(_with(case, left), bound if not left else None, closed)
    return OpenRegions(_with(case, left))


def _restated(region: Rows, outputs: int) -> Rows:
    """The region with every row about t stated once more about r − g, which is the same."""
    about = region.y_rows[:, outputs : 2 * outputs]
    chosen = about.any(axis=1)
    rows = region.y_rows[chosen].copy()
    rows[:, :outputs] += about[chosen]
    rows[:, outputs : 2 * outputs] = 0.0
    rows[:, 2 * outputs : 3 * outputs] = -about[chosen]
    return Rows(
        np.vstack([region.x_rows, region.x_rows[chosen]]),
        np.vstack([region.y_rows, rows]),
        np.concatenate([region.rhs, region.rhs[chosen]]),
        np.concatenate([region.strict, region.strict[chosen]]),
    )


def _with(case: Case, regions: list[Rows]) -> Case:
    return Case(case.lower, case.upper, tuple(regions), case.inputs, case.ball)


def _rows(model: BoundModel, rows: Array, rhs: Array, strict: Bools | bool) -> Rows:
    return Rows.of(np.zeros((len(rows), model.inputs)), _widened(rows, model), rhs, strict)


def _widened(rows: Array, model: BoundModel) -> Array:
    """Rows over the first outputs as rows over all."""
    return np.pad(rows, ((0, 0), (0, model.outputs - rows.shape[1])))


def _distances(prop: Epsilon, outputs: int, model: BoundModel) -> list[Rows]:
    limit = np.array([-prop.epsilon])
    if prop.norm == "l1":
        return [_rows(model, np.repeat([[0.0, 0.0, 0.0, -1.0]], outputs, axis=1), limit, True)]
    eye = np.eye(outputs)
    gaps = np.hstack([eye, -eye])
    return [_rows(model, sign * gap[None, :], limit, True) for gap in gaps for sign in (-1.0, 1.0)]


def _rankings(prop: Top, outputs: int, model: BoundModel, case: Case) -> list[Rows]:
    """One region for each class i that the reference may choose and each group of k rivals that may pass it
    in the test network. Rows that hold everywhere anyway are left out."""
    eye = np.eye(outputs)
    margins = (eye[:, None, :] - eye[None, :, :]).reshape(-1, outputs)
    nothing = np.zeros_like(margins)
    both = np.vstack([np.hstack([margins, nothing]), np.hstack([nothing, margins])])
    # lead[net, i, j] ≤ y_i − y_j
    lead = least_of_rows(model, case, _widened(both, model)).reshape(2, outputs, outputs)
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

    def accepted(self, found: Witness | None) -> ViolatingInput | None:
        """A violation that was found elsewhere."""
        if found is None:
            return None
        self.witness = found
        return ViolatingInput(found.input, np.concatenate([found.reference, found.test]))

    def confirm(self, case: Case, points: Array, limit: int = 16) -> ViolatingInput | None:
        for point in points[:limit]:
            key = point.tobytes()
            if key in self._seen:
                continue
            self._seen.add(key)
            found = self.accepted(self._by_pair(point))
            if found is not None:
                return found
        return None
