"""Among the executions that violate a check, one with small inputs: a person reads zero faster than
-889275714, and the smallest values do not depend on what a solver comes upon first.

Inputs are made small one after the other, in a fixed order, each as small as the ones before it allow. All
questions together have a small budget. What is not settled within it is asked for together: few inputs have
to be large, and an execution with an object of 2^60 bytes cannot be run.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from vouch.record import frozen_record
from vouch.smt import term as T
from vouch.smt.term import Term

QUERIES = 96
# Processor time, so that a busy machine finds the same values; few come near to it.
SECONDS = 1.0
AT_MOST = 0.3  # seconds for one question; hard ones are not worth it
ROUGHLY = 255  # what inputs are tried to be kept within, all together, where the search has no end in time
_ROUGH = 24  # questions about that
_ROUGH_SECONDS = 1.0  # for each
_FIRST_SECONDS = 5.0  # for the first one of all, which was answered before
_HARD = 2  # questions without an answer before it stops
_ROUNDS = 3
# Numbers that are easy to read, the best first: tried in place of a search among floats.
_FRACTIONS = (0.0, 1.0, -1.0, 2.0, 0.5, 10.0, 100.0, 1000.0, 1e6, 1e10, 1e20, 1e38)
_FORMATS = {16: "<e", 32: "<f", 64: "<d"}


@frozen_record
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
    """`ask` says whether a goal can be met within so many seconds (None: no answer by then), and `value`
    reads the model after it can."""

    def __init__(
        self, ask: Callable[[Term, float], bool | None], value: Callable[[Term], int | bool], goal: Term
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
        left: dict[InputPart, None] = {}
        done: set[InputPart] = set()
        try:
            for _ in range(_ROUNDS):
                if not self._current and self._ask(self._goal, _FIRST_SECONDS) is not True:
                    return False
                self._current = True
                fresh = dict.fromkeys(item for item in inputs() if item not in done)
                left.update(fresh)
                for item in fresh:
                    done.add(item)
                    with suppress(Hard):
                        self._shrink(item)
                        del left[item]
        except Spent:
            pass
        self._together(list(left))
        return self._current or self._ask(self._goal, _ROUGH_SECONDS) is True

    def _together(self, items: Sequence[InputPart]) -> None:
        """Keep those small that can be so together: halves of what cannot are tried by themselves."""
        groups = [[i for i in items if i.kind in ("signed", "unsigned") and i.term.width > 8]]
        hard = 0
        for _ in range(_ROUGH):
            group = groups.pop() if groups else []
            if not group or hard > _HARD:
                return
            wish = T.and_(*map(_is_small, group))
            answer = self._ask(T.and_(self._goal, wish), _ROUGH_SECONDS)
            self._current = answer is True
            hard += answer is None
            if answer:
                self._fix(wish)
            elif len(group) > 1:
                middle = len(group) // 2
                groups += [group[middle:], group[:middle]]

    def _shrink(self, item: InputPart) -> None:
        if item.kind in ("float", "condition"):
            self._first_of(_simple_floats(item.term) if item.kind == "float" else [T.not_(item.term)])
            return
        if self._number(item.term) == 0:
            self._fix(T.eq(item.term, T.bv(0, item.term.width)))
            return
        size = _size(item)
        self._least(size)
        if item.kind == "signed":
            self._first_of([T.eq(item.term, size)])
            self._fix(T.eq(item.term, T.bv(self._number(item.term), item.term.width)))

    def _least(self, size: Term) -> None:
        """Fix a number to its least value. Where there is no time for that, a small one is good enough."""
        low, width, step = 0, size.width, 1
        high = self._number(size)
        try:
            while low < high:
                middle = _between(low, high, step)
                if self._can(T.ule(size, T.bv(middle, width))):
                    high, step = self._number(size), 2 * step
                else:
                    step = 0 if low.bit_length() == high.bit_length() else 1
                    low = middle + 1
        except Hard:
            if high > ROUGHLY:
                raise
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
        answer = self._ask(T.and_(self._goal, wish), AT_MOST)
        if answer is None:
            self._hard -= 1
            raise Hard
        self._current = answer
        return answer


def _between(low: int, high: int, step: int) -> int:
    """What to ask for next in the search of a least number: zero, which is the most frequent one; then how
    long it is; then, from above in growing steps, since numbers that must be large are often the least of
    their kind, until one was too long (0): the middle."""
    if low == 0:
        return 0
    short, long = low.bit_length(), high.bit_length()
    if short < long:
        return (1 << (short + long) // 2) - 1
    return max(low, high - step) if step else (low + high) // 2


def _size(item: InputPart) -> Term:
    return item.term if item.kind == "unsigned" else _magnitude(item.term)


def _is_small(item: InputPart) -> Term:
    size = _size(item)
    return T.ule(size, T.bv(ROUGHLY, size.width))


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
