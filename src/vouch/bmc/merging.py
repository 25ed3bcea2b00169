"""What all starts together say about each check, reported the moment nobody has another word to say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from vouch.bmc.counterexample import Counterexample
from vouch.c.checks.base import Check
from vouch.result import CheckResult
from vouch.status import outweighs
from vouch.verdict import Verdict

Report = Callable[[CheckResult], None]


class Merging:
    """Results of all starts, joined; a result comes with its own counterexample, if it has one that is to be
    run."""

    def __init__(self, report: Report | None = None) -> None:
        self.results: dict[str, CheckResult] = {}
        self.counterexamples: dict[str, Counterexample] = {}
        self._report = report
        self._waiting: Counter[str] = Counter()  # starts that may still say something about a check

    def expect(self, checks: Iterable[Check]) -> None:
        """A start will be heard about these checks."""
        self._waiting.update(check.id for check in checks)

    def add(
        self, results: Mapping[str, CheckResult], examples: Mapping[str, Counterexample] | None = None
    ) -> None:
        for name, result in results.items():
            known = self.results.get(name)
            if known is None or outweighs(result, known):
                self.results[name] = result
                self.counterexamples.pop(name, None)
                if examples is not None and name in examples:
                    self.counterexamples[name] = examples[name]

    def heard(self, checks: Iterable[Check], *, final: bool) -> None:
        """A start was heard about these checks. Tell what is final now; unless it is the word of the last
        start, only violations are."""
        for check in checks:
            self._waiting[check.id] -= 1
            result = self.results.get(check.id)
            if self._report is None or result is None:
                continue
            if (final and not self._waiting[check.id]) or result.verdict is Verdict.UNSAFE:
                self._report(result)
