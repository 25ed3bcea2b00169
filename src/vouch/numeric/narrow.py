"""The input set: what the conjuncts of a question say about its variables by themselves."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from vouch.numeric.grouped import TapeValues
from vouch.numeric.tape import Tape
from vouch.numeric.values import FAR, FORMATS, Abstract, Floats, Ints, Truth, agreed, anything
from vouch.smt.node import Term
from vouch.smt.operators import signed

_ROUNDS = 12
# Terms of a question whose short conjuncts, of at most so many terms, are looked at by themselves first.
_LONG, _BRIEF = 2000, 200


class Contradiction(Exception):
    """The conjuncts exclude each other."""


def conjuncts(terms: Sequence[Term]) -> list[Term]:
    """The parts of a conjunction, however it is nested."""
    found: dict[Term, None] = {}
    stack = list(reversed(terms))
    while stack:
        term = stack.pop()
        if term.op == "and":
            stack.extend(reversed(term.args))
        elif term.op == "not" and term.args[0].op == "or":
            stack.extend(_negation(arg) for arg in reversed(term.args[0].args))
        else:
            found[term] = None
    return list(found)


def _negation(term: Term) -> Term:
    from vouch.smt import term as T

    return T.not_(term)


class Narrowing:
    """Known truths and the ranges of variables, made tighter until nothing changes."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.known: dict[Term, bool] = {}
        self.ranges: dict[Term, Any] = {}
        for variable in tape.variables:
            if variable.sort.kind != "bool":
                self.ranges[variable] = anything(variable.sort, 1)
        self.values: TapeValues = []

    def _briefly(self, deadline: float) -> None:
        """What the short conjuncts say: most of what there is to know, for a part of what a round costs."""
        if len(self.tape.terms) <= _LONG:
            return
        brief = Tape([root for root in self.tape.roots if _is_brief(root)], self.tape.library)
        if len(brief.terms) < len(self.tape.terms) / 2:
            found = Narrowing(brief)._rounds(deadline)
            self.ranges.update((v, value) for v, value in found.items() if v in self.ranges)

    def run(self, deadline: float = math.inf) -> dict[Term, Abstract]:
        """The range of every variable, for a batch of one; not as tight as it could be where time is up.
        Raises Contradiction."""
        self._briefly(deadline)
        return self._rounds(deadline)

    def _rounds(self, deadline: float) -> dict[Term, Abstract]:
        work = [(root, True) for root in self.tape.roots]
        ran: object = None
        for _ in range(_ROUNDS):
            before = len(self.known), _summary(self.ranges)
            ran = self._run(ran)
            for term, truth in [*work, *self.known.items()]:
                self._learn(term, truth)
            if (len(self.known), _summary(self.ranges)) == before:
                break  # the values are those of the ranges
            if time.monotonic() > deadline:
                self._run(ran)
                break
        else:
            self._run(ran)
        for root in self.tape.roots:
            if not self.tape.truth(self.values, root).true[0]:
                raise Contradiction
        return self._given()

    def _run(self, before: object) -> object:
        """Run the tape, unless it was run with the same; what that is."""
        now = _summary(self.ranges), [self.known.get(v) for v in self.tape.variables]
        if now != before:
            self.values = self.tape.run(self._given(), 1)
        return now

    def _given(self) -> dict[Term, Any]:
        ones, none = np.ones(1, dtype=bool), np.zeros(1, dtype=bool)
        truths = {t: Truth(ones, none) if known else Truth(none, ones) for t, known in self.known.items()}
        return {**self.ranges, **{v: truths[v] for v in self.tape.variables if v in truths}}

    # ------------------------------------------------------------ truths

    def _learn(self, term: Term, truth: bool) -> None:
        stack = [(term, truth)]
        while stack:
            term, truth = stack.pop()
            if term.value is not None:
                if bool(term.value) != truth:
                    raise Contradiction
                continue
            if self.known.get(term, truth) != truth:
                raise Contradiction
            self.known[term] = truth
            stack.extend((t, v) for t, v in self._follows(term, truth) if self.known.get(t) != v)

    def _follows(self, term: Term, truth: bool) -> list[tuple[Term, bool]]:
        match term.op:
            case "not":
                return [(term.args[0], not truth)]
            case "and" | "or":
                whole = term.op == "and"  # all arguments have the truth that the whole has
                if truth is whole:
                    return [(arg, truth) for arg in term.args]
                open_ = [arg for arg in term.args if self._now(arg) is not whole]
                return [(open_[0], truth)] if len(open_) == 1 else []
            case "ite" if term.sort.kind == "bool":
                now = self._now(term.args[0])
                return [] if now is None else [(term.args[1 if now else 2], truth)]
            case "eq" if term.args[0].sort.kind == "bool":
                for one, other in (term.args, term.args[::-1]):
                    now = self._now(one)
                    if now is not None:
                        return [(other, now is truth)]
                return []
            case _:
                self._compare(term, truth)
                return []

    def _now(self, term: Term) -> bool | None:
        if term in self.known:
            return self.known[term]
        if term.value is not None:
            return bool(term.value)
        found = self.tape.truth(self.values, term)
        if found.true[0] and found.false[0]:
            return None
        return bool(found.true[0])

    # ------------------------------------------------------------ ranges

    def _value(self, term: Term) -> Any:
        return self.values[self.tape.place[term]]

    def _compare(self, term: Term, truth: bool) -> None:
        if len(term.args) != 2 or term.args[0] not in self.tape.place:
            return
        a, b = term.args
        match term.op:
            case "fp_lt" | "fp_le" if truth:
                self._number(a, high=self._value(b).high)
                self._number(b, low=self._value(a).low)
            case "fp_lt" | "fp_le":
                # A comparison that does not hold says nothing of what may be NaN but where it is none.
                if not self._value(b).nan[0]:
                    self._number(a, low=self._value(b).low, nan=bool(self._value(a).nan[0]))
                if not self._value(a).nan[0]:
                    self._number(b, high=self._value(a).high, nan=bool(self._value(b).nan[0]))
            case "fp_eq" if truth:
                self._number(a, low=self._value(b).low, high=self._value(b).high)
                self._number(b, low=self._value(a).low, high=self._value(a).high)
            case "slt" | "ult":
                by_sign = term.op == "slt"
                small, large = (a, b) if truth else (b, a)
                low, high = self._ends(small, by_sign)[0], self._ends(large, by_sign)[1]
                step = 1 if truth else 0
                self._integer(small, by_sign, None, None if high is None else high - step)
                self._integer(large, by_sign, None if low is None else low + step, None)
            case "eq" if truth and a.sort.kind == "bv":
                for one, other in ((a, b), (b, a)):
                    for by_sign in (True, False):
                        self._integer(one, by_sign, *self._ends(other, by_sign))

    def _ends(self, term: Term, by_sign: bool) -> tuple[int | None, int | None]:
        """As Python's numbers, which do not wrap; None where a wide type's end is not known."""
        value: Ints = self._value(term)
        low, high = (value.low[0], value.high[0]) if by_sign else (value.least[0], value.most[0])
        return None if low <= -FAR else int(low), None if high >= FAR else int(high)

    def _number(self, term: Term, low: Any = None, high: Any = None, nan: bool = False) -> None:
        """A float that lies between these ends or, where `nan` allows it, is NaN. Followed through what is
        exact."""
        known = self.ranges.get(term)
        if isinstance(known, Floats):
            least = known.low if low is None else np.maximum(known.low, low)
            most = known.high if high is None else np.minimum(known.high, high)
            self.ranges[term] = Floats(
                least.astype(known.low.dtype), most.astype(known.high.dtype), known.nan & nan
            )
            if not (self.ranges[term].some[0] or self.ranges[term].nan[0]):
                raise Contradiction
        elif term.op == "fp_neg":
            self._number(term.args[0], None if high is None else -high, None if low is None else -low, nan)
        elif term.op == "fp_abs" and high is not None:
            self._number(term.args[0], -np.abs(high), np.abs(high), nan)
        elif term.op == "fp_to_fp" and term.args[0].width <= term.width:
            inner = FORMATS[term.args[0].sort]
            self._number(term.args[0], _inward(low, inner, np.inf), _inward(high, inner, -np.inf), nan)

    def _integer(self, term: Term, by_sign: bool, low: int | None, high: int | None) -> None:
        low, high = (None if end is None or abs(end) >= FAR else end for end in (low, high))
        known = self.ranges.get(term)
        if isinstance(known, Ints):
            ends = [known.low, known.high, known.least, known.most]
            first = 0 if by_sign else 2
            if low is not None:
                ends[first] = np.maximum(ends[first], low)
            if high is not None:
                ends[first + 1] = np.minimum(ends[first + 1], high)
            found = agreed(Ints(*ends), term.width)
            if found.low[0] > found.high[0] or found.least[0] > found.most[0]:
                raise Contradiction
            self.ranges[term] = found
        elif term.op in ("sext", "zext"):
            inner = term.args[0]
            # Both readings of an extended number are the number itself, unless it is negative.
            if term.op == "sext" and by_sign:
                self._integer(inner, True, low, high)
            elif term.op == "zext" and (not by_sign or low is None or low >= 0):
                self._integer(inner, False, low, high)
        elif term.op == "add" and by_sign and term.args[1].value is not None:
            # Only where the sum does not wrap.
            by = signed(int(term.args[1].value), term.width)
            start, end = self._ends(term.args[0], True)
            top = 1 << (term.width - 1)
            if start is not None and end is not None and start + by >= -top and end + by < top:
                self._integer(
                    term.args[0], True, None if low is None else low - by, None if high is None else high - by
                )


def _is_brief(root: Term) -> bool:
    seen: set[Term] = set()
    stack = [root]
    while stack and len(seen) <= _BRIEF:
        term = stack.pop()
        if term not in seen:
            seen.add(term)
            stack.extend(term.args)
    return len(seen) <= _BRIEF


def _inward(end: Any, dtype: type[np.floating[Any]], towards: float) -> Any:
    """The nearest number of a narrower format on the inner side of an end."""
    if end is None:
        return None
    rounded = np.asarray(end).astype(dtype)
    outside = rounded.astype(np.float64) < end if towards > 0 else rounded.astype(np.float64) > end
    return np.where(outside, np.nextafter(rounded, dtype(towards)), rounded)


def _summary(ranges: dict[Term, Any]) -> list[tuple[Any, ...]]:
    def ends(value: Any) -> tuple[Any, ...]:
        rest = (value.nan,) if isinstance(value, Floats) else (value.least, value.most)
        return tuple(end[0] for end in (value.low, value.high, *rest))

    return [ends(value) for value in ranges.values()]
