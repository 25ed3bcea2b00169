"""What one run of `vouch check` has come to so far, and who hears of it as it grows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from vouch.c.checks.base import Check
from vouch.record import record
from vouch.result import CheckResult, LoopInfo, RunResult
from vouch.settings import Settings
from vouch.status import UNREACHABLE
from vouch.verdict import Verdict

if TYPE_CHECKING:
    from vouch.c.sources import Sources

Listener = Callable[[str, Any], None]
"""Hears `("stage", name)`, `("found", Record)` once the checks are known, `("decided", results)`."""


@record
class Record:
    """What a run has come to so far. It grows; `result` sums it up at any moment."""

    started: float = field(default_factory=time.monotonic)
    stages: dict[str, float] = field(default_factory=dict)
    decided: dict[str, CheckResult] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    loops: list[LoopInfo] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    replay_failures: int = 0
    sources: Sources | None = None

    def result(self, reason: str, *, interrupted: bool = False, incomplete: str | None = None) -> RunResult:
        """`reason` is why checks without an answer have none."""
        results = [
            self.decided.get(c.id) or CheckResult(c, Verdict.UNKNOWN, reason=reason) for c in self.checks
        ]
        return RunResult(
            self.entries,
            results,
            warnings=self.warnings,
            loops=self.loops,
            seconds=time.monotonic() - self.started,
            stages=self.stages,
            replay_failures=self.replay_failures,
            interrupted=interrupted,
            incomplete=incomplete,
            left_out=self.left_out,
            sources=self.sources,
        )


@record
class CheckRun(Record):
    """State of one run: its record, and who hears of it as it grows."""

    settings: Settings = field(default_factory=lambda: Settings({}))
    tell: Listener = lambda kind, content: None
    only: str | None = None
    # What proofs rest on beside what engines name themselves: all of them, and that somebody's code is dead.
    undisturbed: str | None = None
    uncalled: frozenset[str] = frozenset()

    @property
    def deadline(self) -> float | None:
        limit = self.settings.timeout
        return None if limit is None else self.started + float(limit)

    def late(self) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        began = time.monotonic()
        self.tell("stage", name)
        try:
            yield
        finally:
            self.stages[name] = self.stages.get(name, 0.0) + time.monotonic() - began

    def found(self, checks: list[Check], sources: Sources) -> None:
        self.checks, self.sources = checks, sources
        self.tell("found", self)

    def left_alone(self) -> set[str]:
        """The checks that engines need not look at."""
        others = {check.id for check in self.checks if check.id != self.only} if self.only else set()
        return others | self.decided.keys()

    def decide(self, *results: CheckResult) -> None:
        if self.undisturbed is not None:
            results = tuple(_resting_on(result, self.undisturbed) for result in results)
        if self.uncalled:
            results = tuple(self._if_not_called(result) for result in results)
        self.decided.update((result.check.id, result) for result in results)
        self.tell("decided", results)

    def _if_not_called(self, result: CheckResult) -> CheckResult:
        dead = result.reason == UNREACHABLE and result.check.function in self.uncalled
        return _resting_on(result, _NOT_CALLED) if dead else result


_NOT_CALLED = "code outside calls no function that main does not get to"


def _resting_on(result: CheckResult, assumed: str) -> CheckResult:
    proved = result.verdict in (Verdict.SAFE, Verdict.BOUND_SAFE) and result.decided_by != "preprocess"
    if not proved or assumed in result.assumptions:
        return result
    return replace(result, assumptions=(*result.assumptions, assumed))
