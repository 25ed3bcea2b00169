"""Sigmoid and hyperbolic tangent, however code spells them with functions of the math library.

What is recognised, with E = exp(y): tanh(x); c / (1 + E), E / (1 + E) (a sigmoid); (1 − E) / (1 + E) and
(E − 1) / (1 + E) (tanh of y / 2); (E − F) / (E + F) with F = exp(−y) (tanh of y). Each is the real function
up to what the library loses and what the operations around it round.
"""

from __future__ import annotations

import numpy as np

from vouch.nn.lowered import NodeKind
from vouch.numeric.accuracy import base_of
from vouch.numeric.forms import Curved, Lifting
from vouch.numeric.tape import Tape, float_of
from vouch.numeric.values import FORMATS
from vouch.smt.node import Term

# Below every normal number, and above what an exponential that overflows leaves of a quotient.
_TINY = 1e-37


def curved(lifting: Lifting, term: Term) -> Curved | None:
    """The curve that a term is, or None."""
    tape = lifting.tape
    call = tape.library.calls.get(term)
    if call is not None:
        if base_of(call.name) != "tanh":
            return None
        loss = _lost(tape, term, "tanh") + _TINY
        return Curved(NodeKind.TANH, call.arguments[0], 1.0, 1.0, 0.0, loss)
    if term.op != "fp_div" or term.sort not in FORMATS:
        return None
    return _quotient(lifting, term)


def _lost(tape: Tape, term: Term, base: str) -> float:
    """How far the library may be from the real function, relative to its size: its ulps, those of the next
    binade, and half of one for the real number itself."""
    return (2 * tape.library.accuracy.ulps(base) + 1.5) * float(np.finfo(FORMATS[term.sort]).eps)


def _quotient(lifting: Lifting, term: Term) -> Curved | None:
    above, below = (_taken(lifting, arg) for arg in term.args)
    if below.op != "fp_add":
        return None
    number, powers = _number(above), [_power(lifting, part) for part in below.args]
    found = _one_power(lifting, above, below, powers) or _two_powers(lifting, above, powers)
    if found is None:
        return None
    kind, argument, scale = found
    # With E (1 + d) below, c / (1 + E) moves by at most c d / 4. With powers above as well, each call with a
    # d of its own, no quotient of these moves by more than 2 d. Numerator, denominator and quotient round.
    unit = float(np.finfo(FORMATS[term.sort]).eps) / 2
    lost = max(_lost(lifting.tape, _bare(lifting, part), "exp") for part in below.args)
    factor = 1.0 if number is None else number
    loss = abs(factor) * ((2.02 if number is None else 0.26) * lost + 3.01 * unit + _TINY)
    return Curved(kind, argument, scale, factor, 0.0, loss)


Found = tuple[NodeKind, Term, float]


def _one_power(lifting: Lifting, above: Term, below: Term, powers: list[Term | None]) -> Found | None:
    """Over 1 + E."""
    place = next((n for n in (0, 1) if _number(below.args[n]) == 1.0 and powers[1 - n] is not None), None)
    exponent = None if place is None else powers[1 - place]
    if exponent is None:
        return None
    if _number(above) is not None:
        return NodeKind.SIGMOID, exponent, -1.0
    if _power(lifting, above) is exponent:
        return NodeKind.SIGMOID, exponent, 1.0
    if above.op == "fp_sub":
        sides = [_power(lifting, part) for part in above.args]
        for n, scale in ((0, 0.5), (1, -0.5)):
            if sides[n] is exponent and _number(above.args[1 - n]) == 1.0:
                return NodeKind.TANH, exponent, scale
    return None


def _two_powers(lifting: Lifting, above: Term, powers: list[Term | None]) -> Found | None:
    """(E − F) / (E + F), E F = 1."""
    if above.op != "fp_sub" or not all(powers):
        return None
    sides = [_power(lifting, part) for part in above.args]
    first, second = sides
    if first is None or second is None or set(sides) != set(powers):
        return None
    opposite = any(a.op == "fp_neg" and a.args[0] is b for a, b in ((first, second), (second, first)))
    return (NodeKind.TANH, first, 1.0) if opposite else None


def _power(lifting: Lifting, term: Term) -> Term | None:
    """y where a term is exp(y), maybe in a wider format than it was computed in."""
    call = lifting.tape.library.calls.get(_bare(lifting, term))
    return call.arguments[0] if call is not None and base_of(call.name) == "exp" else None


def _taken(lifting: Lifting, term: Term) -> Term:
    """Behind choices that are always made in one way, such as that of a NaN."""
    while term.op == "ite" and (taken := lifting.taken(term)) is not None:
        term = taken
    return term


def _bare(lifting: Lifting, term: Term) -> Term:
    """Without conversions that change nothing."""
    term = _taken(lifting, term)
    while term.op == "fp_to_fp" and term.args[0].sort in FORMATS and term.width >= term.args[0].width:
        term = _taken(lifting, term.args[0])
    return term


def _number(term: Term) -> float | None:
    if term.value is None or term.sort not in FORMATS:
        return None
    number = float(float_of(term.sort, int(term.value)))
    return number if np.isfinite(number) else None
