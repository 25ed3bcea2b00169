"""Terms as affine forms over inputs and neurons, with what rounding may add.

A form says: the number a term stands for (a float's value, an integer's signed reading) differs from
sum of coefficients times bases + constant by at most `error`. Bases are inputs (variables, and terms that are
not affine, each within its range) and neurons: max(0, form), or a curve of a form. How large a number can get
is known from the ranges of the whole input set, so every rounding is a number in `error`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from vouch.nn.lowered import NodeKind
from vouch.numeric.grouped import GroupedValues, TapeValues
from vouch.numeric.sums import FloatSum, Form, Loose, apart, exactly, is_sum, sum_of, summed
from vouch.numeric.tape import Tape, number_of
from vouch.numeric.values import FORMATS, Floats, Ints, Truth
from vouch.record import frozen_record, record
from vouch.smt.node import Term
from vouch.smt.operators import signed

_UNIT64 = 2.0**-53
_MULTIPLIED_OUT = 8  # terms of a form that goes through a rectifier unchanged


class NotAffine(Exception):
    """A term that has no form, not even as an input: its range is not finite."""


@record
class Neuron:
    """`kind` of a form; `level` counts the neurons below it. A form with an error stands for what the code
    computes, which is within it, and within `loose` where that is there."""

    form: Form
    level: int
    kind: NodeKind = NodeKind.RELU
    loose: Loose | None = None


@frozen_record
class Curved:
    """A term is factor * kind(scale * argument) + offset, give or take `loss`."""

    kind: NodeKind
    argument: Term
    scale: float
    factor: float
    offset: float
    loss: float


Rule: TypeAlias = "Callable[[Lifting, Term], Form | None]"


@frozen_record
class FormRules:
    """How operators combine forms, and which terms are curves: results of the math library and of the
    operators `bent`."""

    operators: Mapping[str, Rule]
    curved: Callable[[Lifting, Term], Curved | None]
    bent: tuple[str, ...] = ()


# All that a curve can be.
_SPANS = {NodeKind.SIGMOID: (0.0, 1.0), NodeKind.TANH: (-1.0, 1.0)}


class Lifting:
    """`inputs` are the bases from outside with their ranges, in order; `neurons` by their base."""

    def __init__(
        self, tape: Tape, values: TapeValues, rules: FormRules, *, keep: bool = False, local: bool = False
    ) -> None:
        """`keep`: rectifiers stay also where they are linear on the whole input set, so that the structure of
        a network stays what it was. Each neuron has the error of its own form. `local`: errors are wanted
        that shrink with the input set (`Loose`)."""
        self.tape, self.values, self.keep, self.local = tape, values, keep, local
        self._rules = rules
        self.inputs: dict[int, Term] = {}
        self.ranges: dict[int, tuple[float, float]] = {}
        self.neurons: dict[int, Neuron] = {}
        self._curves: dict[Term, Curved | None] = {}
        self.forms: dict[Term, Form] = {}
        self.loose: dict[Term, Loose] = {}
        self._sums: dict[Term, FloatSum] = {}
        self._reach: dict[Term, float] = {}
        self._shared: dict[tuple[NodeKind, object], int] = {}
        self._variables = set(tape.variables)
        self._known = values.floats() if isinstance(values, GroupedValues) else {}
        self._users = Counter(chain.from_iterable([term.args for term in tape.terms]))

    def form(self, term: Term) -> Form:
        """The form of a numeric term; terms below come first, without recursion."""
        stack = [term]
        while stack:
            top = stack[-1]
            if top in self.forms:
                stack.pop()
                continue
            operands = self._operands(top)
            needed = [t for t in operands if t not in self.forms]
            if needed:
                stack.extend(needed)
                continue
            stack.pop()
            self.forms[top] = self._made(top, operands)
        return self.forms[term]

    def _made(self, term: Term, operands: tuple[Term, ...]) -> Form:
        if term.value is not None:
            return constant(term)
        found = None
        if self._whole(term, operands):
            curve = self._curve(term)
            if curve is not None:
                return self._curved(curve)
            if term in self._sums:
                return self._summed(term)
            rule = None if term in self._variables else self._rules.operators.get(term.op)
            found = None if rule is None else rule(self, term)
        return self._input(term) if found is None else found

    def _summed(self, term: Term) -> Form:
        form, loose = summed(self, term, self._sums[term], *precision(term))
        if not math.isfinite(form.error):
            return self._input(term)
        if self.local and math.isfinite(loose.error):
            self.loose[term] = loose
        return form

    def loose_of(self, term: Term) -> Loose:
        """A bound of the error of a term's form; the form's own where there is no other."""
        found = self.loose.get(exactly(term))
        return Loose({}, self.forms[term].error) if found is None else found

    def loose_gap(self, p: Term, q: Term, gap: Form) -> Loose | None:
        """The same for the difference of two terms, or its opposite; None where nobody asks for it."""
        if not self.local:
            return None
        rounding = gap.error - self.forms[p].error - self.forms[q].error
        return apart(self.loose_of(p), self.loose_of(q), rounding)

    def used_once(self, term: Term) -> bool:
        return self._users[term] == 1 and not self.is_base(term)

    def is_base(self, term: Term) -> bool:
        """What is not looked into: variables, results of the math library."""
        return term in self._variables or term in self.tape.library.calls

    def number(self, term: Term) -> float | None:
        """That of a finite constant."""
        if term.value is None:
            return None
        found = number_of(term.sort, int(term.value))
        return found if math.isfinite(found) else None

    def _curve(self, term: Term) -> Curved | None:
        if term.op not in self._rules.bent and term not in self.tape.library.calls:
            return None
        if term not in self._curves:
            self._curves[term] = self._rules.curved(self, term)
        return self._curves[term]

    def _curved(self, curve: Curved) -> Form:
        inner = self.scaled(self.forms[curve.argument], curve.scale)
        low, high = (kind_at(curve.kind, end) for end in self.bounds(inner))
        least, most = _SPANS[curve.kind]
        within = max(least, low - 1e-12), min(most, high + 1e-12)
        base = self._neuron(inner, curve.kind, within, _read_by(curve))
        return self.combined(Form({}, curve.offset, curve.loss), Form({base: 1.0}), curve.factor)

    def _whole(self, term: Term, operands: tuple[Term, ...]) -> bool:
        """Numbers throughout: no NaN, no infinity, nothing that wraps."""
        return self.reach(term) < math.inf and all(map(self._finite, operands))

    def _finite(self, term: Term) -> bool:
        return self.reach(term) < math.inf

    def reach(self, term: Term) -> float:
        """The largest absolute value; infinite where it may be no number."""
        found = self._reach.get(term)
        if found is None:
            low, high = self.range(term)
            found = self._reach[term] = max(abs(low), abs(high))
        return found

    def reaches(self, terms: Iterable[Term]) -> float:
        """All of theirs together."""
        place, known, total = self.tape.place, self._known, 0.0
        for term in terms:
            ends = known.get(place[term])
            if ends is None:
                total += self.reach(term)
            else:
                low, high = ends
                total += max(-low, high)
        return total

    def range(self, term: Term) -> tuple[float, float]:
        if term.value is not None and term.sort in FORMATS:
            number = number_of(term.sort, int(term.value))
            return (number, number) if math.isfinite(number) else (-np.inf, np.inf)
        place = self.tape.place.get(term)
        if place is None:  # of a format that is not followed, such as the 80 bits of a long double
            return -np.inf, np.inf
        known = self._known.get(place)
        if known is not None:
            return known
        value = self.values[place]
        if isinstance(value, Floats):
            if value.nan[0] or not value.some[0]:
                return -np.inf, np.inf
            return float(value.low[0]), float(value.high[0])
        if not isinstance(value, Ints):
            return -np.inf, np.inf
        low, high = int(value.low[0]), int(value.high[0])
        return (-np.inf, np.inf) if max(abs(low), abs(high)) >= 1 << 53 else (float(low), float(high))

    def value(self, term: Term) -> Any:
        """What is known of a term over the whole input set."""
        return self.values[self.tape.place[term]]

    def _input(self, term: Term) -> Form:
        low, high = self.range(term)
        if not (np.isfinite(low) and np.isfinite(high)):
            raise NotAffine
        base = len(self.ranges)
        self.inputs[base], self.ranges[base] = term, (low, high)
        return Form({base: 1.0})

    def _operands(self, term: Term) -> tuple[Term, ...]:
        """The numbers a term is made of."""
        if term.value is not None or term in self._variables:
            return ()
        curve = self._curve(term)
        if curve is not None:
            return (curve.argument,)
        if is_sum(term):
            if term not in self._sums:
                self._sums[term] = sum_of(self, term)
            return self._sums[term].terms
        if term.op not in self._rules.operators:
            return ()
        if term.op != "ite":
            return term.args
        taken, found = self.taken(term), comparison(term.args[0])
        if taken is not None and (found is None or not self.keep):
            return (taken,)
        return () if found is None else (*term.args[1:], *found[:2])

    def taken(self, term: Term) -> Term | None:
        """The branch of a choice that is the same throughout."""
        condition: Truth = self.values[self.tape.place[term.args[0]]]
        if condition.true[0] and condition.false[0]:
            return None
        return term.args[1] if condition.true[0] else term.args[2]

    # ------------------------------------------------------------ arithmetic of forms

    def rounded(self, form: Form, term: Term) -> Form:
        """With the rounding of the term's own format, the smallest numbers included."""
        unit, tiny = precision(term)
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

    def rectified(self, form: Form, loose: Loose | None = None) -> Form:
        """max(0, form) as a form over a rectifier. Long ones with a `loose` error stay, also where they are
        linear: multiplied out, they would become longer and lose it."""
        low, high = self.bounds(form)
        if not self.keep:
            if low >= 0 and (loose is None or len(form.parts) <= _MULTIPLIED_OUT):
                return form
            if high <= 0:
                return Form({})
        own = Form(dict(form.parts), form.constant, form.error)
        return Form({self._neuron(own, NodeKind.RELU, (0.0, max(high, 0.0)), None, loose): 1.0})

    def _neuron(
        self,
        form: Form,
        kind: NodeKind,
        within: tuple[float, float],
        number: object = None,
        loose: Loose | None = None,
    ) -> int:
        """The base that stands for `kind` of a form; one for each form without error, and one for each
        `number` of the code: forms that are alike may stand for numbers that differ by their errors."""
        read = number if form.error else (tuple(sorted(form.parts.items())), form.constant)
        base = None if read is None else self._shared.get((kind, read))
        if base is None:
            base = len(self.ranges)
            if read is not None:
                self._shared[kind, read] = base
            inner = [self.neurons[b].level for b in form.parts if b in self.neurons]
            self.neurons[base] = Neuron(form, 1 + max(inner, default=0), kind, loose)
            self.ranges[base] = within
        return base


def _read_by(curve: Curved) -> tuple[Term, float]:
    """The number that a curve is of, as a multiple of a term: without signs and exact conversions."""
    term, scale = curve.argument, curve.scale
    while term.op == "fp_neg" or (term.op == "fp_to_fp" and term.width >= term.args[0].width):
        term, scale = term.args[0], -scale if term.op == "fp_neg" else scale
    return term, scale


def kind_at(kind: NodeKind, x: float) -> float:
    if kind is NodeKind.TANH:
        return math.tanh(x)
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def comparison(term: Term, holds: bool = True) -> tuple[Term, Term, bool] | None:
    """(p, q, truth): the condition is (p < q) or (p <= q), or its negation."""
    if term.op == "not":
        return comparison(term.args[0], not holds)
    if term.op in ("fp_lt", "fp_le", "slt"):
        return term.args[0], term.args[1], holds
    return None


def constant(term: Term) -> Form:
    if term.sort.kind == "bv":
        return Form({}, float(signed(int(term.value or 0), term.width)))
    number = number_of(term.sort, int(term.value or 0))
    if not math.isfinite(number):
        raise NotAffine
    return Form({}, number)


def precision(term: Term) -> tuple[float, float]:
    """Half an ulp, relative, and half the smallest number."""
    info = np.finfo(FORMATS[term.sort])
    return float(info.eps) / 2, float(info.smallest_subnormal)
