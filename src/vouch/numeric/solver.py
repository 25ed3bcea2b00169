"""A solver in front of another: questions that compute are tried by enumeration or bounds first."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from vouch.errors import VouchError
from vouch.numeric import real
from vouch.numeric.accuracy import GLIBC, Accuracy, Library
from vouch.numeric.emit import MathCall, NotEmitted
from vouch.record import frozen_record
from vouch.smt.model import Model
from vouch.smt.node import Term, Value
from vouch.smt.solver import Answer, Solver
from vouch.smt.sort import FLOAT16, FLOAT32, FLOAT64
from vouch.smt.wrapper import Wrapper

if TYPE_CHECKING:
    from vouch.numeric.exhaust import Enumeration

# What makes a question one that computes: solvers take each of these apart into thousands of gates.
_HARD = {"fp_add", "fp_sub", "fp_mul", "fp_div", "fp_fma", "fp_sqrt", "fp_rem"}
_FORMATS = {FLOAT16, FLOAT32, FLOAT64}
_PRODUCTS = {"mul", "smul_overflow", "umul_overflow", "sdiv", "udiv", "srem", "urem"}
_LARGEST = 200_000  # terms of a question
_SHORT = 3.0  # seconds for the first turn of bounds
_CHEAP = 20.0  # seconds for all inputs of a question that a solver can say little about
_FIRST = 1.0  # seconds for the other solver before, where a question is small
_FEW = 6  # products that a solver is quick with
_GLANCED = 20_000, 0.3  # terms and seconds for a first glance
_AT_ONCE = 0.2  # seconds for what the other solver sees without a glance
_BEFORE = 5.0  # seconds for the other solver before bounds, where products of integers are concerned
_HOPELESS = 8_000  # an effort that no solver will make in any time it gets


SOLVER, BOUNDS, ALL = "solver", "bounds", "enumeration"
GLANCE = "glance"  # at bounds


@frozen_record
class Numbers:
    """What is known beside the terms: results of the math library, which may grow, and how accurate it is;
    and which methods may be used."""

    calls: Mapping[Term, MathCall] = field(default_factory=dict)
    accuracy: Accuracy = GLIBC
    bounds: bool = True
    enumeration: bool = True


class NumericSolver(Wrapper):
    """UNSAT and SAT by enumeration of all inputs or by bounds, exact evaluation of the model included;
    everything else from `inner`. `decided_by` says who gave the last answer, where that was not `inner`."""

    def __init__(self, inner: Solver, numbers: Numbers | None = None) -> None:
        super().__init__(inner)
        self._numbers = Numbers() if numbers is None else numbers
        self.decided_by: str | None = None
        self._model: Model | None = None
        self._seen: set[Term] = set()
        self._hard = 0
        self._floats = False
        self._called = False
        self._posed: Enumeration | None = None

    def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Answer:
        self._model, self.decided_by = None, None
        limit = 60.0 if timeout is None else timeout
        asked = [*self._added, *assumptions]
        effort = self._effort(asked)
        if not effort:
            return self._inner.check(assumptions, timeout)
        end = time.monotonic() + limit
        for method, seconds in self._turns(effort, assumptions, limit):
            now = time.monotonic()
            until = min(now + seconds, end)
            if until <= now:
                continue
            answer = self._ask(method, assumptions, asked, until)
            if answer is not Answer.UNKNOWN:
                return answer
        return Answer.UNKNOWN

    def _ask(self, method: str, assumptions: Sequence[Term], asked: list[Term], until: float) -> Answer:
        if method == SOLVER:
            return self._inner.check(assumptions, until - time.monotonic())
        library = self._library(asked)
        if method == ALL:
            answer = self._by_enumeration(asked, until, library)
        else:
            answer = self._by_bounds(asked, until, library, method == GLANCE)
        if answer is not Answer.UNKNOWN:
            self.decided_by = ALL if method == ALL else BOUNDS
        return answer

    def assumed(self, term: Term) -> tuple[str, ...]:
        """What the last answer rests on as far as this term is concerned."""
        library = self._library([term]) if self.decided_by is not None and self._model is None else None
        if library is None or not library.calls:
            return ()
        if self.decided_by == ALL:
            return (real.described(),)
        return (library.accuracy.assumption(library.calls),)

    def _library(self, asked: Sequence[Term]) -> Library:
        """The results of the math library that a question hangs on."""
        known = self._numbers.calls
        if not known:
            return Library({}, self._numbers.accuracy)
        found: dict[Term, MathCall] = {}
        stack, seen = list(asked), set()
        while stack:
            term = stack.pop()
            if term not in seen:
                seen.add(term)
                if term in known:
                    found[term] = known[term]
                    stack.extend(known[term].arguments)
                stack.extend(term.args)
        return Library(found, self._numbers.accuracy)

    def _turns(self, effort: int, assumptions: Sequence[Term], limit: float) -> Iterator[tuple[str, float]]:
        """Who has how many seconds, in turn. Few operations are the solver's, and so are products of
        integers, as a rule, unless a glance at bounds shows that nothing can happen; bounds get a short turn
        early and a longer one where that did not do. Few inputs are run first where that takes less than the
        others would. Of the math library a solver knows next to nothing, and would guess."""
        if not self._floats and not self._called:
            yield SOLVER, _AT_ONCE  # before anything else is made, or loaded
        first = _FIRST if effort < 40 else 0.0
        usual = [
            (SOLVER, first if self._floats else max(first, min(_BEFORE, 0.25 * limit))),
            (BOUNDS, _SHORT),
            (SOLVER, 0.3 * limit),
            (BOUNDS, 0.3 * limit if self._floats else 2 * _SHORT),
            (SOLVER, limit),
        ]
        if self._called:
            usual = [(BOUNDS, _SHORT), (BOUNDS, 0.3 * limit), (SOLVER, limit)]
        if self._floats and effort > _HOPELESS:
            usual = [(BOUNDS, 0.8 * limit), (SOLVER, limit)]
        if not self._numbers.bounds:
            usual = [turn for turn in usual if turn[0] != BOUNDS]
        most, seconds = _GLANCED
        if self._numbers.bounds and not self._floats and len(self._seen) <= most and effort >= _FEW:
            yield GLANCE, min(seconds, 0.1 * limit)
        yield from self._with_enumeration(usual, assumptions, limit)

    def _with_enumeration(
        self, usual: list[tuple[str, float]], assumptions: Sequence[Term], limit: float
    ) -> list[tuple[str, float]]:
        """The turns with one for all inputs, where these are few."""
        from vouch.numeric import exhaust

        self._posed = self._pose(assumptions)
        cost = limit if self._posed is None else exhaust.seconds(self._posed)
        if cost >= limit:
            return usual
        place = 0 if cost < _CHEAP and self._called else 1 if cost < 2 * _SHORT else 2
        if self._called:  # a solver's model would be one of a library that it made up
            place = min(place, next(n for n, turn in enumerate(usual) if turn[0] == SOLVER))
        if not self._floats and not self._called:
            usual.insert(0, (SOLVER, 2 * _FIRST))
        return [*usual[:place], (ALL, min(3 * cost + 5, limit)), *usual[place:]]

    def _pose(self, assumptions: Sequence[Term]) -> Enumeration | None:
        """The question as one for all its inputs; None where they are too many."""
        if not self._numbers.enumeration:
            return None
        library = self._library([*self._added, *assumptions])
        if library.calls and not real.is_like(library.accuracy.library):
            return None
        from vouch.numeric import exhaust
        from vouch.numeric.narrow import Contradiction

        try:
            return exhaust.pose(assumptions, self._added, library.calls)
        except Contradiction:
            return None

    def _by_enumeration(self, asked: list[Term], deadline: float, library: Library) -> Answer:
        from vouch.numeric import exhaust
        from vouch.numeric.decide import exact

        assert self._posed is not None
        try:
            outcome = exhaust.decide(self._posed, deadline)
        except (VouchError, NotEmitted):
            return Answer.UNKNOWN
        if outcome.found is not None:
            self._model = exact(outcome.found, asked, library)
            return Answer.UNKNOWN if self._model is None else Answer.SAT
        return Answer.UNSAT if outcome.proved else Answer.UNKNOWN

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
        calls, seen, stack = self._numbers.calls, self._seen, list(asked)
        while stack:
            term = stack.pop()
            if term in seen:
                continue
            seen.add(term)
            stack.extend(term.args)
            self._hard += _weight(term)
            self._floats = self._floats or term.op in _HARD
            if not self._called and term in calls:
                self._called = True
                self._hard += 100
        return self._hard if len(self._seen) <= _LARGEST else 0

    def _by_bounds(
        self, asked: list[Term], deadline: float, library: Library, glance: bool = False
    ) -> Answer:
        from vouch.numeric.decide import decide

        found = decide(asked, deadline, library, glance=glance)
        if found.model is not None:  # every term of `asked` was evaluated in it (`decide.exact`)
            self._model = found.model
            return Answer.SAT
        return Answer.UNSAT if found.proved else Answer.UNKNOWN


def _weight(term: Term) -> int:
    """How hard an operation is for a solver that takes it apart."""
    if term.op in _HARD:
        return 4 if term.sort in _FORMATS else 0
    if term.op not in _PRODUCTS:
        return 0
    return 2 if all(arg.value is None for arg in term.args) else 1
