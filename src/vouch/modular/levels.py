"""Proofs for every caller, function by function: the rungs between preprocessing and whole executions.

Level 0 (`local`): each function alone, its callees replaced by what they may do at most. Level d: callees are
followed d calls deep. A check of the function itself that holds then holds in every execution (`module`). One
of a callee holds if it does so from all functions that every call of it comes through, d calls further up
(`callers`). Everything else climbs on.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vouch.bmc.merging import Report
from vouch.bmc.problem import Problem, Start
from vouch.bmc.rounds import Log, Rounds
from vouch.bmc.rungs import Bounded, Climb, Inductive, Rung
from vouch.c.checks.base import Check
from vouch.c.ranges import RangeAnalysis
from vouch.errors import VouchError
from vouch.modular.policy import Abstract, Calls
from vouch.modular.scopes import Scopes
from vouch.parallel import Pool, for_here, for_others
from vouch.result import CheckResult
from vouch.status import UNREACHABLE
from vouch.verdict import Verdict

CHECK_SECONDS = 2.0  # for one question to the solver
SECONDS = 10.0  # for one function
DEEPEST = 2  # by default
SHARE = 0.3  # of the time that is left, for all functions of a level together
_METHODS = {"bounds", "enumeration"}  # they say more than the rung does
RUNGS: tuple[Rung, ...] = (Bounded(1, first=True), Inductive(1), Inductive(2))
Proof = tuple[str, str | None, list[str], float, str]  # check, reason, assumptions, seconds, decided by


@dataclass(frozen=True, slots=True)
class Proofs:
    """Checks that hold for every caller, and what else came to light."""

    results: tuple[CheckResult, ...] = ()
    warnings: tuple[str, ...] = ()
    instructions: int = 0


def prove(
    problem: Problem,
    analysis: RangeAnalysis,
    level: int = 0,
    *,
    report: Report | None = None,
    pool: Pool | None = None,
) -> Proofs:
    """Proofs of open checks on one level."""
    if analysis.graph is None:
        return Proofs()
    return _Level(problem, analysis, level, report).run(pool)


class _Level:
    def __init__(self, problem: Problem, analysis: RangeAnalysis, level: int, report: Report | None) -> None:
        assert analysis.graph is not None
        self.problem = problem
        self.level = level
        self.report = report
        self.calls = Calls(problem.program, analysis, analysis.graph, problem.reachability)
        self.scopes = Scopes(problem, self.calls)
        self.policy = Abstract(self.calls, level)
        self.log = Log()
        self.checks: dict[str, list[Check]] = {}
        for check in problem.checks:
            self.checks.setdefault(check.function, []).append(check)
        # Through which functions every call of one comes.
        self.above = {
            name: found
            for name in self.checks
            if level and (found := self.scopes.above(name, level)) is not None
        }

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"end": for_others(self.end), "report": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, end=for_here(state["end"]))

    def run(self, pool: Pool | None) -> Proofs:
        starts = list(self._starts())
        if not starts:
            return Proofs()
        self._share(len(starts))
        heard: dict[str, dict[str, Proof]] = {}
        for start, proofs in self._jobs(starts, pool):
            heard[start.entry] = {proof[0]: proof for proof in proofs}
        results = tuple(self._results(heard))
        if self.report is not None:
            for result in results:
                self.report(result)
        return Proofs(results, tuple(self.log.warnings), self.log.instructions)

    def _starts(self) -> Iterator[Start]:
        """The functions that have something to say about open checks, callees first."""
        for name in self.calls.graph.order:
            if not self.scopes.can_start(name):
                continue
            targets = {held for held, found in self.above.items() if name in found}
            if name in self.checks and self._says_more(name):
                targets.add(name)
            if targets:
                yield self.scopes.start(name, self.policy, targets)

    def _says_more(self, name: str) -> bool:
        """Whether this level looks at a function's own checks otherwise than the ones before and behind."""
        if self.level:
            return self.calls.abstracts(name, Abstract(self.calls, self.level - 1))
        return name in self.scopes.callers or self.calls.abstracts(name, self.policy)

    def _share(self, count: int) -> None:
        """A fair share of the time for each function."""
        began = time.monotonic()
        deadline, jobs = self.problem.deadline, self.problem.jobs
        left = None if deadline is None else SHARE * max(deadline - began, 0.0)
        self.end = None if left is None else began + left
        self.each = SECONDS if left is None else min(SECONDS, max(left * jobs / count, 0.5))

    def _jobs(self, starts: Sequence[Start], pool: Pool | None) -> Iterator[tuple[Start, list[Proof]]]:
        """What the starts yield. One that fails costs its own checks; they go on to other rungs."""
        if pool is None:
            for start in starts:
                yield start, self._job(start)[0]
            return
        limits = {"timeout": 3 * self.each + 5, "memory": self.problem.settings.check_memory}
        for start, outcome in pool(self._job, starts, jobs=self.problem.jobs, ordered=False, **limits):
            if outcome.ok:
                proofs, log = outcome.value
                self.log.add(log)
                yield start, proofs
            elif str(outcome.failure) == "error":
                text = f"internal error: {outcome.message} in the analysis of {start.entry} alone"
                self.log.warnings[text] = None

    def _job(self, start: Start) -> tuple[list[Proof], Log]:
        log = Log()
        if self.end is not None and time.monotonic() > self.end:
            return [], log
        followed = self.calls.followed(start.entry, self.policy)
        results = [r for r in self._climb(start, log) if r.verdict is Verdict.SAFE]
        proofs = [r for r in results if self.scopes.covers(start, r.check, followed)]
        said = [(r.check.id, r.reason, list(r.assumptions), r.seconds, r.decided_by or "") for r in proofs]
        return said, log

    def _climb(self, start: Start, log: Log) -> Sequence[CheckResult]:
        problem = self.problem
        deadline = time.monotonic() + self.each
        if problem.deadline is not None:
            deadline = min(deadline, problem.deadline)
        timeout = min(CHECK_SECONDS, float(problem.settings.check_timeout))
        settings = problem.settings.replace(check_timeout=timeout)
        rounds = Rounds(replace(problem, deadline=deadline, settings=settings), log, proofs_only=True)
        climb = Climb(start)
        try:
            for rung in RUNGS:
                if time.monotonic() > deadline or (climb.results and not climb.is_bounded):
                    break
                rung.run(rounds, climb)
        except (MemoryError, VouchError):
            pass
        return list(climb.results.values())

    # ------------------------------------------------------------ adding up

    def _results(self, heard: dict[str, dict[str, Proof]]) -> Iterator[CheckResult]:
        for check in self.problem.checks:
            own = heard.get(check.function, {}).get(check.id)
            if own is not None:
                yield _result(check, "module" if self.level else "local", [own])
                continue
            above = self.above.get(check.function)
            if above:
                said = [heard.get(name, {}).get(check.id) for name in sorted(above)]
                found = [proof for proof in said if proof is not None]
                if len(found) == len(said):
                    yield _result(check, "callers", found)



def _result(check: Check, rung: str, proofs: Sequence[Proof]) -> CheckResult:
    reasons = {reason for _, reason, *_ in proofs}
    methods = {by for *_, by in proofs}
    if len(methods) == 1 and methods <= _METHODS:
        rung = methods.pop()
    reached = reasons - {UNREACHABLE}
    assumptions: dict[str, Any] = {text: None for _, _, held, *_ in proofs for text in held}
    return CheckResult(
        check,
        Verdict.SAFE,
        decided_by=rung,
        reason=next(iter(reached), None) if reached else UNREACHABLE,
        seconds=sum(seconds for _, _, _, seconds, _ in proofs),
        assumptions=tuple(assumptions),
    )
