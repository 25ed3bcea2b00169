"""Refinement: what holds of a check once its callers are looked at, level by level up the call graph.

A check that fails for some inputs of its function is looked at from each caller in turn, one task per
caller. A caller from which it holds whatever the caller gets is done with; any other hands the question on
to its own callers, until the check is `safe` from everywhere, or a root of the program is reached. Callees
on the way are followed (`callers`), or replaced by the condition under which the check fails in them: that
condition itself (`symbolic`), the failing inputs one by one (`enumerated`), or what is learned from inputs
(`learned`). A proof needs conditions that hold for all failing inputs; a violation at an entry point is only
reported when a native run shows it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from vouch.bmc.abstraction import Policy
from vouch.bmc.callees import CallModel
from vouch.bmc.context import ExecutionContext
from vouch.bmc.counterexample import Counterexample
from vouch.bmc.equation import Equation
from vouch.bmc.merging import Report
from vouch.bmc.portable import Packed, pack, unpack
from vouch.bmc.problem import Problem, Start, by_site
from vouch.bmc.rounds import Log, Rounds
from vouch.c import ir
from vouch.c.checks.base import Check
from vouch.c.flow.handlers import is_handler_call
from vouch.c.ranges import RangeAnalysis
from vouch.c.ranges.calls import instructions
from vouch.errors import VouchError
from vouch.modular.conditions import Condition, Conditions, has_condition
from vouch.modular.learning import Summary, enumerated, learned, summary
from vouch.modular.policy import Abstract, Calls
from vouch.modular.scopes import Scopes
from vouch.modular.substitution import Substituting
from vouch.parallel import Pool
from vouch.record import frozen_record, record
from vouch.result import CheckResult
from vouch.status import UNREACHABLE
from vouch.verdict import Verdict

CHECK_SECONDS = 2.0  # for one question to the solver
SECONDS = 20.0  # for the checks of one function
BOUND = 8  # of loops, where none was given
FOLLOWED = 1  # calls that are followed from each function on


@frozen_record
class Plan:
    """How to refine. `depth`: calls further up; `points`: failing inputs at most, of `enumerated`;
    `text`: whether conditions are also wanted as C; `proofs`: nothing else is asked of entry points."""

    kind: str
    depth: int = 16
    points: int = 64
    text: bool = True
    proofs: bool = False
    seconds: float = SECONDS
    share: float = 1.0  # of the time that is left


@frozen_record
class Refined:
    """`results` by check: `safe`, or open with what is known; `examples` may be violations; `exact` are the
    checks whose precondition excludes nothing but what fails."""

    results: Mapping[str, CheckResult] = field(default_factory=dict)
    examples: Mapping[str, Counterexample] = field(default_factory=dict)
    exact: frozenset[str] = frozenset()
    warnings: tuple[str, ...] = ()
    instructions: int = 0

    def proved(self) -> list[CheckResult]:
        return [result for result in self.results.values() if result.verdict is Verdict.SAFE]


def refine(
    problem: Problem,
    analysis: RangeAnalysis,
    plan: Plan,
    *,
    report: Report | None = None,
    pool: Pool | None = None,
) -> Refined:
    """Look at the open checks of a problem from further up."""
    if analysis.graph is None or not problem.checks:
        return Refined()
    return _Refinement(problem, analysis, plan, report).run(pool)


class _Refinement:
    def __init__(
        self, problem: Problem, analysis: RangeAnalysis, plan: Plan, report: Report | None
    ) -> None:
        assert analysis.graph is not None
        self.problem = problem
        self.plan = plan
        self.report = report
        self.calls = Calls(problem.program, analysis, analysis.graph, problem.reachability)
        self.scopes = Scopes(problem, self.calls)
        self.recursive = self.calls.graph.recursive
        self.log = Log()
        self.exact: set[str] = set()
        self.checks: dict[str, list[Check]] = {}
        for check in problem.checks:
            if has_condition(check):
                self.checks.setdefault(check.function, []).append(check)

    def run(self, pool: Pool | None) -> Refined:
        names = [name for name in self.calls.graph.order if name in self.checks and self._worthwhile(name)]
        if not names:
            return Refined()
        results: dict[str, CheckResult] = {}
        examples: dict[str, Counterexample] = {}
        began = time.monotonic()
        deadline, jobs = self.problem.deadline, self.problem.jobs
        left = None if deadline is None else self.plan.share * max(deadline - began, 0.0)
        self.end = None if left is None else began + left
        fair = self.plan.seconds if left is None else max(left * jobs / len(names), 1.0)
        self.each = min(self.plan.seconds, fair)
        for found, held in self._jobs(names, pool):
            results.update(found)
            examples.update(held)
            if self.report is not None:
                for result in found.values():
                    if result.verdict is Verdict.SAFE:
                        self.report(result)
        exact = frozenset(self.exact)
        return Refined(results, examples, exact, tuple(self.log.warnings), self.log.instructions)

    def _worthwhile(self, name: str) -> bool:
        if not self.scopes.can_pass_on(name) or name in self.recursive:
            return False
        if self.plan.text and self.plan.kind != "callers":
            return True  # be it for the text alone
        return name not in self.scopes.roots and bool(self.scopes.callers.get(name))

    def _jobs(
        self, names: Sequence[str], pool: Pool | None
    ) -> Iterator[tuple[dict[str, CheckResult], dict[str, Counterexample]]]:
        checks = {check.id: check for check in self.problem.checks}
        if pool is None:
            for name in names:
                packed, exact, log = self._job(name)
                self.log.add(log)
                self.exact |= exact
                yield unpack(packed, checks)
            return
        limits = {"timeout": 3 * self.each + 5, "memory": self.problem.settings.check_memory}
        for name, outcome in pool(self._job, names, jobs=self.problem.jobs, ordered=False, **limits):
            if outcome.ok:
                packed, exact, log = outcome.value
                self.log.add(log)
                self.exact |= exact
                yield unpack(packed, checks)
            elif str(outcome.failure) == "error":
                self.log.warnings[f"internal error: {outcome.message} in the refinement of {name}"] = None

    def _job(self, name: str) -> tuple[list[Packed], set[str], Log]:
        log = Log()
        now = time.monotonic()
        if self.end is not None and now > self.end:
            return [], set(), log
        deadline = now + self.each
        if self.problem.deadline is not None:
            deadline = min(deadline, self.problem.deadline)
        climbing = _Climbing(self, name, deadline, log)
        done = climbing.run()
        return pack(*done), climbing.exact, log

    # ------------------------------------------------------------ what is known of functions

    def order_above(self, name: str) -> list[str]:
        """The functions that calls of one may come through, callees first."""
        above: set[str] = set()
        work = [name]
        while work:
            for caller in self.scopes.callers.get(work.pop(), ()):
                if caller not in above:
                    above.add(caller)
                    work.append(caller)
        return [other for other in self.calls.graph.order if other in above and other != name]

    def is_plain(self, name: str, policy: Policy) -> bool:
        """Are all accesses through pointers in a function, and in those that are followed, seen one by one?
        Not in models of library functions, nor where something unknown or of unknown size is accessed."""
        if self.calls.effect(name).frees:
            return False
        program = self.problem.program
        return all(
            self._calls_plainly(i)
            for other in self.calls.followed(name, policy)
            for i in instructions(program.functions[other])
            if isinstance(i, ir.Call) and not is_handler_call(i)
        )

    def _calls_plainly(self, call: ir.Call) -> bool:
        if isinstance(call.callee, ir.AsmOperand):
            return False
        target = self.calls.graph.target(call)
        if target is None:
            return False
        if target.startswith("llvm.mem"):
            return isinstance(call.arguments[2], ir.IntConstant)
        if target.startswith("llvm."):
            return True
        function = self.problem.program.functions.get(target)
        return function is not None and function.defined and target not in self.problem.program.models

    def start(self, name: str, policy: Policy, targets: frozenset[str]) -> Start:
        """As general as every call there is; of numbers nothing is known, so that a condition is one of the
        function alone."""
        start = self.scopes.start(name, policy, targets)
        scope = start.scope
        assert scope is not None
        arguments = tuple(None if isinstance(known, tuple) else known for known in scope.arguments)
        return replace(start, scope=replace(scope, arguments=arguments))



@record
class _Open:
    """What is open about one check: `conditions` of the functions from which it may fail, by name; `roots`
    are those among them that have no callers to ask, with what was found there."""

    conditions: dict[str, Condition | None] = field(default_factory=dict)
    roots: dict[str, CheckResult] = field(default_factory=dict)
    proofs: list[CheckResult] = field(default_factory=list)
    lost: str | None = None  # why nothing can be proved any more


class _Climbing:
    """The checks of one function, from the function itself upwards."""

    def __init__(self, whole: _Refinement, name: str, deadline: float, log: Log) -> None:
        self.whole = whole
        self.plan = whole.plan
        self.name = name
        self.deadline = deadline
        problem = whole.problem
        timeout = min(CHECK_SECONDS, float(problem.settings.check_timeout))
        settings = problem.settings.replace(check_timeout=timeout)
        self.problem = replace(problem, deadline=deadline, settings=settings)
        self.prover = Rounds(self.problem, log, proofs_only=True)
        self.seeker = Rounds(self.problem, log)
        self.bound = int(settings.unwind) if settings.unwind is not None else BOUND
        self.checks = {check.id: check for check in whole.checks[name]}
        self.open = {name: _Open() for name in self.checks}
        self.texts: dict[str, Summary] = {}
        self.exact: set[str] = set()
        self.examples: dict[str, Counterexample] = {}

    def run(self) -> tuple[dict[str, CheckResult], dict[str, Counterexample]]:
        began = time.monotonic()
        try:
            self._first()
            if self.plan.depth:
                self._upwards()
        except (MemoryError, VouchError):
            for found in self.open.values():
                found.lost = "given up"
        spent = (time.monotonic() - began) / max(len(self.checks), 1)
        results = {name: self._result(name, spent) for name in self.checks}
        kept = {name: result for name, result in results.items() if result is not None}
        return kept, {name: held for name, held in self.examples.items() if name in kept}

    # ------------------------------------------------------------ one function

    def _first(self) -> None:
        """The function itself."""
        whole, name = self.whole, self.name
        policy = Abstract(whole.calls, FOLLOWED)
        start = whole.start(name, policy, frozenset({name}))
        context, equation = self.prover.executed(start, self.bound)
        plain = whole.is_plain(name, policy)
        self._take(name, context, equation, plain, list(self.checks))
        if name in whole.scopes.roots:
            for found in self.open.values():
                found.lost = found.lost or f"{name} may be called from outside"

    def _take(
        self, name: str, context: ExecutionContext, equation: Equation, plain: bool, wanted: Sequence[str]
    ) -> None:
        """Remember the conditions of a function for these checks."""
        writes = self.whole.calls.effect(name).wild
        conditions = Conditions(context, equation, plain=plain, writes=writes)
        for check in wanted:
            found = conditions.of(self.checks[check])
            if self.plan.kind == "callers":
                found = None
            elif found is None:
                self.open[check].lost = f"the condition at {name} is too large"
            else:
                found = self._approximated(found, check, first=name == self.name)
            self.open[check].conditions[name] = found

    def _approximated(self, exact: Condition, check: str, *, first: bool) -> Condition:
        """The condition as the plan wants it, and as C where that is wanted."""
        solver = self.seeker.solver
        left = min(self.deadline - time.monotonic(), self.whole.each / 3)
        text: Summary | None = None
        match self.plan.kind:
            case "enumerated":
                found, text = enumerated(exact, solver, self.plan.points, left)
            case "learned":
                found, text = learned(exact, solver, left, read=first)
            case _:
                found = exact
                if first and self.plan.text:
                    text = summary(exact, solver, left)
        if first and text is not None:
            self.texts[check] = text
            if text.complete and text.maximal and not exact.beyond:
                self.exact.add(check)
        return found

    # ------------------------------------------------------------ its callers

    def _upwards(self) -> None:
        whole = self.whole
        levels = {self.name: 0}
        for name in whole.order_above(self.name):
            below = [n for n in whole.calls.graph.callees[name] if n in levels]
            levels[name] = 1 + min((levels[n] for n in below), default=0)
            asked = self._asked(name)
            if not asked:
                continue
            if time.monotonic() > self.deadline:
                self._lose(asked, "time limit reached")
            elif levels[name] > self.plan.depth:
                self._lose(asked, f"more than {self.plan.depth} calls up")
            elif name in whole.calls.graph.recursive or not whole.scopes.can_pass_on(name):
                self._lose(asked, f"{name} cannot be looked at alone")
            else:
                self._caller(name, asked)

    def _asked(self, name: str) -> list[str]:
        """The checks that may fail in a callee."""
        callees = set(self.whole.calls.graph.callees[name])
        return [
            check
            for check, found in self.open.items()
            if found.lost is None and any(held in callees for held in found.conditions)
        ]

    def _lose(self, checks: Sequence[str], why: str) -> None:
        for check in checks:
            self.open[check].lost = why

    def _caller(self, name: str, asked: Sequence[str]) -> None:
        """Look at the checks from one caller."""
        whole, scopes = self.whole, self.whole.scopes
        policy, plain = self._policy(name, asked)
        start = whole.start(name, policy, frozenset({self.name}))
        problem = _only(self.problem, [self.checks[check] for check in asked])
        at_entry = name in scopes.entries and start.scope is not None and not start.scope.inner
        seek = at_entry and not self.plan.proofs
        rounds = Rounds(problem, self.prover.log, proofs_only=not seek)
        context, equation = rounds.executed(start, self.bound)
        plain = plain and whole.is_plain(name, policy)
        answers = rounds.decided(start, self.bound, context, equation, {}).answers
        left = []
        for check in asked:
            result = answers.results.get(check)
            if result is not None and result.verdict is Verdict.SAFE:
                self.open[check].proofs.append(result)
                continue
            left.append(check)
            if name in scopes.roots or not scopes.callers.get(name):
                reason = f"from {name}"
                self.open[check].roots[name] = result or CheckResult(
                    self.checks[check], Verdict.UNKNOWN, reason=reason
                )
                if check in answers.counterexamples:
                    self.examples[check] = answers.counterexamples[check]
        if left and scopes.callers.get(name):
            self._take(name, context, equation, plain, left)

    def _policy(self, name: str, asked: Sequence[str]) -> tuple[Policy, bool]:
        calls = self.whole.calls
        inner = Abstract(calls, FOLLOWED)
        callees = set(calls.graph.callees[name])
        if self.plan.kind == "callers":
            chain = {held for check in asked for held in self.open[check].conditions}
            return Including(inner, chain), True
        conditions: dict[str, list[Condition]] = {}
        for check in asked:
            for held, condition in self.open[check].conditions.items():
                if held in callees and condition is not None:
                    conditions.setdefault(held, []).append(condition)
        plain = all(c.environment.plain for held in conditions.values() for c in held)
        return Substituting(inner, conditions), plain

    # ------------------------------------------------------------ adding up

    def _result(self, name: str, seconds: float) -> CheckResult | None:
        found, check = self.open[name], self.checks[name]
        text = self.texts.get(name)
        rung = "callers" if self.plan.kind == "callers" else "precondition"
        over = all(c is None or c.over for c in found.conditions.values())
        if found.lost is None and not found.roots and found.proofs and over:
            assumptions = dict.fromkeys(text for proof in found.proofs for text in proof.assumptions)
            reached = any(proof.reason != UNREACHABLE for proof in found.proofs)
            return CheckResult(
                check,
                Verdict.SAFE,
                decided_by=rung,
                reason=None if reached else UNREACHABLE,
                seconds=seconds,
                precondition=self._text(name),
                assumptions=tuple(assumptions),
            )
        if text is None and name not in self.examples:
            return None
        worst = next((r for r in found.roots.values() if r.verdict in _VIOLATED), None)
        open_ = CheckResult(check, Verdict.UNKNOWN, decided_by=rung, reason=found.lost, seconds=seconds)
        if worst is not None:
            root = next(n for n, r in found.roots.items() if r is worst)
            open_ = replace(worst, decided_by=rung, verdict=Verdict.COND_UNSAFE, seconds=seconds)
            open_ = replace(open_, reason=worst.reason or f"from {root}, as its callees are taken to be")
        if text is not None and not text.complete:
            why = f"{open_.reason}; " if open_.reason else ""
            open_ = replace(open_, reason=f"{why}precondition under-approximated after {text.points} points")
        return replace(open_, precondition=self._text(name))

    def _text(self, name: str) -> str | None:
        """Only one under which the check holds."""
        found = self.texts.get(name)
        return found.text if found is not None and found.complete else None


_VIOLATED = (Verdict.UNSAFE, Verdict.COND_UNSAFE)


class Including:
    """A policy: the functions on the way to a check are followed, others are as the policy below says."""

    def __init__(self, inner: Abstract, chain: set[str]) -> None:
        self._inner = inner
        self._chain = chain
        self.unknown = inner.unknown
        self.taken = inner.taken

    def __call__(self, function: ir.Function, depth: int, /) -> CallModel | None:
        return None if function.name in self._chain else self._inner(function, depth)


def _only(problem: Problem, checks: Sequence[Check]) -> Problem:
    return replace(problem, checks=tuple(checks), sites=by_site(checks), _reached={})
