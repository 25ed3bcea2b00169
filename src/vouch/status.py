"""How answers to the same question add up: the lattice of what is known about a check.

Answers for different executions (entry points, callers) are *joined*: one violation outweighs all, one doubt
outweighs proofs. Answers of different methods to one question are *refined*: what a method says counts in the
direction in which it is sound, and knowledge never gets lost.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Flag
from typing import assert_never

from vouch.result import CheckResult
from vouch.verdict import Verdict

UNREACHABLE = "unreachable"  # the reason of a proof that nothing comes to the check

# Worst first: what is said of some executions outweighs what follows when all are meant.
_JOINED = (Verdict.UNSAFE, Verdict.COND_UNSAFE, Verdict.UNKNOWN, Verdict.BOUND_SAFE, Verdict.SAFE)
# The least known first: which of two answers of sound methods says more.
_KNOWN = (Verdict.UNKNOWN, Verdict.COND_UNSAFE, Verdict.BOUND_SAFE, Verdict.SAFE, Verdict.UNSAFE)


class Direction(Flag):
    """What a method's answers stand for. One that looks at more executions than there are proves; one that
    looks at fewer, each of them real, refutes."""

    PROVES = 1
    REFUTES = 2
    BOTH = 3


def outweighs(new: CheckResult, old: CheckResult) -> bool:
    """Whether `new`, about other executions than `old`, is the answer for both together."""
    if new.verdict is old.verdict:
        return old.reason == UNREACHABLE and new.reason != UNREACHABLE
    return _JOINED.index(new.verdict) < _JOINED.index(old.verdict)


def counts(result: CheckResult, direction: Direction) -> bool:
    """Whether a method that is sound in this direction only may say so."""
    match result.verdict:
        case Verdict.SAFE | Verdict.BOUND_SAFE:
            return Direction.PROVES in direction
        case Verdict.UNSAFE | Verdict.COND_UNSAFE:
            return Direction.REFUTES in direction
        case Verdict.UNKNOWN | Verdict.TIMEOUT:
            return True
        case Verdict.EQUIVALENT | Verdict.DIFFERENT:
            raise AssertionError("answers about networks")
        case _ as never:
            assert_never(never)


def refined(known: CheckResult | None, new: CheckResult, direction: Direction) -> CheckResult:
    """What is known about one question after a method answered it as well. A method that may not say so
    leaves the question open."""
    if not counts(new, direction):
        new = replace(new, verdict=Verdict.UNKNOWN, trace=(), inputs=None)
    if known is None or _KNOWN.index(new.verdict) > _KNOWN.index(known.verdict):
        return new
    return known


def at_least(result: CheckResult, candidate: CheckResult | None) -> CheckResult:
    """What is said in the end: where whole executions leave a check open, what a part of the program alone
    says about it, up to a bound or under a condition."""
    open_ = result.verdict is Verdict.UNKNOWN and candidate is not None
    return candidate if open_ and candidate is not None else result


def conditional(result: CheckResult, why: str) -> CheckResult:
    """A violation that hangs on something: `why` begins with "if"."""
    if result.verdict is not Verdict.UNSAFE:
        return result
    return replace(result, verdict=Verdict.COND_UNSAFE, reason=why)
