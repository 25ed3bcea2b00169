"""How each operator combines the forms of its operands. Sums of floats are taken as a whole (`sums`)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from vouch.numeric.choices import choice
from vouch.numeric.curves import curved
from vouch.numeric.forms import FormRules, Lifting
from vouch.numeric.grouped import TapeValues
from vouch.numeric.sums import Form
from vouch.numeric.tape import Tape
from vouch.smt.node import Term
from vouch.smt.operators import signed


def lifting_of(tape: Tape, values: TapeValues, *, keep: bool = False, local: bool = False) -> Lifting:
    return Lifting(tape, values, FormRules(_OPERATORS, curved, ("fp_div",)), keep=keep, local=local)


def _product(lifting: Lifting, term: Term) -> Form | None:
    for one, other in (term.args, term.args[::-1]):
        factor = lifting.forms[one]
        if not factor.parts and not factor.error:
            return lifting.rounded(lifting.scaled(lifting.forms[other], factor.constant), term)
    return None


def _quotient(lifting: Lifting, term: Term) -> Form | None:
    divisor = lifting.forms[term.args[1]]
    if divisor.parts or divisor.error or not divisor.constant:
        return None
    factor = 1.0 / divisor.constant
    wrong = abs(Fraction(factor) - 1 / Fraction(divisor.constant))
    found = lifting.scaled(lifting.forms[term.args[0]], factor)
    error = found.error + float(wrong) * 1.01 * lifting.reach(term.args[0])
    return lifting.rounded(Form(found.parts, found.constant, error), term)


def _same(lifting: Lifting, term: Term) -> Form:
    return lifting.forms[term.args[0]]


def _negated(lifting: Lifting, term: Term) -> Form:
    return lifting.scaled(lifting.forms[term.args[0]], -1.0)


def _absolute(lifting: Lifting, term: Term) -> Form:
    inner = lifting.forms[term.args[0]]
    positive = lifting.rectified(inner)
    return lifting.combined(positive, lifting.rectified(lifting.scaled(inner, -1.0)), 1.0)


def _converted(lifting: Lifting, term: Term) -> Form:
    inner = lifting.forms[term.args[0]]
    return inner if term.width >= term.args[0].width else lifting.rounded(inner, term)


def _from_integer(lifting: Lifting, term: Term) -> Form | None:
    if term.op == "fp_from_ubv" and lifting.range(term.args[0])[0] < 0:
        return None
    inner = lifting.forms[term.args[0]]
    exact = lifting.reach(term.args[0]) <= 2.0**term.sort.significand
    return inner if exact else lifting.rounded(inner, term)


def _cut(lifting: Lifting, term: Term) -> Form:
    """Towards zero: less than one away."""
    inner = lifting.forms[term.args[0]]
    return Form(inner.parts, inner.constant, inner.error + 1.0)


def _integral(lifting: Lifting, term: Term) -> Form:
    inner, mode = lifting.forms[term.args[0]], str(term.index[0]).upper()
    if mode in ("RNE", "RNA"):
        return Form(inner.parts, inner.constant, inner.error + 0.5)
    if mode == "RTZ":
        return Form(inner.parts, inner.constant, inner.error + 1.0)
    shift = 0.5 if mode == "RTP" else -0.5
    return Form(inner.parts, inner.constant + shift, (inner.error + 0.5) * (1 + 2.0**-40))


def _exactly(rule: Callable[[Lifting, Term], Form | None]) -> Callable[[Lifting, Term], Form | None]:
    """An integer operation whose exact result is the result: it must not wrap."""

    def checked(lifting: Lifting, term: Term) -> Form | None:
        found = rule(lifting, term)
        if found is None:
            return None
        low, high = lifting.bounds(found)
        top = 2.0 ** (term.width - 1)
        return found if low >= -top and high < top else None

    return checked


def _int_sum(sign: float) -> Callable[[Lifting, Term], Form | None]:
    return _exactly(lambda lifting, term: lifting.added(term.args[0], term.args[1], sign))


@_exactly
def _int_product(lifting: Lifting, term: Term) -> Form | None:
    for one, other in (term.args, term.args[::-1]):
        factor = lifting.forms[one]
        if not factor.parts and not factor.error:
            return lifting.scaled(lifting.forms[other], factor.constant)
    return None


@_exactly
def _int_negated(lifting: Lifting, term: Term) -> Form | None:
    return lifting.scaled(lifting.forms[term.args[0]], -1.0)


@_exactly
def _shifted_left(lifting: Lifting, term: Term) -> Form | None:
    by = term.args[1].value
    if by is None or by >= term.width:
        return None
    return lifting.scaled(lifting.forms[term.args[0]], 2.0 ** int(by))


def _shifted_right(lifting: Lifting, term: Term) -> Form | None:
    """Rounds down: half a unit below, up to half a unit away."""
    by = term.args[1].value
    if by is None or by >= term.width or (term.op == "lshr" and lifting.range(term.args[0])[0] < 0):
        return None
    inner = lifting.scaled(lifting.forms[term.args[0]], 2.0 ** -int(by))
    return Form(inner.parts, inner.constant - 0.5, (inner.error + 0.5) * (1 + 2.0**-40)) if by else inner


def _divided(lifting: Lifting, term: Term) -> Form | None:
    divisor = term.args[1].value
    if divisor is None:
        return None
    by = signed(int(divisor), term.width)
    if by == 0 or (term.op == "udiv" and (by < 0 or lifting.range(term.args[0])[0] < 0)):
        return None
    if by == -1 and lifting.range(term.args[0])[0] <= -(2.0 ** (term.width - 1)):
        return None
    factor = 1.0 / by
    inner = lifting.scaled(lifting.forms[term.args[0]], factor)
    wrong = float(abs(Fraction(factor) - Fraction(1, by))) * 1.01 * lifting.reach(term.args[0])
    return Form(inner.parts, inner.constant, inner.error + wrong + 1.0)


def _extended(lifting: Lifting, term: Term) -> Form | None:
    inner = term.args[0]
    if term.op == "zext" and lifting.range(inner)[0] < 0:
        return None
    return lifting.forms[inner]


def _extracted(lifting: Lifting, term: Term) -> Form | None:
    """The lowest bits of a number that fits them."""
    if int(term.index[1]):
        return None
    low, high = lifting.range(term.args[0])
    top = 2.0 ** (term.width - 1)
    return lifting.forms[term.args[0]] if low >= -top and high < top else None


_OPERATORS: dict[str, Callable[[Lifting, Term], Form | None]] = {
    "fp_mul": _product,
    "fp_div": _quotient,
    "fp_neg": _negated,
    "fp_abs": _absolute,
    "fp_to_fp": _converted,
    "fp_from_sbv": _from_integer,
    "fp_from_ubv": _from_integer,
    "fp_to_sbv": _cut,
    "fp_round": _integral,
    "add": _int_sum(1.0),
    "sub": _int_sum(-1.0),
    "mul": _int_product,
    "neg": _int_negated,
    "shl": _shifted_left,
    "ashr": _shifted_right,
    "lshr": _shifted_right,
    "sdiv": _divided,
    "udiv": _divided,
    "sext": _extended,
    "zext": _extended,
    "extract": _extracted,
    "ite": choice,
}
