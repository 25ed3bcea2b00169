"""Answers add up as the meaning of their verdicts says."""

from __future__ import annotations

import itertools
from dataclasses import FrozenInstanceError

import pytest

from vouch.c.checks.base import Category, Check, Trigger
from vouch.c.ir import Location
from vouch.result import CheckResult
from vouch.status import UNREACHABLE, Direction, conditional, outweighs, refined
from vouch.verdict import Verdict

CHECK = Check("f.bounds.1", Category.BOUNDS, Location("a.c", 1, 1, "f"), "f", "", Trigger.REACHED, None)  # type: ignore[arg-type]
VERDICTS = (Verdict.SAFE, Verdict.BOUND_SAFE, Verdict.UNKNOWN, Verdict.COND_UNSAFE, Verdict.UNSAFE)


def said(verdict: Verdict, reason: str | None = None) -> CheckResult:
    return CheckResult(CHECK, verdict, reason=reason)


@pytest.mark.parametrize(("a", "b"), list(itertools.combinations(VERDICTS, 2)))
def test_the_worse_answer_stands_for_all_executions(a: Verdict, b: Verdict) -> None:
    """A proof needs all entry points, a violation one: the later in VERDICTS says less good of them."""
    assert outweighs(said(b), said(a))
    assert not outweighs(said(a), said(b))


def test_what_some_execution_reaches_is_not_unreachable() -> None:
    dead, reached = said(Verdict.SAFE, UNREACHABLE), said(Verdict.SAFE)
    assert outweighs(reached, dead)
    assert not outweighs(dead, reached)


@pytest.mark.parametrize("verdict", VERDICTS)
def test_a_method_counts_in_its_direction_only(verdict: Verdict) -> None:
    proves = refined(None, said(verdict), Direction.PROVES).verdict
    refutes = refined(None, said(verdict), Direction.REFUTES).verdict
    assert refined(None, said(verdict), Direction.BOTH).verdict is verdict
    assert proves not in (Verdict.UNSAFE, Verdict.COND_UNSAFE)
    assert refutes not in (Verdict.SAFE, Verdict.BOUND_SAFE)
    assert verdict in (proves, refutes)


def test_knowledge_is_kept() -> None:
    proved = said(Verdict.SAFE)
    assert refined(proved, said(Verdict.UNKNOWN), Direction.BOTH) is proved
    assert refined(proved, said(Verdict.UNSAFE), Direction.PROVES) is proved
    assert refined(said(Verdict.BOUND_SAFE), proved, Direction.PROVES) is proved


def test_results_do_not_change() -> None:
    violation = said(Verdict.UNSAFE)
    assert conditional(violation, "if it rains").verdict is Verdict.COND_UNSAFE
    assert violation.verdict is Verdict.UNSAFE
    with pytest.raises(FrozenInstanceError):
        violation.verdict = Verdict.SAFE  # type: ignore[misc]
