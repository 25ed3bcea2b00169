"""Decide every check that preprocessing left open.

A problem (`problem`) is posed once. A schedule (`schedule`) runs its starts; each climbs a ladder of rungs
(`rungs`) made of rounds (`rounds`); what all say is merged, and reported as it becomes final (`merging`).
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from vouch.bmc.counterexample import Counterexample
from vouch.bmc.merging import Report
from vouch.bmc.problem import Problem
from vouch.bmc.schedule import Schedule
from vouch.parallel import Pool
from vouch.result import CheckResult
from vouch.smt import term as T


@dataclass(frozen=True, slots=True)
class Verification:
    """One result per open check, in their order; `counterexamples` by check id are executions to be run."""

    results: tuple[CheckResult, ...]
    counterexamples: Mapping[str, Counterexample]
    warnings: tuple[str, ...]
    instructions: int


def verify(problem: Problem, *, report: Report | None = None, pool: Pool | None = None) -> Verification:
    """`report` hears of results as they become final; `pool` runs starts and hard checks in processes of
    their own."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 50_000))
    T.configure(simplify=not problem.settings.no_simplify, balance=not problem.settings.no_balance)
    before = gc.get_threshold()
    gc.set_threshold(50_000, 20, 50)  # terms live long: looking for garbage among them is wasted
    try:
        schedule = Schedule(problem, report, pool)
        schedule.run()
    finally:
        gc.set_threshold(*before)
    merging = schedule.merging
    return Verification(
        tuple(merging.results[check.id] for check in problem.checks),
        merging.counterexamples,
        tuple(schedule.log.warnings),
        schedule.log.instructions,
    )
