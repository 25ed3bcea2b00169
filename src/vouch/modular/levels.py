"""Proofs for every caller, function by function: the rungs between preprocessing and whole executions.

Level 0 (`local`): each function alone, its callees replaced by what they may do at most. Level d: callees are
followed d calls deep. A check of the function itself that holds then holds in every execution (`module`). One
of a callee holds if it does so from all functions that every call of it comes through, d calls further up
(`callers`). Level `WHOLE`: from the roots down to the last callee but for recursion, every loop generalised.
Everything else climbs on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Any

from vouch.bmc.merging import Report
from vouch.bmc.problem import Problem, Start
from vouch.bmc.rounds import Log, Rounds
from vouch.bmc.rungs import Bounded, Climb, Generalised, Inductive, Rung
from vouch.bmc.verify import process_limits
from vouch.c.checks.base import Check
from vouch.c.ranges import RangeAnalysis
from vouch.errors import VouchError
from vouch.modular.policy import WHOLE, Abstract, Calls
from vouch.modular.scopes import Scopes
from vouch.parallel import Pool, for_here, for_others
from vouch.record import frozen_record
from vouch.result import CheckResult
from vouch.smt.term import Session
from vouch.status import UNREACHABLE
from vouch.verdict import Verdict

CHECK_SECONDS = 2.0  # for one question to the solver
SECONDS = 10.0  # for one function, where nobody set a limit
MOST_SECONDS = 45.0  # for one function, where others leave so much of the time
LEAST = 0.5  # the least that a function gets
LARGEST = 20_000  # instructions of all functions that are looked at together, from a root on
RUNG_SHARE = 0.6  # of what is left of a function's time, for any rung but the last
SHARES = {1: 0.12, 2: 0.06}  # of the time that is left, for all functions of a level together
SHARE = 0.3  # on other levels, which prove more
_METHODS = {"bounds", "enumeration"}  # they say more than the rung does
BOUND = 1  # of loops in the first executions that follow them
RUNGS: tuple[Rung, ...] = (Generalised(BOUND), Bounded(BOUND, first=True), Inductive(1), Inductive(2))
DEEP_RUNGS: tuple[Rung, ...] = (Generalised(BOUND),)
# Check, verdict, reason, assumptions, seconds, decided by.
Word = tuple[str, Verdict, str | None, list[str], float, str]
Place = tuple[int, str]  # of a function in the order of a level


@frozen_record
class Proofs:
    """Checks that hold for every caller, and what else came to light. `candidates`: what is to be said of
    checks that no higher rung decides: they hold up to a bound, or are violated if callers and callees do all
    that they are taken to do. `late` are functions that found no time for all they had to say."""

    results: tuple[CheckResult, ...] = ()
    warnings: tuple[str, ...] = ()
    instructions: int = 0
    candidates: Mapping[str, CheckResult] = field(default_factory=dict)
    late: frozenset[str] = frozenset()


def prove(
    problem: Problem,
    analysis: RangeAnalysis,
    level: int = 0,
    *,
    report: Report | None = None,
    pool: Pool | None = None,
    only: Collection[str] | None = None,
    most: float | None = None,
) -> Proofs:
    """Proofs of open checks on one level, reported as they are found. `only` these functions are looked at,
    and each for `most` seconds."""
    if analysis.graph is None:
        return Proofs()
    with process_limits():
        return _Level(problem, analysis, level, report, only, most).run(pool)


class _Level:
    def __init__(
        self,
        problem: Problem,
        analysis: RangeAnalysis,
        level: int,
        report: Report | None,
        only: Collection[str] | None,
        most: float | None,
    ) -> None:
        assert analysis.graph is not None
        self.problem = problem
        self.level = level
        self.report = report
        self.only, self.most = only, most
        self.late: set[str] = set()
        self.calls = Calls(problem.program, analysis, analysis.graph, problem.reachability)
        self.scopes = Scopes(problem, self.calls)
        self.policy = Abstract(self.calls, level)
        self.log = Log()
        self.checks: dict[str, list[Check]] = {}
        self.by_id: dict[str, Check] = {}
        for check in problem.checks:
            self.checks.setdefault(check.function, []).append(check)
            self.by_id[check.id] = check
        # Through which functions every call of one comes.
        self.above = {
            name: found for name in self.checks if level and (found := self._above(name)) is not None
        }
        self.heard: dict[str, dict[str, Word]] = {}
        self.results: dict[str, CheckResult] = {}

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"end": for_others(self.end), "report": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, end=for_here(state["end"]))

    def run(self, pool: Pool | None) -> Proofs:
        targets = self._targets()
        if not targets:
            return Proofs()
        self._share(targets)
        for name in self._jobs(pool):
            self._conclude(targets[name])
        found = (self._candidate(check) for check in self.problem.checks if check.id not in self.results)
        candidates = {result.check.id: result for result in found if result is not None}
        return Proofs(
            tuple(self.results.values()),
            tuple(self.log.warnings),
            self.log.instructions,
            candidates,
            frozenset(self.late),
        )

    def _targets(self) -> dict[str, set[str]]:
        """The functions that have something to say about open checks, with those that these are in; the
        cheap ones first."""
        found: dict[str, set[str]] = {}
        for name in self.calls.graph.order:
            if not self._starts(name) or (self.only is not None and name not in self.only):
                continue
            targets = {held for held, found in self.above.items() if name in found}
            if name in self.checks and self._says_more(name):
                targets.add(name)
            if targets:
                found[name] = targets
        costs = {name: self.calls.cost(name, self.policy) for name in found}
        most = LARGEST if self.level >= WHOLE else max(costs.values(), default=0)
        return {name: found[name] for name in sorted(costs, key=costs.__getitem__) if costs[name] <= most}

    def _starts(self, name: str) -> bool:
        return self.scopes.is_looked_at(name) if self.level >= WHOLE else self.scopes.can_start(name)

    def _above(self, name: str) -> frozenset[str] | None:
        return self.scopes.above_all(name) if self.level >= WHOLE else self.scopes.above(name, self.level)

    def _says_more(self, name: str) -> bool:
        """Whether this level looks at a function's own checks otherwise than the ones before and behind."""
        if self.level >= WHOLE:
            return False  # what its callers pass is known
        if self.level:
            return self.calls.abstracts(name, Abstract(self.calls, self.level - 1))
        return name in self.scopes.callers or self.calls.abstracts(name, self.policy)

    def _share(self, targets: Mapping[str, set[str]]) -> None:
        began, deadline = time.monotonic(), self.problem.deadline
        self.targets = targets
        share = SHARES.get(self.level, SHARE)
        self.end = None if deadline is None else began + share * max(deadline - began, 0.0)

    def _seconds(self, place: int) -> float:
        """A fair share of what time is left now for the function at this place of the order: what those
        before it did not need is there for the others."""
        if self.end is None:
            return self.most or SECONDS
        left = (self.end - time.monotonic()) * self.problem.jobs / (len(self.targets) - place)
        return min(self.most or MOST_SECONDS, max(left, LEAST))

    def _jobs(self, pool: Pool | None) -> Iterator[str]:
        """The functions that had their say. One that fails costs what it had not said by then; these checks
        go on to other rungs."""
        places = list(enumerate(self.targets))
        if pool is None:
            for place in places:
                self._add(place, self._job(place, partial(self._hear, place)))
                yield place[1]
            return
        self.problem.reachability.prepare()
        limits = {"memory": self.problem.worker_memory, "deadline": self.end}
        limits["timeout"] = (self.most or (SECONDS if self.end is None else MOST_SECONDS)) + 3 * CHECK_SECONDS
        jobs = {"jobs": self.problem.jobs, "ordered": False, "hear": self._hear}
        for place, outcome in pool(self._job, places, **jobs, **limits):
            if outcome.ok:
                self._add(place, outcome.value)
            else:
                self.late.add(place[1])
            if not outcome.ok and str(outcome.failure) == "error":
                text = f"internal error: {outcome.message} in the analysis of {place[1]} alone"
                self.log.warnings[text] = None
            yield place[1]

    def _add(self, place: Place, done: tuple[Log, bool]) -> None:
        log, late = done
        self.log.add(log)
        if late:
            self.late.add(place[1])

    def _hear(self, place: Place, words: Sequence[Word]) -> None:
        self.heard.setdefault(place[1], {}).update((word[0], word) for word in words)

    def _job(self, place: Place, say: Callable[[list[Word]], None]) -> tuple[Log, bool]:
        """What was done, and whether time ended it."""
        log = Log()
        number, name = place
        if self.end is not None and time.monotonic() > self.end:
            return log, True
        settings = self.problem.settings
        with Session(simplify=not settings.no_simplify, balance=not settings.no_balance):
            begin = self.scopes.root_start if self.level >= WHOLE else self.scopes.start
            start = begin(name, self.policy, self.targets[name])
            followed = self.calls.followed(name, self.policy)
            deadline = time.monotonic() + self._seconds(number)
            deadline = deadline if self.end is None else min(deadline, self.end)
            rungs = DEEP_RUNGS if self.level >= WHOLE else RUNGS
            for climb in climbs(self.problem, start, log, deadline, rungs):
                say(list(words(self.scopes, start, climb, followed)))
        return log, time.monotonic() > deadline

    # ------------------------------------------------------------ adding up

    def _conclude(self, functions: Iterable[str]) -> None:
        """Report what is proved now of the checks in these functions."""
        for name in functions:
            for check in self.checks.get(name, ()):
                if check.id not in self.results and (result := self._proof(check)) is not None:
                    self.results[check.id] = result
                    if self.report is not None:
                        self.report(result)

    def _proof(self, check: Check) -> CheckResult | None:
        own = self.heard.get(check.function, {}).get(check.id)
        if self.level < WHOLE and own is not None and own[1] is Verdict.SAFE:
            return proof(check, "module" if self.level else "local", [own])
        above = self.above.get(check.function, ())
        words = [self.heard.get(name, {}).get(check.id) for name in above]
        proofs = [word for word in words if word is not None and word[1] is Verdict.SAFE]
        rung = "module" if set(above) == {check.function} else "callers"
        return proof(check, rung, proofs) if words and len(proofs) == len(words) else None

    def _candidate(self, check: Check) -> CheckResult | None:
        """What the function alone says about its own check, short of a proof."""
        own = self.heard.get(check.function, {}).get(check.id)
        if own is None or self.level >= WHOLE:
            return None
        name, reason, bound = self.problem.program.functions[check.function].source_name, own[2], None
        if own[1] is Verdict.COND_UNSAFE:
            reason = f"if {name} can be called like this: its callers were not followed to the end"
        else:
            bound = BOUND
        rung = "module" if self.level else "local"
        result = CheckResult(check, own[1], decided_by=rung, reason=reason, bound=bound, seconds=own[4])
        return replace(result, assumptions=tuple(own[3]))


def climbs(
    problem: Problem, start: Start, log: Log, deadline: float, rungs: Sequence[Rung] = RUNGS
) -> Iterator[Climb]:
    """What is known after each rung of a start, for proofs alone."""
    timeout = min(CHECK_SECONDS, float(problem.settings.check_timeout))
    settings = problem.settings.replace(check_timeout=timeout)
    problem = replace(problem, deadline=deadline, settings=settings)
    rounds = Rounds(problem, log, proofs_only=True)
    climb = Climb(start)
    try:
        for rung in rungs:
            now = time.monotonic()
            if now > deadline:
                break
            share = 1.0 if rung is rungs[-1] else RUNG_SHARE
            rounds.problem = replace(problem, deadline=now + share * (deadline - now))
            if rung.worthwhile(rounds, climb):
                rung.run(rounds, climb)
                yield climb
    except (MemoryError, VouchError):
        pass


def words(scopes: Scopes, start: Start, climb: Climb, followed: set[str]) -> Iterator[Word]:
    """What a start may say about its checks: nothing about what it was not general enough for."""
    for result in climb.results.values():
        verdict = result.verdict
        name = result.check.id
        if name in climb.violated and verdict is Verdict.UNKNOWN:
            verdict = Verdict.COND_UNSAFE
        proves = verdict in (Verdict.SAFE, Verdict.BOUND_SAFE)
        if verdict is not Verdict.UNKNOWN and (not proves or scopes.covers(start, result.check, followed)):
            said = result.reason, list(result.assumptions), result.seconds, result.decided_by or ""
            yield name, verdict, *said


def proof(check: Check, rung: str, proofs: Sequence[Word]) -> CheckResult:
    reasons = {word[2] for word in proofs}
    methods = {word[5] for word in proofs}
    if len(methods) == 1 and methods <= _METHODS:
        rung = methods.pop()
    reached = reasons - {UNREACHABLE}
    assumptions: dict[str, Any] = {text: None for word in proofs for text in word[3]}
    return CheckResult(
        check,
        Verdict.SAFE,
        decided_by=rung,
        reason=next(iter(reached), None) if reached else UNREACHABLE,
        seconds=sum(word[4] for word in proofs),
        assumptions=tuple(assumptions),
    )
