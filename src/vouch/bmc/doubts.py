"""Proofs that may mean nothing: what no execution meets proves everything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from vouch.bmc.asking import Asking
from vouch.bmc.equation import Equation
from vouch.errors import Unsupported
from vouch.result import CheckResult
from vouch.smt import term as T
from vouch.smt.solver import Answer, SolverError
from vouch.verdict import Verdict


def unconfirmed(proof: CheckResult, entry: str) -> CheckResult:
    """A proof from constraints of which nobody has shown that they can be met."""
    assumed = f"the environment of {entry} can exist (not confirmed in time)"
    return replace(proof, assumptions=(*proof.assumptions, assumed))


def contradicted(
    equation: Equation, asking: Asking, results: Iterable[CheckResult]
) -> Iterator[CheckResult]:
    """Constraints that nothing satisfies would prove everything. There are none by construction; this is
    where a mistake would show: the proofs with what is left of them. What the solver does not confirm is an
    assumption of each."""
    proofs = [r for r in results if r.verdict in (Verdict.SAFE, Verdict.BOUND_SAFE)]
    if not proofs or not equation.constraints:
        return
    answer = asking.can_be_met()
    for proof in proofs if answer is not Answer.SAT else ():
        if answer is Answer.UNSAT:
            why = f"internal error: the environment of {equation.entry} is contradictory"
            yield replace(proof, verdict=Verdict.UNKNOWN, reason=why)
        else:
            yield unconfirmed(proof, equation.entry)


def is_vacuous(equation: Equation, asking: Asking) -> bool:
    """Assumptions that no execution satisfies make every proof worthless."""
    if not equation.assumptions or equation.cuts:
        return False
    ends = [*equation.ends, *(claim.violated for claim in equation.claims)]
    possible = T.or_(*ends) if ends else T.FALSE
    if possible is T.FALSE:
        return True
    limit = min(asking.check_timeout, 10.0)
    # Whatever comes to a claim behind the last assumption ends somehow. The oldest path is the simplest.
    behind = [claim.reached for claim in equation.claims[equation.assumed :]]
    try:
        if behind and asking.ask(asking.shared(), min(behind, key=_age), limit) is Answer.SAT:
            return False
        return asking.ask(asking.shared(), possible, limit) is Answer.UNSAT
    except (Unsupported, SolverError):
        return False


def _age(term: T.Term) -> int:
    return term.id
