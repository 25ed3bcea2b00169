"""One question: read off the input set, halve it for a while, then ask the searches of networks."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from vouch.nn.float_state import usual_numbers
from vouch.numeric import real
from vouch.numeric.accuracy import Library
from vouch.numeric.branch import Assignment, Branching
from vouch.numeric.narrow import Contradiction, Narrowing, conjuncts
from vouch.numeric.tape import Tape
from vouch.record import frozen_record
from vouch.smt.model import Model, zero
from vouch.smt.node import Term
from vouch.smt.walk import evaluate

_FIRST = 4096  # parts of the input set that are looked at before a network is made,
_GLANCE = 128  # parts where it must not cost anything
_SMALL = 200  # of a question with so many terms; fewer of a larger one


@frozen_record
class NumericDecision:
    """`proved`: the terms cannot hold together. `model`: values of symbols with which they do."""

    proved: bool
    model: Model | None = None
    parts: int = 0


@usual_numbers
def decide(
    asked: Sequence[Term], deadline: float, library: Library | None = None, *, glance: bool = False
) -> NumericDecision:
    """With `glance`, no more than what a few parts of the input set show."""
    roots = conjuncts(asked)
    tape = Tape(roots, library)
    narrowing = Narrowing(tape)
    try:
        box = narrowing.run(deadline)
    except Contradiction:
        return NumericDecision(True)
    found: list[Model] = []

    def check(assignment: Assignment) -> bool:
        model = exact(assignment, asked, tape.library)
        if model is None:
            return False
        found.append(model)
        return True

    branching = Branching(tape, box, narrowing.values, check)
    if glance:
        outcome = branching.run(deadline, _GLANCE)
        return NumericDecision(outcome.proved, found[0] if found else None, outcome.parts)
    few = min(_FIRST, _FIRST * _SMALL // len(tape.terms))
    outcome = branching.run(_until(0.2, deadline), few if few > 100 else 1)
    if not outcome.proved and not found:
        from vouch.numeric.lift import by_network  # the searches of networks take a while to load

        if by_network(tape, narrowing.values, box, check, _until(0.6, deadline)):
            return NumericDecision(True, None, outcome.parts)
        if not found:
            outcome = branching.run(deadline)
    return NumericDecision(outcome.proved, found[0] if found else None, outcome.parts)


def _until(share: float, deadline: float) -> float:
    now = time.monotonic()
    return now + share * max(0.0, deadline - now)


def exact(assignment: Assignment, asked: Sequence[Term], library: Library) -> Model | None:
    """The model with these values, those of the math library as this machine's has them; None where the
    terms do not hold in it."""
    given = {v: value for v, value in assignment.items() if v not in library.calls}
    model = symbols_of(given)
    if model is None:
        return None
    for term in sorted(library.calls, key=lambda t: t.id):
        call = library.calls[term]
        memo: dict[Term, Any] = {}
        values = [evaluate(arg, model.values, lambda s: zero(s.sort), memo) for arg in call.arguments]
        result = real.call(call.name, tuple(values))
        more = None if result is None else symbols_of({term: result})
        if more is None:
            return None
        model.values.update(more.values)
    return model if all(model.value(term) is True for term in asked) else None


def symbols_of(assignment: Assignment) -> Model | None:
    """Values of symbols that give the variables theirs; None where they are more than renamed symbols."""
    values: dict[Term, Any] = {}
    for variable, value in assignment.items():
        for symbol, part in _parts(variable, int(value)):
            if symbol.op != "symbol" or values.get(symbol, part) != part:
                return None
            values[symbol] = bool(part) if symbol.sort.kind == "bool" else part
    return Model(values)


def _parts(term: Term, value: int) -> list[tuple[Term, int]]:
    """The symbols below a term that only puts bits together, with their bits."""
    if term.op == "fp_from_bits":
        return _parts(term.args[0], value)
    if term.op == "concat":
        lower = term.args[1].width
        return _parts(term.args[0], value >> lower) + _parts(term.args[1], value & ((1 << lower) - 1))
    return [(term, value)]
