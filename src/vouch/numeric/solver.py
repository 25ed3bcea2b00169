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
_SHARE = 0.4  # of the time limit
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

    def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Answer:
        self._model, self.by_bounds = None, False
        limit = 60.0 if timeout is None else timeout
        asked = [*self._added, *assumptions]
        effort = self._effort(asked)
        if not effort:
            return self._inner.check(assumptions, timeout)
        began = time.monotonic()
        if effort < 40:  # few operations: the solver may have the answer at once
            first = self._inner.check(assumptions, min(_FIRST, limit))
            if first is not Answer.UNKNOWN or limit <= _FIRST:
                return first
        answer = self._by_bounds(asked, began + _SHARE * limit)
        if answer is not Answer.UNKNOWN:
            self.by_bounds = True
            return answer
        left = limit - (time.monotonic() - began)
        return self._inner.check(assumptions, left) if left > 0 else Answer.UNKNOWN

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


def _weight(term: Term) -> int:
    """How hard an operation is for a solver that takes it apart."""
    if term.op in _HARD:
        return 4 if term.sort in FORMATS else 0
    return 2 if term.op in _PRODUCTS and all(arg.value is None for arg in term.args) else 0
