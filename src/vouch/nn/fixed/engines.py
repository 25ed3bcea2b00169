"""The engines by name, and the order in which `auto` tries them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from vouch.errors import Unsupported, VouchError
from vouch.nn.result import Result
from vouch.verdict import Verdict

if TYPE_CHECKING:
    from vouch.nn.fixed.decide import FixedQuestion

Engine = Callable[["FixedQuestion"], Result]
# Products a second that the compiled code does at least, on one core.
_SPEED = 1e9
# Seconds of enumeration that are tried before bounds, and after them.
_QUICK, _LONG = 1.0, 900.0


def engine(name: str) -> Engine:
    match name:
        case "enumerate":
            from vouch.nn.fixed.exhaust import exhaust

            return exhaust
        case "bounds":
            from vouch.nn.fixed.search import bounds

            return bounds
        case "smt":
            from vouch.nn.fixed.smt import smt

            return smt
        case "milp":
            from vouch.nn.fixed.milp import milp

            return milp
        case "code":
            from vouch.nn.fixed.code import code

            return code
        case "auto":
            return _auto
        case _:
            raise VouchError(f"engine {name!r} does not decide properties in fixed point")


def _auto(question: FixedQuestion) -> Result:
    """Enumeration where it takes a second, else bounds; and enumeration again where bounds took too long for
    a box that can be run within minutes."""
    from vouch.nn.fixed.exhaust import exhaust, work
    from vouch.nn.fixed.search import bounds

    cost = min(work(question), 1 << 100) / _SPEED
    if cost <= _QUICK:
        return exhaust(question)
    try:
        limit = question.clock.within(max(5.0, cost)) if cost <= _LONG else question.clock
        result = bounds(question, limit)
    except Unsupported:
        result = question.made(Verdict.TIMEOUT, "bounds")
        if cost > _LONG:
            raise
    if result.verdict is Verdict.TIMEOUT and not question.clock.over and cost <= _LONG:
        return exhaust(question)
    return result
