"""Violations, run natively before they are reported: what the runs say about the verdicts.

A violation that shows itself is `unsafe`. One whose run comes to another failing check first is conditional
on that one, and one that needs more memory than a run is given is conditional on that. One that does not
show itself otherwise is a bug in vouch, and so is a proof that a run contradicts: both
become `unknown` and are counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from vouch.bmc.counterexample import Counterexample
from vouch.bmc.replay import Replayer, ReplayLimits, ReplayResult
from vouch.bmc.replay.replayer import HasProgram
from vouch.c.checks.base import Category, Check
from vouch.c.ranges.access import APART
from vouch.record import frozen_record
from vouch.result import CheckResult
from vouch.status import conditional
from vouch.steps import TraceStep
from vouch.verdict import Verdict

# Seconds that may be spent behind the time limit: a run takes milliseconds, and a violation that is not
# confirmed helps nobody.
_GRACE = 1.0
TOO_LARGE = "a violation was found with more memory than a native run is given"
# After these violations a run goes on as the engine does: another way from there on is not their doing.
_DETERMINED = frozenset(
    {Category.ASSERTION, Category.LEAK}
    | {Category.SIGNED_OVERFLOW, Category.UNSIGNED_OVERFLOW, Category.SIGN_CHANGE}
)


@frozen_record
class Confirmed:
    """`results` by check id, after the runs; `failures` is how many runs contradict the engine."""

    results: Mapping[str, CheckResult]
    failures: int


def confirm(
    loaded: HasProgram,
    checks: Sequence[Check],
    examples: Mapping[str, Counterexample],
    results: Mapping[str, CheckResult],
    *,
    devices: Sequence[tuple[int, int]],
    late: Callable[[], bool],
    report: Callable[[CheckResult], None] = lambda result: None,
) -> Confirmed:
    """Run the counterexamples of the results that may be violations: verdicts, reasons and `replayed` are
    those of the runs. `late` says whether the time limit is reached; a violation that there is no time to run
    is nobody's proof of anything. `report` hears of each that was."""
    found = [(name, example) for name, example in examples.items() if _open(results.get(name))]
    if not found:
        return Confirmed(results, 0)
    began = time.monotonic()
    limits = ReplayLimits(seconds=0.5 if late() else 10.0)
    with Replayer(loaded, checks, limits, devices=devices) as replayer:
        runs = _Confirmer(results)
        for name, example in found:
            if late() and time.monotonic() >= began + _GRACE:
                runs.give_up(name)
            else:
                runs.judge(name, replayer.replay(example))
                report(runs.results[name])
    return Confirmed(runs.results, runs.failures)


def _open(result: CheckResult | None) -> bool:
    return result is not None and result.verdict not in (Verdict.SAFE, Verdict.BOUND_SAFE)


class _Confirmer:
    def __init__(self, results: Mapping[str, CheckResult]) -> None:
        self.results = dict(results)
        self.failures = 0

    def give_up(self, name: str) -> None:
        if self.results[name].verdict is Verdict.UNSAFE:
            self._doubt(name, "a violation was found, but there was no time for a native run")

    def judge(self, name: str, answer: ReplayResult) -> None:
        result, first = self.results[name], self._first(answer)
        if answer.confirmed and (result.verdict is Verdict.UNSAFE or not answer.assumed):
            self._set(name, replace(result, replayed=True, verdict=Verdict.UNSAFE, reason=None))
        elif result.verdict is not Verdict.UNSAFE:
            return
        elif answer.too_large:
            self._set(name, conditional(replace(result, replayed=False), TOO_LARGE))
        elif not answer.possible:
            self._set(name, replace(result, reason=answer.output))
        elif first is not None and first.verdict is not Verdict.SAFE:
            # The run went another way after an earlier violation: what follows one is not determined.
            self._seen(first, result, answer)
            self._set(name, conditional(result, f"only after {first.check.id} is violated"))
        else:
            self._set(name, replace(result, replayed=False))
            self._doubt(name, f"a violation was found, but its native run was {answer.output}")
            self.failures += not answer.assumed
        if first is not None and first.verdict is Verdict.SAFE and answer.faithful:
            self._doubt(first.check.id, f"proved, but violated in the native run for {name}")
            self.failures += 1

    def _set(self, name: str, result: CheckResult) -> None:
        self.results[name] = result

    def _doubt(self, name: str, reason: str) -> None:
        self._set(name, replace(self.results[name], verdict=Verdict.UNKNOWN, reason=reason))

    def _first(self, answer: ReplayResult) -> CheckResult | None:
        """The first check that failed in a way that leaves the rest of the run open."""
        fired = (self.results[name] for name in answer.fired if name in self.results)
        # Objects from outside may overlap in a run also where a proof takes them not to.
        counted = (r for r in fired if r.verdict is not Verdict.SAFE or APART not in r.assumptions)
        return next((r for r in counted if r.check.category not in _DETERMINED), None)

    def _seen(self, first: CheckResult, other: CheckResult, answer: ReplayResult) -> None:
        """A check that nobody decided, and that a run for another one violated with inputs as recorded."""
        if first.verdict in (Verdict.UNKNOWN, Verdict.BOUND_SAFE) and answer.faithful:
            check = first.check
            step = TraceStep(
                check.location.file, check.location.line, check.function, "violation", check.message
            )
            seen = replace(first, verdict=Verdict.UNSAFE, replayed=True, reason=None, bound=None)
            self._set(check.id, replace(seen, inputs=other.inputs, trace=(step,)))
