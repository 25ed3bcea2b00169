"""Compare two networks: choose and combine the engines.

`auto` tries, cheapest first: equality of the weights, the falsifier, bounds of both networks as one and of
their difference (splitting inputs where there are few, neurons where there are many), path enumeration, and
MILP. All of them are the searches of `vouch nn` (`joint`); the last two take dense ReLU chains only.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from vouch.equiv import joint
from vouch.equiv.canonical import same_function
from vouch.equiv.confirm import confirmer
from vouch.equiv.falsify import falsify, glance
from vouch.equiv.outcome import Confirm, PairFinding, Witness
from vouch.equiv.pair import NetworkPair, pair_of
from vouch.equiv.property import Avoid, Epsilon, Property, Top
from vouch.equiv.region import Region
from vouch.equiv.result import Comparison
from vouch.equiv.team import ALONE_ONLY, Team
from vouch.errors import Unsupported, VouchError
from vouch.nn.lp import LinearProgram
from vouch.nn.search.task import Clock
from vouch.settings import Settings
from vouch.verdict import Verdict

DECIDED = (Verdict.EQUIVALENT, Verdict.DIFFERENT)
# Seconds for a last search for a violation when bounds do not get anywhere.
LONG_LOOK = 30.0
VACUOUS = "vacuous: the property contradicts itself, nothing is said about the networks"
NO_INPUT = "vacuous: no input satisfies the constraints, nothing is said about the networks"


@dataclass(frozen=True, slots=True)
class EnginePlan:
    """How to decide. `confirm` instead of the usual rules says whether an input shows a difference: where a
    network stands for something else, such as code."""

    engine: str = "auto"
    strategy: str = "less"
    arithmetic: str = "real"
    timeout: float | None = None
    seed: int = 0
    team: Team = ALONE_ONLY
    confirm: Confirm | None = None

    def confirmer(self, pair: NetworkPair, region: Region, prop: Property) -> Confirm:
        return self.confirm or confirmer(pair, region, prop, self.arithmetic)

    @classmethod
    def of(cls, settings: Settings, team: Team) -> EnginePlan:
        s = settings
        return cls(s.engine, s.strategy, s.arithmetic, s.timeout, s.seed, team)

    @property
    def rounded(self) -> bool:
        """Whether the networks are taken as they run in float32."""
        return self.arithmetic == "float32"


def described(prop: Property) -> str:
    match prop:
        case Epsilon():
            return f"epsilon {prop.epsilon:g} ({prop.norm})"
        case Top():
            return f"top-{prop.k}"
        case Avoid():
            return prop.name


def decide(
    reference: Any,
    test: Any,
    prop: Property,
    region: Region,
    plan: EnginePlan | None = None,
    *,
    check_vacuity: bool = False,
) -> Comparison:
    """Decide one property over one region. Networks may be file names, `Network`s, lists of layers, or
    `Subject`s."""
    plan = plan or EnginePlan()
    started = time.monotonic()
    name = plan.engine
    try:
        pair = pair_of(reference, test)
        if plan.engine in ("paths", "milp"):
            pair.insist_on_chains()
        if region.is_empty and not check_vacuity:
            raise VouchError("the region is empty: no input satisfies its constraints")
        if region.is_empty:
            outcome = PairFinding(Verdict.EQUIVALENT, reason=NO_INPUT)
        elif check_vacuity and isinstance(prop, Avoid) and contradicts_itself(pair, region, prop):
            outcome = PairFinding(Verdict.EQUIVALENT, reason=VACUOUS)
        else:
            name, outcome = decide_pair(pair, region, prop, plan)
    except Unsupported as problem:
        outcome = PairFinding(Verdict.UNKNOWN, reason=str(problem))
    return Comparison.of(
        outcome,
        engine=name,
        seconds=time.monotonic() - started,
        asked=described(prop),
        arithmetic=plan.arithmetic,
        region=region_text(region),
    )


def contradicts_itself(pair: NetworkPair, region: Region, prop: Avoid) -> bool:
    """Whether no pair of outputs, whatever the networks do within their bounds, lies in a polytope. By exact
    rational certificates. Some published properties say `and` where `or` is meant."""
    ends = [net.bounds(region.lower, region.upper) for net in pair.both]
    program = LinearProgram(
        np.concatenate([low for low, _ in ends]), np.concatenate([high for _, high in ends])
    )
    for polytope in prop.polytopes:
        rows = np.hstack([polytope.reference, polytope.test])
        least = np.minimum(rows * program.lower, rows * program.upper).sum(axis=1)
        if (least > polytope.rhs).any():
            return False  # one row alone is out of reach: that is a proof, not a contradiction
        program.cut(0)
        program.add(rows, polytope.rhs)
        if program.infeasible() is not True:
            return False
    return True


def decide_pair(
    pair: NetworkPair, region: Region, prop: Property, plan: EnginePlan
) -> tuple[str, PairFinding]:
    """The engine that decided, and its outcome. Raises Unsupported for what none can decide."""
    fits(pair, region, prop)
    # The products are small: BLAS threads would only wait for each other.
    with threadpool_limits(1):
        return _run(pair, region, prop, plan)


def region_text(region: Region) -> str:
    text = f"a box of {region.size} inputs"
    if region.radius is not None:
        text = f"a Manhattan ball of radius {region.radius:g} in {region.size} inputs"
    return text + (f" with {len(region.rows)} constraints" if region.rows is not None else "")


def fits(pair: NetworkPair, region: Region, prop: Property) -> None:
    """Raises an error for networks, region and property that do not go together."""
    if region.size != pair.reference.inputs:
        raise VouchError(f"the region has {region.size} inputs, the networks take {pair.reference.inputs}")
    if isinstance(prop, Top) and not 1 <= prop.k <= pair.reference.outputs:
        raise VouchError(f"top {prop.k}: the networks have {pair.reference.outputs} outputs")
    if isinstance(prop, Epsilon) and not prop.epsilon >= 0:
        raise VouchError(f"epsilon {prop.epsilon} is negative")
    if not isinstance(prop, Top) and (pair.reference.softmax or pair.test.softmax):
        raise Unsupported("softmax outputs have no exact bounds; compare by --top, or leave the softmax out")


def _run(pair: NetworkPair, region: Region, prop: Property, plan: EnginePlan) -> tuple[str, PairFinding]:
    clock = Clock(plan.timeout)
    ranking = isinstance(prop, Top)
    # Equal functions are equivalent; what else a property may forbid is another matter.
    if plan.arithmetic == "real" and not isinstance(prop, Avoid) and same_function(pair, ranking=ranking):
        return "structure", PairFinding(Verdict.EQUIVALENT, bound=None if ranking else 0.0)
    if plan.rounded and plan.engine not in ("auto", "differential"):
        raise Unsupported(f"engine {plan.engine} reasons about real arithmetic only")
    witness = glance(pair, region, prop, plan.confirmer(pair, region, prop), seed=plan.seed)
    if witness is not None:
        return "falsifier", PairFinding(Verdict.DIFFERENT, witness=witness)
    name = "differential" if pair.chains(as_computed=plan.rounded) else "joint"
    match plan.engine:
        case "paths" | "milp":
            return plan.engine, _complete(plan.engine, pair, region, prop, plan, clock)
        case "auto" if name == "differential":
            return _combined(pair, region, prop, plan, clock)
        case _:
            return name, differential(pair, region, prop, plan, clock)


def differential(
    pair: NetworkPair, region: Region, prop: Property, plan: EnginePlan, clock: Clock, *, probing: bool = True
) -> PairFinding:
    """Bounds on the difference, with the split that suits the number of inputs. When that takes long,
    a violation is searched for (`probing`)."""
    confirm = plan.confirmer(pair, region, prop)

    def probe() -> Witness | None:
        return falsify(pair, region, prop, confirm, clock.share(0.3).within(20.0), seed=plan.seed)

    return joint.prove(
        pair,
        region,
        prop,
        confirm,
        clock,
        rounded=plan.rounded,
        jobs=plan.team.size,
        probe=probe if probing else None,
    )


def _complete(
    engine: str, pair: NetworkPair, region: Region, prop: Property, plan: EnginePlan, clock: Clock
) -> PairFinding:
    """Path enumeration by star sets, or integer programs."""
    confirm = plan.confirmer(pair, region, prop)
    own = "star" if engine == "paths" else engine
    return joint.prove(
        pair, region, prop, confirm, clock, engine=own, strategy=plan.strategy, jobs=plan.team.size
    )


def _combined(
    pair: NetworkPair, region: Region, prop: Property, plan: EnginePlan, clock: Clock
) -> tuple[str, PairFinding]:
    """Differential bounds get most of the time; paths and MILP are complete where bounds are stuck."""
    outcome = differential(pair, region, prop, plan, clock.share(0.85))
    if outcome.verdict in DECIDED or clock.over:
        return "differential", outcome
    # Close to the limit, then: a long look from other points.
    confirm = plan.confirmer(pair, region, prop)
    longer = clock.share(0.3).within(LONG_LOOK)
    witness = falsify(pair, region, prop, confirm, longer, seed=plan.seed + 1, attempts=1000)
    if witness is not None:
        return "falsifier", PairFinding(Verdict.DIFFERENT, witness=witness, statistics=outcome.statistics)
    if plan.rounded:
        return "differential", outcome
    later = _complete("paths", pair, region, prop, plan, clock.share(0.5))
    if later.verdict in DECIDED or clock.over:
        return "paths", later
    return "milp", _complete("milp", pair, region, prop, plan, clock)
