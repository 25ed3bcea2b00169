"""Violations, run natively before they are reported: what the runs say about the verdicts.

A violation that shows itself is `unsafe`. One whose run comes to another failing check first is conditional
on that one. One that does not show itself is a bug in vouch, and so is a proof that a run contradicts: both
become `unknown` and are counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from vouch.bmc.counterexample import Counterexample
from vouch.bmc.replay import Replayer, ReplayLimits, ReplayResult
from vouch.bmc.replay.replayer import HasProgram
from vouch.c.checks.base import Category, Check
from vouch.result import CheckResult, TraceStep
from vouch.verdict import Verdict

# Seconds that may be spent behind the time limit: a run takes milliseconds, and a violation that is not
# confirmed helps nobody.
_GRACE = 1.0
# After these violations a run goes on as the engine does: another way from there on is not their doing.
_DETERMINED = frozenset(
    {Category.ASSERTION, Category.LEAK}
    | {Category.SIGNED_OVERFLOW, Category.UNSIGNED_OVERFLOW, Category.SIGN_CHANGE}
)


def confirm(
    loaded: HasProgram,
    checks: Sequence[Check],
    examples: Mapping[str, Counterexample],
    results: Mapping[str, CheckResult],
    *,
    devices: Sequence[tuple[int, int]],
    late: Callable[[], bool],
    report: Callable[[CheckResult], None] = lambda result: None,
) -> int:
    """Run the counterexamples of the results that may be violations, and set verdicts, reasons and `replayed`
    accordingly. How many runs contradict the engine. `late` says whether the time limit is reached; a
    violation that there is no time to run is nobody's proof of anything. `report` hears of each that was."""
    found = [(results[name], example) for name, example in examples.items() if _open(results.get(name))]
    if not found:
        return 0
    began = time.monotonic()
    limits = ReplayLimits(seconds=0.5 if late() else 10.0)
    with Replayer(loaded, checks, limits, devices=devices) as replayer:
        runs = _Confirmer(results)
        for result, example in found:
            if late() and time.monotonic() >= began + _GRACE:
                runs.give_up(result)
            else:
                runs.judge(result, replayer.replay(example))
                report(result)
    return runs.failures


def _open(result: CheckResult | None) -> bool:
    return result is not None and result.verdict not in (Verdict.SAFE, Verdict.BOUND_SAFE)


class _Confirmer:
    def __init__(self, results: Mapping[str, CheckResult]) -> None:
        self._results = results
        self.failures = 0

    @staticmethod
    def give_up(result: CheckResult) -> None:
        if result.verdict is Verdict.UNSAFE:
            result.verdict = Verdict.UNKNOWN
            result.reason = "a violation was found, but there was no time for a native run"

    def judge(self, result: CheckResult, answer: ReplayResult) -> None:
        first = self._first(answer)
        if answer.confirmed and (result.verdict is Verdict.UNSAFE or not answer.assumed):
            result.replayed, result.verdict, result.reason = True, Verdict.UNSAFE, None
        elif result.verdict is not Verdict.UNSAFE:
            return
        elif not answer.possible:
            result.reason = answer.output
        elif first is not None and first.verdict is not Verdict.SAFE:
            # The run went another way after an earlier violation: what follows one is not determined.
            self._seen(first, result, answer)
            result.verdict = Verdict.COND_UNSAFE
            result.reason = f"only after {first.check.id} is violated"
        else:
            result.replayed = False
            result.verdict = Verdict.UNKNOWN
            result.reason = f"a violation was found, but its native run was {answer.output}"
            self.failures += 1
        if first is not None and first.verdict is Verdict.SAFE and answer.faithful:
            first.verdict = Verdict.UNKNOWN
            first.reason = f"proved, but violated in the native run for {result.check.id}"
            self.failures += 1

    def _first(self, answer: ReplayResult) -> CheckResult | None:
        """The first check that failed in a way that leaves the rest of the run open."""
        fired = (self._results[name] for name in answer.fired if name in self._results)
        return next((r for r in fired if r.check.category not in _DETERMINED), None)

    def _seen(self, first: CheckResult, other: CheckResult, answer: ReplayResult) -> None:
        """A check that nobody decided, and that a run for another one violated with inputs as recorded."""
        if first.verdict in (Verdict.UNKNOWN, Verdict.BOUND_SAFE) and answer.faithful:
            place = first.check.location
            step = TraceStep(place.file, place.line, first.check.function, "violation", first.check.message)
            first.verdict, first.replayed, first.reason, first.bound = Verdict.UNSAFE, True, None, None
            first.inputs, first.trace = other.inputs, [step]
