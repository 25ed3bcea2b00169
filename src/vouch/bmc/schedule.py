"""Which starts are looked at, in which order and in which processes: entry points first, then what runs
before, after and beside them."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from vouch.bmc.doubts import unconfirmed
from vouch.bmc.merging import Merging, Report
from vouch.bmc.portable import Packed, pack, unpack
from vouch.bmc.problem import Problem, Start
from vouch.bmc.rounds import NOT_EVALUATED, Log, Rounds
from vouch.bmc.rungs import LADDER, Climb, climb
from vouch.c.checks.base import Check
from vouch.errors import VouchError
from vouch.parallel import Pool
from vouch.result import CheckResult
from vouch.status import UNREACHABLE, conditional
from vouch.verdict import Verdict

_LEAST = 1.0  # second for a start


class Schedule:
    """Runs all starts of a problem into `merging` and `log`. `pool` runs them in processes of their own, or
    their hard checks where there is one start only."""

    def __init__(self, problem: Problem, report: Report | None, pool: Pool | None) -> None:
        self.problem = problem
        self.log = Log()
        self.merging = Merging(report)
        self._report = report
        self._pool = pool

    def run(self) -> None:
        problem = self.problem
        if not problem.checks:
            for start in problem.starts if problem.states_assumptions() else ():
                # For the warning about assumptions that exclude everything.
                Rounds(problem, self.log).bounded(start, LADDER[0], {})
        else:
            self._entries()
        self._beside()
        self._nowhere([check for check in problem.checks if check.id not in self.merging.results])

    def _entries(self) -> None:
        problem = self.problem
        for start in problem.starts:
            self.merging.expect(problem.open_from(start))
        if self._pool is not None and len(problem.starts) > 1:
            self._in_processes(self._pool, problem.starts)
            return
        for start in problem.starts:
            done = self._contained(start, self._tell_proved)
            self.merging.add(done.results, done.examples)
            self._heard(start)

    def _in_processes(self, pool: Pool, starts: Sequence[Start]) -> None:
        """One process per start. What one of them cannot decide is unknown, the others go on."""
        problem = self.problem
        checks = {c.id: c for c in problem.checks}
        places = list(enumerate(sorted(starts, key=lambda start: problem.reachability.size(start.entry))))
        count = len(places)
        heard: dict[str, list[Packed]] = {}

        def job(place: tuple[int, Start], say: Callable[[list[Packed]], None]) -> tuple[list[Packed], Log]:
            log = Log()
            own = replace(problem, deadline=_share(problem, count - place[0]))

            def proved(result: CheckResult) -> None:
                if result.verdict is Verdict.SAFE:
                    say(pack({result.check.id: result}, {}))

            done = climb(Rounds(own, log, proved=proved), place[1])  # processes do not start processes
            return pack(done.results, done.examples), log

        def hear(place: tuple[int, Start], packed: list[Packed]) -> None:
            heard.setdefault(place[1].entry, []).extend(packed)

        limits = {"memory": problem.worker_memory, "deadline": problem.deadline}
        jobs = {"jobs": problem.jobs, "ordered": False, "hear": hear}
        for (_, start), outcome in pool(job, places, **jobs, **limits):
            if outcome.ok:
                packed, log = outcome.value
                self.log.add(log)
                self.merging.add(*unpack(packed, checks))
            else:
                late = outcome.failure == "timeout"
                why = "time limit reached" if late else f"{outcome.failure}: {outcome.message}"
                if not late:
                    self.log.warnings[f"{why} in the analysis of {start.entry}"] = None
                self._lost(start, why, unpack(heard.get(start.entry, ()), checks)[0])
            heard.pop(start.entry, None)
            self._heard(start)

    def _contained(self, start: Start, proved: Callable[[CheckResult], None] | None = None) -> Climb:
        """What can be said about the checks of a start; a mistake in vouch costs no others."""
        try:
            return climb(Rounds(self.problem, self.log, self._pool, proved), start)
        except (MemoryError, VouchError):
            raise
        except Exception as wrong:
            text = f"internal error: {type(wrong).__name__}: {' '.join(str(wrong).split())}".rstrip(": ")
            self.log.warnings[f"{text} in the analysis of {start.entry}"] = None
            if self.problem.settings.verbose:
                traceback.print_exc()
            self._lost(start, text)
            return Climb(start)

    def _lost(self, start: Start, why: str, proved: Mapping[str, CheckResult] | None = None) -> None:
        """Nothing is known about what this start reaches but what it had `proved` by then."""
        reason = f"{why} in the analysis of {start.entry}"
        kept = {name: unconfirmed(result, start.entry) for name, result in (proved or {}).items()}
        unknown = {
            check.id: CheckResult(check, Verdict.UNKNOWN, decided_by="global", reason=reason)
            for check in self.problem.reached_from(start.entry)
            if check.id not in kept
        }
        self.merging.add(unknown | kept)

    # ------------------------------------------------------------ telling

    def _heard(self, start: Start) -> None:
        self.merging.heard(self.problem.open_from(start), final=not self._may_be_called_back())

    def _tell_proved(self, result: CheckResult) -> None:
        """A proof from the only start is final the moment it is found."""
        alone = len(self.problem.starts) == 1 and not self._may_be_called_back()
        if self._report is not None and alone and result.verdict is Verdict.SAFE:
            self._report(result)

    def _may_be_called_back(self) -> bool:
        return not self.problem.library and bool(self.log.callbacks or self._handed_out)

    # ------------------------------------------------------------ before, after and beside

    def _beside(self) -> None:
        if self.problem.library:
            self._before_and_after()
        else:
            self._called_back()

    def _called_back(self) -> None:
        """Functions handed to code outside, those in tables that only hardware or other files read, and
        interrupt handlers may be called with anything at any time. What goes wrong then depends on whether
        they are. Destructors run when the program ends, in whatever state that is."""
        self.log.callbacks.update(dict.fromkeys(self._handed_out))
        done = set(self.problem.entries)
        while waiting := [name for name in self.log.callbacks if name not in done]:
            done.update(waiting)
            for name in waiting:
                start = Start(name, arbitrary=True, library=True)
                self._conditional(start, f"if code outside calls {name} with these arguments and globals")

    def _before_and_after(self) -> None:
        """What a library runs of itself: constructors before anybody calls it, the first one in the state
        that the sources give, and destructors at the end, in whatever state that is."""
        problem = self.problem
        started = [n for n in problem.program.constructors if self._runs_itself(n)]
        for number, name in enumerate(started):
            if number:
                self._conditional(Start(name, True, True), f"if globals hold this when {name} runs")
            else:
                self.merging.add(self._contained(Start(name, False, True)).results)
        for name in problem.program.destructors:
            if self._runs_itself(name):
                self._conditional(Start(name, True, True), f"if globals hold this when {name} runs")

    def _runs_itself(self, name: str) -> bool:
        return self.problem.is_defined(name) and name not in self.problem.entries

    def _conditional(self, start: Start, why: str) -> None:
        """Violations hang on whether the function is ever called so, and are not run."""
        results = self._contained(start).results
        self.merging.add({name: conditional(result, why) for name, result in results.items()})

    @cached_property
    def _handed_out(self) -> list[str]:
        """Functions that code outside has without being given them by an execution."""
        return [*self.problem.program.destructors, *self.problem.handlers]

    # ------------------------------------------------------------ the rest

    def _nowhere(self, checks: Sequence[Check]) -> None:
        """Checks that no start has anything to do with: dead, if calls and mentions lead there from
        nowhere."""
        if not checks:
            return
        program = self.problem.program
        starts = dict.fromkeys([*self.problem.entries, *self.log.callbacks])
        starts.update(dict.fromkeys([*program.constructors, *program.destructors]))
        reached = self.problem.reachability.from_functions(starts)
        for check in checks:
            dead = check.site.number not in reached
            self.merging.results[check.id] = CheckResult(
                check,
                Verdict.SAFE if dead else Verdict.UNKNOWN,
                decided_by="global",
                reason=UNREACHABLE if dead else NOT_EVALUATED,
            )


def _share(problem: Problem, count: int) -> float | None:
    """When the next of so many starts that are left has to end: each gets a fair share of the time."""
    end = problem.deadline
    if end is None:
        return None
    now = time.monotonic()
    return min(end, now + max((end - now) * problem.jobs / count, _LEAST))
