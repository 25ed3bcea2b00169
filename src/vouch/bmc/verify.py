"""Decide every check that preprocessing left open.

A problem (`problem`) is posed once. A schedule (`schedule`) runs its starts; each climbs a ladder of rungs
(`rungs`) made of rounds (`rounds`); what all say is merged, and reported as it becomes final (`merging`).
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from vouch.bmc.counterexample import Counterexample
from vouch.bmc.merging import Report
from vouch.bmc.problem import Problem
from vouch.bmc.schedule import Schedule
from vouch.parallel import Pool
from vouch.record import frozen_record
from vouch.result import CheckResult
from vouch.smt.term import Session


@frozen_record
class Verification:
    """One result per open check, in their order; `counterexamples` by check id are executions to be run."""

    results: tuple[CheckResult, ...]
    counterexamples: Mapping[str, Counterexample]
    warnings: tuple[str, ...]
    instructions: int


@contextmanager
def process_limits() -> Iterator[None]:
    """Room for calls in calls in loops, and few searches for garbage: terms live long. Restored after."""
    depth, threshold = sys.getrecursionlimit(), gc.get_threshold()
    sys.setrecursionlimit(max(depth, 50_000))
    gc.set_threshold(500_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*threshold)
        sys.setrecursionlimit(depth)


def verify(problem: Problem, *, report: Report | None = None, pool: Pool | None = None) -> Verification:
    """`report` hears of results as they become final; `pool` runs starts and hard checks in processes of
    their own."""
    settings = problem.settings
    with process_limits(), Session(simplify=not settings.no_simplify, balance=not settings.no_balance):
        schedule = Schedule(problem, report, pool)
        schedule.run()
    merging = schedule.merging
    return Verification(
        tuple(merging.results[check.id] for check in problem.checks),
        merging.counterexamples,
        tuple(schedule.log.warnings),
        schedule.log.instructions,
    )
