"""Executions that violate a check, read off a solver's model while it is there.

A model is the dearest thing that a solver gives, and the next question forgets it: all that a report and a
native run need of an execution is taken at once. What is known stays known, whatever a later question says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from vouch.bmc.context import ExecutionContext
from vouch.bmc.counterexample import Counterexample
from vouch.bmc.environment.overlap import Pair
from vouch.bmc.equation import Claim, Equation
from vouch.bmc.inputs import inputs
from vouch.bmc.model import ModelReader
from vouch.bmc.simplest import needed
from vouch.bmc.trace import ConcreteStep, trace
from vouch.c.checks.base import Check
from vouch.record import frozen_record
from vouch.smt import term as T
from vouch.smt.term import Term
from vouch.steps import TraceStep


@frozen_record
class Finding:
    """One execution that violates `claim`. `cause` is the first check that fails in it before, in a way that
    leaves the rest arbitrary; `overlap` says which objects from outside overlap in it, of those that it hangs
    on: `pairs`. None where there is no such thing. `huge`: it has strings that no native run is given."""

    claim: Claim
    cause: Check | None
    overlap: str | None
    pairs: frozenset[Pair]
    huge: bool
    inputs: dict[str, Any]
    trace: list[TraceStep]
    example: Counterexample

    @property
    def flaws(self) -> int:
        """The fewer, the better: it should need nothing but its inputs."""
        return 4 * (self.cause is not None) + 2 * self.huge + (self.overlap is not None)


class Finder:
    """Findings in the models of one equation."""

    def __init__(self, context: ExecutionContext, equation: Equation) -> None:
        self._context = context
        self._equation = equation
        # Claims stand in the order of execution; those of one expression share their position in the steps.
        self._order = {id(claim): number for number, claim in enumerate(equation.claims)}
        self._chaos = [claim for claim in equation.claims if claim.chaos and claim.violated is not T.FALSE]

    def before(self, claim: Claim, other: Claim) -> bool:
        return self._order[id(claim)] < self._order[id(other)]

    def model(self, value: Callable[[Term], int | bool]) -> ModelReader:
        """What a solver says after SAT, or a model that was kept."""
        return ModelReader(self._context, self._equation, value)

    def find(self, claims: Iterable[Claim], model: ModelReader) -> Finding | None:
        """The execution of the model, seen from the first of the claims that it violates; None where it
        violates none of them."""
        hit = next((c for c in claims if model.holds(c.violated)), None)
        if hit is None:
            return None
        steps = [*model.start(), *model.steps(hit), _final(hit.check)]
        program = self._context.program
        overlaps = self._overlaps(hit, model)
        known = self._context.environment.overlaps
        words = trace(steps, program.ctypes, self._context.memory.big_endian, program.sources)
        return Finding(
            hit,
            self._cause(hit, model),
            f"if {' and '.join(known.symbols[s] for s in overlaps)}" if overlaps else None,
            frozenset(known.pairs[symbol] for symbol in overlaps),
            not all(map(model.holds, self._context.bearable)),
            inputs(model, hit),
            words,
            model.counterexample(hit),
        )

    def _overlaps(self, claim: Claim, model: ModelReader) -> list[Term]:
        pairs = self._context.environment.overlaps.symbols
        if not pairs:
            return []
        patterns = self._context.memory.patterns
        return [s for s in needed(claim.violated, model.value, patterns) if s in pairs and model.holds(s)]

    def _cause(self, claim: Claim, model: ModelReader) -> Check | None:
        for other in self._chaos:
            if not self.before(other, claim):
                return None
            if other.check is not claim.check and model.holds(other.violated):
                return other.check
        return None


def _final(check: Check) -> ConcreteStep:
    return ConcreteStep("violation", check.location, check.function, check.message)
