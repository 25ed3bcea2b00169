"""Models, taken from a solver and checked by our own evaluator.

A model assigns values to the symbols of the asserted terms. Arrays are taken entry by entry, as the
evaluation asks for them: the entries seen, and zero elsewhere, are a model as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from vouch.smt import term as T
from vouch.smt.node import Term, Value, constant
from vouch.smt.operators import ArrayValue
from vouch.smt.solver import Answer, Solver, SolverError
from vouch.smt.sort import Sort
from vouch.smt.walk import evaluate, order
from vouch.smt.wrapper import Wrapper


class Whole(Exception):
    """The terms compare whole arrays, which an entry-by-entry model cannot decide."""


class ArrayEntries:
    """The value of an array symbol, asked of the solver where it is read; writes lie above it."""

    def __init__(
        self,
        symbol: Term,
        ask: Callable[[Term], Any],
        seen: dict[int, Any],
        written: dict[int, Any] | None = None,
    ) -> None:
        self._symbol = symbol
        self._ask = ask
        self._seen = seen
        self._written = written or {}

    def select(self, key: int) -> Any:
        if key in self._written:
            return self._written[key]
        if key not in self._seen:
            sort = self._symbol.sort.key
            assert sort is not None
            self._seen[key] = self._ask(T.select(self._symbol, constant(key, sort)))
        return self._seen[key]

    def store(self, key: int, value: Any) -> ArrayEntries:
        return ArrayEntries(self._symbol, self._ask, self._seen, {**self._written, key: value})

    def __eq__(self, other: object) -> bool:
        raise Whole

    __hash__ = object.__hash__


class Model:
    """Values for symbols; every other term follows by evaluation. Unconstrained symbols are zero."""

    def __init__(self, values: dict[Term, Any]) -> None:
        self.values = values
        self._memo: dict[Term, Any] = {}

    def value(self, term: Term) -> Any:
        return evaluate(term, self.values, lambda symbol: zero(symbol.sort), self._memo)


def zero(sort: Sort) -> Any:
    if sort.kind == "array":
        assert sort.element is not None
        return ArrayValue(zero(sort.element), {})
    return False if sort.kind == "bool" else 0


def take(solver: Solver, assertions: Sequence[Term]) -> Model:
    """The model after SAT. Raises `SolverError` if one of the assertions is false in it, and `Whole` if
    they compare arrays."""
    entries: dict[Term, dict[int, Any]] = {}
    values: dict[Term, Any] = {}
    lazy: dict[Term, Any] = {}
    for symbol in order(assertions):
        if symbol.op != "symbol":
            continue
        if symbol.sort.kind == "array":
            entries[symbol] = {}
            lazy[symbol] = ArrayEntries(symbol, solver.value, entries[symbol])
        else:
            values[symbol] = lazy[symbol] = solver.value(symbol)
    memo: dict[Term, Any] = {}
    for assertion in assertions:
        if evaluate(assertion, lazy, memo=memo) is not True:
            raise SolverError(f"internal error: {solver.name} gave a model in which {assertion!r} is false")
    for symbol, seen in entries.items():
        default = zero(symbol.sort).default
        values[symbol] = ArrayValue(default, {k: v for k, v in seen.items() if v != default})
    return Model(values)


class Checked(Wrapper):
    """Checks every model against all terms that were asserted or assumed."""

    def __init__(self, inner: Solver) -> None:
        super().__init__(inner)
        self._model: Model | None = None

    def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Answer:
        self._model = None
        answer = self._inner.check(assumptions, timeout)
        if answer is Answer.SAT:
            try:
                self._model = take(self._inner, [*self._added, *assumptions])
            except Whole:
                self._model = None
        return answer

    def value(self, term: Term) -> Value:
        if self._model is None:
            return self._inner.value(term)
        result: Value = self._model.value(term)
        return result
