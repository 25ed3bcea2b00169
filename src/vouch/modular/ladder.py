"""How the commands use refinement: as a rung of `vouch check`, by hand, and for the text of preconditions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from vouch.bmc.problem import Problem, by_site
from vouch.c.ranges import RangeAnalysis
from vouch.modular.refine import Plan, refine
from vouch.parallel import Pool
from vouch.result import CheckResult
from vouch.settings import Settings
from vouch.verdict import Verdict

__all__ = ["described", "plans", "refine", "wants_text"]

RUNG_SECONDS = 2.0  # for one function on the way to whole executions
RUNG_SHARE = 0.1  # of the time that is left
TEXT_SECONDS = 2.0  # for the preconditions of one function
MOST_TEXTS = 64  # checks that get a precondition to be read


def plans(settings: Settings) -> list[Plan]:
    """What the settings ask for. On the way to whole executions only proofs count, which are much cheaper."""
    rung = "global" in settings.rungs
    found: list[Plan] = []
    if "callers" in settings.rungs and not rung:
        found.append(Plan("callers", int(settings.caller_depth), text=False))
    if "preconditions" in settings.rungs:
        kind = "enumerated" if settings.points and not rung else "symbolic"
        found.append(Plan(kind, _depth(settings, rung), points=int(settings.points)))
    if "learned" in settings.rungs:
        found.append(Plan("learned", _depth(settings, rung)))
    if rung:
        return [replace(p, text=False, proofs=True, seconds=RUNG_SECONDS, share=RUNG_SHARE) for p in found]
    return found


def _depth(settings: Settings, rung: bool) -> int:
    """As far as it goes on the ladder; as far as was said by hand."""
    return 16 if rung else int(settings.caller_depth)


def wants_text(settings: Settings) -> bool:
    return "preconditions" in settings.rungs or "learned" in settings.rungs


def described(
    problem: Problem,
    analysis: RangeAnalysis,
    results: Mapping[str, CheckResult],
    *,
    pool: Pool | None = None,
) -> list[CheckResult]:
    """Violations that hang on something, with the precondition under which their function is safe from them,
    where one is found soon."""
    wanted = [
        check
        for check in problem.checks
        if check.id in results
        and results[check.id].verdict is Verdict.COND_UNSAFE
        and results[check.id].precondition is None
    ][:MOST_TEXTS]
    if not wanted:
        return []
    asked = replace(problem, checks=tuple(wanted), sites=by_site(wanted), _reached={})
    found = refine(asked, analysis, Plan("symbolic", 0, seconds=TEXT_SECONDS, share=0.5), pool=pool)
    texts = {name: r.precondition for name, r in found.results.items() if r.precondition is not None}
    return [replace(results[name], precondition=text) for name, text in texts.items()]
