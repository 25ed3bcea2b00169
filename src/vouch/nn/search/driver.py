"""The order in which engines are tried, and how their findings become one result.

Vacuity first (a property that nothing can violate is no triumph), then the falsifier, then branch and bound
over inputs or neurons, or the engine that was asked for. Engines report outcomes; only this file makes
verdicts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vouch.errors import Unsupported, VouchError
from vouch.nn.bounds.arrays import arrays_for
from vouch.nn.bounds.ascent import all_relus, is_relu, splits_help
from vouch.nn.bounds.model import BoundModel, model_of
from vouch.nn.bounds.outputs import fed_box, may_overflow, output_bounds, refuted_at_once
from vouch.nn.bounds.single import fits
from vouch.nn.property import Case, Property
from vouch.nn.result import Result
from vouch.nn.search.device import DeviceSearch
from vouch.nn.search.falsify import Effort, falsify
from vouch.nn.search.inputs import InputSearch
from vouch.nn.search.many import MANY, ManyCases
from vouch.nn.search.milp import MilpSearch
from vouch.nn.search.neurons import FEW_COEFFICIENTS, NeuronSearch
from vouch.nn.search.outcome import Outcome
from vouch.nn.search.star import StarSearch
from vouch.nn.search.task import Clock, Judge, Probe
from vouch.nn.search.vacuous import why_vacuous
from vouch.settings import Settings
from vouch.verdict import Verdict

if TYPE_CHECKING:
    from vouch.nn.network import Network

# Up to this many free inputs, halving boxes beats splitting neurons.
FEW_INPUTS = 12
# With few inputs and this few neurons, splitting neurons is tried first, for a share of the time: it ends
# after finitely many splits, however close the property comes to being violated.
FEW_NEURONS = 60
_FIRST = 0.25, 10.0
# The same for curved functions and many inputs, whose neurons are cut.
_CURVED = 0.75, np.inf
# With many inputs and at most this many neurons, integer programming gets its turn after a first try at
# splitting neurons: where the question is a combinatorial one, its linear relaxations see what bounds do not.
FEW_FOR_MILP = 600
_BEFORE_MILP = 0.15, 10.0
_MILP = 0.6, 90.0
# The part of the time for a first look, whether bounds of the whole input set prove everything.
_EVIDENT = 0.05
# The part of the time for looking for violations before anything else: a large network needs the rest for a
# bound to report.
_FALSIFYING = 0.3
# The part of the time that single precision on the device has before float64.
_ON_DEVICE = 0.5
# With more boxes open than this, float64 starts again from the whole: its bounds need fewer.
_HANDED_ON = 1 << 15
# Neurons up to which bounds of all outputs are worth reporting.
_REPORTED = 5000

Progress = Callable[[float], None]


def verify(network: Network, prop: Property, settings: Settings, report: Progress | None = None) -> Result:
    """Decides whether the network satisfies the property.

    SAFE holds for every input of the property's set in the arithmetic that was asked for; UNSAFE comes with
    a counterexample that onnxruntime confirmed; what is not supported is UNKNOWN with its reason. `report`
    is called now and then with the share that is proved.
    """
    clock = Clock(settings.timeout)
    prop.check(network.inputs, network.outputs, network.name)
    reason = why_vacuous(prop)
    if reason is not None:
        warning = f"the property is vacuous: {reason}; this says nothing about the network"
        return Result(Verdict.SAFE, "vacuity", clock.spent, vacuous=True, warnings=(warning,), progress=1.0)
    try:
        arrays = arrays_for(settings.device)
        model = model_of(network, settings.arithmetic, arrays, logits=prop.order_only)
        judge = Judge(network, prop, settings.arithmetic == "real")
        return _Verification(model, prop, settings, clock, judge, report).result()
    except Unsupported as error:
        return Result(Verdict.UNKNOWN, settings.engine, clock.spent, reason=str(error))


def search(
    model: BoundModel,
    prop: Property,
    settings: Settings,
    judge: Judge,
    *,
    domain: Literal["crown", "zonotope"] = "crown",
    probe: Probe | None = None,
    strategy: str = "approx",
) -> Result:
    """The searches of `verify` alone, for callers that have looked for easy violations themselves and have a
    judge of their own. The settings read are engine, timeout and jobs; `domain` bounds input boxes; `probe`
    looks for a violation more thoroughly, once, when the proof is not quick; `strategy` is for star sets."""
    whole = _Verification(model, prop, settings, Clock(settings.timeout), judge, None)
    whole.domain, whole.probe, whole.strategy = domain, probe, strategy
    return whole.result(falsifying=False)


class _Verification:
    def __init__(
        self,
        model: BoundModel,
        prop: Property,
        settings: Settings,
        clock: Clock,
        judge: Judge,
        report: Progress | None,
    ) -> None:
        self.model, self.prop, self.settings, self.clock, self.report = model, prop, settings, clock, report
        self.judge = judge
        self.domain: Literal["crown", "zonotope"] = "crown"
        self.probe: Probe | None = None
        self.strategy = "approx"
        self.jobs = settings.jobs or os.cpu_count() or 1
        self.cases = [case for case in prop.cases if np.all(case.lower <= case.upper)]
        self.total, self.before, self.done = len(self.cases), 0, 0
        self.statistics: dict[str, float] = {}

    def result(self, *, falsifying: bool = True) -> Result:
        from threadpoolctl import threadpool_limits

        # The pool over boxes is parallel by itself; a BLAS with threads of its own would fight it.
        with threadpool_limits(1, user_api="blas"):
            found = self._together() if self.total >= MANY else None
            if found is None and falsifying and not self._evident():
                found = self._falsified()
            return found or self._decide()

    def _evident(self) -> bool:
        """Whether bounds of the whole boxes refute every region: then looking for violations is wasted."""
        if str(self.settings.engine) not in ("auto", "bounds") or not all_relus(self.model):
            return False
        if self.model.coefficients > FEW_COEFFICIENTS:  # even the first bounds take long
            return False
        late = Clock(_EVIDENT * self.clock.limit)
        return all(refuted_at_once(self.model, case, lambda: late.over) for case in self.cases)

    def _together(self) -> Result | None:
        """Proves cases in common batches where there are many; the others stay."""
        if str(self.settings.engine) not in ("auto", "bounds"):
            return None
        work = ManyCases(self.model, self.cases, self.judge, self.clock, self._report)
        found = work.run()
        self._count("nodes", work.boxes)
        if found is not None:
            return self._made(Verdict.UNSAFE, "cases", counterexample=found, replayed=True)
        self.before = self.total - len(work.open)
        self.cases = [self.cases[number] for number in sorted(work.open)]
        return None

    def _falsified(self) -> Result | None:
        # A device would be given small batches one after the other.
        model = self.model.on_cpu() if self.model.coefficients <= FEW_COEFFICIENTS else self.model
        clock = self.clock.share(_FALSIFYING)
        for number, case in enumerate(self.cases):
            found = falsify(model, case, self.judge, clock, self.settings.seed + number, self._effort(case))
            if found is not None:
                return self._made(Verdict.UNSAFE, "falsifier", counterexample=found, replayed=True)
        return None

    def _decide(self) -> Result:
        engine, bounds = "cases" if self.before else "", []
        margin: float | None = None if self.before else np.inf
        for number, case in enumerate(self.cases):
            self.done = number
            if may_overflow(self.model, case):
                raise Unsupported("float32 sums may overflow on this input set")
            engine, outcome = self._case(case)
            if outcome.counterexample is not None:
                return self._made(
                    Verdict.UNSAFE, engine, counterexample=outcome.counterexample, replayed=True
                )
            if outcome.proved < 1.0:
                return self._open(engine, outcome)
            bounds.append(None if self.before else self._outputs(case))
            margin = None if margin is None or outcome.bound is None else min(margin, outcome.bound)
        lows, highs = zip(*bounds, strict=True) if bounds and None not in bounds else ((), ())
        both = (np.min(lows, axis=0), np.max(highs, axis=0)) if lows else None
        return self._made(Verdict.SAFE, engine, progress=1.0, output_bounds=both, bound=margin)

    def _open(self, engine: str, outcome: Outcome) -> Result:
        share = (self.before + self.done + outcome.proved) / self.total
        found: dict[str, Any] = {"progress": share, "bound": outcome.bound}
        if self.clock.over:
            return self._made(Verdict.TIMEOUT, engine, reason="the time is up", **found)
        reason = f"{outcome.stuck} parts of the search are within round-off of a violation"
        if self.judge.rejected:
            reason += "; onnxruntime does not confirm the suspected ones"
        return self._made(Verdict.UNKNOWN, engine, reason=reason, **found)

    def _engine(self, case: Case) -> str:
        asked = str(self.settings.engine)
        if asked in ("milp", "star"):
            return asked
        if asked not in ("auto", "bounds"):
            raise VouchError(f"engine {asked!r} does not decide properties over the reals or float32")
        free = int(np.count_nonzero(case.upper > case.lower))
        return "inputs" if free <= FEW_INPUTS or not all_relus(self.model) else "neurons"

    def _effort(self, case: Case) -> Effort:
        if len(case.lower) <= FEW_INPUTS and self.model.neurons <= 2000:
            return Effort()
        return Effort(samples=128, starts=16, steps=30, pushed=32)

    def _case(self, case: Case) -> tuple[str, Outcome]:
        """The engine that decided, or the last one tried, and how far it came."""
        engine, outcome = "", Outcome(None, 0.0, 0, 0, None)
        for engine, share, most in self._stages(self._engine(case), case):
            clock = self.clock if share == 1.0 else Clock(min(share * self.clock.left, most))
            outcome = self._search(engine, case, clock)
            self._count("nodes", outcome.boxes)
            if outcome.counterexample is not None or outcome.proved >= 1.0:
                break
        return engine, outcome

    def _stages(self, engine: str, case: Case) -> Iterator[tuple[str, float, float]]:
        """Engines with the share of the time that is left and the most seconds each may take."""
        relus = all_relus(self.model)
        if engine == "inputs" and relus and self.model.neurons <= FEW_NEURONS:
            yield "neurons", *_FIRST
        free = int(np.count_nonzero(case.upper > case.lower))
        if engine == "inputs" and not relus and free > FEW_INPUTS and splits_help(self.model):
            yield "neurons", *_CURVED
        boxes = case.ball is None or case.ball.norm == "l1"
        small = self.model.neurons <= FEW_FOR_MILP and self.model.arrays.device is None
        # Differences that are followed node by node have no encoding.
        small = small and all(is_relu(self.model, index) for index in self.model.activations)
        if engine == "neurons" and relus and boxes and small and str(self.settings.engine) == "auto":
            yield "neurons", *_BEFORE_MILP
            yield "milp", *_MILP
        yield engine, 1.0, np.inf

    def _search(self, engine: str, case: Case, clock: Clock) -> Outcome:
        model, judge = self.model, self.judge
        match engine:
            case "inputs":
                return self._boxes(case, clock)
            case "neurons":
                finish = self.settings.engine == "auto"
                return NeuronSearch(
                    model,
                    case,
                    judge,
                    clock,
                    jobs=self.jobs,
                    finish=finish,
                    probe=self.probe,
                    report=self._report,
                ).run()
            case "milp":
                return MilpSearch(model, case, judge, clock, jobs=self.jobs).run()
            case _:
                return StarSearch(model, case, judge, clock, strategy=self.strategy).run()

    def _boxes(self, case: Case, clock: Clock) -> Outcome:
        """Halving of input boxes: on a GPU in single precision first, where the network allows it."""
        model, device, start, before = self.model, self.model.arrays.device, None, 0
        if device is not None and fits(model, case):
            swept = DeviceSearch(model, case, self.judge, clock.share(_ON_DEVICE), device).run()
            before = swept.boxes
            if swept.counterexample is not None:
                return Outcome(swept.counterexample, 0.0, before, 0, None)
            if not len(swept.lower):
                return Outcome(None, 1.0, before, 0, None)
            start = (swept.lower, swept.upper) if len(swept.lower) <= _HANDED_ON else None
        outcome = InputSearch(
            model,
            case,
            self.judge,
            clock,
            jobs=self.jobs,
            batch=512 if device is None else 16384,
            domain=self.domain,
            probe=self.probe,
            report=self._report,
            start=start,
        ).run()
        outcome.boxes += before
        return outcome

    def _report(self, share: float) -> None:
        if self.report is not None:
            self.report((self.before + self.done + share) / self.total)

    def _outputs(self, case: Case) -> Any:
        if self.model.neurons > _REPORTED or self.model.lowered.softmax:
            return None
        try:
            return output_bounds(self.model, *fed_box(self.model, case))
        except Unsupported:  # over the whole box at once, a function may leave its domain
            return None

    def _count(self, name: str, value: float) -> None:
        self.statistics[name] = self.statistics.get(name, 0) + value

    def _made(self, verdict: Verdict, engine: str, **more: Any) -> Result:
        return Result(verdict, engine, self.clock.spent, statistics=dict(self.statistics), **more)
