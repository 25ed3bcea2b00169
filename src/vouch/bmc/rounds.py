"""One round: execute from a start to a bound, or by induction, and decide what the execution claims."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from vouch.bmc.context import ExecutionContext
from vouch.bmc.decide import Answers, Decider
from vouch.bmc.environment.overlap import EVERYWHERE, Pair
from vouch.bmc.equation import Equation
from vouch.bmc.execute import Executor
from vouch.bmc.execution import Execution, ExecutionLimits, Induction
from vouch.bmc.problem import Problem, Start, by_site
from vouch.c import ir
from vouch.c.checks.base import Check, Trigger
from vouch.c.flow.graph import may_follow
from vouch.numeric.accuracy import Accuracy
from vouch.numeric.solver import Numbers, NumericSolver
from vouch.parallel import Pool
from vouch.record import frozen_record, record
from vouch.result import CheckResult
from vouch.smt import chain
from vouch.smt import term as T
from vouch.smt.solver import Answer, Solver
from vouch.status import UNREACHABLE, Direction
from vouch.verdict import Verdict

NOT_EVALUATED = "not evaluated"
PLACES_SECONDS = 5.0  # for each question about overlapping objects at chosen places
GENERAL_SECONDS = 2.0  # for each question about generalised loops
_EXECUTING = 0.6  # of the time that is left, at most, for one execution
Results = Mapping[str, CheckResult]


@record
class Log:
    """What executions bring to light beside answers: `callbacks` are functions that code outside got hold
    of."""

    warnings: dict[str, None] = field(default_factory=dict)
    callbacks: dict[str, None] = field(default_factory=dict)
    instructions: int = 0

    def add(self, other: Log) -> None:
        self.warnings.update(other.warnings)
        self.callbacks.update(other.callbacks)
        self.instructions += other.instructions


@frozen_record
class Round:
    """The answers, and the loops that have more iterations than were followed."""

    answers: Answers
    cut_loops: frozenset[str] = frozenset()


class Rounds:
    """Rounds for one problem. `pool` decides hard checks in processes of their own; `proved` hears of each
    proof that a bounded round finds; `proofs_only`: violations are not looked into."""

    def __init__(
        self,
        problem: Problem,
        log: Log,
        pool: Pool | None = None,
        proved: Callable[[CheckResult], None] | None = None,
        *,
        proofs_only: bool = False,
    ) -> None:
        self._proofs_only = proofs_only
        self.problem = problem
        self.log = log
        self._settings = problem.settings
        self._pool = pool
        self._proved = proved
        self._usual: dict[str, frozenset[int]] = {}  # sites by function that need no exception to get to

    # ------------------------------------------------------------ kinds of rounds

    def bounded(self, start: Start, bound: int, best: Results) -> Round:
        """Loops run to the bound. What is settled in `best` is not asked again."""
        context, equation = self.executed(start, bound)
        return self.decided(start, bound, context, equation, best)

    def decided(
        self, start: Start, bound: int, context: ExecutionContext, equation: Equation, best: Results
    ) -> Round:
        """What an execution to the bound says."""
        decider = self._decider(context, equation, bound, "global", self._proved)
        done = {Verdict.SAFE, Verdict.UNSAFE}
        settled = frozenset(i for i, r in best.items() if r.verdict in done and r.reason != UNREACHABLE)
        violated = frozenset(i for i in settled if best[i].verdict is Verdict.UNSAFE)
        answers = decider.run(self.problem.open_from(start), skip=settled, violated_before=violated)
        if answers.overlapping:
            self._choose_places(start, bound, answers)
        self._unclaimed(start, decider, equation, answers, settled)
        self.log.warnings.update(dict.fromkeys(answers.warnings))
        return Round(answers, frozenset(name for name, count in equation.loops.items() if count > bound))

    def inductive(self, start: Start, k: int, trusted: frozenset[str]) -> Round:
        """Loops are generalised after `k` iterations, in which the trusted checks are assumed to hold."""
        plan = Induction(k, trusted, self.problem.invariants)
        context, equation = self._execute(start, k, plan)
        decider = self._decider(context, equation, None, "induction", direction=Direction.PROVES)
        answers = decider.run([c for c in self.problem.checks if c.id in trusted])
        others = frozenset(c.id for c in self.problem.checks) - trusted
        self._unclaimed(start, decider, equation, answers, others)
        return Round(answers)

    def generalised(self, start: Start, bound: int, best: Results) -> tuple[Round, bool]:
        """Every loop is one iteration from whatever its head may look like. Nothing is assumed of checks, so
        that each proof stands for itself; violations may start in a state that no execution comes to. False
        with it where there was no such loop: then it is the execution to the bound."""
        plan = Induction(-1, frozenset(), self.problem.invariants)
        context, equation = self._execute(start, bound, plan)
        if not plan.generalised:
            return self.decided(start, bound, context, equation, best), False
        decider = self._decider(context, equation, None, "induction", direction=Direction.PROVES)
        decider.asking.check_timeout = min(decider.asking.check_timeout, GENERAL_SECONDS)
        settled = frozenset(i for i, r in best.items() if r.verdict in (Verdict.SAFE, Verdict.UNSAFE))
        answers = decider.run(self.problem.open_from(start), skip=settled)
        self._unclaimed(start, decider, equation, answers, settled)
        return Round(answers), True

    def _choose_places(self, start: Start, bound: int, answers: Answers) -> None:
        """Look once more for violations that need overlapping objects, at places that a run can have: where
        those overlap that did, then wherever objects may."""
        left = dict(answers.overlapping)
        for pairs, limit in ((frozenset().union(*left.values()), PLACES_SECONDS), (EVERYWHERE, 2.0)):
            context, equation = self._execute(start, bound, None, chosen=pairs)
            decider = self._decider(context, equation, bound, "global", direction=Direction.REFUTES)
            decider.asking.check_timeout = min(decider.asking.check_timeout, limit)
            found = decider.run([c for c in self.problem.checks if c.id in left])
            for name, result in found.results.items():
                if result.verdict is Verdict.UNSAFE:
                    answers.results[name] = result
                    answers.counterexamples[name] = found.counterexamples[name]
                    del left[name]
            if not left:
                return

    # ------------------------------------------------------------ executing and asking

    def equation(self, start: Start, bound: int) -> Equation:
        """What executions to the bound come to, nothing of it asked yet."""
        return self.executed(start, bound)[1]

    def executed(self, start: Start, bound: int) -> tuple[ExecutionContext, Equation]:
        """The same, with what it was executed in."""
        return self._execute(start, bound, None)

    def _execute(
        self, start: Start, bound: int, plan: Induction | None, *, chosen: frozenset[Pair] = frozenset()
    ) -> tuple[ExecutionContext, Equation]:
        problem, settings, scope = self.problem, self._settings, start.scope
        context = ExecutionContext(
            problem.program,
            arbitrary=start.arbitrary,
            inner=scope is not None and scope.inner,
            strict=settings.strict_pointers,
            devices=problem.devices,
            private=problem.private,
            sharing=settings.sharing,
            chosen=chosen,
            typed=scope is None or scope.typed,
            trusted=scope is None or scope.trusted,
            promises=problem.promises,
        )
        limits = ExecutionLimits(unwind=bound, loops=dict(problem.bounds), recursion=max(bound, 2))
        limits.deadline = self._execution_deadline()
        execution = Execution(
            context,
            self._sites(start),
            limits,
            unknown_calls=settings.extern,
            malloc_may_fail=settings.malloc_may_fail,
            propagation=not settings.no_propagation,
            reachability=problem.reachability,
            plan=plan,
            public=problem.entries if start.library else (),
            callees=problem.callees if scope is None else scope.policy,
            scope=scope,
        )
        constructed = not start.arbitrary and start.entry not in problem.program.constructors
        feasible = self._feasible(context) if settings.smt_during_symex else None
        equation = Executor(execution, feasible).run(start.entry, constructors=constructed)
        self.log.add(Log(equation.failures, equation.callbacks, equation.instructions))
        return context, equation

    def _decider(
        self,
        context: ExecutionContext,
        equation: Equation,
        bound: int | None,
        rung: str,
        report: Callable[[CheckResult], None] | None = None,
        *,
        direction: Direction = Direction.BOTH,
    ) -> Decider:
        return Decider(
            context,
            equation,
            lambda: self.solver(context),
            check_timeout=self._settings.check_timeout,
            deadline=self.problem.deadline,
            bound=bound,
            rung=rung,
            individual=self._settings.individual,
            sliced=not self._settings.no_slice,
            pool=self._pool,
            jobs=self.problem.jobs,
            memory=self._settings.check_memory,
            report=report,
            direction=Direction.PROVES if self._proofs_only else direction,
        )

    def _sites(self, start: Start) -> Mapping[int, Sequence[Check]]:
        if start.scope is None:
            return self.problem.sites
        return by_site(self.problem.open_from(start))

    def _execution_deadline(self) -> float:
        """What was executed must be asked as well: not all of the time that is left."""
        now, end = time.monotonic(), self.problem.deadline
        own = now + max(float(self._settings.check_timeout), 10.0)
        return own if end is None else min(own, now + _EXECUTING * max(end - now, 0.0))

    def solver(self, context: ExecutionContext | None = None) -> Solver:
        """For questions about an execution, or about terms without results of the math library."""
        settings = self._settings
        dump = Path(settings.dump_smt) if settings.dump_smt else None
        solver = chain.make(settings.solver, memory=settings.check_memory, dump=dump)
        run_all = not (settings.no_enumeration or settings.no_replay)  # which runs nothing natively
        if settings.no_bounds and not run_all:
            return solver
        calls = {} if context is None else context.calls
        numbers = Numbers(calls, Accuracy(settings.libm), not settings.no_bounds, run_all)
        return NumericSolver(solver, numbers)

    def _feasible(self, context: ExecutionContext) -> Callable[[T.Term], bool]:
        solver = self.solver(context)
        added = 0

        def ask(guard: T.Term) -> bool:
            nonlocal added
            for constraint in context.constraints[added:]:
                solver.add(constraint)
            added = len(context.constraints)
            return solver.check([guard], timeout=5.0) is not Answer.UNSAT

        return ask

    # ------------------------------------------------------------ what was not claimed

    def _unclaimed(
        self,
        start: Start,
        decider: Decider,
        equation: Equation,
        answers: Answers,
        settled: frozenset[str],
    ) -> None:
        """A check that no execution up to the bound reaches is only safe if none was cut before it, and one
        whose place was executed without anybody looking at the check is not evaluated."""
        claimed = {claim.check.id for claim in equation.claims}
        for check in self.problem.open_from(start):
            if check.id in claimed or check.id in settled:
                continue
            verdict, reason = decider.cuts.verdict(check)
            if check.site.number in equation.visited and verdict is not Verdict.UNKNOWN:
                verdict, reason = Verdict.UNKNOWN, NOT_EVALUATED
            if verdict is Verdict.SAFE and self._only_after_exception(check):
                verdict, reason = Verdict.UNKNOWN, "C++ exceptions are not supported"
            answers.results[check.id] = CheckResult(
                check,
                verdict,
                decided_by="global",
                reason=UNREACHABLE if verdict is Verdict.SAFE else reason,
                bound=decider.bound if verdict is Verdict.BOUND_SAFE else None,
            )

    def _only_after_exception(self, check: Check) -> bool:
        """Does control get to the check only where a call ends with an exception? (Not asked of the
        `delete` that the compiler adds for a constructor that throws: it gets what `new` gave.)"""
        if check.trigger is Trigger.FREE:
            return False
        usual = self._usual.get(check.function)
        if usual is None:
            function = self.problem.program.functions.get(check.function)
            usual = _usual_sites(function) if function is not None else frozenset()
            self._usual[check.function] = usual
        return check.site.number not in usual


def _usual_sites(function: ir.Function) -> frozenset[int]:
    """Instructions that control can reach when no call throws."""
    if not function.blocks:
        return frozenset()
    seen: set[str] = set()
    work = [next(iter(function.blocks))]
    while work:
        label = work.pop()
        if label not in seen:
            seen.add(label)
            last = function.blocks[label].terminator
            work.extend([last.normal] if isinstance(last, ir.Invoke) else may_follow(function, last))
    return frozenset(i.number for label in seen for i in function.blocks[label].instructions)
