"""Among the executions that violate a check, one with small inputs: a person reads zero faster than
-889275714, and the smallest values do not depend on what a solver comes upon first.

Inputs are made small one after the other, in a fixed order, each as small as the ones before it allow. All
questions together have a small budget: what is not settled within it stays as the solver gave it.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from vouch.smt import term as T
from vouch.smt.term import Term

QUERIES = 96
# Processor time, so that a busy machine finds the same values; few come near to it.
SECONDS = 1.0
AT_MOST = 0.3  # seconds for one question; hard ones are not worth it
_HARD = 2  # questions without an answer before it stops
_ROUNDS = 3
# Numbers that are easy to read, the best first: tried in place of a search among floats.
_FRACTIONS = (0.0, 1.0, -1.0, 2.0, 0.5, 10.0, 100.0, 1000.0, 1e6, 1e10, 1e20, 1e38)
_FORMATS = {16: "<e", 32: "<f", 64: "<d"}


@dataclass(slots=True, frozen=True)
class InputPart:
    """A number that the violation depends on. `kind`: "signed", "unsigned", "float" (`term` holds its bits)
    or "condition" (which had better not hold)."""

    term: Term
    kind: str


class Spent(Exception):
    """The budget is used up."""


class Hard(Exception):
    """A question without an answer in time: this input stays as it is."""


class Search:
    """`ask` says whether a goal can be met (None: no answer in time), and `value` reads the model after it
    can."""

    def __init__(
        self, ask: Callable[[Term], bool | None], value: Callable[[Term], int | bool], goal: Term
    ) -> None:
        self._ask = ask
        self._value = value
        self._goal = goal
        self._left = QUERIES
        self._end = time.process_time() + SECONDS
        self._hard = _HARD
        self._current = False  # the last model is one of the goal

    def run(self, inputs: Callable[[], Iterable[InputPart]]) -> bool:
        """Is there a model of the goal with small inputs? It is the solver's current one then. `inputs` is
        called while a model is there, and again: other values may make others matter."""
        done: set[InputPart] = set()
        try:
            for _ in range(_ROUNDS):
                if not self._current and self._ask(self._goal) is not True:
                    return False
                self._current = True
                for item in [item for item in inputs() if item not in done]:
                    done.add(item)
                    with suppress(Hard):
                        self._shrink(item)
        except Spent:
            pass
        return self._current or self._ask(self._goal) is True

    def _shrink(self, item: InputPart) -> None:
        if item.kind in ("float", "condition"):
            self._first_of(_simple_floats(item.term) if item.kind == "float" else [T.not_(item.term)])
            return
        if self._number(item.term) == 0:
            self._fix(T.eq(item.term, T.bv(0, item.term.width)))
            return
        size = item.term if item.kind == "unsigned" else _magnitude(item.term)
        with suppress(Hard):
            self._least(size)
        if item.kind == "signed":
            self._first_of([T.eq(item.term, size)])
            self._fix(T.eq(item.term, T.bv(self._number(item.term), item.term.width)))

    def _least(self, size: Term) -> None:
        """Fix a number to its least value; zero is asked for first, since it is the most frequent one."""
        low, width = 0, size.width
        high = self._number(size)
        try:
            while low < high:
                middle = 0 if low == 0 else (low + high) // 2
                if self._can(T.ule(size, T.bv(middle, width))):
                    high = self._number(size)
                else:
                    low = middle + 1
        finally:
            self._fix(T.eq(size, T.bv(high, width)))

    def _first_of(self, wishes: Sequence[Term]) -> None:
        """Keep to the first of these that can be had."""
        for wish in wishes:
            if self._can(wish):
                self._fix(wish)
                return

    def _fix(self, fact: Term) -> None:
        self._goal = T.and_(self._goal, fact)

    def _number(self, term: Term) -> int:
        if not self._current and not self._can(T.TRUE):
            raise Spent
        return int(self._value(term))

    def _can(self, wish: Term) -> bool:
        if self._left == 0 or self._hard == 0 or time.process_time() > self._end:
            raise Spent
        self._left -= 1
        self._current = False
        answer = self._ask(T.and_(self._goal, wish))
        if answer is None:
            self._hard -= 1
            raise Hard
        self._current = answer
        return answer


def _magnitude(term: Term) -> Term:
    return T.ite(T.slt(term, T.bv(0, term.width)), T.neg(term), term)


def _simple_floats(bits: Term) -> list[Term]:
    layout = _FORMATS.get(bits.width)
    if layout is None:
        return []
    numbers = _FRACTIONS if bits.width > 16 else _FRACTIONS[:8]
    return [
        T.eq(bits, T.bv(int.from_bytes(struct.pack(layout, number), "little"), bits.width))
        for number in numbers
    ]


def needed(
    goal: Term, value: Callable[[Term], int | bool], stands_for: Mapping[Term, Term] | None = None
) -> Iterator[Term]:
    """The symbols that make the goal true in a model: of alternatives, only those that were taken. A symbol
    that `stands_for` a term needs what that needs."""
    work, seen = [goal], {goal}

    def add(term: Term) -> None:
        if term not in seen and term.value is None:
            seen.add(term)
            work.append(term)

    while work:
        term = work.pop()
        if term.name:
            yield term
            if stands_for is not None and term in stands_for:
                add(stands_for[term])
        elif term.op == "ite":
            condition, yes, no = term.args
            add(condition)
            add(yes if value(condition) else no)
        elif term.op in ("and", "or"):
            decisive = term.op == "or"
            one = next((arg for arg in term.args if bool(value(arg)) is decisive), None)
            for arg in term.args if one is None else (one,):
                add(arg)
        else:
            for arg in term.args:
                add(arg)
