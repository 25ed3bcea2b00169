"""Terms as affine forms over inputs and rectifiers, with what rounding may add.

A form says: the number a term stands for (a float's value, an integer's signed reading) differs from
sum of coefficients times bases + constant by at most `error`. Bases are inputs (variables, and terms that are
not affine, each within its range) and rectifiers max(0, form). How large a number can get is known from the
ranges of the whole input set, so every rounding is a number in `error`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from vouch.numeric.tape import Tape, float_of
from vouch.numeric.values import FORMATS, Floats, Ints, Truth
from vouch.smt.node import Term
from vouch.smt.operators import signed

_UNIT64 = 2.0**-53


class NotAffine(Exception):
    """A term that has no form, not even as an input: its range is not finite."""


@dataclass(frozen=True, slots=True)
class Form:
    parts: dict[int, float]
    constant: float = 0.0
    error: float = 0.0


@dataclass(slots=True)
class Rectifier:
    """max(0, form); `level` counts the rectifiers below it."""

    form: Form
    level: int
    most: float


class Lifting:
    """`inputs` are the bases from outside with their ranges, in order; `rectifiers` by their base."""

    def __init__(self, tape: Tape, values: list[Any], *, keep: bool = False) -> None:
        """`keep`: rectifiers stay also where they are linear on the whole input set, so that the structure of
        a network stays what it was."""
        self.tape, self.values, self.keep = tape, values, keep
        self.inputs: dict[int, Term] = {}
        self.ranges: dict[int, tuple[float, float]] = {}
        self.rectifiers: dict[int, Rectifier] = {}
        self.forms: dict[Term, Form] = {}
        self._shared: dict[tuple[Any, ...], int] = {}
        self._variables = set(tape.variables)
        self._users = Counter(arg for term in tape.terms for arg in term.args)

    def form(self, term: Term) -> Form:
        """The form of a numeric term; terms below come first, without recursion."""
        stack = [term]
        while stack:
            top = stack[-1]
            if top in self.forms:
                stack.pop()
                continue
            needed = [t for t in self._operands(top) if t not in self.forms]
            if needed:
                stack.extend(needed)
                continue
            stack.pop()
            self.forms[top] = self._made(top)
        return self.forms[term]

    def _made(self, term: Term) -> Form:
        if term.value is not None:
            return _constant(term)
        rule = None if term in self._variables else _RULES.get(term.op)
        found = None
        if rule is not None and self._whole(term):
            found = rule(self, term)
        return self._input(term) if found is None else found

    def _whole(self, term: Term) -> bool:
        """Numbers throughout: no NaN, no infinity, nothing that wraps."""
        return all(np.isfinite(self.reach(t)) for t in (term, *self._operands(term)))

    def reach(self, term: Term) -> float:
        """The largest absolute value; infinite where it may be no number."""
        low, high = self.range(term)
        return max(abs(low), abs(high))

    def range(self, term: Term) -> tuple[float, float]:
        value = self.values[self.tape.place[term]]
        if isinstance(value, Floats):
            if value.nan[0] or not value.some[0]:
                return -np.inf, np.inf
            return float(value.low[0]), float(value.high[0])
        if not isinstance(value, Ints):
            return -np.inf, np.inf
        low, high = int(value.low[0]), int(value.high[0])
        return (-np.inf, np.inf) if max(abs(low), abs(high)) >= 1 << 53 else (float(low), float(high))

    def _input(self, term: Term) -> Form:
        low, high = self.range(term)
        if not (np.isfinite(low) and np.isfinite(high)):
            raise NotAffine
        base = len(self.ranges)
        self.inputs[base], self.ranges[base] = term, (low, high)
        return Form({base: 1.0})

    def _operands(self, term: Term) -> tuple[Term, ...]:
        """The numbers a term is made of."""
        if term.value is not None or term.op not in _RULES or term in self._variables:
            return ()
        if term.op != "ite":
            return term.args
        taken, comparison = self.taken(term), _comparison(term.args[0])
        if taken is not None and (comparison is None or not self.keep):
            return (taken,)
        return () if comparison is None else (*term.args[1:], *comparison[:2])

    def taken(self, term: Term) -> Term | None:
        """The branch of a choice that is the same throughout."""
        condition: Truth = self.values[self.tape.place[term.args[0]]]
        if condition.true[0] and condition.false[0]:
            return None
        return term.args[1] if condition.true[0] else term.args[2]

    # ------------------------------------------------------------ arithmetic of forms

    def rounded(self, form: Form, term: Term) -> Form:
        """With the rounding of the term's own format, the smallest numbers included."""
        unit, tiny = _precision(term)
        return Form(form.parts, form.constant, form.error + unit * self.reach(term) * (1 + 2.0**-20) + tiny)

    def added(self, a: Term, b: Term, sign: float) -> Form:
        """a + sign * b. A sum that nothing else uses gives its coefficients away, so that a long one takes
        time in proportion to its length."""
        first, second = self.forms[a], self.forms[b]
        if sign > 0 and len(second.parts) > len(first.parts):
            a, first, second = b, second, first
        return self.combined(first, second, sign, own=self._users[a] == 1 and a not in self._variables)

    def combined(self, first: Form, second: Form, factor: float, *, own: bool = False) -> Form:
        """first + factor * second, with the float64 rounding of its coefficients. `own`: the first is not
        needed any more."""
        parts = first.parts if own else dict(first.parts)
        slack = 0.0
        for base, coefficient in second.parts.items():
            before = parts.get(base, 0.0)
            after = before + factor * coefficient
            slack += self.size(base) * (abs(factor * coefficient) + abs(after)) * 2 * _UNIT64
            if after:
                parts[base] = after
            else:
                parts.pop(base, None)
        constant = first.constant + factor * second.constant
        slack += (abs(factor * second.constant) + abs(constant)) * 2 * _UNIT64
        error = first.error + abs(factor) * second.error
        return Form(parts, constant, (error + slack) * (1 + 2.0**-40))

    def scaled(self, form: Form, factor: float) -> Form:
        return self.combined(Form({}), form, factor)

    def size(self, base: int) -> float:
        low, high = self.ranges[base]
        return max(abs(low), abs(high))

    def bounds(self, form: Form) -> tuple[float, float]:
        low = high = form.constant
        for base, coefficient in form.parts.items():
            ends = sorted(coefficient * end for end in self.ranges[base])
            low, high = low + ends[0], high + ends[1]
        slack = form.error + (abs(low) + abs(high) + 1e-300) * len(form.parts) * 4 * _UNIT64
        return low - slack, high + slack

    def rectified(self, form: Form) -> Form:
        """max(0, form) as a form over a rectifier; the error goes through it as it is."""
        low, high = self.bounds(form)
        if not self.keep:
            if low >= 0:
                return form
            if high <= 0:
                return Form({}, 0.0, form.error)
        key = (tuple(sorted(form.parts.items())), form.constant)
        base = self._shared.get(key)
        if base is None:
            base = self._shared[key] = len(self.ranges)
            inner = [self.rectifiers[b].level for b in form.parts if b in self.rectifiers]
            exact = Form(dict(form.parts), form.constant)
            self.rectifiers[base] = Rectifier(exact, 1 + max(inner, default=0), max(high, 0.0))
            self.ranges[base] = (0.0, max(high, 0.0))
        return Form({base: 1.0}, 0.0, form.error)


def _comparison(term: Term, holds: bool = True) -> tuple[Term, Term, bool] | None:
    """(p, q, truth): the condition is (p < q) or (p <= q), or its negation."""
    if term.op == "not":
        return _comparison(term.args[0], not holds)
    if term.op in ("fp_lt", "fp_le", "slt"):
        return term.args[0], term.args[1], holds
    return None


def _constant(term: Term) -> Form:
    if term.sort.kind == "bv":
        return Form({}, float(signed(int(term.value or 0), term.width)))
    number = float(float_of(term.sort, int(term.value or 0)))
    if not np.isfinite(number):
        raise NotAffine
    return Form({}, number)


def _precision(term: Term) -> tuple[float, float]:
    """Half an ulp, relative, and half the smallest number."""
    info = np.finfo(FORMATS[term.sort])
    return float(info.eps) / 2, float(info.smallest_subnormal)


# ---------------------------------------------------------------- rules


def _sum(sign: float) -> Callable[[Lifting, Term], Form]:
    def rule(lifting: Lifting, term: Term) -> Form:
        return lifting.rounded(lifting.added(term.args[0], term.args[1], sign), term)

    return rule


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
    exact = lifting.reach(term.args[0]) <= 2.0 ** term.sort.significand
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


def _choice(lifting: Lifting, term: Term) -> Form | None:
    """Affine pieces that meet where a condition changes."""
    taken, comparison = lifting.taken(term), _comparison(term.args[0])
    if taken is None and comparison is None:
        return None
    if comparison is not None and (taken is None or lifting.keep):
        found = _bent(lifting, term, *comparison) or _pieces(lifting, term)
        if found is not None:
            return found
    return None if taken is None else lifting.forms[taken]


def _bent(lifting: Lifting, term: Term, p: Term, q: Term, truth: bool) -> Form | None:
    """Two pieces: second + factor * max(0, q - p)."""
    first, second = (lifting.forms[arg] for arg in (term.args[1:] if truth else term.args[:0:-1]))
    gap = lifting.combined(lifting.forms[q], lifting.forms[p], -1.0)
    rise = lifting.combined(first, second, -1.0)
    if not gap.parts:
        return None
    base = max(gap.parts, key=lambda b: abs(gap.parts[b]))
    factor = rise.parts.get(base, 0.0) / gap.parts[base]
    rest = lifting.combined(Form(rise.parts, rise.constant), Form(gap.parts, gap.constant), -factor)
    apart = sum(abs(c) * lifting.size(b) for b, c in rest.parts.items()) + abs(rest.constant)
    # Pieces of one function meet up to rounding; a jump is something else.
    if apart > 1e-6 * (1e-30 + lifting.reach(term)):
        return None
    # second + factor * max(0, d) is first + factor * max(0, -d): the simpler piece stays outside.
    outer, sign = (first, -1.0) if len(first.parts) < len(second.parts) else (second, 1.0)
    inner = lifting.scaled(Form(gap.parts, gap.constant), sign)
    bent = lifting.combined(outer, lifting.rectified(inner), factor)
    inexact = rise.error - first.error - second.error  # what taking the difference lost
    error = max(first.error, second.error) + abs(factor) * gap.error + apart * 1.01 + rest.error
    error += max(inexact, 0.0)
    slack = bent.error - outer.error
    return Form(bent.parts, bent.constant, (error + max(slack, 0.0)) * (1 + 2.0**-40))


@dataclass(frozen=True, slots=True)
class _Piece:
    """slope * x + offset, the error of the term it was read from included."""

    slope: float
    offset: float
    error: float


def _pieces(lifting: Lifting, term: Term) -> Form | None:
    """A continuous function of one term x by choices that compare x with constants, as a clamp is."""
    tree = _Tree.of(lifting, term)
    if tree is None:
        return None
    ends = sorted(tree.thresholds)
    inside = [ends[0] - 1.0, *((a + b) / 2 for a, b in pairwise(ends)), ends[-1] + 1.0]
    pieces = [tree.at(x) for x in inside]
    if any(piece is None for piece in pieces):
        return None
    known = [piece for piece in pieces if piece is not None]
    x = lifting.forms[tree.subject]
    bare = Form(x.parts, x.constant)
    total = lifting.combined(Form({}, known[0].offset), bare, known[0].slope)
    error = max(piece.error for piece in known) + max(abs(piece.slope) for piece in known) * x.error
    for end, (before, after) in zip(ends, pairwise(known), strict=True):
        jump = (after.slope - before.slope) * end + after.offset - before.offset
        if abs(jump) > 1e-6 * (1e-30 + lifting.reach(term)):
            return None
        error += abs(jump) * 1.01
        shifted = lifting.combined(bare, Form({}, end), -1.0)
        total = lifting.combined(total, lifting.rectified(shifted), after.slope - before.slope)
    return Form(total.parts, total.constant, (total.error + 2 * error) * (1 + 2.0**-40))


@dataclass(frozen=True, slots=True)
class _Tree:
    """Choices between constants and multiples of `subject`, all decided by comparing it with constants."""

    lifting: Lifting
    root: Term
    subject: Term
    thresholds: frozenset[float]

    @classmethod
    def of(cls, lifting: Lifting, root: Term) -> _Tree | None:
        subjects: set[Term] = set()
        thresholds: set[float] = set()
        stack, nodes = [root], 0
        while stack:
            term = stack.pop()
            if term.op != "ite" or (lifting.taken(term) is not None and not lifting.keep):
                continue
            comparison = _comparison(term.args[0])
            nodes += 1
            if comparison is None or nodes > 8:
                return None
            for side, other in (comparison[:2], comparison[1::-1]):
                if side.value is not None:
                    subjects.add(other)
                    thresholds.add(_constant(side).constant)
            stack.extend(term.args[1:])
        if len(subjects) != 1:
            return None
        return cls(lifting, root, subjects.pop(), frozenset(thresholds))

    def at(self, x: float) -> _Piece | None:
        """The piece that holds where the subject is x, which is no threshold."""
        term = self.root
        while term.op == "ite":
            comparison = _comparison(term.args[0])
            taken = None if self.lifting.keep and comparison is not None else self.lifting.taken(term)
            if taken is None:
                assert comparison is not None
                p, q, truth = comparison
                small = x if p.value is None else _constant(p).constant
                large = x if q.value is None else _constant(q).constant
                taken = term.args[1 if (small < large) is truth else 2]
            term = taken
        return self._piece(term)

    def _piece(self, leaf: Term) -> _Piece | None:
        form, subject = self.lifting.forms[leaf], self.lifting.forms[self.subject]
        if not form.parts:
            return _Piece(0.0, form.constant, form.error)
        base = max(subject.parts, key=lambda b: abs(subject.parts[b]), default=None)
        if base is None:
            return None
        slope = form.parts.get(base, 0.0) / subject.parts[base]
        bare = Form(subject.parts, subject.constant)
        rest = self.lifting.combined(Form(form.parts, form.constant), bare, -slope)
        apart = sum(abs(c) * self.lifting.size(b) for b, c in rest.parts.items())
        if apart > 1e-9 * (1e-30 + self.lifting.reach(self.root)):
            return None
        return _Piece(slope, rest.constant, form.error + apart * 1.01 + rest.error)


_RULES: dict[str, Callable[[Lifting, Term], Form | None]] = {
    "fp_add": _sum(1.0),
    "fp_sub": _sum(-1.0),
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
    "ite": _choice,
}
