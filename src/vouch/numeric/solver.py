"""A solver in front of another: questions that compute are tried by bounds first."""

from __future__ import annotations

import time
from collections.abc import Sequence

from vouch.numeric.values import FORMATS
from vouch.smt.model import Model
from vouch.smt.node import Term, Value
from vouch.smt.solver import Answer, Solver
from vouch.smt.walk import evaluate, order
from vouch.smt.wrapper import Wrapper

# What makes a question one that computes: solvers take each of these apart into thousands of gates.
_HARD = {"fp_add", "fp_sub", "fp_mul", "fp_div", "fp_fma", "fp_sqrt", "fp_rem"}
_PRODUCTS = {"mul", "smul_overflow", "umul_overflow", "sdiv", "udiv", "srem", "urem"}
_LARGEST = 200_000  # terms of a question
_SHORT = 3.0  # seconds for the first turn of bounds
_FIRST = 1.0  # seconds for the other solver before, where a question is small


class NumericSolver(Wrapper):
    """UNSAT and SAT by bounds, exact evaluation of the model included; everything else from `inner`.
    `by_bounds` says whether the last answer was found here."""

    def __init__(self, inner: Solver) -> None:
        super().__init__(inner)
        self.by_bounds = False
        self._model: Model | None = None
        self._seen: set[Term] = set()
        self._hard = 0
        self._floats = False

    def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Answer:
        self._model, self.by_bounds = None, False
        limit = 60.0 if timeout is None else timeout
        asked = [*self._added, *assumptions]
        effort = self._effort(asked)
        if not effort:
            return self._inner.check(assumptions, timeout)
        end = time.monotonic() + limit
        for by_bounds, seconds in _turns(effort, self._floats, limit):
            now = time.monotonic()
            until = min(now + seconds, end)
            if until <= now:
                continue
            if by_bounds:
                answer = self._by_bounds(asked, until)
            else:
                answer = self._inner.check(assumptions, until - now)
            if answer is not Answer.UNKNOWN:
                self.by_bounds = by_bounds
                return answer
        return Answer.UNKNOWN

    def value(self, term: Term) -> Value:
        if self._model is None:
            return self._inner.value(term)
        found: Value = self._model.value(term)
        return found

    def close(self) -> None:
        self._model = None
        self._seen.clear()
        super().close()

    def _effort(self, asked: Sequence[Term]) -> int:
        """How much of what was asked so far a solver has to take apart; 0 where bounds have nothing to
        offer."""
        fresh = order(asked, self._seen)
        self._seen.update(fresh)
        self._hard += sum(map(_weight, fresh))
        self._floats = self._floats or any(term.op in _HARD for term in fresh)
        return self._hard if len(self._seen) <= _LARGEST else 0

    def _by_bounds(self, asked: list[Term], deadline: float) -> Answer:
        from vouch.numeric.decide import decide

        found = decide(asked, deadline)
        if found.model is not None:
            memo: dict[Term, object] = {}
            if all(evaluate(term, found.model.values, _zero, memo) is True for term in asked):
                self._model = found.model
                return Answer.SAT
        return Answer.UNSAT if found.proved else Answer.UNKNOWN


def _zero(symbol: Term) -> object:
    from vouch.smt.model import zero

    return zero(symbol.sort)


def _turns(effort: int, floats: bool, limit: float) -> list[tuple[bool, float]]:
    """Who has how many seconds, in turn: (bounds, seconds). Few operations are the solver's, and so are
    products of integers, as a rule; bounds get a short turn early and a longer one where that did not do."""
    first = _FIRST if effort < 40 else 0.0
    return [
        (False, first if floats else max(first, 0.25 * limit)),
        (True, _SHORT),
        (False, 0.3 * limit),
        (True, 0.3 * limit if floats else 2 * _SHORT),
        (False, limit),
    ]


def _weight(term: Term) -> int:
    """How hard an operation is for a solver that takes it apart."""
    if term.op in _HARD:
        return 4 if term.sort in FORMATS else 0
    return 2 if term.op in _PRODUCTS and all(arg.value is None for arg in term.args) else 0
