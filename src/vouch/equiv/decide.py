"""Compare two networks: choose and combine the engines.

`auto` tries, cheapest first: equality of the weights, the falsifier, differential bounds (splitting inputs
where there are few, neurons where there are many), path enumeration, and MILP. Networks that are no dense
ReLU chains go to engine `joint` instead.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from threadpoolctl import threadpool_limits

from vouch.equiv import boxes, neurons
from vouch.equiv.canonical import same_function
from vouch.equiv.confirm import confirmer
from vouch.equiv.falsify import falsify, glance
from vouch.equiv.forms import UNIT32, may_overflow
from vouch.equiv.graphs import Compared, GraphPair, graphs_of, pair_of
from vouch.equiv.outcome import Finding, Witness
from vouch.equiv.pair import Pair
from vouch.equiv.property import Avoid, Epsilon, Property, Top
from vouch.equiv.region import Region
from vouch.equiv.result import Comparison
from vouch.equiv.team import ALONE_ONLY, Team
from vouch.equiv.vacuity import contradicts_itself
from vouch.errors import Unsupported, VouchError
from vouch.nn.search.task import Clock
from vouch.settings import Settings
from vouch.verdict import Verdict

DECIDED = (Verdict.EQUIVALENT, Verdict.DIFFERENT)
# Seconds for a last search for a violation when bounds do not get anywhere.
LONG_LOOK = 30.0
# Up to this many inputs, halving boxes beats splitting neurons.
FEW_INPUTS = 12
VACUOUS = "vacuous: the property contradicts itself, nothing is said about the networks"
NO_INPUT = "vacuous: no input satisfies the constraints, nothing is said about the networks"
# Up to this many hidden neurons in both networks, splitting them is tried first even so.
FEW_NEURONS = 40


@dataclass(frozen=True, slots=True)
class Plan:
    """How to decide."""

    engine: str = "auto"
    strategy: str = "less"
    arithmetic: str = "real"
    timeout: float | None = None
    seed: int = 0
    team: Team = ALONE_ONLY

    @classmethod
    def of(cls, settings: Settings, team: Team) -> Plan:
        s = settings
        return cls(s.engine, s.strategy, s.arithmetic, s.timeout, s.seed, team)

    @property
    def unit(self) -> float:
        """Unit round-off of the networks' own arithmetic."""
        return UNIT32 if self.arithmetic == "float32" else 0.0


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
    plan: Plan | None = None,
    *,
    check_vacuity: bool = False,
) -> Comparison:
    """Decide one property over one region. Networks may be file names, `Network`s or lists of layers."""
    plan = plan or Plan()
    started = time.monotonic()
    name = plan.engine
    try:
        rounded = plan.arithmetic == "float32"
        graphs = plan.engine in ("auto", "differential")
        pair = pair_of(reference, test, as_computed=rounded, graphs=graphs)
        if region.is_empty and not check_vacuity:
            raise VouchError("the region is empty: no input satisfies its constraints")
        if region.is_empty:
            outcome = Finding(Verdict.EQUIVALENT, reason=NO_INPUT)
        elif check_vacuity and isinstance(prop, Avoid) and contradicts_itself(pair, region, prop):
            outcome = Finding(Verdict.EQUIVALENT, reason=VACUOUS)
        else:
            name, outcome = decide_pair(pair, region, prop, plan)
    except Unsupported as problem:
        outcome = Finding(Verdict.UNKNOWN, reason=str(problem))
    return Comparison.of(
        outcome,
        engine=name,
        seconds=time.monotonic() - started,
        asked=described(prop),
        arithmetic=plan.arithmetic,
        region=region_text(region),
    )


def decide_pair(pair: Compared, region: Region, prop: Property, plan: Plan) -> tuple[str, Finding]:
    """The engine that decided, and its outcome. Raises Unsupported for what none can decide."""
    fits(pair, region, prop)
    # The products are small: BLAS threads would only wait for each other.
    with threadpool_limits(1):
        if isinstance(pair, GraphPair):
            return _joint(pair, region, prop, plan)
        return _run(pair, region, prop, plan)


def _joint(pair: GraphPair, region: Region, prop: Property, plan: Plan) -> tuple[str, Finding]:
    from vouch.equiv import joint

    confirm = confirmer(pair, region, prop, plan.arithmetic)
    clock = Clock(plan.timeout)
    if plan.arithmetic == "real" and not isinstance(prop, Avoid) and pair.identical:
        return "structure", Finding(Verdict.EQUIVALENT, bound=0.0 if isinstance(prop, Epsilon) else None)
    witness = glance(pair, region, prop, confirm, seed=plan.seed)
    if witness is not None:
        return "falsifier", Finding(Verdict.DIFFERENT, witness=witness)
    rounded = plan.arithmetic == "float32"
    return "joint", joint.prove(
        pair, region, prop, confirm, clock, rounded=rounded, jobs=plan.team.size, seed=plan.seed
    )


def region_text(region: Region) -> str:
    text = f"a box of {region.size} inputs"
    if region.radius is not None:
        text = f"a Manhattan ball of radius {region.radius:g} in {region.size} inputs"
    return text + (f" with {len(region.rows)} constraints" if region.rows is not None else "")


def fits(pair: Compared, region: Region, prop: Property) -> None:
    """Raises an error for networks, region and property that do not go together."""
    if region.size != pair.reference.inputs:
        raise VouchError(f"the region has {region.size} inputs, the networks take {pair.reference.inputs}")
    if isinstance(prop, Top) and not 1 <= prop.k <= pair.reference.outputs:
        raise VouchError(f"top {prop.k}: the networks have {pair.reference.outputs} outputs")
    if isinstance(prop, Epsilon) and not prop.epsilon >= 0:
        raise VouchError(f"epsilon {prop.epsilon} is negative")
    if not isinstance(prop, Top) and (pair.reference.softmax or pair.test.softmax):
        raise Unsupported("softmax outputs have no exact bounds; compare by --top, or leave the softmax out")


def _run(pair: Pair, region: Region, prop: Property, plan: Plan) -> tuple[str, Finding]:
    clock = Clock(plan.timeout)
    ranking = isinstance(prop, Top)
    # Equal functions are equivalent; what else a property may forbid is another matter.
    if plan.arithmetic == "real" and not isinstance(prop, Avoid) and same_function(pair, ranking=ranking):
        return "structure", Finding(Verdict.EQUIVALENT, bound=None if ranking else 0.0)
    if plan.arithmetic == "float32" and plan.engine not in ("auto", "differential"):
        raise Unsupported(f"engine {plan.engine} reasons about real arithmetic only")
    confirm = confirmer(pair, region, prop, plan.arithmetic)
    witness = glance(pair, region, prop, confirm, seed=plan.seed)
    if witness is not None:
        return "falsifier", Finding(Verdict.DIFFERENT, witness=witness)
    if plan.arithmetic == "float32" and any(may_overflow(net, region) for net in (pair.reference, pair.test)):
        raise Unsupported("float32 sums may overflow in this region")
    match plan.engine:
        case "differential":
            return "differential", differential(pair, region, prop, plan, clock)
        case "paths":
            return "paths", _paths(pair, region, prop, plan, clock)
        case "milp":
            return "milp", _milp(pair, region, prop, plan, clock)
        case _:
            return _combined(pair, region, prop, plan, clock)


def differential(
    pair: Pair, region: Region, prop: Property, plan: Plan, clock: Clock, *, probing: bool = True
) -> Finding:
    """Bounds on the difference, with the split that suits the number of inputs. When that takes long,
    a violation is searched for (`probing`)."""
    confirm = confirmer(pair, region, prop, plan.arithmetic)

    def probe() -> Witness | None:
        if not probing:
            return None
        return falsify(pair, region, prop, confirm, clock.share(0.3).within(20.0), seed=plan.seed)

    if region.size > FEW_INPUTS or region.rows is not None:
        return neurons.prove(
            pair, region, prop, confirm, clock, unit=plan.unit, probe=probe, team=plan.team
        )
    hidden = sum(pair.reference.widths[:-1]) + sum(pair.test.widths[:-1])
    if not region.is_box or hidden <= FEW_NEURONS:
        # Halving boxes does not fit a ball, and a handful of neurons is settled sooner.
        few = neurons.prove(pair, region, prop, confirm, clock, unit=plan.unit, limit=400)
        if few.verdict is not Verdict.UNKNOWN:
            return few
    return boxes.prove(pair, region, prop, confirm, clock, unit=plan.unit, probe=probe, team=plan.team)


def _paths(pair: Pair, region: Region, prop: Property, plan: Plan, clock: Clock) -> Finding:
    from vouch.equiv import paths

    return paths.prove(
        pair, region, prop, confirmer(pair, region, prop, plan.arithmetic), clock, strategy=plan.strategy
    )


def _milp(pair: Pair, region: Region, prop: Property, plan: Plan, clock: Clock) -> Finding:
    """Both networks as one, by the integer programs of single networks."""
    from vouch.equiv import joint

    confirm = confirmer(pair, region, prop, plan.arithmetic)
    return joint.prove(graphs_of(pair), region, prop, confirm, clock, engine="milp", jobs=plan.team.size)


def _combined(
    pair: Pair, region: Region, prop: Property, plan: Plan, clock: Clock
) -> tuple[str, Finding]:
    """Differential bounds get most of the time; paths and MILP are complete where bounds are stuck."""
    outcome = differential(pair, region, prop, plan, clock.share(0.85))
    if outcome.verdict in DECIDED or clock.over:
        return "differential", outcome
    # Close to the limit, then: a long look from other points.
    confirm = confirmer(pair, region, prop, plan.arithmetic)
    longer = clock.share(0.3).within(LONG_LOOK)
    witness = falsify(pair, region, prop, confirm, longer, seed=plan.seed + 1, attempts=1000)
    if witness is not None:
        return "falsifier", Finding(Verdict.DIFFERENT, witness=witness, statistics=outcome.statistics)
    if plan.arithmetic == "float32":
        return "differential", outcome
    later = _paths(pair, region, prop, plan, clock.share(0.5))
    if later.verdict in DECIDED or clock.over:
        return "paths", later
    return "milp", _milp(pair, region, prop, plan, clock)
