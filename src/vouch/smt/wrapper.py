"""What the wrappers share: a solver around another one that passes everything on."""

from __future__ import annotations

from collections.abc import Sequence

from vouch.smt.node import Term, Value
from vouch.smt.solver import Answer, Solver


class Wrapper:
    """Passes everything on and remembers what was added."""

    def __init__(self, inner: Solver) -> None:
        self._inner = inner
        self._added: list[Term] = []

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def reason(self) -> str:
        return self._inner.reason

    def add(self, term: Term) -> None:
        self._added.append(term)
        self._inner.add(term)

    def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Answer:
        return self._inner.check(assumptions, timeout)

    def value(self, term: Term) -> Value:
        return self._inner.value(term)

    def close(self) -> None:
        self._added.clear()
        self._inner.close()
