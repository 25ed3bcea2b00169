"""Functions with everything that leads to them, and their callees replaced: the abstraction of calls alone.

The opposite of `levels`: where a function is called from is followed from the roots of the program on, what
it and they call beside is replaced by its effect, from `limit` calls below the function on. A check of the
function holds if it does so from every root that calls of it come from.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from vouch.bmc.merging import Report
from vouch.bmc.problem import Problem, Start
from vouch.bmc.rounds import Log
from vouch.bmc.verify import process_limits
from vouch.c import ir
from vouch.c.checks.base import Check
from vouch.c.ranges import RangeAnalysis
from vouch.modular.levels import CHECK_SECONDS, SECONDS, Proofs, Word, climbs, proof, words
from vouch.modular.policy import Abstract, Calls
from vouch.modular.scopes import Scopes
from vouch.parallel import Pool, for_here, for_others
from vouch.result import CheckResult
from vouch.smt.term import Session
from vouch.verdict import Verdict

LEAST = 0.5  # seconds for a function
Said = tuple[str, list[Word]]  # a root and what it says


class CallerClosed(Abstract):
    """What leads to a function is followed, and callees of it less than `limit` calls below."""

    def __init__(self, calls: Calls, scopes: Scopes, name: str, limit: int) -> None:
        super().__init__(calls)
        self.above = _closure([name], lambda n: scopes.callers.get(n, ()))
        self.kept = self.above | _closure([name], lambda n: calls.graph.callees[n], limit - 1)

    def follows(self, function: ir.Function, depth: int) -> bool:
        return function.name in self.kept or super().follows(function, depth)


def _closure(names: Sequence[str], step: Callable[[str], Any], most: int | None = None) -> set[str]:
    """The names, and what steps lead to, `most` of them in a row."""
    seen, level, count = set(names), list(names), 0
    while level and count != most:
        level = list(dict.fromkeys(n for name in level for n in step(name) if n not in seen))
        seen.update(level)
        count += 1
    return seen


def prove(
    problem: Problem,
    analysis: RangeAnalysis,
    limit: int,
    *,
    report: Report | None = None,
    pool: Pool | None = None,
) -> Proofs:
    """Proofs of open checks, reported as they are found."""
    if analysis.graph is None or not problem.checks:
        return Proofs()
    with process_limits():
        return _Modules(problem, analysis, limit, report).run(pool)


class _Modules:
    def __init__(self, problem: Problem, analysis: RangeAnalysis, limit: int, report: Report | None) -> None:
        assert analysis.graph is not None
        self.problem = problem
        self.limit = limit
        self.report = report
        self.calls = Calls(problem.program, analysis, analysis.graph, problem.reachability)
        self.scopes = Scopes(problem, self.calls)
        self.log = Log()
        self.checks: dict[str, list[Check]] = {}
        for check in problem.checks:
            self.checks.setdefault(check.function, []).append(check)
        self.heard: dict[str, dict[str, dict[str, Word]]] = {}  # by function, root and check
        self.end = problem.deadline

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"end": for_others(self.end), "report": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, end=for_here(state["end"]))

    def run(self, pool: Pool | None) -> Proofs:
        self.roots = {name: roots for name in self.checks if (roots := self._roots(name))}
        results: dict[str, CheckResult] = {}
        for name in self._jobs(pool):
            for check in self.checks[name]:
                if (found := self._proof(check)) is not None:
                    results[check.id] = found
                    if self.report is not None:
                        self.report(found)
        left = (self._candidate(check) for check in self.problem.checks if check.id not in results)
        candidates = {result.check.id: result for result in left if result is not None}
        return Proofs(tuple(results.values()), tuple(self.log.warnings), self.log.instructions, candidates)

    def _policy(self, name: str) -> CallerClosed:
        return CallerClosed(self.calls, self.scopes, name, self.limit)

    def _roots(self, name: str) -> tuple[str, ...]:
        """Where calls of a function come from at first; nothing where one of these cannot be looked at. One
        whose address is taken is called from anywhere, with anything."""
        found = sorted(self._policy(name).above & self.scopes.roots)
        return tuple(found) if all(map(self.scopes.is_looked_at, found)) else ()

    def _start(self, root: str, name: str) -> Start:
        return self.scopes.root_start(root, self._policy(name), frozenset({name}))

    # ------------------------------------------------------------ jobs

    def _jobs(self, pool: Pool | None) -> Iterator[str]:
        """The functions that had their say."""
        names = sorted(self.roots, key=lambda name: self.calls.cost(name, self._policy(name)))
        self.places = {name: number for number, name in enumerate(names)}
        if pool is None:
            for name in names:
                self.log.add(self._job(name, partial(self._hear, name)))
                yield name
            return
        self.problem.reachability.prepare()
        limits = {"memory": self.problem.worker_memory, "deadline": self.end}
        limits["timeout"] = SECONDS + 3 * CHECK_SECONDS
        jobs = {"jobs": self.problem.jobs, "ordered": False, "hear": self._hear}
        for name, outcome in pool(self._job, names, **jobs, **limits):
            if outcome.ok:
                self.log.add(outcome.value)
            elif str(outcome.failure) == "error":
                text = f"internal error: {outcome.message} in the analysis of {name} with its callers"
                self.log.warnings[text] = None
            yield name

    def _hear(self, name: str, said: Said) -> None:
        root, found = said
        self.heard.setdefault(name, {}).setdefault(root, {}).update((word[0], word) for word in found)

    def _job(self, name: str, say: Callable[[Said], None]) -> Log:
        log, roots, settings = Log(), self.roots[name], self.problem.settings
        end = time.monotonic() + self._seconds(name)
        for number, root in enumerate(roots):
            now = time.monotonic()
            if now > end:
                break
            with Session(simplify=not settings.no_simplify, balance=not settings.no_balance):
                start = self._start(root, name)
                followed = self.calls.followed(root, self._policy(name))
                deadline = now + (end - now) / (len(roots) - number)
                for climb in climbs(self.problem, start, log, deadline):
                    say((root, list(words(self.scopes, start, climb, followed))))
        return log

    def _seconds(self, name: str) -> float:
        if self.end is None:
            return SECONDS
        left = len(self.places) - self.places[name]
        return min(SECONDS, max((self.end - time.monotonic()) * self.problem.jobs / left, LEAST))

    # ------------------------------------------------------------ adding up

    def _words(self, check: Check) -> list[Word | None]:
        heard = self.heard.get(check.function, {})
        return [heard.get(root, {}).get(check.id) for root in self.roots.get(check.function, ())]

    def _proof(self, check: Check) -> CheckResult | None:
        said = self._words(check)
        proofs = [word for word in said if word is not None and word[1] is Verdict.SAFE]
        return proof(check, "callers", proofs) if said and len(proofs) == len(said) else None

    def _candidate(self, check: Check) -> CheckResult | None:
        """What is to be said of a check short of a proof."""
        said = self._words(check)
        violated = next((w for w in said if w is not None and w[1] is Verdict.COND_UNSAFE), None)
        if violated is not None:
            name = self.problem.program.functions[check.function].source_name
            reason = f"if functions that {name} and its callers call can do this: they were not followed"
            return self._said(check, violated, reason)
        bounded = next((w for w in said if w is not None and w[1] is Verdict.BOUND_SAFE), None)
        if bounded is None or None in said:
            return None
        return replace(self._said(check, bounded, bounded[2]), bound=1)

    def _said(self, check: Check, word: Word, reason: str | None) -> CheckResult:
        found = CheckResult(check, word[1], decided_by="callers", reason=reason, seconds=word[4])
        return replace(found, assumptions=tuple(word[3]))
