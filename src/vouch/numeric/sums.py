"""Sums of floats, however they are bracketed, as one form: a row of a matrix and what rounding adds to it.

A number that is added early is rounded with every sum that follows. Two bounds of that are known: the sizes
that partial sums can have on the whole input set (`Form.error`), and a share of the size of every term
(`Loose`), which is larger there but shrinks where the input set is split.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import field
from typing import NamedTuple, Protocol

from vouch.record import frozen_record
from vouch.smt.node import Term

_SUMS = ("fp_add", "fp_sub")
_UNIT64 = 2.0**-52  # twice the rounding of float64, in which coefficients are added up
_MORE = 1 + 2.0**-20
_MOST = 0.1  # of a term that rounding may take


@frozen_record
class Form:
    """The sum of coefficients times bases and a constant, give or take `error`."""

    parts: dict[int, float]
    constant: float = 0.0
    error: float = 0.0


@frozen_record
class Loose:
    """Another bound of a form's error: `error` + the sum of `losses` times the sizes of their bases."""

    losses: dict[int, float]
    error: float


class Summands(Protocol):
    """What is known of the terms of sums (`Lifting`)."""

    forms: dict[Term, Form]
    loose: dict[Term, Loose]

    def size(self, base: int) -> float:
        """The largest absolute value of a base."""

    def reach(self, term: Term) -> float:
        """The largest absolute value of a term."""

    def reaches(self, terms: Iterable[Term]) -> float:
        """All of theirs together."""

    def number(self, term: Term) -> float | None:
        """That of a finite constant."""

    def used_once(self, term: Term) -> bool:
        """Whether nothing but one other term reads it."""

    def is_base(self, term: Term) -> bool:
        """Whether a term is not looked into."""


class _Leaf(NamedTuple):
    """`factor` times a term, rounded `steps` times on its way; a product among them may underflow."""

    term: Term
    factor: float
    steps: int
    product: bool


@frozen_record
class FloatSum:
    """`rounded` are the sums and products that it consists of."""

    leaves: list[_Leaf] = field(default_factory=list)
    rounded: list[Term] = field(default_factory=list)

    @property
    def terms(self) -> tuple[Term, ...]:
        return tuple(leaf.term for leaf in self.leaves)


def is_sum(term: Term) -> bool:
    return term.op in _SUMS


def sum_of(lifting: Summands, root: Term) -> FloatSum:
    """The terms of a sum. A sum that something else uses as well is a term like any other."""
    found = FloatSum()
    stack = [(root, 1.0, 0)]
    while stack:
        term, factor, steps = stack.pop()
        if term is root or (is_sum(term) and term.sort is root.sort and lifting.used_once(term)):
            found.rounded.append(term)
            first, second = term.args
            stack.append((second, -factor if term.op == "fp_sub" else factor, steps + 1))
            stack.append((first, factor, steps + 1))
        else:
            found.leaves.append(_leaf(lifting, found, term, factor, steps))
    return found


def _leaf(lifting: Summands, whole: FloatSum, term: Term, factor: float, steps: int) -> _Leaf:
    product = False
    if term.op == "fp_mul" and not lifting.is_base(term):
        for one, other in (term.args, term.args[::-1]):
            number = lifting.number(one)
            if number is not None:
                whole.rounded.append(term)
                term, factor, steps, product = other, factor * number, steps + 1, True
                break
    # What neither rounds nor changes more than a sign.
    while (term.op == "fp_neg" or _widened(term)) and not lifting.is_base(term):
        term, factor = term.args[0], -factor if term.op == "fp_neg" else factor
    return _Leaf(term, factor, steps, product)


def _widened(term: Term) -> bool:
    return term.op == "fp_to_fp" and term.width >= term.args[0].width


def exactly(term: Term) -> Term:
    """The number that a wider format holds."""
    while _widened(term):
        term = term.args[0]
    return term


def summed(lifting: Summands, root: Term, whole: FloatSum, unit: float, tiny: float) -> tuple[Form, Loose]:
    """The form of a sum whose terms have theirs, and the other bound of its error."""
    parts: dict[int, float] = {}
    losses: dict[int, float] = {}
    constant = given = error = mass = 0.0
    here = (len(whole.leaves) + 8) * _UNIT64
    shares: dict[int, float] = {}
    for leaf in whole.leaves:
        form, factor = lifting.forms[leaf.term], leaf.factor
        share = shares.get(leaf.steps)
        if share is None:
            lost = leaf.steps * unit
            share = shares[leaf.steps] = lost / (1 - lost) * _MORE + here if lost < _MOST else math.inf
        size = abs(factor)
        for base, coefficient in form.parts.items():
            moved = factor * coefficient
            parts[base] = parts.get(base, 0.0) + moved
            losses[base] = losses.get(base, 0.0) + abs(moved) * share
            mass += abs(moved) * lifting.size(base)
        if form.constant:
            constant += factor * form.constant
            mass += size * abs(form.constant)
            error += size * abs(form.constant) * share
        known = lifting.loose.get(leaf.term)
        if known is not None:
            for base, loss in known.losses.items():
                losses[base] = losses.get(base, 0.0) + size * loss * (1 + share)
        own = form.error if known is None else known.error
        error += size * own * (1 + share) + (tiny * (1 + share) if leaf.product else 0.0)
        given += size * form.error
    reached = lifting.reaches(whole.rounded) * unit * _MORE + tiny * len(whole.rounded)
    total = (given + reached + mass * here) * (1 + 2.0**-40)
    kept = {base: coefficient for base, coefficient in parts.items() if coefficient}
    endless = max(shares.values(), default=0.0) == math.inf
    return Form(kept, constant, total), Loose(losses, math.inf if endless else error * (1 + 2.0**-40))


def apart(first: Loose, second: Loose, more: float) -> Loose:
    """The error of a difference, with what computing it adds."""
    losses = dict(first.losses)
    for base, loss in second.losses.items():
        losses[base] = losses.get(base, 0.0) + loss
    return Loose(losses, (first.error + second.error + max(more, 0.0)) * (1 + 2.0**-40))
