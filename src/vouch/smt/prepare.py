"""What terms go through on their way to a solver: long chains balanced, arithmetic narrowed."""

from __future__ import annotations

from collections.abc import Sequence

from vouch.smt.balance import balance
from vouch.smt.narrow import narrow
from vouch.smt.node import Term, switches
from vouch.smt.solver import Answer, Solver
from vouch.smt.wrapper import Wrapper


class Prepared(Wrapper):
    """Hands a solver equivalents of the terms that it can decide more easily."""

    def __init__(self, inner: Solver) -> None:
        super().__init__(inner)
        self._pending: list[Term] = []
        self._balanced: dict[Term, Term] = {}
        self._narrowed: dict[Term, Term] = {}

    def add(self, term: Term) -> None:
        self._pending.append(term)

    def _prepare(self, terms: Sequence[Term]) -> Sequence[Term]:
        if switches.balance:
            terms = balance(terms, self._balanced)
        if switches.simplify:
            terms = narrow(terms, self._narrowed)
        return terms

    def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Answer:
        # All that is new is prepared together: what two of them share stays shared.
        terms = self._prepare([*self._pending, *assumptions])
        for term in terms[: len(self._pending)]:
            self._inner.add(term)
        assumed = terms[len(self._pending) :]
        self._pending.clear()
        return self._inner.check(assumed, timeout)

    def close(self) -> None:
        self._balanced.clear()
        self._narrowed.clear()
        super().close()
